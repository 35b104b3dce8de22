"""alloca, load, store, getelementptr, atomicrmw, cmpxchg, fence.

    load i32, ptr %p     a load of a root's element       atomicrmw add ptr %p, i32 1     OpAtomicIAdd
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.access import atomic_cell
from reknit.front.llvm.dxil_handles import is_resource
from reknit.front.llvm.places import at_each
from reknit.front.llvm.results import Pieces, Pointer, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Statement, Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.front.llvm.wide import gathered, load_flat, spread, store_flat
from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.value import Value

_ATOMICS: Final = {
    "add": op.AtomicIAdd, "sub": op.AtomicISub, "and": op.AtomicAnd, "or": op.AtomicOr, "xor": op.AtomicXor,
    "min": op.AtomicSMin, "max": op.AtomicSMax, "umin": op.AtomicUMin, "umax": op.AtomicUMax,
    "xchg": op.AtomicExchange,
}  # fmt: skip
_ORDERS: Final = {
    "monotonic": 0, "unordered": 0, "acquire": enums.MemorySemanticsAcquire, "release": enums.MemorySemanticsRelease,
    "acq_rel": enums.MemorySemanticsAcquireRelease, "seq_cst": enums.MemorySemanticsAcquireRelease,
}  # fmt: skip
"""Vulkan's memory model has no sequential consistency: the strongest it has stands for it."""


def alloca(lowering: Lowering, statement: Statement) -> Result:
    root = lowering.scene.allocas.get(statement)
    if root is None and statement.operands and statement.operands[0].kind != syntax.NUMBER:
        raise Refusal("is an array whose length is a value")
    if root is None:
        raise Refusal("is a variable of a type whose size is not known, or beyond all bounds")
    return Pointer(root, [], 0)


def stepped(lowering: Lowering, statement: Statement) -> Result:
    assert statement.source is not None
    if statement.type.kind != syntax.PTR:
        raise Refusal("makes a vector of pointers")
    return lowering.stepped(lowering.place(statement.operands[0]), statement.source, statement.operands[1:])


def loaded(lowering: Lowering, statement: Statement) -> Result:
    type = statement.type
    if lowering.scene.variables and is_resource(lowering, statement.operands[0]):
        return None  # the handle is of the variable
    place = lowering.place(statement.operands[0])
    if "atomic" in statement.words:

        def atomically(pointer: Pointer) -> list[Value]:
            cell, semantics = _ordered(lowering, statement, pointer, type, enums.MemorySemanticsAcquire)
            return [lowering.target.emit(op.AtomicLoad, lowering.type(statement), [cell, *semantics])]

        return at_each(lowering, place, atomically)[0]
    return gathered(lowering, statement, type, at_each(lowering, place, lambda at: load_flat(lowering, at, type)))


def stored(lowering: Lowering, statement: Statement) -> Result:
    type = statement.operands[0].type
    values = spread(lowering, statement.operands[0])

    def store(pointer: Pointer) -> list[Value]:
        if "atomic" in statement.words:
            cell, semantics = _ordered(lowering, statement, pointer, type, enums.MemorySemanticsRelease)
            lowering.target.effect(op.AtomicStore, [cell, *semantics, values[0]])
        else:
            store_flat(lowering, pointer, type, values)
        return []

    at_each(lowering, lowering.place(statement.operands[1]), store)
    return None


def _ordered(
    lowering: Lowering,
    statement: Statement,
    pointer: Pointer,
    type: Type,
    strongest: int = enums.MemorySemanticsAcquireRelease,
) -> tuple[Instr, list[Operand]]:
    """(cell, [scope, semantics]) of an atomic. A load is no release and a store no acquire, so that what stands for
    sequential consistency is `strongest` there (SPIR-V 1.6, 3.52.18)."""
    cell = atomic_cell(lowering.target, pointer, type.width)
    if type.width == 64:
        lowering.target.capability(enums.CapabilityInt64Atomics)
    known = [word for word in statement.words if word in _ORDERS]
    order = _ORDERS[known[0]] if known else 0
    return cell, _scoped(
        lowering.target, pointer, strongest if order == enums.MemorySemanticsAcquireRelease else order
    )


def _scoped(target: Target, pointer: Pointer, order: int) -> list[Operand]:
    shared = pointer.root.storage == enums.StorageClassWorkgroup
    if order:
        order |= enums.MemorySemanticsWorkgroupMemory if shared else enums.MemorySemanticsUniformMemory
    return [target.word(enums.ScopeWorkgroup if shared else enums.ScopeDevice), target.word(order)]


def atomic(lowering: Lowering, statement: Statement) -> Result:
    code = _ATOMICS.get(statement.words[0])
    if code is None or statement.type.kind != syntax.INT:
        raise Refusal(f"is atomicrmw {statement.words[0]} of {statement.type.name}, which is not read here")
    value = lowering.value(statement.operands[1])

    def at(pointer: Pointer) -> list[Value]:
        cell, semantics = _ordered(lowering, statement, pointer, statement.type)
        return [lowering.target.emit(code, lowering.type(statement), [cell, *semantics, value])]

    return at_each(lowering, lowering.place(statement.operands[0]), at)[0]


def exchanged(lowering: Lowering, statement: Statement) -> Result:
    target = lowering.target
    type = statement.operands[1].type
    expected, new = [lowering.value(operand) for operand in statement.operands[1:]]
    known = [word for word in statement.words if word in _ORDERS]

    def at(pointer: Pointer) -> list[Value]:
        cell, semantics = _ordered(lowering, statement, pointer, type)
        # Where it fails, which is no release (SPIR-V 1.6, 3.52.18): as strong as where it does not, if nothing is said.
        acquires = known[-1:] != [] and known[-1] in ("acquire", "acq_rel", "seq_cst")
        unequal = _scoped(target, pointer, enums.MemorySemanticsAcquire if acquires else 0)[1]
        operands: list[Operand] = [cell, *semantics, unequal, new, expected]
        return [target.emit(op.AtomicCompareExchange, target.type(type), operands)]

    (exchange,) = at_each(lowering, lowering.place(statement.operands[0]), at)
    return Pieces([exchange, target.emit(op.IEqual, target.boolean, [exchange, expected])])


def fence(lowering: Lowering, statement: Statement) -> Result:
    target = lowering.target
    semantics = enums.MemorySemanticsAcquireRelease
    semantics |= enums.MemorySemanticsWorkgroupMemory | enums.MemorySemanticsUniformMemory
    target.effect(op.MemoryBarrier, [target.word(enums.ScopeDevice), target.word(semantics)])
    return None
