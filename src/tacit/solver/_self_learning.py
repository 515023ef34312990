"""Refit on your own predictions until they repeat."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacit._typing import Index
from tacit.solver._stopping import StopReason

# From the labels of the unlabeled rows to the labels that the refitted model predicts for them.
Refit = Callable[[Index], Index]


class SelfLearningStatus(StopReason):
    """Why self-learning stopped."""

    FIXED_POINT = "fixed_point"
    """No label changed."""
    CYCLE = "cycle"
    """The labels came back to those of an earlier round, and would for ever."""
    MAX_ITERATIONS = "max_iterations"
    EMPTY = "empty"
    """There were no unlabeled rows."""

    @property
    def is_success(self) -> bool:
        """Whether the labels settled."""
        return self in (SelfLearningStatus.FIXED_POINT, SelfLearningStatus.EMPTY)


@dataclass(frozen=True)
class SelfLearningResult:
    """How self-learning ended.

    Attributes
    ----------
    labels : ndarray of int of shape (U,)
        The labels that the last model was fitted on.
    status : SelfLearningStatus
        Why it stopped.
    n_iter : int
        Refits.
    changes : tuple of int
        How many labels each refit changed.
    cycle_length : int
        Rounds after which the labels repeat; 0 without a cycle.
    """

    labels: Index
    status: SelfLearningStatus
    n_iter: int
    changes: tuple[int, ...]
    cycle_length: int = 0


def self_learn(refit: Refit, labels: Index, max_iter: int) -> SelfLearningResult:
    """Iterate labels -> refit(labels) until a fixed point, a cycle, or `max_iter` refits.

    There are finitely many labelings and the next follows from the last, so the sequence always
    ends in a cycle, usually of length one. Digests of all labelings seen so far tell the others.
    """
    if len(labels) == 0:
        return SelfLearningResult(labels, SelfLearningStatus.EMPTY, 0, ())
    seen = {_digest(labels): 0}
    changes: list[int] = []
    for n_iter in range(1, max_iter + 1):
        refitted = refit(labels)
        changes.append(int((refitted != labels).sum()))
        if changes[-1] == 0:
            return SelfLearningResult(
                labels, SelfLearningStatus.FIXED_POINT, n_iter, tuple(changes)
            )
        earlier = seen.setdefault(_digest(refitted), n_iter)
        if earlier < n_iter:
            return SelfLearningResult(
                labels, SelfLearningStatus.CYCLE, n_iter, tuple(changes), n_iter - earlier
            )
        if n_iter < max_iter:
            labels = refitted
    return SelfLearningResult(labels, SelfLearningStatus.MAX_ITERATIONS, max_iter, tuple(changes))


def _digest(labels: Index) -> bytes:
    return hashlib.blake2b(np.ascontiguousarray(labels).tobytes(), digest_size=16).digest()
