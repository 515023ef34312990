"""Looking runs up and summing them up."""

import sys

import numpy as np
import pytest
from scipy.stats import wilcoxon

from tacit.research.experiments import Results, Run, run
from tacit.research.experiments._results import LEVEL
from tests.research.experiments.tables import experiments

NAN = float("nan")


def runs_of(classifier, values, **changes):
    columns = {"dataset": "d", "protocol": "p", "n_labeled": 5, "n_unlabeled": 10} | changes
    return [
        Run(
            **columns,
            classifier=classifier,
            repeat=repeat,
            measure="error",
            value=value,
            seconds=0.1,
            status="ok" if value == value else "failed: Oh: no",
        )
        for repeat, value in enumerate(values)
    ]


@pytest.fixture
def results():
    return Results.of(
        runs_of("supervised", [0.2, 0.2, 0.2, 0.2, 0.2])
        + runs_of("other", [0.1, 0.2 + 1e-12, 0.3, 0.4, NAN])
        + runs_of("hopeless", [NAN] * 5)
        + runs_of("other", [0.5], n_unlabeled=2)
    )


def test_a_summary_is_over_the_repeats_that_ended(results):
    found = results.summary("d", "p", "other", "error", 10)
    ended = [0.1, 0.2, 0.3, 0.4]
    assert found.mean == pytest.approx(np.mean(ended))
    assert found.standard_error == pytest.approx(np.std(ended, ddof=1) / 2)
    assert (found.n_repeats, found.n_incomplete, found.n_labeled, found.n_unlabeled) == (
        4,
        1,
        5,
        10,
    )
    # What differs by rounding is not worse.
    assert found.times_worse == 2
    assert results.summary("d", "p", "supervised", "error", 10, twin="other").times_worse == 1
    assert np.isnan(results.summary("d", "p", "other", "error", 2).standard_error)


def test_what_never_ended_has_no_summary(results):
    assert results.summary("d", "p", "hopeless", "error", 10) is None
    assert results.summary("d", "p", "nobody", "error", 10) is None
    found = {(s.classifier, s.n_unlabeled) for s in results.summaries()}
    assert found == {("supervised", 10), ("other", 10), ("other", 2)}


def test_results_know_the_twins_of_their_classifiers(results):
    runs = [*runs_of("plain", [0.2, 0.2, 0.4]), *runs_of("clever", [0.3, 0.1, 0.5])]
    found = Results.of(runs, {"clever": "plain", "plain": "plain"})
    for each in (found, found.select(dataset="d")):
        assert {s.classifier: s.times_worse for s in each.summaries()} == {"plain": 0, "clever": 2}
        assert each.summary("d", "p", "clever", "error", 10).times_worse == 2
        assert each.summary("d", "p", "plain", "error", 10, twin="clever").times_worse == 1


def test_who_has_nobody_to_be_compared_with_was_never_better_nor_worse():
    alone = Results.of(runs_of("alone", [0.1, 0.2]))
    assert [s.times_worse for s in alone.summaries()] == [None]
    found = Results.of(
        runs_of("supervised", [0.1, NAN, 0.3])
        + runs_of("one", [0.2, 0.2, 0.2, 0.2])
        + runs_of("other", [NAN, 0.2, NAN])
    )
    counts = {s.classifier: (s.times_worse, s.n_repeats) for s in found.summaries()}
    assert counts == {"supervised": (0, 2), "one": (1, 4), "other": (None, 1)}


def test_values_come_in_the_order_of_the_repeats():
    shuffled = Results.of(runs_of("other", [0.1, 0.2, 0.3])[::-1])
    assert shuffled.values("d", "p", "other", "error", 10).tolist() == [0.1, 0.2, 0.3]
    assert shuffled.values("d", "p", "nobody", "error", 10).tolist() == []


def test_runs_are_selected_by_their_columns(results):
    assert results.sizes("d", "p", "other") == [2, 10]
    assert results.select(n_unlabeled=2).names("classifier") == ["other"]
    assert results.names("classifier") == ["supervised", "other", "hopeless"]
    assert results.select(dataset="another").runs == ()


def direction(one, other):
    results = Results.of([*runs_of("one", one), *runs_of("other", other)])
    return results.direction("d", "p", "one", "error", 10, other="other")


def test_the_test_of_equal_errors_is_that_of_wilcoxon():
    random = np.random.default_rng(0)
    told = []
    for shift in np.linspace(0.0, 1.0, 30):
        one, other = random.normal(size=20), random.normal(shift, size=20)
        told.append(int(wilcoxon(one, other).pvalue < LEVEL))
        assert abs(direction(one, other)) == told[-1]
        assert direction(other, one) == -direction(one, other)
    assert 0 < sum(told) < 30


def test_equal_errors_and_failures_are_no_evidence():
    errors = np.full(9, 0.2)
    assert direction(errors, errors) == 0
    assert direction(errors, np.full(9, NAN)) == 0


def test_a_frame_has_a_row_for_each_run(results):
    pytest.importorskip("pandas")
    frame = results.frame()
    assert len(frame) == len(results.runs)
    assert list(frame.columns) == list(Run.__dataclass_fields__)
    for found, row in zip(results.runs, frame.itertuples(index=False), strict=True):
        assert repr(Run(*row)) == repr(found)
    assert list(Results.of([]).frame().columns) == list(frame.columns)
    real = run(experiments(1)).frame()
    means = real[real.measure == "error"].groupby("classifier")["value"].mean()
    assert means.between(0, 1).all()


def test_without_pandas_the_extra_is_named(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'tacit\[data\]'"):
        results.frame()


def test_equal_differences_of_counts_are_ties_whatever_their_last_bits():
    random = np.random.default_rng(0)
    n = 267
    for _ in range(20):
        first, second = random.integers([[80], [82]], [[90], [92]], (2, 20))
        difference = first - second
        expected = wilcoxon(difference[difference != 0]).pvalue < LEVEL
        assert abs(direction(first / n, second / n)) == expected
