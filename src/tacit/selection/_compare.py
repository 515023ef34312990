"""Whether unlabeled data is worth using, and what more of it would buy, on a user's own table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from tacit._words import listed
from tacit.selection import _splitters as splitters
from tacit.selection._comparison import Comparison
from tacit.selection._contestants import (
    MOST_LABELS,
    WITHOUT_TACIT,
    Contestant,
    Estimators,
    default_contestants,
    read_contestants,
)
from tacit.selection._curve import LearningCurve
from tacit.selection._evaluate import (
    Outcomes,
    Progress,
    Split,
    evaluate_all,
    evaluate_within_memory,
    final_model,
    runs_of,
)
from tacit.selection._labeled_table import LabeledTable, apart, default_preprocessing, labeled_table
from tacit.selection._measure import read_measure
from tacit.selection._quality import ROUNDING, Tested, score_of
from tacit.selection._threshold import after_tuning, is_tuned_for
from tacit.selection._verdict import PairedDifference, judge_methods

THRESHOLDS = (
    "Every classifier answers by the threshold that is best by this score on labels held back from "
    "its own training rows."
)


def compare(
    X: Any,
    y: Any = None,
    estimators: Estimators | None = None,
    *,
    target: str | None = None,
    cv: Any = None,
    n_repeats: int = 2,
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
    training rows and scored on the same held-out labels. Rows without label are never scored. There
    they are in every training set of the semi-supervised methods, and of the preprocessing of all.
    How often two contestants answer differently is counted on unlabeled rows, each held back from
    the fits that answer for it.

    Parameters
    ----------
    X : array-like, sparse matrix or DataFrame of shape (n, d)
        Rows, labeled and unlabeled. Given to pipelines untouched.
    y : array-like of shape (n,), optional
        Labels, and marks for unlabeled rows. Needed unless X is a frame with a `target`.
    estimators : mapping or iterable of Contestant, optional
        Who to compare: a mapping from name to estimator for supervised classifiers, and to a pair
        of estimator and name of the twin for semi-supervised ones; the `default_contestants` may be
        among them: ``{**default_contestants(), "mine": MyClassifier()}``. Estimators get labels as
        numbers: non-negative whole numbers as they are, others as positions among the sorted
        classes. The default is `default_contestants` after scaling (and filling in medians where
        numbers are missing); with more than 500 labels, those of them that are quick to fit.
    target : str, optional
        The column of X that has the labels, where X is a frame and y is left out. A frame with
        columns that are not numbers is for `tacit.tables.compare_table`.
    cv : int or splitter, optional
        Folds; 10 by default, fewer where a class has fewer labels. A splitter is asked once, for
        splits of the labeled rows.
    n_repeats : int, default=2
        How often the labels are shuffled and split anew; not used where `cv` is a splitter.
    scoring : str or callable, default="accuracy"
        scikit-learn's name of a score, or `score(model, X, y)`, greater being better. For two
        classes and a score in which a rare class counts ("balanced_accuracy", those of "f1" and
        "jaccard", "matthews_corrcoef") each classifier gets the decision threshold that is best
        by it on labels held back from its own training rows (`tune_threshold`).
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
    Fits `cv * n_repeats` times each contestant, five times with a part of the unlabeled rows held
    back, and once on all rows. Intervals and p-values come from the corrected resampled t-test
    (Nadeau & Bengio 2003); `tacit.selection._verdict.judge_methods` says how they make a verdict.
    "Helps" needs a method that beats its own twin after a correction for the number of methods,
    and that no supervised contestant beats on average.

    Of the default contestants those that need more memory than there is are left out, with those
    that would replace them, and the notes of the comparison say so.

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
    ['ridge', 'logistic', 'forest', 'anchors', 'tacit', 'ICLS', 'projected', 'self-learning']
    >>> comparison.losses["ridge"] < 0.1
    True
    """
    measure = read_measure(scoring)
    table = labeled_table(*apart(X, y, target), X_unlabeled, unlabeled)
    measure.check_score_suits(table)
    contestants, seed = _contestants_for(table, estimators), splitters.read_seed(random_state)
    measure.check_margin(margin)
    splits = splitters.plan_splits(table, cv, n_repeats, seed)
    held_back = splitters.plan_held_back(table, seed)
    everything = Split(table.labeled, table.unlabeled, table.labeled, repeat=-1)
    judges = final_model, measure.answers_of, partial(score_of, measure=measure)
    final, answer, score = (after_tuning(each, measure, len(table.classes)) for each in judges)
    tasks = [(final, everything), *((answer, split) for split in held_back)]
    tasks += [(score, split) for split in splits]
    outcomes: list[Outcomes] = []
    left_out: list[str] = []
    how = tasks, str(seed), n_jobs, on_progress
    if splits and estimators is None:
        outcomes, contestants, left_out = evaluate_within_memory(table, contestants, *how)
    elif splits:
        outcomes = evaluate_all(table, contestants, *how)
    finals, scored = outcomes[: len(held_back) + 1], outcomes[len(held_back) + 1 :]
    scores = {c.name: [found[c.name].value for found in scored] for c in contestants if splits}
    by_name = {name: np.array([s.loss for s in those]) for name, those in scores.items()}
    losses = {name: float(values.mean()) for name, values in by_name.items()}
    supervised = [c.name for c in contestants if c.name in losses and c.twin is None]
    answers = {name: np.concatenate([f[name].value for f in finals[1:]]) for name in losses}
    tested = Tested(table, splits, measure)
    guess = tested.guess() if splits else None
    quality = {} if guess is None else tested.qualities(scores, answers, guess)

    def loss_then_rank(name: str) -> tuple[float, float]:
        # Folds that differ by a row would tell classifiers with as many errors apart.
        n_wrong = sum(s.error * len(s.predicted) for s in scores[name])
        loss = n_wrong if measure.is_error else losses[name]
        return round(loss / ROUNDING), -(quality[name].auc or 0.0)

    def against(name: str, reference: str) -> PairedDifference:
        part = measure.disagreement(answers[name], answers[reference])
        return tested.difference(name, reference, by_name[name] - by_name[reference], measure, part)

    baseline = min(supervised, key=loss_then_rank, default=None)
    twins = {c.name: c.twin for c in contestants if c.twin is not None and baseline is not None}
    return Comparison(
        methods=judge_methods(
            {name: against(name, twin) for name, twin in twins.items()},
            {name: against(name, str(baseline)) for name in twins},
            margin,
        ),
        losses=losses,
        baseline=baseline,
        splits=tuple(
            run
            for split, found in zip(splits, scored, strict=True)
            for run in runs_of(table, split, found, measure.name, loss=attrgetter("loss"))
        ),
        contestants=contestants,
        measure=measure,
        margin=margin,
        label_counts=table.label_counts,
        n_unlabeled=len(table.unlabeled),
        notes=(
            *measure.positive_class(table),
            f"The table has {len(table.labeled):,} labeled and {len(table.unlabeled):,} unlabeled "
            "rows.",
            *([splitters.describe_splits(table, splits, cv)] if splits else []),
            *_notes(contestants, outcomes),
            *left_out,
            *([THRESHOLDS] if is_tuned_for(measure) and len(table.classes) == 2 else []),
            *([WITHOUT_TACIT] if estimators is None and len(table.labeled) > MOST_LABELS else []),
        ),
        models={name: each.value for found in finals[:1] for name, each in found.items()},
        guess=guess,
        quality=quality,
        reliability={name: tested.reliability(those) for name, those in scores.items()},
    )


def learning_curve(
    X: Any,
    y: Any = None,
    estimators: Estimators | None = None,
    *,
    target: str | None = None,
    n_labeled: Sequence[int] | None = None,
    n_unlabeled: Sequence[int] | None = None,
    cv: Any = 5,
    n_repeats: int = 2,
    scoring: Any = "accuracy",
    n_jobs: int | None = None,
    X_unlabeled: Any = None,
    random_state: Any = 0,
    unlabeled: Any = -1,
    on_progress: Progress | None = None,
) -> LearningCurve:
    """Loss against the number of labels, and against the number of unlabeled rows.

    As in `compare`, labels are held back in folds, every contestant gets the same rows, and rows
    without label are never scored. Smaller training sets are parts of larger ones.

    Parameters
    ----------
    X, y, estimators, target, scoring, n_jobs, X_unlabeled, random_state, unlabeled, on_progress
        As in `compare`.
    n_labeled : sequence of int, optional
        Numbers of labels to train on, with all unlabeled rows; by default five, from a few of each
        class to all that a fold leaves. An empty sequence leaves this curve out.
    n_unlabeled : sequence of int, optional
        Numbers of unlabeled rows to train on, with all labels that a fold leaves; by default none,
        and four more up to all. An empty sequence leaves this curve out.
    cv : int or splitter, default=5
        Folds; fewer where a class has fewer labels.
    n_repeats : int, default=2
        How often the labels are shuffled and split anew; not used where `cv` is a splitter.

    Returns
    -------
    LearningCurve
        With `frame()`, `plot()`, `to_html()` and `forecast(n_more)`; print it.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.selection import learning_curve
    >>> random = np.random.default_rng(0)
    >>> y = random.integers(0, 2, 300)
    >>> X = random.normal(size=(300, 5)) + 0.7 * (2 * y - 1)[:, None]
    >>> y[60:] = -1  # 60 labels, 240 unlabeled rows
    >>> curve = learning_curve(X, y, n_labeled=[12, 24, 48], n_unlabeled=[], n_repeats=1)
    >>> [point.n_labeled for point in curve.points("labels", "ridge")]
    [12, 24, 48]
    """
    measure = read_measure(scoring)
    table = labeled_table(*apart(X, y, target), X_unlabeled, unlabeled)
    measure.check_score_suits(table)
    contestants, seed = _contestants_for(table, estimators), splitters.read_seed(random_state)
    splits = splitters.plan_splits(table, cv, n_repeats, seed)
    if not splits:
        rare = [name for name, count in table.label_counts.items() if count < 2]
        raise ValueError(
            f"y has a single label of the class {rare[0]!r}; a learning curve needs at least two "
            "of each class, one to learn from and one to test on."
        )
    plan = splitters.plan_curves(table, splits, n_labeled, n_unlabeled, seed)
    # Where both curves have all rows they share a split, which is measured once.
    judge = after_tuning(measure.loss_of, measure, len(table.classes))
    unique = dict.fromkeys(split for _, split in plan)
    tasks = [(judge, split) for split in unique]
    found = evaluate_all(table, contestants, tasks, str(seed), n_jobs, on_progress)
    outcomes = dict(zip(unique, found, strict=True))
    losses = tuple(
        run
        for along, split in plan
        for run in runs_of(table, split, outcomes[split], measure.name, along)
    )
    counts, n_rows = table.label_counts, len(table.unlabeled)
    test_to_train = Tested(table, splits, measure).test_to_train
    return LearningCurve(losses, contestants, measure, counts, n_rows, test_to_train)


def _contestants_for(table: LabeledTable, estimators: Estimators | None) -> tuple[Contestant, ...]:
    """Those that were given, or the usual ones."""
    if estimators is None:
        estimators = default_contestants(default_preprocessing(table.X), len(table.labeled))
    return read_contestants(estimators)


def _notes(contestants: Sequence[Contestant], outcomes: Sequence[Outcomes]) -> list[str]:
    """What is to be known of the fits."""
    notes = []
    keys = {contestant.name: contestant.preprocessing_key for contestant in contestants}
    for name, twin in ((c.name, c.twin) for c in contestants if c.twin is not None):
        if None not in (keys[name], keys[twin]) and keys[name] != keys[twin]:
            notes.append(
                f"{name} and its twin {twin} are preprocessed differently, so the difference "
                "between them is not due to the unlabeled rows alone."
            )
    # Of those who complain of the same there is one line.
    times: dict[str, dict[str, int]] = {}
    for name in keys:
        complaints = Counter(text for found in outcomes for text in found[name].warnings)
        for text, count in sorted(complaints.items()):
            times.setdefault(text, {})[name] = count
    for text, by_whom in times.items():
        most = "up to " if len(set(by_whom.values())) > 1 else ""
        fits = f"in {most}{max(by_whom.values())} of {len(outcomes)} fits"
        notes.append(f"{listed(list(by_whom))}, {fits}: {text}.")
    return notes
