"""`tacit reproduce`: every table and figure of the paper, beside the published numbers."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from tacit.cli import _options as given
from tacit.cli._interrupts import resumable
from tacit.cli._output import WIDE_PIPE, print_grid, stages, stdout_console, this_command

# The parts of the paper, by their names in small letters.
Part = StrEnum("Part", ["ALL", "TABLE1", "TABLE2", "REGULARISED", "FIGURE1", "FIGURE2", "THEOREM"])
_COLOURS = {True: "green", False: "red", None: "yellow"}


def reproduce(
    parts: Annotated[
        list[Part] | None, typer.Argument(help="What to reproduce.", show_default="all")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A few repeats only, in about a minute.")
    ] = False,
    datasets: given.Datasets = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Repeats, instead of 20 (tables), 100 (figure 2).")
    ] = None,
    method: given.OwnMethods = None,
    out: given.OutFolder = Path("reproduced"),
    data: given.DataFolder = None,
    jobs: given.Jobs = -1,
    cluster: given.Cluster = None,
    debug: given.Debug = False,
) -> None:
    """Reproduce the tables and figures of the paper.

    Krijthe & Loog, "Implicitly Constrained Semi-Supervised Least Squares Classification" (2015);
    each number stands beside the published one. Runs are kept in the folder as they come: a call
    that was interrupted goes on where it stopped, and one with more repeats adds to what is there.
    """
    from tacit.research.datasets import PAPER

    wanted = given.chosen(datasets, PAPER, "--datasets")
    given.check_folder(out)
    from tacit.research.experiments._contestants import SUPERVISED, own_contestants
    from tacit.research.paper import _reproduce as paper

    names = {part.value for part in parts or []}
    some = () if "all" in names else tuple(part for part in paper.PARTS if part in names)
    effort = paper.QUICK if quick else paper.Effort()
    if repeats is not None:
        effort = replace(effort, table_repeats=repeats, figure_repeats=repeats)
    with resumable(out):
        with stages() as on_progress:
            result = paper.reproduce(
                out,
                some or paper.PARTS,
                wanted,
                effort,
                data=data,
                jobs=jobs,
                cluster=cluster,
                must_have=bool(datasets),
                own=own_contestants(method or [], SUPERVISED),
                on_progress=on_progress,
            )
        page = paper.write_page(result, this_command())
    console = stdout_console(WIDE_PIPE)
    for section in result.sections:
        console.rule(Text(section.title, style="bold"), align="left")
        if section.grid is not None:
            print_grid(console, section.grid, title=section.grid.caption != section.title)
        if section.words:
            console.print(Text(f"{section.words}\n"))
        for name, caption in section.figures:
            console.print(Text(f"{out / name}.png: {caption}\n"))
        for finding in section.findings:
            verdict = (f"{finding.verdict}: ", f"bold {_COLOURS[finding.holds]}")
            evidence = (f"{finding.evidence}\n", "dim")
            console.print(Text.assemble(verdict, f"{finding.claim} ", evidence))
    for name, reason in result.missing.items():
        console.print(Text.assemble((f"{name} was left out: ", "yellow"), f"{reason}\n"))
    console.rule(align="left")
    console.print(Text(paper.summary_in_words(result), style="bold"))
    took = f"It took {paper.duration(result.seconds)}."
    console.print(Text(f"{took} Everything is on one page: {page}"))
