"""Small faults in Python source, one a mutant.

    a < b      ->  a <= b         x and y  ->  x or y        f(x)      ->  pass
    a < 0      ->  a >= 0         (numbers below 0 say "none": the boundary between none and the first is rarely met)
    n          ->  n + 1          a + b    ->  a - b         not x     ->  x
    continue   ->  break          True     ->  False         x in y    ->  x not in y

What a test can not see is left alone: docstrings, annotations, `__slots__`, assertions, errors, `__repr__`, and the
room that a column is given at first (`capacity`).
"""

import ast
import gc
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import TypeGuard

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
UNSEEN = (ast.Assert, ast.Raise, ast.Import, ast.ImportFrom, ast.JoinedStr, ast.arguments)
UNSEEN_CALLS = ("Diagnostic", "Note", "InternalError", "InputError", "Place")


@dataclass(frozen=True)
class Mutant:
    """Fault `number` of a file: `before` and `after` are the first lines of the changed part."""

    path: Path
    number: int
    line: int
    before: str
    after: str


def mutants_of(path: Path, text: str) -> Iterator[Mutant]:
    """Every mutant of a file, in the order of its code."""
    for number, fault in enumerate(_faults(ast.parse(text))):
        before = _first_line(fault.node)
        fault.plant()
        yield Mutant(path, number, fault.line, before, _first_line(fault.changed()))
        fault.undo()


def planted(text: str, number: int) -> str:
    """The file with fault `number`."""
    tree = ast.parse(text)
    for at, fault in enumerate(_faults(tree)):
        if at == number:
            fault.plant()
            return ast.unparse(tree)
    raise IndexError(number)


def replace_code(file: str, before: str, after: str) -> None:
    """Gives functions and methods of a loaded module the code that they have in another text, and so those that other
    functions have made already. What else they computed while it was imported stays."""
    pairs = _pairs(compile(before, file, "exec"), compile(after, file, "exec"))
    instead = {old: new for old, new in pairs if old != new}
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == file:
            old = function.__code__
            new = instead.get(old)
            if new is not None and (not new.co_freevars or new.co_freevars == old.co_freevars):
                # a call of super() that is left out was what referred to the class
                function.__code__ = new.replace(co_freevars=old.co_freevars)


def _pairs(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The functions within, each before and after. A call that was left out may have had some, which nobody calls now:
    of their names there are fewer."""
    parts = [[each for each in code.co_consts if isinstance(each, CodeType)] for code in (before, after)]
    counts = [Counter(each.co_name for each in codes) for codes in parts]
    known = [[each for each in codes if counts[0][each.co_name] == counts[1][each.co_name]] for codes in parts]
    for pair in zip(*known, strict=True):
        yield pair
        yield from _pairs(*pair)


class _Fault:
    """Another value for `owner[key]` or `owner.key`; `node` is what it changes."""

    def __init__(self, node: ast.AST, owner: object, key: int | str, value: object) -> None:
        self.node = node
        self.owner = owner
        self.key = key
        self.value = value
        self.line = int(getattr(node, "lineno", 0))
        self.kept: object = owner[key] if isinstance(owner, list) and isinstance(key, int) else getattr(owner, str(key))

    def plant(self) -> None:
        self._set(self.value)

    def undo(self) -> None:
        self._set(self.kept)

    def changed(self) -> ast.AST:
        """The node as it is with the fault."""
        return self.value if self.node is self.kept and isinstance(self.value, ast.AST) else self.node

    def _set(self, value: object) -> None:
        if isinstance(self.owner, list) and isinstance(self.key, int):
            self.owner[self.key] = value
        else:
            setattr(self.owner, str(self.key), value)


def _first_line(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0]


def _faults(tree: ast.Module) -> Iterator[_Fault]:
    for node in list(_mutable(tree)):
        yield from _faults_of(node)


def _mutable(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes of functions that may be changed, in order."""
    work: list[tuple[ast.AST, bool]] = [(tree, False)]
    while work:
        node, inside = work.pop()
        if _is_unseen(node):
            continue
        now = inside or isinstance(node, ast.FunctionDef)
        if now:
            yield node
        children: list[ast.AST] = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.FunctionDef):
            children = list(node.body)
        elif isinstance(node, ast.AnnAssign):
            children = [] if node.value is None else [node.value]
        elif isinstance(node, ast.Compare) and _asks_for_none(node):
            children = [node.left]
        work += [(child, now) for child in reversed(children)]


def _is_unseen(node: ast.AST) -> bool:
    if isinstance(node, UNSEEN):
        return True
    if isinstance(node, ast.keyword):
        return node.arg == "capacity"
    if isinstance(node, ast.FunctionDef):
        return node.name in ("__repr__", "__str__")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in UNSEEN_CALLS
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _faults_of(node: ast.AST) -> Iterator[_Fault]:
    if isinstance(node, ast.Compare) and _asks_for_none(node):
        yield _Fault(node, node.ops, 0, NEGATED[type(node.ops[0])]())
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        yield _Fault(node, node.ops, 0, COMPARISONS[type(node.ops[0])]())
    elif isinstance(node, ast.BoolOp):
        yield _Fault(node, node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in OPERATORS and not _is_text(node):
        yield _Fault(node, node, "op", OPERATORS[type(node.op)]())
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield _Fault(node, node, "value", not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield _Fault(node, node, "value", node.value + 1)
    elif isinstance(node, ast.If | ast.While | ast.IfExp) and _is_not(node.test):
        yield _Fault(node, node, "test", node.test.operand)
    for name in ("body", "orelse"):
        body = getattr(node, name, None)
        if isinstance(body, list):
            for place, statement in enumerate(body):
                instead = _instead(statement)
                if instead is not None:
                    yield _Fault(statement, body, place, ast.copy_location(instead, statement))


def _instead(statement: ast.AST) -> ast.stmt | None:
    """What stands for a statement that is left out."""
    if isinstance(statement, ast.Continue):
        return ast.Break()
    if isinstance(statement, ast.Break):
        return ast.Continue()
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call | ast.Await):
        return ast.Pass()
    if isinstance(statement, ast.AugAssign):
        return ast.Pass()
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute | ast.Subscript):
        return ast.Pass()
    return None


def _asks_for_none(node: ast.Compare) -> bool:
    """Whether it compares the order of a number and 0."""
    with_0 = isinstance(node.comparators[0], ast.Constant) and node.comparators[0].value == 0
    return len(node.ops) == 1 and type(node.ops[0]) in NEGATED and with_0


def _is_not(node: ast.AST) -> TypeGuard[ast.UnaryOp]:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _is_text(node: ast.BinOp | ast.AugAssign) -> bool:
    parts = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
    return any(isinstance(part, ast.JoinedStr | ast.List) or _is_string(part) for part in parts)


def _is_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
