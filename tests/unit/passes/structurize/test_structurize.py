"""The structurizer on programs written out: which constructs come of a graph, who waits where, what is told."""

import pytest
from kit.oracles import need, validate
from kit.text.flat_texts import flat
from kit.text.pass_texts import body

from reknit.front.cfg import load_cfg
from reknit.ir.function import Function
from reknit.ir.text.printer import print_module
from reknit.ir.tree import If, Loop, Scope, Switch
from reknit.ir.walk import blocks, nodes
from reknit.passes.manager import Report, run_passes
from reknit.sim.run import run
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

WATERFALL = """
  %v = Variable Function : ptr<Function, u32>
  Store %v 0u
  Branch %head
%head:{head}
  %i = Load %v : u32
  %k = BitwiseAnd %lane 1u : u32
  %c = IEqual %i %k : bool
  BranchConditional %c %work %latch
%latch:
  %j = IAdd %i 1u : u32
  Store %v %j
  Branch %head
%work:{work}
  SEE 1
  Branch %end
%end:
  return
"""


def structured(text: str, options: str = "") -> tuple[Function, Report]:
    """The tree that the graph of a .cfg text becomes."""
    module = load_cfg(text, "a.cfg")
    report = run_passes(module, "structurize" + options)
    return module.functions[0], report


def kinds(function: Function) -> list[str]:
    return [type(node).__name__ for node in nodes(function) if isinstance(node, (If, Loop, Scope, Switch))]


def test_a_diamond_is_a_merged_if() -> None:
    function, report = structured("e -> a b\na -> j\nb -> j\nj ret")
    found = [node for node in nodes(function) if isinstance(node, If)]
    assert kinds(function) == ["If"]
    assert found[0].merged and found[0].after().name == "j"
    assert found[0].then.entry().name == "a" and found[0].orelse.entry().name == "b"
    assert report.notes() == []


def test_a_loop_that_is_left_by_its_header_is_a_while() -> None:
    function, _ = structured("e -> h\nh -> b out\nb -> h\nout ret")
    loop = next(node for node in nodes(function) if isinstance(node, Loop))
    assert kinds(function) == ["Loop", "If"]
    assert loop.after().name == "out" and loop.body.entry().name == "h"
    assert [block.region is not None and isinstance(block.region.owner, If) for block in loop.breaks] == [True]


def test_two_joins_of_one_block_are_two_scopes_the_nearer_one_inside() -> None:
    """e leads to j1 and j2 over a and b, and j1 to j2: j1 stands behind the inner one, j2 behind the outer one."""
    function, _ = structured("e -> a b\na -> j1 j2\nb -> j1\nj1 -> j2\nj2 ret")
    outer = next(node for node in nodes(function) if isinstance(node, (Scope, If)) and node.merged)
    assert outer.after().name == "j2"
    inner = [node for node in nodes(function) if isinstance(node, (Scope, If)) and node.merged][1]
    assert inner.after().name == "j1"
    assert isinstance(inner.region, type(function.body)) and inner.region.owner is outer


def test_no_block_is_copied_and_none_is_lost() -> None:
    function, _ = structured("e -> a b\na -> b c\nb -> a d\nc -> d\nd ret\ndead -> a")
    names = [block.name for block in blocks(function) if block.name]
    assert sorted(names) == ["a", "b", "c", "d", "e"]


def test_a_loop_with_two_entrances_gets_one() -> None:
    function, _ = structured("e -> a b\na -> b c\nb -> a d\nc -> d\nd ret")
    loop = next(node for node in nodes(function) if isinstance(node, Loop))
    assert kinds(function).count("Loop") == 1
    inside = {block.name for block in blocks(function) if _is_in(block.region, loop)}
    assert {"a", "b"} <= inside
    assert not {"c", "d", "e"} & inside


def _is_in(region: object, loop: Loop) -> bool:
    while region is not None:
        owner = getattr(region, "owner", None)
        owner = getattr(owner, "switch", owner)
        if owner is loop:
            return True
        region = getattr(owner, "region", None)
    return False


def test_cases_fall_through_only_where_no_tangled_operation_is_executed() -> None:
    """With a ballot in the blocks, `b` stands behind a scope, where those from `a` and from the switch meet."""
    text = "e -> d a b\na -> b\nb -> d\nd ret"
    function, _ = structured(text)
    switch = next(node for node in nodes(function) if isinstance(node, Switch))
    assert all(not case.fallthroughs for case in switch.cases)
    module = load_cfg(text, "a.cfg")
    main = module.functions[0]
    for block in main.blocks:
        for instr in list(block):
            if instr.op == 57 and instr.operands[0] is module.functions[2]:
                from reknit.ir.edit import erase

                erase(instr)
    run_passes(module, "structurize")
    switch = next(node for node in nodes(main) if isinstance(node, Switch))
    assert [bool(case.fallthroughs) for case in switch.cases].count(True) == 1


def test_a_star_becomes_levels() -> None:
    """Forty blocks that the first one dominates, each reached from two: a scope each, and not forty deep."""
    count = 40
    lines = ["n0 -> n1 n2", *[f"n{at} -> n{at + 1} n{at + 2}" for at in range(1, count)]]
    lines += [f"n{count} -> n{count + 1}", f"n{count + 1} ret"]
    function, _ = structured("\n".join(lines))
    deepest = 0
    for node in nodes(function):
        depth = 0
        region = node.region
        while region is not None and region is not function.body:
            owner = region.owner
            assert isinstance(owner, (If, Scope))
            region = owner.region
            depth += 1
        deepest = max(deepest, depth)
    assert deepest <= 3


def test_membership_decides_who_runs_the_work_of_a_waterfall() -> None:
    """16 lanes or more, of which lane % 2 is 0 or 1: in the loop, half of a subgroup of four runs the ballot at a time
    (0b0101, then 0b1010); behind it, all do (0b1111)."""
    need("slang-glslang")
    for head, work, ballots in (
        ("", " member %head", (0b0101, 0b1010)),
        (" member %head", "", (0b1111, 0b1111)),
        ("", "", (0b1111, 0b1111)),
    ):
        module = flat(WATERFALL.format(head=head, work=work))
        report = run_passes(module, "restructure")
        told = [note.code for note in report.notes()]
        assert told == ([] if head or work else ["RK2501"])
        binary = write_module(module)
        assert validate(binary)[0]
        words = run(read_module(binary), subgroup_size=4).buffers["out"].words
        assert list(words[:4]) == [ballots[0], ballots[1], ballots[0], ballots[1]]


def test_a_merge_instruction_says_who_belongs_to_the_loop() -> None:
    """A flat function keeps its loop as OpLoopMerge has it: `work` comes before the merge block."""
    text = WATERFALL.format(head="", work="").replace(
        "  BranchConditional %c %work %latch\n%latch",
        "  LoopMerge %end %latch None\n  BranchConditional %c %work %latch\n%latch",
    )
    module = flat(text)
    report = run_passes(module, "restructure")
    assert report.notes() == []
    assert list(run(module, subgroup_size=4).buffers["out"].words[:2]) == [0b0101, 0b1010]


@pytest.mark.parametrize(
    "end_of_a, reason",
    [
        ("Branch %b", None),
        ("BranchConditional true %b %c", "dominate"),
    ],
)
def test_a_hint_that_can_not_hold_is_dropped_and_told(end_of_a: str, reason: str | None) -> None:
    rest = "%b:\n  BranchConditional true %b %c\n%c: member %b\n  return\n"
    module = flat(f"  Branch %a\n%a:\n  {end_of_a}\n{rest}")
    report = run_passes(module, "structurize")
    notes = [note for note in report.notes() if note.code == "RK2502"]
    assert len(notes) == (reason is not None)
    assert reason is None or reason in notes[0].message


def test_values_and_phis_survive() -> None:
    """A value from before a loop with two entrances, used behind it, and a phi in it: 7 + 3 on every lane."""
    need("slang-glslang")
    module = flat(
        """  %seven = IAdd %lane 7u : u32
  %odd = BitwiseAnd %lane 1u : u32
  %c = INotEqual %odd 0u : bool
  BranchConditional %c %a %b
%a:
  %x = Phi 0u %first, %y2 %b : u32
  %x2 = IAdd %x 1u : u32
  Branch %b
%b:
  %y = Phi 0u %first, %x2 %a : u32
  %y2 = IAdd %y 1u : u32
  %d = UGreaterThanEqual %y2 3u : bool
  BranchConditional %d %end %a
%end:
  %sum = IAdd %seven %y2 : u32
  %all = ISub %sum %lane : u32
  Store %slot %all
  return
"""
    )
    run_passes(module, "restructure")
    binary = write_module(module)
    assert validate(binary)[0]
    # lane 0 enters at b: y2 = 1, a: 2, b: 3. Lane 1 enters at a: x2 = 1, b: y2 = 2, a: 3, b: 4.
    words = run(read_module(binary), subgroup_size=8).buffers["out"].words
    assert list(words[:4]) == [10, 11, 10, 11]


def test_a_function_with_structure_stays() -> None:
    module = body("SEE 1\nreturn")
    before = print_module(module)
    report = run_passes(module, "structurize")
    assert not report.changed()
    assert print_module(module) == before


def test_flat_spirv_is_given_structure() -> None:
    """Two headers with one merge block, which no tree says: as in loops that share their merge."""
    need("slang-glslang")
    text = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%bool = OpTypeBool
%yes = OpConstantTrue %bool
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpBranch %outer
%outer = OpLabel
OpLoopMerge %end %latch None
OpBranchConditional %yes %inner %end
%inner = OpLabel
OpLoopMerge %end %next None
OpBranchConditional %yes %next %end
%next = OpLabel
OpBranchConditional %yes %inner %latch
%latch = OpLabel
OpBranch %outer
%end = OpLabel
OpReturn
OpFunctionEnd
"""
    binary = assemble(text)
    assert not validate(binary)[0]
    module = read_module(binary)
    assert not module.functions[0].structured
    run_passes(module, "restructure")
    assert validate(write_module(module))[0]
    assert kinds(module.functions[0]).count("Loop") == 2
