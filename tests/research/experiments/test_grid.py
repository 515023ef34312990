import csv
import io

from tacit.report import Entry
from tacit.research.experiments._grid import Grid

GRID = Grid(
    "A & B",
    ("dataset", "error"),
    (
        (Entry("x_1"), Entry("0.1 ± 0.0", "paper 0.2", bold=True, underline=True)),
        (Entry("<b>"), Entry("–")),
    ),
    "100 % sure",
    ({"dataset": "x_1", "error": 0.1}, {"dataset": "<b>", "error": None}),
)


def test_markdown_marks_bold_and_underline_and_keeps_the_remark():
    lines = GRID.markdown().splitlines()
    assert lines[2:4] == ["| dataset | error |", "|---|---:|"]
    assert lines[4] == "| x_1 | **<u>0.1 ± 0.0</u>**<br><sub>paper 0.2</sub> |"


def test_latex_escapes_what_it_must():
    text = GRID.latex()
    assert r"x\_1 & \textbf{\underline{0.1 $\pm$ 0.0}} {\scriptsize [paper 0.2]} \\" in text
    assert r"\caption{A \& B. 100 \% sure}" in text


def test_csv_has_the_numbers_behind_the_table():
    rows = list(csv.DictReader(io.StringIO(GRID.csv())))
    assert rows == [{"dataset": "x_1", "error": "0.1"}, {"dataset": "<b>", "error": ""}]


def test_csv_has_the_entries_where_there_are_no_numbers():
    plain = Grid("t", ("a", "b"), ((Entry("1"), Entry("2")),))
    assert plain.csv() == "a,b\n1,2\n"
