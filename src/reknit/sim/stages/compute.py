"""Compute shaders and kernels: the built-in variables of a workgroup.

    DerivativeGroupQuadsKHR, local size (4, 2, 1)     lane                  0 1 2 3 4 5 6 7
                                                      LocalInvocationIndex  0 1 4 5 2 3 6 7

A quad is four neighbouring lanes. With that mode it is also two by two of LocalInvocationId, so that lanes are numbered
quad by quad; without it a lane's number is its LocalInvocationIndex. Any other stage that is run without a drawing (as
proofs do) is run as this one: as many lanes as a subgroup has, whose inputs are zeros. Source: Vulkan 1.4, "Quad".
"""

from typing import Any, Final, final

from reknit.ir import enums
from reknit.ir.locate import place_of
from reknit.sim.builtins import KNOWN, OF_WORKGROUP, Dispatch, Triple, problem_of, value_of, values_of
from reknit.sim.packing import Packing
from reknit.sim.prepare import Preparation
from reknit.sim.stages.stage import Stage
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place

LOCAL: Final = (
    enums.BuiltInLocalInvocationId,
    enums.BuiltInGlobalInvocationId,
    enums.BuiltInLocalInvocationIndex,
    enums.BuiltInGlobalLinearId,
)
"""Those that say where in the workgroup an invocation is."""


@final
class Compute(Stage):
    """`order` has the LocalInvocationIndex of each lane, nothing where it is the lane's number."""

    __slots__ = ("order", "inputs")

    def __init__(self, size: Triple, square: bool = False, linear: bool = False, path: str = "") -> None:
        why = "it takes derivatives of quads" if square or linear else ""
        super().__init__(size, why, square or linear)
        self.order = by_quads(size, path) if square else []
        if linear and size[0] * size[1] * size[2] % 4:
            shown = "x".join(map(str, size))
            message = f"a workgroup of {shown} is not made of quads, as DerivativeGroupLinearKHR asks"
            help = "the product of its LocalSize is a multiple of 4"
            raise InputError([Diagnostic("RK1001", message, Place(path), help=help)])
        self.inputs: list[tuple[list[Any], int]] = []

    def bind(self, preparation: Preparation) -> None:
        """The built-in variables that are used; others of class Input stay zeros."""
        module = preparation.globals.module
        wide = any(line.word(0) == enums.AddressingModelPhysical64 for line in module.memory_model)
        for variable, cells in preparation.cells.items():
            builtin = preparation.globals.decorations.number(variable, enums.DecorationBuiltIn)
            if builtin in KNOWN:
                wanted = problem_of(builtin, cells.shape, wide)
                if wanted:
                    name = variable.name or variable.id
                    message = f"can't run built-in variable {name}: it is {cells.shape}, and its BuiltIn is {wanted}"
                    raise InputError([Diagnostic("RK1001", message, place_of(variable, module))])
                self.inputs.append((cells.values, builtin))

    def reads(self) -> list[int]:
        return [builtin for _, builtin in self.inputs]

    def in_order(self) -> list[int]:
        return self.order or super().in_order()

    def begin(self, dispatch: Dispatch, group: int) -> None:
        if self.packing is not None:
            self.begin_packed(self.packing, dispatch, group)
            return
        for values, builtin in self.inputs:
            given = values_of(builtin, dispatch, group)
            values[:] = [given[at] for at in self.order] if self.order and builtin in LOCAL else given

    def begin_packed(self, packing: Packing, dispatch: Dispatch, group: int) -> None:
        """Lanes are numbered by SubgroupId and SubgroupLocalInvocationId; where no invocation is, anything will do."""
        order = packing.order(group, dispatch.subgroup_size)
        for values, builtin in self.inputs:
            if builtin in LOCAL:
                given = values_of(builtin, dispatch, group)
                values[:] = [given[max(index, 0)] for index in order]
            elif builtin in (enums.BuiltInNumSubgroups, enums.BuiltInNumEnqueuedSubgroups):
                values[:] = [len(packing.of(group))] * len(order)
            elif builtin in OF_WORKGROUP:
                values[:] = [value_of(builtin, dispatch, group, 0)] * len(order)
            else:
                values[:] = [value_of(builtin, dispatch, group, lane) for lane in range(len(order))]


def by_quads(size: Triple, path: str) -> list[int]:
    """The LocalInvocationIndex of each lane where quads are two by two. VUID-StandaloneSpirv-DerivativeGroupQuadsKHR:
    the x and y of the size are even."""
    width, height, depth = size
    if width % 2 or height % 2:
        message = f"a workgroup of {width}x{height}x{depth} is not made of quads, as DerivativeGroupQuadsKHR asks"
        help = "the x and y of its LocalSize are multiples of 2"
        raise InputError([Diagnostic("RK1001", message, Place(path), help=help)])
    order: list[int] = []
    for z in range(depth):
        for y in range(0, height, 2):
            for x in range(0, width, 2):
                corner = (z * height + y) * width + x
                order.extend([corner, corner + 1, corner + width, corner + width + 1])
    return order
