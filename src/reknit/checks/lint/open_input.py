"""Functions without structure: what their graph says by itself, and what it leaves open.

    nothing is open                                 judged as the tree that `structurize` makes of it
    a loop that the input says nothing of           RK2501, for each: an operation behind it may belong to it
    merge instructions, and still unstructured      RK3009: no rule speaks of it

Everything that runs, proves or compiles such a function takes it as the tree that `structurize` makes of it; where two
trees have the same graph, what is meant isn't said.
"""

from reknit.analysis.manager import Analyses
from reknit.checks.lint.codes import OPEN
from reknit.ir.function import Function
from reknit.ir.jump import Branch
from reknit.ir.module import Module
from reknit.passes.structurize.open_choices import OUTSIDE
from reknit.sim.unstructured import Scratch, make_tree, unstructured
from reknit.source.diagnostic import WARNING, Diagnostic


def make_trees(module: Module) -> None:
    """Make trees of the functions of which the graph leaves nothing open."""
    scratch: Scratch | None = None
    analyses = Analyses(module)
    for function in module.functions:
        if function.structured or function.is_declaration():
            continue
        if any(isinstance(block.jump, Branch) and block.jump.merge is not None for block in function.blocks):
            continue
        if scratch is None:
            scratch = Scratch(module)
        if any(note.code == OPEN for note in scratch.structurized(function, OUTSIDE)):
            continue
        make_tree(function, analyses, OUTSIDE)


def open_input(module: Module) -> list[tuple[Diagnostic, Function]]:
    """A finding for each loop that the input leaves open, with its function."""
    findings: list[tuple[Diagnostic, Function]] = []
    flat = unstructured(module, list(module.functions))
    scratch = Scratch(module) if flat else None
    for function in flat:
        assert scratch is not None
        for note in scratch.structurized(function, OUTSIDE):
            if note.code == OPEN:
                said = Diagnostic(note.code, note.message, note.place, WARNING, note.notes, note.help)
                findings.append((said, function))
    return findings
