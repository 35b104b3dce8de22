"""Execution modes about floats: denormals that are flushed, a rounding that is refused.

Bits by hand: 0x00400000 is 2^-127, a denormal of f32; 0x80400000 is -2^-127; 0x1f800000 is 2^-64;
0x00200000 is 2^-128; 0x01000000 is 2^-125, four times 2^-127.
"""

import pytest
from kit.text.pass_texts import body

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.sim.run import run
from reknit.source.diagnostic import InputError

MODE = "ExecutionMode @main DenormFlushToZero 32\n"
STEPS = """
%s = Load %slot : u32
%d = Bitcast %s : f32
%copy = CopyObject %d : f32
%one = Bitcast 1065353216u : f32
"""
CASES = {
    "a copy moves bits": ("%r = Bitcast %copy : u32", 0x80400000, 0x80400000, 0x80400000),
    "an operand": ("%f = FMul %d, %one : f32\n%r = Bitcast %f : u32", 0x80400000, 0x80400000, 0x80000000),
    "a result": ("%f = FMul %d, %d : f32\n%r = Bitcast %f : u32", 0x1F800000, 0x00200000, 0),
    "a comparison": (
        "%z = Bitcast 0u : f32\n%t = FOrdEqual %d, %z : bool\n%r = Select %t, 1u, 0u : u32",
        0x00400000, 0, 1,
    ),
    "a sum of a subgroup": (
        "%f = GroupNonUniformFAdd Subgroup Reduce %d : f32\n%r = Bitcast %f : u32",
        0x00400000, 0x01000000, 0,
    ),
    "another lane's bits": (
        "%f = GroupNonUniformBroadcastFirst Subgroup, %d : f32\n%r = Bitcast %f : u32",
        0x00400000, 0x00400000, 0x00400000,
    ),
}  # fmt: skip


def program(text: str, mode: str) -> Module:
    whole = print_module(body(f"{STEPS}{text}\nStore %slot, %r\nreturn"))
    line = next(line for line in whole.splitlines() if line.startswith("ExecutionMode @main"))
    return parse(whole.replace(line + "\n", line + "\n" + mode))


@pytest.mark.parametrize("name", CASES)
def test_denormals(name: str) -> None:
    text, given, kept, flushed = CASES[name]
    for mode, expected in (("", kept), (MODE, flushed), (MODE.replace("32", "16"), kept)):
        result = run(program(text, mode), subgroup_size=4, buffers={"out": [given] * 32})
        assert not result.failed()
        assert result.buffers["out"].words == [expected] * 32, mode


def test_rounding_toward_zero_is_refused() -> None:
    mode = "ExecutionMode @main RoundingModeRTZ 32\n"
    text = CASES["an operand"][0]
    with pytest.raises(InputError, match="rounds toward zero"):
        run(program(text, mode), buffers={"out": [1] * 32})
    run(program(CASES["a copy moves bits"][0], mode), buffers={"out": [1] * 32})
    run(program(text, mode.replace("32", "64")), buffers={"out": [1] * 32})
