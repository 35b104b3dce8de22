"""Sums of floats over a subgroup, in every order, by hand and by drivers.

Vulkan, "Arithmetic Group Operations": "The order in which these operators are applied is implementation-dependent."
"""

import itertools
import struct
from fractions import Fraction

import pytest
from kit import oracles
from kit.oracles import drivers
from kit.oracles.drivers import on_every_driver
from kit.programs.compute import Compute

from reknit.ir import enums, op
from reknit.ir.types import float_type
from reknit.sim.outcomes import Outcomes, outcomes
from reknit.sim.run import run
from reknit.spirv.read import read_module
from reknit.view.outcomes import witness
from reknit.vulkan.run import run_on

REDUCE = enums.GroupOperationReduce
INCLUSIVE = enums.GroupOperationInclusiveScan
EXCLUSIVE = enums.GroupOperationExclusiveScan
BIG = float(1 << 24)


def bits(number: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def number(word: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", word))[0])


def summing(lanes: int, operation: int = REDUCE, code: int = op.GroupNonUniformFAdd, width: int = 0) -> Compute:
    """Each invocation stores what the operation over its subgroup gives it, of the words of a buffer."""
    p = Compute(lanes)
    given = p.array_buffer("given", 1)
    f32 = float_type(p.module, 32)
    value = p.b.emit(op.Bitcast, f32, [p.b.load(p.u32, p.place(p.index, given))])
    more = [p.const(width)] if width else []
    total = p.b.emit(code, f32, [p.const(enums.ScopeSubgroup), operation, value, *more])
    p.out(p.b.emit(op.Bitcast, p.u32, [total]))
    p.b.return_()
    return p


def found(p: Compute, numbers: list[float], size: int) -> Outcomes:
    return outcomes(p.module, subgroup_size=size, buffers={"given": [bits(each) for each in numbers]})


def results(every: Outcomes, lane: int = 0) -> list[float]:
    return sorted({number(outcome.words("out")[lane]) for outcome in every.outcomes})


def trees(numbers: list[float], combine: int = op.GroupNonUniformFAdd) -> set[float]:
    """What every tree over the numbers gives, each step rounded to 32 bits, by going through all permutations of a list
    whose neighbours are put together one after another."""
    if len(numbers) == 1:
        return {number(bits(numbers[0]))}
    seen: set[float] = set()
    for a, b in itertools.combinations(range(len(numbers)), 2):
        rest = [each for at, each in enumerate(numbers) if at not in (a, b)]
        exact = Fraction(numbers[a]) + Fraction(numbers[b])
        if combine != op.GroupNonUniformFAdd:
            exact = Fraction(numbers[a]) * Fraction(numbers[b])
        seen |= trees([number(bits(float(exact))), *rest], combine)
    return seen


NUMBERS = [
    [1.0, BIG, 1.0, -BIG],
    [0.1, 0.2, 0.3, 0.4],
    [1.0, BIG, 1.0, 1.0],
    [1e20, 1.0, -1e20, 3.0],
]


@pytest.mark.parametrize("numbers", NUMBERS)
def test_a_sum_has_what_its_trees_give(numbers: list[float]) -> None:
    every = found(summing(4), numbers, 4)
    assert every.whole and "order" not in str(every.open)
    assert set(results(every)) == trees([number(bits(each)) for each in numbers])
    for outcome in every.outcomes:
        assert len(set(outcome.words("out"))) == 1


def test_by_hand() -> None:
    """1 + 2^24 is 2^24, to the even one; 1 + 1 + 2^24 is 2^24 + 2. With 2^24 taken away again: 0, 1 or 2."""
    assert results(found(summing(4), [1.0, BIG, 1.0, -BIG], 4)) == [0.0, 1.0, 2.0]


def test_each_subgroup_has_an_order_of_its_own() -> None:
    every = found(summing(8), [1.0, BIG, 1.0, -BIG] * 2, 4)
    pairs = {(number(outcome.words("out")[0]), number(outcome.words("out")[4])) for outcome in every.outcomes}
    assert every.whole and pairs == set(itertools.product([0.0, 1.0, 2.0], repeat=2))


@pytest.mark.parametrize("size", [4, 8, 32, 64])
def test_where_all_sums_are_exact_there_is_one_result(size: int) -> None:
    every = found(summing(64), [float(lane) for lane in range(64)], size)
    assert every.whole and len(every.outcomes) == 1 and "order" not in str(every.open)
    assert results(every) == [float(sum(range(size)))]


@pytest.mark.parametrize("operation", [INCLUSIVE, EXCLUSIVE])
def test_a_scan_has_trees_over_what_comes_before(operation: int) -> None:
    numbers = [1.0, BIG, 1.0, -BIG]
    every = found(summing(4, operation), numbers, 4)
    assert every.whole
    for lane in range(4):
        before = numbers[: lane if operation == EXCLUSIVE else lane + 1]
        assert set(results(every, lane)) == (trees(before) if before else {0.0})


def test_clusters_have_orders_of_their_own() -> None:
    every = found(summing(8, enums.GroupOperationClusteredReduce, width=4), [1.0, BIG, 1.0, -BIG] * 2, 8)
    pairs = {(number(outcome.words("out")[0]), number(outcome.words("out")[4])) for outcome in every.outcomes}
    assert every.whole and pairs == set(itertools.product([0.0, 1.0, 2.0], repeat=2))


def test_products_have_orders_too() -> None:
    numbers = [1.1, 1.3, 1.7, 1.9]
    every = found(summing(4, code=op.GroupNonUniformFMul), numbers, 4)
    rounded = [number(bits(each)) for each in numbers]
    assert every.whole and set(results(every)) == trees(rounded, op.GroupNonUniformFMul)


def test_of_many_invocations_the_bounds_are_told() -> None:
    numbers = [0.1 * (lane + 1) for lane in range(32)]
    every = found(summing(32), numbers, 32)
    assert not every.exhaustive and any("order" in str(each) for each in every.bounded)
    text = witness(every.outcomes[0])
    assert "any order gives" in text
    low, high = (float(part) for part in text.split("any order gives ")[1].split(" to "))
    exact = sum(Fraction(number(bits(each))) for each in numbers)
    assert low < exact < high and high - low < 0.001
    assert all(low <= each <= high for each in results(every))
    assert every.bounds is not None
    (run_with_sets,) = every.bounds.outcomes
    sources = run_with_sets.result.buffers["out"].sets
    (bound,) = {sources[4 * lane].bound for lane in range(32)}
    assert bound is not None and low < bound.least < exact < bound.most < high


def test_a_run_takes_the_order_of_the_invocations() -> None:
    p = summing(4)
    given = {"given": [bits(each) for each in [1.0, BIG, 1.0, -BIG]]}
    assert run(p.module, buffers=given).buffers["out"].words == [0] * 4


SHADER = """#version 450
#extension GL_KHR_shader_subgroup_arithmetic : enable
layout(local_size_x = 16) in;
layout(binding = 0) buffer Out { float result[16]; };
layout(binding = 1) buffer Given { float given[16]; };
void main() { result[gl_LocalInvocationIndex] = NAME(given[gl_LocalInvocationIndex]); }
"""


@on_every_driver
@pytest.mark.parametrize("name", ["subgroupAdd", "subgroupInclusiveAdd", "subgroupMul"])
@pytest.mark.parametrize("numbers", [[1.0, BIG, 1.0, -BIG] * 4, [0.1 * (at % 7 + 1) for at in range(16)]])
def test_drivers_give_one_of_them(driver: str, lanes: int, name: str, numbers: list[float]) -> None:
    """Subgroups are as large as the driver has them, of which four invocations at most have a number that is not the
    identity."""
    identity = 1.0 if name == "subgroupMul" else 0.0
    given = {"Given": [bits(each if at % lanes < 4 else identity) for at, each in enumerate(numbers)]}
    module = read_module(oracles.glslang(SHADER.replace("NAME", name), environment="vulkan1.1"))
    on_device = run_on(drivers.target(driver, lanes), module, buffers=given).buffers["Out"].words
    every = outcomes(module, subgroup_size=lanes, buffers=given, limit=4096)
    assert every.whole
    assert on_device in [outcome.words("Out") for outcome in every.outcomes]
