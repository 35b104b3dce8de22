"""Refusals that wait until it is known whether they matter: those in functions that may not be lowered.

    float old() { return fwd_diff(f)(...).d; }      RK0910, raised where an entry point reaches `old`

What a source does wrong is said at once; what it may do and reknit does not is no obstacle to the shaders beside it.
"""

from reknit.front.slang.syntax import (
    AggregateDecl,
    Apply,
    Decl,
    Expr,
    FuncDecl,
    Index,
    Member,
    ModifiedType,
    PropertyDecl,
    SpecializationDecl,
    TemplateDecl,
)


def functions_in(declarations: list[Decl]) -> list[tuple[int, int, int]]:
    """(where it begins, where it ends, where its name is) of each function with a body and each that types have."""
    spans: list[tuple[int, int, int]] = []
    work = list(declarations)
    while work:
        decl = work.pop()
        if isinstance(decl, (SpecializationDecl, TemplateDecl)):
            decl = decl.inner
        if isinstance(decl, AggregateDecl):
            work.extend(decl.members or [])
        elif isinstance(decl, PropertyDecl):
            work.extend(decl.accessors)
        elif isinstance(decl, FuncDecl) and decl.body is not None:
            spans.append((_start(decl), decl.body.end, decl.at))
    return spans


def _start(decl: FuncDecl) -> int:
    first = [attribute.at for attribute in decl.modifiers.attributes]
    return min([decl.at, *first, _leftmost(decl.result) if decl.result is not None else decl.at])


def _leftmost(expr: Expr) -> int:
    at = expr.at
    while isinstance(expr, (Apply, Index, Member, ModifiedType)):
        expr = expr.base
        at = min(at, expr.at)
    return at
