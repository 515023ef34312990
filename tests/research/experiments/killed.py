"""An experiment in a process of its own, which is to be killed.

It is started as a program by `test_kill.py`, with a folder, the file for its notes, and the moment
at which it waits for its death:

after N       when N trials have ended and are written; its workers go on meanwhile
in part       in the middle of writing a part, after some that are whole
with parts    when everything is in one file and the parts are not yet removed
"""

import sys
import threading
from pathlib import Path

from tacit.research.experiments import CrossValidation, Experiment, LearningCurves, RunStore, run
from tacit.research.experiments import _experiment as module
from tacit.rows._parquet_files import import_pyarrow

if __name__ == "__main__":  # the tests are not a package that could be imported from here
    sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.research.experiments.tables import contestants, two_classes

N_TRIALS = 2 * 2 * 8
WHOLE_PARTS = 5


def plan():
    tables = two_classes("first", 60), two_classes("second", 60)
    taking_part = contestants("supervised", "self-learning", "ICLS")
    return [
        Experiment(tables, LearningCurves(8, 10, (4, 16)), taking_part),
        Experiment(tables, CrossValidation(8, 10, 3), taking_part),
    ]


def main(folder, notes, moment):
    module.WRITE_EVERY = 0.0  # a part for every trial
    kind, _, argument = moment.partition(" ")
    n_ended = -1

    def note(what):
        with Path(notes).open("a") as file:
            file.write(f"{what}\n")

    def wait_for_death():
        note("waiting")
        threading.Event().wait()

    def on_progress(done, total):
        nonlocal n_ended
        n_ended += 1
        note("ended" if n_ended else "started")
        if kind == "after" and n_ended == int(argument):
            wait_for_death()

    parquet, remove = import_pyarrow().parquet, Path.unlink
    write_table = parquet.write_table

    def write_half(table, path):
        write_table(table, path)
        if kind == "in" and n_ended == WHOLE_PARTS:
            with path.open("r+b") as file:
                file.truncate(path.stat().st_size // 2)
            wait_for_death()

    def wait_to_remove(path, missing_ok=False):
        if kind == "with" and path.name.startswith("part-") and path.suffix == ".parquet":
            wait_for_death()
        remove(path, missing_ok)

    parquet.write_table, Path.unlink = write_half, wait_to_remove
    run(plan(), RunStore(folder), jobs=2, on_progress=on_progress)
    note("finished")


if __name__ == "__main__":
    main(*sys.argv[1:])
