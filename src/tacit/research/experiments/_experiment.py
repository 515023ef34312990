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
from dataclasses import dataclass, fields

import numpy as np
import sklearn

from tacit import __version__
from tacit._typing import AnyArray
from tacit._workers import run_all
from tacit.research.experiments._contestants import SUPERVISED
from tacit.research.experiments._identity import describe, digest_of
from tacit.research.experiments._measures import ERROR, measure
from tacit.research.experiments._protocols import Protocol
from tacit.research.experiments._results import Results, in_order
from tacit.research.experiments._store import RunStore
from tacit.rows._sweep import one_blas_thread
from tacit.selection import Contestant
from tacit.selection._evaluate import (
    FAILED,
    NOT_CONVERGED,
    OK,
    Evaluator,
    Run,
    Split,
    recorded_warnings,
)
from tacit.selection._labeled_table import LabeledTable

# What is done is written when the first task ends that many seconds after the last writing.
WRITE_EVERY = 1.0

# Dataset, protocol, classifier, L and repeat: what is fitted at once, all sizes and measures.
Place = tuple[str, str, str, int, int]


@dataclass(frozen=True)
class Experiment:
    """Contestants on tables under one protocol.

    Attributes
    ----------
    tables : tuple of LabeledTable
        The data, from `complete_table`.
    protocol : Protocol
        How labels are drawn and what is tested.
    contestants : tuple of Contestant
        Who takes part; all of them see the same draws.
    """

    tables: tuple[LabeledTable, ...]
    protocol: Protocol
    contestants: tuple[Contestant, ...]

    def __post_init__(self) -> None:
        for kind, names in (
            ("tables", [table.name for table in self.tables]),
            ("contestants", [contestant.name for contestant in self.contestants]),
        ):
            twice = sorted({name for name in names if names.count(name) > 1})
            if not names or twice:
                what = f"has {twice[0]!r} twice" if twice else "is empty"
                raise ValueError(f"{kind} {what}; each needs a name of its own.")
        known = {contestant.name for contestant in self.contestants}
        for contestant in self.contestants:
            # The usual name is no promise: an experiment may have nobody to compare with.
            if contestant.twin not in known | {SUPERVISED, None}:
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
        settings = {
            f.name: getattr(self.protocol, f.name)
            for f in fields(self.protocol)
            if f.name != "n_repeats"  # more repeats can be added to those there are
        }
        return {
            "datasets": {table.name: digest_of(table) for table in self.tables},
            "protocols": {self.protocol.name: repr(settings)},
            "classifiers": {
                c.name: f"{describe(c.estimator)} sees {c.training.value}" for c in self.contestants
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
    again, since the reason may be gone.

    Parameters
    ----------
    experiments : sequence of Experiment
        What to run. Experiments in the same store must not use one name for two things.
    store : RunStore, optional
        Where runs are kept; without it they are only returned.
    jobs : int, default 1
        Processes, each with one BLAS thread; -1 for one a core.
    cluster : str, optional
        Address of a Dask scheduler to run on instead.
    on_progress : callable, optional
        Called with the work done and all work, in units of no meaning, at the start and after
        every repeat of an experiment on a table.

    Returns
    -------
    Results
        The runs of these experiments, which depend neither on jobs and cluster nor on earlier
        interruptions; only their seconds do.
    """
    if jobs == 0:
        raise ValueError(
            "jobs is 0; it must be a positive number of processes, or -1 for one a core."
        )
    plan, twins = _merged_plan(experiments), _twins(experiments)
    wanted = {place: None for e in experiments for *_, place in e.places()}
    order = {name: k for k, name in enumerate(dict.fromkeys(place[:3] for place in wanted))}
    with nullcontext() if store is None else store.writing(plan):
        tables, tasks = _remaining(experiments, [] if store is None else store.read())
        fresh = _run_tasks(tables, tasks, store, jobs, cluster, on_progress)
        everything = in_order(fresh, order) if store is None else store.gather(order)
    return Results.of((run for run in everything if _place(run) in wanted), twins)


@dataclass(frozen=True)
class Task:
    """One repeat of a protocol on one table, with the contestants still to be run in it."""

    protocol: Protocol
    repeat: int
    contestants: tuple[Contestant, ...]

    def cost(self, table: LabeledTable) -> float:
        """A rough measure of its time, for the estimate of what remains."""
        n_rows, n_features = table.X.shape
        fits = self.protocol.n_fits(table) * len(self.contestants)
        return float(fits * (2e6 + n_rows * n_features**2))


def run_task(table: LabeledTable, task: Task) -> list[Run]:
    """Fit and measure every contestant of `task`, on one BLAS thread.

    A contestant that fails loses only its own numbers: its row says why.
    """
    evaluator = Evaluator(table)
    runs: list[Run] = []
    with one_blas_thread():
        for group in task.protocol.splits(table, task.repeat):
            key = _key(table, task, group)
            outcomes: dict[str, list[_Outcome]] = {c.name: [] for c in task.contestants}
            for split in group:
                for contestant in task.contestants:
                    outcome = _outcome(evaluator, contestant, split, key, task.protocol.measures)
                    outcomes[contestant.name].append(outcome)
            for name, found in outcomes.items():
                runs += _rows(table, task, group, name, found)
    return runs


@dataclass(frozen=True, eq=False)
class _Outcome:
    """What one split gave: the contributions of rows to each measure, none where it failed."""

    measured: Mapping[str, AnyArray]
    seconds: float
    status: str


def _key(table: LabeledTable, task: Task, group: Sequence[Split]) -> str:
    return (
        f"{table.name}|{task.protocol.name}|{task.protocol.labels(table)}|{_n_unlabeled(group)}"
        f"|{task.repeat}"
    )


def _n_unlabeled(group: Sequence[Split]) -> int:
    return min(len(split.unlabeled) for split in group)


def _outcome(
    evaluator: Evaluator, contestant: Contestant, split: Split, key: str, wanted: Sequence[str]
) -> _Outcome:
    """A model that cannot predict has failed like one that cannot fit."""
    start = time.perf_counter()
    try:
        fit = evaluator.fit(contestant, split, key)
        with recorded_warnings():
            measured = measure(fit, evaluator.table, split, wanted)
        return _Outcome(measured, fit.seconds, fit.status)
    except Exception as error:
        reason = f"{FAILED}: {type(error).__name__}: {error}"
        return _Outcome({}, time.perf_counter() - start, reason)


def _rows(
    table: LabeledTable, task: Task, group: Sequence[Split], name: str, found: Sequence[_Outcome]
) -> Iterator[Run]:
    """The numbers over all splits of a group; the worst status there is."""
    statuses = [outcome.status for outcome in found]
    failed = [status for status in statuses if status.startswith(FAILED)]
    status = (failed or ([NOT_CONVERGED] if NOT_CONVERGED in statuses else [OK]))[0]
    for measured in (ERROR,) if failed else task.protocol.measures:
        if failed or measured in found[0].measured:
            parts = [] if failed else [outcome.measured[measured] for outcome in found]
            yield Run(
                table.name,
                task.protocol.name,
                name,
                task.protocol.labels(table),
                _n_unlabeled(group),
                task.repeat,
                measured,
                float("nan") if failed else float(np.mean(np.concatenate(parts))),
                sum(outcome.seconds for outcome in found),
                status,
                n_test=sum(len(split.test) for split in group),
            )


def _run_tasks(
    tables: Mapping[str, LabeledTable],
    tasks: Sequence[tuple[str, Task]],
    store: RunStore | None,
    jobs: int,
    cluster: str | None,
    on_progress: Callable[[float, float], None],
) -> list[Run]:
    costs = [task.cost(tables[name]) for name, task in tasks]
    total, finished = sum(costs), 0.0
    on_progress(0.0, total)
    fresh: list[Run] = []
    unwritten: list[Run] = []
    written = time.monotonic()
    part = None if store is None else store.new_part()
    try:
        with closing(run_all(run_task, tables, tasks, jobs, cluster, batch_size=1)) as ended:
            for number, runs in ended:
                fresh += runs
                unwritten += runs
                if store is not None and time.monotonic() - written > WRITE_EVERY:
                    store.append(unwritten, part)
                    unwritten, part, written = [], store.new_part(), time.monotonic()
                finished += costs[number]
                on_progress(finished, total)
    finally:
        # An interruption of this process, too, keeps what was done; one that came just after a
        # batch was written finds the name unchanged and writes no second file.
        if store is not None:
            store.append(unwritten, part)
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


def _twins(experiments: Sequence[Experiment]) -> dict[str, str]:
    twins: dict[str, str] = {}
    for contestant in (c for e in experiments for c in e.contestants):
        twin = contestant.twin or contestant.name
        if twins.setdefault(contestant.name, twin) != twin:
            raise ValueError(
                f"Two experiments compare {contestant.name!r} with different twins, "
                f"{twins[contestant.name]!r} and {twin!r}; give it one of them, or another name in "
                "one of the experiments."
            )
    return twins


def _merged_plan(experiments: Sequence[Experiment]) -> Mapping[str, Mapping[str, str]]:
    merged: dict[str, dict[str, str]] = {}
    for experiment in experiments:
        for kind, entries in experiment.plan().items():
            known = merged.setdefault(kind, {})
            for name, description in entries.items():
                if known.setdefault(name, description) != description:
                    raise ValueError(
                        f"Two experiments use the name {name!r} for different {kind} ({known[name]}"
                        f" and {description}); give each a name of its own or, as protocols have "
                        "theirs for good, run them apart and into folders of their own."
                    )
    return merged
