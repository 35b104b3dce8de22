"""A pass that the catalog has for one test: `planted(transform)` as a context."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from reknit.passes.catalog import MODULES
from reknit.passes.contract import Pass


@contextmanager
def planted(transform: Pass) -> Iterator[str]:
    """Known by its name within the context, as if a module of `reknit.passes` had it."""
    place = f"planted_{len(MODULES)}"
    module = ModuleType(f"reknit.passes.{place}")
    setattr(module, transform.name.upper().replace("-", "_"), transform)
    sys.modules[module.__name__] = module
    MODULES[transform.name] = place
    try:
        yield transform.name
    finally:
        del MODULES[transform.name], sys.modules[module.__name__]
