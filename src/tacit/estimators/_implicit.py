"""Projections of least squares onto the constraint set: the paper's, and that with a guarantee."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import StrOptions

from tacit.estimators._linear import RegressionClassifier
from tacit.estimators._start import fit_start
from tacit.estimators._training import TrainingData, read_class_prior, threads_for
from tacit.rows import CentredRows
from tacit.solver import Coefficients, Solution, Status, project
from tacit.solver._least_squares import FEW_COLUMNS, RowsRidge, column_squares, loses_columns
from tacit.solver._many_columns import FITTED, is_ridge_fit, project_by_rows, project_in_span
from tacit.solver._method import SOLVERS, Method
from tacit.solver._nearest_labels import already_inside
from tacit.solver._projection import PRIOR_TOLERANCE, Metric, Projection

NOTHING = 1e-9  # of the largest weight, as a penalty


class ImplicitlyConstrainedClassifier(RegressionClassifier):
    """A projection of the supervised solution onto the constraint set, in some metric."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "solver": [StrOptions(set(SOLVERS))],
        "class_prior": "no_validation",  # by `read_class_prior`, which knows the classes
    }

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
        class_weight: Any = None,
    ) -> None:
        super().__init__(alpha, fit_intercept, unlabeled, class_weight)
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.class_prior = class_prior

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.solver != "lbfgsb"
        return tags

    def _fit_projection(
        self, data: TrainingData, metric: Metric, start: Any = None, everywhere: bool = True
    ) -> None:
        """Project the start; the penalty is `everywhere`, or in the start only."""
        check_solver_for(self.solver, data, 'use "auto", "interior-point" or "working-set"')
        with threads_for(data):
            prior_violation = self._project(data, metric, start, everywhere)
        warn_if_unfinished(
            self,
            'use solver="interior-point"'
            if self.solver == "lbfgsb"
            else f"raise tol (now {self.tol:g}) or scale the features",
            f", for the shares of the soft labels miss class_prior by {prior_violation:.2g}"
            if prior_violation > PRIOR_TOLERANCE
            else "",
        )

    def _project(
        self,
        data: TrainingData,
        metric: Metric,
        given: Any,
        everywhere: bool,
        ridge: RowsRidge | None = None,
    ) -> float:
        """Fit, and say how far the shares of the soft labels are from the class prior.

        With a `ridge` regression of all rows, from that alone.
        """
        prior = read_class_prior(self.class_prior, data)
        supervised = self._fit_supervised(data)
        start = supervised.coefficients
        if given is not None and supervised.alpha != 0.0:
            raise ValueError(
                f"alpha is {self.alpha!r} and start is {given!r}; the penalty belongs to the "
                "start, so give it to that model, or leave start=None."
            )
        if given is not None:
            start = fit_start(given, data, self.fit_intercept)
        # With a penalty everywhere, the start solves the equations that the set is made of.
        alpha = supervised.alpha if everywhere else 0.0
        projection, prior_violation = None, 0.0
        method = Method(self.solver, self.tol, self.max_iter, self._progress())
        labeled, rows = supervised.labeled, data.unlabeled
        is_plain = given is None and prior is None and alpha == supervised.alpha
        if ridge is not None and rows.total_weight > 0.0:
            projection = project_by_rows(ridge, labeled, rows, start, metric, method)
        elif is_plain and self.solver == "auto":
            intercept = self.fit_intercept
            projection = already_inside(rows, start, intercept)
            is_wide = len(data.codes) + rows.n_rows < data.X.shape[1] and alpha > 0.0
            if is_wide and data.X.shape[1] <= FEW_COLUMNS:
                is_wide = not loses_columns(column_squares(data.X, rows, intercept), alpha)
            if is_wide and projection is not None:
                own = CentredRows(labeled.X, labeled.weights, intercept)
                if not is_ridge_fit(start, own, labeled.y, alpha):
                    projection = None  # a start that rounding has moved
            if projection is None and is_wide and metric != "euclidean":
                projection = project_in_span(labeled, rows, start, alpha, intercept, metric, method)
        if projection is None:
            asking = {
                "alpha=0": ('alpha="loo"', supervised.alpha == 0.0),
                'penalty="start"': ('penalty="everywhere"', alpha < supervised.alpha),
                "start": ("start=None", given is not None),
                "class_prior": ("class_prior=None", prior is not None),
                f'solver="{self.solver}"': ('solver="auto"', self.solver != "auto"),
                'metric="euclidean"': ('metric="all"', metric == "euclidean"),
            }
            needed = {name: other for name, (other, is_so) in asking.items() if is_so}
            constraints = supervised.constraint_set(alpha, prior, needed)
            projection = project(constraints, start, metric, supervised.rank, method)
            if alpha > NOTHING * (1.0 if data.weights is None else data.weights.max()):
                kept = constraints.coefficients(constraints.coordinates(start))
                if not _is_close(kept, start, labeled.X):
                    # Directions that the start has, and rounding has taken from the set.
                    stalled = replace(projection.solution, status=Status.STALLED)
                    projection = replace(projection, solution=stalled, inside=False)
            prior_violation = constraints.prior_violation(projection.solution.labeling)
        solution = projection.solution
        self.certificate_ = supervised.certify(
            projection.coefficients,
            start,
            supervised_in_set=None if _is_rounded_away(solution, self.tol) else projection.inside,
            guaranteed_improvement=guarantee(projection, data) if metric == "all" else None,
            penalty_change=_penalty_change(projection, start, alpha) if metric == "all" else None,
            class_prior=None if prior is None else tuple(prior.tolist()),
            prices=projection.prices,
        ).or_supervised(is_exact=solution.is_settled())
        kept_start = self.certificate_.kept_start
        self._store(start if kept_start else projection.coefficients, start)
        self.soft_labels_ = np.zeros((0, *data.targets.shape[1:]))
        if solution.labeling is not None:
            self.soft_labels_ = solution.labeling.of_rows(data.unlabeled)
        self.solution_ = solution
        self.n_iter_ = solution.n_iter
        return prior_violation


def _is_rounded_away(solution: Solution, tol: float) -> bool:
    """Whether the answer is exact for a set that rounding has made another."""
    return solution.status is Status.STALLED and solution.relative_gap() <= tol


def _is_close(one: Coefficients, other: Coefficients, X: Any) -> bool:
    """Whether values on these rows differ by no more than rounding may leave."""
    values = other.values(X)
    difference = np.abs(one.values(X) - values).max(initial=0.0)
    return bool(difference <= FITTED * (1.0 + np.abs(values).max(initial=0.0)))


def _penalty_change(projection: Projection, start: Coefficients, alpha: float) -> float | None:
    """What the penalty rises by, in the unit of the loss; None without a penalty."""
    if alpha == 0.0:
        return None
    before, after = start.coef, projection.coefficients.coef
    return alpha * float(np.vdot(after, after) - np.vdot(before, before)) / before.ndim


def guarantee(projection: Projection, data: TrainingData) -> float:
    """By how much the loss of a row falls at the least, in the metric of all rows."""
    solution = projection.solution
    if not solution.is_settled():
        return np.inf  # an inexact answer promises what the rows themselves say, in `certify`
    # Pythagoras, less what the duality gap leaves open.
    improvement = projection.squared_distance - 2.0 * solution.gap()
    labeled = len(data.codes) if data.weights is None else float(data.weights.sum())
    improvement /= labeled + data.unlabeled.total_weight
    # The loss of several classes is half its sum over them, as for either one of two.
    return improvement if len(data.classes) == 2 else 0.5 * improvement


def check_solver_for(solver: str, data: TrainingData, advice: str) -> None:
    """Refuse the solver for two classes where there are more."""
    if solver == "lbfgsb" and len(data.classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f'solver is "lbfgsb", which is for two classes, and y has {len(data.classes)}; '
            f"{advice}."
        )


def warn_if_unfinished(model: Any, otherwise: str, reason: str = "") -> None:
    """Warn where the tolerance was not met, or was met but is too loose to promise anything.

    `otherwise` is what to change where neither a lower tolerance nor more iterations would help.
    """
    solution, kept_start = model.solution_, model.certificate_.kept_start
    if solution.status.is_success and not kept_start:
        return
    advice = (
        f"lower tol (now {model.tol:g})"
        if solution.status.is_success
        else f"raise max_iter (now {model.max_iter})"
        if solution.n_iter >= model.max_iter
        else otherwise
    )
    gap = solution.relative_gap()
    if _is_rounded_away(solution, model.tol) and not reason:
        advice = "scale the columns or raise alpha"
        reason = ", for rounding errors lose small columns beside large ones"
    kept = ". The answer might have raised the loss, so the supervised classifier was kept"
    model._warn(
        f"stopped with status {solution.status.value!r} at a relative duality gap of {gap:.2g}, "
        f"{'within' if gap <= model.tol else 'above'} the tolerance tol={model.tol:g}; "
        f"{advice}{reason}{kept if kept_start else ''}"
    )


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
    $fit_intercept
    solver : {"auto", "interior-point", "working-set", "lbfgsb"}, default="auto"
        "auto" is the interior-point method for few rows and the working set for many. "lbfgsb" is
        the paper's own recipe, for two classes. All give the same answer.
    $tol
    max_iter : int, default=1000
        Iterations of the solver at the most.
    $unlabeled
    $verbose
    $class_prior
    $class_weight

    Attributes
    ----------
    $projection_attributes

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
    $partly_labeled
    >>> from tacit import ICLSClassifier
    >>> round(ICLSClassifier().fit(X, partly).score(X, y), 2)
    0.93
    """

    def _fit(self, data: TrainingData) -> None:
        self._fit_projection(data, "labeled")


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
        Ridge penalty, never on the intercept, in the supervised start, in every member of the set
        and in the metrics "all" and "labeled". The guarantee is then on the penalised squared loss,
        and the certificate also tells the worst case of the plain one.
    $fit_intercept
    solver : {"auto", "interior-point", "working-set", "lbfgsb"}, default="auto"
        "auto" is the interior-point method for few rows and the working set for many; "lbfgsb" is
        a second opinion, for two classes. All give the same answer.
    $tol
    max_iter : int, default=1000
        Iterations of the solver at the most. With `metric="all"`, an answer that is so far from
        exact that it might raise the loss is not used: the start is kept, with a warning.
    $unlabeled
    $verbose
    $class_prior
    start : None, "lasso", "elastic-net", regressor or LeastSquaresClassifier, default=None
        What is projected. None: the supervised least squares or ridge solution. "lasso" and
        "elastic-net": sparse models, their penalties chosen by cross-validation on the labeled
        rows. A linear scikit-learn regressor (`Lasso()`, `ElasticNetCV()`, ...): an unfitted one is
        cloned and fitted on the labeled rows, once for each column of indicators; a fitted one is
        used as it is and must predict the indicator of `classes_[1]`, or those of all classes if
        there are more than two. A LeastSquaresClassifier stands for the regression behind it; other
        classifiers are refused. The guarantee of `metric="all"` holds for any start.
    penalty : {"everywhere", "start"}, default="everywhere"
        "start": the penalty only chooses the start, and set and metric have none. The guarantee is
        then on the plain squared loss, and hollow where columns are as many as rows, because the
        set fits any labels exactly (a warning says so).
    $class_weight

    Attributes
    ----------
    $projection_attributes

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
    $partly_labeled
    >>> from tacit import ProjectedLeastSquaresClassifier
    >>> model = ProjectedLeastSquaresClassifier().fit(X, partly)
    >>> model.certificate_.worst_change < 0
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "metric": [StrOptions({"all", "labeled", "euclidean"})],
        "start": "no_validation",  # by `fit_start`
        "penalty": [StrOptions({"everywhere", "start"})],
    }

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
        penalty: Literal["everywhere", "start"] = "everywhere",
        class_weight: Any = None,
    ) -> None:
        common = alpha, fit_intercept, solver, tol, max_iter, unlabeled, verbose, class_prior
        super().__init__(*common, class_weight)
        self.metric = metric
        self.start = start
        self.penalty = penalty

    def _fit(self, data: TrainingData) -> None:
        everywhere = self.metric == "labeled" or self.penalty == "everywhere"
        self._fit_projection(data, self.metric, self.start, everywhere)
        n_rows = len(data.codes) + data.unlabeled.n_rows
        if not everywhere and self.alpha_ > 0.0 and data.X.shape[1] >= n_rows:
            message = (
                f'penalty is "start", and there are {data.X.shape[1]:,} columns for {n_rows:,} '
                "rows: without a penalty the set fits any labels exactly, and new rows are judged "
                'by chance. Use penalty="everywhere".'
            )
            warnings.warn(message, UserWarning, stacklevel=2)
