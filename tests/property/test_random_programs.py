"""Random programs keep their meaning: through every pass, through text, through SPIR-V, and on a driver.

The expected result is what the source means (who reaches a statement group runs it together), which the machine gives
of the program as generated. The machine itself is held to the results of the Vulkan CTS, to hand derivations and to an
interpreter of the source (`test_meaning`) elsewhere.

A failure prints the seed, the pipeline and the smallest program found that still fails, as .rk.
"""

import pytest
from kit.oracles import drivers, need, validate

from reknit.fuzzing.differential import PIPELINES, Difference, check
from reknit.fuzzing.features import ALL
from reknit.fuzzing.generate import generate
from reknit.fuzzing.outcome_sets import Outcomes
from reknit.fuzzing.program import Program
from reknit.fuzzing.shrink import shrink
from reknit.fuzzing.to_module import module_of
from reknit.ir.text.printer import print_module
from reknit.passes.manager import run_passes
from reknit.sim.outcomes import outcomes
from reknit.sim.policy import Policy
from reknit.sim.run import run
from reknit.source.diagnostic import InputError
from reknit.vulkan.run import run_on

BATCH = 100
BATCHES = 20
EVERYTHING = 60_000  # the first seed of programs with all features
MORE = 15  # of those, in each of the batches below
FULL_TIMES = 10  # as many programs with --full


def pipeline_of(seed: int) -> str:
    return PIPELINES[seed % len(PIPELINES)]


def made(seed: int, features: tuple[str, ...] = ()) -> Program:
    """A program that declares maximal reconvergence, subgroup-uniform control flow or nothing, by its seed."""
    program = generate(seed, 0, features)
    program.declare_by_seed()
    return program


def fault_of(program: Program, pipeline: str) -> Difference | None:
    try:
        check(program, pipeline, validate)
    except Difference as fault:
        return fault
    return None


def report(seed: int, fault: Difference, features: tuple[str, ...] = ()) -> str:
    """What failed, on the smallest program that fails in the same way."""
    program = made(seed, features)
    pipeline = pipeline_of(seed)

    def fails(candidate: Program) -> bool:
        found = fault_of(candidate, pipeline)
        return found is not None and found.stage == fault.stage and found.what[:20] == fault.what[:20]

    shrink(program, fails, 300)
    return (
        f"seed {seed}, subgroup size {program.subgroup_size}, {pipeline}\n{fault}\n{print_module(module_of(program))}"
    )


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_programs_keep_their_outcomes(batch: int, full: bool) -> None:
    """Before and after every pass, there and back as text and as SPIR-V, accepted by SPIRV-Tools' validator."""
    need("slang-glslang")
    for seed in range(batch, BATCH * BATCHES * (FULL_TIMES if full else 1), BATCHES):
        fault = fault_of(made(seed), pipeline_of(seed))
        assert fault is None, report(seed, fault)


@pytest.mark.parametrize("batch", range(4))
def test_programs_with_everything_keep_their_outcomes(batch: int, full: bool) -> None:
    """The same with all features: barriers, phis, ends of invocations, loops that two ways enter ..."""
    need("slang-glslang")
    for seed in range(EVERYTHING + batch, EVERYTHING + 4 * MORE * (50 if full else 1), 4):
        fault = fault_of(made(seed, ALL), pipeline_of(seed))
        assert fault is None, report(seed, fault, ALL)


def test_all_outcomes_of_small_programs(full: bool) -> None:
    """By all choices at all switches, not some policies: one outcome after the pipeline, that of the source."""
    several = 0
    asked = 0
    for seed in range(3000, 3600 if full else 3150):
        program = generate(seed, 8)
        module = module_of(program)
        before = outcomes(module, subgroup_size=program.subgroup_size, limit=200)
        if not before.exhaustive:
            continue
        asked += 1
        several += len(before.outcomes) > 1
        meaning = (
            run(module, subgroup_size=program.subgroup_size, policy=Policy("label", "always")).buffers["out"].words
        )
        assert meaning in [outcome.words("out") for outcome in before.outcomes], f"seed {seed}"
        run_passes(module, pipeline_of(seed))
        after = outcomes(module, subgroup_size=program.subgroup_size, limit=200)
        assert after.exhaustive, f"seed {seed}: {after.coverage}"
        assert [outcome.words("out") for outcome in after.outcomes] == [meaning], f"seed {seed}"
    assert asked > 100
    assert several > asked // 5, "the programs must be such that the freedoms show"


def test_the_programs_hold_what_the_passes_are_for() -> None:
    """A fifth and more of them have several outcomes; every construct and every tangled operation is in some."""
    several = 0
    text = ""
    for seed in range(100):
        program = generate(seed)
        module = module_of(program)
        several += len(Outcomes(module, program.subgroup_size).policies) > 1
        text += print_module(module)
    assert several >= 20
    for word in (
        "fallthrough", "scope", "continuing", "nojoin", "case 0, default", "default: {", "continue @", "break @",
        "FunctionCall", "GroupNonUniformElect", "GroupNonUniformIAdd", "i64", "i16", "case 2147483647", "case -1",
    ):  # fmt: skip
        assert word in text, word


def test_a_seed_gives_one_program() -> None:
    for seed in range(20):
        assert print_module(module_of(generate(seed))) == print_module(module_of(generate(seed)))


@pytest.mark.parametrize("word", ["ControlBarrier Workgroup", "terminate", "GroupNonUniformShuffle", "nojoin"])
def test_the_shrinker_knows_all_statements(word: str) -> None:
    """Asked for programs with a word in them, it leaves few statements of those that have it."""

    def has(candidate: Program) -> bool:
        return word in print_module(module_of(candidate))

    seed = next(seed for seed in range(EVERYTHING, EVERYTHING + 200) if has(generate(seed, 25, ALL)))
    program = generate(seed, 25, ALL)
    shrink(program, has)
    assert has(program)
    assert program.size() <= 3


def test_the_shrinker_keeps_what_fails() -> None:
    """Asked for programs that fall through, it leaves little more than one switch of two cases."""
    program = generate(7)
    assert "fallthrough" in print_module(module_of(program))

    def falls(candidate: Program) -> bool:
        return "fallthrough" in print_module(module_of(candidate))

    before = program.size()
    shrink(program, falls)
    assert falls(program)
    assert program.size() < before // 4


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_lowered_programs_on_lavapipe(lanes: int, full: bool) -> None:
    """A driver gives the one result that the lowered module has."""
    need("lavapipe")
    for seed in range(5000, 5200 if full else 5010):
        program = generate(seed)
        program.lanes = 32
        program.subgroup_size = lanes
        module = module_of(program)
        run_passes(module, pipeline_of(seed))
        expected = run(module, subgroup_size=lanes).buffers["out"].words
        try:
            found = run_on(drivers.target("lavapipe", lanes), module)
        except InputError as fault:
            pytest.fail(f"seed {seed}: {fault}\n{print_module(module)}")
        assert found.subgroup_size == lanes
        assert found.buffers["out"].words == expected, f"seed {seed}\n{print_module(module)}"
