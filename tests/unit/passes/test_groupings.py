"""Groupings to whose end SPIR-V can't write a jump: eliminate-multi-level-breaks gives them a merge, or says why not.

Expected: SPIR-V 1.6, 2.11 (a conditional branch without a merge instruction leaves with one path for a merge block, a
continue target or the next case). With MaximallyReconvergesKHR, tangles that the tree keeps apart are not united.
"""

from pathlib import Path

import pytest
from kit.oracles import validate
from kit.random.trees import results
from kit.text.pass_texts import body, main_text

from reknit.files.save import save_file
from reknit.ir import enums, op
from reknit.ir.module import Module, annotation
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.manager import Report, run_passes
from reknit.sim.outcomes import outcomes
from reknit.source.diagnostic import InputError
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

ODD = "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n%two = ULessThan %lane, 2u : bool\n"
LEFT_TWICE = "scope @g nojoin {\nif %odd nojoin {\nbreak @g\n}\nSEE 1\nif %two nojoin {\nbreak @g\n}\nSEE 2\n}\nb9:\n"
FROM_A_LOOP = (
    "scope @o {\nif %odd as @g nojoin {\nbreak @o\n} else {\nloop @l {\n%n = Load %slot : u32\n"
    "%c = UGreaterThan %n, 3u : bool\nif %c nojoin {\nbreak @l\n}\nSEE 1\nbreak @g\n}\nSEE 2\n}\nb9:\n"
)
FROM_A_CASE = (
    "if true as @g nojoin {\nswitch %lane {\ncase 0, 1: {\nloop @l {\n%n = Load %slot : u32\n"
    "%c = UGreaterThan %n, 3u : bool\nif %c nojoin {\nbreak @l\n}\nbreak @g\n}\nStore %slot, 7u\n}\n"
    "default: {\n}\n}\n}\n"
)
PROGRAMS = {
    "a scope under conditions": (LEFT_TWICE, ""),
    "an if from a loop": (FROM_A_LOOP, "}\n"),
    "an if from a case's loop": (FROM_A_CASE, ""),
}


def maximal(module: Module) -> Module:
    mode = enums.ExecutionModeMaximallyReconvergesKHR
    module.execution_modes.append(annotation(op.ExecutionMode, [module.functions[0], mode]))
    module.extensions.append(annotation(op.Extension, ["SPV_KHR_maximal_reconvergence"]))
    return module


def lowered(module: Module) -> Report:
    return run_passes(module, "eliminate-phis, eliminate-multi-level-breaks")


@pytest.mark.parametrize("title", PROGRAMS)
def test_without_an_operation_that_tells_it_gets_a_merge(title: str) -> None:
    """Nobody notices, so nothing is said, and all lanes see what they saw: with the mode and without."""
    text = ODD + "".join(PROGRAMS[title]) + "return"
    for module in (body(text), maximal(body(text))):
        before = results(module)
        assert lowered(module).notes() == []
        assert results(parse(print_module(module))) == before
        binary = write_module(module)
        assert validate(binary) == (True, "") and results(read_module(binary)) == before


def test_invocations_that_meet_on_the_path_are_reported_too() -> None:
    """Who leaves FROM_A_CASE's loop meets those who come out of the switch at its merge, and not behind it only."""
    assert [note.code for note in lowered(body(f"{ODD}{FROM_A_CASE}SEE 3\nreturn")).notes()] == ["RK2203"]


def test_without_the_mode_that_is_one_of_the_allowed_results() -> None:
    module = body(f"{ODD}{LEFT_TWICE}SEE 3\nreturn")
    before = parse(print_module(module))
    assert [note.code for note in lowered(module).notes()] == ["RK2203"]
    binary = write_module(module)
    assert validate(binary) == (True, "")
    allowed = outcomes(before, subgroup_size=4, limit=4096, rules="base")
    stored = [one.result.buffers["out"].words for one in allowed.outcomes]
    after = outcomes(read_module(binary), subgroup_size=4, limit=4096, rules="base")
    assert allowed.exhaustive and all(one.result.buffers["out"].words in stored for one in after.outcomes)


@pytest.mark.parametrize("title", PROGRAMS)
def test_with_the_mode_it_stays_where_an_operation_tells(title: str, tmp_path: Path) -> None:
    """By hand, LEFT_TWICE: odd lanes, then even lanes below 2, then the others come to SEE 3: three tangles, never
    one."""
    module = maximal(body(ODD + "SEE 3\n".join(PROGRAMS[title]) + "return"))
    before = main_text(module)
    assert [note.code for note in lowered(module).notes()] == ["RK2202"] and main_text(module) == before
    with pytest.raises(InputError):
        save_file(module, str(tmp_path / "out.spv"))


def test_a_branch_that_only_goes_back_is_left_to_the_writer() -> None:
    """A loop has one back edge (SPIR-V 1.6, 2.11), and no grouping is left by this one."""
    module = body("loop @l {\nSEE 1\n} continuing {\nif true nojoin {\n}\n}\nreturn")
    assert lowered(module).notes() == []
    with pytest.raises(InputError) as fault:
        write_module(module)
    assert [one.code for one in fault.value.diagnostics] == ["RK0510"]
