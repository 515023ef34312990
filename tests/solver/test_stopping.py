"""Reasons for stopping survive storage."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from tacit import ICLSClassifier, KernelICLSClassifier, ProjectedLeastSquaresClassifier
from tacit.family import (
    EMLDAClassifier,
    EMStatus,
    ICLDAClassifier,
    S3VMClassifier,
    S4VMClassifier,
    TransductiveStatus,
)
from tacit.solver._solution import Status

REASONS = (Status, EMStatus, TransductiveStatus)


@pytest.mark.parametrize("reasons", REASONS)
def test_a_reason_is_itself_after_copying_and_pickling(reasons):
    for reason in reasons:
        assert pickle.loads(pickle.dumps(reason)) is reason
        assert copy.deepcopy(reason) is reason
        build, arguments = reason.__reduce__()
        assert build(*arguments) is reason


@pytest.mark.parametrize(
    "estimator",
    [
        EMLDAClassifier(),
        ICLDAClassifier(),
        ICLSClassifier(),
        KernelICLSClassifier(alpha=0.1),
        ProjectedLeastSquaresClassifier(),
        S3VMClassifier(),
        S4VMClassifier(n_samples=4, random_state=0),
    ],
    ids=repr,
)
def test_fitted_classifiers_survive_plain_skops(estimator):
    # Reading one back had failed: an enumeration has no member without a value.
    skops_io = pytest.importorskip("skops.io")
    random = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = random.normal(size=(40, 3)) + y[:, None]
    model = estimator.fit(X, np.where(np.arange(40) < 14, y, -1))
    content = skops_io.dumps(model)
    trusted = skops_io.get_untrusted_types(data=content)
    read = skops_io.loads(content, trusted=trusted)
    np.testing.assert_array_equal(read.decision_function(X), model.decision_function(X))
    if hasattr(model.solution_, "status"):
        assert read.solution_.status is model.solution_.status
