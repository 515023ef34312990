"""The page that `tacit compare --report` writes: a comparison's, and what is known of its table."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tacit.report import Listing, Page
from tacit.selection._comparison import comparison_page
from tacit.selection._curve import curve_values
from tacit.solver import Certificate
from tacit.tables._comparing import TableComparison
from tacit.tables._fitting import versions


def report_page(found: TableComparison, command: str, piped: bool = False) -> Page:
    """The page of the comparison, then certificates, curves, the data and how to repeat it.

    `piped` where the table came from the standard input, and so from a file of unknown name.
    """
    table = found.table
    counts = ", ".join(f"{name!s}: {count:,}" for name, count in table.target.counts.items())
    more = {
        "certificates": [_certificate(name, value) for name, value in found.certificates.items()],
        "curve": None if found.curve is None else curve_values(found.curve),
        "facts": [
            ("Table", table.name),
            ("Rows in the file", f"{table.n_rows_in_file:,}"),
            ("Labels", f"{table.n_labeled:,} ({counts})"),
            ("Unlabeled rows used", f"{table.n_unlabeled:,}"),
            ("Numbers made of the columns", f"{len(found.feature_names):,}"),
        ],
        "columns": Listing(
            "The columns",
            ["Column", "Kind", "Missing", "Different values", "Note"],
            [
                [c.name, c.kind, f"{c.n_missing:,}", f"{c.n_values:,}", c.note]
                for c in table.columns
            ],
        ),
        "notes": table.notes,
        "codes": [
            ("In the terminal, the table piped in" if piped else "In the terminal", command),
            ("In Python, the table in a file" if piped else "In Python", _python(found, piped)),
        ],
        "versions": ", ".join(f"{name} {number}" for name, number in versions().items()),
    }
    subtitle = f"{table.name}, column {table.target.name!r}"
    return comparison_page(found.comparison, subtitle, "report.html", more)


def _certificate(name: str, certificate: Certificate) -> dict[str, Any]:
    tone, verdict = "unknown", "can get worse"
    if certificate.worst_change == certificate.best_change == 0.0:
        tone, verdict = "neutral", "changes nothing"
    elif certificate.worst_change <= 0.0:
        tone, verdict = "good", "cannot get worse"
    evidence = " ".join(str(certificate).split("\n"))
    return {"claim": name, "tone": tone, "verdict": verdict, "evidence": evidence}


def _python(found: TableComparison, piped: bool) -> str:
    target = found.table.target
    choices = {
        "mark": target.markers.values,
        "labels": target.markers.labels,
        "keep": found.table.keep,
        "drop": found.table.drop,
    }
    file = "table.csv" if piped else found.table.name
    chosen = [f"{name}={list(values)!r}" for name, values in choices.items() if values]
    said = {name: value for name, value in asdict(found.table.options).items() if value is not None}
    if said:
        written = ", ".join(f"{name}={value!r}" for name, value in said.items())
        chosen.append(f"options=ReadOptions({written})")
    return (
        f"from tacit.tables import {'ReadOptions, ' if said else ''}compare_table, read_table\n\n"
        f"table = read_table({', '.join([repr(file), repr(target.name), *chosen])})\n"
        "print(compare_table(table).comparison)\n"
    )
