"""Where trials run: in this process, in several on this machine, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from itertools import islice
from typing import Any

from joblib import delayed

from tacit._workers import as_they_end
from tacit.research.experiments._protocols import Table
from tacit.research.experiments._run import Run
from tacit.research.experiments._trial import Trial, run_trial

# The position of a trial in the sequence given, and its runs.
Done = tuple[int, list[Run]]

# Trials handed to a cluster ahead of what its workers do, so that none of them waits.
AHEAD = 3


def run_trials(
    trials: Sequence[Trial], tables: Mapping[str, Table], jobs: int = 1, cluster: str | None = None
) -> Generator[Done]:
    """Run `trials`, yielding each as it ends, in any order; closed early, the rest is given up.

    Parameters
    ----------
    trials : sequence of Trial
        What to run.
    tables : mapping of name to Table
        Their data.
    jobs : int, default 1
        Processes on this machine, each with one BLAS thread; -1 for one a core.
    cluster : str, optional
        Address of a Dask scheduler, used instead of processes on this machine.

    Yields
    ------
    tuple of int and list of Run
        The position of the trial that ended, and what came out.
    """
    if jobs == 0:
        raise ValueError(
            "jobs is 0; it must be a positive number of processes, or -1 for one a core."
        )
    if not trials or (cluster is None and jobs == 1):
        return (_numbered(i, trial, tables[trial.dataset]) for i, trial in enumerate(trials))
    if cluster is None:
        return _in_processes(trials, tables, jobs)
    return _on_cluster(trials, tables, cluster)


def _in_processes(
    trials: Sequence[Trial], tables: Mapping[str, Table], jobs: int
) -> Generator[Done]:
    calls = (delayed(_numbered)(i, trial, tables[trial.dataset]) for i, trial in enumerate(trials))
    return as_they_end(calls, jobs, batch_size=1)


def _on_cluster(
    trials: Sequence[Trial], tables: Mapping[str, Table], address: str
) -> Generator[Done]:
    distributed = _import_distributed()
    with _connected(distributed, address) as client:
        # One copy of each table on every worker, not one with every trial. As a list, because
        # the names of a mapping would be those that all users of the cluster share.
        copies = client.scatter(list(tables.values()), broadcast=True)
        held = dict(zip(tables, copies, strict=True))
        waiting = enumerate(trials)
        ahead = AHEAD * max(1, sum(client.nthreads().values()))

        def submit(place: int, trial: Trial) -> Any:
            return client.submit(_numbered, place, trial, held[trial.dataset], pure=False)

        running = distributed.as_completed(submit(*next_) for next_ in islice(waiting, ahead))
        for future in running:
            yield future.result()
            for next_ in islice(waiting, 1):
                running.add(submit(*next_))


def _numbered(place: int, trial: Trial, table: Table) -> Done:
    return place, run_trial(trial, table)


def _connected(distributed: Any, address: str) -> Any:
    try:
        return distributed.Client(address)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"No Dask scheduler answers at cluster={address!r} ({error}); give the address that it "
            "prints when it starts, such as tcp://10.0.0.1:8786."
        ) from error


def _import_distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise ImportError("A Dask cluster needs Dask: pip install 'tacit[dask]'") from error
    return distributed
