"""Model files whose parts would lead compiled code astray, open files or fill the memory."""

import copy
import io
import json
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from tacit.tables import ModelFileError, fit_table, load_model, save_model
from tacit.views._clusters import BaggedClusters


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A model with trees, texts and categories, which are in a forest's file all three."""
    random = np.random.default_rng(0)
    words = [" ".join(random.choice(list("abcdef"), 8)).replace(" ", "x ") for _ in range(60)]
    frame = pd.DataFrame(
        {
            "number": random.normal(size=60),
            "kind": random.choice(["one", "two", "three"], 60),
            "text": [f"{text} {k}k" for k, text in enumerate(words)],
        }
    )
    is_middle = frame["number"].abs() < 0.7  # which only trees know
    frame["label"] = np.where(is_middle, "no", "yes")
    frame.loc[40:, "label"] = None
    path = tmp_path_factory.mktemp("models") / "forest.skops"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tacit.estimators._tacit_candidates.N_TREES", 2)
        save_model(fit_table(frame, "forest", target="label"), path)
    load_model(path)
    assert b"DecisionTreeClassifier" in zipfile.ZipFile(path).read("schema.json")
    return path


def nodes(tree, name):
    """Every part of a schema that is of this class."""
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    found = [tree] if isinstance(tree, dict) and tree.get("__class__") == name else []
    return found + [node for part in parts for node in nodes(part, name)]


def attributes(node):
    return node["content"]["content"]


def plain(value, identity=0):
    content = {"content": json.dumps(value), "is_json": True, "__id__": identity}
    return {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", **content}


def tampered(saved, path, change, files=None):
    """The file with another schema, and with other members where there are some."""
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(path, "w") as target:
        members = {name: source.read(name) for name in source.namelist()}
        schema = json.loads(members["schema.json"])
        change(schema)
        members |= {"schema.json": json.dumps(schema), **(files or {})}
        for name, member in members.items():
            target.writestr(name, member)
    return path


def array(items, *, length=1):
    shape = {"__class__": "tuple", "__module__": "builtins", "__loader__": "TupleNode"}
    shape["content"] = [plain(size) for size in [2, 2][:length]]
    kind = {"__class__": "ndarray", "__module__": "numpy", "__loader__": "NdArrayNode"}
    return {**kind, "type": "json", "content": items, "shape": shape}


def hidden_in_an_array(schema):
    for model in nodes(schema, "TacitModel"):
        entries = attributes(model)
        entries["estimators"] = array(entries["estimators"]["content"])


def test_an_array_of_objects_hides_nothing(saved, tmp_path):
    with pytest.raises(ModelFileError, match="an array holds more than texts and numbers"):
        load_model(tampered(saved, tmp_path / "m.skops", hidden_in_an_array))


def test_an_array_does_not_get_what_it_must_not_hold_by_its_identity(saved, tmp_path):
    def change(schema):
        model = nodes(schema, "TacitModel")[0]
        attributes(model)["views"] = array([plain(1, attributes(model)["estimators"]["__id__"])])

    with pytest.raises(ModelFileError, match="two parts have the identity"):
        load_model(tampered(saved, tmp_path / "m.skops", change))


def of_each(name, **entries):
    def change(schema):
        for node in nodes(schema, name):
            for key, value in entries.items():
                add(node, key, value if isinstance(value, dict) else plain(value))

    return change


def add(node, key, value):
    if key not in attributes(node):
        node["content"]["key_types"]["content"].append(as_type("str"))
    attributes(node)[key] = value


def as_type(name, module="builtins"):
    return {"__class__": name, "__module__": module, "__loader__": "TypeNode"}


def a_tree_where_none_belongs(schema):
    add(nodes(schema, "FunctionTransformer")[0], "x", nodes(schema, "Tree")[0])


def fitted(schema, name, entry):
    return next(attributes(n)[entry] for n in nodes(schema, name) if entry in attributes(n))


def swapped_words(schema):
    words = fitted(schema, "TfidfVectorizer", "vocabulary_")["content"]
    words[next(iter(words))] = plain(10**6)


def other_categories(schema):
    numbers = [plain(value) for value in (5.0, 3.0, 1.0)]
    fitted(schema, "OneHotEncoder", "categories_")["content"] = [array(numbers)]


TAMPERED = {
    "a tree alone": (a_tree_where_none_belongs, "vars"),
    "another check": (
        of_each("RandomForestClassifier", _validate_X_predict=as_type("float32", "numpy")),
        "not what it should be",
    ),
    "many processes": (of_each("TableVectorizer", n_jobs=10**5), "odd n_jobs"),
    "a cache": (of_each("Pipeline", memory="/tmp/cache"), "odd memory"),
    "names of files": (of_each("TfidfVectorizer", input="filename"), "odd input"),
    "a slow pattern": (of_each("TfidfVectorizer", token_pattern="((a+)+)+$"), "odd token_pattern"),
    "no end of words": (
        of_each(
            "TfidfVectorizer",
            ngram_range={**array([])["shape"], "content": [plain(-(10**12)), plain(1)]},
        ),
        "odd analyzer or ngram_range",
    ),
    "a tokenizer": (of_each("TfidfVectorizer", tokenizer=as_type("list")), "odd tokenizer"),
    "a word beyond its columns": (swapped_words, "a column that there is not"),
    "fewer columns than categories": (
        of_each("OneHotEncoder", _n_features_outs=[1]),
        "other columns than values",
    ),
    "numbers out of order": (other_categories, "other columns than values"),
    "categories put together": (of_each("OneHotEncoder", _infrequent_enabled=True), "odd"),
}


@pytest.mark.parametrize(("change", "words"), TAMPERED.values(), ids=TAMPERED)
def test_a_part_that_predicting_would_trip_over_is_refused(saved, tmp_path, change, words):
    with pytest.raises(ModelFileError, match=words):
        load_model(tampered(saved, tmp_path / "m.skops", change))


def npz(matrix):
    content = io.BytesIO()
    sparse.save_npz(content, matrix)
    return content.getvalue()


def with_columns(matrix, **parts):
    matrix = matrix.copy()
    for name, values in parts.items():
        setattr(matrix, name, np.asarray(values, dtype=np.int32))
    return matrix


MATRICES = {
    "columns beyond": with_columns(sparse.csr_array(np.eye(3)), indices=[10**6, 1, 2]),
    "rows that go back": with_columns(sparse.csr_array(np.eye(2)), indptr=[0, 2, 0]),
    "another format": sparse.csc_array(np.eye(3)),
    "an older type": sparse.csr_matrix(np.eye(3)),
}


@pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES)
def test_sparse_matrices_are_rows_whose_columns_there_are(saved, tmp_path, matrix):
    part = {"__class__": "csr_array", "__module__": "scipy.sparse._csr", "type": "scipy"}
    part |= {"__loader__": "SparseMatrixNode", "file": "x.npz"}
    change = of_each("FunctionTransformer", x=part)
    with pytest.raises(ModelFileError, match="is damaged"):
        load_model(tampered(saved, tmp_path / "m.skops", change, {"x.npz": npz(matrix)}))


def test_arrays_without_content_are_not_of_any_length(saved, tmp_path):
    content = io.BytesIO()
    np.save(content, np.zeros(10**12, "V0"))
    part = {**as_type("ndarray", "numpy"), "__loader__": "NdArrayNode", "type": "numpy"}
    change = of_each("FunctionTransformer", x={**part, "file": "x.npy"})
    with pytest.raises(ModelFileError, match="an array is larger than what is in it"):
        load_model(tampered(saved, tmp_path / "m.skops", change, {"x.npy": content.getvalue()}))


def test_a_type_is_not_called_with_a_list_unless_it_is_one(saved, tmp_path):
    part = {**as_type("ndarray", "numpy"), "__loader__": "ListNode", "content": [plain(10**9)]}
    with pytest.raises(ModelFileError, match=r"numpy.ndarray \(by ListNode\)"):
        load_model(tampered(saved, tmp_path / "m.skops", of_each("FunctionTransformer", x=part)))


def test_two_members_with_one_name_are_refused(saved, tmp_path):
    path = tmp_path / "m.skops"
    path.write_bytes(saved.read_bytes())
    with warnings.catch_warnings(), zipfile.ZipFile(path, "a") as archive:
        warnings.simplefilter("ignore")  # zipfile has noticed
        archive.writestr("x", b"1")
        archive.writestr("x", b"2")
    with pytest.raises(ModelFileError, match="two members have the same name"):
        load_model(path)


@pytest.mark.parametrize("member", ["schema.json", "tacit.json"])
@pytest.mark.parametrize("value", [b"{},", b"[],", b'"ab",'])
def test_more_values_than_a_model_has_are_refused_before_they_are_built(
    saved, tmp_path, member, value, monkeypatch
):
    monkeypatch.setattr("tacit.tables._model_file.MOST_VALUES", 2**20)
    with zipfile.ZipFile(saved) as archive:
        text = archive.read(member).rstrip()
    content = text[:-1] + b',"x": [' + value * 2**20 + b"1]}"
    path = tampered(saved, tmp_path / "m.skops", lambda schema: None, {member: content})
    with pytest.raises(ModelFileError, match="unpacks to far more than a model"):
        load_model(path)


def test_a_matrix_that_unpacks_to_very_much_is_refused_unread(saved, tmp_path, monkeypatch):
    monkeypatch.setattr("tacit.tables._model_file.MOST_BYTES", 2**24)
    content = io.BytesIO()
    np.savez_compressed(content, data=np.zeros(2**22))
    part = {"__class__": "csr_array", "__module__": "scipy.sparse._csr", "type": "scipy"}
    part |= {"__loader__": "SparseMatrixNode", "file": "x.npz"}
    change = of_each("FunctionTransformer", x=part)
    path = tampered(saved, tmp_path / "m.skops", change, {"x.npz": content.getvalue()})
    with pytest.raises(ModelFileError, match="unpacks to far more than a model"):
        load_model(path)


def test_a_model_that_would_be_too_large_to_load_is_not_saved(saved, tmp_path, monkeypatch):
    model = load_model(saved)
    monkeypatch.setattr("tacit.tables._model_file.MOST_VALUES", 100)
    with pytest.raises(ModelFileError, match="could not be loaded again; leave out columns"):
        save_model(model, tmp_path / "m.skops")
    assert not list(tmp_path.iterdir())


def test_words_that_look_like_the_schema_s_own_are_words(tmp_path):
    texts = [f"__class__ __id__ {word} more" for word in ["__loader__", "other", "words"] * 10]
    numbers, labels = np.arange(30.0) % 7, ["a", "b"] * 10 + [None] * 10
    frame = pd.DataFrame({"x": numbers, "text": texts, "label": labels})
    frame["text"] += [f" w{k}" for k in range(30)]
    save_model(fit_table(frame, "ridge", target="label"), tmp_path / "m.skops")
    assert load_model(tmp_path / "m.skops").card.model == "ridge"


def test_clusters_that_are_more_than_the_columns_are_an_error():
    X = np.random.default_rng(0).normal(size=(20, 3))
    clusters = copy.deepcopy(BaggedClusters((4,), 2, random_state=0).fit(X))
    clusters.sizes = (1,)
    with pytest.raises(ValueError, match="indices must be <"):
        clusters.transform(X)
