"""What the operations of a run came across: where the rules leave their results open, and where they don't.

    inexact     the infinitely precise result is not representable, so that it was rounded
    imprecise   an operation that need not be correctly rounded was executed
    denormal    an operand or result was a denormal
    special     an operand or result was an infinity or a NaN, or a result was a zero, whose sign may change; of a load
                or a store, -0
    nan         a result was a NaN, whose bits may be others
    negative    an operand of an integer remainder was negative
    order       a group operation combined floats that give something else in another order

"If x is exactly representable then x will be returned" (Vulkan, Precision and Operation of SPIR-V Instructions): an
operation that met none of these has one result. Steps are wrapped as in `sim.recording`, so that other programs cost
nothing.
"""

from fractions import Fraction
from typing import Final, final

from reknit.analysis.freedoms import COPIES, Seen, moves_floats
from reknit.ir import freedoms, glsl, op, opcodes, traits
from reknit.ir.debug import EXT_INSTS, set_of
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.sim.code import CodeBlock
from reknit.sim.kernel import Step
from reknit.sim.ops import float_sets
from reknit.sim.ops.float_sets import Exact, is_denormal, is_nan, is_special
from reknit.sim.ops.ieee import FORMAT16, Format, format_of
from reknit.sim.prepare import Preparation
from reknit.sim.step_choices import COUNTED
from reknit.sim.unsupported import Unsupported
from reknit.sim.values import FLOAT_KIND, STRUCT_KIND, Shape

INEXACT: Final = "inexact"
IMPRECISE: Final = "imprecise"
DENORMAL: Final = "denormal"
SPECIAL: Final = "special"
NAN: Final = "nan"
NEGATIVE: Final = "negative"
ORDER: Final = "order"

EXACT: Final[dict[int, Exact]] = {
    **float_sets.EXACT,
    op.VectorTimesScalar: float_sets.EXACT[op.FMul],
    op.MatrixTimesScalar: float_sets.EXACT[op.FMul],
    op.ConvertSToF: lambda given: given[0],
    op.ConvertUToF: lambda given: given[0],
    op.QuantizeToF16: lambda given: given[0],
}
"""The infinitely precise result of a component, of those of its operands. What is absent counts as rounded."""

FEW: Final = 12
"""Digits of a float that is no rounded c / (2^b - 1): those repeat after b, so that one with 24 has 13 at least."""
WIDTHS: Final = (op.Fwidth, op.FwidthFine, op.FwidthCoarse)

EXACT_GLSL: Final[dict[int, Exact]] = {
    glsl.Fract: lambda given: given[0] - given[0].__floor__(),
}


@final
class FloatWatch:
    """Wraps the steps of what may meet something; `seen` grows from run to run."""

    def __init__(self, preparation: Preparation, code: list[CodeBlock]) -> None:
        self.preparation = preparation
        self.seen: Seen = {}
        for block in code:
            for at, instr in enumerate(block.instrs):
                kinds = kinds_of(instr)
                if kinds:
                    block.steps[at] = self.wrapped(block.steps[at], instr, kinds)

    def tell(self, seen: Seen) -> None:
        """Add what it saw to what others did."""
        for word, places in self.seen.items():
            seen.setdefault(word, {}).update(places)

    def wrapped(self, step: Step, instr: Instr, kinds: frozenset[str]) -> Step:
        operands = [operand for operand in instr.operands if isinstance(operand, Instr) and operand.type is not None]
        result_of = instr
        if instr.op in COPIES:
            moved = instr.operands[1] if instr.op == op.Store else instr
            operands = []
            result_of = moved if isinstance(moved, Instr) else instr
        try:
            given = [_Floats(self.preparation, operand) for operand in operands]
            result = _Floats(self.preparation, result_of)
        except Unsupported:  # values that can't be looked at count as having met everything
            for kind in kinds:
                self.seen.setdefault(kind, {})[instr] = None
            return step
        open = set(kinds)
        choices = self.preparation.step_choices

        def run(lanes: list[int]) -> None:
            step(lanes)
            if not open or not lanes or choices.float_ways == COUNTED or choices.settled is instr:
                return
            for kind in self.met(instr, given, result, lanes, open):
                open.discard(kind)
                self.seen.setdefault(kind, {})[instr] = None

        return run

    def met(
        self, instr: Instr, given: "list[_Floats]", result: "_Floats", lanes: list[int], open: set[str]
    ) -> set[str]:
        """Which of `open` this execution came across."""
        met: set[str] = set()
        if IMPRECISE in open:
            met.add(IMPRECISE)
        folds = traits.GROUP.get(instr.op) == "fold"
        if ORDER in open and given and self.leaves_order(instr, value_of(given), lanes):
            met.add(ORDER)
        if INEXACT in open and folds and shows_order(instr, value_of(given).floats(lanes), value_of(given).fraction):
            met.add(INEXACT)
        for lane in lanes:
            operands = [column.at(lane) for column in given]
            words = result.at(lane)
            floats = [float for column, each in zip(given, operands, strict=True) for float in column.forms_of(each)]
            results = result.forms_of(words)
            floats += results
            if DENORMAL in open and (
                any(is_denormal(word, form) for form, word in floats)
                or (is_unpacked_half(instr) and any(is_denormal(half, FORMAT16) for half in halves(operands)))
                or (
                    any(is_least_normal(word, form) for form, word in results)
                    and not is_exact(instr, given, operands, result, words, lane)
                )
            ):
                met.add(DENORMAL)
            if SPECIAL in open:
                copied = instr.op in (op.Load, op.Store)  # whose zeros are as they were, but for the sign of -0
                zero = any(is_zero(word, form) and not (copied and word == 0) for form, word in results)
                if zero or any(is_special(word, form) for form, word in floats):
                    met.add(SPECIAL)
            if NEGATIVE in open and is_negative(given, operands):
                met.add(NEGATIVE)
            if NAN in open and any(is_nan(word, form) for form, word in results):
                met.add(NAN)
            if INEXACT in open and not folds and not is_exact(instr, given, operands, result, words, lane):
                met.add(INEXACT)
            if not open - met:
                break
        return met

    def leaves_order(self, instr: Instr, column: "_Floats", lanes: list[int]) -> bool:
        """Whether other orders may give another result: where all are gone through, a fold itself says what it left."""
        choices = self.preparation.step_choices
        if choices.choices is not None and choices.choices.script is not None:
            return instr in choices.open_orders
        return shows_order(instr, column.floats(lanes), column.fraction)


def is_zero(word: int, form: Format) -> bool:
    return word & (form.sign - 1) == 0


def is_least_normal(word: int, form: Format) -> bool:
    """A result that was rounded to it may come of something smaller, which counts as a denormal: "whenever the
    infinitely precise result is non-zero and of smaller magnitude than the smallest normal value, even if rounding
    would otherwise give a normal result" (Vulkan, Precision and Operation of SPIR-V Instructions)."""
    return word & (form.sign - 1) == form.hidden


def number_of(word: int, form: Format) -> Fraction | None:
    """None for an infinity or a NaN."""
    return None if is_special(word, form) else Fraction(form.decode(word))


@final
class _Floats:
    """A value's components, lane by lane: of floats with their form, of integers as they are."""

    def __init__(self, preparation: Preparation, value: Value) -> None:
        shape = preparation.shape(value)
        while shape.kind == STRUCT_KIND and shape.members:
            shape = shape.members[0]
        part = component(shape)
        self.form = format_of(part.width) if part.kind == FLOAT_KIND else None
        self.kind = part.kind
        self.width = part.width
        self.fraction = self.form.fraction if self.form is not None else 0
        self.column = preparation.column(value)

    def at(self, lane: int) -> list[int]:
        return flat(self.column[lane])

    def forms_of(self, words: list[int]) -> list[tuple[Format, int]]:
        return [(self.form, word) for word in words] if self.form is not None else []

    def numbers(self, words: list[int], signed: bool) -> list[Fraction | None]:
        if self.form is not None:
            return [number_of(word, self.form) for word in words]
        half = 1 << (self.width - 1)
        return [Fraction((word ^ half) - half if signed else word) for word in words]

    def floats(self, lanes: list[int]) -> list[list[Fraction | None]]:
        return [self.numbers(self.at(lane), False) for lane in lanes]


def value_of(given: list[_Floats]) -> _Floats:
    """The operand of a group operation that is combined; the size of a cluster may come after it."""
    return next((each for each in given if each.form is not None), given[-1])


def is_unpacked_half(instr: Instr) -> bool:
    return instr.op in EXT_INSTS and set_of(instr) == "GLSL.std.450" and instr.word(1) == glsl.UnpackHalf2x16


def halves(operands: list[list[int]]) -> list[int]:
    """The two halves of each word."""
    return [half for words in operands for word in words for half in (word & 0xFFFF, word >> 16)]


def component(shape: Shape) -> Shape:
    while shape.element is not None:
        shape = shape.element
    return shape


def flat(value: object) -> list[int]:
    """The scalars of a value. Values nest a few levels."""
    if isinstance(value, tuple):
        return [word for part in value for word in flat(part)]
    return [value] if isinstance(value, int) else []


def kinds_of(instr: Instr) -> frozenset[str]:
    """What may be met where an instruction is executed: the words of the rows that it brings in."""
    if instr.op in COPIES:
        return frozenset({SPECIAL}) if moves_floats(instr) else frozenset()
    if instr.op in EXT_INSTS:
        rows = freedoms.BY_INSTRUCTIONS.get((set_of(instr), instr.word(1)), ())
    else:
        rows = freedoms.BY_OPCODES.get(instr.op, ())
    words = {freedoms.FREEDOMS[row].seen for row in rows}
    return frozenset(words & {INEXACT, IMPRECISE, DENORMAL, SPECIAL, NAN, NEGATIVE, ORDER})


def is_negative(given: list[_Floats], operands: list[list[int]]) -> bool:
    """Whether an operand, of integers, has the sign bit in a component."""
    return any(word >> (column.width - 1) & 1 for column, each in zip(given, operands, strict=True) for word in each)


def is_exact(
    instr: Instr, given: list[_Floats], operands: list[list[int]], result: _Floats, words: list[int], lane: int
) -> bool:
    """Whether each component of a result is the infinitely precise one."""
    if instr.op in (op.ImageRead, op.ImageFetch):
        return result.form is None or all(is_short(number_of(word, result.form)) for word in words)
    if is_derivative(instr):
        return differs_exactly(given[-1], lane, instr.op in WIDTHS)
    if instr.op in EXT_INSTS:
        if instr.word(1) == glsl.UnpackHalf2x16:
            return True
        precise = EXACT_GLSL.get(instr.word(1)) if set_of(instr) == "GLSL.std.450" else None
    else:
        precise = EXACT.get(instr.op)
    if precise is None or result.form is None:
        return False
    signed = instr.op == op.ConvertSToF
    numbers = [column.numbers(each, signed) for column, each in zip(given, operands, strict=True)]
    for at, word in enumerate(words):
        parts = [each[at] if at < len(each) else each[-1] for each in numbers]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            continue  # of an infinity or a NaN: the row of special floats
        number = number_of(word, result.form)
        if number is None or precise(known) != number:
            return False
    return True


def is_derivative(instr: Instr) -> bool:
    known = opcodes.info(instr.op)
    return known is not None and known.group == "Derivative"


def differs_exactly(column: _Floats, lane: int, is_width: bool) -> bool:
    """Whether the differences within a quad are representable, of OpFwidth also the sums of two."""
    form = column.form
    if form is None:
        return False
    quad = [lane & ~3 | at for at in range(4)]
    if quad[3] >= len(column.column):
        return False
    for parts in zip(*[column.numbers(column.at(each), False) for each in quad], strict=True):
        along = [difference(parts[at], parts[at ^ 1]) for at in (0, 2)]
        down = [difference(parts[at], parts[at ^ 2]) for at in (0, 1)]
        known = [each for each in along + down if each is not None]
        if is_width:
            known += [abs(x) + abs(y) for x in along for y in down if x is not None and y is not None]
        if not all(is_representable(form, each) for each in known):
            return False
    return True


def difference(first: Fraction | None, second: Fraction | None) -> Fraction | None:
    return second - first if first is not None and second is not None else None


def is_short(number: Fraction | None) -> bool:
    """Whether a float has few digits: c / (2^b - 1) is 0, 1 or -1, or has endless ones, of which a float holds more."""
    return number is None or number.numerator.bit_length() <= FEW


def is_representable(form: Format, number: Fraction) -> bool:
    try:
        return Fraction(form.decode(form.encode(float(number)))) == number
    except (OverflowError, ValueError):
        return False


def shows_order(instr: Instr, lanes: list[list[Fraction | None]], bits: int) -> bool:
    """Whether floats that are combined may give another result in another order: not if all are multiples of a power of
    two so small that no sum, or no product, of some of them needs more than a float's `bits`."""
    multiplies = traits.COMBINES.get(instr.op) == "f-mul"
    for parts in zip(*lanes, strict=True):
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return len(parts) > 1
        if len(known) < 2:
            continue
        if multiplies:
            product = Fraction(1)
            for part in known:
                product *= max(abs(part.numerator), 1)
            if any(part.denominator != 1 for part in known) or product > 1 << bits:
                return True
        else:
            unit = max(part.denominator for part in known)
            if sum(abs(part) for part in known) * unit > 1 << bits:
                return True
    return False
