"""The numbers that the type flow computes are those that the simulator does, whatever the signedness of the types.

An operation sees the bits of its operands, and says itself whether they are signed (SPIR-V 1.6, 3.52.13 to 3.52.15).
"""

import itertools

import pytest

from reknit.analysis.typeflow.constants import FOLDED, VARIES, fold, literal
from reknit.ir import op, opcodes
from reknit.ir.constants import bool_constant, int_constant
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import bool_type, int_type
from reknit.sim.ops.table import scalar_function
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import BOOL, INT_KIND, Shape

MODULE = Module()
LOGIC = (op.LogicalAnd, op.LogicalOr, op.LogicalEqual, op.LogicalNotEqual)
ARITHMETIC = (op.IAdd, op.ISub, op.IMul, op.BitwiseAnd, op.BitwiseOr, op.BitwiseXor)
COMPARISONS = sorted(FOLDED - {*LOGIC, *ARITHMETIC, op.LogicalNot, op.Select, op.CopyObject})


def name(code: int) -> str:
    info = opcodes.info(code)
    assert info is not None
    return info.name


def corners(width: int) -> list[int]:
    top = 1 << (width - 1)
    return [0, 1, 2, 5, top - 1, top, top + 1, 2 * top - 1]


def simulated(code: int, result: Shape, shapes: list[Shape], values: list[int]) -> int:
    function = scalar_function(code, result, shapes, [], Undefined(lambda lane, message: pytest.fail(message)))
    assert function is not None
    return int(function(*values))


@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("signs", list(itertools.product((False, True), repeat=3)), ids=str)
def test_integers_of_mixed_signedness(width: int, signs: tuple[bool, bool, bool]) -> None:
    first, second, whole = [int_type(MODULE, width, sign) for sign in signs]
    shape = Shape(INT_KIND, width)
    for a, b in itertools.product(corners(width), repeat=2):
        operands = [int_constant(MODULE, first, a), int_constant(MODULE, second, b)]
        numbers = [literal(operand) for operand in operands]
        for code in ARITHMETIC:
            found = fold(Instr(code, whole, list(operands)), numbers)
            assert found == simulated(code, shape, [shape, shape], [a, b]), (name(code), a, b)
        for code in COMPARISONS:
            found = fold(Instr(code, bool_type(MODULE), list(operands)), numbers)
            assert found == simulated(code, BOOL, [shape, shape], [a, b]), (name(code), a, b)


def test_booleans() -> None:
    for a, b in itertools.product((0, 1), repeat=2):
        operands = [bool_constant(MODULE, bool(a)), bool_constant(MODULE, bool(b))]
        for code in LOGIC:
            found = fold(Instr(code, bool_type(MODULE), list(operands)), [literal(operand) for operand in operands])
            assert found == simulated(code, BOOL, [BOOL, BOOL], [a, b]), name(code)


def test_one_operand_may_settle_it() -> None:
    truth, word = bool_type(MODULE), int_type(MODULE, 32, False)
    yes, other = bool_constant(MODULE, True), Instr(op.Load, truth, [], "b")
    some, more = Instr(op.Load, word, [], "x"), Instr(op.Load, word, [], "y")
    assert fold(Instr(op.LogicalOr, truth, [yes, other]), [1, VARIES]) == 1
    assert fold(Instr(op.LogicalAnd, truth, [other, yes]), [VARIES, 0]) == 0
    assert fold(Instr(op.LogicalAnd, truth, [other, yes]), [VARIES, 1]) is VARIES
    assert fold(Instr(op.Select, word, [yes, some, more]), [1, VARIES, 3]) is VARIES
    assert fold(Instr(op.Select, word, [yes, some, more]), [0, VARIES, 3]) == 3
    assert fold(Instr(op.Select, word, [other, some, more]), [VARIES, 4, 4]) == 4
    assert fold(Instr(op.Select, word, [other, some, more]), [VARIES, VARIES, VARIES]) is VARIES
    assert fold(Instr(op.LogicalNot, truth, [yes]), [1]) == 0
    assert fold(Instr(op.CopyObject, word, [some]), [7]) == 7
    assert literal(some) is VARIES
