"""Reaches: the whole condition of being somewhere, in the iteration of the innermost loop.

    condition     relative to the region around it, its tests ordered as those of values are: what joins is small
    reach         a diagram by itself with the newest test on top: `reach and c` is one node more, whatever is around it

A nest of ifs wants its outermost condition on top where values meet at the ends of the ifs, and its innermost one on
top where reaches grow; so the two are ordered apart, and what compares a reach compares these.
"""

from reknit.proof.normal_form.diagrams import Diagrams
from reknit.proof.normal_form.table import LABEL_MASK
from reknit.source.meter import spend


class Reaches(Diagrams):
    __slots__ = ("_reaches", "_conditions")

    def __init__(self) -> None:
        super().__init__()
        self._reaches: dict[int, int] = {}
        self._conditions: dict[int, int] = {}

    def within(self, reach: int, condition: int) -> int:
        """The reach of those for which a condition holds, too."""
        return self.both(self.as_reach(condition), reach)

    def as_reach(self, condition: int) -> int:
        return self._reordered(condition, self._reaches, True)

    def as_condition(self, reach: int) -> int:
        return self._reordered(reach, self._conditions, False)

    def _reordered(self, term: int, done: dict[int, int], to_reach: bool) -> int:
        """The same diagram with its tests in the other order."""
        if self.tops[term] < 0:
            return term
        work = [term]
        while work:
            spend(1)
            current = work[-1]
            if current in done:
                work.pop()
                continue
            if self.tops[current] < 0:
                done[work.pop()] = current
                continue
            children = (self.taken(current), self.otherwise(current))
            missing = [child for child in children if child not in done]
            if missing:
                work.extend(missing)
                continue
            work.pop()
            atom = self.atom(current)
            order = (self.order_of_reach(atom) if to_reach else self.order(atom)) + (self.tops[current] & LABEL_MASK)
            test = self.node_at(order, self.more(current), self.true, self.false)
            done[current] = self.ite(test, done[children[0]], done[children[1]])
        return done[term]
