"""Groupings to whose end SPIR-V can't write a jump: what a pass leaves of them, the writer refuses.

What gets a merge is in the document of eliminate-multi-level-breaks. Expected: SPIR-V 1.6, 2.11, and tangles that the
tree keeps apart under MaximallyReconvergesKHR are not united.
"""

from pathlib import Path

import pytest
from kit.text.pass_texts import body, main_text

from reknit.files.save import save_file
from reknit.ir import enums, op
from reknit.ir.module import annotation
from reknit.passes.manager import run_passes
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

PASSES = "eliminate-phis, eliminate-multi-level-breaks"


def test_with_the_mode_it_stays_where_an_operation_tells(tmp_path: Path) -> None:
    """Odd lanes come to SEE 3 from the scope's end, the others from the loop and from behind it: never one tangle."""
    module = body(
        "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\nscope @o {\n"
        "if %odd as @g nojoin {\nbreak @o\n} else {\nloop @l {\n%n = Load %slot : u32\n"
        "%c = UGreaterThan %n, 3u : bool\nif %c nojoin {\nbreak @l\n}\nSEE 1\nbreak @g\n}\nSEE 2\n}\n"
        "b9:\nSEE 3\n}\nreturn"
    )
    mode = enums.ExecutionModeMaximallyReconvergesKHR
    module.execution_modes.append(annotation(op.ExecutionMode, [module.functions[0], mode]))
    module.extensions.append(annotation(op.Extension, ["SPV_KHR_maximal_reconvergence"]))
    before = main_text(module)
    assert [note.code for note in run_passes(module, PASSES).notes()] == ["RK2202"] and main_text(module) == before
    with pytest.raises(InputError):
        save_file(module, str(tmp_path / "out.spv"))


def test_a_branch_that_only_goes_back_is_left_to_the_writer() -> None:
    """A loop has one back edge (SPIR-V 1.6, 2.11), and no grouping is left by this one."""
    module = body("loop @l {\nSEE 1\n} continuing {\nif true nojoin {\n}\n}\nreturn")
    assert run_passes(module, PASSES).notes() == []
    with pytest.raises(InputError) as fault:
        write_module(module)
    assert [one.code for one in fault.value.diagnostics] == ["RK0510"]
