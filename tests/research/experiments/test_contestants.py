"""Who takes part."""

import sys

import pytest
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tacit import LeastSquaresClassifier
from tacit.research.experiments import CrossValidation, Experiment, Sees, paper_contestants
from tacit.research.experiments._contestants import own_contestants
from tacit.selection._contestants import seed_of, seeded
from tests.research.experiments.tables import contestants, two_classes


def test_a_seed_depends_on_the_key_alone_and_is_the_same_everywhere():
    assert seed_of("Sonar|cross-validation|65|0") == 17098697287775825441
    assert seed_of("a") != seed_of("b")


def test_a_copy_is_seeded_and_the_original_is_not():
    forest = RandomForestClassifier()
    first, again, other = (seeded(forest, key).random_state for key in "aab")
    assert first == again != other
    assert 0 <= first < 2**32
    assert forest.random_state is None


def test_seeds_reach_into_pipelines_and_leave_those_that_are_set():
    pipeline = make_pipeline(
        StandardScaler(), BaggingClassifier(RandomForestClassifier(random_state=3))
    )
    copy = seeded(pipeline, "a")
    assert copy[-1].random_state is not None
    assert copy[-1].estimator.random_state == 3


def test_an_estimator_without_randomness_is_copied_as_it_is():
    copy = seeded(LeastSquaresClassifier(alpha=2.0), "a")
    assert copy.get_params() == LeastSquaresClassifier(alpha=2.0).get_params()


@pytest.mark.parametrize(
    ("name", "sees"),
    [
        ("supervised", Sees.LABELED),
        ("self-learning", Sees.UNLABELED),
        ("ICLS", Sees.UNLABELED),
        ("projected", Sees.UNLABELED),
        ("oracle", Sees.EVERYTHING),
    ],
)
def test_the_contenders_of_the_paper_see_what_they_should(name, sees):
    (found,) = (c for c in paper_contestants() if c.name == name)
    assert found.training is sees
    assert found.twin == (None if name == "supervised" else "supervised")


# Methods of the user's own.

MINE = """
from sklearn.naive_bayes import GaussianNB
from tacit import ICLSClassifier
from tacit.research.experiments import Contestant, Sees

class MyClassifier(ICLSClassifier):
    pass

made = MyClassifier(alpha=2.0)
bayes = Contestant("naive Bayes", GaussianNB(), sees=Sees.LABELED)
"""


def test_own_methods_are_classes_classifiers_or_contestants_of_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.path", list(sys.path))
    file = tmp_path / "methods_of_mine.py"
    file.write_text(MINE)
    names = ("MyClassifier", "made", "bayes")
    cls, made, bayes = own_contestants([f"{file}:{name}" for name in names], "supervised")
    assert [c.name for c in (cls, made, bayes)] == ["MyClassifier", "made", "naive Bayes"]
    assert {c.twin for c in (cls, made, bayes)} == {"supervised"}
    assert [c.training for c in (cls, made, bayes)] == [Sees.UNLABELED] * 2 + [Sees.LABELED]
    assert made.estimator.alpha == 2.0

    def plan(contestant):
        taking_part = (*contestants("supervised"), contestant)
        return Experiment((two_classes(),), CrossValidation(1, 10, 3), taking_part).plan()

    before = plan(cls)
    file.write_text(MINE + "# another version")
    (changed,) = own_contestants([f"{file}:MyClassifier"], "supervised")
    assert plan(changed) != before


@pytest.mark.parametrize(
    ("text", "words"),
    [("nobody", "names no Python file"), ("{file}:Nobody", "'Nobody' could not be made")],
)
def test_own_methods_that_are_not_there_are_refused(text, words, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.path", list(sys.path))
    file = tmp_path / "methods_of_nobody.py"
    file.write_text("")
    with pytest.raises(ValueError, match=words):
        own_contestants([text.format(file=file)], "supervised")
