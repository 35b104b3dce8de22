"""Pointers that are values in native code, by hand; and what is reported of one that nothing goes through."""

import pytest
from kit.random.pointer_programs import HEAD

from reknit.sim.engine import native_run
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

LANES = 24


def natively(body: str, size: int) -> Result:
    numbers = "\n".join([f"%n{value} = OpConstant %u32 {value}" for value in (0, 1, 2, 3, 4, 5, 96, 1000000000)])
    head = HEAD.format(lanes=LANES, rows=96, constants=numbers)
    module = read_module(assemble(f"{head}{body}\nOpReturn\nOpFunctionEnd\n"))
    given = {"out": [0] * LANES, "data": list(range(4 + 4 * 96))}
    return run(module, subgroup_size=size, buffers=given, native=native_run("jit"))


@pytest.mark.parametrize("size", [4, 32])
def test_chosen_and_stepped_on(size: int) -> None:
    """Row r is words 4 + 4 r to 7 + 4 r of data, each its own number. Lanes that are odd take word 1 of row lane, the
    others word 3 of row 2; then all go on two words: 4 + 4 lane + 1 + 2, and 4 + 8 + 3 + 2."""
    result = natively("""
        %bit = OpBitwiseAnd %u32 %lane %n1
        %odd = OpINotEqual %bool %bit %n0
        %a = OpAccessChain %ptru32 %data %n1 %lane %n1
        %b = OpAccessChain %ptru32 %data %n1 %n2 %n3
        %c = OpSelect %ptru32 %odd %a %b
        %d = OpPtrAccessChain %ptru32 %c %n2
        %x = OpLoad %u32 %d
        %to = OpAccessChain %ptru32 %out %n0 %lane
        OpStore %to %x""", size)  # fmt: skip
    assert (result.engine, result.diagnostics) == ("jit", [])
    assert result.buffers["out"].words == [7 + 4 * lane if lane % 2 else 17 for lane in range(LANES)]


OUTSIDE = """
    %a = OpAccessChain %ptru32 %data %n1 %n96 %n0
    %b = OpAccessChain %ptru32 %data %n1 %n2 %n3
    %c = OpSelect %ptru32 %no %a %b
    %x = OpLoad %u32 %c"""


def test_what_is_outside_is_reported_where_it_is_made() -> None:
    """Row 96 of 96, into which no load goes."""
    result = natively(f"%no = OpULessThan %bool %n5 %n4{OUTSIDE}", 4)
    assert [diagnostic.message.partition(": ")[2] for diagnostic in result.diagnostics] == [
        "index 96 of 96 in buffer data (lanes 0-23)"
    ]


@pytest.mark.parametrize("condition", ["%n5 %n4", "%n96 %lane"])
def test_nothing_is_reported_where_no_lane_is(condition: str) -> None:
    """In an arm that all leave out."""
    result = natively(f"""
        %no = OpULessThan %bool {condition}
        OpSelectionMerge %end None
        OpBranchConditional %no %arm %end
        %arm = OpLabel{OUTSIDE}
        OpBranch %end
        %end = OpLabel""", 4)  # fmt: skip
    assert (result.engine, result.diagnostics) == ("jit", [])


def test_several_variables() -> None:
    """By name."""
    result = natively("""
        %odd = OpULessThan %bool %lane %n5
        %a = OpAccessChain %ptru32 %data %n1 %lane %n1
        %b = OpAccessChain %ptru32 %out %n0 %lane
        %c = OpSelect %ptru32 %odd %a %b
        %x = OpLoad %u32 %c""", 4)  # fmt: skip
    assert result.fallback == "it goes through a pointer into one of several variables"
