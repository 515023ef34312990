"""The paper's classifier."""

from __future__ import annotations

from typing import Any

from tacit.estimators._implicit import ImplicitlyConstrainedClassifier
from tacit.estimators._training import all_or_nothing


class ICLSClassifier(ImplicitlyConstrainedClassifier):
    r"""Implicitly constrained least squares (Krijthe & Loog 2015).

    Of all coefficients that least squares gives for some soft labeling of the unlabeled rows, the
    ones with the smallest squared loss on the labeled rows:

    .. math:: \min_{\beta \in C} \|X\beta - y\|^2, \qquad
        C = \{(S + G)^{+}(X'y + X_u'u) : u \in [0, 1]^U\}.

    That is the projection of the supervised solution onto C in the metric S = X'X. For more than
    two classes there is one column of coefficients a class, the labels u of a row are on the
    simplex, and the loss is summed over the classes: one joint problem.

    Parameters
    ----------
    alpha : float or "loo", default=0.0
        Ridge penalty, never on the intercept, in the labeled loss and in every member of C. "loo"
        chooses it by leave-one-out on the labeled rows.
    fit_intercept : bool, default=True
        Whether to fit a constant.
    solver : {"auto", "interior-point", "working-set", "lbfgsb"}, default="auto"
        "auto" is the interior-point method for few rows and the working set for many. "lbfgsb" is
        the paper's own recipe, for two classes. All give the same answer.
    tol : float, default=1e-8
        The relative duality gap to reach.
    max_iter : int, default=1000
        Iterations of the solver at the most.
    unlabeled : object, default=-1
        The value of y that marks an unlabeled row, besides None, NaN and pandas NA, which always
        do. None: no other mark, so that -1 can be a class.
    verbose : int, default=0
        Above zero, every round of a fit on many rows is told on the standard error.
    class_prior : array-like of shape (K,), dict, Series or "labeled", default=None
        The shares of the classes among the unlabeled rows, where they are known: in the order of
        `classes_`, or by class, as a dict or in the index of a pandas Series; "labeled" for the
        shares among the labeled rows. The weighted mean of the soft labels is then held at them,
        and the set C is smaller.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    coef_ : ndarray of shape (1, d) or (K, d)
        Coefficients; the decision is `X @ coef_.T + intercept_`.
    intercept_ : ndarray of shape (1,) or (K,)
        The regression's constant minus 1/2.
    soft_labels_ : ndarray of shape (U,) or (U, K)
        The imputed labels of the unlabeled rows, 1 for `classes_[1]`, or one share for each of more
        than two classes: those marked in y, in order, then those of X_unlabeled. For rows on disk
        or on a cluster computed on demand.
    solution_ : tacit.solver.Solution
        The solver's result, with status and duality gap.
    certificate_ : tacit.solver.Certificate
        What holds for every labeling of the unlabeled rows; print it.
    supervised_coef_, supervised_intercept_ : ndarray
        The supervised classifier that this one started from.
    alpha_ : float
        The penalty used.
    n_iter_ : int
        Iterations of the solver.
    n_features_in_ : int
        Features seen in `fit`.
    feature_names_in_ : ndarray of shape (d,)
        Their names, where X had any.

    See Also
    --------
    ProjectedLeastSquaresClassifier : The same set with a guarantee.

    Notes
    -----
    For few rows each iteration costs O(U d^2), and about a dozen are needed; for many, one sweep of
    O(U d^2) for the moments and a few of O(U d). K > 2 classes take O(U d^2 K^2) and O(U d K), and
    a matrix of order d K. Where the labeled rows do not determine all coefficients (L < p), the
    minimiser nearest to the supervised solution in the metric of all rows is taken, so the answer
    is unique.

    References
    ----------
    Krijthe & Loog, Implicitly Constrained Semi-Supervised Least Squares Classification, IDA 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from tacit import ICLSClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> partly = y.copy()
    >>> partly[40:] = -1  # 40 labels, 529 unlabeled rows
    >>> round(ICLSClassifier().fit(X, partly).score(X, y), 2)
    0.93
    """

    def __init__(
        self,
        alpha: float | str = 0.0,
        fit_intercept: bool = True,
        solver: str = "auto",
        tol: float = 1e-8,
        max_iter: int = 1000,
        unlabeled: Any = -1,
        verbose: int = 0,
        class_prior: Any = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.unlabeled = unlabeled
        self.verbose = verbose
        self.class_prior = class_prior

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None
    ) -> ICLSClassifier:
        """Fit on labeled and unlabeled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Rows, labeled and unlabeled.
        y : array-like of shape (n,)
            Labels of two classes or more, and marks for unlabeled rows.
        X_unlabeled : array-like, sparse matrix, Dask array, Rows or path, optional
            More unlabeled rows of the same features, of weight one. A path names a Parquet file or
            a folder of them.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights of the rows of X.

        Returns
        -------
        ICLSClassifier
            The fitted classifier.
        """
        with all_or_nothing(self):
            return self._fit(X, y, X_unlabeled, sample_weight, "labeled")
