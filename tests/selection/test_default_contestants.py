"""Who is compared where nobody else is named."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from tacit import TacitClassifier
from tacit.selection import Contestant, Kind, compare, default_contestants
from tacit.selection._contestants import Sees
from tests.selection.tables import two_classes


def test_supervised_classifiers_come_first_and_each_method_has_its_twin_among_them() -> None:
    usual = tuple(default_contestants().values())
    twins = {contestant.name: contestant.twin for contestant in usual}
    assert list(twins)[:4] == ["ridge", "logistic", "forest", "anchors"]
    assert [c.is_semi_supervised for c in usual] == [False] * 4 + [True] * 4
    ridge = dict.fromkeys(("ICLS", "projected", "self-learning"), "ridge")
    assert dict(list(twins.items())[4:]) == {"tacit": "anchors"} | ridge


def test_tacit_is_its_anchors_to_the_bit_where_views_are_not_used() -> None:
    X, y = two_classes(shift=0.4)
    estimators = {
        "anchors": TacitClassifier(views=[], random_state=0),
        "tacit": (TacitClassifier(caution=np.inf, random_state=0), "anchors"),
    }
    # Columns that only all rows scale alike.
    comparison = compare(X * [1.0, 10.0, 100.0], y, estimators, cv=2, n_repeats=1)
    twin = comparison.methods["tacit"].against_twin
    assert (twin.mean, twin.disagreement) == (0.0, 0.0)


def test_anchors_are_supervised_though_all_rows_scale_them_and_tacit_needs_a_twin() -> None:
    anchors = Contestant("anchors", TacitClassifier(views=()))
    assert anchors.training is Sees.UNLABELED
    assert not anchors.is_semi_supervised
    X, y = two_classes()
    with pytest.raises(ValueError, match=r"estimators\['tacit'\] is semi-supervised"):
        compare(X, y, [anchors, Contestant("tacit", TacitClassifier())])


def test_above_500_labels_tacit_is_left_out_and_that_is_said() -> None:
    assert len(default_contestants(None, 500)) == len(default_contestants()) == 8
    assert not {"tacit", "anchors"} & set(default_contestants(None, 501))
    X, y = two_classes(n_labeled=502)
    comparison = compare(X, y, cv=2, n_repeats=1)
    assert "tacit" not in comparison.losses
    assert any("500 labels tacit" in line for line in comparison.verdict.evidence)


@pytest.mark.slow
def test_unlabeled_digits_help_and_the_verdict_says_so() -> None:
    X, truth = load_digits(return_X_y=True)
    random = np.random.default_rng(1)
    of_each = [random.permutation(np.flatnonzero(truth == digit))[:5] for digit in range(10)]
    labeled = np.concatenate(of_each)  # 50 labels
    y = np.full(len(truth), -1)
    y[labeled] = truth[labeled]
    comparison = compare(X, y)
    assert comparison.verdict.kind is Kind.HELPS
    assert comparison.recommended == comparison.verdict.method == "tacit"
    # And so it is: the labels that nobody was shown tell.
    errors = {
        name: np.mean(comparison.models[name].predict(X[y == -1]) != truth[y == -1])
        for name in comparison.losses
    }
    assert errors["tacit"] < 0.7 * min(errors[n] for n in ("ridge", "forest", "anchors"))
