"""Tables of pages: what is a number, what is missing, and what a column is sorted by."""

from __future__ import annotations

from typing import Any

import pytest

from tacit.report import Entry, Listing, _page
from tests.report.outline import Element, read


def table(*columns, rows, **options) -> Element:
    parts: Any = _page.environment().get_template("parts.html").make_module({"contents": []})
    return read(parts.listing(Listing(options.pop("caption", ""), columns, rows, **options)))


def column(made: Element, j: int) -> list[Element]:
    return [
        [c for c in row.children if isinstance(c, Element)][j]
        for row in made.one("tbody").all("tr")
    ]


def test_the_first_column_names_the_rows_and_heads_name_the_columns():
    made = table("Name", Entry("Error", "in %"), rows=[("a", "1.5"), ("b", "2")],
                 caption="Errors", note="Low.")  # fmt: skip
    assert [e.attributes["scope"] for e in column(made, 0)] == ["row", "row"]
    assert [e.text for e in made.one("thead").all("th")] == ["Name", "Errorin %"]
    assert made.one("caption").text == "Errors"
    assert made.one("p", "note").text == "Low."
    box = made.one("div", "scroll").attributes
    assert (box["tabindex"], box["aria-label"]) == ("0", "Errors")


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (("−7.0", "12.0%", "1,200"), ("-7.0", "12.0", "1200.0")),
        (("0.28 ± 0.01", "+3", ".5"), ("0.28", "3.0", "0.5")),
        ((Entry("May", value=5), Entry("April", value=4)), ("5.0", "4.0")),
    ],
)
def test_entries_are_sorted_by_their_value_or_the_number_they_begin_with(texts, values):
    made = table("x", "y", rows=[("a", text) for text in texts])
    assert tuple(e.attributes["data-value"] for e in column(made, 1)) == values
    assert made.one("thead").all("th")[1].attributes["data-sort"] == "number"


@pytest.mark.parametrize("texts", [("3rd", "1st"), ("2.5.1", "2.10"), ("a", "1"), ("", "")])
def test_texts_that_are_no_numbers_are_sorted_as_texts(texts):
    made = table("x", "y", rows=[("a", text) for text in texts])
    assert made.one("thead").all("th")[1].attributes["data-sort"] == "text"


def test_an_entry_can_be_marked_bold_underlined_and_have_a_remark_below():
    entry = Entry("0.2", "published: 0.3", "best", bold=True, underline=True)
    cell = column(table("x", "y", rows=[("a", entry)]), 1)[0]
    assert cell.one("strong").one("u").text == "0.2"
    assert cell.one("small").text == "published: 0.3"
    assert cell.one("span", "chip").text == "best"
    assert cell.attributes["data-value"] == "0.2"


def test_missing_entries_say_so_and_have_no_value_to_be_sorted_by():
    made = table("x", "y", rows=[("a", ""), ("c", "1"), ("d", "–")])
    cells = column(made, 1)
    assert [e.text for e in cells] == ["–none", "1", "–none"]
    assert [e.attributes.get("data-value") for e in cells] == [None, "1.0", None]


def test_entries_of_a_wide_table_know_their_columns_where_heads_cannot_be_shown():
    made = table(
        "Name", "Error", "p", "Verdict", rows=[("a", "1", "", "helps"), ("b", "2", "3", "")]
    )
    assert {"wide", "sortable"} == set(made.one("table").classes)
    titles = [cell.attributes["data-title"] for j in range(1, 4) for cell in column(made, j)]
    assert titles == ["Error", "Error", "p", "p", "Verdict", "Verdict"]
    assert not table("Name", "Error", rows=[("a", "1.5")]).one("table").classes


def test_a_row_of_the_wrong_length_is_an_error_and_an_empty_table_is_a_table():
    with pytest.raises(ValueError, match="shorter"):
        table("x", "y", rows=[("a", "1"), ("b",)])
    assert len(table("x", "y", rows=[]).one("thead").all("th")) == 2
