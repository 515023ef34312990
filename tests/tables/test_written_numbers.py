import warnings

import numpy as np
import pandas as pd
import pytest

from tacit.tables import fit_table, predict_file, read_table
from tacit.tables._decimal_signs import DecimalSign
from tacit.tables._doubts import TableWarning
from tacit.tables._formats import format_of_text
from tacit.tables._reading import KnownColumns, read_raw
from tacit.tables._written_numbers import FittedNumbers, plain_numbers

N = 120
AMOUNTS = np.random.default_rng(0).lognormal(8, 1.5, N).round(2)
NOTE = "stand between thousands"


def german(value):
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def english(value):
    return f"{value:,.2f}"


def lines(columns, separator=";"):
    """A table of quoted texts, with labels in the first rows."""
    rows = [
        separator.join([*(f'"{values[k]}"' for values in columns.values()), "ab"[k % 2] * (k < 40)])
        for k in range(N)
    ]
    return "\n".join([separator.join([*columns, "y"]), *rows])


def table(folder, columns, separator=";", name="t.csv"):
    path = folder / name
    path.write_text(lines(columns, separator), encoding="utf-8")
    return path


def numbers(path, name):
    read = read_table(path, "y")
    (column,) = [column for column in read.columns if column.name == name]
    assert column.kind == "number", column
    return read.frame[name].to_numpy(), " ".join(read.notes)


def predicted(model, path):
    """The predictions, and what was told on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (found,) = predict_file(model, path)
    return found, " ".join(str(w.message) for w in caught if w.category is TableWarning)


WRITTEN = {
    "points and commas": ([german(v) for v in AMOUNTS], ";", AMOUNTS),
    "points alone": ([german(v)[:-3] for v in AMOUNTS], ";", AMOUNTS.astype(int)),
    "commas and points": ([english(v) for v in AMOUNTS], ",", AMOUNTS),
    "commas alone": ([english(v)[:-3] for v in AMOUNTS], ",", AMOUNTS.astype(int)),
    "spaces": ([german(v).replace(".", "\u202f") for v in AMOUNTS], ";", AMOUNTS),
    "apostrophes": ([english(v).replace(",", "'") for v in AMOUNTS], ",", AMOUNTS),
}


@pytest.mark.parametrize(("texts", "separator", "values"), WRITTEN.values(), ids=WRITTEN)
def test_signs_between_thousands_are_read_and_said(tmp_path, texts, separator, values):
    sizes = [f"{k % 7},25" if separator == ";" else f"{k % 7}.25" for k in range(N)]
    found, notes = numbers(table(tmp_path, {"size": sizes, "sum": texts}, separator), "sum")
    # Truncated by the text, not rounded.
    assert np.allclose(found, values, atol=0.01)
    assert "'sum': " in notes
    assert NOTE in notes
    assert "'size'" not in notes


def test_a_few_odd_values_among_decimal_commas_are_told_and_missing(tmp_path):
    texts = [f"{36 + k % 5},{k % 10}" for k in range(N)]
    texts[3] = texts[50] = "k.A."
    found, notes = numbers(table(tmp_path, {"temp": texts}), "temp")
    assert found[0] == 36.0
    assert found[1] == 37.1
    assert np.flatnonzero(np.isnan(found)).tolist() == [3, 50]
    assert "2 values are no numbers and count as missing ('k.A.')" in notes


def test_a_column_of_decimal_points_beside_decimal_commas_is_read_and_said(tmp_path):
    columns = {"size": [f"{k},5" for k in range(N)], "share": [f"0.{k:03d}" for k in range(N)]}
    found, notes = numbers(table(tmp_path, columns), "share")
    assert np.allclose(found, np.arange(N) / 1000)
    assert "its numbers have a decimal point, others in the file a decimal comma" in notes


@pytest.mark.parametrize(
    ("separator", "text", "value", "sign"),
    [(";", "1.617", 1.617, "point"), (";", "1,617", 1.617, "comma")],
)
def test_what_the_data_leaves_open_is_said(tmp_path, separator, text, value, sign):
    texts = [text, *(str(k) for k in range(2, N + 1))]
    found, notes = numbers(table(tmp_path, {"sum": texts}, separator), "sum")
    assert found[0] == value
    assert f"The {sign} was taken for the decimal sign, which the data leaves open: {text!r}" in (
        notes
    )


def test_lists_of_numbers_are_no_numbers(tmp_path):
    chosen = [("1,2", "1", "2,3", "1,2,3")[k % 4] for k in range(N)]
    read = read_table(table(tmp_path, {"chosen": chosen}, ","), "y")
    assert [column.kind for column in read.columns] == ["category"]


@pytest.mark.parametrize("separator", ["|", "\t", ";"])
def test_a_number_within_a_text_does_not_tell_the_decimal_sign(separator):
    text = separator.join(["x", "note"]) + "\n" + separator.join(["1.5", "1,200 customers"]) + "\n"
    assert format_of_text(text.encode(), "").decimal == "."


def test_a_file_with_both_signs_in_one_number_has_decimal_points():
    assert format_of_text(b"a;b;c\n1,617.32;1,5;x\n", "").decimal == "."
    assert format_of_text(b"a;b;c\n1.617,32;1.5;x\n", "").decimal == ","


def test_new_rows_that_leave_the_sign_open_are_read_as_the_table_of_the_model(tmp_path):
    columns = {
        "size": [f"{k % 7},25" for k in range(N)],
        "sum": [german(v)[:-3] for v in AMOUNTS],
    }
    model = fit_table(read_table(table(tmp_path, columns), "y"), "supervised")
    row = int(np.argmax(AMOUNTS > 1000))
    plain = f"{int(AMOUNTS[row])}"
    assert columns["sum"][row] != plain
    scores = []
    for text in (columns["sum"][row], plain):
        # With a whole number for the size nothing in the file tells the decimal sign.
        (tmp_path / "new.csv").write_text(f"size;sum\n3;{text}\n")
        scores.append(predicted(model, tmp_path / "new.csv")[0]["score"][0])
    assert scores[0] == scores[1]


def test_a_model_reads_its_numbers_from_tables_written_in_another_country(tmp_path):
    sizes = np.arange(N) % 7 + 0.25
    here = {"size": [german(v) for v in sizes], "sum": [german(v) for v in AMOUNTS]}
    there = {"size": [english(v) for v in sizes], "sum": [english(v) for v in AMOUNTS]}
    model = fit_table(read_table(table(tmp_path, here), "y"), "supervised")
    first, _ = predicted(model, table(tmp_path, here))
    second, told = predicted(model, table(tmp_path, there, ",", "english.csv"))
    assert "'sum': the comma was taken to stand between thousands" in told
    pd.testing.assert_frame_equal(first, second)


def test_only_columns_of_numbers_are_written_plainly_where_they_are_known(tmp_path):
    path = table(tmp_path, {"sum": ["1.617,32"] * N, "version": ["1.617"] * N})
    known = KnownColumns(as_text=["version"], as_numbers={"sum": None})
    row = read_raw(path, known).frame.iloc[0]
    assert (row["sum"], row["version"]) == ("1617.32", "1.617")


def test_values_that_are_no_numbers_stay_as_they_are():
    column = pd.Series(["1,5", None, "?", " 2.000,5 "])
    sign = DecimalSign(",", True)
    found = plain_numbers(column, sign, FittedNumbers())
    assert found.column.tolist() == ["1.5", None, "?", "2000.5"]
    assert plain_numbers(column, sign).column.tolist() == column.tolist()
