"""Functions of the language that the type system has a part in.

createDynamicObject<IFoo>(id, data)     CreateObject : IFoo          makeTuple(a, b)       Construct of a Tuple
bit_cast<T>(x)  reinterpret<T>(x)       Reinterpret : T              concat(t, u)          one Tuple of two
__getAddress(x)                         AddressOf : Ptr<X>                    getStringHash("a")    a constant
loadCoherent<4, MemoryScope.Device>(p)  Deref of p, whose buffers are coherent
"""

from struct import pack, unpack
from typing import Final

from reknit.front.slang import hir
from reknit.front.slang.check.calls.calls import call_builtin
from reknit.front.slang.check.calls.overloads import shown_types
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.defaults import tuple_part
from reknit.front.slang.check.expressions.assignable import is_place
from reknit.front.slang.check.expressions.convert import convert
from reknit.front.slang.check.expressions.pseudo_expressions import BuiltinExpr, ListExpr, is_value, what_it_is
from reknit.front.slang.layout import NATURAL, SCALAR, Contents, NoLayout, layout_of
from reknit.front.slang.types import (
    ERROR,
    INT,
    INT16,
    INT64,
    UINT,
    VOID,
    ArrayType,
    DataLayout,
    ErrorType,
    InterfaceType,
    PointerType,
    ScalarType,
    TupleType,
    Type,
)

SPECIAL: Final = (
    "createDynamicObject", "makeTuple", "bit_cast", "reinterpret", "concat", "makeArrayFromElement", "tupleConcat",
    "__slang_noop_cast", "bitCast", "__getAddress", "getStringHash", "__floatAsInt", "loadCoherent", "storeCoherent",
)  # fmt: skip
SIZES: Final = {
    "sizeof": "sizeof", "alignof": "alignof", "countof": "countof", "__sizeOf": "sizeof", "__alignOf": "alignof",
}  # fmt: skip
"""Of a type, or of the type that an expression has."""


def call_special(ctx: Context, callee: BuiltinExpr, arguments: list[hir.Expr], at: int) -> hir.Expr:
    if any(isinstance(argument.type, ErrorType) for argument in arguments):
        return hir.Undefined(at, ERROR)
    for argument in arguments:
        if not is_value(argument):
            ctx.error("E30019", argument.at, f"expected a value, got {what_it_is(argument)}")
            return hir.Undefined(at, ERROR)
    name, types = callee.name, callee.arguments
    if name == "createDynamicObject":
        return _create(ctx, types, arguments, at)
    if name == "makeTuple":
        return _tuple(ctx, types, arguments, at)
    if name in ("bit_cast", "bitCast", "reinterpret", "__slang_noop_cast") and types and len(arguments) == 1:
        return _reinterpret(ctx, name, types[0], arguments[0], at)
    if name in ("concat", "tupleConcat") and len(arguments) == 2:
        parts = _all_parts(arguments[0], at) + _all_parts(arguments[1], at)
        return hir.Construct(at, TupleType([part.type for part in parts]), parts)
    if name == "makeArrayFromElement" and len(types) == 2 and len(arguments) == 1:
        return hir.Splat(at, ArrayType(types[0], types[1]), convert(ctx, arguments[0], types[0]))
    if name == "__getAddress" and len(arguments) == 1:
        return address(ctx, arguments[0], callee.at)
    if name in ("loadCoherent", "storeCoherent") and len(types) == 2:
        return _coherent(ctx, callee, arguments, at)
    if name == "getStringHash" and len(arguments) == 1 and isinstance(arguments[0], hir.Text):
        return hir.Const(at, INT, string_hash(arguments[0].value))
    if name == "__floatAsInt" and len(arguments) == 1:
        return _float_bits(ctx, arguments[0], at)
    if callee.builtin is not None:
        return call_builtin(ctx, callee, arguments, at)
    ctx.error("E39999", callee.at, f"no overload for '{name}' applicable to arguments of type {shown_types(arguments)}")
    return hir.Undefined(at, ERROR)


class _Declared(Contents):
    """What is known while checking: an existential's size if its interface says it."""

    def existential_size(self, type: InterfaceType) -> int:
        if type.interface.any_value_size == 0:
            raise NoLayout("the size of an existential is that of the largest type")
        return type.interface.any_value_size


def call_size(ctx: Context, callee: BuiltinExpr, arguments: list[hir.Expr], at: int) -> hir.Expr:
    """A constant where the type is known, so that it can be an array's size. The argument isn't evaluated. In HLSL a
    bool has 4 bytes, and the number is a uint."""
    types = callee.arguments if callee.arguments else [argument.type for argument in arguments]
    if any(isinstance(type, ErrorType) for type in types):
        return hir.Undefined(at, ERROR)
    name = SIZES[callee.name]
    if len(types) == 2 and isinstance(types[1], DataLayout) and types[1].rule == SCALAR:
        types = types[:1]  # named here, it counts a bool as 1 byte; as a generic's argument, as 4: slangc 2026.14
    if len(types) == 1 and name != "countof":
        try:
            layout = layout_of(types[0], SCALAR if ctx.hlsl else NATURAL, _Declared())
            return hir.Const(at, UINT if ctx.hlsl else INT, layout.size if name == "sizeof" else layout.align)
        except NoLayout:
            pass  # known after substitution, or refused then
    sized = BuiltinExpr(callee.at, callee.name, callee.builtin, None)
    sized.arguments = types
    return call_builtin(ctx, sized, [], at)


def _create(ctx: Context, types: list[Type], arguments: list[hir.Expr], at: int) -> hir.Expr:
    if len(arguments) == 1:
        arguments = [arguments[0], hir.Const(at, UINT, 0)]  # an object without data
    if not types or len(arguments) != 2 or isinstance(arguments[1], ListExpr):
        ctx.error("E39999", at, "createDynamicObject takes an interface, an id and a value")
        return hir.Undefined(at, ERROR)
    type = types[0]
    if not isinstance(type, InterfaceType):
        ctx.error("E38021", at, f"type argument `{type}` of createDynamicObject is not an interface.")
        return hir.Undefined(at, ERROR)
    return hir.CreateObject(at, type, convert(ctx, arguments[0], UINT), arguments[1])


def _tuple(ctx: Context, types: list[Type], arguments: list[hir.Expr], at: int) -> hir.Expr:
    parts = [
        convert(ctx, argument, types[index]) if index < len(types) else argument
        for index, argument in enumerate(arguments)
    ]
    return hir.Construct(at, TupleType([part.type for part in parts]), parts)


def _reinterpret(ctx: Context, name: str, type: Type, value: hir.Expr, at: int) -> hir.Expr:
    if isinstance(value, ListExpr):
        value = ctx.lists.value(value, type)
    if isinstance(type, InterfaceType) and name != "reinterpret":
        ctx.error("E41204", at, "cannot bit-cast to existential (non-concrete) type")
        return hir.Undefined(at, type)
    if isinstance(type, PointerType) and not isinstance(value.type, PointerType):
        ctx.program.addresses = True
    return hir.Reinterpret(at, type, value)


def string_hash(text: str) -> int:
    """Slang's, which is that of sdbm: c + 65599 * hash for each byte, a signed one."""
    value = 0
    for byte in text.encode("utf-8", "surrogateescape"):
        value = (byte - ((byte & 0x80) << 1) + value * 65599) & 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


_BITS: Final[dict[int, tuple[str, str, ScalarType]]] = {
    16: ("<e", "<h", INT16), 32: ("<f", "<i", INT), 64: ("<d", "<q", INT64),
}  # fmt: skip


def _float_bits(ctx: Context, value: hir.Expr, at: int) -> hir.Expr:
    """The bits of a float that is known while checking, as a signed integer of its width."""
    type, negative = value.type, False
    while isinstance(value, hir.Unary) and value.op == "-":
        value, negative = value.operand, not negative
    if isinstance(value, hir.Convert):
        value = value.value
    if not isinstance(value, hir.Const) or not isinstance(type, ScalarType) or type.kind != "float":
        ctx.error("E39999", at, "expression does not evaluate to a compile-time constant")
        return hir.Undefined(at, ERROR)
    number = -float(value.value) if negative else float(value.value)
    of_float, of_int, integer = _BITS[type.width]
    try:
        bits: int = unpack(of_int, pack(of_float, number))[0]
    except OverflowError:
        ctx.error("E39999", at, f"{number} is no '{type}'")
        return hir.Undefined(at, ERROR)
    return hir.Const(at, integer, bits)


_ADDRESSABLE: Final = ("local", "param", "groupshared", "static")


def address(ctx: Context, place: hir.Expr, at: int) -> hir.Expr:
    if not is_place(place):
        ctx.error("E31160", at, "'__getAddress' takes a variable, or an element or field of one")
        return hir.Undefined(at, ERROR)
    if isinstance(place, hir.Deref) and isinstance(place.base.type, PointerType):
        return place.base
    variable: hir.Expr = place
    if isinstance(place, hir.Element) and isinstance(place.base.type, ArrayType):
        variable = place.base
    through = isinstance(place, hir.Element) and isinstance(place.base.type, PointerType)
    if isinstance(variable, hir.Place) and variable.variable.kind in _ADDRESSABLE:
        variable.variable.addressed = True
        ctx.program.own_pointers = True
    elif not through and not _is_pointed(place):
        ctx.unsupported(at, "the address of what is no variable as a whole or element of an array")
        return hir.Undefined(at, ERROR)
    return hir.AddressOf(at, PointerType(place.type), place)


def _is_pointed(place: hir.Expr) -> bool:
    """Whether it is a part of what a pointer points to."""
    while isinstance(place, (hir.Field, hir.Element)):
        place = place.base
        if isinstance(place.type, PointerType):
            return True
    return isinstance(place, hir.Deref) and isinstance(place.base.type, PointerType)


def _coherent(ctx: Context, callee: BuiltinExpr, arguments: list[hir.Expr], at: int) -> hir.Expr:
    """A load or store through a pointer whose buffers are coherent for the whole device, the widest scope asked for."""
    stores = callee.name == "storeCoherent"
    pointer = arguments[0].type if len(arguments) == (2 if stores else 1) else ERROR
    if not isinstance(pointer, PointerType):
        name = callee.name
        ctx.error(
            "E39999", callee.at, f"no overload for '{name}' applicable to arguments of type {shown_types(arguments)}"
        )
        return hir.Undefined(at, ERROR)
    ctx.program.coherent = True
    place = hir.Deref(at, pointer.element, arguments[0])
    if not stores:
        return place
    return hir.Sequence(at, VOID, [hir.Assign(at, place, convert(ctx, arguments[1], pointer.element))])


def _all_parts(expr: hir.Expr, at: int) -> list[hir.Expr]:
    if not isinstance(expr.type, TupleType):
        return [expr]
    return [tuple_part(expr, index, at) for index in range(len(expr.type.elements))]
