"""Methods of HLSL's structs that are defined outside of them get their bodies.

    struct S { int f(int x); };   int S::f(int y) { return y; }     =>     struct S { int f(int y) { return y; } };

Names of structs are looked for from where the definition stands outwards. Where a struct declares several methods of
the name with as many parameters, the one is meant whose parameters' types are written in the same way.
"""

from reknit.front.slang.report import Reports
from reknit.front.slang.syntax import (
    AggregateDecl,
    Apply,
    Decl,
    Expr,
    FuncDecl,
    Index,
    IntLiteral,
    ModifiedType,
    Name,
    OutsideDecl,
    Unit,
)
from reknit.source.meter import spend


def bring_inside(unit: Unit, reports: Reports) -> None:
    """Move each definition to its declaration; one that has none is an error."""
    work: list[list[list[Decl]]] = [[unit.declarations]]
    while work:
        around = work.pop()
        decls = around[-1]
        if any(isinstance(decl, OutsideDecl) for decl in decls):
            outside = [decl for decl in decls if isinstance(decl, OutsideDecl)]
            decls[:] = [decl for decl in decls if not isinstance(decl, OutsideDecl)]
            for each in outside:
                _define(each, around, reports)
        for decl in decls:
            spend(1)
            if isinstance(decl, AggregateDecl) and decl.kind == "namespace" and decl.members:
                work.append([*around, decl.members])


def _define(decl: OutsideDecl, around: list[list[Decl]], reports: Reports) -> None:
    inner = decl.inner
    for decls in reversed(around):
        declared = _methods(decls, decl.path, inner.name)
        if not declared:
            continue
        fitting = [each for each in declared if len(each.params) == len(inner.params)]
        if len(fitting) > 1:
            fitting = [each for each in fitting if _same_types(each, inner)]
        if len(fitting) == 1:
            for have, param in zip(fitting[0].params, inner.params, strict=True):
                param.init = have.init if param.init is None else param.init
                for word, at in have.modifiers.words.items():
                    param.modifiers.words.setdefault(word, at)
            fitting[0].params = inner.params
            fitting[0].body = inner.body
            return
    where = "::".join(decl.path)
    message = f"'{where}' declares no method '{inner.name}' with these parameters that is without a body"
    reports.error("E39999", decl.at, message, length=len(inner.name))


def _methods(decls: list[Decl], path: list[str], name: str) -> list[FuncDecl]:
    """The methods of a struct that have no body yet; of namespaces there may be several parts."""
    inside = [decls]
    for part in path:
        spend(len(decls))
        inside = [
            decl.members
            for members in inside
            for decl in members
            if isinstance(decl, AggregateDecl) and decl.name == part and decl.members is not None
        ]
    return [
        decl
        for members in inside
        for decl in members
        if isinstance(decl, FuncDecl) and decl.name == name and decl.body is None
    ]


def _same_types(one: FuncDecl, other: FuncDecl) -> bool:
    return all(_same(a.type, b.type) for a, b in zip(one.params, other.params, strict=True))


def _same(one: Expr | None, other: Expr | None) -> bool:
    """Whether two types are written in the same way."""
    work = [(one, other)]
    while work:
        a, b = work.pop()
        if isinstance(a, Name) and isinstance(b, Name):
            if a.text != b.text:
                return False
        elif isinstance(a, IntLiteral) and isinstance(b, IntLiteral):
            if a.value != b.value:
                return False
        elif isinstance(a, (Apply, Index)) and a.__class__ is b.__class__ and isinstance(b, (Apply, Index)):
            if len(a.arguments) != len(b.arguments):
                return False
            work += [(a.base, b.base), *zip(a.arguments, b.arguments, strict=True)]
        elif isinstance(a, ModifiedType) and isinstance(b, ModifiedType) and a.modifier == b.modifier:
            work.append((a.base, b.base))
        else:
            return False
    return True
