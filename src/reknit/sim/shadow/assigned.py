"""Variables that may be read before something has written them: the others need not be watched.

    %v = Variable Function        Store %v   on every way to the load       written before it is read
                                  Store %v[0]                               may not be: parts are watched in a run

Definitely written at a block: at the end of every block before it. A store of a part counts for nothing here. A
variable that is only loaded and stored, in one function, is judged so; all others that have no initializer are watched.
"""

from typing import Final

from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.module import Module
from reknit.ir.types import storage_of
from reknit.sim.block_graph import reachable_blocks

UNDEFINED_AT_FIRST: Final = (
    enums.StorageClassFunction,
    enums.StorageClassPrivate,
    enums.StorageClassWorkgroup,
    enums.StorageClassOutput,
)
"""Variables of these have undefined contents until something writes them, unless they have an initializer."""

NAMING: Final = (op.EntryPoint, op.Decorate, op.DecorateId, op.Name, op.ExecutionMode, op.MemberName)


def watched_variables(module: Module, functions: list[Function], entry: Function) -> dict[Instr, None]:
    """Those without an initializer that may be read, or left as an output, before they are written."""
    watched: dict[Instr, None] = {}
    for function in functions:
        blocks = reachable_blocks(function)
        own: list[Instr] = []
        for block in blocks:
            for instr in block:
                if instr.op == op.Variable and len(instr.operands) == 1:
                    own.append(instr)
        if function is entry:
            own.extend([variable for variable in module.globals if starts_undefined(variable)])
        plain: list[Instr] = []
        for variable in own:
            if variable in watched or not is_reached(variable, functions):
                continue
            if is_plain(variable, function):
                plain.append(variable)
            else:
                watched[variable] = None
        for variable in early(blocks, plain):
            watched[variable] = None
    return watched


def starts_undefined(variable: Instr) -> bool:
    return (
        variable.op == op.Variable
        and len(variable.operands) == 1
        and variable.type is not None
        and storage_of(variable.type) in UNDEFINED_AT_FIRST
    )


def is_reached(variable: Instr, functions: list[Function]) -> bool:
    """Whether one of the functions uses it; an output is used by what comes after the shader, too."""
    if variable.type is not None and storage_of(variable.type) == enums.StorageClassOutput:
        return True
    return any(isinstance(user, Instr) and user.block is not None and user.op not in NAMING for user in variable.users)


def is_plain(variable: Instr, function: Function) -> bool:
    """Whether it and its parts are only loaded and stored, and in this function."""
    if variable.type is None or storage_of(variable.type) == enums.StorageClassWorkgroup:
        return False  # what another invocation writes is not known to come first
    work = [variable]
    for pointer in work:  # grows while it is gone through
        for user in pointer.users:
            if not isinstance(user, Instr):
                return False
            if user.op in NAMING:
                continue
            if user.block is None or user.block.function is not function:
                return False
            if user.op in traits.OBJECT_CHAIN and user.operands[0] is pointer:
                work.append(user)
            elif user.op != op.Load and (user.op != op.Store or user.operands[1] is pointer):
                return False
    return True


def object_of(pointer: Instr) -> Instr:
    """What a chain goes into."""
    while pointer.op in traits.OBJECT_CHAIN:
        pointer = pointer.instr(0)
    return pointer


def early(blocks: list[Block], variables: list[Instr]) -> list[Instr]:
    """Those of the variables that a load, or the end of the invocation, may find unwritten."""
    if not variables:
        return []
    bits = {variable: 1 << at for at, variable in enumerate(variables)}
    outputs = 0
    for variable, bit in bits.items():
        if variable.type is not None and storage_of(variable.type) == enums.StorageClassOutput:
            outputs |= bit
    every = (1 << len(variables)) - 1
    entered = dict.fromkeys(blocks, every)
    entered[blocks[0]] = 0
    work = list(reversed(blocks))
    while work:
        block = work.pop()
        after = entered[block] | written_in(block, bits)
        for following in successors(block):
            if following in entered and entered[following] & after != entered[following]:
                entered[following] &= after
                work.append(following)
    early_ones = 0
    for block in blocks:
        written = entered[block]
        for instr in block:
            if instr.op == op.Load:
                early_ones |= bits.get(object_of(instr.instr(0)), 0) & ~written
            elif instr.op == op.Store:
                written |= bits.get(instr.instr(0), 0)
        if isinstance(block.jump, Exit) and block.jump.instr.op in (op.Return, op.ReturnValue):
            early_ones |= outputs & ~written
    return [variable for variable, bit in bits.items() if early_ones & bit]


def written_in(block: Block, bits: dict[Instr, int]) -> int:
    written = 0
    for instr in block:
        if instr.op == op.Store:
            written |= bits.get(instr.instr(0), 0)
    return written


def escapes(variable: Instr) -> bool:
    """Whether pointers into a variable exist as values: passed, chosen, stored, stepped on."""
    work = [variable]
    for pointer in work:  # grows while it is gone through
        for user in pointer.users:
            if not isinstance(user, Instr):
                return True
            if user.op in traits.OBJECT_CHAIN or user.op == op.CopyObject:
                work.append(user)
            elif user.op == op.Store:
                if user.operands[1] is pointer:
                    return True
            elif user.op not in NAMING and user.op not in traits.ATOMIC and user.op not in ACCESSES:
                return True
    return False


ACCESSES: Final = (op.Load, op.CopyMemory, op.ArrayLength, op.ExtInst, op.ImageTexelPointer)
