"""The analysis manager: computed once, dropped by edits, kept when promised."""

import pytest
from kit.random.trees import program
from kit.text.pass_texts import body

from reknit.analysis.callgraph import CallGraph
from reknit.analysis.decorations import Decorations
from reknit.analysis.dominance import Dominance
from reknit.analysis.manager import Analyses
from reknit.analysis.order import Order
from reknit.analysis.uses import Uses
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.build import new_block
from reknit.ir.clone import clone_function
from reknit.ir.constants import bool_constant
from reknit.ir.edit import append_node, clear_jump, insert_after, move_run, set_jump, split_after
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break
from reknit.ir.stitch import join
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.tree import Construct, If, Scope
from reknit.ir.value import Node
from reknit.ir.walk import nodes
from reknit.passes.manager import run_passes
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

TEXT = "%x = IAdd %lane, 1u : u32\nStore %slot, %x\nreturn"

FLAT = """func @main(%c: bool) -> void flat {
%entry:
  Branch %a
%a:
  BranchConditional %c %b %c1
%b:
  return
%c1:
  return
}"""


def test_an_analysis_is_computed_once() -> None:
    module = body(TEXT)
    analyses = Analyses(module)
    function = module.functions[0]
    first = analyses.ask(Dominance, function)
    assert analyses.ask(Dominance, function) is first
    assert analyses.ask(Order, function) is first.order
    assert analyses.of_module(CallGraph) is analyses.of_module(CallGraph)


def test_an_edit_drops_what_is_not_kept() -> None:
    module = body(TEXT)
    analyses = Analyses(module)
    function = module.functions[0]
    dominance = analyses.ask(Dominance, function)
    calls = analyses.of_module(CallGraph)
    split_after(function.entry(), function.entry().first)
    analyses.changed(function, ("call-graph",))
    assert analyses.of_module(CallGraph) is calls
    fresh = analyses.ask(Dominance, function)
    assert fresh is not dominance
    assert len(fresh.order.blocks) == len(dominance.order.blocks) + 1


def test_an_edit_by_other_means_drops_all() -> None:
    module = body(TEXT)
    analyses = Analyses(module)
    function = module.functions[0]
    order = analyses.ask(Order, function)
    function.touch()
    assert analyses.ask(Order, function) is not order


def test_in_the_middle_of_an_edit_nothing_is_stale() -> None:
    """Nobody calls `changed`: the verbs count."""
    module = body(TEXT)
    analyses = Analyses(module)
    function = module.functions[0]
    order = analyses.ask(Order, function)
    rest = split_after(function.entry(), function.entry().first)
    fresh = analyses.ask(Order, function)
    assert fresh is not order
    assert fresh.blocks == [function.entry(), rest]
    assert analyses.ask(Dominance, function).immediate(rest) is function.entry()


def test_instructions_are_no_control_flow() -> None:
    """A new instruction leaves dominators as they are, and changes who uses what."""
    module = body(TEXT)
    analyses = Analyses(module)
    function = module.functions[0]
    add = next(instr for instr in function.entry() if instr.op == op.IAdd)
    dominance = analyses.ask(Dominance, function)
    uses = analyses.ask(Uses, function)
    assert len(uses.of(add)) == 1
    insert_after(add, Instr(op.IAdd, add.type, [add, add]))
    assert analyses.ask(Dominance, function) is dominance
    assert len(analyses.ask(Uses, function).of(add)) == 3
    lane = add.value(0)
    count = len(analyses.ask(Uses, function).of(lane))
    add.set_operand(0, add.operands[1])
    assert len(analyses.ask(Uses, function).of(lane)) == count - 1
    assert analyses.ask(Dominance, function) is dominance


def test_a_branch_of_a_flat_function_is_control_flow() -> None:
    """entry -> a -> b, c; the branch in a is turned from b to c."""
    module = parse(FLAT)
    function = module.functions[0]
    analyses = Analyses(module)
    _, a, b, c = function.blocks
    assert analyses.ask(Dominance, function).immediate(b) is a
    jump = a.jump
    assert isinstance(jump, Branch)
    jump.instr.set_operand(1, c)
    order = analyses.ask(Order, function)
    assert not order.reached[order.number[b]]


def test_what_was_found_out_on_the_way_is_not_kept() -> None:
    """A pass that keeps dominance may break it for a while: only the answer from its beginning comes back."""
    module = body(TEXT)
    analyses = Analyses(module)
    function = module.functions[0]
    before = analyses.ask(Dominance, function)
    analyses.begins(function)
    first = function.entry()
    last = first.last
    rest = split_after(first, first.first)
    on_the_way = analyses.ask(Dominance, function)
    assert on_the_way is not before
    assert join(first) is first
    assert rest.region is None and first.last is last
    analyses.changed(function, ("dominance", "order"))
    after = analyses.ask(Dominance, function)
    assert after is not on_the_way
    assert analyses.broken_promises(function) == []
    analyses.begins(function)
    append_node(function.body, Block())
    analyses.changed(function, ("dominance",))
    assert analyses.ask(Dominance, function) is after  # kept, though that was a lie
    assert analyses.broken_promises(function) == ["dominance"]


def test_a_modules_answer_follows_the_edit_going_on() -> None:
    module = body(TEXT)
    analyses = Analyses(module)
    function = module.functions[0]
    calls = analyses.of_module(CallGraph)
    decorations = analyses.of_module(Decorations)
    analyses.begins(function)
    assert analyses.of_module(CallGraph) is calls
    split_after(function.entry(), function.entry().first)
    assert analyses.of_module(CallGraph) is not calls
    assert analyses.of_module(Decorations) is decorations  # says nothing of functions
    analyses.changed(function, ())
    assert analyses.of_module(Decorations) is not decorations


def all_nodes(function: Function) -> list[Node]:
    return [*nodes(function), *function.blocks]


@pytest.mark.parametrize("seed", range(30))
def test_every_part_knows_its_function(seed: int) -> None:
    """Else an edit would count nowhere: after building, reading, parsing, cloning, and the passes of a pipeline."""
    built = program(seed)
    again = parse(print_module(built))
    for function in list(again.functions):
        if not function.is_declaration():
            clone_function(again, function, function.name + "_twin")
    run_passes(built, "declare-reconvergence, reconverge")  # groupings get a merge: SPIR-V has none
    read = read_module(write_module(built))
    for module in (built, again, read):
        for function in module.functions:
            for node in all_nodes(function):
                assert node.function is function
                if isinstance(node, Construct):
                    assert all(region.function is function for region in node.regions())


def test_code_built_from_the_inside_out_becomes_the_functions_at_once() -> None:
    module = body(TEXT)
    function = module.functions[0]
    condition = bool_constant(module, True)
    inner = If(condition)
    for region in inner.regions():
        new_block(region)
    outer = If(condition)
    new_block(outer.then)
    append_node(outer.then, inner)
    new_block(outer.then)
    new_block(outer.orelse)
    assert inner.function is None and inner.then.entry().function is None
    count = function.control_edits
    set_jump(inner.then.entry(), Break(outer))
    assert function.control_edits == count  # no part of it yet
    append_node(function.body, outer)
    append_node(function.body, Block("", True))
    assert inner.then.entry().function is function and inner.orelse.function is function
    count = function.control_edits
    clear_jump(inner.then.entry())
    assert function.control_edits > count


def test_parts_of_a_function_moved_into_a_new_construct_stay_its_own() -> None:
    module = body(TEXT)
    function = module.functions[0]
    rest = split_after(function.entry(), function.entry().first)
    scope = Scope()
    assert scope.body.function is None
    move_run(rest, rest, scope.body)
    assert scope.body.function is function
    append_node(function.body, scope)
    append_node(function.body, Block("", True))
    assert scope.function is function and rest.function is function


def test_promises_are_compared() -> None:
    module = body(TEXT)
    analyses = Analyses(module)
    function = module.functions[0]
    analyses.ask(Dominance, function)
    assert analyses.broken_promises(function) == []
    split_after(function.entry(), function.entry().first)
    analyses.changed(function, ("dominance",))
    assert analyses.broken_promises(function) == ["dominance"]
