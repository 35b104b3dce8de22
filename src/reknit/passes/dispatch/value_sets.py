"""Sets of callables and of types, by what the analysis knows of a value.

    %f may be what WA or WB has for foo, or @g     FuncSet %WA_foo, %WB_foo, %g
    %t may be the type of an A, or of none         TypeSet %A, %none
"""

from typing import final

from reknit.analysis.typeflow.access_paths import is_public
from reknit.analysis.typeflow.callables import NEVER_SET, NO_TYPE, NOT_KNOWN, types_in
from reknit.analysis.typeflow.lattice import VALUE, Form
from reknit.analysis.typeflow.solve import TypeFlow
from reknit.ir import op
from reknit.ir.callables import callable_set, element_constant, special, type_set
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.meter import spend


@final
class ValueSets:
    """Sets of callables and of types, by what the analysis knows."""

    __slots__ = ("module", "flow", "entered")

    def __init__(self, module: Module, flow: TypeFlow) -> None:
        self.module = module
        self.flow = flow
        self.entered: dict[Function, None] = {context.function: None for context in flow.contexts}

    def of(self, type: Instr, info: int) -> Instr:
        """What is never called is as if it was never set: no result depends on it."""
        module = self.module
        elements: dict[Instr, None] = {}
        unset = info & NEVER_SET != 0
        if type.op == op.TypeType:
            elements.update(dict.fromkeys(types_in(self.flow.forms.universe, info)))
            if info & NO_TYPE:
                elements[special(module, op.WitnessNone, type)] = None
        else:
            for element in self.flow.forms.callables.members(type, info):
                if element[1] in self.entered or element[1] not in self.flow.facts.interesting:
                    elements[element_constant(module, type, element)] = None
                else:
                    unset = True
        if unset:
            elements[special(module, op.WitnessUninitialized, type)] = None
        if info & NOT_KNOWN:
            elements[special(module, op.WitnessUnbounded, type)] = None
        make = type_set if type.op == op.TypeType else callable_set
        return make(module, type, list(elements))


def refuse_public_values(flow: TypeFlow) -> None:
    """Functions and types as values in storage that others can reach: raises InputError."""
    diagnostics: list[Diagnostic] = []
    stored: list[tuple[Instr, Instr]] = []
    for variable in flow.module.globals:
        if variable.op == op.Variable and variable.type is not None and is_public(variable):
            stored.append((variable, variable.type.instr(1)))
    for type in flow.public:
        assert isinstance(type, Instr)
        stored.append((type, type))
    for owner, type in stored:
        if has_value(flow.forms.of(type)):
            name = owner.name or str(owner.id)
            message = f"'{name}' has a function or a type as a value in storage that others can reach"
            diagnostics.append(Diagnostic("RK2623", message, place_of(owner, flow.module)))
    if diagnostics:
        raise InputError(diagnostics)


def has_value(form: Form | None) -> bool:
    """Whether a part of something is a function or a type."""
    work = [form]
    while work:
        spend(1)
        at = work.pop()
        if at is not None and at.kind == VALUE:
            return True
        if at is not None:
            work.extend(at.parts)
    return False
