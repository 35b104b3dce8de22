"""The examples: their values by hand, for every lane, and their SPIR-V against their GLSL.

Each expected value is derived in docs/examples.md, from who runs which statement together.
"""

import re
from collections.abc import Callable

import pytest
from kit import ROOT, oracles

import reknit

EXAMPLES = ROOT / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.spvasm"))

FALLTHROUGH = {"kinds": [0, 0, 1, 2]}
SHARED = {"kinds": [0, 2, 0, 1]}
DEFAULT = {"kinds": [0, 5, 7, 7]}
WATERFALL = {"values": [5, 7, 5, 7, 7, 9, 5, 9]}

SWITCHES = [
    # lanes 0, 1 fall from case 0 (1 + 1) into the default (10 each that is there), lanes 2, 3 at once: any division
    (
        "fallthrough",
        FALLTHROUGH,
        {(22, 22, 20, 20), (22, 22, 10, 10), (32, 32, 30, 10), (32, 32, 10, 30), (42, 42, 40, 40)},
        (42, 42, 40, 40),
    ),
    ("shared_labels", SHARED, {(3, 3, 3, 100), (2, 1, 2, 100)}, (3, 3, 3, 100)),
    ("default_case", DEFAULT, {(100, 3, 3, 3), (100, 1, 2, 2)}, (100, 3, 3, 3)),
]


def results(module: reknit.Module, buffers: dict[str, list[int]]) -> tuple[set[tuple[int, ...]], bool]:
    found = reknit.outcomes(module, subgroup_size=4, buffers=buffers)
    return {tuple(outcome.words("result")) for outcome in found.outcomes}, found.exhaustive


@pytest.mark.parametrize("name, buffers, allowed, meant", SWITCHES, ids=[row[0] for row in SWITCHES])
def test_a_switch_means_several_things_and_one_when_compiled(
    name: str, buffers: dict[str, list[int]], allowed: set[tuple[int, ...]], meant: tuple[int, ...]
) -> None:
    module = reknit.load(EXAMPLES / f"{name}.spvasm")
    assert results(module, buffers) == (allowed, True)
    reknit.compile(module, verify_each=True)
    assert results(module, buffers) == ({meant}, True)


LOOPS: list[tuple[str, dict[str, list[int]], int, list[int]]] = [
    ("waterfall", WATERFALL, 8, [15, 21, 15, 21, 21, 18, 15, 18]),
    ("waterfall", WATERFALL, 4, [10, 14, 10, 14, 7, 18, 5, 18]),
    ("break_ballot", {}, 8, [0x11, 0x22, 0x44, 0x88] * 2),
    ("break_ballot", {}, 4, [1, 2, 4, 8] * 2),
    ("divergent_continue", {}, 4, [0xFFF, 0xBD0, 0xFFF, 0xB0E, 0xFFF, 0x0DE, 0xFFF, 0xBDE]),
]


@pytest.mark.parametrize("name, buffers, size, words", LOOPS, ids=[f"{row[0]}-{row[2]}" for row in LOOPS])
@pytest.mark.parametrize("prepare", [lambda module: None, reknit.compile], ids=["as it is", "compiled"])
def test_loops(
    name: str,
    buffers: dict[str, list[int]],
    size: int,
    words: list[int],
    prepare: Callable[[reknit.Module], object],
) -> None:
    module = reknit.load(EXAMPLES / f"{name}.spvasm")
    prepare(module)
    found = reknit.outcomes(module, subgroup_size=size, buffers=buffers)
    assert [outcome.words("result") for outcome in found.outcomes] == [words]
    assert found.exhaustive


BALLOTS = [
    # lanes n and n + 4 leave together, in iteration n: bits n and n + 4; behind the loop all eight meet
    ("ballot_loop", [0x11, 0x22, 0x44, 0x88] * 2, True),
    ("ballot_loop_hoisted", [0x11, 0x22, 0x44, 0x88] * 2, True),
    ("ballot_loop_moved", [0xFF] * 8, False),
]


@pytest.mark.parametrize("name, words, refines", BALLOTS, ids=[row[0] for row in BALLOTS])
def test_a_ballot_may_not_leave_its_loop(name: str, words: list[int], refines: bool) -> None:
    module = reknit.load(EXAMPLES / f"{name}.rk")
    assert reknit.run(module, subgroup_size=8).buffers["result"].words == words
    assert bool(reknit.prove(reknit.load(EXAMPLES / "ballot_loop.rk"), module)) == refines


@pytest.mark.parametrize("name", NAMES)
def test_spirv_val_accepts_the_example_before_and_after(name: str) -> None:
    from reknit.spirv.write import write_module

    module = reknit.load(EXAMPLES / f"{name}.spvasm")
    assert oracles.spirv_val(write_module(module)) == (True, "")
    reknit.compile(module)
    assert oracles.spirv_val(write_module(module)) == (True, "")


@pytest.mark.parametrize("name", sorted(path.name for path in [*EXAMPLES.glob("*.rk"), *EXAMPLES.glob("*.slang")]))
def test_spirv_val_accepts_what_is_made_of_the_other_examples(name: str) -> None:
    from reknit.spirv.write import write_module

    module = reknit.load(EXAMPLES / name)
    reknit.compile(module)
    assert oracles.spirv_val(write_module(module)) == (True, "")


@pytest.mark.parametrize("name", NAMES)
def test_the_spirv_is_what_glslang_makes_of_the_glsl(name: str) -> None:
    """Instruction by instruction, but for names, ids and what was added by hand."""
    made = oracles.glslang((EXAMPLES / f"{name}.comp").read_text(), environment="vulkan1.3")
    kept = (EXAMPLES / f"{name}.spvasm").read_text()
    assert skeleton(oracles.disassemble(made)) == skeleton(kept)


def skeleton(text: str) -> list[str]:
    added = ("OpName", "MaximallyReconvergesKHR", "SPV_KHR_maximal_reconvergence", "OpSource")
    lines = [line.partition(";")[0].strip() for line in text.splitlines()]
    return [re.sub(r"%\w+", "%", line) for line in lines if line and not any(word in line for word in added)]
