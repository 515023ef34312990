"""True and false come to the same however a file has them, when fitting and when predicting."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from tacit.tables import (
    TableError,
    TableWarning,
    fit_table,
    predict_file,
    predict_frame,
    read_table,
)

N = 160
RANDOM = np.random.default_rng(0)
VALUES = [(True, False, None)[k] for k in RANDOM.integers(0, 3, N)]
X = RANDOM.normal(size=N)
LABELS = ["in" if truth else "out" for truth in VALUES]
SPELLINGS = {"TRUE": "FALSE", "true": "false", "True": "False"}


def written(folder, how, values=tuple(VALUES)):
    """The table with its truth values written in one way."""
    labels = [label if k < 60 else None for k, label in enumerate(LABELS)]
    if how == "Parquet":
        path = folder / "t.parquet"
        truth = pa.array(list(values), pa.bool_())
        pyarrow.parquet.write_table(pa.table({"flag": truth, "x": X, "y": labels}), path)
        return path
    spelled = {True: how, False: SPELLINGS[how], None: ""}
    path = folder / f"{how}.csv"
    frame = pd.DataFrame({"flag": [spelled.get(v, v) for v in values], "x": X, "y": labels})
    frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("there", ["Parquet", *SPELLINGS])
@pytest.mark.parametrize("here", ["Parquet", *SPELLINGS])
def test_truth_values_with_gaps_are_understood_from_every_file_to_every_other(
    tmp_path, here, there
):
    table = read_table(written(tmp_path, here), "y")
    assert [column.kind for column in table.columns] == ["number", "number"]
    model = fit_table(table, "ridge")
    # A doubt would be a warning, and warnings are errors here.
    (found,) = predict_file(model, written(tmp_path, there))
    assert found["label"].tolist() == LABELS


def test_truth_values_without_gaps_and_with_typing_errors_are_the_same(tmp_path):
    model = fit_table(read_table(written(tmp_path, "TRUE"), "y"), "ridge")
    full = tuple(bool(value) for value in VALUES)
    odd = ("perhaps", *full[1:])
    (first,) = predict_file(model, written(tmp_path, "true", full))
    with pytest.warns(TableWarning, match="1 of 160 values are not true or false .* 'perhaps'"):
        (second,) = predict_file(model, written(tmp_path, "TRUE", odd))
    assert first["score"].tolist()[1:] == second["score"].tolist()[1:]
    with warnings.catch_warnings():
        table = read_table(written(tmp_path, "TRUE", odd), "y")
    assert "1 values are no truth values" in table.columns[0].note


def test_other_words_for_truth_are_refused_as_what_they_are(tmp_path):
    model = fit_table(read_table(written(tmp_path, "TRUE"), "y"), "ridge")
    new = pd.DataFrame({"flag": ["yes", "no"], "x": [0.0, 1.0]})
    with pytest.raises(TableError, match="was fitted with true or false there"):
        predict_frame(model, new)


def test_labels_that_are_true_and_false_keep_their_spelling_and_can_be_marks(tmp_path):
    def target(*values, **options):
        lines = [f"{k % 7},{values[k % len(values)]}" for k in range(60)]
        (tmp_path / "t.csv").write_text("\n".join(["x,y", *lines]))
        return read_table(tmp_path / "t.csv", "y", **options).target

    assert target("TRUE", "FALSE", "").classes == ["FALSE", "TRUE"]
    assert target("TRUE", "true", "False", "FALSE", "").classes == ["False", "True"]
    assert target("TRUE", "FALSE", "other", mark="FALSE").classes == ["TRUE", "other"]
    with pytest.raises(TableError, match="only one class, 'TRUE'"):
        target("TRUE", "FALSE", "", mark="FALSE")
