"""What decorates a value: the decorations of a module by their target.

OpDecorate %v RelaxedPrecision     of(v) = [RelaxedPrecision]        OpMemberDecorate %S 0 Offset 0     laid_out(S)
"""

from typing import ClassVar, Final, final

from reknit.analysis.manager import Analyses, ModuleAnalysis
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.module import Module, annotation
from reknit.ir.value import Value

_ON_A_VALUE: Final = (op.Decorate, op.DecorateId, op.DecorateString)
_ON_A_MEMBER: Final = (op.MemberDecorate, op.MemberDecorateString)


Decorated = dict[Value, dict[int, tuple[Instr, int]]]
"""By what is decorated and by decoration: the instruction that says so, and its first literal, -1 without one."""


def decorations_of(module: Module) -> Decorated:
    """Those of a member count for its structure, those of a group for its members."""
    by_target: Decorated = {}
    for instr in module.decorations:
        at = 1 if instr.op in _ON_A_VALUE else 2 if instr.op in _ON_A_MEMBER else 0
        target = instr.operands[0] if instr.operands else None
        if at and isinstance(target, Value):
            first = instr.operands[at + 1] if len(instr.operands) > at + 1 else -1
            by_target.setdefault(target, {})[instr.word(at)] = (instr, first if isinstance(first, int) else -1)
    for instr in module.decorations:
        if instr.op in (op.GroupDecorate, op.GroupMemberDecorate):
            of_group = by_target.get(instr.value(0), {})
            for target in instr.operands[1:]:
                if isinstance(target, Value):
                    by_target.setdefault(target, {}).update(of_group)
    return by_target


@final
class Decorations(ModuleAnalysis):
    """Decoration numbers in module order. Those given through a decoration group count as the target's own."""

    name: ClassVar[str] = "decorations"
    reads_functions: ClassVar[bool] = False

    def __init__(self, on: dict[Value, list[int]], on_members: dict[Value, list[int]]) -> None:
        self._on = on
        self._on_members = on_members

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "Decorations":
        on: dict[Value, list[int]] = {}
        on_members: dict[Value, list[int]] = {}
        for instr in module.decorations:
            target = instr.operands[0] if instr.operands else None
            if not isinstance(target, Value):
                continue
            if instr.op in _ON_A_VALUE:
                on.setdefault(target, []).append(instr.word(1))
            elif instr.op in _ON_A_MEMBER:
                on_members.setdefault(target, []).append(instr.word(2))
            elif instr.op == op.GroupDecorate:
                for operand in instr.operands[1:]:
                    if isinstance(operand, Value):
                        on.setdefault(operand, []).extend(on.get(target, []))
            elif instr.op == op.GroupMemberDecorate:
                for operand in instr.operands[1:]:
                    if isinstance(operand, Value):
                        on_members.setdefault(operand, []).extend(on.get(target, []))
        return Decorations(on, on_members)

    def of(self, value: Value) -> list[int]:
        """The decorations of a value itself."""
        return self._on.get(value, [])

    def decorate(self, module: Module, target: Value, decoration: int) -> None:
        """Give a value of `module`, which these are of, a decoration without operands, unless it has it."""
        if decoration not in self.of(target):
            module.decorations.append(annotation(op.Decorate, [target, decoration]))
            self._on.setdefault(target, []).append(decoration)

    def laid_out(self, type: Instr) -> bool:
        """True if the type, or one that it is made of, has an explicit layout (Offset, ArrayStride or MatrixStride)."""
        seen: dict[Instr, None] = {type: None}
        work = [type]
        while work:
            current = work.pop()
            if current.op == op.TypePointer:
                continue  # what it points to has a layout of its own
            if enums.DecorationArrayStride in self.of(current):
                return True
            for decoration in self._on_members.get(current, []):
                if decoration == enums.DecorationOffset or decoration == enums.DecorationMatrixStride:
                    return True
            for operand in current.operands:
                if isinstance(operand, Instr) and operand not in seen:
                    seen[operand] = None
                    work.append(operand)
        return False

    def same_as(self, other: ModuleAnalysis) -> bool:
        return isinstance(other, Decorations) and self._on == other._on and self._on_members == other._on_members
