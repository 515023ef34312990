import numpy as np
import pandas as pd
import pytest

from tacit.tables import MODELS, TableError, fit_table, predict_file, predict_frame, read_table
from tests.tables import generated


@pytest.fixture(scope="module")
def sensor(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sensor")
    frame = generated.sensor(n_rows=600)
    path = generated.write(frame, folder / "sensor.csv")
    return frame, path, fit_table(read_table(path, "state"), "icls")


def test_every_row_gets_a_label_a_score_and_how_sure_it_is(sensor):
    frame, path, model = sensor
    (found,) = predict_file(model, path)
    assert list(found.columns) == [
        *("reading", "label", "score", "sure", "label_without_unlabeled"),
        *("probability_fault", "probability_fine"),
    ]
    assert found["reading"].tolist() == frame["reading"].tolist()
    assert set(found["label"]) == {"fault", "fine"}
    assert ((found["score"] > 0) == (found["label"] == "fine")).all()
    assert found["sure"].between(0.0, 1.0).all()
    surest = found.loc[found["score"].abs().idxmax(), "sure"]
    assert surest == found["sure"].max()


def test_labels_without_unlabeled_rows_are_those_of_the_supervised_model(sensor):
    _, path, model = sensor
    supervised = fit_table(read_table(path, "state"), "ridge")
    (alone,) = predict_file(supervised, path)
    (found,) = predict_file(model, path)
    assert found["label_without_unlabeled"].tolist() == alone["label"].tolist()
    assert "label_without_unlabeled" not in alone.columns


def test_logistic_regression_is_fitted_on_the_labels_and_scores_are_log_odds(sensor):
    _, path, _ = sensor
    table = read_table(path, "state")
    model = fit_table(table, "logistic")
    assert model.card.n_unlabeled > 0
    assert model.card.certificate is None
    assert model.card.alpha == pytest.approx(1.0 / model.classifier.C_)
    (found,) = predict_file(model, path)
    assert "label_without_unlabeled" not in found.columns
    probability = model.pipeline.predict_proba(table.frame)[:, 1]
    assert np.allclose(1.0 / (1.0 + np.exp(-found["score"])), probability)


def test_logistic_regression_takes_a_penalty_but_not_none(sensor):
    table = read_table(sensor[1], "state")
    assert fit_table(table, "logistic", 0.5).classifier.C_ == 2.0
    with pytest.raises(TableError, match="needs a positive one"):
        fit_table(table, "logistic", 0.0)


def test_chosen_columns_are_copied_and_names_do_not_clash(sensor):
    frame, _, model = sensor
    named = frame.rename(columns={"state": "label"})
    found = predict_frame(model, named, keep=["label", "mode"])
    assert list(found.columns)[:3] == ["label", "mode", "predicted_label"]
    taken = predict_frame(model, frame.assign(probability_fine=1), keep=["probability_fine"])
    assert list(taken.columns)[-2:] == ["predicted_probability_fault", "predicted_probability_fine"]
    with pytest.raises(TableError, match="did you mean 'mode'"):
        predict_frame(model, frame, keep=["node"])


def test_a_big_parquet_file_is_predicted_in_pieces_with_the_same_result(
    sensor, tmp_path, monkeypatch
):
    frame, _, model = sensor
    path = generated.write(frame, tmp_path / "new.parquet")
    (whole,) = predict_file(model, path)
    generated.read_in_pieces(monkeypatch, 250)
    pieces = list(predict_file(model, path))
    assert len(pieces) == 3
    pd.testing.assert_frame_equal(pd.concat(pieces, ignore_index=True), whole)


def test_codes_that_look_like_numbers_in_the_new_file_stay_codes(tmp_path):
    random = np.random.default_rng(0)
    codes = np.array(["A1", "012", "013"])
    frame = pd.DataFrame({"code": random.choice(codes, 300), "x": random.normal(size=300)})
    frame["y"] = np.where(frame["code"] == "012", "in", "out")
    frame.loc[60:, "y"] = None
    model = fit_table(read_table(generated.write(frame, tmp_path / "t.csv"), "y"), "ridge")
    new = pd.DataFrame({"code": ["012", "013"], "x": [0.0, 0.0]})
    (found,) = predict_file(model, generated.write(new, tmp_path / "new.csv"))
    assert found["label"].tolist() == ["in", "out"]


@pytest.mark.parametrize("method", MODELS)
def test_several_classes_are_predicted(tmp_path, method):
    random = np.random.default_rng(0)
    codes = random.integers(0, 3, 400)
    frame = pd.DataFrame(random.normal(size=(400, 3)), columns=list("abc"))
    frame["a"] += 4 * (codes == 1)
    frame["b"] += 4 * (codes == 2)
    truth = np.array(["x", "y", "z"])[codes]
    frame["label"] = np.where(np.arange(400) < 60, truth, None)
    path = generated.write(frame, tmp_path / "t.csv")
    (found,) = predict_file(fit_table(read_table(path, "label"), method), path)
    assert (found["label"] == truth).mean() > 0.9
    probability = found[[f"probability_{label}" for label in "xyz"]].to_numpy()
    assert probability.sum(axis=1) == pytest.approx(1.0, abs=2e-4)
    assert (probability.max(axis=1) == found["sure"]).all()
    # The label is the most probable class, up to what rounding leaves of a tie.
    assert (probability[np.arange(400), found["label"].map("xyz".index)] >= found["sure"]).all()


def test_where_too_few_labels_can_be_held_back_there_are_no_probabilities():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 5.0], "y": ["a", "a", None, "b", "b"]})
    found = predict_frame(fit_table(frame, "ridge", target="y"), frame)
    assert list(found.columns) == ["label", "score", "sure"]
    assert found["sure"].isna().all()
