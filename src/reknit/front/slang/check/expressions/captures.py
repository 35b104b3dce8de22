"""What a lambda takes along of the function that it stands in: copies, made where the lambda is.

    int c = 1;
    let f = (int x) => x + c;         struct { int c; int operator()(int x) { return x + this.c; } }     f = { c }

A name of an outer function becomes a field, in order of first mention; a lambda in a lambda takes it through both.
Globals, statics and constants are no one's own and stay what they are.
"""

from typing import final

from reknit.front.slang import hir
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Body
from reknit.front.slang.symbols import Field, Struct, Variable


@final
class Captures:
    """`this` is the lambda itself, `parts` what its struct is made of, as the function around it (`outer`, None in a
    global's value) sees it."""

    __slots__ = ("outer", "this", "struct", "fields", "parts")

    def __init__(self, outer: Body | None, this: Variable, struct: Struct) -> None:
        self.outer = outer
        self.this = this
        self.struct = struct
        self.fields: dict[Variable, Field] = {}
        self.parts: list[hir.Expr] = []


def seen_from(ctx: Context, body: Body | None, owner: Body | None, place: hir.Place) -> hir.Expr:
    """`place`, a variable of `owner`, as `body` may use it."""
    through: list[Captures] = []
    while body is not None and body is not owner and body.captures is not None:
        through.append(body.captures)
        body = body.captures.outer
    if body is not owner:
        return place
    expr: hir.Expr = place
    for captures in reversed(through):
        expr = _field(ctx, captures, place.variable, expr)
    return expr


def _field(ctx: Context, captures: Captures, variable: Variable, value: hir.Expr) -> hir.Expr:
    field = captures.fields.get(variable)
    if field is None:
        field = Field(variable.name, ctx.number(), variable.at, variable.type)
        captures.fields[variable] = field
        captures.struct.fields.append(field)
        captures.parts.append(value)
    return hir.Field(value.at, variable.type, hir.Place(value.at, captures.this.type, captures.this), field)


def this_of(ctx: Context, body: Body | None, at: int) -> hir.Expr | None:
    """`this` of the method that `body` is or, if it is a lambda's, stands in."""
    owner = body
    while owner is not None and owner.captures is not None:
        owner = owner.captures.outer
    if owner is None or owner.this is None:
        return None
    return seen_from(ctx, body, owner, hir.Place(at, owner.this.type, owner.this))
