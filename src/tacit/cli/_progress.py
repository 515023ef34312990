"""The progress bar of long commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from tacit.cli import _interrupts as interrupts


class _Remaining(ProgressColumn):
    """An estimate of what remains, once there is one."""

    # Seconds; an estimate that changes with every trial cannot be read.
    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        if task.finished or task.time_remaining is None:
            return Text()
        return Text(f"about {timedelta(seconds=int(task.time_remaining))} left", style="cyan")


@contextmanager
def stage_bars(console: Console) -> Iterator[Callable[[str, float, float], None]]:
    """One bar for each stage, with an estimate of what remains.

    Moved by a call with the name of the stage, the work done and all work. The bars vanish in the
    end, and nothing of them is written where the console is not a terminal.
    """
    if not console.is_terminal:
        yield lambda stage, done, total: interrupts.check()
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        _Remaining(),
    )
    # The pace of the last minute: trials differ in size by a factor of a hundred.
    with Progress(
        *columns, console=console, transient=True, speed_estimate_period=60.0
    ) as progress:
        tasks: dict[str, TaskID] = {}

        def on_progress(stage: str, done: float, total: float) -> None:
            interrupts.check()
            if stage not in tasks:
                tasks[stage] = progress.add_task(stage, total=total)
            progress.update(tasks[stage], completed=done, total=total)

        yield on_progress
