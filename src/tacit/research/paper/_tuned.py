"""What the table with tuned penalties shows, in plain words and numbers."""

from __future__ import annotations

import numpy as np

from tacit._words import listed, number_of
from tacit.research.experiments import Results
from tacit.research.experiments._contestants import ICLS, SUPERVISED
from tacit.research.experiments._results import LEAST_REPEATS, what_counts
from tacit.research.paper._plans import LOGISTIC, RIDGE, RIDGE_ICLS, RIDGE_PROJECTED
from tacit.research.paper._tables import REGULARISED_COLUMNS, error_cells, repeats_asked


def regularised_words(results: Results) -> str:
    """A paragraph on the datasets on which every fit ended; empty where there are no runs.

    Parameters
    ----------
    results : Results
        Cross-validation of the classifiers in REGULARISED_COLUMNS.
    """
    cells = error_cells(results, REGULARISED_COLUMNS)
    repeats = repeats_asked(results)
    asked = results.names("dataset")
    # Means are compared, so they must be over the same datasets and repeats.
    ended = {place for place, cell in cells.items() if cell.n_repeats == repeats}
    datasets = [d for d in asked if all((d, name) in ended for name in REGULARISED_COLUMNS)]
    if not asked:
        return ""
    if not datasets:
        return (
            "On no dataset did the fits of all classifiers end in every repeat, so there are no "
            "means to compare."
        )

    def mean(name: str) -> float:
        return float(np.mean([cells[d, name].error for d in datasets]))

    def counts(name: str, than: str = "") -> str:
        if repeats < LEAST_REPEATS:
            return ""
        better, worse = (
            sum(getattr(cells[d, name], what) for d in datasets) for what in ("better", "worse")
        )
        return f" ({than or 'better'} on {better}, worse on {worse})"

    left_out = [d for d in asked if d not in datasets]
    without = f" (without {listed(left_out)}, where some fits failed)" if left_out else ""
    below_icls = sum(cells[d, RIDGE].error < cells[d, ICLS].error for d in datasets)
    n = len(datasets)
    gain, ridge_gain = mean(SUPERVISED) - mean(ICLS), mean(SUPERVISED) - mean(RIDGE)
    if repeats < LEAST_REPEATS:
        verdict = "So few repeats tell no more than that it runs."
    elif ridge_gain >= gain > 0:
        verdict = (
            "So a penalty alone, without unlabeled rows, brings as much as ICLS does in the paper "
            "or more: the published gain is over a classifier that few careful users would fit."
        )
    elif gain > 0 and ridge_gain > 0:
        verdict = (
            f"So a penalty alone, without unlabeled rows, brings {ridge_gain / gain:.0%} of what "
            "ICLS brings in the paper."
        )
    else:
        verdict = "So here a penalty does not stand in for unlabeled rows."
    words = (
        f"A ridge penalty chosen by leave-one-out, with no unlabeled row, takes the mean error of "
        f"{number_of(n, 'dataset')}{without} from {mean(SUPERVISED):.3f} to {mean(RIDGE):.3f}; "
        f"ICLS without a penalty takes it to {mean(ICLS):.3f}. Supervised ridge is below ICLS "
        f"without penalty on {below_icls} of {n}. {verdict} With the tuned penalty and unlabeled "
        f"rows, ICLS has {mean(RIDGE_ICLS):.3f}"
        f"{counts(RIDGE_ICLS, 'significantly better than supervised ridge')} and projected "
        f"{mean(RIDGE_PROJECTED):.3f}{counts(RIDGE_PROJECTED)}. Tuned logistic regression, with "
        f"labels alone, has {mean(LOGISTIC):.3f}{counts(LOGISTIC)}. {what_counts(repeats)}"
    )
    return words.rstrip()
