"""The page that `tacit compare --report` writes: a comparison's, and what is known of its table."""

from __future__ import annotations

from typing import Any

from tacit.report import (
    Code,
    Finding,
    Findings,
    KeyValues,
    Page,
    Section,
    Table,
    Text,
)
from tacit.report import Kind as Colour
from tacit.selection._comparison_page import comparison_page
from tacit.selection._curve_page import curve_section
from tacit.solver import Certificate
from tacit.tables._comparing import TableComparison
from tacit.tables._fitting import versions


def report_page(found: TableComparison, command: str, piped: bool = False) -> Page:
    """The page of the comparison, then certificates, curves, the data and how to repeat it.

    Parameters
    ----------
    found : TableComparison
        What `compare_table` found.
    command : str
        What was typed.
    piped : bool, default=False
        Whether the table came from the standard input, and so from a file of unknown name.

    Returns
    -------
    Page
        To be written with `write`.
    """
    table = found.table
    sections = [_certificates(found.certificates)]
    if found.curve is not None:
        sections.append(curve_section(found.curve))
    sections += [_data(found), _repeat(found, command, piped)]
    subtitle = f"{table.name}, column {table.target.name!r}"
    return comparison_page(found.comparison, subtitle, sections)


def _certificates(certificates: dict[str, Certificate]) -> Section:
    intro = Text(
        "Nobody knows the labels of the unlabeled rows. These sentences hold whatever they are. "
        "They are about the squared loss on the rows of this table, not about errors on new rows."
    )
    findings = [
        Finding(name, _colour(certificate), _in_short(certificate), _one_line(certificate))
        for name, certificate in certificates.items()
    ]
    return Section("What holds for any labels", [intro, Findings(findings)])


def _colour(certificate: Certificate) -> Colour:
    if certificate.worst_change == certificate.best_change == 0.0:
        return "neutral"
    return "good" if certificate.worst_change <= 0.0 else "unknown"


def _in_short(certificate: Certificate) -> str:
    if certificate.worst_change == certificate.best_change == 0.0:
        return "changes nothing"
    return "cannot get worse" if certificate.worst_change <= 0.0 else "can get worse"


def _one_line(certificate: Certificate) -> str:
    return " ".join(str(certificate).split("\n"))


def _data(found: TableComparison) -> Section:
    table = found.table
    counts = ", ".join(f"{name!s}: {count:,}" for name, count in table.target.counts.items())
    facts = KeyValues(
        [
            ("Table", table.name),
            ("Rows in the file", f"{table.n_rows_in_file:,}"),
            ("Labels", f"{table.n_labeled:,} ({counts})"),
            ("Unlabeled rows used", f"{table.n_unlabeled:,}"),
            ("Numbers made of the columns", f"{len(found.feature_names):,}"),
        ]
    )
    columns = Table(
        ["Column", "Kind", "Missing", "Different values", "Note"],
        [[c.name, c.kind, f"{c.n_missing:,}", f"{c.n_values:,}", c.note] for c in table.columns],
        caption="The columns",
    )
    how = Text(
        "Categories became one column for each value, dates became year, month, day and seconds, "
        "free text and names with very many values became a few numbers for the words or letters "
        "in them. Missing numbers were replaced by the median, with a column that says where. All "
        "numbers were scaled to unit variance. Each of these steps was learned on the training "
        "rows of each split only, never from labels."
    )
    blocks: list[Any] = [facts, columns, how]
    if table.notes:
        blocks.append(Text(list(table.notes), "points"))
    return Section("What was done to the data", blocks)


def _repeat(found: TableComparison, command: str, piped: bool) -> Section:
    target = found.table.target
    choices = {
        "mark": target.marks.unlabeled,
        "labels": target.marks.labels,
        "keep": found.table.keep,
        "drop": found.table.drop,
    }
    file = "table.csv" if piped else found.table.name
    chosen = [f"{name}={list(values)!r}" for name, values in choices.items() if values]
    python = (
        "from tacit.tables import read_table\n"
        "from tacit.tables._comparing import compare_table\n\n"
        f"table = read_table({', '.join([repr(file), repr(target.name), *chosen])})\n"
        "print(compare_table(table).comparison)\n"
    )
    packages = ", ".join(f"{name} {number}" for name, number in versions().items())
    return Section(
        "How to repeat this",
        [
            Code(command, "In the terminal, the table piped in" if piped else "In the terminal"),
            Code(python, "In Python, the table in a file" if piped else "In Python"),
            Text(f"With {packages}.", "note"),
        ],
    )
