"""The supervised twin of the kernel classifiers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tacit.estimators._kernel import KernelClassifier
from tacit.estimators._training import all_or_nothing
from tacit.solver.kernel import fit_kernel_ridge


class KernelLeastSquaresClassifier(KernelClassifier):
    r"""Supervised kernel least squares classification: kernel ridge regression on class labels.

    Minimises :math:`\sum_i w_i (f(x_i) + b - y_i)^2 + \alpha \|f\|^2` over functions f of the
    kernel's space and constants b, with y the indicator of `classes_[1]` (one indicator a class
    for more than two), and decides at one half. Unlabeled rows are accepted and ignored.

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly", "precomputed"} or callable, default="rbf"
        A function takes two tables and returns one number for each pair of rows. With
        "precomputed", X is the kernel between all rows.
    alpha : float or "loo", default=1.0
        Penalty on the squared norm of the function, never on the constant. "loo" chooses the one
        with the smallest leave-one-out squared error on the labeled rows. With zero, principal
        components of the kernel below the square root of the machine precision are left out.
    gamma : float, optional
        Of "rbf", exp(-gamma ||x - x'||^2), and "poly", (gamma x'x' + coef0)^degree. One over the
        number of features by default.
    degree : float, default=3
        Of "poly".
    coef0 : float, default=1
        Of "poly".
    fit_intercept : bool, default=True
        Whether to fit a constant.
    unlabeled : object, default=-1
        The value of y that marks an unlabeled row, besides None, NaN and pandas NA, which always
        do. None: no other mark, so that -1 can be a class.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    X_fit_ : ndarray, sparse matrix or None
        The labeled rows; None for a precomputed kernel.
    dual_coef_ : ndarray of shape (1, L) or (K, L)
        The decision is `kernel(X, X_fit_) @ dual_coef_.T + intercept_`. For a precomputed kernel,
        there is one column for every row given to `fit`, zero for unlabeled ones.
    intercept_ : ndarray of shape (1,) or (K,)
        The regression's constant minus 1/2.
    alpha_ : float
        The penalty used.
    n_features_in_ : int
        Features seen in `fit`.
    feature_names_in_ : ndarray of shape (d,)
        Their names, where X had any.

    See Also
    --------
    KernelICLSClassifier : Its semi-supervised twin.
    LeastSquaresClassifier : The same with the linear kernel, in O(L d^2).

    Notes
    -----
    Costs O(L^3). The linear kernel gives the answer of LeastSquaresClassifier with the same alpha.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from tacit import KernelLeastSquaresClassifier
    >>> X, y = make_moons(200, noise=0.1, random_state=0)
    >>> model = KernelLeastSquaresClassifier(gamma=2.0, alpha=0.1).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.99
    """

    alpha_: float

    def __init__(
        self,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        alpha: float | str = 1.0,
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        fit_intercept: bool = True,
        unlabeled: Any = -1,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.unlabeled = unlabeled

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None
    ) -> KernelLeastSquaresClassifier:
        """Fit on the labeled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Rows; with a precomputed kernel, the kernel between them.
        y : array-like of shape (n,)
            Labels; rows marked as unlabeled are ignored.
        X_unlabeled : array-like of shape (m, d), optional
            Checked and ignored.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights.

        Returns
        -------
        KernelLeastSquaresClassifier
            The fitted classifier.
        """
        self._check_kernel()
        with all_or_nothing(self):
            training = self._read(X, y, X_unlabeled, sample_weight, supervised=True)
            data, intercept = training.data, self.fit_intercept
            alpha = self._read_alpha(self.alpha, training)
            fitted = fit_kernel_ridge(training.K, data.targets, data.weights, alpha, intercept)
            self.classes_ = data.classes
            self.alpha_ = alpha
            self.X_fit_ = training.rows
            self.dual_coef_, self.intercept_ = self._arranged(fitted, training)
        return self
