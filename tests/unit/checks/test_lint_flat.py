"""Lint of functions without structure: one path is as good as a tree, and what the input leaves open is a finding."""

from pathlib import Path

import reknit
from reknit.cli.main import main
from reknit.ir.text.parser import parse

HEAD = """
Capability Shader
Capability GroupNonUniform
Capability GroupNonUniformBallot
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %lane_id
ExecutionMode @main LocalSize 4 1 1
Decorate %lane_id BuiltIn LocalInvocationIndex
%lane_id = Variable Input : ptr<Input, u32>
func @main() -> void flat {
%b0:
  %lane = Load %lane_id : u32
BODY
}
"""
BALLOT = "%who = GroupNonUniformBallot 3u, true : vec4<u32>"
STRAIGHT = f"Branch %b1\n%b1:\n{BALLOT}\nreturn"
LOOP = f"""Branch %h
%h:
%i = Phi 0u %b0, %i2 %next : u32
%mine = IEqual %i, %lane : bool
BranchConditional %mine %hit %next
%next:
%i2 = IAdd %i, 1u : u32
Branch %h
%hit:
{BALLOT}
return"""
IF = f"%low = ULessThan %lane, 2u : bool\nBranchConditional %low %a %m\n%a:\n{BALLOT}\nBranch %m\n%m:\nreturn"


def codes(body: str) -> list[str]:
    return [each.code for each in reknit.lint(parse(HEAD.replace("BODY", body)))]


def test_one_path_has_no_finding() -> None:
    """All invocations go along it together, whoever promises what."""
    assert codes(STRAIGHT) == []


def test_a_graph_that_says_all_is_judged_as_its_tree() -> None:
    """In an arm of an if all that take it vote; behind a loop without a promise they may be apart."""
    assert codes(IF) == []


def test_an_open_loop_is_a_finding() -> None:
    """The ballot behind it may belong to it; what the graph determines is no such finding."""
    assert "RK2501" in codes(LOOP)
    assert "RK2501" not in codes(IF)


def test_it_is_in_the_exit_code_and_can_be_ignored(tmp_path: Path) -> None:
    file = tmp_path / "a.rk"
    file.write_text(HEAD.replace("BODY", LOOP))
    config = tmp_path / "reknit.toml"
    config.write_text('ignore = ["RK2501", "RK3009"]\n')
    assert main(["lint", str(file), "--no-config"]) == 1
    assert main(["lint", str(file), "--config", str(config)]) == 0
