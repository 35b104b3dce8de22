"""Floats followed as sets, against models of the specification in rational numbers: what an implementation may give is
in the set, and what it may not is outside.

A model here chooses as an implementation may, from Vulkan's "Precision and Operation of SPIR-V Instructions": any
operand or result that is a denormal flushed, each rounding in either direction, sums in any order.
"""

import itertools
import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from operator import add, mul, sub

import numpy
import pytest
from kit import oracles
from kit.oracles import drivers
from kit.oracles.drivers import on_every_driver
from kit.programs.floats import float_shader, value_of, word

from reknit.ir import op
from reknit.proof.devices import ALLOWED, BOUNDED, SAME, UNKNOWN, Comparer
from reknit.sim.ops import float_sets
from reknit.sim.ops.float_sets import EITHER, Env, FloatSet
from reknit.sim.ops.ieee import FORMAT32
from reknit.sim.outcomes import Outcomes, outcomes
from reknit.sim.policy import Policy
from reknit.sim.run import prepare
from reknit.sim.shadow.sources import Source
from reknit.spirv.read import read_module
from reknit.view.outcomes import show_outcomes

MIN_NORMAL = Fraction(1, 1 << 126)
GREATEST = Fraction(value_of(0x7F7FFFFF))


def sources(body: str, lanes: int, words: list[int], **parts: str) -> tuple[list[Source | None], list[int]]:
    """What each invocation's result may be, and what it is in the simulator."""
    program = prepare(float_shader(body, "abc", lanes, **parts), subgroup_size=32)
    program.bound_floats()
    result = program.run(Policy(choices=[]), buffers={"in": words})
    buffer = result.buffers["out"]
    return [buffer.sets.get(4 * lane) for lane in range(lanes)], buffer.words


def holds(source: Source | None, exact: int, bits: int) -> bool:
    if source is None:
        return bits == exact
    return source.bound is None or source.bound.holds(bits)


def both(x: Fraction) -> Iterator[float]:
    """The floats next to a number, by numpy; a result that may be flushed is zero, too."""
    near = numpy.float32(float(x))
    for each in (near, numpy.nextafter(near, numpy.float32(-math.inf)), numpy.nextafter(near, numpy.float32(math.inf))):
        other = Fraction(float(each))
        if other == x:
            yield float(each)
            return
    below = max([Fraction(float(each)) for each in candidates(near) if Fraction(float(each)) < x])
    above = min([Fraction(float(each)) for each in candidates(near) if Fraction(float(each)) > x])
    yield float(below)
    yield float(above)


def candidates(near: numpy.float32) -> list[numpy.float32]:
    down, up = numpy.float32(-math.inf), numpy.float32(math.inf)
    each = [near, numpy.nextafter(near, down), numpy.nextafter(near, up)]
    return [one for one in each if math.isfinite(float(one))]


def flushed(x: Fraction) -> list[Fraction]:
    return [x, Fraction(0)] if 0 < abs(x) < MIN_NORMAL else [x]


def results(exact: list[Fraction]) -> set[float]:
    """Of exact results: rounded, and flushed."""
    values: set[float] = set()
    for x in exact:
        values.update(both(x))
        if 0 < abs(x) < MIN_NORMAL:
            values.add(0.0)
    return values


INTERESTING = [
    0x00000000, 0x80000000, 0x00000001, 0x00400000, 0x007FFFFF, 0x00800000, 0x80800001, 0x3F800000, 0xBF800001,
    0x3DCCCCCD, 0x4B800001, 0x3F000000, 0x40490FDB, 0xC2C80000, 0x33800000, 0x7EFFFFFF,
]  # fmt: skip


def triples(count: int, seed: int) -> list[int]:
    draws = random.Random(seed)
    return [draws.choice(INTERESTING) if draws.random() < 0.4 else word(draws.uniform(-8, 8)) for _ in range(3 * count)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("operation", ["FAdd", "FSub", "FMul"])
def test_what_is_correctly_rounded_is_one_of_its_neighbours(operation: str, seed: int) -> None:
    combine: Callable[[Fraction, Fraction], Fraction] = {"FAdd": add, "FSub": sub, "FMul": mul}[operation]
    words = triples(32, seed)
    bounds, exact = sources(f"  %y = {operation} %a, %b : f32", 32, words)
    for lane in range(32):
        a, b = (Fraction(value_of(each)) for each in words[3 * lane : 3 * lane + 2])
        every = [combine(x, y) for x, y in itertools.product(flushed(a), flushed(b))]
        if any(abs(each) > GREATEST for each in every):
            continue
        model = results(every)
        for each in model:
            assert holds(bounds[lane], exact[lane], word(each)), (lane, each)
        source = bounds[lane]
        bound = source.bound if source is not None else None
        if bound is not None and bound.words:
            assert {value_of(each) for each in bound.words} == model
        zero = 0.0 in model
        assert not zero or (holds(source, exact[lane], 0) and holds(source, exact[lane], 0x80000000))


@pytest.mark.parametrize("seed", range(2))
def test_a_chain_that_may_not_be_contracted_has_what_its_steps_give(seed: int) -> None:
    """(a x b) - c, each step rounded either way and flushed."""
    words = triples(24, seed)
    body = "  %m = FMul %a, %b : f32\n  %y = FSub %m, %c : f32"
    bounds, exact = sources(body, 24, words, decorations="Decorate %y NoContraction\nDecorate %m NoContraction")
    for lane in range(24):
        a, b, c = (Fraction(value_of(each)) for each in words[3 * lane : 3 * lane + 3])
        products = [x * y for x, y in itertools.product(flushed(a), flushed(b))]
        if any(abs(each) > GREATEST / 2 for each in [*products, c]):
            continue
        firsts = [part for each in results(products) for part in flushed(Fraction(each))]
        for each in results([x - y for x, y in itertools.product(firsts, flushed(c))]):
            assert holds(bounds[lane], exact[lane], word(each)), (lane, each)
    open, _ = sources(body, 24, words)
    assert all(source is not None and source.bound is None for source in open)  # it may be rearranged


QUOTIENT = "  %d = FDiv %a, %b : f32\n"
KEPT = {
    "a copy": "%y = CopyObject %d : f32",
    "a choice by what is known": "%c0 = ULessThan %lane, 9u : bool\n%y = Select %c0, %d, 2.0f : f32",
    "a choice of the other": "%c0 = ULessThan 9u, %lane : bool\n%y = Select %c0, 2.0f, %d : f32",
    "a component": "%v = CompositeConstruct %d, 2.0f : vec2<f32>\n%y = CompositeExtract %v 0 : f32",
    "one put in": "%v = CompositeConstruct 1.0f, 2.0f : vec2<f32>\n%w = CompositeInsert %d, %v 1 : vec2<f32>\n"
    "%y = CompositeExtract %w 1 : f32",
    "a shuffle": "%v = CompositeConstruct 1.0f, %d : vec2<f32>\n%w = VectorShuffle %v, %v, 1, 0 : vec2<f32>\n"
    "%y = CompositeExtract %w 0 : f32",
    "one by a number": "%v = CompositeConstruct 1.0f, %d : vec2<f32>\n%n0 = BitwiseOr %lane, 1u : u32\n"
    "%m = BitwiseAnd %n0, 1u : u32\n%y = VectorExtractDynamic %v, %m : f32",
    "its bits": "%u = Bitcast %d : u32\n%y = Bitcast %u : f32",
    "memory": "Store %keep, %d\n%y = Load %keep : f32",
    "a minimum with more": "%y = ExtInst %glsl FMin %d, 5.0f : f32",
    "a maximum with less": "%y = ExtInst %glsl FMax -5.0f, %d : f32",
    "within its bounds": "%y = ExtInst %glsl FClamp %d, -5.0f, 5.0f : f32",
    "its negation's": "%m = FNegate %d : f32\n%y = FNegate %m : f32",
    "its size": "%y = ExtInst %glsl FAbs %d : f32",
}


@pytest.mark.parametrize("name", KEPT)
def test_what_moves_a_set_keeps_it(name: str) -> None:
    """1 / 3 and 2 / 7, within 2.5 ULP: the same floats, however they are moved. The quotient alone is the reference."""
    types = "%keep = Variable Private : ptr<Private, f32>\n"
    words = [word(1.0), word(3.0), 0, word(2.0), word(7.0), 0]
    alone, _ = sources(QUOTIENT + "%y = CopyObject %d : f32", 2, words)
    moved, _ = sources(QUOTIENT + KEPT[name], 2, words, types=types)
    for lane, (numerator, denominator) in enumerate(((1, 3), (2, 7))):
        one, other = alone[lane], moved[lane]
        assert one is not None and one.bound is not None and other is not None and other.bound is not None
        assert set(other.bound.words) == set(one.bound.words)
        exact = Fraction(numerator, denominator)
        assert all(
            abs(Fraction(value_of(each)) - exact) < Fraction(5, 2) * Fraction(1, 1 << 25) for each in other.bound.words
        )


LOST = {
    "a sum with its bits": "%u = Bitcast %d : u32\n%n0 = IAdd %u, 0u : u32\n%y = Bitcast %n0 : f32",
    "a part of its bits": "%u = Bitcast %d : u32\n%n0 = BitwiseAnd %u, 4294967295u : u32\n%y = Bitcast %n0 : f32",
    "a choice by what is not known": "%u = Bitcast %d : u32\n%c0 = ULessThan %u, 1051372203u : bool\n"
    "%y = Select %c0, 1.0f, 2.0f : f32",
}


@pytest.mark.parametrize("name", LOST)
def test_what_computes_with_its_bits_has_no_bounds(name: str) -> None:
    """0x3eaaaaab = 1051372203 is one of the floats that 1 / 3 may be."""
    bounds, _ = sources(QUOTIENT + LOST[name], 1, [word(1.0), word(3.0), 0])
    assert bounds[0] is not None and bounds[0].bound is None


@pytest.mark.parametrize(
    ("flags", "width", "bounded"),
    [
        (0, 32, True), (0x1, 32, True), (0x2, 32, True), (0x4, 32, True), (0x8, 32, True), (0x10000, 32, True),
        (0x20000, 32, False), (0x60000, 32, False), (0x70000, 32, False), (0x70000, 64, True),
    ],
)  # fmt: skip
def test_flags_that_a_mode_sets_by_default(flags: int, width: int, bounded: bool) -> None:
    """(a x b) - c of floats. AllowContract (0x10000) lets both be fused, AllowReassoc (0x20000) and AllowTransform
    (0x40000) whatever is equal in real numbers. FPFastMathDefault is for a width; what it doesn't name has no flag."""
    parts = {
        "capabilities": 'Capability FloatControls2\nCapability Float64\nExtension "SPV_KHR_float_controls2"',
        "modes": f"ExecutionModeId @main FPFastMathDefault f{width}, {flags}u",
    }
    body = "  %m = FMul %a, %b : f32\n  %y = FSub %m, %c : f32"
    bounds, exact = sources(body, 1, [word(1.1), word(3.3), word(0.7)], **parts)
    source = bounds[0]
    assert source is not None and (source.bound is not None) == bounded
    assert source.bound is None or source.bound.holds(exact[0])


FLAGS = {"capabilities": 'Capability FloatControls2\nExtension "SPV_KHR_float_controls2"'}


def test_what_may_be_contracted_alone_is_fused_or_not() -> None:
    """AllowContract: "Rounding steps may be eliminated". (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24 where it is fused, and 0
    where the product is rounded to even first."""
    one = word(1 + 2.0**-12)
    body = "  %m = FMul %a, %b : f32\n  %y = FSub %m, %c : f32"
    flags = f"Decorate %y FPFastMathMode {0x10000:#x}"
    words = [one, one, word(1 + 2.0**-11)] * 2
    (first, _), exact = sources(body, 2, words, decorations=flags, **FLAGS)
    assert exact[0] == 0
    for each in (0.0, 2.0**-24, 2.0**-23):  # 2^-23: the product rounded up
        assert holds(first, exact[0], word(each))
    assert not holds(first, exact[0], word(2.0**-21))


@pytest.mark.parametrize("seed", range(3))
def test_a_quotient_is_within_two_and_a_half_ulp(seed: int) -> None:
    words = triples(32, 7 + seed)
    bounds, exact = sources("  %y = FDiv %a, %b : f32", 32, words)
    decided = 0
    for lane in range(32):
        a, b = (Fraction(value_of(each)) for each in words[3 * lane : 3 * lane + 2])
        if not MIN_NORMAL <= abs(b) <= 1 << 126:
            assert bounds[lane] is not None and bounds[lane].bound is None  # type: ignore[union-attr]
            continue
        x = a / b
        if not MIN_NORMAL <= abs(x) < GREATEST / 2 or 0 < abs(a) < MIN_NORMAL:
            continue
        step = Fraction(2) ** (math.floor(math.log2(abs(x))) - 23)
        near = word(float(x))
        decided += 1
        for away in range(-6, 7):
            other = Fraction(value_of(near + away))
            if abs(other - x) <= Fraction(5, 4) * step:  # 2.5 of the smaller ulp, at a power of two
                assert holds(bounds[lane], exact[lane], near + away)
            if abs(other - x) > Fraction(5, 2) * step:
                assert not holds(bounds[lane], exact[lane], near + away)
    assert decided > 10


def trees(values: tuple[Fraction, ...]) -> set[float]:
    """What every tree over values gives, rounded in either direction at each step; none is a denormal."""
    if len(values) == 1:
        return {float(values[0])}
    every: set[float] = set()
    for a, b in itertools.combinations(range(len(values)), 2):
        rest = [each for at, each in enumerate(values) if at not in (a, b)]
        for each in both(values[a] + values[b]):
            every |= trees((*rest, Fraction(each)))
    return every


REDUCE = "  %y = GroupNonUniformFAdd Subgroup, Reduce, %a : f32"


@pytest.mark.parametrize("numbers", [[0.1, 0.2, 0.3, 0.4], [1.0, 2.0**24, 1.0, -(2.0**24)], [1e20, 1.0, -1e20, 3.0]])
def test_every_tree_is_in_the_interval(numbers: list[float]) -> None:
    words = [part for each in numbers for part in (word(each), 0, 0)]
    bounds, exact = sources(REDUCE, len(numbers), words)
    for each in trees(tuple([Fraction(value_of(word(number))) for number in numbers])):
        assert holds(bounds[0], exact[0], word(each))
    bound = bounds[0].bound if bounds[0] is not None else None
    assert bound is not None and not bound.holds(word(bound.most + 1.0 + abs(bound.most) / 1000))


def test_every_tree_over_six_values_is_in_the_interval() -> None:
    """Rounded to the nearest, as `RoundingModeRTE` has it."""
    numbers = [0.1, -0.7, 3.3, 1e-3, -2.9, 12.25]

    def nearest(values: tuple[float, ...]) -> set[float]:
        if len(values) == 1:
            return {values[0]}
        every: set[float] = set()
        for a, b in itertools.combinations(range(len(values)), 2):
            rest = [each for at, each in enumerate(values) if at not in (a, b)]
            every |= nearest((*rest, float(numpy.float32(values[a]) + numpy.float32(values[b]))))
        return every

    words = [part for each in numbers for part in (word(each), 0, 0)]
    modes = {"capabilities": "Capability RoundingModeRTE", "modes": "ExecutionMode @main RoundingModeRTE 32"}
    bounds, exact = sources(REDUCE, 6, words, **modes)
    for each in nearest(tuple([value_of(word(number)) for number in numbers])):
        assert holds(bounds[0], exact[0], word(each))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("operation", ["Reduce", "InclusiveScan", "ExclusiveScan"])
def test_random_trees_over_many_values_are_in_the_interval(operation: str, seed: int) -> None:
    draws = random.Random(seed)
    numbers = [numpy.float32(draws.uniform(-1, 1) * 10 ** draws.randint(-4, 4)) for _ in range(32)]
    words = [part for each in numbers for part in (word(float(each)), 0, 0)]
    bounds, exact = sources(REDUCE.replace("Reduce", operation), 32, words)
    for _ in range(200):
        lane = draws.randrange(1, 32)
        count = {"Reduce": 32, "InclusiveScan": lane + 1, "ExclusiveScan": lane}[operation]
        values = [Fraction(float(each)) for each in numbers[:count]]
        while len(values) > 1:
            one = values.pop(draws.randrange(len(values)))
            other = values.pop(draws.randrange(len(values)))
            values.append(Fraction(draws.choice(list(both(one + other)))))
        assert holds(bounds[lane], exact[lane], word(float(values[0])))
    far = sum(abs(float(each)) for each in numbers)
    assert not holds(bounds[31], exact[31], word(far * 2))


@pytest.mark.parametrize("function", ["Sqrt", "InverseSqrt", "Exp", "Exp2", "Log", "Log2", "Sin", "Cos"])
def test_functions_are_within_their_errors(function: str) -> None:
    """The exact value by 50 digits of a series would do; doubles are 2^-29 more precise than what is asked."""
    exact_of = {
        "Sqrt": math.sqrt, "InverseSqrt": lambda x: 1 / math.sqrt(x), "Exp": math.exp, "Exp2": lambda x: 2.0**x,
        "Log": math.log, "Log2": math.log2, "Sin": math.sin, "Cos": math.cos,
    }[function]  # fmt: skip
    ulps = {"Sqrt": 4, "InverseSqrt": 2, "Log": 3, "Log2": 3}
    draws = random.Random(function)
    inputs = [value_of(word(draws.uniform(0.1, 3.1))) for _ in range(32)]
    words = [part for each in inputs for part in (word(each), 0, 0)]
    bounds, exact = sources(f"  %y = ExtInst %glsl {function} %a : f32", 32, words)
    for lane, x in enumerate(inputs):
        y = exact_of(x)
        step = 2.0 ** (math.floor(math.log2(abs(y))) - 23)
        allowed = {"Sin": 2.0**-11, "Cos": 2.0**-11}.get(function, ulps.get(function, 3 + 2 * x) * step)
        if function in ("Log", "Log2") and 0.5 <= x <= 2.0:
            allowed = 2.0**-21
        within = 1.0 if function != "Sqrt" else 0.5
        for part in (-1.0, -0.5, 0.0, 0.5, 1.0):
            near = numpy.float32(y + part * within * 0.98 * (allowed - step / 2 if allowed > step else 0))
            assert holds(bounds[lane], exact[lane], word(float(near))), (x, y, part)
        assert not holds(bounds[lane], exact[lane], word(y + 1.5 * allowed + 2 * step))


def test_a_minimum_of_zeros_or_numbers_is_an_operand() -> None:
    words = [word(1.0), word(2.0), 0, word(-0.0), word(0.0), 0, 0x00000001, word(1.0), 0]
    bounds, exact = sources("  %y = ExtInst %glsl FMin %a, %b : f32", 3, words)
    assert bounds[0] is None and exact[0] == word(1.0)
    assert holds(bounds[1], exact[1], 0) and holds(bounds[1], exact[1], 0x80000000)
    assert holds(bounds[2], exact[2], 0) and holds(bounds[2], exact[2], 1)
    assert not holds(bounds[2], exact[2], 2)


def test_what_is_copied_is_kept_but_for_what_may_be_ignored() -> None:
    """ "All bit-preserving operations [...] must not flush denormalized values"; NotNaN, NotInf and NSZ are assumed of
    them without SignedZeroInfNanPreserve."""
    words = [part for each in (0x1, word(1.0), 0x80000000, 0x7F800000, 0x7FC00001) for part in (each, 0, 0)]
    body = "  %y = CopyObject %a : f32"
    bounds, _ = sources(body, 5, words)
    assert bounds[:2] == [None, None]
    assert str(bounds[2].bound if bounds[2] else None) == "{-0, 0}"
    assert all(source is not None and source.bound is None for source in bounds[3:])
    kept = {
        "capabilities": "Capability SignedZeroInfNanPreserve",
        "modes": "ExecutionMode @main SignedZeroInfNanPreserve 32",
    }
    bounds, _ = sources(body, 5, words, **kept)
    assert bounds[:4] == [None] * 4 and str(bounds[4].bound if bounds[4] else None) == "{nan}"


def test_a_comparison_is_decided_where_the_sets_are_apart() -> None:
    """1 / 3 is less than 0.34 whatever its rounding, and may be less than 0x3eaaaaab or not."""
    body = "  %d = FDiv %a, %b : f32\n  %l = FOrdLessThan %d, %c : bool\n  %y = Select %l, 1.0f, 2.0f : f32"
    bounds, exact = sources(body, 2, [word(1.0), word(3.0), word(0.34), word(1.0), word(3.0), 0x3EAAAAAB])
    assert bounds[0] is None and exact[0] == word(1.0)
    assert bounds[1] is not None and bounds[1].bound is None


def test_what_is_not_decided_leaves_its_rows_open() -> None:
    """1 / 3 and 0x3eaaaaab may be equal or not: what is chosen by that has no bounds."""
    body = "  %d = FDiv %a, %b : f32\n  %l = FOrdLessThan %d, %c : bool\n  %y = Select %l, 1.0f, 2.0f : f32"
    every = searched(body, [word(1.0), word(3.0), 0x3EAAAAAB] * 4, 4)
    assert "precision" in [each.freedom for each in every.open] and not every.bounded
    decided = searched(body, [word(1.0), word(3.0), word(0.34)] * 4, 4)
    assert "precision" in [each.freedom for each in decided.bounded] and not decided.open


def test_integers_made_of_sets_may_be_anything() -> None:
    """The bits of a set are one of it; one more than these is not tracked."""
    body = "  %d = FDiv %a, %b : f32\n  %u = Bitcast %d : u32\n{}\n  %y = Bitcast %v : f32"
    words = [word(1.0), word(3.0), 0]
    (same,), _ = sources(body.format("  %v = CopyObject %u : u32"), 1, words)
    assert same is not None and same.bound is not None and len(same.bound.words) == 5
    (more,), _ = sources(body.format("  %v = IAdd %u, 1u : u32"), 1, words)
    assert more is not None and more.bound is None


def searched(body: str, words: list[int], lanes: int = 1) -> Outcomes:
    return outcomes(float_shader(body, "abc", lanes), subgroup_size=4, buffers={"in": words})


def test_a_branch_by_a_set_leaves_no_bounds() -> None:
    body = """  %d = FDiv %a, %b : f32
  %v = Variable Function : ptr<Function, f32>
  %l = FOrdLessThan %d, %c : bool
  Store %v, 1.0f
  if %l {
    Store %v, 2.0f
  }
  %y = Load %v : f32"""
    every = searched(body, [word(1.0), word(3.0), 0x3EAAAAAB] * 4, 4)
    assert every.bounds is None and "precision" in [each.freedom for each in every.open]
    assert searched(body, [word(1.0), word(3.0), word(0.5)] * 4, 4).bounds is not None
    few = searched(body, [word(1.0), word(3.0), 0x3EAAAAAB])  # each of the five quotients is gone through
    assert few.exhaustive and {each.words("out")[0] for each in few.outcomes} == {word(1.0), word(2.0)}


@pytest.mark.parametrize("sign", [1, -1])
def test_an_ulp_is_larger_above_a_power_of_two(sign: int) -> None:
    """(1 + 2^-23) / 1 may be 2.5 x 2^-23 less: "ulp(x) is the minimum possible distance" between floats that x lies
    between, which is 2^-23 for any x from 1 on, and 2^-24 for 1 itself and what is below."""
    rule = float_sets.rule_of_core(op.FDiv, None, FORMAT32)
    assert rule is not None
    least, most = (1.0, 1.5) if sign > 0 else (-1.5, -1.0)
    given = float_sets.interval(word(least), word(most), FORMAT32)
    allowed = rule.of([given, float_sets.exactly(word(1.0), FORMAT32)], Env(FORMAT32, True, False, False, EITHER))
    assert allowed is not None
    assert allowed.holds(word(sign * (1 - 1.5 * 2.0**-23))) and allowed.holds(word(sign * (1.5 + 2.5 * 2.0**-23)))
    assert not allowed.holds(word(sign * (1 - 3 * 2.0**-23))) and not allowed.holds(word(sign * (1.5 + 3 * 2.0**-23)))


def test_outcomes_tell_the_bounds() -> None:
    every = searched("  %y = FDiv %a, %b : f32", [word(1.0), word(3.0), 0] * 2, 2)
    text = show_outcomes(every.ledgers[0].module, every, 4)
    row = "the precision of operations that may have an error (division, sin, ...)"
    assert text.startswith(f"1 outcome, within bounds of: {row}")
    listed = "{0.333333284, 0.333333313, 0.333333343, 0.333333373, 0.333333403}"
    assert f"  out[0] in {listed}" in text.splitlines()
    document = every.to_json()
    assert document["exhaustive"] is False and document["open"] == []
    assert document["bounds"] == [
        {"buffers": {"out": {at: {"values": listed.strip("{}").split(", ")} for at in ("0", "4")}}},
    ]


def left_open(every: Outcomes) -> list[str]:
    return [each.freedom for each in every.open]


def test_an_integer_of_a_set_is_up_to_what_the_set_comes_from() -> None:
    """The root of 4, "1.0 / inversesqrt(4)" within 2 and 2.5 ULP, may be less than 2, and then the integer is 1."""
    root = "  %d = ExtInst %glsl Sqrt %a : f32\n"
    body = root + "  %i = ConvertFToS %d : i32\n  %y = ConvertSToF %i : f32"
    every = searched(body, [word(4.0), 0, 0])
    assert left_open(every) == ["precision"] and every.outcomes[0].words("out")[0] == word(2.0)
    body = root + "  %l = FOrdLessThan %d, %b : bool\n  %y = Select %l, 1.0f, 2.0f : f32"
    assert left_open(searched(body, [word(4.0), word(2.0), 0])) == ["precision"]
    assert left_open(searched(body, [word(4.0), word(3.0), 0])) == []


def test_an_exact_operation_on_what_nothing_bounds_is_open() -> None:
    """Outside of [-pi, pi] Vulkan gives a sine no error; that its floor is exact in the run closes nothing."""
    body = "  %d = ExtInst %glsl Sin %a : f32\n  %y = ExtInst %glsl Floor %d : f32"
    assert "precision" in left_open(searched(body, [word(1000.0), 0, 0]))


@pytest.mark.parametrize("seed", range(24))
def test_what_is_gone_through_is_what_the_steps_may_give(seed: int) -> None:
    """(a x b) - c of one invocation: all outcomes, against the model; with NoContraction, and fused without."""
    draws = random.Random(seed)
    words = [word(draws.uniform(-2, 2)) for _ in range(3)]
    a, b, c = (Fraction(value_of(each)) for each in words)
    body = "  %m = FMul %a, %b : f32\n  %y = FSub %m, %c : f32"
    apart = "Decorate %y NoContraction\nDecorate %m NoContraction"
    module = float_shader(body, "abc", 1, decorations=apart)
    every = outcomes(module, subgroup_size=4, buffers={"in": words})
    model = results([Fraction(each) - c for each in results([a * b])])
    assert {value_of(each.words("out")[0]) for each in every.outcomes} == model
    assert every.exhaustive
    fused = searched(body, words)
    assert {value_of(each.words("out")[0]) for each in fused.outcomes} == model | results([a * b - c])
    assert "rearrangement" in [each.freedom for each in fused.open]  # there may be other ways to rearrange it


def test_a_minimum_of_a_nan_is_either_operand_where_nans_are_kept() -> None:
    """ "Which operand is the result is undefined if one of the operands is a NaN"; the flags of float controls 2 that
    are none keep a NaN. By default NotNaN is assumed of FMin."""
    body = "  %y = ExtInst %glsl FMin %a, %b : f32"
    flags = FLAGS | {"decorations": "Decorate %y FPFastMathMode 0\nDecorate %a FPFastMathMode 0"}
    (source,), exact = sources(body, 1, [0x7FC00000, word(2.0), 0], **flags)
    assert holds(source, exact[0], word(2.0)) and holds(source, exact[0], 0x7FC00000)
    assert not holds(source, exact[0], word(1.0))
    (source,), exact = sources(body, 1, [0x7FC00000, word(2.0), 0])
    assert source is not None and source.bound is None


@pytest.mark.parametrize("seed", range(12))
def test_where_outcomes_says_that_no_other_is_allowed_no_set_has_two(seed: int) -> None:
    """What a run meets, and what is followed as sets, are two accounts of the same rules."""
    draws = random.Random(seed)
    body = "\n".join([
        f"  %s0 = FAdd {draws.choice(['%a', '%b'])}, %c : f32",
        f"  %s1 = {draws.choice(['FMul', 'FSub', 'FDiv'])} %b, %a : f32",
        f"  %s2 = ExtInst %glsl {draws.choice(['FMin', 'FMax', 'Step'])} %a, %s0 : f32",
        f"  %s3 = ExtInst %glsl {draws.choice(['Floor', 'Fract', 'FAbs', 'FSign', 'RoundEven', 'Sqrt'])} %b : f32",
        f"  %y = CopyObject {draws.choice(['%s0', '%s1', '%s2', '%s3'])} : f32",
    ])  # fmt: skip
    numbers = [0.5, 1.0, 2.0, 1.5, -3.0, 0.1, 2.0**-126, 0.0]
    words = [word(draws.choice(numbers)) for _ in range(6)]
    every = searched(body, words, 2)
    bounds, _ = sources(body, 2, words)
    if every.exhaustive and len(every.outcomes) == 1:
        zeros = [0, 0x80000000]
        for source in bounds:
            assert source is None or (source.bound is not None and set(source.bound.words) <= set(zeros))


def test_sets_are_shown_as_numbers() -> None:
    from reknit.sim.ops.float_sets import interval
    from reknit.sim.ops.ieee import FORMAT32

    assert str(interval(word(-1.0), word(1.0), FORMAT32)) == "[-1, 1]"
    assert str(FloatSet(FORMAT32, (0x7FC00000,), math.nan, math.nan, True)) == "{nan}"


# --- against drivers --------------------------------------------------------------------------------------------------

SHADER = """#version 450
#extension GL_KHR_shader_subgroup_arithmetic : enable
layout(local_size_x = 16) in;
layout(binding = 0) buffer Out { float result[16]; };
layout(binding = 1) buffer Given { float given[16]; };
void main() { float x = given[gl_LocalInvocationIndex]; result[gl_LocalInvocationIndex] = BODY; }
"""


@on_every_driver
@pytest.mark.parametrize(
    "body",
    [
        "x / 3.0", "sqrt(x)", "inversesqrt(x)", "exp(x)", "exp2(x)", "log(x)", "log2(x)", "sin(x)", "cos(x)",
        "fract(x)", "mix(x, 2.0, 0.3)", "fma(x, x, 1.7)", "dot(vec3(x, 1.1, x), vec3(0.3, x, x))", "x * 0.1", "x + 1e6",
        "min(x, 1.0)", "clamp(x, 0.2, 0.7)", "floor(x)", "degrees(x)", "subgroupAdd(x)", "subgroupMul(x)",
        "subgroupInclusiveAdd(x)", "subgroupExclusiveAdd(x)", "subgroupMin(x)", "smoothstep(0.0, 1.0, x)",
    ],
)  # fmt: skip
def test_drivers_are_within_the_bounds(driver: str, lanes: int, body: str) -> None:
    """None of these is called "not allowed", and what has a bound is decided."""
    given = {"Given": [word(0.1 * (at % 7 + 1) + 0.013) for at in range(16)]}
    module = read_module(oracles.glslang(SHADER.replace("BODY", body), environment="vulkan1.1"))
    comparison = Comparer(module, buffers=given).compare(drivers.target(driver, lanes), lanes)
    assert comparison.verdict in (SAME, ALLOWED, BOUNDED) or "smoothstep" in body, comparison.coverage
    assert comparison.verdict != UNKNOWN or "smoothstep" in body


def test_a_remainder_is_that_of_a_quotient_with_its_error() -> None:
    """7 mod 2: 3.5 ± 2.5 ulp has the floor 3, so 7 - 2 × 3 = 1, rounded a few times. 6 mod 2: the quotient 3 may be a
    little less, so that the floor is 2 or 3: 0 or 2, and the error is as large either way of 0. -7 rem 2: trunc(-3.5)
    is -3, so -1. 2^24 mod 2^-126 has a quotient that may be an infinity: of NaN "the operation may return any result".
    """
    words = [word(value) for value in (7.0, 2.0, 0.0, 6.0, 2.0, 0.0, -7.0, 2.0, 0.0, 2.0**24, 2.0**-126, 0.0)]
    floored, _ = sources("  %y = FMod %a, %b : f32", 4, words)
    truncated, _ = sources("  %y = FRem %a, %b : f32", 4, words)
    first, second, last = floored[0], floored[1], floored[3]
    assert first is not None and first.bound is not None and second is not None and second.bound is not None
    assert 0.99999 < first.bound.least <= 1.0 <= first.bound.most < 1.00001
    assert second.bound.holds(word(0.0)) and second.bound.holds(word(2.0)) and not second.bound.holds(word(2.1))
    assert last is not None and last.bound is None
    third = truncated[2]
    assert third is not None and third.bound is not None
    assert third.bound.holds(word(-1.0)) and not third.bound.holds(word(1.0))


def test_bounds_near_a_result_let_a_rearranged_one_be_there_and_keep_others_out() -> None:
    """(a + b) - a may be b, where the sum lost it; a * b + c is not a * b - c. Of a NaN anything may come."""
    words = [word(value) for value in (2.0**30, 1.0, 0.0, 3.0, 5.0, 7.0, math.nan, 1.0, 1.0)]
    for body, held, out in (
        ("  %s = FAdd %a, %b : f32\n  %y = FSub %s, %a : f32", [1.0, 5.0], None),
        ("  %s = FMul %a, %b : f32\n  %y = FAdd %s, %c : f32", [2.0**30, 22.0], 8.0),
    ):
        program = prepare(float_shader(body, "abc", 3), subgroup_size=32)
        program.bound_floats(near=True)
        buffer = program.run(Policy(choices=[]), buffers={"in": words}).buffers["out"]
        sets = [buffer.sets.get(4 * lane) for lane in range(3)]
        for source, value in zip(sets, held, strict=False):
            assert source is not None and source.bound is not None and source.bound.holds(word(value))
        other, last = sets[1], sets[2]
        assert other is not None and other.bound is not None and last is not None and last.bound is None
        assert out is None or not other.bound.holds(word(out))
