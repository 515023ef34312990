"""
Every method beside its twin
============================

All methods of the package on one problem in the plane. The dashed border is that of the
supervised twin, which sees the six large marks only; the solid one is that of the method, which
sees all rows. The colours of the small marks were hidden from all of them.
"""

# %%
# Two clusters, each of them one class. This draw of the labels is a lucky one for nobody: they
# are not typical of their clusters.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone

from tacit.research.datasets._generators import aligned_clusters
from tacit.research.experiments._family import family_contestants
from tacit.selection._contestants import seeded

data = aligned_clusters(300, random_state=1, radius=1.6)
X, y = data.X, data.y.astype(int)
random = np.random.default_rng(14)
labeled = np.concatenate([random.choice(np.flatnonzero(y == k), 3, replace=False) for k in (0, 1)])
partly = np.full(len(y), -1)
partly[labeled] = y[labeled]

# %%
# ``family_contestants`` names each method with its twin and sensible settings.

contestants = {contestant.name: contestant for contestant in family_contestants()}
methods = [contestant for contestant in contestants.values() if contestant.twin is not None]
corners = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
grid = np.meshgrid(*(np.linspace(low, high, 150) for low, high in zip(*corners, strict=True)))
points = np.column_stack([part.ravel() for part in grid])
COLOURS = np.array(["#D55E00", "#0072B2"])


def draw(axes, method):
    """The rows, and the borders of a method and its twin."""
    twin = clone(contestants[method.twin].estimator).fit(X[labeled], y[labeled])
    model = seeded(method.estimator, f"gallery|{method.name}").fit(X, partly)
    axes.scatter(*X.T, s=5, color=COLOURS[y], alpha=0.35, linewidth=0)
    axes.scatter(*X[labeled].T, s=45, color=COLOURS[y[labeled]], edgecolor="black")
    for fitted, style in ((twin, "dashed"), (model, "solid")):
        border = fitted.predict(points).reshape(grid[0].shape)
        if np.ptp(border):
            axes.contour(*grid, border, levels=[0.5], colors="black", linestyles=style)
    before, after = (100 * np.mean(fitted.predict(X) != y) for fitted in (twin, model))
    axes.set_title(f"{method.name}\n{before:.0f} % → {after:.0f} % wrong", fontsize=9)
    axes.set_xticks([])
    axes.set_yticks([])


figure, panels = plt.subplots(4, 4, figsize=(10, 10), layout="constrained")
for panel in panels.flat[len(methods) :]:
    panel.set_visible(False)
for panel, method in zip(panels.flat, methods, strict=False):
    draw(panel, method)
plt.show()

# %%
# This problem is kind to methods that look for clusters. One draw shows how the methods differ,
# not which is better: :doc:`/guide/choosing` has the same picture for problems that are unkind,
# and a table for twelve datasets.
