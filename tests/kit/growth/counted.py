"""reknit's sources with counters in them: the same work gives the same count on every machine, busy or not.

    start()                      before anything of reknit is imported
    ...
    total(), by_function()       the units of work since the process began

Importing a module of reknit then reads its .py file, whether or not a compiled one is installed, and changes its
syntax tree before it is compiled:

    def f():          counts 1 a call
    for, while        1 an iteration
    comprehensions    1 an element; generators 1 an element that is asked for
    what C does in a single step of Python, a unit for 32 bytes or 8 objects, by what it takes in CPython:
        a + b, a * n, x[i:j], [*a, *b], f"...", text.join(...)    the length of what comes out
        x in a_list, x in a_text                                  how far it was searched
        a == b of lists, tuples, texts, dicts                     the length of the shorter one
        list(x), set(x), dict(x), sorted(x), sum(x), min(x) ...   the length of x
        a_list.index, insert, pop(i), remove, text.find, split,
        replace, a_set.union, a_dict.update ...                   what is searched, moved or copied
        & | ^ + - << >> of long integers                          their words of 64 bits
        text += more                                              what is added, where CPython extends in place,
                                                                  else the whole

So a quadratic counts as one, whether its inner loop is Python's or hidden in an operator or method of C. Straight-line
code is free: a function's body between its loops takes a bounded time. Not seen: hashes and comparisons of what lies
deeper within tuples, the search of a regular expression beyond the length of its match, the insides of json and
difflib beyond the length of what they return, and what LLVM does with the code that it gets.
Neither a count of Python's calls (`sys.setprofile`) nor of its lines sees the second half of this list; counters of the
processor's instructions do, but virtual machines seldom have them.
"""

import ast
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import marshal
import operator
import os
import re
import sys
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

SOURCES: Final = Path(__file__).resolve().parents[3] / "src"
COUNTS: Final[dict[str, tuple[list[int], list[str]]]] = {}
"""By module: the units of each function, and the functions' names."""

Slots = list[int]
EAGER: Final = {
    "list",
    "tuple",
    "set",
    "frozenset",
    "dict",
    "sorted",
    "sum",
    "min",
    "max",
    "bytes",
    "bytearray",
    "array",
    "str",
    "deque",
}
SEARCHING: Final = {"index", "find"}
WHOLE: Final = {
    "count", "copy", "reverse", "sort", "tolist", "tobytes", "split", "rsplit", "splitlines", "replace", "encode",
    "decode", "lower", "upper", "translate", "rfind", "rindex", "partition", "rpartition", "remove", "hex", "issubset",
    "isdisjoint", "union", "difference", "symmetric_difference", "intersection", "to_bytes", "strip", "rstrip",
    "lstrip",
}  # fmt: skip
MADE: Final = {"join", "format", "fromkeys", "dumps", "escape", "sub", "findall", "rjust", "ljust", "expandtabs"}
GIVEN: Final = {
    "extend",
    "update",
    "issuperset",
    "extendleft",
    "writelines",
    "write",
    "loads",
    "from_bytes",
    "frombytes",
}
MOVING: Final = {"insert", "pop"}
METHODS: Final = SEARCHING | WHOLE | MADE | GIVEN | MOVING
BUILTIN: Final[tuple[type[Any], ...]] = (
    str,
    bytes,
    bytearray,
    list,
    tuple,
    set,
    frozenset,
    dict,
    array,
    memoryview,
    deque,
    type({}.keys()),
    type({}.values()),
    type({}.items()),
)
SIZED: Final[frozenset[type[Any]]] = frozenset(BUILTIN)
TWO: Final[dict[type[ast.operator], str]] = {ast.Sub: "sub", ast.BitAnd: "and_", ast.BitXor: "xor"}
OF_BYTES: Final = 5
OF_OBJECTS: Final = 3
SHARE: Final[dict[type[Any], int]] = dict.fromkeys((str, bytes, bytearray, memoryview, array), OF_BYTES)
"""What C does 32 bytes of, or 8 objects, is a unit: about as long as a step of Python takes."""
RESULT: Final = (ast.Add, ast.Mult, ast.BitOr, ast.LShift, ast.RShift, ast.Mod, ast.Pow)


def size(value: object) -> int:
    """What it takes to copy it."""
    kind = type(value)
    if kind is int:
        return value.bit_length() >> 6  # type: ignore[attr-defined, no-any-return]
    return len(value) >> SHARE.get(kind, OF_OBJECTS) if kind in SIZED else 0  # type: ignore[arg-type]


def made(w: Slots, slot: int, value: object) -> object:
    kind = type(value)
    if kind is int:
        if value > 0xFFFF_FFFF_FFFF_FFFF:  # type: ignore[operator]
            w[slot] += value.bit_length() >> 6  # type: ignore[attr-defined]
    elif kind in SIZED:
        w[slot] += len(value) >> SHARE.get(kind, OF_OBJECTS)  # type: ignore[arg-type]
    return value


def two(w: Slots, slot: int, what: Callable[[Any, Any], object], a: object, b: object) -> object:
    value = what(a, b)
    kind = type(a)
    if kind is int:
        if not -0xFFFF_FFFF_FFFF_FFFF < a < 0xFFFF_FFFF_FFFF_FFFF:  # type: ignore[operator]
            w[slot] += a.bit_length() >> 6  # type: ignore[attr-defined]
    elif kind in SIZED:
        w[slot] += min(size(a), size(b)) if what is operator.and_ else size(a)
    return value


def within(w: Slots, slot: int, value: object, group: Any) -> bool:
    kind = type(group)
    found: bool = value in group
    if kind is list or kind is tuple:
        w[slot] += (group.index(value) if found else len(group)) >> OF_OBJECTS
    elif kind is str or kind is bytes:
        w[slot] += (group.find(value) if found else len(group)) >> OF_BYTES
    return found


def equal(w: Slots, slot: int, a: object, b: object) -> object:
    if type(a) in SIZED and type(b) in SIZED and a is not b and len(a) == len(b):  # type: ignore[arg-type]
        w[slot] += size(a)
    return a == b


def unequal(w: Slots, slot: int, a: object, b: object) -> object:
    if type(a) in SIZED and type(b) in SIZED and a is not b and len(a) == len(b):  # type: ignore[arg-type]
        w[slot] += size(a)
    return a != b


def every(w: Slots, slot: int, group: Iterable[object]) -> Iterable[object]:
    """What a comprehension goes through, to its end."""
    if type(group) in SIZED or type(group) is range:
        w[slot] += len(group)  # type: ignore[arg-type]
        return group
    return each(w, slot, group)


def each(w: Slots, slot: int, group: Iterable[object]) -> Iterator[object]:
    for one in group:
        w[slot] += 1
        yield one


def lazily(w: Slots, slot: int, group: Iterable[object]) -> Iterator[object]:
    """What a generator goes through: what is wrong with it is said at once, as Python does."""
    return each(w, slot, iter(group))


def call(w: Slots, slot: int, what: Callable[..., object], *given: Any, **named: Any) -> object:
    value = what(*given, **named)
    if len(given) == 1 or (what is sum or what is array) and given:
        first = given[-1] if what is array else given[0]
        if value is not first:
            w[slot] += size(first) or size(value)
    return value


def method(w: Slots, slot: int, owner: Any, name: str, *given: Any, **named: Any) -> object:
    kind = type(owner)
    if kind not in SIZED:
        value = getattr(owner, name)(*given, **named)
        if kind is re.Pattern or kind is ModuleType and name in ("dumps", "escape", "loads", "sub"):
            w[slot] += size(value) + sum([size(one) for one in given])
        return value
    value = getattr(owner, name)(*given, **named)
    if name in SEARCHING:
        start = given[1] if len(given) > 1 and isinstance(given[1], int) else 0
        end = value if isinstance(value, int) and value >= 0 else len(owner)
        w[slot] += max(end - start, 0) >> SHARE.get(kind, OF_OBJECTS)
    elif name == "count" or name == "rfind":
        start = given[1] if len(given) > 1 and isinstance(given[1], int) else 0
        end = given[2] if len(given) > 2 and isinstance(given[2], int) else len(owner)
        start = max(start, value) if name == "rfind" and isinstance(value, int) else start
        w[slot] += max(end - start, 0) >> SHARE.get(kind, OF_OBJECTS)
    elif name == "intersection" or name == "isdisjoint":  # a set is gone through if it is the smaller one
        for one in given:
            w[slot] += min(size(owner), size(one)) if isinstance(one, set | frozenset) else size(one)
    elif name in ("rsplit", "rpartition", "split", "partition") and isinstance(value, list | tuple) and len(value) < 4:
        w[slot] += sum([size(one) for one in value])
    elif name in WHOLE:
        w[slot] += size(owner)
    elif name in MADE:
        w[slot] += size(value)
    elif name in GIVEN:
        w[slot] += size(given[0]) if given else 0
    elif kind is list:  # insert and pop move what comes after
        at = given[0] if given else -1
        w[slot] += (-at - 1 if at < 0 else max(len(owner) - at, 0)) >> OF_OBJECTS
    return value


def added(w: Slots, slot: int, target: object, more: object) -> object:
    """`more`, of target += more, where CPython extends in place."""
    kind = type(target)
    if kind is tuple or kind is int:
        w[slot] += size(target)
    w[slot] += size(more)
    return more


def added_anew(w: Slots, slot: int, target: object, more: object) -> object:
    """Of self.target += more: a text is copied."""
    kind = type(target)
    if kind is tuple or kind is int or kind is str or kind is bytes:
        w[slot] += size(target)
    w[slot] += size(more)
    return more


def nothing(w: Slots, slot: int, value: object) -> object:
    w[slot] += 1
    return value


HELPERS: Final[dict[str, object]] = {
    f"_w_{one.__name__}": one
    for one in (made, two, within, equal, unequal, every, lazily, call, method, added, added_anew, nothing, size)
} | {f"_w_{name}": getattr(operator, name) for name in TWO.values()}


class Counters(ast.NodeTransformer):
    """Puts them in, into functions alone: what a module does while it is imported isn't counted."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.path: list[str] = []
        self.slot = -1

    def helper(self, name: str, *arguments: ast.expr, keywords: Sequence[ast.keyword] = ()) -> ast.Call:
        first: list[ast.expr] = [ast.Name("_w_", ast.Load()), ast.Constant(self.slot)]
        return ast.Call(ast.Name(f"_w_{name}", ast.Load()), [*first, *arguments], list(keywords))

    def one(self) -> ast.stmt:
        place = ast.Subscript(ast.Name("_w_", ast.Load()), ast.Constant(self.slot), ast.Store())
        return ast.AugAssign(place, ast.Add(), ast.Constant(1))

    def in_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        before = self.slot
        self.path.append(node.name)
        self.slot = len(self.names)
        self.names.append(".".join(self.path))
        body = [self.visit(statement) for statement in node.body]
        place = 1 if isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant) else 0
        body.insert(place, self.one())
        node.body = body
        self.path.pop()
        self.slot = before
        return node

    visit_FunctionDef = in_function
    visit_AsyncFunctionDef = in_function

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.path.append(node.name)
        before, self.slot = self.slot, -1
        node.body = [
            self.visit(s) if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.If) else s
            for s in node.body
        ]
        self.slot = before
        self.path.pop()
        return node

    def visit(self, node: ast.AST) -> Any:
        if self.slot < 0 and not isinstance(
            node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.If | ast.Try | ast.With
        ):
            return node
        return super().visit(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        node.body = self.helper("nothing", self.visit(node.body))
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        if node.guard is not None:
            node.guard = self.visit(node.guard)
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def loop(self, node: ast.For | ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, self.one())
        return node

    visit_For = loop
    visit_While = loop

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp) -> ast.AST:
        self.generic_visit(node)
        for generator in node.generators:
            generator.iter = self.helper("every", generator.iter)
        return node

    visit_ListComp = comprehension
    visit_SetComp = comprehension
    visit_DictComp = comprehension

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        self.generic_visit(node)
        for generator in node.generators:
            generator.iter = self.helper("lazily", generator.iter)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        sides = (node.left, node.right)
        number = any(isinstance(side, ast.Constant) and not isinstance(side.value, str | bytes) for side in sides)
        if number and not isinstance(node.op, ast.Mult | ast.LShift) and not isinstance(node.left, ast.List):
            return node
        if (name := TWO.get(type(node.op))) is not None:
            return self.helper("two", ast.Name(f"_w_{name}", ast.Load()), node.left, node.right)
        return self.helper("made", node) if isinstance(node.op, RESULT) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        node.value = self.visit(node.value)
        if isinstance(node.value, ast.Constant) and not isinstance(node.value.value, str | bytes):
            return node
        target = node.target
        simple: ast.expr = target
        while isinstance(simple, ast.Attribute):
            simple = simple.value
        if not isinstance(simple, ast.Name) or not isinstance(node.op, ast.Add | ast.BitOr):
            return node
        if isinstance(target, ast.Name):
            node.value = self.helper("added", ast.Name(target.id, ast.Load()), node.value)
        elif isinstance(target, ast.Attribute):
            read = ast.Attribute(target.value, target.attr, ast.Load())
            node.value = self.helper("added_anew", read, node.value)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) != 1:
            return node
        kind, right = node.ops[0], node.comparators[0]
        if isinstance(kind, ast.In | ast.NotIn):
            if isinstance(right, ast.Constant | ast.Tuple | ast.Set | ast.List):
                return node
            found = self.helper("within", node.left, right)
            return found if isinstance(kind, ast.In) else ast.UnaryOp(ast.Not(), found)
        if (
            isinstance(kind, ast.Eq | ast.NotEq)
            and not isinstance(node.left, ast.Constant)
            and not isinstance(right, ast.Constant)
        ):
            return self.helper("equal" if isinstance(kind, ast.Eq) else "unequal", node.left, right)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and isinstance(node.slice, ast.Slice):
            return self.helper("made", node)
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        node.targets = [self.visit(target) for target in node.targets]
        node.value = self.visit(node.value)
        target = node.targets[0]
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
            node.value = self.helper("made", node.value)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                part.value = self.visit(part.value)
        return self.helper("made", node)

    def display(self, node: ast.List | ast.Tuple | ast.Set) -> ast.AST:
        self.generic_visit(node)
        if any(isinstance(one, ast.Starred) for one in node.elts) and not isinstance(
            getattr(node, "ctx", None), ast.Store | ast.Del
        ):
            return self.helper("made", node)
        return node

    visit_List = display
    visit_Tuple = display
    visit_Set = display

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        return self.helper("made", node) if None in node.keys else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        what = node.func
        if isinstance(what, ast.Name) and what.id in EAGER and node.args:
            return self.helper("call", what, *node.args, keywords=node.keywords)
        if isinstance(what, ast.Attribute) and what.attr in METHODS:
            owner = what.value
            if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name) and owner.func.id == "super":
                return node
            return self.helper("method", owner, ast.Constant(what.attr), *node.args, keywords=node.keywords)
        return node


def with_counters(source: bytes, path: str) -> tuple[CodeType, list[str]]:
    tree = ast.parse(source, path)
    counters = Counters()
    tree = ast.fix_missing_locations(counters.visit(tree))
    return compile(tree, path, "exec"), counters.names


class Loader(importlib.machinery.SourceFileLoader):
    """Python's own, with other code for the module."""

    def __init__(self, name: str, path: Path, kept: Path | None) -> None:
        super().__init__(name, str(path))
        self.file = path
        self.kept = kept

    def exec_module(self, module: ModuleType) -> None:
        code, names = self.code()
        slots = [0] * len(names)
        COUNTS[module.__name__] = (slots, names)
        module.__dict__.update(HELPERS, _w_=slots)
        exec(code, module.__dict__)

    def code(self) -> tuple[CodeType, list[str]]:
        source = self.file.read_bytes()
        if self.kept is None:
            return with_counters(source, self.path)
        key = hashlib.sha256(MYSELF + self.path.encode() + source).hexdigest()
        file = self.kept / key
        if file.is_file():
            found: tuple[CodeType, list[str]] = marshal.loads(file.read_bytes())
            return found
        made = with_counters(source, self.path)
        self.kept.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(f".{os.getpid()}")
        partial.write_bytes(marshal.dumps(made))
        partial.replace(file)
        return made


MYSELF: Final = Path(__file__).read_bytes() + sys.version.encode()


class Finder(importlib.abc.MetaPathFinder):
    def __init__(self, kept: Path | None) -> None:
        self.kept = kept

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name != "reknit" and not name.startswith("reknit."):
            return None
        place = SOURCES.joinpath(*name.split("."))
        folder = place / "__init__.py"
        file = folder if folder.is_file() else place.with_suffix(".py")
        if not file.is_file():
            return None
        spec = importlib.util.spec_from_file_location(
            name,
            file,
            loader=Loader(name, file, self.kept),
            submodule_search_locations=[str(place)] if file == folder else None,
        )
        return spec


def start(kept: Path | None = None) -> None:
    """`kept` is a folder for the changed modules' code, so that the next process doesn't make it again."""
    assert not any(name == "reknit" or name.startswith("reknit.") for name in sys.modules), "reknit is imported already"
    sys.meta_path.insert(0, Finder(kept))


def by_function() -> dict[str, int]:
    """The units of each function that did something: "reknit.ir.block:Block.add"."""
    return {
        f"{module}:{name}": count
        for module, (slots, names) in COUNTS.items()
        for count, name in zip(slots, names, strict=True)
        if count
    }


def total() -> int:
    return sum(chain.from_iterable(slots for slots, _ in COUNTS.values()))
