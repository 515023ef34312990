"""The code and the commands of the guide run as written, and give what it shows."""

import contextlib
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

for package in ("dask", "pyarrow", "skrub", "skops", "typer", "matplotlib"):
    pytest.importorskip(package, reason="the guide needs all extras")

DOCS = Path(__file__).parents[1] / "docs"
BUILT = {"_build", "generated", "gallery"}
PAGES = sorted(
    page
    for page in DOCS.rglob("*.md")
    if not BUILT & set(page.relative_to(DOCS).parts) and "```python" in page.read_text()
)
BLOCK = re.compile(r"^```(python|console|output)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
FRAMES = re.compile("[─│╭╮╰╯]+")


# They compare methods, which fits hundreds of models.
SLOW = {"start.md", "guide/comparing.md", "guide/what_now.md"}


def _param(page):
    name = str(page.relative_to(DOCS))
    return pytest.param(page, id=name, marks=[pytest.mark.slow] if name in SLOW else [])


@pytest.mark.parametrize("page", [_param(page) for page in PAGES])
def test_a_page_runs_and_gives_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    given = ""
    for kind, block in BLOCK.findall(page.read_text()):
        if kind == "python":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(block, namespace)
            given = printed.getvalue()
        elif kind == "output":
            assert_shown(block, given)
        # Other commands are for the reader's machine: make, pip.
        elif block.startswith("tacit "):
            given = "".join(run_command(line) for line in block.splitlines())


def run_command(line):
    """What a command prints, on both streams."""
    command = [sys.executable, "-m", *shlex.split(line, comments=True)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{line}\n{done.stderr}"
    return done.stdout + done.stderr


def assert_shown(shown, given):
    """Each part of what a page shows, between lines of three dots, was printed, in this order.

    Words must be the same. Numbers may differ by 5 percent or one unit of the last digit shown,
    because other releases of the packages below round and draw differently; line breaks and
    frames may differ because of that.
    """
    words, position = as_words(given), 0
    for part in re.split(r"^\.\.\.$", shown, flags=re.MULTILINE):
        wanted = as_words(part)
        starts = range(position, len(words) - len(wanted) + 1)
        found = next((s for s in starts if is_same(wanted, words[s : s + len(wanted)])), None)
        assert found is not None, f"The page shows\n{part}\nand what came is\n{given}"
        position = found + len(wanted)


def as_words(text):
    return FRAMES.sub(" ", text).split()


def is_same(wanted, words):
    return all(map(is_same_word, wanted, words))


def is_same_word(wanted, word):
    if NUMBER.sub("#", wanted) != NUMBER.sub("#", word):
        return False
    return all(map(is_same_number, NUMBER.findall(wanted), NUMBER.findall(word)))


def is_same_number(wanted, number):
    unit = 10.0 ** -len(wanted.partition(".")[2])
    expected, value = (float(text.replace(",", "")) for text in (wanted, number))
    return value == pytest.approx(expected, rel=0.05, abs=1.001 * unit)


def test_words_and_numbers_that_are_not_shown_so_are_noticed():
    given = "Error 29.5% of 120 labels.\n│ It may hurt. │\nThe end."
    assert_shown("Error 29.4% of 119 labels.\n...\nThe end.", given)
    for wrong in ("Error 25.5%", "error 29.5%", "of 60 labels", "The end.\n...\nmay hurt"):
        with pytest.raises(AssertionError, match="The page shows"):
            assert_shown(wrong, given)
