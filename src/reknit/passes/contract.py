"""What a pass is: a function with a contract.

    Pass("lower-switches", "give every fallthrough group one road", lower_switches,
         needs=(NO_PHIS, NO_CONTINUES), gives=(SWITCHES_DEFINED,), keeps=("call-graph",), options=(...))

A pass edits one function and says whether it changed anything. None may change tangles. One that declines says so with
a note (code and reason); what it would have given doesn't hold of that function, and what needs it is skipped there.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, final

from reknit.ir.function import Function
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.source.diagnostic import NOTE, Diagnostic

if TYPE_CHECKING:
    from reknit.analysis.manager import Analyses

OptionValue = str | int | bool

# What may hold of a function; order constraints between passes are written in these.
STRUCTURED: Final = "structured"  # the function is a control-flow tree
NO_PHIS: Final = "no-phis"
NO_CONTINUES: Final = "no-continues"  # no `continue` to a part with code stands in a switch that is to be lowered
SWITCHES_DEFINED: Final = "switches-defined"  # no tangled operation depends on how OpSwitch partitions
SINGLE_RETURN: Final = "single-return"  # the function returns at its end or not at all
SINGLE_LEVEL: Final = "single-level"  # every jump is one that SPIR-V can write
NO_CRITICAL_EDGES: Final = "no-critical-edges"  # no edge leads from a fork to a join

CONTROL_FLOW: Final = (
    "order", "dominance", "dominance-frontier", "post-dominance", "post-dominance-frontier", "loop-forest",
    "constructs",
)  # fmt: skip
"""Analyses that a pass keeps which changes no block, edge or construct."""


@final
class Option:
    """A typed option of a pass. The type is that of `default`; `choices` limits a string."""

    __slots__ = ("name", "default", "help", "choices")

    def __init__(self, name: str, default: OptionValue, help: str, choices: tuple[str, ...] = ()) -> None:
        self.name = name
        self.default = default
        self.help = help
        self.choices = choices

    def __repr__(self) -> str:
        return f"<option {self.name}: {self.help}; default {self.default!r}>"


@final
class Context:
    """What a pass gets besides the function: the module, analyses on request, its options, and a place for notes.

    `declined` is true once the pass said that it can't do all of its work on this function; `counts` is what it says
    of its work in numbers, each under a name of its own. `untouched` says that no pass of the pipeline changed the
    function before; a pass that sets `finished` ends the pipeline for this function. `answers` are what the pass found
    out about the module, for the functions that it comes to next.
    """

    __slots__ = ("module", "analyses", "options", "notes", "declined", "counts", "untouched", "finished", "answers")

    def __init__(self, module: Module, analyses: "Analyses", options: dict[str, OptionValue]) -> None:
        self.module = module
        self.analyses = analyses
        self.options = options
        self.notes: list[Diagnostic] = []
        self.declined = False
        self.counts: dict[str, int] = {}
        self.untouched = False
        self.finished = False
        self.answers: dict[str, bool] = {}

    def __repr__(self) -> str:
        return f"<context of a pass on {self.module!r}>"

    def note(self, code: str, message: str, help: str = "", at: Value | None = None) -> None:
        """Report something that is no fault, of the instruction, construct or block `at`: say it before that is
        rewritten, while its place is known."""
        place = place_of(at, self.module) if at is not None else None
        self.notes.append(Diagnostic(code, message, place, NOTE, None, help))

    def decline(self, code: str, reason: str, help: str = "", at: Value | None = None) -> None:
        """Say why the pass leaves the function, or a part of it, as it was: what the pass gives doesn't hold of it."""
        self.note(code, reason, help, at)
        self.declined = True


@final
class Pass:
    """`needs` must hold before, `gives` holds after, `loses` no longer holds after, `keeps` names valid analyses.

    `order`, if there is one, says on which functions the pass is run, one after the other: the next is asked for when
    the pass was run on the one before. Else they are all, in the order of the module.
    """

    __slots__ = ("name", "summary", "run", "needs", "gives", "loses", "keeps", "options", "order")

    def __init__(
        self,
        name: str,
        summary: str,
        run: Callable[[Function, Context], bool],
        needs: tuple[str, ...] = (),
        gives: tuple[str, ...] = (),
        loses: tuple[str, ...] = (),
        keeps: tuple[str, ...] = (),
        options: tuple[Option, ...] = (),
        order: Callable[[Module, dict[str, OptionValue]], Iterable[Function]] | None = None,
    ) -> None:
        self.name = name
        self.summary = summary
        self.run = run
        self.needs = needs
        self.gives = gives
        self.loses = loses
        self.keeps = keeps
        self.options = options
        self.order = order

    def __repr__(self) -> str:
        return f"<pass {self.name}: {self.summary}>"
