"""What people see: the help, and tables in terminals of several widths."""

import io

import pytest
from rich.console import Console

from tacit import __version__
from tacit.cli._output import new_grid, print_grid, print_table
from tacit.report import Entry
from tacit.research.experiments._grid import Grid
from tests.cli.process import assert_good, tacit

COMMANDS = [
    *("compare", "fit", "predict", "label", "explain"),
    *("demo", "doctor"),
    *("datasets", "reproduce", "benchmark"),
]


def test_the_help_lists_commands_in_the_order_of_a_day_with_an_example_and_exit_codes(tmp_path):
    done = tacit("--help", cwd=tmp_path, COLUMNS="80")
    assert_good(done, "Example: tacit compare table.csv --target label", "Exit codes: 0 success")
    first_words = [line.strip("│ ").split(" ")[0] for line in done.stdout.splitlines()]
    assert [word for word in first_words if word in COMMANDS] == COMMANDS
    # Each is told in a line of its own.
    lines = done.stdout.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("╭─ Your table"))
    assert len([line for line in lines[start:] if line.startswith("│")]) == len(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_each_command_has_an_example_and_fits_eighty_columns(command, tmp_path):
    done = tacit(command, "--help", cwd=tmp_path, COLUMNS="80")
    assert_good(done, f"Example: tacit {command}", "--debug")
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_version_is_printed(tmp_path):
    assert tacit("--version", cwd=tmp_path).stdout == f"tacit {__version__}\n"


def printed(grid, width):
    console = Console(file=io.StringIO(), width=width, highlight=False)
    print_grid(console, grid)
    return [line.rstrip() for line in console.file.getvalue().splitlines() if line.strip()]


def test_a_table_that_is_too_wide_goes_on_below_itself():
    names = [f"dataset{k}" for k in range(9)]
    row = (Entry("self-learning"), *(Entry(f".{k}00 (1)") for k in range(9)))
    grid = Grid("Title", ("method", *names), (row,), "A note.")
    lines = printed(grid, 60)
    assert lines[0] == "Title"
    assert lines[-1] == "A note."
    assert max(map(len, lines)) <= 60
    headings = [line.split() for line in lines if line.split()[0] == "method"]
    assert [name for heading in headings for name in heading[1:]] == names
    assert len(headings) == 3
    assert "".join(lines).count("self-learning") == 3
    assert [line.split()[0] for line in printed(grid, 140)].count("method") == 1


def test_lines_break_between_the_parts_of_an_entry_and_never_within_one():
    cell = Entry(".247\u00a0±\u00a0.003 (0)", beside="paper\u00a0.27, +.023")
    grid = Grid("Title", ("dataset", *["self-learning"] * 4), ((Entry("WDBC"), *[cell] * 4),))
    for width in (70, 80, 120):
        text = "\n".join(printed(grid, width))
        for part in ("self-learning", ".247\u00a0±\u00a0.003", "(0)", "paper\u00a0.27,", "+.023"):
            assert text.count(part) == 4


def compared(width, measure="balanced error"):
    table = new_grid("classifier", measure, "difference", "interval", "verdict", right=(1, 2, 3))
    table.add_row("ridge", "10.0%", "", "", "supervised")
    table.add_row("self-learning", "10.0%", "+10.0", "-10.4 to +12.4", "makes no difference")
    console = Console(file=io.StringIO(), width=width, highlight=False)
    print_table(console, table)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize("width", [30, 40, 50, 60, 70, 80, 100])
def test_words_and_numbers_stay_whole_in_terminals_of_any_width(width):
    lines = compared(width)
    assert max(map(len, lines)) <= width
    words = [word for line in lines for word in line.split()]
    for whole in ("classifier", "balanced", "difference", "self-learning", "supervised", "+10.0"):
        assert whole in words
    assert any("-10.4 to +12.4" in line for line in lines)


def test_a_table_stays_in_one_piece_as_long_as_it_can():
    assert len(compared(100)) == 4
    # Five columns of 13, 5, 10, 14 and 10 letters, two spaces apart.
    assert " ".join(compared(60, "error")).count("self-learning") == 1
    assert " ".join(compared(59, "error")).count("self-learning") == 2
