"""lower-continuing: where the code of a continuing part goes, and that the same lanes run it together.

The expected texts are derived by hand from the picture at the head of the pass (C16b, C17 and C18 of the conformance
list for control flow are in tests/spec/control-flow.md). The ballots come from the simulator.
"""

import pytest
from kit.random.trees import results
from kit.text.pass_texts import apply, body

from reknit.ir.block import Block
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function, print_module
from reknit.ir.tree import Loop
from reknit.ir.verify import verify
from reknit.ir.walk import constructs
from reknit.passes.lower_continuing import LOWER_CONTINUING
from reknit.passes.one_trip import runs_nothing

HEAD = """%v = Variable Function : ptr<Function, u32>
Store %v, 0u
%bit = BitwiseAnd %lane, 1u : u32
%odd = INotEqual %bit, 0u : bool
%low_ = ULessThan %lane, 9u : bool
"""
# `loop` is the header that every loop here has: three trips, counted in %v
TEST = "%i = Load %v : u32\n%done = UGreaterThanEqual %i, 3u : bool\nif %done nojoin { break @l }\n"
STEP = "%j = Load %v : u32\n%k = IAdd %j, 1u : u32\nStore %v, %k\n"
TAIL = "SEE 9\nreturn"

REWRITES = {
    "one way leads to it": (
        f"loop @l {{ {TEST} SEE 1\n }} continuing {{ SEE 2\n {STEP} }}\n",
        f"loop @l {{ {TEST} SEE 1\npad b1:\nSEE 2\n {STEP} }}\n",
    ),
    "a continue where the body ends leads there anyway": (
        f"loop @l {{ {TEST} SEE 1\ncontinue @l }} continuing {{ SEE 2\n {STEP} }}\n",
        f"loop @l {{ {TEST} SEE 1\npad b1:\nSEE 2\n {STEP} }}\n",
    ),
    "several ways lead to it": (
        f"loop @l {{ {TEST} if %odd {{ SEE 1\ncontinue @l }} SEE 2\n }} continuing {{ SEE 3\n {STEP} }}\n",
        f"loop @l {{ {TEST} scope @_1 {{ "
        f"if %odd {{ SEE 1\nbreak @_1 }} SEE 2\n }}\npad b1:\npad b2:\nSEE 3\n {STEP} }}\n",
    ),
    "who parts where nobody waits meets in it": (
        f"loop @l {{ {TEST} if %odd nojoin {{ SEE 1\n }} SEE 2\n }} continuing {{ SEE 3\n {STEP} }}\n",
        f"loop @l {{ {TEST} scope @_1 {{ "
        f"if %odd nojoin {{ SEE 1\n }} SEE 2\n }}\npad b1:\npad b2:\nSEE 3\n {STEP} }}\n",
    ),
    "a conditional back edge": (
        f"loop @l {{ SEE 1\n{STEP} }} continuing {{ SEE 2\n%c = UGreaterThan %k, 2u : bool\nif %c {{ break @l }} }}\n",
        f"loop @l {{ SEE 1\n{STEP} pad b1:\nSEE 2\n%c = UGreaterThan %k, 2u : bool\nif %c {{ break @l }} }}\n",
    ),
    "a loop in it": (
        f"loop @l {{ {TEST} SEE 1\n }} continuing {{ {STEP} loop @m {{ if %odd {{ break @m }} SEE 2\nbreak @m }} }}\n",
        f"loop @l {{ {TEST} SEE 1\npad b1:\n{STEP} loop @m {{ if %odd {{ break @m }} SEE 2\nbreak @m }} }}\n",
    ),
    "nothing continues": (
        "loop @l { if %odd { SEE 1\nbreak @l } SEE 2\nbreak @l } continuing { SEE 3\n }\n",
        "loop @l { if %odd { SEE 1\nbreak @l } SEE 2\nbreak @l }\n",
    ),
}

STAYS = {
    "an empty part": f"loop @l {{ {TEST} SEE 1\n{STEP} if %odd {{ continue @l }} SEE 2\n }}\n",
    "a loop that nothing leaves open": "loop @l { SEE 1\nbreak @l }\n",
}


@pytest.mark.parametrize("title", REWRITES)
def test_rewrite(title: str) -> None:
    text, expected = REWRITES[title]
    module = body(HEAD + text + TAIL)
    before = results(module)
    assert apply(module, LOWER_CONTINUING)[0]
    assert verify(module) == []
    assert print_function(module.functions[0]) == print_function(body(HEAD + expected + TAIL).functions[0])
    assert results(parse(print_module(module))) == before
    assert not apply(module, LOWER_CONTINUING)[0], "a second run finds nothing"


@pytest.mark.parametrize("title", STAYS)
def test_stays(title: str) -> None:
    module = body(HEAD + STAYS[title] + TAIL)
    assert not apply(module, LOWER_CONTINUING)[0]
    assert print_function(module.functions[0]) == print_function(body(HEAD + STAYS[title] + TAIL).functions[0])


def test_a_part_inside_another_that_nothing_reaches_goes_with_it() -> None:
    inner = "loop @m { if %odd nojoin { break @m } } continuing { SEE 2\n }"
    module = body(f"{HEAD}loop @l {{ SEE 1\nbreak @l }} continuing {{ {inner} }}\n{TAIL}")
    before = results(module)
    assert apply(module, LOWER_CONTINUING)[0] and verify(module) == []
    assert [type(construct) for construct in constructs(module.functions[0])] == [Loop]
    assert results(module) == before


PHIS = """
start:
loop @l {
head:
  %i = Phi 0u start, %n latch : u32
  %s = Phi 0u start, %t latch : u32
  %done = UGreaterThanEqual %i, 3u : bool
  if %done nojoin {
  leave:
    break @l
  }
  if %odd {
  b1:
    %a = IAdd %s, %lane : u32
    SEE 1
    continue @l
  }
  SEE 2
b2:
} continuing {
latch:
  %t = Phi %a b1, %i b2 : u32
  %n = IAdd %i, 1u : u32
  SEE 3
}
end:
%r = Phi %s leave : u32
Store %slot, %r
"""


def test_phis_stand_where_their_ways_lead() -> None:
    module = body(HEAD + PHIS + TAIL)
    before = results(module)
    assert apply(module, LOWER_CONTINUING)[0]
    assert verify(module) == [] and results(parse(print_module(module))) == before
    loop = next(found for found in constructs(module.functions[0]) if isinstance(found, Loop))
    assert runs_nothing(loop.continuing)
    for phi in loop.body.entry().phis():
        assert phi.operands[3] is loop.continuing.entry()
    blocks = [node for node in loop.body if isinstance(node, Block)]
    (after,) = [block for block in blocks if any(phi.name == "t" for phi in block.phis())]
    assert [type(node).__name__ for node in (after.prev, after.next)] == ["Scope", "Block"]


def test_a_header_that_continues_itself_keeps_its_phi_first() -> None:
    """The first block of the body ends in `continue`, dead code stands behind it: the scope starts with the loop."""
    text = """
start:
loop @l {
head:
  %i = Phi 0u start, %n back : u32
  SEE 1
  continue @l
pad dead:
  continue @l
} continuing {
latch:
  %n = IAdd %i, 1u : u32
  SEE 2
  %c = UGreaterThan %n, 2u : bool
  if %c { break @l }
back:
}
"""
    module = body(HEAD + text + TAIL)
    before = results(module)
    assert apply(module, LOWER_CONTINUING)[0] and verify(module) == []
    assert results(module) == before
