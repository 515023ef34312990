"""Fixed problems whose coefficients are kept, and the command that keeps them anew.

`make golden` runs this file. A test never does.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tacit
import tacit.family
from tacit._typing import Index, Matrix

FILE = Path(__file__).with_name("coefficients.json")
# The same decimals on other processors and with other versions of LAPACK; solvers stop at 1e-8.
RELATIVE, ABSOLUTE = 1e-5, 1e-7
DIGITS = 10

Make = Callable[[], Any]
CLASSIFIERS: dict[str, Make] = {
    "least squares": tacit.LeastSquaresClassifier,
    "ridge": lambda: tacit.LeastSquaresClassifier("loo"),
    "ICLS": tacit.ICLSClassifier,
    "ICLS, ridge": lambda: tacit.ICLSClassifier(0.5),
    "projected": tacit.ProjectedLeastSquaresClassifier,
    "projected, ridge": lambda: tacit.ProjectedLeastSquaresClassifier(alpha=0.5),
    "euclidean": lambda: tacit.ProjectedLeastSquaresClassifier("euclidean"),
    "kernel": lambda: tacit.KernelICLSClassifier(gamma=0.2, alpha=0.1),
    "self-learning": tacit.SelfLearningClassifier,
    "USM": tacit.family.USMClassifier,
    "soft self-learning": tacit.family.SoftSelfLearningClassifier,
    "LDA": tacit.family.LDAClassifier,
    "EM": tacit.family.EMLDAClassifier,
    "MC": tacit.family.MCLDAClassifier,
    "IC LDA": tacit.family.ICLDAClassifier,
    "MCP LDA": tacit.family.MCPLDAClassifier,
    "flagship": lambda: tacit.TacitClassifier(
        ["linear", "rbf"], ["ranks", "components"], random_state=0
    ),
}
# Tables: classes, labeled and unlabeled rows, columns.
TABLES = {
    "two classes": (2, 12, 60, 4),
    "three classes": (3, 18, 60, 4),
    "few labels": (2, 8, 30, 3),
}
PROBLEMS = [(table, name) for table in TABLES for name in CLASSIFIERS][:50]


def table(name: str) -> tuple[Matrix, Index]:
    """Rows, the labeled ones first, and their classes, -1 where unknown."""
    n_classes, n_labeled, n_unlabeled, n_features = TABLES[name]
    # The stream of this generator is frozen for good; that of newer ones may change.
    random = np.random.RandomState(len(name))
    n = n_labeled + n_unlabeled
    y = np.arange(n) % n_classes
    X = random.randn(n, n_features) + random.randn(n_classes, n_features)[y]
    y[n_labeled:] = -1
    return X, y


def answers(problem: tuple[str, str]) -> list[float]:
    """Coefficients and intercepts of a linear classifier, else decisions on the first rows."""
    name, classifier = problem
    X, y = table(name)
    model = CLASSIFIERS[classifier]().fit(X, y)
    if hasattr(model, "coef_"):
        return [*np.ravel(model.coef_).tolist(), *np.ravel(model.intercept_).tolist()]
    return np.ravel(model.decision_function(X[:6])).tolist()


def write() -> None:
    kept = {
        f"{name}: {classifier}": [float(f"{x:.{DIGITS}g}") for x in answers((name, classifier))]
        for name, classifier in PROBLEMS
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(numbers)}" for key, numbers in kept.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
