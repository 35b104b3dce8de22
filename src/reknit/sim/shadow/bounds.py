"""What floats may be: a run that is tracked, in which each result of a float operation is a set (`ops.float_sets`).

    shadow 0               the word that the simulator has, and no other
    a source with a set    one of the set: `{0.1, 0.100000001}`, `[3.9, 4.1]`
    a source without       anything, as of an undefined value

Copies, composites, loads and stores move shadows, so that a set comes out where it was stored. What isn't an operation
on floats makes anything of a set, unless it is decided, as a comparison with something far away is. A branch or an
address that depends on a set leaves the run without bounds: it shows one way of several.

Sets are too large rather than too small. Where nothing written bounds a result, as where operations may be rearranged,
it may be anything.

`near` asks less, for a proof by runs that compares two versions: rearranged, relaxed or imprecise operations give
what is near the simulator's result (`NEAR`), and inputs and texels are taken as they are in both. What may be ignored
of infinities, NaNs and denormals may be anything still.
"""

import math
from fractions import Fraction
from typing import Any, Final, final

from reknit.analysis.decorations import decorations_of
from reknit.analysis.freedoms import (
    float_widths,
    is_chained,
    is_converted,
    is_normalized,
    modes_and_widths,
)
from reknit.ir import enums, freedoms, glsl, op, traits
from reknit.ir.debug import EXT_INSTS, set_of
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.types import storage_of
from reknit.ir.value import Value
from reknit.sim.budget import MAX_RESULTS, MAX_SETS
from reknit.sim.float_watch import is_short
from reknit.sim.ops import float_sets
from reknit.sim.ops.float_sets import EITHER, NEAREST, TOWARD_ZERO, Env, FloatSet, Pair, Ruled
from reknit.sim.ops.glsl import glsl_column
from reknit.sim.ops.group_fold import clusters
from reknit.sim.ops.ieee import FORMAT16, FORMAT32, Format, format_of
from reknit.sim.ops.table import scalar_function
from reknit.sim.shadow.groups import is_open
from reknit.sim.shadow.memory import Memory
from reknit.sim.shadow.shapes import joined, part_of
from reknit.sim.shadow.sources import Source
from reknit.sim.shadow.state import Tracker
from reknit.sim.shadow.values import Rule, Said
from reknit.sim.values import FLOAT_KIND, POINTER_KIND, STRUCT_KIND, VECTOR_KIND, Shape

NEAR: Final = Fraction(1, 1 << 10)
"""How far the results of imprecise operations are off at most, for `near`: those of `sin` 2^-11, of `log` 2^-21."""
NARROW: Final = Fraction(1, 1 << 6)
"""How far the operands of an operation without bounds may be apart, for its results to be near each other."""

CONTRACTED: Final = "contracted"
REARRANGED: Final = "rearranged"

NOT_NAN, NOT_INF, NSZ, FAST = 1, 2, 4, 16
CONTRACT, REASSOC, TRANSFORM = 0x10000, 0x20000, 0x40000

ROWS: Final = frozenset((
    "rounding", "rounding-to-half", "round-half", "denormals", "denormals-elsewhere", "special-floats",
    "special-floats-elsewhere", "nan-bits", "extreme-of-nan", "rearrangement", "precision", "reduction-order",
    "double-precision", "interpolation", "filtering", "texel-rounding", "texel-reading",
))  # fmt: skip
"""The rows of the ledger of freedoms that these sets speak of."""

MOVES: Final = (
    op.CopyObject, op.CopyLogical, op.CompositeExtract, op.CompositeConstruct, op.CompositeConstructReplicateEXT,
    op.CompositeInsert, op.VectorShuffle, op.Transpose, op.Bitcast, op.Select, op.VectorExtractDynamic,
    op.VectorInsertDynamic, op.Load, op.Store, op.CopyMemory, op.AtomicLoad, op.AtomicStore, op.AtomicExchange,
    op.FunctionCall, op.CallDynamic, op.Variable, op.ExpectKHR,
)  # fmt: skip
CHOOSING: Final = {op.Select: 0, op.VectorExtractDynamic: 1, op.VectorInsertDynamic: 2}
"""What decides which operand the result has, by its number."""
PLAIN_MOVES: Final = ("group_exchange", "group_quad")
REMAINDERS: Final = (op.SRem, op.SMod)
COPIED: Final = (op.Load, op.CopyMemory, op.Select, op.CopyObject, op.AtomicLoad, op.AtomicExchange)
MATRICES: Final = (op.Dot, op.VectorTimesMatrix, op.MatrixTimesVector, op.MatrixTimesMatrix)
DERIVED_X: Final = (op.DPdx, op.DPdxFine, op.DPdxCoarse)
DERIVED_Y: Final = (op.DPdy, op.DPdyFine, op.DPdyCoarse)


@final
class Bounds:
    """Of one program. `given_up` says why there are no bounds, "" where there are."""

    __slots__ = (
        "tracker", "module", "modes", "wide_modes", "decorated", "defaults", "given_up", "work", "numbers",
        "envs", "chained", "near",
    )  # fmt: skip

    def __init__(self, tracker: Tracker, function: object, near: bool = False) -> None:
        self.tracker = tracker
        self.near = near
        self.module: Module = tracker.module
        self.modes, self.wide_modes = modes_and_widths(self.module, function)
        self.decorated = decorations_of(self.module)
        self.defaults = self.default_flags(function)
        self.given_up = ""
        self.work = 0
        self.numbers: dict[tuple[object, ...], int] = {}
        self.envs: dict[tuple[Instr, int], Env] = {}
        self.chained: dict[Instr, bool] = {}  # of which values it is known whether they are computed
        if not near and any(enums.DecorationRelaxedPrecision in each for each in self.decorated.values()):
            self.given_up = "RelaxedPrecision bounds nothing"
        if any(enums.DecorationFPMaxErrorDecorationINTEL in each for each in self.decorated.values()):
            self.given_up = "FPMaxErrorDecorationINTEL isn't modelled"

    def default_flags(self, function: object) -> dict[int, int] | None:
        """By width of float, what FPFastMathDefault sets; None where no mode does."""
        flags: dict[int, int] = {}
        allowed = False
        for mode in self.module.execution_modes:
            if mode.operands[0] is function and mode.word(1) == enums.ExecutionModeFPFastMathDefault:
                allowed = True
                type, constant = mode.operands[2], mode.operands[3]
                if isinstance(type, Instr) and isinstance(constant, Instr) and constant.op == op.Constant:
                    flags[type.word(0)] = constant.word(0)
        return flags if allowed else None

    # --- what an operation is held to ---------------------------------------------------------------------------------

    def flags_of(self, instr: Instr) -> int | None:
        """Its fast-math flags, where the module says; None where the client API does."""
        decoration = self.decorated.get(instr, {}).get(enums.DecorationFPFastMathMode)
        if decoration is not None:
            return decoration[0].word(2)
        if self.defaults is None:
            return None
        flags = 0
        for width in float_widths(instr):
            flags |= self.defaults.get(width, 0)
        return flags

    def env(self, instr: Instr, form: Format) -> Env:
        key = (instr, form.width)
        known = self.envs.get(key)
        if known is None:
            known = self.envs[key] = self.made_env(instr, form)
        return known

    def made_env(self, instr: Instr, form: Format) -> Env:
        rows = rows_of(instr)
        widths = float_widths(instr) or (form.width,)
        flags = self.flags_of(instr)
        if flags is not None:
            keeps = not flags & (NOT_NAN | NOT_INF | NSZ | FAST)
        else:
            mode = enums.ExecutionModeSignedZeroInfNanPreserve
            keeps = any((mode, width) in self.wide_modes for width in widths)
            keeps = keeps and "special-floats-elsewhere" not in rows
            keeps = keeps and not (instr.op == op.Load and self.is_input(instr))
        preserved = all((enums.ExecutionModeDenormPreserve, width) in self.wide_modes for width in widths)
        flushed = (enums.ExecutionModeDenormFlushToZero, form.width) in self.wide_modes and instr.op not in EXT_INSTS
        rounding = EITHER
        if (enums.ExecutionModeRoundingModeRTE, form.width) in self.wide_modes and "rounding" in rows:
            rounding = NEAREST
        elif (enums.ExecutionModeRoundingModeRTZ, form.width) in self.wide_modes and "rounding" in rows:
            rounding = TOWARD_ZERO
        decoration = self.decorated.get(instr, {}).get(enums.DecorationFPRoundingMode)
        if decoration is not None:
            rounding = {0: NEAREST, 1: TOWARD_ZERO}.get(decoration[0].word(2), EITHER)
        return Env(form, not preserved or "denormals-elsewhere" in rows, flushed, keeps, rounding)

    def is_input(self, load: Instr) -> bool:
        type = load.operands[0].type if isinstance(load.operands[0], Instr) else None
        if type is None or type.op != op.TypePointer:
            return False
        return storage_of(type) == enums.StorageClassInput

    def together(self, instr: Instr) -> str:
        """Whether an operation may be computed with those that give its operands: contracted, or rearranged, which
        nothing bounds."""
        return "" if self.near else self.rearranged(instr)

    def is_loose(self, instr: Instr) -> bool:
        """Whether results of an operation are near the simulator's rather than within strict bounds."""
        return self.near and (
            bool(self.rearranged(instr)) or enums.DecorationRelaxedPrecision in self.decorated.get(instr, {})
        )

    def rearranged(self, instr: Instr) -> str:
        if "rearrangement" not in rows_of(instr) or not is_chained(instr, self.chained):
            return ""
        flags = self.flags_of(instr)
        if flags is not None:
            if flags & (REASSOC | TRANSFORM | FAST):
                return REARRANGED
            return CONTRACTED if flags & CONTRACT else ""
        if enums.DecorationNoContraction in self.decorated.get(instr, {}):
            return ""
        return "" if enums.ExecutionModeContractionOff in self.modes else REARRANGED

    # --- sets as shadows ----------------------------------------------------------------------------------------------

    def set_of(self, word: int, number: int, form: Format) -> FloatSet | None:
        """Of an operand's component."""
        if not number:
            return float_sets.exactly(word, form)
        bound = self.tracker.sources[number - 1].bound
        return bound if bound is not None and bound.form.width == form.width else None

    def number(self, instr: Instr, allowed: FloatSet | None, word: int) -> int:
        """The shadow of a result, which the simulator has as `word`."""
        if allowed is None:
            return self.anything(instr)
        form = allowed.form
        if not allowed.holds(word):
            allowed = float_sets.joined([allowed, float_sets.exactly(word, form)])
        if allowed.is_one():
            return 0
        if len(self.tracker.sources) > MAX_SETS:
            self.given_up = f"there are more than {MAX_SETS} sets of floats"
            return self.anything(instr)
        key: tuple[object, ...] = (instr, *allowed.key())
        number = self.numbers.get(key)
        if number is None:
            source = Source(instr, "", place_of(instr, self.module))
            source.bound = allowed
            self.tracker.sources.append(source)
            number = self.numbers[key] = len(self.tracker.sources)
        return number

    def anything(self, instr: Instr) -> int:
        """A shadow of a result that nothing bounds."""
        key: tuple[object, ...] = (instr, "anything")
        number = self.numbers.get(key)
        if number is None:
            source = Source(instr, "", place_of(instr, self.module))
            source.loose = True
            self.tracker.sources.append(source)
            number = self.numbers[key] = len(self.tracker.sources)
        return number

    def follows(self, shadows: list[Any], instr: Instr) -> int:
        """A shadow of a result that nothing bounds, because of an operand's shadow: what the operand comes from brings
        in a row of the ledger, a conversion or comparison of it need not. `instr` if no operand has one."""
        for shadow in shadows:
            number = first_of(shadow)
            if number:
                return self.anything(self.tracker.sources[number - 1].instr)
        return self.anything(instr)

    def loosened(self, shadow: Any, zeros: bool = False) -> Any:
        """A shadow, with anything for each set; with `zeros`, of a zero that has either sign, with what it is. Values
        nest a few levels."""
        if isinstance(shadow, tuple):
            return joined([self.loosened(part, zeros) for part in shadow])
        bound = self.tracker.sources[shadow - 1].bound if shadow else None
        if bound is None:
            return shadow
        if zeros and bound.is_zero():
            return 0
        return self.anything(self.tracker.sources[shadow - 1].instr)

    # --- rules --------------------------------------------------------------------------------------------------------

    def rule(self, instr: Instr, standard: Rule | None, size: int) -> Rule | None:
        """That of a step; `standard` is what undefined values have."""
        if self.given_up:
            return standard
        if self.near and instr.op in REMAINDERS:
            return self.remainder(instr, standard)
        own = self.own_rule(instr, size)
        if own is not None:
            return after_standard(self, instr, standard, own)
        if instr.op == op.ImageWrite:
            return self.stored_texels(instr, standard)
        if instr.op in traits.ATOMIC and instr.op not in MOVES:
            return self.combined(instr, standard)
        if instr.op == op.Load:
            return self.loaded(instr, standard)
        if instr.op in (op.ImageRead, op.ImageFetch):
            return self.read_texels(instr, standard)
        if not instr.has_result:
            return standard
        if is_open_here(instr):
            return self.unknown(instr, standard)
        if instr.op in MOVES:
            at = CHOOSING.get(instr.op)
            return standard if at is None else self.chosen(instr, standard, [instr.value(at)])
        if traits.SIM.get(instr.op) in PLAIN_MOVES:
            first = 1 if instr.op in traits.SCOPED else 0
            return self.chosen(instr, standard, values_in(instr.operands[first + 1 :]))
        return self.chosen(instr, standard, [])

    def chosen(self, instr: Instr, standard: Rule | None, deciding: list[Value]) -> Rule | None:
        """Sets stay as they are where what decides is known; with nothing that decides, they don't."""
        tracker = self.tracker

        def run(lanes: list[int], said: Said) -> None:
            if standard is not None:
                standard(lanes, said)
            column = tracker.column(instr)
            if column is None:
                return
            if deciding and not any(tracker.source_of(deciding, lane) for lane in lanes):
                return
            for lane in lanes:
                if column[lane] != 0:
                    column[lane] = self.loosened(column[lane])

        return run

    def remainder(self, instr: Instr, standard: Rule | None) -> Rule:
        """"If the maintenance8 feature is not enabled and if either operand to OpSRem and OpSMod instructions is
        negative the result is poison" (Vulkan, Precision and Operation of SPIR-V Instructions)."""
        tracker = self.tracker
        columns: list[list[Any]] = [tracker.preparation.column(value) for value in values_in(instr.operands)]
        sign = 1 << (tracker.preparation.shape(instr).component().width - 1)

        def run(lanes: list[int], said: Said) -> None:
            if standard is not None:
                standard(lanes, said)
            for lane in lanes:
                parts = [column[lane] for column in columns]
                words = [word for part in parts for word in (part if isinstance(part, tuple) else (part,))]
                if any(word & sign for word in words):
                    tracker.set(instr, lane, self.anything(instr))

        return run

    def unknown(self, instr: Instr, standard: Rule | None) -> Rule | None:
        """What leaves its results open, and has no rule here."""
        if not float_widths(instr):
            return self.chosen(instr, standard, [])
        if self.near:
            return after_standard(self, instr, standard, About(self, instr))
        tracker = self.tracker
        stores = instr.op in EXT_INSTS and instr.word(1) in (glsl.Modf, glsl.Frexp)
        inner = self.replacing(instr, standard, instr.value(2), True) if stores else standard

        def run(lanes: list[int], said: Said) -> None:
            if inner is not None:
                inner(lanes, said)
            for lane in lanes:
                tracker.set(instr, lane, self.anything(instr))

        return run

    def loaded(self, instr: Instr, standard: Rule | None) -> Rule | None:
        """A copy ignores infinities, NaNs and the sign of zero where nothing says that they are kept."""
        tracker = self.tracker
        shape = tracker.preparation.globals.shape(instr.type) if instr.type is not None else None
        if shape is None or not has_floats(shape):
            return standard
        known: Shape = shape
        column = tracker.preparation.column(instr)

        def run(lanes: list[int], said: Said) -> None:
            if standard is not None:
                standard(lanes, said)
            shadows = tracker.column(instr)
            for lane in lanes:
                shadow: Any = shadows[lane] if shadows is not None else 0
                if not isinstance(shadow, tuple) and shadow:
                    continue
                kept = self.copy_of(instr, known, column[lane], shadow)
                if kept != shadow:
                    tracker.set(instr, lane, kept)

        return run

    def copy_of(self, instr: Instr, shape: Shape, value: Any, shadow: Any) -> Any:
        """The shadow of a copy. Values nest a few levels."""
        if isinstance(value, tuple) and (shape.members or shape.element is not None):
            parts: list[Any] = []
            for at in range(len(value)):
                inner = shape.members[at] if shape.members else shape.element
                assert inner is not None
                parts.append(self.copy_of(instr, inner, value[at], part_of(shadow, at)))
            return joined(parts)
        form = format_of(shape.width) if shape.kind == FLOAT_KIND else None
        if form is None or shadow or not isinstance(value, int):
            return shadow
        if 0 < value & (form.sign - 1) < form.inf:
            return 0
        return self.number(instr, float_sets.copied(value, self.env(instr, form)), value)

    def constant(self, value: Instr) -> None:
        """A constant that is an infinity, a NaN or a zero of floats, by what copies make of it."""
        preparation = self.tracker.preparation
        shape = preparation.globals.shape(value.type) if value.type is not None else None
        if shape is None or value in self.tracker.shadows or value not in preparation.globals.values:
            return
        if shape.is_scalar() and shape.kind == FLOAT_KIND or shape.kind == VECTOR_KIND and has_floats(shape):
            shadow = self.copy_of(value, shape, preparation.globals.values[value], 0)
            if shadow != 0:
                self.tracker.shadows[value] = [shadow] * preparation.lanes

    def read_texels(self, instr: Instr, standard: Rule | None) -> Rule | None:
        """"accurate to about 1 part in 10^5" where a texel is a normalized integer."""
        tracker = self.tracker
        shape = tracker.preparation.shape(instr)
        column = tracker.preparation.column(instr)
        form = format_of(shape.component().width) if has_floats(shape) else None
        normalized = form is not None and is_normalized(instr)

        def run(lanes: list[int], said: Said) -> None:
            if standard is not None:
                standard(lanes, said)
            shadows = tracker.column(instr)
            for lane in lanes:
                shadow: Any = self.loosened(shadows[lane]) if shadows is not None else 0
                if normalized and not self.near and form is not None and not all_short(column[lane], form):
                    shadow = self.anything(instr)
                tracker.set(instr, lane, shadow)

        return run

    def stored_texels(self, instr: Instr, standard: Rule | None) -> Rule | None:
        """A texel that is rounded may be anything; so may one of a set, but for what `near` takes as it is."""
        value = instr.value(2)
        converted = has_floats(self.tracker.preparation.shape(value)) and is_converted(instr)
        if self.near and not converted:
            return standard
        return self.replacing(instr, standard, value, converted and not self.near)

    def replacing(self, instr: Instr, standard: Rule | None, value: Value, open: bool) -> Rule | None:
        """What an instruction stores of an operand: anything of a set, or of any operand."""
        tracker = self.tracker

        def run(lanes: list[int], said: Said) -> None:
            before = tracker.shadows.get(value)
            if before is None and not open:
                if standard is not None:
                    standard(lanes, said)
                return
            held: list[Any] = list(before) if before is not None else [0] * tracker.preparation.lanes
            for lane in lanes:
                held[lane] = self.anything(instr) if open else self.loosened(held[lane], self.near)
            tracker.shadows[value] = held
            if standard is not None:
                standard(lanes, said)
            if before is None:
                del tracker.shadows[value]
            else:
                tracker.shadows[value] = before

        return run

    def combined(self, instr: Instr, standard: Rule | None) -> Rule | None:
        """An atomic that computes: what is in memory afterwards may be anything where a set took part, or where it
        was rounded."""
        tracker = self.tracker
        memory = Memory(tracker, instr, instr.value(0))
        shape = memory.place.shape
        form = format_of(shape.width) if shape.kind == FLOAT_KIND else None
        value = instr.value(3) if len(instr.operands) > 3 else None
        words: list[Any] | None = tracker.preparation.column(value) if value is not None else None
        out: list[Any] | None = tracker.preparation.column(instr) if instr.has_result else None
        ruled: Ruled | None = None
        if form is not None and instr.op == op.AtomicFAddEXT:
            chosen: Format = form
            scalar = scalar_function(op.FAdd, shape, [shape, shape], [], float_sets.silent())
            assert scalar is not None
            add = scalar
            ruled = float_sets.rule_of_core(op.FAdd, lambda given: add(*given), chosen)

        def is_sure(lane: int) -> bool:
            if form is None:
                return True
            if words is None or out is None or not isinstance(words[lane], int) or ruled is None:
                return False
            given: list[FloatSet | None] = [float_sets.exactly(each, form) for each in (out[lane], words[lane])]
            allowed = ruled.of(given, self.env(instr, form))
            return allowed is not None and allowed.is_one()

        def run(lanes: list[int], said: Said) -> None:
            if standard is not None:
                standard(lanes, said)
            column = tracker.column(instr) if instr.has_result else None
            for lane in lanes:
                if column is not None:
                    column[lane] = self.loosened(column[lane])
                if memory.skips(lane):
                    continue
                before = memory.get(lane)
                after = self.loosened(before)
                if after == 0 and not is_sure(lane):
                    after = self.anything(instr)
                if after != before:
                    memory.put(lane, after)

        return run

    # --- operations on floats -----------------------------------------------------------------------------------------

    def own_rule(self, instr: Instr, size: int) -> "Own | None":
        """The sets of a step's results; None for what has no rule of its own."""
        if not instr.has_result or not is_modelled(instr):
            return None
        preparation = self.tracker.preparation
        values = values_in(instr.operands)
        result = preparation.globals.shape(instr.type) if instr.type is not None else None
        shapes = [preparation.globals.shape(value.type) for value in values if isinstance(value, Instr) and value.type]
        known = [shape for shape in shapes if shape is not None]
        if result is None or len(known) < len(values) or not known:
            return None
        if self.together(instr) == REARRANGED and instr.op != op.FNegate:
            return Open(self, instr)
        if result.kind == STRUCT_KIND or any(shape.kind in (STRUCT_KIND, POINTER_KIND) for shape in known):
            return None
        if traits.SIM.get(instr.op) == "group_fold":
            return Folded(self, instr, values[1:], size) if has_floats(result) else None
        given = format_of(known[-1].component().width) if has_floats(known[-1]) else None
        if traits.SIM.get(instr.op) == "group_derivative":
            if self.near:
                return About(self, instr)  # fine or coarse is a choice of the run
            return Derived(self, instr, values[0]) if given is not None else None
        if instr.op in (op.ConvertSToF, op.ConvertUToF):
            return FromInts(self, instr, values[0], known[0])
        if instr.op in MATRICES and given is not None:
            return Products(self, instr, values, given)
        if given is None:
            return Unpacked(self, instr, values[0]) if is_unpack(instr) else None
        if not has_floats(result):
            return Decided(self, instr, values, given) if instr.op in float_sets.DECIDED else None
        return self.components(instr)

    def components(self, instr: Instr) -> "Components | None":
        """Of an operation on components of floats, which give floats."""
        preparation = self.tracker.preparation
        values = values_in(instr.operands)
        shapes = [preparation.shape(value) for value in values]
        result = preparation.shape(instr)
        given = format_of(shapes[-1].component().width) if has_floats(shapes[-1]) else None
        form = format_of(result.component().width)
        if given is None or form is None:
            return None
        ruled = ruled_of(instr, result.component(), [shape.component() for shape in shapes], given)
        return Components(self, instr, values, given, ruled) if ruled is not None else None

    def is_kept_apart(self, instr: Instr) -> bool:
        return enums.DecorationNoContraction in self.decorated.get(instr, {})


def first_of(shadow: Any) -> int:
    """The first source in a shadow; 0 if it has none. Values nest a few levels."""
    if not isinstance(shadow, tuple):
        return int(shadow)
    return next((number for number in map(first_of, shadow) if number), 0)


def function_of(point: Instr) -> object:
    """Of an entry point."""
    return point.operands[1]


def values_in(operands: list[Any]) -> list[Value]:
    """Those that have a type."""
    return [each for each in operands if isinstance(each, Instr) and each.type is not None]


class Own:
    """The shadows of a step's result, lane by lane, or of all lanes."""

    __slots__ = ("bounds", "instr", "column", "env")

    def __init__(self, bounds: Bounds, instr: Instr) -> None:
        self.bounds = bounds
        self.instr = instr
        preparation = bounds.tracker.preparation
        self.column: list[Any] = preparation.column(instr)
        shape = preparation.shape(instr).component()
        form = format_of(shape.width) if shape.kind == FLOAT_KIND else None
        self.env = bounds.env(instr, form if form is not None else FORMAT32)

    def before(self, lanes: list[int]) -> None:
        """Look at all lanes together."""

    def of(self, lane: int) -> Any:
        raise AssertionError("one of the classes derived from this one")

    def number(self, allowed: FloatSet | None, word: int) -> int:
        return self.bounds.number(self.instr, allowed, word)

    def operand(self, value: Value) -> "Operand":
        return Operand(self.bounds, value)


@final
class Operand:
    __slots__ = ("bounds", "value", "column")

    def __init__(self, bounds: Bounds, value: Value) -> None:
        self.bounds = bounds
        self.value = value
        self.column: list[Any] = bounds.tracker.preparation.column(value)

    def shadow(self, lane: int) -> Any:
        shadows = self.bounds.tracker.shadows.get(self.value)
        return shadows[lane] if shadows is not None else 0

    def part(self, lane: int, path: tuple[int, ...]) -> Any:
        """A component's shadow; that of all for a scalar among vectors."""
        shadow = self.shadow(lane)
        for index in path:
            if isinstance(shadow, tuple):
                shadow = shadow[index]
        return shadow

    def at(self, lane: int, path: tuple[int, ...], form: Format) -> FloatSet | None:
        """A component."""
        value, shadow = self.column[lane], self.shadow(lane)
        for index in path:
            if isinstance(value, tuple):
                value, shadow = value[index], part_of(shadow, index)
        return self.bounds.set_of(value, shadow, form)


def after_standard(bounds: Bounds, instr: Instr, standard: Rule | None, own: Own) -> Rule:
    tracker = bounds.tracker
    picks = instr.op in EXT_INSTS and instr.word(1) in (glsl.FMin, glsl.FMax)  # one of the operands, also of NaNs

    def run(lanes: list[int], said: Said) -> None:
        if standard is not None:
            standard(lanes, said)
        messages = {lane for lane, _ in said} if not picks else set()
        bounds.work += len(lanes)
        if bounds.work > MAX_RESULTS:
            bounds.given_up = f"there are more than {MAX_RESULTS} results of operations on floats"
        if bounds.given_up:
            return
        own.before(lanes)
        for lane in lanes:
            if lane not in messages and -1 not in messages:
                tracker.set(instr, lane, own.of(lane))
            else:
                column = tracker.column(instr)
                tracker.set(instr, lane, bounds.loosened(column[lane]) if column is not None else 0)

    return run


@final
class Open(Own):
    """What may be rearranged with what gives its operands."""

    __slots__ = ()

    def of(self, lane: int) -> Any:
        return self.bounds.anything(self.instr)


@final
class Components(Own):
    """One component after another."""

    __slots__ = ("operands", "given", "ruled", "outer", "contracted", "is_loose")

    def __init__(self, bounds: Bounds, instr: Instr, values: list[Value], given: Format, ruled: Ruled) -> None:
        super().__init__(bounds, instr)
        self.operands = [self.operand(value) for value in values]
        self.given = given
        self.ruled = ruled
        self.outer = instr.op == op.OuterProduct
        self.contracted = bounds.together(instr) == CONTRACTED
        self.is_loose = bounds.is_loose(instr)

    def of(self, lane: int) -> Any:
        return self.nested(lane, self.column[lane], ())

    def nested(self, lane: int, value: Any, path: tuple[int, ...]) -> Any:
        """Values nest a few levels."""
        if isinstance(value, tuple):
            return joined([self.nested(lane, value[at], (*path, at)) for at in range(len(value))])
        given: list[FloatSet | None] = []
        for at, operand in enumerate(self.operands):
            place = (path[1 - at],) if self.outer else path
            allowed = operand.at(lane, place, self.given)
            if self.contracted and allowed is not None and is_computed(operand.value):
                allowed = unrounded(allowed)
            given.append(allowed)
        allowed = self.ruled.of(given, self.env)
        if self.is_loose and allowed is not None:
            allowed = float_sets.near(allowed, given if self.instr.op in (op.FAdd, op.FSub) else [], NEAR)
        if allowed is None:
            open = [operand for operand, known in zip(self.operands, given, strict=True) if known is None]
            return self.bounds.follows([operand.part(lane, () if self.outer else path) for operand in open], self.instr)
        return self.number(allowed, value)


@final
class About(Own):
    """What has no bounds: of operands that are near each other something near the simulator's result."""

    __slots__ = ("operands",)

    def __init__(self, bounds: Bounds, instr: Instr) -> None:
        super().__init__(bounds, instr)
        self.operands = [self.operand(value) for value in values_in(instr.operands)]

    def of(self, lane: int) -> Any:
        sure = True
        for operand in self.operands:
            shadow = operand.shadow(lane)
            form = form_of(self.bounds, operand.value)
            if form is None or not isinstance(operand.column[lane], int | tuple):
                if shadow:
                    return self.bounds.follows([shadow], self.instr)
                continue
            for number, word in leaves_of(shadow, operand.column[lane]):
                allowed = self.bounds.set_of(word, number, form)
                sure = sure and number == 0
                if allowed is None or not float_sets.is_narrow(allowed, NARROW):
                    return self.bounds.follows([number], self.instr)
        return self.nested(self.column[lane], sure)

    def nested(self, value: Any, sure: bool) -> Any:
        if isinstance(value, tuple):
            return joined([self.nested(part, sure) for part in value])
        if form_of(self.bounds, self.instr) is None:
            return 0 if sure else self.bounds.anything(self.instr)
        by = NEAR if sure else 4 * NARROW
        return self.number(float_sets.about(value, by, self.env.form), value)


def form_of(bounds: Bounds, value: Value) -> Format | None:
    """Of a value's floats; None where it has none."""
    shape = bounds.tracker.preparation.shape(value)
    return format_of(shape.component().width) if shape.kind != STRUCT_KIND and has_floats(shape) else None


def leaves_of(shadow: Any, value: Any) -> list[tuple[int, int]]:
    """The components of a value, each with its shadow. Values nest a few levels."""
    if not isinstance(value, tuple):
        return [(first_of(shadow), value)]
    return [leaf for at, part in enumerate(value) for leaf in leaves_of(part_of(shadow, at), part)]


def is_computed(value: Value) -> bool:
    return isinstance(value, Instr) and value.op not in (op.Load, *traits.CONSTANT) and bool(rows_of(value))


def unrounded(allowed: FloatSet) -> FloatSet | None:
    """What it may be "where rounding steps may be eliminated or may preserve higher bit-depth"."""
    form = allowed.form
    if allowed.nan or math.isinf(allowed.least) or math.isinf(allowed.most):
        return None
    least, most = form.encode(allowed.least), form.encode(allowed.most)
    return FloatSet(
        form, (), form.decode(float_sets.before(least, form)), form.decode(float_sets.after(most, form)), False
    )


@final
class Decided(Own):
    """A comparison, or a conversion to integers."""

    __slots__ = ("operands", "given")

    def __init__(self, bounds: Bounds, instr: Instr, values: list[Value], given: Format) -> None:
        super().__init__(bounds, instr)
        self.operands = [self.operand(value) for value in values]
        self.given = given
        self.env = bounds.env(instr, given)

    def of(self, lane: int) -> Any:
        return self.nested(lane, self.column[lane], ())

    def nested(self, lane: int, value: Any, path: tuple[int, ...]) -> Any:
        if isinstance(value, tuple):
            return joined([self.nested(lane, value[at], (*path, at)) for at in range(len(value))])
        sets = [operand.at(lane, path, self.given) for operand in self.operands]
        if float_sets.decides(self.instr.op, sets, self.env):
            return 0
        return self.bounds.follows([operand.part(lane, path) for operand in self.operands], self.instr)


@final
class FromInts(Own):
    __slots__ = ("from_int", "width", "signed")

    def __init__(self, bounds: Bounds, instr: Instr, value: Value, shape: Shape) -> None:
        super().__init__(bounds, instr)
        self.from_int = self.operand(value)
        self.width = shape.component().width
        self.signed = instr.op == op.ConvertSToF

    def of(self, lane: int) -> Any:
        return self.nested(self.column[lane], self.from_int.column[lane], self.from_int.shadow(lane))

    def nested(self, value: Any, given: Any, shadow: Any) -> Any:
        if isinstance(value, tuple):
            return joined([self.nested(value[at], given[at], part_of(shadow, at)) for at in range(len(value))])
        if shadow:
            return self.bounds.follows([shadow], self.instr)
        half = 1 << (self.width - 1)
        number = (given ^ half) - half if self.signed else given
        return self.number(float_sets.rounded(Fraction(number), 0, self.env), value)


@final
class Unpacked(Own):
    """UnpackHalf2x16: half floats, whose denormals may be flushed."""

    __slots__ = ("packed",)

    def __init__(self, bounds: Bounds, instr: Instr, value: Value) -> None:
        super().__init__(bounds, instr)
        self.packed = self.operand(value)

    def of(self, lane: int) -> Any:
        value = self.column[lane]
        if self.packed.shadow(lane) or not isinstance(value, tuple):
            return self.bounds.follows([self.packed.shadow(lane)], self.instr)
        word = self.packed.column[lane]
        parts = [self.one(half, value[at]) for at, half in enumerate((word & 0xFFFF, word >> 16))]
        return joined(parts)

    def one(self, half: int, word: int) -> int:
        if float_sets.is_denormal(half, FORMAT16):
            allowed: FloatSet | None = float_sets.of_words(dict.fromkeys([word, *float_sets.zeros(FORMAT32)]), FORMAT32)
        else:
            allowed = float_sets.copied(word, self.env)
        return self.number(allowed, word)


@final
class Products(Own):
    """Dot products, and those of matrices."""

    __slots__ = ("left", "right", "given")

    def __init__(self, bounds: Bounds, instr: Instr, values: list[Value], given: Format) -> None:
        super().__init__(bounds, instr)
        self.left, self.right = self.operand(values[0]), self.operand(values[1])
        self.given = given

    def of(self, lane: int) -> Any:
        a, b = self.left.column[lane], self.right.column[lane]
        value = self.column[lane]
        code = self.instr.op
        if code == op.Dot:
            return self.dot(lane, [(at,) for at in range(len(a))], [(at,) for at in range(len(a))], value)
        if code == op.MatrixTimesVector:
            count = range(len(b))
            return joined([self.dot(lane, [(k, i) for k in count], [(k,) for k in count], value[i])
                           for i in range(len(value))])  # fmt: skip
        if code == op.VectorTimesMatrix:
            count = range(len(a))
            return joined([self.dot(lane, [(k,) for k in count], [(i, k) for k in count], value[i])
                           for i in range(len(value))])  # fmt: skip
        count = range(len(a))
        columns: list[Any] = []
        for j in range(len(value)):
            columns.append(joined([self.dot(lane, [(k, i) for k in count], [(j, k) for k in count], value[j][i])
                                   for i in range(len(value[j]))]))  # fmt: skip
        return joined(columns)

    def dot(self, lane: int, left: list[tuple[int, ...]], right: list[tuple[int, ...]], word: int) -> int:
        a = [self.left.at(lane, path, self.given) for path in left]
        b = [self.right.at(lane, path, self.given) for path in right]
        return self.number(float_sets.dotted(a, b, self.env), word)


@final
class Derived(Own):
    """Differences within a quad, of whichever neighbours an implementation takes."""

    __slots__ = ("value", "along", "down")

    def __init__(self, bounds: Bounds, instr: Instr, value: Value) -> None:
        super().__init__(bounds, instr)
        self.value = self.operand(value)
        self.along = instr.op not in DERIVED_Y
        self.down = instr.op not in DERIVED_X

    def of(self, lane: int) -> Any:
        return self.nested(lane, self.column[lane], ())

    def nested(self, lane: int, value: Any, path: tuple[int, ...]) -> Any:
        if isinstance(value, tuple):
            return joined([self.nested(lane, value[at], (*path, at)) for at in range(len(value))])
        quad = [lane & ~3 | at for at in range(4)]
        if quad[3] >= len(self.value.column):
            return self.bounds.anything(self.instr)
        parts = [self.value.at(each, path, self.env.form) for each in quad]
        ways: list[FloatSet | None] = []
        if self.along and self.down:
            for one in self.differences(parts, 1):
                ways.extend([self.sum_of(one, other) for other in self.differences(parts, 2)])
        else:
            ways.extend(self.differences(parts, 1 if self.along else 2))
        known = [way for way in ways if way is not None]
        return self.number(float_sets.joined(known) if len(known) == len(ways) else None, value)

    def differences(self, parts: list[FloatSet | None], step: int) -> list[FloatSet | None]:
        allowed: list[FloatSet | None] = []
        for at in (0, 2) if step == 1 else (0, 1):
            pairs = self.pairs([parts[at], parts[at + step]])
            if pairs is None:
                allowed.append(None)
                continue
            low, high = pairs[1][0] - pairs[0][1], pairs[1][1] - pairs[0][0]
            allowed.append(
                float_sets.rounded(low, 0, self.env) if low == high else float_sets.spanned(low, high, self.env)
            )
        return allowed

    def sum_of(self, one: FloatSet | None, other: FloatSet | None) -> FloatSet | None:
        """|dx| + |dy|."""
        pairs = self.pairs([one, other])
        if pairs is None:
            return None
        sizes = [positive(pair) for pair in pairs]
        low, high = sizes[0][0] + sizes[1][0], sizes[0][1] + sizes[1][1]
        return float_sets.rounded(low, 0, self.env) if low == high else float_sets.spanned(low, high, self.env)

    def pairs(self, sets: list[FloatSet | None]) -> list[Pair] | None:
        allowed: list[Pair] = []
        for each in sets:
            if each is None or each.nan or math.isinf(each.least) or math.isinf(each.most):
                return None
            allowed.append(float_sets.flushed_pair(each, self.env))
        return allowed


def positive(pair: Pair) -> Pair:
    low, high = pair
    return (Fraction(0) if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))


@final
class Folded(Own):
    """Sums, products and extremes over a group, in any order."""

    __slots__ = ("value", "width", "operation", "kind", "size", "allowed", "known")

    def __init__(self, bounds: Bounds, instr: Instr, values: list[Value], size: int) -> None:
        super().__init__(bounds, instr)
        self.value = self.operand(values[0])
        self.width = self.operand(values[1]) if len(values) > 1 else None
        scoped = 1 if instr.op in traits.SCOPED else 0
        self.operation = instr.word(scoped)
        self.kind = traits.COMBINES.get(instr.op, "")
        self.size = size
        self.allowed: dict[int, Any] = {}
        self.known: dict[Any, FloatSet | None] = {}

    def before(self, lanes: list[int]) -> None:
        self.allowed = {}
        self.known = {}
        at = 0
        while at < len(lanes):
            base = lanes[at] - lanes[at] % self.size
            end = at
            while end < len(lanes) and lanes[end] < base + self.size:
                end += 1
            self.instance(lanes[at:end], base)
            at = end

    def of(self, lane: int) -> Any:
        return self.allowed[lane]

    def instance(self, lanes: list[int], base: int) -> None:
        tracker = self.bounds.tracker
        parts = [lanes]
        open = is_open(tracker, lanes)
        if self.operation == enums.GroupOperationClusteredReduce and self.width is not None:
            width = self.width.column[lanes[0]]
            open = open or bool(tracker.source_of([self.width.value], lanes[0])) or width < 1
            parts = clusters(lanes, base, width) if width > 0 else [lanes]
        elif self.operation not in (
            enums.GroupOperationReduce, enums.GroupOperationInclusiveScan, enums.GroupOperationExclusiveScan
        ):  # fmt: skip
            open = True
        if open:
            self.allowed.update(dict.fromkeys(lanes, self.bounds.anything(self.instr)))
            return
        for part in parts:
            for at, lane in enumerate(part):
                given = part
                if self.operation == enums.GroupOperationInclusiveScan:
                    given = part[: at + 1]
                elif self.operation == enums.GroupOperationExclusiveScan:
                    given = part[:at]
                self.allowed[lane] = self.nested(given, lane, self.column[lane], ()) if given else 0

    def nested(self, lanes: list[int], lane: int, value: Any, path: tuple[int, ...]) -> Any:
        if isinstance(value, tuple):
            return joined([self.nested(lanes, lane, value[at], (*path, at)) for at in range(len(value))])
        key = (lanes[0], len(lanes), path)
        if key not in self.known:
            form = self.env.form
            self.known[key] = folded(self.kind, [self.value.at(each, path, form) for each in lanes], self.env)
        return self.number(self.known[key], value)


def folded(kind: str, given: list[FloatSet | None], env: Env) -> FloatSet | None:
    """What any order of combining may give."""
    sets = [each for each in given if each is not None]
    form = env.form
    if len(sets) < len(given):
        return None
    if len(sets) == 1 and sets[0].is_one() and not float_sets.is_denormal(sets[0].words[0], form):
        return float_sets.copied(sets[0].words[0], env)
    if kind in ("f-min", "f-max"):
        ruled = float_sets.extreme(kind == "f-min", True)
        total: FloatSet | None = sets[0]
        for each in sets[1:]:
            total = ruled.of([total, each], env)
        return float_sets.flushed_part(total, env) if total is not None else None
    if any(each.nan or math.isinf(each.least) or math.isinf(each.most) for each in sets):
        return None
    pairs = [float_sets.flushed_pair(each, env) for each in sets]
    exact = all(low == high for low, high in pairs)
    neutral = Fraction(0) if kind == "f-add" else Fraction(1)
    if exact:
        pairs = [pair for pair in pairs if pair[0] != neutral]  # what changes no other, whenever it comes
        if len(pairs) < 2:
            return float_sets.rounded(pairs[0][0] if pairs else neutral, 0, env)
    if kind == "f-add":
        if exact and len(pairs) == 2:
            return float_sets.rounded(pairs[0][0] + pairs[1][0], 0, env)
        unit = max([low.denominator for low, _ in pairs])
        if exact and sum([abs(low) for low, _ in pairs]) * unit <= form.hidden:
            return float_sets.rounded(sum([low for low, _ in pairs], Fraction(0)), 0, env)
        total_of = float_sets.summed(pairs, len(pairs) - 1, env)
        return None if total_of is None else float_sets.within(*total_of, env)
    if kind == "f-mul":
        return multiplied(pairs, exact, env)
    return None


def multiplied(pairs: list[Pair], exact: bool, env: Env) -> FloatSet | None:
    """A product in any order, none of whose parts may overflow or become a denormal."""
    total = (Fraction(1), Fraction(1))
    greatest = least = Fraction(1)
    for pair in pairs:
        total = float_sets.times(total, pair)
        greatest *= max(float_sets.size(pair), Fraction(1))
        smallest = positive(pair)[0]
        least *= min(smallest, Fraction(1)) if smallest else Fraction(1)
    whole = exact and all(low.denominator == 1 for low, _ in pairs)
    if greatest * 2 > float_sets.greatest(env.form) or least < 2 * float_sets.tiny_of(env):
        return None
    if exact and (len(pairs) == 2 or total[0] == 0 or (whole and greatest <= env.form.hidden)):
        return float_sets.rounded(total[0], 0, env)
    by = float_sets.growth(len(pairs) - 1, env) * float_sets.size(total)
    return float_sets.within(*float_sets.widened(total, by), env)


# --- what is asked of an instruction ----------------------------------------------------------------------------------


def rows_of(instr: Instr) -> tuple[str, ...]:
    if instr.op in EXT_INSTS:
        return freedoms.BY_INSTRUCTIONS.get((set_of(instr), instr.word(1)), ())
    return freedoms.BY_OPCODES.get(instr.op, ())


def is_open_here(instr: Instr) -> bool:
    """Whether a row that these sets speak of leaves its result open."""
    return any(row in ROWS for row in rows_of(instr)) and instr.op not in MOVES


def is_modelled(instr: Instr) -> bool:
    if instr.op in EXT_INSTS:
        return set_of(instr) == "GLSL.std.450"
    return is_open_here(instr)


def is_unpack(instr: Instr) -> bool:
    return instr.op in EXT_INSTS and instr.word(1) == glsl.UnpackHalf2x16


def ruled_of(instr: Instr, result: Shape, operands: list[Shape], given: Format) -> Ruled | None:
    silent = float_sets.silent()
    if instr.op in EXT_INSTS:
        column = glsl_column(instr.word(1), result, operands, silent)

        def by_column(words: list[int]) -> int:
            assert column is not None
            out: list[Any] = [0]
            column(out, [0], [[word] for word in words])
            word: int = out[0]
            return word

        return float_sets.rule_of_glsl(instr.word(1), by_column if column is not None else None, given)
    code = instr.op
    if code in (op.VectorTimesScalar, op.MatrixTimesScalar, op.OuterProduct):
        code = op.FMul
    function = scalar_function(code, result, operands, [], silent)
    if function is None:
        return None
    scalar = function
    return float_sets.rule_of_core(code, lambda words: scalar(*words), given)


def has_floats(shape: Shape) -> bool:
    """Whether there are floats in a value. Types nest a few levels."""
    if shape.kind == STRUCT_KIND:
        return any(has_floats(member) for member in shape.members)
    if shape.element is not None:
        return has_floats(shape.element)
    return shape.kind == FLOAT_KIND


def all_short(value: Any, form: Format) -> bool:
    """Whether all components are floats of few digits, which no normalized integer gives but 0 and 1."""
    if isinstance(value, tuple):
        return all(all_short(part, form) for part in value)
    if float_sets.is_special(value, form):
        return False
    return is_short(Fraction(form.decode(value)))
