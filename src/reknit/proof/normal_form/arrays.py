"""Arrays that are too long to have a term a part: what was put where, newest first.

    ("ins", whole, index, new)      `whole` with one part replaced          ("at", whole, index, kind)      a part of it
    ("long", kind, p, q, ...)       all parts at once, as long as none is replaced
    at(ins(a, 3, x), 3) = x         at(ins(a, 3, x), 4) = at(a, 4)          at(ins(a, i, x), 4): opaque
"""

from typing import final

from reknit.proof.normal_form.algebra import Algebra
from reknit.proof.normal_form.diagrams import Job, Terms
from reknit.proof.normal_form.kinds import Kind
from reknit.proof.normal_form.table import UNFROZEN, Key


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
        if key[0] == "null":
            return arrays.zero(self.kind)
        element: Key = ("at", whole, self.index, self.kind.number)
        return arrays.opaque(element, arrays.union((whole, self.index)), self.kind)
