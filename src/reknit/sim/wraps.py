"""Integer operations that promise not to wrap: where one does, its result is undefined.

    %s = IAdd %a, %b : i32     Decorate %s NoSignedWrap      0x7fffffff + 1 is undefined; without it, 0x80000000

Source: SPIR-V 1.6, 3.20 Decoration, NoSignedWrap and NoUnsignedWrap; SPV_KHR_no_integer_wrap_decoration.
"""

from typing import Any, Final

from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.sim.kernel import Step
from reknit.sim.prepare import Preparation
from reknit.sim.values import VECTOR_KIND, to_signed

JUDGED: Final = (op.IAdd, op.ISub, op.IMul, op.SNegate, op.ShiftLeftLogical)


def promises(preparation: Preparation, instr: Instr) -> tuple[bool, bool]:
    """Whether it promises not to wrap as signed numbers, and as unsigned ones."""
    if instr.op not in JUDGED:
        return False, False
    decorations = preparation.globals.decorations
    return (
        decorations.has(instr, enums.DecorationNoSignedWrap),
        decorations.has(instr, enums.DecorationNoUnsignedWrap),
    )


def exact(code: int, a: int, b: int, width: int) -> int:
    """The result as a number of any size. A shift by too much is undefined by itself."""
    if code == op.IAdd:
        return a + b
    if code == op.ISub:
        return a - b
    if code == op.IMul:
        return a * b
    return -a if code == op.SNegate else a << b % width


def judged(preparation: Preparation, instr: Instr, values: list[Value], step: Step) -> Step:
    """The step, which reports what wraps against a promise."""
    signed, unsigned = promises(preparation, instr)
    if not signed and not unsigned:
        return step
    preparation.promises += 1
    shape = preparation.shape(instr)
    width = shape.component().width
    count = shape.count if shape.kind == VECTOR_KIND else 0
    columns = [preparation.column(value) for value in values]
    undefined = preparation.undefined(instr)
    code = instr.op
    limit = 1 << (width - 1)

    def wraps(a: int, b: int) -> bool:
        if unsigned and code != op.SNegate and not 0 <= exact(code, a, b, width) < 2 * limit:
            return True
        by = b if code == op.ShiftLeftLogical else to_signed(b, width)
        return signed and not -limit <= exact(code, to_signed(a, width), by, width) < limit

    def run(lanes: list[int]) -> None:
        step(lanes)
        for lane in lanes:
            a: Any = columns[0][lane]
            b: Any = columns[1][lane] if len(columns) > 1 else a
            if any(wraps(a[at], b[at]) for at in range(count)) if count else wraps(a, b):
                undefined.lane = lane
                undefined.say(f"the result wraps, against {'NoSignedWrap' if signed else 'NoUnsignedWrap'}")

    return run
