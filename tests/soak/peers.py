"""General solvers on the problem of a projection: min 1/2 ||V'u - t||^2 over 0 <= u <= 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from tacit._typing import Matrix, Vector

TIGHT = 1e-11


def lbfgsb(V: Matrix, t: Vector) -> Vector:
    """SciPy's L-BFGS-B on the labels themselves."""

    def objective(u: Vector) -> tuple[float, Vector]:
        z = V.T @ u - t
        return 0.5 * float(z @ z), V @ z

    options: Any = {"maxiter": 5000, "maxfun": 50_000, "ftol": 0.0, "gtol": 0.0, "maxcor": 30}
    start, bounds = np.full(len(V), 0.5), [(0.0, 1.0)] * len(V)
    result = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return np.asarray(result.x)


def osqp(V: Matrix, t: Vector) -> Vector:
    """OSQP on labels and residual, z = V'u - t."""
    package = pytest.importorskip("osqp")
    n, r = V.shape
    solver = package.OSQP()
    solver.setup(
        P=_quadratic(n, r),
        q=np.zeros(n + r),
        A=sparse.vstack([_residual(V), _labels(n, r)], format="csc"),
        l=np.concatenate([t, np.zeros(n)]),
        u=np.concatenate([t, np.ones(n)]),
        verbose=False,
        eps_abs=TIGHT,
        eps_rel=TIGHT,
        max_iter=20_000,
        polishing=True,
    )
    x = solver.solve(raise_error=False).x
    return np.full(n, 0.5) if x is None else np.asarray(x[:n])


def clarabel(V: Matrix, t: Vector) -> Vector:
    """Clarabel on the same, its bounds as a cone."""
    package = pytest.importorskip("clarabel")
    n, r = V.shape
    bounds = _labels(n, r)
    settings = package.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TIGHT
    solver = package.DefaultSolver(
        sparse.triu(_quadratic(n, r), format="csc"),
        np.zeros(n + r),
        sparse.vstack([_residual(V), bounds, -bounds], format="csc"),
        np.concatenate([t, np.ones(n), np.zeros(n)]),
        [package.ZeroConeT(r), package.NonnegativeConeT(2 * n)],
        settings,
    )
    return np.array(solver.solve().x)[:n]


PEERS: dict[str, Callable[[Matrix, Vector], Vector]] = {
    "L-BFGS-B": lbfgsb,
    "OSQP": osqp,
    "Clarabel": clarabel,
}


def _quadratic(n: int, r: int) -> Any:
    return sparse.block_diag([sparse.csc_matrix((n, n)), sparse.eye(r)], format="csc")


def _residual(V: Matrix) -> Any:
    return sparse.hstack([sparse.csc_matrix(V.T), -sparse.eye(V.shape[1])], format="csc")


def _labels(n: int, r: int) -> Any:
    return sparse.hstack([sparse.eye(n), sparse.csc_matrix((n, r))], format="csc")
