"""Each proof ends with a verdict: what does not end, is undefined or can't be run is set aside and said, and the budget
ends the rest."""

import time

import pytest

import reknit
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.source.diagnostic import InputError
from reknit.view.proof import show_verdict

FRAME = """
Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %in, %out, %lane_id
ExecutionMode @main LocalSize 4 1 1
Decorate %words ArrayStride 4
MemberDecorate %Words 0 Offset 0
Decorate %Words Block
Decorate %in DescriptorSet 0
Decorate %in Binding 0
Decorate %out DescriptorSet 0
Decorate %out Binding 1
Decorate %lane_id BuiltIn LocalInvocationIndex
%words = TypeRuntimeArray u32
%Words = TypeStruct %words
%in = Variable StorageBuffer : ptr<StorageBuffer, %Words>
%out = Variable StorageBuffer : ptr<StorageBuffer, %Words>
%lane_id = Variable Input : ptr<Input, u32>
func @main() -> void {
  %lane = Load %lane_id : u32
  %from = AccessChain %in, 0u, %lane : ptr<StorageBuffer, u32>
  %to = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
  %x = Load %from : u32
BODY
  return
}
"""
COUNT = """  %i = Variable Function : ptr<Function, u32>
  Store %i, 0u
  loop @l {
    %now = Load %i : u32
    %done = {} %now, %x : bool
    if %done { break @l }
  } continuing {
    %on = Load %i : u32
    %next = IAdd %on, 1u : u32
    Store %i, %next
  }
  %last = Load %i : u32
  Store %to, %last"""
WIDE = """  %four = IMul %lane, 4u : u32
  %at = IAdd %four, 3u : u32
  %far = AccessChain %out, 0u, %at : ptr<StorageBuffer, u32>
  {}
  Store %far, %y"""


def compute(body: str) -> Module:
    return parse(FRAME.replace("BODY", body))


def runs(**more: object) -> Question:
    return Question(subgroup_sizes=[4], by_terms=False, **more)  # type: ignore[arg-type]


def test_inputs_without_an_end_are_set_aside() -> None:
    """Counting to x ends soon for small numbers and not within 2,000 instructions for 2^31 and such: those are counted,
    the others compared, and one more at the end is a difference that they show."""
    before = compute(COUNT.replace("{}", "UGreaterThanEqual"))
    same = compute(COUNT.replace("{}", "UGreaterThanEqual") + "\n  %spare = IAdd %x, 1u : u32")
    verdict = prove(before, same, runs(max_steps=2_000))
    assert verdict.verdict == "sampled"
    assert verdict.coverage.has_judged() and "without an end" in verdict.coverage.set_aside()
    other = compute(COUNT.replace("{}", "UGreaterThan"))
    assert prove(before, other, runs(max_steps=2_000)).verdict == "refuted"


def test_what_takes_long_is_judged_last() -> None:
    """Counting to 5,000 takes more than the 16,384 instructions of the first look, and ends."""
    large = "%big = UGreaterThan %last, 4000u : bool\n%y = Select %big, 1u, %last : u32\nStore %to, %y"
    before, other = (
        compute(COUNT.replace("{}", "UGreaterThanEqual").replace("Store %to, %last", text))
        for text in ("Store %to, %last", large)
    )
    verdict = prove(before, other, runs(buffers={"in": [5000, 1, 2, 3]}))
    assert verdict.verdict == "refuted"


def test_the_budget_ends_with_a_verdict() -> None:
    """It is of what was gone through, and says where it ended; with no budget all is gone through."""
    before = compute(COUNT.replace("{}", "UGreaterThanEqual"))
    same = compute(COUNT.replace("{}", "UGreaterThanEqual") + "\n  %spare = IAdd %x, 1u : u32")
    begun = time.process_time()
    verdict = prove(before, same, runs(seconds=0.5))
    assert time.process_time() - begun < 3
    assert verdict.verdict == "sampled"
    assert verdict.coverage.spent.startswith("the budget of 0.5 s of processor time ended at main, ")
    first = show_verdict(before, verdict).splitlines()[1]
    assert first.startswith("  stopped: the budget of 0.5 s")


def test_the_budget_holds_before_runs_begin() -> None:
    """A block of 4,000 additions on 64 lanes takes seconds to run once; so does drawing inputs for a long buffer."""
    long = "\n  ".join([f"%s{at} = IAdd {'%x' if at == 0 else f'%s{at - 1}'}, {at + 1}u : u32" for at in range(4000)])
    before = compute(f"{long}\n  %y = IMul %s3999, %x : u32\n  Store %to, %y")
    after = compute(f"{long}\n  %y = IMul %s3999, 3u : u32\n  Store %to, %y")
    for question in (Question(seconds=0.5, groups=(64, 1, 1)), runs(seconds=0.5, groups=(4096, 1, 1))):
        begun = time.process_time()
        prove(before, after, question)
        assert time.process_time() - begun < 2


def test_a_certificate_has_the_same_budget() -> None:
    text = "\n  ".join([f"%s{at} = IMul {'%x' if at == 0 else f'%s{at - 1}'}, %lane : u32" for at in range(3000)])
    before, after = (compute(f"{text}\n  Store %to, %s{at}") for at in (2999, 2998))
    begun = time.process_time()
    with pytest.raises(InputError):
        prove(before, after, Question(seconds=0.2, certificate=True))
    assert time.process_time() - begun < 2


VARYING = """
Capability Shader
MemoryModel Logical GLSL450
EntryPoint Fragment @main "main" %x, %out
ExecutionMode @main OriginUpperLeft
Decorate %x Location 0
Decorate %out Location 0
Decorate %kept RelaxedPrecision
%x = Variable Input : ptr<Input, f32>
%out = Variable Output : ptr<Output, f32>
func @main() -> void {
  %kept = Variable Function : ptr<Function, f32>
  %y = Load %x : f32
  Store %kept, %y
  %z = Load %kept : f32
  %w = FMul %z, 3.0f : f32
  Store %out, %w
  return
}
"""


def test_decorations_of_variables_that_a_pass_removed() -> None:
    """They are listed until the module is written, and are of no variable any more."""
    before, after = parse(VARYING), parse(VARYING)
    reknit.compile(after, "optimize")
    assert reknit.prove(before, after, runs=True).verdict == "sampled"


def test_a_budget_is_a_number_above_zero() -> None:
    with pytest.raises(InputError):
        reknit.prove(compute("Store %to, 1u"), compute("Store %to, 2u"), seconds=0)


def test_run_time_arrays_are_as_long_as_indices_ask_for() -> None:
    """Element 4 * lane + 3 of four lanes: 16 elements, of which a store to one element a lane is none."""
    square, cube = (compute(WIDE.replace("{}", text)) for text in (
        "%y = IMul %x, %x : u32", "%z = IMul %x, %x : u32\n  %y = IMul %z, %x : u32"))  # fmt: skip
    verdict = prove(square, cube, runs())
    assert verdict.counterexample is not None
    assert verdict.counterexample.differences[0].word % 4 == 3
    assert len(verdict.counterexample.before.result.buffers["out"].words) >= 16
    again = prove(square, compute(WIDE.replace("{}", "%y = IMul %x, %x : u32\n  %z = IAdd %y, 1u : u32")), runs())
    assert again.verdict == "sampled" and not again.coverage.aside


def test_nothing_that_can_be_seen_is_said() -> None:
    """Of two programs that can write nothing no run shows anything."""
    both = "Decorate %Words Block\nDecorate %in NonWritable\nDecorate %out NonWritable"
    read_only = FRAME.replace("Decorate %Words Block", both)
    first, other = (parse(read_only.replace("BODY", f"%y = IAdd %x, {text}u : u32")) for text in "12")
    verdict = prove(first, other, runs())
    assert verdict.verdict == "sampled"
    assert "can write to no buffer" in verdict.coverage.not_run["main"]


def test_a_refutation_names_the_first_value_that_differs() -> None:
    """Of x * x + 1 and x * 3 + 1 it is the product, with the x that made it; the sum and the store come after."""
    before = compute("%y = IMul %x, %x : u32\n  %z = IAdd %y, 1u : u32\n  Store %to, %z")
    after = compute("%y = IMul %x, 3u : u32\n  %z = IAdd %y, 1u : u32\n  Store %to, %z")
    example = prove(before, after, runs(buffers={"in": [5, 5, 5, 5]})).counterexample
    assert example is not None and example.first is not None
    first = example.first
    assert (first.buffer, first.word, first.lane) == ("out", 0, 0)
    assert [each.value for each in first.before] == ["", "26", "25"]
    assert [each.value for each in first.after] == ["", "16", "15"]
    assert str(first.before[-1]).startswith("OpIMul %y = 25, from %x = 5, %x = 5 (")
    assert str(first.after[-1]).startswith("OpIMul %y = 15, from %x = 5, 3 (")
    shown = show_verdict(before, prove(before, after, runs(buffers={"in": [5, 5, 5, 5]})))
    assert "the first value that differs on the path to out[0], in lane 0:" in shown


def test_the_chain_goes_through_variables_and_loops() -> None:
    """Counting by 2 instead of 1: the last count differs, which a variable has."""
    one = COUNT.replace("{}", "UGreaterThanEqual")
    before, after = compute(one), compute(one.replace("IAdd %on, 1u", "IAdd %on, 2u"))
    example = prove(before, after, runs(buffers={"in": [5, 5, 5, 5]})).counterexample
    assert example is not None and example.first is not None
    assert [each.value for each in example.first.before][:2] == ["", "5"]
    assert [each.value for each in example.first.after][:2] == ["", "6"]
    assert any(each.what == "OpIAdd %next" for each in example.first.after)


def test_a_branch_by_an_undefined_value_may_go_either_way() -> None:
    """`x` is 1 in invocation 7 and undefined elsewhere, where it may be 5: what the second version does is allowed."""
    text = """RWStructuredBuffer<uint> o;
[shader("compute")] [numthreads(8,1,1)] void main(uint3 id : SV_DispatchThreadID) { BODY }"""
    before = "uint x; if (id.x == 7) x = 1; if (x == 5) o[id.x] = 1; else o[id.x] = 2;"
    after = "o[id.x] = id.x == 7 ? 2 : 1;"
    modules = [reknit.load(text.replace("BODY", body).encode(), format="slang") for body in (before, after)]
    assert reknit.prove(*modules).verdict == "sampled"


def test_an_index_into_what_has_no_parts_is_named() -> None:
    """An access chain that goes into a number is invalid; there is a verdict all the same."""
    broken = "  %part = AccessChain %lane_id, 0u : ptr<Input, u32>\n  %y = Load %part : u32\n  Store %to, {}"
    before, after = (parse(FRAME.replace("BODY", broken.format(what))) for what in ("%y", "%x"))
    verdict = prove(before, after, Question())
    assert verdict.verdict == "sampled"
    assert "an index into what has no parts" in show_verdict(before, verdict)
