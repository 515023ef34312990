import json
import operator
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

from tacit.rows import Moments, NumpyRows, ParquetRows, moments_and_sample
from tacit.rows import _sweep as sweep
from tacit.rows._parquet_rows import _rows_per_batch
from tests.rows.storages import NAMES, Values, positions, table, write_parquet

X = table(200)


def as_array(rows):
    return rows.reduce(lambda block: [block.X], operator.add)


def assert_same(rows, expected):
    np.testing.assert_array_equal(np.vstack(as_array(rows)), expected)


@pytest.fixture
def file(tmp_path):
    return write_parquet(tmp_path / "table.parquet", X, row_group_size=64)


@pytest.mark.parametrize("batch_rows", [1, 7, 64, 65, 200, 10_000])
def test_no_batch_has_more_rows_than_asked_for(file, batch_rows):
    rows = ParquetRows(file, batch_rows=batch_rows)
    blocks = as_array(rows)
    assert max(len(block) for block in blocks) <= batch_rows
    np.testing.assert_array_equal(np.vstack(blocks), X)


@pytest.mark.parametrize("d", [1, 50, 5_000, 10**7])
def test_batches_are_bounded_by_default(d):
    assert 1 <= _rows_per_batch(d) * d <= max(2**22, d)


def test_columns_are_chosen_by_name_and_in_the_order_given(file):
    rows = ParquetRows(file, columns=["x3", "x0"])
    assert rows.columns == ("x3", "x0")
    assert rows.n_features == 2
    assert_same(rows, X[:, [3, 0]])


def test_files_of_a_folder_may_have_their_columns_in_any_order(tmp_path):
    write_parquet(tmp_path / "a.parquet", X)
    order = list(reversed(range(len(NAMES))))
    write_parquet(tmp_path / "b.parquet", X[:, order], [NAMES[j] for j in order])
    assert_same(ParquetRows(tmp_path), np.vstack([X, X]))


def test_a_folder_is_read_with_its_subfolders_and_without_what_other_programs_leave(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "_temporary").mkdir()
    write_parquet(tmp_path / "b.parquet", X[:10])
    write_parquet(tmp_path / "sub" / "c.pq", X[10:30])
    write_parquet(tmp_path / "a.parquet", X[30:40])
    write_parquet(tmp_path / "_temporary" / "d.parquet", X)
    write_parquet(tmp_path / ".e.parquet", X)
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "notes.txt").write_text("not a table")
    assert_same(ParquetRows(str(tmp_path)), np.vstack([X[30:40], X[:30]]))


def test_empty_files_and_row_groups_among_others_add_nothing(tmp_path):
    for i, part in enumerate((X[:0], X[:50], X[:0], X[50:])):
        write_parquet(tmp_path / f"{i}.parquet", part)
    assert_same(ParquetRows(tmp_path), X)


def test_a_pyarrow_dataset_is_kept_as_its_files(tmp_path):
    write_parquet(tmp_path / "b.parquet", X[100:])
    write_parquet(tmp_path / "a.parquet", X[:100])
    files = [str(tmp_path / "b.parquet"), str(tmp_path / "a.parquet")]
    rows = ParquetRows(pyarrow.dataset.dataset(files), columns=NAMES[:2])
    assert_same(rows, np.vstack([X[100:], X[:100]])[:, :2])
    assert len(pickle.dumps(rows)) < 1000


def test_a_dataset_that_is_filtered_or_not_of_parquet_files_is_refused(file):
    dataset = pyarrow.dataset.dataset(file)
    with pytest.raises(ValueError, match="filter"):
        ParquetRows(dataset.filter(pyarrow.dataset.field("x0") > 0))
    with pytest.raises(TypeError, match="InMemoryDataset; it must be the path"):
        ParquetRows(pyarrow.dataset.dataset(pa.table({"a": [1.0]})))
    with pytest.raises(TypeError, match="list; it must be the path"):
        ParquetRows([[1.0]])


def test_a_uri_names_a_file_system(file):
    assert_same(ParquetRows(Path(file).as_uri()), X)


def test_the_index_of_a_pandas_frame_is_not_a_feature(tmp_path):
    frame = pd.DataFrame(X, columns=NAMES)
    frame[frame["x0"] != 0].to_parquet(tmp_path / "frame.parquet")
    rows = ParquetRows(tmp_path / "frame.parquet")
    assert list(rows.columns) == NAMES
    assert_same(rows, X[X[:, 0] != 0])


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 2, 3], pa.int8()),
        pa.array([1, 2, 3], pa.uint64()),
        pa.array([1.0, 2.0, 3.0], pa.float32()),
        pa.array(np.array([1, 2, 3], dtype=np.float16)),
        pa.array([1, 2, 3], pa.decimal128(5, 2)),
    ],
    ids=lambda column: str(column.type),
)
def test_every_numeric_type_is_read(tmp_path, column):
    pq.write_table(pa.table({"a": column}), tmp_path / "a.parquet")
    assert_same(ParquetRows(tmp_path / "a.parquet"), [[1.0], [2.0], [3.0]])


def test_booleans_are_read_as_zero_and_one(tmp_path):
    pq.write_table(pa.table({"a": [True, False], "b.c": [1, 2]}), tmp_path / "a.parquet")
    assert_same(ParquetRows(tmp_path / "a.parquet"), [[1.0, 1.0], [0.0, 2.0]])


@pytest.mark.parametrize(
    "column",
    [
        ["a", "b"],
        [[1.0], [2.0]],
        [{"k": 1}, {"k": 2}],
        [pd.Timestamp(0), pd.Timestamp(1)],
        [None] * 2,
    ],
    ids=["string", "list", "struct", "timestamp", "null"],
)
def test_a_column_that_is_not_numeric_is_named_before_anything_is_read(tmp_path, column):
    pq.write_table(pa.table({"a": [1.0, 2.0], "odd": column}), tmp_path / "a.parquet")
    with pytest.raises(TypeError, match=r"Column 'odd' of .*a\.parquet has type .* columns"):
        ParquetRows(tmp_path / "a.parquet")
    assert_same(ParquetRows(tmp_path / "a.parquet", columns=["a"]), [[1.0], [2.0]])


def test_a_null_is_reported_with_its_column_file_and_row(tmp_path):
    values = [*range(150), None, 1]
    write_parquet(tmp_path / "0.parquet", X[:, :2], ["a", "b"])
    second = pa.table({"a": pa.array(values, pa.float64()), "b": np.ones(152)})
    pq.write_table(second, tmp_path / "1.parquet", row_group_size=40)
    rows = ParquetRows(tmp_path, batch_rows=11)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"Column 'a' has null in row 150 .*1\.parquet"):
            Moments.of(rows)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_reported_on_the_first_sweep(tmp_path, bad):
    broken = X.copy()
    broken[123, 4] = bad
    rows = ParquetRows(write_parquet(tmp_path / "a.parquet", broken), batch_rows=50)
    with pytest.raises(
        ValueError, match=r"Column 'x4' has NaN or infinity in row 123 .*a\.parquet"
    ):
        moments_and_sample(rows, 10)
    with pytest.raises(ValueError, match="Column 'x4'"):
        np.asarray(rows.map(Values(np.ones(7))))


def test_finite_numbers_whose_sum_overflows_are_no_error(tmp_path):
    rows = ParquetRows(write_parquet(tmp_path / "a.parquet", np.full((10, 2), 1e308)))
    assert_same(rows, np.full((10, 2), 1e308))


def test_what_is_missing_is_said(tmp_path, file):
    with pytest.raises(FileNotFoundError, match=r"nowhere.*does not exist"):
        ParquetRows(tmp_path / "nowhere.parquet")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"empty' has no files named \*\.parquet or \*\.pq"):
        ParquetRows(tmp_path / "empty")
    with pytest.raises(ValueError, match="no column named 'y'; its columns are x0, x1"):
        ParquetRows(file, columns=["x0", "y"])


def test_a_column_that_one_of_the_files_lacks_is_named_with_the_file(tmp_path):
    write_parquet(tmp_path / "a.parquet", X)
    write_parquet(tmp_path / "b.parquet", X[:, :3])
    with pytest.raises(ValueError, match=r"b\.parquet has no column named 'x3'"):
        ParquetRows(tmp_path)


@pytest.mark.parametrize(
    ("columns", "message"),
    [("x0", "list of names"), ([], "at least one"), (["x0", "x0"], "'x0' more than once")],
)
def test_names_of_columns_that_make_no_sense_are_refused(file, columns, message):
    with pytest.raises((TypeError, ValueError), match=message):
        ParquetRows(file, columns=columns)


def test_a_size_of_batches_that_makes_no_sense_is_refused(file):
    with pytest.raises(ValueError, match="batch_rows is 0"):
        ParquetRows(file, batch_rows=0)


def test_a_file_that_is_not_parquet_is_named(tmp_path):
    (tmp_path / "a.parquet").write_text("not a table, but longer than a footer would be")
    with pytest.raises(ValueError, match=r"a\.parquet cannot be read as a Parquet file"):
        ParquetRows(tmp_path / "a.parquet")


def test_a_file_whose_notes_for_pandas_are_damaged_is_named(tmp_path):
    path = tmp_path / "a.parquet"
    notes = pa.table({"x": [1.0]}).replace_schema_metadata({"pandas": '{"index_columns": ['})
    pq.write_table(notes, path)
    with pytest.raises(ValueError, match=r"a\.parquet cannot be read as a Parquet file.*damaged"):
        ParquetRows(path)


def test_a_file_with_broken_pages_is_named(tmp_path):
    path = write_parquet(tmp_path / "a.parquet", np.random.default_rng(0).normal(size=(5000, 2)))
    rows = ParquetRows(path)
    content = bytearray(path.read_bytes())
    content[4:2000] = bytes(1996)
    path.write_bytes(bytes(content))
    with pytest.raises(ValueError, match=r"a\.parquet"):
        Moments.of(rows)


def test_a_file_that_changed_or_vanished_since_is_named(file):
    rows = ParquetRows(file)
    write_parquet(file, X[:150])
    changed = r"table\.parquet has changed since it was opened \(150 rows now, 200 before\)"
    with pytest.raises(ValueError, match=changed):
        Moments.of(rows)
    file.unlink()
    with pytest.raises(FileNotFoundError, match=r"table\.parquet does not exist any more"):
        Moments.of(rows)


def test_a_file_that_was_replaced_by_one_of_as_many_rows_is_named(file):
    rows, before = ParquetRows(file), file.stat()
    Moments.of(rows)
    write_parquet(file, -X)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000_000))
    with pytest.raises(ValueError, match="must not change while it is in use"):
        Moments.of(rows)


def test_threads_give_the_same_result_to_the_last_digit(file, monkeypatch):
    rows = ParquetRows(file, batch_rows=9)
    loop, values = Moments.of(rows), np.asarray(rows.map(Values(np.ones(7))))
    monkeypatch.setattr(sweep, "MANY_NUMBERS", 0)
    monkeypatch.setattr(sweep, "blas_threads", lambda: 4)
    threads = Moments.of(rows)
    np.testing.assert_array_equal(threads.scatter, loop.scatter)
    np.testing.assert_array_equal(np.asarray(rows.map(Values(np.ones(7)))), values)
    assert rows.reduce(positions, operator.add) == list(range(200))


def test_predictions_are_computed_when_they_are_asked_for(file):
    calls = []

    def kernel(block_X):
        calls.append(len(block_X))
        return block_X @ np.ones(7)

    predictions = ParquetRows(file, batch_rows=50).map(kernel)
    assert len(predictions) == 200
    assert "200 predictions, not computed" in repr(predictions)
    assert not calls
    batches = predictions.batches()
    next(batches)
    assert sum(calls) < 200
    batches.close()
    assert np.asarray(predictions, dtype=np.float32).dtype == np.float32
    np.testing.assert_allclose(np.asarray(predictions), X @ np.ones(7))
    with pytest.raises(ValueError, match="always new"):
        np.array(predictions, copy=False)


def test_predictions_are_written_in_row_order(file, tmp_path):
    out = tmp_path / "out" / "labels.parquet"
    out.parent.mkdir()
    rows = ParquetRows(file, batch_rows=13)
    rows.map(Values(np.ones(7))).to_parquet(out, name="score")
    np.testing.assert_allclose(pq.read_table(out)["score"].to_numpy(), X @ np.ones(7))
    rows.map(Values(np.eye(7)[:, :2])).to_parquet(str(out))  # replaces what was there
    written = pq.read_table(out)
    assert written.column_names == ["prediction_0", "prediction_1"]
    np.testing.assert_array_equal(written["prediction_1"].to_numpy(), X[:, 1])
    rows.map(lambda block_X: np.full(len(block_X), "yes")).to_parquet(out)
    assert pq.read_table(out)["prediction"].to_pylist() == ["yes"] * 200
    assert [path.name for path in out.parent.iterdir()] == ["labels.parquet"]


def test_predictions_that_fail_midway_leave_the_old_file_and_nothing_else(file, tmp_path):
    out = tmp_path / "out" / "labels.parquet"
    out.parent.mkdir()
    out.write_text("old")

    def fail_later(block_X):
        if block_X[0, 0] == X[150, 0]:
            raise ZeroDivisionError
        return block_X[:, 0]

    with pytest.raises(ZeroDivisionError):
        ParquetRows(file, batch_rows=50).map(fail_later).to_parquet(out)
    assert out.read_text() == "old"
    assert [path.name for path in out.parent.iterdir()] == ["labels.parquet"]


def test_predictions_are_never_written_over_or_among_the_rows(tmp_path):
    file = write_parquet(tmp_path / "a.parquet", X)
    for source, target in ((file, file), (tmp_path, tmp_path / "new.parquet")):
        with pytest.raises(ValueError, match="among the files that are read"):
            ParquetRows(source).map(Values(np.ones(7))).to_parquet(target)
    ParquetRows(file).map(Values(np.ones(7))).to_parquet(tmp_path / "beside.parquet")
    with pytest.raises(FileNotFoundError, match="missing"):
        ParquetRows(file).map(Values(np.ones(7))).to_parquet(tmp_path / "missing" / "a.parquet")
    with pytest.raises(IsADirectoryError, match="name a file"):
        ParquetRows(file).map(Values(np.ones(7))).to_parquet(tmp_path)


MEASURE = """
import json, sys, tracemalloc
import numpy as np, pandas, pyarrow.dataset, pyarrow.parquet  # their code is not what is measured
from tacit.rows import ParquetRows, moments_and_sample
tracemalloc.start()
rows = ParquetRows(sys.argv[1], batch_rows=20_000)
moments, sample = moments_and_sample(rows, 1000)
arrow = pyarrow.default_memory_pool().max_memory()
print(json.dumps([rows.n_rows, tracemalloc.get_traced_memory()[1], arrow, moments.mean.tolist()]))
"""


def test_a_row_group_larger_than_memory_allows_is_read_in_parts(tmp_path):
    # One row group of 80 MB; a page of a column has 1 MB, of which Arrow keeps a few at a time.
    table = np.random.default_rng(0).normal(size=(2_000_000, 5))
    write_parquet(tmp_path / "a.parquet", table, row_group_size=len(table), compression="none")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(tmp_path / "a.parquet")],
        env={"OMP_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    n_rows, python, arrow, mean = json.loads(done.stdout)
    assert n_rows == 2_000_000
    assert python < 20e6, python
    assert arrow < 20e6, arrow
    np.testing.assert_allclose(mean, Moments.of(NumpyRows(table)).mean, atol=1e-12)
