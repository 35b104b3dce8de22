"""What dispatch made becomes part of its callers, where that is short, and so do the methods behind.

    %r = FunctionCall @dispatch_foo %tag, %x, %v        if %is_a {
                                                   =>     %a = FunctionCall @A_foo ..
                                                        } else {
                                                          %b = FunctionCall @B_foo ..
                                                        }

auto       a dispatcher (or waterfall, or map of tags) that is called once, or has at most SMALL instructions: at each
           call. Calls in it count as one instruction each. Then methods of at most SMALL that are called once.
always     both, however large they are
never      none

Callees go before their callers, so that a size is that of what would be put in. `passes.inline` does the work.
"""

from typing import Final

from reknit.ir import op
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.passes.contract import Context
from reknit.passes.drop_functions import drop
from reknit.passes.inline import inline_chosen

AUTO: Final = "auto"
ALWAYS: Final = "always"
NEVER: Final = "never"

SMALL: Final = 10
"""With up to ten none of the shaders with dispatch that the tests have gets larger in SPIR-V words, and nearly all get
smaller, by a ninth together; from twelve on some grow. `python tests/bench/dispatch_inline.py` tells."""


def called_from(functions: list[Function]) -> list[Function]:
    """The functions that `functions` call, each once."""
    callees: dict[Function, None] = {}
    for function in functions:
        for instr in instructions(function):
            callee = instr.operands[0] if instr.op == op.FunctionCall else None
            if isinstance(callee, Function):
                callees[callee] = None
    return list(callees)


def inline_dispatch(context: Context, mode: str, groups: list[list[Function]], methods: list[Function]) -> None:
    """`groups` are the functions that dispatch, those first that the others call."""
    if mode == NEVER:
        return
    for functions in groups:
        chosen = [function for function in functions if mode == ALWAYS or _is_short(function) or _calls(function) == 1]
        _inline(context, chosen)
    _inline(
        context,
        [function for function in methods if mode == ALWAYS or (_is_short(function) and len(function.users) == 1)],
    )


def _calls(function: Function) -> int:
    return len([user for user in function.users if isinstance(user, Instr) and user.op == op.FunctionCall])


def _is_short(function: Function) -> bool:
    return all(count <= SMALL for count, _ in enumerate(instructions(function), 1))


def _inline(context: Context, functions: list[Function]) -> None:
    """Put `functions` where they are called, and drop those that nothing calls any more."""
    module: Module = context.module
    chosen = dict.fromkeys(functions)
    callers: dict[Function, None] = {}
    for function in functions:
        for user in function.users:
            if isinstance(user, Instr) and user.op == op.FunctionCall and user.block is not None:
                assert user.block.function is not None
                callers[user.block.function] = None
    for caller in module.functions:
        if caller in callers:
            inline_chosen(caller, context, chosen)
    drop(module, {function: None for function in functions if not function.is_used()})
