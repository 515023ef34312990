"""`python -m benchmarks.before path/to/another/src`: fits of that code and of this one, in turns.

With a second argument, only the cases that have it in their names, such as "kernel". Each code runs
in a process of its own, and the two take turns, so that a busy machine slows down both. Seconds are
of the processor, not of the clock.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.instances import gaussian

Run = Callable[[], None]
ROOT = Path(__file__).parents[1]
REPEATS = 9


def _two(n_labeled: int, n_unlabeled: int, d: int, fits: int = 1) -> Run:
    from tacit import ICLSClassifier

    table = gaussian(n_labeled, n_unlabeled, d)

    def run() -> None:
        for _ in range(fits):
            ICLSClassifier().fit(table.X, table.y, X_unlabeled=table.X_unlabeled)

    return run


def _many(n_labeled: int, n_unlabeled: int, d: int, n_classes: int) -> Run:
    from tacit import ProjectedLeastSquaresClassifier

    random = np.random.default_rng(0)
    X = random.normal(size=(n_labeled + n_unlabeled, d))
    scores = X @ random.normal(size=(d, n_classes)) + 2.0 * random.normal(size=(len(X), n_classes))
    y = scores.argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)
    labeled, unlabeled = X[:n_labeled], X[n_labeled:]

    def run() -> None:
        ProjectedLeastSquaresClassifier().fit(labeled, y[:n_labeled], X_unlabeled=unlabeled)

    return run


def _fit(name: str, n_labeled: int, n: int, d: int = 10, fits: int = 1, **settings: Any) -> Run:
    """Fits of a model of that name, with a kernel of full rank if it has one."""
    import tacit
    import tacit.family

    table = gaussian(n_labeled, n - n_labeled, d)
    home = tacit.family if hasattr(tacit.family, name) else tacit
    model = getattr(home, name)(**settings)

    def run() -> None:
        for _ in range(fits):
            model.fit(table.X, table.y, X_unlabeled=table.X_unlabeled)

    return run


def _kernel_icls(n_labeled: int, n: int, **settings: Any) -> Run:
    # A penalty at which the supervised values are not all labels, so that there is work to do.
    return _fit("KernelICLSClassifier", n_labeled, n, **{"gamma": 0.1, "alpha": 0.01} | settings)


TWIN = "KernelLeastSquaresClassifier"

CASES: dict[str, Callable[[], Run]] = {
    "2 classes, L=20 U=100 d=8, 20 fits": lambda: _two(20, 100, 8, fits=20),
    "2 classes, L=55 U=2,000 d=50": lambda: _two(55, 2_000, 50),
    "2 classes, L=55 U=10,000 d=50": lambda: _two(55, 10_000, 50),
    "2 classes, L=55 U=100,000 d=50": lambda: _two(55, 100_000, 50),
    "2 classes, L=245 U=1,000 d=240": lambda: _two(245, 1_000, 240),
    "kernel twin, L=300": lambda: _fit(TWIN, 300, 300, gamma=0.1),
    "kernel twin, L=1,500": lambda: _fit(TWIN, 1_500, 1_500, gamma=0.1),
    "kernel ICLS, L=20 N=120": lambda: _kernel_icls(20, 120),
    "kernel ICLS, L=50 N=600": lambda: _kernel_icls(50, 600),
    "kernel ICLS, L=50 N=600, metric all": lambda: _kernel_icls(50, 600, metric="all"),
    "kernel ICLS, L=300 N=600": lambda: _kernel_icls(300, 600),
    "kernel ICLS, L=50 N=600, alpha=1e-4": lambda: _kernel_icls(50, 600, alpha=1e-4),
    "kernel ICLS, L=50 N=600, alpha=1": lambda: _kernel_icls(50, 600, alpha=1.0),
    "kernel ICLS, L=100 N=1,500": lambda: _kernel_icls(100, 1_500),
    "kernel ICLS, L=100 N=1,500, metric all": lambda: _kernel_icls(100, 1_500, metric="all"),
    "kernel ICLS, L=100 N=1,500, rank 1,000": lambda: _kernel_icls(
        100, 1_500, kernel="poly", degree=4, metric="all"
    ),
    "kernel ICLS, L=100 N=1,500, rank 66": lambda: _kernel_icls(
        100, 1_500, kernel="poly", degree=2
    ),
    "wide ridge, L=100 d=2,000, 10 fits": lambda: _fit(
        "LeastSquaresClassifier", 100, 100, 2_000, 10, alpha=1.0
    ),
    "wide ICLS, L=150 N=400 d=450": lambda: _fit("ICLSClassifier", 150, 400, 450, alpha=0.01),
    "wide projected, L=150 N=400 d=450": lambda: _fit(
        "ProjectedLeastSquaresClassifier", 150, 400, 450, alpha=0.01
    ),
    "S4VM with a kernel, L=20 N=320": lambda: _fit("S4VMClassifier", 20, 320, kernel="rbf"),
    "3 classes, L=60 U=1,000 d=20": lambda: _many(60, 1_000, 20, 3),
    "5 classes, L=60 U=20,000 d=20": lambda: _many(60, 20_000, 20, 5),
    "10 classes, L=100 U=2,000 d=30": lambda: _many(100, 2_000, 30, 10),
}


def work() -> None:
    """Answer the name of a case with the seconds that it took, until there is no more."""
    runs: dict[str, Run] = {}
    for line in sys.stdin:
        name = line.rstrip("\n")
        if name not in runs:
            runs[name] = CASES[name]()
            runs[name]()
        start = time.process_time()
        runs[name]()
        print(time.process_time() - start, flush=True)


def _worker(source: Path) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(source), str(ROOT)])
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.before"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=os.environ | threads | {"PYTHONPATH": path},
    )


def _seconds(worker: subprocess.Popen[str], name: str) -> float:
    assert worker.stdin is not None
    assert worker.stdout is not None
    print(name, file=worker.stdin, flush=True)
    return float(worker.stdout.readline())


def compare(other: Path, part: str = "") -> None:
    """Print the medians of both codes and their ratio, a line for each case with `part` in it."""
    before, now = _worker(other), _worker(ROOT / "src")
    print("| case | before (ms) | now (ms) | now / before |\n|---|---|---|---|")
    try:
        for name in [case for case in CASES if part in case]:
            pairs = [(_seconds(before, name), _seconds(now, name)) for _ in range(REPEATS)]
            old, new = (1e3 * statistics.median(column) for column in zip(*pairs, strict=True))
            ratio = statistics.median(b / a for a, b in pairs)
            print(f"| {name} | {old:.1f} | {new:.1f} | {ratio:.2f} |", flush=True)
    finally:
        before.terminate()
        now.terminate()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        compare(Path(sys.argv[1]).resolve(), "".join(sys.argv[2:3]))
    else:
        work()
