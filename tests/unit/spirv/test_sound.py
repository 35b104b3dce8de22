"""What the words of a module say of its form: sound only where reading and the tree's verifier find nothing either."""

import random
import struct
from pathlib import Path

import pytest

import reknit
from reknit.checks.control_flow import judge_words
from reknit.ir.verify import verify
from reknit.source.diagnostic import InputError
from reknit.spirv.asm import assemble
from reknit.spirv.form.sound import NONE, doubtful_row
from reknit.spirv.read import read_module
from reknit.spirv.words import parse

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = sorted((ROOT / "examples").glob("*.spvasm"))

TEXT = """
OpCapability Shader
OpCapability GroupNonUniformBallot
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%f32 = OpTypeFloat 32
%v2 = OpTypeVector %f32 2
%v4 = OpTypeVector %u32 4
%mat = OpTypeMatrix %v2 2
%zero = OpConstant %u32 0
%one = OpConstant %u32 1
%three = OpConstant %u32 3
%minus = OpConstant %i32 -1
%half = OpConstant %f32 0.5
%pair = OpConstantComposite %v2 %half %half
%array = OpTypeArray %u32 %three
%block = OpTypeStruct %u32 %array
%to_block = OpTypePointer StorageBuffer %block
%to_u32 = OpTypePointer StorageBuffer %u32
%local = OpTypePointer Function %u32
%carry = OpTypeStruct %u32 %u32
%buffer = OpVariable %to_block StorageBuffer
%fn = OpTypeFunction %void
%callee = OpTypeFunction %u32 %u32
%same = OpFunction %u32 None %callee
%given = OpFunctionParameter %u32
%body = OpLabel
OpReturnValue %given
OpFunctionEnd
%main = OpFunction %void None %fn
%entry = OpLabel
%v = OpVariable %local Function %zero
%place = OpAccessChain %to_u32 %buffer %one %zero
%x = OpLoad %u32 %place Aligned 4
%sum = OpIAdd %u32 %x %minus
%neg = OpFNegate %f32 %half
%less = OpULessThan %bool %x %one
%pick = OpSelect %u32 %less %x %one
%shift = OpShiftLeftLogical %u32 %x %one
%float = OpConvertUToF %f32 %x
%bits = OpBitcast %f32 %x
%both = OpCompositeConstruct %v2 %half %half
%part = OpCompositeExtract %f32 %both 1
%put = OpCompositeInsert %v2 %half %both 0
%swap = OpVectorShuffle %v2 %both %pair 3 0
%dot = OpDot %f32 %both %pair
%grid = OpCompositeConstruct %mat %both %pair
%turned = OpMatrixTimesVector %v2 %grid %both
%longer = OpIAddCarry %carry %x %one
%root = OpExtInst %f32 %glsl Sqrt %half
%called = OpFunctionCall %u32 %same %x
%votes = OpGroupNonUniformBallot %v4 %three %less
%count = OpGroupNonUniformBallotBitCount %u32 %three Reduce %votes
%old = OpAtomicIAdd %u32 %place %one %zero %x
OpStore %place %sum
OpSelectionMerge %end None
OpSwitch %x %end 1 %case
%case = OpLabel
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
"""


def first_doubt(text: str) -> int:
    judged = judge_words(assemble(text), "<text>", None, True)
    assert judged.case is not None
    return doubtful_row(judged.case)


def test_a_module_without_faults_is_sound() -> None:
    assert first_doubt(TEXT) == NONE
    assert [one.code for one in reknit.check(assemble(TEXT)) if one.severity == "error"] == []


# Each breaks one sentence of SPIR-V 1.6, which stands before it.
FAULTS = [
    # OpIAdd: "The type of Operand 1 and Operand 2 ... must have the same number of components ... same component width"
    ("%sum = OpIAdd %u32 %x %half", "RK0417"),
    ("%sum = OpIAdd %u32 %x %votes0", "RK0110"),
    # OpFNegate: "The operand's type and Result Type must be the same."
    ("%neg = OpFNegate %f32 %x", "RK0417"),
    # OpULessThan: "Result Type must be a scalar or vector of Boolean type."
    ("%less = OpULessThan %u32 %x %one", "RK0417"),
    # OpSelect: "Condition must be a scalar or vector of Boolean type."
    ("%pick = OpSelect %u32 %x %x %one", "RK0417"),
    # OpSelect: "Object 1 ... must have the same type as Result Type"
    ("%pick = OpSelect %u32 %less %half %one", "RK0417"),
    # OpShiftLeftLogical: "Result Type must be a scalar or vector of integer type."
    ("%shift = OpShiftLeftLogical %f32 %x %one", "RK0417"),
    # OpConvertUToF: "Unsigned Value must be a scalar or vector of integer type."
    ("%float = OpConvertUToF %f32 %half", "RK0417"),
    # OpBitcast: "must have the same total number of bits"
    ("%bits = OpBitcast %v2 %x", "RK0417"),
    # OpCompositeConstruct: "the total number of components in all the operands must equal the number of components"
    ("%both = OpCompositeConstruct %v2 %half %pair", "RK0417"),
    # OpCompositeExtract: "The literals' bounds must be consistent with the number of elements"
    ("%part = OpCompositeExtract %f32 %both 2", "RK0417"),
    # OpCompositeInsert: "Result Type must be the same type as Composite."
    ("%put = OpCompositeInsert %v2 %half %v 0", "RK0417"),
    # OpVectorShuffle: "All Component literals must either be FFFFFFFF or in [0, N - 1]"
    ("%swap = OpVectorShuffle %v2 %both %pair 4 0", "RK0417"),
    # OpDot: "Vector 1 and Vector 2 must be vectors of the same type"
    ("%dot = OpDot %f32 %both %half", "RK0417"),
    # OpMatrixTimesVector: "the number of columns ... must equal the number of components in Vector"
    ("%turned = OpMatrixTimesVector %v2 %grid %votes", "RK0410"),
    # OpIAddCarry: "Result Type must be from OpTypeStruct ... two members, and the two members must be the same type."
    ("%longer = OpIAddCarry %u32 %x %one", "RK0417"),
    # OpFunctionCall: "the type of each Argument must be the same as that of the corresponding parameter"
    ("%called = OpFunctionCall %u32 %same %half", "RK0417"),
    ("%called = OpFunctionCall %u32 %same", "RK0417"),
    # OpGroupNonUniformBallot: "Result Type must be a vector of four components of integer type ... 32"
    ("%votes = OpGroupNonUniformBallot %v2 %three %less", "RK0417"),
    # OpGroupNonUniformBallotBitCount: "Value must be a vector of four components of integer type"
    ("%count = OpGroupNonUniformBallotBitCount %u32 %three Reduce %both", "RK0417"),
    # OpAtomicIAdd: "Pointer": a label is no value
    ("%old = OpAtomicIAdd %u32 %place %one %end %x", "RK0409"),
    ("%old = OpAtomicIAdd %u32 %x %one %zero %x", "RK0417"),
    # OpStore: "Pointer's type must be a pointer whose Type operand is the same as the type of Object"; OpLoad alike
    ("%root = OpLoad %f32 %place Aligned 4", "RK0417"),
    ("OpStore %place %half", "RK0417"),
    # OpAccessChain: "When indexing into a structure, the Index must be an OpConstant"; "in bounds"
    ("%place = OpAccessChain %to_u32 %buffer %three %zero", "RK0417"),
    ("%place = OpAccessChain %to_block %buffer %one %zero", "RK0417"),
    # OpVariable: "Storage Class ... must be the same as the Storage Class operand of the Result Type"
    ("%v = OpVariable %to_u32 Function %zero", "RK0417"),
    # OpFunction: "Function Type ... Its Return Type operand must be the same as Result Type"
    ("%main = OpFunction %void None %callee", "RK0419"),
    ("%given = OpFunctionParameter %f32", "RK0419"),
    # 2.4: "All types ... must be declared before they are used"
    ("%array = OpTypeArray %u32 %block", "RK0114"),
    ("%pair = OpConstantComposite %v2 %half %zero", "RK0417"),
    # 2.4: "All types ... constants and global variables" stand before the functions
    ("%dot = OpConstantNull %f32", "RK0420"),
    # 2.16.1: "All uses of an <id>" are of one that is defined
    ("OpDecorate %nothing DescriptorSet 0", "RK0110"),
]


def replaced(line: str) -> str:
    """The text with the line of the same result, or of the same start, taken for this one."""
    lines = TEXT.splitlines()
    start = line.split(" = ")[0] + " = " if " = " in line else line.split(" ")[0] + " "
    at = next(at for at, old in enumerate(lines) if old.startswith(start))
    if line.startswith("OpDecorate"):
        at = next(at for at, old in enumerate(lines) if old.startswith("OpDecorate %buffer DescriptorSet"))
    return "\n".join([*lines[:at], line, *lines[at + 1 :]]) + "\n"


@pytest.mark.parametrize(("line", "code"), FAULTS, ids=lambda part: part if part.startswith("RK") else "")
def test_each_fault_is_doubted_and_reported(line: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    binary = assemble(replaced(line))
    judged = judge_words(binary, "<text>", None, True)
    assert judged.case is not None
    assert judged.diagnostics or doubtful_row(judged.case) != NONE
    codes = [one.code for one in reknit.check(binary)]
    assert code in codes or (code == "RK0110" and "RK0633" in codes), codes


def mutants(seed: int, count: int) -> list[bytes]:
    """Modules with a word or an instruction changed: what a broken compiler or a bit flip makes."""
    rand = random.Random(seed)
    whole = [assemble(TEXT), *[assemble(path.read_text()) for path in EXAMPLES]]
    made: list[bytes] = []
    for _ in range(count):
        data = rand.choice(whole)
        columns = parse(data)
        rows = [
            list(struct.unpack_from(f"<{columns.size[row]}I", data, 4 * int(columns.at[row])))
            for row in range(len(columns.op))
        ]
        words = rand.choice(rows)
        what = rand.randrange(6)
        at = rand.randrange(1, len(words)) if len(words) > 1 else 0
        if what < 2 and at:
            words[at] = rand.randrange(1, int(columns.bound))
        elif what == 2 and at:
            words[at] = rand.choice((0, 1, 2, 3, 4, 8, 16, 64, 0xFFFFFFFF))
        elif what == 3:
            words[0] = (words[0] & 0xFFFF0000) | (rand.choice(rows)[0] & 0xFFFF)
        elif what == 4 and at:  # an operand is missing
            del words[at]
            words[0] -= 1 << 16
        else:
            other = rand.randrange(len(rows))
            rows[other], rows[at] = rows[at], rows[other]
        made.append(data[:20] + b"".join(struct.pack(f"<{len(row)}I", *row) for row in rows))
    return made


def tree_says(binary: bytes) -> list[str]:
    try:
        module = read_module(binary)
    except InputError as error:
        return [one.code for one in error.diagnostics]
    return [one.code for one in [*module.notes, *verify(module)]]


def judges_alike(binaries: list[bytes]) -> tuple[int, int]:
    """How many are sound, and how many are not though no rule of control flow finds anything."""
    sound = doubted = 0
    for binary in binaries:
        try:
            judged = judge_words(binary, "<mutant>", None, True)
        except InputError:
            continue
        if judged.diagnostics or judged.case is None:
            continue
        if doubtful_row(judged.case) == NONE:
            sound += 1
            assert tree_says(binary) == []
        else:
            doubted += 1
    return sound, doubted


def test_no_fault_of_a_mutant_is_missed() -> None:
    sound, doubted = judges_alike(mutants(1, 500))
    assert sound > 50
    assert doubted > 150


@pytest.mark.full
def test_no_fault_of_many_mutants_is_missed() -> None:
    judges_alike(mutants(2, 20_000))


def test_examples_are_sound() -> None:
    for path in EXAMPLES:
        assert first_doubt(path.read_text()) == NONE, path.name


@pytest.mark.parametrize("target", ["%p", "%q"], ids=["itself", "a pointer to it"])
def test_a_fault_at_a_pointer_that_is_part_of_itself_is_reported(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """OpLoad's result is not what the pointer points to; its message spells the result's type: by its name."""
    monkeypatch.setenv("PATH", "/nonexistent")
    text = f"""OpCapability Shader
OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
OpTypeForwardPointer %p PhysicalStorageBuffer
%q = OpTypePointer PhysicalStorageBuffer %p
%p = OpTypePointer PhysicalStorageBuffer {target}
%to_u32 = OpTypePointer PhysicalStorageBuffer %u32
%fn = OpTypeFunction %void %to_u32
%main = OpFunction %void None %fn
%given = OpFunctionParameter %to_u32
%entry = OpLabel
%x = OpLoad %p %given Aligned 8
OpReturn
OpFunctionEnd
"""
    codes = [one.code for one in reknit.check(assemble(text)) if one.severity == "error"]
    assert codes == ["RK0417"]


@pytest.mark.parametrize(
    "type, literal, sound",
    [
        # 2.2.1: "the high-order bits of the literal must be 0 for a floating-point type or an integer type with
        # Signedness of 0, or sign extended otherwise"
        ("16 0", 65535, True),
        ("16 0", 65536, False),
        ("16 0", 0xFFFFFFFF, False),
        ("16 1", 32767, True),
        ("16 1", 65535, False),
        ("16 1", 0xFFFFFFFF, True),
        ("8 0", 255, True),
        ("8 1", 0xFFFFFF80, True),
        ("8 1", 0xFFFF0080, False),
        ("8 1", 128, False),
    ],
)
def test_the_literals_of_a_narrow_selector(type: str, literal: int, sound: bool) -> None:
    narrow = f"%narrow = OpTypeInt {type}\n%void ="
    text = TEXT.replace("OpCapability Shader", "OpCapability Shader\nOpCapability Int8\nOpCapability Int16")
    text = text.replace("%void =", narrow, 1)
    text = text.replace("OpSelectionMerge", "%n = OpUConvert %narrow %x\nOpSelectionMerge")
    text = text.replace("OpSwitch %x", "OpSwitch %n")
    words = list(struct.iter_unpack("<I", assemble(text)))
    at = next(at for at, (word,) in enumerate(words) if word == 5 << 16 | 251)  # OpSwitch
    words[at + 3] = (literal,)
    judged = judge_words(b"".join(struct.pack("<I", word) for (word,) in words), "<words>", None, True)
    assert judged.case is not None
    assert (doubtful_row(judged.case) == NONE) == sound
