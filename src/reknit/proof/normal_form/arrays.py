"""Arrays that are too long to have a term a part: what was put where, newest first.

    ("ins", whole, index, new)      `whole` with one part replaced          ("at", whole, index, kind)      a part of it
    ("long", kind, p, q, ...)       all parts at once, as long as none is replaced
    at(ins(a, 3, x), 3) = x         at(ins(a, 3, x), 4) = at(a, 4)          at(ins(a, i, x), 4): opaque

What was read part by part from one place in memory is read by an index where it is taken by one, whatever was made of
the parts in between: part i of (load m[0], load m[1], load m[2]) is load m[i].
"""

from typing import Final, final

from reknit.ir import enums, op
from reknit.proof.normal_form.algebra import Algebra
from reknit.proof.normal_form.diagrams import Job, Terms
from reknit.proof.normal_form.kinds import FLOAT, Kind
from reknit.proof.normal_form.table import UNFROZEN, Key
from reknit.source.meter import spend

_RELAXED: Final = f"[{enums.DecorationRelaxedPrecision}]"


class Arrays(Algebra):
    __slots__ = ()

    def index(self, bits: int) -> int:
        """A constant as an index: of whichever type, one number is one term."""
        return self.make(("c", -2, bits))

    def as_index(self, term: int) -> int:
        return self.index(self.bits(term)) if self.is_constant(term) else term

    def part(self, whole: int, index: int, kind: Kind, is_inside: bool = False) -> int:
        """A part of `whole`; `kind` is the part's, `index` a term. `is_inside`: an access beyond the parts is
        compared elsewhere."""
        if self.keys[whole][0] == "m":
            parts = self.parts(whole)
            if self.is_constant(index):
                place = self.bits(index)
                return parts[place] if place < len(parts) else self.beyond(parts, index, kind)
            gathered = self.gathered(parts, index) if is_inside else -1
            if gathered >= 0:
                return gathered
            return self.pick(parts, index, parts[-1] if is_inside else self.beyond(parts, index, kind))
        index = self.as_index(index)
        name: Key = ("at", index, kind.number)
        job = self.jobs.get(name)
        if job is None:
            job = self.jobs[name] = _At(self, index, kind)
        return self.leafwise(job, (whole,))

    def pick(self, parts: Terms, index: int, beyond: int) -> int:
        """The part at an index that is known when the program runs, and what there is beyond the parts."""
        result = beyond
        for number in range(len(parts) - 1, -1, -1):
            result = self.ite(self.equals(index, number), parts[number], result)
        return result

    def beyond(self, parts: Terms, index: int, kind: Kind) -> int:
        return self.opaque(("beyond", kind.number, index, *parts), self.union((index, *parts)), kind)

    def loaded(self, root: Key, kind: Kind, ended: Terms, steps: Terms) -> int:
        """What is in memory that nothing writes: all of a composite is all of its parts; a vector is one."""
        if kind.parts and kind.type.op != op.TypeVector:
            parts: list[int] = []
            for at, part in enumerate(kind.parts):
                parts.append(self.loaded(root, part, ended, (*steps, self.index(at))))
            return self.composite(tuple(parts))
        return self.opaque(("load", root, kind.number, ended, *steps), self.union((*steps, *ended)), kind)

    def marked(self, mark: str, term: int, kind: Kind) -> int:
        """A value that was read by a pointer which says something: all of its parts were."""
        if kind.parts and self.keys[term][0] == "m":
            parts: list[int] = []
            for part, inner in zip(self.parts(term), kind.parts, strict=True):
                parts.append(self.marked(mark, part, inner))
            return self.composite(tuple(parts))
        return self.opaque(("marked", mark, term), self.loops[term], kind)

    def relaxed(self, term: int, kind: Kind) -> int:
        """A value truncated to relaxed precision: itself, where it is what an operation with RelaxedPrecision gives."""
        if kind.parts and self.keys[term][0] == "m":
            parts = zip(self.parts(term), kind.parts, strict=True)
            return self.composite(tuple([self.relaxed(part, inner) for part, inner in parts]))
        if self._is_relaxed(term) or self._is_short(term):
            return term
        if self.top(term) >= 0 and not kind.is_bool() and self.is_small((term,)):
            job = self.jobs.setdefault(("relaxed", kind.number), _Relax(self, kind))
            return self.leafwise(job, (term,))
        return self.opaque(("marked", _RELAXED, term), self.loops[term], kind)

    def _is_relaxed(self, term: int) -> bool:
        chain = self.wholes(term)
        if chain[-1] == self.bottom:
            return True
        return any(isinstance(part, str) and _RELAXED in part for each in chain for part in self.keys[each])

    def wholes(self, term: int) -> list[int]:
        """A term, what it is a part of, what that is a part of, and so on."""
        chain = [term]
        while True:
            key = self.keys[chain[-1]]
            inner = key[1] if key[0] == "part" or key[0] == "at" else key[2] if key[0] == "l" else None
            if not isinstance(inner, int):
                return chain
            chain.append(inner)

    def truncated(self, term: int) -> list[int]:
        """What a value is made of, or may be, as far as it isn't what an operation with RelaxedPrecision gives."""
        seen: dict[int, None] = {}
        work = [term]
        while work:
            spend(1)
            current = work.pop()
            if current in seen:
                continue
            seen[current] = None
            if self.keys[current][0] == "m":
                work.extend(self.parts(current))
            elif self.top(current) >= 0:
                work.extend((self.otherwise(current), self.taken(current)))
        leaves = [each for each in seen if self.keys[each][0] != "m" and self.top(each) < 0]
        return [each for each in leaves if not (self._is_relaxed(each) or self._is_short(each))]

    def _is_short(self, term: int) -> bool:
        """Whether it is a number that relaxed precision has, too: of 16 bits, or of 11 bits and the least range."""
        number = self.keys[term][1] if self.is_constant(term) else -1
        if not isinstance(number, int) or number < 0:
            return False
        kind, bits = self.kinds.all[number], self.bits(term)
        if kind.category != FLOAT:
            signed = bits - (1 << kind.width) if bits >> kind.width - 1 else bits
            return -(1 << 15) <= signed < 1 << 15
        exponent = (bits >> 23 & 0xFF) - 127
        return kind.width == 32 and (not bits or (not bits & 0x1FFF and -14 <= exponent < 14))

    def gathered(self, parts: Terms, index: int) -> int:
        """What an index chooses of parts that were read one after another, as one read by the index; else -1."""
        if len(parts) < 2 or UNFROZEN in self.loops[index]:
            return -1
        keys = [self.keys[part] for part in parts]
        tag = keys[0][0]
        if any(key[0] != tag or len(key) != len(keys[0]) for key in keys):
            return -1
        if tag == "m":
            columns: list[int] = []
            for at in range(1, len(keys[0])):
                chosen = self.gathered(_column(keys, at), index)
                if chosen < 0:
                    return -1
                columns.append(chosen)
            return self.composite(tuple(columns)) if columns else -1
        if tag == "part":
            whole = self.gathered(_column(keys, 1), index)
            if whole < 0 or any(key[2:] != keys[0][2:] for key in keys):
                return -1
            return self.make(("part", whole, *keys[0][2:]), self.loops[whole])
        if tag == "marked":
            value = self.gathered(_column(keys, 2), index)
            if value < 0 or any(key[1] != keys[0][1] for key in keys):
                return -1
            return self.make(("marked", keys[0][1], value), self.loops[value])
        if tag not in ("load", "read"):
            return -1
        return self._read_by(keys, parts, index)

    def _read_by(self, keys: list[Key], parts: Terms, index: int) -> int:
        """Reads that differ in one index, which counts from 0, as one by `index`; else -1."""
        first = keys[0]
        differing = [at for at in range(len(first)) if first[at] != keys[1][at]]
        start = 4 if first[0] == "load" else 5
        if len(differing) != 1 or differing[0] < start:
            return -1
        place = differing[0]
        if first[0] == "read":
            count = first[4]
            assert isinstance(count, int)
            if place >= start + count:
                return -1
        others = (*first[:place], *first[place + 1 :])
        for number, key in enumerate(keys):
            if key[place] != self.index(number) or (*key[:place], *key[place + 1 :]) != others:
                return -1
        return self.make((*first[:place], index, *first[place + 1 :]), self.union((parts[0], index)))

    def with_part(self, whole: int, index: int, new: int, count: int) -> int:
        """`whole` with a part replaced; `count` parts have a term each, or it is 0."""
        if count:
            parts = list(self.spread(whole, count))
            if self.is_constant(index):
                if self.bits(index) < len(parts):
                    parts[self.bits(index)] = new
                return self.composite(tuple(parts))
            return self.composite(
                tuple([self.ite(self.equals(index, number), new, part) for number, part in enumerate(parts)])
            )
        index = self.as_index(index)
        return self.make(("ins", whole, index, new), self.union((whole, index, new)))


def _terms(key: Key, start: int) -> Terms:
    """The terms in a key, from an operand on."""
    return tuple([each for each in key[start:] if isinstance(each, int)])


def _column(keys: list[Key], at: int) -> Terms:
    column: list[int] = []
    for key in keys:
        term = key[at]
        assert isinstance(term, int)
        column.append(term)
    return tuple(column)


@final
class _At(Job):
    __slots__ = ("arrays", "index", "kind")

    def __init__(self, arrays: Arrays, index: int, kind: Kind) -> None:
        super().__init__(arrays)
        self.arrays = arrays
        self.index = index
        self.kind = kind

    def leaf(self, terms: Terms) -> int:
        arrays = self.arrays
        whole = terms[0]
        if whole == arrays.bottom:
            return whole
        key = arrays.keys[whole]
        while key[0] == "ins":
            inner, index, new = key[1], key[2], key[3]
            assert isinstance(inner, int) and isinstance(index, int) and isinstance(new, int)
            if index == self.index and UNFROZEN not in arrays.loops[index]:
                return new
            if not (arrays.is_constant(index) and arrays.is_constant(self.index)):
                break
            if arrays.top(inner) >= 0:
                break
            whole = inner
            key = arrays.keys[whole]
        if key[0] == "long" and arrays.is_constant(self.index) and arrays.bits(self.index) + 2 < len(key):
            part = key[arrays.bits(self.index) + 2]
            assert isinstance(part, int)
            return part
        if key[0] == "long" and not arrays.is_constant(self.index):
            gathered = arrays.gathered(_terms(key, 2), self.index)
            if gathered >= 0:
                return gathered
        if key[0] == "load":
            root, ended = key[1], key[3]
            assert isinstance(root, tuple) and isinstance(ended, tuple)
            return arrays.loaded(root, self.kind, ended, (*_terms(key, 4), self.index))
        if key[0] == "marked":
            mark, inner = key[1], key[2]
            assert isinstance(mark, str) and isinstance(inner, int)
            if arrays.tops[inner] < 0:
                return arrays.marked(mark, self.leaf((inner,)), self.kind)
        if key[0] == "null":
            return arrays.zero(self.kind)
        element: Key = ("at", whole, self.index, self.kind.number)
        return arrays.opaque(element, arrays.union((whole, self.index)), self.kind)


@final
class _Relax(Job):
    """Each leaf of a diagram, truncated."""

    __slots__ = ("arrays", "kind")

    def __init__(self, table: Arrays, kind: Kind) -> None:
        super().__init__(table)
        self.arrays = table
        self.kind = kind

    def leaf(self, terms: Terms) -> int:
        return self.arrays.relaxed(terms[0], self.kind)
