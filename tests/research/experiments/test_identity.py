"""What counts as the same data and the same classifier."""

import functools
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.stats import loguniform, uniform
from sklearn.gaussian_process.kernels import RBF
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from tacit import ICLSClassifier, LeastSquaresClassifier, SelfLearningClassifier
from tacit.research.experiments import complete_table
from tacit.research.experiments._identity import _Hasher, describe, digest_of
from tests.research.experiments.tables import two_classes

# Data.


def test_data_that_differ_in_the_last_bits_are_the_same():
    table = two_classes()
    table.X[0] = [0.0, 1e-12, -1e-12]
    noise = np.array([1.0, -1.0] * 90).reshape(60, 3)
    same = replace(table, X=table.X + 1e-14 * noise)
    other = replace(table, X=table.X + 1e-5 * noise)
    assert digest_of(table) == digest_of(same) != digest_of(other)
    assert digest_of(replace(table, X=-0.0 * table.X)) == digest_of(replace(table, X=0.0 * table.X))


@pytest.mark.parametrize("scale", [1e-300, 1e-7, 1.0, 1e9, 1e290])
@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_other_data_are_noticed_whatever_their_units(scale, shift):
    table = two_classes()
    table.X[:, 1] = 1.0 + (table.X[:, 1] > 0)  # many equal values, and round ones
    table.X[3, 2] = 1e9  # one that is far from all others
    table.X[:, :2] += shift

    def digest(X):
        return digest_of(replace(table, X=scale * X))

    same = table.X * (1.0 + np.where(np.arange(180).reshape(60, 3) % 2, 2e-16, -2e-16))
    assert digest(same) == digest(table.X)
    for column in range(3):
        other = table.X.copy()
        other[7, column] += 1e-4
        assert digest(other) != digest(table.X)
    assert digest(2.0 * table.X) != digest(table.X)
    assert digest(table.X + 1.0) != digest(table.X)


def test_tiny_data_are_told_from_other_tiny_data():
    random, y = np.random.default_rng(0), np.arange(50) % 2
    one, other = (complete_table("tiny", 1e-7 * random.normal(size=(50, 2)), y) for _ in range(2))
    assert digest_of(one) != digest_of(other)


def test_missing_values_are_values_like_others():
    table = two_classes()
    table.X[5, 1] = np.nan
    table.X[:, 2] = np.nan
    again = replace(table, X=-table.X * -1.0)
    assert digest_of(again) == digest_of(table)
    moved = table.X.copy()
    moved[[5, 6], 1] = moved[[6, 5], 1]
    assert digest_of(replace(table, X=moved)) != digest_of(table)


def test_labels_and_the_order_of_rows_are_part_of_the_data():
    table = two_classes()
    assert digest_of(replace(table, y=1 - table.y)) != digest_of(table)
    assert digest_of(replace(table, X=table.X[::-1])) != digest_of(table)
    assert digest_of(table).startswith("60 x 3, ")


# Classifiers.


def test_the_description_names_class_and_plain_parameters():
    text = describe(make_pipeline(FunctionTransformer(np.abs), ICLSClassifier(alpha=0.5)))
    assert " at 0x" not in text
    assert "iclsclassifier__alpha=0.5" in text
    assert "\n" not in text
    assert describe(GaussianNB()).startswith(
        "sklearn.naive_bayes.GaussianNB(priors=None, var_smoothing=1e-09) #"
    )


def doubled(X, factor=2):
    return factor * X


def tripled(X, factor=3):
    return factor * X


def enclosing(value):
    return lambda X: value * X


def method_of(value):
    class Holder:
        def __init__(self):
            self.value = value

        def method(self, X):
            return self.value * X

    return Holder().method


def class_in_a_function():
    class GaussianNB(LeastSquaresClassifier):
        pass

    return GaussianNB()


PAIRS = {
    "lambdas": (lambda X: X, lambda X: X**2),
    "names in lambdas": (lambda X: np.abs(X), lambda X: np.sign(X)),
    "constants": (lambda X: X + 1, lambda X: X + 2),
    "kinds of constants": (lambda X: X + 1, lambda X: X + 1.0),
    "functions within": (lambda X: [x + 1 for x in X], lambda X: [x + 2 for x in X]),
    "defaults": (doubled, tripled),
    "defaults by keyword": (lambda X, *, k=1: k * X, lambda X, *, k=2: k * X),
    "enclosed values": (enclosing(2), enclosing(3)),
    "enclosed arrays": (enclosing(np.arange(5000)), enclosing(np.arange(5000) % 4999)),
    "objects with methods": (method_of(2), method_of(3)),
    "partial": (functools.partial(doubled, factor=5), functools.partial(doubled, factor=6)),
    "strings": ("a  b", "a b"),
    "classes of one name": (GaussianNB(), class_in_a_function()),
    "nested parameters": (
        SelfLearningClassifier(LeastSquaresClassifier(1.0)),
        SelfLearningClassifier(LeastSquaresClassifier(2.0)),
    ),
    "arrays": (GaussianNB(priors=np.array([0.5, 0.5])), GaussianNB(priors=np.array([0.4, 0.6]))),
    "indices of Series": (
        ICLSClassifier(class_prior=pd.Series([0.75, 0.25], index=[0, 1])),
        ICLSClassifier(class_prior=pd.Series([0.75, 0.25], index=[1, 0])),
    ),
    "columns of frames": (pd.DataFrame({"a": [1], "b": [2]}), pd.DataFrame({"b": [1], "a": [2]})),
    "sparse matrices": (csr_array(np.eye(3)), csr_array(np.eye(3)[::-1])),
    "random states": (np.random.RandomState(0), np.random.RandomState(1)),
    "random generators": (np.random.default_rng(0), np.random.default_rng(1)),
    "grids": (
        GridSearchCV(ICLSClassifier(), {"alpha": [0.0, 1.0]}),
        GridSearchCV(ICLSClassifier(), {"alpha": [0.0, 2.0]}),
    ),
    "splitters": (
        GridSearchCV(ICLSClassifier(), {"alpha": [0.0]}, cv=KFold(3)),
        GridSearchCV(ICLSClassifier(), {"alpha": [0.0]}, cv=KFold(4)),
    ),
    "parameters of distributions": (
        RandomizedSearchCV(ICLSClassifier(), {"alpha": loguniform(1e-3, 1.0)}),
        RandomizedSearchCV(ICLSClassifier(), {"alpha": loguniform(1e-6, 1.0)}),
    ),
    "distributions": (loguniform(1e-3, 1.0), uniform(1e-3, 1.0)),
    "kernels": (RBF(1.0), RBF(2.0)),
    "words in lambdas": (
        lambda X: X in {"these", "are", "some", "words"},
        lambda X: X in {"these", "are", "other", "words"},
    ),
    "sets": ({"a", "b"}, {"a", "c"}),
}


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_not_the_same_has_another_description(name):
    one, other = PAIRS[name]
    wrapped = [make_pipeline(FunctionTransformer(each), GaussianNB()) for each in (one, other)]
    assert describe(wrapped[0]) != describe(wrapped[1])
    assert describe(one) == describe(one)


def test_a_function_written_again_is_the_same():
    assert describe(enclosing(2)) == describe(enclosing(2))
    assert describe(LeastSquaresClassifier(np.float64(0.5))) == describe(
        LeastSquaresClassifier(0.5)
    )


def test_a_function_that_encloses_itself_is_described_too():
    def countdown(n):
        return 0 if n == 0 else countdown(n - 1)

    assert describe(countdown) == describe(countdown)


def test_descriptions_are_the_same_in_every_process():
    """Addresses and the order of sets of strings are others in each."""
    code = (
        "from tests.research.experiments.test_identity import PAIRS, describe\n"
        "print(describe(PAIRS))\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
    ).stdout
    assert told == f"{describe(PAIRS)}\n"


def test_class_weights_are_a_part_of_a_classifier_only_where_there_are_any():
    # The runs in docs/evidence were made before there was such a parameter.
    before = ICLSClassifier(alpha="loo")
    assert "class_weight" not in describe(make_pipeline(before))
    now = describe(before)
    del before.class_weight
    assert now.endswith(f"#{_Hasher().hash(before)}")
    balanced = ICLSClassifier(class_weight="balanced")
    assert "class_weight='balanced'" in describe(balanced)
    assert describe(balanced) != describe(ICLSClassifier(class_weight={0: 2.0}))
