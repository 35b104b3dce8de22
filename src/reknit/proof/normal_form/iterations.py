"""What a value was in the iteration in which an invocation left a loop.

    last(L, a + b)        last(L, a) + last(L, b)         pushed down to what depends on the loop's iterations
    last(L, head(L, i))   as it is                        it depends on the loops around L, no longer on L
    last(L, x)            x, where x doesn't depend on L
"""

from reknit.proof.normal_form.arrays import Arrays
from reknit.proof.normal_form.diagrams import Terms
from reknit.proof.normal_form.kinds import Kinds
from reknit.proof.normal_form.table import NO_LOOPS, Loops
from reknit.source.meter import spend


class Iterations(Arrays):
    """`chains`: of a class of loops itself and those around it; `outer`: those around it alone."""

    __slots__ = ("chains", "outer", "lasts")

    def __init__(self, kinds: Kinds) -> None:
        super().__init__(kinds)
        self.chains: dict[int, Loops] = {}
        self.outer: dict[int, Loops] = {}
        self.lasts: dict[int, dict[int, int]] = {}

    def around(self, loop: int) -> Loops:
        """The loops on which a term of an iteration of `loop` depends."""
        return self.chains[loop] if loop >= 0 else NO_LOOPS

    def enter(self, loop: int, outer: int) -> None:
        """A loop of class `loop` in one of class `outer`, -1 of none."""
        self.outer[loop] = self.around(outer)
        self.chains[loop] = self.outer[loop] | {loop}

    def outside(self, loop: int, loops: Loops) -> Loops:
        """What is made behind a loop, of what depends on `loops` in it, depends on these."""
        around = self.outer[loop]
        return around if loops <= self.chains[loop] else (loops - {loop}) | around

    def last(self, loop: int, term: int) -> int:
        if loop not in self.loops[term]:
            return term
        done = self.lasts.setdefault(loop, {})
        work = [term]
        while work:
            spend(1)
            current = work[-1]
            if current in done:
                work.pop()
                continue
            inner = [each for each in self._inside(current) if each not in done and loop in self.loops[each]]
            if inner:
                work.extend(inner)
                continue
            work.pop()
            done[current] = self._rebuilt(loop, current, done)
        return done[term]

    def _inside(self, term: int) -> tuple[int, ...]:
        """The terms that `last` is pushed down to."""
        tag = self.keys[term][0]
        if tag == "d":
            return (self.atom(term), self.taken(term), self.otherwise(term))
        if tag == "m" or tag == "o":
            return self.operands(term)
        if tag == "part":
            part = self.keys[term][1]
            assert isinstance(part, int)
            return (part,)
        if tag == "p" or tag == "long":
            return self.steps(term)
        if tag == "ins" or tag == "at":
            return tuple([each for each in self.keys[term][1 : 4 if tag == "ins" else 3] if isinstance(each, int)])
        return ()

    def pointer(self, root: object, steps: Terms) -> int:
        return self.make(("p", root, *[self.as_index(step) for step in steps]), self.union(steps))

    def steps(self, pointer: int) -> Terms:
        return tuple([each for each in self.keys[pointer][2:] if isinstance(each, int)])

    def _rebuilt(self, loop: int, term: int, done: dict[int, int]) -> int:
        key = self.keys[term]
        tag = key[0]
        if tag == "d":
            atom = self._now(loop, self.atom(term), done)
            asked = self.false
            for bits in self.tested_values(term):
                asked = self.either(asked, self.equals(atom, bits))
            taken = self._now(loop, self.taken(term), done)
            return self.ite(asked, taken, self._now(loop, self.otherwise(term), done))
        parts = tuple([self._now(loop, each, done) for each in self._inside(term)])
        if tag == "m":
            return self.composite(parts)
        if tag == "o":
            return self._operation(term, parts)
        if tag == "p":
            return self.pointer(key[1], parts)
        if tag == "long":
            return self.make(("long", key[1], *parts), self.union(parts))
        if tag == "ins":
            return self.with_part(parts[0], parts[1], parts[2], 0)
        if tag == "at" and parts != self._inside(term):
            kind = key[3]
            assert isinstance(kind, int)
            return self.part(parts[0], parts[1], self.kinds.all[kind])
        if tag == "part" and self.keys[parts[0]][0] == "m":
            index = key[2]
            assert isinstance(index, int)
            return self.parts(parts[0])[index]
        if tag == "part" and parts[0] != self._inside(term)[0]:
            return self.make(("part", parts[0], *key[2:]), self.loops[parts[0]])
        return self.make(("l", loop, term), self.outside(loop, self.loops[term]))

    def _operation(self, term: int, terms: Terms) -> int:
        """The same operation on other operands."""
        key = self.keys[term]
        code, kind, extras = key[1], key[2], key[3]
        assert isinstance(code, int) and isinstance(kind, int) and isinstance(extras, str)
        return self.op(code, self.kinds.all[kind], extras, terms, self.typed[term])

    def _now(self, loop: int, term: int, done: dict[int, int]) -> int:
        return done[term] if loop in self.loops[term] else term
