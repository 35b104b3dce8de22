"""The end of a function has a name, and no edit leaves a body that falls off it."""

import pytest

from reknit import edit
from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Exit
from reknit.ir.text.parser import parse
from reknit.ir.tree import If, Loop
from reknit.ir.verify import verify
from reknit.source.diagnostic import ERROR, EditRefused

EARLY = """\
func @f(%c: bool) -> u32 {
  if %c as @i {
    return 1u
  } else {
    kill
  }
  return 2u
}
"""

FOREVER = """\
func @f(%c: bool) -> void {
  loop @l {
    if %c as @i {
      Nop
    }
  }
}
"""


def test_the_blocks_that_return_are_the_predecessors_of_the_end() -> None:
    """A kill ends the invocation, not the call (SPIR-V 1.6, 3.42.17): it doesn't come to the function's end."""
    module = parse(EARLY)
    function = module.function("f")
    (choice,) = function.constructs()
    assert isinstance(choice, If)
    assert edit.predecessors(function.end) == [choice.then.end(), function.body.end()]
    assert edit.successors(choice.then.end()) == [] and edit.successors(function.end) == []
    assert function.end not in list(function) and repr(function.end) == "%end:"
    assert function.end is not parse(EARLY).function("f").end
    two = list(function.instructions())[-1].operands[0]
    edit.end_block(module, choice.orelse.end(), Exit(Instr(op.ReturnValue, None, [two], "", False)))
    assert len(edit.predecessors(function.end)) == 3


def test_the_last_return_is_not_taken_away() -> None:
    module = parse(EARLY.replace("    return 1u\n", ""))
    function = module.function("f")
    before = str(module)
    with pytest.raises(EditRefused, match="RK0489.*run off the end of @f"):
        edit.end_block(module, function.body.end(), None)
    assert str(module) == before


def test_it_may_be_where_control_never_comes_to_it() -> None:
    """After an if of which both arms leave the function, nothing has to be said."""
    module = parse(EARLY)
    edit.end_block(module, module.function("f").body.end(), None)
    assert [fault.code for fault in verify(module) if fault.severity == ERROR] == []


@pytest.mark.parametrize("verb", ["end_block", "insert_jump"])
def test_no_path_is_opened_to_an_open_end(verb: str) -> None:
    module = parse(FOREVER)
    function = module.function("f")
    loop, choice = function.constructs()
    assert isinstance(loop, Loop) and isinstance(choice, If)
    arm = choice.then.entry()
    before = str(module)

    def leave() -> None:
        if verb == "end_block":
            edit.end_block(module, arm, Break(loop))
        else:
            edit.insert_jump(module, edit.at_head(arm), Break(loop))

    with pytest.raises(EditRefused) as caught:
        leave()
    assert caught.value.code == "RK0489" and str(module) == before
    edit.end_block(module, function.body.end(), Exit(Instr(op.Return, None, [], "", False)))  # the help says so
    leave()
    assert [fault.code for fault in verify(module) if fault.severity == ERROR] == []
    assert edit.predecessors(loop.after()) == [arm] and edit.predecessors(function.end) == [loop.after()]


def test_an_arm_that_returns_is_not_let_go_on_to_an_open_end() -> None:
    module = parse(EARLY)
    function = module.function("f")
    (choice,) = function.constructs()
    assert isinstance(choice, If)
    edit.end_block(module, function.body.end(), None)
    with pytest.raises(EditRefused, match="RK0489"):
        edit.end_block(module, choice.then.end(), None)
    assert [fault.code for fault in verify(module) if fault.severity == ERROR] == []


def test_edits_of_what_stands_nowhere_are_refused() -> None:
    module = parse(EARLY)
    (choice,) = module.function("f").constructs()
    alone, loop = Instr(op.Nop, None, [], "", False), Loop()
    flat = parse("func @f() -> void flat {\nb1:\n  return\n}\n")
    (block,) = flat.function("f")
    for attempt in (
        lambda: edit.before_instr(alone),
        lambda: edit.after_instr(alone),
        lambda: edit.remove_instr(module, alone),
        lambda: edit.move_instr(module, alone, edit.region_start(choice.regions()[0])),
        lambda: edit.before_node(loop),
        lambda: edit.after_node(loop),
        lambda: edit.end_block(flat, block, None),
        lambda: edit.insert_jump(flat, edit.at_head(block), Break(loop)),
        lambda: edit.insert_node(flat, edit.at_head(block), loop),
        lambda: edit.extract(flat, edit.at_head(block), edit.at_end(block)),
    ):
        with pytest.raises(EditRefused) as caught:
            attempt()
        assert caught.value.code == "RK0485"


def test_an_instruction_moves_with_its_uses() -> None:
    module = parse(
        "func @f(%c: bool, %a: u32) -> void {\n  %x = IAdd %a, 1u : u32\n  %y = IAdd %a, 2u : u32\n"
        "  if %c as @i {\n    %z = IAdd %x, 3u : u32\n  }\n  return\n}\n"
    )
    function = module.function("f")
    x, y, z, _ = function.instructions()
    (choice,) = function.constructs()
    assert isinstance(choice, If)
    place = edit.move_instr(module, x, edit.region_start(choice.then))
    assert [instr.name for instr in function.instructions()] == ["y", "x", "z", ""] and list(x.users) == [z]
    assert edit.same_place(place, edit.after_instr(x))
    before = str(module)
    for where in (edit.before_instr(x), edit.after_instr(x)):  # it is there
        edit.move_instr(module, x, where)
    assert str(module) == before
    with pytest.raises(EditRefused, match="RK0488"):
        edit.move_instr(module, y, edit.behind_jump(function.body.end()))
    assert str(module) == before and [fault.code for fault in verify(module) if fault.severity == ERROR] == []
