"""Faults inside the text of their function: at the place they are about, for structures that can't be, too.

Each expected text is written by hand: the function as the text form has it, and the message of `verify` under what it
is about.
"""

import random

import pytest

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.constants import int_constant
from reknit.ir.edit import append, set_jump
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Continue
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.tree import Construct, If, Loop, Region, Scope, Switch
from reknit.ir.types import int_type
from reknit.ir.verify import verify
from reknit.ir.verify.dump import AROUND, LONG, faulty_text
from reknit.ir.walk import blocks, constructs, instructions
from reknit.passes import manager
from reknit.passes.contract import STRUCTURED, Context, Pass
from reknit.passes.manager import Hooks, run_passes
from reknit.source.diagnostic import InternalError

SOURCE = """func @main(%a: u32, %c: bool) -> void {
%start:
  %x = IAdd %a, 1u : u32
  %y = IAdd %x, 2u : u32
  if %c as @i {
  %then:
    %z = IAdd %y, 3u : u32
  }
%end:
  return
}
"""


def block(module: Module, name: str) -> Block:
    return next(found for found in blocks(module.functions[0]) if found.name == name)


def instr(module: Module, name: str) -> Instr:
    return next(found for found in instructions(module.functions[0]) if found.name == name)


def test_a_module_without_faults_has_no_text() -> None:
    assert faulty_text(parse(SOURCE)) == ""


def test_faults_stand_under_what_they_are_about() -> None:
    module = parse(SOURCE)
    instr(module, "x").set_operand(0, instr(module, "y"))
    append(block(module, "end"), Instr(op.IAdd, instr(module, "x").type, [instr(module, "z"), 5], "w"))
    set_jump(block(module, "then"), Continue(Loop("gone")))  # in no tree, and with nothing in it
    text = faulty_text(module)
    assert (
        text
        == """\
func @main(%a: u32, %c: bool) -> void {
%start:
  %x = IAdd %y, 1u : u32
  // RK0410: %y is not defined before it
  %y = IAdd %x, 2u : u32
  if %c as @i {
  %then:
    %z = IAdd %y, 3u : u32
    continue @gone
    // RK0404: `continue` of a loop that the block is not in
  } else {
  }
%end:
  %w = IAdd %z !5 : u32
  // RK0416: operand 2 is a number, not Operand 2
  // RK0410: %z is defined in %then, which is not on every path here
  return
}
"""
    )


def test_links_in_a_circle() -> None:
    """V16, V25: the walk ends where it would go around."""
    module = parse(SOURCE)
    block(module, "end").next = block(module, "start")
    text = faulty_text(module)
    assert text.count("// the links lead back to %start\n") == 1
    circle = "a node is in two places, or its links run in a circle"
    assert f"%start:\n// RK0401: {circle}\n" in text
    module = parse(SOURCE)
    y = instr(module, "y")
    y.next = instr(module, "x")
    lines = faulty_text(module).splitlines()
    circle = "an instruction is in two places, or its links run in a circle"
    assert lines[lines.index("  %x = IAdd %a, 1u : u32") + 1] == f"  // RK0401: {circle}"
    assert lines.count("  // the links lead back to `%x = IAdd %a, 1u : u32`") == 1


def test_what_is_cut_off_is_reported_at_the_head() -> None:
    module = parse(SOURCE)
    found = block(module, "end")
    module.functions[0].body.last = None
    block(module, "start").next = None
    text = faulty_text(module)
    assert (
        text
        == """\
func @main(%a: u32, %c: bool) -> void {
  // RK0401: a region's last node is not the end of its links
  // RK0402: a region does not end with a block
%start:
  %x = IAdd %a, 1u : u32
  %y = IAdd %x, 2u : u32
}
"""
    )
    assert found.prev is not None


def test_an_empty_region_and_a_shared_one() -> None:
    module = parse(SOURCE)
    choice = constructs(module.functions[0])[0]
    assert isinstance(choice, If)
    choice.orelse = choice.then
    text = faulty_text(module)
    assert "    // a region that was met before\n" in text
    assert "  if %c as @i {\n  // RK0401: a region belongs to two constructs\n" in text
    module = parse(SOURCE)
    choice = constructs(module.functions[0])[0]
    choice.regions()[0].first = choice.regions()[0].last = None
    text = faulty_text(module)
    assert "  if %c as @i {\n  // RK0402: a region is empty; it needs a block\n  } else {\n  }\n" in text


def test_a_switch_that_misses_what_it_needs() -> None:
    module = parse("func @f(%k: u32) -> void {\nswitch %k as @s {\ncase 1: {\n}\ndefault: {\n}\n}\nreturn\n}\n")
    switch = constructs(module.functions[0])[0]
    assert isinstance(switch, Switch)
    case = switch.cases.pop()
    switch.targets.append((1, case))
    text = faulty_text(module)
    assert "  switch %k as @s {\n  // RK0413: the switch after this block has no default among its cases\n" in text
    assert text.count("// RK0413") == 3 and "    case 1: {\n    }\n" in text


def test_every_kind_of_node_is_shown() -> None:
    """Nothing of it is wrong but the one type in its first line."""
    text = """func @f(%k: u32, %c: bool) -> void {
  %w = UConvert %c : u64
  // RK0417: operand 1 is not an integer
  switch %k as @s {
    case 1, 2: {
      fallthrough @s
    }
    case 3, default: {
      if %c as @i nojoin {
        break @s
      } else {
        return
      }
    }
  }
  loop @l {
  b1:
    if %c as @j {
      continue @l
    } else {
      break @l
    }
  } continuing {
    %n = IAdd %k, 1u : u32
  }
  scope @t {
  pad %"of its own":
    break @t
  }
  kill
}
"""
    # the block of the fault has a label since the message names it
    assert faulty_text(parse(text)) == text.replace("void {\n  %w", "void {\nb2:\n  %w")


def test_flat_functions_and_islands_are_shown() -> None:
    text = """func @f(%c: bool) -> void flat {
b1:
  SelectionMerge b3 None
  BranchConditional %c, b2, b3
b2:
  %x = IAdd 1u, true : u32
  // RK0417: operand 2 is not an integer of the result's width and size
  Branch b3
b3:
  return
}
"""
    assert faulty_text(parse(text)) == text
    text = text.replace(" flat {\nb1:", " {\n  return\n  islands\nb1:")
    assert faulty_text(parse(text)) == text.replace("  islands\n", "")


def test_a_fault_of_a_jump_stands_behind_it() -> None:
    module = parse(SOURCE)
    then = block(module, "then")
    set_jump(then, Break(Scope("gone")))
    append(then, Instr(op.IAdd, instr(module, "x").type, [instr(module, "x")], "n"))
    lines = [line.strip() for line in faulty_text(module).splitlines()]
    assert lines[lines.index("%then:") :][:7] == [
        "%then:",
        "%z = IAdd %y, 3u : u32",
        "%n = IAdd %x : u32",
        "// RK0416: an operand is missing: Operand 2",
        "break @gone",
        "// RK0404: `break` of a construct that the block is not in",
        "} else {",
    ]


@pytest.mark.parametrize(("count", "whole"), [(LONG - 4, True), (LONG - 3, False)])
def test_how_long_a_function_is_shown_whole(count: int, whole: bool) -> None:
    """Its lines between the head and the last brace: a label, the faulty instruction, the fault and the return, too."""
    adds = "".join([f"  %v{at} = IAdd %a, {at}u : u32\n" for at in range(count)])
    module = parse(f"func @f(%a: u32) -> void {{\n{adds}  %bad = IAdd %a, true : u32\n  return\n}}\n")
    lines = faulty_text(module).splitlines()
    assert ("  ..." in lines, len(lines)) == (not whole, LONG + 2 if whole else 1 + 1 + AROUND + 1 + 1 + 1)


def test_a_long_function_is_shown_around_its_faults() -> None:
    adds = "".join([f"  %v{at} = IAdd %a, {at}u : u32\n" for at in range(1000)])
    module = parse(f"func @f(%a: u32) -> void {{\n{adds}  return\n}}\n")
    instr(module, "v500").set_operand(0, instr(module, "v900"))
    lines = faulty_text(module).splitlines()
    assert len(lines) == 1 + 1 + AROUND + 1 + AROUND + 1 + 1  # head, gap, around, the fault, around, gap, brace
    assert lines[1] == lines[-2] == "  ..." and lines[2 + AROUND] == "  // RK0410: %v900 is not defined before it"


def test_faults_of_the_module_come_first() -> None:
    module = parse(SOURCE)
    module.globals.append(Instr(op.Constant, int_type(module, 64, False), [1]))
    assert faulty_text(module).splitlines()[1] == "// RK0416: the number of its type takes 2 words"


@pytest.mark.parametrize("seed", range(150))
def test_no_damage_makes_it_raise_or_hang(seed: int) -> None:
    rng = random.Random(seed)
    module = parse(SOURCE)
    main = module.functions[0]
    found, inner = blocks(main), constructs(main)
    nodes: list[Block | Construct] = [*found, *inner]
    instrs = [one for one in instructions(main) if one.prev is not None or one.next is not None]
    regions: list[Region] = [main.body, *inner[0].regions()]
    for _ in range(rng.choice([1, 2, 5])):
        kind = rng.randrange(7)
        if kind == 0:
            rng.choice(nodes).next = rng.choice([None, *nodes])
        elif kind == 1:
            rng.choice(nodes).prev = rng.choice([None, *nodes])
        elif kind == 2:
            rng.choice(nodes).region = rng.choice([None, *regions])
        elif kind == 3:
            rng.choice(regions).first = rng.choice([None, *nodes])
        elif kind == 4:
            rng.choice(instrs).next = rng.choice([None, *instrs])
        elif kind == 5:
            rng.choice(instrs).block = rng.choice([None, *found])
        else:
            rng.choice(found).jump = Break(inner[0])
    faults = verify(module)
    text = faulty_text(module)
    assert text.count("// RK") == len(faults), text


def test_a_pass_that_breaks_the_module_is_shown_what_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(function: object, context: Context) -> bool:
        instr(context.module, "y").set_operand(1, int_constant(context.module, int_type(context.module, 8, False), 1))
        return True

    monkeypatch.setattr(manager, "catalog", lambda: {"breaks": Pass("breaks", "", breaks, needs=(STRUCTURED,))})
    with pytest.raises(InternalError) as caught:
        run_passes(parse(SOURCE), "breaks", Hooks(verify_each=True))
    text = str(caught.value)
    assert text.startswith("pass breaks broke the module at function @main: ")
    place = "  %y = IAdd %x, 1u8 : u32\n  // RK0417: operand 2 is not an integer of the result's width and size\n"
    assert place in text
