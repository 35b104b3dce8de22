"""What leaves a verb of the API: InputError or InternalError, whatever went wrong inside.

    IndexError in a run of a module that breaks rules   ->   InputError: which rules
    IndexError in any other                             ->   InternalError: what was being done, from it
    MemoryError                                         ->   InputError (RK0021)
    a number of more than 4300 digits                   ->   InputError (RK0026)

What runs or rewrites a module relies on the rules and does not check them first: that would cost valid ones time.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import Final

from reknit.source.diagnostic import ERROR, Diagnostic, InputError, InternalError, Note
from reknit.source.phases import phase_of
from reknit.source.place import Place

VERIFIES: Final = "reknit.ir.verify.run"
"""What knows the rules of modules is a layer above, so it is named here."""


def instead_of(error: Exception, given: Iterable[object]) -> Exception:
    """What to raise instead of `error`, which is neither, where the verb got the values `given`."""
    if isinstance(error, MemoryError):
        message = f"there was not enough memory while {phase_of(error)}"
        return InputError([Diagnostic("RK0021", message)])
    if has_too_many_digits(error):
        return too_many_digits(error)
    what = f"{type(error).__name__}: {error}"
    for value in given:
        if type(value).__name__ == "Module" and type(value).__module__ == "reknit.ir.module":
            faults = _broken_rules(value)
            if faults:
                faults[0].notes.append(Note(f"it could not be worked on: {what}"))
                return InputError(faults)
    return InternalError(f"reknit has a fault of its own: {what}, while {phase_of(error)}")


def has_too_many_digits(error: Exception) -> bool:
    """Whether Python refused to convert a number, as it does beyond `sys.get_int_max_str_digits()`."""
    return type(error) is ValueError and str(error).startswith("Exceeds the limit (")


def too_many_digits(error: Exception, place: Place | None = None) -> InputError:
    message = "a number has more than 4300 digits" + ("" if place is not None else f", found while {phase_of(error)}")
    return InputError([Diagnostic("RK0026", message, place)])


def _broken_rules(module: object) -> list[Diagnostic]:
    try:
        faults: list[Diagnostic] = import_module(VERIFIES).verify(module)
    except Exception:  # what is wrong with it can't be found out: the first fault is what is reported
        return []
    return [fault for fault in faults if fault.severity == ERROR]
