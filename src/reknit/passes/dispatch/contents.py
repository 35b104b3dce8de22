"""What is ever put in a variable of a function, in one context: the form that it has there.

    %h = Variable : Holder { IFoo f }     stores: an A      Holder { TaggedUnion {WA} }: an A, and no tag
    never stored, but read                                  never set is one of what it may be

A variable that is passed on has the form that all places have: the function that is given it shares that.
"""

from reknit.analysis.typeflow.access_paths import spot_of
from reknit.analysis.typeflow.context import Context, info_at
from reknit.analysis.typeflow.function_facts import uses_inside
from reknit.analysis.typeflow.lattice import EXISTENTIAL, NOTHING, Form, Forms, Info, join, part_of, write
from reknit.analysis.typeflow.solve import TypeFlow
from reknit.ir import op
from reknit.ir.instr import Instr


def contents(flow: TypeFlow, context: Context, root: Instr) -> Info:
    """None for a variable whose form is not its own."""
    form = flow.facts.of(context.function).roots.get(root)
    if form is None or root.op != op.Variable:
        return None
    nothing = flow.forms.fill(form, NOTHING)
    stored: Info = nothing
    read: Info = nothing
    for _, user in uses_inside(root):
        if user.op in (op.FunctionCall, op.CallDynamic):
            return None
        if user.block not in context.envs:
            continue
        if user.op == op.Store:
            info = info_at(context, flow.forms, user.value(1), None)
            stored = join(stored, _at(form, nothing, user, info))
        elif user.op == op.Load:
            read = join(read, _at(form, nothing, user, context.infos.get(user)))
    return _with_unset(flow.forms, form, stored, read)


def _at(form: Form, nothing: Info, access: Instr, info: Info) -> Info:
    """A whole variable, with `info` where a load or store goes to."""
    return write(form, nothing, spot_of(access.value(0)).path, info) if info is not None else nothing


def _with_unset(forms: Forms, form: Form | None, stored: Info, read: Info) -> Info:
    """What is stored, and what is read before that. Types nest a few levels."""
    if form is None:
        return None
    if isinstance(stored, tuple):
        parts = [_with_unset(forms, form.part(i), part_of(stored, i), part_of(read, i)) for i in range(form.count)]
        return tuple(parts)
    if form.kind != EXISTENTIAL or not isinstance(stored, int) or not isinstance(read, int):
        return stored
    return stored | (read & forms.universe.of(form.type).unset)
