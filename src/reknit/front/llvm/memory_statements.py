"""alloca, load, store, getelementptr, atomicrmw, cmpxchg, fence.

    load i32, ptr %p     a load of a root's element       atomicrmw add ptr %p, i32 1     OpAtomicIAdd
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.access import atomic_cell, load, store
from reknit.front.llvm.results import Pieces, Pointer, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Statement, Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand

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
    if root is None:
        raise Refusal("is a variable of a type whose size is not known, or beyond all bounds")
    return Pointer(root, [], 0)


def stepped(lowering: Lowering, statement: Statement) -> Result:
    assert statement.source is not None
    if statement.type.kind != syntax.PTR:
        raise Refusal("makes a vector of pointers")
    return lowering.stepped(lowering.pointer(statement.operands[0]), statement.source, statement.operands[1:])


def loaded(lowering: Lowering, statement: Statement) -> Result:
    type = statement.type
    if type.kind in (syntax.PTR, syntax.STRUCT, syntax.ARRAY):
        raise Refusal(f"loads a {type.name} from memory", "LLVM's sroa and mem2reg passes split such loads")
    if "atomic" in statement.words:
        cell, semantics = _ordered(lowering, statement, lowering.pointer(statement.operands[0]), type)
        return lowering.target.emit(op.AtomicLoad, lowering.type(statement), [cell, *semantics])
    return load(lowering.target, lowering.pointer(statement.operands[0]), type)


def stored(lowering: Lowering, statement: Statement) -> Result:
    type = statement.operands[0].type
    if type.kind in (syntax.PTR, syntax.STRUCT, syntax.ARRAY):
        raise Refusal(f"stores a {type.name} to memory", "LLVM's sroa and mem2reg passes split such stores")
    value = lowering.value(statement.operands[0])
    pointer = lowering.pointer(statement.operands[1])
    if "atomic" in statement.words:
        cell, semantics = _ordered(lowering, statement, pointer, type)
        lowering.target.effect(op.AtomicStore, [cell, *semantics, value])
    else:
        store(lowering.target, pointer, type, value)
    return None


def _ordered(
    lowering: Lowering, statement: Statement, pointer: Pointer, type: Type
) -> tuple[Instr, list[Operand]]:
    """(cell, [scope, semantics]) of an atomic."""
    cell = atomic_cell(lowering.target, pointer, type.width)
    if type.width == 64:
        lowering.target.capability(enums.CapabilityInt64Atomics)
    known = [word for word in statement.words if word in _ORDERS]
    return cell, _scoped(lowering.target, pointer, _ORDERS[known[0]] if known else 0)


def _scoped(target: Target, pointer: Pointer, order: int) -> list[Operand]:
    shared = pointer.root.storage == enums.StorageClassWorkgroup
    if order:
        order |= enums.MemorySemanticsWorkgroupMemory if shared else enums.MemorySemanticsUniformMemory
    return [target.word(enums.ScopeWorkgroup if shared else enums.ScopeDevice), target.word(order)]


def atomic(lowering: Lowering, statement: Statement) -> Result:
    code = _ATOMICS.get(statement.words[0])
    if code is None:
        raise Refusal(f"is atomicrmw {statement.words[0]}, which is not read here")
    cell, semantics = _ordered(lowering, statement, lowering.pointer(statement.operands[0]), statement.type)
    value = lowering.value(statement.operands[1])
    return lowering.target.emit(code, lowering.type(statement), [cell, *semantics, value])


def exchanged(lowering: Lowering, statement: Statement) -> Result:
    target = lowering.target
    pointer = lowering.pointer(statement.operands[0])
    type = statement.operands[1].type
    expected, new = [lowering.value(operand) for operand in statement.operands[1:]]
    cell, semantics = _ordered(lowering, statement, pointer, type)
    operands: list[Operand] = [cell, *semantics, semantics[1], new, expected]
    known = [word for word in statement.words if word in _ORDERS]
    if len(known) > 1:  # where it fails; that is no release (SPIR-V 1.6, 3.52.18)
        acquires = known[1] in ("acquire", "seq_cst")
        operands[3] = _scoped(target, pointer, enums.MemorySemanticsAcquire if acquires else 0)[1]
    exchange = target.emit(op.AtomicCompareExchange, target.type(type), operands)
    return Pieces([exchange, target.emit(op.IEqual, target.boolean, [exchange, expected])])


def fence(lowering: Lowering, statement: Statement) -> Result:
    target = lowering.target
    semantics = enums.MemorySemanticsAcquireRelease
    semantics |= enums.MemorySemanticsWorkgroupMemory | enums.MemorySemanticsUniformMemory
    target.effect(op.MemoryBarrier, [target.word(enums.ScopeDevice), target.word(semantics)])
    return None
