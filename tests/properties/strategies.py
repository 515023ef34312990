"""Random tables for hypothesis: it chooses the shape and the seed, NumPy the numbers."""

from hypothesis import strategies as st

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
