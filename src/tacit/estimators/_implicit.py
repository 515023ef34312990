"""What the implicitly constrained classifiers share: fitting by projection."""

from __future__ import annotations

import numbers
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from tacit._typing import Matrix, Vector
from tacit.estimators._class_prior import read_class_prior
from tacit.estimators._linear import LinearClassifier, read_alpha
from tacit.estimators._start import fit_start
from tacit.estimators._storage import is_elsewhere
from tacit.estimators._training import TrainingData, read_training_data
from tacit.rows._sweep import one_blas_thread
from tacit.solver import Certificate, ConstraintSet, LabeledRows, Solution, certify, project
from tacit.solver._least_squares import fit_least_squares, supervised_basis
from tacit.solver._methods import SOLVERS, Method
from tacit.solver._projection import MISSED, Metric

# Numbers up to which BLAS threads cost more than they bring, above all on a busy machine.
SMALL = 20_000_000


class ImplicitlyConstrainedClassifier(LinearClassifier):
    """A projection of the supervised solution onto the constraint set, in some metric."""

    alpha: float | str
    class_prior: Any
    fit_intercept: bool
    solver: str
    tol: float
    max_iter: int
    unlabeled: Any
    verbose: int

    soft_labels_: Matrix
    solution_: Solution
    certificate_: Certificate
    n_iter_: int
    alpha_: float
    supervised_coef_: Matrix
    supervised_intercept_: Vector

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.solver != "lbfgsb"
        return tags

    def _fit(self, X: Any, y: Any, X_unlabeled: Any, sample_weight: Any, metric: Metric) -> Self:
        self._check_parameters()
        with one_blas_thread() if _is_small(X, X_unlabeled) else nullcontext():
            missed = self._project(X, y, X_unlabeled, sample_weight, metric)
        self._warn_if_unfinished(missed)
        return self

    def _project(
        self, X: Any, y: Any, X_unlabeled: Any, sample_weight: Any, metric: Metric
    ) -> float:
        """Fit, and say how far the shares of the soft labels are from the class prior."""
        data = read_training_data(self, X, y, X_unlabeled, sample_weight, self.unlabeled)
        _check_solver_for(self, data)
        Y = data.targets
        prior = read_class_prior(self.class_prior, data)
        alpha = read_alpha(self.alpha, data.X, Y, data.weights, self.fit_intercept)
        given = getattr(self, "start", None)
        if given is not None and alpha != 0.0:
            raise ValueError(
                f"alpha is {self.alpha!r} and start is {given!r}; the penalty belongs to the "
                "start, so give it to that model, or leave start=None."
            )
        # In the labeled metric the penalty belongs to the loss and to every member of the set;
        # in the others it only chooses the start, and the guarantee is on the plain loss.
        alpha_in_set = alpha if metric == "labeled" else 0.0

        basis, moments = supervised_basis(data.X, data.weights, alpha, self.fit_intercept)
        if given is None:
            start = fit_least_squares(basis, data.X, Y, data.weights)
        else:
            start = fit_start(given, data, self.fit_intercept)
        constraints = ConstraintSet.of(
            LabeledRows(data.X, Y, data.weights),
            moments,
            data.unlabeled,
            alpha_in_set,
            self.fit_intercept,
            prior if prior is None or Y.ndim == 2 else float(prior[1]),
        )
        method = Method(self.solver, self.tol, self.max_iter, self._report())
        projection = project(constraints, start, metric, basis, method)
        solution = projection.solution

        guarantee = None
        if metric == "all":
            # Pythagoras, less what the duality gap leaves open; an inexact answer promises what
            # the rows themselves say, in `certify`.
            guarantee = np.inf
            if solution.is_settled():
                guarantee = projection.squared_distance - 2.0 * solution.gap()
                guarantee /= constraints.labeled.total_weight + data.unlabeled.total_weight
                # The loss of several classes is half its sum over them, as for either one of two.
                guarantee *= 1.0 if Y.ndim == 1 else 0.5
        certificate = certify(
            start.values,
            projection.coefficients.values,
            data.X,
            Y,
            data.weights,
            data.unlabeled,
            supervised_in_set=projection.inside,
            guaranteed_improvement=guarantee,
            class_prior=None if prior is None else tuple(prior.tolist()),
            prices=projection.prices,
        ).kept_to(is_exact=solution.is_settled())
        self._store(start)
        self.supervised_coef_, self.supervised_intercept_ = self.coef_, self.intercept_
        self._store(start if certificate.kept_start else projection.coefficients)
        self.classes_ = data.classes
        self.alpha_ = alpha
        self.soft_labels_ = (
            np.zeros((0, *Y.shape[1:]))
            if solution.labeling is None
            else solution.labeling.of_rows(data.unlabeled)
        )
        self.solution_ = solution
        self.n_iter_ = solution.n_iter
        self.certificate_ = certificate
        return constraints.missed(solution.labeling)

    def _report(self) -> Callable[[str], None]:
        """Where progress is told: nowhere, or on the standard error."""
        if not self.verbose:
            return lambda text: None
        start = time.perf_counter()

        def write(text: str) -> None:
            seconds = time.perf_counter() - start
            sys.stderr.write(f"[{type(self).__name__}] {seconds:.1f} s, {text}\n")
            sys.stderr.flush()

        return write

    def _check_parameters(self) -> None:
        if self.solver not in SOLVERS:
            raise ValueError(f"solver is {self.solver!r}; it must be one of {sorted(SOLVERS)}.")
        if not isinstance(self.tol, numbers.Real) or not 0 < self.tol < 1:
            raise ValueError(
                f"tol is {self.tol!r}; it must be a number between 0 and 1, the relative duality "
                "gap to reach."
            )
        check_max_iter(self.max_iter)

    def _warn_if_unfinished(self, missed: float) -> None:
        solution = self.solution_
        advice = (
            f"lower tol (now {self.tol:g})"
            if solution.status.is_success
            else f"raise max_iter (now {self.max_iter})"
            if solution.n_iter >= self.max_iter
            else 'use solver="interior-point"'
            if self.solver == "lbfgsb"
            else f"raise tol (now {self.tol:g}) or scale the features"
        )
        if missed > MISSED:
            advice += f", for the shares of the soft labels miss class_prior by {missed:.2g}"
        warn_if_unfinished(
            type(self).__name__, solution, self.tol, self.certificate_.kept_start, advice
        )


def warn_if_unfinished(
    name: str, solution: Solution, tol: float, kept_start: bool, advice: str, depth: int = 5
) -> None:
    """Warn where the tolerance was not met, or was met but is too loose to promise anything.

    `depth` is how far up the caller of `fit` is.
    """
    if solution.status.is_success and not kept_start:
        return
    side = "within" if solution.relative_gap() <= tol else "above"
    kept = (
        " The answer might have raised the loss, so the supervised classifier was kept."
        if kept_start
        else ""
    )
    warnings.warn(
        f"{name} stopped with status {solution.status.value!r} at a relative duality gap of "
        f"{solution.relative_gap():.2g}, {side} the tolerance tol={tol:g}; {advice}.{kept}",
        ConvergenceWarning,
        stacklevel=depth,
    )


def check_max_iter(max_iter: Any) -> None:
    """Refuse what is no positive integer; a truth value is none."""
    is_integer = isinstance(max_iter, numbers.Integral) and not isinstance(max_iter, bool)
    if not is_integer or max_iter < 1:
        raise ValueError(f"max_iter is {max_iter!r}; it must be a positive integer.")


def _is_small(*tables: Any) -> bool:
    """Whether all tables together are too small for several BLAS threads to help."""
    given = [table for table in tables if table is not None]
    if any(is_elsewhere(table) for table in given):
        return False
    return bool(sum(np.prod(getattr(table, "shape", (np.inf,))) for table in given) <= SMALL)


def _check_solver_for(estimator: ImplicitlyConstrainedClassifier, data: TrainingData) -> None:
    if len(data.classes) == 2 or estimator.solver != "lbfgsb":
        return
    raise ValueError(
        "Only binary classification is supported. The type of the target is multiclass: "
        f'solver is "lbfgsb", which is for two classes, and y has {len(data.classes)}; use "auto", '
        '"interior-point" or "working-set".'
    )
