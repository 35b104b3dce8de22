"""Which loads give all lanes the same: a row for each sentence of `uniformity.memory`, and what decoration groups say.

Sources: SPIR-V 1.6, 2.18.2 "Aliasing", 3.20 "Decoration" (NonWritable, Aliased, Volatile, Block, BufferBlock), 3.21
"BuiltIn"; Vulkan, "Built-In Variables": which of them all invocations of a workgroup, or of a subgroup, share.
"""

import pytest

from reknit.analysis.decorations import Decorations
from reknit.analysis.manager import Analyses
from reknit.analysis.uniformity.memory import Memory
from reknit.analysis.uniformity.operations import same_extended, same_result
from reknit.analysis.uniformity.scope import SUBGROUP, WORKGROUP, Scope
from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.types import float_type
from reknit.ir.walk import instructions

SHADER = """Capability Shader
MemoryModel Logical GLSL450
EntryPoint {stage} @main "main" {inputs}
ExecutionMode @main {modes}
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


def shader(
    body: str,
    decorations: str = "",
    functions: str = "",
    stage: str = "GLCompute",
    inputs: str = "%in",
    modes: str = "LocalSize 8 1 1",
) -> Module:
    """`functions`: what stands before the function, globals too."""
    return parse(SHADER.format_map(locals()))


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
    ("DeviceIndex", BOTH), ("SubgroupId", IN_SUBGROUP), ("SubgroupSize", BOTH),
    ("LocalInvocationIndex", NEITHER), ("SubgroupLocalInvocationId", NEITHER), ("GlobalInvocationId", NEITHER),
):  # fmt: skip
    ROWS[_builtin] = (shader("  %v = Load %in : u32", f"Decorate %in BuiltIn {_builtin}"), _expected)
for _builtin in ("WorkgroupId", "SubgroupId"):
    _fragment = shader("  %v = Load %in : u32", f"Decorate %in BuiltIn {_builtin}", stage="Fragment")
    ROWS[f"{_builtin} where there are no workgroups"] = (_fragment, NEITHER)

# Fragments of a quad are of one primitive. SPIR-V 1.6, 3.20 "Flat", "PerPrimitiveEXT"; Vulkan, "FrontFacing", "Layer"
PER_PRIMITIVE = {
    "Flat": True, "PerPrimitiveEXT": True, "BuiltIn FrontFacing": True, "BuiltIn PrimitiveId": True,
    "BuiltIn Layer": True, "BuiltIn ViewportIndex": True, "BuiltIn ViewIndex": True, "Location 0": False,
    "NoPerspective": False, "BuiltIn SampleId": False, "BuiltIn SampleMask": False, "BuiltIn HelperInvocation": False,
}  # fmt: skip


@pytest.mark.parametrize("decoration", PER_PRIMITIVE)
def test_inputs_of_fragments(decoration: str) -> None:
    """One value for a quad, as for its halves, and never for a subgroup; in other stages no quad has one primitive."""
    for stage in ("Fragment", "Vertex"):
        module = shader("  %v = Load %in : u32", f"Decorate %in {decoration}", stage=stage)
        expected = PER_PRIMITIVE[decoration] and stage == "Fragment"
        assert same(module, "quad", "cluster(2)", "cluster(8)", SUBGROUP) == (expected, expected, False, False)


def test_the_members_of_a_block() -> None:
    """A decoration of a member speaks of loads from it alone: here of the first of two."""
    globals = "%Both = TypeStruct u32, u32\n%all = Variable {0} : ptr<{0}, %Both>\n"
    for storage, decoration, stage, scope in (
        ("Input", "Flat", "Fragment", "quad"),
        ("StorageBuffer", "NonWritable", "GLCompute", WORKGROUP),
    ):
        for member, expected in ((0, True), (1, False)):
            body = BY_A_POINTER + at("all", storage, f"{member}u")
            text = f"MemberDecorate %Both 0 {decoration}"
            inputs = "%all" if storage == "Input" else "%in"
            module = shader(body, text, globals.format(storage) + WRITER, stage, inputs)
            assert same(module, scope) == (expected,)


@pytest.mark.parametrize("builtin", ["LocalInvocationId", "GlobalInvocationId"])
def test_dimensions_of_one_invocation(builtin: str) -> None:
    """A workgroup of 8 x 1 x 1 has one number in two dimensions, loaded by a chain or taken from the vector."""
    globals = "%ids = Variable Input : ptr<Input, vec3<u32>>\n"
    parts = {"chain": "%p = AccessChain %ids, {0}u : ptr<Input, u32>\n  %v = Load %p : u32",
             "part": "%w = Load %ids : vec3<u32>\n  %v = CompositeExtract %w, {0} : u32"}  # fmt: skip
    for body in parts.values():
        for dimension, expected in ((0, False), (1, True), (2, True)):
            text = f"Decorate %ids BuiltIn {builtin}"
            module = shader("  " + body.format(dimension), text, globals, inputs="%ids", modes="LocalSize 8 1 1")
            assert same(module, WORKGROUP) == (expected,)


def test_buffers_that_an_address_names() -> None:
    """Of a block that is NonWritable, or in a module that writes no buffer."""
    globals = (
        "%Row = TypeStruct u32\n%there = TypePointer PhysicalStorageBuffer %Row\n"
        "%Where = TypeStruct %there\n%where = Variable PushConstant : ptr<PushConstant, %Where>\n"
    )
    load = (
        "  %q = AccessChain %where, 0u : ptr<PushConstant, %there>\n  %r = Load %q : %there\n"
        "  %p = AccessChain %r, 0u : ptr<PhysicalStorageBuffer, u32>\n  %v = Load %p Aligned 4 : u32"
    )
    assert same(shader(load, "", globals), WORKGROUP) == (True,)
    assert same(shader(WRITTEN + load, "", globals), WORKGROUP) == (False,)
    assert same(shader(WRITTEN + load, "MemberDecorate %Row 0 NonWritable", globals), WORKGROUP) == (True,)


READ = "  %i = Load %texels : %Image\n  %v = ImageRead %i, 0u : vec4<u32>"
WRITE = "  %o = Load %others : %Image\n  ImageWrite %o, 0u, %black\n"
CHOSEN = "  %o = Load %others : %Image\n  %c = CopyObject %o : %Image\n  ImageWrite %c, 0u, %black\n"
COUNT = "  %n = ImageTexelPointer %texels, 0u, 0u : ptr<Image, u32>\n"
HANDED = "func @use(%to: ptr<UniformConstant, %Image>) -> void {\n  return\n}\n"


@pytest.mark.parametrize(
    ("before", "decoration", "expected"),
    [
        ("", "", True),
        (WRITE, "", True),
        (WRITE.replace("others", "texels"), "", False),
        (CHOSEN, "", False),
        (CHOSEN, "Decorate %texels NonWritable", True),
        (COUNT, "", False),
        ("", "Decorate %texels Aliased", False),
        ("", "Decorate %texels Volatile", False),
        ("  %_u = FunctionCall @use, %texels : void\n", "", True),
    ],
)
def test_texels_of_a_storage_image(before: str, decoration: str, expected: bool) -> None:
    """The same where the module can't write the image: memory object declarations don't alias (SPIR-V 1.6, 2.18.2)."""
    globals = (
        "%Image = TypeImage u32 Buffer 0 0 0 2 R32ui\n%black = ConstantNull : vec4<u32>\n"
        "%texels = Variable UniformConstant : ptr<UniformConstant, %Image>\n"
        "%others = Variable UniformConstant : ptr<UniformConstant, %Image>\n"
    )
    assert same(shader(before + READ, decoration, globals + HANDED), WORKGROUP) == (expected,)


def test_a_subpass_is_read_where_the_fragment_is() -> None:
    globals = (
        "%Image = TypeImage u32 SubpassData 0 0 0 2 Unknown\n%null = ConstantNull : vec2<i32>\n"
        "%texels = Variable UniformConstant : ptr<UniformConstant, %Image>\n"
    )
    assert same(shader(READ.replace("0u", "%null"), "", globals, "Fragment"), "quad") == (False,)


@pytest.mark.parametrize("row", ROWS)
def test_loads(row: str) -> None:
    module, expected = ROWS[row]
    assert same(module, SUBGROUP, WORKGROUP) == expected


def same(module: Module, *scopes: str) -> tuple[bool, ...]:
    """Whether %v is the same for all, for each scope, where all but %w are."""
    decorations = Analyses(module).of_module(Decorations)
    (load,) = [instr for function in module.functions for instr in instructions(function) if instr.name == "v"]
    memories = [Memory(module, decorations, Scope(scope)) for scope in scopes]
    return tuple(same_result(load, memory, lambda value: value.name != "w") for memory in memories)


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
