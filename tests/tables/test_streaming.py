"""Tables of which the unlabeled rows stay on disk."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from tacit.rows import Rows
from tacit.rows._moments import Moments
from tacit.tables import TableError, fit_table, load_model, predict_frame, read_table, save_model
from tacit.tables import _table as table_module
from tacit.tables._features import make_features
from tacit.tables._fitting import new_classifier
from tests.tables import generated


def frame_of(n_rows=3000, n_labels=80, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n_rows)
    X = random.normal(size=(n_rows, 6)) + 0.8 * y[:, None]
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(6)])
    frame["x1"] = frame["x1"].mask(random.random(n_rows) < 0.1)
    frame["x5"] = frame["x5"] * 1e4 + 1e6
    frame["ward"] = random.choice(["north", "south", "west"], n_rows)
    frame.insert(0, "row", np.arange(n_rows) + 5)
    frame["same"] = 3
    labels = np.where(y == 1, "good", "bad").astype(object)
    labels[n_labels:] = None
    frame["y"] = labels
    return frame


@pytest.fixture
def path(tmp_path, monkeypatch):
    generated.read_in_pieces(monkeypatch, 700)
    return generated.write(frame_of(), tmp_path / "t.parquet")


def streamed(path, *args, **options):
    return read_table(path, "y", *args, stream=True, **options)


def test_rows_on_disk_are_the_rows_in_memory(path):
    table, whole = streamed(path), read_table(path, "y")
    features = make_features(table.columns).fit(whole.frame)
    rows = table.streamed_rows(features)
    Z = features.transform(whole.frame)[~whole.target.is_labeled]
    assert isinstance(rows, Rows)
    assert rows.n_rows == table.n_unlabeled == 2920
    assert np.allclose(rows.map(lambda X: X), Z)
    assert np.allclose(Moments.of(rows).scatter, np.cov(Z.T, ddof=0) * len(Z))
    assert len(rows.reduce(lambda block: [block.start], lambda a, b: a + b)) == 5


@pytest.mark.parametrize("model", ["icls", "projected", "ridge", "logistic"])
def test_a_streamed_fit_is_the_fit_in_memory_with_features_of_the_sample(path, tmp_path, model):
    # The sample has all rows here, so that both fits learn from the same features.
    fitted, whole = fit_table(streamed(path), model), fit_table(read_table(path, "y"), model)
    assert np.allclose(fitted.classifier.coef_, whole.classifier.coef_, atol=1e-6)
    assert fitted.card.n_unlabeled == whole.card.n_unlabeled
    assert fitted.card.streamed
    save_model(fitted, tmp_path / "m.skops")
    found = predict_frame(load_model(tmp_path / "m.skops"), frame_of())
    assert np.allclose(found["score"], predict_frame(whole, frame_of())["score"], atol=1e-6)


def test_features_of_a_sample_serve_all_rows(path, monkeypatch):
    monkeypatch.setattr(table_module, "STREAM_SAMPLE", 400)
    table = streamed(path)
    assert 300 < len(table.frame) < 700
    assert table.target.is_labeled.sum() == 80
    model = fit_table(table, "projected")
    assert model.card.n_unlabeled == 2920
    whole = read_table(path, "y")
    Z = model.pipeline[1:-1].transform(whole.frame)
    direct = new_classifier("projected", model.card.alpha).fit(Z, whole.y)
    assert np.allclose(model.classifier.coef_, direct.coef_, atol=1e-6)


def test_columns_are_judged_and_labels_are_checked_as_in_memory(tmp_path):
    frame = frame_of()
    frame.loc[[7, 20], "x0"] = np.inf
    frame["y"] = frame["y"].fillna("tbd")
    for number, start in enumerate(range(0, 3000, 1000)):
        part = frame.iloc[start : start + 1000]
        generated.write(part, tmp_path / f"part{number}.parquet")
    table, whole = streamed(tmp_path, "tbd"), read_table(tmp_path, "y", "tbd")
    assert table.columns == whole.columns
    assert table.target.counts == whole.target.counts
    assert table.target.marked == {"tbd": 2920}
    with pytest.raises(TableError, match="no row with the mark 'TBD'; did you mean 'tbd'"):
        streamed(tmp_path, "TBD")
    with pytest.raises(TableError, match="no row with the mark 'NA'"):
        streamed(tmp_path, ["tbd", "NA"])


def test_what_cannot_be_streamed_is_refused(path, tmp_path):
    with pytest.raises(TableError, match="cannot be streamed"):
        fit_table(streamed(path), "self-learning")
    with pytest.raises(TableError, match="only Parquet files can be streamed"):
        streamed(generated.write(frame_of(), tmp_path / "t.csv"))


def test_a_file_that_changes_while_it_is_used_is_noticed(path):
    table = streamed(path)
    generated.write(frame_of(2000), path)
    with pytest.raises(ValueError, match="must not change"):
        fit_table(table)


def test_labels_are_checked_as_in_memory(tmp_path):
    file = tmp_path / "t.parquet"
    for values, words in ((None, "no labels"), ("a", "only one class")):
        generated.write(frame_of().assign(y=values), file)
        with pytest.raises(TableError, match=words):
            streamed(file)
    twice = pa.table([[1.0], [2.0], ["a"]], names=["x", "x", "y"])
    pyarrow.parquet.write_table(twice, file)
    with pytest.raises(TableError, match="2 columns named 'x'"):
        streamed(file)


def test_names_of_parquet_columns_with_spaces_at_their_ends_are_those_of_other_files(tmp_path):
    frame = frame_of(400).rename(columns={"x0": "x0 ", "x2": "\u2028x2", "y": " y"})
    path = generated.write(frame, tmp_path / "t.parquet")
    for table in (read_table(path, "y"), streamed(path)):
        model = fit_table(table, "ridge")
        assert {"x0", "x2"} <= {column.name for column in model.card.columns}
        found = predict_frame(model, path, keep=["x2"])
        assert found["label"].equals(predict_frame(model, frame)["label"])
        assert found["x2"].tolist() == frame["\u2028x2"].tolist()


def test_two_parquet_columns_that_only_spaces_tell_apart_are_refused(tmp_path):
    path = generated.write(frame_of(100), tmp_path / "t.parquet")
    model = fit_table(read_table(path, "y"), "ridge")
    generated.write(frame_of(100).assign(**{"x0 ": 1.0}), path)
    for read in (lambda: read_table(path, "y"), lambda: predict_frame(model, path)):
        with pytest.raises(TableError, match="more than one column named 'x0'"):
            read()
