import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tacit import TacitClassifier
from tests.tables.generated import churn, write

README = Path(__file__).parents[1] / "README.md"


def _blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README.read_text("utf-8"), flags=re.DOTALL)


def test_the_code_of_the_readme_runs_and_prints_what_it_says(capsys):
    first, second = _blocks("python")
    namespace: dict[str, Any] = {}
    exec(first, namespace)
    assert namespace["error"] == pytest.approx(0.046, abs=0.005)
    X, y, hidden = (namespace[name] for name in ("X", "y", "hidden"))
    without = TacitClassifier(views=[], random_state=0).fit(X, namespace["partly"])
    assert 1.0 - without.score(X[hidden], y[hidden]) == pytest.approx(0.168, abs=0.005)
    exec(second, namespace)
    assert len(namespace["scores"]) == 5
    assert capsys.readouterr().out == "".join(_blocks("text")[:2])


@pytest.mark.slow
def test_the_verdict_of_the_readme_is_what_the_command_prints(tmp_path):
    pytest.importorskip("skrub", reason="tables need the extra tables")
    write(churn(), tmp_path / "churn.csv")
    (command,) = (line for block in _blocks("console") for line in block.splitlines()
                  if line.startswith("tacit compare"))  # fmt: skip
    # The report is the subject of other tests, and takes most of the time.
    words = command.partition(" --report")[0].split()
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=True,
        env={**os.environ, "COLUMNS": "100"},
    )
    printed = "\n".join(line.rstrip() for line in done.stdout.splitlines())
    assert _blocks("text")[2].strip() in printed


def test_the_two_commands_and_one_picture_are_on_the_first_screen():
    lines = README.read_text("utf-8").splitlines()
    first_screen = "\n".join(lines[:20])
    assert "make demo" in first_screen
    assert "make test" in first_screen
    (picture,) = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", first_screen)
    assert (README.parent / picture).is_file()
    assert len(lines) < 170


def test_every_file_that_the_readme_links_to_is_there():
    links = re.findall(r"\]\(([^)#]+)\)", README.read_text("utf-8"))
    missing = [link for link in links if "://" not in link and not (README.parent / link).exists()]
    assert missing == []
