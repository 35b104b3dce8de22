"""What stands for the dynamic values of a function while it is rewritten.

%e : IFoo        converted[%e] = %e' : TaggedUnion {WA, WB}    each value keeps the type that it is made with
%WA              GetTagOfElementInSet %WA                       constants are made where they are used
undef<%IFoo>     the only element of {never set}
"""

from typing import Final

from reknit.analysis.typeflow.context import info_at
from reknit.analysis.typeflow.lattice import Info
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.constants import undef
from reknit.ir.dispatch import type_type
from reknit.ir.dispatch_sets import elements_of, set_of, tag_type
from reknit.ir.edit import replace_uses
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.opcodes import FIRST_OWN
from reknit.ir.types import is_type
from reknit.ir.value import Value
from reknit.passes.dispatch.casts import Caster
from reknit.passes.dispatch.function_copies import Body
from reknit.passes.dispatch.shapes import Shapes


class ValueMap:
    """`converted` has what stands for a dynamic value now; `dead` what it stood for, which goes in the end."""

    __slots__ = ("shapes", "body", "converted", "dead", "caster")

    def __init__(self, shapes: Shapes, body: Body) -> None:
        self.shapes = shapes
        self.body = body
        self.converted: dict[Value, Instr] = {}
        self.dead: list[Instr] = []
        self.caster = Caster(shapes.module, body.function.entry(), None)

    def info(self, value: Value, block: Block) -> Info:
        env = self.body.context.envs.get(as_block(self.body.original(block)))
        return info_at(self.body.context, self.shapes.flow.forms, self.body.original(value), env)

    def is_dynamic(self, instr: Instr) -> bool:
        """Whether it can't stay as it is."""
        if instr.op >= FIRST_OWN or (instr.type is not None and self.shapes.lift(instr.type) is not instr.type):
            return True
        if instr.op == op.FunctionCall:
            callee = instr.operands[0]
            return isinstance(callee, Function) and callee in self.shapes.flow.facts.interesting
        return any(operand in self.converted or self.is_dynamic_global(operand) for operand in instr.operands)

    def is_dynamic_global(self, operand: Operand) -> bool:
        if not isinstance(operand, Instr) or operand.block is not None or operand.type is None:
            return False
        return operand.type.op >= FIRST_OWN or (
            operand.op != op.Variable and self.shapes.lift(operand.type) is not operand.type
        )

    def of(self, value: Value) -> Instr:
        """What stands for a value here."""
        mapped = self.converted.get(value)
        if mapped is not None:
            return mapped
        known = self.shapes.flow.forms.callables.constant(value) if is_constant_value(value) else None
        if known is not None:
            return self.element(value, known)
        assert isinstance(value, Instr)
        if value.block is not None or value.type is None or value.op in (op.FunctionParameter, op.Variable):
            return value
        lifted = self.shapes.lift(value.type)
        if value.op == op.WitnessTable:
            interface = self.shapes.flow.forms.universe.of(value.type)
            return self.caster.emit(op.GetTagOfElementInSet, self.shapes.tag(interface, interface.bits[value]), [value])
        if lifted is value.type:
            return value
        if value.op == op.ConstantComposite:
            parts: list[Operand] = []
            for index in range(len(value.operands)):
                inner = lifted.instr(index if lifted.op == op.TypeStruct else 0)
                parts.append(self.caster.cast(self.of(value.value(index)), inner))
            return self.caster.emit(op.CompositeConstruct, lifted, parts)
        if value.type.op == op.TypeInterface:
            return self.never_set(value.type)
        return undef(self.shapes.module, lifted)

    def element(self, value: Value, known: int) -> Instr:
        """The tag of a function, a callable of the module or a type, as the only one of its set."""
        type = self.shapes.flow.forms.callables.declared.get(value) or type_type(self.shapes.module)
        tag = self.shapes.of_value(type, known)
        return self.caster.emit(op.GetTagOfElementInSet, tag, [elements_of(set_of(tag))[0]])

    def never_set(self, type: Instr) -> Instr:
        interface = self.shapes.flow.forms.universe.of(type)
        return self.constant(self.shapes.tagged(interface, interface.unset))

    def constant(self, tagged: Instr) -> Instr:
        """The tagged union of the only element of a set, without a value."""
        module = self.shapes.module
        element = elements_of(set_of(tagged))[0]
        tag = self.caster.emit(op.GetTagOfElementInSet, tag_type(module, set_of(tagged)), [element])
        return self.caster.emit(op.MakeTaggedUnion, tagged, [tag, undef(module, tagged.instr(1))])

    def type_of(self, instr: Instr, block: Block) -> Instr:
        """The type of the result, as narrow as it is known; all of the program's tables where nothing comes."""
        assert instr.type is not None
        info = self.info(instr, block)
        return self.shapes.of_value(instr.type, info) if info else self.shapes.lift(instr.type)

    def become(self, instr: Instr, new: Instr) -> None:
        """`new` stands for `instr`, whose uses take it now if its type is still the same."""
        new.name = new.name or instr.name
        if new.type is instr.type:
            replace_uses(instr, new)
            self.keep_old(instr, new)
        else:
            self.converted[instr] = new
        self.dead.append(instr)

    def keep_old(self, instr: Instr, new: Instr) -> None:
        self.body.old[new] = self.body.original(instr)


def is_constant_value(value: Value) -> bool:
    """Whether it may be a function, a callable of the module, or a type: what stands for those is made on the spot."""
    if isinstance(value, Function):
        return True
    return isinstance(value, Instr) and value.block is None and (value.op in CALLABLES or is_type(value))


CALLABLES: Final = (op.LookupWitness, op.Specialize)


def type_of(value: Instr) -> Instr:
    assert value.type is not None
    return value.type


def as_instr(value: Value) -> Instr:
    assert isinstance(value, Instr)
    return value


def as_block(value: Value) -> Block:
    assert isinstance(value, Block)
    return value
