import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from tacit.rows import Rows
from tacit.rows._moments import Moments
from tacit.tables import (
    TableError,
    fit_streamed,
    load_model,
    predict_frame,
    read_streamed,
    read_table,
    save_model,
)
from tacit.tables import _streamed_rows as rows_module
from tacit.tables._standardised_numbers import StandardisedNumbers
from tacit.tables._streaming import is_streamable


def numeric(n_rows=3000, n_labels=80, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n_rows)
    X = random.normal(size=(n_rows, 6)) + 0.8 * y[:, None]
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(6)])
    frame["x1"] = frame["x1"].mask(random.random(n_rows) < 0.1)
    frame["x5"] = frame["x5"] * 1e4 + 1e6
    frame.insert(0, "row", np.arange(n_rows) + 5)
    frame["same"] = 3
    labels = np.where(y == 1, "good", "bad").astype(object)
    labels[n_labels:] = None
    frame["y"] = labels
    return frame


@pytest.fixture
def path(tmp_path, monkeypatch):
    # Small pieces, so that there are several.
    monkeypatch.setattr(rows_module, "BATCH_NUMBERS", 1)
    file = tmp_path / "t.parquet"
    numeric().to_parquet(file)
    return file


def in_memory(frame):
    numbers = frame[[f"x{k}" for k in range(6)]]
    return StandardisedNumbers().fit(numbers).transform(numbers)


def test_rows_on_disk_are_the_rows_in_memory(path):
    table = read_streamed(path, "y")
    frame = numeric()
    Z = in_memory(frame)
    unlabeled = frame["y"].isna().to_numpy()
    assert isinstance(table.unlabeled, Rows)
    assert table.unlabeled.n_rows == unlabeled.sum()
    assert np.allclose(table.labeled, Z[~unlabeled])
    assert np.allclose(table.unlabeled.map(lambda X: X)(), Z[unlabeled])
    expected = np.cov(Z[unlabeled].T, ddof=0) * unlabeled.sum()
    assert np.allclose(Moments.of(table.unlabeled).scatter, expected)
    starts = table.unlabeled.reduce(lambda block: [block.start], lambda a, b: a + b)
    assert len(starts) > 2


def test_standardised_numbers_have_mean_zero_and_unit_variance_missing_ones_included():
    frame = numeric()
    Z = in_memory(frame)
    assert np.allclose(Z.mean(axis=0), 0.0, atol=1e-10)
    assert np.allclose(Z.std(axis=0), 1.0)
    names = StandardisedNumbers().fit(frame[["x0", "x1"]]).get_feature_names_out()
    assert names.tolist() == ["x0", "x1", "missingindicator_x1"]


def test_constants_and_counters_are_left_out_and_can_be_kept(path):
    table = read_streamed(path, "y")
    kinds = {column.name: column.kind for column in table.columns}
    assert kinds["row"] == "identifier"
    assert kinds["same"] == "constant"
    assert kinds["x0"] == "number"
    kept = read_streamed(path, "y", keep=["row"], drop=["x0"])
    kinds = {column.name: column.kind for column in kept.columns}
    assert kinds["row"] == "number"
    assert kinds["x0"] == "left out by choice"


@pytest.mark.parametrize("model", ["icls", "projected", "supervised"])
def test_a_streamed_fit_is_the_fit_in_memory(path, tmp_path, model):
    from tacit.tables._fitting import new_classifier

    frame = numeric()
    fitted = fit_streamed(read_streamed(path, "y"), model)
    Z = in_memory(frame)
    labels = np.array([None if label is None else str(label) for label in frame["y"]], dtype=object)
    direct = new_classifier(model, fitted.card.alpha).fit(Z, labels)
    assert np.allclose(fitted.classifier.coef_, direct.coef_, atol=1e-6)
    save_model(fitted, tmp_path / "m.skops")
    predictions = predict_frame(load_model(tmp_path / "m.skops"), frame)
    assert np.allclose(predictions["score"], direct.decision_function(Z), atol=1e-6)
    assert predictions["row"].tolist() == frame["row"].tolist()
    assert fitted.card.streamed


def test_a_folder_of_files_and_a_mark_are_understood(tmp_path):
    frame = numeric()
    frame["y"] = frame["y"].map({"good": 1, "bad": 0}).fillna(-1).astype(int)
    for number, start in enumerate(range(0, 3000, 1000)):
        frame.iloc[start : start + 1000].to_parquet(tmp_path / f"part{number}.parquet")
    table = read_streamed(tmp_path, "y", "-1")
    assert table.unlabeled.n_rows == 2920
    assert set(table.target.classes) == {0, 1}


def test_infinite_values_truth_and_marks_of_no_row_are_told_as_in_memory(tmp_path):
    frame = numeric()
    frame.loc[[7, 2000], "x0"] = np.inf
    frame["flag"] = [(True, False, None)[k % 3] for k in range(len(frame))]
    frame["y"] = frame["y"].fillna("tbd")
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_streamed(tmp_path, "y", "tbd")
    columns = {column.name: column for column in table.columns}
    assert columns["x0"].note == "2 values are infinite and count as missing"
    assert columns["flag"].written == "true or false"
    model = fit_streamed(table, "supervised")
    assert "'x0': 2 values are infinite and count as missing." in model.card.notes
    with pytest.raises(TableError, match="fitted with true or false there"):
        predict_frame(model, frame.assign(flag="yes", x0=0.0))
    with pytest.raises(TableError, match="no row with the mark 'TBD'; did you mean 'tbd'"):
        read_streamed(tmp_path, "y", "TBD")
    with pytest.raises(TableError, match="no row with the mark 'NA'"):
        read_streamed(tmp_path, "y", ["tbd", "NA"])


def test_true_and_false_in_several_spellings_are_two_classes(tmp_path):
    frame = numeric()
    rows = frame["y"].notna()
    frame.loc[rows, "y"] = [("TRUE", "False", "true", "FALSE")[k % 4] for k in range(rows.sum())]
    frame.to_parquet(tmp_path / "t.parquet")
    streamed, whole = read_streamed(tmp_path, "y").target, read_table(tmp_path, "y").target
    assert streamed.counts == whole.counts
    assert list(streamed.counts) == ["False", "True"]
    assert set(streamed.values) == {"False", "True"}


def test_columns_of_text_cannot_be_streamed(tmp_path):
    file = tmp_path / "t.parquet"
    numeric().assign(town="Ulm", day="2024").to_parquet(file)
    assert not is_streamable(file, "y")
    assert is_streamable(file, "y", drop=["town", "day"])
    with pytest.raises(TableError, match=r"'town', 'day' are not numeric; .*--drop"):
        read_streamed(file, "y")
    assert read_streamed(file, "y", drop=["town", "day"]).unlabeled.n_features == 7


def test_self_learning_cannot_be_streamed(path):
    with pytest.raises(TableError, match="cannot be streamed"):
        fit_streamed(read_streamed(path, "y"), "self-learning")


def test_a_file_that_changes_while_it_is_used_is_noticed(path):
    table = read_streamed(path, "y")
    numeric(2000).to_parquet(path)
    with pytest.raises(TableError, match="must not change"):
        Moments.of(table.unlabeled)


def test_labels_are_checked_as_in_memory(tmp_path):
    file = tmp_path / "t.parquet"
    numeric().assign(y=None).to_parquet(file)
    with pytest.raises(TableError, match="no labels"):
        read_streamed(file, "y")
    numeric().assign(y="a").to_parquet(file)
    with pytest.raises(TableError, match="only one class"):
        read_streamed(file, "y")
    twice = pa.table([[1.0], [2.0], ["a"]], names=["x", "x", "y"])
    pyarrow.parquet.write_table(twice, file)
    with pytest.raises(TableError, match="more than one column"):
        read_streamed(file, "y")
