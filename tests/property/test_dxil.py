"""Random HLSL programs: what DXC makes of them is read, gets a tree, and stores what the program means.

    HLSL ──DXC──▶ DXIL ──▶ flat ──structurize──▶ valid SPIR-V ──simulator──▶ the words by `fuzzing.meaning`

Sixty are kept with their words (tests/kit/random/dxil.py), five hundred are made anew with --full. Where the words are
others, the reader said that the DXIL leaves open what is in a loop (RK2501), or DXC lost a value itself.
"""

from collections import Counter

import pytest
from kit.oracles import need, validate
from kit.random.dxil import LOST, Random, Refused, made, stored

import reknit
from reknit.passes.manager import run_passes
from reknit.passes.structurize.summary import Summary
from reknit.spirv.write import write_module

pytestmark = pytest.mark.once

FULL = 500
MAX_GROWTH = 1.3
MAX_OPEN = 0.02
MAX_REFUSED = 0.02
MEANT, OPEN, LOST_BY_DXC = "as meant", "told to be open", "lost by DXC"


def judge(program: Random) -> tuple[str, int, int]:
    """(what came out, blocks in, blocks out)"""
    module = reknit.load(program.dxil)
    before = Summary(module.functions[0]).blocks
    report = run_passes(module, "restructure")
    after = Summary(module.functions[0]).blocks
    accepted, message = validate(write_module(module))
    assert accepted, f"seed {program.seed}: {message}"
    ran = reknit.run(module, subgroup_size=program.subgroup_size, buffers={"u0": [0] * program.lanes})
    assert [str(fault) for fault in ran.diagnostics] == [], f"seed {program.seed}"
    if ran.buffers["u0"].words == program.out:
        return MEANT, before, after
    if program.seed in LOST:
        return LOST_BY_DXC, before, after
    assert "RK2501" in [note.code for note in report.notes()], f"seed {program.seed} stores something else"
    return OPEN, before, after


def tell(title: str, outcomes: Counter[str], sizes: list[tuple[int, int]], capsys: pytest.CaptureFixture[str]) -> float:
    """Prints counts and growth; gives the median growth."""
    growth = sorted(after / before for before, after in sizes)
    over = sum(one > MAX_GROWTH for one in growth)
    median = growth[len(growth) // 2]
    with capsys.disabled():
        said = ", ".join(f"{count} {name}" for name, count in sorted(outcomes.items()))
        print(f"\n{title}: {said}; of {len(growth)} with 4 blocks and more, median {median:.2f} blocks out a block in,")
        print(f"a tenth above {growth[len(growth) * 9 // 10]:.2f}, {over} above {MAX_GROWTH}")
    return median


def test_stored_programs(capsys: pytest.CaptureFixture[str]) -> None:
    need("slang-glslang")
    programs = stored()
    assert len(programs) == 60
    outcomes: Counter[str] = Counter()
    sizes: list[tuple[int, int]] = []
    for program in programs:
        outcome, before, after = judge(program)
        outcomes[outcome] += 1
        sizes.append((before, after))
    assert outcomes[MEANT] >= 59 and outcomes[LOST_BY_DXC] == 0
    assert tell("60 stored programs", outcomes, sizes, capsys) <= MAX_GROWTH


@pytest.mark.full
def test_programs_made_anew(capsys: pytest.CaptureFixture[str]) -> None:
    need("slang-glslang")
    library = need("dxc")[0]
    outcomes: Counter[str] = Counter()
    sizes: list[tuple[int, int]] = []
    for seed in range(FULL):
        try:
            program = made(library, seed)
        except Refused:
            outcomes["refused by DXC"] += 1
            continue
        outcome, before, after = judge(program)
        outcomes[outcome] += 1
        if before >= 4:
            sizes.append((before, after))
    assert outcomes["refused by DXC"] <= MAX_REFUSED * FULL
    assert outcomes[OPEN] <= MAX_OPEN * FULL
    assert outcomes[LOST_BY_DXC] <= len(LOST)
    assert tell(f"{FULL} programs", outcomes, sizes, capsys) <= MAX_GROWTH


def test_the_stored_programs_mean_what_is_kept() -> None:
    """The kept words are those of the meaning, for the programs that the generator still makes."""
    from kit.random.dxil import FEATURES, STATEMENTS

    from reknit.fuzzing.export.hlsl import hlsl
    from reknit.fuzzing.generate import generate
    from reknit.fuzzing.meaning import meaning_of

    same = 0
    for one in stored():
        program = generate(one.seed, STATEMENTS, FEATURES)
        if hlsl(program) == one.source:
            same += 1
            assert meaning_of(program) == one.out, f"seed {one.seed}"
    assert same > 0
