"""Files that are damaged, or far larger than they look: one sentence each."""

import gzip
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from tacit.rows import _sweep
from tacit.tables import TableError, read_table
from tacit.tables._reading import read_raw

FRAME = pd.DataFrame({"x": [1.5, 2.5, 3.5], "kind": ["a", "b", "a"], "y": ["no", None, "yes"]})


@pytest.fixture(params=[False, True], ids=["plain", "packed"])
def parquet(tmp_path, request):
    """Writes a pyarrow Table."""

    def write(table, **options):
        path = tmp_path / "t.parquet"
        pa.parquet.write_table(table, path, **options)
        if request.param:
            packed = tmp_path / "t.parquet.gz"
            packed.write_bytes(gzip.compress(path.read_bytes()))
            return packed
        return path

    return write


NOTES = [b"[1]", b'{"index_columns": 5}', b'{"index_columns": [{"kind": 1}], "columns": 7}']


@pytest.mark.parametrize("notes", NOTES)
def test_the_notes_of_pandas_are_not_trusted(parquet, notes):
    table = pa.Table.from_pandas(FRAME).replace_schema_metadata({"pandas": notes})
    assert read_raw(parquet(table)).frame["x"].tolist() == [1.5, 2.5, 3.5]


@pytest.mark.parametrize("notes", [b"{", b"\xff"])
def test_notes_of_pandas_that_are_no_json_are_a_damage(parquet, notes):
    table = pa.Table.from_pandas(FRAME).replace_schema_metadata({"pandas": notes})
    with pytest.raises(TableError, match="damaged"):
        read_raw(parquet(table))


def test_the_index_that_pandas_stored_is_no_column(parquet):
    table = pa.Table.from_pandas(FRAME.set_index(pd.Index([3, 1, 2])))
    assert table.num_columns == 4
    assert list(read_raw(parquet(table)).frame.columns) == list(FRAME.columns)


def test_text_that_is_no_text_is_a_damage(parquet):
    texts = pa.Array.from_buffers(pa.string(), 3, pa.array([b"a", b"\xff\xfe", b"b"]).buffers())
    table = pa.table({"x": texts, "y": ["no", None, "yes"]})
    with pytest.raises(TableError, match=r"damaged.* write it again"):
        read_raw(parquet(table))


HUGE = 40_000_000
EMPTY = {
    "zeros": lambda: pa.table({"x": np.zeros(HUGE, np.int8), "y": np.zeros(HUGE, np.int8)}),
    "nothing": lambda: pa.table({"x": pa.nulls(HUGE), "y": pa.nulls(HUGE)}),
}


@pytest.mark.parametrize("kind", EMPTY)
@pytest.mark.parametrize("stream", [False, True])
def test_a_small_file_of_many_rows_is_refused_before_it_fills_the_memory(tmp_path, kind, stream):
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(EMPTY[kind](), path, compression="zstd", row_group_size=HUGE)
    assert path.stat().st_size < 500_000
    if stream and kind == "nothing":
        with pytest.raises(TableError, match="no labels"):
            read_table(path, "y", stream=True)
        return
    with pytest.raises(TableError, match=r"[0-9,]+ rows and 2 columns in .* empty or the same"):
        read_table(path, "y", stream=stream)


def test_a_packed_file_of_many_rows_is_refused_too(parquet):
    with pytest.raises(TableError, match=r"40,000,000 rows and 2 columns in .* bytes"):
        read_raw(parquet(EMPTY["nothing"]()))


def test_a_packed_text_of_many_gaps_is_refused(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(
        gzip.compress(
            ",".join(f"c{k}" for k in range(1000)).encode() + b"\n" + (b"," * 999 + b"\n") * 40_000,
            1,
        )
    )
    with pytest.raises(TableError, match="40,000 rows and 1,000 columns"):
        read_raw(path)


def test_a_table_beyond_the_free_memory_is_refused_with_its_size(parquet, monkeypatch):
    monkeypatch.setattr(_sweep, "_free_bytes", lambda: 700.0)
    with pytest.raises(TableError, match=r"is too large: 3 rows and 3 columns take .* use fewer"):
        read_raw(parquet(pa.Table.from_pandas(FRAME)))


ROWS = {
    "a row of empty cells": b"<row>" + b'<c r="A4"/>' * 1_500_000 + b"</row>",
    "cells between rows": b"<row>" + b"<c/><row/><!--<row>-->" * 500_000 + b"</row>",
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_small_workbook_of_many_cells_is_refused_before_a_row_is_built(tmp_path, row):
    pytest.importorskip("openpyxl", reason="workbooks need the extra excel")
    path, bomb = tmp_path / "t.xlsx", tmp_path / "bomb.xlsx"
    FRAME.to_excel(path, index=False)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"</sheetData>", row + b"</sheetData>"))
    assert bomb.stat().st_size < 100_000
    with pytest.raises(TableError, match="tags of XML, far more than its size allows"):
        read_raw(bomb)
    assert len(read_raw(path).frame) == 3
