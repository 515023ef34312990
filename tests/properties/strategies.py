"""Random tables for hypothesis: it chooses the shape and the seed, NumPy the numbers."""

import numpy as np
from hypothesis import strategies as st

from tacit.solver._basis import CONSTANT_CUT
from tests.problems import KINDS, Table, table

# Kinds on which coefficients are determined well enough to compare them.
kinds = st.sampled_from(KINDS)
regular_kinds = st.sampled_from(
    ["plain", "heavy tails", "unbalanced classes", "discrete columns", "supervised solution inside"]
)
seeds = st.integers(min_value=1000, max_value=100_000)


@st.composite
def tables(draw: st.DrawFn, regular: bool = False) -> Table:
    return table(draw(regular_kinds if regular else kinds), draw(seeds))


def resolution(data: Table) -> float:
    """What remains of the precision of a number in the column that hardly differs from its mean.

    A column of 1000 give or take a millionth is known to seven digits of what matters, and so are
    functions of it.
    """
    X = np.vstack([data.X, data.X_u])
    mean, spread = np.abs(X.mean(axis=0)), X.std(axis=0)
    varies = spread > CONSTANT_CUT * mean
    return float(np.finfo(np.float64).eps * (mean[varies] / spread[varies]).max(initial=1.0))
