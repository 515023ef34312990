"""Views: kernels that know no label, functions of them, and their extension to new rows."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import rankdata
from sklearn.decomposition import PCA
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import SplineTransformer

from tacit.views import (
    AveragedRanks,
    BaggedClusters,
    EmbeddingView,
    GraphView,
    Kernel,
    PrecomputedView,
    Reference,
    Rescaled,
    View,
    clusters_view,
    components_view,
    ranks_view,
)
from tacit.views._graph import NeighborIndex, normalised_adjacency

N, D, L = 90, 6, 7


def rows(n: int = N, d: int = D, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.normal(size=(n, d)) + 3.0 * (np.arange(n) % 3)[:, None]


def reference(X: np.ndarray, n_labeled: int = L, seed: int = 0) -> Reference:
    return Reference(X, n_labeled, np.arange(len(X)), seed, len(X))


VIEWS: dict[str, Any] = {
    "ranks": ranks_view,
    "components": lambda: components_view(N, D),
    "clusters": clusters_view,
    "graph": lambda: GraphView(inverse=(0.1,)),
    "rank graph": lambda: GraphView(AveragedRanks()),
    "unscaled graph": lambda: GraphView(Rescaled(np.arange(1.0, D + 1.0))),
    "any transformer": lambda: EmbeddingView(SplineTransformer(5)),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_has_symmetric_kernels_without_negative_directions(name: str) -> None:
    view = VIEWS[name]().fit(reference(rows()))
    assert isinstance(view, View)
    for block in view.blocks().values():
        assert block.shape == (L, L)
        np.testing.assert_allclose(block, block.T, atol=1e-12)
        assert np.linalg.eigvalsh(block).min() > -1e-5 * np.abs(block).max()


@pytest.mark.parametrize("name", VIEWS)
def test_functions_have_the_values_of_the_kernels_and_extend_to_the_same_rows(name: str) -> None:
    X = rows()
    view = VIEWS[name]().fit(reference(X))
    blocks = view.blocks()
    random = np.random.default_rng(1)
    duals = {kernel: random.normal(size=(L, 2)) for kernel in blocks}
    values, function = view.functions(duals)
    assert values.shape == (N, 2)
    expected = sum(blocks[kernel] @ dual for kernel, dual in duals.items())
    np.testing.assert_allclose(values[:L], expected, atol=1e-5)
    np.testing.assert_allclose(function(X), values, atol=1e-8)
    assert function(rows(5, seed=9)).shape == (5, 2)


@pytest.mark.parametrize("name", VIEWS)
def test_the_same_seed_gives_the_same_kernels(name: str) -> None:
    first, second = (VIEWS[name]().fit(reference(rows(), seed=4)).blocks() for _ in range(2))
    for kernel, block in first.items():
        np.testing.assert_array_equal(block, second[kernel])


def test_ranks_average_ties_so_that_the_order_of_the_rows_says_nothing() -> None:
    X = np.round(rows())
    ranks = AveragedRanks().fit(X)
    expected = (np.apply_along_axis(rankdata, 0, X) - 0.5) / len(X)
    np.testing.assert_allclose(ranks.transform(X), expected)
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(AveragedRanks().fit(X[order]).transform(X), ranks.transform(X))


def test_ranks_of_many_rows_are_known_to_a_thousandth() -> None:
    X = np.random.default_rng(0).exponential(size=(5000, 2))
    expected = (np.apply_along_axis(rankdata, 0, X) - 0.5) / len(X)
    np.testing.assert_allclose(AveragedRanks().fit(X).transform(X), expected, atol=1e-3)


def test_components_are_those_of_scikit_learn_plain_and_whitened() -> None:
    X = rows()
    kernels = components_view(N, D).fit(reference(X)).blocks()
    scores = PCA(2).fit_transform(X)[:L]
    np.testing.assert_allclose(kernels["2, linear"], scores @ scores.T, atol=1e-9)
    white = PCA(2, whiten=True).fit_transform(X)[:L]
    np.testing.assert_allclose(kernels["2 whitened, linear"], white @ white.T, atol=1e-9)


def test_rows_of_one_cluster_agree_and_others_do_not() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2)) + 100.0 * (np.arange(60) % 2)[:, None]
    view = EmbeddingView(BaggedClusters((2,), 5), [Kernel("linear")]).fit(reference(X))
    same = (np.arange(L)[:, None] - np.arange(L)) % 2 == 0
    np.testing.assert_array_equal(view.blocks()["linear"], 5.0 * same)


def test_filters_are_those_of_the_whole_spectrum() -> None:
    X = rows()
    near = kneighbors_graph(X, 5)
    A = normalised_adjacency(sparse.csr_array(near)).toarray()
    values, vectors = np.linalg.eigh(A)
    view = GraphView(neighbors=(5,), heat=(3.0, 100.0), inverse=(0.05,)).fit(reference(X))
    blocks = view.blocks()
    filters = {
        "5 neighbours, heat 3": np.exp(-3.0 * (1.0 - values)),
        "5 neighbours, heat 100": np.exp(-100.0 * (1.0 - values)),
        "5 neighbours, inverse 0.05": 0.05 / (1.0 - values + 0.05),
    }
    assert blocks.keys() == filters.keys()
    for name, filter_ in filters.items():
        kernel = (vectors * filter_) @ vectors.T
        np.testing.assert_allclose(blocks[name], kernel[:L, :L], atol=1e-5)


def test_many_labeled_rows_are_filtered_in_blocks_of_columns() -> None:
    X = rows(200)
    few = GraphView().fit(reference(X, 20)).blocks()
    many = GraphView().fit(reference(X, 150)).blocks()
    for name, block in few.items():
        np.testing.assert_allclose(many[name][:20, :20], block, atol=1e-12)


def test_a_new_row_takes_the_mean_of_its_neighbours() -> None:
    X = rows()
    view = GraphView(neighbors=(3,), heat=(5.0,)).fit(reference(X))
    values, function = view.functions({"3 neighbours, heat 5": np.ones((L, 1))})
    new = rows(4, seed=5)
    nearest = np.argsort(((new[:, None] - X) ** 2).sum(axis=2), axis=1)[:, :3]
    np.testing.assert_allclose(function(new), values[nearest].mean(axis=1))


def test_coinciding_rows_and_few_rows_make_a_graph() -> None:
    X = np.repeat(rows(4), 10, axis=0)
    for block in GraphView().fit(reference(X)).blocks().values():
        assert np.isfinite(block).all()
    assert GraphView().fit(reference(rows(3), 2)).blocks()["2 neighbours, heat 10"].shape == (2, 2)


@pytest.mark.parametrize("kind", ["kernel", "graph", "embedding"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_precomputed_views_are_indexed_by_the_rows_of_fit(kind: Any, form: Any) -> None:
    X = rows()
    given = {"kernel": X @ X.T, "graph": kneighbors_graph(X, 5).toarray(), "embedding": X}[kind]
    order = np.random.default_rng(0).permutation(N)
    view = PrecomputedView(form(given), kind).fit(Reference(X[order], L, order, 0, N))
    blocks = view.blocks()
    if kind == "kernel":
        np.testing.assert_allclose(blocks["kernel"], X[order[:L]] @ X[order[:L]].T)
    values, function = view.functions({name: np.eye(L) for name in blocks})
    np.testing.assert_allclose(values[:L], sum(blocks.values()), atol=1e-9)
    with pytest.raises(ValueError, match="read transduction_"):
        function(X)


def test_a_precomputed_kernel_of_another_table_is_refused() -> None:
    for size in (N - 1, N + 1):
        with pytest.raises(ValueError, match=f"a column for each of the {N} given to fit"):
            PrecomputedView(np.eye(size)).fit(reference(rows()))
    sample = replace(reference(rows()), n_rows=2 * N)
    with pytest.raises(ValueError, match="raise max_reference_rows"):
        PrecomputedView(np.eye(2 * N)).fit(sample)
    with pytest.raises(ValueError, match="one of kernel, graph, embedding"):
        PrecomputedView(np.eye(N), "kernels").fit(reference(rows()))  # type: ignore[arg-type]


def test_neighbours_at_the_same_distance_do_not_tell_the_order_of_the_file() -> None:
    X = np.zeros((N, D))
    block = GraphView().fit(reference(X, N)).blocks()["5 neighbours, heat 10"]
    near = np.abs(np.subtract.outer(np.arange(N), np.arange(N))) < N // 4
    others = ~np.eye(N, dtype=bool)
    assert block[near & others].mean() < 1.5 * block[~near].mean()


def test_a_transformer_that_loses_rows_is_refused() -> None:
    class Lossy(PCA):
        def transform(self, X: Any) -> Any:
            return super().transform(X)[1:]

    with pytest.raises(ValueError, match="a row of coordinates for every row"):
        EmbeddingView(Lossy()).fit(reference(rows()))


def test_many_rows_have_nearly_exact_neighbours_and_the_same_in_any_number_of_threads() -> None:
    faiss = pytest.importorskip("faiss")
    random = np.random.default_rng(0)
    X = random.normal(size=(6000, 5)) @ random.normal(size=(5, 20))
    exact = np.argsort(((X[:50, None] - X) ** 2).sum(axis=2), axis=1)[:, :10]
    before, found = faiss.omp_get_max_threads(), []
    for n_threads in (1, 3):
        faiss.omp_set_num_threads(n_threads)
        found.append(NeighborIndex(X).search(X[:50], 10))
    faiss.omp_set_num_threads(before)
    np.testing.assert_array_equal(found[0][1], found[1][1])
    np.testing.assert_array_equal(found[0][0], found[1][0])
    hits = [len(set(a) & set(b)) for a, b in zip(exact, found[0][1], strict=True)]
    assert np.mean(hits) > 9.5


def test_without_the_library_for_many_rows_scikit_learn_finds_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tacit.views._graph._faiss", lambda: None)
    X = np.random.default_rng(0).normal(size=(5500, 2))
    distances, index = NeighborIndex(X).search(X[:5], 1)
    np.testing.assert_array_equal(index[:, 0], np.arange(5))
    np.testing.assert_allclose(distances, 0.0, atol=1e-6)


def test_no_matrix_of_all_pairs_of_rows_is_formed() -> None:
    n = 4000
    X = rows(n, 3)
    tracemalloc.start()
    try:
        for make in (ranks_view, clusters_view, GraphView, lambda: components_view(n, 3)):
            view = make().fit(reference(X))
            view.functions({name: np.ones((L, 1)) for name in view.blocks()})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.3 * 8 * n * n


def test_a_kernel_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="kind is 'cubic'; it must be one of linear"):
        Kernel("cubic")  # type: ignore[arg-type]
