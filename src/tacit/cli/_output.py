"""What all commands print with."""

from __future__ import annotations

import json
import math
import os
import shlex
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import Progress, TaskID
from rich.table import Table
from rich.text import Text

from tacit.cli import _interrupts as interrupts

PIPE_WIDTH = 100
# Longer lines are hard to read, however wide the terminal is.
MOST_WIDTH = 110
CERTIFIED, DONE = "What holds for any labels of the unlabeled rows", "What was done to the data"
STYLES = {
    "helps": "green",
    "makes no difference": "blue",
    "may hurt": "red",
    "too few labels to tell": "yellow",
}


def stdout_console(pipe_width: int = PIPE_WIDTH) -> Console:
    """For results. In a pipe it has no colours, and a fixed width unless COLUMNS gives another."""
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = pipe_width
    return console


def stderr_console() -> Console:
    """For progress, which must not mix with results."""
    return Console(stderr=True, highlight=False)


@contextmanager
def stages() -> Iterator[Callable[[str, float, float], None]]:
    """One bar for each stage on the standard error, with an estimate of what remains.

    Moved by a call with the name of the stage, the work done and all work. The bars vanish in the
    end, and nothing of them is written where there is no terminal.
    """
    console = stderr_console()
    # The pace of the last minute: trials differ in size by a factor of a hundred.
    with Progress(
        console=console,
        transient=True,
        disable=not console.is_terminal,
        speed_estimate_period=60.0,
    ) as progress:
        tasks: dict[str, TaskID] = {}

        def on_progress(stage: str, done: float, total: float) -> None:
            interrupts.check()
            if stage not in tasks:
                tasks[stage] = progress.add_task(stage, total=total)
            progress.update(tasks[stage], completed=done, total=total)

        yield on_progress


@contextmanager
def stage(description: str) -> Iterator[Callable[[float, float], None]]:
    """A bar with one stage, moved by a call with the work done and all work."""
    with stages() as on_progress:
        yield lambda done, total: on_progress(description, done, total)


def new_grid(*headings: str, right: tuple[int, ...] = ()) -> Table:
    """A table with these headings, of which some are aligned to the right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for number, heading in enumerate(headings):
        is_right = number in right
        table.add_column(
            Text(heading),
            justify="right" if is_right else "left",
            no_wrap=is_right,
            overflow="fold",
        )
    return table


def print_points(console: Console, sentences: Iterable[str], heading: str = "") -> None:
    """Sentences as points of a list, with hanging indents."""
    print_heading(console, heading)
    for sentence in sentences:
        lines = textwrap.wrap(
            sentence,
            min(console.width, MOST_WIDTH),
            initial_indent="- ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        print_line(console, "\n".join(lines))


def counted(counts: Iterable[tuple[Any, int]]) -> str:
    """How many there are of each: "no: 39, yes: 21"."""
    return ", ".join(f"{name!s}: {count:,}" for name, count in counts)


def print_paragraph(console: Console, text: str, heading: str = "") -> None:
    """Sentences, each on a line of its own or on several."""
    print_heading(console, heading)
    for line in text.splitlines():
        print_line(console, textwrap.fill(line, min(console.width, MOST_WIDTH)))


def print_line(console: Console, text: str) -> None:
    """One line, however long, so that what stands in it can be copied."""
    console.print(Text(text), soft_wrap=True)


def print_heading(console: Console, text: str) -> None:
    """A heading, if there is one, after an empty line."""
    if text:
        console.print()
        console.print(Text(text, style="bold"))


def print_json(value: Any) -> None:
    """Plain JSON on the standard output; numbers that JSON does not know become null."""
    sys.stdout.write(json.dumps(_plain(value), indent=2, ensure_ascii=False) + "\n")


def this_command() -> str:
    """The command that was typed, to be typed again."""
    return shlex.join(["tacit", *sys.argv[1:]])


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    # Arrays and numbers of NumPy, which is not imported for them.
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)
