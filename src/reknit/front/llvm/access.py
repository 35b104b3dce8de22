"""Loads and stores through roots, at any width, and the arithmetic of pointers.

    i32 at bytes 4 %i + 8 of a u32 root      OpAccessChain %root (%i + 2)
    i64                                      two words, put together
    i32 of a u16 root                        two halves
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.bits import cut_off, is_odd
from reknit.front.llvm.memory import Root
from reknit.front.llvm.results import Address, Anywhere, Pointer
from reknit.front.llvm.syntax import Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr, Operand
from reknit.ir.types import pointer_type, vector_type, width_of
from reknit.ir.value import Value

_BYTE: Final = Type(syntax.INT, "i8", 8)


def advanced(pointer: Pointer, value: Value | None, factor: int, constant: int = 0) -> Pointer:
    """The pointer `value` times `factor` and `constant` bytes further on."""
    terms = list(pointer.terms)
    constant += pointer.constant
    if value is not None and factor:
        known = as_int(value)
        if known is not None:
            constant += (known - (1 << 32) if known >> 31 and width_of_value(value) == 32 else known) * factor
        else:
            terms.append((value, factor))
    return Pointer(pointer.root, terms, constant, pointer.place, pointer.uneven)


def moved(target: Target, place: Address, value: Value | None, factor: int, constant: int = 0) -> Address:
    """The pointer `value` times `factor` and `constant` bytes further on."""
    if isinstance(place, Pointer):
        return advanced(place, value, factor, constant)
    if value is not None:
        known = as_int(value)
        if known is not None:
            constant += known * factor
        elif factor:
            offset = summed(target, [place.offset, scaled(target, value, factor & 0xFFFFFFFF)], constant & 0xFFFFFFFF)
            return Anywhere(place.roots, place.which, offset)
    if not constant & 0xFFFFFFFF:
        return place
    return Anywhere(place.roots, place.which, summed(target, [place.offset], constant & 0xFFFFFFFF))


def width_of_value(value: Value) -> int:
    assert isinstance(value, Instr) and value.type is not None
    return width_of(value.type)


def index_of(target: Target, pointer: Pointer, unit: int) -> Value:
    """Which element of `unit` bytes the pointer is at."""
    parts: list[Value] = []
    loose: list[Value] = []
    constant = pointer.constant
    for value, factor in pointer.terms:
        if factor % unit == 0:
            parts.append(scaled(target, value, factor // unit))
        else:
            loose.append(scaled(target, value, factor))
    if loose:
        total = summed(target, loose, constant)
        parts.append(target.emit(op.ShiftRightLogical, target.u32, [total, target.word(unit.bit_length() - 1)]))
        constant = 0
    return summed(target, parts, constant // unit)


def bytes_of(target: Target, pointer: Pointer) -> Value:
    """The pointer's distance from the start of its root, as a u32."""
    return summed(target, [scaled(target, value, factor) for value, factor in pointer.terms], pointer.constant)


def scaled(target: Target, value: Value, factor: int) -> Value:
    if factor == 1:
        return value
    return target.emit(op.IMul, target.u32, [value, target.word(factor)])


def summed(target: Target, values: list[Value], constant: int) -> Value:
    if not values:
        return target.word(constant)
    total = values[0]
    for value in values[1:]:
        total = target.emit(op.IAdd, target.u32, [total, value])
    if constant:
        total = target.emit(op.IAdd, target.u32, [total, target.word(constant)])
    return total


def cell(target: Target, pointer: Pointer) -> Instr:
    """A pointer of ours to the element that `pointer` is at."""
    root = pointer.root
    variable = root.declare(target)
    if root.scalar:
        return variable
    assert root.element is not None
    index = index_of(target, pointer, root.unit // 8)
    chain: list[Operand] = [variable, target.word(0), index] if root.block else [variable, index]
    if pointer.place is not None:
        chain.insert(1, pointer.place)
    at = target.emit(op.AccessChain, pointer_type(target.module, root.storage, root.element), chain)
    if pointer.uneven:
        target.decorate(at, enums.DecorationNonUniform)
    return at


def load(target: Target, pointer: Pointer, type: Type, stride: int = 0) -> Value:
    """The value of a scalar or vector type at a pointer. `stride` are the bytes from one component to the next."""
    if type.kind == syntax.VECTOR:
        step = stride or type.parts[0].width // 8
        parts = [load(target, advanced(pointer, None, 0, index * step), type.parts[0]) for index in range(type.count)]
        return target.emit(op.CompositeConstruct, target.type(type), [*parts])
    if type.is_bool():
        zero = target.constant(_BYTE, 0)
        return target.emit(op.INotEqual, target.boolean, [load(target, pointer, _BYTE), zero])
    if is_odd(type):
        return _load_bytes(target, pointer, type)
    ir_type = target.type(type)
    root = pointer.root
    root.declare(target)
    _check_unit(root, type)
    element = root.element
    assert element is not None
    count = type.width // root.unit
    cells: list[Value] = []
    for index in range(count):
        at = cell(target, advanced(pointer, None, 0, index * root.unit // 8))
        cells.append(target.emit(op.Load, element, [at]))
    if element is ir_type:
        return cells[0]
    bits = together(target, cells, root.unit, type.width)
    return bits if target.uint(type.width) is ir_type else target.emit(op.Bitcast, ir_type, [bits])


def store(target: Target, pointer: Pointer, type: Type, value: Value) -> None:
    if type.kind == syntax.VECTOR:
        step = type.parts[0].width // 8
        for index in range(type.count):
            one_value = target.emit(op.CompositeExtract, target.type(type.parts[0]), [value, index])
            store(target, advanced(pointer, None, 0, index * step), type.parts[0], one_value)
        return
    if type.is_bool():
        one_value = target.constant(_BYTE, 1)
        zero = target.constant(_BYTE, 0)
        byte = target.emit(op.Select, target.uint(8), [value, one_value, zero])
        store(target, pointer, _BYTE, byte)
        return
    if is_odd(type):
        _store_bytes(target, pointer, type, value)
        return
    root = pointer.root
    root.declare(target)
    _check_unit(root, type)
    element = root.element
    if element is target.type(type):
        target.effect(op.Store, [cell(target, pointer), value])
        return
    bits = target.uint(type.width)
    whole = value if target.type(type) is bits else target.emit(op.Bitcast, bits, [value])
    for index, part in enumerate(apart(target, whole, root.unit, type.width)):
        at = cell(target, advanced(pointer, None, 0, index * root.unit // 8))
        target.effect(op.Store, [at, part])


def _load_bytes(target: Target, pointer: Pointer, type: Type) -> Value:
    """An integer that only LLVM has: as many bytes as it needs."""
    whole = target.type(type)
    total: Value | None = None
    for at in range(-(-type.width // 8)):
        part = load(target, advanced(pointer, None, 0, at), _BYTE)
        if whole is not target.uint(8):
            part = target.emit(op.UConvert, whole, [part])
        if at:
            part = target.emit(op.ShiftLeftLogical, whole, [part, target.word(8 * at)])
        total = part if total is None else target.emit(op.BitwiseOr, whole, [total, part])
    assert total is not None
    return cut_off(target, type, total)


def _store_bytes(target: Target, pointer: Pointer, type: Type, value: Value) -> None:
    for at in range(-(-type.width // 8)):
        part = value
        if at:
            part = target.emit(op.ShiftRightLogical, target.type(type), [value, target.word(8 * at)])
        if target.type(type) is not target.uint(8):
            part = target.emit(op.UConvert, target.uint(8), [part])
        store(target, advanced(pointer, None, 0, at), _BYTE, part)


def _check_unit(root: Root, type: Type) -> None:
    """An object is cut as finely as the narrowest access to it that was found beforehand."""
    if type.kind not in (syntax.INT, syntax.FLOAT) or type.width % root.unit:
        raise Refusal(f"is an access of type {type.name} to an object that is made of {root.unit} bits each")


def together(target: Target, cells: list[Value], unit: int, width: int) -> Value:
    """An unsigned integer of `width` from cells of `unit` bits, the lowest first."""
    if unit == width:
        return cells[0]
    if unit == 32 and width == 64:
        pair = target.emit(op.CompositeConstruct, vector_type(target.module, target.u32, 2), [*cells])
        return target.emit(op.Bitcast, target.uint(64), [pair])
    whole = target.uint(width)
    total: Value | None = None
    for index, byte in enumerate(cells):
        part: Value = target.emit(op.UConvert, whole, [byte])
        if index:
            part = target.emit(op.ShiftLeftLogical, whole, [part, target.word(index * unit)])
        total = part if total is None else target.emit(op.BitwiseOr, whole, [total, part])
    assert total is not None
    return total


def apart(target: Target, whole: Value, unit: int, width: int) -> list[Value]:
    if unit == width:
        return [whole]
    if unit == 32 and width == 64:
        pair = target.emit(op.Bitcast, vector_type(target.module, target.u32, 2), [whole])
        return [target.emit(op.CompositeExtract, target.u32, [pair, index]) for index in range(2)]
    values: list[Value] = []
    for index in range(width // unit):
        part: Value = whole
        if index:
            part = target.emit(op.ShiftRightLogical, target.uint(width), [whole, target.word(index * unit)])
        values.append(target.emit(op.UConvert, target.uint(unit), [part]))
    return values


def atomic_cell(target: Target, pointer: Pointer, width: int) -> Instr:
    """The cell an atomic works on. Raises Refusal where the object is accessed more narrowly elsewhere."""
    pointer.root.declare(target)
    if pointer.root.storage in (enums.StorageClassFunction, enums.StorageClassPrivate):
        raise Refusal("is an atomic on a variable that each invocation has for itself", "shared memory is addrspace(3)")
    element = pointer.root.element
    if element is not target.uint(width):
        have = f"u{pointer.root.unit}" if element is target.uint(pointer.root.unit) else f"f{pointer.root.unit}"
        raise Refusal(f"is an atomic of {width} bits on an object that is accessed as {have} elsewhere")
    return cell(target, pointer)
