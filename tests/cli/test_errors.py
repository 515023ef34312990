"""Exit codes and sentences, in this process, where they cost no start."""

import os
import sys
import warnings

import pytest

from tacit.cli._errors import FAILED, USAGE, _run
from tests.cli.process import assert_one_sentence, tacit

# From the standard input, which unlike a file is always there.
READING = ["compare", "-", "-t", "y"]


def fail_with(monkeypatch, error):
    def read(*_, **__):
        raise error

    monkeypatch.setattr("tacit.tables._table.read_table", read)
    return _run(READING)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("two\nlines"), "tacit compare: two lines\n"),
        (PermissionError(13, "Permission denied", "x.csv"), "'x.csv': Permission denied"),
        (ImportError("install it with: pip"), "install it with"),
        (MemoryError(), "not enough memory"),
        (RuntimeError("odd"), "something unexpected went wrong (RuntimeError: odd)"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_every_error_is_one_sentence_and_ends_with_one(monkeypatch, capsys, error, words):
    assert fail_with(monkeypatch, error) == FAILED
    printed = capsys.readouterr()
    assert printed.out == ""
    assert words in printed.err
    assert printed.err.count("\n") == 1


def test_debug_shows_where_an_error_comes_from(monkeypatch, capsys):
    def read(*_, **__):
        raise ValueError("wrong")

    monkeypatch.setattr("tacit.tables._table.read_table", read)
    assert _run([*READING, "--debug"]) == FAILED
    printed = capsys.readouterr().err
    assert "Traceback" in printed
    assert printed.endswith("tacit compare: wrong\n")


FAILING = {
    "compare": ("compare", "no.csv", "-t", "y"),
    "fit": ("fit", "no.csv", "-t", "y", "-o", "m.skops"),
    "predict": ("predict", "no.skops", "no.csv"),
    "explain": ("explain", "no.skops"),
    "demo": ("demo", "--out", "nowhere/plot.png"),
    "datasets": ("datasets", "--data", "nowhere"),
    "reproduce": ("reproduce", "table1", "--data", "nowhere"),
    "benchmark": ("benchmark", "--data", "nowhere"),
}


@pytest.mark.parametrize("command", FAILING)
def test_every_command_shows_where_an_error_comes_from_when_asked(
    command, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert _run([*FAILING[command], "--debug"]) == FAILED
    *trace, sentence = capsys.readouterr().err.splitlines()
    assert any(line.startswith("Traceback") for line in trace)
    assert sentence.startswith(f"tacit {command}: ")


def test_a_dataset_that_nobody_has_is_told_in_one_line(monkeypatch, capsys, tmp_path):
    def missing(*_, **__):
        return [], {"WDBC": "WDBC is nowhere:\n  put it into a folder."}

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tacit.research.datasets.load_prepared", missing)
    assert _run(["benchmark", "--datasets", "WDBC"]) == FAILED
    told = capsys.readouterr().err
    assert told == "tacit benchmark: WDBC is nowhere: put it into a folder.\n"


def test_an_error_of_the_program_itself_is_not_taken_for_one_of_the_data(monkeypatch, capsys):
    assert fail_with(monkeypatch, KeyError("x")) == FAILED
    assert "something unexpected went wrong (KeyError" in capsys.readouterr().err


def test_a_warning_is_a_sentence_too(monkeypatch, capsys):
    def read(*_, **__):
        warnings.warn("mind\nthe gap", stacklevel=1)
        raise ValueError("wrong")

    monkeypatch.setattr("tacit.tables._table.read_table", read)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        _run(READING)
    assert capsys.readouterr().err == (
        "tacit compare: warning: mind the gap\ntacit compare: wrong\n"
    )


def print_to_a_full_disk():
    os.dup2(os.open("/dev/full", os.O_WRONLY), 1)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")
def test_a_full_disk_is_told_in_one_sentence(tmp_path):
    done = tacit("doctor", cwd=tmp_path, prepare=print_to_a_full_disk)
    assert_one_sentence(done, FAILED, "No space left on device; free some space")


def print_to_nobody():
    reader, writer = os.pipe()
    os.close(reader)
    os.dup2(writer, 1)


@pytest.mark.skipif(os.name == "nt", reason="pipes break otherwise there")
def test_a_reader_who_has_seen_enough_is_no_error(tmp_path):
    done = tacit("doctor", cwd=tmp_path, prepare=print_to_nobody)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_command_that_does_not_exist_ends_with_two(capsys):
    assert _run(["nonsense"]) == USAGE
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "No such command" in printed.err
    assert printed.err.count("\n") == 1


def test_a_place_that_cannot_be_written_to_is_told_before_any_work(capsys, tmp_path):
    where = str(tmp_path / "nowhere" / "r.html")
    assert _run(["compare", "t.csv", "-t", "y", "--report", where]) == FAILED
    assert "does not exist; create it" in capsys.readouterr().err


def test_without_a_package_the_error_names_the_extra(monkeypatch, capsys, tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,\n")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert _run(["compare", str(tmp_path / "t.csv"), "-t", "y"]) == FAILED
    assert "pip install 'tacit[tables]'" in capsys.readouterr().err


def test_an_interrupt_ends_with_130_also_where_another_error_hides_it(monkeypatch, capsys):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    def stumble(*_, **__):
        try:
            interrupt()
        finally:
            raise RuntimeError("cannot join thread before it is started")

    for read in (interrupt, stumble):
        monkeypatch.setattr("tacit.tables._table.read_table", read)
        assert _run(READING) == 130
    assert capsys.readouterr().err == ""
