import numpy as np
import pandas as pd
import pytest

from tacit.tables import (
    ReadOptions,
    TableError,
    TableWarning,
    fit_table,
    predict_file,
    predict_frame,
    read_table,
)
from tests.tables import generated

N = 200


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": random.normal(size=N),
            "day": [f"{1 + k % 28:02d}.{1 + k % 12:02d}.2024" for k in range(N)],
            "ward": random.choice(["north", "south"], N),
        }
    )
    frame["y"] = np.where(frame["a"] > 0, "in", "out")
    frame.loc[60:, "y"] = None
    path = generated.write(frame, tmp_path_factory.mktemp("doubts") / "t.csv")
    return fit_table(read_table(path, "y"), "ridge")


def rows(**changes):
    given = {"a": [1.0, 2.0, 3.0], "day": ["01.02.2024"] * 3, "ward": ["north"] * 3}
    return pd.DataFrame(given | changes)


UNPARSED = {
    "text": (
        {"a": ["1.5", "many", None]},
        "column 'a': 1 of 2 values are not numbers and were taken as missing, such as 'many'.",
    ),
    "another way to write dates": (
        {"day": ["2024-02-01", "01.02.2024", ""]},
        "column 'day': 1 of 2 values are not dates written like 31.12.2024 and were taken as "
        "missing, such as '2024-02-01'.",
    ),
    "new categories": (
        {"ward": ["east"] * 3},
        "column 'ward': 3 of 3 values never occurred when the model was fitted and tell it "
        "nothing, such as 'east'.",
    ),
}


@pytest.mark.parametrize(("changes", "sentence"), UNPARSED.values(), ids=UNPARSED)
def test_values_that_cannot_be_read_are_told_in_a_sentence_a_column(model, changes, sentence):
    with pytest.warns(TableWarning) as caught:
        found = predict_frame(model, rows(**changes))
    assert [str(warning.message) for warning in caught] == [sentence]
    assert len(found) == 3


@pytest.mark.parametrize("changes", [{"a": ["x"] * 3}, {"day": ["2024-02-01", None, None]}])
def test_a_column_of_which_nothing_can_be_read_is_an_error(model, changes):
    with pytest.raises(TableError, match="the model was fitted with"):
        predict_frame(model, rows(**changes))


def test_rows_that_are_empty_or_like_those_before_raise_no_doubt(model):
    predict_frame(model, rows())
    predict_frame(model, rows(a=[None] * 3, day=[None] * 3, ward=[None] * 3))


def test_a_table_that_is_written_otherwise_is_read_as_said(model):
    other = model.with_options(ReadOptions(decimal=",", date_format="%m-%d-%Y"))
    new = rows(a=["1,0", "2,0", "3,0"], day=["02-01-2024"] * 3)
    assert predict_frame(other, new).equals(predict_frame(model, rows()))
    with pytest.raises(TableError, match=r"dates written like 12-31-2024.*--date-format"):
        predict_frame(other, rows())


def test_pieces_of_a_big_file_are_counted_together(model, tmp_path, monkeypatch):
    generated.read_in_pieces(monkeypatch, 2)
    path = generated.write(rows(a=["x", "y", "1"]), tmp_path / "new.parquet")
    unparsed = {}
    with pytest.warns(TableWarning, match="2 of 3 values are not numbers"):
        assert len(list(predict_file(model, path, unparsed=unparsed))) == 2
    assert {name: column.n_unparsed for name, column in unparsed.items()} == {
        "a": 2,
        "day": 0,
        "ward": 0,
    }
