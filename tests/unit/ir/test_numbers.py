"""Integers and floats of the IR, swept: each operation that is folded, against the simulator's two ways to compute it
(a lane's values, and the machine's loops over lanes) and against what random programs mean.

The three are written apart from each other on purpose. All widths, values at the edges and drawn ones; floats of any
bits, NaN, infinities, -0 and denormals among them.
"""

import itertools
import random

import pytest
from kit.oracles.folded_values import corners, name

from reknit.fuzzing.meaning import meaning_of
from reknit.fuzzing.program import Program, Routine
from reknit.fuzzing.statements import Observe
from reknit.fuzzing.words import NUMBER, OPERATIONS, Word
from reknit.ir import floats, integers, op, traits
from reknit.sim.ops import kernels
from reknit.sim.ops.ieee import format_of
from reknit.sim.ops.table import column_function, scalar_function
from reknit.sim.ops.undefined import Undefined
from reknit.sim.registers import Register, as_column
from reknit.sim.values import BOOL, FLOAT_KIND, INT_KIND, Shape

WIDTHS = (8, 16, 32, 64)
FLOATS = (16, 32, 64)


def codes(*rules: str) -> list[int]:
    found = [code for code, rule in traits.FOLDS.items() if rule in rules]
    assert found
    return found


def machine(code: int, result: Shape, shapes: list[Shape], values: list[int]) -> int | None:
    """What the simulator gives; None where it reports that this is undefined."""
    said: list[str] = []
    undefined = Undefined(lambda lane, message: said.append(message))
    scalar = scalar_function(code, result, shapes, [], undefined)
    column = column_function(code, result, shapes, [], undefined)
    assert scalar is not None and column is not None, name(code)
    value = scalar(*values)
    out = [None]
    column(out, [0], [[each] for each in values])
    assert out == [value], (name(code), values)
    if all(shape.is_word() for shape in [result, *shapes]):
        word = Register([0])
        kernel = kernels.kernel(code, result, shapes, word, [Register([each]) for each in values], scalar, undefined)
        if kernel is not None:
            kernel.run(as_column([0]))
            assert word.listed() == [value], (name(code), values)
    return None if said else value


def numbers(width: int, count: int) -> list[int]:
    draw = random.Random(width)
    return [*corners(width), *[draw.randrange(1 << width) for _ in range(count)]]


@pytest.mark.parametrize("width", WIDTHS)
def test_two_integers(width: int, full: bool) -> None:
    shape = Shape(INT_KIND, width)
    undefined = 0
    for a, b in itertools.product(numbers(width, 60 if full else 4), repeat=2):
        for code in codes("binary", "division", "compare"):
            result = BOOL if traits.FOLDS[code] == "compare" else shape
            expected = machine(code, result, [shape, shape], [a, b])
            undefined += expected is None
            assert integers.binary(code, width, a, b) == expected, (name(code), a, b)
    assert undefined > 20


@pytest.mark.parametrize("width", WIDTHS)
def test_one_integer(width: int, full: bool) -> None:
    shape = Shape(INT_KIND, width)
    for a, code in itertools.product(numbers(width, 500 if full else 20), codes("unary")):
        if code == op.LogicalNot or code == op.FConvert:
            continue
        converts = code in (op.UConvert, op.SConvert, op.SatConvertSToU, op.SatConvertUToS)
        for target in WIDTHS if converts else (width,):
            expected = machine(code, Shape(INT_KIND, target), [shape], [a])
            assert integers.unary(code, width, target, a) == expected, (name(code), a, target)
        assert integers.signed(a, width) == int.from_bytes(a.to_bytes(width // 8, "little"), "little", signed=True)


@pytest.mark.parametrize("width", WIDTHS)
def test_fields(width: int) -> None:
    shape = Shape(INT_KIND, width)
    places = (0, 1, width - 1, width, width + 1)
    for a, offset, count in itertools.product(numbers(width, 2)[::2], places, places):
        for code in codes("field"):
            expected = machine(code, shape, [shape] * 3, [a, offset, count])
            assert integers.field(code, width, a, offset, count) == expected, (name(code), a, offset, count)
        expected = machine(op.BitFieldInsert, shape, [shape] * 4, [a, 0x5A, offset, count])
        assert integers.insert_field(width, a, 0x5A, offset, count) == expected


def test_booleans() -> None:
    for a, b in itertools.product((0, 1), repeat=2):
        for code in codes("logic"):
            if code == op.LogicalNot:
                assert integers.unary(code, 1, 1, a) == machine(code, BOOL, [BOOL], [a])
            else:
                assert integers.binary(code, 1, a, b) == machine(code, BOOL, [BOOL, BOOL], [a, b]), name(code)


def any_floats(width: int, count: int) -> list[int]:
    draw = random.Random(width)
    fraction = {16: 10, 32: 23, 64: 52}[width]
    top = (1 << (width - 1 - fraction)) - 1
    bias = top >> 1
    rows = [0, 1, bias - 1, bias, bias + 7, bias + 31, bias + 63, top - 1, top]
    found = [row << fraction | low for row in rows if 0 <= row <= top for low in (0, 1, (1 << fraction) - 1)]
    found += [draw.randrange(1 << (width - 1)) for _ in range(count)]
    return [bits | sign << (width - 1) for bits in found for sign in (0, 1)]


@pytest.mark.parametrize("width", FLOATS)
def test_floats(width: int, full: bool) -> None:
    """What is known is the simulator's; what is NaN, infinite, denormal or rounded is left alone."""
    shape, form = Shape(FLOAT_KIND, width), format_of(width)
    assert form is not None
    some = any_floats(width, 2_000 if full else 20)
    known = 0
    for a in some:
        for code, target in itertools.product(codes("to-int"), WIDTHS):
            found = floats.to_int(code, width, target, a)
            assert found in (None, machine(code, Shape(INT_KIND, target), [shape], [a])), (name(code), hex(a), target)
            known += found is not None
        for target in FLOATS:
            found = floats.resize(op.FConvert, width, target, a)
            assert found in (None, machine(op.FConvert, Shape(FLOAT_KIND, target), [shape], [a])), (hex(a), target)
            known += found is not None
        number = form.decode(a)
        if number == number:
            assert floats.decoded(a, width) == number and floats.rounded_bits(number, width) == a
    for a, b in zip(some, reversed(some), strict=True):
        for code, pair in itertools.product(codes("float-compare"), ((a, b), (a, a))):
            found = floats.compare(code, width, *pair)
            assert found in (None, machine(code, BOOL, [shape, shape], [*pair])), (name(code), hex(a), hex(b))
            known += found is not None
    assert known > len(some)


@pytest.mark.parametrize("width", FLOATS)
@pytest.mark.parametrize("source", WIDTHS)
def test_integers_as_floats(source: int, width: int, full: bool) -> None:
    """`integer_bits` rounds once, as the simulator does; `from_int` knows what isn't rounded."""
    shape = Shape(FLOAT_KIND, width)
    tops, lows = (1 << 24, 1 << 53, 1 << 54, 1 << 63), (0, 1, 29, 30, 39)
    ties = [top | 1 << low | more for top in tops for low in lows for more in (0, 1)]
    for a in [*numbers(source, 500 if full else 20), *[tie for tie in ties if tie >> source == 0]]:
        for code in codes("from-int"):
            number = integers.signed(a, source) if code == op.ConvertSToF else a
            expected = machine(code, shape, [Shape(INT_KIND, source)], [a])
            assert floats.integer_bits(number, width) == expected, (name(code), a)
            assert floats.from_int(code, source, width, a) in (None, expected), (name(code), a)


def test_what_random_programs_mean() -> None:
    """Their words are u32: add, sub, mul, xor, and, less, equal."""
    codes = (op.IAdd, op.ISub, op.BitwiseXor, op.BitwiseAnd, op.IMul, op.ULessThan, op.IEqual)
    same = dict(zip(OPERATIONS, codes, strict=True))
    for a, b in itertools.product(corners(32), repeat=2):
        for kind, code in same.items():
            program = Program(0, 1, 1, False)
            program.routines.append(Routine(0))
            word = Word(kind, 0, Word(NUMBER, a), Word(NUMBER, b))
            program.routines[0].body.append(Observe("first", word, 0))
            assert meaning_of(program) == [integers.binary(code, 32, a, b)], (kind, a, b)
