"""A sign is taken to stand between thousands only where that is proven."""

import numpy as np
import pandas as pd
import pytest

from tacit.tables import TableError, fit_table, predict_file, read_table
from tacit.tables._decimal_signs import DecimalSign
from tacit.tables._formats import format_of_text
from tacit.tables._reading import read_raw
from tacit.tables._written_numbers import FittedNumbers, plain_numbers
from tests.tables.test_written_numbers import N, predicted, table

RANDOM = np.random.default_rng(1)
LENGTHS = (2 + np.arange(N) % 2 + RANDOM.uniform(0.001, 0.999, N)).round(3)
COMMAS, POINTS = DecimalSign(",", True), DecimalSign(".", True)


def comma(value, digits=3):
    return f"{value:.{digits}f}".replace(".", ",")


def point(value, digits=3):
    return f"{value:.{digits}f}"


def kinds(path):
    return {column.name: column.kind for column in read_table(path, "y").columns}


@pytest.mark.parametrize(
    ("here", "separator", "there", "other"),
    [(point, ",", comma, ";"), (comma, ";", point, "\t")],
    ids=["points, then commas", "commas, then points"],
)
def test_open_numbers_are_decimal_where_the_model_knows_no_thousands(
    tmp_path, here, separator, there, other
):
    fitted = table(tmp_path, {"length": [here(v) for v in LENGTHS]}, separator)
    model = fit_table(read_table(fitted, "y"), "supervised")
    first, _ = predicted(model, fitted)
    new = table(tmp_path, {"length": [there(v) for v in LENGTHS]}, other, "new.csv")
    second, told = predicted(model, new)
    pd.testing.assert_frame_equal(first, second)
    assert "which the data leaves open" in told


def test_a_leading_zero_tells_that_the_sign_is_decimal(tmp_path):
    lengths = LENGTHS - 1.5
    path = table(tmp_path, {"length": [comma(v) for v in lengths]}, ",")
    assert kinds(path) != {"length": "number"}
    plain = table(tmp_path, {"length": [point(v) for v in lengths]}, ",", "plain.csv")
    model = fit_table(read_table(plain, "y"), "supervised")
    with pytest.raises(TableError, match="was fitted with numbers there"):
        list(predict_file(model, path))


def test_the_prediction_of_a_row_does_not_depend_on_the_rows_beside_it(tmp_path):
    shares = [0.832 + 0.005 * k for k in range(N)]
    columns = {"size": [comma(k % 7 + 0.25, 2) for k in range(N)], "share": map(point, shares)}
    path = table(tmp_path, {name: list(values) for name, values in columns.items()})
    model = fit_table(read_table(path, "y"), "supervised")
    whole, _ = predicted(model, path)
    lines = path.read_text().splitlines()
    (tmp_path / "few.csv").write_text("\n".join([lines[0], *lines[61:71]]))
    few, told = predicted(model, tmp_path / "few.csv")
    assert np.allclose(few["score"], whole["score"][60:70])
    assert "'share'" in told
    assert "may as well be a number of thousands" in told


def test_lists_of_two_numbers_do_not_outvote_the_points_of_other_columns(tmp_path):
    columns = {
        "list": [f"{k % 3},{k % 9}" for k in range(N)],
        "length": [point(v) for v in LENGTHS],
        "width": [point(v, 2) for v in LENGTHS],
    }
    path = table(tmp_path, columns)
    assert format_of_text(path.read_bytes(), "").decimal == "."
    read = read_table(path, "y")
    assert np.allclose(read.frame["length"], LENGTHS)
    assert kinds(path)["list"] == "category"


def test_open_lists_do_not_make_thousands_of_points(tmp_path):
    columns = {
        "list": [f"{k + 1},{k + 200}" for k in range(N)],
        "length": [point(v) for v in LENGTHS],
    }
    read = read_table(table(tmp_path, columns), "y")
    assert np.allclose(read.frame["length"], LENGTHS)


TELEPHONES = {
    "nine digits": [f"6{k % 90 + 10} {k * 7 % 900 + 100} {k + 100}" for k in range(N)],
    "a country": [f"+49 {k * 7 % 900 + 100} {k + 100}" for k in range(N)],
    "a country and two lengths": [f"+{1 + 48 * (k % 2)} 555 {k + 100} 456" for k in range(N)],
    "two lengths": [f"{(61, 654)[k % 2]} {k * 7 % 900 + 100} {k + 100}" for k in range(N)],
    "with spaces and without": [
        f"654 {k + 100} 124" if k % 2 else f"654{k + 100}124" for k in range(N)
    ],
}


@pytest.mark.parametrize("texts", TELEPHONES.values(), ids=TELEPHONES)
@pytest.mark.parametrize("separator", [",", ";"])
def test_telephone_and_registration_numbers_are_no_numbers(tmp_path, texts, separator):
    assert kinds(table(tmp_path, {"phone": texts}, separator))["phone"] in ("identifier", "text")


def test_exponents_may_follow_decimal_commas(tmp_path):
    texts = [f"{k % 9 + 1},{k % 90 + 10}e-0{k % 5 + 1}" for k in range(N)]
    path = table(tmp_path, {"count": [str(k % 11) for k in range(N)], "p": texts})
    read = read_table(path, "y")
    assert np.allclose(read.frame["p"], [float(text.replace(",", ".")) for text in texts])


PROOFS = {
    "two groups": (["1.234.567", "12.345"], POINTS, "1.234", [1234567, 12345]),
    "both signs": (["1.234,5", "2.345"], POINTS, "1.234,5", [1234.5, 2345]),
    "short ones between": (["343", "1.617", "18.937"], COMMAS, "1.234", [343, 1617, 18937]),
    "a space and decimals": (["1 234,50", "2 345,10"], COMMAS, "1 234,5", [1234.5, 2345.1]),
    "spaces, few and many": (["1 234", "1 234 567"], POINTS, "1 234", [1234, 1234567]),
}


@pytest.mark.parametrize(("texts", "sign", "written", "values"), PROOFS.values(), ids=PROOFS)
def test_the_column_proves_thousands(texts, sign, written, values):
    read = plain_numbers(pd.Series(texts), sign)
    assert pd.to_numeric(read.column).tolist() == values
    assert read.written == written


NO_PROOFS = {
    "one group": (["1.617", "18.937"], COMMAS),
    "one group and long ones": (["1.617", "18937", "12"], COMMAS),
    "a file that is not sure": (["343", "1.617", "18.937"], DecimalSign(",")),
    "a group of two": (["1.234.567", "343", "1.25"], COMMAS),
    "a leading zero": (["343", "1,617", "0,954"], POINTS),
    "spaces alone": (["1 234", "12 345"], COMMAS),
}


@pytest.mark.parametrize(("texts", "sign"), NO_PROOFS.values(), ids=NO_PROOFS)
def test_what_is_no_proof_is_not_taken_for_one(texts, sign):
    read = plain_numbers(pd.Series(texts), sign)
    assert read.written is None
    assert read.column.tolist() == texts


@pytest.mark.parametrize(
    ("sign", "written", "same", "value"),
    [
        (COMMAS, "1.234", False, "1617"),
        (DecimalSign("."), "1.234", True, "1617"),
        (COMMAS, None, True, "1.617"),
        (DecimalSign("."), None, True, "1.617"),
        (DecimalSign("."), "1,234.5", True, "1.617"),
    ],
)
def test_open_numbers_are_read_as_the_column_was_when_the_model_was_fitted(
    sign, written, same, value
):
    read = plain_numbers(pd.Series(["1.617"]), sign, FittedNumbers(written, same))
    assert read.column.tolist() == [value]


def test_open_numbers_are_refused_where_file_and_model_do_not_agree(tmp_path):
    texts = [str(k * 97) if k < 11 else f"{k}.{k + 300}" for k in np.arange(N) % 60]
    columns = {"size": [comma(k % 7 + 0.25, 2) for k in range(N)], "sum": texts}
    model = fit_table(read_table(table(tmp_path, columns), "y"), "supervised")
    assert [c["written"] for c in model.card.columns] == [None, "1.234"]
    (tmp_path / "new.tsv").write_text("size\tsum\n3\t1.617\n")
    with pytest.raises(TableError, match="leaves open whether these are thousands"):
        list(predict_file(model, tmp_path / "new.tsv"))


def test_columns_of_text_without_a_name_stay_text(tmp_path):
    codes = [("007", "A12", "008")[k % 3] for k in range(N)]
    path = table(tmp_path, {"": codes, "x": [str(k % 7) for k in range(N)]}, ",")
    model = fit_table(read_table(path, "y"), "supervised")
    (tmp_path / "new.csv").write_text(",x\n007,1\n008,2\n")
    _, told = predicted(model, tmp_path / "new.csv")
    assert told == ""


def test_the_column_that_leaves_its_sign_open_is_named(tmp_path):
    (tmp_path / "t.csv").write_text("name;length\nx;2,127\ny;3,948\n")
    (note,) = read_raw(tmp_path / "t.csv").number_notes
    assert "'2,127' in 'length' may as well be a number of thousands" in note


@pytest.mark.parametrize("separator", [",", ";"])
def test_whole_numbers_beside_open_ones_are_told_even_where_the_sign_is_sure(tmp_path, separator):
    rows = [("1.200", "1.10"), ("850", "1.9"), ("12.500", "2.0")]
    text = "\n".join(separator.join(row) for row in [("a", "v"), *rows])
    (tmp_path / "t.csv").write_text(text)
    raw = read_raw(tmp_path / "t.csv")
    assert raw.frame["a"].tolist() == [1.2, 850.0, 12.5]
    (note,) = raw.number_notes
    assert "'1.200' in 'a' may as well be a number of thousands" in note
