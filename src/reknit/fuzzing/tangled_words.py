"""The result of a tangled operation, as instructions that give one word.

    ballot      a word of those here              last        what the last one here has, by a shuffle
    sum, scan   of what they have                 partner     what the next one has if it is here, else its own
    any, all    whether theirs are not 0          quad-swap   what another of the quad has; only where quads are whole

Every source of a shuffle is known to be in the tangle: a ballot right before it says so.
"""

from typing import Final, final

from reknit.ir import enums, op
from reknit.ir.build import Builder
from reknit.ir.constants import bool_constant, int_constant
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.types import bool_type, int_type, vector_type
from reknit.ir.value import Value

MIXING: Final = 31  # so that words of a ballot don't cancel
CLUSTER: Final = 4  # lanes

FOLDS: Final = {
    "sum": (op.GroupNonUniformIAdd, enums.GroupOperationReduce),
    "scan": (op.GroupNonUniformIAdd, enums.GroupOperationInclusiveScan),
    "exclusive": (op.GroupNonUniformIAdd, enums.GroupOperationExclusiveScan),
    "different": (op.GroupNonUniformBitwiseXor, enums.GroupOperationReduce),
    "union": (op.GroupNonUniformBitwiseOr, enums.GroupOperationReduce),
    "least": (op.GroupNonUniformUMin, enums.GroupOperationReduce),
    "greatest": (op.GroupNonUniformUMax, enums.GroupOperationReduce),
}
COUNTS: Final = {"count": enums.GroupOperationReduce, "before": enums.GroupOperationExclusiveScan}
VOTES: Final = {
    "any": (op.GroupNonUniformAny, True),
    "all": (op.GroupNonUniformAll, True),
    "quad-any": (op.GroupNonUniformQuadAnyKHR, False),
    "quad-all": (op.GroupNonUniformQuadAllKHR, False),
}

CAPABILITIES: Final = {
    "last": (enums.CapabilityGroupNonUniformShuffle,),
    "partner": (enums.CapabilityGroupNonUniformShuffle,),
    "cluster": (enums.CapabilityGroupNonUniformClustered,),
    "quad-swap": (enums.CapabilityGroupNonUniformQuad,),
    "quad-first": (enums.CapabilityGroupNonUniformQuad,),
    "quad-any": (enums.CapabilityQuadControlKHR,),
    "quad-all": (enums.CapabilityQuadControlKHR,),
}
"""What an operation needs besides basic, vote, arithmetic and ballot."""


@final
class TangledWords:
    """Emits at `b`. `here` is the word that an invocation's number in its subgroup is in; `words` of a ballot are
    looked at, 2 or 4."""

    def __init__(self, module: Module, b: Builder, words: int) -> None:
        self.module = module
        self.b = b
        self.words = words
        self.here: Value | None = None
        self.u32 = int_type(module, 32, False)
        self.bool = bool_type(module)

    def number(self, value: int) -> Instr:
        return int_constant(self.module, self.u32, value)

    def as_word(self, truth: Value) -> Instr:
        return self.b.emit(op.Select, self.u32, [truth, self.number(1), self.number(0)])

    def as_bool(self, word: Value) -> Instr:
        return self.b.emit(op.INotEqual, self.bool, [word, self.number(0)])

    def emit(self, kind: str, value: Value) -> Value:
        """A word of the result of `kind` for `value`."""
        scope: list[Operand] = [self.number(enums.ScopeSubgroup)]
        if kind == "ballot":
            return self.who(scope)
        if kind in COUNTS:
            counted: list[Operand] = [*scope, COUNTS[kind], self.ballot(scope, self.as_bool(value))]
            return self.b.emit(op.GroupNonUniformBallotBitCount, self.u32, counted)
        if kind in FOLDS:
            code, operation = FOLDS[kind]
            return self.b.emit(code, self.u32, [*scope, operation, value])
        if kind == "cluster":
            clustered: list[Operand] = [*scope, enums.GroupOperationClusteredReduce, value, self.number(CLUSTER)]
            return self.b.emit(op.GroupNonUniformIAdd, self.u32, clustered)
        if kind == "first":
            return self.b.emit(op.GroupNonUniformBroadcastFirst, self.u32, [*scope, value])
        if kind == "elect":
            return self.as_word(self.b.emit(op.GroupNonUniformElect, self.bool, scope))
        if kind == "same":
            return self.as_word(self.b.emit(op.GroupNonUniformAllEqual, self.bool, [*scope, value]))
        if kind in ("last", "partner"):
            return self.b.emit(op.GroupNonUniformShuffle, self.u32, [*scope, value, self.source(kind, scope)])
        if kind == "quad-swap":
            return self.b.emit(op.GroupNonUniformQuadSwap, self.u32, [*scope, value, self.number(1)])
        if kind == "quad-first":
            return self.b.emit(op.GroupNonUniformQuadBroadcast, self.u32, [*scope, value, self.number(0)])
        code, scoped = VOTES[kind]
        truth: list[Operand] = [self.as_bool(value)]
        return self.as_word(self.b.emit(code, self.bool, [*scope, *truth] if scoped else truth))

    def ballot(self, scope: list[Operand], truth: Value) -> Instr:
        vector = vector_type(self.module, self.u32, 4)
        return self.b.emit(op.GroupNonUniformBallot, vector, [*scope, truth])

    def who(self, scope: list[Operand]) -> Instr:
        """The words of the lanes that are here, folded into one."""
        ballot = self.ballot(scope, bool_constant(self.module, True))
        low = self.b.emit(op.CompositeExtract, self.u32, [ballot, 0])
        for index in range(1, self.words):
            high = self.b.emit(op.CompositeExtract, self.u32, [ballot, index])
            factor = self.number(MIXING + index - 1)
            low = self.b.emit(op.IAdd, self.u32, [low, self.b.emit(op.IMul, self.u32, [high, factor])])
        return low

    def source(self, kind: str, scope: list[Operand]) -> Instr:
        """An invocation that is in the tangle."""
        ballot = self.ballot(scope, bool_constant(self.module, True))
        if kind == "last":
            return self.b.emit(op.GroupNonUniformBallotFindMSB, self.u32, [*scope, ballot])
        assert self.here is not None
        here = self.b.load(self.u32, self.here)
        partner = self.b.emit(op.BitwiseXor, self.u32, [here, self.number(1)])
        present = self.b.emit(op.GroupNonUniformBallotBitExtract, self.bool, [*scope, ballot, partner])
        return self.b.emit(op.Select, self.u32, [present, partner, here])
