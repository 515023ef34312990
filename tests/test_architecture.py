"""What ARCHITECTURE.md says of the tree is so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "tacit"
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
# `rows/_sweep.py`, also with a name behind it: `solver/_certificate.py::certify`.
NAMED = sorted(set(re.findall(r"`([\w/.]+\.(?:py|html|css|js))(?:::(\w+))?`", TEXT)))


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_file_that_is_named_exists_and_defines_what_is_said(file: str, name: str) -> None:
    path = PACKAGE / file
    assert path.is_file()
    assert not name or re.search(rf"^\s*(def|class) {name}\b", path.read_text(), re.MULTILINE)


def test_every_package_has_its_paragraph_and_no_other() -> None:
    packages = {p.parent.relative_to(PACKAGE).parts[0] for p in PACKAGE.glob("*/__init__.py")}
    said = set(re.findall(r"^### `(\w+)/`", TEXT, re.MULTILINE))
    assert said == packages


def test_every_file_is_named_but_those_of_commands_whose_names_they_bear() -> None:
    app = (PACKAGE / "cli" / "_app.py").read_text(encoding="utf-8")
    commands = {f"cli/_{name}.py" for name in re.findall(r"tacit\.cli\._(\w+)", app)}
    files = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("_[!_]*.py")}
    assert files - commands <= {file for file, _ in NAMED}


def test_the_layers_are_those_that_lint_checks() -> None:
    drawn = re.findall(r"^    (\S.*?)(?:  |$)", TEXT, re.MULTILINE)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(contract for contract in contracts if contract["id"] == "one-way")["layers"]

    def parts(layer: str) -> set[str]:
        return {part.strip().replace("/", ".").removeprefix("tacit.") for part in layer.split("|")}

    assert [parts(layer) for layer in drawn] == [parts(layer) for layer in layers]


def test_modules_are_private() -> None:
    public = [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if not path.name.startswith("_")
    ]
    assert public == []
