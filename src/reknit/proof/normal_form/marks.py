"""What decorates values, as text that two modules can be compared by.

    OpDecorate %v Binding 0     "[33 0]"          OpMemberDecorate %S 1 Offset 4     "[.1 35 4]"

That an operation doesn't wrap is not among it: it is a promise, and whoever adds one is asked for it where speculation
is judged.
"""

from typing import Final, final

from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.value import Value

_ABOUT_NAMES: Final = (
    enums.DecorationUserSemantic,
    enums.DecorationUserTypeGOOGLE,
    enums.DecorationCounterBuffer,
    enums.DecorationLinkageAttributes,
)
_WRAPS: Final = (enums.DecorationNoSignedWrap, enums.DecorationNoUnsignedWrap)


@final
class Marks:
    """`promises` has what promises not to wrap."""

    __slots__ = ("texts", "given", "promises")

    def __init__(self, module: Module) -> None:
        words: dict[Value, list[str]] = {}
        self.given: dict[Value, dict[int, None]] = {}
        self.promises: dict[Value, None] = {}
        for instr in module.decorations:
            target = instr.operands[0] if instr.operands else None
            if not isinstance(target, Value):
                continue
            if instr.op == op.GroupDecorate or instr.op == op.GroupMemberDecorate:
                self._hand_on(instr, target, words)
            else:
                self._add(instr, target, words)
        self.texts = {target: "".join(sorted(spelled)) for target, spelled in words.items()}

    def _add(self, instr: Instr, target: Value, words: dict[Value, list[str]]) -> None:
        member = instr.op == op.MemberDecorate or instr.op == op.MemberDecorateString
        at = 2 if member else 1
        number = instr.operands[at] if len(instr.operands) > at else None
        if not isinstance(number, int) or number in _ABOUT_NAMES:
            return
        if number in _WRAPS:
            self.promises[target] = None
            return
        self.given.setdefault(target, {})[number] = None
        prefix = f".{instr.operands[1]} " if member else ""
        words.setdefault(target, []).append(f"[{prefix}{' '.join([_shown(each) for each in instr.operands[at:]])}]")

    def _hand_on(self, instr: Instr, group: Value, words: dict[Value, list[str]]) -> None:
        """A decoration group's are those of all that it names."""
        own = words.get(group, [])
        for index, target in enumerate(instr.operands):
            if index == 0 or not isinstance(target, Value):
                continue
            texts = own
            if instr.op == op.GroupMemberDecorate:
                texts = [f"[.{instr.operands[index + 1]} {text[1:]}" for text in own]
            words.setdefault(target, []).extend(texts)
            self.given.setdefault(target, {}).update(self.given.get(group, {}))
            if group in self.promises:
                self.promises[target] = None

    def of(self, value: Value) -> str:
        return self.texts.get(value, "")

    def has(self, value: Value, decoration: int) -> bool:
        """Whether a value, or a member of a type, has a decoration."""
        return decoration in self.given.get(value, {})


def _shown(operand: Operand) -> str:
    return f"{operand.op} {operand.operands}" if isinstance(operand, Instr) else str(operand)
