"""A value as another type of the same meaning: sets grow and shrink, payloads are packed and unpacked.

    TaggedUnion {WA} -> {WA, WB}        tag mapped, payload reinterpreted
    %A -> UntaggedUnion {A, B}          packed; back: unpacked
    struct -> struct                    member by member

Where a set shrinks, what is left out can't come: the analysis says so.
"""

from typing import final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.constants import as_int, undef
from reknit.ir.dispatch_sets import elements_of, member_for, set_of, tag_type
from reknit.ir.edit import append, insert_before
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module


@final
class Caster:
    """Puts instructions in before `place`, or at the end of `block` where that is None."""

    __slots__ = ("module", "block", "place")

    def __init__(self, module: Module, block: Block, place: Instr | None) -> None:
        self.module = module
        self.block = block
        self.place = place

    def emit(self, code: int, type: Instr | None, operands: list[Operand], name: str = "") -> Instr:
        instr = Instr(code, type, operands, name, type is not None)
        if self.place is None:
            return append(self.block, instr)
        insert_before(self.place, instr)
        return instr

    def cast(self, value: Instr, target: Instr) -> Instr:
        """`value` as `target`."""
        source = value.type
        assert source is not None
        if source is target:
            return value
        if value.op == op.Undef:
            return undef(self.module, target)
        if source.op == op.TypeTaggedUnion and target.op == op.TypeTaggedUnion:
            return self._tagged(value, source, target)
        if source.op == op.TypeSetTag and target.op == op.TypeSetTag:
            return self._tag(value, source, target)
        if source.op == op.TypeUntaggedUnion and target.op == op.TypeUntaggedUnion:
            return self.emit(op.ReinterpretUnion, target, [value])
        if target.op == op.TypeUntaggedUnion:
            return self.emit(op.PackUnion, target, [self.cast(value, member_for(target, source))])
        if source.op == op.TypeUntaggedUnion:
            member = member_for(source, target)
            return self.cast(self.emit(op.UnpackUnion, member, [value]), target)
        return self._composite(value, source, target)

    def _tag(self, value: Instr, source: Instr, target: Instr) -> Instr:
        kept = set_of(target)
        grows = all(kept in element.users for element in elements_of(set_of(source)))
        return self.emit(op.GetTagForSuperSet if grows else op.GetTagForSubSet, target, [value])

    def _tagged(self, value: Instr, source: Instr, target: Instr) -> Instr:
        tag = self.emit(op.GetTagFromTaggedUnion, tag_type(self.module, set_of(source)), [value])
        payload = self.emit(op.GetValueFromTaggedUnion, source.instr(1), [value])
        if set_of(source) is not set_of(target):
            tag = self._tag(tag, tag_type(self.module, set_of(source)), tag_type(self.module, set_of(target)))
        return self.emit(op.MakeTaggedUnion, target, [tag, self.cast(payload, target.instr(1))])

    def _composite(self, value: Instr, source: Instr, target: Instr) -> Instr:
        """Types nest a few levels."""
        is_struct = source.op == op.TypeStruct
        count = len(source.operands) if is_struct else as_int(source.value(1))
        assert source.op == target.op and count is not None
        parts: list[Operand] = []
        for index in range(count):
            inner = source.instr(index if is_struct else 0)
            part = self.emit(op.CompositeExtract, inner, [value, index])
            parts.append(self.cast(part, target.instr(index if is_struct else 0)))
        return self.emit(op.CompositeConstruct, target, parts)
