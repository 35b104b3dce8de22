"""What the grammar expects next while an instruction's operands are printed or parsed one by one.

    Load %p Aligned 4        IdRef  ->  MemoryAccess?  ->  (Aligned brings) LiteralInteger  ->  nothing

`peek` says what may come, `take` goes past it. An operand that the grammar has no place for gets `None`.
"""

from typing import Final, final

from reknit.ir import op
from reknit.ir.instr import Instr, Operand
from reknit.ir.opcodes import (
    EXTENDED,
    ID,
    MASK,
    OPCODE,
    PAIR,
    TYPED,
    VALUE,
    WORD,
    ExtSet,
    OperandSpec,
    OpInfo,
    enum_parameters,
    ext_set,
    info,
)

_ID: Final = OperandSpec("IdRef", "", "", ID)
_IDS: Final = OperandSpec("IdRef", "*", "", ID)
_WORD: Final = OperandSpec("LiteralInteger", "", "", WORD)
_LITERAL: Final = OperandSpec("LiteralContextDependentNumber", "", "", TYPED)
_PAIRS: Final = {
    "PairIdRefIdRef": (_ID, _ID),
    "PairLiteralIntegerIdRef": (_LITERAL, _ID),
    "PairIdRefLiteralInteger": (_ID, _WORD),
}


@final
class Slots:
    """Walks the operands of one instruction. `ext` is the set of an OpExtInst, where it is known."""

    __slots__ = ("todo", "ext", "in_number")

    def __init__(self, about: OpInfo | None) -> None:
        self.todo: list[OperandSpec] = list(about.operands) if about is not None else []
        self.todo.reverse()
        self.ext: ExtSet | None = None
        self.in_number = False  # more words of a number may come where the grammar has its next id

    def peek(self) -> OperandSpec | None:
        if not self.todo:
            return None
        spec = self.todo[-1]
        return _PAIRS[spec.kind][0] if spec.form == PAIR else spec

    def missing(self) -> OperandSpec | None:
        """The operand that must still come, or None if the instruction may end here."""
        for at in range(len(self.todo) - 1, -1, -1):
            if self.todo[at].quantifier == "":
                return self.todo[at]
        return None

    def skip(self) -> None:
        """Go past an optional slot that what comes next doesn't fit."""
        self.todo.pop()

    def take(self, operand: Operand) -> None:
        if not self.todo:
            return
        todo = self.todo
        spec = todo.pop()
        if spec.quantifier == "*":
            todo.append(spec)
        form = spec.form
        if form == ID:
            if isinstance(operand, int) and self.in_number:
                todo.append(spec)
            else:
                self.in_number = False
            return
        if form == TYPED or spec.kind == "PairLiteralIntegerIdRef":
            self.in_number = True
        if form == PAIR:
            todo.append(_PAIRS[spec.kind][1])
        elif not isinstance(operand, int):
            return
        elif form in (VALUE, MASK):
            parameters = list(enum_parameters(spec.kind, operand))
            parameters.reverse()
            todo.extend(parameters)
        elif form == OPCODE:
            self._follow(info(operand))
        elif form == EXTENDED:
            self._extended(operand)

    def _follow(self, inner: OpInfo | None) -> None:
        if inner is not None:
            operands = list(inner.operands)
            operands.reverse()
            self.todo.extend(operands)

    def _extended(self, number: int) -> None:
        inst = self.ext.by_number.get(number) if self.ext is not None else None
        if inst is None or self.ext is None:
            self.todo = [_IDS]
            return
        self.todo = list(inst.operands)
        if self.ext.nonsemantic:
            self.todo.append(_IDS)
        self.todo.reverse()


def imported_set(operand: Operand) -> ExtSet | None:
    """The extended set that an OpExtInstImport imports."""
    if isinstance(operand, Instr) and operand.op == op.ExtInstImport and operand.operands:
        name = operand.operands[0]
        return ext_set(name) if isinstance(name, str) else None
    return None
