"""Work that relies on a module's own rules, verified before or only where something goes wrong.

    require_sound(module)           every fault that `verify` finds

    with trusting(module): ...      the work goes well                        nothing is verified
                                    it stops at what `verify` finds as well   InputError with the faults
                                    it stops, and the module is sound         the exception: a fault of reknit's own
"""

from collections.abc import Iterator
from contextlib import contextmanager

from reknit.ir.module import Module
from reknit.ir.verify import verify
from reknit.source.diagnostic import ERROR, InputError


def require_sound(*modules: Module) -> None:
    """Raises InputError (RK04xx) with all faults, where one of the modules has any."""
    faults = [fault for module in modules for fault in verify(module) if fault.severity == ERROR]
    if faults:
        raise InputError(faults)


@contextmanager
def trusting(*modules: Module) -> Iterator[None]:
    """Turn any exception into InputError (RK04xx) where one of the modules is not sound."""
    try:
        yield
    except InputError:
        raise
    except Exception:
        require_sound(*modules)
        raise
