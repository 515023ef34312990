"""Small faults in a file's source: the standard operators of mutation testing, one at a time.

Engines for this are left alone. One of them makes bitwise operators out of every sum, which no
number survives; the other skips decorated functions, which much of the solver is.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass

# Boundary and direction of a comparison; the other operators have one opposite.
COMPARISONS: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
OPPOSITES = {"min": "max", "minimum": "maximum", "any": "all", "argmin": "argmax"}
OPPOSITES |= {other: name for name, other in OPPOSITES.items()}
DELETED = (ast.Expr, ast.AugAssign, ast.If, ast.For, ast.While, ast.Raise, ast.Break, ast.Continue)


@dataclass(frozen=True)
class Mutant:
    """A fault that a file could have."""

    key: str  # of the fault and the function or class around it, wherever in the file that is
    line: int
    change: str
    place: tuple[int, int, int]  # the function or class, the node in it, the fault of this node

    def source(self, source: str) -> str:
        """The file with this fault."""
        tree = ast.parse(source)
        top, node, fault = self.place
        original = list(ast.walk(tree.body[top]))[node]
        changed = _changes(original)[fault](original)
        return ast.unparse(ast.fix_missing_locations(_Swap(original, changed).visit(tree)))


def mutants(source: str) -> list[Mutant]:
    """Every mutant of a file, in an order that is random and always the same."""
    found = []
    for place, top in enumerate(ast.parse(source).body):
        text, inert = ast.unparse(top), _inert(top)
        for n, node in enumerate(ast.walk(top)):
            for fault, change in enumerate([] if id(node) in inert else _changes(node)):
                key = hashlib.sha256(f"{text} {n} {fault}".encode()).hexdigest()[:12]
                told = f"{_short(node)} -> {_short(change(deepcopy(node)))}"
                line: int = getattr(node, "lineno", 0)
                found.append(Mutant(key, line, told, (place, n, fault)))
    return sorted(found, key=lambda mutant: mutant.key)


def _short(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0][:100]


def _inert(top: ast.AST) -> set[int]:
    """Annotations, decorators, texts of errors, and what only a type checker reads."""
    roots: list[ast.AST | None] = []
    for node in ast.walk(top):
        roots += [getattr(node, name, None) for name in ("annotation", "returns")]
        roots += getattr(node, "decorator_list", [])
        if isinstance(node, ast.Raise | ast.JoinedStr):
            roots += ast.iter_child_nodes(node)
        elif isinstance(node, ast.Assert) or (
            isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        ):
            roots.append(node)
    return {id(part) for root in roots if root for part in ast.walk(root)}


Change = Callable[[ast.AST], ast.AST]


def _changes(node: ast.AST) -> list[Change]:
    """What may be made of a node; each is given a copy of it."""
    if isinstance(node, ast.Compare):
        return [
            _set_item("ops", k, other())
            for k, op in enumerate(node.ops)
            for other in COMPARISONS[type(op)]
        ]
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return [_set(op=OPERATORS[type(node.op)]())]
    if isinstance(node, ast.BoolOp):
        return [_set(op=ast.Or() if isinstance(node.op, ast.And) else ast.And())]
    if isinstance(node, ast.UnaryOp):
        return [lambda copy: copy.operand]
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return [_set(value=not node.value)]
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return [_set(value=node.value + 1)]
    if isinstance(node, ast.Name) and node.id in OPPOSITES:
        return [_set(id=OPPOSITES[node.id])]
    if isinstance(node, ast.Attribute) and node.attr in OPPOSITES:
        return [_set(attr=OPPOSITES[node.attr])]
    if isinstance(node, ast.Return) and node.value and ast.unparse(node.value) != "None":
        return [_set(value=ast.Constant(None))]
    changes: list[Change] = []
    if isinstance(node, ast.If | ast.While | ast.IfExp) and not isinstance(node.test, ast.Compare):
        changes.append(_negate)
    if isinstance(node, ast.AugAssign) and type(node.op) in OPERATORS:
        changes.append(_set(op=OPERATORS[type(node.op)]()))
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    # A name that is never given fails at once, and says nothing about the tests.
    if isinstance(node, ast.Assign):
        is_deleted = isinstance(node.targets[0], ast.Attribute | ast.Subscript)
    else:
        is_deleted = isinstance(node, DELETED) and not is_text and not getattr(node, "orelse", [])
    if is_deleted:
        changes.append(lambda copy: ast.Pass())
    return changes


def _set(**values: object) -> Change:
    def change(node: ast.AST) -> ast.AST:
        for name, value in values.items():
            setattr(node, name, value)
        return node

    return change


def _set_item(name: str, k: int, value: object) -> Change:
    def change(node: ast.AST) -> ast.AST:
        getattr(node, name)[k] = value
        return node

    return change


def _negate(node: ast.AST) -> ast.AST:
    node.test = ast.UnaryOp(ast.Not(), node.test)  # type: ignore[attr-defined]
    return node


class _Swap(ast.NodeTransformer):
    """One node for another."""

    def __init__(self, node: ast.AST, other: ast.AST) -> None:
        self.node, self.other = node, other

    def visit(self, node: ast.AST) -> ast.AST:
        """The other in its place."""
        return self.other if node is self.node else self.generic_visit(node)
