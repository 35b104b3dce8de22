"""Rewriting a program by hand: places, edits that leave everything right, and a builder for new code.

    from reknit import edit

    place = edit.before_node(loop)                        a cursor
    edit.insert_instr(m, place, instr)                    one thing in, one thing out, one thing elsewhere
    code = edit.extract(m, place, edit.after_node(loop))  a stretch of code out ...
    edit.reinsert(m, code, edit.region_start(arm))        ... and in again elsewhere, or `delete`
    b = edit.Builder(m, block)                            new code, from a block's end on

Every function here leaves users, jumps and phis right, or refuses with `EditRefused` and has changed nothing. Code that
was taken out can be edited like any other. What a value moved to where it isn't known is mended by `repair`. The verbs
underneath, which move one link each and check nothing, are in `reknit.ir.edit`.
"""

from reknit.ir.build import Builder, new_block, new_function
from reknit.ir.cfg import predecessors, successors
from reknit.ir.clone import clone, clone_and_reinsert, clone_function, clone_range
from reknit.ir.cursor import (
    Cursor,
    after_instr,
    after_node,
    after_phis,
    at_end,
    at_head,
    before_instr,
    before_node,
    before_use,
    behind_jump,
    function_end,
    function_start,
    region_end,
    region_start,
    same_place,
)
from reknit.ir.edit import replace_uses, set_condition, set_selector
from reknit.ir.extract import FloatingList, delete, extract, list_extract, move, reinsert, remove_node
from reknit.ir.function import Function
from reknit.ir.insert import insert_instr, insert_node, move_instr, remove_instr
from reknit.ir.jump import Break, Continue, Exit, Fallthrough, Jump
from reknit.ir.jumps import end_block, insert_jump, split
from reknit.ir.module import Module
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.source.diagnostic import EditRefused

__all__ = [
    "Break",
    "Builder",
    "Case",
    "Construct",
    "Continue",
    "Cursor",
    "EditRefused",
    "Exit",
    "Fallthrough",
    "FloatingList",
    "If",
    "Jump",
    "Loop",
    "Region",
    "Scope",
    "Switch",
    "after_instr",
    "after_node",
    "after_phis",
    "at_end",
    "at_head",
    "before_instr",
    "before_node",
    "before_use",
    "behind_jump",
    "clone",
    "clone_and_reinsert",
    "clone_function",
    "clone_range",
    "delete",
    "end_block",
    "extract",
    "function_end",
    "function_start",
    "insert_instr",
    "insert_jump",
    "insert_node",
    "list_extract",
    "move",
    "move_instr",
    "new_block",
    "new_function",
    "predecessors",
    "region_end",
    "region_start",
    "reinsert",
    "remove_instr",
    "remove_node",
    "repair",
    "replace_uses",
    "same_place",
    "set_condition",
    "set_selector",
    "split",
    "successors",
]


def repair(module: Module, function: Function) -> bool:
    """Make phis where a definition no longer dominates its uses, undefined where none reaches; whether it had to.

    In a pass, `reknit.passes.repair.repair` does the same with the analyses that there are.
    """
    from reknit.analysis.manager import Analyses
    from reknit.passes.contract import Context
    from reknit.passes.repair import repair as repaired

    return repaired(function, Context(module, Analyses(module), {}))
