"""What a proof says of the ledger of freedoms: what both versions are taken to decide alike, and what is unknown."""

import pytest
from kit.programs.compute import Compute

import reknit
from reknit.ir import enums, op
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.proof.prove import prove
from reknit.proof.verdict import PROVED, SAMPLED
from reknit.view.proof import show_verdict

SUM = "  %y = FAdd %x, 0.1f : f32"
UNUSED = "  %z = FMul %x, %x : f32\n" + SUM

TEXT = """\
Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %out, %lane_id
ExecutionMode @main LocalSize 4 1 1
names @main, %out
{declaration}
Decorate %words ArrayStride 4
MemberDecorate %Words 0 Offset 0
Decorate %Words Block
Decorate %out DescriptorSet 0
Decorate %out Binding 0
Decorate %lane_id BuiltIn LocalInvocationIndex
%words = TypeRuntimeArray f32
%Words = TypeStruct %words
%out = Variable StorageBuffer : ptr<StorageBuffer, %Words>
%lane_id = Variable Input : ptr<Input, u32>
func @main() -> void {{
  %lane = Load %lane_id : u32
  %p = AccessChain %out, 0u, %lane : ptr<StorageBuffer, f32>
  %x = Load %p : f32
{body}
  Store %p, %y
  return
}}
"""


def test_a_proof_says_what_both_decide_alike() -> None:
    """A sum may be rounded up or down: the proof is of devices that do the same with both."""
    before = parse(TEXT.format(declaration="", body=UNUSED))
    after = parse(TEXT.format(declaration="", body=SUM))
    verdict = prove(before, after)
    assert verdict.verdict == PROVED
    assert "the rounding of floats" in verdict.coverage.alike
    assert "assumed to be decided alike in both versions: " in show_verdict(before, verdict)
    assert verdict.to_json()["coverage"]["alike"] == list(verdict.coverage.alike)  # type: ignore[index]


@pytest.mark.parametrize(("declaration", "word"), [("", PROVED), ("Decorate %out 65000", SAMPLED)])
def test_what_the_ledger_does_not_mention_is_never_proved(declaration: str, word: str) -> None:
    """Decoration 65000 is in no grammar: what it lets an implementation do is unknown, with equal words too."""
    before = parse(TEXT.format(declaration=declaration, body=UNUSED))
    after = parse(TEXT.format(declaration=declaration, body=SUM))
    verdict = prove(before, after)
    assert verdict.verdict == word
    unknown = "what decoration 65000 may do before is unknown: the ledger of freedoms has no row for it"
    assert (unknown in verdict.coverage.unsure) == (word == SAMPLED)


def test_a_product_by_what_folds_to_one_may_flush_a_denormal() -> None:
    """2 - 1 is 1, and `x * 1` may be 0 where x is a denormal: "any denormalized floating-point value [...] may be
    flushed to zero" (Vulkan, Precision and Operation of SPIR-V Instructions). It may be left out, not put in."""
    copied = parse(TEXT.format(declaration="", body="  %y = CopyObject %x : f32"))
    scaled = parse(TEXT.format(declaration="", body="  %o = FSub 2.0f, 1.0f : f32\n  %y = FMul %x, %o : f32"))
    assert prove(copied, scaled).verdict == SAMPLED
    assert prove(scaled, copied).verdict == PROVED


def test_an_infinity_that_an_error_may_make_finite_refutes_nothing() -> None:
    """The logarithm of the greatest float is rounded to 128, whose power is infinite; within 3 ULP it is less, and the
    power, within 3 + 2 * |x| ULP, may be the greatest float again."""
    log = "  %l = ExtInst %glsl Log2 %x : f32\n  %y = ExtInst %glsl Exp2 %l : f32"
    text = TEXT.replace("MemoryModel", '%glsl = ExtInstImport "GLSL.std.450"\nMemoryModel')
    before = parse(text.format(declaration="", body=log))
    after = parse(text.format(declaration="", body="  %y = CopyObject %x : f32"))
    assert prove(before, after).verdict == SAMPLED


def test_runs_have_invocations_in_index_order() -> None:
    """"There is no direct relationship between SubgroupLocalInvocationId and LocalInvocationId or
    LocalInvocationIndex": that one is the other's remainder holds for the order of runs, which the verdict names."""

    def reading(ids: bool) -> Module:
        p = Compute(8)
        own = p.b.load(p.u32, p.builtin(enums.BuiltInSubgroupLocalInvocationId, p.u32)) if ids else p.index
        p.out(p.op2(op.BitwiseAnd, own, p.const(3)))
        p.b.return_()
        return p.module

    verdict = reknit.prove(reading(True), reading(False), subgroup_sizes=[4])
    assert verdict.verdict == "proved for the domain"
    assert "workgroups 1x1x1; invocations in index order" in verdict.coverage.domain()
    assert reknit.prove(reading(True), reading(True)).verdict == "proved"
    same = reknit.prove(reading(False), reading(False), subgroup_sizes=[4], runs=True)
    assert "index order" not in same.coverage.domain()
