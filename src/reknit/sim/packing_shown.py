"""What of a packing a program can show, so that of packings that differ in nothing else one is run.

    nothing     no operation depends on it
    members     Any, All, AllEqual, reductions, how many bits of a ballot are set; NumSubgroups, barriers
    order       Elect, BroadcastFirst, scans
    ids         ballots as such, shuffles, broadcasts by an id, clusters, quads that are made of ids; built-in variables

Source, Vulkan, Group Operations. "For reductions, every invocation in a group will obtain the cumulative result of
these operators applied to all values in the group." A sum or product of floats has the results of all orders
(`sim.fold_orders`): "The order in which these operators are applied is implementation-dependent." FMin and FMax, where
the sign of a zero may go by it, are taken to show the order. "For exclusive scans, each invocation in a group will
obtain the cumulative result of these operators applied to all values in invocations with a lower index in the group";
of OpGroupNonUniformElect, "Only the invocation with the lowest id in the group will return true": which ids these are
doesn't matter, and neither do ids that no invocation has.

Which invocations are together in control flow does not depend on it, but for what SubgroupUniformControlFlowKHR
promises of a subgroup, which shows in such operations. Subgroups have numbers, which show only where SubgroupId is
read. An operation that is not named here is taken to show all.
"""

from typing import Final

from reknit.analysis.descriptors import indices_of
from reknit.analysis.freedoms import orders_subgroup
from reknit.ir import enums, op, traits
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.walk import instructions
from reknit.sim.entry import COMPUTE, find_entry, function_of_entry, reached_functions
from reknit.sim.packing import IDS, MEMBERS, NOTHING, ORDER, Space
from reknit.sim.run import Program
from reknit.source.diagnostic import Diagnostic, InputError

STAGES: Final = (enums.ExecutionModelFragment,)
FIRST: Final = (
    op.GroupNonUniformElect, op.GroupNonUniformBroadcastFirst, op.SubgroupFirstInvocationKHR,
)  # fmt: skip
SCANS: Final = (enums.GroupOperationInclusiveScan, enums.GroupOperationExclusiveScan)
ID_BUILTINS: Final = (
    enums.BuiltInSubgroupLocalInvocationId,
    enums.BuiltInSubgroupEqMask,
    enums.BuiltInSubgroupGeMask,
    enums.BuiltInSubgroupGtMask,
    enums.BuiltInSubgroupLeMask,
    enums.BuiltInSubgroupLtMask,
)
MEMBER_BUILTINS: Final = (enums.BuiltInNumSubgroups, enums.BuiltInSubgroupId)


def space_of(program: Program, full_subgroups: bool) -> Space:
    """The packings of a program that are distinguished. `full_subgroups`: the pipeline requires full subgroups. Raises
    InputError (RK1006)."""
    module, stage = program.module, program.stage
    point = find_entry(module, program.name, STAGES if stage.helps else COMPUTE)
    if full_subgroups and program.size[0] % program.subgroup_size:
        message = f"full subgroups of {program.subgroup_size}, but the workgroup's X dimension is {program.size[0]}"
        help = "it must be a multiple of the subgroup size (VUID-VkPipelineShaderStageCreateInfo-pNext-02757)"
        raise InputError([Diagnostic("RK1006", message, place_of(point, module), help=help)])
    level, numbered = shown_by(program, reached_functions(module, function_of_entry(point, True)))
    order = [] if stage.empty else stage.in_order()
    full = full_subgroups or program.has_full_subgroups()
    return Space(order, program.subgroup_size, 4 if stage.quads else 1, level, numbered, full)


def shown_by(program: Program, functions: list[Function]) -> tuple[int, bool]:
    """What shows in a program that is made of `functions`, and whether SubgroupId does."""
    decorations = program.preparation.globals.decorations
    level = NOTHING
    numbered = False
    for variable in program.preparation.cells:
        builtin = decorations.number(variable, enums.DecorationBuiltIn)
        if builtin in ID_BUILTINS:
            level = IDS
        elif builtin in MEMBER_BUILTINS:
            level = max(level, MEMBERS)
            numbered = numbered or builtin == enums.BuiltInSubgroupId
    for function in functions:
        for instr in instructions(function):
            level = max(level, shown_by_instr(instr, program.stage.quads))
            if indices_of(instr, lambda value: decorations.has(value, enums.DecorationNonUniform)):
                level = max(level, MEMBERS)  # descriptors must be the same in a subgroup
    return level, numbered


def shown_by_instr(instr: Instr, quads: bool) -> int:
    """`quads`: the specification says which invocations are a quad."""
    if orders_subgroup(instr):
        return MEMBERS
    kind = traits.TANGLED.get(instr.op)
    if kind is None or instr.op in traits.BARRIER or instr.op in traits.CALLS:
        return NOTHING  # what a dynamic call comes to is among the functions that are asked about
    if kind == "quad":
        return NOTHING if quads else IDS
    if kind == "bits":
        return shown_by_bits(instr)
    how = traits.GROUP.get(instr.op)
    if instr.op in FIRST:
        return ORDER
    if how == "vote":
        return MEMBERS
    if how == "fold":
        operation = operation_of(instr)
        if operation == enums.GroupOperationReduce:
            return ORDER if traits.COMBINES.get(instr.op) in ("f-min", "f-max") else MEMBERS
        return ORDER if operation in SCANS else IDS
    if how == "ballot":
        return max([shown_by_count(user) for user in instr.users] + [NOTHING])
    return IDS


def shown_by_count(user: object) -> int:
    """By a use of a ballot: how many of its bits are set, or how many below an invocation's own, or all of it."""
    if not isinstance(user, Instr) or user.op != op.GroupNonUniformBallotBitCount:
        return IDS
    operation = operation_of(user)
    return MEMBERS if operation == enums.GroupOperationReduce else ORDER if operation in SCANS else IDS


def shown_by_bits(instr: Instr) -> int:
    """By an operation on the bits of a ballot, which says what it shows itself; other bits it may set against an id."""
    if instr.op == op.GroupNonUniformInverseBallot:
        return IDS
    if instr.op == op.GroupNonUniformBallotBitCount:
        ballot = instr.value(2)
        of_ballot = isinstance(ballot, Instr) and traits.GROUP.get(ballot.op) == "ballot"
        return NOTHING if of_ballot or operation_of(instr) == enums.GroupOperationReduce else IDS
    return NOTHING


def operation_of(instr: Instr) -> int:
    """Reduce, a scan, or another way to combine values over a group."""
    operation = instr.operands[1]
    return operation if isinstance(operation, int) else -1
