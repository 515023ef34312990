"""How often a contestant is right where it is so and so sure of its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest

from tacit.evidence import calibrated_temperature, probabilities
from tacit.report import Sureness
from tacit.selection._evaluate import Split
from tacit.selection._labeled_table import LabeledTable
from tacit.selection._quality import Score

# Answers are put together by their probability, up to each of these.
EDGES = (0.6, 0.7, 0.8, 0.9, 1.0)
# Labels below which a group says nothing.
FEWEST = 3


@dataclass(frozen=True)
class Reliability:
    """Held-back labels by the probability of the answer, from the least sure group on.

    Groups of fewer than three labels are left out.

    The probability of a row comes from its decision as it does in `predict_proba`, by one factor
    that makes the held-back labels of the other splits most likely.
    """

    sure: tuple[float, ...]  #: The mean probability of the answers in each group.
    right: tuple[float, ...]  #: The part of them that was right.
    n_labels: tuple[int, ...]  #: Labels in the group, a mean over the repeats.

    def points(self) -> list[Sureness]:
        """The groups with the interval that holds the true part in nine of ten cases."""
        found = []
        for sure, right, n in zip(self.sure, self.right, self.n_labels, strict=True):
            low, high = binomtest(round(right * n), n).proportion_ci(0.9, "wilson")
            found.append(Sureness(sure, right, float(low), float(high), n))
        return found


def reliability(
    table: LabeledTable, splits: Sequence[Split], scores: Sequence[Score]
) -> Reliability | None:
    """That of one contestant, from its scores on the splits; None where it cannot be told."""
    codes = np.unique(table.y[table.labeled])
    truth = [np.searchsorted(codes, table.y[split.test]) for split in splits]
    sure, right, repeats = [], [], {split.repeat for split in splits}
    for split, score, own in zip(splits, scores, truth, strict=True):
        others = [
            (other.values, y)
            for s, other, y in zip(splits, scores, truth, strict=True)
            if s.repeat == split.repeat and s.fold != split.fold
        ]
        if score.values is None or not others:
            return None
        values, y = (np.concatenate(parts) for parts in zip(*others, strict=True))
        signs = np.where(y[:, None] == np.arange(len(codes)), 1.0, -1.0)
        factor = calibrated_temperature(values, signs, np.ones(len(y)))
        found = probabilities(score.values, factor)
        sure.append(found.max(axis=1))
        right.append(found.argmax(axis=1) == own)
    probability, is_right = np.concatenate(sure), np.concatenate(right)
    group = np.searchsorted(EDGES[:-1], probability)
    n_each = np.bincount(group, minlength=len(EDGES))
    kept = np.flatnonzero(n_each >= FEWEST * len(repeats))
    means = [np.bincount(group, part)[kept] / n_each[kept] for part in (probability, is_right)]
    n_labels = np.round(n_each[kept] / len(repeats)).astype(int)
    return Reliability(*(tuple(each.tolist()) for each in (*means, n_labels)))
