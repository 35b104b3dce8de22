"""Columns of hand-made modules: facts are counted by hand from the words."""

import struct

import pytest

import reknit
from reknit.checks.check import check_input
from reknit.ir.text.parser import parse as read_text
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.spirv.asm import assemble
from reknit.spirv.extinst import imports, set_of
from reknit.spirv.words import parse, swapped, to_bytes, words_of

TEXT = """
           OpCapability Shader
      %1 = OpExtInstImport "GLSL.std.450"
   %void = OpTypeVoid
     %fn = OpTypeFunction %void
  %float = OpTypeFloat 32
      %x = OpUndef %float
   %main = OpFunction %void None %fn
  %entry = OpLabel
      %r = OpExtInst %float %1 Sqrt %x
           OpBranch %exit
   %exit = OpLabel
           OpReturn
           OpFunctionEnd
"""


def binary(*words: int, bound: int = 8, version: int = 0x10600) -> bytes:
    return struct.pack(f"<{5 + len(words)}I", 0x07230203, version, 0, bound, 0, *words)


def judged(data: bytes) -> list[Diagnostic]:
    return check_input(data, "spv", "a.spv", "").diagnostics


def test_columns() -> None:
    columns = parse(assemble(TEXT))
    assert list(columns.op) == [17, 11, 19, 33, 22, 1, 54, 248, 12, 249, 248, 253, 56]
    assert list(columns.at) == [5, 7, 13, 15, 18, 21, 24, 29, 31, 37, 39, 41, 42]
    assert list(columns.size) == [2, 6, 2, 3, 3, 3, 5, 2, 6, 2, 2, 1, 1]
    # Ids in the order in which spirv-as meets them, a result type before its result.
    assert list(columns.result) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 0, 0]
    assert list(columns.type) == [0, 0, 0, 0, 0, 4, 2, 0, 4, 0, 0, 0, 0]
    assert list(columns.function) == [-1] * 6 + [0] * 7
    assert list(columns.block) == [-1] * 7 + [0, 0, 0, 1, 1, -1]
    assert list(columns.functions) == [6]
    assert list(columns.labels) == [7, 10]
    assert list(columns.definition) == [-1, 1, 2, 3, 4, 5, 6, 7, 8, 10]
    assert columns.bound == 10
    assert columns.version == 0x10600
    assert words_of(columns, 8) == [1, 31, 5]
    assert words_of(columns, 9) == [9]
    assert imports(columns) == {1: "GLSL.std.450"}
    assert set_of(columns, 8) == "GLSL.std.450"


def test_big_endian_reads_as_little() -> None:
    data = assemble(TEXT)
    columns = parse(swapped(data))
    assert columns.big_endian
    assert columns.data == data
    assert to_bytes(columns.op)[:8] == bytes([17, 0, 0, 0, 11, 0, 0, 0])
    assert to_bytes(columns.op, big_endian=True)[:8] == bytes([0, 0, 0, 17, 0, 0, 0, 11])


@pytest.mark.parametrize(
    ("data", "code", "word"),
    [
        (b"", "RK0101", 0),
        (b"BC\xc0\xde" + bytes(20), "RK0101", 0),
        (binary() + b"\0", "RK0102", 5),
        (binary(0), "RK0103", 5),
        (binary(3 << 16 | 17, 1), "RK0104", 5),
        (binary(2 << 16 | 19, 0), "RK0105", 6),
        (binary(2 << 16 | 19, 8), "RK0105", 6),
        (binary(2 << 16 | 19, 0xFFFFFFFF), "RK0105", 6),
        (binary(3 << 16 | 1, 9, 1), "RK0105", 6),
        (binary(2 << 16 | 19, 1, 2 << 16 | 20, 1), "RK0106", 7),
        (binary(bound=0), "RK0107", 3),
        (binary(bound=1 << 22), "RK0107", 3),
        (binary(bound=0xFFFFFFFF), "RK0107", 3),
        (binary(1 << 16 | 19), "RK0108", 5),
        *[(binary(version=word), "RK0109", 1) for word in (0, 0xFF0000, 0x10700, 0x20000, 0x10601, 0x1010600)],
        (binary(2 << 16 | 1, 1), "RK0108", 5),
    ],
)
def test_faults(data: bytes, code: str, word: int) -> None:
    with pytest.raises(InputError) as caught:
        parse(data, "a.spv")
    (fault,) = caught.value.diagnostics
    assert (fault.code, fault.place and fault.place.word) == (code, word)


@pytest.mark.parametrize("minor", range(7))
def test_versions_that_are_known(minor: int) -> None:
    """SPIR-V 1.0 to 1.6; SPIRV-Tools v2026.4 refuses the headers of all others, too."""
    assert parse(binary(version=0x10000 | minor << 8)).version == 0x10000 | minor << 8


def test_versions_in_texts() -> None:
    with pytest.raises(InputError) as caught:
        assemble("; SPIR-V\n; Version: 300.1\nOpNop\n", "a.spvasm")
    (fault,) = caught.value.diagnostics
    assert (fault.code, str(fault.place)) == ("RK0109", "a.spvasm:2:12")
    for text, place in (("module 1.7", "a.rk:1:8"), ("module version 0x10601", "a.rk:1:16")):
        with pytest.raises(InputError) as caught:
            read_text(text, "a.rk")
        (fault,) = caught.value.diagnostics
        assert (fault.code, str(fault.place)) == ("RK0109", place)


def test_several_id_faults_are_reported_together() -> None:
    with pytest.raises(InputError) as caught:
        parse(binary(*[2 << 16 | 19, 9] * 3))
    assert [fault.code for fault in caught.value.diagnostics] == ["RK0105"] * 3


def test_words_with_their_top_bit_set() -> None:
    columns = parse(binary(4 << 16 | 21, 1, 32, 0, 4 << 16 | 43, 1, 2, 0xFFFFFFFF, 0xFFFE << 16 | 5999, *[7] * 0xFFFD))
    assert words_of(columns, 1) == [0xFFFFFFFF]
    assert list(columns.size) == [4, 4, 0xFFFE]


OPENCL = """OpCapability Kernel
OpCapability Addresses
OpCapability Float16Buffer
%cl = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main" %half
%void = OpTypeVoid
%f32 = OpTypeFloat 32
%f16 = OpTypeFloat 16
%u64 = OpTypeInt 64 0
%zero = OpConstant %u64 0
%one = OpConstant %f32 1
%to = OpTypePointer CrossWorkgroup %f16
%half = OpVariable %to CrossWorkgroup
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpExtInst %void %cl vstore_half_r %one %zero %half RTE
OpReturn
OpFunctionEnd
"""


def test_an_extended_instruction_may_take_what_is_no_id() -> None:
    """OpenCL.std's vstore_half_r ends with a rounding mode; RTE is 0, which no id is."""
    faults = [fault for fault in reknit.check(reknit.load(assemble(OPENCL))) if fault.code == "RK0633"]
    assert faults == [] == [fault for fault in judged(assemble(OPENCL)) if fault.code == "RK0633"]


def test_what_an_unknown_instruction_may_define() -> None:
    """Opcode 60000 is nobody's: what it gives is not defined as far as is known, and the message says so."""
    data = bytearray(assemble(OPENCL.replace("OpExtInst %void %cl vstore_half_r %one %zero %half RTE",
                                             "OpFNegate %f32 %one\n%y = OpFNegate %f32 %x")))  # fmt: skip
    at = data.index(struct.pack("<I", 4 << 16 | 127))  # OpFNegate
    data[at : at + 2] = struct.pack("<H", 60000)
    faults = [fault for fault in judged(bytes(data)) if fault.code in ("RK0633", "RK0110")]
    assert faults
    for fault in faults:
        assert fault.notes[0].message == "opcode 60000 is not known here: such an instruction may define it"
        assert fault.notes[0].place is not None and fault.notes[0].place.word == at // 4
