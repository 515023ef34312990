"""Files of the user's own: what is read, and how errors name the place."""

import numpy as np
import pytest

from tacit.research.datasets import DatasetFileError, load
from tacit.research.datasets._registry import find_known
from tests.research.datasets.openml_server import table_like

DIABETES, BCI, WDBC = find_known("Diabetes"), find_known("BCI"), find_known("WDBC")


@pytest.fixture
def diabetes(tmp_path, write_csv):
    return write_csv(tmp_path, DIABETES, *table_like(DIABETES))


def change(path, old, new, line):
    lines = path.read_text().splitlines()
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    path.write_text("\n".join(lines))


def test_columns_are_found_by_name_in_any_order(tmp_path, write_csv):
    X, labels = table_like(DIABETES)
    order = [3, 1, 0, 2, 7, 6, 5, 4]
    names = [DIABETES.feature_names[k] for k in order]
    write_csv(tmp_path, DIABETES, X[:, order], labels, names)
    np.testing.assert_array_equal(load("Diabetes", data=tmp_path).X, X)


def test_columns_of_other_names_count_by_position(tmp_path, write_csv):
    X, labels = table_like(BCI)
    write_csv(tmp_path, BCI, X, labels, [f"electrode {k}" for k in range(117)])
    dataset = load("BCI", data=tmp_path)
    np.testing.assert_array_equal(dataset.X, X)
    assert dataset.feature_names[:2] == ("x1", "x2")


def test_the_case_of_the_file_name_does_not_matter(tmp_path, write_csv):
    write_csv(tmp_path, BCI, *table_like(BCI)).rename(tmp_path / "BCI.CSV")
    assert load("bci", data=str(tmp_path)).source == f"File {tmp_path / 'BCI.CSV'}."


@pytest.mark.parametrize(("negative", "positive"), [("-1", "1"), ("-1.0", "1.0"), ("-1", "+1")])
def test_whole_numbers_may_be_written_in_several_ways(tmp_path, write_csv, negative, positive):
    X, labels = table_like(BCI)
    write_csv(tmp_path, BCI, X, [positive if label == 1 else negative for label in labels])
    np.testing.assert_array_equal(load("BCI", data=tmp_path).y, labels)


def test_the_short_labels_of_the_repository_are_understood(tmp_path, write_csv):
    X, labels = table_like(WDBC)
    write_csv(tmp_path, WDBC, X, [label[0].upper() for label in labels])
    np.testing.assert_array_equal(load("WDBC", data=tmp_path).y, labels)


def test_marks_and_blanks_of_spreadsheets_do_not_matter(diabetes, tmp_path):
    before = load("Diabetes", data=tmp_path)
    text = diabetes.read_text().replace(",", ", ").replace("\n", "\r\n")
    diabetes.write_bytes(b"\xef\xbb\xbf" + text.encode() + b"\r\n\r\n")
    after = load("Diabetes", data=tmp_path)
    np.testing.assert_array_equal(after.X, before.X)
    np.testing.assert_array_equal(after.y, before.y)


def test_text_among_the_numbers_is_an_error_that_names_file_line_and_column(diabetes, tmp_path):
    cells = diabetes.read_text().splitlines()[4].split(",")
    change(diabetes, f",{cells[1]},", ",high,", line=5)
    with pytest.raises(DatasetFileError) as error:
        load("Diabetes", data=tmp_path)
    assert str(error.value) == (
        f"{diabetes}, line 5, column 'glucose': 'high' is not a finite number."
    )


@pytest.mark.parametrize("text", ["nan", "inf", ""])
def test_a_value_that_is_missing_or_infinite_is_an_error(diabetes, tmp_path, text):
    cells = diabetes.read_text().splitlines()[1].split(",")
    change(diabetes, cells[0] + ",", text + ",", line=2)
    with pytest.raises(DatasetFileError, match="line 2, column 'pregnancies'"):
        load("Diabetes", data=tmp_path)


def test_a_missing_column_is_an_error_that_names_it(tmp_path, write_csv):
    X, labels = table_like(DIABETES)
    path = write_csv(tmp_path, DIABETES, X[:, 1:], labels, DIABETES.feature_names[1:])
    with pytest.raises(DatasetFileError) as error:
        load("Diabetes", data=tmp_path)
    assert str(path) in str(error.value)
    assert "7 feature columns" in str(error.value)
    assert "missing: 'pregnancies'" in str(error.value)


def test_a_column_too_many_is_an_error_that_names_it(tmp_path, write_csv):
    X, labels = table_like(WDBC)
    write_csv(tmp_path, WDBC, np.c_[range(569), X], labels, ["id", *WDBC.feature_names])
    with pytest.raises(DatasetFileError, match="unexpected: 'id'"):
        load("WDBC", data=tmp_path)


def test_known_names_beside_unknown_ones_are_an_error_that_names_both(tmp_path, write_csv):
    X, labels = table_like(DIABETES)
    names = ["sugar", "pregnancies", *DIABETES.feature_names[2:]]
    write_csv(tmp_path, DIABETES, X, labels, names)
    with pytest.raises(DatasetFileError, match="missing: 'glucose'; unexpected: 'sugar'"):
        load("Diabetes", data=tmp_path)


def test_a_file_without_header_is_an_error(diabetes, tmp_path):
    diabetes.write_text("\n".join(diabetes.read_text().splitlines()[1:]))
    with pytest.raises(DatasetFileError, match="line 1: it must name the columns"):
        load("Diabetes", data=tmp_path)


def test_a_short_line_is_an_error_that_names_it(diabetes, tmp_path):
    change(diabetes, diabetes.read_text().splitlines()[8].split(",")[0] + ",", "", line=9)
    with pytest.raises(DatasetFileError, match="line 9: 8 values, but the header has 9"):
        load("Diabetes", data=tmp_path)


def test_an_empty_file_and_a_binary_one_are_errors(diabetes, tmp_path):
    diabetes.write_text("")
    with pytest.raises(DatasetFileError, match="empty"):
        load("Diabetes", data=tmp_path)
    diabetes.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(DatasetFileError, match="cannot be read"):
        load("Diabetes", data=tmp_path)


def test_a_file_with_a_row_less_is_an_error_and_not_passed_over(diabetes, tmp_path):
    diabetes.write_text("\n".join(diabetes.read_text().splitlines()[:-1]))
    with pytest.raises(DatasetFileError, match=r"diabetes\.csv: 767 x 8, but Diabetes has 768 x 8"):
        load("Diabetes", data=tmp_path)


def test_an_unknown_class_is_an_error_that_lists_the_known_ones(diabetes, tmp_path):
    change(diabetes, "tested_", "tasted_", line=2)
    with pytest.raises(DatasetFileError, match=r"'tasted_.*tested_negative, tested_positive"):
        load("Diabetes", data=tmp_path)


def test_a_folder_that_does_not_exist_is_an_error_that_names_its_origin(tmp_path, monkeypatch):
    nowhere = tmp_path / "nowhere"
    with pytest.raises(DatasetFileError, match=r"data was .*nowhere.* not a folder"):
        load("WDBC", data=nowhere)
    monkeypatch.setenv("TACIT_DATA", str(nowhere))
    with pytest.raises(DatasetFileError, match=r"TACIT_DATA was .*nowhere"):
        load("WDBC")
