"""Words, the only data of a random program, and what tangled operations give for them.

    and(add(v0, lane), 3)        a Word: a tree of operations on 32-bit unsigned numbers
    sum, ballot, scan, last ...  over the lanes here, of a word that each of them has
"""

from typing import Final, final

LOCALS: Final = 4  # of a routine

# Kinds of expressions: leaves, then operations on two expressions.
LANE: Final = "lane"
LOCAL: Final = "local"
NUMBER: Final = "number"
LEAVES: Final = (LANE, LOCAL, NUMBER)
OPERATIONS: Final = ("add", "sub", "xor", "and", "mul", "less", "equal")

# What a tangled operation gives of a word: which lanes are here, their sum, the first one's word ...
TANGLED: Final = ("ballot", "count", "sum", "first", "elect", "any", "all", "scan")
TELLING: Final = ("ballot", "count", "sum", "scan")

# Besides: how they differ, other folds, and the word of another lane that is known to be here.
MORE_TANGLED: Final = (
    "last", "partner", "exclusive", "different", "union", "least", "greatest", "same", "before", "cluster",
)  # fmt: skip
QUAD_VOTES: Final = ("quad-any", "quad-all")
QUAD_READS: Final = ("quad-swap", "quad-first")  # defined only where whole quads are


@final
class Word:
    """An expression: `kind` is LANE, LOCAL (`number` says which), NUMBER, or an operation on `left` and `right`."""

    __slots__ = ("kind", "number", "left", "right")

    def __init__(self, kind: str, number: int = 0, left: "Word | None" = None, right: "Word | None" = None) -> None:
        self.kind = kind
        self.number = number
        self.left = left
        self.right = right
