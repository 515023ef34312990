from __future__ import annotations

import numpy as np
import pytest

from tacit.report import Cell, Column, Ids, Table
from tests.report.outline import Element, read


def table(*columns, rows, **options) -> Element:
    return read(Table(columns, rows, **options).markup(Ids()))


def column(made: Element, j: int) -> list[Element]:
    return [
        [c for c in row.children if isinstance(c, Element)][j]
        for row in made.one("tbody").all("tr")
    ]


def test_the_first_column_names_the_rows_and_heads_name_the_columns():
    made = table("Name", "Error", rows=[("a", 1.5), ("b", 2)], caption="Errors", note="Low.")
    assert [e.attributes["scope"] for e in column(made, 0)] == ["row", "row"]
    assert [e.text for e in made.one("thead").all("th")] == ["Name", "Error"]
    assert made.one("caption").text == "Errors"
    assert made.one("p", "note").text == "Low."


def test_numbers_are_formatted_by_their_column_and_keep_their_full_value():
    made = table("x", Column("p", ".3f", "adjusted"), rows=[("a", 0.12345), ("b", np.float64(2))])
    assert [e.text for e in column(made, 1)] == ["0.123", "2.000"]
    assert [e.attributes["data-value"] for e in column(made, 1)] == ["0.12345", "2.0"]
    assert made.one("thead").one("small").text == "adjusted"


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (("−7.0", "12.0%", "1,200"), ("-7.0", "12.0", "1200.0")),
        (("0.28 ± 0.01", "+3", ".5"), ("0.28", "3.0", "0.5")),
    ],
)
def test_texts_that_begin_with_a_number_are_sorted_by_it(texts, values):
    made = table("x", "y", rows=[("a", Cell(text)) for text in texts])
    assert tuple(e.attributes["data-value"] for e in column(made, 1)) == values
    assert made.one("thead").all("th")[1].attributes["data-sort"] == "number"


@pytest.mark.parametrize("texts", [("3rd", "1st"), ("2.5.1", "2.10"), ("a", "1"), ("", "")])
def test_texts_that_are_no_numbers_are_sorted_as_texts(texts):
    made = table("x", "y", rows=[("a", text) for text in texts])
    assert made.one("thead").all("th")[1].attributes["data-sort"] == "text"


def test_a_value_of_its_own_goes_before_the_text():
    made = table("x", "when", rows=[("a", Cell("May", value=5)), ("b", Cell("April", value=4))])
    assert [e.attributes["data-value"] for e in column(made, 1)] == ["5.0", "4.0"]


def test_a_mark_is_a_word_beside_the_entry_and_not_what_it_is_sorted_by():
    made = table("Name", "x", rows=[(Cell("ridge", mark="recommended"), 1), ("ICLS", 2)])
    marked, other = column(made, 0)
    assert marked.one("span", "chip").text == "recommended"
    assert marked.attributes["data-value"] == "ridge"
    assert not other.all("span", "chip")


def test_missing_entries_say_so_and_have_no_value_to_be_sorted_by():
    made = table("x", "y", rows=[("a", None), ("b", float("nan")), ("c", 1), ("d", "–")])
    cells = column(made, 1)
    assert [e.text for e in cells] == ["–none", "–none", "1", "–none"]
    assert [e.attributes.get("data-value") for e in cells] == [None, None, "1.0", None]


def test_an_entry_can_be_bold_underlined_and_have_a_remark_below():
    made = table("x", "y", rows=[("a", Cell("0.2", "published: 0.3", bold=True, underline=True))])
    cell = column(made, 1)[0]
    assert cell.one("strong").one("u").text == "0.2"
    assert cell.one("small").text == "published: 0.3"


def test_truth_values_are_words():
    assert [e.text for e in column(table("x", "y", rows=[("a", True), ("b", False)]), 1)] == [
        "yes",
        "no",
    ]


def test_a_table_that_is_not_to_be_sorted_says_nothing_of_sorting():
    made = table("x", "y", rows=[("a", 1), ("b", 2)], sortable=False)
    assert not made.all(class_="sortable")
    assert "data-sort" not in made.one("thead").all("th")[0].attributes


def test_the_box_that_scrolls_can_be_reached_and_has_the_name_of_the_table():
    made = table("x", "y", rows=[("a", 1)], caption="Errors")
    box = made.one("div", "scroll")
    assert box.attributes["tabindex"] == "0"
    assert box.attributes["aria-labelledby"] == made.one("caption").attributes["id"]
    assert table("x", rows=[]).one("div", "scroll").attributes["aria-label"] == "Table"


def test_entries_of_a_wide_table_know_their_columns_where_heads_cannot_be_shown():
    made = table("Name", "Error", "p", "Verdict", rows=[("a", 1.5, None, "helps"), ("b", 2, 3, "")])
    assert "wide" in made.one("table").attributes["class"].split()
    cells = [cell for j in range(1, 4) for cell in column(made, j)]
    titles = [cell.attributes["data-title"] for cell in cells]
    assert titles == ["Error", "Error", "p", "p", "Verdict", "Verdict"]
    missing = ["missing" in cell.attributes.get("class", "") for cell in cells]
    assert missing == [False, False, True, False, False, True]
    narrow = table("Name", "Error", rows=[("a", 1.5)])
    assert "data-title" not in column(narrow, 1)[0].attributes


def test_a_row_of_the_wrong_length_is_named():
    with pytest.raises(ValueError, match=r"rows\[1\] had 1 entries for 2 columns"):
        Table(("x", "y"), [("a", 1), ("b",)])
