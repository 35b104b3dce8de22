"""OpPtrAccessChain over the elements of an array in a Workgroup variable: (values, slot, indices), of which the last is
moved.

    %p = OpAccessChain %shared %i            shared[i]
    %q = OpPtrAccessChain %p %e %k           shared[i + e][k]

Source: SPIR-V 1.6, OpPtrAccessChain: "Element is treated as a signed count of elements E, relative to the original Base
element B". "For all other objects" than those in the Uniform, StorageBuffer and PushConstant storage classes "the
implementation calculates the element's address": an ArrayStride of the pointer's type counts for nothing here.
"undefined behavior results when B + E is not an element in the same array (same innermost array, if array types are
nested) as B. The exception being when B + E = L, where L is the length of the array": that pointer is a value, and no
access goes through it (`CellPlace.checked`).
"""

from typing import Any

from reknit.ir import enums
from reknit.ir.instr import Instr
from reknit.sim.kernel import Step
from reknit.sim.memory import NULL, LogicalAddress
from reknit.sim.pointers import resolve_element
from reknit.sim.prepare import Preparation
from reknit.sim.unsupported import Unsupported
from reknit.sim.values import ARRAY_KIND, STRUCT_KIND, Shape


def step_over(preparation: Preparation, instr: Instr) -> Step:
    chain = resolve_element(instr)
    if chain.storage() != enums.StorageClassWorkgroup or chain.element is None:
        raise Unsupported("steps over elements of what is neither in a buffer nor in Workgroup memory")
    bases: list[Any] = preparation.column(chain.base)
    element = preparation.index(chain.element)
    inner, counts, _ = preparation.indices_into(chain)
    width = preparation.shape(chain.element).width
    out: list[Any] = preparation.column(instr)
    tell = preparation.outside(instr)

    def moved(lane: int) -> Any:
        if bases[lane] == 0:
            tell(lane, NULL)
            return 0
        base: LogicalAddress = bases[lane]
        path = base[2]
        by = element.at(lane)
        by -= (by >> (width - 1)) << width
        if by != 0:
            count = length_around(preparation.shared[id(base[0])].shape, path)
            if count < 0:
                tell(lane, f"a step by {by} from a pointer that is to no element of an array")
                return 0
            if not 0 <= path[-1] + by <= count:
                tell(lane, f"element {path[-1] + by} of {count}")
                return 0
            path = (*path[:-1], path[-1] + by)
        for at in range(len(inner)):
            index = inner[at].at(lane)
            if index >= counts[at]:
                tell(lane, f"index {index} of {counts[at]}")
                return 0
            path = (*path, index)
        return base[0], base[1], path

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            out[lane] = moved(lane)

    return run


def length_around(shape: Shape, path: tuple[int, ...]) -> int:
    """Of the array that the last index is in; -1 where that is none."""
    around: Shape | None = None
    for index in path:
        around = shape
        part = shape.members[index] if shape.kind == STRUCT_KIND else shape.element
        if part is None:
            return -1
        shape = part
    return around.count if around is not None and around.kind == ARRAY_KIND else -1
