"""What may differ between lanes in flat functions: each sentence of `flat.divergence` as a graph with comments.

; same, ; differs    the value, for lanes that execute its definition together
; parts              a block's branch parts lanes
; apart, ; at once   the loop of this header is left in different iterations, or by all in one
"""

import re

import pytest
from kit.text.flat_texts import flat

from reknit.analysis.flat.divergence import FlatDivergence, UniformLoads
from reknit.analysis.flat.executable_edges import ExecutableEdges
from reknit.analysis.flat.flow import Flow
from reknit.analysis.manager import Analyses
from reknit.analysis.natural_loops import natural_loops
from reknit.ir.module import Module

GLOBALS = """%nothing = Undef : u32
%partly = ConstantComposite 1u, %nothing : vec2<u32>
%nested = ConstantComposite %partly, %partly : %pair
%given = SpecConstantComposite 1u, %nothing : vec2<u32>
%whole = ConstantComposite 1u, 2u : vec2<u32>
"""
LANE_IS_3 = "  %mine = IEqual %lane, 3u : bool   ; differs\n"
GRAPHS: dict[str, str] = {
    "lanes hold the same constants, and no two the same of what is undefined": """
  %a = IAdd 1u, 2u : u32                       ; same
  %b = IAdd %nothing, 2u : u32                 ; differs
  %c = CompositeExtract %partly, 0 : u32       ; differs
  %d = CompositeExtract %nested, 0, 0 : u32    ; differs
  %e = CompositeExtract %given, 0 : u32        ; differs
  %f = CompositeExtract %whole, 0 : u32        ; same
  %g = IAdd %lane, 2u : u32                    ; differs
  %h = GroupNonUniformBallot 3u, true : vec4<u32>  ; same
  return
""",
    "where lanes meet that a branch parted, phis of different values differ": LANE_IS_3
    + """
  BranchConditional %mine, %one, %other        ; parts
%one:
  %x = IAdd 1u, 4u : u32                       ; same
  Branch %meet
%other:
  Branch %meet
%meet:
  %p = Phi 1u %one, 2u %other : u32            ; differs
  %q = Phi 1u %one, 1u %other : u32            ; same
  %r = Phi %lane %one, %lane %other : u32      ; differs
  %s = Phi %x %one, %x %other : u32            ; same
  return
""",
    "where all come along one edge, they are what comes": """
  %c = IEqual 1u, %n : bool                    ; same
  BranchConditional %c, %one, %other
%one:
  Branch %meet
%other:
  Branch %meet
%meet:
  %p = Phi 1u %one, 2u %other : u32            ; same
  %r = Phi %lane %one, 2u %other : u32         ; differs
  return
""",
    "a branch inside of an arm parts those who meet behind it": LANE_IS_3
    + """
  %c = IEqual 1u, %n : bool                    ; same
  BranchConditional %c, %arm, %meet
%arm:
  BranchConditional %mine, %one, %meet         ; parts
%one:
  Branch %meet
%meet:
  %p = Phi 1u %first, 1u %arm, 2u %one : u32   ; differs
  return
""",
    "edges that nobody takes are as if they were not there": LANE_IS_3
    + """
  BranchConditional false, %gone, %here
%gone:
  BranchConditional %mine, %one, %here
%one:
  Branch %here
%here:
  %p = Phi 1u %first, 2u %gone, 3u %one : u32  ; same
  return
""",
    "a loop that all leave at once": """
  Branch %head
%head: ; at once
  %i = Phi 0u %first, %more %head : u32        ; same
  %more = IAdd %i, 1u : u32                    ; same
  %go = ULessThan %more, %n : bool             ; same
  BranchConditional %go, %head, %done
%done:
  %last = IAdd %i, 0u : u32                    ; same
  return
""",
    "a loop that lanes leave one by one: what it computed differs behind it": """
  Branch %head
%head: ; apart
  %i = Phi 0u %first, %more %head : u32        ; same
  %more = IAdd %i, 1u : u32                    ; same
  %go = ULessThan %more, %lane : bool          ; differs
  BranchConditional %go, %head, %done           ; parts
%done:
  %last = IAdd %i, 0u : u32                    ; differs
  %const = IAdd %n, 0u : u32                   ; same
  return
""",
    "all who are left come by an exit in each iteration: it is whole, the other one is not": LANE_IS_3
    + """
  Branch %head
%head: ; apart
  %i = Phi 0u %first, %more %tail : u32        ; same
  %more = IAdd %i, 1u : u32                    ; same
  %go = ULessThan %more, %n : bool             ; same
  BranchConditional %go, %tail, %done
%tail:
  BranchConditional %mine, %left, %head        ; parts
%left:
  return
%done:
  %last = IAdd %i, 0u : u32                    ; differs
  return
""",
    "an exit that not all come by is not whole": LANE_IS_3
    + """
  Branch %head
%head: ; apart
  %i = Phi 0u %first, %more %tail : u32        ; same
  BranchConditional %mine, %some, %tail        ; parts
%some:
  %over = ULessThan %n, %i : bool              ; same
  BranchConditional %over, %done, %tail
%tail:
  %more = IAdd %i, 1u : u32                    ; same
  Branch %head
%done:
  %last = IAdd %i, 0u : u32                    ; differs
  return
""",
    "lanes that a branch parts in a loop, and all of which come to its exit": LANE_IS_3
    + """
  Branch %head
%head: ; at once
  %i = Phi 0u %first, %more %tail : u32        ; same
  BranchConditional %mine, %some, %tail        ; parts
%some:
  Branch %tail
%tail:
  %p = Phi 1u %head, 2u %some : u32            ; differs
  %more = IAdd %i, 1u : u32                    ; same
  %go = ULessThan %more, %n : bool             ; same
  BranchConditional %go, %head, %done
%done:
  %last = IAdd %i, 0u : u32                    ; same
  return
""",
    "two values that come back to a header by a branch that parts": LANE_IS_3
    + """
  Branch %head
%head: ; at once
  %i = Phi 0u %first, %one %tail, %two %some : u32     ; differs
  %k = Phi 0u %first, %one %tail, %one %some : u32     ; same
  %one = IAdd 5u, 1u : u32                     ; same
  %two = IAdd 5u, 2u : u32                     ; same
  BranchConditional %mine, %some, %tail        ; parts
%some:
  Branch %head
%tail:
  Branch %head
""",
    "a loop that is left one by one inside another": LANE_IS_3
    + """
  Branch %outer
%outer: ; at once
  %i = Phi 0u %first, %more %tail : u32        ; same
  %base = IAdd %i, 7u : u32                    ; same
  Branch %inner
%inner: ; apart
  %k = Phi 0u %outer, %next %inner : u32       ; same
  %sum = IAdd %base, %k : u32                  ; same
  %next = IAdd %k, 1u : u32                    ; same
  %go = ULessThan %next, %lane : bool          ; differs
  BranchConditional %go, %inner, %tail         ; parts
%tail:
  %late = IAdd %k, 0u : u32                    ; differs
  %same = IAdd %base, 0u : u32                 ; same
  %more = IAdd %i, 1u : u32                    ; same
  %on = ULessThan %more, %n : bool             ; same
  BranchConditional %on, %outer, %done
%done:
  %end = IAdd %i, 0u : u32                     ; same
  return
""",
    "a loop inside of one that is left one by one": """
  Branch %outer
%outer: ; apart
  %i = Phi 0u %first, %more %tail : u32        ; same
  %base = IAdd %i, 7u : u32                    ; same
  Branch %inner
%inner: ; at once
  %k = Phi 0u %outer, %next %inner : u32       ; same
  %sum = IAdd %base, %k : u32                  ; same
  %next = IAdd %k, 1u : u32                    ; same
  %go = ULessThan %next, %n : bool             ; same
  BranchConditional %go, %inner, %tail
%tail:
  %late = IAdd %k, 0u : u32                    ; same
  %more = IAdd %i, 1u : u32                    ; same
  %on = ULessThan %more, %lane : bool          ; differs
  BranchConditional %on, %outer, %done          ; parts
%done:
  %end = IAdd %k, 0u : u32                     ; differs
  return
""",
    "a loop that nobody comes back to is left at once": LANE_IS_3
    + """
  Branch %head
%head: ; at once
  %i = Phi 0u %first, %more %tail : u32        ; same
  BranchConditional %mine, %tail, %done         ; parts
%tail:
  %more = IAdd %i, 1u : u32                    ; same
  BranchConditional false, %head, %done
%done:
  %last = IAdd %i, 0u : u32                    ; same
  return
""",
    "all that is in a loop with two entrances differs": """
  %c = IEqual 1u, %n : bool                    ; same
  BranchConditional %c, %one, %two
%one: ; apart
  %x = IAdd 1u, 2u : u32                       ; differs
  Branch %two
%two:
  %y = IAdd 1u, 2u : u32                       ; differs
  BranchConditional %c, %one, %done             ; parts
%done:
  %z = IAdd 1u, 2u : u32                       ; same
  return
""",
}


def analysed(module: Module) -> FlatDivergence:
    flow = Flow(module.functions[0].blocks)
    flow.find_order()
    loads = Analyses(module).of_module(UniformLoads)
    return FlatDivergence(natural_loops(flow.targets), ExecutableEdges(flow), loads, False)


@pytest.mark.parametrize("title", GRAPHS)
def test_graph(title: str) -> None:
    text = GRAPHS[title]
    declared = "%pair = TypeArray vec2<u32>, 2u\n" + GLOBALS
    start = "  %steady = AccessChain %fixed, 0u : ptr<PushConstant, u32>\n  %n = Load %steady : u32\n"
    block = "%Fixed = TypeStruct u32\n%fixed = Variable PushConstant : ptr<PushConstant, %Fixed>\n"
    bare = re.sub(r" *;.*", "", text)
    module = flat(start + bare, globals="\n" + block + declared)
    found = analysed(module)
    blocks = {each.name: number for number, each in enumerate(found.flow.blocks)}
    values = {instr.name: instr for each in found.flow.blocks for instr in each}
    at = "first"
    for line in text.splitlines():
        code, _, comment = (part.strip() for part in line.partition(";"))
        if label := re.match(r"%(\w+):", code):
            at = label[1]
        if comment in ("same", "differs"):
            name = code.split()[0][1:]
            assert (values[name] in found.differing) == (comment == "differs"), (title, code)
        elif comment in ("apart", "at once"):
            loop = found.loops.header.index(blocks[at])
            assert found.apart[loop] == (comment == "apart"), (title, code)
        if re.match(r"Branch|Switch|return", code):
            assert found.parts[blocks[at]] == (comment == "parts"), (title, at)
