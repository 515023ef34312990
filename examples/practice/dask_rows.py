"""
Unlabeled rows in Dask and in Parquet
=====================================

The labeled rows are few and stay in memory. The unlabeled ones may be a Dask array, on this
machine or on a cluster, or a folder of Parquet files: the solver sees them in a few sweeps and
never holds more than a block. The coefficients are those of a fit in memory, to rounding.
"""

# %%
# 200,000 unlabeled rows in ten parts, once as chunks of a Dask array and once as files in a
# folder.

import contextlib
import io
import tempfile
from pathlib import Path

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tacit import ICLSClassifier
from tacit.rows import ParquetRows

N_FEATURES, N_PARTS, ROWS_IN_PART = 15, 10, 20_000
random = np.random.default_rng(0)
mixing = random.normal(size=(N_FEATURES, N_FEATURES)) / np.sqrt(N_FEATURES)


def part(number):
    """One part of the unlabeled rows."""
    own = np.random.default_rng([1, number])
    return own.normal(size=(ROWS_IN_PART, N_FEATURES)) @ mixing


X = random.normal(size=(25, N_FEATURES)) @ mixing
y = np.where(X[:, :3].sum(axis=1) + 0.3 * random.normal(size=25) > 0, "yes", "no")

folder = tempfile.TemporaryDirectory()
names = [f"x{k}" for k in range(N_FEATURES)]
for number in range(N_PARTS):
    file = Path(folder.name) / f"part-{number}.parquet"
    pq.write_table(pa.table(list(part(number).T), names=names), file)

parts = [part(number) for number in range(N_PARTS)]
storages = {
    "memory": np.concatenate(parts),
    "Dask": da.concatenate([da.from_array(rows, chunks=-1) for rows in parts]),
    "Parquet": ParquetRows(folder.name, columns=names),
}

# %%
# With ``verbose=1`` a fit tells of every round on the standard error; here it is caught and shown
# for the Dask array. With a ``distributed.Client`` the sweeps run on its workers, and nothing
# else changes.

coefficients = {}
for name, rows in storages.items():
    told = io.StringIO()
    with contextlib.redirect_stderr(told):
        model = ICLSClassifier(verbose=1).fit(X, y, X_unlabeled=rows)
    coefficients[name] = np.append(model.coef_.ravel(), model.intercept_)
    if name == "Dask":
        print(*(line.split(" s, ")[1] for line in told.getvalue().splitlines()), sep="\n")
        print(f"{model.solution_.status.value} after {model.solution_.n_sweeps} sweeps")
        labels = model.predict(rows)  # lazy: a Dask array
        print("first labels:", *labels[:5].compute())
folder.cleanup()

# %%
# The same coefficients, whatever the rows are kept in.

figure, (top, bottom) = plt.subplots(
    2, 1, figsize=(10, 5), sharex=True, height_ratios=[2, 1], layout="constrained"
)
at = np.arange(N_FEATURES + 1)
for k, (name, marker) in enumerate({"memory": "s", "Dask": "o", "Parquet": "x"}.items()):
    size, colour = 14 - 4 * k, ("#cccccc", "#D55E00", "black")[k]
    top.plot(at, coefficients[name], marker, color=colour, markersize=size, label=name)
    if name != "memory":
        difference = np.abs(coefficients[name] - coefficients["memory"])
        bottom.semilogy(at, difference, marker, color=colour, label=name)
top.set_ylabel("coefficient")
top.legend(frameon=False, ncols=3)
bottom.set_ylabel("difference")
bottom.set_xticks(at, [*names, "intercept"], rotation=45)
plt.show()
