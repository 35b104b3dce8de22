"""Float operations up to rearrangement: each is a sum of products of other values, with rational coefficients.

    (a + b) - a            b                     x / 6.25           0.16 * x
    a * b + a * c          the same as a * (b + c)
    fma(a, b, c)           a * b + c             mix(x, y, 0.25)    0.75 * x + 0.25 * y
    0.0 + x, x - 0.0       x                     0.0 - x            -x

Source: Vulkan, "Evaluation of Expressions": "Implementations may: rearrange floating-point operations using any of the
mathematical properties governing the expressions in precise arithmetic, even where the floating- point operations do
not share these properties"; "This rearrangement can: be prevented for particular operations by using the
code:NoContraction decoration". So two expressions that are equal in precise arithmetic have the same results allowed.

What before may compute is all of these; what after computes has to be one of them for every choice that is left to it.
So after's operations are taken for a sum of products only where they compute nothing else on the way (`is_plain`): in
`(x * 2) * 0.5` the product may overflow, and `x` alone can't. Others are values of their own (`kept`), and before is
taken not to rearrange the same operations of the same operands.

A coefficient that floats don't have is rounded, before alone: `x * 0.1 * 0.2` may be `x * r` with the float r nearest
to 0.02, by an implementation that multiplies the constants first.

Where after evaluates one expression in more ways than before does, its values may differ from each other and before's
can't: that is not taken for the same (`apart`).
"""

from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Final, final

from reknit.ir import enums, glsl, op, opcodes
from reknit.ir.module import Module
from reknit.proof.normal_form.diagrams import Terms
from reknit.proof.normal_form.kinds import FLOAT, Kind
from reknit.proof.normal_form.table import UNFROZEN
from reknit.sim.ops.ieee import Format, format_of
from reknit.source.meter import spend

if TYPE_CHECKING:
    from reknit.proof.normal_form.algebra import Algebra

MAX_PRODUCTS: Final = 24
MAX_FACTORS: Final = 12
_RELAXED: Final = f"[{enums.DecorationRelaxedPrecision}]"
_ON_OPERATIONS: Final = ("", _RELAXED)
_BY_PART: Final = (op.FAdd, op.FSub, op.FMul, op.FDiv, op.FNegate)
_FIXING: Final = (
    enums.ExecutionModeContractionOff, enums.ExecutionModeFPFastMathDefault, enums.ExecutionModeRoundingModeRTZ,
    enums.ExecutionModeDenormFlushToZero, enums.ExecutionModeSignedZeroInfNanPreserve,
)  # fmt: skip
"""Modes with which nothing is rearranged here: they forbid it, or make what is rounded beforehand something else, or
preserve zeros, infinities and NaNs for which `0.0 + x` is not x, nor `x * 0.0` 0."""

Product = tuple[tuple[int, int], ...]
"""Values with the power of each, by their terms."""

Polynomial = dict[Product, Fraction]


def may_rearrange(module: Module) -> bool:
    """Whether the rules of Vulkan hold for a module, and no mode takes rearrangement away. Invariant results are the
    same ones in other shaders that compute them alike."""
    capabilities = opcodes.with_implied([each.word(0) for each in module.capabilities])
    if enums.CapabilityShader not in capabilities or enums.CapabilityKernel in capabilities:
        return False
    if any(mode.word(1) in _FIXING for mode in module.execution_modes):
        return False
    for instr in module.decorations:
        at = 2 if instr.op == op.MemberDecorate else 1
        if instr.op in (op.Decorate, op.MemberDecorate) and instr.word(at) == enums.DecorationInvariant:
            return False
    return True


@final
class Rearranged:
    """The sums of products that terms are. `is_after`: the second program is being walked. `kept`: operations of it
    that stay as they are. `ways`: by term of each program, the operations that evaluate it."""

    __slots__ = ("algebra", "sums", "is_after", "kept", "ways", "walks")

    def __init__(self, algebra: "Algebra") -> None:
        self.algebra = algebra
        self.sums: dict[int, tuple[str, Polynomial]] = {}  # with the decorations of the operations
        self.is_after = False
        self.kept: dict[int, None] = {}
        self.ways: tuple[dict[int, dict[int, None]], dict[int, dict[int, None]]] = ({}, {})
        self.walks = 0

    def begin(self, is_after: bool) -> None:
        """A walk of one of the programs begins."""
        self.is_after = is_after
        self.walks += 1
        self.ways[is_after].clear()

    def apart(self) -> bool:
        """Whether after evaluates an expression in more ways than before does."""
        mine, theirs = self.ways
        return any(len(ways) > max(1, len(mine.get(term, ()))) for term, ways in theirs.items())

    def by_parts(self, code: int, kind: Kind, extras: str, terms: Terms, kinds: list[Kind]) -> int:
        """An operation on vectors, or one that is defined by a sum of products, as operations on scalars; else -1."""
        algebra = self.algebra
        if code == op.ExtInst:
            return self._extended(kind, extras, terms, kinds)
        if extras not in _ON_OPERATIONS:
            return -1
        if code in _BY_PART and kind.parts:
            parts = [algebra.spread(term, len(kind.parts)) for term in terms]
            results = [
                algebra.op(code, part, extras, tuple([each[at] for each in parts]), [part] * len(terms))
                for at, part in enumerate(kind.parts)
            ]
            return algebra.composite(tuple(results))
        if code == op.VectorTimesScalar and kind.parts:
            scaled = [
                algebra.op(op.FMul, part, extras, (each, terms[1]), [part, part])
                for part, each in zip(kind.parts, algebra.spread(terms[0], len(kind.parts)), strict=True)
            ]
            return algebra.composite(tuple(scaled))
        if code == op.Dot and kind.category == FLOAT:
            count = len(kinds[0].parts)
            result = -1
            for mine, other in zip(algebra.spread(terms[0], count), algebra.spread(terms[1], count), strict=True):
                product = algebra.op(op.FMul, kind, extras, (mine, other), [kind, kind])
                result = product if result < 0 else algebra.op(op.FAdd, kind, extras, (result, product), [kind, kind])
            return result
        return -1

    def _extended(self, kind: Kind, text: str, terms: Terms, kinds: list[Kind]) -> int:
        """Vulkan, "Precision of GLSL.std.450 Instructions": fma() is "Inherited from OpFMul followed by OpFAdd", mix()
        "Inherited from x * (1.0 - a) + y * a"."""
        words = text.split(" ", 2)
        extras = words[2].strip() if len(words) > 2 else ""
        if words[0] != "GLSL.std.450" or extras not in _ON_OPERATIONS:
            return -1
        algebra = self.algebra
        number = int(words[1])
        if number == glsl.Fma:
            product = algebra.op(op.FMul, kind, extras, terms[:2], kinds[:2])
            return algebra.op(op.FAdd, kind, extras, (product, terms[2]), [kind, kind])
        if number == glsl.FMix:
            one = self._one(kind)
            if one < 0:
                return -1
            both = [kind, kind]
            rest = algebra.op(op.FSub, kind, extras, (one, terms[2]), both)
            first = algebra.op(op.FMul, kind, extras, (terms[0], rest), both)
            second = algebra.op(op.FMul, kind, extras, (terms[1], terms[2]), both)
            return algebra.op(op.FAdd, kind, extras, (first, second), both)
        return -1

    def _one(self, kind: Kind) -> int:
        if kind.parts:
            parts = [self._one(part) for part in kind.parts]
            return self.algebra.composite(tuple(parts)) if min(parts) >= 0 else -1
        form = format_of(kind.width)
        return self.algebra.constant(kind, form.encode(1.0)) if form is not None else -1

    def operation(self, code: int, kind: Kind, extras: str, terms: Terms, kinds: list[Kind]) -> int:
        """The term of an operation on scalars; -1 where it isn't rearranged."""
        if code not in _BY_PART or kind.category != FLOAT or extras not in _ON_OPERATIONS:
            return -1
        algebra = self.algebra
        form = format_of(kind.width)
        if form is None or any(UNFROZEN in algebra.loops[term] for term in terms):
            return -1
        way = algebra.operation(code, kind, extras, terms, kinds)
        if way in self.kept:
            return way
        operands = [self._sum_of(term, extras, form) for term in terms]
        if code == op.FDiv and len(operands[1]) > 1:
            operands[1] = {((terms[1], 1),): Fraction(1)}  # a sum is divided by as one value
        if code in (op.FMul, op.FDiv) and not any(_is_unscaled(each) for each in operands):
            # So is one with factors scaled: distributing would multiply constants, which rounds.
            for at, term in enumerate(terms):
                if len(operands[at]) > 1:
                    operands[at] = {((term, 1),): Fraction(1)}
        total = _computed(code, operands)
        if total is None:
            return way
        if self.is_after and not is_plain(code, operands):
            self.kept[way] = None
            return way
        rounded: Polynomial = {}
        for product, coefficient in total.items():
            near = nearest(coefficient, form)
            if near is None:
                return way
            if near != coefficient and self.is_after:
                self.kept[way] = None
                return way
            rounded[product] = near
        result = self._term(rounded, kind, extras, form)
        self.ways[self.is_after].setdefault(result, {})[way] = None
        return result

    def _sum_of(self, term: int, extras: str, form: Format) -> Polynomial:
        """What a term adds up: operations of relaxed precision are rearranged among themselves, and so are others."""
        if self.algebra.is_constant(term):
            value = form.decode(self.algebra.bits(term))
            if isfinite(value):
                return {(): Fraction(value)} if value != 0 else {}
        decorations, known = self.sums.get(term, ("", None))
        return known if known is not None and decorations == extras else {((term, 1),): Fraction(1)}

    def _term(self, total: Polynomial, kind: Kind, extras: str, form: Format) -> int:
        """The term of a sum of products: a value, a constant, or one operation on all values in it."""
        algebra = self.algebra
        if not total:
            return algebra.constant(kind, 0)
        if len(total) == 1:
            ((product, coefficient),) = total.items()
            if not product:
                return algebra.constant(kind, form.encode(float(coefficient)))
            if coefficient == 1 and len(product) == 1 and product[0][1] == 1:
                return product[0][0]
        values = sorted({term for product in total for term, _ in product})
        place = {term: at for at, term in enumerate(values)}
        parts = [
            f"{coefficient}" + "".join([f"*{place[term]}^{power}" for term, power in product])
            for product, coefficient in sorted(total.items())
        ]
        text = f"{extras} sum {' '.join(parts)}".strip()
        result = algebra.operation(op.FAdd, kind, text, tuple(values), [kind] * len(values))
        self.sums[result] = (extras, total)
        return result


def _computed(code: int, operands: list[Polynomial]) -> Polynomial | None:
    """What an operation comes to; None if it becomes too much, or divides by 0."""
    first = operands[0]
    if code == op.FNegate:
        return {product: -coefficient for product, coefficient in first.items()}
    second = operands[1]
    if code == op.FAdd or code == op.FSub:
        total = dict(first)
        for product, coefficient in second.items():
            total[product] = total.get(product, Fraction(0)) + (coefficient if code == op.FAdd else -coefficient)
        return _without_zeros(total)
    if code == op.FDiv:
        if not second:
            return None
        second = _inverse(second)
    total = {}
    if len(first) * len(second) > MAX_PRODUCTS:
        return None
    for mine, coefficient in first.items():
        for other, scale in second.items():
            spend(1)
            product = _product(mine, other)
            if len(product) > MAX_FACTORS:
                return None
            total[product] = total.get(product, Fraction(0)) + coefficient * scale
    return _without_zeros(total)


def is_plain(code: int, operands: list[Polynomial]) -> bool:
    """Whether the sum of products that an operation is has a part for each of the operands' parts: no two are added up
    or cancel each other, nothing is a neutral operand, and no two constants are multiplied."""
    if code == op.FNegate:
        return bool(operands[0])
    first, second = operands
    if not first or not second:
        return False
    if code == op.FAdd or code == op.FSub:
        return not any(product in first for product in second)
    if code == op.FDiv:
        second = _inverse(second)
    if not (_is_unscaled(first) or _is_unscaled(second)) or first == {(): 1} or second == {(): 1}:
        return False
    if len({_product(mine, other) for mine in first for other in second}) < len(first) * len(second):
        return False
    for mine in first:
        for other in second:
            powers = dict(mine)
            if any(powers.get(term, power) * power < 0 for term, power in other):
                return False
    return True


def _is_unscaled(total: Polynomial) -> bool:
    return all(abs(coefficient) == 1 for coefficient in total.values())


def _inverse(total: Polynomial) -> Polynomial:
    """Of a single product."""
    ((product, coefficient),) = total.items()
    return {tuple([(term, -power) for term, power in product]): 1 / coefficient}


def _without_zeros(total: Polynomial) -> Polynomial | None:
    left = {product: coefficient for product, coefficient in total.items() if coefficient}
    return left if len(left) <= MAX_PRODUCTS else None


def _product(mine: Product, other: Product) -> Product:
    powers = dict(mine)
    for term, power in other:
        powers[term] = powers.get(term, 0) + power
    return tuple(sorted([(term, power) for term, power in powers.items() if power]))


def nearest(value: Fraction, form: Format) -> Fraction | None:
    """The nearest number of a format, ties to even; None for what is too large, or so small that it is a denormal."""
    if value == 0:
        return value
    try:
        near = form.encode(float(value))
    except OverflowError:
        return None
    magnitude = near & (form.sign - 1)
    if magnitude >= form.inf - 1 or magnitude <= form.hidden:
        return None
    best: Fraction | None = None
    for bits in (near, near - 1, near + 1):
        each = Fraction(form.decode(bits))
        closer = best is None or abs(each - value) < abs(best - value)
        if closer or (best is not None and abs(each - value) == abs(best - value) and bits % 2 == 0):
            best = each
    return best
