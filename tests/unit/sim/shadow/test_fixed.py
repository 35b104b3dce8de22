"""Which results are fixed whatever an operand is, against all that it may be: every completion of integers of 3 bits.

A result is fixed if no completion makes the operation undefined, and all give the same. What is said here must hold of
every opcode; that nothing else is fixed holds of those in EXACT, which are all of SPIR-V's own.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from reknit.ir import glsl, op, traits
from reknit.ir.opcodes import info
from reknit.sim.ops.glsl import glsl_function
from reknit.sim.ops.ieee import format_of
from reknit.sim.ops.monoid import of_ints
from reknit.sim.ops.table import scalar_function
from reknit.sim.ops.undefined import Undefined
from reknit.sim.shadow.fixed import Fixed, fixed_of, fixed_of_fold, fixed_of_glsl, pair_fixed
from reknit.sim.values import BOOL, BOOL_KIND, F16, INT_KIND, Shape, struct

WIDTH = 3
SMALL = Shape(INT_KIND, WIDTH, True)
WORDS = list(range(1 << WIDTH))

ARITHMETIC = [op.SNegate, op.Not, op.BitReverse, op.BitCount, op.IAdd, op.ISub, op.IMul, op.UDiv, op.SDiv, op.UMod]
ARITHMETIC += [op.SRem, op.SMod, op.BitwiseOr, op.BitwiseXor, op.BitwiseAnd, op.ShiftLeftLogical]
ARITHMETIC += [op.ShiftRightLogical, op.ShiftRightArithmetic]
COMPARISONS = [op.IEqual, op.INotEqual, op.UGreaterThan, op.SGreaterThan, op.UGreaterThanEqual, op.SGreaterThanEqual]
COMPARISONS += [op.ULessThan, op.SLessThan, op.ULessThanEqual, op.SLessThanEqual]
INTEL = [op.AbsISubINTEL, op.AbsUSubINTEL, op.IAddSatINTEL, op.UAddSatINTEL, op.ISubSatINTEL, op.USubSatINTEL]
INTEL += [op.IAverageINTEL, op.UAverageINTEL, op.IAverageRoundedINTEL, op.UAverageRoundedINTEL]
LOGIC = [op.LogicalEqual, op.LogicalNotEqual, op.LogicalOr, op.LogicalAnd, op.LogicalNot]


def checked(function: Callable[..., Any], said: list[str], fixed: Fixed, domains: list[list[int]], exact: bool) -> int:
    """How many cases of operands, some of which may be anything, are fixed."""
    count = 0
    for anys in product([0, 1], repeat=len(domains)):
        if not any(anys):
            continue
        known = [[0] if may else domain for may, domain in zip(anys, domains, strict=True)]
        for words in product(*known):
            results: dict[Any, None] = {}
            free = [domain if may else [word] for may, domain, word in zip(anys, domains, words, strict=True)]
            for completion in product(*free):
                said.clear()
                result = function(*completion)
                results["undefined" if said else result] = None
            truly = len(results) == 1 and "undefined" not in results
            claimed = fixed(list(words), list(anys))
            assert truly or not claimed, (words, anys, results)
            assert claimed or not truly or not exact, (words, anys, results)
            count += claimed
    return count


def name(code: int) -> str:
    known = info(code)
    return known.name if known is not None else str(code)


def made(code: int, result: Shape, shapes: list[Shape]) -> tuple[Callable[..., Any], list[str]]:
    said: list[str] = []
    function = scalar_function(code, result, shapes, [], Undefined(lambda lane, message: said.append(message)))
    assert function is not None
    return function, said


@pytest.mark.parametrize("code", ARITHMETIC + COMPARISONS + INTEL, ids=name)
def test_integers(code: int) -> None:
    operands = 1 if code in (op.SNegate, op.Not, op.BitReverse, op.BitCount) else 2
    shapes = [SMALL] * operands
    function, said = made(code, BOOL if code in COMPARISONS else SMALL, shapes)
    checked(function, said, fixed_of(code, shapes, function), [WORDS] * operands, code not in INTEL)


def test_how_many_are_fixed() -> None:
    """By hand: of x & y, y = 0 with x unknown and the other way round: 2. Of x % y, y = 1: 1. Of x < y, unsigned, y = 0
    or x = 7: 2. Of x + y none."""
    for code, result, expected in [
        (op.BitwiseAnd, SMALL, 2),
        (op.UMod, SMALL, 1),
        (op.ULessThan, BOOL, 2),
        (op.IAdd, SMALL, 0),
    ]:
        function, said = made(code, result, [SMALL, SMALL])
        assert checked(function, said, fixed_of(code, [SMALL, SMALL], function), [WORDS, WORDS], True) == expected


@pytest.mark.parametrize("code", LOGIC, ids=name)
def test_booleans(code: int) -> None:
    shapes = [BOOL] * (1 if code == op.LogicalNot else 2)
    function, said = made(code, BOOL, shapes)
    checked(function, said, fixed_of(code, shapes, function), [[0, 1]] * len(shapes), True)


def test_select() -> None:
    shapes = [BOOL, SMALL, SMALL]
    function, said = made(op.Select, SMALL, shapes)
    checked(function, said, fixed_of(op.Select, shapes, function), [[0, 1], WORDS, WORDS], True)


@pytest.mark.parametrize("code", [op.BitFieldUExtract, op.BitFieldSExtract], ids=name)
def test_bit_fields_taken_out(code: int) -> None:
    shapes = [SMALL] * 3
    function, said = made(code, SMALL, shapes)
    checked(function, said, fixed_of(code, shapes, function), [WORDS, list(range(5)), list(range(5))], True)


def test_bit_fields_put_in() -> None:
    shapes = [SMALL] * 4
    function, said = made(op.BitFieldInsert, SMALL, shapes)
    places = list(range(5))
    checked(function, said, fixed_of(op.BitFieldInsert, shapes, function), [WORDS, WORDS, places, places], True)


@pytest.mark.parametrize("code", [op.IAddCarry, op.ISubBorrow, op.UMulExtended, op.SMulExtended], ids=name)
def test_results_of_two_words(code: int) -> None:
    function, said = made(code, struct([SMALL, SMALL]), [SMALL, SMALL])
    for member in (0, 1):

        def half(a: Any, b: Any, at: int = member) -> Any:
            return function(a, b)[at]

        def fixed(words: Any, anys: Any, at: int = member) -> Any:
            return pair_fixed(code, WIDTH, words, anys)[at]

        checked(half, said, fixed, [WORDS, WORDS], True)


@pytest.mark.parametrize("number", [glsl.UMin, glsl.SMin, glsl.UMax, glsl.SMax, glsl.UClamp, glsl.SClamp])
def test_extremes(number: int) -> None:
    """Clamps are fixed where the bounds are one number; that they are where a bound is the end of what there is is not
    said."""
    said: list[str] = []
    operands = 3 if number in (glsl.UClamp, glsl.SClamp) else 2
    shapes = [SMALL] * operands
    function = glsl_function(number, SMALL, shapes, Undefined(lambda lane, message: said.append(message)))
    assert function is not None
    checked(function, said, fixed_of_glsl(number, shapes), [WORDS] * operands, operands == 2)


@pytest.mark.parametrize("kind", ["i-add", "i-mul", "s-min", "s-max", "u-min", "u-max", "and", "or", "xor"])
def test_what_reductions_combine_by(kind: str) -> None:
    assert kind in traits.COMBINES.values()
    monoid = of_ints(kind, WIDTH)
    assert monoid is not None
    checked(monoid.combine, [], fixed_of_fold(kind, SMALL), [WORDS, WORDS], True)


def test_booleans_are_reduced_as_a_bit() -> None:
    for kind in ("and", "or", "xor"):
        monoid = of_ints(kind, 1)
        assert monoid is not None
        checked(monoid.combine, [], fixed_of_fold(kind, Shape(BOOL_KIND, 1)), [[0, 1], [0, 1]], True)


FLOATS = [op.FOrdEqual, op.FUnordEqual, op.FOrdNotEqual, op.FUnordNotEqual, op.FOrdLessThan, op.FUnordLessThan]
FLOATS += [op.FOrdGreaterThan, op.FUnordGreaterThan, op.FOrdLessThanEqual, op.FUnordLessThanEqual]
FLOATS += [op.FOrdGreaterThanEqual, op.FUnordGreaterThanEqual, op.Ordered, op.Unordered, op.LessOrGreater]


@pytest.mark.parametrize("code", FLOATS, ids=name)
def test_comparisons_of_floats(code: int) -> None:
    """Halves: the zeros, the least and greatest numbers, infinities, NaNs and some others."""
    form = format_of(16)
    assert form is not None
    numbers = [0, 1, 0x3C00, 0x7BFF, form.inf, form.nan, 0x7C01]
    numbers += [number | form.sign for number in numbers]
    function, said = made(code, BOOL, [F16, F16])
    checked(function, said, fixed_of(code, [F16, F16], function), [numbers, numbers], True)
