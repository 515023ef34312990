"""Probabilities from decisions, by how often the left-out rows were right."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from tacit._typing import Matrix, Vector

# Beyond these a probability is flat, or zero and one.
RANGE = (1e-2, 1e2)


def calibrated_temperature(left_out: Matrix, Y: Matrix, weights: Vector) -> float:
    """The factor of the decisions that makes the left-out labels most likely.

    One number, so that it never changes which class is the likeliest and can be known from few
    labels. Targets are drawn towards even odds by one row, as Platt (1999) does, so that a perfect
    score does not mean certainty.
    """
    decisions, targets = _columns(left_out), _columns(Y) > 0.0
    n_rows, n_classes = targets.shape
    smooth = (targets * n_rows + 1.0 / n_classes) / (n_rows + 1.0)

    def loss(log_factor: float) -> float:
        logs = log_softmax(np.exp(log_factor) * decisions, axis=1)
        return -float(weights @ (smooth * logs).sum(axis=1))

    found = minimize_scalar(loss, bounds=np.log(RANGE).tolist(), method="bounded")
    return float(np.exp(found.x))


def probabilities(values: Matrix, temperature: float) -> Matrix:
    """Class probabilities from decisions of shape (n, C)."""
    return np.asarray(softmax(temperature * _columns(values), axis=1))


def _columns(values: Matrix) -> Matrix:
    """A column for each class, also of two."""
    return np.hstack([-values, values]) if values.shape[1] == 1 else values
