"""One type after another, each time with one path for all that take it.

    call @dispatch_foo(tag, x)   =>   func @waterfall_foo(tag, x) {
                                        loop { first = BroadcastFirst(tag)
                                               if first == tag { r = dispatch_foo(first, x); break } }
                                        return r }

The lanes of one tag run together, as they do in the switch, and all meet after the loop; the switch inside is uniform.
"""

from reknit.ir import enums, op
from reknit.ir.build import Builder, new_function
from reknit.ir.constants import int_constant
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module, annotation
from reknit.ir.types import bool_type, int_type
from reknit.passes.variables import local_variable

NEEDED = (enums.CapabilityGroupNonUniform, enums.CapabilityGroupNonUniformBallot)


def make_waterfalls(module: Module, dispatchers: list[Function]) -> list[Function]:
    """Put a waterfall before each of `dispatchers`."""
    functions: list[Function] = []
    for function in dispatchers:
        users = [user for user in function.users if isinstance(user, Instr) and user.op == op.FunctionCall]
        new = waterfall(module, function)
        functions.append(new)
        for user in users:
            user.set_operand(0, new)
    for capability in NEEDED if functions else ():
        if all(instr.operands != [capability] for instr in module.capabilities):
            module.capabilities.append(annotation(op.Capability, [capability]))
    return functions


def waterfall(module: Module, function: Function) -> Function:
    params = [(param.name, param.type) for param in function.params if param.type is not None]
    name = function.name.replace("dispatch_", "waterfall_", 1)
    new = new_function(module, name, function.result, params)
    is_void = function.result.op == op.TypeVoid
    place = None if is_void else local_variable(new, module, function.result, "result")
    builder = Builder(module, new.entry())
    loop = builder.open_loop()
    builder.at(loop.body.entry())
    tag = new.params[0]
    scope = int_constant(module, int_type(module, 32, False), enums.ScopeSubgroup)
    first = builder.emit(op.GroupNonUniformBroadcastFirst, tag.type, [scope, tag], "first")
    same = builder.emit(op.IEqual, bool_type(module), [first, tag], "same")
    choice = builder.open_if(same)
    builder.at(choice.then.entry())
    operands: list[Operand] = [function, first, *new.params[1:]]
    result = builder.emit(op.FunctionCall, function.result, operands)
    if place is not None:
        builder.store(place, result)
    builder.break_(loop)
    builder.at(loop.after())
    builder.return_(builder.load(function.result, place) if place is not None else None)
    return new
