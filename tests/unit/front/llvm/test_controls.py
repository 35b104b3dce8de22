"""What the input asks for of branches and loops is in the SPIR-V: selection control, loop control, who is in a loop."""

import re

import pytest
from kit.programs.expected_shaders import KINDS

import reknit
from reknit.ir import enums
from reknit.ir.clone import clone_function

pytestmark = pytest.mark.once

GRAPH = """
declare void @see(i32) convergent
define void @f(i32 %n, i1 %p) convergent {{
entry:
  br i1 %p, label %first, label %head{branch}
first:
  call void @see(i32 1)
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ 0, %first ], [ %next, %latch ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %latch, label %out
latch:
  call void @see(i32 %i)
  br label %head{latch}
out:
  ret void
}}
{nodes}
"""


def controls(branch: str = "", latch: str = "", nodes: str = "") -> list[str]:
    """What is written at the if and at the loop."""
    module = reknit.load(GRAPH.format(branch=branch, latch=latch, nodes=nodes).encode(), format="ll")
    reknit.compile(module, "restructure")
    return re.findall(r" control (.*) \{", reknit.text(module))


@pytest.mark.parametrize(
    ("hint", "expected"), [("i32 1", ["DontFlatten"]), ("i32 2", ["Flatten"]), ("i32 0", []), ("i32 5", [])]
)
def test_selections(hint: str, expected: list[str]) -> None:
    """ControlFlowHint (DXC, DxilConstants.h): 1 is Branch, 2 Flatten, 5 ForceCase, which SPIR-V has no word for."""
    node = f'!0 = distinct !{{!0, !"dx.controlflow.hints", {hint}}}'
    assert controls(branch=", !dx.controlflow.hints !0", nodes=node) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('!"llvm.loop.unroll.disable"', ["DontUnroll"]),
        ('!"llvm.loop.unroll.full"', ["Unroll"]),
        ('!"llvm.loop.unroll.enable"', ["Unroll"]),
        ('!"llvm.loop.unroll.count", i32 4', ["PartialCount(4)"]),
        ('!"llvm.loop.mustprogress"', []),
    ],
)
def test_loops(said: str, expected: list[str]) -> None:
    assert controls(latch=", !llvm.loop !0", nodes=f"!0 = distinct !{{!0, !1}}\n!1 = !{{{said}}}") == expected


@pytest.mark.parametrize(("hint", "expected"), [("i32 7", ["DontUnroll"]), ("i32 8", ["Unroll"])])
def test_hints_of_loops(hint: str, expected: list[str]) -> None:
    """7 is Loop, 8 is Unroll."""
    node = f'!0 = distinct !{{!0, !"dx.controlflow.hints", {hint}}}'
    assert controls(latch=", !dx.controlflow.hints !0", nodes=node) == expected


def test_what_hlsl_asks_for() -> None:
    """[branch] and [loop], as DXC writes them; a copy of a function asks for the same."""
    module = reknit.load(KINDS / "attributes.dxil")
    assert [asked.selection for asked in module.functions[0].asked.values()] == [[enums.SelectionControlDontFlatten]]
    module = reknit.load(KINDS / "loop_return.dxil")
    (asked,) = module.functions[0].asked.items()
    assert (asked[0].name, asked[1].loop) == ("b6", [enums.LoopControlDontUnroll])
    copy = clone_function(module, module.functions[0], "copy")
    assert [(block.name, one.loop) for block, one in copy.asked.items()] == [("b6", [enums.LoopControlDontUnroll])]
    reknit.compile(module, "restructure")
    assert reknit.text(module).count("control DontUnroll {") == 2


def test_a_latch_that_never_goes_back_is_in_the_loop() -> None:
    """The branch in %work names %head's loop, as its latch; it is never taken: work is in the loop, and left by it."""
    text = """
@dx.break.cond = internal constant [1 x i32] zeroinitializer
declare void @see(i32) convergent
define void @f(i32 %n) convergent {
entry:
  %zero = load i32, ptr @dx.break.cond
  %out.now = icmp eq i32 %zero, 0
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ], [ %i, %work ]
  %found = icmp eq i32 %i, %n
  br i1 %found, label %work, label %latch
latch:
  %next = add i32 %i, 1
  br label %head
work:
  call void @see(i32 %i)
  br i1 %out.now, label %out, label %head, !llvm.loop !0
out:
  ret void
}
!0 = distinct !{!0}
"""
    module = reknit.load(text.encode(), format="ll")
    function = next(one for one in module.functions if one.name == "f")
    told = [(hint.block.name, hint.header.name, hint.origin) for hint in function.hints]
    assert told == [("work", "head", "llvm.loop")]
    assert reknit.compile(module, "restructure").notes() == []
    words = reknit.text(module)
    assert words.index("loop @head") < words.index("FunctionCall @see") < words.index("} continuing {")
