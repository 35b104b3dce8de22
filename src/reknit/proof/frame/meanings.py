"""Types, constants and variables of several modules as numbers: equal ones mean the same.

    before: %5 = OpTypeInt 32 0    %9 = OpConstant %5 7          after: %2 = OpTypeInt 32 0    %3 = OpConstant %2 7
    meaning(%9) == meaning(%3), whatever they are called and wherever they stand

A meaning has everything that an instruction says: opcode, literals, the meanings of its operands, and its decorations
and those of its members. Only what has no semantic impact is left out (`NO_IMPACT`).
"""

from collections.abc import Iterator
from typing import Final, final

from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.value import Value

NO_IMPACT: Final = (
    enums.DecorationUserSemantic,
    enums.DecorationUserTypeGOOGLE,
    enums.DecorationCounterBuffer,
)
"""Decorations for reflection. SPV_GOOGLE_hlsl_functionality1: "Semantic is a string describing a user-defined semantic
intent of what it decorates"; "The <id> of a counter buffer associated with the decorated buffer"."""

_ON_MEMBERS: Final = (op.MemberDecorate, op.MemberDecorateString)
_DECORATES: Final = (op.Decorate, op.DecorateId, op.DecorateString)
WHOLE: Final = -1

Note = tuple[int, int, tuple[Operand, ...]]
"""(member, or WHOLE; decoration; its operands)"""


@final
class Annotations:
    """Decorations by what they decorate, those of groups as their targets' own."""

    __slots__ = ("of_value",)

    def __init__(self, module: Module) -> None:
        self.of_value: dict[Value, list[Note]] = {}
        for instr in module.decorations:
            target = instr.operands[0] if instr.operands else None
            if not isinstance(target, Value):
                continue
            if instr.op in _DECORATES:
                self._add(target, (WHOLE, instr.word(1), tuple(instr.operands[2:])))
            elif instr.op in _ON_MEMBERS:
                self._add(target, (instr.word(1), instr.word(2), tuple(instr.operands[3:])))
        for instr in module.decorations:
            if instr.op == op.GroupDecorate:
                for target in instr.operands[1:]:
                    if isinstance(target, Value):
                        self.of_value.setdefault(target, []).extend(self.of(instr.value(0)))
            elif instr.op == op.GroupMemberDecorate:
                for at in range(1, len(instr.operands) - 1, 2):
                    notes = [(instr.word(at + 1), kind, rest) for _, kind, rest in self.of(instr.value(0))]
                    self.of_value.setdefault(instr.value(at), []).extend(notes)

    def _add(self, target: Value, note: Note) -> None:
        self.of_value.setdefault(target, []).append(note)

    def of(self, value: Value) -> list[Note]:
        return self.of_value.get(value, [])

    def has(self, value: Value, decoration: int) -> bool:
        """Whether a value itself has a decoration."""
        return any(member == WHOLE and kind == decoration for member, kind, _ in self.of(value))

    def number(self, value: Value, decoration: int) -> int:
        """The literal of a decoration; -1 without one."""
        for member, kind, rest in self.of(value):
            if member == WHOLE and kind == decoration and rest and isinstance(rest[0], int):
                return rest[0]
        return -1


@final
class Meanings:
    """`known` are the numbers, shared by all modules that were read."""

    __slots__ = ("known", "of_value", "annotations")

    def __init__(self) -> None:
        self.known: dict[object, int] = {}
        self.of_value: dict[Value, int] = {}
        self.annotations: dict[Module, Annotations] = {}

    def read(self, module: Module) -> None:
        """What a module declares. All but pointers to types that follow is declared before it is used."""
        annotations = self.annotations[module] = Annotations(module)
        for instr in module.imports:
            self.of_value[instr] = self.number(("import", instr.text(0)))
        for instr in module.globals:
            if instr.has_result:
                self.of_value[instr] = self.number((self.said(instr), *self.decorations(instr, annotations)))

    def number(self, key: object) -> int:
        return self.known.setdefault(key, len(self.known))

    def said(self, instr: Instr) -> tuple[object, ...]:
        """What an instruction says by itself."""
        return instr.op, self.of(instr.type), *[self.operand(each) for each in instr.operands]

    def of(self, value: Value | None) -> int:
        """The meaning of what was declared; -1 of what wasn't, or not yet."""
        return -1 if value is None else self.of_value.get(value, -1)

    def operand(self, operand: Operand) -> object:
        return ("is", self.of(operand)) if isinstance(operand, Value) else operand

    def decorations(self, value: Value, annotations: Annotations, only: tuple[int, ...] = ()) -> Iterator[object]:
        """Those of a value and of its members, in an order of their own; with `only`, those kinds alone."""
        spelled = [
            (member, kind, tuple([self.operand(each) for each in rest]))
            for member, kind, rest in annotations.of(value)
            if kind not in NO_IMPACT and (not only or kind in only)
        ]
        yield from sorted(spelled, key=str)
