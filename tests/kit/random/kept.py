"""Random programs that keep values in memory of each lane, as front-ends write them before anything is promoted.

    v0 .. v3 of each routine    ─▶  its own variables, private ones that all routines share, elements of arrays
    f(%x)                       ─▶  f(%param), a variable made for the call (glslang), or the caller's own (DXC, Slang)

Private variables have an initial value or none; arrays are indexed by constants, or by what differs between lanes.
"""

import random

from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir import enums, op
from reknit.ir.constants import int_constant
from reknit.ir.edit import erase, insert_before, prepend, replace_uses
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.types import function_type, int_type, pointer_type
from reknit.ir.walk import instructions
from reknit.passes.variables import local_variable

LOCALS = ("v0", "v1", "v2", "v3")


def program(seed: int) -> Module:
    module = module_of(generate(seed))
    chosen = random.Random(seed)
    for function in module.functions[1:]:
        if function.params and chosen.random() < 0.7:
            by_reference(module, function, chosen)
    shared = [private(module, name, chosen) for name in LOCALS]
    for function in module.functions:
        for index, local in enumerate(locals_of(function)):
            if local is not None:
                kind = chosen.random()
                if kind < 0.3:
                    replace_uses(local, shared[index])
                    erase(local)
                elif kind < 0.55:
                    as_element(module, function, local, chosen)
    return module


def locals_of(function: Function) -> list[Instr | None]:
    """The variables v0 .. v3 of a routine, None for one that is gone."""
    named = {instr.name: instr for instr in function.entry() if instr.op == op.Variable}
    return [named.get(name) for name in LOCALS]


def private(module: Module, name: str, chosen: random.Random) -> Instr:
    u32 = int_type(module, 32, False)
    operands: list[Operand] = [enums.StorageClassPrivate]
    if chosen.random() < 0.6:
        operands.append(int_constant(module, u32, chosen.randrange(4)))
    variable = Instr(op.Variable, pointer_type(module, enums.StorageClassPrivate, u32), operands, f"all_{name}")
    module.globals.append(variable)
    return variable


def by_reference(module: Module, function: Function, chosen: random.Random) -> None:
    """Parameters become pointers, which the routine loads and stores in place of the local that began with them."""
    u32 = int_type(module, 32, False)
    pointer = pointer_type(module, enums.StorageClassFunction, u32)
    function.type = function_type(module, function.result, [pointer] * len(function.params))
    for parameter in function.params:
        parameter.type = pointer
        (first,) = parameter.user_list()
        assert isinstance(first, Instr) and first.op == op.Store
        local = first.value(0)
        assert isinstance(local, Instr)
        erase(first)
        replace_uses(local, parameter)
        erase(local)
    for call in function.user_list():
        assert isinstance(call, Instr) and call.block is not None
        caller = next(each for each in module.functions if call.block in list(each))
        own = [local for local in locals_of(caller) if local is not None]
        chosen.shuffle(own)
        for index in range(len(function.params)):
            value = call.value(index + 1)
            if own and chosen.random() < 0.4:
                variable = own.pop()
            else:
                variable = local_variable(caller, module, u32, f"param{index}")
                insert_before(call, Instr(op.Store, None, [variable, value], "", False))
            call.set_operands([*call.operands[: index + 1], variable, *call.operands[index + 2 :]])


def as_element(module: Module, function: Function, local: Instr, chosen: random.Random) -> None:
    """An array of two in place of a local: each use is of one of them, known or not."""
    u32 = int_type(module, 32, False)
    array = module.intern(op.TypeArray, None, [u32, int_constant(module, u32, 2)])
    operands: list[Operand] = [enums.StorageClassFunction]
    if chosen.random() < 0.6:
        operands.append(module.intern(op.ConstantNull, array, []))
    variable = Instr(op.Variable, pointer_type(module, enums.StorageClassFunction, array), operands, local.name)
    prepend(function.entry(), variable)
    lane = next(instr for instr in instructions(function) if instr.name == "lane")
    element = pointer_type(module, enums.StorageClassFunction, u32)
    for user in local.user_list():
        assert isinstance(user, Instr)
        index: Instr = int_constant(module, u32, chosen.randrange(2))
        if chosen.random() < 0.15:
            index = insert_before(user, Instr(op.BitwiseAnd, u32, [lane, int_constant(module, u32, 1)]))
        chain = insert_before(user, Instr(op.AccessChain, element, [variable, index]))
        user.set_operands([chain if operand is local else operand for operand in user.operands])
    erase(local)


def shared(seed: int) -> Module:
    """With barriers, and shared memory that all read at one place, most of the time."""
    module = module_of(generate(seed, 0, ["barriers"]))
    u32 = int_type(module, 32, False)
    chosen = random.Random(seed)
    for function in module.functions:
        for load in list(instructions(function)):
            pointer = load.operands[0] if load.op == op.Load else None
            if isinstance(pointer, Instr) and pointer.op == op.AccessChain and chosen.random() < 0.8:
                base = pointer.operands[0]
                if isinstance(base, Instr) and base.operands[0] == enums.StorageClassWorkgroup:
                    place = int_constant(module, u32, chosen.randrange(3))
                    pointer.set_operands([base, place])
    return module
