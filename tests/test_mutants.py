"""Mutants differ from their source in one place, and keep their keys while lines move."""

from __future__ import annotations

import ast
from pathlib import Path

from benchmarks.mutants import mutants
from benchmarks.mutation import NEAREST, nearest_to

ROOT = Path(__file__).parents[1]
SOURCE = '''"""Text."""
LIMIT = 2.5

@cache
def first(x: int = 1) -> int | None:
    """More text."""
    if not x and LIMIT < x:
        raise ValueError(f"{x + 1}")
    x += min(x, -x)
    return x if x is None else None
'''


def test_every_fault_is_one_change_and_nothing_else() -> None:
    found = mutants(SOURCE)
    assert sorted(mutant.change for mutant in found) == sorted(
        [
            "2.5 -> 3.5",
            "1 -> 2",
            "if not x and LIMIT < x: -> if not (not x and LIMIT < x):",
            "if not x and LIMIT < x: -> pass",
            "not x and LIMIT < x -> not x or LIMIT < x",
            "not x -> x",
            "LIMIT < x -> LIMIT <= x",
            "LIMIT < x -> LIMIT >= x",
            "raise ValueError(f'{x + 1}') -> pass",
            "x += min(x, -x) -> x -= min(x, -x)",
            "x += min(x, -x) -> pass",
            "min -> max",
            "-x -> x",
            "return x if x is None else None -> return None",
            "x is None -> x is not None",
        ]
    )
    plain = ast.unparse(ast.parse(SOURCE))
    sources = {mutant.source(SOURCE) for mutant in found}
    assert len(sources) == len(found)
    assert plain not in sources
    for source in sources:
        compile(source, "mutant", "exec")


def test_keys_and_order_are_the_same_wherever_the_function_stands() -> None:
    below = [(m.key, m.line + 3) for m in mutants(SOURCE)]
    assert [(m.key, m.line) for m in mutants(f"# One.\n\n\n{SOURCE}")] == below


def test_each_file_and_its_tests_are_there() -> None:
    for files in NEAREST.values():
        for file in files:
            assert (ROOT / f"src/tacit/{file}.py").exists()
            assert all((ROOT / test).exists() for test in nearest_to(file))
