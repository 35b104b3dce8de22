"""Functions without structure, as the trees that they are judged as: one reading, or two where one is open.

    before, after have trees                        one pair: they themselves
    a function is a graph (LLVM IR, DXIL, .cfg)     one pair: the trees that `structurize` makes
    RK2501: a loop of before is open                two pairs: outside and inside, after the same where it is open, too
    RK2501: a loop of after alone                   two pairs: before, and after in both ways

Each program may do what its tree may: so has everything that runs or compiles such a function (`sim.unstructured`).
"""

from typing import Final

from reknit.analysis.manager import Analyses
from reknit.analysis.tangled import Tangled
from reknit.ir.module import Module
from reknit.passes.structurize.open_choices import INSIDE, OUTSIDE
from reknit.sim.entry import find_entry, function_of_entry, reached_functions
from reknit.sim.unstructured import says_where_lanes_meet, with_trees

OPEN: Final = "RK2501"
NAMES: Final = {OUTSIDE: "outer", INSIDE: "inner"}
"""How a reading is called in a verdict."""

BOTH: Final = "holds for both interpretations"

Pair = tuple[str, Module, Module]
"""A reading, "" where there is one alone, and both modules as trees."""


def pairs(before: Module, after: Module, entry: str) -> list[Pair]:
    """The readings to compare, the outer one first."""
    mine, is_open = as_trees(before, entry, OUTSIDE)
    theirs, other_open = as_trees(after, entry, OUTSIDE)
    if not is_open and not other_open:
        return [("", mine, theirs)]
    inner = as_trees(before, entry, INSIDE)[0] if is_open else mine
    other = as_trees(after, entry, INSIDE)[0] if other_open else theirs
    return [(OUTSIDE, mine, theirs), (INSIDE, inner, other)]


def as_trees(module: Module, entry: str, assume: str) -> tuple[Module, bool]:
    """A module in which the functions that an entry point reaches are trees, and whether the input leaves one open. It
    stays as it is where merge instructions of graphs say which invocations meet, and an operation depends on it."""
    reached = reached_functions(module, function_of_entry(find_entry(module, entry), True))
    flat = [each for each in reached if not each.structured and not each.is_declaration()]
    if not flat:
        return module, False
    tangled = Analyses(module).of_module(Tangled).functions
    chosen = [each for each in flat if each not in tangled or not says_where_lanes_meet(each)]
    trees, notes = with_trees(module, chosen, assume)
    return trees, any(note.code == OPEN for note in notes)


def proved_for(failing: list[str]) -> str:
    """Of a proof without a run that some readings have and others have not."""
    held = [name for reading, name in NAMES.items() if reading not in failing]
    return f"proved for the {held[0]} interpretation only" if held and failing else ""


def said(failing: list[str]) -> str:
    """For which readings a proof holds, where those in `failing` do not."""
    if not failing:
        return BOTH
    held = [name for reading, name in NAMES.items() if reading not in failing]
    return f"holds for the {held[0]} interpretation only" if held else "holds for neither interpretation"
