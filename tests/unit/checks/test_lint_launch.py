"""Lint by the size of the subgroup: what its branches decide, and what a project declares of how shaders are launched.

Sources: Vulkan, "SubgroupSize" (a power of two, at most 128, the same in a compute dispatch), and
"VkPipelineShaderStageCreateFlagBits", REQUIRE_FULL_SUBGROUPS_BIT.
"""

from pathlib import Path

import pytest

from reknit.checks.lint.config import Config, read_config
from reknit.checks.lint.launch import SIZES, Launch
from reknit.checks.lint.lint import lint_module
from reknit.cli.main import main
from reknit.ir.text.parser import parse
from reknit.source.diagnostic import Diagnostic, InputError

# A vote of the workgroup: where it is one subgroup it takes that subgroup's, else a number in shared memory.
VOTE = """Capability Shader
Capability GroupNonUniformVote
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %index, %size
ExecutionMode @main LocalSize {local}
Decorate %index BuiltIn LocalInvocationIndex
Decorate %size BuiltIn SubgroupSize
%index = Variable Input : ptr<Input, u32>
%size = Variable Input : ptr<Input, u32>
%s = Variable Workgroup : ptr<Workgroup, u32>
func @main() -> void {{
  %lane = Load %index : u32
  %mine = ULessThan %lane, 20u : bool
  %width = Load %size : u32
  %one = {test} : bool
  if %one {{
  once:
    %own = GroupNonUniformAny Subgroup, %mine : bool
  }} else {{
    ControlBarrier Workgroup, Workgroup, 264u
    if %mine {{
      Store %s, 1u
    }}
  stored:
    ControlBarrier Workgroup, Workgroup, 264u
    %sum = Load %s : u32
    %shared = INotEqual %sum, 0u : bool
    ControlBarrier Workgroup, Workgroup, 264u
  }}
meet:
  %any = Phi %own once, %shared stored : bool
  if %any {{
    ControlBarrier Workgroup, Workgroup, 264u
  }}
  return
}}
"""


def found(local: str, test: str, full: bool = False, sizes: tuple[int, ...] = SIZES) -> list[Diagnostic]:
    config = Config()
    config.launch = Launch(full, sizes)
    return lint_module(parse(VOTE.format(local=local, test=test)), "maximal", config)


SIXTY_FOUR = "IEqual %width, 64u"


def test_a_vote_of_a_subgroup_in_place_of_the_workgroups() -> None:
    """By the letter a workgroup of 64 may be several subgroups of that size, each with a part of it."""
    (finding,) = found("64 1 1", SIXTY_FOUR)
    assert finding.code == "RK3007"
    assert [note.message for note in finding.notes][-1] == "this is so where a subgroup has 64 invocations"
    assert "REQUIRE_FULL_SUBGROUPS_BIT" in finding.help and "--subgroup-sizes" in finding.help
    assert found("64 1 1", SIXTY_FOUR, full=True) == []
    assert found("64 1 1", SIXTY_FOUR, sizes=(16, 32, 128)) == []


def test_full_subgroups_of_another_size() -> None:
    """128 invocations are two subgroups of 64, of which each votes for itself; 32 can't be full of 64."""
    (finding,) = found("128 1 1", SIXTY_FOUR, full=True)
    assert finding.code == "RK3007" and "FULL_SUBGROUPS" not in finding.help
    assert found("32 1 1", SIXTY_FOUR, full=True) == []
    assert found("8 8 1", SIXTY_FOUR, full=True) == []


def test_sizes_that_have_the_finding() -> None:
    (finding,) = found("64 1 1", "UGreaterThanEqual %width, 32u")
    assert finding.notes[-1].message == "this is so where a subgroup has 32, 64 or 128 invocations"
    assert "FULL_SUBGROUPS" not in finding.help, "two subgroups of 32 vote for themselves"
    (finding,) = found("64 1 1", "UGreaterThanEqual %width, 32u", sizes=(32, 64))
    assert "this is so where" not in str(finding.notes), "of all that there are"


def test_paths_that_the_size_excludes() -> None:
    """Two ifs by the size, of which one sets what the branch goes by: whichever it is, all have the same."""
    assert found("64 1 1", "UGreaterThan %width, 128u") == []
    assert [each.code for each in found("64 1 1", "ULessThan %lane, %width")] == ["RK3007"] * 4


# Some leave the `if` by `continue`; where the size excludes the rest of the arm, that is the end of it all the same.
CONTINUED = """before:
  loop @l {{
  head:
    %i = Phi 0u before, %next again : u32
    %over = UGreaterThanEqual %i, 2u : bool
    if %over {{
      break @l
    }}
    %who = GroupNonUniformAny Subgroup, %mine : bool
    if %mine {{
      if %one {{
        continue @l
      }}
      Store %s, 1u
    }}
  }} continuing {{
  again:
    %next = IAdd %i, 1u : u32
  }}
  return
}}
"""


def test_control_flow_stays_as_it_is() -> None:
    """SPIR-V promises less of an `if` that some leave by a jump than of one that all leave by its end."""
    text = VOTE[: VOTE.index("  if %one")] + CONTINUED
    config = Config()
    for sizes in ((16,), (64,), SIZES):
        config.launch = Launch(True, sizes)
        module = parse(text.format(local="64 1 1", test=SIXTY_FOUR))
        expected = [] if sizes == (16,) else ["RK3001"]
        assert [each.code for each in lint_module(module, "base", config)] == expected, sizes


def test_a_size_that_is_specialized_is_no_size() -> None:
    text = VOTE.format(local="64 1 1", test=SIXTY_FOUR)
    made = "%wide = SpecConstant 64 : u32\n%of = SpecConstantComposite %wide, %wide, %wide : vec3<u32>\n"
    text = text.replace("%index = Var", f"{made}%index = Var")
    text = text.replace("Decorate %size", "Decorate %wide SpecId 0\nDecorate %of BuiltIn WorkgroupSize\nDecorate %size")
    config = Config()
    config.launch = Launch(True)
    assert [each.code for each in lint_module(parse(text), "maximal", config)] == ["RK3007"]


def test_a_configuration_and_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shader, config = tmp_path / "vote.rk", tmp_path / "reknit.toml"
    shader.write_text(VOTE.format(local="64 1 1", test=SIXTY_FOUR))
    plain = ["lint", str(shader), "--target", "maximal", "--format", "concise"]
    assert main([*plain, "--no-config"]) == 1
    assert main([*plain, "--no-config", "--full-subgroups"]) == 0
    assert main([*plain, "--no-config", "--subgroup-sizes", "8,32"]) == 0
    assert main([*plain, "--no-config", "--subgroup-sizes", "12"]) == 2
    sixty_four = "[lint]\nsubgroup-sizes = [64]"
    for text, code in (("full-subgroups = true", 0), ("subgroup-sizes = [32]", 0), (sixty_four, 1)):
        config.write_text(text + "\n")
        assert main([*plain, "--config", str(config)]) == code, text
        assert main(["lint", str(tmp_path), *plain[1:], "--config", str(config), "--no-cache"]) == code, text
    capsys.readouterr()


@pytest.mark.parametrize(
    "text", ["full-subgroups = 1", "subgroup-sizes = 32", "subgroup-sizes = [3]", "subgroup-sizes = []"]
)
def test_what_is_no_launch_is_refused(tmp_path: Path, text: str) -> None:
    config = tmp_path / "reknit.toml"
    config.write_text(text)
    with pytest.raises(InputError) as refused:
        read_config(str(config))
    assert refused.value.diagnostics[0].code == "RK3020"
