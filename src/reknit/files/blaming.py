"""What broke a rule that the words about to be written break: the input, a limit, or a pass.

rules hold                                      written
a function has no structure, but SPIR-V asks    RK0515; .rk is written
the input broke the rule as well, or a limit
of implementations is passed                    RK0516; .rk is written, with a warning
else                                            the pipeline once more, judged after each pass: BrokenOutput names
                                                the one
"""

from collections.abc import Callable
from typing import final

from reknit.files.formats import TEXT
from reknit.files.judging import (
    LIMIT,
    BrokenOutput,
    EachPass,
    Judgement,
    judge_module,
    not_written,
    unstructured,
    written_broken,
)
from reknit.ir.module import Module
from reknit.passes.manager import Hooks, run_passes
from reknit.source.diagnostic import Diagnostic, InputError


@final
class Origin:
    """Where a module came from: `again` reads it as it was before any pass, `foreign` says that another program wrote
    it."""

    __slots__ = ("again", "foreign")

    def __init__(self, again: Callable[[], Module], foreign: bool) -> None:
        self.again = again
        self.foreign = foreign


def blame(module: Module, judgement: Judgement, format: str, passes: str, origin: Origin) -> list[Diagnostic]:
    """The warnings with which a module may be written in `format` all the same. Raises InputError where it may not, and
    BrokenOutput where `passes` broke it."""
    if not judgement.broken:
        if not judgement.flat:
            return []
        raise InputError([unstructured(module, judgement.flat)])
    _find_maker(judgement, passes, origin)
    limits = all(fault.code == LIMIT for fault in judgement.broken)
    since = ", a limit of SPIR-V" if limits else " of SPIR-V, and did so when it was read"
    if format != TEXT:
        raise InputError([not_written(module, judgement.broken, since)])
    return [written_broken(module, judgement.broken, since)]


def _find_maker(judgement: Judgement, passes: str, origin: Origin) -> None:
    """Raises BrokenOutput unless the input breaks each of the rules itself."""
    if all(fault.code == LIMIT for fault in judgement.broken):
        return
    module = origin.again()
    known = judge_module(module).codes()
    new = [fault for fault in judgement.broken if fault.code not in known and fault.code != LIMIT]
    old = [fault for fault in judgement.broken if fault.code in known and fault.code != LIMIT]
    if old and not origin.foreign:
        raise BrokenOutput(f"reading {module.path}", old)
    if not new:
        return
    run_passes(module, passes, Hooks(dump=EachPass([fault.code for fault in new])))
    raise BrokenOutput(f'the pipeline "{passes}"', new)
