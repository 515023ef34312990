"""How often a contestant is right where it is so and so sure of its answer."""

from __future__ import annotations

from collections.abc import Sequence

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


def reliability(
    table: LabeledTable, splits: Sequence[Split], scores: Sequence[Score]
) -> tuple[Sureness, ...]:
    """Held-back labels by the probability of one contestant's answers, the least sure first.

    Probabilities come from decisions as they do in `predict_proba`, by one factor that makes the
    held-back labels of the other splits most likely. Counts are means over the repeats, and the
    interval holds the true part in nine of ten cases. Empty where nothing can be told.
    """
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
            return ()
        values, y = (np.concatenate(parts) for parts in zip(*others, strict=True))
        signs = np.where(y[:, None] == np.arange(len(codes)), 1.0, -1.0)
        factor = calibrated_temperature(values, signs, np.ones(len(y)))
        found = probabilities(score.values, factor)
        sure.append(found.max(axis=1))
        right.append(found.argmax(axis=1) == own)
    probability, is_right = np.concatenate(sure), np.concatenate(right)
    group = np.searchsorted(EDGES[:-1], probability)
    n_each = np.bincount(group, minlength=len(EDGES))
    points = []
    for k in np.flatnonzero(n_each >= FEWEST * len(repeats)):
        part, n = float(is_right[group == k].mean()), round(n_each[k] / len(repeats))
        low, high = binomtest(round(part * n), n).proportion_ci(0.9, "wilson")
        mean = float(probability[group == k].mean())
        points.append(Sureness(mean, part, float(low), float(high), n))
    return tuple(points)
