"""A condition and what it is the negation of.

    %n = LogicalNot %c      base(%n) = %c, False       base(%c) = %c, True
"""

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.value import Value


def base(condition: Value) -> tuple[Value, bool]:
    """What is left without negations, and whether `condition` is true when that is."""
    same = True
    while isinstance(condition, Instr) and condition.op == op.LogicalNot:
        condition = condition.value(0)
        same = not same
    return condition, same
