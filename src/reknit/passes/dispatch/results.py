"""How a function that is one switch ends: it returns what its cases come to.

    switch tag { case 0: %a = ..      default: %b = .. }     =>     %r = Phi %a case0, %b case1;  return %r
"""

from reknit.ir import op
from reknit.ir.build import Builder
from reknit.ir.edit import append
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.tree import Switch


def return_results(module: Module, function: Function, switch: Switch, ends: list[Operand]) -> None:
    """`ends` are results and the blocks that they come from, in turn; they don't count where nothing is returned."""
    builder = Builder(module, switch.after())
    if function.result.op == op.TypeVoid:
        builder.return_()
    else:
        builder.return_(append(switch.after(), Instr(op.Phi, function.result, ends)))
