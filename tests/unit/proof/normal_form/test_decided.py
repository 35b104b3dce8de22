"""What the normal form says of pairs worked out by hand: none that differs is proved, and which are that don't.

Why each differs, or doesn't, is arithmetic or the specification's; `differing_pairs` and `equal_pairs` name it.
"""

from pathlib import Path

import pytest
from kit.programs.differing_pairs import differing
from kit.programs.equal_pairs import equal
from kit.programs.miscompiles import shader
from kit.programs.pair_frame import module_text
from kit.proving import finding, proved_by_terms

import reknit
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.proof.normal_form.decorations import Decorations
from reknit.proof.normal_form.kinds import INT, OTHER, Kinds
from reknit.proof.prove import prove
from reknit.proof.question import Question

DECIDED = {
    "x + 0", "x * 1", "x xor 0", "x and all", "not not x", "minus minus x", "a sum's order", "a sum's brackets",
    "distribution", "times 8", "loaded once", "comparison turned round",
    "comparison negated", "an if turned round", "signedness of a product", "rotated by 0", "unordered turned round",
    "over 8", "modulo 8", "below 6 or at most 5",
    "an undefined value that is not taken", "a mode more", "a float control more",
}  # fmt: skip
"""What needs no more than the identities that `fold` knows, and what is free by itself."""


def test_nothing_that_differs_is_proved() -> None:
    assert [name for name, pair in differing().items() if proved_by_terms(*map(parse, pair))] == []


def test_what_is_equal_is_proved() -> None:
    proved = {name for name, pair in equal().items() if proved_by_terms(*map(parse, pair))}
    assert proved >= DECIDED, DECIDED - proved


FORWARD = """Capability Shader
Capability PhysicalStorageBufferAddresses
MemoryModel PhysicalStorageBuffer64 GLSL450
EntryPoint GLCompute @main "main" %out
ExecutionMode @main LocalSize 4 1 1
Decorate %Node Block
MemberDecorate %Node 0 Offset 0
MemberDecorate %Node 1 Offset 8
MemberDecorate %Node 2 Offset 12
Decorate %out DescriptorSet 0
Decorate %out Binding 0
TypeForwardPointer %next PhysicalStorageBuffer
%Node = TypeStruct %next, u32, u32
%next = TypePointer PhysicalStorageBuffer %Node
%out = Variable StorageBuffer : ptr<StorageBuffer, %Node>

func @main() -> void {
  %whole = Load %out : %Node
  %x = CompositeExtract %whole 1 : u32
  %to = AccessChain %out, 2u : ptr<StorageBuffer, u32>
  Store %to, %x
  return
}
"""


def test_a_member_that_is_declared_further_down_keeps_its_place() -> None:
    """A struct with a pointer to itself has three members; those behind the pointer are the second and the third."""
    module = parse(FORWARD)
    kinds = Kinds()
    kinds.read(module, Decorations(module))
    node = next(kinds.of(instr) for instr in module.globals if instr.name == "Node")
    assert [each.category for each in node.parts] == [OTHER, INT, INT]
    assert proved_by_terms(module, parse(FORWARD))
    assert not proved_by_terms(module, parse(FORWARD.replace("%whole 1", "%whole 2")))


UNDEFINED = "%s = CompositeInsert {u}, undef<vec2<u32>> 0 : vec2<u32>\n%r = CompositeExtract %s {} : u32\nOUT %r"


def test_a_part_that_nothing_has_written_is_not_one_that_was_written() -> None:
    """Component 0 is %u, component 1 is undefined: before it may be anything, after it is none of what before has."""
    written, other = (parse(module_text(UNDEFINED.replace("{}", text))) for text in "01")
    plain = parse(module_text("%r = IAdd {u}, 0u : u32\nOUT %r"))
    assert proved_by_terms(plain, written) and proved_by_terms(written, plain)
    assert not proved_by_terms(plain, other) and not proved_by_terms(written, other)


LANES = "%c = ULessThan %lane, {} : bool\nif %c {{\nSEE a\n}}"


def test_the_first_place_is_named() -> None:
    """Of a ballot that more lanes reach: what the store of its result says, at its line, in each of the two."""
    before, after = (shader(LANES.format(text)) for text in ("2u", "3u"))
    found = finding(before, after)
    assert not found.proved
    assert found.reason == "OpStore is reached under another condition: 2 > lane_id before, 3 > lane_id after"
    assert len(found.places) == 2 and found.places[0].endswith("before") and found.places[1].endswith("after")


UNWRITTEN = "%mine = Variable Function : ptr<Function, u32>\n%other = Variable Function : ptr<Function, u32>"
READ = "%a = Load %{} : u32\n%b = Load %{} : u32\n%r = ISub %a, %b : u32\nOUT %r"


def test_a_variable_that_nothing_was_stored_to_holds_one_value_of_its_own() -> None:
    """The same one twice is the same value; another variable holds another, which may be the same, and none holds a
    constant."""
    same, apart, zero = (
        parse(module_text(text, locals=UNWRITTEN))
        for text in (READ.format("mine", "mine"), READ.format("mine", "other"), "%r = IMul {u}, 0u : u32\nOUT %r")
    )
    assert proved_by_terms(apart, apart)
    assert proved_by_terms(apart, same)
    assert not proved_by_terms(same, apart) and not proved_by_terms(zero, apart)
    read = parse(module_text("%r = Load %mine : u32\nOUT %r", locals=UNWRITTEN))
    assert not proved_by_terms(zero, read)


TEXELS = Path(__file__).parents[3] / "slang" / "texel-atomics.slang"


@pytest.mark.parametrize(
    "change",
    [("%counts, %_10", "%counts, %_9"), ("%counts, %_10, 0u", "%counts, %_10, 1u"), ("AtomicSMax", "AtomicSMin")],
)
def test_atomic_operations_of_texels(change: tuple[str, str]) -> None:
    """At another coordinate, of another sample, or another operation: none of these is the same."""
    before, after = reknit.load(TEXELS), reknit.load(TEXELS)
    reknit.compile(after, "promote-variables")
    text = print_module(after)
    assert proved_by_terms(before, after)
    assert text.count(change[0]) == 1 and not proved_by_terms(before, parse(text.replace(*change)))


FALLS = """%three = BitwiseAnd %lane, 3u : u32
%far = UGreaterThan %lane, 2u : bool
switch %three {
case 1, 3, default: {
if %far MERGE {
SEE a
}
fallthrough
}
case 2: {
SEE b
}
}"""


def test_paths_that_nothing_joins_need_not_meet_at_the_label_that_they_fall_through_to() -> None:
    """Lanes 0, 1 and 3 are in the first case. Behind an if with a merge they fall through together; behind one without,
    or from inside of it, lane 3 may come to the label by itself, whether it meets lane 2 there or not."""
    joined, apart = (shader(FALLS.replace("MERGE", word)) for word in ("", "nojoin"))
    assert prove(joined, apart, Question(subgroup_sizes=[4], by_terms=False)).verdict == "refuted"
    assert not finding(joined, apart).proved
    assert finding(joined, joined).proved and finding(apart, apart).proved
    jumps = shader(FALLS.replace("MERGE", "").replace("SEE a\n}", "SEE a\nfallthrough\n}"))
    assert prove(joined, jumps, Question(subgroup_sizes=[4], by_terms=False)).verdict == "refuted"
    assert not finding(joined, jumps).proved and finding(jumps, jumps).proved


DEMOTED = """module 1.6
Capability Shader
Capability DemoteToHelperInvocation
MemoryModel Logical GLSL450
EntryPoint Fragment @main "main" %in, %to
ExecutionMode @main OriginUpperLeft
Decorate %in DECORATION
Decorate %to Location 0
%in = Variable Input : ptr<Input, TYPE>
%to = Variable Output : ptr<Output, f32>

func @main() -> void {
  %early = Load %in : TYPE
  %first = EARLY : f32
  %some = FOrdLessThan %first, 8.0f : bool
  if %some {
    DemoteToHelperInvocation
  }
  %late = Load %in : TYPE
  %second = LATE : f32
  Store %to, %WHICH
  return
}
"""
PART = "CompositeExtract %{} 0"
CHOICE = "Select %{}, 1.0f, 2.0f"


@pytest.mark.parametrize(
    ("decoration", "type", "number", "stays"),
    [
        ("BuiltIn FragCoord", "vec4<f32>", PART, True),
        ("Location 3", "vec4<f32>", PART, True),
        ("BuiltIn HelperInvocation", "bool", CHOICE, False),
    ],
)
def test_of_inputs_a_demote_changes_helper_invocation_alone(
    decoration: str, type: str, number: str, stays: bool
) -> None:
    text = DEMOTED.replace("DECORATION", decoration).replace("TYPE", type)
    text = text.replace("EARLY", number.format("early")).replace("LATE", number.format("late"))
    late, early = (parse(text.replace("WHICH", name)) for name in ("second", "first"))
    found = finding(late, early)
    assert found.proved is stays
    if not stays:
        assert found.reason == "OpStore has another operand: in ? 1.0 : 2.0, in which in is read after other effects"


def test_texts_that_agree_where_they_are_cut_show_where_they_differ() -> None:
    deep = "".join(f"%s{n} = UDiv %s{n - 1}, {{u}} : u32\n" for n in range(1, 9))
    text = f"%s0 = UDiv {{u}}, NUMBER : u32\n{deep}OUT %s8"
    before, after = (parse(module_text(text.replace("NUMBER", number))) for number in ("3u", "5u"))
    first, _, second = finding(before, after).reason.partition(", with ")
    assert "…" in first and second == "3 before, 5 after"


TEXEL = "%at = CompositeConstruct %lane, 0u : vec2<u32>\n%i = Load %image : %Image\n{}%c = ULessThan %lane, 4u : bool\n"
TEXEL += "if %c {{\n{}%x = CompositeExtract %v 0 : f32\nOUTF %x\n}}"


def test_a_texel_is_read_by_no_more_invocations_than_before() -> None:
    """"Applications must: not execute operations that would access out of bounds memory locations unless some form of
    bounds checking is enabled" (Vulkan, Shader Out-of-Bounds Memory Access): what the condition keeps inside of the
    image is outside of it without."""
    read = "%v = ImageRead %i, %at : vec4<f32>\n"
    inside, ahead = (parse(module_text(TEXEL.format(*parts))) for parts in (("", read), (read, "")))
    assert proved_by_terms(ahead, inside)
    assert not proved_by_terms(inside, ahead)
    assert finding(inside, ahead).reason == "OpImageRead is executed by more invocations than before"
