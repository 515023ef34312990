"""`python -m benchmarks.reference_rows`: what `max_reference_rows` costs, and what it brings.

Of 100,000 rows 50 are labeled; the error of TacitClassifier is that on all others, kept or not.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
from sklearn.datasets import make_moons

from tacit import TacitClassifier
from tacit._typing import AnyArray, Matrix

N_ROWS, N_FEATURES, N_LABELS = 100_000, 20, 50
SIZES = (2_000, 5_000, 10_000, 20_000, 50_000)
SEEDS = (0, 1)


def clusters(random: np.random.Generator) -> tuple[Matrix, AnyArray]:
    """Two classes of five clusters each, some of which touch."""
    centres = 0.8 * random.standard_normal((10, N_FEATURES))
    which = random.integers(10, size=N_ROWS)
    return random.standard_normal((N_ROWS, N_FEATURES)) + centres[which], which % 2


def moons(random: np.random.Generator) -> tuple[Matrix, AnyArray]:
    """Two half circles in a random plane, with noise in all directions."""
    plane, y = make_moons(N_ROWS, random_state=int(random.integers(2**31)))
    axes, _ = np.linalg.qr(random.standard_normal((N_FEATURES, 2)))
    return plane @ axes.T + 0.1 * random.standard_normal((N_ROWS, N_FEATURES)), y


def gaussians(random: np.random.Generator) -> tuple[Matrix, AnyArray]:
    """Two normal classes, one sixth of which lies on the wrong side of the best boundary."""
    y = random.integers(2, size=N_ROWS)
    X = random.standard_normal((N_ROWS, N_FEATURES))
    X[:, 0] += 2.0 * y
    return X, y


KINDS = {"clusters": clusters, "two moons": moons, "overlapping Gaussians": gaussians}


def measured(make: Callable[..., tuple[Matrix, AnyArray]], seed: int, most: int) -> Matrix:
    """Error on the unlabeled rows with and without views, and processor seconds of the fit."""
    random = np.random.default_rng(seed)
    X, y = make(random)
    labeled = random.permutation(N_ROWS)[:N_LABELS]
    partly = np.full(N_ROWS, -1)
    partly[labeled] = y[labeled]
    others = partly < 0
    start = time.process_time()
    model = TacitClassifier(max_reference_rows=most, random_state=seed).fit(X, partly)
    seconds = time.process_time() - start
    supervised = model.supervised_model_(X[others])[:, 0] > 0.0
    errors = [np.mean(model.transduction_ != y[others]), np.mean(supervised != y[others])]
    return np.array([*errors, seconds])


def main() -> int:
    """Print a line for each kind of data: mean error and time for each number of rows."""
    print(f"| data | anchors alone | {' | '.join(f'{size:,} rows' for size in SIZES)} |")
    print("|---" * (2 + len(SIZES)) + "|")
    for name, make in KINDS.items():
        cells: list[str] = []
        for most in SIZES:
            found = np.mean([measured(make, seed, most) for seed in SEEDS], axis=0)
            cells += [] if cells else [f"{found[1]:.3f}"]
            cells.append(f"{found[0]:.3f} ({found[2]:.0f} s)")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
