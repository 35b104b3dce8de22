"""What a clone shares with its original and what it has of its own."""

import pytest

from reknit.ir import enums, op
from reknit.ir.clone import clone, clone_and_reinsert, clone_function, clone_range
from reknit.ir.cursor import after_node, at_end, before_instr, before_node, behind_jump, region_end
from reknit.ir.extract import delete, extract, reinsert
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Break
from reknit.ir.module import Module, annotation
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function
from reknit.ir.tree import Loop, Switch
from reknit.ir.verify import verify
from reknit.ir.walk import blocks, constructs
from reknit.source.diagnostic import EditRefused

LOOP = """func @main(%c: bool, %a: u32) -> void {
  loop @l {
    %x = IAdd %a, 1u : u32
    if %c as @i {
    b2:
      break @l
    }
    %y = IAdd %a, 2u : u32
  }
b6:
  %p = Phi %x b2 : u32
  return
}
"""


def read(text: str) -> tuple[Module, Function]:
    module = parse(text)
    assert verify(module) == []
    return module, module.functions[-1]


def value(function: Function, name: str) -> Instr:
    return next(instr for block in blocks(function) for instr in block if instr.name == name)


def sound(module: Module) -> bool:
    return [str(fault) for fault in verify(module)] == []


def test_a_cloned_break_brings_what_the_first_one_brings() -> None:
    """It stands where its own %x is known, so that is what the phi behind the loop has from there."""
    module, main = read(LOOP)
    loop = constructs(main)[0]
    choice = constructs(main)[1]
    clone_and_reinsert(module, before_instr(value(main, "x")), after_node(choice), at_end(choice.after()))
    phi = value(main, "p")
    assert len(phi.operands) == 4 and len(loop.breaks) == 2
    copy = phi.instr(2)
    assert copy is not value(main, "x") and copy.name == "x" and copy.operands == value(main, "x").operands
    assert isinstance(phi.operands[3].jump, Break)  # type: ignore[union-attr]
    assert sound(module)


def test_values_given_take_the_place_of_what_is_outside() -> None:
    module, main = read("func @main(%a: u32, %b: u32) -> void {\n  %x = IMul %a, %a : u32\n  return\n}\n")
    x = value(main, "x")
    copy = clone_range(module, before_instr(x), at_end(main.entry()), {main.params[0]: main.params[1]})
    reinsert(module, copy, at_end(main.entry()))
    assert [list(instr.operands) for instr in main.entry()] == [[main.params[0]] * 2, [main.params[1]] * 2]
    assert sound(module)


def test_a_clone_of_a_loop_is_a_loop_of_its_own() -> None:
    module, main = read(LOOP)
    first = constructs(main)[0]
    clone_and_reinsert(module, before_node(first), after_node(first), after_node(first))
    loops = [construct for construct in constructs(main) if isinstance(construct, Loop)]
    assert len(loops) == 2 and len(loops[0].breaks) == len(loops[1].breaks) == 1
    assert not set(loops[0].breaks) & set(loops[1].breaks)
    assert sound(module)


def test_a_switch_with_all_it_says() -> None:
    module, main = read("""func @main(%k: u32) -> void {
  switch %k as @s control DontFlatten {
    case 0, 7: {
      fallthrough
    }
    case 1: {
    }
    default: {
      break @s
    }
  }
  return
}
""")
    first = constructs(main)[0]
    clone_and_reinsert(module, before_node(first), after_node(first), after_node(first))
    one, two = [construct for construct in constructs(main) if isinstance(construct, Switch)]
    assert [literal for literal, _ in two.targets] == [0, 7, 1] and two.control == one.control
    assert [two.cases.index(case) for _, case in two.targets] == [0, 0, 1]
    assert two.default is two.cases[2]
    assert [len(case.fallthroughs) for case in two.cases] == [0, 1, 0]
    assert sound(module)


def test_decorations_are_repeated() -> None:
    module, main = read("func @main(%a: u32) -> void {\n  %x = IMul %a, %a : u32\n  return\n}\n")
    x = value(main, "x")
    module.decorations.append(annotation(op.Decorate, [x, enums.DecorationRelaxedPrecision]))
    clone_and_reinsert(module, before_instr(x), at_end(main.entry()), at_end(main.entry()))
    copy = main.entry().last
    assert [decoration.operands for decoration in module.decorations] == [
        [x, enums.DecorationRelaxedPrecision],
        [copy, enums.DecorationRelaxedPrecision],
    ]


def test_a_refused_clone_leaves_no_trace() -> None:
    module, main = read(LOOP)
    text = print_function(main)
    choice = constructs(main)[1]
    with pytest.raises(EditRefused) as refusal:
        clone_and_reinsert(module, before_node(choice), after_node(choice), at_end(main.body.end()))
    assert refusal.value.code == "RK0482"
    assert print_function(main) == text and sound(module)


def test_a_clone_outlives_its_original() -> None:
    module, main = read(LOOP)
    choice = constructs(main)[1]
    floating = extract(module, before_node(choice), after_node(choice))
    copy = clone(module, floating)
    delete(module, floating)
    reinsert(module, copy, floating.seam)
    assert print_function(main).count("break @l") == 1 and sound(module)
    with pytest.raises(EditRefused) as refusal:
        clone(module, floating)
    assert refusal.value.code == "RK0486"


def test_an_empty_list_has_an_empty_clone() -> None:
    module, main = read(LOOP)
    nothing = extract(module, behind_jump(main.body.end()), region_end(main.body))
    copy = clone(module, nothing)
    delete(module, copy)
    delete(module, nothing)
    assert sound(module)


def test_a_flat_function_is_cloned_flat() -> None:
    module, main = read("""func @main(%c: bool) -> void flat {
b1:
  BranchConditional %c b2 b3
b2:
  Branch b3
b3:
  %p = Phi 1u b1, 2u b2 : u32
  return
}
""")
    copy = clone_function(module, main, "copy")
    assert not copy.structured and len(copy.blocks) == 3
    assert print_function(copy) == print_function(main).replace("@main", "@copy")
    assert not set(copy.blocks) & set(main.blocks)
    assert sound(module)
