"""A comparison trains on what it may, tests on what it must, and says what it found."""

from __future__ import annotations

import pickle
import warnings
from itertools import chain
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier

from tacit import ICLSClassifier, LeastSquaresClassifier, ProjectedLeastSquaresClassifier
from tacit.selection import (
    Contestant,
    Kind,
    LabeledKFold,
    compare,
    default_contestants,
)
from tacit.selection._contestants import Sees
from tacit.selection._evaluate import BeyondMemoryError
from tacit.selection._splitters import PARTS
from tests.optional import pd
from tests.selection.tables import Spy, SpyTransformer, mover, pair, two_classes


@pytest.fixture
def numbered() -> tuple[Any, Any]:
    """A table whose first column numbers the rows, with labels scattered over it."""
    X, y = two_classes()
    order = np.random.default_rng(3).permutation(len(y))
    return np.column_stack([np.arange(len(y)), X[order]]), y[order]


def spies() -> dict[str, Any]:
    Spy.forget()
    return {"supervised": Spy("supervised"), "semi": (Spy("semi"), "supervised")}


def test_every_label_is_tested_once_in_each_repeat_and_no_unlabeled_row_is_scored(numbered) -> None:
    X, y = numbered
    compare(X, y, spies(), cv=4, n_repeats=2)
    # First come the answers for the unlabeled rows, which are compared, not scored.
    answered, scored = Spy.asked["semi"][:PARTS], Spy.asked["semi"][PARTS:]
    assert sorted(chain(*answered)) == np.flatnonzero(y == -1).tolist()
    labeled = np.flatnonzero(y != -1).tolist()
    assert sorted(chain(*scored)) == sorted(labeled * 2)
    assert Spy.asked["semi"] == Spy.asked["supervised"]


def test_semi_supervised_train_on_every_row_but_those_asked_about_and_supervised_on_labels(
    numbered,
) -> None:
    X, y = numbered
    compare(X, y, spies(), cv=4, n_repeats=1)
    unlabeled = set(np.flatnonzero(y == -1).tolist())
    everything, *semi_fits = Spy.fitted["semi"]
    assert set(everything) == set(range(len(y)))
    fits = list(zip(semi_fits, Spy.fitted["supervised"][1:], Spy.asked["semi"], strict=True))
    assert len(fits) == PARTS + 4
    for semi, supervised, tested in fits:
        assert set(semi) == set(range(len(y))) - set(tested)
        assert set(supervised) == set(semi) - unlabeled


def test_preprocessing_sees_all_training_rows_once_for_all_contestants(numbered) -> None:
    X, y = numbered
    Spy.forget()
    SpyTransformer.fitted.clear()
    contestants = [
        Contestant("supervised", make_pipeline(SpyTransformer(), Spy("supervised"))),
        Contestant("semi", make_pipeline(SpyTransformer(), Spy("semi")), "supervised"),
    ]
    compare(X, y, contestants, cv=4, n_repeats=1)
    fits = list(
        zip(SpyTransformer.fitted[1:], Spy.fitted["semi"][1:], Spy.asked["semi"], strict=True)
    )
    assert len(fits) == PARTS + 4
    for seen, semi, tested in fits:
        assert set(seen) == set(semi)
        assert not set(seen) & set(tested)


def test_preprocessing_with_other_settings_is_fitted_apart_and_noted(numbered) -> None:
    X, y = numbered
    SpyTransformer.fitted.clear()
    Spy.forget()
    estimators = {
        "a": make_pipeline(SpyTransformer(1), Spy("a")),
        "b": (make_pipeline(SpyTransformer(2), Spy("b")), "a"),
    }
    comparison = compare(X, y, estimators, cv=2, n_repeats=1)
    assert len(SpyTransformer.fitted) == 2 * (1 + PARTS + 2)
    assert any("preprocessed differently" in note for note in comparison.notes)


def test_preprocessing_that_cannot_be_told_apart_is_fitted_apart_and_not_noted() -> None:
    X, y = two_classes()

    def model(classifier: Any) -> Any:
        return make_pipeline(FunctionTransformer(lambda X: X), classifier)

    estimators = {"a": model(LeastSquaresClassifier()), "b": (model(ICLSClassifier()), "a")}
    comparison = compare(X, y, estimators, cv=2, n_repeats=1)
    assert not any("preprocessed differently" in note for note in comparison.notes)


def test_a_data_frame_reaches_the_pipeline_untouched() -> None:
    X, y = two_classes()
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(town=np.where(X[:, 0] > 0, "x", "y"))
    frame.insert(0, "number", range(len(y)))
    SpyTransformer.types.clear()
    Spy.forget()
    estimators = {
        "a": make_pipeline(SpyTransformer(), Spy("a")),
        "b": (make_pipeline(SpyTransformer(), Spy("b")), "a"),
    }
    compare(frame, y, estimators, cv=2, n_repeats=1)
    assert set(SpyTransformer.types) == {pd.DataFrame}


def test_mixed_columns_work_with_the_default_contestants_behind_a_transformer() -> None:
    X, y = two_classes(n_labeled=20)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(town=np.where(X[:, 0] > 0, "x", "y"))
    features = make_column_transformer(
        (OneHotEncoder(), ["town"]), (StandardScaler(), ["a", "b", "c"])
    )
    comparison = compare(frame, y, default_contestants(features), cv=2, n_repeats=1)
    assert set(comparison.losses) == set(default_contestants())


def test_steps_that_need_labels_get_the_labeled_rows_only() -> None:
    X, y = two_classes(d=5)

    def model(classifier: Any) -> Any:
        return make_pipeline(SelectKBest(k=2), classifier)

    estimators = {
        "ridge": model(LeastSquaresClassifier()),
        "ICLS": (model(ICLSClassifier()), "ridge"),
    }
    assert compare(X, y, estimators, cv=3, n_repeats=1).losses["ridge"] < 0.5


def test_answers_on_rows_that_a_method_was_fitted_on_are_no_proof_that_nothing_changed() -> None:
    # More columns than rows: self-learning keeps the answers of its twin on all rows it was given.
    X, y = two_classes(n_labeled=20, n_unlabeled=80, d=300, shift=0.1)
    comparison = compare(X, y, mover(), cv=5, n_repeats=1)
    fitted_on = X[y == -1]
    answers = [model.predict(fitted_on) for model in comparison.models.values()]
    assert np.mean(answers[0] != answers[1]) <= comparison.margin
    method = comparison.methods["self"]
    assert (method.against_twin.disagreement or 0.0) > 0.1
    assert not method.certain
    assert method.kind is not Kind.NO_DIFFERENCE


class KeepsItsRows(LeastSquaresClassifier):
    """The supervised answer for every row that it was fitted on, and the truth for all others."""

    def fit(self, X: Any, y: Any = None, *args: Any, **more: Any) -> KeepsItsRows:
        self.rows_ = {row.tobytes() for row in X}
        super().fit(X, y, *args, **more)
        return self

    def predict(self, X: Any) -> Any:
        truth = (X[:, 0] > 0.0).astype(int)
        is_kept = [row.tobytes() in self.rows_ for row in X]
        return np.where(is_kept, super().predict(X), truth)


def test_a_gain_on_new_rows_is_not_hidden_by_the_same_answers_on_those_fitted_on() -> None:
    X, _ = two_classes(n_labeled=60, n_unlabeled=100, d=600, shift=0.0)
    y = (X[:, 0] > 0.0).astype(int)
    y[60:] = -1
    estimators = {"ridge": LeastSquaresClassifier(1.0), "keeps": (KeepsItsRows(1.0), "ridge")}
    found = compare(X, y, estimators, n_repeats=1)
    method, models = found.methods["keeps"], found.models
    rows = X[60:]
    assert np.array_equal(models["keeps"].predict(rows), models["ridge"].predict(rows))
    assert method.against_twin.mean < -0.15
    assert method.kind is Kind.HELPS
    assert found.recommended == "keeps"


def test_more_columns_than_rows_never_make_no_difference_where_new_rows_say_otherwise() -> None:
    random = np.random.default_rng(0)
    X = random.standard_gamma(1.0, size=(388, 365)) ** 2
    y = (X[:, :5].sum(axis=1) + random.normal(size=388) > 10.0).astype(int)
    y[60:] = -1
    unpenalised = ProjectedLeastSquaresClassifier(alpha="loo", penalty="start")
    estimators = {
        "ridge": LeastSquaresClassifier("loo"),
        "projected": (ProjectedLeastSquaresClassifier(alpha="loo"), "ridge"),
        "unpenalised": (unpenalised, "ridge"),
    }
    found = compare(X[:188], y[:188], estimators, cv=5, n_repeats=1)

    def changed(name: str) -> float:
        answers = (found.models[each].predict(X[188:]) for each in (name, "ridge"))
        return float(np.mean(np.not_equal(*answers)))

    assert changed("unpenalised") > 0.05  # the case that this is about
    kinds = {name: method.kind for name, method in found.methods.items()}
    assert kinds["projected"] is Kind.NO_DIFFERENCE
    assert changed("projected") <= 0.05
    assert kinds["unpenalised"] is not Kind.NO_DIFFERENCE


def test_losses_are_those_of_fits_made_by_hand() -> None:
    X, y = two_classes()
    comparison = compare(X, y, pair(), cv=LabeledKFold(4))
    expected: dict[str, list[float]] = {"ridge": [], "ICLS": []}
    for train, test in LabeledKFold(4).split(X, y):
        for name, model in (("ridge", pair()["ridge"]), ("ICLS", pair()["ICLS"][0])):
            expected[name].append(
                1.0 - clone(model).fit(X[train], y[train]).score(X[test], y[test])
            )
    for name in expected:
        found = [split.value for split in comparison.splits if split.classifier == name]
        assert found == pytest.approx(expected[name])
        assert comparison.losses[name] == pytest.approx(np.mean(expected[name]))


def test_splitters_of_scikit_learn_split_the_labeled_rows() -> None:
    X, y = two_classes(n_labeled=20)
    comparison = compare(X, y, pair(), cv=StratifiedKFold(5))
    assert {split.n_test for split in comparison.splits} == {4}


@pytest.mark.parametrize(
    ("cv", "said"),
    [
        (5, "Every label was held back and predicted 2 times over, in 5 folds; rows"),
        (
            StratifiedKFold(5),
            "Every label was held back and predicted once, in 5 splits by StratifiedKFold; rows",
        ),
        (
            RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0),
            "predicted 3 times over, in 15 splits by RepeatedStratifiedKFold; rows",
        ),
        (
            StratifiedShuffleSplit(2, test_size=6, random_state=0),
            "StratifiedShuffleSplit made 2 splits: each of them held back and predicted 6 of the "
            "20 labels, and 9 labels were held back at least once; rows",
        ),
        (
            StratifiedShuffleSplit(1, test_size=6, random_state=0),
            "made 1 split: it held back and predicted 6 of the 20 labels, and 6 labels were",
        ),
    ],
)
def test_the_notes_say_what_was_held_back(cv: Any, said: str) -> None:
    X, y = two_classes(n_labeled=20)
    comparison = compare(X, y, pair(), cv=cv, n_repeats=2)
    (note,) = [note for note in comparison.notes if "held back" in note]
    assert said in note
    assert ("n_repeats is not used with a splitter" in note) == (cv != 5)
    assert f"means over {len(comparison.splits) // 2} splits" in comparison.to_html()


def test_more_processes_give_the_same_answer() -> None:
    X, y = two_classes()
    one, two = (compare(X, y, pair(), cv=3, n_repeats=2, n_jobs=n) for n in (1, 2))
    assert one.splits == two.splits
    assert one.verdict == two.verdict


def test_the_seed_decides_the_splits() -> None:
    X, y = two_classes(shift=0.3)

    def losses(seed: int) -> Any:
        return compare(X, y, pair(), cv=3, n_repeats=2, random_state=seed).splits

    assert losses(0) == losses(0)
    assert losses(0) != losses(1)


@pytest.mark.parametrize("kind", [np.random.RandomState, np.random.default_rng])
def test_a_generator_can_be_the_seed(kind: Any) -> None:
    X, y = two_classes(shift=0.3)

    def splits(random_state: Any) -> Any:
        return compare(X, y, pair(), cv=3, n_repeats=1, random_state=random_state).splits

    assert splits(kind(0)) == splits(kind(0))
    assert splits(kind(0)) != splits(kind(1))


def test_progress_counts_to_the_end() -> None:
    X, y = two_classes()
    told: list[tuple[int, int]] = []
    compare(X, y, pair(), cv=3, n_repeats=2, on_progress=lambda *step: told.append(step))
    # Six splits, five for the answers on unlabeled rows, and one fit on all rows.
    assert told == [(k, 12) for k in range(13)]


@pytest.mark.parametrize(
    "relabel",
    [
        lambda y: np.array([None, "no", "yes"], dtype=object)[y + 1],
        lambda y: np.array([np.nan, 0.0, 1.0])[y + 1],
        lambda y: pd.Series(y).replace(-1, pd.NA).astype("Int64"),
        lambda y: [None if label == -1 else bool(label) for label in y],
    ],
    ids=["strings and None", "floats and NaN", "pandas NA", "booleans and None"],
)
def test_marks_and_types_of_labels_do_not_matter(relabel: Any) -> None:
    X, y = two_classes()
    expected = compare(X, y, pair(), cv=3, n_repeats=1)
    found = compare(X, relabel(y), pair(), cv=3, n_repeats=1)
    assert found.splits == expected.splits


def test_minus_one_can_be_a_class() -> None:
    X, y = two_classes()
    other = np.where(y == -1, 9, np.where(y == 0, -1, 1))
    expected = compare(X, y, pair(), cv=3, n_repeats=1)
    assert compare(X, other, pair(), cv=3, n_repeats=1, unlabeled=9).splits == expected.splits


def test_whole_numbers_reach_estimators_as_they_are() -> None:
    X, y = two_classes()
    estimators = {
        "logistic": LogisticRegression(class_weight={3: 1.0, 7: 2.0}),
        "ICLS": (ICLSClassifier(), "logistic"),
    }
    renamed = np.array([-1, 3, 7])[y + 1]
    assert compare(X, renamed, estimators, cv=2, n_repeats=1).label_counts == {3: 12, 7: 12}


@pytest.mark.parametrize("form", [np.asarray, lambda X: pd.DataFrame(X), sparse.csr_array])
def test_rows_of_x_unlabeled_count_like_marked_ones(form: Any) -> None:
    X, y = two_classes()
    labeled = y != -1
    expected = compare(form(X), y, pair(), cv=3, n_repeats=1)
    found = compare(
        form(X[labeled]), y[labeled], pair(), X_unlabeled=form(X[~labeled]), cv=3, n_repeats=1
    )
    assert [s.value for s in found.splits] == [s.value for s in expected.splits]
    assert found.n_unlabeled == expected.n_unlabeled == 40


def test_semi_supervised_classifiers_of_scikit_learn_can_take_part() -> None:
    X, y = two_classes()
    names = np.array([None, "no", "yes"], dtype=object)[y + 1]
    estimators = {
        "logistic": LogisticRegression(),
        "self-training": (SelfTrainingClassifier(LogisticRegression()), "logistic"),
    }
    assert compare(X, names, estimators, cv=3, n_repeats=1).losses["self-training"] < 0.5


def test_more_than_two_classes_leave_out_methods_for_two() -> None:
    random = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = random.normal(size=(90, 4)) + 2.0 * np.eye(4)[y]
    y[36:] = -1
    comparison = compare(X, y, cv=3, n_repeats=1)
    assert {"ridge", "logistic", "self-learning"} <= set(comparison.losses)
    assert comparison.losses["ridge"] < 0.5


def test_a_handful_of_rows_is_too_few_to_tell() -> None:
    X, y = two_classes(n_labeled=4, n_unlabeled=6)
    assert compare(X, y, pair(), n_repeats=1).verdict.kind is Kind.TOO_FEW


@pytest.mark.parametrize("cv", [None, 25])
def test_a_rare_class_gets_fewer_folds(cv: int | None) -> None:
    X, y = two_classes()
    y[np.flatnonzero(y == 1)[3:]] = 0
    comparison = compare(X, y, pair(), cv=cv, n_repeats=1)
    assert len(comparison.splits) == 2 * 3


def test_a_class_with_one_label_gives_the_verdict_without_any_fit() -> None:
    X, y = two_classes()
    y[np.flatnonzero(y == 1)[1:]] = 0
    comparison = compare(X, y, spies())
    assert comparison.verdict.kind is Kind.TOO_FEW
    assert comparison.verdict.labels_needed is None
    assert '"1" has only one label' in comparison.verdict.sentence
    assert comparison.recommended is None
    assert not Spy.fitted


class Complainer(LeastSquaresClassifier):
    def fit(self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None) -> Any:
        warnings.warn("never settles", ConvergenceWarning, stacklevel=2)
        return super().fit(X, y, X_unlabeled, sample_weight)


def test_warnings_of_fits_become_one_note() -> None:
    X, y = two_classes()
    estimators = pair() | {"complainer": Complainer()}
    comparison = compare(X, y, estimators, cv=3, n_repeats=1)
    assert "complainer, in 9 of 9 fits: did not converge." in comparison.notes


def test_missing_numbers_are_filled_in_and_constant_columns_do_no_harm() -> None:
    X, y = two_classes(n_labeled=20, n_unlabeled=20)
    X[::5, 0] = np.nan
    X = np.column_stack([X, np.ones(len(y))])
    assert compare(X, y, cv=2, n_repeats=1).losses["ridge"] < 0.5


def test_sparse_rows_work_with_the_defaults() -> None:
    X, y = two_classes(n_labeled=20, n_unlabeled=20)
    X[X < 0.3] = 0.0
    comparison = compare(sparse.csr_matrix(X), y, cv=2, n_repeats=1)
    assert comparison.losses["ridge"] < 0.5


@pytest.mark.parametrize("form", [lambda X: X.astype(np.float32), sparse.csr_array])
def test_columns_without_room_for_their_products_work_with_the_defaults(
    form: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = two_classes(n_labeled=20, n_unlabeled=20)
    X = np.hstack([X, np.random.default_rng(0).normal(size=(len(y), 1100))])
    X[X < 0.3] = 0.0
    monkeypatch.setattr("tacit.rows._sweep._free_bytes", lambda: 90e6)  # 97 MB for 1,100 columns
    comparison = compare(form(X), y, cv=2, n_repeats=1)
    assert list(comparison.losses) == list(default_contestants())
    assert not any("Left out" in note for note in comparison.notes)


class TooLarge(LeastSquaresClassifier):
    def _fit(self, data: Any) -> None:
        raise MemoryError("the products of 60,000 columns take 28.8 GB")


def test_default_contestants_that_a_table_is_too_large_for_are_left_out_with_a_note(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = two_classes(n_labeled=20, n_unlabeled=20)
    ridge, moved = LeastSquaresClassifier("loo"), ICLSClassifier("loo")
    # Of one that is left out nothing is left to be compared with, either.
    usual: dict[str, Any] = {
        "huge": TooLarge(),
        "moved": (moved, "huge"),
        "ridge": ridge,
        "ICLS": (moved, "ridge"),
    }
    monkeypatch.setattr("tacit.selection._compare.default_contestants", lambda *_: usual)
    comparison = compare(X, y, cv=2, n_repeats=1)
    assert list(comparison.losses) == ["ridge", "ICLS"]
    assert [note for note in comparison.notes if "60,000 columns" in note] == [
        "Left out: 'huge' (TooLarge) could not be fitted and scored: the products of 60,000 "
        "columns take 28.8 GB"
    ]
    with pytest.raises(ValueError, match=r"'huge' .*60,000 columns"):
        compare(X, y, usual, cv=2, n_repeats=1)
    # So it does where none is left to compare, and as it comes from another process.
    del usual["ICLS"]
    with pytest.raises(BeyondMemoryError, match=r"'huge' .*60,000 columns") as raised:
        compare(X, y, cv=2, n_repeats=1)
    assert pickle.loads(pickle.dumps(raised.value)).contestant == "huge"


@pytest.mark.parametrize("says_something", [False, True])
def test_it_is_said_where_no_classifier_beats_guessing(says_something: bool) -> None:
    random = np.random.default_rng(1)
    truth = (np.arange(400) % 5 == 0).astype(int)
    X = random.normal(size=(400, 4)) + 4.0 * says_something * truth[:, None]
    y = np.where(np.arange(400) < 60, truth, -1)
    comparison = compare(X, y, mover(), n_repeats=1)
    told = [line for line in comparison.verdict.evidence if "always answering 0" in line]
    assert len(told) == (0 if says_something else 1)
    assert all("wrong for 20.0% of the labels" in line for line in told)


def test_the_models_fitted_on_all_labels_are_kept() -> None:
    X, y = two_classes()
    found = compare(X, y, cv=3, n_repeats=1)
    assert list(found.models) == list(found.losses)
    alone = make_pipeline(StandardScaler(), ICLSClassifier(alpha="loo")).fit(X, y)
    np.testing.assert_allclose(
        found.models["ICLS"].decision_function(X), alone.decision_function(X), atol=1e-8
    )
    assert found.models["ICLS"][-1].certificate_.worst_change == pytest.approx(
        alone[-1].certificate_.worst_change, abs=1e-8
    )


def test_an_open_random_state_gets_a_seed_that_is_the_same_again() -> None:
    X, y = two_classes()
    forest = RandomForestClassifier(3, max_depth=2)
    twins = {"forest": forest, "trained": (SelfTrainingClassifier(forest), "forest")}
    one, again = (compare(X, y, twins, cv=3, n_repeats=1, n_jobs=n) for n in (1, 2))
    assert one.splits == again.splits
    assert forest.random_state is None
    assert compare(X, y, twins, cv=3, n_repeats=1, random_state=1).splits != one.splits


def test_what_a_contestant_sees_follows_from_its_twin() -> None:
    X, y = two_classes()
    oracle = Contestant("oracle", LeastSquaresClassifier(), sees=Sees.EVERYTHING)
    with pytest.raises(ValueError, match=r"'oracle'.* sees all rows with all labels.*leave `sees`"):
        compare(X, y, [*default_contestants().values(), oracle])
