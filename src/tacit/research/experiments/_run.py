"""One number of one experiment, as a flat row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

OK = "ok"
NOT_CONVERGED = "not converged"
FAILED = "failed"


@dataclass(frozen=True)
class Run:
    """What one classifier scored on one measure in one repeat.

    Attributes
    ----------
    dataset, protocol, classifier : str
        What was run.
    n_labeled, n_unlabeled : int
        Rows of the fit, L and U. In cross-validation U is that of the smallest training set.
    repeat : int
        Number of the random draw; every classifier sees the same draws.
    measure : str
        What was measured, see `tacit.research.experiments._measures`.
    value : float
        The number; NaN where the fit failed.
    seconds : float
        Time of the fit or, in cross-validation, of the fits of all folds.
    status : str
        "ok", "not converged", or "failed: " and the reason.
    """

    dataset: str
    protocol: str
    classifier: str
    n_labeled: int
    n_unlabeled: int
    repeat: int
    measure: str
    value: float
    seconds: float
    status: str

    @property
    def is_failed(self) -> bool:
        """Whether there is a reason in place of a number."""
        return self.status.startswith(FAILED)

    @property
    def trial(self) -> tuple[str, str, str, int, int]:
        """What is fitted at once: all sizes of unlabeled rows and all measures."""
        return (self.dataset, self.protocol, self.classifier, self.n_labeled, self.repeat)

    @property
    def key(self) -> tuple[str, str, str, int, int, int, str]:
        """What no other row of the same results has."""
        return (
            self.dataset,
            self.protocol,
            self.classifier,
            self.n_labeled,
            self.n_unlabeled,
            self.repeat,
            self.measure,
        )


def in_order(runs: Iterable[Run], order: Mapping[tuple[str, str, str], int]) -> list[Run]:
    """Sort runs, so that it does not show which of them came first.

    Parameters
    ----------
    runs : iterable of Run
        In any order.
    order : mapping of (dataset, protocol, classifier) to int
        The order of the plan; names that are not in it come last, by the alphabet.
    """
    last = len(order)
    return sorted(
        runs, key=lambda r: (order.get((r.dataset, r.protocol, r.classifier), last), r.key)
    )
