"""The reference lists every public name, and every name that it lists is there."""

import importlib
import re
from inspect import getdoc, ismodule
from pathlib import Path

import pytest

for package in ("pandas", "pyarrow", "skrub", "skops"):
    pytest.importorskip(package, reason="the reference needs all extras")

API = (Path(__file__).parents[2] / "docs" / "api.md").read_text()
PART = re.compile(r"^\.\. currentmodule:: (\S+)\n(.*?)(?=^\.\. currentmodule|^```)", re.M | re.S)
LISTED = {
    module: re.findall(r"^   (\w+)$", text, flags=re.MULTILINE)
    for module, text in PART.findall(API)
}
WHOLE = ("tacit.selection", "tacit.tables", "tacit.research.datasets", "tacit.research.experiments")


@pytest.mark.parametrize("package", WHOLE)
def test_every_public_name_is_in_the_reference(package):
    module = importlib.import_module(package)
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not ismodule(value)
    ]
    # What comes from another package is listed there.
    elsewhere = {name for other, listed in LISTED.items() if other != package for name in listed}
    assert set(names) - elsewhere == set(LISTED[package]) - elsewhere
    assert set(LISTED[package]) <= set(names)


@pytest.mark.parametrize("package", LISTED)
def test_every_name_in_the_reference_is_there_and_says_what_it_is(package):
    module = importlib.import_module(package)
    for name in LISTED[package]:
        assert getdoc(getattr(module, name)), name
