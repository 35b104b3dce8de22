"""Group operations of extensions, run in a program: what the table says the simulator calls, it calls."""

import pytest
from kit.programs.compute import Compute

from reknit.ir import enums, op
from reknit.ir.instr import Operand


@pytest.mark.parametrize(
    ("opcode", "expected"),
    [
        # Lanes 0 to 3 bring 1 2 3 4, in subgroups of 2 lanes.
        (op.GroupIMulKHR, [2, 2, 12, 12]),
        (op.GroupBitwiseAndKHR, [0, 0, 0, 0]),
        (op.GroupBitwiseOrKHR, [3, 3, 7, 7]),
        (op.GroupBitwiseXorKHR, [3, 3, 7, 7]),
        (op.GroupIAddNonUniformAMD, [3, 3, 7, 7]),
        (op.GroupUMaxNonUniformAMD, [2, 2, 4, 4]),
        (op.GroupSMinNonUniformAMD, [1, 1, 3, 3]),
    ],
)
def test_folds_of_extensions_are_those_of_the_subgroup(opcode: int, expected: list[int]) -> None:
    """SPV_KHR_uniform_group_instructions; SPV_AMD_shader_ballot."""
    p = Compute(4)
    value = p.b.emit(op.IAdd, p.u32, [p.index, p.const(1)])
    operands: list[Operand] = [p.const(enums.ScopeSubgroup), enums.GroupOperationReduce, value]
    p.out(p.b.emit(opcode, p.u32, operands, "folded"))
    assert p.words(subgroup_size=2) == expected


def test_integer_functions_run_in_a_program() -> None:
    """SPV_INTEL_shader_integer_functions2: lanes 0 to 3 less 2 without going below 0, and the average with 5."""
    p = Compute(4)
    less = p.b.emit(op.USubSatINTEL, p.u32, [p.index, p.const(2)], "less")
    p.out(p.b.emit(op.UAverageINTEL, p.u32, [less, p.const(5)], "average"))
    assert p.words() == [2, 2, 2, 3]
