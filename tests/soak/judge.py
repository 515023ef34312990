"""An independent check of what a fit says of itself: plain NumPy, in extended precision.

Nothing here comes from the solver. Values of models are computed anew from their coefficients, and
every statement of a certificate is held against all labelings of the unlabeled rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit._typing import Matrix, Vector
from tests.soak.problems import Table

Long: Any = np.longdouble
EPS = float(np.finfo(np.float64).eps)
HAS_EXTENDED_PRECISION = bool(np.finfo(np.longdouble).eps < EPS / 100.0)
# A relative duality gap that a fit without a warning may have, measured by another route than the
# solver's, which asks for 1e-8.
GAP = 1e-6
# Eigenvalues of scaled columns between these are near the documented rank cut of 1.5e-8: which side
# they are on is a matter of rounding, and then so is the constraint set.
SURELY_CUT, SURELY_KEPT = 1e-14, 1e-5
# Directions that are cut still shorten the coefficients as far as inner products of values change
# by no more than a millionth, which moves the values by more than rounding.
CUT_AWAY = 1e-4


@dataclass(frozen=True)
class Values:
    """Values of a model on rows, and how far rounding may move them in double precision."""

    values: Matrix  # (n, m), m = 1 for two classes
    rounding: Vector  # (n,)


def linear_values(coef: Matrix, intercept: Vector, X: Matrix) -> Values:
    """The regression values behind `coef_` and `intercept_`, which are decided at zero."""
    rows, weights = X.astype(Long), coef.T.astype(Long)
    values = rows @ weights + (intercept.astype(Long) + Long(0.5))
    size = np.abs(rows) @ np.abs(weights) + np.abs(intercept) + 1.0
    return Values(values, (X.shape[1] + 8) * EPS * size.max(axis=1))


@dataclass(frozen=True)
class Change:
    """The change of the mean squared loss from one model to another over all labelings."""

    worst: float
    best: float
    labeled: float
    rounding: float  # what any of them may be off by in double precision


def indicators(table: Table, n_classes: int) -> Matrix:
    """The labels of the labeled rows in the shape of the values."""
    y = table.y[: table.n_labeled]
    return np.eye(n_classes)[y] if n_classes > 2 else y[:, None].astype(float)


def change_over_all_labelings(before: Values, after: Values, table: Table) -> Change:
    """Recomputed row by row: each unknown label is whatever is worst, or best, for its row."""
    L, m = table.n_labeled, before.values.shape[1]
    half = Long(0.5) if m > 1 else Long(1.0)
    w = table.w.astype(Long)
    labels = indicators(table, m)
    of_labeled = half * ((after.values[:L] - labels) ** 2 - (before.values[:L] - labels) ** 2).sum(
        axis=1
    )
    squares = half * (after.values[L:] ** 2 - before.values[L:] ** 2).sum(axis=1)
    step = 2 * half * (after.values[L:] - before.values[L:])
    by_label = squares[:, None] - (step if m > 1 else np.hstack([0 * step, step]))
    on_labeled = w[:L] @ of_labeled
    total = w.sum()
    size = 1.0 + np.abs(before.values).max(axis=1) + np.abs(after.values).max(axis=1)
    rounding = w @ (m * size * (before.rounding + after.rounding + EPS * size)) / total
    return Change(
        worst=float((on_labeled + w[L:] @ by_label.max(axis=1)) / total),
        best=float((on_labeled + w[L:] @ by_label.min(axis=1)) / total),
        labeled=float(on_labeled / w[:L].sum()),
        # The loss on labeled rows is a mean over fewer of them.
        rounding=float(4.0 * rounding * max(1.0, float(total / w[:L].sum()))),
    )


def assert_certificate_is_true(certificate: Any, change: Change, penalty_change: float) -> None:
    """Hold every number and claim of a certificate against what was recomputed.

    `penalty_change` is that of the penalty, over the weight of all rows.
    """
    slack = change.rounding + 1e-7 * (abs(change.worst) + abs(change.best) + abs(change.labeled))
    for name, exact in (
        ("worst_change", change.worst),
        ("best_change", change.best),
        ("labeled_change", change.labeled),
    ):
        said = getattr(certificate, name)
        assert np.isfinite(said), f"{name} is {said}"
        assert abs(said - exact) <= slack, f"{name} is said to be {said}, and is {exact} ± {slack}"
    promised = certificate.guaranteed_improvement
    if promised is not None:
        assert promised >= 0.0
        assert change.worst <= -promised + _rounding(change), (
            f"promised to fall by {promised}, and can change by {change.worst} ± {slack}"
        )
    promised = certificate.penalised_improvement
    if promised is not None:
        assert promised >= 0.0
        worst = change.worst + penalty_change
        rounding = _rounding(change) + 1e-8 * abs(penalty_change)
        assert worst <= -promised + rounding, (
            f"promised to fall by {promised}, and with the penalty can change by {worst}"
        )
    if certificate.supervised_in_set and certificate.worst_change == certificate.best_change == 0:
        assert max(abs(change.worst), abs(change.best)) <= slack


def _rounding(change: Change) -> float:
    """What an exact promise may be missed by: a millionth of the loss, documented as rounding."""
    return change.rounding + 1e-6 * (1.0 + abs(change.best) + abs(change.labeled))


@dataclass(frozen=True)
class Gap:
    """A relative duality gap, and what rounding of the coefficients alone can make of it."""

    relative: float
    noise: float
    unit: float  # what both are relative to


@dataclass(frozen=True)
class Projection:
    """min over labels u of 1/2 ||c(u) - c_sup||_M^2 in centred columns of unit spread."""

    D: Matrix  # rows with the constant column, if there is an intercept
    w: Vector
    A: Matrix  # the Gram matrix of all rows, with the penalty
    S: Matrix  # that of the labeled ones
    b: Matrix  # what the labeled rows put on the right-hand side
    n_labeled: int
    centre: Any
    spread: Any
    has_intercept: bool
    resolution: float  # what centring leaves of double precision
    # Along directions that are cut, coefficients are the shortest in the columns' own units, by the
    # documented rule. Where that would move values by more than rounding they are the shortest in
    # scaled columns, as they are here without. Both are generalised inverses of the same rank.
    takes_shortest: bool = False

    @classmethod
    def of(cls, table: Table, n_classes: int, alpha: float, has_intercept: bool) -> Projection:
        rows, w = table.X.astype(Long), table.w.astype(Long)
        L = table.n_labeled
        centre = w @ rows / w.sum() if has_intercept else np.zeros(rows.shape[1], dtype=Long)
        centred = rows - centre
        spread = np.sqrt(w @ centred**2 / w.sum())
        is_constant = spread <= 1e-13 * np.abs(centre)
        spread = np.where(is_constant | (spread == 0), 1.0, spread)
        Z = np.where(is_constant, 0.0, centred / spread).astype(float)
        penalty = (Long(alpha) / spread**2).astype(float)
        if has_intercept:
            Z = np.column_stack([np.ones(len(Z)), Z])
            penalty = np.concatenate([[0.0], penalty])
        J = np.diag(penalty)
        weighted = Z * table.w[:, None]
        off = float(np.max(np.abs(centre) / spread, initial=1.0))
        return cls(
            D=Z,
            w=table.w,
            A=Z.T @ weighted + J,
            S=Z[:L].T @ weighted[:L] + J,
            b=weighted[:L].T @ indicators(table, n_classes),
            n_labeled=L,
            centre=centre,
            spread=spread,
            has_intercept=has_intercept,
            resolution=EPS * off,
        )

    def coordinates(self, coef: Matrix, intercept: Vector) -> Matrix:
        """A model of the original columns in centred and scaled ones."""
        weights = coef.T.astype(Long)
        own = (weights * self.spread[:, None]).astype(float)
        if not self.has_intercept:
            return own
        constant = self.centre @ weights + intercept.astype(Long) + Long(0.5)
        return np.vstack([constant.astype(float), own])

    def is_well_posed(self) -> bool:
        """Whether the rank of both Gram matrices is beyond doubt, and centring kept precision."""
        is_clear = self.resolution < 1e-7 and all(_has_clear_rank(one) for one in (self.A, self.S))
        return is_clear and not self.loses_labeled_rows()

    def loses_labeled_rows(self) -> bool:
        """Whether A has lost, beside rows of large weight, what the labeled ones see.

        They are a part of it, so that a direction that they see has no eigenvalue of zero: where A
        says so, it has rounded it away.
        """
        unit = np.sqrt(np.where(self.A.diagonal() > 0.0, self.A.diagonal(), 1.0))
        eigenvalues, vectors = np.linalg.eigh(self.A / np.outer(unit, unit))
        cut = vectors[:, eigenvalues < SURELY_CUT * eigenvalues.max()] / unit[:, None]
        seen = np.abs(cut.T @ self.S @ cut).max(initial=0.0)
        rest = vectors / unit[:, None]
        return bool(seen > 1e-6 * np.abs(rest.T @ self.S @ rest).max())

    def has_cut_directions(self) -> bool:
        """Whether the rows leave some direction undetermined, as far as double precision goes."""
        return _is_cut(self.A)

    def inverse(self) -> Matrix:
        """A generalised inverse of A."""
        plain = _generalised_inverse(self.A)
        if not self.takes_shortest:
            return plain
        unit = np.sqrt(np.where(self.A.diagonal() > 0.0, self.A.diagonal(), 1.0))
        eigenvalues, vectors = np.linalg.eigh(self.A / np.outer(unit, unit))
        is_kept = eigenvalues > 1e-8 * eigenvalues.max()
        kept, cut = vectors[:, is_kept], vectors[:, ~is_kept]
        # The intercept has no part in the length.
        length = (self.spread.max() / self.spread).astype(float)
        length = np.concatenate([[0.0], length] if self.has_intercept else [length]) / unit
        back = np.linalg.lstsq(length[:, None] * cut, length[:, None] * kept, rcond=None)[0]
        shortest = (kept - cut @ back) / unit[:, None]
        return np.asarray(shortest / eigenvalues[is_kept] @ shortest.T)

    def at(self, u: Matrix) -> Matrix:
        """The coefficients that least squares gives for these labels of the unlabeled rows."""
        L = self.n_labeled
        right = self.b + self.D[L:].T @ (self.w[L:, None] * u)
        return self.inverse() @ right

    def lengths(self) -> Matrix:
        """The metric of the squared length of a model of the original columns, constant and all."""
        back = np.diag((1.0 / self.spread).astype(float))
        if self.has_intercept:
            constant = np.concatenate([[1.0], (-self.centre / self.spread).astype(float)])
            back = np.vstack([constant, np.column_stack([np.zeros(len(back)), back])])
        return np.asarray(back.T @ back)

    def objective(self, u: Matrix, c_sup: Matrix, M: Matrix) -> float:
        difference = self.at(u) - c_sup
        return 0.5 * float(np.vdot(difference, M @ difference))

    def relative_gap(self, u: Matrix, c_sup: Matrix, M: Matrix) -> Gap:
        """The linear bound on how far the objective is above its minimum, in its own unit."""
        L = self.n_labeled
        w, rows = self.w[L:], self.D[L:]
        inverse = self.inverse()
        difference = self.at(u) - c_sup
        s = rows @ (inverse @ (M @ difference))
        if u.shape[1] == 1:
            by_row = u * np.maximum(s, 0.0) + (1.0 - u) * np.maximum(-s, 0.0)
            gap = float(w @ by_row[:, 0])
        else:
            gap = float(w @ ((u * s).sum(axis=1) - s.min(axis=1)))
        # Coefficients are stored in double precision, and those of labels solved for in it, so that
        # they are known to no more than this.
        part = max(self.resolution, EPS * _condition(self.A))
        blur = part * (np.abs(c_sup).max(axis=0) + np.abs(difference).max(axis=0) + 1.0)
        noise = float(w @ (np.abs(rows) @ np.abs(inverse) @ np.abs(M)).sum(axis=1) * blur.sum())
        # Where no labels change the objective, rounding is all that there is of it.
        nothing = 0.5 * float((100.0 * blur) @ (100.0 * blur)) * float(np.trace(M))
        mean = self.mean_objective(c_sup, M)
        unit = max(self.objective(u, c_sup, M), 1e-4 * mean, nothing)
        return Gap(gap / unit, 100.0 * noise / unit, unit)

    def mean_objective(self, c_sup: Matrix, M: Matrix) -> float:
        """That of labels drawn by lot, which gives a gap its unit."""
        L, m = self.n_labeled, c_sup.shape[1]
        generators = (self.w[L:, None] * self.D[L:]) @ self.inverse()
        lengths = float(np.einsum("ij,jk,ik->", generators, M, generators))
        middle = np.full((len(generators), m), 0.5 if m == 1 else 1.0 / m)
        variance = 0.25 if m == 1 else 1.0 - 1.0 / m
        return self.objective(middle, c_sup, M) + 0.5 * variance * lengths

    def generators(self, c_sup: Matrix, M: Matrix) -> tuple[Matrix, Vector]:
        """V and t of 1/2 ||V'u - t||^2, which is the objective of two classes."""
        L, inverse = self.n_labeled, self.inverse()
        eigenvalues, vectors = np.linalg.eigh(M)
        root = np.sqrt(np.maximum(eigenvalues, 0.0))[:, None] * vectors.T
        V = (self.w[L:, None] * self.D[L:]) @ inverse @ root.T
        return V, (root @ (c_sup - inverse @ self.b))[:, 0]


def _has_clear_rank(gram: Matrix) -> bool:
    unit = np.sqrt(np.where(gram.diagonal() > 0.0, gram.diagonal(), 1.0))
    eigenvalues = np.linalg.eigvalsh(gram / np.outer(unit, unit))
    part = eigenvalues / max(eigenvalues.max(initial=0.0), 1e-300)
    return not ((part > SURELY_CUT) & (part < SURELY_KEPT)).any()


def _is_cut(gram: Matrix) -> bool:
    unit = np.sqrt(np.where(gram.diagonal() > 0.0, gram.diagonal(), 1.0))
    eigenvalues = np.linalg.eigvalsh(gram / np.outer(unit, unit))
    return bool(eigenvalues.min() < SURELY_KEPT * eigenvalues.max())


def _condition(gram: Matrix) -> float:
    """The condition number of the columns in unit length, but for directions that are cut."""
    unit = np.sqrt(np.where(gram.diagonal() > 0.0, gram.diagonal(), 1.0))
    eigenvalues = np.linalg.eigvalsh(gram / np.outer(unit, unit))
    kept = eigenvalues[eigenvalues > SURELY_KEPT * eigenvalues.max()]
    return float(kept.max() / kept.min())


def _generalised_inverse(gram: Matrix) -> Matrix:
    unit = np.sqrt(np.where(gram.diagonal() > 0.0, gram.diagonal(), 1.0))
    inverse = np.linalg.pinv(gram / np.outer(unit, unit), rcond=1e-8, hermitian=True)
    return np.asarray(inverse / np.outer(unit, unit))


def assert_projection_is_exact(model: Any, table: Table, metric: str) -> float:
    """Check membership and optimality of a projected model; the relative gap, measured here."""
    n_classes = len(model.classes_)
    is_everywhere = getattr(model, "penalty", "everywhere") == "everywhere"
    alpha = float(model.alpha_) if is_everywhere else 0.0
    problem = Projection.of(table, n_classes, alpha, model.fit_intercept)
    columns = n_classes if n_classes > 2 else 1
    u = np.asarray(model.soft_labels_, dtype=float).reshape(-1, columns)
    assert np.isfinite(u).all()
    assert u.min(initial=0.0) >= -1e-9
    assert u.max(initial=1.0) <= 1.0 + 1e-9
    if n_classes > 2:
        np.testing.assert_allclose(u.sum(axis=1), 1.0, atol=1e-8)
    if not table.w[table.n_labeled :].any() or not problem.is_well_posed():
        return 0.0
    c_sup = problem.coordinates(model.supervised_coef_, model.supervised_intercept_)
    c = problem.coordinates(model.coef_, model.intercept_)
    if is_everywhere:
        assert_start_is_supervised(problem, table, c_sup)
    # The model is what its soft labels lead to; inside the set that is the supervised one.
    total = float(problem.w.sum())
    distance = _norm(problem.at(u) - c, problem.A) / np.sqrt(total)
    size = 1.0 + _norm(c_sup, problem.A) / np.sqrt(total)
    allowed = CUT_AWAY if problem.has_cut_directions() else 1e-6
    assert distance <= (allowed + 1e3 * problem.resolution) * size, (
        f"the soft labels lead elsewhere, {distance} away on average"
    )
    if model.certificate_.supervised_in_set:
        return 0.0
    M = {"all": problem.A, "labeled": problem.S, "euclidean": problem.lengths()}[metric]
    gap = problem.relative_gap(u, c_sup, M)
    if gap.relative > GAP and problem.has_cut_directions():
        gap = replace(problem, takes_shortest=True).relative_gap(u, c_sup, M)
    assert gap.relative <= GAP + gap.noise, f"the relative gap is {gap}"
    return gap.relative if gap.noise <= GAP else 0.0


def assert_start_is_supervised(problem: Projection, table: Table, c_sup: Matrix) -> None:
    """The start is the fit to the labeled rows alone, as far as these tell."""
    own = _generalised_inverse(problem.S) @ problem.b
    L = problem.n_labeled
    weight = np.sqrt(problem.w[:L].sum())
    spread = problem.D[:L].std(axis=0)
    varies = np.ptp(table.X[:L], axis=0) > 0.0
    if (varies & (spread[-len(varies) :] == 0.0)).any():
        return  # constant among all rows, up to the rounding of one that outweighs the others
    if ((spread > 0.0) & (spread < 1e-9 / EPS * problem.resolution)).any():
        return  # near the documented 1e-10 of the mean below which a column is constant
    distance = _norm(own - c_sup, problem.S) / weight
    allowed = CUT_AWAY if _is_cut(problem.S) else 1e-6
    assert distance <= allowed + 1e3 * problem.resolution * (
        1.0 + _norm(own, problem.S) / weight
    ), f"the supervised start is another, {distance} away on average"


def _norm(c: Matrix, A: Matrix) -> float:
    return float(np.sqrt(max(0.0, float(np.vdot(c, A @ c)))))
