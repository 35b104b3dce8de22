"""Structured SPIR-V as a control-flow tree, shape by shape: what each must become, and that the same bytes come back.

The trees are derived by hand from SPIR-V 1.6, 2.11: a block stands after the construct whose merge block it is, in
`continuing` if it is the continue target, in a case if it is a switch target, else where its one predecessor leads.
"""

import re

import pytest
from kit import oracles
from kit.oracles.tree_check import check_tree
from kit.text.preludes import compute

from reknit.ir import enums, op
from reknit.ir.build import Builder, new_function
from reknit.ir.constants import bool_constant, int_constant
from reknit.ir.edit import set_jump
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Exit
from reknit.ir.module import Module, annotation
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function
from reknit.ir.tree import Loop
from reknit.ir.types import int_type
from reknit.ir.walk import instructions, nodes
from reknit.source.diagnostic import InputError
from reknit.spirv.asm import assemble
from reknit.spirv.dis import disassemble
from reknit.spirv.graph import Graph
from reknit.spirv.read import read_flat, read_module
from reknit.spirv.to_tree import fold_function
from reknit.spirv.write import write_module

SHELL = """OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
{names}
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%c = OpUndef %bool
%d = OpConstantTrue %bool
%s = OpConstant %uint 7
%fn = OpTypeFunction %void
%f = OpFunction %void None %fn
{body}
OpFunctionEnd
"""

SHAPES = {
    "an if with both arms": (
        """%a = OpLabel
           OpSelectionMerge %m None
           OpBranchConditional %d %t %e
           %t = OpLabel
           OpBranch %m
           %e = OpLabel
           OpBranch %m
           %m = OpLabel
           OpReturn""",
        "a: if true { t: } else { e: } m: return",
    ),
    "an if whose other side is the merge block": (
        """%a = OpLabel
           OpSelectionMerge %m None
           OpBranchConditional %d %t %m
           %t = OpLabel
           OpBranch %m
           %m = OpLabel
           OpReturn""",
        "a: if true { t: } m: return",
    ),
    "both arms return, so the merge block is unreachable": (
        """%a = OpLabel
           OpSelectionMerge %m None
           OpBranchConditional %d %t %e
           %t = OpLabel
           OpReturn
           %e = OpLabel
           OpReturn
           %m = OpLabel
           OpUnreachable""",
        "a: if true { t: return } else { e: return } m: unreachable",
    ),
    "a while loop: the header branches, and one side leaves": (
        """%a = OpLabel
           OpBranch %h
           %h = OpLabel
           OpLoopMerge %m %k None
           OpBranchConditional %d %b %m
           %b = OpLabel
           OpBranch %k
           %k = OpLabel
           OpBranch %h
           %m = OpLabel
           OpReturn""",
        "a: loop @h { h: if true nojoin { } else { break @h } b: } continuing { k: } m: return",
    ),
    "a do-while loop: the back edge branches": (
        """%a = OpLabel
           OpBranch %h
           %h = OpLabel
           OpLoopMerge %m %k None
           OpBranch %b
           %b = OpLabel
           OpBranch %k
           %k = OpLabel
           OpBranchConditional %d %h %m
           %m = OpLabel
           OpReturn""",
        "a: loop @h { h: b: } continuing { k: if true nojoin { } else { break @h } } m: return",
    ),
    "a loop of a single block": (
        """%a = OpLabel
           OpBranch %h
           %h = OpLabel
           OpLoopMerge %m %h None
           OpBranchConditional %d %h %m
           %m = OpLabel
           OpReturn""",
        "a: loop @h { h: if true nojoin { } else { break @h } } m: return",
    ),
    "a continue construct of many blocks": (
        """%a = OpLabel
           OpBranch %h
           %h = OpLabel
           OpLoopMerge %m %k None
           OpBranchConditional %d %k %m
           %k = OpLabel
           OpSelectionMerge %n None
           OpBranchConditional %d %t %n
           %t = OpLabel
           OpBranch %n
           %n = OpLabel
           OpBranch %h
           %m = OpLabel
           OpReturn""",
        "a: loop @h { h: if true nojoin { } else { break @h } } continuing { k: if true { t: } n: } m: return",
    ),
    "a selection without a merge, because one arm continues": (
        """%a = OpLabel
           OpBranch %h
           %h = OpLabel
           OpLoopMerge %m %k None
           OpBranch %b
           %b = OpLabel
           OpBranchConditional %d %k %x
           %x = OpLabel
           OpBranchConditional %d %m %y
           %y = OpLabel
           OpBranch %k
           %k = OpLabel
           OpBranch %h
           %m = OpLabel
           OpReturn""",
        "a: loop @h { h: b: if true nojoin { continue @h } x: if true nojoin { break @h } y: }"
        " continuing { k: } m: return",
    ),
    "an endless loop that is left by return alone": (
        """%a = OpLabel
           OpBranch %h
           %h = OpLabel
           OpLoopMerge %m %k None
           OpBranch %b
           %b = OpLabel
           OpSelectionMerge %n None
           OpBranchConditional %d %t %n
           %t = OpLabel
           OpReturn
           %n = OpLabel
           OpBranch %k
           %k = OpLabel
           OpBranch %h
           %m = OpLabel
           OpUnreachable""",
        "a: loop @h { h: b: if true { t: return } n: } continuing { k: } m: unreachable",
    ),
    "a continue target that nothing branches to": (
        """%a = OpLabel
           OpBranch %h
           %h = OpLabel
           OpLoopMerge %m %k None
           OpBranch %m
           %k = OpLabel
           OpBranch %h
           %m = OpLabel
           OpReturn""",
        "a: loop @h { h: break @h } continuing { k: } m: return",
    ),
    "a switch: shared label, fallthrough, default in the middle of the chain": (
        """%a = OpLabel
           OpSelectionMerge %m None
           OpSwitch %s %y 0 %x 2 %x 1 %z
           %x = OpLabel
           OpBranch %y
           %y = OpLabel
           OpBranch %z
           %z = OpLabel
           OpBranch %m
           %m = OpLabel
           OpReturn""",
        "a: switch 7u { case 0, 2: { x: fallthrough } default: { y: fallthrough } case 1: { z: } } m: return",
    ),
    "a switch whose default is the merge block": (
        """%a = OpLabel
           OpSelectionMerge %m None
           OpSwitch %s %m 0 %x
           %x = OpLabel
           OpBranch %m
           %m = OpLabel
           OpReturn""",
        "a: switch 7u { case 0: { x: } default: { } } m: return",
    ),
    "a conditional break out of a switch, and a continue of the loop around it": (
        """%a = OpLabel
           OpBranch %h
           %h = OpLabel
           OpLoopMerge %l %k None
           OpBranch %b
           %b = OpLabel
           OpSelectionMerge %m None
           OpSwitch %s %m 0 %x 1 %y
           %x = OpLabel
           OpBranchConditional %d %m %p
           %p = OpLabel
           OpBranch %k
           %y = OpLabel
           OpBranch %l
           %m = OpLabel
           OpBranch %k
           %k = OpLabel
           OpBranch %h
           %l = OpLabel
           OpReturn""",
        "a: loop @h { h: b: switch 7u as @S { case 0: { x: if true nojoin { break @S } p: continue @h }"
        " case 1: { y: break @h } default: { } } m: } continuing { k: } l: return",
    ),
    "blocks that nobody declared but two branches share (legal in base SPIR-V)": (
        """%a = OpLabel
           OpSelectionMerge %m None
           OpBranchConditional %d %t %e
           %t = OpLabel
           OpBranch %j
           %e = OpLabel
           OpBranch %j
           %j = OpLabel
           OpBranch %m
           %m = OpLabel
           OpReturn""",
        "pad b1: scope { scope nojoin { a: if true nojoin { t: } else { e: } } j: } m: return",
    ),
    "a merge block that is a loop header": (
        """%a = OpLabel
           OpSelectionMerge %h None
           OpBranchConditional %d %t %h
           %t = OpLabel
           OpBranch %h
           %h = OpLabel
           OpLoopMerge %m %k None
           OpBranchConditional %d %k %m
           %k = OpLabel
           OpBranch %h
           %m = OpLabel
           OpReturn""",
        "a: if true { t: } loop @h { h: if true nojoin { } else { break @h } } continuing { k: } m: return",
    ),
    "a continue target that is a loop of its own": (
        """%a = OpLabel
           OpBranch %h
           %h = OpLabel
           OpLoopMerge %m %k None
           OpBranchConditional %d %k %m
           %k = OpLabel
           OpLoopMerge %n %k None
           OpBranchConditional %d %k %n
           %n = OpLabel
           OpBranch %h
           %m = OpLabel
           OpReturn""",
        "a: loop @h { h: if true nojoin { } else { break @h } } continuing {"
        " loop @k { k: if true nojoin { } else { break @k } } n: } m: return",
    ),
    "blocks in an order of their own": (
        """%a = OpLabel
           OpSelectionMerge %m None
           OpBranchConditional %d %t %e
           %m = OpLabel
           OpReturn
           %e = OpLabel
           OpBranch %m
           %t = OpLabel
           OpBranch %m""",
        "a: if true { t: } else { e: } m: return",
    ),
    "blocks that nothing reaches": (
        """%a = OpLabel
           OpReturn
           %u = OpLabel
           OpBranch %v
           %v = OpLabel
           OpReturn""",
        "a: return islands u: Branch %v v: return",
    ),
}


def text_of(body: str) -> bytes:
    labels = re.findall(r"%(\w+) = OpLabel", body)
    names = "\n".join(f'OpName %{label} "{label}"' for label in labels)
    return assemble(SHELL.format(names=names, body=body), version=(1, 5))


def tree_of(printed: str) -> str:
    """The printed function on one line, as far as control flow goes: without its head and where blocks stood."""
    inner = printed[printed.index("{") + 1 : printed.rindex("}")]
    inner = re.sub(r"%(\w+):( at \d+)?", r"\1:", inner)
    words = " ".join(inner.split()).partition(" ids ")[0]
    first_switch = re.search(r"switch 7u as @(\w+)", words)
    return words.replace(f"@{first_switch[1]}", "@S") if first_switch else words


@pytest.mark.parametrize("name", SHAPES)
def test_it_becomes_the_tree_that_the_rules_give(name: str) -> None:
    body, tree = SHAPES[name]
    (function,) = read_module(text_of(body)).functions
    assert function.structured
    assert tree_of(print_function(function)) == tree


@pytest.mark.parametrize("name", SHAPES)
def test_the_same_bytes_come_back(name: str) -> None:
    data = text_of(SHAPES[name][0])
    assert write_module(read_module(data)) == data
    swapped = write_module(read_module(data), big_endian=True)
    assert swapped != data and write_module(read_module(swapped)) == data


@pytest.mark.parametrize("name", SHAPES)
def test_the_graph_of_the_tree_is_the_graph_that_was_read(name: str) -> None:
    (function,) = read_flat(text_of(SHAPES[name][0])).functions
    graph = Graph(function.blocks)
    graph.analyse()
    assert fold_function(function, "") == []
    assert check_tree(function.body, graph.blocks, graph.reached, graph.successors) is None


PHIS = """%a = OpLabel
OpSelectionMerge %h None
OpBranchConditional %d %t %h
%t = OpLabel
OpBranch %h
%h = OpLabel
%p = OpPhi %uint %s %a %z %t %q %k
OpLoopMerge %m %k None
OpBranchConditional %d %k %m
%k = OpLabel
%q = OpIAdd %uint %p %s
OpBranch %h
%m = OpLabel
%r = OpPhi %uint %p %h
OpReturn"""


def test_edges_that_meet_before_a_loop_get_a_phi_of_their_own_and_lose_it_again() -> None:
    """`h` is a merge block and a loop header. In the tree the merge block is padding before the loop: the values from
    `a` and `t` meet there, and the loop's phi takes that and the one from `k`. On writing the two are one again."""
    data = assemble(
        SHELL.format(names="", body=PHIS).replace("%fn =", "%z = OpConstant %uint 0\n%fn ="), version=(1, 5)
    )
    module = read_module(data)
    (function,) = module.functions
    (loop,) = [node for node in nodes(function) if isinstance(node, Loop)]
    assert [len(list(block.phis())) for block in (loop.before(), loop.body.entry())] == [1, 1]
    assert write_module(module) == data


@pytest.mark.parametrize("pairs", ["%s %a %s %t", "%s %t %s %a"])
def test_the_order_of_pairs_with_one_value_comes_back(pairs: str) -> None:
    """One value from both ways in needs no phi before the loop, but where its pairs stand in an order of their own."""
    body = PHIS.replace("%s %a %z %t", pairs)
    data = assemble(SHELL.format(names="", body=body), version=(1, 5))
    assert write_module(read_module(data)) == data


REFUSED = {
    "RK0501": """%a = OpLabel
        OpBranchConditional %d %h %m
        %h = OpLabel
        OpSelectionMerge %m None
        OpBranchConditional %d %t %m
        %t = OpLabel
        OpBranch %m
        %m = OpLabel
        OpReturn""",
    "RK0502": """%a = OpLabel
        OpBranch %b
        %b = OpLabel
        OpBranchConditional %d %b %c2
        %c2 = OpLabel
        OpReturn""",
    "RK0503": """%a = OpLabel
        OpSelectionMerge %m None
        OpBranchConditional %d %t %m
        %t = OpLabel
        OpSelectionMerge %m None
        OpBranchConditional %d %u %m
        %u = OpLabel
        OpBranch %m
        %m = OpLabel
        OpReturn""",
    "RK0504": """%a = OpLabel
        OpBranch %h
        %h = OpLabel
        OpLoopMerge %m %k None
        OpBranchConditional %d %k %m
        %k = OpLabel
        OpBranch %h
        %m = OpLabel
        OpBranchConditional %d %k %z
        %z = OpLabel
        OpReturn""",
    "RK0505": """%a = OpLabel
        OpSelectionMerge %m None
        OpSwitch %s %m 0 %x 1 %y 2 %z
        %x = OpLabel
        OpBranchConditional %d %y %z
        %y = OpLabel
        OpBranch %m
        %z = OpLabel
        OpBranch %m
        %m = OpLabel
        OpReturn""",
    "RK0507": """%a = OpLabel
        OpBranch %b
        %b = OpLabel
        %p = OpPhi %uint %s %b
        OpReturn""",
}


@pytest.mark.parametrize("code", REFUSED)
def test_what_is_no_tree_stays_flat_and_comes_back_unchanged(code: str) -> None:
    """Each breaks one rule of SPIR-V 1.6, 2.11; the diagnostic says which, and nothing is lost."""
    data = text_of(REFUSED[code])
    module = read_module(data)
    assert [note.code for note in module.notes] == [code]
    assert not module.functions[0].structured
    assert write_module(module) == data


def looped(first: str, last: str) -> bytes:
    """A loop of one block with a test. The then arm, and what follows, each goes "again", "leaves" or "ends"."""
    module = Module()
    module.capabilities.append(annotation(op.Capability, [enums.CapabilityShader]))
    module.memory_model.append(annotation(op.MemoryModel, [0, 1]))
    function = new_function(module, "main")
    module.entry_points.append(annotation(op.EntryPoint, [enums.ExecutionModelGLCompute, function, "main"]))
    module.execution_modes.append(annotation(op.ExecutionMode, [function, enums.ExecutionModeLocalSize, 1, 1, 1]))
    b = Builder(module, function.entry())
    loop = b.open_loop("l")
    b.at(loop.body.entry())
    choice = b.open_if(bool_constant(module, True), merged=False)
    for way, block in ((first, choice.then.entry()), (last, choice.after())):
        if way == "leaves":
            set_jump(block, Break(loop))
        elif way == "ends":
            set_jump(block, Exit(Instr(op.Unreachable, None, [], "", False)))
    b.at(loop.after())
    b.return_()
    return write_module(module)


@pytest.mark.parametrize("last", ["again", "leaves", "ends"])
@pytest.mark.parametrize("first", ["again", "leaves", "ends"])
def test_a_loop_that_no_iteration_repeats_has_a_back_edge_all_the_same(first: str, last: str) -> None:
    """A loop header is targeted by exactly one back edge (SPIR-V 1.6, 2.11.1), and the two labels of a branch differ
    (OpBranchConditional): so only the loop that one side of the test leaves can be a single block."""
    data = looped(first, last)
    accepted, message = oracles.validate(data)
    assert accepted, message
    assert read_module(data).notes == []


def test_targets_with_one_label_stand_together() -> None:
    """SPIR-V 1.6, 2.11: the pairs of an OpSwitch that name one label are neighbours. Cases 1 and 3 do nothing, so the
    label of both is the merge block."""
    module = Module()
    function = new_function(module, "f")
    b = Builder(module, function.entry())
    switch = b.open_switch(int_constant(module, int_type(module, 32, False), 2))
    for literal in (1, 2, 3):
        case = b.add_case(switch, [literal])
        b.at(case.region.entry())
        if literal == 2:
            b.effect(op.Nop, [])
        b.break_(switch)
    b.at(b.add_case(switch, [], default=True).region.entry())
    b.break_(switch)
    b.at(switch.after())
    b.return_()
    flat = read_flat(write_module(module))
    (branch,) = [instr for instr in instructions(flat.functions[0]) if instr.op == op.Switch]
    assert branch.operands[2::2] == [1, 3, 2]
    assert branch.operands[3] is branch.operands[5]
    assert branch.operands[3] is not branch.operands[7]


def test_an_if_that_is_left_by_a_break_is_no_back_edge() -> None:
    """Last in a continuing part, it is a selection like any other: one block branches back (SPIR-V 1.6, 2.11)."""
    module = Module()
    module.capabilities.append(annotation(op.Capability, [enums.CapabilityShader]))
    module.capabilities.append(annotation(op.Capability, [enums.CapabilityLinkage]))
    module.memory_model.append(annotation(op.MemoryModel, [0, 1]))
    b = Builder(module, new_function(module, "f").entry())
    loop = b.open_loop()
    b.at(loop.body.entry())
    leave = b.open_if(bool_constant(module, True), merged=False)
    set_jump(leave.then.entry(), Break(loop))
    b.at(loop.continuing.entry())
    last = b.open_if(bool_constant(module, False))
    set_jump(last.then.entry(), Break(last))
    b.at(loop.after())
    b.return_()
    accepted, message = oracles.spirv_val(write_module(module), "spv1.6")
    assert accepted, message


def test_code_that_no_path_reaches_asks_for_no_merge() -> None:
    """Both ways out of the inner `if` lead to the outer one's merge block. A merge instruction would make it a
    selection of its own, which may not be left for that block (SPIR-V 1.6, 2.11.1, "exit"), and what stands behind the
    jump doesn't change that."""
    text = (
        compute(4)
        + """
func @main() -> void {
  %lane = Load %lane_id : u32
  %odd = INotEqual %lane, 2u : bool
  if %odd as @outer {
    %two = INotEqual %lane, 1u : bool
    if %two nojoin {
      break @outer
    }
    break @outer
  pad b1:
    %not_reached = IAdd %lane, 1u : u32
  }
  return
}
"""
    )
    data = write_module(parse(text))
    accepted, message = oracles.spirv_val(data, "spv1.6")
    assert accepted, message
    assert disassemble(data).count("OpSelectionMerge") == 1


def test_a_loop_that_no_path_reaches_is_entered_all_the_same() -> None:
    """What spirv-val takes for a cycle's header is what the cycle is entered by, so that the block before it stays."""
    text = (
        compute(4)
        + """
func @main() -> void {
  %lane = Load %lane_id : u32
  %odd = INotEqual %lane, 2u : bool
  if %odd as @outer {
    break @outer
  pad b1:
    loop @again {
      if false nojoin {
        switch %lane as @inner {
          default: {
            break @inner
          b2:
          }
        }
      }
    }
  }
  return
}
"""
    )
    accepted, message = oracles.spirv_val(write_module(parse(text)), "spv1.6")
    assert accepted, message


def test_a_back_edge_is_no_way_out_though_its_header_is_a_merge_block() -> None:
    """The loop's header is the merge block of the `if` before it. In the continuing part an arm that goes on to the
    header leaves nothing: with it there would be two back edges (SPIR-V 1.6, 2.11, "structured loop")."""
    text = (
        compute(4)
        + """
func @main() -> void {
  %lane = Load %lane_id : u32
  %odd = INotEqual %lane, 2u : bool
  if %odd { }
  pad b1:
  loop @again {
    %few = ULessThan %lane, 3u : bool
    if %few nojoin { break @again }
  } continuing {
    if %few nojoin { }
  }
  return
}
"""
    )
    with pytest.raises(InputError, match="RK0510"):
        write_module(parse(text))
