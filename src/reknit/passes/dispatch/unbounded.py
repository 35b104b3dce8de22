"""Calls of what the program doesn't know: by a table, or of a callable, that only its storage knows.

    switch %tag {                                        %only = GetTagForSubSet %tag : TypeSetTag {unbounded}
      case 0: A_foo                                      %w = GetElementFromTag %only : TypeElementOfSet {unbounded}
      default: what isn't known   =  CallDynamic of      %f = LookupWitness %w, %foo
    }

It is what it was before there were tags: the simulator stops where such a call is made, since it isn't known what it
does. Plain SPIR-V has no pointers to functions: `lower-dispatch` makes zeros of it.
"""

from reknit.ir import op
from reknit.ir.callables import callable_set, element_type, special
from reknit.ir.dispatch_sets import set_of, table_set, tag_type
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.passes.dispatch.casts import Caster
from reknit.source.diagnostic import Diagnostic, InputError


def call_unbounded(
    caster: Caster, tag: Instr, type: Instr, key: Instr | None, arguments: list[Instr], result: Instr
) -> Instr:
    """The call of what the program doesn't know: of the callable itself, or of what its table has for `key`."""
    module = caster.module
    unknown = callable_set(module, type, [special(module, op.WitnessUnbounded, type)])
    members = unknown
    assert tag.type is not None
    if key is not None:
        tables = set_of(tag.type).type
        assert tables is not None and tables.op == op.TypeWitnessTable
        members = table_set(module, tables.instr(0), [special(module, op.WitnessUnbounded, tables)])
    only = caster.cast(tag, tag_type(module, members))
    callable = caster.emit(op.GetElementFromTag, element_type(module, members), [only])
    if key is not None:
        callable = caster.emit(op.LookupWitness, element_type(module, unknown), [callable, key])
    return caster.emit(op.CallDynamic, result, [callable, *arguments])


def unbounded_only(instr: Instr, module: Module) -> InputError:
    message = "nothing that the program knows can be called here"
    return InputError([Diagnostic("RK2620", message, place_of(instr, module))])
