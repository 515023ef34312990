"""
Pipelines and grid search
=========================

All classifiers are scikit-learn classifiers, so scaling, pipelines and ``GridSearchCV`` work.
What is special is the splitting: a row without label cannot be tested on, and should never be
lost to training. :class:`~tacit.selection.LabeledKFold` sees to both.
"""

# %%
# Handwritten digits, odd against even: 80 labels, 1,717 unlabeled rows. Unlabeled rows are marked
# by -1 in ``y``, as scikit-learn does it.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tacit import ICLSClassifier, LeastSquaresClassifier
from tacit.selection import LabeledKFold

digits, number = load_digits(return_X_y=True)
truth = number % 2
y = truth.copy()
y[np.random.default_rng(0).permutation(len(y))[80:]] = -1
known = y >= 0

cv = LabeledKFold(5, shuffle=True, random_state=0)
train, test = next(cv.split(digits, y))
print(
    f"{len(train)} rows to train on, {known[train].sum()} of them labeled; {len(test)} to test on"
)

# %%
# The penalty of ICLS and of its supervised twin, chosen by the same cross-validation on 80
# labels.

alphas = np.logspace(-2, 4, 13)
found = {}
for name, classifier in (("supervised", LeastSquaresClassifier()), ("ICLS", ICLSClassifier())):
    pipeline = make_pipeline(StandardScaler(), classifier)
    grid = {f"{type(classifier).__name__.lower()}__alpha": alphas}
    search = GridSearchCV(pipeline, grid, cv=cv)
    # The twin sees the labeled rows only.
    rows = slice(None) if name == "ICLS" else known
    found[name] = search.fit(digits[rows], y[rows])
    wrong = np.mean(search.predict(digits[~known]) != truth[~known])
    chosen = search.best_estimator_[-1].alpha
    print(f"{name}: alpha = {chosen:g}, {wrong:.1%} wrong on the unlabeled rows")

# %%
# The labels of the other rows are known here, so the estimate can be compared with what it
# estimates.

figure, panels = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
for axes, name, colour in zip(panels, found, ("black", "#0072B2"), strict=True):
    search, rows = found[name], slice(None) if name == "ICLS" else known
    true_error = []
    for alpha in alphas:
        classifier = search.estimator[-1].set_params(alpha=alpha)
        model = make_pipeline(StandardScaler(), classifier).fit(digits[rows], y[rows])
        true_error.append(100 * np.mean(model.predict(digits[~known]) != truth[~known]))
    estimate = 100 * (1 - search.cv_results_["mean_test_score"])
    axes.semilogx(alphas, true_error, color=colour, linewidth=2.5, label="error on the other rows")
    axes.semilogx(alphas, estimate, "o--", color=colour, alpha=0.6, label="estimate from 80 labels")
    axes.axvline(alphas[search.best_index_], color="#cccccc", linewidth=6, zorder=0,
                 label="chosen penalty")  # fmt: skip
    axes.set_title(name)
    axes.set_xlabel("penalty alpha")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
panels[0].set_ylabel("error in %")
plt.show()

# %%
# Without a penalty the unlabeled rows make a large difference, with a good one hardly any: a
# penalty and unlabeled rows cure the same illness. With ``alpha="loo"`` either classifier chooses
# its penalty by itself.
