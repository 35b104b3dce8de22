"""Functions without structure: what their graph says by itself, and what it leaves open.

    one path from the entry to the end              judged as the tree that it is
    a loop that the input says nothing of           RK2501, for each: an operation behind it may belong to it

Everything that runs, proves or compiles such a function takes it as the tree that `structurize` makes of it; where two
trees have the same graph, what is meant isn't said.
"""

from reknit.analysis.manager import Analyses
from reknit.checks.lint.codes import OPEN
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.passes.contract import Context
from reknit.passes.structurize.open_choices import OUTSIDE
from reknit.passes.structurize.structurize import NESTING, structurize
from reknit.sim.unstructured import unstructured, with_trees
from reknit.source.diagnostic import WARNING, Diagnostic


def follow_single_paths(module: Module) -> None:
    """Make trees of the functions that have one path."""
    for function in module.functions:
        if not function.structured and not function.is_declaration() and _has_one_path(function):
            structurize(function, Context(module, Analyses(module), {"assume": OUTSIDE, "nesting": NESTING}))


def _has_one_path(function: Function) -> bool:
    """Whether each block leads to one other, and none back."""
    seen: dict[Block, None] = {}
    block = function.blocks[0]
    while True:
        if block in seen:
            return False
        seen[block] = None
        following = list(dict.fromkeys(successors(block)))
        if len(following) != 1:
            return not following
        block = following[0]


def open_input(module: Module) -> list[tuple[Diagnostic, Function]]:
    """A finding for each loop that the input leaves open, with its function."""
    findings: list[tuple[Diagnostic, Function]] = []
    for function in unstructured(module, list(module.functions)):
        for note in with_trees(module, [function], OUTSIDE)[1]:
            if note.code == OPEN:
                said = Diagnostic(note.code, note.message, note.place, WARNING, note.notes, note.help)
                findings.append((said, function))
    return findings
