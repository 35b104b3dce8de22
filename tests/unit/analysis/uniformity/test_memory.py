"""Which loads give all lanes the same: a row for each sentence of `uniformity.memory`, and what decoration groups say.

Sources: SPIR-V 1.6, 2.18.2 "Aliasing", 3.20 "Decoration" (NonWritable, Aliased, Volatile, Block, BufferBlock), 3.21
"BuiltIn"; Vulkan, "Built-In Variables": which of them all invocations of a workgroup, or of a subgroup, share.
"""

import pytest

from reknit.analysis.decorations import Decorations
from reknit.analysis.manager import Analyses
from reknit.analysis.uniformity.memory import Memory
from reknit.analysis.uniformity.operations import same_extended
from reknit.analysis.uniformity.scope import SUBGROUP, WORKGROUP, Scope
from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.types import float_type
from reknit.ir.walk import instructions

SHADER = """Capability Shader
MemoryModel Logical GLSL450
EntryPoint {stage} @main "main" %in
{decorations}
%words = TypeRuntimeArray u32
%Words = TypeStruct %words
%Old = TypeStruct %words
%four = TypeArray %Words, 4u
%fourOld = TypeArray %Old, 4u
%Constants = TypeStruct u32
%in = Variable Input : ptr<Input, u32>
%out = Variable StorageBuffer : ptr<StorageBuffer, %Words>
%given = Variable StorageBuffer : ptr<StorageBuffer, %Words>
%list = Variable StorageBuffer : ptr<StorageBuffer, %four>
%block = Variable Uniform : ptr<Uniform, %Words>
%old = Variable Uniform : ptr<Uniform, %Old>
%olds = Variable Uniform : ptr<Uniform, %fourOld>
%pushed = Variable PushConstant : ptr<PushConstant, %Constants>
%own = Variable Private : ptr<Private, u32>
%shared = Variable Workgroup : ptr<Workgroup, u32>
{functions}
func @main() -> void {{
  %place = AccessChain %out, 0u, 0u : ptr<StorageBuffer, u32>
{body}
  return
}}
"""
WRITER = """func @put(%to: ptr<StorageBuffer, u32>) -> void {
  Store %to, 1u
  return
}
"""


def shader(body: str, decorations: str = "", functions: str = "", stage: str = "GLCompute") -> Module:
    return parse(SHADER.format(body=body, decorations=decorations, functions=functions, stage=stage))


def at(variable: str, storage: str = "StorageBuffer", index: str = "0u, 0u") -> str:
    chain = f"  %p = AccessChain %{variable}, {index} : ptr<{storage}, u32>\n"
    return chain + "  %v = Load %p : u32"


WRITTEN = "  Store %place, 2u\n"
OLD = "Decorate %Old BufferBlock"
BY_A_POINTER = "  %u = FunctionCall @put %place : void\n"

BOTH, NEITHER, IN_SUBGROUP = (True, True), (False, False), (True, False)
ROWS: dict[str, tuple[Module, tuple[bool, bool]]] = {
    "a buffer that nobody writes": (shader(WRITTEN + at("given")), BOTH),
    "one that is written": (shader(WRITTEN + at("out")), NEITHER),
    "one of several that nobody writes": (shader(WRITTEN + at("list", index="0u, 0u, 0u")), BOTH),
    "that is declared Aliased": (shader(WRITTEN + at("given"), "Decorate %given Aliased"), NEITHER),
    "that is declared Volatile": (shader(WRITTEN + at("given"), "Decorate %given Volatile"), NEITHER),
    "that is read as Volatile": (shader(at("given").replace("%p :", "%p Volatile :")), NEITHER),
    "something is written through a pointer": (shader(BY_A_POINTER + at("given"), functions=WRITER), NEITHER),
    "so it is, and this one is NonWritable": (
        shader(BY_A_POINTER + at("given"), "Decorate %given NonWritable", WRITER), BOTH,
    ),
    "a uniform block": (shader(BY_A_POINTER + at("block", "Uniform"), functions=WRITER), BOTH),
    "a block that can be written": (shader(BY_A_POINTER + at("old", "Uniform"), OLD, WRITER), NEITHER),
    "an array of them": (shader(BY_A_POINTER + at("olds", "Uniform", "0u, 0u, 0u"), OLD, WRITER), NEITHER),
    "one of them that isn't": (shader(WRITTEN + at("old", "Uniform"), OLD), BOTH),
    "push constants": (shader(at("pushed", "PushConstant", "0u")), BOTH),
    "a lane's own variable": (shader("  %v = Load %own : u32"), NEITHER),
    "the workgroup's memory": (shader("  %v = Load %shared : u32"), NEITHER),
    "a pointer that was chosen": (
        shader(
            "  %other = AccessChain %given, 0u, 1u : ptr<StorageBuffer, u32>\n"
            "  %p = Select true, %other, %other : ptr<StorageBuffer, u32>\n  %v = Load %p : u32"
        ),
        NEITHER,
    ),
    "a copy of a pointer": (
        shader(
            "  %other = AccessChain %given, 0u, 1u : ptr<StorageBuffer, u32>\n"
            "  %p = CopyObject %other : ptr<StorageBuffer, u32>\n  %v = Load %p : u32"
        ),
        BOTH,
    ),
}  # fmt: skip
for _builtin, _expected in (
    ("NumWorkgroups", BOTH), ("WorkgroupSize", BOTH), ("WorkgroupId", BOTH), ("NumSubgroups", BOTH),
    ("DeviceIndex", BOTH), ("SubgroupId", IN_SUBGROUP), ("SubgroupSize", IN_SUBGROUP),
    ("LocalInvocationIndex", NEITHER), ("SubgroupLocalInvocationId", NEITHER), ("GlobalInvocationId", NEITHER),
):  # fmt: skip
    ROWS[_builtin] = (shader("  %v = Load %in : u32", f"Decorate %in BuiltIn {_builtin}"), _expected)
for _builtin in ("WorkgroupId", "SubgroupId"):
    _fragment = shader("  %v = Load %in : u32", f"Decorate %in BuiltIn {_builtin}", stage="Fragment")
    ROWS[f"{_builtin} where there are no workgroups"] = (_fragment, NEITHER)


@pytest.mark.parametrize("row", ROWS)
def test_loads(row: str) -> None:
    module, expected = ROWS[row]
    decorations = Analyses(module).of_module(Decorations)
    (load,) = [instr for function in module.functions for instr in instructions(function) if instr.name == "v"]
    assert tuple(Memory(module, decorations, Scope(scope)).same(load) for scope in (SUBGROUP, WORKGROUP)) == expected


def test_decorations_of_a_group_are_those_of_its_members() -> None:
    """OpGroupDecorate and OpGroupMemberDecorate: each target gets all that decorates the group, and its own stays."""
    module = parse(
        "Capability Shader\nMemoryModel Logical GLSL450\nDecorate %group NonWritable\nDecorate %group Restrict\n"
        "%group = DecorationGroup\nDecorate %laid Offset 4\n%laid = DecorationGroup\n"
        "Decorate %first Binding 3\nGroupDecorate %group, %first, %second\nGroupMemberDecorate %laid, %S, 0\n"
        "%S = TypeStruct u32\n%T = TypeStruct u32\n%first = Variable Private : ptr<Private, u32>\n"
        "%second = Variable Private : ptr<Private, u32>\n%third = Variable Private : ptr<Private, u32>\n"
    )
    found = Analyses(module).of_module(Decorations)
    named = {instr.name: instr for instr in module.globals}
    assert found.of(named["first"]) == [33, 24, 19]
    assert found.of(named["second"]) == [24, 19]
    assert found.of(named["third"]) == []
    assert found.laid_out(named["S"]) and not found.laid_out(named["T"])


@pytest.mark.parametrize("number", range(1, 82))
def test_extended_instructions_compute_unless_they_interpolate(number: int) -> None:
    """GLSL.std.450: InterpolateAtCentroid, -Sample and -Offset (76 to 78) depend on where a lane's fragment is."""
    module = Module()
    f32 = float_type(module, 32)
    glsl = Instr(op.ExtInstImport, None, ["GLSL.std.450"])
    other = Instr(op.ExtInstImport, None, ["NonSemantic.Unheard"])
    operand = Instr(op.Undef, f32, [])
    assert same_extended(Instr(op.ExtInst, f32, [glsl, number, operand])) == (number not in (76, 77, 78))
    assert not same_extended(Instr(op.ExtInst, f32, [other, number, operand]))
