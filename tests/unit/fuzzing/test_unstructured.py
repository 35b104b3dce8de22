"""Random programs without structure: with hints, structurizing brings back what they mean."""

from pathlib import Path

import pytest

from reknit.cli.main import main
from reknit.front.load import load_file
from reknit.fuzzing.features import ALL, ENTRIES, KILLS
from reknit.fuzzing.generate import generate
from reknit.fuzzing.meaning import meaning_of
from reknit.fuzzing.to_module import module_of
from reknit.fuzzing.unstructured import flatten
from reknit.ir.text.printer import print_module
from reknit.passes.manager import run_passes
from reknit.sim.run import run

FEATURES = [name for name in ALL if name not in (KILLS, ENTRIES)]


@pytest.mark.parametrize("seed", range(90_000, 90_012))
def test_structure_comes_back(seed: int) -> None:
    """Loops with two ways in are left out: what a structurizer makes of these joins the two."""
    program = generate(seed, 12, FEATURES)
    module = module_of(program)
    run_passes(module, "reconverge, eliminate-phis")
    for function in module.functions:
        flatten(function, True)
    assert "LoopMerge" not in print_module(module) and "SelectionMerge" not in print_module(module)
    run_passes(module, "restructure")
    assert all(function.structured for function in module.functions)
    found = run(module, subgroup_size=program.subgroup_size).buffers["out"].words
    assert found == meaning_of(program)


def test_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for how, format in (("hints", "rk"), ("bare", "spvasm")):
        words = ["generate", str(tmp_path), "--count", "4", "--unstructured", how, "--to", format]
        assert main(words) == 0
        modules = [load_file(str(tmp_path / f"seed-{seed}.{format}")) for seed in range(4)]
        functions = [function for module in modules for function in module.functions if len(function.blocks) > 1]
        assert functions and not any(function.structured for function in functions)
        assert any(function.hints for function in functions) == (how == "hints")
    for words in (["--unstructured", "bare", "--to", "glsl"], ["--unstructured", "hints", "--to", "spv"]):
        assert main(["generate", str(tmp_path), *words]) == 2
