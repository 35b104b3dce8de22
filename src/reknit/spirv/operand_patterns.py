"""What the grammar says of an opcode's operands, in a form that is quick to read them by.

    IAdd          [id, id]                      Load        [id], then by the grammar, if there is more
    Branch        [id]                          CompositeConstruct  [id] for any number of words
"""

from typing import final

from reknit.ir import opcodes


@final
class Pattern:
    """How to read an opcode's operands without walking the grammar: `simple[i]`: whether word i is an id.

    Good for the first `len(simple)` words, and for any number if `repeats`: then the last entry holds for the rest.
    """

    __slots__ = ("simple", "repeats", "least")

    def __init__(self, about: opcodes.OpInfo | None) -> None:
        self.simple: list[bool] = []
        self.repeats = False
        self.least = 0
        if about is None:
            return
        for spec in about.operands:
            if spec.quantifier == "":
                self.least += 1
        for spec in about.operands:
            if spec.form != opcodes.ID and spec.form != opcodes.WORD:
                return
            self.simple.append(spec.form == opcodes.ID)
            if spec.quantifier == "*":
                self.repeats = True
                return


def carries_extra(about: opcodes.OpInfo) -> bool:
    """Only instructions with enumerants, which may be newer than the grammar, may have words it can't place."""
    return any(spec.form in (opcodes.VALUE, opcodes.MASK, opcodes.OPCODE) for spec in about.operands)
