"""What a module promises besides what its instructions compute: is any of it gone afterwards?

    before: ExecutionMode @main MaximallyReconvergesKHR          after: no such mode         weaker
    before: NoContraction on every product                       after: on none              weaker
    before: ControlBarrier Workgroup Workgroup AcquireRelease    after: .. None              unsure: runs may tell
    before: MemoryModel Logical GLSL450                          after: .. Vulkan            apart

    apart     they can't be compared: what one says means something else in the other
    weaker    after may do what before may not, whatever it computes; no run of the simulator need show it
    unsure    after says less, and nothing found depends on it: the verdict is "sampled" at most
    counted   the same of what terms compare instruction by instruction: only where terms prove nothing

After may always promise more. Sources: SPIR-V 1.6, 3.2.5 "Execution Mode", 3.2.20 "Decoration", 3.2.21 "FP Fast Math
Mode", 3.2.26 "Memory Semantics"; SPV_KHR_float_controls, _float_controls2, _maximal_reconvergence, _quad_control.
"""

from collections.abc import Iterator
from typing import Final, final

from reknit.analysis.decorations import Decorated, decorations_of
from reknit.analysis.tangles.declared import rules_for
from reknit.analysis.tangles.operations import QUAD, group_of
from reknit.analysis.tangles.rules import DECLARED
from reknit.checks.lint.lint import lint_module
from reknit.ir import enums, op, opcodes, traits
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.types import storage_of, width_of
from reknit.ir.value import Value
from reknit.ir.walk import instructions
from reknit.passes.values.identities import identity
from reknit.sim.access import OWN
from reknit.sim.entry import find_entry, function_of_entry, reached_functions
from reknit.sim.faults import describe
from reknit.sim.run import freedom_of_helpers
from reknit.sim.step_choices import SETTLED

TANGLES: Final = "tangled operations"
FLOATS: Final = "floats"
QUADS: Final = "quads"

PROMISES: Final = {
    enums.ExecutionModeMaximallyReconvergesKHR: TANGLES,
    enums.ExecutionModeSubgroupUniformControlFlowKHR: TANGLES,
    enums.ExecutionModeDenormPreserve: FLOATS,
    enums.ExecutionModeDenormFlushToZero: FLOATS,
    enums.ExecutionModeSignedZeroInfNanPreserve: FLOATS,
    enums.ExecutionModeRoundingModeRTE: FLOATS,
    enums.ExecutionModeRoundingModeRTZ: FLOATS,
    enums.ExecutionModeContractionOff: FLOATS,
    enums.ExecutionModeRequireFullQuadsKHR: QUADS,
    enums.ExecutionModeQuadDerivativesKHR: QUADS,
}
"""The modes without which an implementation may do more, and what has to be there for it to matter."""

NO_MEANING: Final = (
    enums.ExecutionModeLocalSize,  # the size of a workgroup is compared as what it comes to
    enums.ExecutionModeLocalSizeId,
    enums.ExecutionModeLocalSizeHint,
    enums.ExecutionModeLocalSizeHintId,
    enums.ExecutionModeVecTypeHint,
    enums.ExecutionModeSchedulerTargetFmaxMhzINTEL,
    enums.ExecutionModeFPFastMathDefault,  # its flags are compared
)

MEMORY: Final = (
    (enums.DecorationCoherent, True),
    (enums.DecorationVolatile, True),
    (enums.DecorationAliased, True),
    (enums.DecorationRestrict, False),
)
"""Decorations of variables: those that promise (True), and those that let an implementation assume more (False)."""

_ORDERING: Final = (enums.MemorySemanticsAcquire, enums.MemorySemanticsRelease)
_BOTH: Final = enums.MemorySemanticsAcquireRelease | enums.MemorySemanticsSequentiallyConsistent

_WIDTHS: Final = (
    enums.ScopeCrossDevice,
    enums.ScopeDevice,
    enums.ScopeQueueFamily,
    enums.ScopeWorkgroup,
    enums.ScopeSubgroup,
    enums.ScopeInvocation,
)
"""Scopes from the widest to the narrowest."""

Ordering = tuple[int, tuple[int | str, ...]]
"""(opcode, its scopes and semantics)"""


@final
class Facts:
    """What is compared, of one module and entry point. `loose` has the freedoms of arithmetic and memory by name, with
    how many instructions have each and how many don't."""

    __slots__ = (
        "modes", "fast", "is_kernel", "flags", "present", "widths", "loose", "orders", "memory", "models", "specs",
    )  # fmt: skip

    def __init__(self, module: Module, entry: str) -> None:
        point = find_entry(module, entry)
        self.modes: dict[tuple[int, tuple[int | str, ...]], None] = {}
        self.fast: dict[str, int] = {}  # FPFastMathDefault, by the type
        self.is_kernel: bool = point.word(0) == enums.ExecutionModelKernel
        self.flags = 0  # of all FPFastMathMode decorations together
        for mode in module.modes_of(point.operands[1]):
            self.add_mode(mode)
        self.present: dict[str, None] = {}
        self.widths: dict[int, None] = {}
        self.loose: dict[str, tuple[int, int]] = {}
        self.orders: dict[Ordering, int] = {}
        decorated = decorations_of(module)
        for function in reached_functions(module, function_of_entry(point, True)):
            for instr in instructions(function):
                self.add(instr, decorated.get(instr, {}))
        self.memory = memory_of(module, decorated)
        self.models = [instr.word(at) for instr in module.memory_model for at in (0, 1)]
        self.specs = spec_types(module, decorated)

    def flags_by_default(self, type: str) -> int:
        """The fast math flags of what is not decorated, of a type; -1 for all."""
        return self.fast.get(type, 0 if self.fast or self.is_kernel else -1)

    def add_mode(self, mode: Instr) -> None:
        kind = mode.word(1)
        operands = tuple([shown(operand) for operand in mode.operands[2:]])
        if kind == enums.ExecutionModeFPFastMathDefault:
            flags = operands[1]
            self.fast[str(operands[0])] = flags if isinstance(flags, int) else -1
        elif kind not in NO_MEANING:
            self.modes[kind, operands] = None

    def add(self, instr: Instr, decorated: dict[int, tuple[Instr, int]]) -> None:
        if instr.op in traits.JUDGED:
            self.present[TANGLES] = None
            if group_of(instr) == QUAD:
                self.present[QUADS] = None
        for width in float_widths(instr):
            self.widths[width] = None
            self.present[FLOATS] = None
        if instr.op in traits.CONTRACTS:
            contracts = enums.DecorationNoContraction not in decorated
            self.count(f"contraction of {opcodes.opcode_name(instr.op)}", contracts)
        if instr.has_result and float_widths(instr):
            self.count("fewer bits by RelaxedPrecision", enums.DecorationRelaxedPrecision in decorated)
            flags = decorated[enums.DecorationFPFastMathMode][1] if enums.DecorationFPFastMathMode in decorated else 0
            self.count("other results by FPFastMathMode", flags != 0)
            self.flags |= flags
        if is_outside(instr):
            at = 1 if instr.op == op.Load else 2
            mask = instr.word(at) if len(instr.operands) > at else 0
            for bit, name in _ACCESSES:
                self.count(f"accesses without {name}", not mask & bit)
        ordering = ordering_of(instr)
        if ordering is not None:
            self.orders[ordering] = self.orders.get(ordering, 0) + 1

    def count(self, freedom: str, has: bool) -> None:
        with_it, without = self.loose.get(freedom, (0, 0))
        self.loose[freedom] = (with_it + 1, without) if has else (with_it, without + 1)


_ACCESSES: Final = (
    (enums.MemoryAccessVolatile, "Volatile"),
    (enums.MemoryAccessNonPrivatePointer, "NonPrivatePointer"),
    (enums.MemoryAccessMakePointerAvailable, "MakePointerAvailable"),
    (enums.MemoryAccessMakePointerVisible, "MakePointerVisible"),
)


def neutral_floats(module: Module, entry: str) -> list[Instr]:
    """Operations on floats that change no number, as FMul by 1, FSub of 0 and FNegate of FNegate, in an entry point."""
    point = find_entry(module, entry)
    return [
        instr
        for function in reached_functions(module, function_of_entry(point, True))
        for instr in instructions(function)
        if instr.op in NEUTRAL
        and instr.type is not None
        and identity(instr.op, instr.type, [each for each in instr.operands if isinstance(each, Value)], module)
    ]


NEUTRAL: Final = (op.FMul, op.FSub, op.FNegate, op.VectorTimesScalar)


@final
class Promises:
    """Both modules compared, for one entry point: each list holds lines for a reader."""

    __slots__ = ("apart", "weaker", "unsure", "counted", "uncertified")

    def __init__(self, before: Module, after: Module, entry: str, rules: str = DECLARED) -> None:
        self.apart: list[str] = []
        self.weaker: list[str] = []
        self.unsure: list[str] = []
        self.counted: list[str] = []  # as `unsure`, where terms, which match instruction by instruction, prove nothing
        self.uncertified: list[str] = []  # what certificates don't follow
        mine, other = Facts(before, entry), Facts(after, entry)
        if mine.models != other.models:
            texts = [_model(models) for models in (mine.models, other.models)]
            self.apart.append(f"the memory model is {texts[0]} before and {texts[1]} after")
        for number, type in mine.specs.items():
            if other.specs.get(number, type) != type:
                self.apart.append(f"specialization constant {number} is {type} before and {other.specs[number]} after")
        if rules != DECLARED:  # both are judged by the same ones, whatever they declare
            mine.modes = {mode: None for mode in mine.modes if PROMISES.get(mode[0]) != TANGLES}
        self.modes(mine, other, after)
        self.fast_math(mine, other)
        self.freedoms(mine, other)
        self.orders(mine, other)
        self.memory(mine, other)
        self.helpers(before, after, entry, rules)
        self.neutral(before, after, entry)

    def neutral(self, before: Module, after: Module, entry: str) -> None:
        """A product by 1 is taken for its operand, which it may be; but that it "may be flushed to zero" if it is a
        denormal (Vulkan, Precision and Operation of SPIR-V Instructions) is a result that the operand alone has not."""
        had, has = [neutral_floats(module, entry) for module in (before, after)]
        if len(has) > len(had):
            self.unsure.append(
                f"{describe(has[-1])} may flush a denormal or quiet a NaN: there are {len(had)} such operations, which"
                f" change no other number, before, and {len(has)} after"
            )

    def helpers(self, before: Module, after: Module, entry: str, rules: str) -> None:
        """With maximal reconvergence helper invocations count for group operations where they have to be launched: a
        fragment shader that loses its last derivative and quad operation may be run without."""
        launched: list[bool] = []
        for module in (before, after):
            point = find_entry(module, entry)
            function = function_of_entry(point, True)
            functions = reached_functions(module, function)
            if point.word(0) != enums.ExecutionModelFragment or not any(
                traits.TANGLED.get(instr.op) in ("scope", "subgroup") and instr.op not in traits.BARRIER
                for each in functions
                for instr in instructions(each)
            ):
                return
            freedom = freedom_of_helpers(module, function, functions, rules_for(module, function, rules))
            launched.append(freedom == SETTLED)
        if launched == [True, False]:
            self.unsure.append(
                "helper invocations that count before may be missing after: nothing there needs them to be launched"
            )

    def modes(self, mine: Facts, other: Facts, after: Module) -> None:
        for mode in mine.modes:
            if mode in other.modes:
                continue
            needs = PROMISES.get(mode[0])
            if needs is None:
                self.apart.append(f"execution mode {_mode(mode)} is only before")
            elif needs == TANGLES and TANGLES in other.present and lint_module(after):
                self.weaker.append(f"{_mode(mode)} is only before, and operations after depend on it (reknit lint)")
            elif needs == FLOATS and (not mode[1] or mode[1][0] in other.widths) and FLOATS in other.present:
                self.weaker.append(f"{_mode(mode)} is only before, and floats are computed after")
            elif needs == QUADS and QUADS in other.present:
                self.weaker.append(f"{_mode(mode)} is only before, and operations of quads follow after")
            else:
                self.unsure.append(f"{_mode(mode)} is only before; no operation after was found to depend on it")
        for mode in other.modes:
            if mode not in mine.modes and mode[0] not in PROMISES:
                self.apart.append(f"execution mode {_mode(mode)} is only after")

    def fast_math(self, mine: Facts, other: Facts) -> None:
        """Fewer flags are a promise. Where an entry point sets any default, "any type for which a default is not set
        uses no fast math flags" (SPV_KHR_float_controls2); where it sets none, the client API says: Vulkan assumes all
        of them but for what other modes and decorations promise, OpenCL none."""
        for type in dict.fromkeys([*mine.fast, *other.fast]):
            had, has = mine.flags_by_default(type), other.flags_by_default(type)
            if mine.fast and not other.fast:
                self.weaker.append(f"FPFastMathDefault for {type} is only before")
            elif has & ~had:
                self.weaker.append(f"FPFastMathDefault for {type} allows {has:#x} after and {had:#x} before")
        if mine.flags and other.flags & ~mine.flags:
            names = opcodes.enum_name("FPFastMathMode", other.flags & ~mine.flags)
            self.weaker.append(f"FPFastMathMode {names} is allowed nowhere before")

    def freedoms(self, mine: Facts, other: Facts) -> None:
        for freedom in dict.fromkeys([*mine.loose, *other.loose]):
            had, kept = mine.loose.get(freedom, (0, 0))
            has, keeps = other.loose.get(freedom, (0, 0))
            if not had and kept and has:
                self.weaker.append(f"{freedom}: nothing before leaves it open, and {_times(has)} after")
            elif has > had and keeps < kept:
                self.counted.append(f"{freedom}: left open {_times(had)} before and {_times(has)} after")

    def orders(self, mine: Facts, other: Facts) -> None:
        for ordering, count in mine.orders.items():
            if other.orders.get(ordering, 0) >= count:
                continue
            kept = sum([times for theirs, times in other.orders.items() if keeps_order(ordering, theirs)])
            if kept < count:
                code, operands = ordering
                text = ", ".join([_part(at, operand) for at, operand in enumerate(operands)])
                what = f"{opcodes.opcode_name(code)} with {text}, or what orders more,"
                self.counted.append(f"{what} is there {_times(count)} before and {_times(kept)} after")

    def memory(self, mine: Facts, other: Facts) -> None:
        for place, kinds in mine.memory.items():
            theirs = other.memory.get(place, {})
            for kind, promises in MEMORY:
                name = opcodes.enum_name("Decoration", kind)
                if promises and kind in kinds and kind not in theirs and place in other.memory:
                    self.weaker.append(f"{name} of the variable at {place} is only before")
                elif not promises and kind in theirs and kind not in kinds:
                    self.weaker.append(f"{name} of the variable at {place} is only after")


def memory_of(module: Module, decorated: Decorated) -> dict[str, dict[int, None]]:
    """By `set.binding`: the decorations of MEMORY that the variables there have, or parts of their type."""
    by_place: dict[str, dict[int, None]] = {}
    for variable in module.globals:
        own = decorated.get(variable, {})
        if variable.op != op.Variable or enums.DecorationBinding not in own:
            continue
        set = own[enums.DecorationDescriptorSet][1] if enums.DecorationDescriptorSet in own else 0
        place = f"{set}.{own[enums.DecorationBinding][1]}"
        type = variable.type.operands[1] if variable.type is not None else variable
        while isinstance(type, Instr) and type.op in (op.TypeArray, op.TypeRuntimeArray):
            type = type.operands[0]
        kinds = by_place.setdefault(place, {})
        for kind, _ in MEMORY:
            if kind in own or (isinstance(type, Instr) and kind in decorated.get(type, {})):
                kinds[kind] = None
    return by_place


def spec_types(module: Module, decorated: Decorated) -> dict[int, str]:
    """SpecId -> type."""
    types: dict[int, str] = {}
    for instr in module.globals:
        said = decorated.get(instr, {}).get(enums.DecorationSpecId)
        if said is not None and instr.type is not None:
            types[said[1]] = str(shown(instr.type))
    return types


def float_widths(instr: Instr) -> Iterator[int]:
    """Of what an instruction computes, or computes from; moving a value from place to place is no computing."""
    info = opcodes.info(instr.op)
    if info is None or info.group in ("Memory", "Debug", "Annotation", "Control-Flow", "Function"):
        return
    types = [instr.type]
    types.extend([operand.type for operand in instr.operands if isinstance(operand, Instr)])
    for type in types:
        while type is not None and type.op in (op.TypeVector, op.TypeMatrix):
            type = type.instr(0)
        if type is not None and type.op == op.TypeFloat:
            yield width_of(type)


def is_outside(instr: Instr) -> bool:
    """Whether it is a load, store or copy of memory that others see."""
    if instr.op not in (op.Load, op.Store, op.CopyMemory):
        return False
    pointer = instr.value(0)
    storage = storage_of(pointer.type) if isinstance(pointer, Instr) and pointer.type is not None else 0
    return storage not in OWN and storage != enums.StorageClassInput


def ordering_of(instr: Instr) -> Ordering | None:
    """The scopes and semantics of a barrier or atomic: (execution scope,) memory scope, semantics."""
    places = traits.ORDERING.get(instr.op)
    if places is None:
        return None
    return instr.op, tuple([shown(instr.operands[at]) for at in places if at < len(instr.operands)])


def keeps_order(before: Ordering, after: Ordering) -> bool:
    """Whether `after` orders at least what `before` does: each scope as wide or wider, each semantics with its bits."""
    code, words = before
    other = after[1]
    if code != after[0] or len(words) != len(other):
        return False
    scopes = 2 if code in traits.SCOPED else 1
    for at, (mine, theirs) in enumerate(zip(words, other, strict=True)):
        if isinstance(mine, str) or isinstance(theirs, str):
            if mine != theirs:
                return False
        elif at < scopes and (mine not in _WIDTHS or theirs not in _WIDTHS):
            if mine != theirs:  # of a ray tracing pipeline, or none that SPIR-V has
                return False
        elif at < scopes:
            if _WIDTHS.index(theirs) > _WIDTHS.index(mine):
                return False
        elif with_both(mine) & ~with_both(theirs):
            return False
    return True


def with_both(semantics: int) -> int:
    """AcquireRelease, and what is stronger, as the two it is made of."""
    if semantics & _BOTH:
        semantics |= _ORDERING[0] | _ORDERING[1] | enums.MemorySemanticsAcquireRelease
    return semantics


def shown(operand: Operand) -> int | str:
    """An operand that is the same in two modules if it means the same: numbers, types by their text, else the name."""
    if isinstance(operand, (int, str)):
        return operand
    number = as_int(operand)
    if number is not None:
        return number
    if isinstance(operand, Instr) and operand.op in (op.TypeInt, op.TypeFloat):
        letter = "f" if operand.op == op.TypeFloat else "i" if operand.word(1) else "u"
        return f"{letter}{operand.word(0)}"
    if isinstance(operand, Instr) and operand.op == op.TypeBool:
        return "bool"
    return operand.name or "a constant of the specialization"


def _mode(mode: tuple[int, tuple[int | str, ...]]) -> str:
    return " ".join([opcodes.enum_name("ExecutionMode", mode[0]), *[str(operand) for operand in mode[1]]])


def _model(models: list[int]) -> str:
    kinds = ("AddressingModel", "MemoryModel")
    return " ".join([opcodes.enum_name(kind, word) for kind, word in zip(kinds, models, strict=False)])


def _part(at: int, operand: int | str) -> str:
    return f"{operand:#x}" if isinstance(operand, int) and at else str(operand)


def _times(count: int) -> str:
    return ("never", "once")[count] if count < 2 else f"{count} times"
