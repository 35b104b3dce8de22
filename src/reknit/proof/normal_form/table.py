"""The table of hash-consed terms, one for both programs: equal terms are one number.

    ("c", kind, bits)                     constant              ("bot",)     not reached
    ("d", v, i, j, t, u)                  diagram: a node that tests the opaque term v; t if it is one of the values
                                          that are numbered i to j, else u
    ("r", v, i, j, t, u)                  the same of a reach, with tests in an order of their own
    ("m", p, q, ...)                      made of parts         ("o", code, kind, extras, a, b, ...)     operation
    ("h", loop, value, kind)              head of a loop        ("l", loop, t)     last
    ("t", ...) ("load", ...) ("leaf", ...) ("event", ...)       opaque

`loops[t]` are the loops on whose current iteration a term depends. `ranks[v]` is the level of an atom in diagrams: the
higher, the nearer to the top. A bool that is no constant is always a diagram over its atom. The values that an atom is
compared with are numbered as they come. Its tests follow each other down the `else` edges, the newest on top, as the
edges of one node with many; below the other edge the atom is known. So one more case of a switch is one more node, and
neighbours with one result are one node: what falls through many cases is as small as one case.
"""

from typing import Final

from reknit.proof.normal_form.kinds import Kind

Key = tuple[object, ...]
Loops = frozenset[int]
Span = tuple[int, int]

NO_LOOPS: Final[Loops] = frozenset()
LABEL_BITS: Final = 16
LABEL_MASK: Final = (1 << LABEL_BITS) - 1
ATOM_BITS: Final = 20
ATOM_MASK: Final = (1 << ATOM_BITS) - 1
MAX_RANKS: Final = 1 << 24
REACH: Final = 1 << 61
"""In the order of a test: that it is one of a reach, which are ordered by when they were first made."""

HIGHEST: Final = (1 << 62) - 1
"""No test has so high an order."""

UNFROZEN: Final = -2
"""Among `loops`: an undefined value of the second program that isn't frozen, so another one at each use."""

MAX_NODES: Final = 40_000  # of diagrams, an instruction
MAX_TERMS: Final = 600_000  # of both programs in all rounds


def overlap(low: int, high: int, other_low: int, other_high: int) -> bool:
    """Whether an atom may be tested in both of two spans."""
    return low >> LABEL_BITS <= other_high >> LABEL_BITS and other_low >> LABEL_BITS <= high >> LABEL_BITS


class Unsplit(Exception):
    """A value has no parts where its type has some."""


class TooLarge(Exception):
    """Something grew past a cap, which it says: nothing is decided."""


class Table:
    __slots__ = (
        "keys", "loops", "ranks", "tops", "lows", "unders", "partial", "ids", "labels", "tested", "values", "creation",
        "left", "rank", "unfrozen_used", "bottom", "true", "false", "same", "asked",
    )  # fmt: skip

    def __init__(self) -> None:
        self.keys: list[Key] = []
        self.loops: list[Loops] = []
        self.ranks: list[int] = []
        self.tops: list[int] = []  # the order of a diagram's topmost test, -1 for all other terms
        self.lows: list[int] = []  # the order of its lowest test, HIGHEST for all other terms
        self.unders: list[int] = []  # of a diagram, its child where its atom has no value that it tests
        self.partial: list[bool] = []  # whether there is "not reached" among the leaves of a diagram
        self.ids: dict[Key, int] = {}
        self.labels: dict[tuple[int, int], int] = {}  # of (atom, value), which test of the atom it is
        self.tested: dict[int, int] = {}  # how many tests an atom has
        self.values: dict[int, int] = {}  # the value that is tested, by the lower bits of the order
        self.creation: dict[int, int] = {}  # of atoms of reaches, the order in which they came
        self.left = MAX_NODES
        self.rank = 0  # of atoms that are new now
        self.unfrozen_used = False  # such a value decided something, or was used twice
        self.same: dict[int, dict[int, int]] = {}  # of terms, by reaches, the ones that they were shown to equal there
        self.asked: dict[tuple[int, int, int], None] = {}  # a reach, and two terms that may be equal there
        self.bottom = self.make(("bot",))
        self.partial[self.bottom] = True
        self.true = self.make(("c", -1, 1))
        self.false = self.make(("c", -1, 0))

    def make(self, key: Key, loops: Loops = NO_LOOPS) -> int:
        number = self.ids.get(key)
        if number is None:
            number = len(self.keys)
            if number > MAX_TERMS:
                raise TooLarge(f"more than {MAX_TERMS} terms")
            self.ids[key] = number
            self.keys.append(key)
            self.loops.append(loops)
            self.ranks.append(-1)
            self.tops.append(-1)
            self.lows.append(HIGHEST)
            self.unders.append(number)
            self.partial.append(False)
        return number

    def note_same(self, reach: int, first: int, other: int) -> None:
        """Two terms are equal where `reach` holds. The older one stands for both, as it isn't made of the other."""
        self.same.setdefault(max(first, other), {}).setdefault(reach, min(first, other))

    def begin(self, rank: int) -> None:
        """Before each instruction: new atoms are of this rank, and diagrams may grow by so much."""
        if rank > MAX_RANKS:
            raise TooLarge(f"more than {MAX_RANKS} instructions and constructs, calls followed")
        self.rank = rank
        self.left = MAX_NODES

    def tag(self, term: int) -> str:
        return str(self.keys[term][0])

    def is_constant(self, term: int) -> bool:
        return self.keys[term][0] == "c"

    def bits(self, term: int) -> int:
        """Of a constant."""
        bits = self.keys[term][2]
        assert isinstance(bits, int)
        return bits

    def operands(self, term: int) -> tuple[int, ...]:
        """Of an operation or what is made of parts."""
        key = self.keys[term]
        return tuple([each for each in key[4 if key[0] == "o" else 1 :] if isinstance(each, int)])

    def union(self, terms: tuple[int, ...], union: Loops = NO_LOOPS) -> Loops:
        """The loops that any of the terms depends on, and others. In a nest of loops it is one set for all terms of an
        iteration."""
        for term in terms:
            loops = self.loops[term]
            if loops is union or loops <= union:
                continue
            union = loops if union <= loops else union | loops
        return union

    def constant(self, kind: Kind, bits: int) -> int:
        if kind.is_bool():
            return self.true if bits else self.false
        return self.make(("c", kind.number, bits))

    def opaque(self, key: Key, loops: Loops, kind: Kind) -> int:
        """An opaque term of a kind: a bool becomes a diagram over it, what has parts is made of its parts."""
        term = self.make(key, loops)
        if kind.is_bool():
            return self.node(term, 1, self.true, self.false)
        if not kind.parts:
            return term
        parts: list[int] = []
        for index, part in enumerate(kind.parts):
            parts.append(self.opaque(("part", term, index, part.number), loops, part))
        return self.composite(tuple(parts))

    def composite(self, parts: tuple[int, ...]) -> int:
        return self.make(("m", *parts), self.union(parts))

    def span(self, term: int) -> Span:
        """The orders of the lowest and of the topmost test in a term."""
        if self.keys[term][0] != "m":
            return self.lows[term], self.tops[term]
        low, high = HIGHEST, -1
        for part in self.parts(term):
            inner = self.span(part)
            low, high = min(low, inner[0]), max(high, inner[1])
        return low, high

    def parts(self, term: int) -> tuple[int, ...]:
        """Of a term made of parts."""
        return tuple([each for each in self.keys[term][1:] if isinstance(each, int)])

    def order(self, atom: int) -> int:
        """Of two tests the one with the higher order is on top; that of a value is more by its number. Set by the first
        diagram that has the atom."""
        rank = self.ranks[atom]
        if rank < 0:
            self.ranks[atom] = rank = self.rank
        return (rank << ATOM_BITS) + atom << LABEL_BITS

    def order_of_reach(self, atom: int) -> int:
        """The same of reaches: the newest is on top, so that one more condition is one more node."""
        rank = self.creation.setdefault(atom, len(self.creation))
        return REACH + ((rank << ATOM_BITS) + atom << LABEL_BITS)

    def _label(self, atom: int, bits: int) -> int:
        label = self.labels.get((atom, bits), -1)
        if label < 0:
            label = self.tested.get(atom, 0)
            if label > LABEL_MASK:
                raise TooLarge(f"a value is compared with more than {LABEL_MASK} others")
            self.labels[atom, bits] = label
            self.tested[atom] = label + 1
            self.values[(atom << LABEL_BITS) + label] = bits
        return label

    def top(self, term: int) -> int:
        """The order of a diagram's topmost test; -1 for all other terms."""
        return self.tops[term]

    def edges(self, term: int) -> list[tuple[int, int]]:
        """The values of a diagram's topmost atom that it tests, each with its child."""
        edges: list[tuple[int, int]] = []
        atom = self.atom(term)
        while self.tops[term] >= 0 and self.atom(term) == atom:
            taken = self.taken(term)
            edges.extend([(bits, taken) for bits in reversed(self.tested_values(term))])
            term = self.otherwise(term)
        return edges

    def default(self, term: int) -> int:
        return self.unders[term]

    def atom(self, term: int) -> int:
        atom = self.keys[term][1]
        assert isinstance(atom, int)
        return atom

    def tested_values(self, term: int) -> list[int]:
        """The values that a diagram tests first, the oldest in front."""
        atom = self.atom(term)
        top = self.tops[term] & LABEL_MASK
        return [self.values[(atom << LABEL_BITS) + label] for label in range(top - self.more(term), top + 1)]

    def more(self, term: int) -> int:
        """How many values a diagram tests first, but for one."""
        first, last = self.keys[term][2], self.keys[term][3]
        assert isinstance(first, int) and isinstance(last, int)
        return last - first

    def taken(self, term: int) -> int:
        taken = self.keys[term][4]
        assert isinstance(taken, int)
        return taken

    def otherwise(self, term: int) -> int:
        otherwise = self.keys[term][5]
        assert isinstance(otherwise, int)
        return otherwise

    def node(self, atom: int, bits: int, taken: int, otherwise: int) -> int:
        """A diagram node: `taken` has only atoms of lower order, `otherwise` only tests of lower order."""
        return self.node_at(self.order(atom) + self._label(atom, bits), 0, taken, otherwise)

    def node_at(self, order: int, more: int, taken: int, otherwise: int) -> int:
        """The node of a test that has an order already, and of so many more below it."""
        below = self.tops[otherwise]
        under = otherwise
        first = (order & LABEL_MASK) - more
        atom = order >> LABEL_BITS & ATOM_MASK
        if below >> LABEL_BITS == order >> LABEL_BITS:
            under = self.unders[otherwise]
            if below & LABEL_MASK == first - 1 and taken == self.taken(otherwise):
                first -= 1 + self.more(otherwise)
                otherwise = self.otherwise(otherwise)
        if taken == under:
            return otherwise
        key: Key = ("r" if order >= REACH else "d", atom, first, order & LABEL_MASK, taken, otherwise)
        number = self.ids.get(key)
        if number is not None:
            return number
        self.left -= 1
        if self.left < 0:
            raise TooLarge("a condition has too many parts")
        number = self.make(key, self.union((atom, taken, otherwise)))
        self.tops[number] = order
        self.lows[number] = min(order, self.lows[taken], self.lows[otherwise])
        self.unders[number] = under
        self.partial[number] = self.partial[taken] or self.partial[otherwise]
        return number
