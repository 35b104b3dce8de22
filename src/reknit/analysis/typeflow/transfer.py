"""What each instruction makes of what is known of its operands.

MakeExistential %a, %WA     {WA}            ExtractExistentialWitnessTable %e    e without none
Load %v at a path           what is there   Store                                replaces, or joins, what is there
LookupWitness %w, %base     each entry      Phi                                  what comes on each edge
"""

from collections.abc import Mapping

from reknit.analysis.typeflow.access_paths import CELL, LOCAL, PUBLIC, Spot, spot_of
from reknit.analysis.typeflow.callable_values import same_type, value_info
from reknit.analysis.typeflow.constants import VARIES, Constant, fold, is_folded, is_number
from reknit.analysis.typeflow.context import Context, Env, info_at
from reknit.analysis.typeflow.lattice import (
    EVERYTHING,
    NOTHING,
    OUTSIDE,
    PAYLOAD,
    STRUCT,
    TABLE,
    Form,
    Forms,
    Info,
    join,
    read,
    write,
)
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.dispatch import entry_of, sequential_id
from reknit.ir.instr import Instr
from reknit.ir.value import Value


class Program:
    """What transfer asks of the whole program: cells that all contexts share."""

    __slots__ = ()

    def cell(self, key: Value, form: Form) -> Info:
        """What is in a variable of the module, or inside the payloads of a type."""
        raise AssertionError("`solve` answers")

    def raise_cell(self, key: Value, form: Form, info: Info) -> None:
        """Something was put there."""
        raise AssertionError("`solve` answers")


def transfer(program: Program, forms: Forms, context: Context, instr: Instr, env: Env) -> Info:
    """The info of an instruction's result; memory is changed in `env`. Calls and phis are elsewhere."""
    code = instr.op
    universe = forms.universe
    if code == op.Load:
        return load(program, forms, context, instr.value(0), env)
    if code == op.Store:
        value = instr.value(1)
        form = forms.pointee(instr.instr(0).type)
        if form is not None:
            store(program, forms, instr.value(0), info_at(context, forms, value, env), env)
        return None
    form = forms.of(instr.type)
    if form is None:
        return None
    if code == op.MakeExistential:
        note_boxed(program, forms, context, instr.instr(0), env)
        return info_at(context, forms, instr.value(1), env)
    if code == op.CreateExistentialObject:
        return universe.of(form.type).outside
    if code == op.ExistentialNone:
        return universe.of(form.type).none
    if code in (op.ExtractExistentialWitnessTable, op.CopyObject):
        return info_at(context, forms, instr, env)
    if code == op.CopyLogical:
        return info_at(context, forms, instr.value(0), env)
    if code == op.ExtractExistentialValue:
        if form.kind == PAYLOAD:
            return info_at(context, forms, instr, env)
        return program.cell(form.type, form)
    if code == op.LookupWitness and form.kind == TABLE:
        return lookup(forms, context, instr, env)
    if code in (op.LookupWitness, op.Specialize, op.ExtractExistentialType):
        return value_info(forms, context, instr, env)
    if code == op.CompositeConstruct:
        return construct(forms, context, instr, form, env)
    if code == op.CompositeExtract:
        whole = instr.instr(0)
        path = [instr.word(index) for index in range(1, len(instr.operands))]
        return read(forms.of(whole.type), info_at(context, forms, whole, env), path)
    if code == op.CompositeInsert:
        path = [instr.word(index) for index in range(2, len(instr.operands))]
        new = info_at(context, forms, instr.value(0), env)
        return write(form, info_at(context, forms, instr.value(1), env), path, new)
    if code == op.Select:
        chosen = context.constant(instr.value(0))
        yes = info_at(context, forms, instr.value(1), env)
        no = info_at(context, forms, instr.value(2), env)
        if isinstance(chosen, int):
            return yes if chosen else no
        return join(yes, no) if chosen is not None else None
    return forms.fill(form, EVERYTHING)


def lookup(forms: Forms, context: Context, instr: Instr, env: Env) -> Info:
    """A table of a base interface, or of an associated type's bound, by the tables it is looked up in."""
    source = instr.instr(0)
    tables = info_at(context, forms, source, env)
    if instr.type is None or source.type is None or not isinstance(tables, int):
        return 0
    target = forms.universe.of(instr.type)
    bits = 0
    for table in forms.universe.of(source.type).members(tables):
        entry = entry_of(table, instr.value(1))
        if entry is not None:
            bits |= target.bits.get(entry, 0)
    return bits | (target.unbounded if tables & forms.universe.of(source.type).unbounded else 0)


def construct(forms: Forms, context: Context, instr: Instr, form: Form, env: Env) -> Info:
    parts: list[object] = []
    for index in range(form.count):
        if form.kind == STRUCT or form.count == len(instr.operands):
            parts.append(info_at(context, forms, instr.value(index), env))
        else:  # all elements are one
            joined: Info = None
            for operand in range(len(instr.operands)):
                joined = join(joined, info_at(context, forms, instr.value(operand), env))
            parts.append(joined)
    return tuple(parts)


def note_boxed(program: Program, forms: Forms, context: Context, value: Instr, env: Env) -> None:
    """Existentials inside of what goes into an existential: they come out again anywhere."""
    form = forms.of(value.type)
    if form is not None and form.kind > PAYLOAD:
        program.raise_cell(form.type, form, info_at(context, forms, value, env))


def load(program: Program, forms: Forms, context: Context, pointer: Value, env: Env) -> Info:
    """What may be read through a pointer."""
    form = forms.pointee(pointer.type) if isinstance(pointer, Instr) else None
    if form is None:
        return None
    spot = spot_of(pointer)
    outer = forms.pointee(spot.root.type)
    if spot.kind == LOCAL and spot.root in env.memory:
        return read(outer, env.memory[spot.root], spot.path)
    if spot.kind == CELL and outer is not None:
        return read(outer, program.cell(spot.root, outer), spot.path)
    return forms.fill(form, OUTSIDE if spot.kind == PUBLIC else EVERYTHING)


def store(program: Program, forms: Forms, pointer: Value, info: Info, env: Env) -> None:
    spot = spot_of(pointer)
    outer = forms.pointee(spot.root.type)
    if outer is None:
        return
    if spot.kind == LOCAL and spot.root in env.memory:
        env.memory[spot.root] = write(outer, env.memory[spot.root], spot.path, info)
    elif spot.kind == CELL:
        nothing = forms.fill(outer, NOTHING)
        program.raise_cell(spot.root, outer, write(outer, nothing, spot.path, info))


def hold(followed: Mapping[Instr, object], instr: Instr, env: Env) -> None:
    """Note the value that a place has after a load, or a store."""
    spot = spot_of(instr.value(0))
    if spot.root not in followed:
        return
    if instr.op == op.Store:
        value = instr.value(1)
        env.forget(spot.root, spot.path, isinstance(value, Instr) and is_held(value.type))
        put(spot, spot.path, value, env)
        return
    env.same.pop(instr, None)
    there = env.held.get((spot.root, tuple(spot.path)))
    if there is None:
        put(spot, spot.path, instr, env)
    elif may_be_known(instr):
        env.same[instr] = there


def put(spot: Spot, path: list[int], value: Value, env: Env) -> None:
    """A value is in a place, and so are the parts of one that is put together. Types nest a few levels."""
    type = value.type if isinstance(value, Instr) else None
    if type is None or not isinstance(value, Instr):
        return
    if is_held(type):
        env.hold(spot.root, path, env.alike(value))
    elif type.op == op.TypeStruct and value.op == op.CompositeConstruct:
        for index in range(len(value.operands)):
            put(spot, [*path, index], value.value(index), env)


def is_held(type: Instr | None) -> bool:
    """Whether values of a type are followed where they are kept."""
    return type is not None and (type.op == op.TypeInterface or is_number(type))


def may_be_known(load: Instr) -> bool:
    """Whether something may be known of what was loaded, here or in another block."""
    if load.type is None or load.type.op == op.TypeBool:
        return True
    for user in load.users:
        if not isinstance(user, Instr) or user.block is not load.block:
            return True
        if user.op in (op.IsType, op.ExistentialHasValue):
            return True
        if user.op == op.ExtractExistentialWitnessTable and len(user.users) > 1:
            return True
    return False


def phi_info(forms: Forms, context: Context, phi: Instr, block: Block) -> Info:
    """What comes on the edges to `block` that can be taken."""
    joined: Info = None
    for index in range(0, len(phi.operands), 2):
        source = phi.operands[index + 1]
        assert isinstance(source, Block)
        env = context.edges.get((source, block))
        if env is not None:
            joined = join(joined, info_at(context, forms, phi.value(index), env))
    return joined


def phi_constant(context: Context, phi: Instr, block: Block) -> Constant | None:
    constant: Constant | None = None
    for index in range(0, len(phi.operands), 2):
        source = phi.operands[index + 1]
        assert isinstance(source, Block)
        if (source, block) not in context.edges:
            continue
        number = context.constant(phi.value(index))
        if number is None:
            continue
        if constant is not None and constant != number:
            return VARIES
        constant = number
    return constant


def number_of(forms: Forms, context: Context, instr: Instr, env: Env) -> Constant | None:
    """The number that an instruction gives, if it gives numbers; None where an operand has not come yet."""
    if not is_number(instr.type):
        return None
    code = instr.op
    if code in (op.IsType, op.ExistentialHasValue):
        return test(forms, context, instr, env)
    if code == op.IsSameType:
        return same_type(forms, context, instr, env)
    if code == op.Load:
        spot = spot_of(instr.value(0))
        held = env.held.get((spot.root, tuple(spot.path)))
        return context.constant(held) if held is not None else VARIES
    if code == op.GetSequentialId:
        table = instr.instr(0)
        tables = info_at(context, forms, table, env)
        if table.type is None or not isinstance(tables, int) or tables == 0:
            return None
        members = forms.universe.of(table.type).members(tables)
        return sequential_id(members[0]) if len(members) == 1 else VARIES
    if not is_folded(instr):
        return VARIES
    operands: list[Constant] = []
    for index in range(len(instr.operands)):
        number = context.constant(instr.value(index))
        if number is None:
            return None
        operands.append(number)
    return fold(instr, operands)


def test(forms: Forms, context: Context, instr: Instr, env: Env) -> Constant | None:
    """Whether an existential is of a type, or has a value, where the sets settle it."""
    existential = instr.instr(0)
    if existential.type is None:
        return VARIES
    interface = forms.universe.of(existential.type)
    tables = info_at(context, forms, existential, env)
    if not isinstance(tables, int) or tables == 0:
        return None
    if instr.op == op.ExistentialHasValue:
        without = interface.none | interface.unset
        return 1 if not tables & without else 0 if not tables & ~interface.none else VARIES
    tested = info_at(context, forms, instr.value(1), env)
    if not isinstance(tested, int) or tested == 0:
        return None
    if not tables & tested:
        return 0
    return 1 if tables == tested and tables & (tables - 1) == 0 else VARIES
