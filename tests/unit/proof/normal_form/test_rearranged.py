"""Floats up to rearrangement. Which expressions are equal in precise arithmetic is school algebra; what may be done
with that says Vulkan, "Evaluation of Expressions": implementations "may: rearrange floating-point operations using any
of the mathematical properties governing the expressions in precise arithmetic", which NoContraction prevents."""

import pytest
from kit.programs.pair_frame import module_text
from kit.proving import finding

import reknit
from reknit.ir.text.parser import parse
from reknit.proof.verdict import PROVED, REFUTED
from reknit.view.proof import show_verdict

NAMED = "contraction and rearrangement of float operations"


def body(*lines: str) -> str:
    """`%a`, `%b` are floats of two buffers; the last line is stored: its result, or the value that it names."""
    named = [f"%r{at} = {line} : f32" for at, line in enumerate(lines) if " " in line]
    last = lines[-1] if " " not in lines[-1] else f"%r{len(lines) - 1}"
    return "\n".join(["%a = ExtInst %glsl FAbs {f} : f32", "%b = ExtInst %glsl FAbs {g} : f32", *named, f"OUTF {last}"])


ALLOWED = {
    "zero and a number": (["FAdd 0.0f, %a"], ["%a"]),
    "from zero": (["FSub 0.0f, %a"], ["FNegate %a"]),
    "a sum's brackets": (["FAdd %a, %b", "FAdd %r0, 3.0f"], ["FAdd %b, 3.0f", "FAdd %a, %r0"]),
    "over a power of two": (["FDiv %a, 8.0f"], ["FMul %a, 0.125f"]),
    # 1/6.25 = 0.16 is no float; the nearest one is what `1.0 / 6.25`, computed first, rounds to
    "over a number": (["FDiv %a, 6.25f"], ["FMul %a, 0.16f"]),
    "a sum over a number": (["FAdd %a, 2.0f", "FDiv %r0, 6.25f"], ["FAdd %a, 2.0f", "FMul %r0, 0.16f"]),
    "two factors": (["FMul %a, 3.0f", "FMul %r0, 0.5f"], ["FMul %a, 1.5f"]),
    "distributed": (["FAdd %a, 2.0f", "FMul %r0, %b"], ["FMul %a, %b", "FMul %b, 2.0f", "FAdd %r0, %r1"]),
    "factored": (["FMul %a, %a", "FMul %a, %b", "FAdd %r0, %r1"], ["FAdd %a, %b", "FMul %r0, %a"]),
    "fused": (["FMul %a, %a", "FAdd %r0, %b"], ["ExtInst %glsl Fma %a, %a, %b"]),
    "taken off again": (["FAdd %a, %b", "FSub %r0, %a"], ["%b"]),
    "times 0": (["FMul %a, 0.0f"], ["0.0f"]),
    "mixed by a constant": (
        ["ExtInst %glsl FMix %a, %b, 0.25f"],
        ["FMul %a, 0.75f", "FMul %b, 0.25f", "FAdd %r0, %r1"],
    ),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_what_is_equal_in_precise_arithmetic_is_proved_and_named(name: str) -> None:
    before, after = (body(*lines) for lines in ALLOWED[name])
    verdict = reknit.prove(parse(module_text(before, after)), parse(module_text(after, before)))
    assert verdict.verdict == PROVED
    assert NAMED in verdict.coverage.taken
    assert f"uses what the first leaves open: {NAMED}" in show_verdict(parse(module_text(before, after)), verdict)


@pytest.mark.parametrize("name", ALLOWED)
def test_no_contraction_prevents_it(name: str) -> None:
    before, after = (body(*lines) for lines in ALLOWED[name])
    fixed = "".join([f"Decorate %r{at} NoContraction\n" for at in range(len(ALLOWED[name][0]))])
    first = parse(module_text(before, after, decorations=fixed))
    assert not finding(first, parse(module_text(after, before))).proved


@pytest.mark.parametrize(
    "mode",
    ["RoundingModeRTZ 32", "DenormFlushToZero 32", "ContractionOff"],
)
def test_modes_prevent_it(mode: str) -> None:
    before, after = (body(*lines) for lines in ALLOWED["over a number"])
    modes = f"ExecutionMode @main {mode}"
    pair = [parse(module_text(*each, modes=modes)) for each in ((before, after), (after, before))]
    assert not finding(*pair).proved


FORBIDDEN = {
    # (x * 2) / 2 is an infinity where x * 2 overflows: x alone isn't
    "doubled and halved": (["%a"], ["FMul %a, 2.0f", "FMul %r0, 0.5f"]),
    "added and taken off": (["%b"], ["FAdd %a, %b", "FSub %r0, %a"]),
    # 0.02 rounded is not 0.1 rounded times 0.2 rounded
    "a factor in two": (["FMul %a, 0.02f"], ["FMul %a, 0.1f", "FMul %r0, 0.2f"]),
    "a zero more": (["%a"], ["FAdd %a, 0.0f"]),
    "one bit off": (["FDiv %a, 6.25f"], ["FMul %a, 0.16000001f"]),
    "another sign": (["FSub %a, %b"], ["FSub %b, %a"]),
    "another factor": (["FAdd %a, 2.0f", "FMul %r0, %b"], ["FMul %a, %b", "FAdd %r0, 2.0f"]),
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_what_after_computes_on_the_way_counts(name: str) -> None:
    before, after = (body(*lines) for lines in FORBIDDEN[name])
    assert not finding(parse(module_text(before, after)), parse(module_text(after, before))).proved


def test_one_value_does_not_become_two() -> None:
    """Before uses one sum twice; after evaluates it in two ways, whose values may differ."""
    one = "%a = FAdd {f}, {g} : f32\n%b = FAdd %a, 7.0f : f32\n"
    two = "%c = FAdd {g}, 7.0f : f32\n%d = FAdd {f}, %c : f32\n"
    use = "%e = ExtInst %glsl FAbs %b : f32\n%s = ExtInst %glsl FMax %e, MORE : f32\nOUTF %s"
    before, after = one + use.replace("MORE", "%b"), one + two + use.replace("MORE", "%d")
    found = finding(parse(module_text(before, after)), parse(module_text(after, before)))
    assert not found.proved


def test_an_addition_of_zero_is_not_refuted() -> None:
    before, after = "%z = FAdd 0.0f, {f} : f32\nOUTF %z", "OUTF {f}"
    verdict = reknit.prove(parse(module_text(before, after)), parse(module_text(after, before)))
    assert verdict.verdict == PROVED
    runs = reknit.prove(parse(module_text(before, after)), parse(module_text(after, before)), runs=True)
    assert runs.verdict != REFUTED
