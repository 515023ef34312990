"""
Known shares of the classes
===========================

Labels are often collected class by class, ten of each, although one class is rare; and the share
of the rare one is known from elsewhere. ``class_prior`` tells the shares among the unlabeled
rows. Of all labelings only those with these shares are considered, so the set of coefficients is
smaller and the unlabeled rows say more.
"""

# %%
# Ten labels of each of two overlapping classes, five features, and 500 unlabeled rows of which a
# part that we vary belongs to the rare class.

import matplotlib.pyplot as plt
import numpy as np

from tacit import ICLSClassifier, LeastSquaresClassifier, ProjectedLeastSquaresClassifier


def rows(y, random):
    """Five features; the classes differ in the first two."""
    X = random.normal(size=(len(y), 5))
    X[:, :2] += 1.2 * y[:, None]
    return X


def errors(share, prior, seed):
    """Error on the unlabeled rows of the supervised classifier, and of three others."""
    random = np.random.default_rng(seed)
    y = np.repeat([0, 1], 10)
    y_u = (np.arange(500) < 500 * share).astype(int)
    X, X_u = rows(y, random), rows(y_u, random)
    known = {0: 1 - prior, 1: prior}
    models = {
        "supervised": LeastSquaresClassifier().fit(X, y),
        "ICLS": ICLSClassifier().fit(X, y, X_unlabeled=X_u),
        "ICLS, shares known": ICLSClassifier(class_prior=known).fit(X, y, X_unlabeled=X_u),
        "projected, shares known": ProjectedLeastSquaresClassifier(class_prior=known).fit(
            X, y, X_unlabeled=X_u
        ),
    }
    return {name: 100 * np.mean(model.predict(X_u) != y_u) for name, model in models.items()}


def mean_errors(pairs, n_draws=10):
    """Mean error of each classifier, one for each pair of true share and told share."""
    draws = [[errors(*pair, seed) for seed in range(n_draws)] for pair in pairs]
    return {name: [np.mean([d[name] for d in part]) for part in draws] for name in draws[0][0]}


# %%
# On the left the told share is right. On the right the rare class has a share of 15 %, and
# something else is told.

COLOURS = ("black", "#56B4E9", "#0072B2", "#009E73")
SHARES = np.array([0.05, 0.1, 0.2, 0.35, 0.5])
TOLD = np.array([0.02, 0.08, 0.15, 0.25, 0.4])
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
right_told = mean_errors([(share, share) for share in SHARES])
for (name, error), colour in zip(right_told.items(), COLOURS, strict=True):
    width = 4 if name == "supervised" else 1.5
    left.plot(100 * SHARES, error, "o-", color=colour, linewidth=width, label=name)
left.plot(100 * SHARES, 100 * SHARES, ":", color="#888888", label="always the common class")
for (name, error), colour in zip(
    mean_errors([(0.15, told) for told in TOLD]).items(), COLOURS, strict=True
):
    right.plot(100 * TOLD, error, "o-", color=colour, linewidth=4 if name == "supervised" else 1.5)
right.axvline(15, color="#dddddd", linewidth=6, zorder=0)
left.set_xlabel("share of the rare class, in %")
right.set_xlabel("what was told, in % (grey: the truth)")
left.set_ylabel("error on the unlabeled rows, in %")
left.set_title("the right share is told")
right.set_title("a wrong share is told")
left.legend(frameon=False)
for axes in (left, right):
    axes.set_ylim(bottom=0)
    axes.spines[["top", "right"]].set_visible(False)
plt.show()

for share, error, told in zip(SHARES, right_told["supervised"], right_told["ICLS, shares known"],
                              strict=True):  # fmt: skip
    print(f"rare class {share:4.0%}: {error:.1f} % wrong, with known shares {told:.1f} %")

# %%
# Where one class is very rare, saying that there is none has a low error too: the dotted line. A
# share is an assumption, and a strong one: the guarantee of the projected classifier then holds
# for labelings with these shares, not for all of them, and the certificate says so.
