"""Give users other values: one use, or all uses of many values in one walk over the users.

{ %a: %x, %b: %y }       IAdd %a %b     =>     IAdd %x %y
"""

from reknit.ir.edit import set_condition, set_selector
from reknit.ir.instr import Instr
from reknit.ir.tree import If, Switch
from reknit.ir.value import Value


def replace_use(user: Value, index: int, new: Value) -> None:
    """Make `user` use `new` as operand `index`, or as what a construct branches on."""
    if isinstance(user, If):
        set_condition(user, new)
    elif isinstance(user, Switch):
        set_selector(user, new)
    else:
        assert isinstance(user, Instr)
        user.set_operand(index, new)


def rewrite_uses(new_values: dict[Value, Value]) -> None:
    """Make every user of a key use its value instead. No value may itself be a key.

    Costs the operands of the users, once each, however many of them change.
    """
    for old in new_values:
        for user in old.user_list():  # those that were met with an earlier key have this one no more
            _rewrite(user, new_values)


def _rewrite(user: Value, new_values: dict[Value, Value]) -> None:
    if isinstance(user, Instr):
        for index, operand in enumerate(user.operands):
            if isinstance(operand, Value):
                new = new_values.get(operand)
                if new is not None:
                    user.set_operand(index, new)
    elif isinstance(user, If):
        new = new_values.get(user.condition)
        if new is not None:
            set_condition(user, new)
    elif isinstance(user, Switch):
        new = new_values.get(user.selector)
        if new is not None:
            set_selector(user, new)
