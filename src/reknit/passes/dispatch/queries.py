"""What is asked of dynamic values: what a table has, which type something is, whether there is a value.

    %f = LookupWitness %w, %foo           GetTagForMappedSet %w, %foo
    %t = ExtractExistentialType %e   =>   GetTypeTagFromTaggedUnion %e
    %is = IsType %e, %WA                  TagIsElement, or a constant where it is settled
"""

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.callables import element_type, escapes, is_direct
from reknit.ir.constants import bool_constant
from reknit.ir.dispatch_sets import elements_of, none_element, set_of, tag_type
from reknit.ir.edit import replace_uses
from reknit.ir.instr import Instr, Operand
from reknit.ir.types import bool_type, int_type
from reknit.passes.dispatch.value_map import ValueMap, type_of


class Asking(ValueMap):
    """The part of rewriting that asks."""

    __slots__ = ()

    def lookup(self, instr: Instr, block: Block) -> None:
        """What is looked up is found by the tag of the table; a function that is only called, when it is."""
        assert instr.type is not None
        emit = self.caster.emit
        if instr.op == op.ExtractExistentialType:
            union = self.of(instr.value(0))
            self.become(instr, emit(op.GetTypeTagFromTaggedUnion, self.type_of(instr, block), [union]))
        elif instr.type.op == op.TypeFunction and is_direct(instr) and not escapes(instr):
            self.dead.append(instr)
        elif instr.op == op.Specialize:
            tags = [self.of(instr.value(0))]
            for index in range(1, len(instr.operands)):
                tags.append(self.narrowed(instr.instr(index), block))
            self.become(instr, emit(op.GetTagForSpecializedSet, self.type_of(instr, block), [*tags]))
        else:
            source = self.narrowed(instr.instr(0), block)
            self.become(instr, emit(op.GetTagForMappedSet, self.type_of(instr, block), [source, instr.operands[1]]))

    def narrowed(self, table: Instr, block: Block) -> Instr:
        """The tag of a table that something is looked up in: over those alone that it can be here."""
        tables = self.info(table, block)
        interface = self.shapes.flow.forms.universe.of(table.type or table)
        if not isinstance(tables, int):
            return self.of(table)
        wanted = self.shapes.tag(interface, tables & (interface.everything | interface.unbounded))
        return self.caster.cast(self.of(table), wanted)

    def test(self, instr: Instr) -> None:
        """IsType, HasValue and IsSameType: settled, or a comparison of tags."""
        original = self.body.original(instr)
        module = self.shapes.module
        known = self.body.context.constants.get(original)
        if isinstance(known, int):
            replace_uses(instr, bool_constant(module, bool(known)))
            self.dead.append(instr)
            return
        if instr.op == op.IsSameType:
            self.same_type(instr)
            return
        union = self.of(instr.value(0))
        members = set_of(type_of(union))
        tag = self.caster.emit(op.GetTagFromTaggedUnion, tag_type(module, members), [union])
        table = instr.instr(1) if instr.op == op.IsType else None
        element = table
        if table is None:
            element = none_element(module, type_of(instr.instr(0)))
        if table is not None and table.op != op.WitnessTable:
            u32 = int_type(module, 32, False)
            ids: list[Operand] = [
                self.caster.emit(op.GetSequentialIdFromTag, u32, [each]) for each in (tag, self.of(table))
            ]
            self.become(instr, self.caster.emit(op.IEqual, bool_type(module), ids))
            return
        if element not in elements_of(members):
            replace_uses(instr, bool_constant(module, table is None))
            self.dead.append(instr)
            return
        assert element is not None
        new = self.caster.emit(op.TagIsElement, bool_type(module), [tag, element])
        if table is None:
            new = self.caster.emit(op.LogicalNot, bool_type(module), [new])
        self.become(instr, new)

    def same_type(self, instr: Instr) -> None:
        """The types that two tags stand for. A type itself stays."""
        types: list[Operand] = []
        for index in (0, 1):
            given = instr.instr(index)
            if given.type is None:
                types.append(given)
            else:
                tag = self.of(given)
                members = element_type(self.shapes.module, set_of(type_of(tag)))
                types.append(self.caster.emit(op.GetElementFromTag, members, [tag]))
        self.become(instr, self.caster.emit(op.IsSameType, bool_type(self.shapes.module), types))
