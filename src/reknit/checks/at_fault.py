"""Whether the input is at fault where reknit failed: the rules that a module breaks.

What runs or rewrites a module relies on them and does not check them first: that would cost valid ones time.
"""

from collections.abc import Callable

from reknit.checks.spirv_val import judge
from reknit.files.judging import judge_module
from reknit.ir.module import Module
from reknit.ir.verify import verify
from reknit.source.diagnostic import ERROR, Diagnostic
from reknit.spirv.write import write_module


def rules_broken(again: Callable[[], Module]) -> list[Diagnostic]:
    """By our own verifier, the rules of control flow, and spirv-val where it is installed. None where that can't be
    found out: the first fault is what gets reported then."""
    try:
        module = again()
        broken = [fault for fault in verify(module) if fault.severity == ERROR] or judge_module(module).broken
        return broken or [fault for fault in judge(write_module(module), module.path) if fault.severity == ERROR]
    except Exception:
        return []
