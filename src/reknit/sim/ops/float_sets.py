"""The floats that an operation may give, of operands that may be one of several: a few words, or an interval.

    FAdd 2^24, 0.1           {2^24, 2^24 + 2}            either neighbour of the exact sum
    FMul 2^-126, 0.5         {2^-127, 0, -0}             a denormal, which may be flushed
    FDiv 1, 3                [1/3 - 2.5 ulp, 1/3 + 2.5 ulp]
    FAdd 1, [2, 3]           [3, 4]

None stands for any float at all: nothing that is written about the operation bounds it. What is written is Vulkan's
"Precision and Operation of SPIR-V Instructions"; each rule below has its sentence. A set may be too large, never too
small: "not allowed" is said of what is outside.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import prod
from typing import Final, final

from reknit.ir import glsl, op
from reknit.sim.ops.ieee import FORMAT32, Format, round_ratio
from reknit.sim.ops.undefined import Undefined

MAX_WORDS: Final = 8  # that are kept one by one
MAX_CASES: Final = 64  # combinations of operands that are gone through

EITHER: Final = 0  # the rounding mode is implementation-defined
NEAREST: Final = 1
TOWARD_ZERO: Final = 2

PADDING: Final = Fraction(1, 1 << 45)
"""Relative error of what Python's `math` computes, generously."""


@final
class FloatSet:
    """The floats from `least` to `most`, or those of `words` where they are few, which are then their bounds. A zero in
    an interval has either sign. `nan`: a NaN too, of any bits."""

    __slots__ = ("form", "words", "least", "most", "nan")

    def __init__(self, form: Format, words: tuple[int, ...], least: float, most: float, nan: bool) -> None:
        self.form = form
        self.words = words
        self.least = least
        self.most = most
        self.nan = nan

    def holds(self, word: int) -> bool:
        """Whether it may be that word."""
        if is_nan(word, self.form):
            return self.nan
        if self.words:
            return word in self.words
        return self.least <= self.form.decode(word) <= self.most

    def is_one(self) -> bool:
        return len(self.words) == 1 and not self.nan

    def is_zero(self) -> bool:
        """Whether it is a zero, of either sign."""
        return self.least == 0.0 and self.most == 0.0 and not self.nan

    def key(self) -> tuple[object, ...]:
        return self.form.width, self.words or (self.least, self.most), self.nan

    def __str__(self) -> str:
        """`{1, 1.00000012}`, `[0.5, 0.75]`, `{0, -0, nan}`; infinities and zeros as C prints them."""
        if not self.words:
            text = f"[{number_text(self.least, self.form)}, {number_text(self.most, self.form)}]"
            return text + (" or nan" if self.nan else "")
        words = sorted([word for word in self.words if not is_nan(word, self.form)], key=self.order)
        texts = [number_text(self.form.decode(word), self.form) for word in words]
        return "{" + ", ".join(texts + ["nan"] * self.nan) + "}"

    def order(self, word: int) -> tuple[float, int]:
        return self.form.decode(word), -(word & self.form.sign)

    def to_json(self) -> dict[str, object]:
        """Numbers as text: JSON has no infinities."""
        document: dict[str, object] = {}
        if self.words:
            words = sorted([word for word in self.words if not is_nan(word, self.form)], key=self.order)
            document["values"] = [number_text(self.form.decode(word), self.form) for word in words]
        else:
            document["least"] = number_text(self.least, self.form)
            document["most"] = number_text(self.most, self.form)
        return {**document, "nan": True} if self.nan else document


def number_text(number: float, form: Format) -> str:
    """With as many digits as tell floats of the width apart."""
    return f"{number:.{ {16: 5, 64: 17}.get(form.width, 9) }g}"


@final
class Env:
    """What an operation of one width is held to. `flushes`: denormals may be flushed to zero; `flushed`: results must.
    `keeps`: infinities, NaNs and the sign of zero are not ignored."""

    __slots__ = ("form", "flushes", "flushed", "keeps", "rounding")

    def __init__(self, form: Format, flushes: bool, flushed: bool, keeps: bool, rounding: int) -> None:
        self.form = form
        self.flushes = flushes
        self.flushed = flushed
        self.keeps = keeps
        self.rounding = rounding


# --- words ------------------------------------------------------------------------------------------------------------


def is_nan(word: int, form: Format) -> bool:
    return word & (form.sign - 1) > form.inf


def is_special(word: int, form: Format) -> bool:
    """An infinity or a NaN."""
    return word & (form.sign - 1) >= form.inf


def is_denormal(word: int, form: Format) -> bool:
    return 0 < word & (form.sign - 1) < form.hidden


def least_normal(form: Format) -> Fraction:
    return Fraction(form.decode(form.hidden))


def greatest(form: Format) -> Fraction:
    return Fraction(form.decode(form.inf - 1))


def nearest(x: Fraction, form: Format) -> int:
    return round_ratio(x.numerator, x.denominator, form)


def before(word: int, form: Format) -> int:
    """The next float below; the zeros are one."""
    if word & (form.sign - 1) == 0:
        return form.sign | 1
    return word + 1 if word & form.sign else word - 1


def after(word: int, form: Format) -> int:
    if word & (form.sign - 1) == 0:
        return 1
    return word - 1 if word & form.sign else word + 1


def below(x: Fraction, form: Format) -> int:
    """The greatest float that is no greater."""
    word = nearest(x, form)
    if word == form.inf:
        return form.inf - 1
    if word == form.sign | form.inf:
        return word
    return word if Fraction(form.decode(word)) <= x else before(word, form)


def above(x: Fraction, form: Format) -> int:
    """The least float that is no less."""
    word = nearest(x, form)
    if word == form.sign | form.inf:
        return form.sign | (form.inf - 1)
    if word == form.inf:
        return word
    return word if Fraction(form.decode(word)) >= x else after(word, form)


def ulp(x: Fraction, form: Format) -> Fraction:
    """"The minimum possible distance" between two floats that x lies between, or of the two that are nearest to it."""
    size = abs(x)
    lowest = 1 - form.bias
    exponent = lowest
    if size >= least_normal(form):
        exponent = size.numerator.bit_length() - size.denominator.bit_length()
        if Fraction(2) ** exponent > size:
            exponent -= 1
        exponent = min(exponent, form.bias)
    spacing = Fraction(2) ** (exponent - form.fraction)
    return spacing / 2 if size == Fraction(2) ** exponent and exponent > lowest else spacing


def zeros(form: Format) -> tuple[int, int]:
    return 0, form.sign


# --- sets -------------------------------------------------------------------------------------------------------------


def exactly(word: int, form: Format) -> FloatSet:
    return of_words({word: None}, form)


def of_words(words: dict[int, None], form: Format) -> FloatSet:
    """Any number of words, one at least."""
    nan = any(is_nan(word, form) for word in words)
    numbers = [form.decode(word) for word in words if not is_nan(word, form)]
    least, most = (min(numbers), max(numbers)) if numbers else (math.nan, math.nan)
    kept = tuple(words) if len(words) <= MAX_WORDS else ()
    return FloatSet(form, kept, least, most, nan)


def interval(least: int, most: int, form: Format) -> FloatSet:
    """By words, which are no NaNs. Few floats are kept one by one."""
    low, high = ordered(least, form), ordered(most, form)
    if high - low < MAX_WORDS - 1:
        words: dict[int, None] = {}
        for place in range(low, high + 1):
            words.update(dict.fromkeys(zeros(form) if place == 0 else (at_place(place, form),)))
        return of_words(words, form)
    return FloatSet(form, (), form.decode(least), form.decode(most), False)


def ordered(word: int, form: Format) -> int:
    return -(word & (form.sign - 1)) if word & form.sign else word


def at_place(place: int, form: Format) -> int:
    return place if place >= 0 else form.sign | -place


def joined(sets: list[FloatSet]) -> FloatSet:
    """What may be in any of them."""
    if len(sets) == 1:
        return sets[0]
    form = sets[0].form
    nan = any(each.nan for each in sets)
    words: dict[int, None] = {}
    for each in sets:
        words.update(dict.fromkeys(each.words))
    if all(each.words for each in sets) and len(words) <= MAX_WORDS:
        return of_words(words, form)
    numbers = [number for each in sets for number in (each.least, each.most) if number == number]
    if not numbers:
        return FloatSet(form, (form.nan,), math.nan, math.nan, True)
    return FloatSet(form, (), min(numbers), max(numbers), nan)


def without_meaning(words: dict[int, None], env: Env) -> FloatSet | None:
    """Where infinities, NaNs and the sign of zero may be ignored: any value for an infinity or a NaN, either zero."""
    if not env.keeps:
        if any(is_special(word, env.form) for word in words):
            return None
        if any(word in zeros(env.form) for word in words):
            words.update(dict.fromkeys(zeros(env.form)))
    return of_words(words, env.form)


def copied(word: int, env: Env) -> FloatSet | None:
    """What a copy of a word may be. Copies flush nothing: "All bit-preserving operations [...] must not flush
    denormalized values"; they ignore what NotNaN, NotInf and NSZ let them."""
    return without_meaning({word: None}, env)


def numbers_of(words: list[int], form: Format) -> list[Fraction]:
    return [Fraction(form.decode(word)) for word in words]


# --- correctly rounded ------------------------------------------------------------------------------------------------


def rounded(x: Fraction, zero: int, env: Env) -> FloatSet | None:
    """The infinitely precise result, rounded; `zero` is what it is where it is one. "If x is exactly representable then
    x will be returned. Otherwise, either the floating-point value closest to and no less than x or the value closest to
    and no greater than x will be returned." A denormal may be flushed, and counts as one "even if rounding would
    otherwise give a normal result"."""
    form = env.form
    if form.width == 64 and not is_float(x, form):
        return rounded_wide(x, form)
    words: dict[int, None] = {}
    if x == 0:
        words[zero] = None
    elif env.rounding == NEAREST:
        words[nearest(x, form)] = None
    elif env.rounding == TOWARD_ZERO:
        words[below(x, form) if x > 0 else above(x, form)] = None
    else:
        words[nearest(x, form)] = None  # the simulator's first
        words[below(x, form)] = None
        words[above(x, form)] = None
    if x != 0 and abs(x) < least_normal(form):
        if env.flushed:
            words = {word: None for word in words if not is_denormal(word, form)}
        if env.flushed or env.flushes:
            words.update(dict.fromkeys(zeros(form)))
    return without_meaning(words, env)


def is_float(x: Fraction, form: Format) -> bool:
    word = nearest(x, form)
    return not is_special(word, form) and Fraction(form.decode(word)) == x


def rounded_wide(x: Fraction, form: Format) -> FloatSet | None:
    """"The precision of double-precision instructions is at least that of single precision."."""
    if not least_normal(FORMAT32) <= abs(x) <= greatest(FORMAT32):
        return None
    low, high = (FORMAT32.decode(each) for each in (below(x, FORMAT32), above(x, FORMAT32)))
    return FloatSet(form, (), low, high, False)


def spanned(low: Fraction, high: Fraction, env: Env) -> FloatSet | None:
    """Of any exact result from `low` to `high`, rounded."""
    form = env.form
    if form.width == 64:
        edges = [rounded(low, 0, env), rounded(high, 0, env)]
        sets = [edge for edge in edges if edge is not None]
        return flushed_part(joined(sets), env) if len(sets) == 2 else None
    least, most = below(low, form), above(high, form)
    if env.rounding == NEAREST:
        least, most = nearest(low, form), nearest(high, form)
    elif env.rounding == TOWARD_ZERO:
        least = below(low, form) if low > 0 else above(low, form)
        most = below(high, form) if high > 0 else above(high, form)
    return bounded(least, most, env)


def bounded(least: int, most: int, env: Env) -> FloatSet | None:
    """An interval, with what flushing adds; any value where it has an infinity."""
    if is_special(least, env.form) or is_special(most, env.form):
        return None
    return flushed_part(interval(least, most, env.form), env)


def flushed_part(allowed: FloatSet, env: Env) -> FloatSet:
    """With the zeros that its denormals may be flushed to. One that is normal may have been a denormal before it was
    rounded."""
    form = env.form
    edge = form.decode(form.hidden)
    if not (env.flushes or env.flushed) or allowed.least > edge or allowed.most < -edge:
        return allowed
    if allowed.words and len(allowed.words) <= MAX_WORDS - 2:
        return of_words(dict.fromkeys([*allowed.words, *zeros(form)]), form)
    return FloatSet(form, (), min(allowed.least, 0.0), max(allowed.most, 0.0), allowed.nan)


def near(allowed: FloatSet, given: list[FloatSet | None], by: Fraction) -> FloatSet | None:
    """A set with what is off by a part of its numbers, or of the operands they come from, as a rearrangement may be.
    What overflows or underflows may do neither when it is rearranged."""
    form = allowed.form
    sets = [allowed, *[each for each in given if each is not None]]
    if any(each.nan or math.isinf(each.least) or math.isinf(each.most) for each in sets):
        return None
    if any(is_denormal(word, form) for word in allowed.words):
        return None
    most = max([abs(Fraction(number)) for each in sets for number in (each.least, each.most)])
    if not most:
        return allowed
    low, high = Fraction(allowed.least) - by * most, Fraction(allowed.most) + by * most
    if max(abs(low), abs(high)) > greatest(form):
        return None
    return FloatSet(form, (), form.decode(nearest(low, form)), form.decode(nearest(high, form)), False)


def about(word: int, by: Fraction, form: Format) -> FloatSet | None:
    """What is off by a part of a number, or of 1 if that is more; any float for an infinity or a NaN."""
    if is_special(word, form):
        return None
    x = Fraction(form.decode(word))
    low, high = (nearest(x + off * max(abs(x), Fraction(1)), form) for off in (-by, by))
    return None if is_special(low, form) or is_special(high, form) else interval(low, high, form)


def is_narrow(allowed: FloatSet, by: Fraction) -> bool:
    """Whether its floats are numbers that are no further apart than that, and no denormals."""
    if allowed.nan or math.isinf(allowed.least) or math.isinf(allowed.most):
        return False
    if any(is_denormal(word, allowed.form) for word in allowed.words):
        return False
    return Fraction(allowed.most) - Fraction(allowed.least) <= by


def within(low: Fraction, high: Fraction, env: Env) -> FloatSet | None:
    """"The value returned must be in the range [x - n × ulp(x), x + n × ulp(x)]." "Where the range of allowed return
    values includes any value of magnitude larger than that of the largest representable finite floating-point number,
    operations may, additionally, return" an infinity."""
    if max(abs(low), abs(high)) > greatest(env.form):
        return None
    form = FORMAT32 if env.form.width == 64 else env.form
    least, most = above(low, form), below(high, form)
    if ordered(least, form) > ordered(most, form):
        least, most = below(low, form), above(high, form)
    if env.form.width == 64:
        allowed = FloatSet(env.form, (), form.decode(least), form.decode(most), False)
        return flushed_part(allowed, env)
    return bounded(least, most, env)


# --- rules ------------------------------------------------------------------------------------------------------------

Pair = tuple[Fraction, Fraction]
"""From the least to the greatest."""

Exact = Callable[[list[Fraction]], Fraction]
Scalar = Callable[[list[int]], int]
Span = Callable[[list[Pair], Env], Pair | None]
Point = Callable[[list[int], Env], FloatSet | None]
Hull = Callable[[list[Pair], Env], FloatSet | None]


@final
class Rule:
    """What an operation may give: of words, with denormals as they are, or of intervals."""

    __slots__ = ("point", "hull")

    def __init__(self, point: Point, hull: Hull) -> None:
        self.point = point
        self.hull = hull

    def of(self, given: list[FloatSet | None], env: Env) -> FloatSet | None:
        """With operands that may be flushed."""
        sets = [each for each in given if each is not None]
        if len(sets) < len(given):
            return None
        choices = [flushed_words(each.words, env, each.form) for each in sets]
        if all(choices) and prod([len(each) for each in choices]) <= MAX_CASES:
            allowed: list[FloatSet] = []
            for words in product(*choices):
                one = self.point(list(words), env)
                if one is None:
                    return None
                allowed.append(one)
            return joined(allowed)
        pairs: list[Pair] = []
        for each in sets:
            if each.nan or math.isinf(each.least) or math.isinf(each.most):
                return None
            pairs.append(flushed_pair(each, env))
        return self.hull(pairs, env)


def flushed_words(words: tuple[int, ...], env: Env, form: Format) -> list[int]:
    kept: dict[int, None] = dict.fromkeys(words)
    if env.flushes and any(is_denormal(word, form) for word in words):
        kept.update(dict.fromkeys(zeros(form)))
    return list(kept)


def flushed_pair(given: FloatSet, env: Env) -> Pair:
    low, high = Fraction(given.least), Fraction(given.most)
    edge = least_normal(given.form)
    if env.flushes and 0 < low < edge:
        low = Fraction(0)
    if env.flushes and -edge < high < 0:
        high = Fraction(0)
    return low, high


def corners(exact: Exact, pairs: list[Pair]) -> Pair:
    """Of what is linear in each operand, the extremes are at corners."""
    values = [exact(list(corner)) for corner in product(*pairs)]
    return min(values), max(values)


def correctly_rounded(exact: Exact, scalar: Scalar, given: Format) -> Rule:
    """`scalar` is the simulator's, which says what IEEE 754 has of infinities, NaNs and zeros."""

    def point(words: list[int], env: Env) -> FloatSet | None:
        if any(is_special(word, given) for word in words):
            if not env.keeps:
                return None
            result = scalar(words)
            return exactly(result, env.form)
        x = exact(numbers_of(words, given))
        return rounded(x, scalar(words) & env.form.sign if x == 0 else 0, env)

    def hull(pairs: list[Pair], env: Env) -> FloatSet | None:
        return spanned(*corners(exact, pairs), env)

    return Rule(point, hull)


def stepping(exact: Exact, scalar: Scalar) -> Rule:
    """Rounding to whole numbers and the like, which is exact and doesn't descend."""

    def point(words: list[int], env: Env) -> FloatSet | None:
        if any(is_special(word, env.form) for word in words) and not env.keeps:
            return None
        return without_meaning({scalar(words): None}, env)

    def hull(pairs: list[Pair], env: Env) -> FloatSet | None:
        low, high = exact([pairs[0][0]]), exact([pairs[0][1]])
        return bounded(nearest(low, env.form), nearest(high, env.form), env)

    return Rule(point, hull)


def spanning(span: Span) -> Rule:
    """By bounds of the exact result, with the error that is allowed; finite operands."""

    def point(words: list[int], env: Env) -> FloatSet | None:
        if any(is_special(word, env.form) for word in words):
            return None
        return hull([(each, each) for each in numbers_of(words, env.form)], env)

    def hull(pairs: list[Pair], env: Env) -> FloatSet | None:
        pair = span(pairs, env)
        return None if pair is None else within(*pair, env)

    return Rule(point, hull)


# --- with an error ----------------------------------------------------------------------------------------------------


def step_of(env: Env) -> Fraction:
    """How far a result that is rounded may be off, relatively."""
    fraction = 23 if env.form.width == 64 else env.form.fraction
    return Fraction(1, 1 << (fraction + 1 if env.rounding == NEAREST else fraction))


def growth(count: int, env: Env) -> Fraction:
    """The relative error of a term that takes part in `count` operations: (1 + u)^n - 1 <= n u / (1 - n u) (Higham,
    "Accuracy and Stability of Numerical Algorithms", lemma 3.1)."""
    by = count * step_of(env)
    return by / (1 - by)


def tiny_of(env: Env) -> Fraction:
    """What flushing a denormal, or rounding one, changes at most."""
    return least_normal(FORMAT32 if env.form.width == 64 else env.form)


def ulps(x: Pair, count: Fraction, env: Env) -> Pair:
    """What `count` ULP around any number of an interval allow."""
    form = FORMAT32 if env.form.width == 64 else env.form
    return lowered(x, count, form), -lowered((-x[1], -x[0]), count, form)


def lowered(x: Pair, count: Fraction, form: Format) -> Fraction:
    """The least of y - count ULP, of y in an interval. Just above a power of two an ULP is twice what it is there, so
    that this may be below that of the least y; the next powers of two are too far away for that."""
    low = x[0]
    least = low - count * ulp(low, form)
    if low > 0:
        power = Fraction(2) ** (low.numerator.bit_length() - low.denominator.bit_length() - 1)
        while power < low:
            power *= 2
        if power < x[1]:
            least = min(least, power - count * ulp(power * 3 / 2, form))
    return least


def widened(x: Pair, by: Fraction) -> Pair:
    return x[0] - by, x[1] + by


def size(pair: Pair) -> Fraction:
    return max(abs(pair[0]), abs(pair[1]))


def times(a: Pair, b: Pair) -> Pair:
    values = [x * y for x in a for y in b]
    return min(values), max(values)


def plus(a: Pair, b: Pair) -> Pair:
    return a[0] + b[0], a[1] + b[1]


def quotient(a: Pair, b: Pair) -> Pair:
    values = [x / y for x in a for y in b]
    return min(values), max(values)


def divisor_is_bounded(y: Pair, form: Format) -> bool:
    """"2.5 ULP for |y| = 0 or |y| in the range [2^-126, 2^126]", of half floats 14; nothing is said of others."""
    most = Fraction(2) ** (form.bias - 1)
    low, high = (y[0], y[1]) if y[0] > 0 else (-y[1], -y[0])
    return low > 0 and 1 / most <= low and high <= most


def divided(pairs: list[Pair], env: Env) -> Pair | None:
    form = FORMAT32 if env.form.width == 64 else env.form
    if not divisor_is_bounded(pairs[1], form):
        return None
    return ulps(quotient(pairs[0], pairs[1]), Fraction(5, 2), env)


def remainder(whole: Callable[[Fraction], int]) -> Rule:
    """FRem and FMod: "Inherited from" x - y × trunc(x/y) and x - y × floor(x/y), whose quotient is a division with its
    error: near a whole number it may be the next."""

    def span(pairs: list[Pair], env: Env) -> Pair | None:
        about = divided(pairs, env)
        if about is None or size(about) > greatest(env.form):
            return None  # of an infinite quotient the formula gives a NaN: "the operation may return any result"
        x, y = pairs
        counts = (Fraction(whole(about[0])), Fraction(whole(about[1])))
        product_of = times(y, counts)
        results = (x[0] - product_of[1], x[1] - product_of[0])
        sizes = size(x) + size(product_of)
        if sizes * 2 > greatest(env.form):
            return None
        low, high = widened(results, growth(2, env) * sizes + 4 * tiny_of(env))
        if any(pair[0] != pair[1] for pair in pairs):
            return low, high
        exact = x[0] - y[0] * whole(x[0] / y[0])
        error = max(abs(exact - low), abs(exact - high))
        return widened((exact, exact), error)

    return spanning(span)


def summed(terms: list[Pair], roundings: int, env: Env) -> Pair | None:
    """A sum, in any order, of terms that were rounded `roundings` times at most with those of the sum: "the formula
    given may be transformed using the mathematical associativity, commutativity, and distributivity"."""
    total = (Fraction(0), Fraction(0))
    for term in terms:
        total = plus(total, term)
    sizes = sum([size(term) for term in terms], Fraction(0))
    if sizes * (1 + growth(roundings, env)) > greatest(env.form):
        return None  # a part of it may overflow
    return widened(total, growth(roundings, env) * sizes + 2 * (roundings + 1) * len(terms) * tiny_of(env))


def dotted(a: list[FloatSet | None], b: list[FloatSet | None], env: Env) -> FloatSet | None:
    """"Inherited from" the sum of products. A sum of whole numbers that a float holds is exact in any order."""
    terms: list[Pair] = []
    whole = True
    for one, other in zip(a, b, strict=True):
        if one is None or other is None:
            return None
        if any(each.nan or math.isinf(each.least) or math.isinf(each.most) for each in (one, other)):
            return None
        pairs = [flushed_pair(one, env), flushed_pair(other, env)]
        terms.append(times(*pairs))
        whole = whole and all(low == high and low.denominator == 1 for low, high in pairs)
    if whole and sum([size(term) for term in terms]) <= env.form.hidden:
        return rounded(sum([low for low, _ in terms], Fraction(0)), 0, env)
    allowed = summed(terms, len(terms), env)
    return None if allowed is None else within(*allowed, env)


def mixed(pairs: list[Pair], env: Env) -> Pair | None:
    """FMix: "Inherited from x × (1.0 - a) + y × a"."""
    x, y, a = pairs
    rest = (1 - a[1], 1 - a[0])
    exact = plus(times(x, rest), times(y, a))
    if all(pair[0] == pair[1] for pair in pairs):
        value = x[0] + (y[0] - x[0]) * a[0]
        exact = (value, value)
    terms = [size(x), size(x) * size(a), size(y) * size(a)]
    if sum(terms) * 2 > greatest(env.form):
        return None
    return widened(exact, growth(5, env) * sum(terms) + 12 * (1 + size(a)) * tiny_of(env))


def multiplied_and_added(pairs: list[Pair], env: Env) -> Pair | None:
    """Fma: "Inherited from OpFMul followed by OpFAdd"."""
    product_of = times(pairs[0], pairs[1])
    exact = plus(product_of, pairs[2])
    sizes = size(product_of) + size(pairs[2])
    if sizes * 2 > greatest(env.form):
        return None
    return widened(exact, growth(2, env) * sizes + 4 * tiny_of(env))


def scaled(factor: float) -> Span:
    """Radians and Degrees: "Inherited from" a product, by "a correctly rounded approximation"."""

    def span(pairs: list[Pair], env: Env) -> Pair | None:
        by = Fraction(factor)
        exact = times(pairs[0], (by, by))
        if size(exact) * 2 > greatest(env.form):
            return None
        return widened(exact, growth(3, env) * size(exact) + 4 * tiny_of(env))

    return span


def of_function(function: Callable[[float], float], pair: Pair) -> Pair | None:
    """A function that doesn't descend, or doesn't ascend, with the error of its computation."""
    try:
        values = [Fraction(function(float(each))) for each in pair]
    except (ValueError, OverflowError):
        return None
    low, high = min(values), max(values)
    return low - abs(low) * PADDING, high + abs(high) * PADDING


def inverse_root(pairs: list[Pair], env: Env) -> Pair | None:
    """"2 ULP"."""
    if pairs[0][0] <= 0:
        return None
    exact = of_function(lambda x: 1.0 / math.sqrt(x), pairs[0])
    return None if exact is None else ulps(exact, Fraction(2), env)


def root(pairs: list[Pair], env: Env) -> Pair | None:
    """"Inherited from 1.0 / inversesqrt()": [x - E, x + E], where E is the error that this may have."""
    inverse = inverse_root(pairs, env)
    exact = of_function(math.sqrt, pairs[0]) if pairs[0][0] > 0 else None
    if inverse is None or exact is None or inverse[0] <= 0:
        return None
    by_formula = divided([(Fraction(1), Fraction(1)), inverse], env)
    if by_formula is None:
        return None
    error = max([abs(one - other) for one in exact for other in by_formula])
    return widened(exact, error)


def power_of(base: float) -> Span:
    """Exp and Exp2: "3 + 2 × |x| ULP", of half floats 1 + 2 × |x|."""

    def span(pairs: list[Pair], env: Env) -> Pair | None:
        if size(pairs[0]) > 1 << 10:
            return None
        exact = of_function(math.exp if base == math.e else lambda x: 2.0**x, pairs[0])
        first = 1 if env.form.width == 16 else 3
        return None if exact is None else ulps(exact, first + 2 * size(pairs[0]), env)

    return span


def logarithm(function: Callable[[float], float]) -> Span:
    """"3 ULP outside the range [0.5, 2.0]. Absolute error < 2^-21 inside", of half floats 2^-7."""

    def span(pairs: list[Pair], env: Env) -> Pair | None:
        low, high = pairs[0]
        if low <= 0:
            return None
        exact = of_function(function, pairs[0])
        if exact is None:
            return None
        inside = widened(exact, Fraction(1, 1 << (7 if env.form.width == 16 else 21)))
        outside = ulps(exact, Fraction(3), env)
        if low > 2 or high < Fraction(1, 2):
            return outside
        if low >= Fraction(1, 2) and high <= 2:
            return inside
        return min(inside[0], outside[0]), max(inside[1], outside[1])

    return span


def wave(function: Callable[[float], float], turns: tuple[float, ...]) -> Span:
    """Sin and Cos: "Absolute error <= 2^-11 inside the range [-π, π]", of half floats 2^-7. `turns` are where the
    function has its extremes."""

    def span(pairs: list[Pair], env: Env) -> Pair | None:
        low, high = float(pairs[0][0]), float(pairs[0][1])
        if low < -math.pi or high > math.pi:
            return None
        values = [function(each) for each in (low, high, *[turn for turn in turns if low <= turn <= high])]
        error = Fraction(1, 1 << (7 if env.form.width == 16 else 11)) + PADDING
        return Fraction(min(values)) - error, Fraction(max(values)) + error

    return span


# --- choosing ---------------------------------------------------------------------------------------------------------


def extreme(wants_least: bool, numbers_win: bool) -> Rule:
    """FMin, FMax, NMin, NMax: "Correct result", which is an operand. Of a NaN: "Which operand is the result is
    undefined if one of the operands is a NaN", for NMin and NMax "If one operand is a NaN, the other operand is the
    result"."""

    def point(words: list[int], env: Env) -> FloatSet | None:
        form = env.form
        if any(is_special(word, form) for word in words) and not env.keeps:
            return None
        first, second = words
        if any(is_nan(word, form) for word in words):
            if not numbers_win:
                return of_words(dict.fromkeys(words), form)
            return exactly(second if is_nan(first, form) else first, form)
        x, y = form.decode(first), form.decode(second)
        if x == y:  # zeros of both signs
            return without_meaning(dict.fromkeys(words), env)
        return without_meaning({first if (x < y) == wants_least else second: None}, env)

    def hull(pairs: list[Pair], env: Env) -> FloatSet | None:
        pick = min if wants_least else max
        low, high = pick([pair[0] for pair in pairs]), pick([pair[1] for pair in pairs])
        return bounded(nearest(low, env.form), nearest(high, env.form), env)

    return Rule(point, hull)


@final
class Clamp:
    """FClamp and NClamp: "min(max(x, minVal), maxVal)"; undefined where the bounds are in the wrong order."""

    __slots__ = ("upper", "lower")

    def __init__(self, numbers_win: bool) -> None:
        self.upper = extreme(False, numbers_win)
        self.lower = extreme(True, numbers_win)

    def of(self, given: list[FloatSet | None], env: Env) -> FloatSet | None:
        x, low, high = given
        if low is None or high is None or not low.most <= high.least:
            return None
        return self.lower.of([self.upper.of([x, low], env), high], env)


def negated(words: list[int], env: Env) -> FloatSet | None:
    form = env.form
    if any(is_special(word, form) for word in words) and not env.keeps:
        return None
    return flushed_part_of(words[0] ^ form.sign, env)


def flushed_part_of(word: int, env: Env) -> FloatSet | None:
    words: dict[int, None] = {word: None}
    if is_denormal(word, env.form):
        if env.flushed:
            words = {}
        if env.flushed or env.flushes:
            words.update(dict.fromkeys(zeros(env.form)))
    return without_meaning(words, env)


def made_positive(words: list[int], env: Env) -> FloatSet | None:
    if any(is_special(word, env.form) for word in words) and not env.keeps:
        return None
    return flushed_part_of(words[0] & (env.form.sign - 1), env)


def negated_hull(pairs: list[Pair], env: Env) -> FloatSet | None:
    low, high = pairs[0]
    return bounded(nearest(-high, env.form), nearest(-low, env.form), env)


def positive_hull(pairs: list[Pair], env: Env) -> FloatSet | None:
    low, high = pairs[0]
    least = Fraction(0) if low <= 0 <= high else min(abs(low), abs(high))
    return bounded(nearest(least, env.form), nearest(size(pairs[0]), env.form), env)


def fraction_hull(pairs: list[Pair], env: Env) -> FloatSet | None:
    """x - floor(x)."""
    low, high = pairs[0]
    if math.floor(low) == math.floor(high):
        return spanned(low - math.floor(low), high - math.floor(high), env)
    return bounded(0, env.form.one, env)


def halves(words: list[int], env: Env) -> FloatSet | None:
    """Round: "The fraction 0.5 rounds in a direction chosen by the implementation"."""
    form = env.form
    if any(is_special(word, form) for word in words) and not env.keeps:
        return None
    if is_special(words[0], form):
        return exactly(words[0] if not is_nan(words[0], form) else form.nan, form)
    x = Fraction(form.decode(words[0]))
    ways = [math.floor(x), math.ceil(x)] if 2 * x == 2 * math.floor(x) + 1 else [math.floor(x + Fraction(1, 2))]
    sign = words[0] & form.sign
    return without_meaning({nearest(Fraction(way), form) if way else sign: None for way in ways}, env)


def halves_hull(pairs: list[Pair], env: Env) -> FloatSet | None:
    low, high = math.ceil(pairs[0][0] - Fraction(1, 2)), math.floor(pairs[0][1] + Fraction(1, 2))
    return bounded(nearest(Fraction(low), env.form), nearest(Fraction(high), env.form), env)


def toward(x: Fraction) -> Fraction:
    return Fraction(math.floor(x) if x >= 0 else math.ceil(x))


def sign_of(x: Fraction) -> Fraction:
    return Fraction((x > 0) - (x < 0))


def stepped(words: list[int], env: Env) -> FloatSet | None:
    """Step: 0.0 if x < edge, else 1.0."""
    form = env.form
    if any(is_special(word, form) for word in words) and not env.keeps:
        return None
    return without_meaning({0 if form.decode(words[1]) < form.decode(words[0]) else form.one: None}, env)


def stepped_hull(pairs: list[Pair], env: Env) -> FloatSet | None:
    edge, x = pairs
    words: dict[int, None] = {}
    if x[0] < edge[1]:
        words[0] = None
    if x[1] >= edge[0]:
        words[env.form.one] = None
    return without_meaning(words, env)


# --- what is asked ----------------------------------------------------------------------------------------------------

EXACT: Final[dict[int, Exact]] = {
    op.FAdd: lambda given: given[0] + given[1],
    op.FSub: lambda given: given[0] - given[1],
    op.FMul: lambda given: given[0] * given[1],
    op.FmaKHR: lambda given: given[0] * given[1] + given[2],
    op.FConvert: lambda given: given[0],
}
"""The infinitely precise result of operations that are correctly rounded; each is linear in each operand."""

_SPANS: Final[dict[int, Span]] = {
    glsl.Fma: multiplied_and_added,
    glsl.FMix: mixed,
    glsl.Sqrt: root,
    glsl.InverseSqrt: inverse_root,
    glsl.Exp: power_of(math.e),
    glsl.Exp2: power_of(2.0),
    glsl.Log: logarithm(math.log),
    glsl.Log2: logarithm(math.log2),
    glsl.Sin: wave(math.sin, (-math.pi / 2, math.pi / 2)),
    glsl.Cos: wave(math.cos, (0.0,)),
    glsl.Radians: scaled(math.pi / 180),
    glsl.Degrees: scaled(180 / math.pi),
}

_STEPS: Final[dict[int, Exact]] = {
    glsl.RoundEven: lambda given: Fraction(round(given[0])),
    glsl.Trunc: lambda given: toward(given[0]),
    glsl.Floor: lambda given: Fraction(math.floor(given[0])),
    glsl.Ceil: lambda given: Fraction(math.ceil(given[0])),
    glsl.FSign: lambda given: sign_of(given[0]),
}

Ruled = Rule | Clamp


def rule_of_core(code: int, scalar: Scalar | None, given: Format) -> Ruled | None:
    """Of an instruction on one component; None for what has no bound here. `scalar` is the simulator's."""
    exact = EXACT.get(code)
    if exact is not None and scalar is not None:
        return correctly_rounded(exact, scalar, given)
    if code == op.FNegate:
        return Rule(negated, negated_hull)
    if code == op.FDiv:
        return spanning(divided)
    if code in (op.FRem, op.FMod):
        return remainder(math.trunc if code == op.FRem else math.floor)
    return None


def rule_of_glsl(number: int, scalar: Scalar | None, given: Format) -> Ruled | None:
    span = _SPANS.get(number)
    if span is not None:
        return spanning(span)
    step = _STEPS.get(number)
    if step is not None and scalar is not None:
        return stepping(step, scalar)
    if number == glsl.Fract and scalar is not None:
        point = correctly_rounded(lambda given: given[0] - math.floor(given[0]), scalar, given).point
        return Rule(point, fraction_hull)
    if number in (glsl.FMin, glsl.FMax, glsl.NMin, glsl.NMax):
        return extreme(number in (glsl.FMin, glsl.NMin), number in (glsl.NMin, glsl.NMax))
    if number in (glsl.FClamp, glsl.NClamp):
        return Clamp(number == glsl.NClamp)
    simple: dict[int, Rule] = {
        glsl.FAbs: Rule(made_positive, positive_hull),
        glsl.Round: Rule(halves, halves_hull),
        glsl.Step: Rule(stepped, stepped_hull),
    }
    return simple.get(number)


_ORDERS: Final = {
    op.FOrdEqual: "=", op.FUnordEqual: "=", op.FOrdNotEqual: "<>", op.FUnordNotEqual: "<>", op.FOrdLessThan: "<",
    op.FUnordLessThan: "<", op.FOrdGreaterThan: ">", op.FUnordGreaterThan: ">", op.FOrdLessThanEqual: "<=",
    op.FUnordLessThanEqual: "<=", op.FOrdGreaterThanEqual: ">=", op.FUnordGreaterThanEqual: ">=",
    op.LessOrGreater: "<>",
}  # fmt: skip
_ORDERLESS: Final = (op.IsNan, op.IsInf, op.IsFinite, op.Ordered, op.Unordered)

DECIDED: Final = frozenset((
    *_ORDERS, *_ORDERLESS, op.IsNormal, op.SignBitSet, op.ConvertFToS, op.ConvertFToU,
))  # fmt: skip
"""What `decides` speaks of."""


def decides(code: int, given: list[FloatSet | None], env: Env) -> bool:
    """Whether a comparison, a classification or a conversion to integers has one result, whatever the operands are."""
    sets = [each for each in given if each is not None]
    if len(sets) < len(given):
        return False
    special = any(
        each.nan or math.isinf(each.least) or math.isinf(each.most) or each.least != each.least for each in sets
    )
    if special:
        return env.keeps and all(each.is_one() or (each.nan and len(each.words) == 1) for each in sets)
    if code in _ORDERLESS:
        return True
    pairs = [flushed_pair(each, env) for each in sets]
    if code in _ORDERS:
        left, right = pairs
        possible = "<" * (left[0] < right[1]) + "=" * (left[0] <= right[1] and right[0] <= left[1])
        possible += ">" * (left[1] > right[0])
        if len(possible) > 1 and left[0] == left[1] and right[0] == right[1]:
            possible = "=" if left[0] == right[0] else possible
        return len({order in _ORDERS[code] for order in possible}) == 1
    if code in (op.ConvertFToS, op.ConvertFToU):
        return toward(pairs[0][0]) == toward(pairs[0][1])
    return all(each.is_one() and not any(is_denormal(word, each.form) for word in each.words) for each in sets)


def silent() -> Undefined:
    return Undefined(lambda lane, message: None)
