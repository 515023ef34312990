import copy
import importlib
import json
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from tacit.tables import (
    MODELS,
    ModelFileError,
    TableError,
    fit_table,
    load_model,
    predict_frame,
    read_card,
    read_table,
    save_model,
)
from tacit.tables._model_file import SAFE
from tests.tables import generated

# NumPy 2.0 takes the types of arrays that were copied for such with metadata.
OF_COPIES = pytest.mark.filterwarnings("ignore:metadata on a dtype")


@pytest.fixture(scope="module")
def frame():
    return generated.churn(n_rows=400, n_labels=40)


@pytest.fixture(scope="module")
def table(frame, tmp_path_factory):
    path = generated.write(frame, tmp_path_factory.mktemp("tables") / "churn.csv")
    return read_table(path, "churned")


@pytest.fixture(scope="module")
def model(table):
    return fit_table(table, "icls", command="tacit fit churn.csv")


@pytest.fixture(scope="module")
def content(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.skops"
    save_model(model, path)
    return path.read_bytes()


@pytest.fixture
def saved(content, tmp_path):
    path = tmp_path / "model.skops"
    path.write_bytes(content)
    return path


def changed(path, out, change):
    """A copy of a model file whose members went through `change(name, content)`."""
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            target.writestr(name, change(name, source.read(name)))
    return out


@pytest.mark.parametrize("method", MODELS)
def test_a_saved_model_predicts_the_same_after_loading(method, table, frame, tmp_path):
    model = fit_table(table, method)
    save_model(model, tmp_path / "m.skops")
    loaded = load_model(tmp_path / "m.skops")
    pd.testing.assert_frame_equal(predict_frame(loaded, frame), predict_frame(model, frame))
    assert loaded.pipeline.predict(frame).tolist() == predict_frame(model, frame)["label"].tolist()
    assert loaded.card == model.card


def test_the_card_says_where_the_model_comes_from(saved):
    card = read_card(saved)
    assert card.model == "icls"
    assert card.target == "churned"
    assert card.classes == ["no", "yes"]
    assert card.n_labeled == sum(card.label_counts)
    assert card.n_labeled + card.n_unlabeled == 400
    assert card.command == "tacit fit churn.csv"
    assert "4" in card.certificate_words
    kinds = {column.name: column.kind for column in card.columns}
    assert kinds["customer_id"] == "identifier"
    assert kinds["signed_up"] == "date"
    assert "tacit" in card.versions


def test_a_model_holds_neither_soft_labels_nor_rows(model):
    assert not hasattr(model.classifier, "soft_labels_")
    assert model.classifier.certificate_ is not None


@pytest.fixture(scope="module")
def tacit(table):
    return fit_table(table)


def test_the_default_is_tacit_which_keeps_its_evidence_and_both_answers(tacit, frame, tmp_path):
    assert tacit.card.model == "tacit"
    save_model(tacit, tmp_path / "m.skops")
    loaded = load_model(tmp_path / "m.skops")
    assert str(loaded.classifier.evidence_) == str(tacit.classifier.evidence_)
    predicted = predict_frame(loaded, frame)
    assert predicted["sure"].between(0.5, 1.0).all()
    supervised = loaded.classifier.supervised_model_
    Z = loaded.pipeline[:-1].transform(frame)
    second = supervised(np.asarray(Z, dtype=np.float64))[:, 0] > 0.0
    assert (predicted["label_without_unlabeled"] == np.where(second, "yes", "no")).all()


def test_with_very_many_labels_or_a_penalty_the_default_is_icls(table, monkeypatch):
    assert fit_table(table, alpha=3.0).card.model == "icls"
    monkeypatch.setattr("tacit.tables._fitting.MANY_LABELS", 30)
    assert fit_table(table).card.model == "icls"
    with pytest.raises(TableError, match="averages over penalties"):
        fit_table(table, "tacit", alpha=3.0)


@OF_COPIES
@pytest.mark.parametrize(("entry", "value"), [("feature", 10**6), ("left_child", 0)])
def test_trees_that_lead_nowhere_or_in_circles_are_refused(tacit, tmp_path, entry, value):
    model = copy.deepcopy(tacit)
    for tree in model.classifier.model_.estimators[0][1].estimator.estimators_:
        state = tree.tree_.__getstate__()
        nodes = state["nodes"].copy()
        nodes[entry][0] = value
        tree.tree_.__setstate__({**state, "nodes": nodes})
    save_model(model, tmp_path / "m.skops")
    with pytest.raises(ModelFileError, match="nodes or features that it has not"):
        load_model(tmp_path / "m.skops")


@OF_COPIES
def test_sparse_rows_that_point_beyond_their_columns_are_refused(model, tmp_path):
    spoiled = copy.deepcopy(model)
    matrix = sparse.csr_array(np.eye(3))
    matrix.indices[0] = 10**6
    spoiled.classifier.extra_ = matrix
    save_model(spoiled, tmp_path / "m.skops")
    with pytest.raises(ModelFileError, match="is damaged"):
        load_model(tmp_path / "m.skops")


STRANGERS = (
    "os.system",
    "builtins.eval",
    "sklearn.svm._classes.SVC",
    # Names of types that models have, in modules that would run if they were imported.
    "numpy.f2py.__main__.ndarray",
    "tacit.__main__.Column",
)


@pytest.mark.parametrize("stranger", STRANGERS)
def test_a_type_that_no_model_needs_is_named_and_refused(saved, tmp_path, stranger):
    module, _, name = stranger.rpartition(".")

    def change(member, content):
        if member != "schema.json":
            return content
        schema = json.loads(content)
        step = schema["content"]["content"]["steps"]["content"][0]["content"][1]
        step["__class__"], step["__module__"] = name, module
        return json.dumps(schema)

    tampered = changed(saved, tmp_path / "t.skops", change)
    with pytest.raises(ModelFileError, match=f"refused.*{stranger}"):
        load_model(tampered)


def test_another_function_in_the_place_of_the_one_that_types_columns_is_refused(saved, tmp_path):
    def change(member, content):
        if member != "schema.json":
            return content
        schema = json.loads(content)
        step = schema["content"]["content"]["steps"]["content"][0]["content"][1]
        function = step["content"]["content"]["func"]
        function["__class__"], function["__module__"] = "is_numeric", "skrub._dataframe._common"
        return json.dumps(schema)

    with pytest.raises(ModelFileError, match="'typing' is not that of the model"):
        load_model(changed(saved, tmp_path / "t.skops", change))


def test_every_type_that_is_allowed_is_where_the_list_says():
    assert len(SAFE) > 60
    for module, name in SAFE:
        assert callable(getattr(importlib.import_module(module), name))


@pytest.mark.parametrize("member", ["schema.json", "tacit.json"])
def test_a_small_file_that_unpacks_to_a_very_large_text_is_refused_unread(saved, tmp_path, member):
    bomb = tmp_path / "bomb.skops"
    with (
        zipfile.ZipFile(saved) as source,
        zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in source.namelist():
            if name != member:
                target.writestr(name, source.read(name))
                continue
            with target.open(name, "w") as file:
                file.write(source.read(name))
                for _ in range(260):
                    file.write(b" " * 2**20)
    assert bomb.stat().st_size < 2**20
    with pytest.raises(ModelFileError, match="unpacks to far more than a model"):
        load_model(bomb)


def test_an_array_that_is_named_very_often_is_not_read_so_often(saved, tmp_path):
    def change(member, content):
        if member != "schema.json":
            return content
        with zipfile.ZipFile(saved) as archive:
            largest = max(
                archive.infolist(), key=lambda one: one.file_size * (".npy" in one.filename)
            )
        times = 2**29 // largest.file_size + 1
        # Only the names are needed, which need no more than this.
        return content.replace(
            b"{",
            b'{"many": [' + b'{"file": "%s"},' % largest.filename.encode() * times + b"{}],",
            1,
        )

    with pytest.raises(ModelFileError, match="unpacks to far more than a model"):
        load_model(changed(saved, tmp_path / "t.skops", change))


def test_a_way_of_building_that_no_model_needs_is_refused(saved, tmp_path):
    def change(member, content):
        if member != "schema.json":
            return content
        schema = json.loads(content)
        schema["__loader__"] = "OperatorFuncNode"
        return json.dumps(schema)

    with pytest.raises(ModelFileError, match="OperatorFuncNode"):
        load_model(changed(saved, tmp_path / "t.skops", change))


def test_a_pickle_is_never_opened(tmp_path):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("the pickle was opened",))

    path = tmp_path / "model.skops"
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ModelFileError, match="not a model file"):
        load_model(path)


@pytest.mark.parametrize("damage", ["flipped", "cut", "no card", "odd card", "not a zip", "folder"])
def test_a_damaged_file_is_refused_in_one_sentence(saved, tmp_path, damage):
    path, content = tmp_path / "damaged.skops", bytearray(saved.read_bytes())
    if damage == "flipped":
        content[len(content) // 3] ^= 255
        path.write_bytes(content)
    elif damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "no card":
        with zipfile.ZipFile(saved) as source, zipfile.ZipFile(path, "w") as target:
            target.writestr("schema.json", source.read("schema.json"))
    elif damage == "odd card":
        changed(saved, path, lambda n, c: b'{"format": 1}' if n == "tacit.json" else c)
    elif damage == "not a zip":
        path.write_bytes(b"PK" + b"x" * 100)
    else:
        path.mkdir()
    with pytest.raises(ModelFileError) as caught:
        load_model(path)
    assert "\n" not in str(caught.value)
    assert "damaged.skops" in str(caught.value)


TAMPERED = {
    "one class": {"classes": ["no"]},
    "other classes": {"classes": ["no", "perhaps"]},
    "a class too many": {"classes": ["no", "perhaps", "yes"]},
    "fewer counts than classes": {"label_counts": [40]},
    "columns that are none": {"columns": [{"x": 1}]},
    "no columns": {"columns": []},
    "too few names": {"feature_names": ["a"]},
    "an odd curve": {"calibration": {"a": 1}},
    "a curve of no labels": {"calibration": {"temperature": 1.0, "n_labels": 0, "n_right": 0}},
    "a penalty in words": {"alpha": "big"},
    "a penalty without end": {"alpha": float("inf")},
    "a table that has no name": {"table": None},
    "notes in a heap": {"notes": "none"},
    "versions in a list": {"versions": ["1.0"]},
    "a separator of two signs": {"options": {"separator": ";;"}},
    "a penalty beyond all numbers": {"alpha": 10**400},
    "a format in words": {"format": "x"},
    "a format without end": {"format": float("inf")},
}


@pytest.mark.parametrize("change", TAMPERED.values(), ids=TAMPERED)
def test_a_description_that_cannot_be_right_is_refused_in_one_sentence(saved, tmp_path, change):
    def with_change(member, content):
        return json.dumps(json.loads(content) | change) if member == "tacit.json" else content

    path = changed(saved, tmp_path / "t.skops", with_change)
    with pytest.raises(ModelFileError, match=r"has a damaged description .*fit the model again"):
        load_model(path)


def test_a_model_of_a_newer_version_says_so(saved, tmp_path):
    def change(member, content):
        if member != "tacit.json":
            return content
        return json.dumps({**json.loads(content), "format": 99})

    with pytest.raises(ModelFileError, match="newer than this one; update"):
        load_model(changed(saved, tmp_path / "t.skops", change))


def test_a_failed_save_leaves_the_old_file_and_nothing_else(model, saved, monkeypatch):
    before = saved.read_bytes()

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("tacit._files.os.replace", fail)
    with pytest.raises(KeyboardInterrupt):
        save_model(model, saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_a_model_with_a_strange_type_is_not_saved_at_all(model, tmp_path):
    from dataclasses import replace

    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import PowerTransformer

    step = ("odd", PowerTransformer().fit(np.arange(9.0).reshape(3, 3)))
    odd = replace(model, pipeline=Pipeline([step, ("classifier", model.classifier)]))
    with pytest.raises(ModelFileError, match="PowerTransformer"):
        save_model(odd, tmp_path / "m.skops")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("method", ["icls", "logistic", "self-learning", "forest"])
def test_a_model_with_a_threshold_answers_by_it_after_loading(method, table, frame, tmp_path):
    model = fit_table(table, method, scoring="f1")
    save_model(model, tmp_path / "m.skops")
    loaded = load_model(tmp_path / "m.skops")
    predicted = predict_frame(loaded, frame)
    pd.testing.assert_frame_equal(predicted, predict_frame(model, frame))
    card = loaded.card
    assert (card.scoring, card.threshold) == ("f1", loaded.pipeline[-1].threshold)
    assert (predicted["label"] == np.where(predicted["score"] >= card.threshold, "yes", "no")).all()
    of_label = np.where(
        predicted["label"] == "yes", predicted["probability_yes"], predicted["probability_no"]
    )
    np.testing.assert_array_equal(predicted["sure"], of_label)


def test_a_threshold_is_for_scores_of_two_classes(table):
    with pytest.raises(TableError, match="'roc_auc' is not one of predicted classes"):
        fit_table(table, "icls", scoring="roc_auc")
    three = pd.DataFrame({"x": np.arange(30.0), "y": [*"abc" * 8, *[None] * 6]})
    with pytest.raises(TableError, match="3 classes, and a threshold is between two"):
        fit_table(three, "icls", target="y", scoring="balanced_accuracy")
