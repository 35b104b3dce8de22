"""What a dynamic type becomes once the possible tables are known.

    a value %e of IFoo, {WA, WB} possible       TypeTaggedUnion {WA, WB}
    IFoo inside a struct, an array, a variable  TypeTaggedUnion over what is ever put there
    IFoo in what is shared: passed by pointer   TypeTaggedUnion over every table of IFoo that the program uses
    IFoo in storage that others can reach       stays IFoo: its layout is not ours to change

Values are as narrow as the analysis knows them, and so are variables that only their function has (`contents`). Places
that others share have one form for the whole program, so that a struct there is one type everywhere.
"""

from typing import final

from reknit.analysis.typeflow.access_paths import is_own, is_public
from reknit.analysis.typeflow.callables import NEVER_SET
from reknit.analysis.typeflow.lattice import EXISTENTIAL, OUTSIDE, TABLE, VALUE, Form, Forms, Info, join, part_of
from reknit.analysis.typeflow.solve import TypeFlow
from reknit.analysis.typeflow.type_sets import Interface
from reknit.ir import op
from reknit.ir.any_value import interfaces_in
from reknit.ir.callables import special
from reknit.ir.dispatch import conforming_type, witness_table_type
from reknit.ir.dispatch_sets import none_element, table_set, tag_type, tagged_type, union_type, unset_element
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.passes.dispatch.value_sets import ValueSets
from reknit.source.meter import spend


@final
class Shapes:
    """Types at the set level. `used` has, by interface, all tables that come anywhere."""

    __slots__ = ("module", "flow", "used", "lifted", "bases", "values")

    def __init__(self, module: Module, flow: TypeFlow) -> None:
        self.module = module
        self.flow = flow
        self.values = ValueSets(module, flow)
        self.used: dict[Instr, int] = {}
        self.lifted: dict[Instr, Instr] = {}
        self.bases: dict[Instr, Instr] = {}  # lifted or narrow type -> what it was
        self._find_used()

    def _find_used(self) -> None:
        """Every table that anything in a context may be: what places have to have room for."""
        forms = self.flow.forms
        masks: dict[Value, int] = {}
        for context in self.flow.contexts:
            for value, info in context.infos.items():
                if isinstance(value, Instr):
                    _note(forms, forms.of(value.type), info, masks)
        for key, info in self.flow.cells.items():
            assert isinstance(key, Instr)
            _note(forms, forms.of(key) if key.type is None else forms.pointee(key.type), info, masks)
        for variable in self.module.globals:
            if variable.op == op.Variable and is_public(variable):
                form = forms.pointee(variable.type)
                _note(forms, form, forms.fill(form, OUTSIDE), masks)
        self._inside(masks)
        for interface, known in forms.universe.interfaces.items():
            assert isinstance(interface, Instr)
            self.used[interface] = masks.pop(interface, 0) | known.none | known.unset
        for type, mentioned in [*masks.items(), *forms.callables.mentioned.items()]:
            assert isinstance(type, Instr)
            self.used[type] = self.used.get(type, NEVER_SET) | mentioned

    def _inside(self, masks: dict[Value, int]) -> None:
        """What types have inside of them is in every form that values of them may have."""
        forms = self.flow.forms
        work = list(masks)
        seen: dict[Value, int] = {}
        while work:
            spend(1)
            interface = work.pop()
            if interface not in forms.universe.interfaces or seen.get(interface) == masks[interface]:
                continue
            seen[interface] = masks[interface]
            for table in forms.universe.interfaces[interface].members(masks[interface]):
                form = forms.of(conforming_type(table))
                if form is not None:
                    _note(forms, form, self.flow.inside(form), masks)
                    work.extend(interfaces_in(form.type))

    # --- sets ---------------------------------------------------------------------------------------------------------

    def set_of(self, interface: Interface, tables: int) -> Instr:
        type = interface.type
        assert isinstance(type, Instr)
        elements = interface.members(tables)
        if tables & interface.none:
            elements.append(none_element(self.module, type))
        if tables & interface.unset:
            elements.append(unset_element(self.module, type))
        if tables & interface.unbounded:
            elements.append(special(self.module, op.WitnessUnbounded, witness_table_type(self.module, type)))
        return table_set(self.module, type, elements)

    def tag(self, interface: Interface, tables: int) -> Instr:
        return tag_type(self.module, self.set_of(interface, tables))

    def tagged(self, interface: Interface, tables: int) -> Instr:
        union = self.union(self.flow.forms.universe.types_of(interface, tables & interface.everything))
        return tagged_type(self.module, self.set_of(interface, tables), union)

    def union(self, types: int) -> Instr:
        """Types in which there are existentials are there in the form that they have in places."""
        members = self.flow.forms.universe.type_members(types)
        return union_type(self.module, [self.lift(type) for type in members])

    # --- types --------------------------------------------------------------------------------------------------------

    def of_value(self, type: Instr, info: Info) -> Instr:
        """The type of a value of which `info` is known."""
        universe = self.flow.forms.universe
        if isinstance(info, int):
            if type.op in (op.TypeFunction, op.TypeType):
                return tag_type(self.module, self.values.of(type, info))
            if type.op == op.TypeInterface:
                return self.tagged(universe.of(type), info)
            if type.op == op.TypeWitnessTable:
                return self.tag(universe.of(type), info)
            if type.op in (op.TypeThis, op.TypeAssociated):
                return self.union(info)
        if isinstance(info, tuple) and type.op in (op.TypeStruct, op.TypeArray):
            return self._of_parts(type, info)
        return self.lift(type)

    def _of_parts(self, type: Instr, info: tuple[object, ...]) -> Instr:
        """A struct or array as narrow as its parts. Types nest a few levels."""
        parts: list[Operand] = []
        if type.op == op.TypeStruct:
            for index in range(len(type.operands)):
                parts.append(self._part(type.instr(index), part_of(info, index)))
        else:
            known: Info = None
            for index in range(len(info)):
                known = join(known, part_of(info, index))
            parts = [self._part(type.instr(0), known), type.operands[1]]
        if parts == type.operands:
            return type
        shape = self.module.intern(type.op, None, parts)
        self.bases.setdefault(shape, type)
        return shape

    def _part(self, type: Instr, info: Info) -> Instr:
        return self.of_value(type, info) if info else self.lift(type)

    def lift(self, type: Instr) -> Instr:
        """The type of a place: room for every table that the program uses. Types nest a few levels."""
        lifted = self.lifted.get(type)
        if lifted is None:
            lifted = self._lift(type)
            self.lifted[type] = lifted
            self.bases[lifted] = type
        return lifted

    def _lift(self, type: Instr) -> Instr:
        universe = self.flow.forms.universe
        code = type.op
        if code in (op.TypeFunction, op.TypeType):
            return tag_type(self.module, self.values.of(type, self.used.get(type, NEVER_SET)))
        if code == op.TypeInterface:
            return self.tagged(universe.of(type), self.used[type])
        if code == op.TypeWitnessTable:
            interface = universe.of(type)
            return self.tag(interface, self.used[type.instr(0)] & interface.everything)
        if code == op.TypeThis:
            interface = universe.of(type)
            return self.union(universe.types_of(interface, self.used[type.instr(0)] & interface.everything))
        if code == op.TypeAssociated:
            return self.union(self.flow.forms.associated(type))
        if code == op.TypePointer:
            if not is_own(type):
                return type
            inner = type.instr(1)
            lifted = self.lift(inner)
            return type if lifted is inner else self.module.intern(op.TypePointer, None, [type.word(0), lifted])
        if code in (op.TypeStruct, op.TypeArray):
            inners = [type.instr(index) for index in range(len(type.operands) if code == op.TypeStruct else 1)]
            parts: list[Operand] = [self.lift(inner) for inner in inners]
            if parts == inners:
                return type
            if code == op.TypeArray:
                parts.append(type.operands[1])
            return self.module.intern(code, None, parts)
        return type


def _note(forms: Forms, form: Form | None, info: Info, masks: dict[Value, int]) -> None:
    """Collect the tables of each interface in an info. Types nest a few levels."""
    if form is None or info is None:
        return
    if isinstance(info, tuple):
        for index in range(form.count):
            _note(forms, form.part(index), part_of(info, index), masks)
    elif form.kind == VALUE:
        masks[form.type] = masks.get(form.type, NEVER_SET) | info
    elif form.kind in (EXISTENTIAL, TABLE):
        interface = forms.universe.of(form.type).type
        masks[interface] = masks.get(interface, 0) | info
