"""The table of hash-consed terms, one for both programs: equal terms are one number.

    ("c", kind, bits)                     constant              ("bot",)     not reached
    ("d", v, ((bits, t), ...), default)   diagram: a node that tests the opaque term v
    ("m", p, q, ...)                      made of parts         ("o", code, kind, extras, a, b, ...)     operation
    ("h", loop, value, kind)              head of a loop        ("l", loop, t)     last
    ("t", ...) ("load", ...) ("leaf", ...) ("event", ...)       opaque

`loops[t]` are the loops on whose current iteration a term depends. `ranks[v]` is the level of an atom in diagrams: the
higher, the nearer to the top. A bool that is no constant is always a diagram over its atom.
"""

from typing import Final

from reknit.proof.normal_form.kinds import Kind

Key = tuple[object, ...]
Loops = frozenset[int]

NO_LOOPS: Final[Loops] = frozenset()
UNFROZEN: Final = -2
"""Among `loops`: an undefined value of the second program that isn't frozen, so another one at each use."""

MOST_NODES: Final = 40_000  # of diagrams, an instruction
MOST_TERMS: Final = 600_000  # of both programs in all rounds


class Unsplit(Exception):
    """A value has no parts where its type has some."""


class TooLarge(Exception):
    """A diagram grew past the cap: nothing is decided."""


class Table:
    __slots__ = ("keys", "loops", "ranks", "ids", "left", "rank", "unfrozen_used", "bottom", "true", "false")

    def __init__(self) -> None:
        self.keys: list[Key] = []
        self.loops: list[Loops] = []
        self.ranks: list[int] = []
        self.ids: dict[Key, int] = {}
        self.left = MOST_NODES
        self.rank = 0  # of atoms that are new now
        self.unfrozen_used = False  # such a value decided something, or was used twice
        self.bottom = self.make(("bot",))
        self.true = self.make(("c", -1, 1))
        self.false = self.make(("c", -1, 0))

    def make(self, key: Key, loops: Loops = NO_LOOPS) -> int:
        number = self.ids.get(key)
        if number is None:
            number = len(self.keys)
            if number > MOST_TERMS:
                raise TooLarge
            self.ids[key] = number
            self.keys.append(key)
            self.loops.append(loops)
            self.ranks.append(-1)
        return number

    def begin(self, rank: int) -> None:
        """Before each instruction: new atoms are of this rank, and diagrams may grow by so much."""
        self.rank = rank
        self.left = MOST_NODES

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

    def union(self, terms: tuple[int, ...]) -> Loops:
        """The loops that any of the terms depends on."""
        union = NO_LOOPS
        for term in terms:
            loops = self.loops[term]
            if loops and loops is not union:
                union = union | loops if union else loops
        return union

    def constant(self, kind: Kind, bits: int) -> int:
        if kind.is_bool():
            return self.true if bits else self.false
        return self.make(("c", kind.number, bits))

    def opaque(self, key: Key, loops: Loops, kind: Kind) -> int:
        """An opaque term of a kind: a bool becomes a diagram over it, what has parts is made of its parts."""
        term = self.make(key, loops)
        if kind.is_bool():
            return self.node(term, ((1, self.true),), self.false)
        if not kind.parts:
            return term
        parts: list[int] = []
        for index, part in enumerate(kind.parts):
            parts.append(self.opaque(("part", term, index, part.number), loops, part))
        return self.composite(tuple(parts))

    def composite(self, parts: tuple[int, ...]) -> int:
        return self.make(("m", *parts), self.union(parts))

    def parts(self, term: int) -> tuple[int, ...]:
        """Of a term made of parts."""
        return tuple([each for each in self.keys[term][1:] if isinstance(each, int)])

    def order(self, atom: int) -> int:
        """Of two atoms the one with the higher order is on top. Set by the first diagram that tests it."""
        rank = self.ranks[atom]
        if rank < 0:
            self.ranks[atom] = rank = self.rank
        return (rank << 32) + atom

    def top(self, term: int) -> int:
        """The order of a diagram's topmost atom; -1 for all other terms."""
        key = self.keys[term]
        if key[0] != "d":
            return -1
        atom = key[1]
        assert isinstance(atom, int)
        return (self.ranks[atom] << 32) + atom

    def edges(self, term: int) -> tuple[tuple[int, int], ...]:
        """The edges of a diagram node: the values of its atom that it tests, each with its child."""
        edges = self.keys[term][2]
        assert isinstance(edges, tuple)
        return edges

    def default(self, term: int) -> int:
        default = self.keys[term][3]
        assert isinstance(default, int)
        return default

    def atom(self, term: int) -> int:
        atom = self.keys[term][1]
        assert isinstance(atom, int)
        return atom

    def node(self, atom: int, edges: tuple[tuple[int, int], ...], default: int) -> int:
        """A diagram node; what hangs below has only atoms of lower order."""
        kept = tuple(sorted([edge for edge in edges if edge[1] != default]))
        if not kept:
            return default
        self.order(atom)
        key: Key = ("d", atom, kept, default)
        number = self.ids.get(key)
        if number is not None:
            return number
        self.left -= 1
        if self.left < 0:
            raise TooLarge
        return self.make(key, self.union((atom, default, *[edge[1] for edge in kept])))
