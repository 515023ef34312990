"""A whole experiment: tables, protocols and contenders, run, resumed and gathered."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import closing, nullcontext
from dataclasses import dataclass, fields

import sklearn

from tacit import __version__
from tacit.research.experiments._contenders import SUPERVISED, Contender
from tacit.research.experiments._engine import run_trials
from tacit.research.experiments._identity import description_of, digest_of
from tacit.research.experiments._protocols import Protocol, Table
from tacit.research.experiments._results import Results
from tacit.research.experiments._run import Run, in_order
from tacit.research.experiments._store import RunStore
from tacit.research.experiments._trial import Trial

# What is done is written when the first trial ends that many seconds after the last writing.
WRITE_EVERY = 1.0


@dataclass(frozen=True)
class Experiment:
    """Contenders on tables under one protocol.

    Attributes
    ----------
    tables : tuple of Table
        The data.
    protocol : Protocol
        How labels are drawn and what is tested.
    contenders : tuple of Contender
        Who takes part; all of them see the same draws.
    """

    tables: tuple[Table, ...]
    protocol: Protocol
    contenders: tuple[Contender, ...]

    def __post_init__(self) -> None:
        for kind, names in (
            ("tables", [table.name for table in self.tables]),
            ("contenders", [contender.name for contender in self.contenders]),
        ):
            twice = sorted({name for name in names if names.count(name) > 1})
            if not names or twice:
                what = f"has {twice[0]!r} twice" if twice else "is empty"
                raise ValueError(f"{kind} {what}; each needs a name of its own.")
        known = {contender.name for contender in self.contenders}
        for contender in self.contenders:
            # The usual name is no promise: an experiment may have nobody to compare with.
            if contender.twin not in known | {SUPERVISED}:
                raise ValueError(
                    f"Contender {contender.name!r} has the twin {contender.twin!r}, which is none "
                    f"of the contenders {', '.join(map(repr, sorted(known)))}; name one of them, "
                    "or add it."
                )
        for table in self.tables:
            # What cannot be drawn is said now, and not when its turn comes after an hour.
            self.protocol.check(table)

    def trials(self, done: Set[tuple[str, str, str, int, int]]) -> list[Trial]:
        """What remains to be run, given (dataset, protocol, classifier, L, repeat) of the rest."""
        remaining = []
        for table in self.tables:
            n_labeled = self.protocol.labels(table)
            for repeat in range(self.protocol.n_repeats):
                missing = tuple(
                    c
                    for c in self.contenders
                    if (table.name, self.protocol.name, c.name, n_labeled, repeat) not in done
                )
                if missing:
                    remaining.append(Trial(table.name, self.protocol, repeat, missing))
        return remaining

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
                c.name: f"{description_of(c.estimator)} sees {c.sees.value}"
                for c in self.contenders
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
        every trial.

    Returns
    -------
    Results
        The runs of these experiments, which depend neither on jobs and cluster nor on earlier
        interruptions; only their seconds do.
    """
    plan, order, twins = _merged(experiments), _order(experiments), _twins(experiments)
    tables = {table.name: table for e in experiments for table in e.tables}
    with nullcontext() if store is None else store.writing(plan):
        trials = _remaining(experiments, [] if store is None else store.read(), tables)
        costs = [trial.cost(tables[trial.dataset]) for trial in trials]
        total, finished = sum(costs), 0.0
        on_progress(0.0, total)
        fresh: list[Run] = []
        unwritten: list[Run] = []
        written = time.monotonic()
        part = None if store is None else store.new_part()
        try:
            with closing(run_trials(trials, tables, jobs, cluster)) as ended:
                for place, runs in ended:
                    fresh += runs
                    unwritten += runs
                    if store is not None and time.monotonic() - written > WRITE_EVERY:
                        store.append(unwritten, part)
                        unwritten, part, written = [], store.new_part(), time.monotonic()
                    finished += costs[place]
                    on_progress(finished, total)
        finally:
            # An interruption of this process, too, keeps what was done; one that came just after a
            # batch was written finds the name unchanged and writes no second file.
            if store is not None:
                store.append(unwritten, part)
        everything = in_order(fresh, order) if store is None else store.gather(order)
    wanted: dict[tuple[str, str, str], int] = {}
    for experiment in experiments:
        for key in _order([experiment]):
            wanted[key] = max(wanted.get(key, 0), experiment.protocol.n_repeats)
    asked_for = (
        run
        for run in everything
        if run.repeat < wanted.get((run.dataset, run.protocol, run.classifier), 0)
    )
    return Results.of(asked_for, twins)


def _remaining(
    experiments: Sequence[Experiment], held: Sequence[Run], tables: Mapping[str, Table]
) -> list[Trial]:
    """What is not held or had failed, each once though two experiments may share it."""
    # One failed size of a learning curve has its trial, that is all sizes, tried again.
    done = {run.trial for run in held} - {run.trial for run in held if run.is_failed}
    trials = []
    for experiment in experiments:
        more = experiment.trials(done)
        trials += more
        done |= {
            (t.dataset, t.protocol.name, c.name, t.protocol.labels(tables[t.dataset]), t.repeat)
            for t in more
            for c in t.contenders
        }
    return trials


def _order(experiments: Sequence[Experiment]) -> dict[tuple[str, str, str], int]:
    keys = dict.fromkeys(
        (table.name, e.protocol.name, c.name)
        for e in experiments
        for table in e.tables
        for c in e.contenders
    )
    return {key: place for place, key in enumerate(keys)}


def _twins(experiments: Sequence[Experiment]) -> dict[str, str]:
    twins: dict[str, str] = {}
    for contender in (c for e in experiments for c in e.contenders):
        if twins.setdefault(contender.name, contender.twin) != contender.twin:
            raise ValueError(
                f"Two experiments compare {contender.name!r} with different twins, "
                f"{twins[contender.name]!r} and {contender.twin!r}; give it one of them, or "
                "another name in one of the experiments."
            )
    return twins


def _merged(experiments: Sequence[Experiment]) -> Mapping[str, Mapping[str, str]]:
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
