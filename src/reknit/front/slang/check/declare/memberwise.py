"""The constructor of a struct that declares no `__init`: a parameter for each field, those of its base first.

    struct A { int2 x; int y = 3; }        A(1)   {1}   (A)1   ->   x = (1, 1), y = 3

Each argument is converted to its field's type, so a scalar fills a vector. Fields less visible than the struct, and
those that can't be written, are left out and keep their default. Source: Slang's proposal 004, "Initialization".
"""

from typing import Final

from reknit.front.slang import hir
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Container, FieldEntry
from reknit.front.slang.check.declare.defaults import default_value, initializers, no_initializer
from reknit.front.slang.check.expressions.convert import convert, cost, mismatch
from reknit.front.slang.check.types.bit_fields import BACKING
from reknit.front.slang.check.types.members import INITIALIZER
from reknit.front.slang.substitute import substitute
from reknit.front.slang.types import (
    ArrayType,
    EnumType,
    MatrixType,
    PointerType,
    ResourceType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)
from reknit.source.meter import spend

_LEVELS: Final = {"private": 0, "internal": 1, "public": 2}


def takes(ctx: Context, type: StructType, arguments: list[hir.Expr]) -> bool:
    """Whether there is such a constructor and the arguments fit it."""
    if declares_one(ctx, type):
        return False
    fields = _parameters(ctx, type)
    return 0 < len(arguments) <= len(fields) and all(
        cost(ctx, argument, field) >= 0 for argument, field in zip(arguments, fields, strict=False)
    )


def call(ctx: Context, type: StructType, arguments: list[hir.Expr], at: int) -> hir.Expr:
    """`type(arguments)`, which `takes` them."""
    expr: hir.Expr | None = None
    taken = 0
    for struct in _bases_first(ctx, type):
        parts = [] if expr is None else [expr]
        for entry, field in _fields(ctx, struct):
            if taken < len(arguments) and _is_parameter(ctx, struct, entry):
                parts.append(convert(ctx, arguments[taken], field))
                taken += 1
            else:
                parts.append(default_field(ctx, struct, field, len(parts), at))
        expr = hir.Construct(at, struct, parts)
    assert expr is not None
    return expr


def refuse(ctx: Context, type: StructType, arguments: list[hir.Expr], at: int, is_list: bool) -> hir.Expr:
    """Say why no constructor takes the arguments."""
    fields = _parameters(ctx, type)
    if is_list and not fields and not initializers(ctx, type):
        ctx.error("E30513", at, f"cannot use initializer list for type '{type}'")
        return hir.Undefined(at, type)
    if initializers(ctx, type) or not fields:
        return no_initializer(ctx, type, arguments, at)
    if len(arguments) > len(fields):
        ctx.error("E39999", at, f"too many arguments to call (got {len(arguments)}, expected {len(fields)})")
    for argument, field in zip(arguments, fields, strict=False):
        if cost(ctx, argument, field) < 0:
            mismatch(ctx, argument, field, argument.at)
    return hir.Undefined(at, type)


def default_field(ctx: Context, type: StructType, field: Type, index: int, at: int) -> hir.Expr:
    """What a field has that nothing is given for: `index` counts the base, too."""
    container = ctx.containers.get(type.struct.number)
    default = None if container is None else ctx.lazy.default(container)
    if default is None:
        return default_value(ctx, field, at)
    whole = hir.Call(at, type, default, ctx.evidence.struct_arguments(type), [])
    return hir.Field(at, field, whole, type.struct.fields[index])


def declares_one(ctx: Context, type: StructType) -> bool:
    """Whether the struct or a base of it declares an `__init`; those of extensions don't count."""
    for struct in _bases_first(ctx, type):
        container = ctx.containers.get(struct.struct.number)
        if container is not None and INITIALIZER in container.members:
            return True
    return False


def is_plain(ctx: Context, type: Type) -> bool:
    """Whether a list in braces may also be dealt out to the parts of a `type`, as in C: it is made of numbers, and all
    fields are as visible as their structs, which have no base and declare no `__init`."""
    left = [type]
    seen: set[str] = set()
    while left:
        type_left = left.pop()
        if type_left.key in seen or isinstance(type_left, (ScalarType, VectorType, MatrixType, EnumType, PointerType)):
            continue
        seen.add(type_left.key)
        if isinstance(type_left, StructType):
            if declares_one(ctx, type_left) or len(_bases_first(ctx, type_left)) > 1:
                return False
            for entry, field in _fields(ctx, type_left):
                if _level(entry) != _level_of_struct(ctx, type_left) or entry.name.startswith(BACKING):
                    return False
                left.append(field)
        elif isinstance(type_left, TupleType):
            left.extend(type_left.elements)
        elif isinstance(type_left, ArrayType):
            if type_left.count is None:
                return False
            left.append(type_left.element)
        elif isinstance(type_left, ResourceType):
            return False
    return True


def _bases_first(ctx: Context, type: StructType) -> list[StructType]:
    """The struct, after what it is derived from."""
    bases = [type]
    while True:
        spend(1)
        container = ctx.containers.get(bases[-1].struct.number)
        if container is None:
            return bases[::-1]
        ctx.lazy.bases(container)
        if container.base is None or len(bases) > 64:
            return bases[::-1]
        base = substitute(container.base, ctx.evidence.struct_arguments(bases[-1]))
        if not isinstance(base, StructType):
            return bases[::-1]
        bases.append(base)


def _fields(ctx: Context, type: StructType) -> list[tuple[FieldEntry, Type]]:
    """Those that are declared in the struct itself."""
    container = ctx.containers.get(type.struct.number)
    if container is None:
        return []
    inside = ctx.evidence.struct_arguments(type)
    return [(entry, substitute(entry.field.type, inside)) for entry in ctx.lazy.fields(container)]


def _parameters(ctx: Context, type: StructType) -> list[Type]:
    return [
        field
        for struct in _bases_first(ctx, type)
        for entry, field in _fields(ctx, struct)
        if _is_parameter(ctx, struct, entry)
    ]


def _is_parameter(ctx: Context, type: StructType, entry: FieldEntry) -> bool:
    return (
        _level(entry) >= _level_of_struct(ctx, type)
        and "const" not in entry.decl.modifiers.words
        and not entry.name.startswith(BACKING)
    )


def _level(entry: FieldEntry) -> int:
    return _visibility(entry.decl.modifiers.words)


def _level_of_struct(ctx: Context, type: StructType) -> int:
    container: Container | None = ctx.containers.get(type.struct.number)
    decl = None if container is None else container.decl
    return 1 if decl is None else _visibility(decl.modifiers.words)


def _visibility(words: dict[str, int]) -> int:
    return max((_LEVELS[word] for word in words if word in _LEVELS), default=1)
