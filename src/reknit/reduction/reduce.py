"""Make a module small while a condition holds: the tree is known, so that what is left always verifies.

    module ──▶ leave out half of something: functions, constructs, arms, cases, instructions ...
                  still verifies, still interesting?   yes: go on with that      no: a quarter, an eighth ...
               ──▶ until nothing can be left out any more

For each kind of part, lists are halved first (delta debugging: A. Zeller, R. Hildebrandt, Simplifying and Isolating
Failure-Inducing Input, 2002). The same module and condition give the same result, unless time runs out.
"""

from collections.abc import Callable
from time import monotonic
from typing import Final, final

from reknit.files.judging import judge_module
from reknit.ir.module import Module
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.proof.stepwise import copy_of
from reknit.reduction.cleanup import settle, size_of
from reknit.reduction.interestingness import Outside
from reknit.reduction.strategies import REDUCTIONS
from reknit.reduction.strategy import Reduction
from reknit.source.diagnostic import ERROR, Diagnostic, InputError
from reknit.source.place import Place

Condition = Callable[[Module], bool]
MAX_ROUNDS: Final = 40


@final
class Reduced:
    """`module` is the smallest found; `asked` counts questions, `finished` is False where time ran out, or the user
    `interrupted`."""

    __slots__ = ("module", "asked", "finished", "before", "after", "interrupted")

    def __init__(
        self, module: Module, asked: int, finished: bool, before: int, after: int, interrupted: bool = False
    ) -> None:
        self.module = module
        self.asked = asked
        self.finished = finished
        self.before = before
        self.after = after
        self.interrupted = interrupted

    def __repr__(self) -> str:
        cut = "" if self.finished else ", interrupted" if self.interrupted else ", time ran out"
        return f"<{self.before} -> {self.after} instructions and constructs, {self.asked} tried{cut}>"


def reduce(
    module: Module,
    interesting: Condition,
    *,
    valid: Condition | None = None,
    seconds: float | None = None,
    tell: Callable[[str], None] | None = None,
    keep_interrupted: bool = False,
) -> Reduced:
    """The smallest module that was found for which `interesting` holds; `module` stays as it is.

    `valid` is asked first, and must hold too; `tell` gets a line whenever something was left out. With
    `keep_interrupted` Ctrl-C ends it with what was found so far. Raises InputError (RK1312) if the conditions don't
    hold of `module` itself.
    """
    work = _Work(module, interesting, valid, None if seconds is None else monotonic() + seconds, tell)
    if not work.holds(copy_of(work.text, work.path)):
        message = "there is nothing to reduce: what is looked for doesn't hold of the module itself"
        help = "run the command by hand on the module, written in the format of the result"
        if isinstance(interesting, Outside) and interesting.ended:
            took = f"the command was ended after {interesting.seconds:g} s, which is a no"
            message = f"there is nothing to reduce: {took}"
            help = "give it more time with --each"
        raise InputError([Diagnostic("RK1312", message, Place(module.path), help=help)])
    before = work.size[0]
    interrupted = False
    try:
        finished = work.run()
    except KeyboardInterrupt:
        if not keep_interrupted:
            raise
        finished, interrupted = False, True
    smallest = copy_of(work.text, work.path)
    return Reduced(smallest, work.asked, finished, before, size_of(smallest)[0], interrupted)


@final
class _Work:
    def __init__(
        self,
        module: Module,
        interesting: Condition,
        valid: Condition | None,
        deadline: float | None,
        tell: Callable[[str], None] | None,
    ) -> None:
        self.path = module.path
        self.text = print_module(module)
        self.interesting = interesting
        self.valid = valid
        self.deadline = deadline
        self.tell = tell
        self.asked = 0
        self.seen: dict[str, None] = {}  # texts for which the answer was no
        self.size = size_of(module)
        self.faults = _faults(module)  # what is wrong with the input may be what is looked for
        self.broken = judge_module(module).codes()

    def run(self) -> bool:
        """Reduce until nothing changes; False where time ran out."""
        for _ in range(MAX_ROUNDS):
            start = self.text
            for reduction in REDUCTIONS:
                if not self.apply(reduction):
                    return False
            if self.text == start:
                return True
        return True

    def apply(self, reduction: Reduction) -> bool:
        """All that one kind of reduction can do, halving; False where time ran out."""
        width = len(reduction.targets(copy_of(self.text, self.path)))
        while width:
            at = 0
            while True:
                if self.deadline is not None and monotonic() > self.deadline:
                    return False
                left = self.attempt(reduction, at, width)
                if left < 0:
                    break
                at = left
            width //= 2
        return True

    def attempt(self, reduction: Reduction, at: int, width: int) -> int:
        """Try without targets `at` to `at + width`: where to go on, -1 at the end of the list."""
        module = copy_of(self.text, self.path)
        targets = reduction.targets(module)
        if at >= len(targets):
            return -1
        try:
            reduction.edit(module, targets[at : at + width])
            settle(module)
            smaller = size_of(module) < self.size
        except Exception:  # an edit that can't be made, whatever the reason: the module it was tried on is thrown away
            return at + width
        if not smaller or not self.accepted(module):
            return at + width
        if self.tell is not None:
            self.tell(f"{reduction.name}: {self.size[0]} left, {self.asked} tried")
        return at

    def accepted(self, module: Module) -> bool:
        """Whether `module` is what is looked for; then it is the one to go on with."""
        if any(code not in self.faults for code in _faults(module)):
            return False
        text = print_module(module)
        if text in self.seen:
            return False
        again = copy_of(text, self.path)
        size = size_of(again)  # before the question is asked: what writes a module may add a constant to it
        if size >= self.size:
            return False
        if any(code not in self.broken for code in judge_module(again).codes()) or not self.holds(again):
            self.seen[text] = None
            return False
        self.text = text
        self.size = size
        return True

    def holds(self, module: Module) -> bool:
        self.asked += 1
        return (self.valid is None or self.valid(module)) and self.interesting(module)


def _faults(module: Module) -> dict[str, None]:
    return dict.fromkeys(fault.code for fault in verify(module) if fault.severity == ERROR)
