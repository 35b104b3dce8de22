"""The module as a driver can take it.

    functions without structure      ──▶ the tree that `structurize` makes of them, as everywhere else
    calls through interfaces         ──▶ switches
    rules that the input breaks      stay broken: what a driver makes of that may be what is asked
"""

from typing import Final

from reknit.files.judging import judge_module
from reknit.ir.copy import copy_module
from reknit.ir.module import Module
from reknit.passes.manager import run_passes
from reknit.passes.pipelines import RESTRUCTURE
from reknit.source.diagnostic import InputError
from reknit.spirv.write import words_of

DISPATCH: Final = "RK0514"


def taken(module: Module) -> Module:
    """`module`, or a copy with structure and without calls through interfaces. Raises InputError for what can't have
    that."""
    passes: list[str] = []
    try:
        words_of(module)
    except InputError as error:
        if error.diagnostics[0].code != DISPATCH:
            raise
        passes += ["structurize", "specialize-dispatch", "lower-dispatch"]
    if passes or judge_module(module).flat:
        copy = copy_module(module)
        run_passes(copy, ", ".join([*passes, *RESTRUCTURE]))
        return copy
    return module
