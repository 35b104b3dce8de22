"""Which engine runs a dispatch: the interpreter, or native code (`sim.jit`), which is imported where it is asked for.

    interpreter   the machine of tangles, the definition
    jit           native code; where it can't, the interpreter, and a note says why
    auto          native code from `WORTH` invocations on, where llvmlite is installed
"""

import sys
from importlib.util import find_spec
from math import prod
from typing import TYPE_CHECKING, Final

from reknit.source.diagnostic import NOTE, Diagnostic, InputError

if TYPE_CHECKING:
    from reknit.sim.builtins import Dispatch
    from reknit.sim.policy import Policy
    from reknit.sim.result import Result
    from reknit.sim.run import NativeRun, Program

INTERPRETER: Final = "interpreter"
JIT: Final = "jit"
AUTO: Final = "auto"
ENGINES: Final = (AUTO, INTERPRETER, JIT)

WORTH: Final = 2_000
"""Invocations from which on compiling pays."""
USUAL: Final = 64
"""Invocations of a workgroup."""
MISSING: Final = "native code needs llvmlite, which is not installed"
SMALL: Final = "it is small"
OWN_FAULT: Final = "LLVM refuses the code that is made for it, a fault of reknit's own"
ENDED: Final = "the process that compiles and runs native code failed"
"""These are said whether the engine was asked for or not."""


def native_run(engine: str) -> "NativeRun | None":
    """What `Program.run` takes as `native`. Raises InputError (RK1006) for an engine that there is not."""
    if engine not in ENGINES:
        help = f"one of {', '.join(ENGINES)}"
        raise InputError([Diagnostic("RK1006", f"engine {engine!r} is not known", None, help=help)])
    if engine == INTERPRETER:
        return None
    return _always if engine == JIT else _where_it_pays


def expect(engine: str, groups: object) -> None:
    """Native code may be asked for soon: where it will be, for workgroups of a usual size, its process starts now,
    beside what is done until then. `groups` isn't checked yet."""
    numbers = [each for each in groups if isinstance(each, int)] if isinstance(groups, list | tuple) else []
    worth = engine == JIT or (engine == AUTO and len(numbers) == 3 and prod(numbers) * USUAL >= WORTH)
    if not worth or sys.platform == "win32" or find_spec("llvmlite") is None:
        return
    from reknit.sim.jit.outside import start

    start()


def _always(program: "Program", policy: "Policy", dispatch: "Dispatch", max_steps: int, trace: bool) -> str:
    return _run(program, policy, dispatch, max_steps, trace, True)


def _run(
    program: "Program", policy: "Policy", dispatch: "Dispatch", max_steps: int, trace: bool, always: bool
) -> str:
    if find_spec("llvmlite") is None:
        return MISSING
    from reknit.sim.jit.run import run_native

    return run_native(program, policy, dispatch, max_steps, trace, always)


def _where_it_pays(program: "Program", policy: "Policy", dispatch: "Dispatch", max_steps: int, trace: bool) -> str:
    if dispatch.lanes() * dispatch.count() < WORTH:
        return SMALL
    return _run(program, policy, dispatch, max_steps, trace, False)


def with_note(result: "Result", engine: str) -> "Result":
    """Says why the interpreter ran what native code was asked to, unless its diagnostics do."""
    asked = engine == JIT or result.fallback.startswith((OWN_FAULT, ENDED))
    if asked and result.fallback and not result.diagnostics:
        help = "pip install 'reknit[llvm]'" if result.fallback == MISSING else ""
        message = f"the interpreter ran entry point {result.entry!r}: {result.fallback}"
        result.diagnostics.append(Diagnostic("RK1030", message, None, NOTE, help=help))
    return result
