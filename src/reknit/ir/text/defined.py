"""Everything in a module that has an id: what an annotation may name, in the order in which it stands.

    preamble, globals   function   its parameters   its blocks with their instructions   what stands after the last one
"""

from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.ir.walk import blocks


def defined_in(module: Module) -> dict[Value, None]:
    defined: dict[Value, None] = {}
    for section in [*module.sections(), module.closing]:
        for instr in section:
            if instr.has_result:
                defined[instr] = None
    for function in module.functions:
        defined[function] = None
        heading = [line for lines in function.heading.values() for line in lines]
        for instr in [*function.leading, *function.params, *heading, *function.closing]:
            if instr.has_result:
                defined[instr] = None
        for block in blocks(function):
            defined[block] = None
            for instr in block.leading:
                if instr.has_result:
                    defined[instr] = None
            for instr in block:
                if instr.has_result:
                    defined[instr] = None
    return defined
