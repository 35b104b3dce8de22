"""What a proof says: proved for the domain where all was gone through, sampled where not, refuted with the run that
shows it.

Expected values follow from SPV_KHR_maximal_reconvergence or from plain arithmetic, and are worked out beside each test.
"""

from pathlib import Path

import pytest
from kit.pipelines import REWRITING
from kit.programs.miscompiles import shader
from kit.programs.pair_frame import module_text

import reknit
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.proof.interface import differences, is_read, ports
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.sim.run import prepare, run
from reknit.source.diagnostic import InputError
from reknit.view.proof import show_verdict

EXAMPLES = sorted((Path(__file__).resolve().parents[3] / "examples").glob("*.spvasm"))
FOUR = Question(subgroup_sizes=[4], by_terms=False)
RUNS = Question(by_terms=False)

INPUT = """
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


def compute(body: str) -> Module:
    """A shader of four lanes; %x is the lane's input, %to the address of its result."""
    return parse(INPUT.replace("BODY", body))


SQUARE = compute("%y = IMul %x, %x : u32\nStore %to, %y")
SAME = compute("%y = IMul %x, %x : u32\n%z = IAdd %y, 0u : u32\nStore %to, %z")
CUBE = compute("%z = IMul %x, %x : u32\n%y = IMul %z, %x : u32\nStore %to, %y")


def test_one_module_is_proved_without_a_run() -> None:
    """Names and ids mean nothing; anything else that is not the same does."""
    module = shader("SEE a")
    renamed = parse(print_module(module).replace("%aall", "%everyone").replace("%out", "%result"))
    assert prove(module, renamed).verdict == "proved"
    assert prove(module, renamed).coverage.runs == 0
    assert prove(module, shader("SEE a\n%unused = IAdd %lane, 1u : u32"), RUNS).verdict == "proved for the domain"


def test_the_same_is_proved_where_nothing_is_read() -> None:
    verdict = prove(shader("SEE a"), shader("SEE a\n%unused = IAdd %lane, 1u : u32"), RUNS)
    assert verdict.verdict == "proved for the domain"
    assert verdict.coverage.inputs == 3  # zeros, ones and random words in the buffer that is only written
    assert verdict.coverage.subgroup_sizes == [4, 8, 32, 64]


def test_what_is_read_is_sampled() -> None:
    verdict = prove(SQUARE, SAME, FOUR)
    assert verdict.verdict == "sampled" and bool(verdict)
    assert any("a fixed sample of in" in line for line in verdict.coverage.lines())


def test_a_buffer_that_no_run_could_have_is_named() -> None:
    """A member at 4 GB makes a buffer of 2**30 words, for which a list of numbers would take all memory."""
    text = INPUT.replace("%Words 0 Offset 0", "%Words 0 Offset 4294967292").replace("BODY", "Store %to, %x")
    module = parse(text)
    other = parse(text.replace("Store %to, %x", "Store %to, 1u"))
    with reknit.Limits(memory=1 << 30):
        verdict = prove(module, other, RUNS)
    assert verdict.verdict == "sampled"
    (reason,) = verdict.coverage.not_run.values()
    assert reason.endswith("words; the most is 67108864 (RK1004)")


def test_a_domain_makes_a_proof_of_it() -> None:
    """x * x is x * x * x for 0 and 1; 2 tells them apart. Four elements of two numbers: 16 inputs, each with the three
    contents of `out`."""
    verdict = prove(SQUARE, CUBE, Question(subgroup_sizes=[4], domains={"in": [0, 1]}))
    assert verdict.verdict == "proved for the domain"
    assert verdict.coverage.inputs == 2**4 * 3
    refuted = prove(SQUARE, CUBE, Question(subgroup_sizes=[4], domains={"0.0": [0, 1, 2]}))
    found = refuted.counterexample
    assert found is not None
    assert found.inputs == {"in": [0, 0, 0, 2]}  # the last element counts fastest, so this is the first that differs
    assert [(one.buffer, one.word, one.before, one.after) for one in found.differences] == [("out", 3, 4, 8)]


def test_given_buffers_are_no_question() -> None:
    verdict = prove(SQUARE, CUBE, Question(subgroup_sizes=[4], buffers={"in": [0, 1, 1, 0]}))
    assert verdict.verdict == "proved for the domain"
    assert "in = 0, 1, 1, 0" in verdict.coverage.claim


def test_the_sample_finds_numbers_that_the_program_compares_with() -> None:
    """One number of four thousand million matters, and it stands in the program."""
    body = "%y = IEqual %x, {}u : bool\n%z = Select %y, 1u, 0u : u32\nStore %to, %z"
    verdict = prove(compute(body.format(987654321)), compute(body.format(987654322)), FOUR)
    assert verdict.verdict == "refuted"


def test_a_word_that_is_no_longer_written_shows() -> None:
    """Zero is what an unwritten word often holds, so a buffer of zeros would hide it."""
    verdict = prove(compute("Store %to, 0u"), compute(""), FOUR)
    assert verdict.counterexample is not None
    assert {one.before for one in verdict.counterexample.differences} == {0}


def test_undefined_behaviour_before_allows_anything() -> None:
    """Lanes for which x is 1 reach OpUnreachable: nothing is promised of inputs with a 1."""
    before = compute("%c = IEqual %x, 1u : bool\nif %c {\nunreachable\n}\nStore %to, 5u")
    after = compute("Store %to, 5u")
    verdict = prove(before, after, Question(subgroup_sizes=[4], domains={"in": [0, 1]}))
    assert verdict.verdict == "proved for the domain"
    assert verdict.coverage.undefined == (2**4 - 1) * 3  # all but the input of zeros


def test_undefined_behaviour_after_is_refuted() -> None:
    before = compute("%c = IEqual %x, 1u : bool\nif %c {\nunreachable\n}\nStore %to, 5u")
    after = compute("Store %to, 5u")
    verdict = prove(after, before, Question(subgroup_sizes=[4], domains={"in": [0, 1]}))
    assert verdict.counterexample is not None
    assert verdict.counterexample.reason.startswith("undefined behavior that the first version does not have")
    assert verdict.counterexample.inputs["in"] == [0, 0, 0, 1]


def test_nothing_can_be_said_where_all_is_undefined() -> None:
    """It is no proof, and says that no input was judged."""
    verdict = prove(compute("unreachable\nb1:"), compute("Store %to, 5u"), FOUR)
    assert verdict.verdict == "sampled" and not verdict.coverage.has_judged()
    assert verdict.coverage.set_aside() == "24 inputs set aside: 24 undefined before"


ENDLESS = (
    "loop @l {\n%y = Load %from : u32\n%c = INotEqual %y, 7u : bool\nif %c nojoin {\nbreak @l\n}\n}\nStore %to, 1u"
)


def test_a_run_without_end_is_reported() -> None:
    """Before: it is set aside, and nothing is left to judge. After: it is refuted, since before ends."""
    endless = compute(ENDLESS)
    ends = compute("Store %to, 1u")
    seven = Question(subgroup_sizes=[4], buffers={"in": [7, 7, 7, 7]}, max_steps=10_000, by_terms=False)
    verdict = prove(endless, ends, seven)
    assert verdict.verdict == "sampled"
    assert verdict.coverage.set_aside() == "3 inputs set aside: 3 without an end"
    verdict = prove(ends, endless, seven)
    assert verdict.counterexample is not None and verdict.counterexample.reason.startswith("it does not end")


def test_a_data_race_that_was_not_there_is_refuted() -> None:
    """All four lanes store to word 0: which one stays is not defined."""
    own = compute("Store %to, %lane")
    shared = compute("%all = AccessChain %out, 0u, 0u : ptr<StorageBuffer, u32>\nStore %all, %lane\nStore %to, %lane")
    verdict = prove(own, shared, FOUR)
    assert verdict.counterexample is not None and verdict.counterexample.reason.startswith("a data race")


def test_modules_that_look_different_are_not_compared() -> None:
    other = parse(print_module(SQUARE).replace("Decorate %out Binding 1", "Decorate %out Binding 2"))
    wider = parse(print_module(SQUARE).replace("LocalSize 4 1 1", "LocalSize 8 1 1"))
    renamed = parse(print_module(SAME).replace("%out", "%result").replace("%in", "%values"))
    for module in (other, wider):
        with pytest.raises(InputError) as caught:
            prove(SQUARE, module, FOUR)
        assert caught.value.diagnostics[0].code == "RK1301"
    assert prove(SQUARE, renamed, FOUR).verdict == "sampled"
    texts = differences(prepare(SQUARE, subgroup_size=4), prepare(other, subgroup_size=4))
    assert texts == [
        "only the first version has buffer out (0.1): struct{0: u32[] by 4}, and it may write there",
        "only the second version has buffer out (0.2): struct{0: u32[] by 4}",
    ]


def test_what_is_read_in_vain_may_be_gone() -> None:
    """`after` has no buffer 0.0. Nothing before writes to it, and what is read from it goes nowhere."""
    text = INPUT.replace("%in, ", "", 1).replace("BODY", "Store %to, %lane")
    gone = ("%in ", "Decorate %in ", "  %from ", "  %x ")
    without = [line for line in text.splitlines() if not line.startswith(gone)]
    after = parse("\n".join(without))
    wrong = parse("\n".join(without).replace("Store %to, %lane", "Store %to, 3u"))
    for question in (FOUR, Question(subgroup_sizes=[4])):
        assert prove(compute("Store %to, %lane"), after, question).counterexample is None
        assert prove(compute("Store %to, %lane"), wrong, question).counterexample is not None
    with pytest.raises(InputError) as caught:
        prove(compute("Store %from, 1u\nStore %to, %lane"), after, FOUR)
    assert caught.value.diagnostics[0].code == "RK1301"


def test_what_reads_a_buffer_is_found() -> None:
    found = {port.name: (port.read, port.writable) for port in ports(prepare(SQUARE, subgroup_size=4))}
    assert found == {"in": (True, True), "out": (False, True)}
    adds = compute("%old = AtomicIAdd %to Device 0u 1u : u32")
    variables = {instr.name: instr for instr in adds.globals}
    assert is_read(variables["out"])  # what an atomic adds to shows in the result
    assert [port.read for port in ports(prepare(adds, subgroup_size=4))] == [True, True]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("passes", [REWRITING, "promote-variables", "simplify-cfg"])
def test_honest_passes_are_not_refuted(path: Path, passes: str) -> None:
    module = reknit.load(path)
    compiled = reknit.load(path)
    reknit.compile(compiled, passes)
    verdict = reknit.prove(module, compiled)
    reads = any(port.read for port in ports(prepare(module, subgroup_size=4)))
    assert verdict.verdict in ("proved", "sampled" if reads else "proved for the domain")


def test_lowering_a_switch_is_a_refinement_and_not_an_equality() -> None:
    """fallthrough.comp has three results for kinds 0, 0, 1, 2 (docs/getting-started.md) and one of them after."""
    path = next(path for path in EXAMPLES if path.stem == "fallthrough")
    module = reknit.load(path)
    lowered = reknit.load(path)
    reknit.compile(lowered)
    domains = {"kinds": [0, 1, 2]}
    assert reknit.prove(module, lowered, domains=domains).verdict == "proved"
    by_runs = prove(module, lowered, Question(domains=domains, by_terms=False))
    assert by_runs.verdict == "proved for the domain"
    back = reknit.prove(lowered, module, domains=domains)
    assert back.verdict == "refuted"
    found = back.counterexample
    assert found is not None and found.allowed == 1
    # The run of the counterexample, by itself, gives what the counterexample says.
    again = run(module, subgroup_size=found.subgroup_size, buffers=found.inputs, policy=found.after.policy)
    words = again.buffers["result"].words
    for difference in found.differences:
        assert words[difference.word] == difference.after
    once = run(lowered, subgroup_size=found.subgroup_size, buffers=found.inputs).buffers["result"].words
    for difference in found.differences:
        assert once[difference.word] == difference.before


def test_json_has_what_the_design_promises() -> None:
    found = prove(SQUARE, CUBE, FOUR).to_json()
    assert list(found) == ["verdict", "domain", "reason", "coverage", "counterexample"]
    assert found["verdict"] == "refuted"
    example = found["counterexample"]
    assert isinstance(example, dict)
    assert set(example) >= {"inputs", "subgroup_size", "before", "after", "differences", "divergence_point"}
    assert example["divergence_point"] is None  # there is no tangled operation in them


def test_what_nothing_has_written_may_be_anything() -> None:
    """The variable has no value before: 0 is one of those it may have, and so is 3. The other way round it isn't."""
    head = "func @main() -> void {\n  %v = Variable Function : ptr<Function, u32>"
    reads = INPUT.replace("func @main() -> void {", head).replace("BODY", "%y = Load %v : u32\nStore %to, %y")
    verdict = prove(parse(reads), compute("Store %to, 3u"), FOUR)
    assert verdict.verdict == "sampled" and verdict.coverage.undecided == 0
    made_up = prove(compute("Store %to, 0u"), parse(reads), FOUR)
    assert made_up.verdict == "refuted" and made_up.coverage.poison > 0
    assert made_up.reason == (
        "the second version has a result that the first does not allow, "
        "if its undefined values are taken as all bits set"
    )


def test_what_is_undefined_before_is_shown_so() -> None:
    """Lane 3 alone stores to the variable: 77 is allowed in the other lanes, and wrong in this one."""
    head = "func @main() -> void {\n  %v = Variable Function : ptr<Function, u32>"
    body = "%c = IEqual %lane, 3u : bool\nif %c {\nStore %v, 1u\n}\n%y = Load %v : u32\nStore %to, %y"
    before = parse(INPUT.replace("func @main() -> void {", head).replace("BODY", body))
    shown = show_verdict(before, prove(before, compute("Store %to, 77u"), FOUR)).splitlines()
    assert "  before |  ?  ?  ?  1" in shown and "  after  | 77 77 77 77" in shown
    assert [line.endswith("  elements 3 differ") for line in shown if line.startswith("out")] == [True]


def test_an_undefined_value_that_nothing_depends_on_refutes_nothing() -> None:
    """A shift by x, which may be 32 and more, is thrown away where it is."""
    shift = "%s = ShiftLeftLogical 1u, %x : u32"
    picked = f"%c = ULessThan %x, 32u : bool\n{shift}\n%y = Select %c, %s, 0u : u32\nStore %to, %y"
    arms = f"{{\n{shift}\nStore %to, %s\n}} else {{\nStore %to, 0u\n}}"
    inside = f"%c = ULessThan %x, 32u : bool\nif %c {arms}"
    assert prove(compute(inside), compute(picked), FOUR).verdict == "sampled"
    wrong = picked.replace("ULessThan", "ULessThanEqual")
    assert prove(compute(inside), compute(wrong), FOUR).verdict == "refuted"
    undef = "%y = {} %x, undef<u32> : u32\nStore %to, %y"
    assert prove(compute("Store %to, %x"), compute(undef.format("BitwiseXor")), FOUR).verdict == "refuted"
    assert prove(compute(undef.format("BitwiseXor")), compute("Store %to, %x"), FOUR).verdict == "sampled"
    twice = "%y = ISub undef<u32>, undef<u32> : u32\nStore %to, %y"  # two uses, two values
    assert prove(compute("Store %to, 0u"), compute(twice), FOUR).verdict == "refuted"
    dead = "%y = IMul undef<u32>, 0u : u32\nStore %to, %y"
    assert prove(compute("Store %to, 0u"), compute(dead), FOUR).verdict == "sampled"
    assert prove(compute(dead), compute("Store %to, 1u"), FOUR).verdict == "refuted"  # it is 0, whatever was undefined


@pytest.mark.parametrize("text", ["%y = IAdd %x, 1.0f : u32\nStore %to, %y", "ControlBarrier %x %x 0u"])
def test_what_breaks_rules_is_not_compared(text: str) -> None:
    """A sum of an integer and a float; a scope that is no constant: each is reported at its place."""
    broken, right = compute(text), compute("Store %to, %x")
    for pair in ((broken, right), (right, broken), (broken, broken)):
        with pytest.raises(InputError) as caught:
            reknit.prove(*pair)
        assert {each.code for each in caught.value.diagnostics} == {"RK0417"}
        assert text.split("\n")[0].split(" ")[0] in caught.value.diagnostics[0].message


@pytest.mark.parametrize("asked", [Question(subgroup_sizes=[]), Question(subgroup_sizes=[4], domains={"in": []})])
def test_nothing_asked_is_nothing_proved(asked: Question) -> None:
    with pytest.raises(InputError) as caught:
        prove(SQUARE, SQUARE, asked)
    assert caught.value.diagnostics[0].code == "RK1303"


def test_rounding_that_is_left_open_refutes_nothing() -> None:
    """A product that is added may be fused, unless it says NoContraction; what is farther apart is another matter."""
    sum = "%y = FMul {f}, {g} : f32\n%z = FAdd %y, {f} : f32\nOUTF %z"
    fused = "%z = ExtInst %glsl Fma {f}, {g}, {f} : f32\nOUTF %z"
    other = "%y = FMul {f}, {g} : f32\n%z = FAdd %y, {g} : f32\nOUTF %z"
    kept = "Decorate %y NoContraction\nDecorate %z NoContraction"
    before = parse(module_text(sum))
    verdict = prove(before, parse(module_text(fused)), FOUR)
    assert verdict.verdict == "sampled" and verdict.coverage.undecided
    assert any("a product that is added leaves open" in line for line in verdict.coverage.lines())
    assert prove(before, parse(module_text(other)), FOUR).verdict == "refuted"
    assert prove(parse(module_text(sum, decorations=kept)), parse(module_text(fused)), FOUR).verdict == "refuted"


def test_an_undefined_value_may_be_one_that_few_bits_are() -> None:
    """What nothing was stored to may be an infinity, which neither zeros nor all bits set are, and random bits hardly
    ever; so 1 is among the results of before."""
    body = "%v = Variable Function : ptr<Function, f32>\n%f = Load %v : f32\n%i = IsInf %f : bool\n"
    before = compute(body + "%r = Select %i, 1u, 0u : u32\nStore %to, %r")
    assert prove(before, compute("Store %to, 1u"), FOUR).verdict == "sampled"
    assert prove(before, compute("Store %to, 2u"), FOUR).verdict != "proved"


def test_what_undefined_values_lead_to_before_they_may_lead_to_after() -> None:
    """SPIR-V 1.6, OpUDiv: "Behavior is undefined if Operand 2 is 0". A quotient that is anything may be an index beyond
    the array, before as well; an index that is beyond it only after is refuted all the same."""
    ends = "Store %there, 1u"
    chosen = "%there = AccessChain %out, 0u, %q : ptr<StorageBuffer, u32>\n"
    before = compute(f"%q = UDiv 3u, %x : u32\n{chosen}{ends}")
    unused = compute(f"%more = IAdd %x, 1u : u32\n%q = UDiv 3u, %x : u32\n{chosen}{ends}")
    zeros = Question(subgroup_sizes=[4], buffers={"in": [0, 0, 0, 0]}, by_terms=False)
    verdict = prove(before, unused, zeros)
    assert verdict.verdict == "sampled" and verdict.coverage.undefined > 0
    beyond = compute(f"%p = UDiv 3u, %x : u32\n%q = BitwiseOr %p, 64u : u32\n{chosen}{ends}")
    ones = Question(subgroup_sizes=[4], buffers={"in": [1, 1, 1, 1]}, by_terms=False)
    assert prove(before, beyond, ones).verdict == "refuted"


def test_a_division_by_zero_before_allows_any_result() -> None:
    """SPIR-V 1.6, OpUDiv: "Behavior is undefined if Operand 2 is 0", also where nothing uses the quotient. Other inputs
    are judged: with 1 the second version stores another word."""
    before = compute("%q = UDiv 3u, %x : u32\nStore %to, %x")
    after = compute("%y = IAdd %x, 1u : u32\nStore %to, %y")
    zeros = Question(subgroup_sizes=[4], buffers={"in": [0, 0, 0, 0]}, by_terms=False)
    verdict = prove(before, after, zeros)
    assert verdict.verdict == "sampled" and verdict.coverage.undefined > 0
    ones = Question(subgroup_sizes=[4], buffers={"in": [1, 1, 1, 1]}, by_terms=False)
    assert prove(before, after, ones).verdict == "refuted"
