"""
Reading a certificate
=====================

A semi-supervised fit comes with a certificate: by how much the squared loss on the rows at hand
has changed, at best and at worst, over every labeling that the unlabeled rows could have. No
label is needed for it, because the change is linear in each unknown label.
"""

# %%
# Breast tumours, 40 labels, all other rows unlabeled. The certificate of the projected
# classifier, in words:

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from tacit import ICLSClassifier, ProjectedLeastSquaresClassifier, SelfLearningClassifier

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)


def partly_labeled(seed, n_labels=40):
    """The labels, all but a few of them hidden."""
    labels = y.copy()
    labels[np.random.default_rng(seed).permutation(len(y))[n_labels:]] = -1
    return labels


model = ProjectedLeastSquaresClassifier().fit(X, partly_labeled(0))
print(model.certificate_)

# %%
# As values:

certificate = model.certificate_
print("best change:           ", round(certificate.best_change, 4))
print("worst change:          ", round(certificate.worst_change, 4))
print("guaranteed improvement:", round(certificate.guaranteed_improvement, 4))

# %%
# Twelve draws of the labels, three methods. A bar runs from the best to the worst change; the dot
# is the change by the true labels, which are known here. A bar that ends left of zero is a
# promise: no labels whatever could have made the loss rise.


def true_change(model, labels):
    """The change of the mean squared loss on all rows, by the labels that were hidden."""
    known = labels >= 0
    supervised = ICLSClassifier().fit(X[known], y[known])  # no unlabeled rows: least squares
    before, after = (m.decision_function(X) + 0.5 - y for m in (supervised, model))
    return np.mean(after**2) - np.mean(before**2)


METHODS = {
    "projected": (ProjectedLeastSquaresClassifier(), "#009E73"),
    "ICLS": (ICLSClassifier(), "#0072B2"),
    "self-learning": (SelfLearningClassifier(), "#D55E00"),
}
N_DRAWS = 12
figure, panels = plt.subplots(1, 3, figsize=(10, 4), sharex=True, sharey=True, layout="constrained")
for axes, (name, (method, colour)) in zip(panels, METHODS.items(), strict=True):
    for draw in range(N_DRAWS):
        labels = partly_labeled(draw)
        found = method.fit(X, labels).certificate_
        axes.plot([found.best_change, found.worst_change], [draw, draw], color=colour, linewidth=5,
                  alpha=0.45, solid_capstyle="butt")  # fmt: skip
        axes.plot(true_change(method, labels), draw, "o", color=colour, markersize=5)
    axes.axvline(0, color="black", linewidth=1)
    axes.set_title(name, color=colour)
    axes.set_yticks([])
    axes.spines[["top", "right", "left"]].set_visible(False)
panels[0].set_ylabel("draws of the labels")
panels[1].set_xlabel("change of the mean squared loss on all rows (better is left)")
plt.show()

# %%
# Only the projected classifier carries the promise in every draw. ICLS may cross zero, because it
# minimises the loss on the labeled rows, not on all of them; self-learning may, because nothing
# stops it. The certificate is about the squared loss on these rows. It is not about the error on
# new ones, which usually falls with it and which nobody can promise.
