"""lower-continuing: phis and dead code, which its document doesn't show; the ballots come from the simulator."""

from kit.proving import assert_refines
from kit.text.pass_texts import apply, body

from reknit.ir.block import Block
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
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
TAIL = "SEE 9\nreturn"


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
    before = module.copy()
    assert apply(module, LOWER_CONTINUING)[0]
    assert verify(module) == []
    assert_refines(before, parse(print_module(module)))
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
    before = module.copy()
    assert apply(module, LOWER_CONTINUING)[0] and verify(module) == []
    assert_refines(before, module)
