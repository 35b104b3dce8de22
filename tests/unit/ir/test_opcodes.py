"""The opcode table: facts from the SPIR-V specification, checked one by one, and consistency over all of it."""

from reknit.ir import enums, op, opcodes
from reknit.ir.operands import RAW, decode, string_at, string_to_words


def kinds(code: int, words: list[int], literal_words: int = 1, set_name: str = "") -> list[tuple[str, int, int]]:
    found = decode(opcodes.info(code), words, literal_words, set_name)
    return [(operand.kind, operand.start, operand.count) for operand in found]


def test_an_instruction() -> None:
    add = opcodes.info(op.IAdd)
    assert add is not None
    assert (add.code, add.name, add.group, add.has_type, add.has_result) == (128, "IAdd", "Arithmetic", True, True)
    assert [spec.kind for spec in add.operands] == ["IdRef", "IdRef"]
    assert opcodes.by_name("IAdd") is add
    assert opcodes.by_name("DemoteToHelperInvocationEXT") is opcodes.info(op.DemoteToHelperInvocation)
    assert opcodes.info(65000) is None
    assert opcodes.by_name("Iadd") is None


def test_enumerants() -> None:
    assert enums.ExecutionModeMaximallyReconvergesKHR == 6023
    assert opcodes.enum_name("ExecutionMode", 6023) == "MaximallyReconvergesKHR"
    assert opcodes.enum_value("ExecutionMode", "MaximallyReconvergesKHR") == 6023
    assert opcodes.enum_name("FunctionControl", 5) == "Inline|Pure"
    assert opcodes.enum_name("FunctionControl", 0) == "None"
    assert opcodes.enum_name("FunctionControl", 0x40000001) == "Inline|0x40000000"
    assert opcodes.enum_value("FunctionControl", "Pure|Inline|0x40000000") == 0x40000005
    assert opcodes.enum_value("StorageClass", "Function") == enums.StorageClassFunction == 7
    assert opcodes.enum_value("StorageClass", "Function|Private") is None
    assert opcodes.enum_name("StorageClass", 99) == "99"
    # Grad takes two ids, Lod one; the lower bit's come first (SPIR-V 3.14).
    assert [spec.kind for spec in opcodes.enum_parameters("ImageOperands", 6)] == ["IdRef"] * 3
    capability = opcodes.kind("Capability").of_name("GroupNonUniformBallot")
    assert capability is not None
    assert (capability.value, capability.capabilities, capability.version) == (64, ("GroupNonUniform",), "1.3")


def test_extended_sets() -> None:
    sqrt = opcodes.ext_inst("GLSL.std.450", 31)
    assert sqrt is not None
    assert sqrt.name == "Sqrt"
    assert opcodes.ext_inst("NonSemantic.Shader.DebugInfo.100", 35) is not None
    assert opcodes.ext_inst("NonSemantic.Unheard", 1) is None


def test_operands() -> None:
    assert kinds(op.Load, [9, 2, 16]) == [("IdRef", 0, 1), ("MemoryAccess", 1, 1), ("LiteralInteger", 2, 1)]
    export = [4, enums.DecorationLinkageAttributes, *string_to_words("f"), 0]
    assert kinds(op.Decorate, export) == [
        ("IdRef", 0, 1), ("Decoration", 1, 1), ("LiteralString", 2, 1), ("LinkageType", 3, 1),
    ]  # fmt: skip
    wide = ("LiteralContextDependentNumber", 2, 2)
    assert kinds(op.Switch, [1, 2, 5, 0, 3], 2) == [("IdRef", 0, 1), ("IdRef", 1, 1), wide, ("IdRef", 4, 1)]
    assert kinds(op.SpecConstantOp, [op.CompositeExtract, 7, 1]) == [
        ("LiteralSpecConstantOpInteger", 0, 1), ("IdRef", 1, 1), ("LiteralInteger", 2, 1),
    ]  # fmt: skip
    assert kinds(op.ExtInst, [1, 31, 8], 1, "GLSL.std.450") == [
        ("IdRef", 0, 1), ("LiteralExtInstInteger", 1, 1), ("IdRef", 2, 1),
    ]  # fmt: skip


def test_operands_that_do_not_fit_are_neither_dropped_nor_refused() -> None:
    assert decode(None, [1, 2])[1].kind == RAW
    assert kinds(op.Branch, [1, 2]) == [("IdRef", 0, 1), (RAW, 1, 1)]
    assert kinds(op.Store, [1]) == [("IdRef", 0, 1), ("IdRef", 1, 0)]
    assert kinds(op.Name, [1, 0x41414141]) == [("IdRef", 0, 1), ("LiteralString", 1, 1), ("LiteralString", 2, 0)]
    assert kinds(op.Switch, [1, 2, 5], 2)[2:] == [(RAW, 2, 1), ("LiteralContextDependentNumber", 3, 0)]


def test_strings() -> None:
    for text in ("", "abc", "abcd", "grün", "\udcff"):
        words = string_to_words(text)
        assert len(words) == len(text.encode("utf-8", "surrogateescape")) // 4 + 1
        assert string_at(words, 0, len(words)) == text
    assert string_to_words("abcd") == [0x64636261, 0]


def test_the_whole_table_loads() -> None:
    flags = opcodes.result_flags()
    for code in opcodes.all_codes():
        about = opcodes.info(code)
        assert about is not None
        assert opcodes.by_name(about.name) is about
        assert flags.get(code, 0) == about.has_type + about.has_result
        assert getattr(op, about.name) == code
        # An operand that may be left out is followed only by such: the walk relies on it.
        after = [spec.quantifier for spec in about.operands]
        assert "" not in after[next((i for i, each in enumerate(after) if each), len(after)) :]
        assert "*" not in after[:-1]
