"""Pointers as values: whether two are the same, and how many elements lie between them.

    buffers      (buffer, byte)                  OpPtrDiff: bytes, by the ArrayStride of the pointers' type
    variables    (values, slot, indices)         OpPtrDiff: of the last index, where the others are the same

Source: SPIR-V 1.6, 3.52.8, OpPtrEqual, OpPtrNotEqual, OpPtrDiff: both operands point into the same array.
"""

from typing import Any

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.types import storage_of
from reknit.sim.kernel import Step
from reknit.sim.memory import Buffer
from reknit.sim.pointers import IN_BUFFERS, is_address
from reknit.sim.prepare import Preparation
from reknit.sim.unsupported import Unsupported


def pointers_step(preparation: Preparation, instr: Instr) -> Step:
    """OpPtrEqual, OpPtrNotEqual and OpPtrDiff."""
    if instr.op == op.PtrDiff:
        return difference(preparation, instr)
    a: list[Any] = preparation.column(instr.value(0))
    b: list[Any] = preparation.column(instr.value(1))
    out: list[Any] = preparation.column(instr)
    wanted = instr.op == op.PtrEqual

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            out[lane] = same(a[lane], b[lane]) == wanted

    return run


def same(a: Any, b: Any) -> bool:
    """0 is the null pointer."""
    if not isinstance(a, tuple) or not isinstance(b, tuple):
        return not isinstance(a, tuple) and not isinstance(b, tuple)
    return same_object(a[0], b[0]) and a[1:] == b[1:]


def same_object(a: Any, b: Any) -> bool:
    if isinstance(a, Buffer) and isinstance(b, Buffer):
        return (a.alias or a) is (b.alias or b)
    return a is b


def difference(preparation: Preparation, instr: Instr) -> Step:
    pointer = instr.value(0)
    a: list[Any] = preparation.column(pointer)
    b: list[Any] = preparation.column(instr.value(1))
    out: list[Any] = preparation.column(instr)
    assert isinstance(pointer, Instr) and pointer.type is not None
    stride = preparation.stride_of(pointer)
    if is_address(pointer):
        raise Unsupported("takes the difference of addresses as pointers; of integers it is defined")
    if stride <= 0 and storage_of(pointer.type) in IN_BUFFERS:
        raise Unsupported("takes the difference of pointers into a buffer that have no ArrayStride")
    mask = (1 << preparation.shape(instr).width) - 1
    undefined = preparation.undefined(instr)

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            elements = between(a[lane], b[lane], stride)
            if elements is None:
                undefined.lane = lane
                undefined.say("OpPtrDiff: the pointers don't lead into the same array")
                elements = 0
            out[lane] = elements & mask

    return run


def between(a: Any, b: Any, stride: int) -> int | None:
    """Elements from b to a; None where they are in different arrays."""
    if not isinstance(a, tuple) or not isinstance(b, tuple) or not same_object(a[0], b[0]):
        return None
    if isinstance(a[0], Buffer):
        bytes = int(a[1]) - int(b[1])
        return None if bytes % stride else bytes // stride
    if a[1] != b[1] or len(a[2]) != len(b[2]) or a[2][:-1] != b[2][:-1]:
        return None
    return int(a[2][-1]) - int(b[2][-1]) if a[2] else 0
