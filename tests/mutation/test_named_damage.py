"""Kinds of damage by name: each gives its diagnostic at its place, a word of the binary or a line of the text.

The module is written out word by word, so the word each fault is at can be counted off below (SPIR-V 1.6, 2.3: five
header words, then instructions of which the first word holds the length).
"""

import struct

import pytest

from reknit.ir.text.parser import parse
from reknit.ir.verify import verify
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module

# word:  5            7                    10                      15                  17          18             21
BODY = [0x20011, 1, 0x3000E, 0, 1, 0x5000F, 5, 4, 0x6E69616D, 0, 0x20013, 1, 0x30021, 2, 1, 0x50036, 1, 4, 0, 2]
# OpCapability Shader; OpMemoryModel Logical GLSL450; OpEntryPoint GLCompute %4 "main"; %1 = OpTypeVoid;
# %2 = OpTypeFunction %1; %4 = OpFunction %1 None %2 (word 20); %5 = OpLabel (25); OpReturn (27); OpFunctionEnd (28)
BODY += [0x200F8, 5, 0x100FD, 0x10038]
BOUND = 6


def binary(words: list[int], magic: int = 0x07230203, bound: int = BOUND) -> bytes:
    return struct.pack(f"<{5 + len(words)}I", magic, 0x10000, 0, bound, 0, *words)


def with_word(at: int, value: int) -> bytes:
    """The module with word `at` changed."""
    data = bytearray(binary(BODY))
    data[4 * at : 4 * at + 4] = struct.pack("<I", value)
    return bytes(data)


def faults_of(data: bytes) -> list[Diagnostic]:
    with pytest.raises(InputError) as caught:
        read_module(data, "damaged.spv")
    return list(caught.value.diagnostics)


def word_of(diagnostic: Diagnostic) -> int:
    assert isinstance(diagnostic.place, Place)
    assert diagnostic.place.file == "damaged.spv"
    return diagnostic.place.word


def test_the_module_is_whole() -> None:
    assert [function.structured for function in read_module(binary(BODY)).functions] == [True]
    assert verify(read_module(binary(BODY))) == []


@pytest.mark.parametrize(
    ("data", "code", "word"),
    [
        pytest.param(b"", "RK0101", 0, id="nothing"),
        pytest.param(binary(BODY)[:18], "RK0101", 0, id="header cut off"),
        pytest.param(binary(BODY, magic=0x07230204), "RK0101", 0, id="wrong magic"),
        pytest.param(binary(BODY)[:-2], "RK0102", 28, id="a word cut off"),
        pytest.param(with_word(20, 0x00036), "RK0103", 20, id="no word count"),
        pytest.param(with_word(28, 0x90038), "RK0104", 28, id="longer than the module"),
        pytest.param(with_word(26, 99), "RK0105", 26, id="an id past the bound"),
        pytest.param(with_word(21, 99), "RK0105", 21, id="a type past the bound"),
        pytest.param(with_word(26, 4), "RK0106", 25, id="an id defined twice"),
        pytest.param(binary(BODY, bound=1 << 31), "RK0107", 3, id="an impossible bound"),
        pytest.param(with_word(24, 3), "RK0110", 24, id="an id that nothing defines"),
        pytest.param(with_word(24, 1), "RK0112", 24, id="no function type"),
        pytest.param(with_word(27, 0x100F9), "RK0111", 27, id="a branch to nowhere"),
        pytest.param(binary(BODY[:-1]), "RK0113", 20, id="no end of the function"),
        pytest.param(binary(BODY[:-2]), "RK0113", 25, id="no end of the block"),
        pytest.param(binary([*BODY[:10], 0x30021, 2, 1, 0x20013, 1, *BODY[15:]]), "RK0114", 15, id="forward reference"),
        pytest.param(binary([*BODY[:15], 0x3001D, 3, 3, *BODY[15:]]), "RK0114", 20, id="a type made of itself"),
    ],
)
def test_damaged_words(data: bytes, code: str, word: int) -> None:
    faults = faults_of(data)
    assert (faults[0].code, word_of(faults[0])) == (code, word), [str(fault) for fault in faults]


TEXT = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
%void = OpTypeVoid
%bool = OpTypeBool
%yes = OpConstantTrue %bool
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpSelectionMerge %end None
OpBranchConditional %yes %then %end
%then = OpLabel
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "column"),
    [
        pytest.param("%bool = OpTypeBool", "%bool = OpTypeBoole", 5, 9, id="no such instruction"),
        pytest.param("OpReturn\n", "OpReturn 7\n", 15, 10, id="too many operands"),
        pytest.param("OpSelectionMerge %end None", "OpSelectionMerge %end Nine", 10, 23, id="no such mask"),
        pytest.param('"main"', '"main', 3, 30, id="an open string"),
    ],
)
def test_damaged_assembly_has_line_and_column(old: str, new: str, line: int, column: int) -> None:
    assert old in TEXT
    with pytest.raises(InputError) as caught:
        assemble(TEXT.replace(old, new), "damaged.spvasm")
    fault = caught.value.diagnostics[0]
    assert isinstance(fault.place, Place)
    assert (fault.place.file, fault.place.line, fault.place.column) == ("damaged.spvasm", line, column), str(fault)


def test_a_missing_merge_keeps_the_function_flat_and_says_why() -> None:
    """A loop without OpLoopMerge (SPIR-V 1.6, 2.11.2): the function still loads, but as no tree, and a note says so."""
    looping = TEXT.replace("OpBranch %end\n", "OpBranch %entry2\n").replace(
        "OpSelectionMerge %end None\n", "OpBranch %entry2\n%entry2 = OpLabel\n"
    )
    module = read_module(assemble(looping), "damaged.spv")
    assert not module.functions[0].structured
    assert [note.code for note in module.notes] == ["RK0502"]


RK = """func @main() {
  %a = IAdd 1u, 2u : u32
  if true {
    %b = IAdd %a, 1u : u32
  }
  return
}
"""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        pytest.param("IAdd 1u", "IAdder 1u", 2, id="no such instruction"),
        pytest.param("%a, 1u", "%c, 1u", 4, id="a value that nothing defines"),
        pytest.param("  }\n", "", 1, id="an open brace"),
        pytest.param("if true {", "if {", 3, id="no condition"),
        pytest.param("return", "break @nowhere", 6, id="no such construct"),
        pytest.param("%b =", "%a =", 4, id="a name given twice"),
    ],
)
def test_damaged_rk_has_its_line(old: str, new: str, line: int) -> None:
    assert old in RK
    parse(RK)
    with pytest.raises(InputError) as caught:
        parse(RK.replace(old, new, 1), "damaged.rk")
    places = [fault.place for fault in caught.value.diagnostics if isinstance(fault.place, Place)]
    assert ("damaged.rk", line) in [(place.file, place.line) for place in places], str(caught.value)
