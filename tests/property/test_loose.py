"""What a module may do that declares nothing, or subgroup-uniform control flow: against lint, spirv-opt and drivers.

    random program ─▶ lint ──── what it does not report has no choice ────┐
                   ─▶ outcomes ─────────────────────────────────────────── ┤
                   ─▶ spirv-opt -O ─▶ no result that outcomes lacks ────── ┤
                   ─▶ lavapipe, SwiftShader, of both ─▶ among the outcomes ┘
"""

import subprocess
from pathlib import Path
from typing import Final

import pytest
from kit.oracles import glslang, need
from kit.oracles.drivers import target
from kit.oracles.tangle_promises import UNITED, Covered
from kit.random.glsl_flow import head, shader
from kit.random.trees import program as tree

from reknit.analysis.tangles.rules import BASE, SUBGROUP_UNIFORM
from reknit.checks.lint.lint import lint_module
from reknit.front.load import load_file
from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.passes.manager import run_passes
from reknit.proof.devices import ALLOWED, SAME, UNKNOWN, Comparer
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.sim.outcomes import outcomes
from reknit.sim.policy import Policy
from reknit.sim.run import prepare
from reknit.spirv.read import read_module

RULES: Final = (BASE, SUBGROUP_UNIFORM)
GROUPINGS: Final = ("never", "always", "random:1")
MAX_STEPS: Final = 400_000
BATCH: Final = 12
FULL_BATCHES: Final = 40
SHADERS: Final = 6
FULL_SHADERS: Final = 300


def first_choices(module: Module, rules: str, size: int) -> dict[Instr, None]:
    """The operations at which runs had their first choice. Later ones may come of what that one gave."""
    found: dict[Instr, None] = {}
    program = prepare(module, subgroup_size=size, rules=rules)
    for grouping in GROUPINGS:
        result = program.run(Policy(grouping=grouping), max_steps=MAX_STEPS)
        found.update(dict.fromkeys(grouped.instr for grouped in result.grouped[:1]))
    return found


def check(module: Module, what: str) -> None:
    run_passes(module, "promote-variables")
    covered = Covered(module)
    owners = {instr: function for function in module.functions for instr in instructions(function)}
    for rules in RULES:
        for size in (4, 32):
            for instr in first_choices(module, rules, size):
                where = owners[instr]
                promised = covered.covers(rules, instr, where) and covered.covers(UNITED, instr, where)
                assert not promised, f"{what}, {rules}, subgroups of {size}: %{instr.name} in @{where.name}"


@pytest.mark.full(when=lambda batch: batch >= 2)
@pytest.mark.parametrize("batch", range(FULL_BATCHES))
def test_lint_reports_whatever_leaves_a_choice(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        check(module_of(generate(seed)), f"seed {seed}")
        check(tree(seed), f"tree {seed}")


MERGED: Final = """void main() {
lane = gl_LocalInvocationIndex;
h = 0u;
for (uint i = 0u;; ++i) {
    if (i == (lane & 3u)) { SEE(1u); break; }
}
}
"""
"""Lanes leave in four iterations; spirv-opt takes the block that breaks into the one after the loop."""


def built(text: str, folder: Path) -> tuple[Module, Module]:
    """A shader as glslang makes it, and that by spirv-opt -O."""
    before, after = folder / "a.spv", folder / "b.spv"
    before.write_bytes(glslang(text))
    subprocess.run([*need("spirv-opt"), "-O", str(before), "-o", str(after)], check=True)
    return load_file(str(before)), load_file(str(after))


@pytest.mark.parametrize("rules", RULES)
def test_what_lint_finds_nothing_in_has_one_result(rules: str, full: bool) -> None:
    clean = 0
    for seed in range(FULL_SHADERS if full else 4 * SHADERS):
        module = read_module(glslang(shader(seed, rules)), f"seed {seed}")
        if not lint_module(module):
            clean += 1
            for size in (4, 8):
                found = outcomes(module, subgroup_size=size)
                assert found.rules == rules and found.exhaustive and len(found.outcomes) == 1, f"seed {seed}"
    assert clean


@pytest.mark.parametrize("rules", RULES)
def test_spirv_opt_is_not_refuted(rules: str, full: bool, tmp_path: Path) -> None:
    asked = Question(subgroup_sizes=[4, 8], limit=32)
    for seed in range(FULL_SHADERS if full else SHADERS):
        before, after = built(shader(seed, rules), tmp_path)
        verdict = prove(before, after, asked)
        assert verdict, f"seed {seed}: {verdict}"


def test_what_the_mode_alone_forbids_is_refuted_by_the_mode_alone(tmp_path: Path) -> None:
    before, after = built(head() + MERGED, tmp_path)
    for size in (4, 8):
        asked = Question(subgroup_sizes=[size])
        assert prove(before, after, asked).verdict == "proved for the domain"
        assert prove(before, after, Question(subgroup_sizes=[size], rules="sucf")).verdict == "proved for the domain"
        assert prove(before, after, Question(subgroup_sizes=[size], rules="maximal")).verdict == "refuted"
    assert len(outcomes(before, subgroup_size=4).outcomes) == 15 * 15  # four classes in each of two subgroups


@pytest.mark.parametrize("driver", ["lavapipe", "swiftshader"])
def test_drivers_keep_to_what_is_allowed(driver: str, full: bool, tmp_path: Path) -> None:
    device = target(driver, 4)
    for seed in range(FULL_SHADERS if full else SHADERS // 2):
        text = shader(seed)
        if driver == "swiftshader" and ";;" in text:
            continue  # docs/devices.md, "Known limits": a loop without a condition
        for module in built(text, tmp_path):
            found = Comparer(module, limit=256).compare(device, 4 if driver == "lavapipe" else 0)
            assert found.verdict in (SAME, ALLOWED, UNKNOWN), f"seed {seed}: {found.verdict} {found.differences}"
