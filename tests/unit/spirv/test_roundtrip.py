"""What is printed reads back as it was, with no tool but ours."""

import pytest
from kit.random import spirv_samples

from reknit.spirv.asm import assemble
from reknit.spirv.dis import disassemble
from reknit.spirv.words import swapped

HEADER = bytes.fromhex("03022307 00060100 00000000 0a000000 00000000")


def module(*words: int) -> bytes:
    return HEADER + b"".join(word.to_bytes(4, "little") for word in words)


@pytest.mark.parametrize("seed", range(10, 16))
def test_every_instruction(seed: int) -> None:
    data = spirv_samples.every_instruction(seed)
    text = disassemble(data, friendly=False)
    assert assemble(text, preserve_numeric_ids=True) == data


# As spirv-dis lays it out: "=" under "=", names from OpName, BuiltIn, types and values, no name twice.
NAMED = """; SPIR-V
; Version: 1.6
; Generator: Khronos; 0
; Bound: 12
; Schema: 0
               OpName %a_b "a b"
               OpName %a_b_0 "a-b"
               OpDecorate %gl_Position BuiltIn Position
       %void = OpTypeVoid
      %float = OpTypeFloat 32
    %v4float = OpTypeVector %float 4
        %int = OpTypeInt 32 1
%_ptr_Function_v4float = OpTypePointer Function %v4float
 %float_n1_5 = OpConstant %float -1.5
     %int_n3 = OpConstant %int -3
        %a_b = OpUndef %float
      %a_b_0 = OpUndef %float
%gl_Position = OpUndef %_ptr_Function_v4float
         %11 = OpUndef %int
"""


def test_friendly_names() -> None:
    assert disassemble(assemble(NAMED)) == NAMED


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ((2 << 16 | 5999, 7), "OpUnknown(5999, 2) 7"),  # no such opcode
        ((2 << 16 | 17, 77777), "OpUnknown(17, 2) 77777"),  # no such capability
        ((3 << 16 | 17, 1, 2), "OpUnknown(17, 3) 1 2"),  # OpCapability takes one word
        ((1 << 16 | 249,), "OpUnknown(249, 1)"),  # OpBranch without its target
        ((3 << 16 | 5, 1, 0x41414141), "OpUnknown(5, 3) 1 1094795585"),  # OpName, string without its end
    ],
)
def test_what_the_grammar_does_not_know_is_carried(words: tuple[int, ...], line: str) -> None:
    data = module(*words)
    text = disassemble(data, header=False, indent=False)
    assert text == line + "  ; note: ID bound may be incorrect after reassembly\n"
    assert assemble(text)[20:] == data[20:]


def test_bytes_that_are_no_text_survive() -> None:
    data = module(3 << 16 | 5, 1, 0x0080FF41)  # OpName %1 "A\xff\x80"
    assert assemble(disassemble(data))[20:] == data[20:]


def test_both_endiannesses() -> None:
    data = spirv_samples.every_instruction(30)
    assert disassemble(swapped(data)) == disassemble(data)
    text = disassemble(data, friendly=False)
    assert assemble(text, preserve_numeric_ids=True, big_endian=True) == swapped(data)


def test_version_is_that_of_the_comment_unless_given() -> None:
    assert assemble("; SPIR-V\n; Version: 1.3\nOpNop")[4:8] == bytes([0, 3, 1, 0])
    assert assemble("; Version: 1.3\nOpNop", version=(1, 5))[4:8] == bytes([0, 5, 1, 0])
    assert assemble("OpNop")[4:8] == bytes([0, 6, 1, 0])
