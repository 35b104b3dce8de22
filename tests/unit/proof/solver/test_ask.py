"""Pairs that the algebra of terms leaves open and z3 closes, and the same with a fault, which it must not close.

Why each is equal is arithmetic modulo the width, checked on numbers by the runs of `prove`.
"""

import random

import pytest
from kit.programs.equal_pairs import equal
from kit.programs.pair_frame import Pair
from kit.proving import finding

from reknit.ir.text.parser import parse
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.source.diagnostic import InputError

pytest.importorskip("z3", reason="no z3 here: pip install reknit[proof] brings it")

HEAD = """Capability Shader
Capability GroupNonUniformArithmetic
Extension "SPV_KHR_maximal_reconvergence"
%glsl = ExtInstImport "GLSL.std.450"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %lane_id
ExecutionMode @main LocalSize 8 1 1
ExecutionMode @main MaximallyReconvergesKHR
Decorate %lane_id BuiltIn LocalInvocationIndex
Decorate %words ArrayStride 4
MemberDecorate %Words 0 Offset 0
Decorate %Words Block
Decorate %in DescriptorSet 0
Decorate %in Binding 0
Decorate %out DescriptorSet 0
Decorate %out Binding 1
%words = TypeArray u32 16u
%Words = TypeStruct %words
%lane_id = Variable Input : ptr<Input, u32>
%in = Variable StorageBuffer : ptr<StorageBuffer, %Words>
%out = Variable StorageBuffer : ptr<StorageBuffer, %Words>

func @main() -> void {
  %n = Load %lane_id : u32
  %from = AccessChain %in, 0u, %n : ptr<StorageBuffer, u32>
  %x = Load %from : u32
  %m = IAdd %n, 8u : u32
  %beside = AccessChain %in, 0u, %m : ptr<StorageBuffer, u32>
  %y = Load %beside : u32
  %to = AccessChain %out, 0u, %n : ptr<StorageBuffer, u32>
"""


def module_of(body: str) -> str:
    return f"{HEAD}{body}\n  return\n}}\n"


SUM = "%a = BitwiseAnd %x, %y : u32\n%b = BitwiseOr %x, %y : u32\n%r = IAdd %a, %b : u32\nStore %to, %r"
WHOLE = "%e = UDiv %x, 8u : u32\n%w = IMul %e, 8u : u32\n%q = ISub %x, %w : u32\n"
REMAINDER = WHOLE + "%c = IEqual %q, 3u : bool\n"
BITS = "%q = BitwiseAnd %x, 7u : u32\n%c = IEqual %q, 3u : bool\n"
ARM = "if %c {\n%t = GroupNonUniformIAdd Subgroup Reduce %q : u32\nStore %to, %t\n}"
CLOSED = {
    "a sum by its bits": (SUM, "%r = IAdd %x, %y : u32\nStore %to, %r"),
    "a condition": (REMAINDER + ARM, BITS + ARM),
    "where the condition holds": (
        "%c = ULessThan %x, 8u : bool\nif %c {\n%r = BitwiseAnd %x, 7u : u32\nStore %to, %r\n}",
        "%c = ULessThan %x, 8u : bool\nif %c {\nStore %to, %x\n}",
    ),
    "a division of signed words": (
        "%r = SDiv %x, 4u : u32\nStore %to, %r",
        "%s = ShiftRightArithmetic %x, 31u : u32\n%b = ShiftRightLogical %s, 30u : u32\n%t = IAdd %x, %b : u32\n"
        "%r = ShiftRightArithmetic %t, 2u : u32\nStore %to, %r",
    ),
    "of floats, what they are computed of": (
        WHOLE + "%f = ConvertUToF %q : f32\n%r = Bitcast %f : u32\nStore %to, %r",
        "%q = BitwiseAnd %x, 7u : u32\n%f = ConvertUToF %q : f32\n%r = Bitcast %f : u32\nStore %to, %r",
    ),
    "the larger less the smaller": (
        "%a = ExtInst %glsl, 41, %x, %y : u32\n%b = ExtInst %glsl, 38, %x, %y : u32\n%r = ISub %a, %b : u32\n"
        "Store %to, %r",
        "%c = UGreaterThan %x, %y : bool\n%a = ISub %x, %y : u32\n%b = ISub %y, %x : u32\n"
        "%r = Select %c, %a, %b : u32\nStore %to, %r",
    ),
}
OPEN = {
    "one input of 2^64": (SUM, "%s = IAdd %x, %y : u32\n%c = IEqual %x, 12345678u : bool\n"
                          "%d = Select %c, 1u, 0u : u32\n%r = IAdd %s, %d : u32\nStore %to, %r"),
    "an input that has to be solved for": (
        SUM,
        "%s = IAdd %x, %y : u32\n%p = IMul %x, 0x9e3779b1u : u32\n%c = IEqual %p, 0x12345678u : bool\n"
        "%q = IMul %y, 0x85ebca6bu : u32\n%d = IEqual %q, 0x1234567u : bool\n%e = LogicalAnd %c, %d : bool\n"
        "%f = Select %e, 1u, 0u : u32\n%r = IAdd %s, %f : u32\nStore %to, %r",
    ),
    "one that has to be solved for behind a condition": (
        "%c = ULessThan %x, %y : bool\nif %c {\n%p = IMul %x, %y : u32\nStore %to, %p\n}",
        "%c = ULessThan %x, %y : bool\nif %c {\n%p = IMul %x, %y : u32\n%q = IMul %p, 0x9e3779b1u : u32\n"
        "%d = IEqual %q, 0x12345679u : bool\n%s = Select %d, 1u, %p : u32\nStore %to, %s\n}",
    ),
    "another remainder": (REMAINDER + ARM, BITS.replace("3u", "2u") + ARM),
    "a condition that is wider": (
        "%c = ULessThan %x, 9u : bool\nif %c {\n%r = BitwiseAnd %x, 7u : u32\nStore %to, %r\n}",
        "%c = ULessThan %x, 9u : bool\nif %c {\nStore %to, %x\n}",
    ),
    "a division that rounds down": (
        "%r = SDiv %x, 4u : u32\nStore %to, %r", "%r = ShiftRightArithmetic %x, 2u : u32\nStore %to, %r",
    ),
    "a division by what may be 0": (
        "%r = UMod %x, 8u : u32\nStore %to, %r",
        "%q = BitwiseAnd %x, 7u : u32\n%d = UDiv %q, %y : u32\n%p = IMul %d, %y : u32\n%e = UMod %q, %y : u32\n"
        "%r = IAdd %p, %e : u32\nStore %to, %r",
    ),
    "a shift by what may be too much": (
        "%k = BitwiseAnd %y, 31u : u32\n%r = ShiftLeftLogical %x, %k : u32\nStore %to, %r",
        "%r = ShiftLeftLogical %x, %y : u32\nStore %to, %r",
    ),
    "an undefined value": (
        "Store %to, 0u", "%u = Undef : u32\n%a = BitwiseXor %u, %u : u32\n%r = BitwiseAnd %a, %x : u32\nStore %to, %r",
    ),
    "a sum that promises not to wrap": (
        SUM, "%r = IAdd %x, %y : u32\nStore %to, %r\n  return\n}\nDecorate %r NoUnsignedWrap\nfunc @more() -> void {",
    ),
}  # fmt: skip


NO_RUN_SHOWS_IT = ("a sum that promises not to wrap",)


@pytest.mark.parametrize("name", CLOSED)
def test_equal_bits_are_closed_and_the_verdict_says_by_what(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = (parse(module_of(body)) for body in CLOSED[name])
    found = finding(before, after)
    assert found.proved, found.text()
    assert found.shown and "by z3" in found.text()
    assert prove(before, after, Question(by_terms=False, sample=6)).verdict == "sampled"
    monkeypatch.setattr("reknit.proof.by_terms.solver", lambda: None)
    assert not finding(before, after).proved


@pytest.mark.parametrize("name", OPEN)
def test_what_differs_for_one_input_is_not_closed(name: str) -> None:
    before, after = (parse(module_of(body)) for body in OPEN[name])
    assert not finding(before, after).proved
    assert prove(before, after).verdict == ("refuted" if name not in NO_RUN_SHOWS_IT else "sampled")


@pytest.mark.parametrize("name", [name for name in OPEN if "solved" in name])
def test_without_z3_no_run_shows_what_has_to_be_solved_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of 2^64 inputs, or one of 2^32 products: z3 solves the multiplications by odd numbers."""
    monkeypatch.setattr("reknit.proof.by_terms.solver", lambda: None)
    before, after = (parse(module_of(body)) for body in OPEN[name])
    assert prove(before, after).verdict == "sampled"


@pytest.mark.parametrize("name", ["over 8", "modulo 8", "de Morgan", "a bool's bits", "16 bits and back"])
def test_identities_of_the_list_of_equal_pairs(name: str) -> None:
    pair: Pair = equal()[name]
    found = finding(parse(pair[0]), parse(pair[1]))
    assert found.proved, found.text()


OPERATIONS = (
    "IAdd", "ISub", "IMul", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "ShiftLeftLogical", "ShiftRightLogical",
    "ShiftRightArithmetic", "UDiv", "UMod", "SDiv", "SRem", "SMod",
)  # fmt: skip
NUMBERS = (0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE)


def steps(draw: random.Random) -> list[tuple[str, int, int | str]]:
    """Operations of random earlier values: 0 and 1 are the inputs."""
    found: list[tuple[str, int, int | str]] = []
    for at in range(draw.randrange(2, 5)):
        other = f"{draw.choice(NUMBERS)}u" if draw.random() < 0.7 else draw.randrange(at + 2)
        found.append((draw.choice(OPERATIONS), draw.randrange(at + 2), other))
    return found


def text_of(chain: list[tuple[str, int, int | str]]) -> str:
    names = ["%x", "%y"]
    lines: list[str] = []
    for at, (name, first, other) in enumerate(chain):
        lines.append(f"%v{at} = {name} {names[first]}, {names[other] if isinstance(other, int) else other} : u32")
        names.append(f"%v{at}")
    return module_of("\n".join([*lines, f"Store %to, {names[-1]}"]))


@pytest.mark.full(when=lambda seed: seed % 24)
@pytest.mark.parametrize("seed", range(64))
def test_no_run_refutes_what_is_closed(seed: int) -> None:
    """Chains of operations with one that was changed: most differ for some input, a few don't."""
    draw = random.Random(seed)
    for _ in range(6):
        chain = steps(draw)
        changed = list(chain)
        at = draw.randrange(len(chain))
        changed[at] = (draw.choice(OPERATIONS), *draw.choice([chain[at], *steps(draw)[:1]])[1:])
        before, after = parse(text_of(chain)), parse(text_of(changed))
        if changed[at][1] < at + 2 and text_of(chain) != text_of(changed) and finding(before, after).proved:
            try:
                assert prove(before, after, Question(by_terms=False, sample=12)).verdict != "refuted", (chain, changed)
            except InputError as error:
                assert error.diagnostics[0].code == "RK1303"  # every input divides by zero
