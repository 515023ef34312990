import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from tacit.rows import CsrRows, DaskRows, NumpyRows, ParquetRows, as_rows
from tests.optional import da, ds
from tests.rows.storages import memory_map, write_parquet

X = np.arange(6.0).reshape(3, 2)


def test_each_table_gets_the_rows_of_its_kind(tmp_path):
    file = write_parquet(tmp_path / "a.parquet", X)
    assert isinstance(as_rows(X), NumpyRows)
    assert isinstance(as_rows(memory_map(tmp_path, X)), NumpyRows)
    assert isinstance(as_rows(sparse.csr_matrix(X)), CsrRows)
    assert isinstance(as_rows(sparse.coo_array(X)), CsrRows)
    assert isinstance(as_rows(da.from_array(X)), DaskRows)
    for path in (file, str(file), tmp_path, ds.dataset(file)):
        assert isinstance(as_rows(path), ParquetRows)


def test_rows_pass_through():
    rows = NumpyRows(X)
    assert as_rows(rows) is rows


def test_weights_belong_to_tables_in_memory(tmp_path):
    weights = np.array([1.0, 2.0, 3.0])
    for table in (X, sparse.csr_array(X)):
        assert as_rows(table, weights).total_weight == 6.0
    file = write_parquet(tmp_path / "a.parquet", X)
    for table in (da.from_array(X), file, NumpyRows(X)):
        with pytest.raises(ValueError, match=f"weights were given for a {type(table).__name__}"):
            as_rows(table, weights)


@pytest.mark.parametrize("table", [[[1.0]], None, 3, {"a": 1}])
def test_other_types_are_refused_with_what_is_allowed(table):
    name = type(table).__name__
    with pytest.raises(TypeError, match=rf"X is a {name}; .*NumPy.*SciPy.*Dask.*Parquet"):
        as_rows(table)


def test_a_path_that_does_not_exist_is_a_missing_file():
    with pytest.raises(FileNotFoundError, match="nowhere"):
        as_rows("nowhere.parquet")


def run(code):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# scikit-learn imports pandas where it is installed, and pandas imports pyarrow; None in
# sys.modules makes an import fail, as if the package were not there.
WITHOUT = """
import sys
for name in ("pandas", "pyarrow", "dask", "distributed"):
    sys.modules[name] = None
import numpy as np
from scipy import sparse
from tacit.rows import DaskRows, ParquetRows, as_rows
"""


def test_tables_in_memory_need_no_other_package():
    run(
        WITHOUT + "as_rows(np.zeros((2, 2)))\nas_rows(sparse.csr_array((2, 2)))\n"
        "try:\n    as_rows([1])\nexcept TypeError:\n    pass\n"
    )


@pytest.mark.parametrize(
    ("statement", "extra"),
    [("as_rows('a.parquet')", "parquet"), ("DaskRows(np.zeros((2, 2)))", "dask")],
)
def test_a_missing_package_is_named_with_what_to_install(tmp_path, statement, extra):
    write_parquet(tmp_path / "a.parquet", X)
    printed = run(
        f"import os\nos.chdir({str(tmp_path)!r})\n{WITHOUT}\n"
        f"try:\n    {statement}\nexcept ImportError as error:\n    print(error)"
    )
    assert f"pip install 'tacit[{extra}]'" in printed
