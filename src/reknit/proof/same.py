"""Whether two modules are one, apart from names, ids and what debuggers read: the proof that needs no run.

    %sum = IAdd %a, %b : u32        and        %7 = IAdd %3, %5 : u32        are both        %_3 = IAdd %_1, %_2 : u32
"""

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.value import Value
from reknit.ir.walk import blocks


def are_same(before: Module, after: Module) -> bool:
    return opcodes(before) == opcodes(after) and anonymous(before) == anonymous(after)


def opcodes(module: Module) -> list[list[int]]:
    """Of each function's instructions in their order: most modules that differ do so here, which costs no text."""
    return [[instr.op for block in blocks(function) for instr in block] for function in module.functions]


def anonymous(module: Module) -> str:
    """The module's text with its values numbered as they come. `module` stays as it is."""
    copy = parse(print_module(module), module.path)
    copy.names.clear()
    copy.sources.clear()
    for section in (copy.imports, copy.globals):
        for instr in section:
            forget(instr)
    for function in copy.functions:
        forget(function)
        for parameter in function.params:
            forget(parameter)
        for block in blocks(function):
            forget(block)
            for instr in block:
                forget(instr)
    return print_module(copy).partition("\n")[2]  # the first line has the bound of ids


def forget(value: Value) -> None:
    value.name = ""
    value.id = 0
