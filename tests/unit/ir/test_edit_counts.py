"""Each verb of ir.edit changes the links that it says, and counts as one edit of code or of control flow.

One function with two blocks in an `if`; what each verb leaves is written out, from the module's text.
"""

from collections.abc import Callable

import pytest

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.edit import (
    add_block,
    append,
    append_node,
    clear_jump,
    erase,
    erase_node,
    insert_after,
    insert_after_phis,
    insert_before,
    insert_node_after,
    insert_node_before,
    move_jump,
    move_run,
    prepend,
    replace_uses,
    retarget_phis,
    set_condition,
    set_jump,
    set_selector,
    split_after,
    unlink,
    unlink_node,
)
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.tree import Construct, If, Loop, Scope, Switch
from reknit.ir.verify import verify
from reknit.ir.walk import blocks, constructs, instructions

TEXT = """func @main(%a: u32, %c: bool, %d: bool) {
%first:
  %x = IAdd %a, 1u : u32
  %y = IAdd %x, %x : u32
  if %c as @choice {
  %then:
    %z = IAdd %y, %y : u32
    break @choice
  } else {
  %else:
  }
%join:
  %p = Phi %z %then, %y %else : u32
  %q = Phi %x %then, %a %else : u32
  %after = IAdd %p, %q : u32
  switch %a as @choose {
    case 1: {
    %one:
      fallthrough
    }
    default: {
    %rest:
    }
  }
%between:
  loop @around {
  %body:
    if %d {
    %out:
      break @around
    }
  %again:
    continue @around
  } continuing {
  %latch:
  }
%last:
  return
}
func @flat(%c: bool, %a: u32) flat {
%start:
  Branch %end
%end:
  return
}
"""


class Small:
    def __init__(self) -> None:
        self.module: Module = parse(TEXT)
        self.main, self.flat = self.module.functions
        self.blocks = {block.name: block for function in self.module.functions for block in blocks(function)}
        self.made: dict[str, Construct] = {each.name: each for each in constructs(self.main)}
        self.instrs = {instr.name: instr for instr in instructions(self.main)}
        self.params = {param.name: param for param in self.main.params}

    def choice(self) -> If:
        found = self.made["choice"]
        assert isinstance(found, If)
        return found

    def choose(self) -> Switch:
        found = self.made["choose"]
        assert isinstance(found, Switch)
        return found

    def around(self) -> Loop:
        found = self.made["around"]
        assert isinstance(found, Loop)
        return found

    def new(self, name: str = "n") -> Instr:
        return Instr(op.IAdd, self.instrs["x"].type, [self.params["a"], self.params["a"]], name)


def names(block: Block) -> list[str]:
    """The instructions of a block forwards, after a look at their links backwards."""
    forwards = [instr.name for instr in block]
    backwards: list[str] = []
    instr = block.last
    while instr is not None:
        assert instr.block is block
        backwards.append(instr.name)
        instr = instr.prev
    assert backwards[::-1] == forwards
    return forwards


CODE = (1, 0)
CONTROL = (0, 1)

VERBS: list[tuple[str, Callable[[Small], object], tuple[int, int], str, list[str]]] = [
    ("append", lambda s: append(s.blocks["first"], s.new()), CODE, "first", ["x", "y", "n"]),
    ("append to none", lambda s: append(s.blocks["else"], s.new()), CODE, "else", ["n"]),
    ("prepend", lambda s: prepend(s.blocks["first"], s.new()), CODE, "first", ["n", "x", "y"]),
    ("prepend to none", lambda s: prepend(s.blocks["else"], s.new()), CODE, "else", ["n"]),
    ("insert before", lambda s: insert_before(s.instrs["y"], s.new()), CODE, "first", ["x", "n", "y"]),
    ("insert before all", lambda s: insert_before(s.instrs["x"], s.new()), CODE, "first", ["n", "x", "y"]),
    ("insert after", lambda s: insert_after(s.instrs["x"], s.new()), CODE, "first", ["x", "n", "y"]),
    ("insert after all", lambda s: insert_after(s.instrs["y"], s.new()), CODE, "first", ["x", "y", "n"]),
    ("after phis", lambda s: insert_after_phis(s.blocks["join"], s.new()), CODE, "join", ["p", "q", "n", "after"]),
    ("after no phis", lambda s: insert_after_phis(s.blocks["first"], s.new()), CODE, "first", ["n", "x", "y"]),
    ("unlink", lambda s: unlink(s.instrs["x"]), CODE, "first", ["y"]),
    ("unlink the last", lambda s: unlink(s.instrs["y"]), CODE, "first", ["x"]),
    ("unlink the only one", lambda s: unlink(s.instrs["z"]), CODE, "then", []),
    ("unlink between", lambda s: unlink(s.instrs["q"]), CODE, "join", ["p", "after"]),
    ("erase", lambda s: erase(s.instrs["after"]), CODE, "join", ["p", "q"]),
    ("set operand", lambda s: s.instrs["x"].set_operand(0, s.params["a"]), CODE, "first", ["x", "y"]),
    ("set operands", lambda s: s.instrs["x"].set_operands([s.params["a"]]), CODE, "first", ["x", "y"]),
    ("set condition", lambda s: set_condition(s.choice(), s.params["d"]), CODE, "first", ["x", "y"]),
    ("set selector", lambda s: set_selector(s.choose(), s.instrs["y"]), CODE, "first", ["x", "y"]),
    ("retarget", lambda s: retarget_phis(*[s.blocks[n] for n in ("join", "then", "one")]), (2, 0), "first", ["x", "y"]),
    ("replace", lambda s: replace_uses(s.instrs["y"], s.instrs["x"]), (3, 0), "first", ["x", "y"]),
    ("clear jump", lambda s: clear_jump(s.blocks["then"]), CONTROL, "then", ["z"]),
    ("set jump", lambda s: set_jump(s.blocks["then"], Break(s.choice())), CONTROL, "then", ["z"]),
    ("unlink node", lambda s: unlink_node(s.blocks["else"]), CONTROL, "else", []),
]


@pytest.mark.parametrize(("verb", "count", "where", "left"), [row[1:] for row in VERBS], ids=[row[0] for row in VERBS])
def test_of_code(verb: Callable[[Small], object], count: tuple[int, int], where: str, left: list[str]) -> None:
    small = Small()
    code, control, edits = small.main.code_edits, small.main.control_edits, small.main.edits()
    verb(small)
    assert small.main.edits() - edits == sum(count)
    assert (small.main.code_edits - code, small.main.control_edits - control) == count
    assert names(small.blocks[where]) == left


def test_what_is_taken_out_is_linked_to_nothing() -> None:
    small = Small()
    x, first = small.instrs["x"], small.blocks["first"]
    assert unlink(x) is x
    assert (x.block, x.prev, x.next) == (None, None, None)
    assert (len(x.operands), list(x.users)) == (2, [small.instrs["y"], small.instrs["q"]])
    append(small.blocks["last"], x)
    assert (x.block, names(first), names(small.blocks["last"])) == (small.blocks["last"], ["y"], ["x"])
    erase(x)
    assert (x.operands, small.instrs["x"] in small.params["a"].users) == ([], False)


def test_a_node_that_is_taken_out_is_linked_to_nothing() -> None:
    small = Small()
    choice, region = small.choice(), small.main.body
    before, after = choice.prev, choice.next
    assert before is small.blocks["first"] and after is small.blocks["join"]
    control = small.main.control_edits
    unlink_node(choice)
    assert (choice.region, choice.prev, choice.next) == (None, None, None)
    assert (before.next, after.prev, small.main.control_edits - control) == (after, before, 1)
    insert_node_after(before, choice)
    assert (choice.region, choice.prev, choice.next) == (region, before, after)
    assert (before.next, after.prev, small.main.control_edits - control) == (choice, choice, 2)
    unlink_node(before)
    assert (region.first, choice.prev) == (choice, None)
    insert_node_before(choice, before)
    assert (region.first, before.next, choice.prev, before.prev) == (before, choice, before, None)
    assert small.main.control_edits - control == 4
    last = small.blocks["last"]
    unlink_node(last)
    assert (region.last, small.made["around"].next) == (small.made["around"], None)
    append_node(region, last)
    assert (region.last, last.prev, last.next, last.region) == (last, small.made["around"], None, region)
    assert small.main.control_edits - control == 6
    assert verify(small.module) == []


def test_jumps_are_in_the_books_of_their_targets() -> None:
    small = Small()
    then, one, again = small.blocks["then"], small.blocks["one"], small.blocks["again"]
    choice, rest, around = small.choice(), small.choose().cases[1], small.around()
    assert (list(choice.breaks), list(rest.fallthroughs), list(around.continues)) == ([then], [one], [again])
    for block in (then, one, again):
        clear_jump(block)
        assert block.jump is None
    assert (list(choice.breaks), list(rest.fallthroughs), list(around.continues)) == ([], [], [])
    set_jump(then, Break(choice))
    set_jump(one, Fallthrough(rest))
    set_jump(again, Continue(around))
    assert (list(choice.breaks), list(rest.fallthroughs), list(around.continues)) == ([then], [one], [again])
    set_jump(one, Break(small.choose()))
    assert (list(rest.fallthroughs), list(small.choose().breaks)) == ([], [one])
    for source, target in (("then", "else"), ("again", "latch")):
        control = small.main.control_edits
        move_jump(small.blocks[source], small.blocks[target])
        assert small.blocks[source].jump is None and small.blocks[target].jump is not None
        assert small.main.control_edits - control == 2
    assert (list(choice.breaks), list(around.continues)) == ([small.blocks["else"]], [small.blocks["latch"]])
    clear_jump(one)
    set_jump(one, Fallthrough(rest))
    move_jump(one, small.blocks["between"])
    assert list(rest.fallthroughs) == [small.blocks["between"]]
    control = small.main.control_edits
    move_jump(one, small.blocks["first"])  # there is none to move
    assert (small.blocks["first"].jump, small.main.control_edits - control) == (None, 0)


def test_terminators_use_values_while_they_end_a_block() -> None:
    small = Small()
    start, end = small.flat.blocks
    condition, number = small.flat.params
    merge = Instr(op.SelectionMerge, None, [end, 0], "", False)
    branch = Instr(op.BranchConditional, None, [condition, end, end], "", False)
    set_jump(start, Branch(branch, merge))
    assert (branch.block, merge.block) == (start, start)
    assert (condition.users, end.users) == ({branch: 1}, {merge: 1, branch: 2})
    clear_jump(start)
    assert (condition.users, end.users, branch.operands, merge.operands) == ({}, {}, [], [])
    given = Instr(op.ReturnValue, None, [number], "", False)
    set_jump(start, Exit(given))
    assert (given.block, number.users) == (start, {given: 1})
    set_jump(start, Branch(Instr(op.Branch, None, [end], "", False)))
    assert number.users == {}
    control, code = small.flat.control_edits, small.flat.code_edits
    jump = start.jump
    assert isinstance(jump, Branch)
    jump.instr.set_operand(0, end)  # where it goes is what it says
    assert (small.flat.control_edits - control, small.flat.code_edits - code) == (1, 1)


def test_replaced_uses() -> None:
    small = Small()
    x, y, a = small.instrs["x"], small.instrs["y"], small.params["a"]
    replace_uses(x, a)
    assert (x.users, y.operands) == ({}, [a, a])
    assert (a.users[y], a.users[small.instrs["q"]], a.users[small.choose()]) == (2, 2, 1)
    replace_uses(small.params["c"], small.params["d"])
    assert (small.choice().condition, small.params["c"].users) == (small.params["d"], {})
    replace_uses(a, y)
    assert small.choose().selector is y


def test_code_without_a_function_is_counted_where_it_comes_to() -> None:
    small = Small()
    scope = Scope("made")
    inner = Scope("inner")
    for region in scope.regions():
        append_node(region, Block("one"))
        append_node(region, inner)
        append_node(region, Block("two"))
    (within,) = inner.regions()
    append_node(within, Block("deep"))
    append(within.entry(), small.new())
    assert [node.function for node in (scope, inner, within.entry())] == [None, None, None]
    control, code = small.main.control_edits, small.main.code_edits
    insert_node_after(small.blocks["between"], scope)
    assert (small.main.control_edits - control, small.main.code_edits - code) == (1, 0)
    assert [node.function for node in (scope, inner, within.entry())] == [small.main] * 3
    assert (scope.body.function, inner.body.function) == (small.main, small.main)
    append(within.entry(), small.new())
    append_node(within, Block("more"))
    assert (small.main.control_edits - control, small.main.code_edits - code) == (2, 1)


def test_a_region_takes_the_function_of_what_is_put_in() -> None:
    small = Small()
    scope = Scope("made")
    early = Block("early")
    append_node(scope.body, early)
    assert (scope.body.function, early.function) == (None, None)
    block = small.blocks["else"]
    unlink_node(block)
    append_node(scope.body, block)
    assert (scope.body.function, early.function) == (small.main, small.main)


def test_a_run_is_moved_in_order() -> None:
    small = Small()
    scope = Scope("made")
    first, last = small.choice(), small.choose()
    control = small.main.control_edits
    move_run(first, last, scope.body)
    assert [node.name for node in scope.body] == ["choice", "join", "choose"]
    assert [node.name for node in small.main.body] == ["first", "between", "around", "last"]
    assert small.main.control_edits - control == 6  # each of three is taken out and put in


def test_blocks_outside_of_the_tree() -> None:
    small = Small()
    control = small.flat.control_edits
    block = Block("more")
    add_block(small.flat, block)
    assert (small.flat.blocks[-1], block.function, small.flat.control_edits - control) == (block, small.flat, 1)


def test_a_split_leaves_the_first_half_where_it_was() -> None:
    small = Small()
    first = small.blocks["first"]
    rest = split_after(first, small.instrs["x"])
    assert (names(first), names(rest), rest.padding) == (["x"], ["y"], True)
    assert (first.next, rest.next) == (rest, small.choice())
    then = small.blocks["then"]
    rest = split_after(then, None)
    assert (names(then), names(rest), then.jump) == ([], ["z"], None)
    assert isinstance(rest.jump, Break) and list(small.choice().breaks) == [rest]
    assert small.instrs["p"].operands[1] is rest and small.instrs["q"].operands[1] is rest
    rest = split_after(small.blocks["else"], None)
    assert small.instrs["p"].operands[3] is rest
    assert verify(small.module) == []


def test_what_is_erased_uses_nothing_more() -> None:
    small = Small()
    for name in ("after", "p", "q"):
        small.instrs[name].drop_operands()
        unlink(small.instrs[name])
    erase_node(small.choice())
    assert small.params["c"].users == {}
    assert small.instrs["y"].users == {}
    erase_node(small.choose())
    assert small.choose() not in small.params["a"].users
    around = small.around()
    erase_node(around)
    assert (list(around.breaks), list(around.continues), small.params["d"].users) == ([], [], {})
    assert [node.name for node in small.main.body] == ["first", "join", "between", "last"]
