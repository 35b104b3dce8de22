"""A function in one context, with sets in place of what is dynamic.

    %e = Phi %ea, %eb : %IFoo                       %e = Phi %ea', %eb' : TaggedUnion {WA, WB}
    %w = ExtractExistentialWitnessTable %e    =>    %w = GetTagFromTaggedUnion %e
    %f = LookupWitness %w, %foo                     %x = GetValueFromTaggedUnion %e
    %r = CallDynamic %f, %x, 7                      %r = FunctionCall @dispatch_foo %w, %x, 7

Each value keeps the type it is made with; a user casts it to what is needed. Code that the analysis found no
path to is emptied of what is dynamic, and conditions that are resolved become constants.
"""

from typing import final

from reknit.analysis.typeflow.access_paths import PUBLIC, spot_of
from reknit.analysis.typeflow.callables import Group
from reknit.analysis.typeflow.lattice import join
from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.callables import base_and_bound, is_direct
from reknit.ir.constants import as_int, bool_constant, undef
from reknit.ir.dispatch import entry_of, key_of_callable
from reknit.ir.dispatch_sets import set_of, tag_type
from reknit.ir.edit import erase, insert_before, replace_uses, set_condition
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Exit
from reknit.ir.opcodes import FIRST_OWN
from reknit.ir.text.printer import print_instruction
from reknit.ir.tree import If
from reknit.ir.types import function_type, pointer_type
from reknit.ir.value import Value
from reknit.ir.walk import blocks
from reknit.passes.dispatch.callables import ValueCalls
from reknit.passes.dispatch.casts import Caster
from reknit.passes.dispatch.contents import contents
from reknit.passes.dispatch.dispatchers import Callee, Dispatchers, call
from reknit.passes.dispatch.function_copies import Bodies, Body
from reknit.passes.dispatch.queries import Asking
from reknit.passes.dispatch.shapes import Shapes
from reknit.passes.dispatch.storage import load_public, store_public
from reknit.passes.dispatch.unbounded import unbounded_only
from reknit.passes.dispatch.value_map import as_block, as_instr, type_of
from reknit.source.diagnostic import Diagnostic, InputError


@final
class Rewriter(Asking):
    """`phis` are those whose operands are filled in when all is made."""

    __slots__ = ("bodies", "dispatchers", "value_calls", "phis")

    def __init__(
        self, shapes: Shapes, bodies: Bodies, dispatchers: Dispatchers, value_calls: ValueCalls, body: Body
    ) -> None:
        super().__init__(shapes, body)
        self.value_calls = value_calls
        self.bodies = bodies
        self.dispatchers = dispatchers
        self.phis: list[tuple[Instr, Instr]] = []  # new, old

    def run(self) -> None:
        function = self.body.function
        for param, type in zip(function.params, self.body.params, strict=True):
            if param.type is not type:
                new = Instr(op.FunctionParameter, type, [], param.name)
                self.converted[param] = new
        everything = blocks(function)
        for block in everything:
            alive = self.body.original(block) in self.body.context.envs
            for instr in block:
                self.caster = Caster(self.shapes.module, block, instr)
                if alive:
                    self.instruction(instr, block)
                elif self.is_dynamic(instr):
                    self.drop(instr)
            self.leave(block, alive)
        self.finish_phis()
        for instr in reversed(self.dead):
            erase(instr)
        function.params = [self.converted.get(param, param) for param in function.params]
        function.result = self.body.result
        function.type = function_type(self.shapes.module, self.body.result, self.body.params)
        function.touch()

    # --- instructions -------------------------------------------------------------------------------------------------

    def instruction(self, instr: Instr, block: Block) -> None:
        if not self.is_dynamic(instr):
            return
        code = instr.op
        if code == op.Phi:
            new = Instr(op.Phi, self.type_of(instr, block), [], instr.name)
            insert_before(instr, new)
            self.become(instr, new)
            self.phis.append((new, instr))
        elif code in (op.Load, op.Store, op.CopyMemory):
            self.memory(instr)
        elif code == op.Variable or code in traits.OBJECT_CHAIN:
            self.pointer(instr)
        elif code in (op.LookupWitness, op.Specialize, op.ExtractExistentialType):
            self.lookup(instr, block)
        elif code == op.CallDynamic:
            self.dynamic_call(instr, block)
        elif code == op.FunctionCall:
            self.direct_call(instr)
        elif code >= FIRST_OWN:
            self.existential(instr, block)
        else:
            self.composite(instr, block)

    def drop(self, instr: Instr) -> None:
        """What is dynamic in code that nothing leads to."""
        if instr.has_result and instr.type is not None and instr.type.op not in (op.TypeFunction, op.TypeVoid):
            if instr.op == op.Variable or instr.type.op == op.TypePointer:
                self.pointer(instr)
                return
            lifted = self.shapes.lift(instr.type)
            nothing = undef(self.shapes.module, lifted)
            if lifted is instr.type:
                replace_uses(instr, nothing)
            else:
                self.converted[instr] = nothing
        self.dead.append(instr)

    def pointer(self, instr: Instr) -> None:
        assert instr.type is not None
        base = instr.instr(0) if instr.op != op.Variable else instr
        if instr.op != op.Variable and spot_of(base).kind == PUBLIC:
            return
        if instr.op == op.Variable:
            operands: list[Operand] = [instr.operands[0]]
            type = self.variable_type(instr)
        else:
            operands = [self.of(base), *instr.operands[1:]]
            type = self.inner_pointer(instr)
        new = self.caster.emit(instr.op, type, operands)
        self.become(instr, new)

    def variable_type(self, instr: Instr) -> Instr:
        """A variable has room for what is put in it, if nothing else is given it."""
        assert instr.type is not None
        original = self.body.original(instr)
        assert isinstance(original, Instr)
        known = contents(self.shapes.flow, self.body.context, original)
        if not known:
            return self.shapes.lift(instr.type)
        return pointer_type(self.shapes.module, instr.type.word(0), self.shapes.of_value(instr.type.instr(1), known))

    def inner_pointer(self, chain: Instr) -> Instr:
        """The type of an access chain, after that of what it goes into."""
        assert chain.type is not None
        type = type_of(self.of(chain.instr(0))).instr(1)
        for index in range(1, len(chain.operands)):
            at = as_int(chain.value(index)) if type.op == op.TypeStruct else 0
            assert at is not None
            type = type.instr(at)
        return pointer_type(self.shapes.module, chain.type.word(0), type)

    def memory(self, instr: Instr) -> None:
        pointer = instr.instr(0)
        public = spot_of(pointer).kind == PUBLIC
        if instr.op == op.CopyMemory:
            source = instr.instr(1)
            value = self.load(source, spot_of(source).kind == PUBLIC)
            self.store(pointer, value, public)
            self.dead.append(instr)
        elif instr.op == op.Load:
            self.become(instr, self.load(pointer, public))
        else:
            self.store(pointer, self.of(instr.value(1)), public)
            self.dead.append(instr)

    def load(self, pointer: Instr, public: bool) -> Instr:
        if public:
            return load_public(self.caster, self.shapes, pointer)
        place = self.of(pointer)
        assert place.type is not None
        return self.caster.emit(op.Load, place.type.instr(1), [place])

    def store(self, pointer: Instr, value: Instr, public: bool) -> None:
        if public:
            assert pointer.type is not None
            lifted = self.shapes.lift(pointer.type.instr(1))
            store_public(self.caster, self.shapes, pointer, self.caster.cast(value, lifted) if value.type else value)
            return
        place = self.of(pointer)
        assert place.type is not None
        self.caster.emit(op.Store, None, [place, self.caster.cast(value, place.type.instr(1))])

    # --- calls --------------------------------------------------------------------------------------------------------

    def callee(self, function: Function, instr: Instr, identity: object) -> Callee | None:
        """What is called: None for what the analysis found can't be entered."""
        if function not in self.shapes.flow.facts.interesting:
            return Callee(function, None)
        original = self.body.original(instr)
        assert isinstance(original, Instr)
        context = self.body.context.calls.get(original, {}).get(identity)
        return Callee(function, self.bodies.of[context]) if context is not None else None

    def direct_call(self, instr: Instr) -> None:
        function = instr.operands[0]
        assert isinstance(function, Function)
        callee = self.callee(function, instr, None)
        self.calls(instr, callee, [self.of(instr.value(index)) for index in range(1, len(instr.operands))])

    def calls(self, instr: Instr, callee: Callee | None, arguments: list[Instr]) -> None:
        assert instr.type is not None
        if callee is None:
            self.drop(instr)
            return
        result = call(self.caster, self.body.function, callee, arguments)
        if result.type is not instr.type and self.shapes.lift(instr.type) is instr.type:
            result = self.caster.cast(result, instr.type)
        self.become(instr, result)

    def dynamic_call(self, instr: Instr, block: Block) -> None:
        callable = instr.value(0)
        if not is_direct(callable):
            self.by_value(instr, callable, block)
            return
        callable, bound = base_and_bound(callable)
        arguments = [self.of(value) for value in bound]
        arguments.extend([self.of(instr.value(index)) for index in range(1, len(instr.operands))])
        if isinstance(callable, Function):
            self.calls(instr, self.callee(callable, instr, None), arguments)
            return
        assert isinstance(callable, Instr) and callable.type is not None
        self.by_table(instr, callable, arguments)

    def by_value(self, instr: Instr, callable: Value, block: Block) -> None:
        """The callable came as a value: its tag says what is called."""
        info = self.info(callable, block)
        type = type_of(as_instr(callable))
        callees: dict[Group, Callee] = {}
        for group in self.shapes.flow.forms.callables.groups(type, info) if isinstance(info, int) else ():
            callee = self.callee(group[1], instr, group)
            if callee is not None:
                callees[group] = callee
        arguments = [self.of(instr.value(index)) for index in range(1, len(instr.operands))]
        original = as_instr(self.body.original(instr))
        known = info if isinstance(info, int) else 0
        target = self.value_calls.target(original, self.caster, self.of(callable), type, known, callees)
        self.calls(instr, target[0], [*target[1], *arguments])

    def by_table(self, instr: Instr, callable: Instr, arguments: list[Instr]) -> None:
        """One table: a call. More: the dispatcher, by the tag."""
        original = self.body.original(instr)
        assert isinstance(original, Instr)
        source = callable.instr(0)
        assert source.type is not None and callable.type is not None
        interface = self.shapes.flow.forms.universe.of(source.type)
        tables = self.body.context.sites.get(original, 0)
        unbounded = tables & interface.unbounded
        key = key_of_callable(callable)
        assert key is not None
        callees: list[Callee] = []
        bits = 0
        for table in interface.members(tables):
            function = entry_of(table, key)
            callee = self.callee(function, instr, table) if isinstance(function, Function) else None
            if callee is not None:
                callees.append(callee)
                bits |= interface.bits[table]
        if unbounded and not callees:
            raise unbounded_only(original, self.shapes.module)
        if len(callees) < 2 and not unbounded:
            self.calls(instr, callees[0] if callees else None, arguments)
            return
        tag = self.caster.cast(self.of(source), self.shapes.tag(interface, bits | unbounded))
        declared = [callable.type.instr(index) for index in range(len(callable.type.operands))]
        assert tag.type is not None
        dispatcher = self.dispatchers.of(key, tag.type, callees, declared, callable.type if unbounded else None)
        self.calls(instr, dispatcher, [tag, *arguments])

    # --- existentials -------------------------------------------------------------------------------------------------

    def existential(self, instr: Instr, block: Block) -> None:
        code = instr.op
        emit = self.caster.emit
        module = self.shapes.module
        assert instr.type is not None
        if code == op.MakeExistential:
            target = self.type_of(instr, block)
            tag = self.caster.cast(self.of(instr.value(1)), tag_type(module, set_of(target)))
            value = self.caster.cast(self.of(instr.value(0)), target.instr(1))
            self.become(instr, emit(op.MakeTaggedUnion, target, [tag, value]))
        elif code == op.ExistentialNone:
            interface = self.shapes.flow.forms.universe.of(instr.type)
            self.become(instr, self.constant(self.shapes.tagged(interface, interface.none)))
        elif code == op.ExtractExistentialWitnessTable:
            union = self.of(instr.value(0))
            new = emit(op.GetTagFromTaggedUnion, tag_type(module, set_of(type_of(union))), [union])
            self.become(instr, self.caster.cast(new, self.type_of(instr, block)))
        elif code == op.ExtractExistentialValue:
            union = self.of(instr.value(0))
            new = emit(op.GetValueFromTaggedUnion, type_of(union).instr(1), [union])
            self.become(instr, self.caster.cast(new, self.type_of(instr, block)))
        elif code == op.CreateExistentialObject:
            target = self.type_of(instr, block)
            tag = emit(op.GetTagFromSequentialId, tag_type(module, set_of(target)), [instr.operands[0]])
            value = emit(op.UnionFromPublic, target.instr(1), [tag, self.of(instr.value(1))])
            self.become(instr, emit(op.MakeTaggedUnion, target, [tag, value]))
        elif code == op.GetSequentialId:
            tag = self.of(instr.value(0))
            self.become(instr, emit(op.GetSequentialIdFromTag, instr.type, [tag]))
        else:
            self.test(instr)

    def composite(self, instr: Instr, block: Block) -> None:
        """Instructions of SPIR-V that take or give something dynamic."""
        code = instr.op
        assert instr.type is not None
        if code == op.CopyObject:
            self.converted[instr] = self.of(instr.value(0))
            self.dead.append(instr)
        elif code == op.CopyLogical:
            self.become(instr, self.caster.cast(self.of(instr.value(0)), self.shapes.lift(instr.type)))
        elif code == op.Select:
            target = self.type_of(instr, block)
            arms = [self.caster.cast(self.of(instr.value(index)), target) for index in (1, 2)]
            self.become(instr, self.caster.emit(code, target, [instr.operands[0], *arms]))
        elif code == op.CompositeConstruct:
            target = self.type_of(instr, block)
            parts: list[Operand] = []
            for index in range(len(instr.operands)):
                inner = target.instr(index if target.op == op.TypeStruct else 0)
                parts.append(self.caster.cast(self.of(instr.value(index)), inner))
            self.become(instr, self.caster.emit(code, target, parts))
        elif code == op.CompositeExtract:
            whole = self.of(instr.value(0))
            self.become(instr, self.caster.emit(code, part_at(type_of(whole), instr, 1), [whole, *instr.operands[1:]]))
        elif code == op.CompositeInsert:
            wide = join(self.info(instr.value(1), block), self.info(instr, block))
            whole = self.caster.cast(self.of(instr.value(1)), self.shapes.of_value(instr.type, wide))
            part = self.caster.cast(self.of(instr.value(0)), part_at(type_of(whole), instr, 2))
            self.become(instr, self.caster.emit(code, type_of(whole), [part, whole, *instr.operands[2:]]))
        else:
            raise unknown(instr)

    # --- ends ---------------------------------------------------------------------------------------------------------

    def leave(self, block: Block, alive: bool) -> None:
        jump = block.jump
        if isinstance(jump, Exit) and jump.instr.op == op.ReturnValue:
            value = jump.instr.value(0)
            self.caster = Caster(self.shapes.module, block, None)
            given = self.of(value) if alive else undef(self.shapes.module, self.body.result)
            if alive or self.body.result is not self.body.context.function.result:
                jump.instr.set_operand(0, self.caster.cast(given, self.body.result))
        following = block.next
        if jump is None and isinstance(following, If) and alive:
            known = self.body.context.constant(self.body.original(following.condition))
            if isinstance(known, int):
                set_condition(following, bool_constant(self.shapes.module, bool(known)))

    def finish_phis(self) -> None:
        context = self.body.context
        for new, old in self.phis:
            assert new.block is not None and new.type is not None
            target = as_block(self.body.original(new.block))
            operands: list[Operand] = []
            for index in range(0, len(old.operands), 2):
                source = old.operands[index + 1]
                assert isinstance(source, Block)
                if (as_block(self.body.original(source)), target) in context.edges:
                    self.caster = Caster(self.shapes.module, source, None)
                    operands.append(self.caster.cast(self.of(old.value(index)), new.type))
                else:
                    operands.append(undef(self.shapes.module, new.type))
                operands.append(source)
            new.set_operands(operands)


def part_at(type: Instr, instr: Instr, first: int) -> Instr:
    """The type that literals from operand `first` on lead to."""
    for index in range(first, len(instr.operands)):
        type = type.instr(instr.word(index) if type.op == op.TypeStruct else 0)
    return type


def unknown(instr: Instr) -> InputError:
    message = f"`{print_instruction(instr)}` does with an interface what dispatch can't be specialized for"
    return InputError([Diagnostic("RK2602", message)])
