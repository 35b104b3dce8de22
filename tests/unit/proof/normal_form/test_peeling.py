"""Loops of which one version has written iterations out: proved where they are the loop's, by hand and by the passes.

Each iteration ballots among the lanes whose number is above the iteration's, so that iterations differ; the versions
with one iteration too few, another order, one ballot for two iterations, or lanes united that the loop keeps apart
store something else in some lane, by the arithmetic that the version's comment names.
"""

import pytest
from kit.programs.miscompiles import shader
from kit.proving import finding

import reknit
from reknit.ir import op
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.walk import instructions
from reknit.passes.manager import run_passes
from reknit.proof.normal_form.peeling import Nest
from reknit.proof.normal_form.traversal import Traversal

BODY = "%h{k} = UGreaterThan %four, {n} : bool\nif %h{k} {{\nSEE s{k}\n}}"


def loop(limit: str, start: int = 0, name: str = "l") -> str:
    """Iterations `start`, `start` + 1, .. below `limit`."""
    body = BODY.format(k=name, n=f"%{name}n")
    return (
        f"Store %i, {start}u\nloop @{name} {{\n%{name}n = Load %i : u32\n"
        f"%{name}done = UGreaterThanEqual %{name}n, {limit} : bool\nif %{name}done nojoin {{\nbreak @{name}\n}}\n"
        f"{body}\n}} continuing {{\n%{name}m = Load %i : u32\n"
        f"%{name}next = IAdd %{name}m, 1u : u32\nStore %i, %{name}next\n}}"
    )


def written_out(*numbers: int) -> str:
    return "\n".join([BODY.format(k=at, n=f"{number}u") for at, number in enumerate(numbers)])


def guarded(limit: str, number: int, rest: str) -> str:
    """Iteration `number` for those who come so far, then the rest."""
    return f"%g{number} = ULessThan {number}u, {limit} : bool\nif %g{number} {{\n{written_out(number)}\n{rest}\n}}"


def proved(before: str, after: str) -> bool:
    return finding(shader(before), shader(after)).proved


def test_all_iterations() -> None:
    assert proved(loop("3u"), written_out(0, 1, 2))
    assert proved(written_out(0, 1, 2), loop("3u"))


def test_the_first_iteration() -> None:
    assert proved(loop("%four"), guarded("%four", 0, loop("%four", 1)))
    assert proved(guarded("%four", 0, loop("%four", 1)), loop("%four"))


@pytest.mark.parametrize(
    "after",
    [
        written_out(0, 1),  # lanes 2 and 3 store 15, not 12 and 8
        written_out(1, 0, 2),  # lane 1 stores 15 last, which was 14
        written_out(0, 1, 1),  # lane 3 stores 14, not 12
    ],
    ids=["too few", "another order", "one twice"],
)
def test_other_iterations(after: str) -> None:
    assert not proved(loop("3u"), after)


def test_lanes_that_left_do_not_come_back() -> None:
    """Written out without asking who comes so far, lanes ballot that have left the loop."""
    assert not proved(loop("%bit"), f"{written_out(0)}\n{loop('%bit', 1)}")
    assert proved(loop("%bit"), guarded("%bit", 0, loop("%bit", 1)))


def passed(text: str, *names: str) -> tuple[Module, Module]:
    before = shader(text)
    run_passes(before, "promote-variables")
    after = parse(print_module(before))
    for name in names:
        assert run_passes(after, name).changed()
    return before, after


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (loop("3u"), "unroll-loops"),
        (loop("%four"), "peel-loops"),
        (loop("%four"), "peel-loops{count=3}"),
        (f"{loop('%four')}\n{loop('3u', 0, 'k')}", "peel-loops"),
    ],
)
def test_the_passes(text: str, name: str) -> None:
    before, after = passed(text, name)
    found = finding(before, after)
    assert found.proved and found.walked, found.text()


def test_what_nothing_reaches_may_use_a_value_of_a_loop() -> None:
    """Behind a return stands a block that no construct has: what it uses is as if it were used after the loop."""
    text = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 4 1 1
%void = OpTypeVoid
%proc = OpTypeFunction %void
%u = OpTypeInt 32 0
%bool = OpTypeBool
%one = OpConstant %u 1
%some = OpUndef %bool
%main = OpFunction %void None %proc
%entry = OpLabel
OpBranch %head
%head = OpLabel
OpLoopMerge %merge %continue None
OpBranch %body
%body = OpLabel
%value = OpIAdd %u %one %one
OpReturn
%behind = OpLabel
%used = OpIAdd %u %value %one
OpBranch %continue
%continue = OpLabel
OpBranch %head
%merge = OpLabel
OpReturn
OpFunctionEnd
"""
    (function,) = reknit.load(text.encode(), format="spvasm").functions
    nest = Nest({function: Traversal(function, {})})
    value = next(each for each in instructions(function) if each.op == op.IAdd)
    assert value in nest.outlasting
