"""Instructions that a tangle executes together, over its part in one subgroup.

    function = group_function(GroupNonUniformIAdd, u32, [u32], [Reduce], undefined)
    function(out, lanes, [values], base, size)

    lanes   those that take part: numbers in the workgroup, ascending, at least one
    base    the subgroup's first lane; lane - base is the SubgroupLocalInvocationId
    size    how many lanes the subgroup has

`out` is set for `lanes` only, and is none of the columns of operands.
`operands` and the columns leave out the Execution scope; `literals` holds the GroupOperation where the instruction
has one. The scope Workgroup is a subgroup of its size (no ballots then: they have 128 bits).
"""

from reknit.ir import traits
from reknit.ir.opcodes import info
from reknit.sim.ops import group_derivative, group_exchange, group_fold, group_quad, group_vote
from reknit.sim.ops.group_vote import GroupFunction
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import Shape


def group_function(
    opcode: int, result: Shape, operands: list[Shape], literals: list[int], undefined: Undefined
) -> GroupFunction | None:
    """None: not a group operation, or one that is not known."""
    known = traits.SIM.get(opcode)
    if known == "group_vote":
        return group_vote.function(opcode, operands, literals, undefined)
    if known == "group_exchange":
        return group_exchange.function(opcode, result, operands, undefined)
    if known == "group_fold":
        return group_fold.function(opcode, result, operands, literals, undefined)
    if known == "group_derivative":
        return derivative_function(opcode, result, undefined, 0 if traits.DERIVATIVE[opcode] == "coarse" else -1)
    return group_quad.function(opcode, result, undefined)


def derivative_function(opcode: int, result: Shape, undefined: Undefined, way: int) -> GroupFunction | None:
    """A derivative, fine (-1) or with the differences of one invocation of the quad."""
    row = info(opcode)
    return group_derivative.function(f"Op{row.name}" if row is not None else "", result, undefined, way)
