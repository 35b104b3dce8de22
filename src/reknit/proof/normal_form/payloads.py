"""Values whose type is known when the program runs, as terms.

    ("table", ...) ("fn", ...) ("type", ...)      elements: what a witness table, a callable or a type as a value can be
    ("bound", f, t, ...)                          a callable with tables bound to its leading parameters
    ("any", kind, v)                              a payload: the value v of that kind
    an existential                                made of two parts, element and payload; so is a tagged union

Which element it is, is a diagram of conditions with such leaves, so a call goes to each under the condition of its own.
A tag is its element: numbers are made of them only where a switch asks for them.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Final, final

from reknit.proof.normal_form.diagrams import Job, Terms
from reknit.proof.normal_form.iterations import Iterations
from reknit.proof.normal_form.kinds import Kind
from reknit.proof.normal_form.table import Key
from reknit.source.meter import spend

ELEMENTS: Final = ("table", "fn", "type", "bound")


@final
class Mapped(Job):
    """What a function says of each leaf."""

    __slots__ = ("of_leaf",)

    def __init__(self, terms: Iterations, of_leaf: Callable[[int], int]) -> None:
        super().__init__(terms)
        self.of_leaf = of_leaf

    def leaf(self, terms: Terms) -> int:
        return terms[0] if terms[0] == self.table.bottom else self.of_leaf(terms[0])


def boxed(terms: Iterations, value: int, kind: Kind) -> int:
    """A value as a payload."""
    if value == terms.bottom:
        return value
    return terms.make(("any", kind.number, value), terms.loops[value])


def unboxed(terms: Iterations, payload: int, kind: Kind) -> int:
    """A payload as the value that it is where it is of that kind."""
    return _part(terms, payload, kind, kind, ())


def _part(terms: Iterations, payload: int, whole: Kind, kind: Kind, path: tuple[int, ...]) -> int:
    """The part at `path`, of `kind`. Types nest a few levels."""
    if kind.parts:
        parts = [_part(terms, payload, whole, part, (*path, at)) for at, part in enumerate(kind.parts)]
        return terms.composite(tuple(parts))
    name: Key = ("unboxed", whole.number, *path)
    job = terms.jobs.get(name)
    if job is None:
        job = terms.jobs[name] = _Unboxed(terms, whole, kind, path)
    return terms.leafwise(job, (payload,))


@final
class _Unboxed(Job):
    __slots__ = ("terms", "whole", "kind", "path")

    def __init__(self, terms: Iterations, whole: Kind, kind: Kind, path: tuple[int, ...]) -> None:
        super().__init__(terms)
        self.terms = terms
        self.whole = whole
        self.kind = kind
        self.path = path

    def leaf(self, terms: Terms) -> int:
        table = self.terms
        key = table.keys[terms[0]]
        if terms[0] == table.bottom:
            return terms[0]
        if key[0] == "any" and key[1] == self.whole.number:
            value = key[2]
            assert isinstance(value, int)
            for index in self.path:
                if value == table.bottom:
                    return value
                value = table.parts(value)[index]
            return value
        other: Key = ("unboxed", self.whole.number, self.path, terms[0])
        return table.opaque(other, table.loops[terms[0]], self.kind)


def is_kind(terms: Iterations, payload: int, kind: Kind) -> int:
    """The condition that a payload is a value of a kind."""
    name: Key = ("is kind", kind.number)
    job = terms.jobs.get(name)
    if job is None:

        def ask(leaf: int) -> int:
            key = terms.keys[leaf]
            return terms.true if key[0] == "any" and key[1] == kind.number else terms.false

        job = terms.jobs[name] = Mapped(terms, ask)
    return terms.leafwise(job, (payload,))


def is_element(terms: Iterations, leaf: int) -> bool:
    return terms.keys[leaf][0] in ELEMENTS


def same_element(terms: Iterations, value: int, element: int) -> int:
    """The condition that a value is `element`."""
    name: Key = ("same", element)
    job = terms.jobs.get(name)
    if job is None:

        def ask(leaf: int) -> int:
            if leaf == element:
                return terms.true
            if is_element(terms, leaf) and is_element(terms, element):
                return terms.false
            asked = terms.make(("is", leaf, element), terms.union((leaf, element)))
            return terms.node(asked, 1, terms.true, terms.false)

        job = terms.jobs[name] = Mapped(terms, ask)
    return terms.leafwise(job, (value,))


def number_of(terms: Iterations, value: int, places: dict[int, int], kind: Kind) -> int:
    """An element as a number of `kind`; what has none is opaque."""
    name: Key = ("number", kind.number, *[each for pair in places.items() for each in pair])
    job = terms.jobs.get(name)
    if job is None:

        def number(leaf: int) -> int:
            place = places.get(leaf)
            if place is not None:
                return terms.constant(kind, place)
            return terms.make((*name, "of", leaf), terms.loops[leaf])

        job = terms.jobs[name] = Mapped(terms, number)
    return terms.leafwise(job, (value,))


def cases_of(terms: Iterations, value: int) -> list[tuple[int, int]]:
    """The leaves of a diagram, each once with the condition under which the value is that. Nodes come from the top."""
    conditions: dict[int, int] = {value: terms.true}
    work: list[tuple[int, int]] = [(-terms.top(value), value)]
    leaves: list[tuple[int, int]] = []
    while work:
        spend(1)
        _, term = heappop(work)
        condition = conditions[term]
        if term == terms.bottom or condition == terms.false:
            continue
        if terms.top(term) < 0:
            leaves.append((condition, term))
            continue
        rest = condition
        arms: list[tuple[int, int]] = []
        for bits, way in terms.edges(term):
            asked = terms.equals(terms.atom(term), bits)
            arms.append((terms.both(condition, asked), way))
            rest = terms.both(rest, terms.negate(asked))
        for arm, way in [*arms, (rest, terms.default(term))]:
            if way not in conditions:
                conditions[way] = arm
                heappush(work, (-terms.top(way), way))
            else:
                conditions[way] = terms.either(conditions[way], arm)
    return leaves
