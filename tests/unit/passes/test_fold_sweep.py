"""fold, swept: operands and results of mixed signedness, identities, floats of any bits, expressions that run.

What is folded is what the simulator computes, or nothing is folded where it reports that the result is undefined. The
simulator's operations are tested on their own (tests/unit/sim/ops). A sample of each in CI, more with --full.
"""

import itertools
import random

import pytest
from kit.oracles.folded_values import BINARY, COMPARE, FLOAT_COMPARE, corners, folded, name, simulated
from kit.proving import assert_refines
from kit.text.pass_texts import body

from reknit.ir import op
from reknit.ir.constant_bits import bits_of, constant
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.types import bool_type, float_type, int_type, vector_type
from reknit.ir.value import Value
from reknit.ir.walk import instructions
from reknit.passes.manager import Hooks, run_passes
from reknit.passes.values.identities import identity
from reknit.sim.values import BOOL, FLOAT_KIND, INT_KIND, Shape

WIDTHS = [8, 16, 32, 64]
MODULE = Module()
TRUTH = bool_type(MODULE)
EXPRESSIONS = 40
EXPRESSIONS_FULL = 2_000


@pytest.mark.parametrize("width", WIDTHS)
def test_mixed_signedness(width: int) -> None:
    """Operations see bits: the signedness of the types of operands and result says nothing (SPIR-V 1.6, 3.52.13)."""
    shape = Shape(INT_KIND, width)
    types = [int_type(MODULE, width, sign) for sign in (False, True)]
    for a, b in itertools.product(corners(width)[::2], repeat=2):
        for first, second in itertools.product(types, repeat=2):
            for code in BINARY:
                expected = simulated(code, shape, [shape, shape], [a, b])
                for result in types:
                    assert folded(code, result, [first, second], [a, b]) == expected, (name(code), a, b)
            for code in COMPARE:
                expected = simulated(code, BOOL, [shape, shape], [a, b])
                assert folded(code, TRUTH, [first, second], [a, b]) == expected, (name(code), a, b)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("components", [1, 3])
def test_identities(width: int, components: int) -> None:
    """Of an unknown operand and a constant on either side, or twice the unknown one: what takes the place of the
    operation is what it gives for every value for which it is defined."""
    scalars = [int_type(MODULE, width, sign) for sign in (False, True)]
    found = 0
    for first, second in itertools.product(scalars, repeat=2):
        types = [each if components == 1 else vector_type(MODULE, each, components) for each in (first, second)]
        truth = TRUTH if components == 1 else vector_type(MODULE, TRUTH, components)
        unknown = Instr(op.Load, types[0], [], "x")
        for code in [*BINARY, *COMPARE]:
            result = truth if code in COMPARE else types[0]
            found += holds(code, result, [unknown, unknown], unknown, width)
            for number in corners(width):
                known = constant(MODULE, types[1], [number] * components)
                found += holds(code, result, [unknown, known], unknown, width)
                found += holds(code, result, [known, unknown], unknown, width)
    assert found > 100


def holds(code: int, type: Instr, operands: list[Value], unknown: Instr, width: int) -> bool:
    """Whether there is an identity; one that is wrong is an AssertionError."""
    taken = identity(code, type, operands, MODULE)
    if taken is None:
        return False
    assert isinstance(taken, Instr) and taken.type is type
    shape = Shape(INT_KIND, width)
    for value in corners(width):
        numbers = [value if operand is unknown else (bits_of(operand) or [0])[0] for operand in operands]
        expected = simulated(code, BOOL if code in COMPARE else shape, [shape, shape], numbers)
        given = [value] if taken is unknown else bits_of(taken)
        assert expected is None or given is not None and set(given) == {expected}, (name(code), numbers)
    return True


def test_an_identity_of_a_constant_on_the_left_is_not_that_on_the_right() -> None:
    """By hand: 0 - x is not x, 0 << x is 0 only where x is less than the width, 1 / x is not x."""
    word = int_type(MODULE, 32, False)
    unknown = Instr(op.Load, word, [], "x")
    for code, number in ((op.ISub, 0), (op.ShiftLeftLogical, 0), (op.UDiv, 1), (op.UMod, 1), (op.SDiv, 1)):
        assert identity(code, word, [constant(MODULE, word, [number]), unknown], MODULE) is None


@pytest.mark.parametrize("width", [16, 32, 64])
def test_floats_of_any_bits(width: int, full: bool) -> None:
    """NaN, infinities, -0 and denormals among them: what is folded is the simulator's."""
    draw = random.Random(width)
    type, shape = float_type(MODULE, width), Shape(FLOAT_KIND, width)
    fraction = {16: 10, 32: 23, 64: 52}[width]
    exponent = ((1 << (width - 1)) - (1 << fraction)) >> fraction
    known = 0
    for _ in range(20_000 if full else 400):
        a, b = [
            draw.randrange(2) << (width - 1)
            | draw.choice((0, 1, exponent // 2, exponent // 2 + 3, exponent, draw.randrange(exponent))) << fraction
            | draw.choice((0, 0, 1, (1 << fraction) - 1, draw.randrange(1 << fraction)))
            for _ in range(2)
        ]
        for code in FLOAT_COMPARE:
            found = folded(code, TRUTH, [type, type], [a, b])
            assert found in (None, simulated(code, BOOL, [shape, shape], [a, b])), (name(code), hex(a), hex(b))
            known += found is not None
        for other in (16, 32, 64):
            found = folded(op.FConvert, float_type(MODULE, other), [type], [a])
            assert found in (None, simulated(op.FConvert, Shape(FLOAT_KIND, other), [shape], [a])), (hex(a), other)
        for code, to in itertools.product((op.ConvertFToS, op.ConvertFToU), WIDTHS):
            found = folded(code, int_type(MODULE, to, True), [type], [a])
            assert found in (None, simulated(code, Shape(INT_KIND, to), [shape], [a])), (name(code), hex(a), to)
    assert known > 100


def expression(seed: int) -> str:
    """A body that stores words worked out from constants alone, by operations that are defined."""
    draw = random.Random(seed)
    values = {"u32": [f"{n}u" for n in (0, 1, 7, 31, 2147483648, 4294967295)], "i32": ["0", "1", "-1", "-2147483648"]}
    values |= {"bool": ["true", "false"], "vec2<u32>": [], "f32": []}
    lines: list[str] = []

    def emit(type: str, text: str) -> None:
        lines.append(f"%e{len(lines)} = {text} : {type}")
        values[type].append(f"%e{len(lines) - 1}")

    def one(type: str) -> str:
        return draw.choice(values[type])

    for bits in (0, 1 << 31, 0x3FC00000, 0xC0300000):  # 0, -0, 1.5, -2.75
        emit("f32", f"Bitcast {bits}u")
    emit("vec2<u32>", "CompositeConstruct 3u, 4294967295u")
    for _ in range(draw.randrange(10, 40)):
        kind = draw.randrange(9)
        word = draw.choice(("u32", "i32"))
        a, b = [one(draw.choice(("u32", "i32"))) for _ in range(2)]
        if kind < 2:
            code = draw.choice(("IAdd", "ISub", "IMul", "BitwiseAnd", "BitwiseOr", "BitwiseXor"))
            emit(word, f"{code} {a}, {b}")
        elif kind == 2:
            shift = draw.choice(("ShiftLeftLogical", "ShiftRightLogical", "ShiftRightArithmetic"))
            emit(word, f"{shift} {a}, {draw.randrange(32)}u")
        elif kind == 3:
            tests = ("IEqual", "INotEqual", "ULessThan", "SLessThan", "UGreaterThanEqual", "SGreaterThanEqual")
            emit("bool", f"{draw.choice(tests)} {a}, {b}")
        elif kind == 4:
            emit("bool", f"{draw.choice(('LogicalAnd', 'LogicalOr', 'LogicalNotEqual'))} {one('bool')}, {one('bool')}")
            emit("bool", f"{draw.choice(('FOrdLessThan', 'FUnordEqual'))} {one('f32')}, {one('f32')}")
        elif kind == 5:
            emit(word, f"Select {one('bool')}, {one(word)}, {one(word)}")
        elif kind == 6:
            emit(word, f"{draw.choice(('Not', 'SNegate', 'BitReverse', 'Bitcast'))} {one('u32')}")
            emit("f32", f"Bitcast {draw.choice(('1065353216u', '3204448256u'))}")
        elif kind == 7:
            emit("vec2<u32>", f"CompositeConstruct {one('u32')}, {one('u32')}")
            emit("vec2<u32>", f"VectorShuffle {one('vec2<u32>')}, {one('vec2<u32>')} {draw.randrange(4)} 1")
            emit("u32", f"CompositeExtract {one('vec2<u32>')} {draw.randrange(2)}")
        else:
            divisor = draw.choice(("3u", "7u", "5u"))
            emit("u32", f"{draw.choice(('UDiv', 'UMod'))} {one('u32')}, {divisor}")
            emit("u32", f"BitFieldUExtract {one('u32')}, {draw.randrange(16)}u, {draw.randrange(17)}u")
    for number, value in enumerate(values["u32"][-4:] + values["i32"][-4:]):
        lines.append(f"%o{number} = Load %slot : u32\n%m{number} = IMul %o{number}, 31u : u32")
        lines.append(f"%n{number} = IAdd %m{number}, {value} : u32\nStore %slot, %n{number}")
    choice = one("bool")
    lines.append(f"if {choice} {{ SEE 1 }} else {{ SEE 2 }}\nreturn")
    return "\n".join(lines)


def test_expressions_of_constants(full: bool) -> None:
    """All that is left is what adds up; every lane stores what it stored."""
    left = 0
    for seed in range(EXPRESSIONS_FULL if full else EXPRESSIONS):
        module = body(expression(seed))
        before = module.copy()
        run_passes(module, "fold", Hooks(verify_each=True))
        left += sum(1 for instr in instructions(module.functions[0]) if instr.name.startswith("e"))
        assert_refines(before, parse(print_module(module)))
    assert left == 0
