"""Decision diagrams over conditions, with terms as leaves; reduced and ordered, so equal functions are one term.

    ite(c, a, b)          a where c holds, else b                     mask(c, a)   a where c holds, else not reached
    constrain(t, c)       a smaller term that is t wherever c holds, and the same for all that are equal there
                          (Coudert and Madre 1990); by c, then by what d is where c holds: as by c and d. It is t itself
                          where no atom is in both
    leafwise(job, terms)  an operation on every combination of leaves

A node has many edges, one a value of its atom, so labels of a switch exclude each other by construction. Everything
here is a walk with a stack of its own.
"""

from collections.abc import Callable
from typing import Final, final

from reknit.proof.normal_form.kinds import Kind
from reknit.proof.normal_form.table import (
    ATOM_MASK,
    LABEL_BITS,
    LABEL_MASK,
    UNFROZEN,
    Table,
    TooLarge,
    Unsplit,
    overlap,
)
from reknit.source.meter import spend

Terms = tuple[int, ...]
ANY: Final = -1
"""The root of undefined values that may be another one at each use."""


class Job:
    """An operation on leaves; `done` are its results so far."""

    __slots__ = ("table", "done")

    def __init__(self, table: "Diagrams") -> None:
        self.table = table
        self.done: dict[Terms, int] = {}

    def early(self, terms: Terms) -> int:
        """The result where it needs no look at the leaves, else -1."""
        return -1

    def leaf(self, terms: Terms) -> int:
        """The result on leaves; it may be a diagram."""
        raise AssertionError


@final
class _Ite(Job):
    __slots__ = ()

    def early(self, terms: Terms) -> int:
        table = self.table
        c, a, b = terms
        if c == table.true or a == b:
            return a
        if c == table.false:
            return b
        if a == table.true and b == table.false:
            return c
        return table.bottom if c == table.bottom else -1

    def leaf(self, terms: Terms) -> int:
        raise TooLarge("a bool that is read from memory as a number is not followed")


@final
class _Constrain(Job):
    __slots__ = ()

    def early(self, terms: Terms) -> int:
        table = self.table
        t, c = terms
        if t == c and UNFROZEN not in table.loops[t]:
            return table.true
        if c == table.true or c == table.false:
            return t
        return -1 if overlap(table.lows[t], table.tops[t], table.lows[c], table.tops[c]) else t


@final
class _Chosen(Job):
    """Undefined leaves, each as what `choose` gives it."""

    __slots__ = ("chosen",)

    def __init__(self, table: "Diagrams", chosen: dict[int, int]) -> None:
        super().__init__(table)
        self.chosen = chosen

    def leaf(self, terms: Terms) -> int:
        return self.chosen.get(terms[0], terms[0])


@final
class _Is(Job):
    """Where a value is one of its leaves."""

    __slots__ = ("wanted",)

    def __init__(self, table: "Diagrams", wanted: int) -> None:
        super().__init__(table)
        self.wanted = wanted

    def leaf(self, terms: Terms) -> int:
        return self.table.true if terms[0] == self.wanted else self.table.false


class Diagrams(Table):
    __slots__ = ("_ite", "_constrain", "_equals", "_negations", "_free", "_holding")

    def __init__(self) -> None:
        super().__init__()
        self._ite = _Ite(self)
        self._constrain = _Constrain(self)
        self._equals: dict[int, Job] = {}
        self._negations: dict[int, int] = {}
        self._free: dict[int, Kind] = {}
        self._holding: dict[int, bool] = {}

    # --- undefined values ---------------------------------------------------------------------------------------------

    def free(self, kind: Kind, root: int) -> int:
        """An undefined value: of the first program the one that its `root` has, of the second one any."""
        if kind.parts:
            return self.composite(tuple([self.free(part, root) for part in kind.parts]))
        term = self.make(("free", kind.number, root))
        if root != ANY:
            term = self.make(("free", kind.number, root, len(self.keys)))  # parts are values of their own
        if term not in self._free:
            self._free[term] = kind
            self._holding.clear()
        return self.node(term, 1, self.true, self.false) if kind.is_bool() else term

    def holds_free(self, term: int) -> bool:
        """Whether a value is undefined, in part or on a path."""
        if not self._free:
            return False
        known = self._holding.get(term)
        if known is None:
            known = self._holding[term] = bool(self._free_in(term))
        return known

    def _free_in(self, term: int) -> list[int]:
        """The undefined values that a value is, in part or on a path, in the order in which they are met."""
        undefined: dict[int, None] = {}
        seen: dict[int, None] = {}
        work = [term]
        while work:
            spend(1)
            current = work.pop()
            if current in seen:
                continue
            seen[current] = None
            if current in self._free:
                undefined[current] = None
            elif self.keys[current][0] == "m":
                work.extend(reversed(self.parts(current)))
            elif self.tops[current] >= 0:
                work.extend((self.otherwise(current), self.taken(current), self.atom(current)))
        return list(undefined)

    def chosen(self, term: int, choose: Callable[[int, Kind, int], int]) -> int:
        """A value with what `choose` gives for each undefined value in it, of that kind, where a condition holds."""
        if self.keys[term][0] == "m":
            return self.composite(tuple([self.chosen(part, choose) for part in self.parts(term)]))
        leaves: dict[int, int] = {}
        for each in self._free_in(term):
            kind = self._free[each]
            if kind.is_bool():
                asked = self.node(each, 1, self.true, self.false)
                left, other = self.constrain(term, asked), self.constrain(term, self.negate(asked))
                term = self.ite(choose(each, kind, self.true), left, other)
            else:
                leaves[each] = choose(each, kind, self.leafwise(_Is(self, each), (term,)))
        return self.leafwise(_Chosen(self, leaves), (term,)) if leaves else term

    def leafwise(self, job: Job, terms: Terms) -> int:
        done = job.done
        known = done.get(terms)
        if known is not None:
            return known
        work = [terms]
        while work:
            spend(1)
            current = work[-1]
            if current in done:
                work.pop()
                continue
            result = job.early(current)
            if result >= 0:
                done[current] = result
                work.pop()
                continue
            order = -1
            for term in current:
                order = max(order, self.tops[term])
            if order < 0:
                done[current] = job.leaf(current)
                work.pop()
                continue
            arm, rest, more = self._split(current, order)
            taken = done.get(arm, -1)
            if taken < 0:
                taken = job.early(arm)
            otherwise = done.get(rest, -1)
            if otherwise < 0:
                otherwise = job.early(rest)
            if taken >= 0 and otherwise >= 0:
                work.pop()
                done[current] = self.over(order, more, taken, otherwise)
                continue
            if otherwise < 0:
                work.append(rest)
            if taken < 0:
                work.append(arm)
        return done[terms]

    def _split(self, terms: Terms, order: int) -> tuple[Terms, Terms, int]:
        """The operands where the topmost test holds, and where it doesn't; how many more tests of the same atom below
        it are the same for all."""
        arm: list[int] = []
        rest: list[int] = []
        asking = 0
        more = order & LABEL_MASK
        for term in terms:
            top = self.tops[term]
            if top == order:
                asking += 1
                arm.append(self.taken(term))
                more = min(more, self.more(term))
                continue
            if top >> LABEL_BITS == order >> LABEL_BITS:
                asking += 1
                arm.append(self.unders[term])
                more = min(more, order - top - 1)
            else:
                arm.append(term)
        for term in terms:
            if self.tops[term] != order:
                rest.append(term)
                continue
            left = self.more(term) - more - 1
            if left < 0:
                rest.append(self.otherwise(term))
            else:
                rest.append(self.node_at(order - more - 1, left, self.taken(term), self.otherwise(term)))
        if asking > 1 and UNFROZEN in self.loops[order >> LABEL_BITS & ATOM_MASK]:
            self.unfrozen_used = True
        return tuple(arm), tuple(rest), more

    def over(self, order: int, more: int, taken: int, otherwise: int) -> int:
        """`node_at`, also where what hangs below begins with something higher or has parts: leaf operations made it."""
        if self.keys[taken][0] == "m" or self.keys[otherwise][0] == "m":
            return self.ite(self.node_at(order, more, self.true, self.false), taken, otherwise)
        if self.tops[taken] >> LABEL_BITS < order >> LABEL_BITS and self.tops[otherwise] < order - more:
            return self.node_at(order, more, taken, otherwise)
        return self.ite(self.node_at(order, more, self.true, self.false), taken, otherwise)

    # --- conditions ---------------------------------------------------------------------------------------------------

    def ite(self, c: int, a: int, b: int) -> int:
        """`a` where `c` holds, else `b`; of what has parts, part by part."""
        early = self._ite.early((c, a, b))
        if early >= 0:
            return early
        if self.keys[a][0] != "m" and self.keys[b][0] != "m":
            return self.leafwise(self._ite, (c, a, b))
        count = len(self.keys[a if self.keys[a][0] == "m" else b]) - 1
        left = self.spread(a, count)
        other = self.spread(b, count)
        return self.composite(tuple([self.ite(c, x, y) for x, y in zip(left, other, strict=True)]))

    def spread(self, term: int, count: int) -> Terms:
        """The parts of a term, or not reached for each part of what is not reached."""
        if self.keys[term][0] == "m":
            return self.parts(term)
        if term != self.bottom:
            raise Unsplit
        return (term,) * count

    def both(self, a: int, b: int) -> int:
        if a == self.true or a == b:
            return b
        if self._negations.get(a, -1) == b:
            return self.false
        return a if b == self.true else self.ite(a, b, self.false)

    def either(self, a: int, b: int) -> int:
        if self._negations.get(a, -1) == b:
            return self.true
        return self.ite(a, self.true, b)

    def negate(self, a: int) -> int:
        negation = self._negations.get(a, -1)
        if negation < 0:
            negation = self.ite(a, self.false, self.true)
            if not self.partial[a] and UNFROZEN not in self.loops[a]:
                self._negations[a] = negation
                self._negations[negation] = a
        return negation

    def implies(self, a: int, b: int) -> bool:
        return self.ite(a, b, self.true) == self.true

    def mask(self, reach: int, term: int) -> int:
        """What is compared where there is no diagram of the reach."""
        return self.ite(reach, term, self.bottom)

    def equals(self, term: int, bits: int) -> int:
        """The condition that a term has a value; of a bool: that it holds or, for 0, that it doesn't."""
        job = self._equals.get(bits)
        if job is None:
            job = self._equals[bits] = _Equals(self, bits)
        return self.leafwise(job, (term,))

    def constrain(self, term: int, c: int) -> int:
        if c == self.true or c == self.false:
            return term
        if self.keys[term][0] == "m":
            return self.composite(tuple([self.constrain(part, c) for part in self.parts(term)]))
        if not overlap(self.lows[term], self.tops[term], self.lows[c], self.tops[c]):
            return term
        job = self._constrain
        done = job.done
        work: list[Terms] = [(term, c)]
        while work:
            spend(1)
            current = work[-1]
            result = done.get(current, -1)
            if result < 0:
                result = job.early(current)
            if result < 0:
                order = max(self.tops[current[0]], self.tops[current[1]])
                arm, rest, more = self._split(current, order)
                taken = self._constrained(arm)
                otherwise = self._constrained(rest)
                if taken < 0 and arm[1] != self.false:
                    work.append(arm)
                    continue
                if otherwise < 0 and rest[1] != self.false:
                    work.append(rest)
                    continue
                if arm[1] == self.false:  # an edge that can't be taken has the child of the other
                    result = otherwise
                else:
                    result = taken if rest[1] == self.false else self.over(order, more, taken, otherwise)
            work.pop()
            done[current] = result
        return done[term, c]

    def _constrained(self, terms: Terms) -> int:
        """What is known of it already, else -1."""
        result = self._constrain.done.get(terms, -1)
        return result if result >= 0 else self._constrain.early(terms)

    def merge(self, arrivals: list[tuple[int, int]]) -> tuple[int, int]:
        """Several paths that come together, (reach, value) each: pairs, then pairs of pairs. None comes by two."""
        while len(arrivals) > 1:
            joined: list[tuple[int, int]] = []
            for at in range(0, len(arrivals) - 1, 2):
                (reach, value), (other, second) = arrivals[at], arrivals[at + 1]
                total = self.either(reach, other)
                joined.append((total, self.ite(self.constrain(reach, total), value, second)))
            if len(arrivals) % 2:
                joined.append(arrivals[-1])
            arrivals = joined
        return arrivals[0]


@final
class _Equals(Job):
    __slots__ = ("bits",)

    def __init__(self, table: Diagrams, bits: int) -> None:
        super().__init__(table)
        self.bits = bits

    def leaf(self, terms: Terms) -> int:
        table = self.table
        term = terms[0]
        if term == table.bottom:
            return term
        if table.is_constant(term):
            return table.true if table.bits(term) == self.bits else table.false
        return table.node(term, self.bits, table.true, table.false)
