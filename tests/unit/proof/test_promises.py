"""Modes, decorations and memory operands that are gone afterwards: refuted where something depends on them, never
proved.

Sources: SPIR-V 1.6, 3.2.5 "Execution Mode" and 3.2.20 "Decoration"; SPV_KHR_float_controls ("If ... is not declared,
... implementations may"); SPV_KHR_maximal_reconvergence.
"""

import pytest
from kit.programs.miscompiles import shader

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.source.diagnostic import InputError

FOUR = Question(subgroup_sizes=[4], by_terms=False)
MODE = "ExecutionMode @main MaximallyReconvergesKHR\n"

FLOATS = """
Capability Shader
Capability VulkanMemoryModel
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %in, %out, %lane_id
ExecutionMode @main LocalSize 4 1 1
MODES
Decorate %floats ArrayStride 4
MemberDecorate %Floats 0 Offset 0
Decorate %Floats Block
Decorate %in DescriptorSet 0
Decorate %in Binding 0
Decorate %out DescriptorSet 0
Decorate %out Binding 1
Decorate %lane_id BuiltIn LocalInvocationIndex
DECORATIONS
%floats = TypeRuntimeArray f32
%Floats = TypeStruct %floats
%in = Variable StorageBuffer : ptr<StorageBuffer, %Floats>
%out = Variable StorageBuffer : ptr<StorageBuffer, %Floats>
%lane_id = Variable Input : ptr<Input, u32>
func @main() -> void {
  %lane = Load %lane_id : u32
  %from = AccessChain %in, 0u, %lane : ptr<StorageBuffer, f32>
  %to = AccessChain %out, 0u, %lane : ptr<StorageBuffer, f32>
  %x = Load %from : f32
  %y = FMul %x, %x : f32
  %z = FAdd %y, %x : f32
  Store %to, %z
  return
}
"""


def floats(modes: str = "", decorations: str = "", model: str = "GLSL450") -> Module:
    text = FLOATS.replace("MODES", modes).replace("DECORATIONS", decorations)
    return parse(text.replace("Logical GLSL450", f"Logical {model}"))


def without(module: Module, line: str) -> Module:
    text = print_module(module)
    assert line in text
    return parse(text.replace(line, ""))


def test_a_ballot_loses_the_mode_that_says_which_lanes_run_it() -> None:
    """Behind an if in an arm that only some lanes take, nothing but the mode promises that those are together again."""
    module = shader("if %odd {\n%c = ULessThan %four, 2u : bool\nif %c {\nStore %slot, 1u\n}\nSEE a\n}")
    verdict = prove(module, without(module, MODE), FOUR)
    assert verdict.verdict == "refuted" and "MaximallyReconvergesKHR" in verdict.reason
    assert prove(without(module, MODE), module, FOUR).verdict == "proved for the domain"  # a promise more


def test_a_mode_that_nothing_depends_on_is_no_proof_either() -> None:
    module = shader("Store %slot, %lane")
    verdict = prove(module, without(module, MODE), FOUR)
    assert verdict.verdict == "sampled" and any("MaximallyReconvergesKHR" in why for why in verdict.coverage.unsure)


CONTROLS = ("DenormPreserve 32", "DenormFlushToZero 32", "SignedZeroInfNanPreserve 32", "RoundingModeRTE 32")


@pytest.mark.parametrize("mode", [*CONTROLS, "ContractionOff"])
def test_float_controls(mode: str) -> None:
    line = f"ExecutionMode @main {mode}"
    assert prove(floats(line), floats(), FOUR).verdict == "refuted"
    assert prove(floats(), floats(line), FOUR).verdict == "sampled"
    other = floats(line.replace("32", "16")) if "32" in mode else floats(line)
    assert prove(other, floats(line), FOUR).verdict != "proved for the domain"


@pytest.mark.parametrize(
    "before, after",
    [
        ("Decorate %y NoContraction\nDecorate %z NoContraction", "Decorate %y NoContraction"),
        ("Decorate %y NoContraction", ""),
        ("", "Decorate %y RelaxedPrecision"),
        ("", "Decorate %y FPFastMathMode NotNaN"),
        ("Decorate %out Coherent", ""),
        ("MemberDecorate %Floats 0 Volatile", ""),
        ("", "Decorate %out Restrict"),
    ],
)
def test_decorations(before: str, after: str) -> None:
    assert prove(floats("", before), floats("", after), FOUR).verdict == "refuted"
    assert prove(floats("", after), floats("", before), FOUR).verdict == "sampled"


def test_what_means_something_else_is_not_compared() -> None:
    for module in (floats(model="Vulkan"), floats("ExecutionMode @main EarlyFragmentTests")):
        with pytest.raises(InputError) as caught:
            prove(floats(), module, FOUR)
        assert caught.value.diagnostics[0].code == "RK1301"


BARRIER = "ControlBarrier 2u, 2u, {}u"


@pytest.mark.parametrize(
    "before, after, sure",
    [(0x108, 0, False), (0x108, 0x148, True), (0x108, 0x104, False), (0x148, 0x108, False), (0, 0x108, True)],
)
def test_barriers_that_order_less_are_no_proof(before: int, after: int, sure: bool) -> None:
    """0x108 AcquireRelease of Workgroup memory, 0x148 of buffers too, 0x104 Release only."""
    one, two = [shader(f"{BARRIER.format(semantics)}\nStore %slot, %lane") for semantics in (before, after)]
    verdict = prove(one, two, FOUR).verdict
    assert verdict == ("proved for the domain" if sure else "sampled")


UNTYPED = """Capability Shader
Capability UntypedPointersKHR
Extension "SPV_KHR_untyped_pointers"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %out
ExecutionMode @main LocalSize 4 1 1
Decorate %out DescriptorSet 0
Decorate %out Binding 0
Decorate %S Block
MemberDecorate %S 0 Offset 0
%S = TypeStruct u32
%out = Variable StorageBuffer : ptr<StorageBuffer, %S>
%p = TypeUntypedPointerKHR StorageBuffer

func @main() -> void {
  %a = UntypedAccessChainKHR %S, %out, 0u : %p
  Store %a, 7u
  return
}
"""


def test_accesses_through_untyped_pointers_are_named() -> None:
    """They are of a storage class as others are; running them is what can't be done."""
    verdict = prove(parse(UNTYPED), parse(UNTYPED.replace("7u", "8u")), Question(subgroup_sizes=[4]))
    assert verdict.verdict == "sampled" and not verdict.coverage.has_judged()
    (reason,) = verdict.coverage.not_run.values()
    assert "can't run OpUntypedAccessChainKHR" in reason and reason.endswith("(RK1001)")


NEUTRAL = ["%z = FMul %y, 1.0f : f32", "%z = FSub %y, 0.0f : f32", "%n = FNegate %y : f32\n  %z = FNegate %n : f32"]


@pytest.mark.parametrize("operation", NEUTRAL)
def test_a_product_by_one_may_be_flushed_where_its_operand_is_not(operation: str) -> None:
    """Vulkan: "any denormalized floating-point value ... potentially generated by any instruction (except those listed
    above) ... may be flushed to zero"; a copy is a move of bits, of which nothing is flushed."""
    plain = FLOATS.replace("MODES", "").replace("DECORATIONS", "")
    plain = plain.replace("%y = FMul %x, %x : f32", "%y = CopyObject %x : f32")
    before = parse(plain.replace("%z = FAdd %y, %x : f32", "%z = CopyObject %y : f32"))
    after = parse(plain.replace("%z = FAdd %y, %x : f32", operation))
    verdict = prove(before, after, Question(subgroup_sizes=[4]))
    assert verdict.verdict == "sampled" and any("may flush a denormal" in why for why in verdict.coverage.unsure)
    assert prove(after, before, Question(subgroup_sizes=[4])).verdict == "proved"
