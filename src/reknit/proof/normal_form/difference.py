"""The first place at which two programs differ, with its terms as text.

    the store at a.rk:12 is reached under another condition: i < n before, i <= n after

Effects are compared in program order: the first one that only one of the programs has, with the one of the other
program that is most like it.
"""

from typing import Final

from reknit.ir import opcodes, traits
from reknit.ir.instr import Instr
from reknit.ir.opcodes import opcode_name
from reknit.ir.text.literals import float_text
from reknit.proof.normal_form.events import Event
from reknit.proof.normal_form.iterations import Iterations
from reknit.proof.normal_form.kinds import FLOAT
from reknit.proof.normal_form.table import Key
from reknit.proof.normal_form.walk import Walk

_MAX_DEPTH: Final = 5
_MAX_LENGTH: Final = 60
_WORDS: Final = {"h": "a carried value", "undef": "undefined", "consumed": "undefined", "bot": "nothing"}


def first_difference(lost: list[Event], gained: list[Event], walk: Walk) -> tuple[str, Instr | None, Instr | None]:
    """How the first effect differs, of those that only one of the programs has: as text, and where in each."""
    if not lost or not gained:
        event = (lost or gained)[0]
        return f"{_noun(event)} is only {'before' if lost else 'after'}", *_places(lost[:1], gained[:1])
    terms = walk.terms
    first = lost[0]
    likest = [event for event in gained if _noun(event) == _noun(first)] or gained
    same = [event for event in likest if event.footprint.root == first.footprint.root] or likest
    other = same[0]
    text = _difference(terms.keys[first.term], terms.keys[other.term], walk)
    return f"{_noun(first)} {text}", first.instr, other.instr


def _places(lost: list[Event], gained: list[Event]) -> tuple[Instr | None, Instr | None]:
    return (lost[0].instr if lost else None), (gained[0].instr if gained else None)


def _noun(event: Event) -> str:
    return opcode_name(event.instr.op) if event.instr is not None else "an effect"


def _difference(left: Key, other: Key, walk: Walk) -> str:
    if left[0] != other[0]:
        return "is in a loop in one of the two"
    if left[0] == "loop":
        return "is in a loop that differs"
    if left[1] != other[1]:
        return "is in a loop that differs"
    if left[4] != other[4]:
        return f"is reached under another condition: {_both(left[4], other[4], walk)}"
    if left[2] != other[2]:
        return "may be executed by other sets of invocations"
    mine, theirs = left[5], other[5]
    assert isinstance(mine, tuple) and isinstance(theirs, tuple)
    first = 4 if isinstance(mine[1], tuple) else 2  # a store's variable and number of indices come first
    if mine[:first] != theirs[:first]:
        return "accesses something else"
    for a, b in zip(mine[first:], theirs[first:], strict=False):
        if a != b and isinstance(a, int) and isinstance(b, int):
            return f"has another operand: {_both(a, b, walk)}"
    return "follows other effects"


def _both(left: object, other: object, walk: Walk) -> str:
    assert isinstance(left, int) and isinstance(other, int)
    names = {root: variable.name for variable, root in walk.roots.items()}
    texts = shown(left, walk.terms, names), shown(other, walk.terms, names)
    if texts[0] != texts[1]:
        return f"{texts[0]} before, {texts[1]} after"
    inner = _innermost(left, other, walk.terms)
    first, second = shown(inner[0], walk.terms, names), shown(inner[1], walk.terms, names)
    if first != second:
        return f"{texts[0]}, with {first} before, {second} after"
    if walk.terms.tag(inner[0]) in ("load", "read") and walk.terms.tag(inner[1]) in ("load", "read"):
        return f"{texts[0]}, in which {first} is read after other effects"
    return f"{texts[0]}, in which {first} is not the same value"


def _innermost(left: int, other: int, terms: Iterations) -> tuple[int, int]:
    """The first terms in two terms that differ, of which nothing inside is all that differs."""
    while True:
        mine, theirs = _inside(left, terms), _inside(other, terms)
        if mine[0] != theirs[0] or len(mine[1]) != len(theirs[1]):
            return left, other
        pair = next(((a, b) for a, b in zip(mine[1], theirs[1], strict=True) if a != b), None)
        if pair is None:
            return left, other
        left, other = pair


def _inside(term: int, terms: Iterations) -> tuple[object, list[int]]:
    """What a term is besides the terms in it, and these."""
    key = terms.keys[term]
    tag = key[0]
    if tag == "d" or tag == "r":
        edges = terms.edges(term)
        values = tuple([bits for bits, _ in edges])
        return (tag, values), [terms.atom(term), *[child for _, child in edges], terms.default(term)]
    if tag == "o":
        return key[:4], list(terms.operands(term))
    if tag == "part" and isinstance(key[1], int):
        return (tag, key[2:]), [key[1]]
    if tag == "m":
        return tag, list(terms.parts(term))
    if (tag == "marked" or tag == "l") and isinstance(key[2], int):
        return key[:2], [key[2]]
    return (tag, None), []


def shown(term: int, terms: Iterations, names: dict[Key, str], depth: int = 0) -> str:
    """A term, cut where it is deep or long."""
    text = _shown(term, terms, names, depth)
    return text if len(text) <= _MAX_LENGTH else text[: _MAX_LENGTH - 1] + "…"


def _shown(term: int, terms: Iterations, names: dict[Key, str], depth: int) -> str:
    key = terms.keys[term]
    tag = key[0]
    if term == terms.true or term == terms.false:
        return "true" if term == terms.true else "false"
    if tag == "c":
        return _constant(key, terms)
    if depth > _MAX_DEPTH:
        return "…"
    if tag == "d" or tag == "r":
        return _diagram(term, terms, names, depth)
    if tag == "o":
        parts = [shown(each, terms, names, depth + 1) for each in terms.operands(term)]
        code = key[1]
        assert isinstance(code, int)
        sign = traits.RELATION.get(code, "")
        if sign and len(parts) == 2:
            return f"{parts[0]} {sign.replace('=', '==') if sign == '=' else sign} {parts[1]}"
        return f"{opcode_name(code).removeprefix('Op')}({', '.join(parts)})"
    if tag == "t":
        code = key[1]
        assert isinstance(code, int)
        info = opcodes.info(code)
        return info.name if info is not None else "a tangled operation"
    if tag == "load" or tag == "read":
        root = key[1]
        assert isinstance(root, tuple)
        return names.get(root, "") or "memory"
    if tag == "part":
        whole = key[1]
        assert isinstance(whole, int)
        return f"{shown(whole, terms, names, depth + 1)}[{key[2]}]"
    if tag == "m":
        return f"({', '.join([shown(each, terms, names, depth + 1) for each in terms.parts(term)])})"
    if tag == "marked":
        inner = key[2]
        assert isinstance(inner, int)
        return f"nonuniform {shown(inner, terms, names, depth + 1)}"
    if tag == "l":
        inner = key[2]
        assert isinstance(inner, int)
        return f"last {shown(inner, terms, names, depth + 1)}"
    return _WORDS.get(str(tag), str(tag))


def _constant(key: Key, terms: Iterations) -> str:
    """A float as a number where it is one, all else as its bits."""
    number, bits = key[1], key[2]
    assert isinstance(number, int) and isinstance(bits, int)
    kind = terms.kinds.all[number] if number >= 0 else None
    text = float_text(bits, kind.width, False) if kind is not None and kind.category == FLOAT else None
    return text if text is not None else str(bits)


def _is_bool(atom: int, terms: Iterations) -> bool:
    key = terms.keys[atom]
    if (key[0] == "load" or key[0] == "read") and isinstance(key[2], int):
        return terms.kinds.all[key[2]].is_bool()
    return terms.is_bool(atom)


def _diagram(term: int, terms: Iterations, names: dict[Key, str], depth: int) -> str:
    """`a` or `not a` of a bool, `x == 3`, else the edges one after another."""
    atom = shown(terms.atom(term), terms, names, depth + 1)
    edges = terms.edges(term)
    default = terms.default(term)
    if len(edges) == 1:
        bits, child = edges[0]
        is_bool = bits == 1 and _is_bool(terms.atom(term), terms)
        asked = atom if is_bool else f"{atom} == {bits}"
        if (child, default) == (terms.true, terms.false):
            return asked
        if (child, default) == (terms.false, terms.true):
            return f"not {asked}"
        if default == terms.bottom:
            return shown(child, terms, names, depth + 1)
        if default == terms.false:
            return f"{asked} and {shown(child, terms, names, depth + 1)}"
        return f"{asked} ? {shown(child, terms, names, depth + 1)} : {shown(default, terms, names, depth + 1)}"
    texts = [f"{bits}: {shown(child, terms, names, depth + 1)}" for bits, child in edges]
    return f"{atom} ? {', '.join(texts)}, else {shown(default, terms, names, depth + 1)}"
