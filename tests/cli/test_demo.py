import subprocess
import sys

import pytest

from tests.cli.process import assert_good, assert_one_sentence, started, tacit


def test_the_demo_prints_a_table_and_saves_a_plot(tmp_path):
    done = started("demo", "--draws", "2", cwd=tmp_path)
    assert_good(
        done,
        *("Handwritten digits", "Diabetes patients", "without unlabeled rows", "TacitClassifier"),
        *("Unlabeled rows were used in 2 of 2 draws", "rows are not used"),
    )
    assert "tacit compare table.csv --target" in done.stdout  # what to do next
    assert done.stderr == ""
    assert [path.name for path in tmp_path.iterdir()] == ["tacit-demo.png"]
    assert (tmp_path / "tacit-demo.png").read_bytes().startswith(b"\x89PNG")


BAD = {
    "one draw": (2, ("--draws", "1"), "--draws"),
    "draws that are no number": (2, ("--draws", "many"), "valid integer"),
    "a folder that does not exist": (1, ("--out", "nowhere/plot.png"), "does not exist; create it"),
    "a folder as the file": (1, ("--out", "."), "name a file in it"),
    "a plot of no known kind": (2, ("--out", "plot.xyz"), "must end in one of"),
    "a plot of no kind": (2, ("--out", "plot"), "must end in one of"),
    "a table": (2, ("table.csv",), "table.csv"),
}


@pytest.mark.parametrize(("code", "arguments", "words"), BAD.values(), ids=BAD)
def test_the_demo_says_in_one_sentence_what_is_wrong(code, arguments, words, tmp_path):
    assert_one_sentence(tacit("demo", *arguments, cwd=tmp_path), code, words)
    assert not list(tmp_path.iterdir())


def test_without_its_extra_the_command_line_says_how_to_get_it(tmp_path):
    blocked = "import sys; sys.modules['typer'] = None; from tacit.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", blocked], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "pip install 'tacit[cli]'" in done.stderr
    assert "Traceback" not in done.stderr
