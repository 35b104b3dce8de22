"""How the types of an opcode's operands and result go together, as a number: what `types` asks of each instruction.

    IAdd  INTEGERS        Load  LOAD        ShiftLeftLogical  a pattern: "i:i=,i" in three numbers

The words are those of tools/ops.toml, `typed` and `shape`; `ir.verify.typing` and `ir.verify.shapes`, which judge a
module's tree, say what they mean.
"""

from typing import Final, final

from reknit.ir import op, traits
from reknit.ir.opcodes import FIRST_VALUE, LAST_VALUE
from reknit.source.columns import append, i64, vec

NONE: Final = 0  # nothing is asked, but that no operand is a label
VALUES: Final = 1  # its ids are values
INTEGERS: Final = 2
FLOATS: Final = 3
BOOLS: Final = 4
COMPARES_INTEGERS: Final = 5
COMPARES_FLOATS: Final = 6
LOAD: Final = 7
STORE: Final = 8
CHAIN: Final = 9
POINTER: Final = 10
COPY: Final = 11
SELECT: Final = 12
EXTRACT: Final = 13
INSERT: Final = 14
CONSTRUCT: Final = 15
SHUFFLE: Final = 16
CALL: Final = 17
EXTENDED: Final = 18
VARIABLE: Final = 19
BALLOT: Final = 20
MATRICES: Final = 21
CARRY: Final = 22
BITS: Final = 23
LITERAL: Final = 24
JUMP: Final = 25  # a branch, a merge instruction, a phi: the rules of control flow judge them
ODD: Final = 26  # only the tree's verifier knows
PATTERN: Final = 32  # from here on: pattern number `kind - PATTERN`

BOOL: Final = 1
INT: Final = 2
FLOAT: Final = 4
ANY: Final = 7

# What else an operand of a pattern is, in the bits above its kinds.
OF_RESULT: Final = 1  # width and count of the result, "="
OF_OPERAND: Final = 2  # those of the operand before, "~"
SCALAR: Final = 3  # "."
VECTOR: Final = 4  # "^"
OF_COUNT: Final = 5  # the result's count alone
LIKE_RESULT: Final = 6  # "x=": the result's kind too
OPTIONAL: Final = 64

_KINDS: Final = {"i": INT, "f": FLOAT, "b": BOOL, "x": ANY}
_RELATIONS: Final = {"=": OF_RESULT, "~": OF_OPERAND, ".": SCALAR, "^": VECTOR, "*": 0, "": OF_COUNT}
_TYPED: Final = {
    "integers": INTEGERS, "floats": FLOATS, "bools": BOOLS, "int-compare": COMPARES_INTEGERS,
    "float-compare": COMPARES_FLOATS, "ballot": BALLOT, "pointer": POINTER,
}  # fmt: skip
_SHAPED: Final = {
    "parts": CONSTRUCT, "shuffle": SHUFFLE, "matrices": MATRICES, "carry": CARRY, "bits": BITS, "choice": SELECT,
}  # fmt: skip
_OWN: Final = {
    op.Load: LOAD, op.Store: STORE, op.CopyObject: COPY, op.Select: SELECT, op.CompositeExtract: EXTRACT,
    op.CompositeInsert: INSERT, op.FunctionCall: CALL, op.ExtInst: EXTENDED, op.Variable: VARIABLE,
    op.Constant: LITERAL, op.SpecConstant: LITERAL, op.ExtInstWithForwardRefsKHR: ODD,
    op.ConditionalCapabilityINTEL: ODD, op.ConditionalExtensionINTEL: ODD, op.ConditionalEntryPointINTEL: ODD,
}  # fmt: skip


@final
class Shapes:
    """The patterns that were met: pattern p is numbers `starts[p]` to before `starts[p + 1]`, of the result and of each
    operand: kinds, relation * 8, OPTIONAL."""

    __slots__ = ("names", "starts", "wanted")

    def __init__(self) -> None:
        self.names: list[str] = []
        self.starts: vec[i64] = vec[i64]([0])
        self.wanted: vec[i64] = vec[i64]()

    def number(self, pattern: str) -> int:
        if pattern not in self.names:
            self.names.append(pattern)
            result, _, rest = pattern.partition(":")
            for word in [result, *rest.split(",")]:
                self.wanted = append(self.wanted, i64(_wanted(word)))
            self.starts = append(self.starts, i64(len(self.wanted)))
        return self.names.index(pattern)


SHAPES: Final = Shapes()


def _wanted(word: str) -> int:
    optional = OPTIONAL if word.endswith("?") else 0
    word = word.removesuffix("?")
    relation = LIKE_RESULT if word == "x=" else _RELATIONS[word[1:]]
    return _KINDS[word[0]] | relation * 8 | optional


def kind_of(code: int) -> int:
    """What is asked of an opcode's types."""
    if code in traits.BRANCHES or code in traits.MERGES or code in (op.Phi, op.ReturnValue):
        return JUMP
    own = _OWN.get(code)
    if own is not None:
        return own
    if code in traits.CHAIN:
        return CHAIN
    typed = traits.TYPED.get(code, "")
    shape = traits.SHAPE.get(code, "")
    if typed and shape:
        return ODD
    if typed:
        return _TYPED.get(typed, ODD)
    if shape:
        return PATTERN + SHAPES.number(shape) if ":" in shape else _SHAPED.get(shape, ODD)
    return VALUES if FIRST_VALUE <= code <= LAST_VALUE else NONE
