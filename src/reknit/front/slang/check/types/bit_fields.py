"""Bit fields: numbers that share the bits of fields without a name.

    struct S { int a : 8; uint b : 24; float c; }    $bit_field_backing_0 (uint32_t) has a in bits 0-7, b in 8-31; c

Fields that follow one another share one as long as they fit the widest of their types. A width of 0 begins the next
one; such a field is 0 and keeps nothing. As slangc 2026.14 packs them: from the least bit on, or with
`-msvc-style-bitfield-packing` from the most significant one, and where the width of the type changes a new one begins.
"""

from typing import Final

from reknit.front.slang import syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Container, FieldEntry
from reknit.front.slang.integers import integral
from reknit.front.slang.symbols import Field
from reknit.front.slang.types import BOOL, UINT, UINT8, UINT16, UINT64, EnumType, ErrorType, ScalarType
from reknit.source.digits import BEYOND, integer

BACKING: Final = "$bit_field_backing_"
"""What names of the fields begin with that bit fields lie in."""
_WORDS: Final = {8: UINT8, 16: UINT16, 32: UINT, 64: UINT64}


def read_width(ctx: Context, entry: FieldEntry) -> None:
    """The number of bits that a field asks for, if it is a bit field."""
    field = entry.field
    for written in entry.decl.modifiers.registers:
        if written.kind != "bits" or isinstance(field.type, ErrorType):
            continue
        scalar = integral(field.type)
        if scalar is None or scalar is BOOL or isinstance(field.type, EnumType):
            ctx.error("E31301", entry.at, f"bit-field type ({field.type}) must be an integral type")
        elif _bits(written.arguments[0]) > scalar.width:
            message = f"bit-field size ({written.arguments[0]}) exceeds the width of its type {scalar} ({scalar.width})"
            ctx.error("E31300", entry.at, message)
        elif entry.decl.init is not None:
            ctx.unsupported(entry.decl.init.at, "an initial value of a bit field")
        else:
            field.width = _bits(written.arguments[0])


def _bits(text: str) -> int:
    """What a width says; of what is no integer, more than any type has."""
    try:
        return integer(text.rstrip("uUlL"), 0)
    except ValueError:
        return BEYOND


def pack_bit_fields(ctx: Context, container: Container) -> None:
    """Put fields that hold the bits in the place of bit fields."""
    if container.struct is None or all(entry.field.width < 0 for entry in container.fields):
        return
    own = {entry.field for entry in container.fields}
    entries: list[FieldEntry] = []
    group: list[Field] = []
    for entry in container.fields:
        field = entry.field
        if field.width < 0:
            _close(ctx, container, group, entries)
            entries.append(entry)
        elif field.width == 0:
            _close(ctx, container, group, entries)
        else:
            if group and not _fits(ctx, group, field):
                _close(ctx, container, group, entries)
            group.append(field)
    _close(ctx, container, group, entries)
    bases = [field for field in container.struct.fields if field not in own]
    container.fields = entries
    container.struct.fields = bases + [entry.field for entry in entries]


def _fits(ctx: Context, group: list[Field], field: Field) -> bool:
    if ctx.options.msvc_bit_fields and _type_width(group[-1]) != _type_width(field):
        return False
    return sum([each.width for each in group]) + field.width <= max(_type_width(each) for each in [*group, field])


def _type_width(field: Field) -> int:
    return field.type.width if isinstance(field.type, ScalarType) else 0


def _close(ctx: Context, container: Container, group: list[Field], entries: list[FieldEntry]) -> None:
    """A field for the bits of `group`, which is empty then."""
    if not group:
        return
    number = len([entry for entry in entries if entry.name.startswith(BACKING)])
    width = max(_type_width(field) for field in group)
    at = group[0].at
    backing = Field(f"{BACKING}{number}", ctx.number(), at, _WORDS[width])
    taken = 0
    for field in group:
        field.backing = backing
        field.first = width - taken - field.width if ctx.options.msvc_bit_fields else taken
        taken += field.width
    entry = FieldEntry(syntax.VarDecl(at, backing.name, syntax.Modifiers(), None, None), container, backing)
    entry.done = True
    entries.append(entry)
    group.clear()
