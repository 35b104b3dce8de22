"""One level at a time: what the document doesn't show, a continuing part that is left, and what is used outside."""

import pytest
from kit import oracles
from kit.programs.switches import digits, main, shader
from kit.random.trees import program

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.printer import print_function
from reknit.ir.tree import Case, Construct, Region
from reknit.ir.value import Node
from reknit.ir.walk import blocks, constructs, nodes
from reknit.passes.crossed import crossed_construct
from reknit.passes.eliminate_multi_level_breaks import Spans
from reknit.passes.manager import run_passes
from reknit.spirv.write import write_module

PASSES = "eliminate-phis, eliminate-multi-level-breaks"
COUNTER = "%i = Variable Function : ptr<Function, u32>\n%j = Variable Function : ptr<Function, u32>"


def lowered(module: Module) -> str:
    run_passes(module, PASSES)
    assert [block for block in blocks(main(module)) if crossed_construct(block) is not None] == []
    text = print_function(main(module))
    accepted, message = oracles.validate(write_module(module))
    assert accepted, message
    return text


def counted(name: str, variable: str, trips: int, body: str, last: str = "") -> str:
    """A loop of that many trips around `body`; `last` stands in its continuing part."""
    return f"""
    Store %{variable}, 0u
    loop @{name} {{
      %{name}_n = Load %{variable} : u32
      %{name}_c = UGreaterThanEqual %{name}_n, {trips}u : bool
      if %{name}_c nojoin {{
        break @{name}
      }}
{body}
    }} continuing {{
{last}
      %{name}_o = Load %{variable} : u32
      %{name}_p = IAdd %{name}_o, 1u : u32
      Store %{variable}, %{name}_p
    }}
    """


def when(name: str, value: int, jump: str) -> str:
    return f"""
    %{name} = IEqual %pick, {value}u : bool
    if %{name} {{
      {jump}
    }}
    """


@pytest.mark.parametrize("jump, seen", [("break @a", "f"), ("return", "0")])
def test_what_leaves_from_a_continuing_part(jump: str, seen: str) -> None:
    """A continue construct can be left at its end alone, so the part moves to the end of the body."""
    ends = "END\nreturn" if jump == "return" else jump
    inner = counted("b", "j", 2, "SEE\n", when("c", 1, ends) + "SEE\n")
    module = shader(counted("a", "i", 1, inner), head=COUNTER)
    before = digits(module, [0], [0, 1, 0, 0])
    # by hand: a first trip together (f), then column 1 leaves; the others finish it, and make another (d, d, d)
    others = "fddd" + ("d" if jump == "return" else "f")
    assert before == [[others, "f" + seen if seen != "0" else "f", others, others]]
    lowered(module)
    assert digits(module, [0], [0, 1, 0, 0]) == before


@pytest.mark.parametrize("seed", range(12))
def test_what_is_used_outside_of_a_construct(seed: int) -> None:
    """Against the definition: some construct around the value, of those that are left, is not around a user."""
    for function in program(seed).functions:
        every = {construct: around(construct.region) for construct in constructs(function)}
        chosen = dict.fromkeys(list(every)[seed % 3 :: 2])
        spans = Spans(function, chosen)
        for block in [node for node in nodes(function) if isinstance(node, Block)]:
            holders = [one for one in around(block.region) if one in chosen]
            assert (spans.holders.get(block) in holders) is bool(holders)
            for instr in block:
                users = [user.block if isinstance(user, Instr) else user for user in instr.users]
                wanted = any(
                    holder not in around(user.region) for holder in holders for user in users if isinstance(user, Node)
                )
                assert (bool(holders) and spans.is_used_outside(instr, spans.holders[block])) is wanted


def around(region: Region | None) -> list[Construct]:
    found: list[Construct] = []
    while region is not None and not isinstance(region.owner, Function):
        owner = region.owner.switch if isinstance(region.owner, Case) else region.owner
        assert isinstance(owner, Construct)
        found.append(owner)
        region = owner.region
    return found
