"""Rows on disk and on a cluster: memory and sweeps."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.instances import gaussian
from benchmarks.measure import PeakMemory, medians
from benchmarks.speed import GAP, Line
from tacit import ICLSClassifier
from tacit.rows import Rows, as_rows, moments_and_sample
from tacit.solver import Coefficients
from tacit.solver._zonotope import Zonotope

# Millions of rows a second, by storage: moments, and values with slope.
RATES: dict[str, tuple[float, float]] = {}
PARQUET_ROWS = 10_000_000
DASK_ROWS = 4_000_000


def write_parquet(folder: Path, n_rows: int, d: int = 50) -> None:
    """Files of a million rows in single precision."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    per_file = min(n_rows, 1_000_000)
    for k in range(n_rows // per_file):
        random = np.random.default_rng(k)
        columns = [random.standard_normal(per_file, dtype=np.float32) for _ in range(d)]
        table = pa.table(dict(zip([f"x{j}" for j in range(d)], columns, strict=True)))
        pq.write_table(table, folder / f"part-{k:03d}.parquet", compression="none")


def parquet_lines(n_rows: int = PARQUET_ROWS) -> list[Line]:
    """Measured in a process of its own, so that nothing else is in its memory."""
    with tempfile.TemporaryDirectory() as name:
        write_parquet(Path(name), n_rows)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.storage", name],
            check=True,
            capture_output=True,
            text=True,
        )
    peak, sweeps, seconds, gap, moments, values = done.stdout.split()
    RATES["Parquet, float32"] = (float(moments), float(values))
    size = f"{n_rows:.0e} x 50 float32".replace("e+0", "e")
    note = f"{float(seconds):.0f} s, gap {float(gap):.0e}"
    return [
        Line(f"Parquet, {size}: peak memory", 1.5, 0.8, float(peak) / 1e9, note, unit=" GB"),
        Line(f"Parquet, {size}: sweeps over the files", 20, 12, float(sweeps), note),
    ]


def _fit_parquet(folder: str) -> None:
    labeled = gaussian(55, 1, 50)
    start = time.perf_counter()
    with PeakMemory() as memory:
        model = ICLSClassifier(tol=GAP).fit(labeled.X, labeled.y, X_unlabeled=folder)
    seconds = time.perf_counter() - start
    # The solver's sweeps, one for the moments and one for the certificate.
    sweeps = model.solution_.n_sweeps + 2
    moments, values = sweep_rates(as_rows(folder))
    print(memory.peak, sweeps, seconds, model.solution_.relative_gap(), moments, values)


def sweep_rates(rows: Rows) -> tuple[float, float]:
    """Millions of rows a second in a sweep for the moments, and in one for values and slope."""
    zonotope = Zonotope(rows, Coefficients(np.eye(rows.n_features), np.zeros(rows.n_features)))
    q = np.random.default_rng(0).normal(size=rows.n_features)
    seconds = medians(
        {
            "moments": lambda: moments_and_sample(rows, 65_536),
            "values": lambda: zonotope.sweep([q], 1e-3, 6000),
        },
        3,
    )
    return rows.n_rows / 1e6 / seconds["moments"], rows.n_rows / 1e6 / seconds["values"]


def rate_rows() -> list[str]:
    """The rates of single sweeps as rows of a table, those in memory measured now."""
    RATES["memory, float64"] = sweep_rates(as_rows(gaussian(1, 1_000_000, 50).X_unlabeled))
    return [
        f"| {name} | {moments:.1f} | {values:.1f} |" for name, (moments, values) in RATES.items()
    ]


def dask_line(n_rows: int = DASK_ROWS) -> Line:
    """How much a client's memory grows while two worker processes hold the rows."""
    import dask.array as da
    from distributed import Client, LocalCluster

    labeled = gaussian(55, 1, 50)
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster),
    ):
        rows = da.random.default_rng(0).normal(size=(n_rows, 50), chunks=(100_000, 50)).persist()
        with PeakMemory() as memory:
            model = ICLSClassifier(tol=GAP).fit(labeled.X, labeled.y, X_unlabeled=rows)
    note = f"{model.solution_.n_sweeps + 2} sweeps, gap {model.solution_.relative_gap():.0e}"
    measure = f"Dask, 2 processes, {n_rows:.0e} x 50: growth of the client".replace("e+0", "e")
    return Line(measure, 300, 100, memory.growth / 1e6, note, unit=" MB")


if __name__ == "__main__":
    _fit_parquet(sys.argv[1])
