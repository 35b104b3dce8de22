"""LoopForest, NaturalLoops and PostDominance on loops whose answers are read off the text."""

import random

from kit.random.trees import program
from kit.text.pass_texts import body

from reknit.analysis.loops import BREAK, LEAVE, OUTWARD, LoopForest
from reknit.analysis.manager import Analyses
from reknit.analysis.natural_loops import NaturalLoops, natural_loops
from reknit.analysis.order import Order
from reknit.analysis.post_dominance import PostDominance
from reknit.ir.block import Block
from reknit.ir.module import Module

NESTED = """%c = ULessThan %lane, 4u : bool
loop @outer {
head:
  loop @inner {
  first:
    if %c nojoin {
    pad out:
      break @outer
    }
  pad second:
    if %c nojoin {
    pad gone:
      return
    }
  pad third:
    if %c nojoin {
    pad done:
      break @inner
    }
  pad fourth:
    if %c nojoin {
    pad again:
      continue @outer
    }
  } continuing {
  pad back:
  }
pad rest:
} continuing {
pad latch:
}
pad after:
return"""


def named(module: Module, name: str) -> Block:
    order = Analyses(module).ask(Order, module.functions[0])
    return next(block for block in order.blocks if block.name == name)


def test_loops_of_a_tree() -> None:
    module = body(NESTED)
    forest = Analyses(module).ask(LoopForest, module.functions[0])
    outer, inner = forest.loops
    assert (outer.header.name, inner.header.name) == ("head", "first")
    assert outer.parent is None and inner.parent is outer and outer.children == [inner]
    assert (outer.depth, inner.depth) == (1, 2)
    assert [latch.name for latch in outer.latches] == ["latch"]
    assert outer.continuing is named(module, "latch") and inner.continuing is named(module, "back")
    kinds = {leaving.source.name: leaving.kind for leaving in inner.exits}
    assert kinds == {"out": OUTWARD, "gone": LEAVE, "done": BREAK, "again": OUTWARD}
    targets = {leaving.source.name: leaving.target.name for leaving in inner.exits if leaving.target is not None}
    assert targets == {"out": "after", "done": "rest", "again": "latch"}
    assert {leaving.source.name: leaving.kind for leaving in outer.exits} == {"out": BREAK, "gone": LEAVE}
    assert forest.innermost[named(module, "done")] is inner, "a block that breaks is of the loop"
    assert forest.innermost[named(module, "rest")] is outer
    assert named(module, "after") not in forest.innermost
    inside = forest.all_blocks(outer)
    assert named(module, "back") in inside and named(module, "after") not in inside


def test_latches_and_headers_are_those_of_the_graph() -> None:
    """The tree's loops that go back are the graph's natural loops."""
    for seed in range(10):
        module = program(seed)
        analyses = Analyses(module)
        function = module.functions[0]
        order = analyses.ask(Order, function)
        found = natural_loops(order.successors)
        reached = dict(zip(found.header, found.latches, strict=True))
        for loop in analyses.ask(LoopForest, function).loops:
            header = order.number[loop.header]
            if not order.reached[header]:
                continue
            back = [order.number[latch] for latch in loop.latches if order.reached[order.number[latch]]]
            assert sorted(reached.get(header, [])) == sorted(back)
        assert not any(found.irreducible)


def test_post_dominance_in_a_loop() -> None:
    """The latch of `inner` goes to where its exits meet again, and one of them is a return: nowhere."""
    module = body(NESTED)
    post = Analyses(module).ask(PostDominance, module.functions[0])
    assert post.immediate(named(module, "rest")) is named(module, "latch")
    assert post.immediate(named(module, "again")) is named(module, "latch")
    assert post.immediate(named(module, "back")) is None
    assert post.post_dominates(named(module, "after"), named(module, "out"))
    assert not post.post_dominates(named(module, "after"), named(module, "first")), "some return"


def test_natural_loops_of_one_block_and_of_two_entries() -> None:
    found = natural_loops([[1], [1, 2], [3, 4], [4], [3]])
    assert dict(zip(found.header, found.irreducible, strict=True))[1] is False
    assert [latches for header, latches in zip(found.header, found.latches, strict=True) if header == 1] == [[1]]
    assert sorted(found.irreducible) == [False, True]


def test_dead_code_makes_no_loop_irreducible() -> None:
    """4 is not reached and jumps into the loop 1, 2 past its header."""
    found = natural_loops([[1], [2, 3], [1], [], [2]])
    assert found.header == [1] and found.irreducible == [False]
    assert found.innermost == [-1, 0, 0, -1, -1]


def test_intervals_say_which_loop_is_in_which() -> None:
    """Against the parents, followed one by one, in forests drawn at random."""
    source = random.Random(7)
    for _ in range(50):
        count = source.randrange(1, 20)
        loops = NaturalLoops(0)
        loops.header = list(range(count))
        loops.parent = [source.choice([-1, *range(loop + 1, count)]) for loop in range(count)]
        first, last = loops.intervals()
        for inner in range(count):
            around = inner
            outer: dict[int, None] = {}
            while around >= 0:
                outer[around] = None
                around = loops.parent[around]
            for loop in range(count):
                assert (first[loop] <= first[inner] < last[loop]) is (loop in outer)
