"""Other people's solvers on the same problem, each run to the same duality gap."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import OptimizeResult, minimize

from tacit._typing import Vector
from tacit.solver import Problem

# A peer that has not met the gap after so many seconds is reported as it stands.
PATIENCE = 60.0


@dataclass(frozen=True)
class PeerResult:
    """How long a peer took, and how good its labels are."""

    seconds: float
    relative_gap: float


def lbfgsb(problem: Problem, tol: float) -> PeerResult:
    """SciPy's L-BFGS-B on the factored objective, stopped by the duality gap."""
    unit = np.sqrt(2.0 * problem.scale)
    scaled = Problem(problem.V / unit, problem.target / unit)
    start = time.perf_counter()

    def objective(u: Vector) -> tuple[float, Vector]:
        z = scaled.residual(u)
        return 0.5 * float(z @ z), scaled.V @ z

    def stop(intermediate_result: OptimizeResult) -> None:
        late = time.perf_counter() - start > PATIENCE
        if late or scaled.relative_gap(np.clip(intermediate_result.x, 0.0, 1.0)) <= tol:
            raise StopIteration

    options: Any = {"maxiter": 10**6, "maxfun": 10**7, "ftol": 0.0, "gtol": 0.0, "maxcor": 30}
    bounds = [(0.0, 1.0)] * problem.n_labels
    u = np.full(problem.n_labels, 0.5)
    result = minimize(
        objective, u, jac=True, method="L-BFGS-B", bounds=bounds, callback=stop, options=options
    )
    return _result(problem, result.x, start)


def osqp(problem: Problem, tol: float) -> PeerResult:
    """OSQP on min 1/2 z'z with z = V'u - t, its tolerance tightened until the gap is met."""
    import osqp as package

    P, A, lower, upper = _factored(problem)
    result = None
    for eps in (1e-5, 1e-7, 1e-9, 1e-11):
        solver = package.OSQP()
        start = time.perf_counter()
        solver.setup(
            P=P,
            q=np.zeros(P.shape[0]),
            A=A,
            l=lower,
            u=upper,
            verbose=False,
            eps_abs=eps,
            eps_rel=eps,
            max_iter=200_000,
            time_limit=PATIENCE,
            polishing=True,
        )
        x = solver.solve(raise_error=False).x
        if x is None or not np.isfinite(x).all():
            break
        result = _result(problem, x[: problem.n_labels], start)
        if result.relative_gap <= tol or result.seconds > PATIENCE:
            break
    return result or PeerResult(PATIENCE, float("inf"))


def clarabel(problem: Problem, tol: float) -> PeerResult:
    """Clarabel on the same factored problem, its tolerance tightened until the gap is met."""
    import clarabel as package

    P, A, lower, upper = _factored(problem)
    n, r = problem.n_labels, problem.rank
    box = A[r:]
    matrix = sparse.vstack([A[:r], box, -box], format="csc")
    right = np.concatenate([upper[:r], upper[r:], -lower[r:]])
    cones = [package.ZeroConeT(r), package.NonnegativeConeT(2 * n)]
    result = None
    for eps in (1e-8, 1e-10, 1e-12):
        settings = package.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = eps
        settings.time_limit = PATIENCE
        start = time.perf_counter()
        solver = package.DefaultSolver(
            sparse.triu(P, format="csc"), np.zeros(n + r), matrix, right, cones, settings
        )
        x = np.array(solver.solve().x)
        result = _result(problem, x[:n], start)
        if result.relative_gap <= tol or result.seconds > PATIENCE:
            break
    return result or PeerResult(PATIENCE, float("inf"))


PEERS: dict[str, Callable[[Problem, float], PeerResult]] = {
    "L-BFGS-B (SciPy)": lbfgsb,
    "OSQP": osqp,
    "Clarabel": clarabel,
}


def _factored(problem: Problem) -> tuple[Any, Any, Vector, Vector]:
    """Variables (u, z): minimise 1/2 z'z with V'u - z = t and 0 <= u <= 1, in a common unit."""
    n, r = problem.n_labels, problem.rank
    unit = np.sqrt(2.0 * problem.scale)
    P = sparse.block_diag([sparse.csc_matrix((n, n)), sparse.eye(r)], format="csc")
    top = sparse.hstack([sparse.csc_matrix(problem.V.T / unit), -sparse.eye(r)])
    bottom = sparse.hstack([sparse.eye(n), sparse.csc_matrix((n, r))])
    A = sparse.vstack([top, bottom], format="csc")
    lower = np.concatenate([problem.target / unit, np.zeros(n)])
    upper = np.concatenate([problem.target / unit, np.ones(n)])
    return P, A, lower, upper


def _result(problem: Problem, u: Vector, start: float) -> PeerResult:
    seconds = time.perf_counter() - start
    return PeerResult(seconds, problem.relative_gap(np.clip(u, 0.0, 1.0)))
