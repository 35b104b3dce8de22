"""Reachability: with and without back edges, and its limit; analyses that come with options."""

import pytest
from kit.text.pass_texts import body

from reknit.analysis import reach
from reknit.analysis.manager import Analyses
from reknit.analysis.order import Order
from reknit.analysis.reach import ALL, FORWARD, Reachability, reaching_rows
from reknit.analysis.uniformity.uniformity import Uniformity
from reknit.source.diagnostic import InputError

LOOP = """%c = ULessThan %lane, 4u : bool
loop @l {
head:
if %c nojoin { break @l }
} continuing {
pad latch:
}
return"""


def test_back_edges_count_or_not() -> None:
    module = body(LOOP)
    analyses = Analyses(module)
    function = module.functions[0]
    block = {each.name: each for each in analyses.ask(Order, function).blocks}
    everything = analyses.ask_with(Reachability, function, ALL)
    forward = analyses.ask_with(Reachability, function, FORWARD)
    assert everything.reaches(block["latch"], block["head"]) and not forward.reaches(block["latch"], block["head"])
    assert forward.reaches(block["head"], block["latch"]) and forward.reaches(block["head"], block["head"])
    assert not everything.reaches(block["head"], function.entry())


def test_a_deep_graph_needs_no_recursion() -> None:
    count = 5000
    rows = reaching_rows([[node + 1] if node + 1 < count else [] for node in range(count)])
    assert [row.bit_count() for row in rows[:3]] == [count, count - 1, count - 2]


def test_too_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    module = body(LOOP)
    count = len(Analyses(module).ask(Order, module.functions[0]).blocks)
    if reach.__file__.endswith(".py"):  # compiled, the limit is a constant
        monkeypatch.setattr(reach, "LIMIT", count - 1)
        with pytest.raises(InputError) as caught:
            Analyses(module).ask_with(Reachability, module.functions[0], ALL)
        assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["RK2301"]


def test_options_are_part_of_the_key() -> None:
    module = body(LOOP)
    analyses = Analyses(module)
    function = module.functions[0]
    first = analyses.ask_with(Reachability, function, ALL)
    assert analyses.ask_with(Reachability, function, ALL) is first
    assert analyses.ask_with(Reachability, function, FORWARD) is not first
    subgroup = analyses.of_module_with(Uniformity, "subgroup")
    assert analyses.of_module_with(Uniformity, "subgroup") is subgroup
    assert analyses.of_module_with(Uniformity, "quad") is not subgroup
    analyses.changed(function, ("reachability", "uniformity"))
    assert analyses.ask_with(Reachability, function, ALL) is first
    assert analyses.of_module_with(Uniformity, "subgroup") is subgroup
    assert analyses.broken_promises(function) == []
    function.touch()
    assert analyses.ask_with(Reachability, function, ALL) is not first
    assert analyses.of_module_with(Uniformity, "subgroup") is not subgroup


def test_broken_promises_are_found_with_options() -> None:
    from reknit.ir.edit import split_after

    module = body(LOOP)
    analyses = Analyses(module)
    function = module.functions[0]
    analyses.ask_with(Reachability, function, ALL)
    analyses.of_module_with(Uniformity, "subgroup")
    split_after(function.entry(), function.entry().first)
    analyses.changed(function, ("reachability", "uniformity"))
    assert sorted(analyses.broken_promises(function)) == ["reachability", "uniformity"]


def test_scopes() -> None:
    module = body(LOOP)
    for scope in ("wave", "cluster(3)", "cluster(0)", "cluster(0x)", ""):
        with pytest.raises(InputError) as caught:
            Analyses(module).of_module_with(Uniformity, scope)
        assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["RK2302"]
