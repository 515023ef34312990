"""Whether unlabeled data is worth using, on a table of the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tacit._typing import AnyArray
from tacit.selection._comparison import Comparison
from tacit.selection._contestants import (
    Contestant,
    Estimators,
    default_contestants,
    read_contestants,
)
from tacit.selection._evaluate import (
    Fit,
    Judge,
    Outcome,
    Progress,
    Split,
    evaluate_all,
    predictions,
    runs_of,
)
from tacit.selection._labeled_table import LabeledTable, default_preprocessing, read_table
from tacit.selection._measure import Measure, check_classes, check_margin, loss_of, read_measure
from tacit.selection._splitters import describe_splits, plan_splits, read_seed
from tacit.selection._verdict import (
    MethodVerdict,
    PairedDifference,
    judge_methods,
    paired_difference,
)

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
    resampled t-test (Nadeau & Bengio 2003); `tacit.selection._verdict.judge_methods` says how
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
    seed = read_seed(random_state)
    splits = plan_splits(table, cv, n_repeats, seed)
    outcomes: list[list[Outcome]] = []
    if splits:
        everything = Split(table.labeled, table.unlabeled, table.unlabeled, repeat=-1)
        judge: Judge = partial(loss_of, measure=measure)
        tasks = [(final_model, everything), *((judge, split) for split in splits)]
        outcomes = evaluate_all(table, contestants, tasks, str(seed), n_jobs, on_progress)
    runs = tuple(
        run
        for split, scored in zip(splits, outcomes[1:], strict=True)
        for run in runs_of(table, split, scored, measure.name)
    )
    by_name = {
        c.name: np.array([run.value for run in runs if run.classifier == c.name])
        for c in contestants
        if splits
    }
    losses = {name: float(values.mean()) for name, values in by_name.items()}
    supervised = [c.name for c in contestants if c.name in losses and not c.is_semi_supervised]
    baseline = min(supervised, key=losses.__getitem__, default=None)
    final = {outcome.name: outcome.value for scored in outcomes[:1] for outcome in scored}
    methods = {}
    if baseline is not None:
        methods = _judge(table, contestants, baseline, measure, margin, splits, by_name, final)
    return Comparison(
        methods=methods,
        losses=losses,
        baseline=baseline,
        splits=runs,
        contestants=contestants,
        measure=measure,
        margin=margin,
        label_counts=table.label_counts,
        n_unlabeled=len(table.unlabeled),
        notes=(
            *_no_better_than_guessing(table, losses, measure),
            *_notes(table, contestants, splits, outcomes, cv),
        ),
        models={name: each.model for name, each in final.items()},
    )


class FinalModel(NamedTuple):
    """A contestant fitted on all labels, and what it says of the unlabeled rows."""

    model: Any
    predictions: AnyArray
    scores: AnyArray | None


def final_model(fit: Fit, table: LabeledTable, split: Split) -> FinalModel:
    """The model, its predictions on the test rows, and its scores where it has some."""
    response = getattr(fit.model, "decision_function", None)
    response = response or getattr(fit.model, "predict_proba", None)
    scores = None if response is None else np.asarray(response(fit.X_test))
    return FinalModel(fit.pipeline(), predictions(fit, table.codes), scores)


def read_or_default(estimators: Estimators | None, table: LabeledTable) -> tuple[Contestant, ...]:
    """Who is given, or the default contestants with the preprocessing that the table needs."""
    if estimators is not None:
        return read_contestants(estimators)
    preprocessing = default_preprocessing(table.X)
    return default_contestants(preprocessing, n_classes=len(table.classes))


def _judge(
    table: LabeledTable,
    contestants: Sequence[Contestant],
    baseline: str,
    measure: Measure,
    margin: float,
    splits: Sequence[Split],
    losses: Mapping[str, AnyArray],
    final: Mapping[str, FinalModel],
) -> dict[str, MethodVerdict]:
    ratio = float(np.mean([len(split.test) / len(split.labeled) for split in splits]))
    tested = np.unique(np.concatenate([split.test for split in splits]))
    counts = np.unique(table.y[tested], return_counts=True)[1].tolist()

    def against(name: str, reference: str) -> PairedDifference:
        return paired_difference(
            name,
            reference,
            losses[name] - losses[reference],
            ratio,
            len(table.labeled),
            _disagreement(final[name], final[reference], measure),
            len(table.unlabeled),
            tested=counts,
            counts_rows=measure.is_error,
            bounded=measure.in_points,
        )

    methods = [c for c in contestants if c.is_semi_supervised]
    return judge_methods(
        {c.name: against(c.name, str(c.twin)) for c in methods},
        {c.name: against(c.name, baseline) for c in methods},
        margin,
    )


def _disagreement(one: FinalModel, other: FinalModel, measure: Measure) -> float | None:
    """The part of the unlabeled rows that two models predict differently.

    Where the loss is of other things than predicted classes, only that of models which are the same
    function.
    """
    if not measure.is_of_predictions and not (
        one.scores is not None
        and other.scores is not None
        and np.array_equal(one.scores, other.scores)
        and np.array_equal(one.predictions, other.predictions)
    ):
        return None
    return float(np.mean(one.predictions != other.predictions))


def _no_better_than_guessing(
    table: LabeledTable, losses: Mapping[str, float], measure: Measure
) -> list[str]:
    """That no classifier does better than one which has not looked at the rows, if so."""
    counts = table.label_counts
    answer = max(counts, key=counts.__getitem__)
    if not losses:
        return []
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


def _notes(
    table: LabeledTable,
    contestants: Sequence[Contestant],
    splits: Sequence[Split],
    outcomes: Sequence[Sequence[Outcome]],
    cv: Any,
) -> tuple[str, ...]:
    notes = [
        f"The table has {len(table.labeled):,} labeled and {len(table.unlabeled):,} unlabeled rows."
    ]
    if splits:
        notes.append(describe_splits(table, splits, cv))
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
        complaints = [o.warnings for scored in outcomes for o in scored if o.name == name]
        for text in sorted(set().union(*complaints)):
            times = sum(text in complaint for complaint in complaints)
            notes.append(f"{name}, in {times} of {len(outcomes)} fits: {text}.")
    return tuple(notes)
