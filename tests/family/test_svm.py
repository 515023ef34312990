"""Whether a matrix is a kernel."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.family._svm import kernel_features

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(40, 3))
RBF = np.exp(-0.1 * ((X[:, None] - X[None]) ** 2).sum(axis=2))

KERNELS = {
    "definite": np.eye(40) + RBF,
    "of low rank": X @ X.T,
    "nearly singular": RBF,
    "in single precision": RBF.astype(np.float32).astype(np.float64),
    "large": 1e12 * RBF,
    "small": 1e-12 * RBF,
    "zero": np.zeros((5, 5)),
    "constant": np.ones((5, 5)),
}
OTHERS = {
    "not symmetric": RBF + 0.1 * RANDOM.normal(size=RBF.shape),
    "negative": -RBF,
    "indefinite": RBF - 0.5 * np.eye(40),
    "a distance": -np.log(RBF),
    "slightly indefinite and small": 1e-12 * (np.diag([1.0, 1.0, -1e-3])),
}


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_passes(name: str) -> None:
    before = KERNELS[name].copy()
    kernel_features(KERNELS[name])
    np.testing.assert_array_equal(KERNELS[name], before)


@pytest.mark.parametrize("name", OTHERS)
def test_another_matrix_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not positive semi-definite"):
        kernel_features(OTHERS[name])
