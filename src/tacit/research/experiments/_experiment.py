"""Experiments: contestants on tables under a protocol, run, resumed and gathered.

The whole API: make tables with `complete_table`, contestants with `Contestant`, put them with a
protocol (`LearningCurves` or `CrossValidation`) into an `Experiment`, and `run` some of these, into
a `RunStore` if they are to survive an interruption. What comes out is a `Results`: flat rows, one a
number, each with a status.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass

import numpy as np
import sklearn

from tacit import __version__
from tacit._typing import AnyArray
from tacit._workers import run_all
from tacit.research.experiments._contestants import SUPERVISED
from tacit.research.experiments._identity import describe, digest_of
from tacit.research.experiments._measures import ERROR, measure
from tacit.research.experiments._protocols import Protocol
from tacit.research.experiments._results import Results
from tacit.research.experiments._store import RunStore, merge_plan
from tacit.rows._sweep import one_blas_thread
from tacit.selection import Contestant
from tacit.selection._evaluate import FAILED, OK, Evaluator, Run, Split, recorded_warnings
from tacit.selection._labeled_table import LabeledTable

# What is done is written when the first task ends that many seconds after the last writing.
WRITE_EVERY = 1.0

# Dataset, protocol, classifier, L and repeat: what is fitted at once, all sizes and measures.
Place = tuple[str, str, str, int, int]


@dataclass(frozen=True)
class Experiment:
    """Contestants on tables under one protocol."""

    tables: tuple[LabeledTable, ...]  # The data, from `complete_table`
    protocol: Protocol  # How labels are drawn and what is tested
    contestants: tuple[Contestant, ...]  # Who takes part; all of them see the same draws

    def __post_init__(self) -> None:
        known = [contestant.name for contestant in self.contestants]
        for kind, names in (("tables", [t.name for t in self.tables]), ("contestants", known)):
            twice = sorted({name for name in names if names.count(name) > 1})
            if not names or twice:
                what = f"has {twice[0]!r} twice" if twice else "is empty"
                raise ValueError(f"{kind} {what}; each needs a name of its own.")
        for contestant in self.contestants:
            # The usual name is no promise: an experiment may have nobody to compare with.
            if contestant.twin not in (*known, SUPERVISED, None):
                raise ValueError(
                    f"Contestant {contestant.name!r} has the twin {contestant.twin!r}, which is "
                    f"none of the contestants {', '.join(map(repr, sorted(known)))}; name one of "
                    "them, or add it."
                )
        for table in self.tables:
            # What cannot be drawn is said now, and not when its turn comes after an hour.
            self.protocol.check(table)

    def places(self) -> Iterator[tuple[LabeledTable, int, Contestant, Place]]:
        """Everything to be fitted: table, repeat, contestant and the place that its runs share."""
        for table in self.tables:
            n_labeled = self.protocol.labels(table)
            for repeat in range(self.protocol.n_repeats):
                for contestant in self.contestants:
                    place = (table.name, self.protocol.name, contestant.name, n_labeled, repeat)
                    yield table, repeat, contestant, place

    def plan(self) -> dict[str, dict[str, str]]:
        """What identifies the numbers that come out, for the check before resuming."""
        settings = vars(self.protocol).copy()
        del settings["n_repeats"]  # more repeats can be added to those there are
        return {
            "datasets": {table.name: digest_of(table) for table in self.tables},
            "protocols": {self.protocol.name: repr(settings)},
            "classifiers": {
                c.name: f"{describe(c.estimator)} sees {c.training.value} {c.description}".rstrip()
                for c in self.contestants
            },
            "versions": {"tacit": __version__, "scikit-learn": sklearn.__version__},
        }


def run(
    experiments: Sequence[Experiment],
    store: RunStore | None = None,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    on_progress: Callable[[float, float], None] = lambda done, total: None,
) -> Results:
    """Run experiments, going on where an earlier run into the same store was interrupted.

    A fit that fails is a result, whose row says why. What had failed in an earlier run is tried
    again, since the reason may be gone. Without a store runs are only returned. `jobs` are
    processes, each with one BLAS thread, -1 for one a core; `cluster` is the address of a Dask
    scheduler to run on instead. Results depend on neither of them nor on interruptions, only their
    seconds do. `on_progress` gets the work done and all work, in units of no meaning, at the start
    and after every repeat of an experiment on a table.
    """
    if jobs == 0:
        raise ValueError(
            "jobs is 0; it must be a positive number of processes, or -1 for one a core."
        )
    plan = _merged_plan(experiments)
    twins = plan.pop("twins", {})
    wanted = {place: None for e in experiments for *_, place in e.places()}
    with nullcontext() if store is None else store.writing(plan):
        tables, tasks = _remaining(experiments, [] if store is None else store.read())
        fresh = _run_tasks(tables, tasks, store, jobs, cluster, on_progress)
        everything = fresh if store is None else store.gather()
    # In the order of the plan, so that it does not show which of them came first.
    ranks = {name: k for k, name in enumerate(dict.fromkeys(place[:3] for place in wanted))}
    asked = [run for run in everything if _place(run) in wanted]
    return Results.of(sorted(asked, key=lambda run: (ranks[_place(run)[:3]], run.key)), twins)


@dataclass(frozen=True)
class Task:
    """One repeat of a protocol on one table, with the contestants still to be run in it."""

    protocol: Protocol
    repeat: int
    contestants: tuple[Contestant, ...]


# What rows of one split contributed to each measure, none where it failed; seconds; and status.
_Outcome = tuple[Mapping[str, AnyArray], float, str]


def run_task(table: LabeledTable, task: Task) -> list[Run]:
    """Fit and measure every contestant of `task`, on one BLAS thread.

    A contestant that fails loses only its own numbers: its row says why.
    """
    evaluator, protocol = Evaluator(table), task.protocol
    runs: list[Run] = []
    with one_blas_thread():
        for group in protocol.splits(table, task.repeat):
            n_unlabeled = min(len(split.unlabeled) for split in group)
            place = (protocol.labels(table), n_unlabeled, task.repeat)
            key = "|".join(map(str, (table.name, protocol.name, *place)))
            outcomes: dict[str, list[_Outcome]] = {c.name: [] for c in task.contestants}
            for split in group:
                for contestant in task.contestants:
                    outcome = _outcome(evaluator, contestant, split, key, protocol.measures)
                    outcomes[contestant.name].append(outcome)
            n_test = sum(len(split.test) for split in group)
            runs += [
                Run(table.name, protocol.name, name, *place, what, *numbers, status, n_test=n_test)
                for name, found in outcomes.items()
                for what, numbers, status in _rows(found)
            ]
    return runs


def _outcome(
    evaluator: Evaluator, contestant: Contestant, split: Split, key: str, wanted: Sequence[str]
) -> _Outcome:
    """A model that cannot predict has failed like one that cannot fit."""
    start = time.perf_counter()
    try:
        fit = evaluator.fit(contestant, split, key)
        with recorded_warnings():
            return measure(fit, evaluator.table, split, wanted), fit.seconds, fit.status
    except Exception as error:
        reason = f"{FAILED}: {type(error).__name__}: {error}"
        return {}, time.perf_counter() - start, reason


def _rows(found: Sequence[_Outcome]) -> list[tuple[str, tuple[float, float], str]]:
    """Measure, value over all splits of a group and seconds, and the worst status there is."""
    measured, times, statuses = zip(*found, strict=True)
    for status in statuses:
        if status.startswith(FAILED):
            return [(ERROR, (float("nan"), sum(times)), status)]
    status = next((status for status in statuses if status != OK), OK)
    return [
        (name, (float(np.mean(np.concatenate([m[name] for m in measured]))), sum(times)), status)
        for name in measured[0]
    ]


def _run_tasks(
    tables: Mapping[str, LabeledTable],
    tasks: Sequence[tuple[str, Task]],
    store: RunStore | None,
    jobs: int,
    cluster: str | None,
    on_progress: Callable[[float, float], None],
) -> list[Run]:
    # A rough measure of their times, for the estimate of what remains.
    shapes = [tables[name].X.shape for name, _ in tasks]
    costs = [
        len(task.contestants) * (2e6 + n_rows * n_features**2)
        for (_, task), (n_rows, n_features) in zip(tasks, shapes, strict=True)
    ]
    total, finished = sum(costs), 0.0
    on_progress(0.0, total)
    fresh: list[Run] = []
    unwritten: list[Run] = []
    written = time.monotonic()
    try:
        with closing(run_all(run_task, tables, tasks, jobs, cluster, batch_size=1)) as ended:
            for number, runs in ended:
                fresh += runs
                unwritten += runs
                if store is not None and time.monotonic() - written > WRITE_EVERY:
                    store.append(unwritten)
                    unwritten, written = [], time.monotonic()
                finished += costs[number]
                on_progress(finished, total)
    finally:
        # An interruption of this process, too, keeps what was done; one that came just after a
        # batch was written writes it twice, which counts once.
        if store is not None:
            store.append(unwritten)
    return fresh


def _place(run: Run) -> Place:
    return (run.dataset, run.protocol, run.classifier, run.n_labeled, run.repeat)


def _remaining(
    experiments: Sequence[Experiment], held: Iterable[Run]
) -> tuple[dict[str, LabeledTable], list[tuple[str, Task]]]:
    """What is not held or had failed, each once though two experiments may share it."""
    held = list(held)
    # One failed size of a learning curve has all sizes tried again.
    done = {_place(run) for run in held} - {_place(run) for run in held if run.is_failed}
    tables: dict[str, LabeledTable] = {}
    tasks: list[tuple[str, Task]] = []
    for experiment in experiments:
        missing: dict[tuple[str, int], list[Contestant]] = {}
        for table, repeat, contestant, place in experiment.places():
            if place not in done:
                done.add(place)
                tables[table.name] = table
                missing.setdefault((table.name, repeat), []).append(contestant)
        tasks += [
            (name, Task(experiment.protocol, repeat, tuple(contestants)))
            for (name, repeat), contestants in missing.items()
        ]
    return tables, tasks


def _merged_plan(experiments: Sequence[Experiment]) -> dict[str, dict[str, str]]:
    """The plans of all experiments, and whom each contestant is compared with."""
    merged: dict[str, dict[str, str]] = {}
    for experiment in experiments:
        twins = {c.name: c.twin or c.name for c in experiment.contestants}
        plan = {**experiment.plan(), "twins": twins}
        for kind, name in merge_plan(merged, plan):
            raise ValueError(
                f"Two experiments use the name {name!r} for different {kind} ({merged[kind][name]} "
                f"and {plan[kind][name]}); give each a name of its own or, as protocols have "
                "theirs for good, run them apart and into folders of their own."
            )
    return merged
