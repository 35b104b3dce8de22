"""llvm.memcpy, memmove and memset: cell by cell, in a loop where there are many or their number is a value.

    memcpy(ptr align 4 %a, ptr align 4 %b, i64 12)     three loads of words, then three stores
    memset(ptr %a, i8 %v, i64 %n)                      for i < n { a[i] = v }

Both objects are cut as finely as the copy needs: by its alignments, and by what its length is a multiple of.
"""

from collections.abc import Callable
from math import gcd
from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.access import advanced, bytes_of, load, store
from reknit.front.llvm.memory import Root
from reknit.front.llvm.places import at_each
from reknit.front.llvm.results import Pointer, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Operand, Statement, Type
from reknit.ir import op
from reknit.ir.edit import append, set_jump
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch
from reknit.ir.types import width_of
from reknit.ir.value import Value

_UNROLLED: Final = 32
_BYTE: Final = Type(syntax.INT, "i8", 8)


def is_copy(statement: Statement) -> bool:
    return statement.op == "call" and statement.callee.startswith(("llvm.memcpy", "llvm.memmove", "llvm.memset"))


def plan_copy(lowering: Lowering, statement: Statement) -> None:
    """Count the accesses that it makes."""
    length = _length(lowering, statement)
    multiple = length if length is not None else _multiple(lowering, statement.operands[2])
    given = statement.operands[:1] if statement.callee.startswith("llvm.memset") else statement.operands[:2]
    for operand in given:
        natural = 1 if statement.source is None else lowering.scene.layout.alignment(statement.source)
        alignment = operand.align or natural
        unit = gcd(8, multiple, alignment) if multiple else 8
        for root in lowering.roots_of(operand):
            root.accessed(Type(syntax.INT, f"i{8 * unit}", 8 * unit))


def _length(lowering: Lowering, statement: Statement) -> int | None:
    if statement.source is not None:
        return lowering.scene.layout.stored(statement.source)
    size = statement.operands[2]
    if size.kind in (syntax.NUMBER, syntax.ZERO):
        return size.number
    return None


def _multiple(lowering: Lowering, operand: Operand) -> int:
    """A power of two up to 8 that divides a number."""
    factor = 1
    while operand.kind == syntax.LOCAL and factor < 8:
        statement = lowering.definitions.get(operand.text)
        if statement is None or statement.op not in ("shl", "mul", "zext", "and"):
            break
        if statement.op != "zext":
            by = statement.operands[1]
            if by.kind != syntax.NUMBER:
                break
            if statement.op == "and":
                return max(factor, gcd(8, by.number))
            factor *= 1 << min(by.number, 3) if statement.op == "shl" else gcd(8, by.number)
        operand = statement.operands[0]
    return min(factor, 8)


def copied(lowering: Lowering, statement: Statement) -> Result:
    """memcpy and memmove."""
    length = _length(lowering, statement)
    if length == 0:
        return None
    to, source = [lowering.place(operand) for operand in statement.operands[:2]]

    def at(target: Pointer) -> list[Value]:
        return at_each(lowering, source, lambda place: _move(lowering, statement, target, place, length))

    at_each(lowering, to, at)
    return None


def _move(lowering: Lowering, statement: Statement, to: Pointer, source: Pointer, length: int | None) -> list[Value]:
    step = max(_unit(lowering, to.root), _unit(lowering, source.root)) // 8
    type = Type(syntax.INT, f"i{8 * step}", 8 * step)
    target = lowering.target
    if length is not None and length <= _UNROLLED * step:
        places = range(0, length, step)
        values = [load(target, advanced(source, None, 0, at), type) for at in places]
        for at, value in zip(places, values, strict=True):
            store(target, advanced(to, None, 0, at), type, value)
        return []
    count = _count(lowering, statement, length, step)
    backward: Value | None = None
    if statement.callee.startswith("llvm.memmove") and to.root is source.root:
        backward = target.emit(op.ULessThan, target.boolean, [bytes_of(target, source), bytes_of(target, to)])
        last = target.emit(op.ISub, target.u32, [count, target.word(1)])

    def body(index: Value) -> None:
        if backward is not None:
            mirrored = target.emit(op.ISub, target.u32, [last, index])
            index = target.emit(op.Select, target.u32, [backward, mirrored, index])
        store(target, advanced(to, index, step), type, load(target, advanced(source, index, step), type))

    repeat(lowering, count, body)
    return []


def filled(lowering: Lowering, statement: Statement) -> Result:
    """memset."""
    length = _length(lowering, statement)
    if length == 0:
        return None
    byte = lowering.value(statement.operands[1])

    def fill(to: Pointer) -> list[Value]:
        target = lowering.target
        width = _unit(lowering, to.root)
        type = Type(syntax.INT, f"i{width}", width)
        value = byte
        if statement.operands[1].kind in (syntax.NUMBER, syntax.ZERO):
            value = target.constant(type, (statement.operands[1].number & 0xFF) * (((1 << width) - 1) // 0xFF))
        elif width > 8:
            wide = target.emit(op.UConvert, target.uint(width), [byte])
            value = target.emit(op.IMul, target.uint(width), [wide, target.constant(type, ((1 << width) - 1) // 0xFF)])
        step = width // 8
        if length is not None and length <= _UNROLLED * step:
            for at in range(0, length, step):
                store(target, advanced(to, None, 0, at), type, value)
        else:
            count = _count(lowering, statement, length, step)
            repeat(lowering, count, lambda index: store(target, advanced(to, index, step), type, value))
        return []

    at_each(lowering, lowering.place(statement.operands[0]), fill)
    return None


def _unit(lowering: Lowering, root: Root) -> int:
    root.declare(lowering.target)
    return root.unit


def _count(lowering: Lowering, statement: Statement, length: int | None, step: int) -> Value:
    """How many cells of `step` bytes there are."""
    target = lowering.target
    if length is not None:
        return target.word(length // step)
    size = lowering.value(statement.operands[2])
    assert isinstance(size, Instr) and size.type is not None
    if width_of(size.type) != 32:
        size = target.emit(op.UConvert, target.u32, [size])
    if step == 1:
        return size
    return target.emit(op.ShiftRightLogical, target.u32, [size, target.word(step.bit_length() - 1)])


def repeat(lowering: Lowering, count: Value, body: Callable[[Value], None]) -> None:
    """A loop that runs `body` with 0 up to `count`, in the middle of a block."""
    target = lowering.target
    start = target.block
    head, inside, after = [lowering.new_block(name) for name in ("copy.head", "copy.next", "copy.end")]
    set_jump(start, Branch(Instr(op.Branch, None, [head], "", False)))
    index = append(head, Instr(op.Phi, target.u32, []))
    target.block = head
    more = target.emit(op.ULessThan, target.boolean, [index, count])
    set_jump(head, Branch(Instr(op.BranchConditional, None, [more, inside, after], "", False)))
    target.block = inside
    body(index)
    following = target.emit(op.IAdd, target.u32, [index, target.word(1)])
    set_jump(target.block, Branch(Instr(op.Branch, None, [head], "", False)))
    index.set_operands([target.word(0), start, following, target.block])
    target.block = after
