"""One of the two programs, and under which assumptions it is walked."""

from typing import final

from reknit.analysis.aliasing import Aliasing
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.proof.normal_form.assumptions import Assumptions, SplitKey, SwitchKey
from reknit.proof.normal_form.decorations import Decorations
from reknit.proof.normal_form.iterations import Iterations
from reknit.proof.normal_form.peeling import Plan
from reknit.proof.normal_form.traversal import Traversal
from reknit.proof.normal_form.unwritten import Unwritten


@final
class Program:
    """`after`: the second one, whose undefined values may be another one at each use. `united`: results of tangled
    operations that needn't be one are taken to be. `meeting`: switches at whose labels all meet. The first program may
    choose both. `plan`: which loops' first iterations are walked by themselves. `summaries`: functions whose calls are
    not followed, each with a number. `unwritten`: the buffers that neither writes. `is_weak`: judged by rules that
    promise less than maximal reconvergence; `rejoined`: behind which constructs of the first program all are together
    then, which it may choose. `relaxes`: what RelaxedPrecision truncates is another term than it was.
    `is_free`: an undefined value of the second program may be another one at each use, and each of the first one's is
    used once; else what a variable holds that nothing was stored to is one value, known by the variable's name."""

    __slots__ = (
        "terms", "module", "decorations", "traversals", "entry", "after", "united", "meeting", "plan",
        "assumptions", "summaries", "is_weak", "is_free", "unwritten", "relaxes", "aliasing", "rejoined",
    )  # fmt: skip

    def __init__(
        self,
        terms: Iterations,
        module: Module,
        decorations: Decorations,
        traversals: dict[Function, Traversal],
        entry: Function,
        after: bool,
        plan: Plan,
        assumptions: Assumptions,
    ) -> None:
        self.terms = terms
        self.module = module
        self.decorations = decorations
        self.traversals = traversals
        self.entry = entry
        self.after = after
        self.united = False
        self.meeting: dict[SwitchKey, None] = {}
        self.plan = plan
        self.assumptions = assumptions
        self.summaries: dict[Function, int] = {}
        self.is_weak = False
        self.rejoined: dict[SplitKey, None] = {}
        self.is_free = False
        self.unwritten: Unwritten | None = None
        self.relaxes = False
        self.aliasing: Aliasing | None = None
