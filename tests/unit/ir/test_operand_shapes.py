"""Operands of what computes: each wrong one is a fault of the verifier, and SPIRV-Tools refuses the module too.

What is right stands beside it, so that a rule that refuses everything would show. Rules: SPIR-V 1.6, 3.52, at each
instruction.
"""

import pytest
from kit.oracles import need, validate
from kit.programs.operand_shapes import FRAME, RIGHT_AND_WRONG

from reknit.ir.text.parser import parse
from reknit.ir.verify import verify
from reknit.sim.run import run
from reknit.source.diagnostic import ERROR
from reknit.spirv.write import write_module


def faults(line: str) -> tuple[list[str], bytes]:
    module = parse(FRAME.format(line))
    return [fault.code for fault in verify(module) if fault.severity == ERROR], write_module(module)


@pytest.mark.parametrize("right, wrong", RIGHT_AND_WRONG, ids=[right for right, _ in RIGHT_AND_WRONG])
def test_operands(right: str, wrong: list[str]) -> None:
    need("slang-glslang")
    codes, binary = faults(right)
    accepted, message = validate(binary)
    assert codes == [] and accepted, message
    run(parse(FRAME.format(right)), subgroup_size=4)
    for line in wrong:
        codes, binary = faults(line)
        assert codes == ["RK0417"], line
        assert not validate(binary)[0], line


TYPES_AS_VALUES = [
    "%x = IAdd %u, %u : u32",
    "%x = FMul %f, %f : f32",
    "%x = CompositeExtract %u2 0 : u32",
    "%x = ExtInst %glsl Sqrt %f : f32",
    "%x = Bitcast %u : f32",
]


@pytest.mark.parametrize("line", TYPES_AS_VALUES)
def test_a_type_is_not_a_value(line: str) -> None:
    """Operands are put in by hand, as a damaged word would."""
    from reknit.ir.walk import instructions

    module = parse(FRAME.format(line))
    (instr,) = [instr for instr in instructions(module.functions[0]) if instr.name == "x"]
    place = max(at for at, operand in enumerate(instr.operands) if not isinstance(operand, int))
    assert instr.type is not None
    instr.set_operand(place, instr.type)
    assert [fault.code for fault in verify(module) if fault.severity == ERROR] == ["RK0417"]


def test_an_extended_instruction_names_an_imported_set() -> None:
    from reknit.ir.walk import instructions

    module = parse(FRAME.format("%x = ExtInst %glsl Sqrt %f : f32"))
    (instr,) = [instr for instr in instructions(module.functions[0]) if instr.name == "x"]
    instr.set_operand(0, instr.value(2))
    assert [fault.code for fault in verify(module) if fault.severity == ERROR] == ["RK0417"]


def test_a_long_vector_has_components() -> None:
    """SPV_EXT_long_vector: the count is a constant's id, and an access chain goes into it as into any vector."""
    text = FRAME.replace(
        "Capability Int64\n", 'Capability Int64\nCapability LongVectorEXT\nExtension "SPV_EXT_long_vector"\n'
    ).replace("%S = ", "%long = TypeVectorIdEXT u32, 8u\n%S = ")
    code = "%part = AccessChain %var, 3u : ptr<Function, u32>\n  Store %part, %u"
    start = "func @main() -> void {{\n"
    text = text.replace(start, f"{start}  %var = Variable Function : ptr<Function, %long>\n")
    module = parse(text.format(code))
    assert [fault.code for fault in verify(module) if fault.severity == ERROR] == []
    accepted, message = validate(write_module(module))
    assert accepted, message
