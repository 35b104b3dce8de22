"""Edits of code that was taken out are refused or done, never a fault; and a function that loses its end gets one."""

from collections.abc import Callable

import pytest

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.clone import clone_and_reinsert, clone_range
from reknit.ir.cursor import after_instr, after_node, after_phis, at_end, before_node, region_end, region_start
from reknit.ir.extract import FloatingList, delete, extract, list_extract, move, reinsert, remove_node
from reknit.ir.function import Function
from reknit.ir.insert import insert_instr, insert_node, remove_instr
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.jumps import insert_jump, split
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.tree import If, Scope
from reknit.ir.verify import verify
from reknit.ir.walk import blocks, constructs
from reknit.source.diagnostic import ERROR, EditRefused

NESTED = """
func @main(%c: bool, %k: u32) -> void {
  if %c as @outer {
    %x = IAdd %k, 1u : u32
    if %c as @inner {
      %y = IAdd %x, 1u : u32
    } else {
      return
    }
    %z = IAdd %x, 2u : u32
  }
  return
}
"""


def faults(module: Module) -> list[str]:
    return [fault.code for fault in verify(module) if fault.severity == ERROR]


def nested() -> tuple[Module, If, If]:
    module = parse(NESTED)
    outer, inner = constructs(module.functions[0])
    assert isinstance(outer, If) and isinstance(inner, If)
    return module, outer, inner


def _home(module: Module) -> Block:
    return module.functions[0].entry()


EDITS: dict[str, Callable[[Module, If], object]] = {
    "remove_node": remove_node,
    "remove_node of a block": lambda module, inner: remove_node(module, inner.then.entry()),
    "extract": lambda module, inner: extract(module, before_node(inner), after_node(inner)),
    "list_extract": lambda module, inner: list_extract(module, inner.then),
    "clone_range": lambda module, inner: clone_range(module, region_start(inner.then), region_end(inner.then)),
    "clone_and_reinsert": lambda module, inner: clone_and_reinsert(
        module, region_start(inner.then), region_end(inner.then), after_phis(_home(module))
    ),
    "move out": lambda module, inner: move(module, before_node(inner), after_node(inner), after_phis(_home(module))),
    "move in": lambda module, inner: move(
        module, after_phis(_home(module)), at_end(_home(module)), at_end(inner.then.entry())
    ),
    "insert_instr": lambda module, inner: insert_instr(
        module, at_end(inner.then.entry()), Instr(op.Nop, None, [], "", False)
    ),
    "insert a variable": lambda module, inner: insert_instr(
        module, at_end(inner.then.entry()), Instr(op.Variable, None, [7])
    ),
    "insert_node": lambda module, inner: insert_node(module, at_end(inner.then.entry()), Scope()),
    "remove_instr": lambda module, inner: remove_instr(module, next(iter(inner.then.entry()))),
    "insert_jump": lambda module, inner: insert_jump(
        module, at_end(inner.then.entry()), Exit(Instr(op.Return, None, [], "", False))
    ),
    "split": lambda module, inner: split(module, at_end(inner.then.entry())),
}


@pytest.mark.parametrize("name", EDITS)
def test_edits_inside_floating_code(name: str) -> None:
    module, outer, inner = nested()
    floating = extract(module, before_node(outer), after_node(outer))
    try:
        EDITS[name](module, inner)
    except EditRefused as refused:
        assert refused.code.startswith("RK048")
    reinsert(module, floating, floating.seam)
    for other in list(module.functions[0].floating):  # what was taken out of it
        assert isinstance(other, FloatingList)
        delete(module, other)
    assert faults(module) in ([], ["RK0410"])  # a value whose definition was deleted may be missing on a path
    assert print_module(module)


def test_taking_out_of_floating_code_names_the_remedy() -> None:
    module, outer, inner = nested()
    before = print_module(module)
    floating = extract(module, before_node(outer), after_node(outer))
    with pytest.raises(EditRefused) as caught:
        remove_node(module, inner)
    assert caught.value.code == "RK0485" and "reinsert" in caught.value.diagnostics[0].help
    reinsert(module, floating, floating.seam)
    assert print_module(module) == before


VOID = "func @main(%c: bool) -> void {\n  if %c {\n  }\n  return\n}\n"
VALUE = "func @one(%c: bool) -> u32 {\n  if %c {\n    return 1u\n  } else {\n    return 2u\n  }\n}\n"
DEAD_END = "func @main(%c: bool) -> void {\n  if %c as @i {\n    Nop\n  }\n  loop {\n  }\n}\n"


def ends(function: Function) -> str:
    jump = function.body.end().jump
    return {op.Return: "return", op.ReturnValue: "return value"}[jump.instr.op] if isinstance(jump, Exit) else ""


@pytest.mark.parametrize("text, end", [(VOID, "return"), (VALUE, "return value")])
def test_a_function_whose_body_is_deleted_returns(text: str, end: str) -> None:
    """Control would run off its end; where a value is returned, it is undefined, as all that deleted code gave."""
    module = parse(text)
    function = module.functions[0]
    delete(module, list_extract(module, function.body))
    assert faults(module) == [] and ends(function) == end
    if end == "return value":
        assert "undef<u32>" in print_module(module)


@pytest.mark.parametrize("text", [VOID, VALUE])
def test_so_does_one_whose_last_node_is_removed(text: str) -> None:
    module = parse(text)
    function = module.functions[0]
    for node in list(function.body):
        if node.region is function.body:
            remove_node(module, node)
            assert faults(module) == []


def test_an_end_that_is_not_reached_stays_open() -> None:
    module = parse(DEAD_END)
    remove_node(module, constructs(module.functions[0])[0])
    assert faults(module) == [] and ends(module.functions[0]) == ""


def test_moving_the_end_away_leaves_one() -> None:
    module = parse("func @main(%c: bool) -> void {\n  if %c as @i {\n  }\n  return\n}\n")
    function = module.functions[0]
    (choice,) = constructs(function)
    assert isinstance(choice, If)
    move(module, after_phis(choice.after()), region_end(function.body), at_end(choice.then.entry()))
    assert faults(module) == [] and ends(function) == "return"


LATCH = """
func @f(%c: bool, %k: u32) {
  %x = IAdd %k, 1u : u32
  if %c as @other {
    %y = IAdd %k, 2u : u32
  }
  loop @l {
  } continuing {
    if %c as @edge nojoin {
      break @l
    }
  pad %end:
  }
  return
}
"""


def latch() -> tuple[Module, Function, Block]:
    module = parse(LATCH)
    function = module.functions[0]
    return module, function, next(block for block in blocks(function) if block.name == "end")


def test_behind_a_conditional_back_edge_stands_no_construct() -> None:
    """A stretch of instructions is put into the block that is there; one with a construct would make another."""
    module, function, end = latch()
    entry = function.entry()
    x = entry.first
    assert x is not None
    taken = extract(module, region_start(function.body), after_instr(x))
    reinsert(module, taken, at_end(end))
    assert (list(entry), list(end), faults(module)) == ([], [x], [])
    module, function, end = latch()
    other = constructs(function)[0]
    taken = extract(module, before_node(other), after_node(other))
    with pytest.raises(EditRefused, match="conditional back edge") as refusal:
        reinsert(module, taken, at_end(end))
    assert refusal.value.diagnostics[0].code == "RK0483"
    reinsert(module, taken, taken.seam)
    assert print_module(module) == print_module(parse(LATCH))


def test_a_list_that_was_put_back_or_deleted_holds_nothing() -> None:
    for away in (False, True):
        module, _, inner = nested()
        taken = extract(module, before_node(inner), after_node(inner))
        assert taken.is_floating() and len(list(taken.nodes)) == 3
        if away:
            delete(module, taken)
        else:
            reinsert(module, taken, taken.seam)
        assert not taken.is_floating() and not taken.is_empty
        assert (taken.nodes.first, taken.nodes.last, list(taken.nodes)) == (None, None, [])
        with pytest.raises(EditRefused) as refusal:
            reinsert(module, taken, taken.seam)
        assert refusal.value.diagnostics[0].code == "RK0486"
