"""Probabilities from decisions, by how often the left-out rows were right."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax

from tacit._typing import Matrix, Vector

# Beyond these a probability is flat, or zero and one. Decisions of as many labels as columns and no
# penalty are in the thousands.
RANGE = (1e-6, 1e2)


def calibrated_temperature(left_out: Matrix, Y: Matrix, weights: Vector) -> float:
    """The factor of the decisions that makes the left-out labels most likely.

    One number, so that it never changes which class is the likeliest and can be known from few
    labels. Targets are drawn towards even odds by one row of weight one, as Platt (1999) does, so
    that a perfect score does not mean certainty.
    """
    decisions, targets = _columns(left_out), _columns(Y) > 0.0
    total, n_classes = float(weights.sum()), targets.shape[1]
    smooth = (targets * total + 1.0 / n_classes) / (total + 1.0)

    def slope(log_factor: float) -> float:
        """Of the log loss, which is convex in the factor."""
        shares = softmax(np.exp(log_factor) * decisions, axis=1)
        return float(weights @ ((shares - smooth) * decisions).sum(axis=1))

    low, high = np.log(RANGE).tolist()
    if slope(low) >= 0.0:
        return RANGE[0]
    return RANGE[1] if slope(high) <= 0.0 else float(np.exp(brentq(slope, low, high)))


def probabilities(values: Matrix, temperature: float) -> Matrix:
    """Class probabilities from decisions of shape (n, C)."""
    return np.asarray(softmax(temperature * _columns(values), axis=1))


def _columns(values: Matrix) -> Matrix:
    """A column for each class, also of two."""
    return np.hstack([-values, values]) if values.shape[1] == 1 else values
