"""
When unlabeled data cannot help
===============================

Three problems in the plane. In the first the gap between two clusters is the border of the
classes; in the second the gap runs across them; in the third there is one cloud and the rows show
no border at all. A method that follows the rows is right in the first only, and nothing in the
rows tells which of the three it is.
"""

# %%
# Ten labels and 490 unlabeled rows, drawn twenty times. Every method is compared with its twin,
# which sees the labels only, on the unlabeled rows.

import matplotlib.pyplot as plt
import numpy as np

from tacit import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)
from tacit.family import EMLDAClassifier, LDAClassifier
from tacit.research.datasets._generators import aligned_clusters, opposed_clusters, overlapping

N_DRAWS, N_ROWS, N_LABELS = 20, 500, 10
PROBLEMS = {
    "the gap is the border": aligned_clusters,
    "the gap runs across": opposed_clusters,
    "no gap": overlapping,
}
METHODS = {
    "EM": (EMLDAClassifier(), LDAClassifier(), "#E69F00"),
    "self-learning": (SelfLearningClassifier(), LeastSquaresClassifier(), "#D55E00"),
    "ICLS": (ICLSClassifier(), LeastSquaresClassifier(), "#0072B2"),
    "projected": (ProjectedLeastSquaresClassifier(), LeastSquaresClassifier(), "#009E73"),
}


def draw(make, seed):
    """Change of the error by each method, and whether the certificate says that there is none."""
    data = make(N_ROWS, seed)
    X, y = data.X, data.y
    # Five labels of each class.
    first = np.concatenate([np.flatnonzero(y == k)[: N_LABELS // 2] for k in (0, 1)])
    rest = np.setdiff1d(np.arange(N_ROWS), first)
    changes = {}
    for name, (method, twin, _) in METHODS.items():
        twin.fit(X[first], y[first])
        method.fit(X[first], y[first], X_unlabeled=X[rest])
        before, after = (np.mean(model.predict(X[rest]) != y[rest]) for model in (twin, method))
        changes[name] = 100 * (after - before)
    return changes, METHODS["projected"][0].certificate_.supervised_in_set


# %%
# Points above the line are draws in which the unlabeled rows did harm.

figure, panels = plt.subplots(1, 3, figsize=(10, 3.8), sharey=True, layout="constrained")
for axes, (title, make) in zip(panels, PROBLEMS.items(), strict=True):
    draws = [draw(make, seed) for seed in range(N_DRAWS)]
    for k, (name, (_, _, colour)) in enumerate(METHODS.items()):
        change = np.array([changes[name] for changes, _ in draws])
        spread = k + np.linspace(-0.25, 0.25, N_DRAWS)
        axes.scatter(spread, change, s=14, color=colour, alpha=0.7, linewidth=0)
        axes.plot([k - 0.3, k + 0.3], [change.mean()] * 2, color=colour, linewidth=3)
    axes.axhline(0, color="#888888", linewidth=1, zorder=0)
    axes.set_title(title)
    axes.set_xticks(range(len(METHODS)), METHODS, rotation=20)
    axes.spines[["top", "right"]].set_visible(False)
    same = sum(in_set for _, in_set in draws)
    print(f"{title}: nothing to say in {same} of {N_DRAWS} draws")
panels[0].set_ylabel("change of the error, in points")
plt.show()

# %%
# The lines above count the draws in which some labeling of the rows leads to the supervised
# classifier itself. Then the unlabeled rows are no reason to leave it, the implicitly constrained
# methods return it unchanged, and the certificate says so before anybody has trusted a number.
# That is also what they miss where the gap is the border: who knows that it is should use a
# method that assumes it.
