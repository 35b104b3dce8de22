"""Constructs and Uses: where blocks stand, and where values are used."""

from kit.random.trees import program
from kit.text.pass_texts import body

from reknit.analysis.constructs import Constructs
from reknit.analysis.manager import Analyses
from reknit.analysis.order import Order
from reknit.analysis.uses import Uses
from reknit.ir import op
from reknit.ir.tree import Case, Construct, If
from reknit.ir.walk import constructs, instructions

TEXT = """%c = ULessThan %lane, 4u : bool
if %c {
pad a:
  loop @l {
  head:
    break @l
  }
pad b:
} else {
pad d:
}
pad e:
%x = Phi 1u b, %lane d : u32
%y = IAdd %x, %x : u32
Store %slot, %y
return"""


def test_where_blocks_stand() -> None:
    module = body(TEXT)
    analyses = Analyses(module)
    function = module.functions[0]
    found = analyses.ask(Constructs, function)
    block = {each.name: each for each in analyses.ask(Order, function).blocks if each.name}
    outer, inner = constructs(function)
    assert [found.innermost(block[name]) for name in ("a", "head", "b", "d", "e")] == [outer, inner, outer, outer, None]
    assert [found.depth(block[name]) for name in ("a", "head", "e")] == [1, 2, 0]
    assert found.contains(outer, block["head"]) and not found.contains(inner, block["b"])
    assert not found.contains(outer, block["e"])
    assert [each.name for each in found.blocks(outer) if each.name] == ["a", "head", "b", "d"]


def test_spans_are_what_stands_inside() -> None:
    """By the definition: going up from a block, one comes by the construct."""
    module = program(4)
    analyses = Analyses(module)
    function = module.functions[0]
    found = analyses.ask(Constructs, function)
    for block in analyses.ask(Order, function).blocks:
        around: list[Construct] = []
        region = block.region
        while region is not None and region.owner is not function:
            owner = region.owner.switch if isinstance(region.owner, Case) else region.owner
            assert isinstance(owner, Construct)
            around.append(owner)
            region = owner.region
        assert found.depth(block) == len(around)
        assert found.innermost(block) is (around[0] if around else None)
        for construct in constructs(function):
            assert found.contains(construct, block) == (construct in around)


def test_uses() -> None:
    module = body(TEXT)
    function = module.functions[0]
    values = {instr.name: instr for instr in instructions(function) if instr.name}
    uses = Analyses(module).ask(Uses, function)
    (branch,) = uses.of(values["c"])
    assert isinstance(branch.user, If) and branch.block is function.entry() and branch.value() is values["c"]
    in_phi = [use for use in uses.of(values["lane"]) if use.user is values["x"]]
    assert [(use.index, use.block.name) for use in in_phi] == [(2, "d")], "at the end of the block that it comes from"
    assert [(use.user, use.index) for use in uses.of(values["x"])] == [(values["y"], 0), (values["y"], 1)]
    (store,) = uses.of(values["y"])
    assert store.block.name == "e" and store.index == 1


def test_every_user_is_found() -> None:
    """`Value.users` counts the same, kept by the edits of the tree."""
    module = program(2)
    function = module.functions[0]
    uses = Analyses(module).ask(Uses, function)
    for instr in instructions(function):
        if instr.has_result and instr.op != op.FunctionCall:
            counted: dict[object, int] = {}
            for use in uses.of(instr):
                counted[use.user] = counted.get(use.user, 0) + 1
            assert counted == instr.users
