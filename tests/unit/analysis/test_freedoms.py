"""The ledger of freedoms: it knows the whole grammar, and which rows a module brings in.

Each case states the sentence by which its row applies, or by which it does not.
"""

import sys

import pytest
from kit import ROOT
from kit.text import differing

sys.path.append(str(ROOT / "tools"))

import gen_freedoms
import gen_traits

import reknit
from reknit.analysis import freedoms
from reknit.analysis.freedoms import Ledger, ledger
from reknit.analysis.tangles.declared import declared
from reknit.ir.freedoms import FREEDOMS, Treatment
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.sim.entry import find_entry, function_of_entry, reached_functions
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module

COMPUTE = """\
Capability Shader
Capability GroupNonUniformArithmetic
{capabilities}
%glsl = ExtInstImport "GLSL.std.450"
MemoryModel Logical GLSL450
EntryPoint {model} @main "main" %in, %out
ExecutionMode @main {mode}
{modes}
names @main, %in, %out
{decorations}
Decorate %in Location 0
Decorate %in Flat
Decorate %out Location 0
%in = Variable Input : ptr<Input, f32>
%out = Variable Output : ptr<Output, f32>
func @main() -> void {{
  %x = Load %in : f32
{body}
  Store %out, %y
  return
}}
"""


def opened(
    body: str, capabilities: str = "", modes: str = "", decorations: str = "", model: str = "Fragment"
) -> Ledger:
    mode = "OriginUpperLeft" if model == "Fragment" else "LocalSize 4 1 1"
    text = COMPUTE.format(
        body=body, capabilities=capabilities, model=model, mode=mode, modes=modes, decorations=decorations
    )
    return of(parse(text))


def of(module: Module) -> Ledger:
    point = find_entry(module, None)
    function = function_of_entry(point)
    return ledger(module, point, reached_functions(module, function), declared(module, function))


def test_the_grammar_is_in_the_ledger() -> None:
    """Each opcode, decoration, execution mode, built-in, storage class and extended instruction of the grammar is in a
    row, or in a group that says why it leaves nothing open, or among those that have no model."""
    table = gen_freedoms.Ledger(gen_freedoms.TABLE.read_text(encoding="utf-8"), gen_traits.opcodes())
    assert table.missing() == []


def test_a_long_chain_of_shuffles_is_followed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sum of a long row asks whether its operand comes from another operation: the row before is known then."""
    asked: list[int] = []
    plain = freedoms._passed_on

    def counted(value: Instr) -> list[Instr] | None:
        asked.append(value.op)
        return plain(value)

    monkeypatch.setattr(freedoms, "_passed_on", counted)
    shuffles = "".join([f"  %s{at + 1} = VectorShuffle %s{at}, %s{at} 1 0 : vec2<f32>\n" for at in range(200)])
    sums = "".join([f"  %a{at} = FAdd %s200, %s200 : vec2<f32>\n" for at in range(200)])
    opened(f"  %s0 = CompositeConstruct %x, %x : vec2<f32>\n{shuffles}{sums}  %y = CompositeExtract %a0 0 : f32")
    assert len(asked) < 2000


def test_what_is_tolerated_is_closed_for_compare_alone() -> None:
    """Only `compare` takes the bounds of a row's sentence for a result that may differ."""
    known = opened("  %y = FMul %x, %x : f32")
    row = next(row for row in known.applied.values() if row.freedom.treatments["compare"].word == "tolerated")
    row.instead = Treatment("tolerated", "")
    assert row.freedom.name not in [each.freedom for each in known.open("compare")]
    assert row.freedom.name in [each.freedom for each in known.open("outcomes")]


def test_reads_that_are_volatile_texels_bring_in_the_row() -> None:
    """SPV_KHR_vulkan_memory_model, VolatileTexelKHR: "This access cannot be eliminated, duplicated, or combined with
    other accesses"; the same of the memory semantics Volatile, for atomics."""
    for name, title in (("overlooked-volatile.md", "A volatile read of a texel becomes a plain one"),
                        ("overlooked-volatile.md", "Volatile semantics of an atomic are lost")):  # fmt: skip
        pair = next(pair for pair in differing.of_page(differing.DIFFERING / name) if pair.title == title)
        sides = [of(read_module(assemble(text, title))) for text in (pair.before, pair.after)]
        assert ["volatile" in each.applied for each in sides] == [True, False]


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("instructions", "65000 WarpNEW|Group|IdResultType;IdResult|||1.7||"),
        ("Decoration", "65000|LooseNEW|||1.7||"),
        ("ExecutionMode", "65000|HurryNEW|||1.7||"),
        ("BuiltIn", "65000|MoodNEW|||1.7||"),
        ("GLSL.std.450", "900|Guess|IdRef x||"),
    ],
)
def test_what_a_newer_grammar_brings_is_missed(kind: str, row: str) -> None:
    grammar = gen_traits.opcodes()
    if kind == "instructions":
        code, text = row.split(" ")
        grammar["instructions"][code] = text
    elif kind in grammar["sets"]:
        grammar["sets"][kind].append(row)
    else:
        grammar["kinds"][kind].append(row)
    table = gen_freedoms.Ledger(gen_freedoms.TABLE.read_text(encoding="utf-8"), grammar)
    assert len(table.missing()) == 1


def test_generated_files_are_what_the_table_says() -> None:
    assert gen_freedoms.main(["--check"]) == 0


def test_the_page_has_each_row_with_its_sentence() -> None:
    page = gen_freedoms.PAGE.read_text(encoding="utf-8")
    for freedom in FREEDOMS.values():
        assert f"### {freedom.name}\n" in page
        assert gen_freedoms.plain(freedom.sentence) in page
        assert gen_freedoms.plain(freedom.source) in page


def test_an_addition_rounds() -> None:
    """Vulkan: "either the floating-point value closest to and no less than x or the value closest to and no greater
    than x will be returned"."""
    (shown,) = [each for each in opened("  %y = FAdd %x, 0.1f : f32").open("prove") if each.freedom == "rounding"]
    assert str(shown) == "the rounding of floats (%y, line 18)"


@pytest.mark.parametrize(
    ("mode", "closes"),
    [
        ("RoundingModeRTE 32", True),
        ("RoundingModeRTZ 32", True),
        ("RoundingModeRTE 64", False),  # "Only affects instructions operating on a [...] type defined by the operand"
        ("DenormPreserve 32", False),
    ],
)
def test_a_rounding_mode_closes_it_for_its_width(mode: str, closes: bool) -> None:
    capability = mode.split(" ")[0]
    rows = opened("  %y = FAdd %x, 0.1f : f32", f"Capability {capability}", f"ExecutionMode @main {mode}").applied
    assert ("rounding" not in rows) == closes


def test_one_operation_alone_can_not_be_rearranged() -> None:
    """Rearrangement needs an expression: %x is an input, 0.1 a constant."""
    assert "rearrangement" not in opened("  %y = FAdd %x, 0.1f : f32").applied
    chain = "  %a = FMul %x, %x : f32\n  %y = FAdd %a, 0.1f : f32"
    assert "rearrangement" in opened(chain).applied
    assert "rearrangement" not in opened(chain, decorations="Decorate %y NoContraction").applied


SUM = "  %n = GroupNonUniformIAdd 3u, Reduce, 1u : u32\n  %y = ConvertUToF %n : f32"


def test_helpers_in_a_sum() -> None:
    """Vulkan, Helper Invocations: "helper invocations may be considered inactive for group operations"; "If the
    MaximallyReconvergesKHR execution mode is applied to the entry point, helper invocations must remain active"."""
    assert "helpers-in-groups" in opened(SUM).applied
    maximal = opened(
        SUM,
        'Extension "SPV_KHR_maximal_reconvergence"',
        "ExecutionMode @main MaximallyReconvergesKHR",
    )
    assert "helpers-in-groups" not in maximal.applied


def test_a_vertex_shader_has_no_helpers() -> None:
    assert "helpers-in-groups" not in opened(SUM, model="Vertex").applied


@pytest.mark.parametrize(
    ("declaration", "what", "known"),
    [("Decorate %out PerViewNV", "decoration PerViewNV", True), ("Decorate %out 65000", "decoration 65000", False)],
)
def test_a_decoration_without_a_row_is_unknown(declaration: str, what: str, known: bool) -> None:
    """PerViewNV is in the grammar, without a model; 65000 is in no grammar."""
    book = opened("  %y = FAdd %x, 0.1f : f32", decorations=declaration)
    assert list(book.unmodelled if known else book.unknown) == [what]
    assert [each.freedom for each in book.open("outcomes")][-1] == "unknown"


def test_relaxed_precision_of_a_variable_counts() -> None:
    book = opened("  %y = FAdd %x, 0.1f : f32", decorations="Decorate %out RelaxedPrecision")
    assert "relaxed-precision" in book.applied


def test_what_runs_saw_decides() -> None:
    """1.0 + 2.0 is exact: "If x is exactly representable then x will be returned"."""
    module = parse(COMPUTE.format(
        body="  %y = FAdd %x, 2.0f : f32", capabilities="", model="Fragment", mode="OriginUpperLeft", modes="",
        decorations="",
    ))  # fmt: skip
    point = find_entry(module, None)
    functions = reached_functions(module, function_of_entry(point))
    assert ledger(module, point, functions, "base", seen={}).open("outcomes") == []


@pytest.mark.parametrize(
    ("operation", "row"),
    [
        ("  %y = FDiv %x, 2.0f : f32", "denormals-elsewhere"),
        ("  %y = FMul %x, 2.0f : f32", ""),
        ("  %y = ExtInst %glsl, 8, %x : f32", "denormals-elsewhere"),  # Floor
        ("  %y = ExtInst %glsl, 4, %x : f32", ""),  # FAbs
    ],
)
def test_denorm_preserve_covers_what_vulkan_lists(operation: str, row: str) -> None:
    """Vulkan lists what "must respect the DenormPreserve ExecutionMode": FMul and FAbs, not FDiv and Floor. All else
    "may be flushed to zero"."""
    rows = opened(operation, "Capability DenormPreserve", "ExecutionMode @main DenormPreserve 32").applied
    assert [name for name in rows if name.startswith("denormals")] == ([row] if row else [])


@pytest.mark.parametrize(
    ("operation", "row"),
    [
        ("  %y = FDiv %x, 2.0f : f32", ""),
        ("  %y = FMod %x, 2.0f : f32", "special-floats-elsewhere"),
        ("  %y = ExtInst %glsl, 4, %x : f32", "special-floats-elsewhere"),  # FAbs
    ],
)
def test_signed_zeros_are_preserved_by_what_vulkan_lists(operation: str, row: str) -> None:
    """Vulkan lists what "must respect the SignedZeroInfNanPreserve ExecutionMode"; for all else NSZ, NotInf and NotNaN
    "are assumed". No mode gives a NaN one bit pattern."""
    mode = "SignedZeroInfNanPreserve"
    rows = opened(operation, f"Capability {mode}", f"ExecutionMode @main {mode} 32").applied
    assert [name for name in rows if name.startswith("special")] == ([row] if row else [])
    assert "nan-bits" in rows


@pytest.mark.parametrize(
    ("example", "rows"),
    [("fallthrough.spvasm", ["switch-partition", "fallthrough"]), ("shared_labels.spvasm", ["switch-partition"]),
     ("ballot_loop.rk", [])],
)  # fmt: skip
def test_a_switch_with_tangled_operations(example: str, rows: list[str]) -> None:
    """SPV_KHR_maximal_reconvergence, OpSwitch: invocations "may be partitioned into the same tangle", and "T(L) may
    include a subset" of those that fall through; shared_labels has no fallthrough, ballot_loop no switch."""
    book = of(reknit.load(str(ROOT / "examples" / example)))
    assert [name for name in book.applied if name in ("switch-partition", "fallthrough")] == rows
    assert [each.freedom for each in book.open("outcomes") if each.freedom in rows] == []
    assert [each.freedom for each in book.open("run") if each.freedom in rows] == rows


RETURN = "  %low = FOrdLessThan %x, 0.5f : bool\n  if %low {\n    Store %out, %x\n    return\n  }\n"


@pytest.mark.parametrize(("body", "open"), [(SUM, False), (RETURN + SUM, True)])
@pytest.mark.parametrize("maximal", [False, True])
def test_helpers_of_a_quad_that_returned(body: str, open: bool, maximal: bool) -> None:
    """Vulkan, Shader Termination: "helper invocations may be terminated when all non-helper invocations in the same
    derivative group either terminate or become helper invocations"; a return terminates an invocation.
    SPV_KHR_maximal_reconvergence allows it for a demote, a terminate and a kill only."""
    extension = 'Extension "SPV_KHR_maximal_reconvergence"' if maximal else ""
    mode = "ExecutionMode @main MaximallyReconvergesKHR" if maximal else ""
    assert ("quad-that-returned" in opened(body, extension, mode).applied) == (open and not maximal)


HELPER = "Decorate %helper BuiltIn HelperInvocation\n%helper = Variable Input : ptr<Input, bool>"
READ = "  %h = Load %helper : bool\n  %y = Select %h, 0.0f, %x : f32"


@pytest.mark.parametrize(
    ("before", "volatile", "open"), [("  DemoteToHelperInvocation\n", False, True), ("", False, False),
                                     ("  DemoteToHelperInvocation\n", True, False)],
)  # fmt: skip
def test_helper_invocation_after_a_demote(before: str, volatile: bool, open: bool) -> None:
    """SPIR-V, OpDemoteToHelperInvocation: "any subsequent load of HelperInvocation within that invocation will load an
    undefined value unless the HelperInvocation built-in variable is decorated with Volatile"."""
    declarations = ("Decorate %helper Volatile\n" if volatile else "") + HELPER
    book = opened(before + READ, "Capability DemoteToHelperInvocation", decorations=declarations)
    assert ("helper-after-demote" in book.applied) == open


IMAGE = """\
Decorate %image DescriptorSet 0
Decorate %image Binding 0
%texels = TypeImage f32, 2D, 0, 0, 0, 2, {format}
%image = Variable UniformConstant : ptr<UniformConstant, %texels>"""
WRITE = """\
  %y = FNegate %x : f32
  %i = Load %image : %texels
  %at = CompositeConstruct 0u, 0u : vec2<u32>
  %texel = CompositeConstruct %x, %x, %x, %x : vec4<f32>
  ImageWrite %i, %at, %texel"""


@pytest.mark.parametrize(("format", "open"), [("Rgba8", True), ("R16f", True), ("Rgba32f", False), ("Unknown", True)])
def test_a_value_is_rounded_to_the_format_of_an_image(format: str, open: bool) -> None:
    """Vulkan: convertFloatToUint "returns one of the two unsigned binary integer values ... closest"; 32-bit floats are
    stored as they are."""
    book = opened(WRITE, decorations=IMAGE.format(format=format))
    assert ("texel-rounding" in book.applied) == open


BUFFER = """\
Decorate %Words Block
MemberDecorate %Words 0 Offset 0
Decorate %words DescriptorSet 0
Decorate %words Binding 0
%Words = TypeStruct f32
%words = Variable StorageBuffer : ptr<StorageBuffer, %Words>"""
POINT = "  %p = AccessChain %words, 0u : ptr<StorageBuffer, f32>\n"


@pytest.mark.parametrize(
    ("body", "open"),
    [
        ("  %old = Load %p : f32\n  %y = FAdd %old, 1.0f : f32\n  Store %p, %y", True),
        ("  %y = FNegate %x : f32\n  Store %p, %y", False),
        ("  %y = Load %p : f32", False),
    ],
)
def test_a_store_that_depends_on_memory_shows_how_often_a_vertex_is_shaded(body: str, open: bool) -> None:
    """Vulkan: "even the number of shader invocations that may perform loads and stores is undefined". A second
    invocation that stores the same value again does not show."""
    book = opened(POINT + body, decorations=BUFFER, model="Vertex")
    assert ("invocation-count" in book.applied) == open
