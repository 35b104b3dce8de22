"""Operations on terms: pushed to the leaves of diagrams, folded by the rules that `fold` uses, or opaque.

    x + 0    x - x    not (not c)         x, 0, c: `ir/traits.py` says which
    2 + 3    f32 1.0 < 2.0                5, true: `passes/values/components.py` computes what `fold` does
    a > b    not (a <= b)                 b < a: one comparison of the four that say it
    x <= 5                                x < 6
    (x + 1) + 1, x << 3                   x + 2, x * 8: `sums`
    x / 8, x mod 8 of unsigned numbers    x >> 3, x & 7
    x == 7                                the diagram that asks whether x is 7
    (a, b) + (c, d)                       (a + c, b + d), where an operation is one of components
    f(diagram of many leaves)             opaque, with the diagram as operand: pushing would double with each step
"""

from typing import Final

from reknit.ir import op, traits
from reknit.ir.folding import EXACT
from reknit.passes.values.components import fold_components
from reknit.proof.normal_form.bits import bitcast, field, undone
from reknit.proof.normal_form.diagrams import Job, Terms
from reknit.proof.normal_form.exact import exact
from reknit.proof.normal_form.kinds import Kind, Kinds
from reknit.proof.normal_form.ordered import ORDERED, Steps, compared
from reknit.proof.normal_form.reaches import Reaches
from reknit.proof.normal_form.rearranged import Rearranged
from reknit.proof.normal_form.sums import LINEAR, Sum, of_operation
from reknit.proof.normal_form.table import UNFROZEN, Key
from reknit.source.meter import spend

PUSHED: Final = 16
"""Of so few leaves an operation is pushed to each."""

_WHOLE: Final = "whole"
_BY_BITS: Final = (op.UDiv, op.UMod)


def forms(code: int) -> list[tuple[int, bool, bool]]:
    """What says the same as an operation of two operands, the lowest opcode first: (opcode, operands changed over,
    negated)."""
    equivalent = [(code, False, False)]
    negated = traits.NEGATED.get(code)
    for each, negates in ((code, False), (negated, True)):
        if each is not None and negates:
            equivalent.append((each, False, True))
        swapped = traits.SWAPPED.get(each) if each is not None else None
        if swapped is not None:
            equivalent.append((swapped, True, negates))
    return sorted(equivalent)


class Algebra(Reaches):
    """`typed`: of an operation that is a term, the kinds of its operands; `sums`: what a term that is a sum adds up."""

    __slots__ = ("kinds", "jobs", "counts", "typed", "sums", "steps_of", "rearranged")

    def __init__(self, kinds: Kinds) -> None:
        super().__init__()
        self.kinds = kinds
        self.jobs: dict[Key, Job] = {}
        self.counts: dict[int, int] = {}
        self.typed: dict[int, list[Kind]] = {}
        self.sums: dict[int, Sum] = {}
        self.steps_of: dict[int, Steps] = {}  # of diagrams that were compared with constants
        self.rearranged: Rearranged | None = None  # where floats are compared up to rearrangement

    def op(self, code: int, kind: Kind, extras: str, terms: Terms, kinds: list[Kind]) -> int:
        """An operation without effect: `kinds` are those of the operands."""
        known = exact(self, code, kind, extras, terms, kinds)
        if known < 0 and self.rearranged is not None:
            known = self.rearranged.by_parts(code, kind, extras, terms, kinds)
        if known >= 0:
            return known
        if kind.parts and self._by_component(code, kinds, len(kind.parts)):
            results: list[int] = []
            for index, part in enumerate(kind.parts):
                operands = [self.parts(t)[index] if self.keys[t][0] == "m" else t for t in terms]
                inner = [each.element(index) if each.parts else each for each in kinds]
                results.append(self.op(code, part, extras, tuple(operands), inner))
            return self.composite(tuple(results))
        logic = self._logic(code, terms)
        if logic >= 0:
            return logic
        if code == op.Bitcast and not extras:
            cast = bitcast(self, kind, terms[0], kinds[0])
            if cast >= 0:
                return cast
        if (not self.is_small(terms) and not kind.is_bool()) or any(self.keys[term][0] == "m" for term in terms):
            return self.operation(code, kind, extras, terms, kinds)
        name: Key = ("op", code, kind.number, extras, *[each.number for each in kinds])
        if self.rearranged is not None:
            name = (*name, self.rearranged.walks)
        job = self.jobs.get(name)
        if job is None:
            job = self.jobs[name] = _Operation(self, code, kind, extras, kinds)
        if code in ORDERED and not self.is_small(terms):
            result = compared(self, job, code, kinds[0], terms, self.steps_of)
            if result >= 0:
                return result
        return self.leafwise(job, terms)

    def is_small(self, terms: Terms) -> bool:
        """Whether an operation on them is pushed to their leaves."""
        edges = 1
        for term in terms:
            edges *= self.leaves(term)
        return edges <= PUSHED

    def kind_of_operation(self, term: int) -> int:
        """The number of the kind that an operation gives."""
        number = self.keys[term][2]
        assert isinstance(number, int)
        return number

    def _logic(self, code: int, terms: Terms) -> int:
        """Operations on bools, which are diagrams; -1 for all others."""
        if code == op.Select:
            return self.ite(terms[0], terms[1], terms[2])
        if code == op.LogicalNot:
            return self.negate(terms[0])
        if code == op.LogicalAnd or code == op.LogicalOr:
            return self.both(terms[0], terms[1]) if code == op.LogicalAnd else self.either(terms[0], terms[1])
        if code == op.LogicalEqual or code == op.LogicalNotEqual:
            other = self.negate(terms[1])
            same = code == op.LogicalEqual
            return self.ite(terms[0], terms[1] if same else other, other if same else terms[1])
        if code == op.Any or code == op.All:
            parts = self.parts(terms[0])
            result = parts[0]
            for part in parts[1:]:
                result = self.either(result, part) if code == op.Any else self.both(result, part)
            return result
        return -1

    def _by_component(self, code: int, kinds: list[Kind], count: int) -> bool:
        """Whether a component of the result depends on the same one of the operands alone."""
        if code not in traits.FOLDS or (code == op.Any or code == op.All):
            return False
        if traits.FOLDS[code] == EXACT and code != op.FNegate:
            return False  # sums and products may be fused
        if any(each.parts and len(each.parts) != count for each in kinds):
            return False
        return traits.FOLDS[code] != _WHOLE or all(len(each.parts) == count for each in kinds)

    def operation(self, code: int, kind: Kind, extras: str, terms: Terms, kinds: list[Kind]) -> int:
        """The operation itself, as a term."""
        if code in traits.COMMUTES and len(terms) > 1 and terms[0] > terms[1]:
            terms = (terms[1], terms[0], *terms[2:])
            kinds = [kinds[1], kinds[0], *kinds[2:]]
        key: Key = ("o", code, kind.number, extras, *terms)
        loops = self.union(terms)
        self.typed[self.make(key, loops)] = kinds
        return self.opaque(key, loops, kind)

    def sum(self, code: int, kind: Kind, terms: Terms) -> int:
        """An operation that is a sum, in the one form of sums; -1 if it is none."""
        total = of_operation(self, self.sums, code, kind, terms)
        if total is None:
            return -1
        kinds = [kind, kind]
        result = -1
        parts = Sum({}, 0)
        for term in sorted(total.terms):
            count = total.terms[term]
            scaled = term
            if count != 1:
                scaled = self.operation(op.IMul, kind, "", (term, self.constant(kind, count)), kinds)
                self.sums[scaled] = Sum({term: count}, 0)
            parts = Sum({**parts.terms, term: count}, 0)
            result = scaled if result < 0 else self.operation(op.IAdd, kind, "", (result, scaled), kinds)
            if len(parts.terms) > 1:
                self.sums[result] = parts
        if result < 0:
            return self.constant(kind, total.constant)
        if total.constant:
            result = self.operation(op.IAdd, kind, "", (result, self.constant(kind, total.constant)), kinds)
            self.sums[result] = total
        return result

    def is_bool(self, atom: int) -> bool:
        """Whether an operation has a bool as its result."""
        key = self.keys[atom]
        kind = key[2] if key[0] == "o" else -1
        return isinstance(kind, int) and kind >= 0 and self.kinds.all[kind].is_bool()

    def leaves(self, term: int) -> int:
        """How many leaves a diagram has, up to one more than matter."""
        if self.top(term) < 0:
            return 1
        count = self.counts.get(term)
        if count is None:
            seen: dict[int, None] = {term: None}
            work = [term]
            count = 0
            while work and count <= PUSHED:
                spend(1)
                current = work.pop()
                if self.top(current) < 0:
                    count += 1
                    continue
                for child in (self.otherwise(current), self.taken(current)):
                    if child not in seen:
                        seen[child] = None
                        work.append(child)
            self.counts[term] = count
        return count

    def zero(self, kind: Kind) -> int:
        """OpConstantNull."""
        if kind.parts:
            return self.composite(tuple([self.zero(part) for part in kind.parts]))
        if kind.is_number():
            return self.constant(kind, 0)
        return self.make(("null", kind.number))


class _Operation(Job):
    __slots__ = ("kind", "extras", "kinds", "forms", "algebra")

    def __init__(self, algebra: Algebra, code: int, kind: Kind, extras: str, kinds: list[Kind]) -> None:
        super().__init__(algebra)
        self.algebra = algebra
        self.forms = forms(code) if len(kinds) == 2 else [(code, False, False)]
        self.kind = kind
        self.extras = extras
        self.kinds = kinds

    def early(self, terms: Terms) -> int:
        return self.table.bottom if self.table.bottom in terms else -1

    def leaf(self, terms: Terms) -> int:
        algebra = self.algebra
        code, swaps, negates = self.forms[0]
        known = self._folded(terms)
        if known >= 0:
            return known
        for form, changed, negated in self.forms:
            known = self._known(form, (terms[1], terms[0]) if changed else terms)
            if known >= 0:
                return algebra.negate(known) if negated else known
        if swaps:
            terms = (terms[1], terms[0])
        result = self._asked(code, terms)
        if result < 0 and code in _BY_BITS:
            result = self._by_bits(code, terms)
        if result < 0 and code in LINEAR and not self.extras:
            result = algebra.sum(code, self.kind, terms)
        if result < 0 and algebra.rearranged is not None:
            result = algebra.rearranged.operation(code, self.kind, self.extras, terms, self.kinds)
        if result < 0:
            result = algebra.operation(code, self.kind, self.extras, terms, self.kinds)
        return algebra.negate(result) if negates else result

    def _asked(self, code: int, terms: Terms) -> int:
        """A comparison that asks whether a term has one value, else -1."""
        algebra = self.algebra
        if code == op.IEqual:
            for term, other in ((terms[0], terms[1]), (terms[1], terms[0])):
                if algebra.is_constant(other):
                    return algebra.node(term, algebra.bits(other), algebra.true, algebra.false)
        if code == op.UGreaterThan or code == op.SGreaterThan:
            if algebra.is_constant(terms[0]):
                return self._below(code, terms[1], algebra.bits(terms[0]))
            if algebra.is_constant(terms[1]):
                return self._above(code, terms[0], algebra.bits(terms[1]))
        return -1

    def _below(self, code: int, term: int, bits: int) -> int:
        """Whether a number is greater than a term."""
        algebra = self.algebra
        kind = self.kinds[0]
        if bits == (0 if code == op.UGreaterThan else 1 << kind.width - 1):
            return algebra.false
        if code == op.UGreaterThan and bits == 1:
            return algebra.node(term, 0, algebra.true, algebra.false)
        return algebra.operation(code, self.kind, self.extras, (algebra.constant(kind, bits), term), self.kinds)

    def _above(self, code: int, term: int, bits: int) -> int:
        """Whether a term is greater than a number: not less than the next one."""
        algebra = self.algebra
        width = self.kinds[0].width
        if bits == (1 << width - (1 if code == op.SGreaterThan else 0)) - 1:
            return algebra.false
        return algebra.negate(self._below(code, term, bits + 1 & (1 << width) - 1))

    def _by_bits(self, code: int, terms: Terms) -> int:
        """A quotient or remainder of unsigned numbers by a power of two, as a shift or a mask; -1 by others."""
        algebra = self.algebra
        divisor = algebra.bits(terms[1]) if algebra.is_constant(terms[1]) else 0
        if divisor == 0 or divisor & divisor - 1 or self.extras:
            return -1
        bits = divisor.bit_length() - 1 if code == op.UDiv else divisor - 1
        form = op.ShiftRightLogical if code == op.UDiv else op.BitwiseAnd
        return algebra.op(form, self.kind, "", (terms[0], algebra.constant(self.kind, bits)), self.kinds)

    def _folded(self, terms: Terms) -> int:
        """The constant that it is of constants, else -1."""
        algebra = self.algebra
        code, swaps, negates = self.forms[0]
        if not terms or code not in traits.FOLDS or not all(algebra.is_constant(term) for term in terms):
            return -1
        if self.kind.category == "float" and (self.extras or traits.FOLDS[code] == EXACT):
            return -1  # those were looked at as a whole
        columns = [[algebra.bits(term)] for term in (reversed(terms) if swaps else terms)]
        folded = fold_components(code, self.kind.type, [each.type for each in self.kinds], columns)
        return algebra.constant(self.kind, folded[0] ^ (1 if negates else 0)) if folded is not None else -1

    def _known(self, code: int, terms: Terms) -> int:
        """What it is without computing anything, else -1: one operand, or a constant whatever the other is."""
        algebra = self.algebra
        if code == op.Bitcast and len(terms) == 1 and not self.extras:
            return undone(algebra, self.kind, terms[0])
        if code == op.FNegate and not self.extras and not algebra.kinds.flushes:
            key = algebra.keys[terms[0]]
            return algebra.operands(terms[0])[0] if key[0] == "o" and key[1:4] == (code, self.kind.number, "") else -1
        if not self.kind.is_integer():
            return -1
        if code == op.UConvert and self.kinds[0].width > self.kind.width and not self.extras:
            return field(algebra, self.kind, self.kinds[0], terms[0])
        if len(terms) == 1:
            key = algebra.keys[terms[0]]
            if code in traits.UNDOES_ITSELF and key[0] == "o" and key[1] == code and key[2] == self.kind.number:
                return algebra.operands(terms[0])[0]
            if code == op.CopyObject and self.kind is self.kinds[0]:
                return terms[0]
            return -1
        if len(terms) != 2:
            return -1
        left, right = terms
        if left == right and UNFROZEN not in algebra.loops[left]:
            term = self._meant(traits.SELF.get(code, ""), left)
            if term >= 0:
                return term
        if not algebra.is_constant(right):
            if code not in traits.COMMUTES or not algebra.is_constant(left):
                return -1
            left, right = right, left
        bits = algebra.bits(right)
        width = self.kinds[0].width
        word = ""
        if bits == 0:
            word = traits.ZERO.get(code, "")
        elif bits == 1:
            word = traits.ONE.get(code, "")
        if not word and self.kinds[0].is_integer() and bits == (1 << width) - 1:
            word = traits.ONES.get(code, "")
        return self._meant(word, left)

    def _meant(self, word: str, term: int) -> int:
        """What an identity of the table says."""
        algebra = self.algebra
        if word == "x":
            return term if self.kind is self.kinds[0] else -1
        if word == "ones":
            return algebra.constant(self.kind, (1 << self.kind.width) - 1)
        return algebra.constant(self.kind, int(word)) if word else -1
