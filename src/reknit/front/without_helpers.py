"""HLSL's waves have no helper lanes; SPIR-V's subgroups have.

    %all = GroupNonUniformIAdd 3u Reduce %x       %h = IsHelperInvocationEXT
                                            =>    %y = Select %h 0u %x
                                                  %all = GroupNonUniformIAdd 3u Reduce %y

In a pixel shader that was HLSL or DXIL, helper lanes take part in a group operation with a value that changes nothing
for the others, and the first lane is the first that is no helper. What an operation gives to helper lanes themselves is
of no meaning. Operations that name a lane, and those of quads, are left as they are.

Source: HLSL Shader Model 6.0, wave intrinsics; Shader Model 6.7, "Wave Ops Include Helper Lanes", without which they
are not included. SPIR-V 1.6, 3.42.24, "The identity I for Operation is ...".
"""

from collections.abc import Collection
from typing import Final, final

from reknit.analysis.callgraph import CallGraph
from reknit.analysis.manager import Analyses
from reknit.analysis.tangles.natural import PARTITIONED
from reknit.ir import enums, op, traits
from reknit.ir.capabilities import declares
from reknit.ir.constants import bool_constant, int_constant
from reknit.ir.edit import erase, insert_before, replace_uses
from reknit.ir.function import Function
from reknit.ir.identities import identity_bits
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module, annotation
from reknit.ir.types import bool_type, int_type, is_float, is_signed, vector_type, width_of
from reknit.ir.value import Value
from reknit.ir.walk import instruction_list

EXTENSION: Final = "SPV_EXT_demote_to_helper_invocation"


def without_helpers(module: Module, included: Collection[Function] = ()) -> None:
    """Take helper lanes out of the group operations of all that only fragment entry points reach, but for `included`,
    whose waves have them. A function that another stage calls, too, can't ask which are helpers: it stays as it is."""
    graph = Analyses(module).of_module(CallGraph)
    fragments: dict[Function, None] = {}
    others: dict[Function, None] = {}
    for entry in module.entry_points:
        start = entry.operands[1]
        if isinstance(start, Function):
            apart = entry.word(0) == enums.ExecutionModelFragment and start not in included
            into = fragments if apart else others
            into.update(dict.fromkeys(graph.reachable(start)))
    for function in fragments:
        if function not in others and not function.is_declaration():
            for instr in instruction_list(function):
                if traits.SIM.get(instr.op, "").startswith("group"):
                    _Operation(module, instr).rewrite()


@final
class _Operation:
    """One group operation; what it needs is put before it."""

    __slots__ = ("module", "instr", "bool")

    def __init__(self, module: Module, instr: Instr) -> None:
        self.module = module
        self.instr = instr
        self.bool = bool_type(module)

    def rewrite(self) -> None:
        instr = self.instr
        if instr.op == op.GroupNonUniformElect:
            self.replace(self.is_first())
        elif instr.op == op.GroupNonUniformBroadcastFirst:
            self.replace(self.of_first(instr.value(1)))
        elif instr.op == op.GroupNonUniformAllEqual:
            equal = self.emit(op.LogicalOr, self.bool, [self.equals_first(instr.value(1)), self.is_helper()])
            self.replace(self.emit(op.GroupNonUniformAll, self.bool, [instr.operands[0], equal]))
        elif instr.op == op.GroupNonUniformPartitionEXT:
            self.leave_out_of_partition()
        elif traits.NEUTRAL.get(instr.op) == "true":
            self.operate_on(1, self.emit(op.LogicalOr, self.bool, [instr.value(1), self.is_helper()]))
        elif traits.NEUTRAL.get(instr.op) == "false":
            live = self.is_live()
            all_true = instr.value(1) is bool_constant(self.module, True)
            self.operate_on(1, live if all_true else self.emit(op.LogicalAnd, self.bool, [instr.value(1), live]))
        elif traits.GROUP.get(instr.op) == "fold":
            if instr.word(1) in PARTITIONED:
                self.operate_on(3, self.own_partition(instr.value(3)))
            else:
                self.operate_on(2, self.neutral(instr.value(2)))

    # --- the pieces ---------------------------------------------------------------------------------------------------

    def emit(self, code: int, type: Instr, operands: list[Operand]) -> Instr:
        emitted = insert_before(self.instr, Instr(code, type, operands))
        places = self.module.places
        if places is not None and self.instr in places.starts:
            places.starts[emitted] = places.starts[self.instr]
        return emitted

    def replace(self, value: Instr) -> None:
        """The operation's result is another's, which takes its place."""
        value.name = self.instr.name
        replace_uses(self.instr, value)
        erase(self.instr)

    def operate_on(self, index: int, value: Value) -> None:
        self.instr.set_operand(index, value)

    def capability(self, wanted: int) -> None:
        if not declares(self.module, wanted):
            self.module.capabilities.append(annotation(op.Capability, [wanted]))

    def is_helper(self) -> Instr:
        self.capability(enums.CapabilityDemoteToHelperInvocation)
        if not any(extension.text(0) == EXTENSION for extension in self.module.extensions):
            self.module.extensions.append(annotation(op.Extension, [EXTENSION]))
        return self.emit(op.IsHelperInvocationEXT, self.bool, [])

    def is_live(self) -> Instr:
        return self.emit(op.LogicalNot, self.bool, [self.is_helper()])

    def masks(self) -> Instr:
        return vector_type(self.module, int_type(self.module, 32, False), 4)

    def subgroup(self) -> Instr:
        return int_constant(self.module, int_type(self.module, 32, False), enums.ScopeSubgroup)

    def ballot(self, vote: Value) -> Instr:
        self.capability(enums.CapabilityGroupNonUniformBallot)
        return self.emit(op.GroupNonUniformBallot, self.masks(), [self.subgroup(), vote])

    def is_first(self) -> Instr:
        """Whether no lane before it is live, and it is."""
        u32 = int_type(self.module, 32, False)
        live = self.is_live()
        how = enums.GroupOperationExclusiveScan
        before = self.emit(op.GroupNonUniformBallotBitCount, u32, [self.subgroup(), how, self.ballot(live)])
        none = self.emit(op.IEqual, self.bool, [before, int_constant(self.module, u32, 0)])
        return self.emit(op.LogicalAnd, self.bool, [none, live])

    def of_first(self, value: Value) -> Instr:
        """The value of the first live lane."""
        self.capability(enums.CapabilityGroupNonUniformShuffle)
        assert isinstance(value, Instr) and value.type is not None
        u32 = int_type(self.module, 32, False)
        first = self.emit(op.GroupNonUniformBallotFindLSB, u32, [self.subgroup(), self.ballot(self.is_live())])
        return self.emit(op.GroupNonUniformShuffle, value.type, [self.subgroup(), value, first])

    def equals_first(self, value: Value) -> Instr:
        """Whether all components are those of the first live lane; floats as numbers, as OpGroupNonUniformAllEqual has
        it."""
        theirs = self.of_first(value)
        type = theirs.type
        assert type is not None
        scalar = type.instr(0) if type.op == op.TypeVector else type
        code = op.FOrdEqual if is_float(scalar) else op.LogicalEqual if scalar is self.bool else op.IEqual
        if scalar is type:
            return self.emit(code, self.bool, [value, theirs])
        each = vector_type(self.module, self.bool, type.word(1))
        return self.emit(op.All, self.bool, [self.emit(code, each, [value, theirs])])

    def neutral(self, value: Value) -> Instr:
        """The value, or the identity in helpers."""
        type = self.instr.type
        assert type is not None
        identity = self.identity(type)
        return self.emit(op.Select, type, [self.condition(type), identity, value])

    def condition(self, type: Instr) -> Instr:
        """Whether the lane is a helper, for each component: before SPIR-V 1.4, OpSelect of vectors takes a vector."""
        helper = self.is_helper()
        if type.op != op.TypeVector:
            return helper
        count = type.word(1)
        return self.emit(op.CompositeConstruct, vector_type(self.module, self.bool, count), [helper] * count)

    def identity(self, type: Instr) -> Instr:
        if type.op == op.TypeVector:
            return self.module.intern(op.ConstantComposite, type, [self.identity(type.instr(0))] * type.word(1))
        combines = traits.COMBINES[self.instr.op]
        if type is self.bool:
            return bool_constant(self.module, identity_bits(combines, 1) == 1)
        width = width_of(type)
        bits = identity_bits(combines, width)
        if is_float(type):
            words: list[Operand] = []
            words.extend((bits >> shift) & 0xFFFFFFFF for shift in range(0, width, 32))
            return self.module.intern(op.Constant, type, words)
        negative = is_signed(type) and bits >> width - 1 == 1
        return int_constant(self.module, type, bits - (1 << width) if negative else bits)

    # --- partitions ---------------------------------------------------------------------------------------------------

    def leave_out_of_partition(self) -> None:
        """Of the lanes with the same value, those that are live."""
        instr = self.instr
        parts = self.emit(instr.op, self.masks(), [instr.value(0)])
        live = self.ballot(self.is_live())
        self.replace(self.emit(op.BitwiseAnd, self.masks(), [parts, live]))

    def own_partition(self, mask: Value) -> Instr:
        """Helpers are a partition of their own."""
        masks = self.masks()
        mine = self.emit(op.BitwiseAnd, masks, [mask, self.ballot(self.is_live())])
        others = self.ballot(self.is_helper())
        return self.emit(op.Select, masks, [self.condition(masks), others, mine])
