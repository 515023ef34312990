"""What CONTRIBUTING.md says of the repository is so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_every_command_of_the_makefile_is_described_and_no_other() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = set(re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE)) - {"help"}
    table = [line for line in TEXT.splitlines() if line.startswith("| `make")]
    assert {name for line in table for name in re.findall(r"`make ([a-z-]+)`", line)} == commands


def test_the_layers_are_those_that_the_lint_checks() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = {one["id"]: one for one in settings["tool"]["importlinter"]["contracts"]}
    layers = [layer.split(" | ") for layer in contracts["one-way"]["layers"]]
    said = re.search(r"only from those below it:\n\n((?: {4}.+\n)+)", TEXT)
    assert said is not None
    lines = said[1].splitlines()
    assert [[f"tacit.{name}" for name in line.strip().split(", ")] for line in lines] == layers
