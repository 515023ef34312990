"""Print which part of lines and branches the tests reach, by package, from coverage's JSON."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

PACKAGE = "src/tacit/"
COUNTS = ("covered_lines", "num_statements", "covered_branches", "num_branches")


def package_of(file: str) -> str:
    """The package of a file; files at the top belong to `tacit` itself."""
    parts = Path(file.replace("\\", "/").partition(PACKAGE)[2]).parts
    return parts[0] if len(parts) > 1 else "tacit"


def percent(part: int, whole: int) -> str:
    """A share to one decimal."""
    return f"{100.0 * part / whole:5.1f}%" if whole else "     -"


def main(path: str) -> None:
    """Add up the files of each package."""
    files = json.loads(Path(path).read_text(encoding="utf-8"))["files"]
    sums: defaultdict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COUNTS, 0))
    for file, found in files.items():
        for package in (package_of(file), "all"):
            for count in COUNTS:
                sums[package][count] += found["summary"][count]
    print(f"{'package':12} {'lines':>7} {'branches':>9}")
    for package in sorted(sums, key=lambda name: (name == "all", name)):
        lines, statements, branches, exits = (sums[package][count] for count in COUNTS)
        print(f"{package:12} {percent(lines, statements):>7} {percent(branches, exits):>9}")


if __name__ == "__main__":
    main(sys.argv[1])
