"""Calls that clspv's passes leave in LLVM IR for instructions of SPIR-V, by their opcodes.

    call void @_Z8spirv.op.224.jjj(i32 224, i32 2, i32 2, i32 264)        OpControlBarrier
    call i32 @_Z8spirv.op.234.PU3AS1jjj(i32 234, ptr %p, i32 1, i32 72, i32 1)     atomicrmw add, acquires and releases
    call { i32, i32 } @_Z8spirv.op.149.jj(i32 149, i32 %a, i32 %b)        OpIAddCarry
    call <2 x float> @spirv.unpack.v2f16(i32 %x)                          UnpackHalf2x16

An atomic has the scope that its memory has here; a barrier whose semantics are a value has the strongest.
Source: clspv, lib/BuiltinsEnum.h and docs/OpenCLCOnVulkan.md; SPIR-V 1.6, 3.52.
"""

from typing import Final

from reknit.front.llvm import subgroups, syntax
from reknit.front.llvm.bits import like, scalar
from reknit.front.llvm.memory_statements import atomic, exchanged, loaded, stored
from reknit.front.llvm.parts import count_of, is_wide, part_of
from reknit.front.llvm.results import Pieces, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Operand, Statement, Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.front.llvm.wide import whole_of
from reknit.ir import enums, op
from reknit.ir.value import Value

_OPERATION: Final = "spirv.op"
_CONSTRUCT: Final = "clspv.composite_construct"
_SAME: Final = "clspv.wrap_constant_load"
_PACKED: Final = {"spirv.pack.v2f16": 58, "spirv.unpack.v2f16": 62}
PREFIXES: Final = (_OPERATION, _CONSTRUCT, _SAME, *_PACKED)

_BARRIERS: Final = (op.ControlBarrier, op.MemoryBarrier)
_PAIRS: Final = (op.IAddCarry, op.ISubBorrow, op.UMulExtended, op.SMulExtended)
_ASKED: Final = (op.IsNan, op.IsInf)
_VOTES: Final = (op.Any, op.All)
_CHANGES: Final = {
    op.AtomicExchange: "xchg", op.AtomicIIncrement: "add", op.AtomicIDecrement: "sub", op.AtomicIAdd: "add",
    op.AtomicISub: "sub", op.AtomicSMin: "min", op.AtomicUMin: "umin", op.AtomicSMax: "max", op.AtomicUMax: "umax",
    op.AtomicAnd: "and", op.AtomicOr: "or", op.AtomicXor: "xor",
}  # fmt: skip
_ATOMICS: Final = (op.AtomicLoad, op.AtomicStore, op.AtomicCompareExchange, *_CHANGES)
_ORDERS: Final = {0: "monotonic", 2: "acquire", 4: "release", 8: "acq_rel", 16: "seq_cst"}
_ORDER_MASK: Final = 0x1E
_STRONGEST: Final = 0x10


def is_known(name: str) -> bool:
    return name.startswith(PREFIXES)


def accesses(name: str, statement: Statement) -> list[tuple[Operand, Type]]:
    """The pointer that an atomic goes through, and what it accesses there."""
    if not name.startswith(_OPERATION) or len(statement.operands) < 4 or statement.operands[0].number not in _ATOMICS:
        return []
    is_store = statement.operands[0].number == op.AtomicStore
    return [(statement.operands[1], statement.operands[-1].type if is_store else statement.type)]


def operation_call(lowering: Lowering, statement: Statement, name: str) -> Result:
    """What a call gives that `is_known`. Raises Refusal."""
    target = lowering.target
    if name.startswith(_SAME):
        return lowering.result(statement.operands[0])
    if name.startswith(_CONSTRUCT):
        return _constructed(lowering, statement)
    if not name.startswith(_OPERATION):
        return target.extended(_PACKED[name], lowering.type(statement), [lowering.value(statement.operands[0])])
    code = lowering.number(statement.operands[0])
    try:
        if code in _ATOMICS:
            return _atomic(lowering, statement, code)
        if code in _BARRIERS:
            _barrier(lowering, statement, code)
            return None
        if code in _PAIRS:
            return _pair(lowering, statement, code)
        if code in (*_ASKED, *_VOTES):
            return _asked(lowering, statement, code)
    except IndexError:
        raise Refusal(f"calls @{statement.callee} with fewer operands than the instruction takes") from None
    raise Refusal(f"calls @{statement.callee}, an instruction of SPIR-V that is not read here")


def _constructed(lowering: Lowering, statement: Statement) -> Result:
    if statement.type.kind == syntax.VECTOR:
        return whole_of(lowering, statement.type, [lowering.value(operand) for operand in statement.operands])
    if len(statement.operands) != count_of(statement.type):
        raise Refusal(f"constructs a {statement.type.name} of other parts than it has")
    return Pieces([lowering.result(operand) for operand in statement.operands])


def _barrier(lowering: Lowering, statement: Statement, code: int) -> None:
    target = lowering.target
    operands = statement.operands[1:]
    known = all(operand.kind in (syntax.NUMBER, syntax.ZERO) for operand in operands)
    if len(operands) != (3 if code == op.ControlBarrier else 2):
        raise IndexError
    if known:
        words = [operand.number for operand in operands]
        if words[-1] & _STRONGEST:  # Vulkan's memory model has no sequential consistency
            words[-1] = words[-1] & ~_ORDER_MASK | enums.MemorySemanticsAcquireRelease
        target.effect(code, [target.word(word) for word in words])
    elif code == op.ControlBarrier:
        subgroups.barrier(target)
    else:
        subgroups.fence(target)


def _pair(lowering: Lowering, statement: Statement, code: int) -> Result:
    """Two results in a struct; long vectors component by component."""
    a, b = statement.operands[1], statement.operands[2]
    if not is_wide(a.type):
        return Pieces([*_two(lowering.target, a.type, code, [lowering.value(a), lowering.value(b)])])
    both: list[list[Result]] = [[], []]
    for index in range(count_of(a.type)):
        parts = [lowering.value(part_of(operand, index)) for operand in (a, b)]
        for items, value in zip(both, _two(lowering.target, scalar(a.type), code, parts), strict=True):
            items.append(value)
    return Pieces([Pieces(items) for items in both])


def _two(target: Target, type: Type, code: int, values: list[Value]) -> list[Value]:
    ir_type = target.type(type)
    struct = target.module.intern(op.TypeStruct, None, [ir_type, ir_type])
    pair = target.emit(code, struct, [*values])
    return [target.emit(op.CompositeExtract, ir_type, [pair, index]) for index in range(2)]


def _asked(lowering: Lowering, statement: Statement, code: int) -> Result:
    """Of a number, or of a vector of truths."""
    target = lowering.target
    given = statement.operands[1]
    if code in _ASKED:
        truths = target.type(like(given.type, Type(syntax.INT, "i1", 1)))
    else:
        truths = target.boolean
    if not statement.type.kind == syntax.VECTOR and not statement.type.is_bool():
        raise Refusal(f"calls @{statement.callee}, which gives a truth, as {statement.type.name}")
    return target.emit(code, truths, [lowering.value(given)])


def _atomic(lowering: Lowering, statement: Statement, code: int) -> Result:
    """As the statement of LLVM that it is."""
    operands = statement.operands
    semantics = lowering.number(operands[3])
    order = _ORDERS.get(semantics & _ORDER_MASK)
    if order is None:
        raise Refusal(f"has the memory semantics {semantics}")
    type = operands[4].type if code == op.AtomicStore else statement.type
    plain = Statement("atomicrmw", statement.name, statement.line, type)
    plain.source = type
    if code == op.AtomicLoad:
        plain.words, plain.operands = ["atomic", order], [operands[1]]
        return loaded(lowering, plain)
    if code == op.AtomicStore:
        plain.words, plain.operands = ["atomic", order], [operands[4], operands[1]]
        return stored(lowering, plain)
    if code == op.AtomicCompareExchange:
        unequal = _ORDERS.get(lowering.number(operands[4]) & _ORDER_MASK)
        if unequal is None:
            raise Refusal("has memory semantics of two kinds")
        plain.words, plain.operands = [order, unequal], [operands[1], operands[6], operands[5]]
        pair = exchanged(lowering, plain)
        assert isinstance(pair, Pieces)
        return pair.items[0]
    one = Operand(syntax.NUMBER, type, "", 1)
    by = one if code in (op.AtomicIIncrement, op.AtomicIDecrement) else operands[4]
    plain.words, plain.operands = [_CHANGES[code], order], [operands[1], by]
    return atomic(lowering, plain)
