"""The analysis manager: computed once, dropped by edits, kept when promised."""

from pass_texts import body

from reknit.analysis.callgraph import CallGraph
from reknit.analysis.dominance import Dominance
from reknit.analysis.manager import Analyses
from reknit.analysis.order import Order
from reknit.ir.edit import split_after

TEXT = "%x = IAdd %lane, 1u : u32\nStore %slot, %x\nreturn"


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


def test_a_new_version_drops_all() -> None:
    module = body(TEXT)
    analyses = Analyses(module)
    function = module.functions[0]
    order = analyses.ask(Order, function)
    function.version += 1
    assert analyses.ask(Order, function) is not order


def test_promises_are_compared() -> None:
    module = body(TEXT)
    analyses = Analyses(module)
    function = module.functions[0]
    analyses.ask(Dominance, function)
    assert analyses.broken_promises(function) == []
    split_after(function.entry(), function.entry().first)
    analyses.changed(function, ("dominance",))
    assert analyses.broken_promises(function) == ["dominance"]
