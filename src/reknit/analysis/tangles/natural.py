"""Where helper invocations that are there from the start may count for a group operation, or not.

    GroupNonUniformIAdd Subgroup 1u      in a fragment shader: with them or without
    GroupNonUniformUMax Subgroup %same   no: the result is %same in any case
    if not %helper { ... }               no: none of them comes here
    Any (%x and not %helper)             no: what they say changes nothing
    Shuffle %x (first of a ballot of not %helper)      no: it is none of them

Source, Vulkan 1.4, "Helper Invocations": "If the MaximallyReconvergesKHR execution mode is not applied to the entry
point, helper invocations may: be considered inactive for group operations other than derivative and quad group
operations." With that mode they "must: remain active for all instructions for the lifetime of the quad scope instance
they are a part of", but a shader that executes no derivative and no quad operation, and doesn't declare
RequireFullQuadsKHR, may have none.
"""

from typing import Final, final

from reknit.analysis.callgraph import CallGraph
from reknit.analysis.manager import Analyses
from reknit.analysis.tangles.declared import declared_by_all
from reknit.analysis.tangles.rules import BASE, MAXIMAL
from reknit.analysis.uniformity.uniformity import Uniformity
from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.constants import as_int, literal_bits
from reknit.ir.function import Function
from reknit.ir.identities import identity_bits
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.tree import Construct, If, Region
from reknit.ir.types import width_of
from reknit.ir.value import Node, Value
from reknit.ir.walk import instructions

INACTIVE: Final = "helper invocations may be considered inactive for it, each for itself"
ABSENT: Final = "the shader executes no derivative or quad operation, so it may have no helper invocations"

_IDEMPOTENT: Final = ("f-min", "f-max", "s-min", "s-max", "u-min", "u-max", "and", "or")
_LOOKUPS: Final = (op.GroupNonUniformShuffle, op.GroupNonUniformBroadcast)
_FIND: Final = (op.GroupNonUniformBallotFindLSB, op.GroupNonUniformBallotFindMSB)
PARTITIONED: Final = (
    enums.GroupOperationPartitionedReduceEXT, enums.GroupOperationPartitionedInclusiveScanEXT,
    enums.GroupOperationPartitionedExclusiveScanEXT,
)  # fmt: skip
_MAX_DEPTH: Final = 6  # operations from a condition to what tells helper invocations


@final
class NaturalHelpers:
    """`reason`, by function of a fragment shader: why helper invocations may be missing there."""

    __slots__ = ("reason", "_analyses", "_variables", "_known", "_given")

    def __init__(self, module: Module, analyses: Analyses, roots: list[Function], target: str | None) -> None:
        self._analyses = analyses
        self._known: dict[tuple[Instr, bool, int, bool], bool] = {}  # by condition, answer, depth, variables or none
        self._given: dict[Value, list[Value]] | None = None
        self.reason: dict[Function, str] = {}
        graph = analyses.of_module(CallGraph)
        rules = declared_by_all(module)
        for root in roots:
            reached = graph.reachable(root)
            why = _why(module, root, reached, target or rules.get(root, BASE))
            if why:
                for function in reached:
                    self.reason.setdefault(function, why)
        self._variables = helper_variables(module)

    def why(self, instr: Instr, function: Function) -> str:
        """Why helper invocations may or may not count for an operation; "" where they can't change its result."""
        why = self.reason.get(function, "")
        if not why or not traits.SIM.get(instr.op, "").startswith("group") or not instr.has_result:
            return ""
        if traits.TANGLED[instr.op] not in ("scope", "subgroup") or not instr.is_used():
            return ""
        if self._decided(instr, function) or self._left_out(instr.block):
            return ""
        return why

    def tells(self, instr: Instr, function: Function) -> bool:
        """Whether helper invocations can't change what an operation gives, those that invocations were made of before
        it included: IsHelperInvocationEXT tells of them, HelperInvocation as each was started need not."""
        variables, self._variables = self._variables, {}
        decided = self._decided(instr, function) or self._left_out(instr.block)
        self._variables = variables
        return decided

    def _decided(self, instr: Instr, function: Function) -> bool:
        """Whether the operands give the result, with helper invocations and without."""
        operands = [each for each in instr.operands if isinstance(each, Value)]
        if instr.op in traits.SCOPED:
            operands = operands[1:]
        if not operands or instr.block is None:
            return False
        value = operands[0]
        neutral = traits.NEUTRAL.get(instr.op)
        if neutral is not None and self._says(value, neutral == "true"):
            return True
        if instr.op in _LOOKUPS and self._names_live_lane(operands[1]):
            return True
        if self._is_for_helpers(instr) or (instr.op == op.GroupNonUniformPartitionEXT and self._is_masked(instr)):
            return True
        group = traits.GROUP.get(instr.op)
        combines = traits.COMBINES.get(instr.op, "")
        if group == "fold":
            how = next((each for each in instr.operands if isinstance(each, int)), -1)
            if how in PARTITIONED:
                return self._has_live_mask(operands[1])
            if self._is_identity(value, combines):
                return True
            if combines not in _IDEMPOTENT or how != enums.GroupOperationReduce:
                return False
        elif group != "vote":
            return False
        uniformity = self._analyses.of_module_with(Uniformity, "subgroup")
        return uniformity.of(function).is_uniform_in(value, instr.block)

    def _is_identity(self, value: Value, combines: str) -> bool:
        """Whether helper invocations give a fold what changes nothing: 0 to a sum."""
        chosen = self._in_helpers(value)
        return isinstance(chosen, Instr) and _is_neutral(chosen, combines)

    def _in_helpers(self, value: Value) -> Value | None:
        """What a select chooses in each helper invocation; None where it doesn't go by that."""
        if not isinstance(value, Instr) or value.op != op.Select:
            return None
        condition = value.value(0)
        if isinstance(condition, Instr) and condition.op == op.CompositeConstruct:
            parts = [condition.value(at) for at in range(len(condition.operands))]
        else:
            parts = [condition]
        for at, what in ((1, True), (2, False)):
            if all(self._says(part, what) for part in parts):
                return value.value(at)
        return None

    def _is_live_ballot(self, value: Value) -> bool:
        """Whether it has no bit of a helper invocation."""
        return isinstance(value, Instr) and value.op == op.GroupNonUniformBallot and self._says(value.value(1), False)

    def _names_live_lane(self, lane: Value) -> bool:
        return isinstance(lane, Instr) and lane.op in _FIND and self._is_live_ballot(lane.value(1))

    def _is_for_helpers(self, instr: Instr) -> bool:
        """Whether only helper invocations have a use for it: a select takes it in no other."""
        users = _readers(instr)
        return len(users) > 0 and all(self._in_helpers(user) is instr for user in users)

    def _is_masked(self, partition: Instr) -> bool:
        """Whether helper invocations are taken out of the masks of a partition."""
        users = _readers(partition)
        return len(users) > 0 and all(self._has_live_mask(user) for user in users)

    def _has_live_mask(self, mask: Value) -> bool:
        """Whether it names no helper invocation, but in helpers."""
        if not isinstance(mask, Instr):
            return False
        if mask.op == op.Select:
            chosen = self._in_helpers(mask)
            return chosen is not None and all(
                self._has_live_mask(mask.value(at)) for at in (1, 2) if mask.value(at) is not chosen
            )
        return mask.op == op.BitwiseAnd and any(self._is_live_ballot(mask.value(at)) for at in (0, 1))

    def _says(self, value: Value, what: bool, depth: int = 0) -> bool:
        """Whether a condition is `what` in each helper invocation, as far as a few operations say."""
        if not isinstance(value, Instr) or depth > _MAX_DEPTH:
            return False
        key = (value, what, depth, len(self._variables) > 0)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._asked(value, what, depth)
        return known

    def _asked(self, value: Instr, what: bool, depth: int) -> bool:
        if value.op == op.LogicalNot:
            return self._says(value.value(0), not what, depth + 1)
        if self.is_helper(value):
            return what
        if value.op in (op.LogicalAnd, op.LogicalOr):
            sides = [self._says(value.value(at), what, depth + 1) for at in (0, 1)]
            return any(sides) if (value.op == op.LogicalOr) == what else all(sides)
        if value.op == op.Phi:
            ways = [(value.value(at), value.operands[at + 1]) for at in range(0, len(value.operands), 2)]
            return all(self._comes_as(value, given, source, what, depth + 1) for given, source in ways)
        if value.op == op.FunctionParameter:
            given = self._arguments(value)
            return len(given) > 0 and all(self._says(argument, what, depth + 1) for argument in given)
        return value.op == (op.ConstantTrue if what else op.ConstantFalse)

    def _comes_as(self, phi: Instr, value: Value, source: object, what: bool, depth: int) -> bool:
        """Whether a phi gets `what` from a block in each helper invocation that comes from there: `a || b` is a phi of
        `a` where that is true, and of `b` where it isn't."""
        if not isinstance(source, Block) or self._says(value, what, depth) or self._left_out(source, depth):
            return True
        region = source.region
        around = region.construct() if region is not None else None
        if isinstance(around, If):  # the edge leaves one of its arms
            taken = region is around.then
        elif isinstance(source.next, If) and source.next.next is phi.block:  # the edge passes an arm that is empty
            around = source.next
            taken = around.then.first is None
            if taken == (around.orelse.first is None):
                return False
        else:
            return False
        condition, negated = _bare(around.condition)
        asked, flipped = _bare(value)
        return condition is asked and (taken != negated) == (what != flipped)

    def _arguments(self, parameter: Instr) -> list[Value]:
        """What all calls of its function give for a parameter; none where not all are known."""
        if self._given is None:
            self._given = _arguments(self._analyses.of_module(CallGraph))
        return self._given.get(parameter, [])

    def is_helper(self, instr: Instr) -> bool:
        """Whether it is true in each helper invocation."""
        if instr.op == op.IsHelperInvocationEXT:
            return True
        return instr.op == op.Load and instr.operands[0] in self._variables

    def _left_out(self, block: Block | None, depth: int = 0) -> bool:
        """Whether no helper invocation comes to a block, by the conditions that it is under in its function."""
        node: Node | None = block
        while node is not None:
            region: Region | None = node.region
            if region is None:
                return False
            around: Construct | None = region.construct()
            if isinstance(around, If):
                taken = region is around.then
                if self._says(around.condition, not taken, depth):
                    return True
            node = around
        return False


def _arguments(graph: CallGraph) -> dict[Value, list[Value]]:
    """By parameter, what the calls of its function give; nothing where some calls are dynamic."""
    given: dict[Value, list[Value]] = {}
    for caller in graph.callees if not graph.dynamic else ():
        for call in instructions(caller):
            callee = call.operands[0] if call.op == op.FunctionCall else None
            if isinstance(callee, Function):
                for at, parameter in enumerate(callee.params):
                    given.setdefault(parameter, []).append(call.value(at + 1))
    return given


def _bare(condition: Value) -> tuple[Value, bool]:
    """What a condition asks, and whether it is that negated."""
    negated = False
    while isinstance(condition, Instr) and condition.op == op.LogicalNot:
        condition, negated = condition.value(0), not negated
    return condition, negated


def _readers(value: Instr) -> list[Value]:
    """What uses a value, but for names and decorations."""
    return [user for user in value.use_list() if not isinstance(user, Instr) or user.block is not None]


def _is_neutral(value: Instr, combines: str) -> bool:
    """Whether a constant is the identity of a fold, in each component: -0 of a sum of floats, as 0 makes 0 of -0."""
    if value.op == op.ConstantComposite:
        return all(_is_neutral(value.instr(at), combines) for at in range(len(value.operands)))
    if value.type is None:
        return False
    if value.op == op.Constant and value.type.op == op.TypeFloat:
        return literal_bits(value) == identity_bits(combines, width_of(value.type))
    number = as_int(value)
    if number is None:
        return False
    width = 1 if value.type.op == op.TypeBool else width_of(value.type)
    return number & (1 << width) - 1 == identity_bits(combines, width)


def helper_variables(module: Module) -> dict[Value, None]:
    """The variables decorated with HelperInvocation."""
    variables: dict[Value, None] = {}
    for decoration in module.decorations:
        if (
            decoration.op == op.Decorate
            and decoration.word(1) == enums.DecorationBuiltIn
            and decoration.word(2) == enums.BuiltInHelperInvocation
            and isinstance(decoration.operands[0], Value)
        ):
            variables[decoration.operands[0]] = None
    return variables


def _why(module: Module, root: Function, reached: list[Function], rule: str) -> str:
    if rule != MAXIMAL:
        return INACTIVE
    for mode in module.execution_modes:
        if mode.operands[0] is root and mode.word(1) == enums.ExecutionModeRequireFullQuadsKHR:
            return ""
    for function in reached:
        for instr in instructions(function):
            if traits.TANGLED.get(instr.op) == "quad":
                return ""
    return ABSENT
