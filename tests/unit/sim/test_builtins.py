"""Built-in variables, from the definitions: Vulkan 1.4, "Built-In Variables"; OpenCL SPIR-V Environment."""

import itertools
import operator
from collections.abc import Callable

import pytest

from reknit.ir import enums
from reknit.sim.builtins import Dispatch, extent_of, problem_of, value_of
from reknit.sim.values import BOOL, F32, I32, U16, U32, U64, Shape, vector

MASKS: dict[int, Callable[[int, int], bool]] = {
    enums.BuiltInSubgroupEqMask: operator.eq, enums.BuiltInSubgroupGeMask: operator.ge,
    enums.BuiltInSubgroupGtMask: operator.gt, enums.BuiltInSubgroupLeMask: operator.le,
    enums.BuiltInSubgroupLtMask: operator.lt,
}  # fmt: skip


@pytest.mark.parametrize("size", [4, 32, 64])
def test_each_invocation_of_a_dispatch(size: int) -> None:
    """3 x 2 x 2 invocations a workgroup, 2 x 3 x 2 workgroups; x runs fastest, in workgroups and in the grid."""
    local, groups = (3, 2, 2), (2, 3, 2)
    dispatch = Dispatch(local, groups, size)
    assert extent_of(local, groups) == (6, 6, 4) and dispatch.lanes() == 12 and dispatch.count() == 12
    seen: set[tuple[int, int, int]] = set()
    grid = list(itertools.product(range(groups[2]), range(groups[1]), range(groups[0])))
    inside = list(itertools.product(range(local[2]), range(local[1]), range(local[0])))
    for number, (z, y, x) in enumerate(grid):
        for lane, (c, b, a) in enumerate(inside):

            def value(builtin: int, group: int = number, index: int = lane) -> object:
                return value_of(builtin, dispatch, group, index)

            at = (x * 3 + a, y * 2 + b, z * 2 + c)
            seen.add(at)
            assert value(enums.BuiltInWorkgroupId) == (x, y, z)
            assert value(enums.BuiltInLocalInvocationId) == (a, b, c)
            assert value(enums.BuiltInLocalInvocationIndex) == c * 6 + b * 3 + a == lane
            assert value(enums.BuiltInGlobalInvocationId) == at
            assert value(enums.BuiltInGlobalLinearId) == at[2] * 36 + at[1] * 6 + at[0]
            assert value(enums.BuiltInSubgroupId) == lane // size
            assert value(enums.BuiltInSubgroupLocalInvocationId) == lane % size
            assert value(enums.BuiltInSubgroupSize) == size == value(enums.BuiltInSubgroupMaxSize)
            count = {4: 3, 32: 1, 64: 1}[size]
            assert value(enums.BuiltInNumSubgroups) == count == value(enums.BuiltInNumEnqueuedSubgroups)
            assert value(enums.BuiltInWorkgroupSize) == local == value(enums.BuiltInEnqueuedWorkgroupSize)
            assert value(enums.BuiltInNumWorkgroups) == groups
            assert value(enums.BuiltInGlobalSize) == (6, 6, 4) and value(enums.BuiltInWorkDim) == 3
            assert value(enums.BuiltInGlobalOffset) == (0, 0, 0)
            assert value(enums.BuiltInViewIndex) == 0 and value(enums.BuiltInDeviceIndex) == 0
            for builtin, holds in MASKS.items():
                bits = sum([1 << other for other in range(size) if holds(other, lane % size)])
                assert value(builtin) == tuple(bits >> shift & 0xFFFFFFFF for shift in (0, 32, 64, 96))
    assert len(seen) == 6 * 6 * 4


@pytest.mark.parametrize(
    ("builtin", "shape", "wide", "wanted"),
    [
        (enums.BuiltInLocalInvocationIndex, U32, False, ""), (enums.BuiltInLocalInvocationIndex, I32, False, ""),
        (enums.BuiltInLocalInvocationIndex, U16, False, "a 32-bit integer"),
        (enums.BuiltInLocalInvocationIndex, F32, False, "a 32-bit integer"),
        (enums.BuiltInLocalInvocationIndex, U64, False, "a 32-bit integer"),
        (enums.BuiltInLocalInvocationIndex, U64, True, ""),
        (enums.BuiltInLocalInvocationIndex, U16, True, "a 32-bit integer"),
        (enums.BuiltInWorkgroupId, vector(U32, 3), False, ""), (enums.BuiltInWorkgroupId, vector(U64, 3), True, ""),
        (enums.BuiltInWorkgroupId, vector(U32, 2), False, "a vector of 3 32-bit integers"),
        (enums.BuiltInWorkgroupId, U32, False, "a vector of 3 32-bit integers"),
        (enums.BuiltInWorkgroupId, vector(F32, 3), False, "a vector of 3 32-bit integers"),
        (enums.BuiltInSubgroupEqMask, vector(U32, 4), False, ""),
        (enums.BuiltInSubgroupEqMask, vector(U32, 3), False, "a vector of 4 32-bit integers"),
        (enums.BuiltInHelperInvocation, BOOL, False, ""), (enums.BuiltInHelperInvocation, U32, False, "a boolean"),
    ],
)  # fmt: skip
def test_their_types(builtin: int, shape: Shape, wide: bool, wanted: str) -> None:
    assert problem_of(builtin, shape, wide) == wanted
