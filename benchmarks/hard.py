"""Instances that are hard for a solver: none may end unconverged."""

from __future__ import annotations

import time
import warnings

from benchmarks.instances import HARD, gaussian, of_classes
from tacit import ICLSClassifier, ProjectedLeastSquaresClassifier

# Numbers of classes, with a fifth of the rows and half of the columns.
CLASSES = (3, 6)
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
    plain = [make(55, n_unlabeled, d) for make in (gaussian, *HARD)]
    fewer = [make(55, n_unlabeled // 5, d // 2) for make in (gaussian, *HARD)]
    of_many = [of_classes(instance, K) for instance in fewer for K in CLASSES]
    for instance in (*plain, *of_many):
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
