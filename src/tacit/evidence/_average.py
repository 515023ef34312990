"""Averages of candidates, weighted by how well each predicts the labels it has not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, softmax

from tacit._typing import Mask, Matrix, Vector

# What the labels count for in the weights, in units of halved squared losses of targets -1 and 1.
# On the half of the benchmark's sets that settings were chosen on, 0.7 and 1 gave errors lower by
# up to a hundredth of themselves, but the largest rise over the anchors was up to twice as large.
ETA = 0.5
# The margin, in units of the targets, at which a row counts as a quarter wrong. On that half,
# 0.02 and 0.05 lost gains, and with 0.3 a rise was significant.
NARROW = 0.1


@dataclass(frozen=True)
class Candidate:
    """One way to predict, with what it says of labeled rows that it was not fitted on."""

    name: str  # for tables; candidates that differ only in their penalty have the same
    left_out: Matrix  # (L, C), predictions of the labels from all other labels
    prior: float  # its weight before the labels are seen; only ratios count
    is_view: bool  # whether the unlabeled rows have shaped it
    source: str = ""  # the anchor or view that it belongs to


@dataclass(frozen=True)
class Average:
    """Weights of candidates, and the honest leave-one-out of their average."""

    weights: Vector  # (n,), with a sum of one
    left_out: Matrix  # (L, C), predictions by weights that have not seen the row's own loss
    loss: Vector  # (L,), theirs, at most 2 for predictions between -1 and 1
    wrong: Mask  # (L,), whether they name the wrong class


def row_losses(predictions: Matrix, Y: Matrix) -> Vector:
    """Squared loss by row, halved, and for more than one column halved again.

    Two classes as one column and as two columns have the same.
    """
    share = 0.5 if Y.shape[-1] == 1 else 0.25
    return np.asarray(share * ((predictions - Y) ** 2).sum(axis=-1))


def smoothed_errors(predictions: Matrix, Y: Matrix) -> Vector:
    """By row, near zero for a class that is clearly right, near one for one clearly wrong.

    Errors are few, and jump; these also hear by how little a row is right or wrong.
    """
    if Y.shape[-1] == 1:
        margins = 2.0 * (predictions * np.sign(Y))[..., 0]
    else:
        is_own = np.arange(Y.shape[-1]) == winners(Y)[..., None]
        own = np.where(is_own, predictions, -np.inf).max(axis=-1)
        margins = own - np.where(is_own, -np.inf, predictions).max(axis=-1)
    return np.asarray(expit(-margins / NARROW))


def winners(values: Matrix) -> Vector:
    """The class that values of shape (..., C) name, as a position."""
    return np.asarray(values[..., 0] > 0.0 if values.shape[-1] == 1 else values.argmax(axis=-1))


def average(candidates: list[Candidate], Y: Matrix, weights: Vector) -> Average:
    """Exponential weights: log w = log prior - ETA times the sum of leave-one-out losses.

    For the prediction of row i in the honest leave-one-out, row i is left out of this sum.
    """
    left_out = np.stack([candidate.left_out for candidate in candidates])
    losses = ETA * weights * row_losses(left_out, Y)
    logs = np.log([candidate.prior for candidate in candidates]) - losses.sum(axis=1)
    honest = softmax(logs[:, None] + losses, axis=0)
    predictions = np.einsum("nl,nlc->lc", honest, left_out)
    wrong = winners(predictions) != winners(Y)
    return Average(softmax(logs), predictions, row_losses(predictions, Y), wrong)
