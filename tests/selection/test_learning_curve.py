"""Curves over labels and unlabeled rows, and what they foretell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from tacit import ICLSClassifier, LeastSquaresClassifier
from tacit.selection import LearningCurve, learning_curve
from tacit.selection._power_law import fit_power_laws, forecast
from tests.selection.tables import Spy, pair, two_classes


@pytest.fixture(scope="module")
def curve() -> LearningCurve:
    X, y = two_classes(n_labeled=40, shift=0.4)
    return learning_curve(X, y, pair(), cv=4, n_repeats=1)


def test_smaller_training_sets_are_parts_of_larger_ones_and_tests_stay_the_same() -> None:
    X, y = two_classes()
    numbered = np.column_stack([np.arange(len(y)), X])
    Spy.forget()
    estimators = {"supervised": Spy("supervised"), "semi": (Spy("semi"), "supervised")}
    learning_curve(
        numbered, y, estimators, n_labeled=[4, 8, 18], n_unlabeled=[0, 10, 40], cv=4, n_repeats=1
    )
    fits, asked = Spy.fitted["semi"], Spy.asked["semi"]
    # The point with all rows belongs to both curves and is measured once.
    assert len(fits) == 4 * 5
    for start in range(0, len(fits), 5):
        four, eight, everything, none, ten = (set(fit) for fit in fits[start : start + 5])
        assert four < eight < everything
        assert none < ten < everything
        assert [len(s) for s in (four, eight, none, ten)] == [44, 48, 18, 28]
        assert all(tested == asked[start] for tested in asked[start : start + 5])
        assert not everything & set(asked[start])


def test_the_seed_decides_which_rows_are_taken_even_where_the_splits_are_given() -> None:
    X, y = two_classes()
    numbered = np.column_stack([np.arange(len(y)), X])

    def rows(seed: int) -> Any:
        Spy.forget()
        estimators = {"supervised": Spy("supervised"), "semi": (Spy("semi"), "supervised")}
        learning_curve(
            numbered, y, estimators, n_labeled=[6], n_unlabeled=[5], cv=StratifiedKFold(3),
            random_state=seed,
        )  # fmt: skip
        return [sorted(fit) for fit in Spy.fitted["semi"]]

    first, second = rows(0), rows(1)
    assert first == rows(0)
    assert all(a != b for a, b in zip(first, second, strict=True))


def test_even_the_smallest_training_set_has_every_class() -> None:
    X, y = two_classes()
    y[np.flatnonzero(y == 1)[3:]] = 0
    Spy.forget()
    estimators = {"supervised": Spy("supervised"), "semi": (Spy("semi"), "supervised")}
    learning_curve(X, y, estimators, n_labeled=[2], n_unlabeled=[], cv=3, n_repeats=2)
    assert all(sorted(labels) == [0, 1] for labels in Spy.labels["supervised"])


def test_without_unlabeled_rows_a_method_is_its_twin(curve: LearningCurve) -> None:
    first = {name: curve.points("unlabeled rows", name)[0] for name in ("ridge", "ICLS")}
    assert first["ICLS"].n_unlabeled == 0
    assert first["ICLS"].loss == first["ridge"].loss


def test_default_sizes_reach_from_few_rows_to_all(curve: LearningCurve) -> None:
    labels = [p.n_labeled for p in curve.points("labels", "ridge")]
    rows = [p.n_unlabeled for p in curve.points("unlabeled rows", "ridge")]
    assert labels[0] <= 5
    assert labels[-1] == 30
    assert rows[0] == 0
    assert rows[-1] == 40


def test_default_sizes_fit_the_smallest_tables() -> None:
    X, y = two_classes(n_labeled=4, n_unlabeled=6)
    smallest = learning_curve(X, y, pair(), n_repeats=1)
    assert [p.n_labeled for p in smallest.points("labels", "ridge")] == [2]
    assert [p.n_unlabeled for p in smallest.points("unlabeled rows", "ridge")] == [0, 6]


def test_curves_meet_where_both_have_all_rows(curve: LearningCurve) -> None:
    for name in curve.names:
        ends = [curve.points(along, name)[-1].loss for along in ("labels", "unlabeled rows")]
        assert ends[0] == ends[1]


def test_a_curve_can_be_printed_tabulated_and_drawn(curve: LearningCurve) -> None:
    frame = curve.frame()
    assert set(frame["along"]) == {"labels", "unlabeled rows"}
    assert len(frame) == sum(
        len(curve.points(along, name)) for along in set(frame["along"]) for name in curve.names
    )
    text = str(curve)
    assert text.startswith(curve.sentence())
    for heading in ("error by labels trained on", "error by unlabeled rows", "error with 20 more"):
        assert sum(line.startswith(heading) for line in text.splitlines()) == 1
    assert len(curve.plot().axes) == 2


def test_the_sentence_tells_what_more_labels_buy_for_the_best_classifier(
    curve: LearningCurve,
) -> None:
    best = min(curve.forecast(), key=lambda f: f.now)
    change = f"{100 * best.low:.1f} to {100 * best.high:.1f}"
    assert curve.sentence() == (
        f"20 more labels would take the error of {best.name}, the lowest now, from "
        f"{best.now:.1%} to about {best.then:.1%} (90% interval of the change: {change})."
    )


def test_of_classifiers_that_look_alike_the_sentence_names_the_supervised_one() -> None:
    X, y = two_classes(n_labeled=40, shift=0.4)
    twins = {name: LeastSquaresClassifier(alpha=1.0) for name in ("first", "second")}
    estimators = {**twins, "ICLS": (ICLSClassifier(alpha=1e6), "first")}
    curve = learning_curve(X, y, estimators, n_unlabeled=[], cv=3, n_repeats=1)
    assert "the error of first, the lowest now" in curve.sentence()


def test_few_labels_are_not_asked_about_more_than_a_curve_can_tell() -> None:
    X, y = two_classes(n_labeled=6, n_unlabeled=20)
    curve = learning_curve(X, y, pair(), n_labeled=[2, 3, 4], n_unlabeled=[], cv=3, n_repeats=1)
    assert {f.n_more for f in curve.forecast()} == {18}


def test_one_curve_can_be_left_out() -> None:
    X, y = two_classes()
    alone = learning_curve(X, y, pair(), n_labeled=[], n_unlabeled=[0, 40], cv=2, n_repeats=1)
    assert alone.points("labels", "ridge") == []
    assert alone.forecast(5) == ()
    assert alone.sentence() == ""
    assert "labels trained on, all unlabeled rows" not in str(alone)
    alone.plot()


def test_a_power_law_is_found_again() -> None:
    sizes = np.array([10.0, 20.0, 40.0, 80.0, 160.0])
    law = fit_power_laws(sizes, 0.1 + 2.0 * sizes[None] ** -0.7, sizes[None])
    assert np.ravel(law) == pytest.approx([0.1, 2.0, 0.7])


def test_a_curve_that_rises_is_taken_to_be_flat() -> None:
    sizes = np.array([10.0, 20.0, 40.0])
    law = fit_power_laws(sizes, np.array([[0.1, 0.2, 0.3]]), sizes[None])
    assert law.floor == pytest.approx((10 * 0.1 + 20 * 0.2 + 40 * 0.3) / 70)
    assert law.ratio(1000, 10) == 1.0


def test_a_forecast_without_noise_is_the_law_with_a_narrow_interval() -> None:
    sizes = np.array([10.0, 20.0, 40.0, 80.0, 160.0])
    losses = np.tile(0.1 + 2.0 * sizes**-0.7, (10, 1))
    found = forecast("a", sizes, losses, 200, 100, 0.1)
    assert found.now == pytest.approx(0.1 + 2.0 * 200**-0.7)
    assert found.then == pytest.approx(0.1 + 2.0 * 300**-0.7)
    assert found.low == pytest.approx(found.change) == pytest.approx(found.high)


def test_noise_widens_a_forecast_which_promises_no_harm_and_no_less_than_nothing() -> None:
    sizes = np.array([10.0, 20.0, 40.0, 80.0, 160.0])
    random = np.random.default_rng(0)
    losses = 0.1 + 2.0 * sizes**-0.7 + random.normal(size=(10, 5)) * 0.1
    found = forecast("a", sizes, losses, 200, 100, 0.1)
    assert found.low < found.change < found.high <= 0.0
    assert found.low >= -found.now


def test_a_curve_that_bends_late_may_go_on_as_it_ends() -> None:
    sizes = np.array([10.0, 17.0, 28.0, 48.0, 80.0])
    found = forecast("a", sizes, np.tile([0.42, 0.45, 0.44, 0.35, 0.2], (6, 1)), 100, 20, 0.25)
    end = fit_power_laws(sizes[-3:], np.array([[0.44, 0.35, 0.2]]), sizes[None, -3:])
    steepest = found.now * (end.ratio(120, 100)[0] - 1.0)
    assert found.low <= steepest < found.change


@pytest.mark.parametrize("n_more", [0, 121, 2.5])
def test_forecasts_too_far_out_are_refused(curve: LearningCurve, n_more: Any) -> None:
    with pytest.raises(ValueError, match="whole number from 1 to 120"):
        curve.forecast(n_more)
