"""TacitClassifier: what it gains, what it never changes, and what it tells."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.datasets import load_digits, make_moons
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import kneighbors_graph
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, StandardScaler
from sklearn.random_projection import GaussianRandomProjection
from sklearn.svm import LinearSVC

from tacit import TacitClassifier
from tacit.views import GraphView, PrecomputedView

# All that is exercised below without the time of a forest.
FAST = ["linear", "rbf"]


def moons(n: int = 300, n_labeled: int = 30, seed: int = 0) -> tuple[Any, Any, Any]:
    """Rows, classes, and classes with marks."""
    X, y = make_moons(n, noise=0.08, random_state=seed)
    marked = y.copy()
    marked[n_labeled:] = -1
    return X, y, marked


def noise(n: int = 200, n_labeled: int = 20) -> tuple[Any, Any, Any]:
    """Rows that say nothing about the classes but in one column."""
    random = np.random.default_rng(3)
    X = random.uniform(-1.0, 1.0, size=(n, 8))
    y = (X[:, 0] > 0.0).astype(int)
    marked = y.copy()
    marked[n_labeled:] = -1
    return X, y, marked


def fast(**options: Any) -> TacitClassifier:
    given: dict[str, Any] = {"anchors": FAST, "random_state": 0}
    return TacitClassifier(**(given | options))


def test_unlabeled_rows_halve_the_errors_where_classes_are_clusters() -> None:
    X, y = load_digits(return_X_y=True)
    marked = y.copy()
    marked[50:] = -1
    model = TacitClassifier(random_state=0).fit(X, marked)
    supervised = TacitClassifier(views=[], random_state=0).fit(X, marked)
    assert model.evidence_.uses_views
    error, before = 1.0 - model.score(X[50:], y[50:]), 1.0 - supervised.score(X[50:], y[50:])
    assert error < 0.6 * before
    np.testing.assert_array_equal(model.transduction_, model.predict(X[50:]))


def test_when_the_gate_is_shut_predictions_are_those_of_the_anchors_to_the_bit() -> None:
    X, _, marked = noise()
    shut = TacitClassifier(random_state=0, caution=1e9).fit(X, marked)
    alone = TacitClassifier(random_state=0, views=[]).fit(X, marked)
    assert not shut.evidence_.uses_views
    np.testing.assert_array_equal(shut.decision_function(X), alone.decision_function(X))
    np.testing.assert_array_equal(shut.predict_proba(X), alone.predict_proba(X))
    np.testing.assert_array_equal(shut.transduction_, alone.transduction_)
    assert shut.certificate_.worst_change == shut.certificate_.best_change == 0.0


def test_the_same_seed_gives_the_same_bits_whatever_the_number_of_jobs() -> None:
    X, _, marked = moons()
    anchors = ["rbf", "forest", ("logistic", LogisticRegression())]
    fits = [TacitClassifier(anchors, random_state=1, n_jobs=n).fit(X, marked) for n in (None, 2)]
    first, second = (fit.decision_function(X) for fit in fits)
    np.testing.assert_array_equal(first, second)
    assert fits[0].evidence_ == fits[1].evidence_


def test_marks_and_unlabeled_rows_apart_are_the_same_and_labels_may_be_words() -> None:
    X, y, marked = moons()
    names = np.array(["cat", "dog"])
    inside = fast().fit(X, marked)
    apart = fast().fit(X[:30], names[y[:30]], X[30:])
    np.testing.assert_array_equal(names[inside.transduction_], apart.transduction_)
    np.testing.assert_array_equal(inside.decision_function(X), apart.decision_function(X))
    assert inside.evidence_.uses_views
    assert np.mean(inside.transduction_ == y[30:]) > 0.95


def test_new_rows_are_predicted_by_each_views_own_extension() -> None:
    X, y, marked = moons(600)
    model = fast().fit(X[:300], marked[:300])
    assert model.score(X[300:], y[300:]) > 0.95


def test_of_many_rows_a_sample_is_kept_and_all_are_predicted() -> None:
    X, y, marked = moons(3000)
    model = fast(max_reference_rows=400).fit(X, marked)
    assert len(model.transduction_) == 2970
    assert np.mean(model.transduction_ == y[30:]) > 0.95
    np.testing.assert_array_equal(model.transduction_, model.predict(X[30:]))
    assert len(pickle.dumps(model)) < len(pickle.dumps(fast().fit(X, marked))) / 3


def test_the_certificate_is_the_worst_and_best_change_over_every_labeling() -> None:
    X, _, marked = moons(60, 10)
    model = fast().fit(X, marked)
    anchors = fast(views=[]).fit(X, marked)
    after, before = (m.decision_function(X) + 0.5 for m in (model, anchors))
    changes = np.stack([(after - label) ** 2 - (before - label) ** 2 for label in (0, 1)])
    labeled = changes[marked[:10], np.arange(10)].sum()
    certificate = model.certificate_
    assert certificate.worst_change == pytest.approx(
        (labeled + changes[:, 10:].max(axis=0).sum()) / 60, abs=1e-7
    )
    assert certificate.best_change == pytest.approx(
        (labeled + changes[:, 10:].min(axis=0).sum()) / 60, abs=1e-7
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_agree_with_predictions(n_classes: int) -> None:
    random = np.random.default_rng(0)
    y = np.arange(120) % n_classes
    X = random.normal(size=(120, 3)) + 2.0 * y[:, None]
    model = fast().fit(X, np.where(np.arange(120) < 30, y, -1))
    shares = model.predict_proba(X)
    assert shares.shape == (120, n_classes)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(X))


def test_sparse_rows_are_never_made_dense(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    y = np.arange(150) % 2
    words = random.poisson(0.02 + 0.1 * (y[:, None] == np.arange(2000) % 7), size=(150, 2000))
    X = sparse.csr_array(words.astype(float))

    toarray = sparse.csr_array.toarray

    def refuse(table: Any, *given: Any, **options: Any) -> Any:
        # Inner products of rows are no table of their columns; scikit-learn 1.6 forms them sparse.
        assert table.shape[1] <= len(y), "made dense"
        return toarray(table, *given, **options)

    monkeypatch.setattr(sparse.csr_array, "toarray", refuse)
    model = fast().fit(X, np.where(np.arange(150) < 20, y, -1))
    assert any(score["is_view"] for score in model.evidence_.scores)
    assert model.score(X, y) > 0.8


def test_weights_of_zero_leave_rows_out_and_equal_weights_change_nothing() -> None:
    X, _, marked = moons()
    plain = fast().fit(X, marked)
    twice = fast().fit(X, marked, sample_weight=np.full(len(X), 2.0))
    np.testing.assert_allclose(plain.decision_function(X), twice.decision_function(X))
    wrong = np.r_[marked, 1 - marked[:5]]
    weights = np.r_[np.ones(len(X)), np.zeros(5)]
    left_out = fast().fit(np.vstack([X, X[:5]]), wrong, sample_weight=weights)
    np.testing.assert_allclose(plain.decision_function(X), left_out.decision_function(X))


def test_classifiers_of_the_user_are_anchors_judged_out_of_fold() -> None:
    X, y, marked = noise(n_labeled=40)
    anchors = [
        ("pipeline", make_pipeline(StandardScaler(), LogisticRegression())),
        ("without probabilities", LinearSVC()),
    ]
    model = TacitClassifier(anchors, views=["ranks"], random_state=0).fit(X, marked)
    names = {score["name"] for score in model.evidence_.scores if not score["is_view"]}
    assert names == {"pipeline", "without probabilities"}
    assert model.score(X, y) > 0.75


def test_a_forest_may_be_the_only_anchor_of_many_classes() -> None:
    random = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = random.normal(size=(120, 3)) + 2.0 * y[:, None]
    model = TacitClassifier(["forest"], [], random_state=0).fit(X[:40], y[:40])
    assert model.score(X, y) > 0.8
    assert model.decision_function(X).shape == (120, 3)


def test_a_class_with_a_single_label_does_not_stop_folds_or_forest() -> None:
    X, y, _ = moons()
    marked = np.full(len(y), -1)
    marked[np.flatnonzero(y == 0)[:9]] = 0
    marked[np.flatnonzero(y == 1)[:1]] = 1
    anchors = ["forest", ("logistic", LogisticRegression())]
    model = TacitClassifier(anchors, views=["graph"], random_state=0).fit(X, marked)
    assert set(model.predict(X)) <= {0, 1}


def test_transformers_and_precomputed_geometry_of_the_user_are_views() -> None:
    X, y, marked = moons()
    bins = KBinsDiscretizer(4, strategy="uniform")
    model = fast(views=[("bins", bins), "graph"]).fit(X, marked)
    assert any(score["name"].startswith("bins (") for score in model.evidence_.scores)
    graph = PrecomputedView(kneighbors_graph(X, 6), "graph")
    only = fast(views=[("mine", graph)], caution=0.0).fit(X[:], marked)
    assert only.evidence_.uses_views
    assert np.mean(only.transduction_ == y[30:]) > 0.95
    with pytest.raises(ValueError, match="read transduction_"):
        only.predict(X)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("size", [1e39, -1e200])
def test_values_too_large_for_trees_are_named_in_fit_and_predict(kind: Any, size: float) -> None:
    X, _, marked = moons(60)
    model = fast(views=[]).fit(kind(X), marked)
    X[50, 0] = size
    with pytest.raises(ValueError, match="X has values of up to 1e\\+"):
        fast(views=[]).fit(kind(X), marked)
    with pytest.raises(ValueError, match="divide the columns"):
        model.predict(kind(X))


def test_nan_in_a_precomputed_view_is_refused_wherever_it_stands() -> None:
    X, _, marked = moons(60)
    kernel = X @ X.T
    kernel[50, 3] = np.nan  # of an unlabeled row
    with pytest.raises(ValueError, match="values of a precomputed kernel has NaN"):
        fast(views=[("mine", PrecomputedView(kernel))]).fit(X, marked)


def test_a_view_in_which_all_rows_are_alike_counts_for_nothing() -> None:
    X, _, marked = moons(100)
    nothing = FunctionTransformer(lambda rows: np.ones((len(rows), 1)))
    model = fast(views=[("nothing", nothing)], caution=0.0).fit(X, marked)
    assert not model.evidence_.uses_views
    assert "There are no views to compare them with." in str(model.evidence_)


@pytest.mark.parametrize("output", ["pandas", "polars"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_frames_as_the_output_of_transformers_change_nothing(output: str, kind: Any) -> None:
    pytest.importorskip(output)
    X, _, marked = moons(100)
    rows = kind(X)
    expected = fast().fit(rows, marked).decision_function(rows)
    with sklearn.config_context(transform_output=output):
        model = fast().fit(rows, marked)
        np.testing.assert_array_equal(model.decision_function(rows), expected)
    pca = PCA(1).set_output(transform=output)
    views = ["components", ("pca", pca), ("on it", GraphView(pca))]
    assert len(fast(views=views).fit(X, marked).predict(X)) == 100


def test_even_weights_are_none() -> None:
    X, _, marked = moons(80)
    options: dict[str, Any] = {"anchors": ["forest"], "views": [], "random_state": 0}
    plain = TacitClassifier(**options).fit(X, marked)
    even = TacitClassifier(**options).fit(X, marked, sample_weight=np.full(80, 3.0))
    np.testing.assert_array_equal(plain.decision_function(X), even.decision_function(X))


def test_constant_columns_give_no_warning_and_one_label_a_class_no_evidence() -> None:
    marked = np.array([0, 1, 0, 1, *[-1] * 46])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fast().fit(np.ones((50, 3)), marked)
    X, y = load_digits(return_X_y=True)
    partly = np.full(len(y), -1)
    for label in range(3):
        partly[np.flatnonzero(y == label)[0]] = label
    model = fast().fit(X[y < 3], partly[y < 3])
    assert not model.evidence_.uses_views


def test_without_unlabeled_rows_it_is_the_anchors() -> None:
    X, y, _ = noise(40)
    model = fast().fit(X, y)
    assert not model.evidence_.uses_views
    assert len(model.transduction_) == 0
    assert "no views" in str(model.evidence_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"anchors": "linear"}, "'anchors' parameter"),
        ({"anchors": ["tree"]}, "anchors has 'tree'; each must be one of linear, rbf"),
        ({"views": [("x", 3)]}, r"a pair of a name and a view \(tacit.views has some\)"),
        ({"views": [("x", GraphView(neighbors=()))]}, "neighbors.*empty"),
        ({"views": [("x", GraphView(heat=()))]}, "heat and inverse, are empty"),
        ({"views": [("x", FunctionTransformer(lambda rows: rows * np.nan))]}, "NaN or infinity"),
        ({"n_jobs": 0}, "'n_jobs' parameter"),
        ({"views": ["graph", "graph"]}, "each must be there once"),
        ({"anchors": []}, "none of which suits these rows"),
        ({"caution": -1.0}, "'caution' parameter"),
        ({"max_reference_rows": 0}, "'max_reference_rows' parameter"),
    ],
)
def test_bad_parameters_are_named(options: Any, message: str) -> None:
    X, _, marked = moons(50)
    with pytest.raises(ValueError, match=message):
        fast(**options).fit(X, marked)


def test_an_interrupted_fit_leaves_the_classifier_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, _, marked = moons(80)
    model = fast(views=["graph"]).fit(X, marked)
    before = dict(vars(model))

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tacit.views._graph.GraphView.blocks", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :1], marked)
    assert vars(model) == before


def test_a_stored_model_predicts_the_same() -> None:
    X, _, marked = moons(200, 16)
    model = TacitClassifier(random_state=0).fit(X, marked)
    assert model.evidence_.uses_views
    skops = pytest.importorskip("skops.io")
    copies = [pickle.loads(pickle.dumps(model))]
    stored = skops.dumps(model)
    trusted = skops.get_untrusted_types(data=stored)
    assert all(name.startswith(("tacit.", "sklearn.", "scipy.")) for name in trusted)
    copies.append(skops.loads(stored, trusted=trusted))
    for copy in copies:
        np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))


def test_progress_is_told_on_the_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    X, _, marked = moons(50)
    fast(verbose=1).fit(X, marked)
    told = capsys.readouterr()
    assert told.out == ""
    assert "view graph" in told.err
    fast().fit(X, marked)
    assert capsys.readouterr().err == ""


def test_unlabeled_rows_are_routed_through_pipelines() -> None:
    X, y, marked = moons()
    labeled = marked != -1
    with sklearn.config_context(enable_metadata_routing=True):
        last = fast(views=["components"]).set_fit_request(X_unlabeled=True)
        steps = [("scale", StandardScaler()), ("classify", last)]
        pipeline = Pipeline(steps, transform_input=["X_unlabeled"])
        pipeline.fit(X[labeled], y[labeled], X_unlabeled=X[~labeled])
    scaler = StandardScaler().fit(X[labeled])
    apart = fast(views=["components"])
    apart.fit(scaler.transform(X[labeled]), y[labeled], scaler.transform(X[~labeled]))
    np.testing.assert_array_equal(pipeline[-1].transduction_, apart.transduction_)
    assert pipeline[-1].evidence_ == apart.evidence_


def test_the_model_without_views_is_kept_and_names_are_for_people() -> None:
    X, _, marked = moons()
    model = fast(caution=0.0).fit(X, marked)
    alone = fast(views=[]).fit(X, marked)
    np.testing.assert_array_equal(model.supervised_model_(X), alone.model_(X))
    shut = model.without_views()
    np.testing.assert_array_equal(shut.predict_proba(X), alone.predict_proba(X))
    own, theirs = (each._held_back.left_out().decisions for each in (shut, alone))
    np.testing.assert_array_equal(own, theirs)
    assert shut.set_params(caution=alone.caution).get_params() == alone.get_params()
    names = {score["name"]: score["source"] for score in model.evidence_.scores}
    assert names["graph (5 neighbours, heat 30)"] == "graph"
    assert names["components (2 whitened, linear)"] == "components"
    assert names["clusters (of 12)"] == "clusters"
    assert names["rbf (width 1)"] == "rbf"


def test_infinite_caution_leaves_the_anchors_to_the_bit() -> None:
    X, _, marked = moons()
    never = fast(caution=np.inf).fit(X, marked)
    without = fast(views=[]).fit(X, marked)
    np.testing.assert_array_equal(never.decision_function(X), without.decision_function(X))
    assert "the unlabeled rows change nothing" in str(never.certificate_)


def test_the_seed_reaches_every_part_that_the_user_brings() -> None:
    X, _, marked = moons()
    anchors = ["linear", ("forest of mine", make_pipeline(RandomForestClassifier(5)))]
    views = [("projection", make_pipeline(GaussianRandomProjection(2)))]
    one, two = (fast(anchors=anchors, views=views).fit(X, marked) for _ in range(2))
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_a_file_sorted_by_class_is_no_evidence_where_all_rows_are_alike() -> None:
    y = np.repeat([0, 1], 150)
    random = np.random.default_rng(0)
    opened = 0
    for _ in range(8):
        marked = np.full(300, -1)
        labeled = random.permutation(300)[:40]
        marked[labeled] = y[labeled]
        X = (random.random((300, 1)) < 0.5).astype(float)
        model = fast(anchors=["linear"], views=["graph"], caution=2.0).fit(X, marked)
        opened += model.evidence_.uses_views
    assert opened <= 1


def test_weights_that_an_anchor_cannot_take_are_an_error() -> None:
    X, _, marked = moons()
    anchor = ("mine", make_pipeline(StandardScaler(), LogisticRegression()))
    with pytest.raises(ValueError, match="the anchor 'mine' takes none"):
        fast(anchors=[anchor], views=[]).fit(X, marked, sample_weight=np.ones(len(X)))


def test_sparse_rows_that_are_all_alike_are_no_warning_of_numpy() -> None:
    X = sparse.csr_array(np.array([[1.0, 2.0], [1.0, 2.0]]))
    model = TacitClassifier(["linear", "rbf"], random_state=0).fit(X, [0, 1])
    assert np.isfinite(model.decision_function(X)).all()
