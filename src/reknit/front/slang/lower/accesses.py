"""Places: variables, fields, elements, components, and what buffers hold.

    a[i].x      Memory(a), element %i, field 0           nothing is loaded yet
    buffer[i]   Memory behind AccessChain %buffer 0 %i   texture[xy]   Texel
    cb.n        Memory behind the block of cb            s.texture     the parameter that it is
"""

from reknit.front.slang import hir
from reknit.front.slang.builtins import structured
from reknit.front.slang.builtins.constants import scalar_constant
from reknit.front.slang.builtins.kinds import BLOCKS, STRUCTURED
from reknit.front.slang.builtins.stored import ends_open
from reknit.front.slang.core import is_empty
from reknit.front.slang.hir import Expr
from reknit.front.slang.lower import heaps, pointers
from reknit.front.slang.lower.bits import Bits
from reknit.front.slang.lower.body import Body, Frame, Handlers
from reknit.front.slang.lower.lvalues import Computed, Memory, Place, Swizzled
from reknit.front.slang.lower.resolve import Resolver
from reknit.front.slang.lower.resource_places import Slot, Texel, Tree, settled
from reknit.front.slang.lower.state import field_index
from reknit.front.slang.lower.system_values import POINT_SIZE
from reknit.front.slang.lower.variables import global_place
from reknit.front.slang.symbols import Field
from reknit.front.slang.types import (
    ArrayType,
    MatrixType,
    PointerType,
    ResourceType,
    StructType,
    TupleType,
    VectorType,
)
from reknit.ir.value import Value


def variable(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.Place)
    place = body.place_of(expr.variable)
    if place is not None:
        return settled(place)
    if expr.substitution is None or not expr.variable.generics:
        return global_place(body, expr.variable)
    caller = body.frame
    body.frame = Frame(None, Resolver(caller.resolver.arguments(expr.substitution)), caller)
    place = global_place(body, expr.variable)
    body.frame = caller
    return place


def field(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.Field)
    base = body.place(expr.base)
    type = base.type
    if isinstance(type, ResourceType):  # a base that should be a Deref
        base = dereferenced(body, base)
        type = base.type
    if not isinstance(type, StructType):
        body.low.refuse(expr.at, f"'{type}' has no field '{expr.field.name}' here")
        return Computed(body.type_of(expr), body.low.undefined(body.type_of(expr)))
    if is_empty(type):
        return Computed(body.type_of(expr), body.low.undefined(body.type_of(expr)))
    symbol = expr.field
    if symbol.width >= 0:
        return _bit_field(body, type, base, symbol)
    if symbol.semantic == POINT_SIZE or (symbol.varying is not None and symbol.varying.builtin == "PointSize"):
        body.low.uses(POINT_SIZE)
    index = field_index(type.struct.fields, symbol)
    return settled(base.field(body.low, index, body.low.field_types(type)[index]))


def _bit_field(body: Body, type: StructType, base: Place, symbol: Field) -> Place:
    own = body.type(symbol.type)
    if symbol.backing is None:
        return Bits(own, Computed(own, scalar_constant(body.low, own, 0)), 0, 0)
    index = field_index(type.struct.fields, symbol.backing)
    return Bits(own, base.field(body.low, index, symbol.backing.type), symbol.first, symbol.width)


def element(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.Element)
    type = body.type_of(expr)
    pointer = body.type_of(expr.base)
    if isinstance(pointer, PointerType):
        _outside_place(body, pointer, expr.at)
        return pointers.pointed(body, pointer, pointers.moved(body, expr))
    base = body.place(expr.base)
    index = body.value(expr.index)
    own = base.type
    if isinstance(own, ResourceType) and own.kind != "Atomic":
        return resource_element(body, expr, base, index)
    if isinstance(own, TupleType) and isinstance(expr.index, hir.Const):
        return settled(base.field(body.low, int(expr.index.value), type))
    if isinstance(own, (ArrayType, VectorType, MatrixType)):
        return settled(base.element(body.low, index, type))
    body.low.refuse(expr.at, f"'{own}' has no elements here")
    return Computed(type, body.low.undefined(type))


def resource_element(body: Body, expr: hir.Element, base: Place, index: Value) -> Place:
    own = base.type
    type = body.type_of(expr)
    assert isinstance(own, ResourceType) and own.element is not None
    if isinstance(settled(base), Slot):
        body.low.refuse(expr.at, f"this variable of type '{own}' was given no resource")
        return Computed(type, body.low.undefined(type))
    if own.kind in STRUCTURED:
        body.tables.outside(own.element, expr.at)
        pointer = structured.element_pointer(body.low, own, base.load(body.low), index)
        return Memory(type, pointer, [], body.low.rule_of(own))
    return Texel(type, base, index, body.type_of(expr.index))


def swizzle(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.Swizzle)
    return Swizzled(body.type_of(expr), body.place(expr.base), expr.indices)


def deref(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.Deref)
    type = body.type_of(expr.base)
    if isinstance(type, PointerType):
        _outside_place(body, type, expr.at)
        return pointers.pointed(body, type, body.value(expr.base))
    if isinstance(type, StructType):
        return heaps.described(body, expr, body.type_of(expr))
    return dereferenced(body, body.place(expr.base))


def _outside_place(body: Body, type: PointerType, at: int) -> None:
    """What a shader parameter points to comes from outside."""
    if pointers.may_be_given(body.program, type):
        body.tables.outside(type.element, at)


def dereferenced(body: Body, base: Place) -> Place:
    """What a constant buffer holds."""
    base = settled(base)
    if isinstance(base, (Tree, Memory)):
        return base  # its parts are variables of their own
    type = base.type
    if not isinstance(type, ResourceType) or type.element is None:
        body.low.refuse(0, f"'{type}' can't be followed to what it points to")
        return Computed(type, body.low.zero(body.low.u32))
    if isinstance(base, Slot):
        body.low.refuse(body.low.at, f"this variable of type '{type}' was given no resource")
        return Computed(type.element, body.low.zero(body.low.ir_type(type.element)))
    body.tables.outside(type.element, body.low.at)
    inside: list[Value] = [] if type.kind in BLOCKS and ends_open(body.low, type.element) else [body.low.word(0)]
    return Memory(type.element, base.load(body.low), inside, body.low.rule_of(type))


def register(handlers: Handlers) -> None:
    handlers.places.update(
        {
            hir.Place: variable,
            hir.Field: field,
            hir.Element: element,
            hir.Swizzle: swizzle,
            hir.Deref: deref,
        }
    )
