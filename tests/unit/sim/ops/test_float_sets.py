"""Sets of floats against all half floats: what a rule allows is what the specification lets an implementation choose.

The model here goes through every choice in rational numbers: each operand's floats, denormals flushed or not, either
neighbour of the exact result. It finds neighbours in the sorted list of all half floats, as numpy decodes them.
Sources: Vulkan 1.4, "Precision and Operation of SPIR-V Instructions"; GLSL.std.450.
"""

import bisect
import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy
import pytest

from reknit.ir import glsl, op
from reknit.sim.ops import float_sets
from reknit.sim.ops.float_sets import EITHER, NEAREST, TOWARD_ZERO, Env, FloatSet
from reknit.sim.ops.ieee import FORMAT16, FORMAT64

DECODED = numpy.arange(1 << 16, dtype=numpy.uint16).view(numpy.float16)
FINITE = {word: Fraction(float(DECODED[word])) for word in range(1 << 16) if math.isfinite(float(DECODED[word]))}
WORD_OF = {number: word for word, number in FINITE.items() if word != 0x8000}
NUMBERS = sorted(WORD_OF)
INFINITY, MINUS_INFINITY, NAN = 0x7C00, 0xFC00, 0x7E00
MIN_NORMAL = Fraction(1, 1 << 14)
GREATEST = Fraction(65504)
ZEROS = {0x0000, 0x8000}

ENVS = [
    Env(FORMAT16, flushes, flushed, keeps, rounding)
    for flushes, flushed in ((False, False), (True, False), (True, True))
    for keeps in (False, True)
    for rounding in (EITHER, NEAREST, TOWARD_ZERO)
]


def loosely(env: Env) -> Env:
    """Intervals keep denormals, whether results must be flushed or not: a set may be too large."""
    return Env(FORMAT16, env.flushes or env.flushed, False, env.keeps, env.rounding)


SOME = [ENVS[0], ENVS[4], ENVS[6], ENVS[11], ENVS[12], ENVS[16]]
POINTS = [0x0000, 0x8000, 0x0001, 0x8155, 0x03FF, 0x0400, 0x8401, 0x3C00, 0xBC01, 0x3555, 0x4248, 0xD640, 0x7BFF]
SPECIALS = [INFINITY, MINUS_INFINITY, NAN]
RANGES = [(0x3C00, 0x3C0B), (0xBC08, 0xBC00), (0x8005, 0x0004), (0x03FA, 0x0405), (0x3555, 0x3560), (0x7BF0, 0x7BFB)]


def half(number: float) -> int:
    with numpy.errstate(over="ignore"):
        return int(numpy.float16(number).view(numpy.uint16))


def is_denormal(word: int) -> bool:
    return word in FINITE and 0 < abs(FINITE[word]) < MIN_NORMAL


def flushed(word: int, env: Env) -> set[int]:
    return {word} | (ZEROS if env.flushes and is_denormal(word) else set())


def rounded(exact: Fraction, zero: int, env: Env) -> set[int]:
    """All results that an implementation may give of an exact one; `zero` is that of 0."""
    if exact == 0:
        return {zero} if env.keeps else ZEROS
    at = bisect.bisect_left(NUMBERS, exact)
    if at < len(NUMBERS) and NUMBERS[at] == exact:
        near = {WORD_OF[exact]}
    else:
        down = WORD_OF[NUMBERS[at - 1]] if at else MINUS_INFINITY
        up = WORD_OF[NUMBERS[at]] if at < len(NUMBERS) else INFINITY
        near = {down, up}
        if env.rounding == NEAREST:
            near = {half(float(exact))}  # exact results here fit in a double, which numpy rounds once
        elif env.rounding == TOWARD_ZERO:
            near = {down if exact > 0 else up}
        if exact < 0:
            near = {0x8000 if word == 0 else word for word in near}
    if abs(exact) < MIN_NORMAL:
        if env.flushed:
            near = {word for word in near if not is_denormal(word)}
        if env.flushed or env.flushes:
            near |= ZEROS
    elif not env.keeps and near & ZEROS:
        near |= ZEROS
    return near | (ZEROS if not env.keeps and near & ZEROS else set())


def between(low: int, high: int) -> list[int]:
    """The words of an interval, of both zeros if it holds them."""
    numbers = NUMBERS[bisect.bisect_left(NUMBERS, FINITE[low]) : bisect.bisect_right(NUMBERS, FINITE[high])]
    return [WORD_OF[number] for number in numbers] + [0x8000] * (0 in numbers)


def numpy_scalar(code: int) -> Callable[[list[int]], int]:
    """By numpy: half floats are added and multiplied in single precision, whose second rounding changes nothing."""
    functions: dict[int, Callable[..., Any]] = {
        op.FAdd: operator.add, op.FSub: operator.sub, op.FMul: operator.mul,
        op.FmaKHR: lambda a, b, c: numpy.float16(float(a) * float(b) + float(c)),
        glsl.RoundEven: numpy.rint, glsl.Trunc: numpy.trunc, glsl.Floor: numpy.floor, glsl.Ceil: numpy.ceil,
        glsl.FSign: numpy.sign, glsl.Fract: lambda a: a - numpy.floor(a),
    }  # fmt: skip

    def scalar(words: list[int]) -> int:
        with numpy.errstate(all="ignore"):
            result = functions[code](*[DECODED[word] for word in words])
        if code not in (op.FAdd, op.FSub, op.FMul, op.FmaKHR) and float(result) == 0.0 and words[0] & 0x8000:
            return 0x8000 if code != glsl.Fract else 0
        return int(numpy.float16(result).view(numpy.uint16))

    return scalar


EXACT: dict[int, Callable[..., Fraction]] = {
    op.FAdd: operator.add, op.FSub: operator.sub, op.FMul: operator.mul, op.FmaKHR: lambda a, b, c: a * b + c,
}  # fmt: skip


def checked_words(allowed: FloatSet | None, model: set[int]) -> None:
    """The same words, or nothing is said where there may be an infinity whose meaning is ignored."""
    assert allowed is not None
    if len(model) <= float_sets.MAX_WORDS:
        assert set(allowed.words) == model
    numbers = [FINITE[word] if word in FINITE else float(DECODED[word]) for word in model]
    assert (allowed.least, allowed.most) == (min(numbers), max(numbers))


@pytest.mark.parametrize("code", [op.FAdd, op.FSub, op.FMul, op.FmaKHR])
def test_what_is_rounded_is_a_neighbour_of_the_exact_result(code: int) -> None:
    scalar = numpy_scalar(code)
    rule = float_sets.rule_of_core(code, scalar, FORMAT16)
    assert rule is not None
    count = 3 if code == op.FmaKHR else 2
    for words in itertools.product(POINTS[1::3] if count == 3 else POINTS, repeat=count):
        for env in SOME if count == 3 else ENVS:
            model: set[int] = set()
            for chosen in itertools.product(*[flushed(word, env) for word in words]):
                exact = EXACT[code](*[FINITE[word] for word in chosen])
                model |= rounded(exact, scalar(list(chosen)) & 0x8000, env)
            allowed = rule.of([float_sets.exactly(word, FORMAT16) for word in words], env)
            if not env.keeps and model & {INFINITY, MINUS_INFINITY}:
                assert allowed is None
            else:
                checked_words(allowed, model)


@pytest.mark.parametrize("code", [op.FAdd, op.FSub, op.FMul, op.FmaKHR])
def test_of_infinities_and_nans_there_is_what_ieee_754_has_or_nothing(code: int) -> None:
    scalar = numpy_scalar(code)
    rule = float_sets.rule_of_core(code, scalar, FORMAT16)
    assert rule is not None
    for words in itertools.product([*SPECIALS, 0x3C00, 0x8000], repeat=3 if code == op.FmaKHR else 2):
        if not set(words) & set(SPECIALS):
            continue
        for env in ENVS:
            allowed = rule.of([float_sets.exactly(word, FORMAT16) for word in words], env)
            if not env.keeps:
                assert allowed is None
                continue
            result = scalar(list(words))
            assert allowed is not None
            assert allowed.nan == (float(DECODED[result]) != float(DECODED[result])) and len(allowed.words) == 1
            assert allowed.nan or allowed.words == (result,)


@pytest.mark.parametrize("code", [op.FAdd, op.FSub, op.FMul])
def test_of_intervals_the_extremes_are_those_of_all_pairs(code: int) -> None:
    """A zero is added where the least normal number is met, whether it was rounded to that or not."""
    rule = float_sets.rule_of_core(code, numpy_scalar(code), FORMAT16)
    assert rule is not None
    for first, second in itertools.product(RANGES[:5], repeat=2):
        sets = [interval(*first), interval(*second)]
        assert not sets[0].words and not sets[1].words
        members = [set(between(*first)), set(between(*second))]
        for env in SOME:
            model: set[int] = set()
            choices = [{each for word in part for each in flushed(word, env)} for part in members]
            for pair in itertools.product(*choices):
                model |= rounded(EXACT[code](FINITE[pair[0]], FINITE[pair[1]]), 0, loosely(env))
            checked_hull(rule.of([*sets], env), model, env)


def interval(low: int, high: int) -> FloatSet:
    return float_sets.interval(low, high, FORMAT16)


def checked_hull(allowed: FloatSet | None, model: Iterable[int], env: Env) -> None:
    numbers = [FINITE[word] for word in model]
    assert allowed is not None and not allowed.nan
    extremes = {(min(numbers), max(numbers))}
    if env.flushes and min(map(abs, numbers)) <= MIN_NORMAL:
        extremes.add((min(*numbers, Fraction(0)), max(*numbers, Fraction(0))))
    assert (Fraction(allowed.least), Fraction(allowed.most)) in extremes


def test_what_may_overflow_has_no_bounds() -> None:
    """65504 is the greatest half float. Interval ends that are infinite bound nothing."""
    add = float_sets.rule_of_core(op.FAdd, numpy_scalar(op.FAdd), FORMAT16)
    assert add is not None
    env = Env(FORMAT16, False, False, True, EITHER)
    most = interval(0x7BF0, 0x7BFF)
    assert add.of([most, interval(0x5000, 0x5010)], env) is None
    assert add.of([most, interval(0x8005, 0x0004)], env) is None
    assert add.of([most, interval(0xD010, 0xD000)], env) is not None
    assert add.of([FloatSet(FORMAT16, (), 0.0, math.inf, False), most], env) is None
    assert add.of([FloatSet(FORMAT16, (), -math.inf, 0.0, False), most], env) is None
    assert add.of([FloatSet(FORMAT16, (), 0.0, 1.0, True), most], env) is None
    assert add.of([None, most], env) is None


# --- exact ------------------------------------------------------------------------------------------------------------

STEPS: dict[int, Callable[[Fraction], int]] = {
    glsl.RoundEven: round, glsl.Trunc: math.trunc, glsl.Floor: math.floor, glsl.Ceil: math.ceil,
    glsl.FSign: lambda x: (x > 0) - (x < 0),
}  # fmt: skip
STEPPED = [0x3800, 0xB800, 0x3E00, 0xC100, 0x0001, 0x8001, 0x3BFF, 0x4248, 0xD640, 0x0000, 0x8000, 0x7BFF]
STEP_RANGES = [(0x3BF0, 0x3C10), (0xBE10, 0xBDF0), (0x8009, 0x0005), (0x4000, 0x4010), (0xB810, 0xB7F8)]


@pytest.mark.parametrize("number", STEPS)
def test_whole_numbers_are_exact(number: int) -> None:
    rule = float_sets.rule_of_glsl(number, numpy_scalar(number), FORMAT16)
    assert rule is not None
    for env in SOME:
        for word in STEPPED:
            results = {STEPS[number](FINITE[each]) for each in flushed(word, env)}
            allowed = rule.of([float_sets.exactly(word, FORMAT16)], env)
            assert allowed is not None
            assert {FINITE[each] for each in allowed.words} == results
            assert env.keeps or not set(allowed.words) & ZEROS or set(allowed.words) >= ZEROS
        for low, high in STEP_RANGES:
            members = {each for word in between(low, high) for each in flushed(word, env)}
            model = [half(float(STEPS[number](FINITE[each]))) for each in members]
            checked_hull(rule.of([interval(low, high)], env), model, env)
        for word in SPECIALS:
            allowed = rule.of([float_sets.exactly(word, FORMAT16)], env)
            assert (allowed is None) == (not env.keeps)


def test_halves_go_either_way() -> None:
    """Round: "The fraction 0.5 rounds in a direction chosen by the implementation"."""
    rule = float_sets.rule_of_glsl(glsl.Round, None, FORMAT16)
    assert rule is not None

    def ways(x: Fraction) -> set[Fraction]:
        low = Fraction(math.floor(x))
        if x - low == Fraction(1, 2):
            return {low, low + 1}
        return {low if x - low < Fraction(1, 2) else low + 1}

    for env in SOME:
        for word in STEPPED:
            allowed = rule.of([float_sets.exactly(word, FORMAT16)], env)
            assert allowed is not None
            assert {FINITE[each] for each in allowed.words} == {w for f in flushed(word, env) for w in ways(FINITE[f])}
            if env.keeps and not is_denormal(word):
                zeros = set(allowed.words) & ZEROS
                assert zeros <= {word & 0x8000}  # a zero has the operand's sign
        for low, high in STEP_RANGES:
            members = {each for word in between(low, high) for each in flushed(word, env)}
            checked_hull(
                rule.of([interval(low, high)], env), [half(float(w)) for m in members for w in ways(FINITE[m])], env
            )
        for word in SPECIALS:
            allowed = rule.of([float_sets.exactly(word, FORMAT16)], env)
            assert (allowed is None) == (not env.keeps)
            assert allowed is None or allowed.nan == (word == NAN) and (allowed.nan or allowed.words == (word,))


@pytest.mark.parametrize("number", [glsl.FAbs, op.FNegate + 1000, glsl.Fract, glsl.Step])
def test_of_signs_fractions_and_steps_the_extremes_are_those_of_all_members(number: int) -> None:
    functions: dict[int, Callable[..., Fraction]] = {
        glsl.FAbs: abs, op.FNegate + 1000: lambda x: -x, glsl.Fract: lambda x: x - math.floor(x),
        glsl.Step: lambda edge, x: Fraction(0 if x < edge else 1),
    }  # fmt: skip
    function = functions[number]
    scalar = numpy_scalar(number) if number == glsl.Fract else None
    core = number == op.FNegate + 1000
    rule = (
        float_sets.rule_of_core(op.FNegate, None, FORMAT16)
        if core
        else float_sets.rule_of_glsl(number, scalar, FORMAT16)
    )
    assert rule is not None
    count = 2 if number == glsl.Step else 1
    for env in SOME:
        for words in itertools.product(POINTS, repeat=count):
            model: set[int] = set()
            for chosen in itertools.product(*[flushed(word, env) for word in words]):
                exact = function(*[FINITE[word] for word in chosen])
                zero = chosen[0] ^ 0x8000 if core else 0
                model |= rounded(exact, zero, env)
            checked_words(rule.of([float_sets.exactly(word, FORMAT16) for word in words], env), model)
        for ends in itertools.product(RANGES, repeat=count):
            members = [{each for word in between(*pair) for each in flushed(word, env)} for pair in ends]
            model = set()
            for chosen in itertools.product(*members):
                model |= rounded(function(*[FINITE[word] for word in chosen]), 0, loosely(env))
            if number == glsl.Fract and len({math.floor(FINITE[word]) for word in members[0]}) > 1:
                model |= {0, half(1.0)}  # it is not followed across whole numbers
            checked_hull(rule.of([interval(*pair) for pair in ends], env), model, env)
        for word in SPECIALS:
            given = [float_sets.exactly(word, FORMAT16)] * count
            assert (rule.of([*given], env) is None) == (not env.keeps)


# --- chosen -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [glsl.FMin, glsl.FMax, glsl.NMin, glsl.NMax])
def test_a_minimum_is_one_of_the_operands(number: int) -> None:
    """Of equal zeros either; of a NaN either operand, or the other one (NMin, NMax)."""
    rule = float_sets.rule_of_glsl(number, None, FORMAT16)
    assert rule is not None
    pick = min if number in (glsl.FMin, glsl.NMin) else max
    for env in SOME:
        for words in itertools.product([*POINTS, *SPECIALS], repeat=2):
            allowed = rule.of([float_sets.exactly(word, FORMAT16) for word in words], env)
            if set(words) & set(SPECIALS) and not env.keeps:
                assert allowed is None
                continue
            model: set[int] = set()
            for chosen in itertools.product(*[flushed(word, env) for word in words]):
                numbers = [word for word in chosen if word != NAN]
                if len(numbers) < 2:
                    model |= set(chosen) if number in (glsl.FMin, glsl.FMax) else set(numbers) or {NAN}
                    continue
                best = pick(float(DECODED[word]) for word in chosen)
                model |= {word for word in chosen if float(DECODED[word]) == best}
            if not env.keeps and model & ZEROS:
                model |= ZEROS
            assert allowed is not None and allowed.nan == (NAN in model)
            assert {w for w in allowed.words if w != NAN} == model - {NAN}
        for first, second in itertools.product(RANGES, repeat=2):
            parts = [{each for word in between(*pair) for each in flushed(word, env)} for pair in (first, second)]
            model = {WORD_OF[pick(FINITE[x], FINITE[y])] for x in parts[0] for y in parts[1]}
            checked_hull(rule.of([interval(*first), interval(*second)], env), model, env)


@pytest.mark.parametrize("number", [glsl.FClamp, glsl.NClamp])
def test_a_clamp_is_between_its_bounds(number: int) -> None:
    """x in [1, 1.01], between bounds; of bounds in the wrong order, or that may be, nothing is known."""
    rule = float_sets.rule_of_glsl(number, None, FORMAT16)
    assert rule is not None
    env = Env(FORMAT16, False, False, True, EITHER)
    point = functools.partial(float_sets.exactly, form=FORMAT16)
    x = interval(0x3C00, 0x3C0B)
    inside, above = rule.of([x, point(half(0.5)), point(half(2.0))], env), rule.of([x, point(0), point(half(0.5))], env)
    below = rule.of([x, point(half(2.0)), point(half(3.0))], env)
    assert inside is not None and (inside.least, inside.most) == (x.least, x.most)
    assert above is not None and (above.least, above.most) == (0.5, 0.5)
    assert below is not None and (below.least, below.most) == (2.0, 2.0)
    assert rule.of([x, point(half(2.0)), point(half(2.0))], env) is not None
    assert rule.of([x, point(half(2.0)), point(half(1.0))], env) is None
    assert rule.of([x, None, point(half(1.0))], env) is None
    assert rule.of([x, point(0), None], env) is None
    assert rule.of([None, point(0), point(half(1.0))], env) is None
    nan = rule.of([point(NAN), point(half(0.5)), point(half(2.0))], env)
    assert nan is not None
    if number == glsl.NClamp:
        assert nan.words == (half(0.5),)
    else:  # max(NaN, low) may be either, and so may min(NaN, high)
        assert nan.nan and {word for word in nan.words if word != NAN} == {half(0.5), half(2.0)}


# --- with an error ----------------------------------------------------------------------------------------------------


def ulp(x: Fraction) -> Fraction:
    """The distance of the floats around x, of a power of two of those below it."""
    at = bisect.bisect_left(NUMBERS, abs(x))
    return NUMBERS[at] - NUMBERS[at - 1]


def checked_error(allowed: FloatSet | None, exact: Iterable[tuple[Fraction, Fraction]]) -> None:
    """All that is within the error of one of the exact results is held, and nothing outside of all, but for an ULP."""
    pairs = list(exact)
    lows, highs = [x - error for x, error in pairs], [x + error for x, error in pairs]
    assert allowed is not None
    for number in NUMBERS[bisect.bisect_left(NUMBERS, min(lows)) : bisect.bisect_right(NUMBERS, max(highs))]:
        if any(low <= number <= high for low, high in zip(lows, highs, strict=True)):
            assert allowed.holds(WORD_OF[number])
    slack = Fraction(1, 1 << 40)
    assert Fraction(allowed.most) <= max(highs) + slack and Fraction(allowed.least) >= min(lows) - slack


Error = Callable[[Fraction, Fraction], Fraction]
"""Of a function's operand and its exact result."""


def of_power(x: Fraction, y: Fraction) -> Fraction:
    return (1 + 2 * abs(x)) * ulp(y)


def of_logarithm(x: Fraction, y: Fraction) -> Fraction:
    return Fraction(1, 128) if Fraction(1, 2) <= x <= 2 else 3 * ulp(y)


def of_wave(x: Fraction, y: Fraction) -> Fraction:
    return Fraction(1, 128)


ABOUT_1 = [(0x3C10, 0x3C20), (0x4401, 0x4410), (0x3001, 0x3010)]
POWERS = [(0x3C01, 0x3C10), (0xC110, 0xC100), (0x8010, 0x0010)]
FUNCTIONS: dict[int, tuple[Callable[[float], float], Error, list[tuple[int, int]]]] = {
    glsl.InverseSqrt: (
        lambda x: 1 / math.sqrt(x), lambda x, y: 2 * ulp(y), [(0x3555, 0x3560), (0x0401, 0x0410), (0x7001, 0x7020)]
    ),
    glsl.Exp: (math.exp, of_power, POWERS),
    glsl.Exp2: (lambda x: 2.0**x, of_power, POWERS),
    glsl.Log: (math.log, of_logarithm, [*ABOUT_1, (0x3800, 0x3810)]),
    glsl.Log2: (math.log2, of_logarithm, [*ABOUT_1, (0x3FF0, 0x4000)]),
    glsl.Sin: (math.sin, of_wave, [(0x3C00, 0x3C10), (0x3E40, 0x3E50), (0xC110, 0xC100), (0xBE50, 0xBE40)]),
    glsl.Cos: (math.cos, of_wave, [(0x3C00, 0x3C10), (0x8010, 0x0010), (0xC110, 0xC100)]),
}  # fmt: skip


@pytest.mark.parametrize("number", FUNCTIONS)
def test_functions_have_the_error_of_the_table(number: int) -> None:
    """16-bit floats: InverseSqrt 2 ULP; Exp, Exp2 1 + 2 |x| ULP; Log, Log2 3 ULP, in [0.5, 2] 2^-7; Sin, Cos 2^-7 in
    [-pi, pi]. `exact` by doubles, which are 2^-42 more precise."""
    function, error, ends = FUNCTIONS[number]
    rule = float_sets.rule_of_glsl(number, None, FORMAT16)
    assert rule is not None
    env = Env(FORMAT16, False, False, True, EITHER)

    def exact(words: Iterable[int]) -> list[tuple[Fraction, Fraction]]:
        pairs: list[tuple[Fraction, Fraction]] = []
        for word in words:
            y = Fraction(function(float(FINITE[word])))
            pairs.append((y, error(FINITE[word], y)))
        return pairs

    for low, high in ends:
        checked_error(rule.of([float_sets.exactly(low, FORMAT16)], env), exact([low]))
        checked_error(rule.of([float_sets.exactly(high, FORMAT16)], env), exact([high]))
        wide = exact(between(low, high))
        largest = max(error for _, error in wide)
        allowed = rule.of([interval(low, high)], env)
        assert allowed is not None
        for y, each in wide:
            for number_inside in (y - each, y, y + each):
                at = bisect.bisect_left(NUMBERS, number_inside)
                for near in NUMBERS[at - 1 : at + 1]:
                    assert not y - each <= near <= y + each or allowed.holds(WORD_OF[near])
        extremes = min(y for y, _ in wide) - 2 * largest, max(y for y, _ in wide) + 2 * largest
        assert extremes[0] <= allowed.least and allowed.most <= extremes[1]


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (glsl.InverseSqrt, 0x0000), (glsl.InverseSqrt, 0xBC00), (glsl.Log, 0x0000), (glsl.Log2, 0xBC00),
        (glsl.Sin, 0x4249), (glsl.Sin, 0xC249), (glsl.Cos, 0x4249), (glsl.Exp, 0x7BFF), (glsl.Exp2, 0x4C01),
        (glsl.Sqrt, 0xBC00), (glsl.Sqrt, INFINITY), (glsl.Sin, NAN),
    ],
)  # fmt: skip
def test_where_the_table_says_nothing_nothing_is_known(number: int, word: int) -> None:
    """0x4249 is more than pi; exp(65504) and 2^16.03 overflow; nothing is said of infinities and NaNs."""
    rule = float_sets.rule_of_glsl(number, None, FORMAT16)
    assert rule is not None
    assert rule.of([float_sets.exactly(word, FORMAT16)], Env(FORMAT16, False, False, True, EITHER)) is None


def test_a_quotient_is_within_two_and_a_half_ulp_of_divisors_that_are_no_extremes() -> None:
    """Half floats: "2.5 ULP for |y| in the range [2^-14, 2^14]"."""
    rule = float_sets.rule_of_core(op.FDiv, None, FORMAT16)
    assert rule is not None
    env = Env(FORMAT16, False, False, True, EITHER)
    for x, y in itertools.product([0x3C00, 0xC248, 0x5640, 0x0400], [0x0400, 0x3C01, 0xC200, 0x7400, 0xF400, 0x4555]):
        exact = FINITE[x] / FINITE[y]
        allowed = rule.of([float_sets.exactly(x, FORMAT16), float_sets.exactly(y, FORMAT16)], env)
        if abs(exact) + Fraction(5, 2) * ulp(min(abs(exact), GREATEST)) > GREATEST:
            assert allowed is None
            continue
        checked_error(allowed, [(exact, Fraction(5, 2) * ulp(exact))])
    for y in (0x0000, 0x8000, 0x03FF, 0x83FF, 0x7401, 0xF401):
        assert rule.of([float_sets.exactly(0x3C00, FORMAT16), float_sets.exactly(y, FORMAT16)], env) is None
    for ends in ((0xBC08, 0xBC00), (0x3C00, 0x3C0B)):
        allowed = rule.of([interval(0x3555, 0x3560), interval(*ends)], env)
        every = [FINITE[x] / FINITE[y] for x in between(0x3555, 0x3560) for y in between(*ends)]
        checked_error(allowed, [(each, Fraction(5, 2) * ulp(each)) for each in every])
    assert rule.of([interval(0x3555, 0x3560), interval(0x8005, 0x0004)], env) is None


def chain(*steps: Iterable[Fraction]) -> set[Fraction]:
    return {FINITE[word] for step in steps for x in step for word in rounded(x, 0, NEAREST_BOTH) if word in FINITE}


NEAREST_BOTH = Env(FORMAT16, False, False, True, EITHER)
TRIPLES = [0x3C00, 0x3555, 0xC248, 0x5640, 0xB801, 0x2E66]


@pytest.mark.parametrize("number", [glsl.Fma, glsl.FMix, glsl.Radians, glsl.Degrees])
def test_what_is_inherited_has_what_each_step_may_give(number: int) -> None:
    """Fma: a * b + c. FMix: x * (1 - a) + y * a. Radians, Degrees: a product with a constant."""
    rule = float_sets.rule_of_glsl(number, None, FORMAT16)
    assert rule is not None
    count = 1 if number in (glsl.Radians, glsl.Degrees) else 3
    for words in itertools.product(TRIPLES, repeat=count):
        a, b, c = [*[FINITE[word] for word in words], Fraction(0), Fraction(0)][:3]
        if number == glsl.Fma:
            model = chain([x + c for x in chain([a * b])])
            sizes, exact, by = abs(a * b) + abs(c), a * b + c, 3
        elif number == glsl.FMix:
            firsts = chain([a * x for x in chain([1 - c])])
            model = chain([x + y for x in firsts for y in chain([b * c])])
            sizes, exact, by = abs(a) + abs(a * c) + abs(b * c), a * (1 - c) + b * c, 7
        else:
            factor = Fraction(math.pi / 180 if number == glsl.Radians else 180 / math.pi)
            model = chain([a * x for x in chain([factor])])
            sizes, exact, by = abs(a * factor), a * factor, 5
        allowed = rule.of([float_sets.exactly(word, FORMAT16) for word in words], NEAREST_BOTH)
        if sizes * 2 > GREATEST:
            assert allowed is None
            continue
        assert allowed is not None
        for each in model:
            assert allowed.holds(WORD_OF[each]), (words, each)
        far = by * sizes / 1024 + 14 * (1 + abs(c)) * MIN_NORMAL
        assert exact - far <= allowed.least and allowed.most <= exact + far, words


def test_a_root_is_one_by_the_inverse() -> None:
    """Sqrt: "Inherited from 1.0 / inversesqrt()": 2 ULP of the inverse, 2.5 ULP of the quotient."""
    rule = float_sets.rule_of_glsl(glsl.Sqrt, None, FORMAT16)
    assert rule is not None
    for word in (0x3C00, 0x3555, 0x4248, 0x5640, 0x0400, 0x7BFF):
        exact = Fraction(math.sqrt(float(FINITE[word])))
        inverse = Fraction(1 / math.sqrt(float(FINITE[word])))
        allowed = rule.of([float_sets.exactly(word, FORMAT16)], NEAREST_BOTH)
        assert allowed is not None
        low, high = inverse - 2 * ulp(inverse), inverse + 2 * ulp(inverse)
        near = NUMBERS[bisect.bisect_left(NUMBERS, low) : bisect.bisect_right(NUMBERS, high)]
        for each in near:
            y = 1 / each
            for off in (Fraction(-5, 2), Fraction(0), Fraction(5, 2)):
                at = bisect.bisect_left(NUMBERS, y + off * ulp(y))
                for number in NUMBERS[at - 1 : at + 1]:
                    assert abs(number - y) > Fraction(5, 2) * ulp(y) or allowed.holds(WORD_OF[number])
        assert exact - 12 * ulp(exact) <= allowed.least <= exact <= allowed.most <= exact + 12 * ulp(exact)


def test_a_product_of_vectors_is_exact_for_small_whole_numbers_alone() -> None:
    point = functools.partial(float_sets.exactly, form=FORMAT16)
    whole = float_sets.dotted([point(half(3.0)), point(half(4.0))], [point(half(5.0)), point(half(-2.0))], NEAREST_BOTH)
    assert whole is not None and whole.words == (half(7.0),)
    parts = [0x3555, 0x3C01, 0xB801]
    exact = sum(FINITE[x] * FINITE[x] for x in parts)
    wide = float_sets.dotted([point(x) for x in parts], [point(x) for x in parts], NEAREST_BOTH)
    assert wide is not None and wide.most > wide.least
    products = [chain([FINITE[x] * FINITE[x]]) for x in parts]
    for order in itertools.permutations(products):
        for one, other, last in itertools.product(*order):
            for total in chain([x + last for x in chain([one + other])]):
                assert wide.holds(WORD_OF[total])
    assert exact - Fraction(6, 1024) * exact <= wide.least and wide.most <= exact + Fraction(6, 1024) * exact
    large = float_sets.dotted([point(half(100.0))], [point(half(100.0))], NEAREST_BOTH)  # 10,000 > 2^11
    assert large is not None and large.most > large.least and large.holds(half(10000.0))
    unit = [point(half(1.0))]
    assert (
        float_sets.dotted([None], [*unit], NEAREST_BOTH) is None
        and float_sets.dotted([*unit], [None], NEAREST_BOTH) is None
    )
    for special in SPECIALS:
        assert float_sets.dotted([point(special)], [*unit], NEAREST_BOTH) is None
    assert float_sets.dotted([point(0x7BFF)] * 2, [point(0x3C00)] * 2, NEAREST_BOTH) is None  # it may overflow


# --- decided ----------------------------------------------------------------------------------------------------------

COMPARISONS = {
    op.FOrdEqual: operator.eq, op.FOrdNotEqual: operator.ne, op.FOrdLessThan: operator.lt,
    op.FOrdGreaterThan: operator.gt, op.FOrdLessThanEqual: operator.le, op.FOrdGreaterThanEqual: operator.ge,
    op.FUnordEqual: operator.eq, op.FUnordLessThan: operator.lt, op.LessOrGreater: operator.ne,
}  # fmt: skip
TO_COMPARE = [
    (0x3C00, 0x3C0B), (0x3C0B, 0x3C18), (0x3C0C, 0x3C18), (0x3C05, 0x3C18), (0x3C00, 0x3C00), (0x3C0B, 0x3C0B),
    (0x0001, 0x0001), (0x0000, 0x0000), (0x8001, 0x8001), (0x03F5, 0x0400), (0xBC0B, 0xBC00),
]  # fmt: skip


@pytest.mark.parametrize("flushes", [False, True])
@pytest.mark.parametrize("code", COMPARISONS)
def test_a_comparison_is_decided_if_all_members_agree(code: int, flushes: bool) -> None:
    env = Env(FORMAT16, flushes, False, True, EITHER)
    for first, second in itertools.product(TO_COMPARE, repeat=2):
        members = [{each for word in between(*pair) for each in flushed(word, env)} for pair in (first, second)]
        answers = {COMPARISONS[code](FINITE[x], FINITE[y]) for x in members[0] for y in members[1]}
        decided = float_sets.decides(code, [interval(*first), interval(*second)], env)
        assert decided == (len(answers) == 1), (first, second)


def test_what_else_is_decided() -> None:
    """NaNs and infinities alone, where they are kept; classes, of numbers; conversions, if no whole number is
    between."""
    keeps, ignores = Env(FORMAT16, True, False, True, EITHER), Env(FORMAT16, True, False, False, EITHER)
    point = functools.partial(float_sets.exactly, form=FORMAT16)
    for code in (op.FOrdEqual, op.IsNan, op.ConvertFToS, op.SignBitSet):
        count = 2 if code == op.FOrdEqual else 1
        assert float_sets.decides(code, [point(NAN)] * count, keeps)
        assert float_sets.decides(code, [point(INFINITY)] * count, keeps)
        assert not float_sets.decides(code, [point(NAN)] * count, ignores)
        assert not float_sets.decides(code, [None] * count, keeps)
        assert not float_sets.decides(code, [FloatSet(FORMAT16, (), 0.0, math.inf, False)] * count, keeps)
        assert not float_sets.decides(code, [FloatSet(FORMAT16, (), 0.0, 1.0, True)] * count, keeps)
    for code in (op.IsNan, op.IsInf, op.IsFinite):
        assert float_sets.decides(code, [interval(0x8005, 0x3C00)], keeps)
    assert float_sets.decides(op.ConvertFToS, [interval(0x3C00, 0x3FFF)], keeps)
    assert not float_sets.decides(op.ConvertFToS, [interval(0x3C00, 0x4000)], keeps)
    assert float_sets.decides(op.ConvertFToS, [interval(0xBBFF, 0x3BFF)], keeps)  # all are 0
    for code in (op.SignBitSet, op.IsNormal):
        assert float_sets.decides(code, [point(0x3C00)], keeps)
        assert not float_sets.decides(code, [point(0x0001)], keeps)
        assert not float_sets.decides(code, [interval(0x3C00, 0x3C01)], keeps)


# --- sets -------------------------------------------------------------------------------------------------------------


def test_neighbours_and_distances() -> None:
    for word in (0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x0400, 0x3C00, 0xBC00, 0x7BFE, 0xFBFE):
        at = NUMBERS.index(FINITE[word])
        assert FINITE[float_sets.before(word, FORMAT16)] == NUMBERS[at - 1]
        assert FINITE[float_sets.after(word, FORMAT16)] == NUMBERS[at + 1]
    for x in [*NUMBERS[::997], *[number + Fraction(1, 1 << 30) for number in NUMBERS[::997]], Fraction(3, 7)]:
        if abs(x) < GREATEST:
            assert FINITE[float_sets.below(x, FORMAT16)] == NUMBERS[bisect.bisect_right(NUMBERS, x) - 1]
            assert FINITE[float_sets.above(x, FORMAT16)] == NUMBERS[bisect.bisect_left(NUMBERS, x)]
        if 0 < abs(x) < GREATEST:
            assert float_sets.ulp(x, FORMAT16) == ulp(x), x
    assert (
        float_sets.below(Fraction(70000), FORMAT16) == 0x7BFF
        and float_sets.above(Fraction(70000), FORMAT16) == INFINITY
    )
    assert float_sets.above(Fraction(-70000), FORMAT16) == 0xFBFF
    assert float_sets.below(Fraction(-70000), FORMAT16) == MINUS_INFINITY


def test_few_floats_are_kept_one_by_one() -> None:
    """Up to eight words, zeros of both signs among them."""
    few = interval(0x8003, 0x0003)
    assert set(few.words) == {0x8003, 0x8002, 0x8001, 0x8000, 0x0000, 0x0001, 0x0002, 0x0003}
    many = interval(0x8003, 0x0004)
    assert many.words == () and many.holds(0x8000) and not many.holds(0x0005) and not many.holds(0x8004)
    assert not many.holds(NAN) and FloatSet(FORMAT16, (), 0.0, 1.0, True).holds(NAN)
    both = float_sets.joined([few, interval(0x3C00, 0x3C00)])
    assert both.words == () and (both.least, both.most) == (few.least, 1.0)
    assert set(float_sets.joined([interval(0x3C00, 0x3C01), interval(0x3C01, 0x3C02)]).words) == {
        0x3C00,
        0x3C01,
        0x3C02,
    }
    assert float_sets.joined([float_sets.exactly(NAN, FORMAT16), many]).nan
    assert float_sets.exactly(0x3C00, FORMAT16).is_one() and not few.is_one()
    assert not float_sets.exactly(NAN, FORMAT16).is_one()
    assert interval(0x8000, 0x0000).is_zero() and not few.is_zero()
    assert not FloatSet(FORMAT16, (), 0.0, 0.0, True).is_zero()


def test_sets_as_text() -> None:
    """Half floats are told apart by 5 digits."""
    assert str(interval(0x3C00, 0x3C01)) == "{1, 1.001}"
    assert str(interval(0x8000, 0x0000)) == "{-0, 0}"
    assert str(interval(0x3C00, 0x4000)) == "[1, 2]"
    assert str(FloatSet(FORMAT16, (), 1.0, 2.0, True)) == "[1, 2] or nan"
    assert str(float_sets.of_words({NAN: None, 0x3C00: None}, FORMAT16)) == "{1, nan}"
    assert interval(0x3C00, 0x3C01).to_json() == {"values": ["1", "1.001"]}
    assert interval(0x3C00, 0x4000).to_json() == {"least": "1", "most": "2"}
    assert float_sets.exactly(NAN, FORMAT16).to_json() == {"values": [], "nan": True}


def test_doubles_are_as_precise_as_single_floats_at_least() -> None:
    """ "The precision of double-precision instructions is at least that of single precision"."""
    env = Env(FORMAT64, False, False, True, EITHER)
    third = Fraction(1, 3)
    allowed = float_sets.rounded(third, 0, env)
    assert allowed is not None
    near = numpy.float32(1 / 3)
    steps = sorted([float(near), float(numpy.nextafter(near, numpy.float32(0)))])
    assert (allowed.least, allowed.most) == tuple(steps)
    exact = float_sets.rounded(Fraction(1, 2), 0, env)
    assert exact is not None and exact.is_one()
    assert float_sets.rounded(third * Fraction(1, 1 << 130), 0, env) is None
    assert float_sets.rounded(third * (1 << 130), 0, env) is None
    wide = float_sets.spanned(third, 2 * third, env)
    assert wide is not None and wide.least == steps[0] and wide.most == float(numpy.float32(2 / 3))
    assert float_sets.spanned(third * (1 << 130), third * (1 << 131), env) is None
    within = float_sets.within(third - Fraction(1, 1000), third + Fraction(1, 1000), env)
    assert within is not None and within.holds(int(numpy.float64(1 / 3).view(numpy.uint64)))
    assert third - Fraction(1, 1000) <= within.least and within.most <= third + Fraction(1, 1000)
