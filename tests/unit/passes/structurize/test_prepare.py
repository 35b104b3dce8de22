"""A flat function made plain: each function of `structurize.prepare`, text before and after."""

from collections.abc import Callable

from kit.text.flat_texts import flat

from reknit.ir import op
from reknit.ir.edit import set_jump
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch
from reknit.ir.module import Module
from reknit.ir.text.printer import print_function
from reknit.ir.types import int_type
from reknit.ir.verify import verify
from reknit.passes.structurize.prepare import drop_merges, free_entry, prune, straighten, variables_first
from reknit.passes.variables import local_variable


def after(text: str, change: Callable[[Function], object]) -> tuple[object, list[str]]:
    """What `change` gave, and the lines of main behind the branch that leads to the text."""
    module = flat(text)
    edits = module.functions[0].edits()
    given = change(module.functions[0])
    assert verify(module) == []
    lines = shown(module)
    assert change is drop_merges or shown(flat(text)) == lines or module.functions[0].edits() > edits, "not counted"
    return given, lines


def shown(module: Module) -> list[str]:
    lines = [line.strip() for line in print_function(module.functions[0]).splitlines()]
    return lines[next(at for at, line in enumerate(lines) if line.startswith("%slot")) + 1 :]


DEAD = """
  Branch %head
%gone:
  %lost = IAdd %lane, 1u : u32
  %more = IAdd %lost, 1u : u32
  BranchConditional true, %head, %end
%head:
  %p = Phi %lane %first, %lost %gone : u32
  %q = Phi 1u %first, %more %gone : u32
  Branch %end
%end:
  %r = Phi %p %head, %lane %gone : u32
  return
"""


def test_blocks_that_nothing_reaches_go_and_what_phis_had_from_them() -> None:
    assert after(DEAD, prune) == (
        1,
        [
            "Branch %head", "%head:", "%p = Phi %lane %first : u32", "%q = Phi 1u %first : u32", "Branch %end", "%end:",
            "%r = Phi %p %head : u32", "return", "}",
        ],
    )  # fmt: skip


def test_dead_blocks_that_use_each_other_go_together() -> None:
    text = "  return\n%a:\n  %x = IAdd %y, 1u : u32\n  Branch %b\n%b:\n  %y = IAdd %x, 1u : u32\n  Branch %a\n"
    given, lines = after(text, prune)
    assert given == 2 and lines == ["return", "}"]


def test_where_all_is_reached_nothing_is_pruned() -> None:
    text = "  Branch %end\n%end:\n  return\n"
    assert after(text, prune) == (0, ["Branch %end", "%end:", "return", "}"])


def test_hints_of_dead_blocks_go() -> None:
    text = "  Branch %head\n%head: member %head\n  return\n%gone: member %head\n  Branch %head\n"
    module = flat(text)
    prune(module.functions[0])
    assert [(hint.block.name, hint.header.name) for hint in module.functions[0].hints] == [("head", "head")]


def test_merge_instructions_go_and_their_words_are_given() -> None:
    """1 is Flatten, of OpSelectionMerge; 2 is DontUnroll, of OpLoopMerge."""
    text = """
  Branch %head
%head:
  LoopMerge %last, %next, DontUnroll
  Branch %body
%body:
  %c = IEqual %lane, 1u : bool
  SelectionMerge %join, Flatten
  BranchConditional %c, %yes, %join
%yes:
  Branch %last
%join:
  Branch %next
%next:
  Branch %head
%last:
  return
"""
    given, lines = after(text, drop_merges)
    assert isinstance(given, dict)
    assert {block.name: words for block, words in given.items()} == {"head": [2], "body": [1]}
    assert not any("Merge" in line for line in lines)
    assert "BranchConditional %c, %yes, %join" in lines


def test_a_choice_of_one_is_none() -> None:
    text = """
  BranchConditional true, %a, %a
%a:
  Switch %lane, %b, 1, %b
%b:
  BranchConditional true, %c, %d
%c:
  Branch %d
%d:
  return
"""
    _, lines = after(text, straighten)
    assert lines == [
        "Branch %a", "%a:", "Branch %b", "%b:", "BranchConditional true, %c, %d", "%c:", "Branch %d", "%d:", "return",
        "}",
    ]  # fmt: skip


def test_nothing_comes_back_to_the_first_block() -> None:
    """Its variables stay in what is first. (SPIR-V has no such graph; a whiteboard has.)"""
    module = flat("  Branch %next\n%next:\n  return\n")
    function = module.functions[0]
    free_entry(function)
    assert function.entry().name == "first", "nothing branches to it"
    first, last = function.blocks
    kept = local_variable(function, module, int_type(module, 32, False), "kept")
    set_jump(last, Branch(Instr(op.Branch, None, [first], "", False)))
    edits = function.edits()
    free_entry(function)
    entry = function.entry()
    assert function.blocks == [entry, first, last] and function.edits() > edits
    assert list(entry) == [kept] and kept not in list(first) and len(list(first)) > 0
    assert isinstance(entry.jump, Branch) and entry.jump.instr.operands == [first]


def test_variables_come_to_the_first_block() -> None:
    text = "  Branch %old\n%old:\n  %v = Variable Function : ptr<Function, u32>\n  Store %v, 1u\n  return\n"
    module = flat(text)
    function = module.functions[0]
    variables_first(function, function.blocks[1])
    assert shown(module) == [
        "%v = Variable Function : ptr<Function, u32>",
        "Branch %old",
        "%old:",
        "Store %v, 1u",
        "return",
        "}",
    ]
    before = shown(module)
    variables_first(function, function.entry())
    assert shown(module) == before
