"""What the rows themselves say about every labeling, and what is kept of a promise."""

from __future__ import annotations

import itertools
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from tacit.rows import NumpyRows
from tacit.solver import Certificate, certify

LABELS = np.array([0, 0, 1, 2, 1])  # of five unlabeled rows, so that all with their shares are few


@pytest.mark.parametrize("seed", range(10))
def test_whatever_the_prices_no_labeling_with_the_shares_is_worse_than_the_bound(seed: int) -> None:
    random = np.random.default_rng(seed)
    before, after = random.normal(size=(2, 2, 3))
    X, Y = random.normal(size=(4, 2)), np.eye(3)[[0, 1, 2, 0]]
    X_u = random.normal(size=(5, 2))
    shares = np.bincount(LABELS) / 5
    certificate = certify(
        lambda rows: rows @ before,
        lambda rows: rows @ after,
        X,
        Y,
        None,
        NumpyRows(X_u),
        guaranteed_improvement=np.inf,
        class_prior=tuple(shares),
        prices=random.normal(size=3),
    )
    promised = certificate.guaranteed_improvement
    assert promised is not None
    rows = np.concatenate([X, X_u])
    changes = []
    for labels in product(range(3), repeat=5):
        if sorted(labels) == sorted(LABELS):
            full = np.concatenate([Y, np.eye(3)[list(labels)]])
            squares = (rows @ after - full) ** 2 - (rows @ before - full) ** 2
            changes.append(0.5 * squares.sum() / 9)
    assert max(changes) <= -promised + 1e-12
    assert -promised <= certificate.worst_change + 1e-12


@pytest.mark.parametrize("is_exact", [False, True])
@pytest.mark.parametrize("growth", [1e-7, 1.0])
def test_a_negative_promise_is_rounding_or_the_start_is_kept(growth: float, is_exact: bool) -> None:
    certificate = certify(
        lambda rows: rows[:, 0],
        lambda rows: (1.0 + growth) * rows[:, 0],
        np.array([[0.5], [1.0]]),
        np.array([0.0, 1.0]),
        None,
        NumpyRows(np.array([[0.7]])),
        supervised_in_set=False,
        guaranteed_improvement=np.inf,
    )
    assert certificate.guaranteed_improvement == -certificate.worst_change < 0.0
    kept = certificate.or_supervised(is_exact=is_exact)
    assert kept.guaranteed_improvement == 0.0
    is_rounding = is_exact and growth < 1.0
    assert kept.kept_start is not is_rounding
    assert kept.worst_change == (certificate.worst_change if is_rounding else 0.0)
    for promised in (None, 0.0, 0.3):
        as_it_is = replace(certificate, guaranteed_improvement=promised)
        assert as_it_is.or_supervised(is_exact=is_exact) is as_it_is


CERTIFICATE = Certificate(
    supervised_in_set=False,
    worst_change=-0.25,
    best_change=-0.5,
    guaranteed_improvement=0.25,
    labeled_change=0.125,
    n_labeled=10,
    n_unlabeled=2000,
)
ROWS = "2,000 unlabeled and 10 labeled rows"
Cases = dict[str, tuple[dict[str, Any], str]]
SECOND: Cases = {
    "guarantee": (
        {},
        "Whatever the unknown labels are, the mean squared loss on these rows falls by at least "
        "0.25 (it changes by -0.5 at best and -0.25 at worst).",
    ),
    "guarantee with a prior": (
        {"class_prior": (0.5, 0.5)},
        "Whatever the unknown labels are, if the classes have the shares of the class prior among "
        "them, the mean squared loss on these rows falls by at least 0.25 (over labelings with any "
        "shares it changes by -0.5 at best and -0.25 at worst).",
    ),
    "penalty": (
        {"guaranteed_improvement": None, "penalised_improvement": 0.125},
        "Whatever the unknown labels are, the squared loss on these rows plus the penalty falls by "
        "at least 0.125 a row; the squared loss alone changes by -0.5 at best and -0.25 at worst.",
    ),
    "penalty with a prior": (
        {
            "guaranteed_improvement": None,
            "penalised_improvement": 0.0,
            "class_prior": (0.5, 0.5),
        },
        "Whatever the unknown labels are, if classes have the shares of the prior, the squared "
        "loss on these rows plus the penalty does not rise beyond rounding; the squared loss alone "
        "changes by -0.5 at best and -0.25 at worst.",
    ),
    "no harm": (
        {"guaranteed_improvement": None, "worst_change": 0.0, "class_prior": (0.5, 0.5)},
        "Whatever the unknown labels are, the mean squared loss on these rows does not rise: it "
        "changes by -0.5 at best and +0 at worst.",
    ),
    "harm": (
        {"guaranteed_improvement": None, "worst_change": 0.5},
        "Depending on the unknown labels, the mean squared loss on these rows changes by -0.5 at "
        "best and +0.5 at worst, so it can get worse.",
    ),
    "nothing": (
        {"worst_change": 0.0, "best_change": 0.0},
        "The squared loss on these rows is that of the supervised classifier.",
    ),
}
SAME: dict[str, Any] = {"worst_change": 0.0, "best_change": 0.0}
FIRST: Cases = {
    "outside": (
        {},
        f"No labeling of the {ROWS} leads to the supervised classifier, so the "
        "unlabeled data has something to say.",
    ),
    "with a prior": (
        {"class_prior": (0.5, 0.5)},
        f"No labeling of the {ROWS} with the given class prior leads to the supervised "
        "classifier, so the unlabeled data has something to say.",
    ),
    "kept": (
        {"kept_start": True},
        f"The fit to the {ROWS} ended too early to promise that it does no harm, so the supervised "
        "classifier was kept.",
    ),
    "inside": (
        {"supervised_in_set": True, **SAME},
        f"The supervised classifier already agrees with some labeling of the {ROWS}, so the "
        "unlabeled data changes nothing.",
    ),
    "no set, nothing": (
        {"supervised_in_set": None, **SAME},
        "The answer is the supervised classifier: the unlabeled rows change nothing.",
    ),
    "no set": (
        {"supervised_in_set": None},
        f"The {ROWS} were used by a method that gives no guarantee.",
    ),
    "left": (
        {"supervised_in_set": True},
        f"Some labeling of the {ROWS} leads to the supervised classifier itself, so the unlabeled "
        "data is no reason to leave it, but this method did.",
    ),
    "no rows": (
        {"n_unlabeled": 0},
        "There were no unlabeled rows, so this is the supervised classifier.",
    ),
}
THIRD: Cases = {
    "rises": ({}, "On the labeled rows it rises by 0.125."),
    "falls": ({"labeled_change": -0.125}, "On the labeled rows it falls by 0.125."),
    "same": ({"labeled_change": 0.0}, "On the labeled rows it is unchanged."),
}


@pytest.mark.parametrize(
    ("line", "facts", "sentence"),
    [
        pytest.param(line, *case, id=f"{line + 1}: {kind}")
        for line, cases in enumerate((FIRST, SECOND, THIRD))
        for kind, case in cases.items()
    ],
)
def test_each_sentence_says_what_the_certificate_holds(
    line: int, facts: dict[str, Any], sentence: str
) -> None:
    certificate = replace(CERTIFICATE, **facts)
    assert str(certificate).split("\n")[line] == sentence
    weighted = str(replace(certificate, is_weighted=True)).split("\n")[line]
    assert weighted == sentence.replace("squared loss", "weighted squared loss")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_worst_and_the_best_change_are_those_of_some_labels(n_classes: int) -> None:
    random = np.random.default_rng(0)
    X, X_u = random.normal(size=(4, 2)), random.normal(size=(5, 2))
    shape = (2,) if n_classes == 2 else (2, 3)
    own, other = random.normal(size=shape), random.normal(size=shape)
    known = np.array([0.0, 1.0, 1.0, 0.0]) if n_classes == 2 else np.eye(3)[[0, 1, 2, 0]]
    certificate = certify(
        lambda rows: rows @ own, lambda rows: rows @ other, X, known, None, NumpyRows(X_u)
    )

    def change(X: Any, Y: Any) -> float:
        moved = float(((X @ other - Y) ** 2).sum() - ((X @ own - Y) ** 2).sum())
        return moved / (1 if n_classes == 2 else 2)

    on_labeled = change(X, known)
    changes = [
        on_labeled + change(X_u, np.array(y, float) if n_classes == 2 else np.eye(3)[list(y)])
        for y in itertools.product(range(n_classes), repeat=5)
    ]
    assert 9 * certificate.worst_change == pytest.approx(max(changes))
    assert 9 * certificate.best_change == pytest.approx(min(changes))
    assert 4 * certificate.labeled_change == pytest.approx(on_labeled)


def test_weights_of_rows_are_those_of_the_losses() -> None:
    X, y, X_u = np.array([[0.5], [1.0]]), np.array([0.0, 1.0]), np.array([[0.7], [-0.3]])
    before, after = (lambda rows: rows[:, 0]), (lambda rows: 0.5 * rows[:, 0] + 0.1)
    twice = [0, 0, 1], [0, 1, 1, 1]
    repeated = certify(before, after, X[twice[0]], y[twice[0]], None, NumpyRows(X_u[twice[1]]))
    weighted = certify(
        before, after, X, y, np.array([2.0, 1.0]), NumpyRows(X_u, np.array([1.0, 3.0]))
    )
    for name in ("worst_change", "best_change", "labeled_change"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name), rel=1e-12)
    assert weighted.is_weighted
    assert not repeated.is_weighted
    assert (weighted.n_labeled, weighted.n_unlabeled) == (2, 2)
    assert certify(before, after, X, y, None, NumpyRows(X_u, np.ones(2))).is_weighted
    assert certify(before, after, X, y, np.ones(2), NumpyRows(X_u)).is_weighted


def test_what_is_promised_is_the_smaller_of_method_and_rows_and_has_the_penalty() -> None:
    X, y, X_u = np.array([[0.5], [1.0]]), np.array([0.0, 1.0]), np.array([[0.7], [-0.3]])

    def promised(amount: float, **more: Any) -> Certificate:
        return certify(
            lambda rows: 0.6 * rows[:, 0],
            lambda rows: 0.5 * rows[:, 0] + 0.1,
            X,
            y,
            None,
            NumpyRows(X_u),
            guaranteed_improvement=amount,
            **more,
        )

    own = -promised(np.inf).worst_change
    assert promised(np.inf).guaranteed_improvement == pytest.approx(own, rel=1e-12)
    assert promised(own - 1.0).guaranteed_improvement == own - 1.0
    both = promised(np.inf, penalty_change=0.4)
    assert both.guaranteed_improvement is None
    assert both.penalised_improvement == pytest.approx(own - 0.1, rel=1e-12)
    assert promised(np.inf).penalised_improvement is None
