"""Pointers to places of the program. An address is the place's number << 32, plus which element of it; 0 is nullptr.

    __getAddress(x)     x is a Private variable, the address a constant
    p + i, &a[i]        the address of the first element, + i
    *p                  call @load.T(p)      *p = v      call @store.T(p, v)

    @store.T(address, v)   if (address >> 32 == 1) { x = v; return }  y[address & ~0u] = v     x, y: all places of Ts

An element before the first borrows from the number: half of a place's elements lie before it. The two functions of a
type are filled when all places are known. Of an address that is no place's nothing is promised.

A program that also has pointers from outside (`device_memory`) counts bytes instead of elements, and its places have
numbers above those of memory: no device has memory at addresses that begin with 16 ones. What has no number is memory.
"""

from typing import Final

from reknit.front.slang import hir
from reknit.front.slang.builtins.constants import scalar_constant
from reknit.front.slang.builtins.conversion import converted as convert
from reknit.front.slang.builtins.shapes import count_of
from reknit.front.slang.hir import Expr
from reknit.front.slang.lower import device_memory
from reknit.front.slang.lower.body import Body, Handlers
from reknit.front.slang.lower.copies import fresh
from reknit.front.slang.lower.lvalues import VALUE, Memory, Place, spilled
from reknit.front.slang.lower.operators import bits
from reknit.front.slang.lower.program import Instance, PointedType, ProgramState
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.lower.variables import module_variable
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.symbols import Environment, Variable
from reknit.front.slang.symbols import Function as FunctionSymbol
from reknit.front.slang.types import UINT64, ArrayType, PointerType, StructType, Type
from reknit.ir import enums, op
from reknit.ir.build import new_function
from reknit.ir.function import Function
from reknit.ir.types import void_type
from reknit.ir.value import Value

_NOTHING: Final = Environment([], [])
_OWN: Final = 0xFFFF << 16


class Pointed(Place):
    """What `address` leads to."""

    __slots__ = ("state", "address")

    def __init__(self, type: Type, state: ProgramState, address: Value) -> None:
        super().__init__(type)
        self.state = state
        self.address = address

    def load(self, low: Lowering) -> Value:
        callee = self._called(False)
        return low.emit(op.FunctionCall, low.ir_type(self.type), [callee, self.address])

    def store(self, low: Lowering, value: Value) -> None:
        callee = self._called(True)
        low.emit(op.FunctionCall, void_type(low.module), [callee, self.address, value])

    def _called(self, stores: bool) -> Function:
        pointed = pointed_type(self.state, self.type)
        instance = pointed.store if stores else pointed.load
        if self.state.current is not None:
            self.state.current.calls.setdefault(instance.key, self.state.low.at)
        return instance.function

    def field(self, low: Lowering, index: int, type: Type) -> Place:
        return Part(type, self, low.word(index))

    def element(self, low: Lowering, index: Value, type: Type) -> Place:
        return Part(type, self, index)


class Part(Place):
    """A field or element of a place that is loaded and stored as a whole."""

    __slots__ = ("whole", "index")

    def __init__(self, type: Type, whole: Place, index: Value) -> None:
        super().__init__(type)
        self.whole = whole
        self.index = index

    def _in(self, copy: Memory) -> Place:
        return Memory(self.type, copy.base, [*copy.indices, self.index])

    def load(self, low: Lowering) -> Value:
        return self._in(spilled(low, self.whole.type, self.whole.load(low))).load(low)

    def store(self, low: Lowering, value: Value) -> None:
        copy = spilled(low, self.whole.type, self.whole.load(low))
        self._in(copy).store(low, value)
        self.whole.store(low, copy.load(low))

    def field(self, low: Lowering, index: int, type: Type) -> Place:
        return Part(type, self, low.word(index))

    def element(self, low: Lowering, index: Value, type: Type) -> Place:
        return Part(type, self, index)


# ---- places that have addresses


def local(body: Body, variable: Variable, type: Type) -> Place:
    """The place of a local variable: one whose address is taken is seen by other functions."""
    if not variable.addressed or body.low.has_resources(type):
        return fresh(body.low, type, variable.name)
    memory = Memory(type, module_variable(body, enums.StorageClassPrivate, type, variable, None), [])
    give_address(body.program, memory)
    return memory


def give_address(state: ProgramState, place: Memory) -> int:
    """The number of a place that has none yet."""
    number = len(state.addresses) + 1 + (_OWN if state.low.addresses else 0)
    state.addresses[place.base] = number
    state.addressed.append(place)
    return number


def address_of(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.AddressOf)
    if isinstance(expr.place, hir.Element):
        if isinstance(body.type_of(expr.place.base), PointerType):
            return moved(body, expr.place)
        if not isinstance(expr.place.base, hir.Place):
            return _pointed_address(body, expr)
        address = _variables_address(body, expr.place.base, expr.at)
        index = expr.place.index
        return advanced(body.low, body.type_of(expr.place), address, body.type_of(index), body.value(index))
    if not isinstance(expr.place, hir.Place):
        return _pointed_address(body, expr)
    return _variables_address(body, expr.place, expr.at)


def _pointed_address(body: Body, expr: hir.AddressOf) -> Value:
    """Of a part of what a pointer leads to."""
    place = body.place(expr.place)
    if isinstance(place, Memory) and device_memory.is_pointed(place):
        return device_memory.address_of(body.low, place)
    also = " in a program that points to variables of its own" if body.low.addresses else ""
    body.low.refuse(expr.at, f"the address of a part of what a pointer leads to can't be taken{also}")
    return body.low.undefined(UINT64)


def _variables_address(body: Body, variable: Expr, at: int) -> Value:
    low = body.low
    place = body.place(variable)
    number = body.program.addresses.get(place.base) if isinstance(place, Memory) and not place.indices else None
    if number is None and isinstance(place, Memory) and not place.indices and _is_global(place):
        number = give_address(body.program, place)
    if number is None:
        low.refuse(at, "the address of what is no variable of the program can't be taken")
        return low.undefined(UINT64)
    return first_of(low, number)


def _is_global(place: Memory) -> bool:
    return place.rule == VALUE and place.storage() in (enums.StorageClassWorkgroup, enums.StorageClassPrivate)


def first_of(low: Lowering, number: int) -> Value:
    """The address of a place's first element."""
    return scalar_constant(low, UINT64, number << 32)


def moved(body: Body, element: hir.Element) -> Value:
    """The address of an element of what a pointer points to."""
    address = body.value(element.base)
    return advanced(body.low, body.type_of(element), address, body.type_of(element.index), body.value(element.index))


def advanced(low: Lowering, type: Type, address: Value, index_type: Type, index: Value) -> Value:
    """The address `index` elements of `type` further on. Raises Unsupported."""
    if low.addresses:
        return device_memory.moved(low, type, address, index_type, index)
    return low.emit(op.IAdd, low.ir_type(UINT64), [address, convert(low, index_type, UINT64, index)])


def may_be_given(state: ProgramState, type: PointerType) -> bool:
    """Whether such a pointer may come from outside."""
    return state.low.addresses


def _holds(low: Lowering, place: Memory, type: Type) -> bool:
    """Whether a pointer to a `type` may lead there: to the whole of it, or to an element."""
    own = place.type
    return alike(low, own, type) or (isinstance(own, ArrayType) and alike(low, own.element, type))


def alike(low: Lowering, own: Type, type: Type) -> bool:
    """Whether a pointer to the one may be taken as one to the other: they are the same, numbers of the same bits, as a
    float and a uint are, or structs of one field that is."""
    if own.key == type.key:
        return True
    own, type = _only_field(low, own), _only_field(low, type)
    return own.key == type.key or (bits(own) > 0 and bits(own) == bits(type) and count_of(own) == count_of(type))


def _only_field(low: Lowering, type: Type) -> Type:
    """What a struct is made of that has no other field, and what that is made of."""
    while isinstance(type, StructType):
        fields = low.field_types(type)
        if len(fields) != 1:
            return type
        type = fields[0]
    return type


def pointed(body: Body, type: PointerType, address: Value) -> Place:
    """What a pointer points to. Raises Unsupported."""
    if body.low.addresses and not body.low.own_pointers:
        return device_memory.pointed(body.low, type.element, address)
    return Pointed(type.element, body.program, address)


# ---- the functions that follow an address


def pointed_type(state: ProgramState, type: Type) -> PointedType:
    known = state.pointed.get(type.key)
    if known is None:
        low = state.low
        address = ("address", low.ir_type(UINT64))
        ir_type = low.ir_type(type)
        load = new_function(low.module, f"load.{type}", ir_type, [address])
        store = new_function(low.module, f"store.{type}", None, [address, ("value", ir_type)])
        known = PointedType(type, _instance(state, type, load), _instance(state, type, store))
        state.pointed[type.key] = known
    return known


def _instance(state: ProgramState, type: Type, function: Function) -> Instance:
    key = f"{function.name} {type.key}"
    symbol = FunctionSymbol(function.name, 0, state.low.at, "", _NOTHING)
    instance = Instance(key, symbol, Substitution(), [], function, 0)
    state.instances[key] = instance
    return instance


def finish(state: ProgramState) -> None:
    """Their bodies: all places are known."""
    for pointee in state.pointed.values():
        places = [place for place in state.addressed if _holds(state.low, place, pointee.type)]
        _fill(state, pointee, places, False)
        _fill(state, pointee, places, True)


def _fill(state: ProgramState, pointee: PointedType, places: list[Memory], stores: bool) -> None:
    low = state.low
    function = pointee.store.function if stores else pointee.load.function
    low.start(function)
    builder = low.builder
    params = list(function.params)
    value = params[1] if stores else None
    elements = [_element(low, place, pointee.type, params[0]) for place in places]
    other: Place | None = elements[-1] if elements else None
    others = 1 if elements else 0
    if low.addresses and device_memory.can_have(low, pointee.type):
        other, others = None, 0
    numbers = _number(low, params[0]) if len(places) > others else params[0]
    for place, element in list(zip(places, elements, strict=True))[: len(places) - others]:
        number = scalar_constant(low, UINT64, state.addresses[place.base])
        choice = builder.open_if(low.emit(op.IEqual, low.boolean, [numbers, number]))
        builder.at(choice.then.entry())
        _use(low, element, pointee.type, value)
        builder.at(choice.after())
    if others == 0 and low.addresses:
        other = device_memory.pointed(low, pointee.type, params[0])
    if other is not None:
        _use(low, other, pointee.type, value)
    else:
        builder.return_(None if stores else low.undefined(pointee.type))


def _number(low: Lowering, address: Value) -> Value:
    """Which place it is that an address is the nearest to."""
    wide = low.ir_type(UINT64)
    half = low.emit(op.IAdd, wide, [address, scalar_constant(low, UINT64, 1 << 31)])
    return low.emit(op.ShiftRightLogical, wide, [half, scalar_constant(low, UINT64, 32)])


def _element(low: Lowering, place: Memory, type: Type, address: Value) -> Place:
    """What in `place` an address leads to, if it leads there."""
    if alike(low, place.type, type):
        return place
    assert isinstance(place.type, ArrayType)
    index: Value = low.emit(op.UConvert, low.u32, [address])
    if low.addresses:
        index = low.emit(op.UDiv, low.u32, [index, low.word(device_memory.stride_of(low, type) or 1)])
    return place.element(low, index, place.type.element)


def _use(low: Lowering, place: Place, type: Type, value: Value | None) -> None:
    """Load from there, or store `value`: a `type`, which the place may have as another number of the same bits, or as
    the only field of a struct."""
    if place.type.key != type.key:
        while isinstance(place.type, StructType):
            place = place.field(low, 0, low.field_types(place.type)[0])
    if value is None:
        low.builder.return_(_as(low, place.type, type, place.load(low)))
    else:
        place.store(low, _as(low, type, place.type, value))
        low.builder.return_()


def _as(low: Lowering, source: Type, target: Type, value: Value) -> Value:
    """A number as one of the same bits, or as a struct of nothing else, and the other way round."""
    ir_type = low.ir_type(target)
    if source.key == target.key or ir_type is low.ir_type(source):
        return value
    while isinstance(source, StructType):
        source = low.field_types(source)[0]
        value = low.extract(low.ir_type(source), value, 0)
    around: list[Type] = []
    while isinstance(target, StructType):
        around.append(target)
        target = low.field_types(target)[0]
    if low.ir_type(target) is not low.ir_type(source):
        value = low.emit(op.Bitcast, low.ir_type(target), [value])
    for outer in reversed(around):
        value = low.composite(low.ir_type(outer), [value])
    return value


def register(handlers: Handlers) -> None:
    handlers.values[hir.AddressOf] = address_of
