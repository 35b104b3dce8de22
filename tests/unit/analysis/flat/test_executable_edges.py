"""What values known beforehand tell of branches, and bits of what is known in part.

    x & 4 == 1    never        i = 0; loop { i < 8 ... i = i + 1 }   somebody leaves, somebody stays
"""

from collections.abc import Callable

import pytest
from kit.text.flat_texts import flat

from reknit.analysis.flat.executable_edges import ExecutableEdges
from reknit.analysis.flat.flow import Flow
from reknit.analysis.known_bits import Bits, computed
from reknit.analysis.manager import Analyses
from reknit.ir import op
from reknit.passes.contract import Context
from reknit.passes.promote_variables import promote_variables

WIDTH = 3
ALL = [Bits(WIDTH, may, must) for may in range(8) for must in range(8) if must & ~may == 0]
Meaning = Callable[[int, int], int | None]
MEANT: dict[int, Meaning] = {
    op.BitwiseAnd: lambda a, b: a & b,
    op.BitwiseOr: lambda a, b: a | b,
    op.BitwiseXor: lambda a, b: a ^ b,
    op.IAdd: lambda a, b: (a + b) % 8,
    op.ISub: lambda a, b: (a - b) % 8,
    op.IMul: lambda a, b: a * b % 8,
    op.UDiv: lambda a, b: a // b if b else None,
    op.UMod: lambda a, b: a % b if b else None,
    op.ShiftLeftLogical: lambda a, b: (a << b) % 8 if b < WIDTH else None,
    op.ShiftRightLogical: lambda a, b: a >> b if b < WIDTH else None,
    op.IEqual: lambda a, b: int(a == b),
    op.INotEqual: lambda a, b: int(a != b),
    op.ULessThan: lambda a, b: int(a < b),
    op.ULessThanEqual: lambda a, b: int(a <= b),
    op.UGreaterThan: lambda a, b: int(a > b),
    op.UGreaterThanEqual: lambda a, b: int(a >= b),
    op.SLessThan: lambda a, b: int((a ^ 4) < (b ^ 4)),
    op.SGreaterThanEqual: lambda a, b: int((a ^ 4) >= (b ^ 4)),
}
TESTS = (op.IEqual, op.INotEqual, op.ULessThan, op.ULessThanEqual, op.UGreaterThan, op.UGreaterThanEqual,
         op.SLessThan, op.SGreaterThanEqual)  # fmt: skip


@pytest.mark.parametrize("code", MEANT)
def test_no_number_is_ruled_out_that_can_be(code: int) -> None:
    """All pairs of what can be known of numbers of three bits, with all numbers that they can be."""
    exact = 0
    for a in ALL:
        for b in ALL:
            found = computed(code, 1 if code in TESTS else WIDTH, [a, b])
            exact += found.is_exact()
            for x in range(8):
                for y in range(8):
                    if a.can_be(x) and b.can_be(y):
                        result = MEANT[code](x, y)
                        assert result is None or found.can_be(result), (x, y)
    assert exact > len(ALL), "something is known of more than constants"


def taken(text: str) -> dict[str, list[str]]:
    """By block that somebody runs: the blocks that somebody goes to from there."""
    module = flat(text)
    function = module.functions[-1]
    promote_variables(function, Context(module, Analyses(module), {}))
    flow = Flow(function.blocks)
    found = ExecutableEdges(flow)
    names = [block.name for block in flow.blocks]
    rows = zip(names, found.targets, found.reached, strict=True)
    return {name: sorted(names[target] for target in row) for name, row, reached in rows if reached}


def test_an_impossible_branch_and_what_is_behind_it() -> None:
    """Bit 0 of what has bits 1 and 2 alone isn't set; `never` has no way in then, and `done` has one."""
    text = """
  %bits = BitwiseAnd %lane 6u : u32
  %odd = IEqual %bits 1u : bool
  BranchConditional %odd %never %usual
%never:
  Branch %done
%usual:
  Branch %done
%done:
  return
"""
    assert taken(text) == {"first": ["usual"], "usual": ["done"], "done": []}


COUNTER = """
  %v = Variable Function : ptr<Function, u32>
  Store %v 0u
  Branch %head
%head:
  %i = Load %v : u32
  %c = UGreaterThanEqual %i 5u : bool
  BranchConditional %c %left %latch
%latch:
  %j = IAdd %i 1u : u32
  Store %v %j
  Branch %head
%left:
  return
"""


def test_a_loop_is_run_until_it_is_left() -> None:
    """At first i is 0, and nobody leaves; what comes back makes the way out one that is taken."""
    assert taken(COUNTER) == {"first": ["head"], "head": ["latch", "left"], "latch": ["head"], "left": []}
    left_at_once = COUNTER.replace("5u : bool", "0u : bool")
    assert taken(left_at_once) == {"first": ["head"], "head": ["left"], "left": []}


def test_a_switch_has_the_cases_that_its_selector_can_be() -> None:
    text = """
  %bits = BitwiseAnd %lane 2u : u32
  Switch %bits %other 0 %zero 1 %one 2 %two
%zero:
  return
%one:
  return
%two:
  return
%other:
  return
"""
    assert taken(text)["first"] == ["other", "two", "zero"]
    constant = text.replace("%lane 2u", "3u 2u")
    assert taken(constant) == {"first": ["two"], "two": []}
