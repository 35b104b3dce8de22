"""Whether two programs have the same tangles and results, and programs to ask that of.

The package has the name of the function `reknit.prove`, and importing any part of it puts the package in the function's
place. So it can be called as the function can.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reknit.ir.module import Module
    from reknit.prove.verdict import Verdict


class _Callable(ModuleType):
    def __call__(self, before: "Module", after: "Module", **options: Any) -> "Verdict":
        """What `reknit.prove` does."""
        from reknit.prove.prove import prove
        from reknit.prove.question import Question

        return prove(before, after, Question(**options))


sys.modules[__name__].__class__ = _Callable
