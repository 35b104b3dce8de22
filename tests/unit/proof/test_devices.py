"""Is a device's result one that the rules allow: verdicts, closest outcomes, floats that are close enough."""

import struct
from pathlib import Path

import pytest
from kit.oracles import drivers
from kit.oracles.drivers import on_every_driver
from kit.programs.compute import Compute
from kit.programs.pair_frame import module_text

import reknit
from reknit.ir import op
from reknit.ir.text.parser import parse
from reknit.proof.devices import (
    ALLOWED,
    BOUNDED,
    IMPRECISE,
    NOT_RUN,
    REFUTED,
    SAME,
    UNDEFINED,
    UNKNOWN,
    Comparer,
)
from reknit.proof.nearness import close
from reknit.proof.unlike import Difference
from reknit.sim.elements import Element
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.sim.values import FLOAT_KIND, Shape
from reknit.view.devices import show_comparison

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[3]
FALLTHROUGH = ROOT / "examples" / "fallthrough.spvasm"  # its outcomes, by hand: docs/getting-started.md
OUTCOMES = [[22, 22, 10, 10], [22, 22, 20, 20], [42, 42, 40, 40]]


def comparer() -> Comparer:
    return Comparer(reknit.load(FALLTHROUGH), buffers={"kind": [0, 0, 1, 2]})


def stored(words: list[int]) -> Result:
    """What a device would have given."""
    result = run(reknit.load(FALLTHROUGH), subgroup_size=8, buffers={"kind": [0, 0, 1, 2]})
    result.buffers["result"].words = words
    result.on = "made up"
    return result


def test_every_outcome_is_allowed() -> None:
    verdicts = {comparer().judge(stored(words)).verdict for words in OUTCOMES}
    assert verdicts == {SAME, ALLOWED}


def test_what_no_outcome_has_is_refuted_by_element() -> None:
    found = comparer().judge(stored([42, 42, 40, 41]))
    assert found.verdict == REFUTED
    assert not found.is_fine()
    assert found.outcome == 0 and found.count > 5  # more where subgroups of 8 are not all of the 4 invocations
    [difference] = found.differences
    assert difference.element.name == "sum[3]"
    assert (difference.expected, difference.actual) == (40, 41)
    text = show_comparison(found)
    assert "made up, subgroups of 8: not allowed" in text
    assert ["sum[3]", "40", "41"] in [line.split() for line in text.splitlines()]


@on_every_driver
def test_drivers_give_an_allowed_outcome_where_they_can_run_it(driver: str, lanes: int) -> None:
    found = comparer().compare(drivers.target(driver, lanes))
    if driver == "swiftshader":  # it has no maximal reconvergence
        assert found.verdict == NOT_RUN
        assert found.diagnostics[0].code == "RK1103"
        return
    assert found.verdict in (SAME, ALLOWED)
    assert found.result is not None
    assert found.result.buffers["result"].words in OUTCOMES


def test_lowered_it_is_the_same_everywhere() -> None:
    module = reknit.load(FALLTHROUGH)
    reknit.compile(module)
    for lanes in drivers.LAVAPIPE_LANES:
        found = Comparer(module, buffers={"kind": [0, 0, 1, 2]}).compare(drivers.target("lavapipe", lanes))
        assert found.verdict == SAME
        assert found.result is not None
        assert found.result.buffers["result"].words == [42, 42, 40, 40]


def test_random_words_are_the_same_for_the_same_seed() -> None:
    def words(seed: int) -> dict[str, list[int]]:
        made = Comparer(reknit.load(FALLTHROUGH))
        made.randomize(seed)
        return made.buffers

    assert words(1) == words(1) != words(2)
    assert sorted(words(1)) == ["0.0", "0.1"]
    given = Comparer(reknit.load(FALLTHROUGH), buffers={"kind": [0, 0, 1, 2]})
    given.randomize(1)
    assert sorted(given.buffers) == ["0.1", "kind"]


def test_a_program_that_is_wrong_allows_anything() -> None:
    module = reknit.load(FALLTHROUGH)
    wrong = Comparer(module, buffers={"kind": [0]})  # lanes 1 to 3 read outside
    result = run(module, subgroup_size=8, buffers={"kind": [0]})
    result.buffers["result"].words = [9, 9, 9, 9]
    assert wrong.judge(result).verdict == UNDEFINED


def test_an_undefined_value_allows_anything() -> None:
    p = Compute(4)
    p.out(p.op2(op.UDiv, p.const(7), p.index))  # lane 0 divides by zero
    p.b.return_()
    result = run(p.module, subgroup_size=4)
    assert [one.severity for one in result.diagnostics] == ["warning"]
    result.buffers["out"].words[0] = 5
    assert Comparer(p.module).judge(result).verdict == UNDEFINED


UNWRITTEN = "%v = Load %unwritten : u32\nOUT %v"
PARTLY = "%c = UGreaterThan %local, 8u : bool\nif %c {\nStore %unwritten, 1u\n}\n" + UNWRITTEN
SHARED = "%at = AccessChain %shared, %local : ptr<Workgroup, u32>\n%v = Load %at : u32\nOUT %v"
EXCHANGE = """%mine = AccessChain %shared, %local : ptr<Workgroup, u32>
Store %mine, %local
ControlBarrier 2u, 2u, {}u
%near = BitwiseXor %local, 1u : u32
%other = AccessChain %shared, %near : ptr<Workgroup, u32>
%v = Load %other : u32
OUT %v"""


def given_instead(body: str, word: int, modes: str = "", ulp: int = 0) -> str:
    """The verdict on a device that has `word` in the first word of the first buffer that differs from it."""
    locals = "%unwritten = Variable Function : ptr<Function, u32>" if "%unwritten" in body else ""
    module = parse(module_text(body, modes=modes, locals=locals))
    result = run(module, subgroup_size=4)
    name = "buf_of" if "OUTF" in body else "buf_o"
    result.buffers[name].words[0] = word
    return Comparer(module, ulp=ulp).judge(result).verdict


@pytest.mark.parametrize(
    "body",
    [
        UNWRITTEN,
        PARTLY,
        SHARED,
        "OUT undef<u32>",
        "%y = IAdd %lane, undef<u32> : u32\nOUT %y",
        EXCHANGE.format(0),  # the barrier orders no memory: whatever is read may be read
        "%y = ShiftLeftLogical 1u, 40u : u32\nOUT %y",
        "%out = AccessChain %buf_u, 0u, 99u : ptr<StorageBuffer, u32>\n%v = Load %out : u32\nOUT %v",
    ],
)
def test_a_device_is_not_blamed_for_what_is_undefined(body: str) -> None:
    assert given_instead(body, 12345) == UNDEFINED


def test_a_device_is_blamed_for_what_is_defined() -> None:
    """Written before it is read, ordered by a barrier, undefined and not used."""
    unused = "%y = IMul undef<u32>, 0u : u32\nOUT %y"
    for body in (f"Store %unwritten, 3u\n{UNWRITTEN}", EXCHANGE.format(0x108), unused):
        assert given_instead(body, 12345) == REFUTED


@pytest.mark.parametrize(
    "code, word, expected",
    [
        ("FDiv 1.0f, 3.0f", 0x3EAAAAAC, BOUNDED),  # 2.5 ULP are allowed: 0x3eaaaaab is nearest
        ("FDiv 1.0f, 3.0f", 0x3EAAAAAE, REFUTED),  # it is 2.67 above a third
        ("ExtInst %glsl Sin 1.0f", 0x3F576AA6, BOUNDED),
        ("ExtInst %glsl Sin 1.0f", 0x3F57EAA5, REFUTED),  # by 2^-9, where 2^-11 is allowed
        ("ExtInst %glsl Pow 2.0f, 0.5f", 0x3FB504F5, IMPRECISE),
        ("FAdd 1.0f, 2.0f", 0x40400001, REFUTED),  # correctly rounded
        ("FMul 1.5f, 1.5f", 0x40100001, REFUTED),
        ("ExtInst %glsl Floor 1.5f", 0x3F800001, REFUTED),
        ("FSub f32(0x7f800000), f32(0x7f800000)", 0xFFC00123, SAME),  # a NaN's bits
        ("FMul f32(0x00800000), 0.5f", 0, SAME),  # a denormal may be 0
        ("FMul f32(0x00800000), 0.5f", 1, REFUTED),
        ("FMul -1.0f, 0.0f", 0, SAME),
    ],
)
def test_a_device_may_round_as_the_specification_lets_it(code: str, word: int, expected: str) -> None:
    assert given_instead(f"%y = {code} : f32\nOUTF %y", word) == expected
    if expected in (IMPRECISE, BOUNDED):
        assert given_instead(f"%y = {code} : f32\nOUTF %y", word, ulp=4) == SAME
        assert given_instead(f"%y = {code} : f32\nOUTF %y", 0x40000000, ulp=4) == REFUTED


@pytest.mark.parametrize(
    "body, word, row, verdict",
    [
        # 0x3dcccccd + 0x3f333333 lies between 0x3f4ccccc and 0x3f4ccccd: either may be returned
        (
            "%y = FAdd f32(0x3dcccccd), f32(0x3f333333) : f32\n%b = Bitcast %y : u32\nOUT %b",
            0x3F4CCCCC, "rounding", BOUNDED,
        ),
        ("%y = FAdd f32(0x3dcccccd), f32(0x3f333333) : f32\nOUTF %y", 0x3F4CCCCC, "rounding", BOUNDED),
        # a denormal that is flushed is not greater than zero
        (
            "%y = FMul f32(0x00800000), 0.5f : f32\n%c = FOrdGreaterThan %y, 0.0f : bool\nOUT %c",
            0, "denormals", UNKNOWN,
        ),
        ("%y = FMul f32(0x00800000), 0.5f : f32\n%z = FMul %y, 1024.0f : f32\nOUTF %z", 0, "denormals", UNKNOWN),
        # %k keeps them apart: an operand that is flushed is zero, and so is the product
        (
            "%k = Bitcast 0x00400000u : f32\n%z = FMul %k, f32(0x4b800000) : f32\nOUTF %z", 0, "denormals", BOUNDED,
        ),
    ],
)
def test_what_floats_may_be_lets_all_that_depends_on_them_differ(
    body: str, word: int, row: str, verdict: str
) -> None:
    if "bool" in body:
        body = body.replace("OUT %c", "%s = Select %c, 1u, 0u : u32\nOUT %s")
    module = parse(module_text(body))
    result = run(module, subgroup_size=4)
    result.buffers["buf_of" if "OUTF" in body else "buf_o"].words[0] = word
    found = Comparer(module).judge(result)
    assert found.verdict == verdict
    assert {"rounding": "the rounding of floats", "denormals": "denormals are flushed"}[row] in found.coverage


def test_what_modes_keep_is_kept() -> None:
    denormal = "%y = FMul f32(0x00800000), 0.5f : f32\nOUTF %y"
    assert given_instead(denormal, 0, "ExecutionMode @main DenormPreserve 32") == REFUTED
    zero = "%y = FMul -1.0f, 0.0f : f32\nOUTF %y"
    assert given_instead(zero, 0, "ExecutionMode @main SignedZeroInfNanPreserve 32") == REFUTED


def bits(value: float) -> int:
    return int.from_bytes(struct.pack("<f", value), "little")


@pytest.mark.parametrize(
    "left, right, ulp, expected",
    [
        (bits(1.0), bits(1.0) + 1, 0, False),
        (bits(1.0), bits(1.0) + 1, 1, True),
        (bits(1.0), bits(1.0) + 3, 2, False),
        (bits(-0.0), bits(0.0), 1, True),
        (bits(-0.0) + 1, bits(0.0) + 1, 2, True),
        (bits(-0.0) + 1, bits(0.0) + 1, 1, False),
        (0x7FC00000, 0xFFC00001, 1, True),
        (0x7FC00000, bits(1.0), 1 << 31, False),
        (bits(float("inf")), 0x7F7FFFFF, 1, True),
    ],
)
def test_units_in_the_last_place(left: int, right: int, ulp: int, expected: bool) -> None:
    element = Element("x", 0, Shape(FLOAT_KIND, 32, True))
    assert close(left, right, element.shape.width, ulp) is expected
    assert Difference("b", element, left, right).to_json()["byte"] == 0


def summing(lanes: int) -> Compute:
    """Each invocation leaves the sum of LocalInvocationIndex + 1 over its subgroup."""
    p = Compute(lanes)
    value = p.op2(op.IAdd, p.index, p.const(1))
    p.out(p.b.emit(op.GroupNonUniformIAdd, p.u32, [p.const(3), 0, value]))
    p.b.return_()
    return p


def made_up(p: Compute, words: list[int], size: int) -> Result:
    result = run(p.module, subgroup_size=size, buffers={"out": [0] * p.lanes})
    result.buffers["out"].words = words
    result.on = "made up"
    return result


def test_a_device_may_pack_invocations_otherwise() -> None:
    """{0 2 4} {1 3 5}: 1 + 3 + 5 and 2 + 4 + 6; {0} {1 2 3 4} {5}: 1, 2 + 3 + 4 + 5, 6. No subgroup of 4 has the sum
    of all, 21."""
    p = summing(6)
    judged = Comparer(p.module, buffers={"out": [0] * 6})
    found = judged.judge(made_up(p, [9, 12, 9, 12, 9, 12], 4))
    assert found.verdict == ALLOWED and found.closest is not None
    assert found.closest.policy.subgroups == "{0 2 4} {1 3 5}"
    assert judged.judge(made_up(p, [1, 14, 14, 14, 14, 6], 4)).verdict == ALLOWED
    assert judged.judge(made_up(p, [21, 21, 21, 21, 21, 21], 4)).verdict == REFUTED


def test_full_subgroups_leave_no_other_packing() -> None:
    """Four invocations in subgroups of 4, SPIR-V 1.6."""
    p = summing(4)
    judged = Comparer(p.module, buffers={"out": [0] * 4})
    assert judged.judge(made_up(p, [10, 10, 10, 10], 4)).verdict == SAME
    assert judged.judge(made_up(p, [3, 3, 7, 7], 4)).verdict == REFUTED
    p.module.version = 0x00010500
    judged = Comparer(p.module, buffers={"out": [0] * 4})
    assert judged.judge(made_up(p, [3, 3, 7, 7], 4)).verdict == ALLOWED
