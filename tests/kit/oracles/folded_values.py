"""What folding gives, and what the simulator does, of one operation on given bits.

    folded(op.IAdd, u32, [u32, u32], [2, 3])            5
    simulated(op.UDiv, WORD, [WORD, WORD], [1, 0])      None: it reports that this is undefined
"""

from reknit.ir import op, opcodes
from reknit.ir.instr import Instr
from reknit.passes.values.components import fold_components
from reknit.sim.ops.table import scalar_function
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import Shape

BINARY = [
    op.IAdd, op.ISub, op.IMul, op.UDiv, op.SDiv, op.UMod, op.SRem, op.SMod, op.BitwiseAnd, op.BitwiseOr, op.BitwiseXor,
    op.ShiftLeftLogical, op.ShiftRightLogical, op.ShiftRightArithmetic,
]  # fmt: skip
COMPARE = [
    op.IEqual, op.INotEqual, op.ULessThan, op.ULessThanEqual, op.UGreaterThan, op.UGreaterThanEqual, op.SLessThan,
    op.SLessThanEqual, op.SGreaterThan, op.SGreaterThanEqual,
]  # fmt: skip
FLOAT_COMPARE = [
    op.FOrdEqual, op.FUnordEqual, op.FOrdNotEqual, op.FUnordNotEqual, op.FOrdLessThan, op.FUnordLessThan,
    op.FOrdLessThanEqual, op.FUnordLessThanEqual, op.FOrdGreaterThan, op.FUnordGreaterThan, op.FOrdGreaterThanEqual,
    op.FUnordGreaterThanEqual,
]  # fmt: skip


def corners(width: int) -> list[int]:
    top = 1 << (width - 1)
    some = [
        0,
        1,
        2,
        3,
        7,
        width - 1,
        width,
        width + 1,
        top - 1,
        top,
        top + 1,
        2 * top - 2,
        2 * top - 1,
        0x55 % (2 * top),
    ]
    return sorted(set(some))


def name(code: int) -> str:
    info = opcodes.info(code)
    assert info is not None
    return info.name


def simulated(code: int, result: Shape, operands: list[Shape], values: list[int]) -> int | None:
    """What the machine computes; None if it reports that this is undefined."""
    said: list[str] = []
    function = scalar_function(code, result, operands, [], Undefined(lambda lane, message: said.append(message)))
    assert function is not None, name(code)
    value = function(*values)
    return None if said else value


def folded(code: int, type: Instr, types: list[Instr], values: list[int]) -> int | None:
    found = fold_components(code, type, types, [[value] for value in values])
    return None if found is None else found[0]
