"""Operations on scalars whose result is the same whatever an operand is.

    fixed([0, 7], [0, 1])        BitwiseAnd: 0 & anything is 0       true
    fixed([1, 7], [0, 1])        1 & anything is 0 or 1              false

A function gets the words of the operands, and for each whether it may be anything; it is asked only where one may be.
It may say false of what is fixed, never true of what is not. Integers, bits and booleans are exact but for the
operations of SPV_INTEL_shader_integer_functions2 and clamps; of floats, comparisons are, and arithmetic on an undefined
float is taken to be undefined.
"""

from collections.abc import Callable
from typing import Any, Final

from reknit.ir import glsl, op
from reknit.sim.ops.ieee import format_of
from reknit.sim.values import BOOL_KIND, FLOAT_KIND, INT_KIND, Shape

Fixed = Callable[[list[int], list[int]], bool]

COMPARISONS: Final = (
    op.IEqual, op.INotEqual, op.UGreaterThan, op.SGreaterThan, op.UGreaterThanEqual, op.SGreaterThanEqual,
    op.ULessThan, op.SLessThan, op.ULessThanEqual, op.SLessThanEqual, op.Ordered, op.Unordered, op.LessOrGreater,
    op.FOrdEqual, op.FUnordEqual, op.FOrdNotEqual, op.FUnordNotEqual, op.FOrdLessThan, op.FUnordLessThan,
    op.FOrdGreaterThan, op.FUnordGreaterThan, op.FOrdLessThanEqual, op.FUnordLessThanEqual, op.FOrdGreaterThanEqual,
    op.FUnordGreaterThanEqual,
)  # fmt: skip


def never(words: list[int], anys: list[int]) -> bool:
    return False


def either_is(word: int) -> Fixed:
    """Whether one of two operands is known to be this."""

    def fixed(words: list[int], anys: list[int]) -> bool:
        return (not anys[0] and words[0] == word) or (not anys[1] and words[1] == word)

    return fixed


def second_is(word: int) -> Fixed:
    def fixed(words: list[int], anys: list[int]) -> bool:
        return not anys[1] and words[1] == word

    return fixed


def first_is(word: int) -> Fixed:
    def fixed(words: list[int], anys: list[int]) -> bool:
        return not anys[0] and words[0] == word

    return fixed


def chosen(words: list[int], anys: list[int]) -> bool:
    """OpSelect on scalars: what is not chosen is not looked at."""
    if anys[0]:
        return not anys[1] and not anys[2] and words[1] == words[2]
    return not anys[1 if words[0] else 2]


def extracted(width: int) -> Fixed:
    """A bit field of no bits, which begins in the number, is 0: SPIR-V 1.6, OpBitFieldUExtract."""
    return lambda words, anys: not anys[1] and not anys[2] and words[2] == 0 and words[1] <= width


def inserted(width: int) -> Fixed:
    """OpBitFieldInsert(base, insert, offset, count): of no bits it is the base, of all bits what is inserted."""

    def fixed(words: list[int], anys: list[int]) -> bool:
        if anys[2] or anys[3] or words[2] + words[3] > width:
            return False
        if words[3] == 0:
            return not anys[0]
        return not anys[1] and (not anys[0] or words[3] == width)

    return fixed


def compared(function: Callable[..., Any], probes: list[int]) -> Fixed:
    """A comparison with one operand that may be anything: the probes, and what it is compared with, stand for all that
    is less, equal, greater, and not a number."""

    def fixed(words: list[int], anys: list[int]) -> bool:
        if anys[0] and anys[1]:
            return False
        known = words[1] if anys[0] else words[0]
        results: dict[Any, None] = {}
        for probe in [*probes, known]:
            results[function(probe, known) if anys[0] else function(known, probe)] = None
        return len(results) == 1

    return fixed


def fixed_of(code: int, shapes: list[Shape], function: Callable[..., Any] | None) -> Fixed:
    """For an opcode on scalars of these shapes; `function` computes it."""
    if not shapes:
        return never
    first = shapes[0]
    width = max(first.width, 1)
    mask = (1 << width) - 1
    if code in COMPARISONS and function is not None:
        sign = 1 << (width - 1)
        if first.kind == INT_KIND:
            return compared(function, [0, mask, sign, sign - 1])
        form = format_of(width) if first.kind == FLOAT_KIND else None
        return never if form is None else compared(function, [form.nan, form.inf, form.inf | form.sign])
    if code == op.Select:
        return chosen
    if first.kind == BOOL_KIND:
        if code == op.LogicalAnd:
            return either_is(0)
        return either_is(1) if code == op.LogicalOr else never
    if first.kind != INT_KIND:
        return never
    if code == op.BitwiseAnd or code == op.IMul or code == op.IMul32x16INTEL or code == op.UMul32x16INTEL:
        return either_is(0)
    if code == op.BitwiseOr or code == op.UAddSatINTEL:
        return either_is(mask)
    if code == op.UMod or code == op.SRem or code == op.SMod:
        return second_is(1)
    if code == op.USubSatINTEL:
        return lambda words, anys: (not anys[0] and words[0] == 0) or (not anys[1] and words[1] == mask)
    if code == op.BitFieldUExtract or code == op.BitFieldSExtract:
        return extracted(width)
    return inserted(width) if code == op.BitFieldInsert else never


def fixed_of_glsl(number: int, shapes: list[Shape]) -> Fixed:
    """For an instruction of GLSL.std.450 on scalars."""
    if not shapes or shapes[0].kind != INT_KIND:
        return never
    mask = (1 << shapes[0].width) - 1
    sign = 1 << (shapes[0].width - 1)
    bounds = {glsl.UMin: 0, glsl.UMax: mask, glsl.SMin: sign, glsl.SMax: sign - 1}
    if number in bounds:
        return either_is(bounds[number])
    if number == glsl.UClamp or number == glsl.SClamp:
        return lambda words, anys: not anys[1] and not anys[2] and words[1] == words[2]
    return never


def fixed_of_fold(kind: str, shape: Shape) -> Fixed:
    """For what a reduction or an atomic combines by (`traits.COMBINES`), on scalars."""
    if shape.kind == FLOAT_KIND or not shape.is_scalar():
        return never
    width = max(shape.width, 1)
    mask = (1 << width) - 1
    sign = 1 << (width - 1)
    least = {"and": 0, "i-mul": 0, "u-min": 0, "or": mask, "u-max": mask, "s-min": sign, "s-max": sign - 1}
    return either_is(least[kind]) if kind in least else never


def pair_fixed(code: int, width: int, words: list[int], anys: list[int]) -> tuple[bool, bool]:
    """Of IAddCarry, ISubBorrow, UMulExtended and SMulExtended: whether the two members are fixed."""
    mask = (1 << width) - 1
    if code == op.IAddCarry:
        return False, either_is(0)(words, anys)
    if code == op.ISubBorrow:  # "0 if Operand 1 >= Operand 2, else 1"
        return False, (not anys[1] and words[1] == 0) or (not anys[0] and words[0] == mask)
    zero = either_is(0)(words, anys)
    return zero, zero or (code == op.UMulExtended and either_is(1)(words, anys))
