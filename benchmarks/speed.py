"""The table of promises: every line a ratio measured in one run."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import Ridge, RidgeClassifier

from benchmarks.instances import Instance, gaussian, of_classes
from benchmarks.measure import PeakMemory, medians
from benchmarks.peers import PEERS
from benchmarks.problems import box_problem
from tacit import ICLSClassifier

GAP = 1e-8


@dataclass(frozen=True)
class Line:
    """One measure: what it must be, what it is, and the gap that was reached.

    The bounds are "at most" unless `at_least`.
    """

    measure: str
    must: float
    aim: float
    value: float
    note: str
    at_least: bool = False
    unit: str = ""

    @property
    def holds(self) -> bool:
        """Whether the value is as it must be."""
        return self.value >= self.must if self.at_least else self.value <= self.must

    def markdown(self) -> str:
        """As a row of a table."""
        sign = ">=" if self.at_least else "<="
        cells = (
            self.measure,
            f"{sign} {self.must:g}{self.unit}",
            f"{sign} {self.aim:g}{self.unit}",
            f"{self.value:.3g}{self.unit}",
            "yes" if self.holds else "**no**",
            self.note,
        )
        return f"| {' | '.join(cells)} |"


COLUMNS = ("measure", "must", "aim", "measured", "holds", "times and relative gaps")
HEADER = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}"


def _fit(instance: Instance) -> tuple[ICLSClassifier, Callable[[], object]]:
    model = ICLSClassifier(tol=GAP)
    return model, lambda: model.fit(instance.X, instance.y, X_unlabeled=instance.X_unlabeled)


def against_ridge(n_unlabeled: int, repeats: int) -> tuple[float, float, str]:
    """Our seconds, the ratio to Ridge, and a note."""
    instance = gaussian(55, n_unlabeled, 50)
    model, ours = _fit(instance)
    target = instance.X_unlabeled[:, 0].copy()
    ridge = Ridge(solver="cholesky")
    seconds = medians(
        {"ours": ours, "ridge": lambda: ridge.fit(instance.X_unlabeled, target)}, repeats
    )
    solution = model.solution_
    note = (
        f"{seconds['ours']:.3g} s over {seconds['ridge']:.3g} s; {solution.n_iter} rounds, "
        f"{solution.n_sweeps} sweeps, gap {solution.relative_gap():.0e}"
    )
    return seconds["ours"], seconds["ours"] / seconds["ridge"], note


def ridge_lines() -> list[Line]:
    """A million and a hundred thousand rows, and the growth between them."""
    small, small_ratio, small_note = against_ridge(100_000, 9)
    large, large_ratio, large_note = against_ridge(1_000_000, 5)
    return [
        Line("U = 1e6, d = 50: time over Ridge", 1.5, 1, large_ratio, large_note),
        Line("U = 1e5, d = 50: time over Ridge", 3, 2, small_ratio, small_note),
        Line("time at 1e6 over time at 1e5", 12, 10, large / small, "the two above"),
    ]


def classes_line() -> Line:
    """Ten classes beside a ridge regression with ten targets on the same rows."""
    instance = of_classes(gaussian(200, 100_000, 60), 10)
    model, ours = _fit(instance)
    targets = np.eye(10)[np.arange(100_000) % 10]
    ridge = Ridge(solver="cholesky")
    seconds = medians({"ours": ours, "ridge": lambda: ridge.fit(instance.X_unlabeled, targets)}, 5)
    solution = model.solution_
    note = (
        f"{seconds['ours']:.3g} s over {seconds['ridge']:.3g} s; {solution.n_iter} rounds, "
        f"{solution.n_sweeps} sweeps, gap {solution.relative_gap():.0e}"
    )
    ratio = seconds["ours"] / seconds["ridge"]
    return Line("K = 10, U = 1e5, d = 60: time over Ridge with 10 targets", 20, 10, ratio, note)


def peer_lines() -> list[Line]:
    """General solvers on the same problem, to the same gap, over our whole fit."""
    lines = []
    instance = gaussian(55, 10_000, 50)
    model, ours = _fit(instance)
    seconds = medians({"ours": ours}, 7)["ours"]
    problem = box_problem(instance)
    limits = {"L-BFGS-B (SciPy)": (20, 60), "OSQP": (8, 15), "Clarabel": (8, 15)}
    for name, peer in PEERS.items():
        result = peer(problem, GAP)
        must, aim = limits[name]
        ratio = result.seconds / seconds
        note = (
            f"{result.seconds:.3g} s, gap {result.relative_gap:.0e} over {seconds:.3g} s, "
            f"gap {model.solution_.relative_gap():.0e}"
        )
        measure = f"U = 1e4, d = 50: {name} over ours"
        lines.append(Line(measure, must, aim, ratio, note, at_least=True))

    instance = gaussian(245, 1000, 240)
    model, ours = _fit(instance)
    seconds = medians({"ours": ours}, 7)["ours"]
    problem = box_problem(instance)
    results = {
        name: min((peer(problem, GAP) for _ in range(3)), key=lambda result: result.seconds)
        for name, peer in PEERS.items()
    }
    met = {name: r for name, r in results.items() if r.relative_gap <= GAP}
    fastest = min(met, key=lambda name: met[name].seconds)
    ratio = met[fastest].seconds / seconds
    note = (
        f"{fastest}: {met[fastest].seconds:.3g} s, gap {met[fastest].relative_gap:.0e} over "
        f"{seconds:.3g} s, gap {model.solution_.relative_gap():.0e}"
    )
    measure = "d = 240, L = 245, U = 1000: fastest peer over ours"
    lines.append(Line(measure, 1, 3, ratio, note, at_least=True))
    return lines


def small_line() -> Line:
    """A hundred rows beside scikit-learn's RidgeClassifier."""
    instance = gaussian(20, 100, 8)
    model, ours = _fit(instance)
    labels = (instance.X_unlabeled[:, 0] > 0).astype(int)
    peer = RidgeClassifier()
    seconds = medians({"ours": ours, "ridge": lambda: peer.fit(instance.X_unlabeled, labels)}, 101)
    ratio = seconds["ours"] / seconds["ridge"]
    note = (
        f"{1e3 * seconds['ours']:.3g} ms over {1e3 * seconds['ridge']:.3g} ms, "
        f"gap {model.solution_.relative_gap():.0e}"
    )
    return Line("L = 20, U = 100, d = 8: time over RidgeClassifier", 8, 4, ratio, note)


def memory_line() -> Line:
    """Extra memory of a fit on a million rows."""
    instance = gaussian(55, 1_000_000, 50)
    model, ours = _fit(instance)
    gc.collect()
    with PeakMemory() as memory:
        ours()
    ratio = memory.growth / instance.X_unlabeled.nbytes
    note = f"{memory.growth / 1e6:.0f} MB over 400 MB, gap {model.solution_.relative_gap():.0e}"
    return Line("U = 1e6: peak extra memory over the input", 0.6, 0.2, ratio, note)
