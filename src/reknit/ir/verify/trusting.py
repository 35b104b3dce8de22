"""Work that relies on a module's own rules, without verifying it first.

    with trusting(module): ...      the work goes well                        nothing is verified
                                    it stops at what `verify` finds as well   InputError with the faults
                                    it stops, and the module is sound         the exception: a fault of reknit's own
"""

from collections.abc import Iterator
from contextlib import contextmanager

from reknit.ir.module import Module
from reknit.ir.verify import verify
from reknit.source.diagnostic import ERROR, InputError


@contextmanager
def trusting(*modules: Module) -> Iterator[None]:
    """Turn any exception into InputError (RK04xx) where one of the modules is not sound."""
    try:
        yield
    except InputError:
        raise
    except Exception:
        faults = [fault for module in modules for fault in verify(module) if fault.severity == ERROR]
        if not faults:
            raise
        raise InputError(faults) from None
