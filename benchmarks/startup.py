"""Cold starts: what the library and its command cost before they do anything."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator

from benchmarks.measure import medians
from benchmarks.speed import Line


def _python(*arguments: str) -> Callable[[], object]:
    return lambda: subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


def startup_lines() -> Iterator[Line]:
    """Interpreters that import, and one that prints the help, in turns."""
    seconds = medians(
        {
            "numpy": _python("-c", "import numpy"),
            "sklearn": _python("-c", "import sklearn.linear_model"),
            "tacit": _python("-c", "import tacit"),
            "classifier": _python("-c", "from tacit import ICLSClassifier"),
            "help": _python("-m", "tacit", "--help"),
        },
        7,
    )
    for name, ours, theirs, must, aim in (
        ("import tacit: over import numpy", "tacit", "numpy", 1.0, 0.5),
        (
            "from tacit import ICLSClassifier: over import sklearn.linear_model",
            "classifier",
            "sklearn",
            1.5,
            1.2,
        ),
        ("tacit --help: over import sklearn.linear_model", "help", "sklearn", 0.5, 0.3),
    ):
        note = f"{seconds[ours]:.2g} s over {seconds[theirs]:.2g} s"
        yield Line(name, must, aim, seconds[ours] / seconds[theirs], note)


if __name__ == "__main__":
    for line in startup_lines():
        print(line.markdown(), flush=True)
