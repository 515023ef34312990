"""The problem that ICLSClassifier solves, handed to other solvers as plain arrays."""

from __future__ import annotations

import numpy as np

from benchmarks.instances import Instance
from tacit.rows import Moments, NumpyRows
from tacit.solver import ConstraintSet, LabeledRows, Problem
from tacit.solver._least_squares import fit_supervised


def box_problem(instance: Instance) -> Problem:
    """V and target in the metric of the labeled rows."""
    start, _ = fit_supervised(instance.X, instance.y, None, 0.0, True)
    moments = Moments.of(NumpyRows(instance.X))
    labeled = LabeledRows(instance.X, instance.y, None)
    constraints = ConstraintSet.of(labeled, moments, NumpyRows(instance.X_unlabeled))
    Z = constraints.basis.functions.values(instance.X)
    eigenvalues, vectors = np.linalg.eigh(Z.T @ Z)
    R = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    target = R.T @ (constraints.coordinates(start) - constraints.offset)
    return constraints.problem(R, target).dense()
