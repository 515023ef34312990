"""Files that are damaged, or far larger than they look: one sentence each."""

import gzip

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from tacit.tables import TableError
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
