"""Initializer lists, and aggregates made of parts.

A a = {1, {2, 3}}        A's __init or memberwise constructor that takes them, else parts are dealt out as in C
float3 v = {1}           a scalar fills a vector or matrix, as it does in float3(1); {1, 2} is (1, 2, 0)
float4(v.xy, 0, 1)       Construct(float4, [v.xy, 0.0, 1.0])
int a[3] = {1, 2}        Construct(int[3], [1, 2, 0])
"""

from typing import final

from reknit.front.slang import hir
from reknit.front.slang.check.calls.overloads import choose
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare import memberwise
from reknit.front.slang.check.declare.defaults import (
    attempts_at,
    by_initializer,
    default_value,
    fields_of,
    hidden_of,
)
from reknit.front.slang.check.expressions.casts import cast
from reknit.front.slang.check.expressions.convert import convert, cost, mismatch
from reknit.front.slang.check.expressions.operators import element
from reknit.front.slang.check.expressions.pseudo_expressions import ListExpr
from reknit.front.slang.types import (
    ArrayType,
    ConstType,
    EnumType,
    ErrorType,
    MatrixType,
    OptionalType,
    PointerType,
    ResourceType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
    same,
)


@final
class Lists:
    __slots__ = ("ctx",)

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    def value(self, written: ListExpr, type: Type) -> hir.Expr:
        """`{ ... }` as a `type`."""
        ctx = self.ctx
        parts, at = written.parts, written.at
        if isinstance(type, ErrorType) or any(isinstance(part.type, ErrorType) for part in parts):
            return hir.Undefined(at, type)
        if not parts:
            return default_value(ctx, type, at)
        initialized = by_initializer(ctx, type, parts, at)
        if initialized is not None:
            return initialized
        if isinstance(type, StructType):
            if memberwise.takes(ctx, type, parts):
                return memberwise.call(ctx, type, parts, at)
            if not memberwise.is_plain(ctx, type):
                return memberwise.refuse(ctx, type, parts, at, True)
        if isinstance(type, (VectorType, MatrixType)):
            whole = whole_numbers(ctx, type, parts, at)
            if whole is not None:
                return whole
        if isinstance(type, TupleType) and _are(ctx, parts, type.elements):
            return hir.Construct(at, type, [convert(ctx, *pair) for pair in zip(parts, type.elements, strict=True)])
        if isinstance(type, (VectorType, MatrixType, ArrayType, StructType, TupleType)):
            return from_parts(ctx, type, parts, at, False)
        if isinstance(type, OptionalType) and (len(parts) > 1 or cost(ctx, parts[0], type) < 0):
            return hir.MakeSome(at, type, self.value(written, type.element))
        if len(parts) == 1:
            if isinstance(type, (ResourceType, PointerType)) and not same(parts[0].type, type):
                ctx.error("E30513", at, f"cannot use initializer list for type '{type}'")
                return hir.Undefined(at, type)
            return convert(ctx, parts[0], type)
        ctx.error("E30523", at, f"too many initializers (expected 1, got {len(parts)})")
        return hir.Undefined(at, type)

    def fits(self, written: ListExpr, type: Type) -> bool:
        ctx = self.ctx
        parts = written.parts
        if not parts:
            return True
        if choose(attempts_at(ctx, type, parts)):
            return True
        if isinstance(type, StructType):
            return memberwise.takes(ctx, type, parts) or memberwise.is_plain(ctx, type)
        if isinstance(type, ArrayType):
            return all(isinstance(part, ListExpr) or _may_be_in(ctx, part, type.element) for part in parts)
        if isinstance(type, VectorType):
            return isinstance(type.count, ConstType) and len(parts) <= type.count.value
        if isinstance(type, OptionalType) and self.fits(written, type.element):
            return True
        if isinstance(type, (MatrixType, TupleType)):
            return True
        return len(parts) == 1 and cost(ctx, parts[0], type) >= 0


def whole_numbers(ctx: Context, type: VectorType | MatrixType, parts: list[hir.Expr], at: int) -> hir.Expr | None:
    """One number for all components, or one for each row of a matrix; None if the parts are no such thing."""
    if any(not isinstance(element(part.type), (ScalarType, EnumType)) for part in parts):
        return None
    if len(parts) == 1 and cost(ctx, parts[0], type) >= 0:
        return convert(ctx, parts[0], type)
    if not isinstance(type, MatrixType) or not isinstance(type.rows, ConstType):
        return None
    row = VectorType(type.element, type.columns)
    if not _are(ctx, parts, [row] * type.rows.value):
        return None
    return hir.Construct(at, type, [convert(ctx, part, row) for part in parts])


def _are(ctx: Context, parts: list[hir.Expr], types: list[Type]) -> bool:
    return len(parts) == len(types) and all(cost(ctx, *pair) >= 0 for pair in zip(parts, types, strict=True))


def _may_be_in(ctx: Context, part: hir.Expr, element: Type) -> bool:
    return cost(ctx, part, element) >= 0 or isinstance(element, (ArrayType, StructType, VectorType, MatrixType))


@final
class Cursor:
    """Parts that are dealt out in order."""

    __slots__ = ("parts", "next")

    def __init__(self, parts: list[hir.Expr]) -> None:
        self.parts = parts
        self.next = 0

    def done(self) -> bool:
        return self.next >= len(self.parts)


def from_parts(ctx: Context, type: Type, parts: list[hir.Expr], at: int, exact: bool) -> hir.Expr:
    """An aggregate of `parts`; `exact`: a constructor call, where a vector needs all its components."""
    if isinstance(type, VectorType):
        return _vector(ctx, type, parts, at, exact)
    cursor = Cursor(parts)
    aggregate = _aggregate(ctx, type, cursor, at)
    if not cursor.done():
        extra = cursor.parts[cursor.next]
        if exact:
            ctx.error("E39999", at, f"too many arguments to call (got {len(parts)}, expected {cursor.next})")
        elif not isinstance(extra.type, ErrorType):
            ctx.error("E30523", at, f"too many initializers (expected {cursor.next}, got {len(parts)})")
    return aggregate


def _aggregate(ctx: Context, type: Type, cursor: Cursor, at: int) -> hir.Expr:
    if isinstance(type, StructType):
        return _struct(ctx, type, cursor, at)
    if isinstance(type, TupleType):
        return hir.Construct(at, type, [_next_part(ctx, element, cursor, at) for element in type.elements])
    if isinstance(type, ArrayType):
        return _array(ctx, type, cursor, at)
    if isinstance(type, MatrixType):
        return _matrix(ctx, type, cursor, at)
    return _next_part(ctx, type, cursor, at)


def _next_part(ctx: Context, type: Type, cursor: Cursor, at: int) -> hir.Expr:
    """The next part as a `type`, or as many as it is made of."""
    if cursor.done():
        return default_value(ctx, type, at)
    part = cursor.parts[cursor.next]
    if _is_whole(ctx, part, type):
        cursor.next += 1
        return convert(ctx, part, type)
    if isinstance(type, VectorType) and isinstance(type.count, ConstType):
        count = type.count.value
        taken = cursor.parts[cursor.next : cursor.next + count]
        cursor.next += len(taken)
        return _vector(ctx, type, taken, at, False)
    if isinstance(type, (StructType, ArrayType, MatrixType, TupleType)) and not (
        isinstance(type, StructType) and memberwise.declares_one(ctx, type)
    ):
        if not _starts(ctx, type, part):
            cursor.next += 1
            return convert(ctx, part, type)
        return _aggregate(ctx, type, cursor, at)
    cursor.next += 1
    return convert(ctx, part, type)


def _is_whole(ctx: Context, part: hir.Expr, type: Type) -> bool:
    """Whether a part is all of a `type`: a scalar is only one component of a vector."""
    if isinstance(part, ListExpr) or isinstance(part.type, ErrorType):
        return True
    if isinstance(type, (VectorType, MatrixType)) and isinstance(part.type, (ScalarType, EnumType)):
        return False
    return cost(ctx, part, type) >= 0


def _starts(ctx: Context, type: Type, part: hir.Expr) -> bool:
    """Whether a part may be the first of what is in `type`: else it is simply of a wrong type."""
    for _ in range(64):
        if cost(ctx, part, type) >= 0:
            return True
        if isinstance(type, StructType):
            hidden = hidden_of(ctx, type)
            if False not in hidden:
                return False
            type = fields_of(ctx, type)[hidden.index(False)]
        elif isinstance(type, (ArrayType, MatrixType, VectorType)):
            type = type.element
        elif isinstance(type, TupleType) and type.elements:
            type = type.elements[0]
        else:
            return False
    return False


def _struct(ctx: Context, type: StructType, cursor: Cursor, at: int) -> hir.Expr:
    fields, hidden = fields_of(ctx, type), hidden_of(ctx, type)
    exprs: list[hir.Expr] = []
    for index, field in enumerate(fields):
        if hidden[index] or cursor.done():
            exprs.append(memberwise.default_field(ctx, type, field, index, at))
        else:
            exprs.append(_next_part(ctx, field, cursor, at))
    return hir.Construct(at, type, exprs)


def _array(ctx: Context, type: ArrayType, cursor: Cursor, at: int) -> hir.Expr:
    if type.count is None:
        exprs: list[hir.Expr] = []
        while not cursor.done():
            exprs.append(_next_part(ctx, type.element, cursor, at))
        return hir.Construct(at, ArrayType(type.element, ConstType(len(exprs))), exprs)
    if not isinstance(type.count, ConstType):
        ctx.unsupported(at, "an initializer list for an array whose size is a generic parameter")
        cursor.next = len(cursor.parts)
        return hir.Undefined(at, type)
    if type.count.value > 1 << 16:
        ctx.unsupported(at, f"an initializer list for {type.count.value} elements")
        cursor.next = len(cursor.parts)
        return hir.Undefined(at, type)
    return hir.Construct(at, type, [_next_part(ctx, type.element, cursor, at) for _ in range(type.count.value)])


def _matrix(ctx: Context, type: MatrixType, cursor: Cursor, at: int) -> hir.Expr:
    if not isinstance(type.rows, ConstType):
        ctx.error("E30518", at, f"cannot use initializer list for matrix of statically unknown size '{type.rows}' rows")
        cursor.next = len(cursor.parts)
        return hir.Undefined(at, type)
    row = VectorType(type.element, type.columns)
    if ctx.hlsl and isinstance(type.columns, ConstType) and not _are_rows(cursor, type.columns.value):
        return _dealt_out(ctx, type, cursor, at)
    return hir.Construct(at, type, [_row(ctx, row, cursor, at) for _ in range(type.rows.value)])


def _are_rows(cursor: Cursor, columns: int) -> bool:
    """Whether each vector of what is left begins a row and is as long."""
    have = 0
    for part in cursor.parts[cursor.next :]:
        count = part.type.count if isinstance(part.type, VectorType) else None
        if isinstance(part, ListExpr) or isinstance(part.type, MatrixType):
            return True
        if count is not None and (have % columns or not isinstance(count, ConstType) or count.value != columns):
            return False
        have += columns if count is not None else 1
    return True


def _dealt_out(ctx: Context, type: MatrixType, cursor: Cursor, at: int) -> hir.Expr:
    """HLSL's matrix of numbers and vectors: their components fill it row by row."""
    parts: list[hir.Expr] = []
    have = 0
    for part in cursor.parts[cursor.next :]:
        count = _length(part.type)
        have += count
        single = not isinstance(part.type, VectorType)
        parts.append(_component(ctx, part, type.element if single else VectorType(type.element, ConstType(count))))
    cursor.next = len(cursor.parts)
    wanted = _numbers_in(type)
    if have != wanted:
        few = "not enough" if have < wanted else "too many"
        ctx.error("E39999", at, f"{few} arguments to call (got {have} components, expected {wanted})")
        return hir.Undefined(at, type)
    return hir.Construct(at, type, parts)


def _numbers_in(type: MatrixType) -> int:
    rows, columns = type.rows, type.columns
    return rows.value * columns.value if isinstance(rows, ConstType) and isinstance(columns, ConstType) else 0


def _row(ctx: Context, row: VectorType, cursor: Cursor, at: int) -> hir.Expr:
    """A vector, or as many components as it has: a scalar is no whole row."""
    if not cursor.done():
        part = cursor.parts[cursor.next]
        if isinstance(part, ListExpr) or isinstance(part.type, VectorType):
            cursor.next += 1
            return convert(ctx, part, row)
    count = row.count.value if isinstance(row.count, ConstType) else 0
    taken = cursor.parts[cursor.next : cursor.next + count]
    cursor.next += len(taken)
    return _vector(ctx, row, taken, at, False)


def _vector(ctx: Context, type: VectorType, parts: list[hir.Expr], at: int, exact: bool) -> hir.Expr:
    if not isinstance(type.count, ConstType):
        ctx.error("E30517", at, f"cannot use initializer list for vector of statically unknown size '{type.count}'")
        return hir.Undefined(at, type)
    wanted = type.count.value
    exprs: list[hir.Expr] = []
    have = 0
    for part in _in_pairs(ctx, type, parts) if exact else parts:
        if isinstance(part, ListExpr):
            exprs.append(convert(ctx, part, type.element))
            have += 1
        elif isinstance(part.type, VectorType) and isinstance(part.type.count, ConstType):
            exprs.append(_component(ctx, part, VectorType(type.element, part.type.count)))
            have += part.type.count.value
        else:
            exprs.append(_component(ctx, part, type.element) if exact else convert(ctx, part, type.element))
            have += 1
    if have > wanted:
        if exact:
            ctx.error("E39999", at, f"too many arguments to call (got {have} components, expected {wanted})")
        else:
            ctx.error("E30523", at, f"too many initializers (expected {wanted}, got {have})")
        return hir.Undefined(at, type)
    if have < wanted and exact:
        ctx.error("E39999", at, f"not enough arguments to call (got {have} components, expected {wanted})")
        return hir.Undefined(at, type)
    while have < wanted:
        exprs.append(hir.Zero(at, type.element))
        have += 1
    return hir.Construct(at, type, exprs)


def _in_pairs(ctx: Context, type: VectorType, parts: list[hir.Expr]) -> list[hir.Expr]:
    """Slang's float4(float2, float) is float4(float2, float2): the number fills what is left. HLSL has no such."""
    counts = [_length(part.type) for part in parts]
    if ctx.hlsl or counts not in ([1, 2], [2, 1]) or type.count.key != ConstType(4).key:
        return parts
    two = VectorType(type.element, ConstType(2))
    return [
        hir.Splat(part.at, two, _component(ctx, part, type.element)) if count == 1 else part
        for part, count in zip(parts, counts, strict=True)
    ]


def _length(type: Type) -> int:
    """Components of a vector; 1 of anything else."""
    if not isinstance(type, VectorType):
        return 1
    return type.count.value if isinstance(type.count, ConstType) else 0


def _component(ctx: Context, part: hir.Expr, type: Type) -> hir.Expr:
    """Constructors convert silently."""
    component = cast(ctx, part, type)
    if component is not None:
        return component
    mismatch(ctx, part, type, part.at)
    return hir.Undefined(part.at, type)
