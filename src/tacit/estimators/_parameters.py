"""Parameters and attributes that several classifiers share: what is allowed, what they mean."""

from __future__ import annotations

from inspect import cleandoc
from numbers import Integral, Real
from string import Template
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions


class Number(Interval):
    """An interval of numbers; a truth value is no number."""

    def is_satisfied_by(self, val: Any) -> bool:
        """Whether `val` is a number in the interval."""
        return not isinstance(val, bool | np.bool_) and bool(super().is_satisfied_by(val))


FINITE = [Number(Real, None, None, closed="neither")]
POSITIVE = [Number(Real, 0, None, closed="neither")]
NOT_NEGATIVE = [Number(Real, 0, None, closed="left")]
POSITIVE_INTEGER = [Number(Integral, 1, None, closed="left")]
# Constraints by the name of the parameter, where it means the same in several classifiers.
TOL = [Number(Real, 0, 1, closed="neither")]
ALPHA = [*NOT_NEGATIVE, StrOptions({"loo"})]
KERNEL = [StrOptions({"linear", "rbf", "poly", "precomputed"}), callable]
# Those that every classifier with such a parameter has, unless it declares another.
CONSTRAINTS = {
    "unlabeled": "no_validation",
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "fit_intercept": ["boolean"],
    "tol": TOL,
    "max_iter": POSITIVE_INTEGER,
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}

# Entries of docstrings, written as `$name` on a line of their own.
TEXTS = {
    "unlabeled": """
unlabeled : object, default=-1
    The value of y that marks an unlabeled row, besides None, NaN and pandas NA, which always
    do. None: no other mark, so that -1 can be a class.""",
    "class_weight": """
class_weight : dict or "balanced", default=None
    What the weights of the labeled rows are multiplied with, by class; 1 for classes that are
    not named. "balanced": the labeled rows of every class weigh the same together. All that is
    said of the labeled rows is then said of the weighted ones: leave-one-out, probabilities,
    the certificate.""",
    "fit_intercept": """
fit_intercept : bool, default=True
    Whether to fit a constant.""",
    "tol": """
tol : float, default=1e-8
    The relative duality gap to reach.""",
    "verbose": """
verbose : int, default=0
    Above zero, every round of a fit on many rows is reported on the standard error.""",
    "class_prior": """
class_prior : array-like of shape (K,), dict, Series or "labeled", default=None
    The shares of the classes among the unlabeled rows, where they are known: in the order of
    `classes_`, or by class, as a dict or in the index of a pandas Series; "labeled" for the
    shares among the labeled rows. The weighted mean of the soft labels is then held at them,
    and the set C is smaller.""",
    "kernel": """
kernel : {"linear", "rbf", "poly", "precomputed"} or callable, default="rbf"
    A function takes two tables and returns one number for each pair of rows. With
    "precomputed", X is the kernel between all rows, and unlabeled rows are marked in y.""",
    "kernel_alpha": """
alpha : float or "loo", default=1.0
    Penalty on the squared norm of the function, never on the constant. "loo" chooses the one
    with the smallest leave-one-out squared error on the labeled rows. With zero, principal
    components of the kernel below the square root of the machine precision are left out.""",
    "kernel_parameters": """
gamma : float, optional
    Of "rbf", exp(-gamma ||x - x'||^2), and "poly", (gamma x'x' + coef0)^degree. One over the
    number of features by default.
degree : float, default=3
    Of "poly".
coef0 : float, default=1
    Of "poly".""",
    "classes_": """
classes_ : ndarray of shape (K,)
    The labels.""",
    "coef_": """
coef_ : ndarray of shape (1, d) or (K, d)
    Coefficients; the decision is `X @ coef_.T + intercept_`.
intercept_ : ndarray of shape (1,) or (K,)
    The regression's constant minus 1/2.""",
    "projection_": """
soft_labels_ : ndarray of shape (U,) or (U, K)
    The imputed labels of the unlabeled rows, 1 for `classes_[1]`, or one share for each of more
    than two classes: those marked in y, in order, then those of X_unlabeled. For rows on disk
    or on a cluster computed on demand. Where `certificate_.kept_start` is true, they are the
    labels of the answer that was not used.
solution_ : tacit.solver.Solution
    The solver's result, with status and duality gap.
certificate_ : tacit.solver.Certificate
    What holds for every labeling of the unlabeled rows; print it.""",
    "supervised_coef_": """
supervised_coef_, supervised_intercept_ : ndarray
    The supervised classifier that this one started from.""",
    "alpha_": """
alpha_ : float
    The penalty used.""",
    "n_iter_": """
n_iter_ : int
    Iterations of the solver.""",
    "features_": """
n_features_in_ : int
    Features seen in `fit`.
feature_names_in_ : ndarray of shape (d,)
    Their names, where X had any.""",
    "partly_labeled": """
>>> import numpy as np
>>> from sklearn.datasets import load_breast_cancer
>>> from sklearn.preprocessing import StandardScaler
>>> X, y = load_breast_cancer(return_X_y=True)
>>> X = StandardScaler().fit_transform(X)
>>> partly = y.copy()
>>> partly[np.arange(len(y)) % 10 > 0] = -1  # 57 labels, 512 unlabeled rows""",
}

# What the projections of linear classifiers have.
_PROJECTION = ("classes_", "coef_", "projection_", "supervised_coef_", "alpha_", "n_iter_")
TEXTS["projection_attributes"] = "".join(TEXTS[name] for name in (*_PROJECTION, "features_"))


def filled(doc: str | None, entries: dict[str, str]) -> str | None:
    """A docstring with the shared entries in place of `$name`."""
    if doc is None:  # as under python -OO
        return None
    return Template(cleandoc(doc)).substitute({k: text.strip() for k, text in entries.items()})
