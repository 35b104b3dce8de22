"""The numbers that the type flow computes are those that the simulator does, whatever the signedness of the types.

An operation sees the bits of its operands, and says itself whether they are signed (SPIR-V 1.6, 3.52.13 to 3.52.15).
"""

import itertools

import pytest
from kit.oracles.folded_values import simulated

from reknit.analysis.typeflow.constants import FOLDED, VARIES, fold, literal
from reknit.ir import op, traits
from reknit.ir.constants import bool_constant, int_constant
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import bool_type, int_type
from reknit.sim.values import BOOL, INT_KIND, Shape

MODULE = Module()


def codes(*rules: str) -> list[int]:
    return sorted(code for code in FOLDED if traits.FOLDS.get(code) in rules)


def corners(width: int) -> list[int]:
    top = 1 << (width - 1)
    return [0, 1, 2, 5, top - 1, top, top + 1, 2 * top - 1]


@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("signs", list(itertools.product((False, True), repeat=3)), ids=str)
def test_integers_of_mixed_signedness(width: int, signs: tuple[bool, bool, bool]) -> None:
    first, second, whole = [int_type(MODULE, width, sign) for sign in signs]
    shape = Shape(INT_KIND, width)
    for a, b in itertools.product(corners(width), repeat=2):
        operands = [int_constant(MODULE, first, a), int_constant(MODULE, second, b)]
        numbers = [literal(operand) for operand in operands]
        for code in codes("binary", "division", "compare"):
            compares = traits.FOLDS[code] == "compare"
            found = fold(Instr(code, bool_type(MODULE) if compares else whole, list(operands)), numbers)
            expected = simulated(code, BOOL if compares else shape, [shape, shape], [a, b])
            assert found == expected or (expected is None and found is VARIES), (code, a, b)


def test_conversions_and_fields() -> None:
    """By SPIR-V 1.6: OpSConvert extends the sign, OpUConvert doesn't, OpBitcast keeps the bits."""
    byte, word, signed = int_type(MODULE, 8, False), int_type(MODULE, 32, False), int_type(MODULE, 32, True)
    small, large = int_constant(MODULE, byte, 0x80), int_constant(MODULE, word, 0x8000_00F0)
    four = int_constant(MODULE, word, 4)
    assert fold(Instr(op.SConvert, word, [small]), [0x80]) == 0xFFFF_FF80
    assert fold(Instr(op.UConvert, word, [small]), [0x80]) == 0x80
    assert fold(Instr(op.UConvert, byte, [large]), [0x8000_00F0]) == 0xF0
    assert fold(Instr(op.Bitcast, signed, [large]), [0x8000_00F0]) == 0x8000_00F0
    assert fold(Instr(op.BitFieldUExtract, word, [large, four, four]), [0x8000_00F0, 4, 4]) == 15
    assert fold(Instr(op.BitFieldSExtract, word, [large, four, four]), [0x8000_00F0, 4, 4]) == 0xFFFF_FFFF
    assert fold(Instr(op.BitFieldInsert, word, [large, four, four, four]), [0x8000_00F0, 1, 4, 4]) == 0x8000_0010
    assert fold(Instr(op.BitFieldUExtract, word, [large, four, four]), [0x8000_00F0, VARIES, 4]) is VARIES
    assert fold(Instr(op.BitwiseAnd, word, [large, four]), [VARIES, 0]) == 0


def test_booleans() -> None:
    for a, b in itertools.product((0, 1), repeat=2):
        operands = [bool_constant(MODULE, bool(a)), bool_constant(MODULE, bool(b))]
        for code in set(codes("logic")) - {op.LogicalNot}:
            found = fold(Instr(code, bool_type(MODULE), list(operands)), [literal(operand) for operand in operands])
            assert found == simulated(code, BOOL, [BOOL, BOOL], [a, b]), code


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
