"""`python -m benchmarks.mutation`: how many small faults in the exact parts the tests notice.

Draws mutants of each file below (benchmarks/mutants.py), the same ones every time, and runs the
nearest fast tests on each until one fails, in a copy of the sources. A mutant that none of them
notices survives. Results are kept in a file, by the function that the mutant is in, and not
repeated while that is as it was; `--again` tries the survivors once more.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import io
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmarks.mutants import Mutant, mutants
from tacit._files import write_text

OUT = Path("docs/mutation")
COLUMNS = ("group", "file", "key", "line", "change", "result", "reason")
Row = dict[str, str]
# Imported once; a test run is a fork of the process that has them, without the package itself.
HEAVY = (
    "pytest",
    "pandas",
    "scipy.optimize",
    "scipy.sparse.linalg",
    "scipy.special",
    "sklearn.linear_model",
    "sklearn.model_selection",
    "sklearn.utils.estimator_checks",
)
# A mutant may make a loop endless, or an array enormous: times the usual processor time, and bytes.
LEAST_SECONDS, PATIENCE = 5.0, 4.0
MEMORY = 8 * 2**30

# The tests nearest to each file, the quickest first: a second or two of processor time.
INTERIOR = "solver/test_newton_system solver/test_interior_point solver/test_samples "
INTERIOR += "solver/test_simplex_interior_point"
ROUNDS = "solver/test_working_set"
PRIOR = "solver/test_projection estimators/test_class_prior"
NEAREST = {
    "certificate": {
        "solver/_certificate": "solver/test_certificate",
        "solver/_problem": "solver/test_problem solver/test_interior_point solver/test_working_set",
    },
    "leave-one-out": {
        "evidence/_ridge": "evidence/test_evidence",
        "solver/_least_squares": "solver/test_least_squares estimators/test_least_squares",
    },
    "gate": {
        "evidence/_average": "evidence/test_evidence",
        "evidence/_evidence": "evidence/test_evidence",
        "evidence/_calibration": "evidence/test_evidence",
    },
    "solver": {
        "solver/_label_sets": "solver/test_label_sets solver/test_problem",
        "solver/_interior_point": INTERIOR,
        "solver/_active_set": f"solver/test_descend_faces {INTERIOR}",
        "solver/_semismooth": "solver/test_semismooth",
        "solver/_basis": "solver/test_basis estimators/test_rank_and_units",
        "solver/_constraint_set": f"solver/test_constraint_set {PRIOR}",
        "solver/_projection": f"{PRIOR} solver/test_ties",
        "solver/_ties": "solver/test_ties",
        "solver/_zonotope": f"solver/test_zonotope {ROUNDS}",
        "solver/_rounds": f"solver/test_rounds {ROUNDS}",
        "solver/_working_set": f"solver/test_search {ROUNDS} solver/test_groups "
        "solver/test_simplex_working_set",
        "solver/_inside": f"solver/test_inside {ROUNDS}",
        "solver/_curvature": "solver/test_curvature",
        "solver/_labeling": "solver/test_labeling solver/test_solution",
        "solver/_method": "solver/test_method",
        "solver/_solution": "solver/test_solution",
        "solver/_lbfgsb": "solver/test_lbfgsb",
        "solver/_proximal": "solver/test_proximal_parts solver/test_proximal",
        "solver/_groups": "solver/test_groups",
        "solver/_nearest_labels": "solver/test_nearest_labels",
        "solver/_matrix_free": "solver/test_matrix_free_parts solver/test_matrix_free",
        "solver/_many_columns": "solver/test_many_columns",
        "solver/_kernel_features": "solver/test_kernel_features",
    },
}
# These take longest, and say little that the others do not.
LONG = "not it_finds_the_answer_of_the_interior_point_method and not every_storage "
LONG += "and not 100-3-800 and not by_the_thousand"


def nearest_to(file: str) -> list[str]:
    """The test files nearest to a file of the package, the nearest first."""
    nearest = next(files[file] for files in NEAREST.values() if file in files)
    return [f"tests/{name}.py" for name in nearest.split()]


def copied() -> Path:
    """A copy of what the tests need."""
    folder = Path(tempfile.mkdtemp(prefix="mutation-"))
    for name in ("src", "tests"):
        shutil.copytree(name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy("pyproject.toml", folder)
    return folder


def passes(folder: Path, tests: Sequence[str], seconds: float, keeps_bytecode: bool) -> bool:
    """Whether tests pass, in a fork of this process; without an answer in time they do not."""
    child = os.fork()
    if child == 0:
        status = 3
        try:
            signal.setitimer(signal.ITIMER_PROF, seconds)  # whose signal ends the process
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            os.chdir(folder)
            sys.dont_write_bytecode = not keeps_bytecode
            sys.path[:0] = [str(folder / "src"), str(folder)]
            for name in [name for name in sys.modules if name.split(".")[0] in ("tacit", "tests")]:
                del sys.modules[name]
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            import pytest

            status = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-k", LONG, *tests]))
            package = Path(str(sys.modules["tacit"].__file__))
            status = status or 4 * (not package.is_relative_to(folder.resolve()))
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def survives(whole: Path, file: str, mutant: Mutant, seconds: float) -> bool:
    """Whether the tests pass with this fault, in a copy of the copy that each process has."""
    folder = whole.with_name(f"{whole.name}-{os.getpid()}")
    if not folder.exists():
        shutil.copytree(whole, folder)
    path = folder / f"src/tacit/{file}.py"
    original = path.read_text(encoding="utf-8")
    # What another fault of the same second and size has left would be taken for this one's.
    for bytecode in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        bytecode.unlink()
    try:
        path.write_text(mutant.source(original), encoding="utf-8")
        return passes(folder, nearest_to(file), seconds, keeps_bytecode=False)
    finally:
        path.write_text(original, encoding="utf-8")


def tried(whole: Path, file: str, wanted: Sequence[Mutant], jobs: int) -> dict[str, str]:
    """Results of mutants of a file, by key."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not passes(whole, nearest_to(file), 600.0, keeps_bytecode=True):
        raise SystemExit(f"The tests of {file} fail as they are: {' '.join(nearest_to(file))}")
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    usual = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    begun = time.monotonic()
    try:
        with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
            runs = [
                pool.submit(survives, whole, file, mutant, LEAST_SECONDS + PATIENCE * usual)
                for mutant in wanted
            ]
            results = ["survived" if run.result() else "killed" for run in runs]
    finally:
        for folder in whole.parent.glob(f"{whole.name}-*"):
            shutil.rmtree(folder)
    took = time.monotonic() - begun
    print(f"{file}: {usual:.1f} s a run, {len(wanted)} mutants in {took:.0f} s", flush=True)
    return {mutant.key: result for mutant, result in zip(wanted, results, strict=True)}


def read_kept(path: Path) -> dict[str, Row]:
    """Results by key."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as lines:
        return {row["key"]: row for row in csv.DictReader(lines)}


def write_kept(path: Path, rows: Sequence[Row]) -> None:
    """Results, in the order of the table above and then of lines."""
    files = [file for group in NEAREST.values() for file in group]
    ordered = sorted(rows, key=lambda row: (files.index(row["file"]), int(row["line"]), row["key"]))
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(ordered)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text.getvalue())


def table(rows: Sequence[Row], of: str) -> str:
    """Tried, killed and survived by file or group."""
    lines = [f"| {of} | tried | killed | survived | killed |", "|---|---:|---:|---:|---:|"]
    for name in [*dict.fromkeys(row[of] for row in rows), "all"]:
        results = [row["result"] for row in rows if name in (row[of], "all")]
        killed, n = results.count("killed"), len(results)
        lines.append(f"| {name} | {n} | {killed} | {n - killed} | {killed / n:.0%} |")
    return "\n".join(lines)


def survivors(rows: Sequence[Row]) -> str:
    """Those that survive, with the reasons that were written into the kept results by hand."""
    lines = ["| file | line | change | why |", "|---|---:|---|---|"]
    for row in rows:
        if row["result"] == "survived":
            change, reason = (row[name].replace("|", "\\|") for name in ("change", "reason"))
            lines.append(f"| {row['file']} | {row['line']} | `{change}` | {reason} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Try the mutants that have no result yet, and print what became of all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation", description=__doc__)
    parser.add_argument("--sample", type=int, default=25, help="mutants a file; 0 for all")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--again", action="store_true", help="try the survivors once more")
    parser.add_argument("--only", default="", help="files and groups whose names have this")
    parser.add_argument("--out", type=Path, default=OUT, help="where results are kept")
    options = parser.parse_args(arguments)
    for name in HEAVY:
        importlib.import_module(name)
    kept = read_kept(options.out / "results.csv")
    rows: list[Row] = []
    whole = copied()
    try:
        for group, file in [(group, file) for group, files in NEAREST.items() for file in files]:
            found = mutants((whole / f"src/tacit/{file}.py").read_text(encoding="utf-8"))
            asked = options.only in f"{group} {file}"
            n = (options.sample or len(found)) * asked
            drawn = [m for k, m in enumerate(found) if m.key in kept or k < n]
            is_open = {m.key: m.key not in kept for m in drawn}
            if options.again and asked:
                is_open |= {
                    m.key: True for m in drawn if kept.get(m.key, {}).get("result") == "survived"
                }
            wanted = [m for m in drawn if is_open[m.key]]
            results = tried(whole, file, wanted, options.jobs) if wanted else {}
            for m in drawn:
                row = kept.get(m.key, {"reason": ""})
                row |= {"group": group, "file": file, "key": m.key, "line": str(m.line)}
                row |= {"change": m.change, "result": results.get(m.key) or row["result"]}
                row["reason"] *= row["result"] == "survived"
                kept[m.key] = row
                rows.append(row)
            write_kept(options.out / "results.csv", list(kept.values()))
    finally:
        shutil.rmtree(whole)
    # Without those of functions that have changed since.
    write_kept(options.out / "results.csv", rows)
    tables = [table(rows, "group"), table(rows, "file")]
    write_text(options.out / "tables.md", "\n\n".join(tables) + "\n")
    write_text(options.out / "survivors.md", survivors(rows) + "\n")
    print(*tables, sep="\n\n")


if __name__ == "__main__":
    main()
