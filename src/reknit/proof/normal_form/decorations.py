"""Decorations of values, as text that two modules can be compared by.

    OpDecorate %v Binding 0     "[33 0]"          OpMemberDecorate %S 1 Offset 4     "[.1 35 4]"

NoSignedWrap and NoUnsignedWrap are not part of the text: they are promises, and one that is added is judged with
speculation.
"""

from typing import Final, final

from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.value import Value

_NO_EFFECT: Final = (
    enums.DecorationUserSemantic,
    enums.DecorationUserTypeGOOGLE,
    enums.DecorationCounterBuffer,
    enums.DecorationLinkageAttributes,
)
_WRAPS: Final = (enums.DecorationNoSignedWrap, enums.DecorationNoUnsignedWrap)


@final
class Decorations:
    """`nowrap` has the operations that are declared not to wrap, with each decoration that says so; `relaxed` what has
    RelaxedPrecision."""

    __slots__ = ("texts", "numbers", "nowrap", "relaxed")

    def __init__(self, module: Module) -> None:
        parts: dict[Value, list[str]] = {}
        self.numbers: dict[Value, dict[int, None]] = {}
        self.nowrap: dict[Value, dict[int, None]] = {}
        for instr in module.decorations:
            target = instr.operands[0] if instr.operands else None
            if not isinstance(target, Value):
                continue
            if instr.op == op.GroupDecorate or instr.op == op.GroupMemberDecorate:
                self._add_group(instr, target, parts)
            else:
                self._add(instr, target, parts)
        self.texts = {target: "".join(sorted(spelled)) for target, spelled in parts.items()}
        relaxed = enums.DecorationRelaxedPrecision
        self.relaxed = {target: None for target, text in self.texts.items() if f"[{relaxed}]" in text}

    def _add(self, instr: Instr, target: Value, parts: dict[Value, list[str]]) -> None:
        member = instr.op == op.MemberDecorate or instr.op == op.MemberDecorateString
        at = 2 if member else 1
        number = instr.operands[at] if len(instr.operands) > at else None
        if not isinstance(number, int) or number in _NO_EFFECT:
            return
        if number in _WRAPS:
            self.nowrap.setdefault(target, {})[number] = None
            return
        self.numbers.setdefault(target, {})[number] = None
        prefix = f".{instr.operands[1]} " if member else ""
        parts.setdefault(target, []).append(f"[{prefix}{' '.join([_shown(each) for each in instr.operands[at:]])}]")

    def _add_group(self, instr: Instr, group: Value, parts: dict[Value, list[str]]) -> None:
        """All targets of a decoration group have its decorations."""
        own = parts.get(group, [])
        for index, target in enumerate(instr.operands):
            if index == 0 or not isinstance(target, Value):
                continue
            texts = own
            if instr.op == op.GroupMemberDecorate:
                texts = [f"[.{instr.operands[index + 1]} {text[1:]}" for text in own]
            parts.setdefault(target, []).extend(texts)
            self.numbers.setdefault(target, {}).update(self.numbers.get(group, {}))
            if group in self.nowrap:
                self.nowrap.setdefault(target, {}).update(self.nowrap[group])

    def of(self, value: Value) -> str:
        return self.texts.get(value, "")

    def has(self, value: Value, decoration: int) -> bool:
        """Whether a value, or a member of a type, has a decoration."""
        return decoration in self.numbers.get(value, {})


def _shown(operand: Operand) -> str:
    return f"{operand.op} {operand.operands}" if isinstance(operand, Instr) else str(operand)
