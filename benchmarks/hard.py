"""Instances that are hard for a solver: none may end unconverged."""

from __future__ import annotations

import time
import warnings

from benchmarks.instances import HARD, gaussian
from tacit import ICLSClassifier, ProjectedLeastSquaresClassifier

COLUMNS = (
    "instance",
    "classifier",
    "status",
    "seconds",
    "rounds",
    "sweeps",
    "relative gap",
    "objective / scale",
)
HEADER = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}"


def hard_rows(n_unlabeled: int, d: int = 50) -> tuple[list[str], bool]:
    """Rows of the table, and whether all of them converged at the default settings."""
    rows, all_converged = [], True
    for make in (gaussian, *HARD):
        instance = make(55, n_unlabeled, d)
        for model in (ICLSClassifier(), ProjectedLeastSquaresClassifier()):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                start = time.perf_counter()
                model.fit(instance.X, instance.y, X_unlabeled=instance.X_unlabeled)
                seconds = time.perf_counter() - start
            s = model.solution_
            all_converged &= s.status.is_success and s.relative_gap() <= model.tol
            name = type(model).__name__.removesuffix("Classifier")
            rows.append(
                f"| {instance.name} | {name} | {s.status.value} | {seconds:.2f} | {s.n_iter} | "
                f"{s.n_sweeps} | {s.relative_gap():.0e} | {s.objective / s.scale:.0e} |"
            )
    return rows, all_converged
