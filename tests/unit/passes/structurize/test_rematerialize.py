"""Phis and values that no variable can hold: pointers under logical addressing, structs with a layout."""

import pytest
from kit.oracles import need, validate
from kit.text.flat_texts import flat

from reknit.ir.module import Module
from reknit.ir.op import Phi
from reknit.passes.manager import run_passes
from reknit.sim.run import run
from reknit.spirv.write import write_module

CHOICE = """
  %next = IAdd %lane 1u : u32
  %bit = BitwiseAnd %lane 1u : u32
  %odd = IEqual %bit 1u : bool
  BranchConditional %odd %a %b
%a:
  %x = {x}
  Branch %c
%b:
  %y = {y}
  Branch %c
%c:
  %p = Phi %x %a, %y %b : ptr<StorageBuffer, u32>
  Store %p 7u
  return
"""


def ran(module: Module) -> list[int]:
    report = run_passes(module, "restructure")
    assert [note.code for note in report.notes()] == []
    need("slang-glslang")
    accepted, message = validate(write_module(module))
    assert accepted, message
    return list(run(module, subgroup_size=4).buffers["out"].words)


def test_a_phi_of_pointers_into_one_array_is_one_of_indices() -> None:
    """Odd lanes write their own word, even lanes the next one: so only odd words are written."""
    own, following = (f"AccessChain %out 0u {index} : ptr<StorageBuffer, u32>" for index in ("%lane", "%next"))
    words = ran(flat(CHOICE.format(x=own, y=following)))
    assert words[:6] == [0, 7, 0, 7, 0, 7]


def test_a_phi_of_one_pointer_is_that_pointer() -> None:
    text = CHOICE.format(x="IAdd %lane 2u : u32", y="IAdd %lane 3u : u32")
    words = ran(flat(text.replace("%x %a, %y %b", "%slot %a, %slot %b")))
    assert words[:4] == [7, 7, 7, 7]


@pytest.mark.parametrize(
    ("y", "told"),
    [
        ("AccessChain %other 0u %lane : ptr<StorageBuffer, u32>", "from %out and %other"),
        ("CopyObject %slot : ptr<StorageBuffer, u32>", "from what was made in different ways"),
    ],
)
def test_pointers_of_different_origin_keep_a_function_flat(y: str, told: str) -> None:
    text = CHOICE.format(x="AccessChain %out 0u %lane : ptr<StorageBuffer, u32>", y=y)
    module = flat(
        text,
        "Decorate %other DescriptorSet 0\nDecorate %other Binding 1\nDecorate %Words Block\n"
        "MemberDecorate %Words 0 Offset 0\n",
        "%words = TypeArray u32 64u\n%Words = TypeStruct %words\n"
        "%other = Variable StorageBuffer : ptr<StorageBuffer, %Words>\n",
    )
    report = run_passes(module, "structurize")
    (note,) = report.notes()
    assert note.code == "RK2503" and "%p, which its phi chooses " in note.message and told in note.message
    main = module.functions[0]
    assert not main.structured and any(instr.op == Phi for block in main.blocks for instr in block)


LAID_OUT = """
  Branch %begin
%begin:
  %one_two = CompositeConstruct 1u 2u : %Pair
  %many = CompositeConstruct 30u 40u : %Pair
  %bit = BitwiseAnd %lane 1u : u32
  %odd = IEqual %bit 1u : bool
  BranchConditional %odd %a %b
%a:
  %x = Phi %one_two %begin, %next %b : %Pair
  %sx = CompositeExtract %x 0 : u32
  %again = ULessThan %sx 3u : bool
  BranchConditional %again %b %c
%b:
  %y = Phi %many %begin, %x %a : %Pair
  %sy = CompositeExtract %y 0 : u32
  %more = IAdd %sy 1u : u32
  %rest = CompositeExtract %y 1 : u32
  %next = CompositeConstruct %more %rest : %Pair
  Branch %a
%c:
  %low = CompositeExtract %x 0 : u32
  %high = CompositeExtract %x 1 : u32
  %sum = IAdd %low %high : u32
  Store %slot %sum
  return
"""


def test_structs_with_a_layout_go_by_their_members() -> None:
    """A loop with two entrances. Odd lanes begin with (1, 2) at a, count to (2, 2) and (3, 2) and leave: 5. Even lanes
    begin at b with (30, 40), which is no less than 3 once it gets to a as (31, 40): 71."""
    decorations = "MemberDecorate %Pair 0 Offset 0\nMemberDecorate %Pair 1 Offset 4\n"
    words = ran(flat(LAID_OUT, decorations, "%Pair = TypeStruct u32 u32\n"))
    assert words[:4] == [71, 5, 71, 5]


def test_a_struct_with_a_layout_that_another_block_uses_goes_by_its_members() -> None:
    """`once` is made at b and used at d, in the loop of a and b, which gets one entrance. Every lane goes b, a, b, d,
    where `once` is (2, 1): 3."""
    text = """
  %v = Variable Function : ptr<Function, u32>
  Store %v 0u
  %never = IEqual %lane 99u : bool
  BranchConditional %never %a %b
%a:
  %i = Load %v : u32
  %two = IEqual %i 2u : bool
  BranchConditional %two %c %b
%b:
  %k = Load %v : u32
  %more = IAdd %k 1u : u32
  Store %v %more
  %once = CompositeConstruct %more 1u : %Pair
  %end = IEqual %more 2u : bool
  BranchConditional %end %d %a
%c:
  Store %slot 99u
  return
%d:
  %low = CompositeExtract %once 0 : u32
  %high = CompositeExtract %once 1 : u32
  %sum = IAdd %low %high : u32
  Store %slot %sum
  return
"""
    decorations = "MemberDecorate %Pair 0 Offset 0\nMemberDecorate %Pair 1 Offset 4\n"
    words = ran(flat(text, decorations, "%Pair = TypeStruct u32 u32\n"))
    assert words[:4] == [3, 3, 3, 3]
