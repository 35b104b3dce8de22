"""What two walks differ in, as pairs of terms that would have to be equal: of effects, loops, what they are made of.

    store a, x        store a, y          (reach, x, y)
    loops assumed alike                   their reaches, what is carried, their effects
    x is made of ballot(p), y of ballot(q)        (reach, p, q) before (reach, x, y)

Which terms are paired is a guess: a pair that is wrong is one that isn't equal.
"""

from typing import Final

from reknit.proof.normal_form.iterations import Iterations
from reknit.proof.normal_form.loops import Signature
from reknit.proof.normal_form.table import Key
from reknit.proof.normal_form.walk import Walk
from reknit.source.meter import spend

MAX_GAPS: Final = 64
_MAX_LOOKED_AT: Final = 4_000
_OPERANDS: Final = {"t": 8, "read": 5, "load": 4}
"""Of opaque terms that are made of others: where these begin."""

Gap = tuple[int, int, int]
"""A reach, and the terms of the first and the second program there."""


def gaps(before: Walk, after: Walk) -> list[Gap]:
    """The pairs, innermost first."""
    terms = after.terms
    gaps: dict[Gap, None] = {}
    mine = [event.term for event in before.root.events]
    theirs = [event.term for event in after.root.events]
    _of_loops(before, after, gaps)
    _of_events(terms, mine, theirs, gaps)
    ordered: dict[Gap, None] = {}
    for gap in list(gaps):
        for inner in reversed(_inside(terms, gap)):
            ordered[inner] = None
    return list(ordered)[:MAX_GAPS]


def _add(terms: Iterations, reach: int, first: int, other: int, gaps: dict[Gap, None]) -> None:
    """A pair, or those of parts. Types nest a few levels."""
    if first == other:
        return
    if terms.keys[first][0] == "m" and len(terms.keys[first]) == len(terms.keys[other]) and terms.keys[other][0] == "m":
        for a, b in zip(terms.parts(first), terms.parts(other), strict=True):
            _add(terms, reach, a, b, gaps)
    else:
        gaps[reach, first, other] = None


def _of_loops(before: Walk, after: Walk, gaps: dict[Gap, None]) -> None:
    partners: dict[int, list[Signature]] = {}
    for signature in before.signatures.values():
        partners.setdefault(signature.loop, []).append(signature)
    for theirs in after.signatures.values():
        left = partners.get(theirs.loop, [])
        if not left:
            continue
        mine = left.pop(0)
        if (mine.key, mine.carried) != (theirs.key, theirs.carried):
            _of_loop(mine, theirs, after.terms, gaps)


def _of_loop(mine: Signature, theirs: Signature, terms: Iterations, gaps: dict[Gap, None]) -> None:
    reach, back = _int(mine.key[4]), _int(mine.key[5])
    _add(terms, terms.true, reach, _int(theirs.key[4]), gaps)
    first, other = mine.key[7], theirs.key[7]
    assert isinstance(first, tuple) and isinstance(other, tuple)
    _of_events(terms, list(first), list(other), gaps)
    _add(terms, terms.true, back, _int(theirs.key[5]), gaps)
    alike = set(mine.carried.values())
    rest = [pair for pair in mine.carried.values() if pair not in set(theirs.carried.values())]
    for pair in theirs.carried.values():
        for start, following in rest if pair not in alike else []:
            if start == pair[0] or following == pair[1]:
                _add(terms, reach, start, pair[0], gaps)
                _add(terms, back, following, pair[1], gaps)


def _int(value: object) -> int:
    assert isinstance(value, int)
    return value


def _of_events(terms: Iterations, mine: list[int], theirs: list[int], gaps: dict[Gap, None]) -> None:
    """Pairs of the events that only one of the two has, in their order."""
    known = set(theirs)
    lost = [each for each in mine if each not in known]
    known = set(mine)
    for event in [each for each in theirs if each not in known]:
        key = terms.keys[event]
        for at, other in enumerate(lost):
            if _are_alike(terms.keys[other], key):
                _of_event(terms, terms.keys[other], key, gaps)
                del lost[at]
                break


def _are_alike(first: Key, other: Key) -> bool:
    """Whether two events are the same operation, in the same loop."""
    if first[0] != "event" or other[0] != "event" or first[1:4] != other[1:4]:
        return False
    mine, theirs = first[5], other[5]
    assert isinstance(mine, tuple) and isinstance(theirs, tuple)
    return mine[:2] == theirs[:2] and len(mine) == len(theirs)


def _of_event(terms: Iterations, first: Key, other: Key, gaps: dict[Gap, None]) -> None:
    reach = _int(first[4])
    _add(terms, terms.true, reach, _int(other[4]), gaps)
    mine, theirs = first[5], other[5]
    assert isinstance(mine, tuple) and isinstance(theirs, tuple)
    for a, b in zip(mine, theirs, strict=True):
        if isinstance(a, int) and isinstance(b, int):
            _add(terms, reach, a, b, gaps)


def _inside(terms: Iterations, gap: Gap) -> list[Gap]:
    """A pair, then those of the opaque terms that it is made of."""
    ordered: dict[Gap, None] = {gap: None}
    work = [gap]
    while work and len(ordered) < MAX_GAPS:
        spend(1)
        reach, first, other = work.pop(0)
        mine, theirs = _leaves(terms, first), _leaves(terms, other)
        only = [each for each in mine if each not in theirs]
        inner: dict[Gap, None] = {}
        for leaf in [each for each in theirs if each not in mine]:
            key = terms.keys[leaf]
            for at, partner in enumerate(only):
                if _are_same_opaque(terms.keys[partner], key):
                    _of_opaque(terms, reach, terms.keys[partner], key, inner)
                    del only[at]
                    break
        for each in inner:
            if each not in ordered:
                ordered[each] = None
                work.append(each)
    return list(ordered)


def _leaves(terms: Iterations, term: int) -> dict[int, None]:
    """The opaque terms that have operands, in a term."""
    leaves: dict[int, None] = {}
    seen: dict[int, None] = {term: None}
    work = [term]
    while work and len(seen) < _MAX_LOOKED_AT:
        spend(1)
        current = work.pop()
        key = terms.keys[current]
        inside: list[int] = []
        if terms.tops[current] >= 0:
            inside = [terms.atom(current), terms.taken(current), terms.otherwise(current)]
        elif key[0] == "o" or key[0] == "m":
            inside = list(terms.operands(current))
        elif key[0] == "part":
            inside = [_int(key[1])]
        elif key[0] in _OPERANDS:
            leaves[current] = None
        for each in inside:
            if each not in seen:
                seen[each] = None
                work.append(each)
    return dict.fromkeys(sorted(leaves))


def _are_same_opaque(first: Key, other: Key) -> bool:
    """Whether two opaque terms are the same operation, of whatever operands."""
    if first[0] != other[0] or len(first) != len(other):
        return False
    start = _OPERANDS[str(first[0])]
    if first[0] == "t":
        return first[1:5] == other[1:5] and first[6:start] == other[6:start]
    return first[1:start] == other[1:start]


def _of_opaque(terms: Iterations, reach: int, first: Key, other: Key, gaps: dict[Gap, None]) -> None:
    if first[0] == "t":
        reach = _int(first[5])
        _add(terms, terms.true, reach, _int(other[5]), gaps)
    start = _OPERANDS[str(first[0])]
    for a, b in zip(first[start:], other[start:], strict=True):
        if isinstance(a, int) and isinstance(b, int):
            _add(terms, reach, a, b, gaps)
