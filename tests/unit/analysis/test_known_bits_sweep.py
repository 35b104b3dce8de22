"""Known bits, swept: no result that an operation can have is ruled out, and of constants the result is known.

Numbers between what must and what may be set are drawn for every operation that is folded, at all widths; the results
are the simulator's. Few bits, all of them, are in test_known_bits.py.
"""

import random

import pytest
from kit.oracles.folded_values import name, simulated

from reknit.analysis.known_bits import Bits, computed, exact
from reknit.ir import op, traits
from reknit.sim.values import BOOL, INT_KIND, Shape

WIDTHS = (1, 8, 16, 32, 64)
CONVERSIONS = (op.UConvert, op.SConvert, op.SatConvertSToU, op.SatConvertUToS)


def some_bits(draw: random.Random, width: int) -> Bits:
    """Known in part, at all, or not at all; often near the ends."""
    mask = (1 << width) - 1
    must = draw.choice((0, 0, 1, draw.getrandbits(width), mask, mask - 1 & mask))
    opened = draw.choice((0, 0, 1, 3 & mask, 1 << (width - 1), draw.getrandbits(width), mask))
    return Bits(width, must | opened, must & ~opened)


def numbers_of(draw: random.Random, bits: Bits) -> list[int]:
    opened = bits.may & ~bits.must
    return [bits.must, bits.may, *[bits.must | opened & draw.getrandbits(bits.width) for _ in range(4)]]


@pytest.mark.parametrize("width", WIDTHS)
def test_no_result_is_ruled_out(width: int, full: bool) -> None:
    draw = random.Random(width)
    shape = BOOL if width == 1 else Shape(INT_KIND, width)
    rules = ("logic",) if width == 1 else ("binary", "division", "compare", "unary")
    codes = [code for code, rule in traits.FOLDS.items() if rule in rules and code not in (op.FConvert, op.Select)]
    if width > 1:
        codes = [code for code in codes if code != op.LogicalNot]
    known = 0
    for code in codes:
        unary = traits.FOLDS[code] == "unary" or code == op.LogicalNot
        for _ in range(400 if full else 25):
            target = draw.choice(WIDTHS[1:]) if code in CONVERSIONS else 1 if traits.FOLDS[code] == "compare" else width
            result = BOOL if target == 1 else Shape(INT_KIND, target)
            parts = [some_bits(draw, width) for _ in range(1 if unary else 2)]
            found = computed(code, target, parts)
            known += found.is_exact()
            for _ in range(6):
                values = [draw.choice(numbers_of(draw, part)) for part in parts]
                value = simulated(code, result, [shape] * len(parts), values)
                assert value is None or found.can_be(value), (name(code), values, found.may, found.must)
                alone = computed(code, target, [exact(width, each) for each in values])
                assert value is None or (alone.is_exact() and alone.must == value), (name(code), values)
    assert known > len(codes)
