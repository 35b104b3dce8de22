"""The work of lint grows as the module does, however many findings there are: counted in calls."""

from collections.abc import Callable

import pytest
from bench.proofs import HEAD, ballot, main_of
from bench.shapes import module
from kit.oracles.work import Work, is_seen

import reknit
from reknit.analysis.tangles.judge import judge
from reknit.ir.text.parser import parse
from reknit.spirv.write import write_module


def findings(source: bytes) -> tuple[int, int]:
    """How many findings, and the calls that they took."""
    with Work() as work:
        found = reknit.lint(source)
    return len(found), work.calls


def switch(size: int) -> bytes:
    """Each case is fallen into from all before it, and has a finding."""
    return module("switch", 40 + 7 * size)


def row(size: int) -> bytes:
    """Ballots in one block, that only some of the invocations execute."""
    inside = "".join([ballot(number) for number in range(size)])
    condition = "%c = IEqual %lane, 3u : bool"
    return write_module(parse(HEAD + main_of(f"{condition} if %c {{ {inside} }}")))


ELEMENT = "%p{at} = AccessChain %s, {index} : ptr<Workgroup, u32>\n"
SHARED = """Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %index
ExecutionMode @main LocalSize 64 1 1
Decorate %index BuiltIn LocalInvocationIndex
%index = Variable Input : ptr<Input, u32>
%words = TypeArray u32, 64u
%s = Variable Workgroup : ptr<Workgroup, %words>
func @main() -> void {
  %lane = Load %index : u32
"""


def elements(size: int) -> bytes:
    """Loads and stores of one interval, and a barrier behind a branch on each load."""
    text = SHARED
    for at in range(size):
        text += ELEMENT.format(at=f"a{at}", index=f"{at % 64}u") + f"%v{at} = Load %pa{at} : u32\n"
        text += ELEMENT.format(at=f"b{at}", index="%lane") + f"Store %pb{at}, %v{at}\n"
    for at in range(size):
        barrier = "ControlBarrier Workgroup, Workgroup, 264u"
        text += f"%t{at} = INotEqual %v{at}, 0u : bool\n if %t{at} {{\n {barrier}\n }}\n"
    return write_module(parse(text + "return\n}\n"))


@pytest.mark.skipif(not is_seen(judge), reason="calls inside of compiled modules are not counted")
@pytest.mark.parametrize("make", [switch, row, elements])
def test_twice_the_size_is_twice_the_calls(make: Callable[[int], bytes]) -> None:
    few, calls = findings(make(100))
    many, more = findings(make(200))
    assert many >= 2 * few - 2
    assert more <= 2.2 * calls, more / calls
