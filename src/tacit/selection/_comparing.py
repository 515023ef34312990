"""Whether unlabeled data is worth using, on a table of the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tacit.selection._comparison import Comparison, SplitLoss
from tacit.selection._contestants import (
    Contestant,
    Estimators,
    default_contestants,
    read_contestants,
)
from tacit.selection._differences import PairedDifference, paired_difference
from tacit.selection._evaluate import Progress, Results, Training, run_all
from tacit.selection._folds import Fold, plan_folds, say_how_tested
from tacit.selection._labeled_table import LabeledTable, default_preprocessing, read_table
from tacit.selection._measure import Measure, check_classes, check_margin, read_measure
from tacit.selection._verdict import Verdict, judge_methods
from tacit.selection._wording import too_few_to_split, write_verdict

# A class with a smaller part of the labels than this hardly shows in the error.
RARE = 0.25


def compare(
    X: Any,
    y: Any,
    estimators: Estimators | None = None,
    *,
    cv: Any = None,
    n_repeats: int = 5,
    scoring: Any = "accuracy",
    margin: float = 0.02,
    n_jobs: int | None = None,
    X_unlabeled: Any = None,
    random_state: Any = 0,
    unlabeled: Any = -1,
    on_progress: Progress | None = None,
) -> Comparison:
    """Compare supervised and semi-supervised classifiers on your own table.

    Labeled rows are split into folds again and again; every contestant is fitted on the same
    training rows and scored on the same held-out labels. Rows without label are never scored. They
    are in every training set of the semi-supervised methods, and of the preprocessing of all.

    Parameters
    ----------
    X : array-like, sparse matrix or DataFrame of shape (n, d)
        Rows, labeled and unlabeled. Given to pipelines untouched.
    y : array-like of shape (n,)
        Labels, and marks for unlabeled rows.
    estimators : mapping or iterable of Contestant, optional
        Who to compare: a mapping from name to estimator for supervised classifiers, and to a pair
        of estimator and name of the twin for semi-supervised ones. Estimators get labels as
        numbers: non-negative whole numbers as they are, others as positions among the sorted
        classes. The default is `default_contestants` after scaling (and filling in medians where
        numbers are missing).
    cv : int or splitter, optional
        Folds; 10 by default, fewer where a class has fewer labels. A splitter is asked once, for
        splits of the labeled rows.
    n_repeats : int, default=5
        How often the labels are shuffled and split anew; not used where `cv` is a splitter.
    scoring : str or callable, default="accuracy"
        scikit-learn's name of a score, or `score(model, X, y)`, greater being better.
    margin : float, default=0.02
        Differences of the loss up to this size count as no difference: 0.02 are 2 error points.
        Below 1 for scores that are parts of one; in units of the score for others.
    n_jobs : int, optional
        Processes, as joblib counts them.
    X_unlabeled : array-like, sparse matrix or DataFrame of shape (m, d), optional
        More unlabeled rows.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the splits; None gives others each time.
    unlabeled : object, default=-1
        The value of y that marks an unlabeled row, besides None, NaN and pandas NA.
    on_progress : callable, optional
        Called as on_progress(done, total) after each split.

    Returns
    -------
    Comparison
        With `verdict`, `frame()`, `plot()` and `to_html()`; print it.

    Notes
    -----
    Fits `cv * n_repeats + 1` times each contestant. Intervals and p-values come from the corrected
    resampled t-test (Nadeau & Bengio 2003); `judge_methods` in tacit.selection._verdict says how
    they make a verdict. "Helps" needs a method that beats its own twin after a correction for
    the number of methods, and that no supervised contestant beats on average.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.selection import compare
    >>> random = np.random.default_rng(0)
    >>> y = random.integers(0, 2, 400)
    >>> X = random.normal(size=(400, 20)) + 0.5 * (2 * y - 1)[:, None]
    >>> y[60:] = -1  # 60 labels, 340 unlabeled rows
    >>> comparison = compare(X, y, n_repeats=1)
    >>> list(comparison.losses)
    ['ridge', 'logistic', 'ICLS', 'projected', 'self-learning']
    >>> comparison.losses["ridge"] < 0.1
    True
    """
    measure = read_measure(scoring)
    check_margin(margin, measure)
    table = read_table(X, y, X_unlabeled, unlabeled)
    check_classes(measure, len(table.classes))
    contestants = read_or_default(estimators, table)
    folds = plan_folds(table, cv, n_repeats, random_state)
    tasks: list[tuple[Measure | None, Training]] = [
        (measure, Training((f.repeat, f.fold), f.train, table.unlabeled, f.test)) for f in folds
    ]
    everything = Training((), table.labeled, table.unlabeled, table.unlabeled)
    if folds:
        tasks.insert(0, (None, everything))
    outcomes = run_all(table, contestants, tasks, n_jobs, on_progress)
    disagreements = _disagreements(contestants, outcomes[0], measure) if folds else {}
    scored = [results for results in outcomes if results.losses]
    notes = _notes(table, contestants, folds, outcomes, cv)
    return _conclude(table, contestants, measure, margin, folds, scored, notes, disagreements)


def read_or_default(estimators: Estimators | None, table: LabeledTable) -> tuple[Contestant, ...]:
    """Who is given, or the default contestants with the preprocessing that the table needs."""
    if estimators is not None:
        return read_contestants(estimators)
    preprocessing = default_preprocessing(table.X)
    return default_contestants(preprocessing, n_classes=len(table.classes))


def _conclude(
    table: LabeledTable,
    contestants: tuple[Contestant, ...],
    measure: Measure,
    margin: float,
    folds: Sequence[Fold],
    scored: Sequence[Results],
    notes: tuple[str, ...],
    disagreements: Mapping[tuple[str, str], float],
) -> Comparison:
    by_name = {c.name: np.array([r.losses[c.name] for r in scored]) for c in contestants}
    losses = {name: float(values.mean()) for name, values in by_name.items()} if scored else {}
    baseline = None
    methods = {}
    verdict: Verdict
    if scored:
        notes = (*_beaten_by_guessing(table, losses, measure), *notes)
    if scored:
        supervised = [c.name for c in contestants if not c.is_semi_supervised]
        baseline = min(supervised, key=losses.__getitem__)
        ratio = float(np.mean([len(f.test) / len(f.train) for f in folds]))
        tested = np.unique(np.concatenate([f.test for f in folds]))
        counts = np.unique(table.targets[tested], return_counts=True)[1].tolist()

        def against(name: str, reference: str) -> PairedDifference:
            return paired_difference(
                name,
                reference,
                by_name[name] - by_name[reference],
                ratio,
                len(table.labeled),
                disagreements.get((name, reference)),
                len(table.unlabeled),
                tested=counts,
                counts_rows=measure.is_error,
                bounded=measure.in_points,
            )

        semi_supervised = [c for c in contestants if c.twin is not None]
        methods = judge_methods(
            {c.name: against(c.name, str(c.twin)) for c in semi_supervised},
            {c.name: against(c.name, baseline) for c in semi_supervised},
            margin,
        )
        n_rows = len(table.targets)
        verdict = write_verdict(
            methods, losses, baseline, measure, margin, len(table.labeled), n_rows, notes
        )
    else:
        rare = [str(name) for name, count in table.label_counts.items() if count < 2]
        verdict = too_few_to_split(rare, notes)
    return Comparison(
        verdict=verdict,
        methods=methods,
        losses=losses,
        baseline=baseline,
        splits=_split_losses(scored),
        contestants=contestants,
        measure=measure,
        margin=margin,
        label_counts=table.label_counts,
        n_unlabeled=len(table.unlabeled),
        n_folds=1 + max((f.fold for f in folds), default=-1),
        n_repeats=1 + max((f.repeat for f in folds), default=-1),
        notes=notes,
    )


def _disagreements(
    contestants: Sequence[Contestant], results: Results, measure: Measure
) -> dict[tuple[str, str], float]:
    """For every method and supervised contestant, the part of rows labeled differently.

    Where the loss is of other things than predicted classes, only those that are the same function.
    """
    supervised = [c.name for c in contestants if not c.is_semi_supervised]
    pairs = [(c.name, other) for c in contestants if c.is_semi_supervised for other in supervised]
    return {
        pair: float(np.mean(results.predictions[pair[0]] != results.predictions[pair[1]]))
        for pair in pairs
        if measure.is_of_predictions or _is_same_function(results, *pair)
    }


def _is_same_function(results: Results, name: str, other: str) -> bool:
    given = results.predictions, results.scores
    return all(
        name in by_name and other in by_name and np.array_equal(by_name[name], by_name[other])
        for by_name in given
    )


def _beaten_by_guessing(
    table: LabeledTable, losses: Mapping[str, float], measure: Measure
) -> list[str]:
    """That no classifier does better than one which has not looked at the rows, if so."""
    counts = table.label_counts
    answer = max(counts, key=counts.__getitem__)
    if measure.is_error:
        error = 1.0 - counts[answer] / sum(counts.values())
        wrong = f"which is wrong for {error:.1%} of the labels"
    elif measure.in_points and measure.scoring == "balanced_accuracy":
        error = 1.0 - 1.0 / len(counts)
        wrong = f"which has a balanced error of {error:.1%}"
    else:
        return []
    # Means over splits are rounded.
    if min(losses.values()) < error - 1e-9:
        return []
    note = (
        f"No classifier here does better than always answering {answer}, {wrong}: the columns, or "
        "so few labels, say little about the classes."
    )
    if measure.is_error and min(counts.values()) < RARE * sum(counts.values()):
        note += " Where a class is rare, scoring by 'balanced_accuracy' tells more."
    return [note]


def _split_losses(scored: Sequence[Results]) -> tuple[SplitLoss, ...]:
    return tuple(
        SplitLoss(
            results.training.key[0],
            results.training.key[1],
            name,
            len(results.training.labeled),
            len(results.training.unlabeled),
            len(results.training.test),
            loss,
        )
        for results in scored
        for name, loss in results.losses.items()
    )


def _notes(
    table: LabeledTable,
    contestants: Sequence[Contestant],
    folds: Sequence[Fold],
    outcomes: Sequence[Results],
    cv: Any,
) -> tuple[str, ...]:
    notes = [
        f"The table has {len(table.labeled):,} labeled and {len(table.unlabeled):,} unlabeled rows."
    ]
    if folds:
        notes.append(say_how_tested(table, folds, cv))
    by_name = {contestant.name: contestant for contestant in contestants}
    for contestant in contestants:
        twin = by_name.get(contestant.twin or "")
        if twin is None:
            continue
        keys = contestant.preprocessing_key, twin.preprocessing_key
        if None not in keys and keys[0] != keys[1]:
            notes.append(
                f"{contestant.name} and its twin {twin.name} are preprocessed differently, so the "
                "difference between them is not due to the unlabeled rows alone."
            )
    for name in by_name:
        complaints = [results.warnings.get(name, set()) for results in outcomes]
        for text in sorted(set().union(*complaints)):
            times = sum(text in complaint for complaint in complaints)
            notes.append(f"{name}, in {times} of {len(outcomes)} fits: {text}.")
    return tuple(notes)
