"""
Error against the number of unlabeled rows
==========================================

The experiment of the paper on two tables that come with scikit-learn. In the first the classes
are clusters; in the second, patients with and without progress of their diabetes, they shade into
each other. Self-learning takes the labels that it makes up for true ones, and whether that is a
good idea differs between the two. Classifiers that are implicitly constrained make up no labels.
"""

# %%
# Few labels, hardly more than features, and no penalty, as in the paper. All rows without label
# are tested, so that the supervised classifier has the same error at every size.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.preprocessing import StandardScaler

from tacit import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)

N_DRAWS = 20
METHODS = {
    "self-learning": (SelfLearningClassifier(), "#D55E00"),
    "projected": (ProjectedLeastSquaresClassifier(), "#009E73"),
    "ICLS": (ICLSClassifier(), "#0072B2"),
}
scale = StandardScaler().fit_transform
tumours, malignant = load_breast_cancer(return_X_y=True)
patients, progress = load_diabetes(return_X_y=True)
progress = progress > np.median(progress)
TABLES = {
    "breast tumours, 35 labels": (scale(tumours), malignant, 35, [4, 16, 64, 256, 534]),
    "diabetes, 15 labels": (scale(patients), progress, 15, [4, 16, 64, 256, 427]),
}


def errors(X, y, n_labels, sizes, seed):
    """Error of the supervised classifier, and of each method at each size, in one draw."""
    order = np.random.default_rng(seed).permutation(len(y))
    labeled, rest = order[:n_labels], order[n_labels:]
    twin = LeastSquaresClassifier().fit(X[labeled], y[labeled])
    curves = {"supervised": [np.mean(twin.predict(X[rest]) != y[rest])] * len(sizes)}
    for name, (method, _) in METHODS.items():
        fits = (method.fit(X[labeled], y[labeled], X_unlabeled=X[rest[:n]]) for n in sizes)
        curves[name] = [np.mean(fit.predict(X[rest]) != y[rest]) for fit in fits]
    return curves


# %%
# Bands are one standard error.

figure, panels = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for axes, (title, (X, y, n_labels, sizes)) in zip(panels, TABLES.items(), strict=True):
    draws = [errors(X, y, n_labels, sizes, seed) for seed in range(N_DRAWS)]
    for name in draws[0]:
        colour = METHODS[name][1] if name in METHODS else "black"
        values = 100 * np.array([draw[name] for draw in draws])
        mean, band = values.mean(axis=0), values.std(axis=0) / np.sqrt(N_DRAWS)
        axes.plot(sizes, mean, "o-", color=colour, label=name)
        axes.fill_between(sizes, mean - band, mean + band, color=colour, alpha=0.15, linewidth=0)
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, sizes)
    axes.set_title(title)
    axes.set_xlabel("unlabeled rows")
    axes.spines[["top", "right"]].set_visible(False)
panels[0].set_ylabel("error on the rows without label, in %")
panels[0].legend(frameon=False)
plt.show()

# %%
# A word of caution. The supervised classifier has no penalty, and with so few labels a tuned one
# is usually as good as any curve here; on top of it unlabeled rows change little. See
# :doc:`/reproducing`.

for title, (X, y, n_labels, _) in TABLES.items():
    tuned = []
    for seed in range(N_DRAWS):
        order = np.random.default_rng(seed).permutation(len(y))
        labeled, rest = order[:n_labels], order[n_labels:]
        ridge = LeastSquaresClassifier(alpha="loo").fit(X[labeled], y[labeled])
        tuned.append(np.mean(ridge.predict(X[rest]) != y[rest]))
    print(f"{title}, no unlabeled rows, tuned penalty: {np.mean(tuned):.1%} wrong")
