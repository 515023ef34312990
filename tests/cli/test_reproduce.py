"""`tacit reproduce`, run as a process on the one dataset that is always there."""

import os
import signal
import subprocess
import sys
import time

import pyarrow.parquet as parquet
import pytest

from tacit.cli._reproduce import Part
from tacit.research.paper._reproduce import PARTS
from tests.cli.process import assert_good, assert_one_sentence, environment, started, tacit
from tests.cli.run_folders import SPOILED, leave_half_a_file, spoil


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduce")
    leave_half_a_file(folder / "out", "index.html")
    done = started(
        "reproduce", "--quick", "--datasets", "wdbc", "--jobs", "1", "--out", "out",
        cwd=folder, COLUMNS="160",
    )  # fmt: skip
    assert_good(done)
    assert done.stderr == ""
    return folder / "out", done.stdout


def test_every_part_of_the_paper_can_be_asked_for():
    assert {part.value for part in Part} == {"all", *PARTS}


def test_everything_is_written_into_the_folder(everything):
    folder, _ = everything
    names = {path.name for path in folder.iterdir()}
    tables = {"table1", "table2", "regularised", "theorem"}
    expected = {f"{name}.{suffix}" for name in tables for suffix in ("md", "tex", "csv")}
    figures = {"figure1", "figure2", "figure2-loss"}
    expected |= {f"{name}.{suffix}" for name in figures for suffix in ("png", "svg")}
    assert names == expected | {"index.html", "findings.md", "runs"}


def test_the_page_needs_no_other_file_and_has_every_part(everything):
    folder, _ = everything
    page = (folder / "index.html").read_text()
    for part in ("table1", "table2", "regularised", "figure1", "figure2", "theorem"):
        assert f'<section id="{part}">' in page
    assert page.count('<figure class="picture">') == 3
    assert "http" not in page.replace("http-equiv", "")
    assert "tacit reproduce --quick --datasets wdbc" in page


def test_the_terminal_shows_tables_and_findings(everything):
    _, out = everything
    for words in (
        "Table 2",
        "paper\u00a0.27",
        "self-learning",
        "violations in 5,000",
        "index.html",
    ):
        assert words in out


def test_a_second_call_fits_nothing_again(everything):
    folder, _ = everything
    before = parquet.read_table(folder / "runs" / "runs.parquet")
    done = tacit(
        "reproduce", "table2", "--quick", "--datasets", "WDBC", "--out", "out", cwd=folder.parent
    )
    assert_good(done)
    assert parquet.read_table(folder / "runs" / "runs.parquet").equals(before)  # seconds too


BAD_OPTIONS = {
    "another dataset": (("--datasets", "iris"), ("iris", "Ionosphere")),
    "an unknown part": (("table9",), ("table9", "table2")),
    "no repeats": (("--repeats", "0"), ("--repeats",)),
    "no processes": (("--jobs", "0"), ("--jobs", "make no sense")),
    "an unknown option": (("--slow",), ("--slow",)),
}


@pytest.mark.parametrize(("arguments", "words"), BAD_OPTIONS.values(), ids=BAD_OPTIONS)
def test_a_command_written_wrongly_ends_with_two(arguments, words, tmp_path):
    assert_one_sentence(tacit("reproduce", *arguments, cwd=tmp_path), 2, *words)
    assert not list(tmp_path.iterdir())


TABLE2 = ("table2", "--quick", "--datasets", "WDBC", "--jobs", "1")


@pytest.mark.parametrize(("what", "words"), SPOILED.items(), ids=SPOILED)
def test_what_is_wrong_with_the_folder_is_said_and_nothing_is_changed(what, words, tmp_path):
    file = spoil(tmp_path / "reproduced", what, classifier="ICLS")
    before = file.read_bytes()
    assert_one_sentence(tacit("reproduce", *TABLE2, cwd=tmp_path), 1, words)
    assert file.read_bytes() == before


def test_data_that_is_not_there_or_not_what_it_is_named_for_is_told(tmp_path):
    done = tacit("reproduce", *TABLE2, "--data", "nowhere", cwd=tmp_path)
    assert_one_sentence(done, 1, "nowhere")
    (tmp_path / "wdbc.csv").write_text("a,b\n1,2\n")
    done = tacit("reproduce", *TABLE2, "--data", ".", cwd=tmp_path)
    assert_one_sentence(done, 1, "wdbc.csv")


@pytest.mark.skipif(os.name == "nt", reason="groups of processes are of POSIX systems")
def test_interruptions_keep_what_was_done_and_the_same_command_goes_on(tmp_path):
    runs = tmp_path / "reproduced" / "runs"
    known = set()
    for number in (signal.SIGTERM, signal.SIGINT):
        done = interrupted("1000", number, runs, cwd=tmp_path)
        assert done.returncode == 128 + number, done.stderr
        assert done.stdout == ""
        assert len(done.stderr.strip().splitlines()) == 1
        assert "is in reproduced, and the same command goes on from it." in done.stderr
        assert not list(runs.glob(".*.partial*"))
        kept = [key for part in runs.glob("part-*") for key in keys(part)]
        assert known < set(kept)
        assert len(kept) == len(set(kept))
        known = set(kept)
    repeats = max(repeat for _, repeat in known) + 3
    arguments = ("table2", "--datasets", "WDBC", "--repeats", str(repeats), "--jobs", "1")
    assert_good(tacit("reproduce", *arguments, cwd=tmp_path))
    every = keys(runs / "runs.parquet")
    assert known < set(every)
    assert len(every) == len(set(every)) == 5 * repeats


def interrupted(repeats, number, runs, cwd):
    """A process that gets a signal, as does the group of its workers, when there are new runs."""
    command = ("reproduce", "table2", "--datasets", "WDBC", "--repeats", repeats, "--jobs", "2")
    before = set(runs.glob("part-*.parquet"))
    process = subprocess.Popen(
        [sys.executable, "-m", "tacit", *command],
        cwd=cwd,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while not set(runs.glob("part-*.parquet")) - before:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def keys(file):
    """The classifier and the repeat of each error in a file of runs."""
    rows = parquet.read_table(file).to_pylist()
    return [(row["classifier"], row["repeat"]) for row in rows if row["measure"] == "error"]


def test_a_method_of_the_users_own_is_a_column_of_table_2(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from tacit import ICLSClassifier\nclass Mine(ICLSClassifier):\n    pass\n"
    )
    done = started(
        "reproduce", "table2", "--quick", "--datasets", "wdbc", "--jobs", "1",
        "--method", "mine.py:Mine", "--out", "out", cwd=tmp_path, COLUMNS="160",
    )  # fmt: skip
    assert_good(done, "Mine")
    assert "| Mine |" in (tmp_path / "out" / "table2.md").read_text()
    assert "WDBC,Mine," in (tmp_path / "out" / "table2.csv").read_text()


def test_what_is_no_classifier_is_refused_as_a_method(tmp_path):
    (tmp_path / "mine.py").write_text("import math\n")
    command = ("reproduce", "table1", "--quick", "--datasets", "wdbc", "--method", "mine.py:math")
    assert_one_sentence(tacit(*command, cwd=tmp_path), 1, "is a module without fit")
