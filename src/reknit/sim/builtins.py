"""The built-in variables of a compute shader, lane by lane.

    lane 5 of workgroup (1, 0, 0), local size (4, 2, 1), subgroups of 4
      LocalInvocationId (1, 1, 0)   GlobalInvocationId (5, 1, 0)   SubgroupId 1   SubgroupLocalInvocationId 1

A lane's number is its LocalInvocationIndex; subgroups are slices of that. Source: SPIR-V 1.6, 3.21 "BuiltIn"; Vulkan,
"Built-In Variables".
"""

from typing import Any, Final, final

from reknit.ir import enums
from reknit.sim.values import BOOL_KIND, INT_KIND, VECTOR_KIND, Shape

Triple = tuple[int, int, int]

KNOWN: Final = (
    enums.BuiltInNumWorkgroups,
    enums.BuiltInWorkgroupSize,
    enums.BuiltInWorkgroupId,
    enums.BuiltInLocalInvocationId,
    enums.BuiltInGlobalInvocationId,
    enums.BuiltInLocalInvocationIndex,
    enums.BuiltInSubgroupSize,
    enums.BuiltInNumSubgroups,
    enums.BuiltInSubgroupId,
    enums.BuiltInSubgroupLocalInvocationId,
    enums.BuiltInSubgroupEqMask,
    enums.BuiltInSubgroupGeMask,
    enums.BuiltInSubgroupGtMask,
    enums.BuiltInSubgroupLeMask,
    enums.BuiltInSubgroupLtMask,
    enums.BuiltInDeviceIndex,
    enums.BuiltInViewIndex,
    enums.BuiltInHelperInvocation,
    enums.BuiltInWorkDim,
    enums.BuiltInGlobalSize,
    enums.BuiltInEnqueuedWorkgroupSize,
    enums.BuiltInGlobalOffset,
    enums.BuiltInGlobalLinearId,
    enums.BuiltInSubgroupMaxSize,
    enums.BuiltInNumEnqueuedSubgroups,
)


OF_WORKGROUP: Final = (
    enums.BuiltInNumWorkgroups,
    enums.BuiltInWorkgroupSize,
    enums.BuiltInWorkgroupId,
    enums.BuiltInSubgroupSize,
    enums.BuiltInNumSubgroups,
    enums.BuiltInDeviceIndex,
    enums.BuiltInViewIndex,
    enums.BuiltInHelperInvocation,
    enums.BuiltInWorkDim,
    enums.BuiltInGlobalSize,
    enums.BuiltInEnqueuedWorkgroupSize,
    enums.BuiltInGlobalOffset,
    enums.BuiltInSubgroupMaxSize,
    enums.BuiltInNumEnqueuedSubgroups,
)
"""Those that are the same for all lanes of a workgroup."""

VECTORS: Final = {
    **dict.fromkeys(
        [
            enums.BuiltInNumWorkgroups,
            enums.BuiltInWorkgroupSize,
            enums.BuiltInWorkgroupId,
            enums.BuiltInLocalInvocationId,
            enums.BuiltInGlobalInvocationId,
            enums.BuiltInGlobalSize,
            enums.BuiltInEnqueuedWorkgroupSize,
            enums.BuiltInGlobalOffset,
        ],
        3,
    ),
    **dict.fromkeys(
        [
            enums.BuiltInSubgroupEqMask,
            enums.BuiltInSubgroupGeMask,
            enums.BuiltInSubgroupGtMask,
            enums.BuiltInSubgroupLeMask,
            enums.BuiltInSubgroupLtMask,
        ],
        4,
    ),
}
"""How many components they have; the others are scalars."""


@final
class Origin:
    """Where a dispatch is: the ids of its first workgroup (vkCmdDispatchBase), and the number of its device."""

    __slots__ = ("base", "device")

    def __init__(self, base: Triple = (0, 0, 0), device: int = 0) -> None:
        self.base = base
        self.device = device


@final
class Dispatch:
    """Sizes of a dispatch, in invocations (`local`, `subgroup_size`) and workgroups (`groups`)."""

    __slots__ = ("local", "groups", "subgroup_size", "origin")

    def __init__(self, local: Triple, groups: Triple, subgroup_size: int, origin: Origin | None = None) -> None:
        self.local = local
        self.groups = groups
        self.subgroup_size = subgroup_size
        self.origin = origin if origin is not None else Origin()

    def lanes(self) -> int:
        return self.local[0] * self.local[1] * self.local[2]

    def count(self) -> int:
        """How many workgroups there are."""
        return self.groups[0] * self.groups[1] * self.groups[2]

    def workgroup(self, group: int) -> Triple:
        """The id of workgroup number `group`."""
        inside = spread(group, self.groups)
        base = self.origin.base
        return base[0] + inside[0], base[1] + inside[1], base[2] + inside[2]


def extent_of(size: Triple, groups: Triple) -> Triple:
    """How many invocations a dispatch has along each axis."""
    return size[0] * groups[0], size[1] * groups[1], size[2] * groups[2]


def problem_of(builtin: int, shape: Shape, wide: bool = False) -> str:
    """What type a built-in variable has, "" where `shape` is that. Vulkan, "Built-In Variables": 32-bit integers, but
    for HelperInvocation; in kernels they may be `wide`, 64 bits (OpenCL SPIR-V Environment, "Built-in Variables")."""
    count = VECTORS.get(builtin, 1)
    scalar = shape.element if count > 1 else shape
    if builtin == enums.BuiltInHelperInvocation:
        return "" if shape.kind == BOOL_KIND else "a boolean"
    fits = count == 1 or (shape.kind == VECTOR_KIND and shape.count == count)
    if (
        fits
        and scalar is not None
        and scalar.kind == INT_KIND
        and (scalar.width == 32 or (wide and scalar.width == 64))
    ):
        return ""
    return "a 32-bit integer" if count == 1 else f"a vector of {count} 32-bit integers"


def spread(index: int, size: Triple) -> Triple:
    """The position of number `index` in a box, x running fastest."""
    return index % size[0], index // size[0] % size[1], index // (size[0] * size[1])


def value_of(builtin: int, dispatch: Dispatch, group: int, lane: int) -> Any:
    """The value of a built-in variable of KNOWN, as 32-bit words: an int, or a tuple of 3 or of 4 (masks)."""
    size = dispatch.subgroup_size
    if builtin == enums.BuiltInLocalInvocationIndex:
        return lane
    if builtin == enums.BuiltInSubgroupLocalInvocationId:
        return lane % size
    if builtin == enums.BuiltInSubgroupId:
        return lane // size
    if builtin == enums.BuiltInSubgroupSize:
        return size
    if builtin == enums.BuiltInNumSubgroups or builtin == enums.BuiltInNumEnqueuedSubgroups:
        return -(-dispatch.lanes() // size)
    if builtin == enums.BuiltInSubgroupMaxSize:
        return size
    if builtin == enums.BuiltInWorkgroupSize or builtin == enums.BuiltInEnqueuedWorkgroupSize:
        return dispatch.local
    if builtin == enums.BuiltInGlobalSize:
        return extent_of(dispatch.local, dispatch.groups)
    if builtin == enums.BuiltInWorkDim:
        return 3
    if builtin == enums.BuiltInGlobalOffset:
        return 0, 0, 0
    if builtin == enums.BuiltInGlobalLinearId:
        width, height, _ = extent_of(dispatch.local, dispatch.groups)
        x, y, z = value_of(enums.BuiltInGlobalInvocationId, dispatch, group, lane)
        return (z * height + y) * width + x
    if builtin == enums.BuiltInNumWorkgroups:
        return dispatch.groups
    if builtin == enums.BuiltInWorkgroupId:
        return dispatch.workgroup(group)
    if builtin == enums.BuiltInLocalInvocationId:
        return spread(lane, dispatch.local)
    if builtin == enums.BuiltInGlobalInvocationId:
        inside = spread(lane, dispatch.local)
        outside = dispatch.workgroup(group)
        return tuple([outside[axis] * dispatch.local[axis] + inside[axis] for axis in range(3)])
    bit = 1 << (lane % size)
    everyone = (1 << size) - 1
    if builtin == enums.BuiltInSubgroupEqMask:
        return mask_words(bit)
    if builtin == enums.BuiltInSubgroupGeMask:
        return mask_words(everyone & ~(bit - 1))
    if builtin == enums.BuiltInSubgroupGtMask:
        return mask_words(everyone & ~(bit - 1) & ~bit)
    if builtin == enums.BuiltInSubgroupLeMask:
        return mask_words(bit | (bit - 1))
    if builtin == enums.BuiltInSubgroupLtMask:
        return mask_words(bit - 1)
    if builtin == enums.BuiltInDeviceIndex:
        return dispatch.origin.device
    return 0  # ViewIndex, HelperInvocation: one view, no helper at the start


def values_of(builtin: int, dispatch: Dispatch, group: int) -> list[Any]:
    """The values of a built-in variable for the lanes of a workgroup."""
    lanes = dispatch.lanes()
    if builtin in OF_WORKGROUP:
        return [value_of(builtin, dispatch, group, 0)] * lanes
    x, y, z = dispatch.local
    if builtin == enums.BuiltInLocalInvocationId:
        return box(0, 0, 0, x, y, z)
    if builtin == enums.BuiltInGlobalInvocationId:
        outside = dispatch.workgroup(group)
        return box(outside[0] * x, outside[1] * y, outside[2] * z, x, y, z)
    return [value_of(builtin, dispatch, group, lane) for lane in range(lanes)]


def box(x: int, y: int, z: int, width: int, height: int, depth: int) -> list[Any]:
    """The positions in a box, x running fastest."""
    return [(x + i, y + j, z + k) for k in range(depth) for j in range(height) for i in range(width)]


def mask_words(mask: int) -> tuple[int, int, int, int]:
    return mask & 0xFFFFFFFF, mask >> 32 & 0xFFFFFFFF, mask >> 64 & 0xFFFFFFFF, mask >> 96 & 0xFFFFFFFF
