"""Pointers to what stands in one place of the program: an address is the place's number, 0 is nullptr.

    __getAddress(x)     x is a Private variable, the address a constant        uniform T* p;   a storage buffer of one T
    *p                  call @load.T(p)      *p = v      call @store.T(p, v)

    @store.T(address, v)   if (address == 1) { x = v; return }  y = v      x, y: all places of type T

The two functions of a type are filled when all places are known. Of an address that is no place's nothing is promised.
"""

from typing import Final

from reknit.front.slang import hir
from reknit.front.slang.builtins.constants import scalar_constant
from reknit.front.slang.hir import Expr
from reknit.front.slang.lower.body import Body, Handlers
from reknit.front.slang.lower.copies import fresh
from reknit.front.slang.lower.places import VALUE, Memory, Place, spilled
from reknit.front.slang.lower.program import Instance, PointedType, ProgramState
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.lower.variables import module_variable
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.symbols import Environment, Variable
from reknit.front.slang.symbols import Function as FunctionSymbol
from reknit.front.slang.types import UINT64, PointerType, Type
from reknit.ir import enums, op
from reknit.ir.build import new_function
from reknit.ir.function import Function
from reknit.ir.types import void_type
from reknit.ir.value import Value

_NOTHING: Final = Environment([], [])


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
        return Part(type, self, low.word(index), True)

    def element(self, low: Lowering, index: Value, type: Type) -> Place:
        return Part(type, self, index, False)


class Part(Place):
    """A field or element of a place that is loaded and stored as a whole."""

    __slots__ = ("whole", "index", "is_field")

    def __init__(self, type: Type, whole: Place, index: Value, is_field: bool) -> None:
        super().__init__(type)
        self.whole = whole
        self.index = index
        self.is_field = is_field

    def _in(self, copy: Memory) -> Place:
        return Memory(self.type, copy.base, [*copy.indices, self.index])

    def load(self, low: Lowering) -> Value:
        return self._in(spilled(low, self.whole.type, self.whole.load(low))).load(low)

    def store(self, low: Lowering, value: Value) -> None:
        copy = spilled(low, self.whole.type, self.whole.load(low))
        self._in(copy).store(low, value)
        self.whole.store(low, copy.load(low))

    def field(self, low: Lowering, index: int, type: Type) -> Place:
        return Part(type, self, low.word(index), True)

    def element(self, low: Lowering, index: Value, type: Type) -> Place:
        return Part(type, self, index, False)


# ---- places that have addresses


def local(body: Body, variable: Variable, type: Type) -> Place:
    """The place of a local variable: one whose address is taken is seen by other functions."""
    if not variable.addressed or body.low.has_resources(type):
        return fresh(body.low, type, variable.name)
    made = Memory(type, module_variable(body, enums.StorageClassPrivate, type, variable, None), [])
    give_address(body.program, made)
    return made


def give_address(state: ProgramState, place: Memory) -> int:
    """The number of a place that has none yet."""
    number = len(state.addresses) + 1
    state.addresses[place.base] = number
    state.addressed.append(place)
    return number


def address_of(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.AddressOf)
    low = body.low
    place = body.place(expr.place)
    number = body.program.addresses.get(place.base) if isinstance(place, Memory) and not place.indices else None
    if number is None:
        low.refuse(expr.at, "the address of what is no local variable as a whole can't be taken")
        return low.undefined(UINT64)
    return scalar_constant(low, UINT64, number)


def may_be_given(state: ProgramState, type: PointerType) -> bool:
    """Whether a shader parameter is such a pointer: those have their addresses first."""
    return any(place.type.key == type.element.key and place.rule != VALUE for place in state.addressed)


def pointed(body: Body, type: PointerType, address: Value) -> Place:
    """What a pointer points to."""
    return Pointed(type.element, body.program, address)


# ---- the functions that follow an address


def pointed_type(state: ProgramState, type: Type) -> PointedType:
    found = state.pointed.get(type.key)
    if found is None:
        low = state.low
        address = ("address", low.ir_type(UINT64))
        made = low.ir_type(type)
        load = new_function(low.module, f"load.{type}", made, [address])
        store = new_function(low.module, f"store.{type}", None, [address, ("value", made)])
        found = PointedType(type, _instance(state, type, load), _instance(state, type, store))
        state.pointed[type.key] = found
    return found


def _instance(state: ProgramState, type: Type, function: Function) -> Instance:
    key = f"{function.name} {type.key}"
    symbol = FunctionSymbol(function.name, 0, state.low.at, "", _NOTHING)
    made = Instance(key, symbol, Substitution(), [], function, 0)
    state.instances[key] = made
    return made


def finish(state: ProgramState) -> None:
    """Their bodies: all places are known."""
    for one in state.pointed.values():
        places = [place for place in state.addressed if place.type.key == one.type.key]
        _fill(state, one, places, False)
        _fill(state, one, places, True)


def _fill(state: ProgramState, one: PointedType, places: list[Memory], stores: bool) -> None:
    low = state.low
    function = one.store.function if stores else one.load.function
    low.start(function)
    builder = low.builder
    params = list(function.params)
    for place in places[:-1]:
        number = scalar_constant(low, UINT64, state.addresses[place.base])
        choice = builder.open_if(low.emit(op.IEqual, low.boolean, [params[0], number]))
        builder.at(choice.then.entry())
        _use(low, place, params[1] if stores else None)
        builder.at(choice.after())
    if places:
        _use(low, places[-1], params[1] if stores else None)
    else:
        builder.return_(None if stores else low.undefined(one.type))


def _use(low: Lowering, place: Memory, value: Value | None) -> None:
    if value is None:
        low.builder.return_(place.load(low))
    else:
        place.store(low, value)
        low.builder.return_()


def register(handlers: Handlers) -> None:
    handlers.values[hir.AddressOf] = address_of
