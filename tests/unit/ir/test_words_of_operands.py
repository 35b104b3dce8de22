"""Which words make which operand: by the grammar of SPIR-V 1.6, 3.52, and its literals (2.2.1), counted by hand."""

import pytest

from reknit.ir import enums, op, opcodes
from reknit.ir.capabilities import declares, only_stored
from reknit.ir.constants import as_int, int_words, literal_bits
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch
from reknit.ir.operands import RAW, decode, string_at, string_bytes, string_to_words, string_words
from reknit.ir.switch_targets import switch_targets
from reknit.ir.text.parser import parse
from reknit.ir.types import is_type, pointee, storage_of, width_of

F = int.from_bytes(b"f\0\0\0", "little")
MAIN = string_to_words("main")  # four letters and a zero byte take two words


def decoded(code: int, words: list[int], literal_words: int = 1, set_name: str = "") -> str:
    """The kinds of the operands, each with the count of its words unless that is one; none has a gap before it."""
    found = decode(opcodes.info(code), words, literal_words, set_name)
    assert [operand.start for operand in found] == [sum([one.count for one in found[:at]]) for at in range(len(found))]
    return " ".join([one.kind if one.count == 1 else f"{one.kind}:{one.count}" for one in found])


@pytest.mark.parametrize(
    ("code", "words", "operands"),
    [
        # %x Linkage "f" Export
        (op.Decorate, [5, 41, F, 0], "IdRef Decoration LiteralString LinkageType"),
        (op.Decorate, [5], "IdRef Decoration:0"),
        (op.Decorate, [], "IdRef:0"),
        (op.Decorate, [5, 18, 9], "IdRef Decoration Raw"),  # Invariant takes nothing
        (op.EntryPoint, [5, 9, *MAIN, 7, 8], "ExecutionModel IdRef LiteralString:2 IdRef IdRef"),
        (op.EntryPoint, [5, 9, 0x6E69616D], "ExecutionModel IdRef LiteralString LiteralString:0"),
        (op.Store, [1, 2], "IdRef IdRef"),
        (op.Store, [1, 2, 3, 4], "IdRef IdRef MemoryAccess LiteralInteger"),
        (op.Store, [1, 2, 2], "IdRef IdRef MemoryAccess LiteralInteger:0"),
        (op.Phi, [1, 2, 3, 4], "IdRef IdRef IdRef IdRef"),
        (op.Phi, [1, 2, 3], "IdRef IdRef IdRef IdRef:0"),
        (op.Phi, [], ""),
        (op.TypeVoid, [7, 8], "Raw Raw"),
        (op.SpecConstantOp, [op.IAdd, 4, 5], "LiteralSpecConstantOpInteger IdRef IdRef"),
        (op.GroupMemberDecorate, [1, 2, 3], "IdRef IdRef LiteralInteger"),
        (op.AtomicIAdd, [1, 2, 3, 4], "IdRef IdScope IdMemorySemantics IdRef"),
    ],
)
def test_of_each_opcode(code: int, words: list[int], operands: str) -> None:
    assert decoded(code, words) == operands


LITERAL = "LiteralContextDependentNumber"


def test_numbers_are_as_wide_as_their_type() -> None:
    assert decoded(op.Constant, [1, 2], 2) == f"{LITERAL}:2"
    assert decoded(op.Constant, [1], 2) == f"Raw {LITERAL}:0"
    assert decoded(op.Constant, [1, 2], 1) == f"{LITERAL} Raw"
    assert decoded(op.Switch, [1, 2, 3, 4], 1) == f"IdRef IdRef {LITERAL} IdRef"
    assert decoded(op.Switch, [1, 2, 3, 0, 4], 2) == f"IdRef IdRef {LITERAL}:2 IdRef"
    assert decoded(op.Switch, [1, 2, 3, 0], 2) == f"IdRef IdRef {LITERAL}:2 IdRef:0"
    assert decoded(op.Switch, [1, 2, 3], 2) == f"IdRef IdRef Raw {LITERAL}:0"


def test_extended_instructions_go_by_their_set() -> None:
    head = "IdRef LiteralExtInstInteger"
    assert decoded(op.ExtInst, [1, 31, 5], 1, "GLSL.std.450") == f"{head} IdRef"
    assert decoded(op.ExtInst, [1, 31], 1, "GLSL.std.450") == f"{head} IdRef:0"
    assert decoded(op.ExtInst, [1, 31, 5, 6], 1, "GLSL.std.450") == f"{head} IdRef Raw"
    assert decoded(op.ExtInst, [1, 99, 5, 6], 1, "Unknown") == f"{head} IdRef IdRef"
    # DebugLine of a later version with one operand more
    line = decoded(op.ExtInst, [1, 103, 2, 3, 4, 5, 6, 7], 1, "NonSemantic.Shader.DebugInfo.100")
    assert line == f"{head}{' IdRef' * 6}"


def test_an_opcode_that_the_grammar_lacks() -> None:
    assert [(operand.kind, operand.start) for operand in decode(None, [7, 8])] == [(RAW, 0), (RAW, 1)]


def test_strings() -> None:
    for text, count in (("", 1), ("abc", 1), ("abcd", 2), ("abcdefg", 2), ("é", 1), ("\udcff", 1)):
        words = string_to_words(text)
        assert (len(words), string_words(words, 0)) == (count, count), text
        assert string_at(words, 0, count) == text
    assert string_to_words("abcd") == [0x64636261, 0]
    assert string_words([5, 0x64636261, 0x64636261], 1) == 0  # nothing ends it
    assert string_words([0x64636261, 0x00636261, 0], 0) == 2
    assert [string_words([word], 0) for word in (0x61616100, 0x61610061, 0x61006161, 0x00616161)] == [1, 1, 1, 1]
    assert string_bytes([0x64636261, 0x00006665, 0x67676767], 0, 3) == b"abcdef"
    assert string_bytes([0x64636261], 0, 1) == b"abcd"


def test_integers_in_words() -> None:
    assert int_words(8, True, -1) == [0xFFFFFFFF]
    assert int_words(8, True, 127) == [127]
    assert int_words(8, True, 128) == [0xFFFFFF80]
    assert int_words(8, False, 255) == [255]
    assert int_words(8, False, 256) == [0]
    assert int_words(32, True, -1) == [0xFFFFFFFF]
    assert int_words(33, True, -1) == [0xFFFFFFFF, 1]
    assert int_words(64, False, 1 << 32) == [0, 1]


def test_values_of_constants() -> None:
    module = parse(
        "declare -1i8, 255u8, true, false, null<u32>, null<bool>, -1i64, 1.5f, null<f32>\n%s = SpecConstant 7 : u32\n"
    )
    constants = [instr for instr in module.globals if instr.type is not None]
    assert [as_int(instr) for instr in constants] == [-1, 255, 1, 0, 0, 0, -1, None, None, None]
    assert [literal_bits(instr) for instr in constants if instr.op in (op.Constant, op.SpecConstant)] == [
        0xFF,
        0xFF,
        0xFFFFFFFFFFFFFFFF,
        0x3FC00000,
        7,
    ]
    assert as_int(module.globals[0]) is None  # a type


@pytest.mark.parametrize(
    ("selector", "pairs", "literals"),
    [
        ("u32", "5 b2 7 b1", [5, 7]),
        ("i8", "!4294967295 b2 127 b1", [255, 127]),  # sign-extended, and taken in the selector's bits
        ("u64", "5 !1 b2 7 !0 b1", [(1 << 32) + 5, 7]),
        ("i64", "!4294967295 !4294967295 b1", [(1 << 64) - 1]),
    ],
)
def test_targets_of_a_switch(selector: str, pairs: str, literals: list[int]) -> None:
    text = f"func @f(%k: {selector}) flat {{\nb0:\nSwitch %k b3 {pairs}\nb1:\nkill\nb2:\nkill\nb3:\nkill\n}}\n"
    function = parse(text).functions[0]
    jump = function.blocks[0].jump
    assert isinstance(jump, Branch)
    found = switch_targets(jump.instr)
    assert [literal for literal, _ in found] == literals
    targets = [int(part[1:]) for part in pairs.split() if part.startswith("b")]
    assert [block for _, block in found] == [function.blocks[target] for target in targets]


def test_capabilities_that_others_imply() -> None:
    module = parse("Capability Geometry\n")
    assert declares(module, enums.CapabilityGeometry)
    assert declares(module, enums.CapabilityShader) and declares(module, enums.CapabilityMatrix)
    assert not declares(module, enums.CapabilityKernel) and not declares(module, enums.CapabilityInt64)
    assert not declares(parse("declare u32\n"), enums.CapabilityShader)


def test_what_is_only_stored() -> None:
    """SPIR-V 1.6, 2.16.1: 8- and 16-bit types without their arithmetic capability, in shaders."""
    text = "declare u8, i16, f16, u32, f32, vec2<f16>, mat2x2<f16>, bool, u1\n%s = TypeStruct u8\n"
    kinds = {
        "": [],
        "Capability Shader\n": ["u8", "i16", "f16", "vec2", "mat2x2"],
        "Capability Shader\nCapability Int16\n": ["u8", "f16", "vec2", "mat2x2"],
        "Capability Shader\nCapability Int8\n": ["i16", "f16", "vec2", "mat2x2"],
        "Capability Shader\nCapability Float16\n": ["u8", "i16"],
    }
    for head, expected in kinds.items():
        module = parse(head + text)
        assert [_called(type) for type in module.globals if only_stored(module, type)] == expected, head


def _called(type: Instr) -> str:
    kinds = {op.TypeStruct: "struct", op.TypeBool: "bool", op.TypeVector: "vec2", op.TypeMatrix: "mat2x2"}
    letter = "f" if type.op == op.TypeFloat else "i" if type.operands[-1] == 1 else "u"
    return kinds.get(type.op) or f"{letter}{type.word(0)}"


def test_types() -> None:
    module = parse('declare ptr<Uniform, mat2x3<f64>>, bool\n%s = String "x"\n%g = ExtInstImport "GLSL.std.450"\n')
    double, vector, matrix, pointer, boolean = module.globals
    assert [width_of(type) for type in (double, vector, matrix, boolean)] == [64, 64, 64, 1]
    assert (pointee(pointer), storage_of(pointer)) == (matrix, enums.StorageClassUniform)
    assert is_type(pointer) and not is_type(module.sources[0]) and not is_type(module.imports[0])
