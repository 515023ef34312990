"""Exit codes and sentences, in this process, where they cost no start."""

import pytest

from tacit.cli import errors
from tacit.cli.errors import FAILED, USAGE, _run


@pytest.fixture(autouse=True)
def no_debug(monkeypatch):
    monkeypatch.setattr(errors, "_debug", False)


def fail_with(monkeypatch, error):
    def read(*_, **__):
        raise error

    monkeypatch.setattr("tacit.tables.table.read_table", read)
    return _run(["compare", "t.csv", "-t", "y"])


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

    monkeypatch.setattr("tacit.tables.table.read_table", read)
    assert _run(["compare", "t.csv", "-t", "y", "--debug"]) == FAILED
    printed = capsys.readouterr().err
    assert "Traceback" in printed
    assert printed.endswith("tacit compare: wrong\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "No such command"),
        (["fit", "t.csv", "-t", "y", "-o", "m", "--model", "magic"], "magic"),
        (["fit", "t.csv", "-t", "y", "-o", "m", "--alpha", "-3"], "no penalty"),
        (["compare", "t.csv", "-t", "y", "--jobs", "0"], "--jobs"),
        (["compare", "t.csv", "-t", "y", "--repeats", "0"], "--repeats"),
        (["predict", "m.skops", "t.csv", "-o", "out.xlsx"], "must end in"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_written_wrongly_ends_with_two(capsys, arguments, words):
    assert _run(arguments) == USAGE
    printed = capsys.readouterr()
    assert printed.out == ""
    assert words in printed.err
    assert printed.err.count("\n") == 1


def test_a_place_that_cannot_be_written_to_is_told_before_any_work(capsys, tmp_path):
    where = str(tmp_path / "nowhere" / "r.html")
    assert _run(["compare", "t.csv", "-t", "y", "--report", where]) == FAILED
    assert "does not exist; create it" in capsys.readouterr().err


def test_without_a_package_the_error_names_the_extra(monkeypatch, capsys, tmp_path):
    import sys

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
        monkeypatch.setattr("tacit.tables.table.read_table", read)
        assert _run(["compare", "t.csv", "-t", "y"]) == 130
    assert capsys.readouterr().err == ""
