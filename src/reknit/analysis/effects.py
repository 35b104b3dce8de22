"""What an instruction does besides giving a value, and which functions do anything but give one.

    IAdd %a, %b                computes     the same operands always give the same
    Load %p                    reads        no effect; what it gives depends on when
    GroupNonUniformBallot      shares       no effect; what it gives depends on which invocations are here
    Store, atomics, barriers   acts         and so does every opcode that is not named here
    Kill, a call that kills    ends         afterwards fewer lanes, or others, run together

    main ──▶ shade (stores) ──▶ lum          shade acts, lum doesn't: an unused call to lum is nothing

Taking out a group operation that nothing reads changes nothing for the other lanes: each of them gets the same result
whether or not this one is computed a second time, and control flow alone decides which lanes run together. A barrier
is different: it makes lanes wait. A call without effects comes back with the lanes that it was entered with, so it may
go as a whole; one that never comes back is undefined (Vulkan, "Shader Execution": invocations make progress).
Sources: SPIR-V 1.6, 3.52 "Instructions", "Memory Operands", "Image Operands"; SPV_KHR_maximal_reconvergence.
"""

from typing import ClassVar, Final, final

from reknit.analysis.callgraph import CallGraph, called
from reknit.analysis.manager import Analyses, ModuleAnalysis
from reknit.analysis.writes import variable_of
from reknit.ir import enums, op, traits
from reknit.ir.constants import as_int
from reknit.ir.debug import is_debug, set_of
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.ir.walk import instruction_list
from reknit.source.meter import spend

_IMAGE_READS: Final = (op.ImageRead, op.ImageSparseRead)

_STAYING: Final = traits.COMPUTES | traits.READS | traits.SHARES | traits.STAYS

_MEMORY_OPERANDS: Final = {
    op.Load: 1, op.Store: 2, op.CopyMemory: 2, op.CopyMemorySized: 3, op.CooperativeMatrixLoadKHR: 3,
    op.CooperativeMatrixStoreKHR: 4, op.CooperativeMatrixLoadNV: 3, op.CooperativeMatrixStoreNV: 4,
}  # fmt: skip
"""Where the memory operands of an access begin."""

_WITH_OPERANDS: Final = (
    enums.MemoryAccessAligned
    | enums.MemoryAccessMakePointerAvailable
    | enums.MemoryAccessMakePointerVisible
    | enums.MemoryAccessAliasScopeINTELMask
    | enums.MemoryAccessNoAliasINTELMask
)
"""Bits of memory operands that a word follows."""

_TEXELS_OF_THREE: Final = (
    op.ImageSampleDrefImplicitLod, op.ImageSampleDrefExplicitLod, op.ImageSampleProjDrefImplicitLod,
    op.ImageSampleProjDrefExplicitLod, op.ImageGather, op.ImageDrefGather, op.ImageWrite,
    op.ImageSparseSampleDrefImplicitLod, op.ImageSparseSampleDrefExplicitLod, op.ImageSparseSampleProjDrefImplicitLod,
    op.ImageSparseGather, op.ImageSparseDrefGather,
)  # fmt: skip
"""Whose image operands come after three operands; those of others after two."""

_GLSL_WRITES: Final = (35, 51)  # Modf and Frexp store through a pointer
_GLSL_READS: Final = (76, 77, 78)  # InterpolateAtCentroid, -Sample, -Offset


@final
class Effects(ModuleAnalysis):
    """`acting` are the functions a call to which is more than its value, `ending` those that may end lanes; `unread`
    the private variables of the module that are stored at most."""

    name: ClassVar[str] = "effects"

    def __init__(self, module: Module) -> None:
        self.volatile: dict[Value, None] = {}
        self.volatile_members = False
        self.acting: dict[Function, None] = {}
        self.ending: dict[Function, None] = {}
        self.unread: dict[Value, None] = {}
        linked: dict[Value, None] = {}
        for instr in module.decorations:
            if instr.op == op.Decorate and instr.word(1) == enums.DecorationVolatile:
                self.volatile[instr.value(0)] = None
            elif instr.op == op.Decorate and instr.word(1) == enums.DecorationLinkageAttributes:
                linked[instr.value(0)] = None
            elif instr.op == op.MemberDecorate and instr.word(2) == enums.DecorationVolatile:
                self.volatile_members = True
        for instr in module.globals:
            own = instr.op == op.Variable and instr.operands[0] == enums.StorageClassPrivate
            if own and instr not in linked and _is_only_stored(instr):
                self.unread[instr] = None

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "Effects":
        effects = Effects(module)
        acting: list[Function] = []
        ending: list[Function] = []
        for function in module.functions:
            acts = ends = function.is_declaration()
            for instr in instruction_list(function):
                if called(instr) is not None:
                    continue
                acts = acts or effects._acts_outside(instr)
                ends = ends or effects.may_end(instr)
            if acts:
                acting.append(function)
            if ends:
                ending.append(function)
        graph = analyses.of_module(CallGraph)
        effects.acting = dict.fromkeys(graph.reaching(acting))
        effects.ending = dict.fromkeys(graph.reaching(ending))
        return effects

    def acts(self, instr: Instr) -> bool:
        """True if `instr` does more than give a value: it must stay though nothing reads it."""
        code = instr.op
        if code in traits.COMPUTES or code in traits.SHARES:
            return False
        if code == op.Load:
            return self.is_volatile(instr, 1)
        if code in _IMAGE_READS:
            return bool(self.volatile) or self.volatile_members or is_volatile(instr)
        if code in traits.READS:
            return False
        if code == op.ExtInst:
            return not (is_debug(instr) or (_is_glsl(instr) and instr.word(1) not in _GLSL_WRITES))
        callee = called(instr)
        return callee is None or callee in self.acting

    def computes(self, instr: Instr) -> bool:
        """True if the value of `instr` depends on its operands alone, and it has no effect."""
        if instr.op == op.ExtInst:
            return _is_glsl(instr) and instr.word(1) not in _GLSL_WRITES and instr.word(1) not in _GLSL_READS
        return instr.op in traits.COMPUTES

    def may_end(self, instr: Instr) -> bool:
        """True if after `instr` other lanes than before may run together: it kills, demotes, packs them anew, or
        nothing is known of it."""
        callee = called(instr)
        if callee is not None:
            return callee in self.ending
        if instr.op == op.ExtInst:
            return not (is_debug(instr) or _is_glsl(instr))
        return instr.op not in _STAYING

    def stored_variable(self, instr: Instr) -> Instr | None:
        """The function's own variable, or one that nothing reads, to all or a part of which a plain OpStore writes;
        None for all else."""
        if instr.op != op.Store:
            return None
        variable = variable_of(instr.value(0))
        if variable is None or self.is_volatile(instr, 2):
            return None
        own = variable.operands[0] == enums.StorageClassFunction or variable in self.unread
        return variable if own else None

    def is_volatile(self, access: Instr, first: int) -> bool:
        """Whether a load or store, whose memory operands begin at operand `first`, must happen as often as it says."""
        if len(access.operands) > first and access.word(first) & enums.MemoryAccessVolatile:
            return True
        if not self.volatile and not self.volatile_members:
            return False
        variable = variable_of(access.value(0))
        if variable is None or variable in self.volatile:
            return True
        own = variable.operands[0] in (enums.StorageClassFunction, enums.StorageClassPrivate)
        return self.volatile_members and not own

    def same_as(self, other: ModuleAnalysis) -> bool:
        return (
            isinstance(other, Effects)
            and list(self.acting) == list(other.acting)
            and list(self.ending) == list(other.ending)
            and list(self.volatile) == list(other.volatile)
            and list(self.unread) == list(other.unread)
            and self.volatile_members == other.volatile_members
        )

    def _acts_outside(self, instr: Instr) -> bool:
        """True for an effect that the caller may see."""
        return instr.op not in traits.PLAIN_CONTROL and self.stored_variable(instr) is None and self.acts(instr)


def is_volatile(instr: Instr) -> bool:
    """Whether an access says so itself: of memory by its memory operands, of texels by its image operands, an atomic or
    barrier by its memory semantics, as far as these are known."""
    code = instr.op
    if code in _MEMORY_OPERANDS:
        return any(bool(each & enums.MemoryAccessVolatile) for each in _masks(instr, _MEMORY_OPERANDS[code]))
    if code in traits.TEXELS:
        at = 3 if code in _TEXELS_OF_THREE else 2
        return len(instr.operands) > at and bool(instr.word(at) & enums.ImageOperandsVolatileTexel)
    scopes = 2 if code in traits.SCOPED else 1
    for at in traits.ORDERING.get(code, ())[scopes:]:
        operand = instr.operands[at] if at < len(instr.operands) else None
        semantics = as_int(operand) if isinstance(operand, Value) else None
        if semantics is not None and semantics & enums.MemorySemanticsVolatile:
            return True
    return False


def _masks(access: Instr, first: int) -> list[int]:
    """The memory operands of an access; of a copy, those of its target and of its source."""
    masks: list[int] = []
    at = first
    while at < len(access.operands):
        mask = access.word(at)
        masks.append(mask)
        at += 1 + (mask & _WITH_OPERANDS).bit_count()
    return masks


def _is_glsl(instr: Instr) -> bool:
    return set_of(instr) == "GLSL.std.450"


def _is_only_stored(variable: Instr) -> bool:
    """Whether all that names a variable stores to it, or to a part of it, or is debug information."""
    work = [variable]
    while work:
        spend(1)
        pointer = work.pop()
        for user in pointer.user_list():
            if not isinstance(user, Instr):
                return False
            if user.op in traits.OBJECT_CHAIN and user.operands[0] is pointer:
                work.append(user)
            elif not is_debug(user) and (user.op != op.Store or user.operands[1] is pointer):
                return False
    return True
