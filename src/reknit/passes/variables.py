"""A function's own variables: where passes put what SSA can't carry across a move.

    entry:                          entry:
      ...                     =>      %level = Variable Function : *int
                                      ...

Source: SPIR-V 1.6, 2.4 "Logical Layout of a Module": variables of a function stand first in its first block.
"""

from reknit.ir import enums, op
from reknit.ir.edit import prepend
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import pointer_type


def local_variable(function: Function, module: Module, type: Instr, name: str) -> Instr:
    """A new variable of `type` in storage class Function, first in the function's first block."""
    pointer = pointer_type(module, enums.StorageClassFunction, type)
    return prepend(function.entry(), Instr(op.Variable, pointer, [enums.StorageClassFunction], name))
