"""Which methods of HLSL's structs change their struct: all may, where Slang's have to be [mutating].

    struct S { int n;
        void set(int x) { n = x; }               [mutating]: a field is the target
        void both() { set(1); }                  [mutating]: it calls one
        void out_of(Other o) { fill(n); }        [mutating]: the function `fill` has an `out` parameter there
        int get() { return n; } }                on values that don't change, too

Only names are looked at, before anything is checked: a method that is taken for one that changes its struct is given a
copy that is written back, and a change in one that is not is an error (E30011). What `this` is given to counts by the
name of the function.
"""

from typing import Final, final

from reknit.front.slang.syntax import (
    AggregateDecl,
    Assign,
    Attribute,
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    Decl,
    DeclStmt,
    DoWhile,
    Expr,
    ExprStmt,
    For,
    FuncDecl,
    If,
    Index,
    InitList,
    Keyword,
    Labelled,
    Member,
    Name,
    Node,
    Return,
    SpecializationDecl,
    Switch,
    TemplateDecl,
    Unary,
    Unit,
    VarDecl,
    While,
)
from reknit.source.meter import spend

MUTATING: Final = "mutating"
_OUT: Final = {
    "sincos": (1, 2), "modf": (1,), "frexp": (1,), "asuint": (1, 2), "GetDimensions": (0, 1, 2, 3, 4),
    "InterlockedAdd": (0, 2), "InterlockedAnd": (0, 2), "InterlockedOr": (0, 2), "InterlockedXor": (0, 2),
    "InterlockedMin": (0, 2), "InterlockedMax": (0, 2), "InterlockedExchange": (0, 2),
    "InterlockedCompareExchange": (0, 3), "InterlockedCompareStore": (0,),
}  # fmt: skip
"""Parameters of the language's own functions that are `out` or `inout`."""


@final
class _Method:
    """`targets` are names that it assigns to or gives as `out`; `calls` are the methods that it calls, each behind the
    name of what it is called on: a field, or "this"."""

    __slots__ = ("decl", "owner", "targets", "calls")

    def __init__(self, decl: FuncDecl, owner: AggregateDecl) -> None:
        self.decl = decl
        self.owner = owner
        self.targets: list[str] = []
        self.calls: list[tuple[str, str]] = []


def mark_mutating(unit: Unit) -> None:
    """Give the methods of an HLSL unit that change their struct the attribute. Costs the unit, and the calls once for
    each level at which a method is marked by those that it calls."""
    structs: dict[str, AggregateDecl] = {}
    functions: list[FuncDecl] = []
    methods: list[_Method] = []
    _gather(unit.declarations, structs, functions, methods)
    if not methods:
        return
    given = {name: set(places) for name, places in _OUT.items()}
    for function in functions:
        for place, param in enumerate(function.params):
            if "out" in param.modifiers.words or "inout" in param.modifiers.words:
                given.setdefault(function.name, set()).add(place)
    for method in methods:
        _look(method, given)
    fields = {struct: _fields(struct, structs) for struct in {method.owner for method in methods}}
    marked: dict[str, None] = {}
    left = methods
    grown = True
    while grown:
        grown = False
        after: list[_Method] = []
        for method in left:
            spend(1 + len(method.targets) + len(method.calls))
            own = fields[method.owner]
            if any(name in own for name in method.targets) or any(
                name in marked and (on == "this" or on in own) for on, name in method.calls
            ):
                method.decl.modifiers.attributes.append(Attribute(method.decl.at, MUTATING, []))
                marked[method.decl.name] = None
                grown = True
            else:
                after.append(method)
        left = after


def _gather(
    decls: list[Decl], structs: dict[str, AggregateDecl], functions: list[FuncDecl], methods: list[_Method]
) -> None:
    todo: list[tuple[Decl, AggregateDecl | None]] = [(decl, None) for decl in decls]
    while todo:
        spend(1)
        decl, owner = todo.pop()
        if isinstance(decl, (SpecializationDecl, TemplateDecl)):
            decl = decl.inner
        if isinstance(decl, AggregateDecl):
            if decl.kind in ("struct", "class"):
                structs[decl.name] = decl
            inner = decl if decl.kind in ("struct", "class") else None
            todo.extend((member, inner) for member in decl.members or [])
        elif isinstance(decl, FuncDecl):
            functions.append(decl)
            modifiers = decl.modifiers
            plain = "static" not in modifiers.words and decl.kind in ("func", "operator")
            if owner is not None and plain and decl.body is not None and modifiers.attribute(MUTATING) is None:
                methods.append(_Method(decl, owner))


def _fields(struct: AggregateDecl, structs: dict[str, AggregateDecl]) -> set[str]:
    """Names of what is a part of `this`, and `this`."""
    names = {"this"}
    work = [struct]
    done: set[str] = set()
    while work:
        spend(1)
        decl = work.pop()
        for member in decl.members or []:
            if isinstance(member, VarDecl) and "static" not in member.modifiers.words:
                names.add(member.name)
        for base in decl.bases:
            if isinstance(base, Name) and base.text in structs and base.text not in done:
                done.add(base.text)
                work.append(structs[base.text])
    return names


def _look(method: _Method, given: dict[str, set[int]]) -> None:
    """What the body assigns to and calls. Names of its parameters and variables are not the struct's."""
    assert method.decl.body is not None
    own = {param.name for param in method.decl.params}
    work: list[Node] = [method.decl.body]
    while work:
        spend(1)
        node = work.pop()
        if isinstance(node, VarDecl):
            own.add(node.name)
        if isinstance(node, Assign):
            method.targets.append(_root(node.target))
        elif isinstance(node, Unary) and node.op in ("++", "--"):
            method.targets.append(_root(node.operand))
        elif isinstance(node, Call):
            _look_at_call(method, node, given)
        work.extend(_parts(node))
    method.targets = [name for name in method.targets if name and name not in own]
    method.calls = [(on, name) for on, name in method.calls if on not in own]


def _look_at_call(method: _Method, call: Call, given: dict[str, set[int]]) -> None:
    callee = call.callee
    name = ""
    if isinstance(callee, Name):
        name = callee.text
        method.calls.append(("this", name))
    elif isinstance(callee, Member):
        name = callee.name
        on = _root(callee.base)
        if on:
            method.calls.append((on, name))
    for place in given.get(name, ()):
        if place < len(call.arguments):
            method.targets.append(_root(call.arguments[place]))


def _root(expr: Expr) -> str:
    """The name of what a place is a part of, "" for what is none."""
    while isinstance(expr, (Member, Index)):
        expr = expr.base
    if isinstance(expr, Keyword):
        return expr.text if expr.text == "this" else ""
    return expr.text if isinstance(expr, Name) else ""


def _parts(node: Node) -> list[Node]:
    """The statements and expressions in one, as far as functions of HLSL have them."""
    parts: list[Node | None] = []
    if isinstance(node, Block):
        parts.extend(node.statements)
    elif isinstance(node, DeclStmt):
        parts.extend(node.declarations)
    elif isinstance(node, VarDecl):
        parts.append(node.init)
    elif isinstance(node, ExprStmt):
        parts.append(node.value)
    elif isinstance(node, If):
        parts.extend((node.condition, node.then, node.otherwise))
    elif isinstance(node, For):
        parts.extend((node.first, node.condition, node.step, node.body))
    elif isinstance(node, While):
        parts.extend((node.condition, node.body))
    elif isinstance(node, DoWhile):
        parts.extend((node.body, node.condition))
    elif isinstance(node, Switch):
        parts.append(node.value)
        for group in node.groups:
            parts.extend(group.statements)
    elif isinstance(node, Labelled):
        parts.append(node.body)
    elif isinstance(node, Return):
        parts.append(node.value)
    elif isinstance(node, Assign):
        parts.extend((node.target, node.value))
    elif isinstance(node, Unary):
        parts.append(node.operand)
    elif isinstance(node, Binary):
        parts.extend((node.left, node.right))
    elif isinstance(node, Conditional):
        parts.extend((node.condition, node.then, node.otherwise))
    elif isinstance(node, Cast):
        parts.append(node.value)
    elif isinstance(node, Call):
        parts.append(node.callee)
        parts.extend(node.arguments)
    elif isinstance(node, Member):
        parts.append(node.base)
    elif isinstance(node, Index):
        parts.append(node.base)
        parts.extend(node.arguments)
    elif isinstance(node, InitList):
        parts.extend(node.arguments)
    return [part for part in parts if part is not None]
