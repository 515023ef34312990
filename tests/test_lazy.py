"""Packages that load their public names when they are asked for, and nothing before."""

import importlib
import subprocess
import sys

import pytest

PACKAGES = ("tacit", "tacit.research.datasets", "tacit.tables")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_can_be_had_and_is_listed(package):
    module = importlib.import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is getattr(module, name)
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_name_that_is_not_there_is_an_error_that_names_the_package(package):
    module = importlib.import_module(package)
    with pytest.raises(AttributeError, match=rf"module '{package}' has no attribute 'nonsense'"):
        _ = module.nonsense
    with pytest.raises(ImportError, match="cannot import name 'nonsense'"):
        exec(f"from {package} import nonsense")


def test_names_are_listed_before_they_are_loaded_and_kept_afterwards():
    code = """
import sys
import tacit.tables as tables
assert "tacit.tables._fitting" not in sys.modules
assert "sklearn" not in sys.modules and "numpy" not in sys.modules
assert "fit_table" in dir(tables) and "fit_table" not in vars(tables)
from tacit.tables import fit_table
assert vars(tables)["fit_table"] is fit_table is sys.modules["tacit.tables._fitting"].fit_table
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
