"""The projection with a guarantee."""

from __future__ import annotations

from typing import Any, Literal

from tacit.estimators._implicit import ImplicitlyConstrainedClassifier
from tacit.estimators._training import all_or_nothing

METRICS = ("all", "labeled", "euclidean")


class ProjectedLeastSquaresClassifier(ImplicitlyConstrainedClassifier):
    r"""Projection of the supervised solution onto the constraint set (Krijthe & Loog 2017).

    .. math:: \min_{\beta \in C} \|\beta - \beta_{sup}\|_M^2, \qquad
        C = \{A^{+}(X'y + X_u'u) : u \in [0, 1]^U\}.

    With `metric="all"`, M = A is the Gram matrix of all rows, and the squared loss on these rows
    falls by at least :math:`\|\beta_{sup} - \beta\|_A^2 / N` whatever the unknown labels are. For
    more than two classes there is one column of coefficients a class, the labels u of a row are on
    the simplex, and both sides are half the sum over the classes.

    Parameters
    ----------
    metric : {"all", "labeled", "euclidean"}, default="all"
        "all": the change in predictions on all rows, with the guarantee. "labeled": the loss on
        the labeled rows, which is ICLSClassifier. "euclidean": the change in coefficients.
    alpha : float or "loo", default=0.0
        Ridge penalty of the supervised start, never on the intercept; the constraint set and the
        metric are not penalised, so that the guarantee is on the plain squared loss. With
        `metric="labeled"` as in ICLSClassifier.
    fit_intercept : bool, default=True
        Whether to fit a constant.
    solver : {"auto", "interior-point", "working-set", "lbfgsb"}, default="auto"
        "auto" is the interior-point method for few rows and the working set for many; "lbfgsb" is
        a second opinion, for two classes. All give the same answer.
    tol : float, default=1e-8
        The relative duality gap to reach.
    max_iter : int, default=1000
        Iterations of the solver at the most. With `metric="all"`, an answer that is so far from
        exact that it might raise the loss is not used: the start is kept, with a warning.
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
    start : None, "lasso", "elastic-net", regressor or LeastSquaresClassifier, default=None
        What is projected. None: the supervised least squares or ridge solution. "lasso" and
        "elastic-net": sparse models, their penalties chosen by cross-validation on the labeled
        rows. A linear scikit-learn regressor (`Lasso()`, `ElasticNetCV()`, ...): an unfitted one is
        cloned and fitted on the labeled rows, once for each column of indicators; a fitted one is
        used as it is and must predict the indicator of `classes_[1]`, or those of all classes if
        there are more than two. A LeastSquaresClassifier stands for the regression behind it; other
        classifiers are refused. The guarantee of `metric="all"` holds for any start.

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
        or on a cluster computed on demand. Where `certificate_.kept_start` is true, they are the
        labels of the answer that was not used.
    solution_ : tacit.solver.Solution
        The solver's result, with status and duality gap.
    certificate_ : tacit.solver.Certificate
        What holds for every labeling of the unlabeled rows; print it.
    supervised_coef_, supervised_intercept_ : ndarray
        The supervised classifier that was projected: that of `start`, where one was given.
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
    ICLSClassifier : The paper's classifier.

    Notes
    -----
    The guarantee is about the squared loss on the rows given to `fit`, not about the error on new
    rows. The cost is that of ICLSClassifier.

    References
    ----------
    Krijthe & Loog, Projected estimators for robust semi-supervised classification, Machine
    Learning 106, 2017.

    Tibshirani, Regression shrinkage and selection via the lasso, Journal of the Royal Statistical
    Society B 58, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from tacit import ProjectedLeastSquaresClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> partly = y.copy()
    >>> partly[40:] = -1  # 40 labels, 529 unlabeled rows
    >>> model = ProjectedLeastSquaresClassifier().fit(X, partly)
    >>> model.certificate_.worst_change < 0
    True
    """

    def __init__(
        self,
        metric: Literal["all", "labeled", "euclidean"] = "all",
        alpha: float | str = 0.0,
        fit_intercept: bool = True,
        solver: str = "auto",
        tol: float = 1e-8,
        max_iter: int = 1000,
        unlabeled: Any = -1,
        verbose: int = 0,
        class_prior: Any = None,
        start: Any = None,
    ) -> None:
        self.metric = metric
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.unlabeled = unlabeled
        self.verbose = verbose
        self.class_prior = class_prior
        self.start = start

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None
    ) -> ProjectedLeastSquaresClassifier:
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
        ProjectedLeastSquaresClassifier
            The fitted classifier.
        """
        if self.metric not in METRICS:
            raise ValueError(f"metric is {self.metric!r}; it must be one of {list(METRICS)}.")
        with all_or_nothing(self):
            return self._fit(X, y, X_unlabeled, sample_weight, self.metric)
