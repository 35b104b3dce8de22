"""Decorations by what they decorate.

    OpDecorate %buf Binding 3               of(%buf, Binding)            -> [3]
    OpMemberDecorate %block 1 Offset 16     of_member(%block, 1, Offset) -> [16]

Groups are spread out. The last decoration of a kind counts where there are several.
"""

from typing import final

from reknit.ir import op
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.value import Value


@final
class Decorations:
    """`names` has the member names of structs: (struct, member) -> name."""

    __slots__ = ("whole", "members", "names")

    def __init__(self, module: Module) -> None:
        self.whole: dict[tuple[Value, int], list[Operand]] = {}
        self.members: dict[tuple[Value, int, int], list[Operand]] = {}
        self.names: dict[tuple[Value, int], str] = {}
        for instr in module.names:
            if instr.op == op.MemberName:
                self.names[instr.value(0), instr.word(1)] = instr.text(2)
        groups: dict[Value, list[tuple[int, list[Operand]]]] = {}
        for instr in module.decorations:
            if instr.op == op.Decorate or instr.op == op.DecorateId:
                target = instr.value(0)
                self.whole[target, instr.word(1)] = instr.operands[2:]
                if isinstance(target, Instr) and target.op == op.DecorationGroup:
                    groups.setdefault(target, []).append((instr.word(1), instr.operands[2:]))
            elif instr.op == op.MemberDecorate:
                self.members[instr.value(0), instr.word(1), instr.word(2)] = instr.operands[3:]
        for instr in module.decorations:
            if instr.op == op.GroupDecorate:
                for at in range(1, len(instr.operands)):
                    for kind, operands in groups.get(instr.value(0), []):
                        self.whole[instr.value(at), kind] = operands
            elif instr.op == op.GroupMemberDecorate:
                for at in range(1, len(instr.operands), 2):
                    for kind, operands in groups.get(instr.value(0), []):
                        self.members[instr.value(at), instr.word(at + 1), kind] = operands

    def has(self, target: Value, kind: int) -> bool:
        return (target, kind) in self.whole

    def number(self, target: Value, kind: int) -> int:
        """The first literal of a decoration, -1 if `target` has none such."""
        return first_number(self.whole.get((target, kind)))

    def has_member(self, struct: Value, member: int, kind: int) -> bool:
        return (struct, member, kind) in self.members

    def member_number(self, struct: Value, member: int, kind: int) -> int:
        return first_number(self.members.get((struct, member, kind)))


def first_number(operands: list[Operand] | None) -> int:
    if operands:
        first = operands[0]
        if isinstance(first, int):
            return first
    return -1
