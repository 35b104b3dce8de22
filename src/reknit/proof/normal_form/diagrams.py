"""Decision diagrams over conditions, with terms as leaves; reduced and ordered, so equal functions are one term.

    ite(c, a, b)          a where c holds, else b                     mask(c, a)   a where c holds, else not reached
    constrain(t, c)       a smaller term that is t wherever c holds   (Coudert and Madre 1990)
    leafwise(job, terms)  an operation on every combination of leaves

A node has many edges, one a value of its atom, so labels of a switch exclude each other by construction. Everything
here is a walk with a stack of its own.
"""

from typing import final

from reknit.proof.normal_form.table import UNFROZEN, Table, Unsplit

Terms = tuple[int, ...]


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
        raise AssertionError(f"a condition that is none: {self.table.keys[terms[0]]}")


@final
class _Constrain(Job):
    __slots__ = ()

    def early(self, terms: Terms) -> int:
        table = self.table
        t, c = terms
        if c == table.true or c == table.false or table.top(t) < 0 or table.top(c) < 0:
            return t
        return -1


class Diagrams(Table):
    __slots__ = ("_ite", "_constrain", "_equals")

    def __init__(self) -> None:
        super().__init__()
        self._ite = _Ite(self)
        self._constrain = _Constrain(self)
        self._equals: dict[int, Job] = {}

    def leafwise(self, job: Job, terms: Terms) -> int:
        done = job.done
        known = done.get(terms)
        if known is not None:
            return known
        work = [terms]
        while work:
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
                order = max(order, self.top(term))
            if order < 0:
                done[current] = job.leaf(current)
                work.pop()
                continue
            values, arms = self._split(current, order)
            missing = [arm for arm in arms if arm not in done]
            if missing:
                work.extend(missing)
                continue
            work.pop()
            results = [done[arm] for arm in arms]
            done[current] = self._over(order & 0xFFFFFFFF, list(zip(values, results, strict=False)), results[-1])
        return done[terms]

    def _split(self, terms: Terms, order: int) -> tuple[list[int], list[Terms]]:
        """The values that diagrams ask of the topmost atom, and the operands for each; the default's are last."""
        base: list[int] = []
        tables: list[dict[int, int]] = []
        none: dict[int, int] = {}
        values: dict[int, None] = {}
        asking = 0
        for term in terms:
            if self.top(term) != order:
                base.append(term)
                tables.append(none)
                continue
            asking += 1
            base.append(self.default(term))
            edges = dict(self.edges(term))
            tables.append(edges)
            values.update(dict.fromkeys(edges))
        if asking > 1 and UNFROZEN in self.loops[order & 0xFFFFFFFF]:
            self.unfrozen_used = True
        asked = list(values)
        arms: list[Terms] = []
        for value in asked:
            arms.append(tuple([edges.get(value, other) for edges, other in zip(tables, base, strict=True)]))
        arms.append(tuple(base))
        return asked, arms

    def _over(self, atom: int, edges: list[tuple[int, int]], default: int) -> int:
        """`node`, also where what hangs below begins with something higher: leaf operations made it."""
        order = self.order(atom)
        if self.top(default) < order and all(self.top(edge[1]) < order for edge in edges):
            return self.node(atom, tuple(edges), default)
        result = default
        for value, child in edges:
            result = self.ite(self.node(atom, ((value, self.true),), self.false), child, result)
        return result

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
        return a if b == self.true else self.ite(a, b, self.false)

    def either(self, a: int, b: int) -> int:
        return self.ite(a, self.true, b)

    def negate(self, a: int) -> int:
        return self.ite(a, self.false, self.true)

    def implies(self, a: int, b: int) -> bool:
        return self.ite(a, b, self.true) == self.true

    def mask(self, reach: int, term: int) -> int:
        """What is compared: a cofactor isn't canonical, this is."""
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
        if self.top(term) < 0:
            return term
        job = self._constrain
        done = job.done
        work: list[Terms] = [(term, c)]
        while work:
            current = work[-1]
            if current in done:
                work.pop()
                continue
            result = job.early(current)
            if result < 0:
                order = max(self.top(current[0]), self.top(current[1]))
                values, arms = self._split(current, order)
                alive = [arm for arm in arms if arm[1] != self.false]
                missing = [arm for arm in alive if arm not in done and job.early(arm) < 0]
                if missing:
                    work.extend(missing)
                    continue
                result = self._join(values, arms, alive[-1], order)
            work.pop()
            done[current] = result
        return done[term, c]

    def _join(self, values: list[int], arms: list[Terms], filling: Terms, order: int) -> int:
        """The node that `constrain` makes of its edges: an edge that can't be taken has the child of another."""
        results: list[int] = []
        for arm in arms:
            which = arm if arm[1] != self.false else filling
            early = self._constrain.early((which[0], which[1]))
            results.append(early if early >= 0 else self._constrain.done[which])
        return self._over(order & 0xFFFFFFFF, list(zip(values, results, strict=False)), results[-1])

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
        return table.node(term, ((self.bits, table.true),), table.false)
