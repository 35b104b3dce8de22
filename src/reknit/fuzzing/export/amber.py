"""An Amber script: a compute pipeline of SPIR-V assembly, and the words that it has to store.

    SHADER compute program SPIRV-ASM ... END     PIPELINE compute run ... END
    RUN run 1 1 1                                EXPECT out IDX 0 EQ 12 7 ...

Source: Amber's docs/amber_script.md.
"""

from typing import Final

from reknit.fuzzing.export.c_like import refuse
from reknit.fuzzing.meaning import meaning_of
from reknit.fuzzing.program import Program
from reknit.ir.module import Module
from reknit.spirv.dis import disassemble
from reknit.spirv.write import write_module

A_LINE: Final = 8  # expected words


def amber(program: Program, module: Module) -> str:
    """`module` is what became of `program`. Raises InputError: RK0013 for a fragment shader, RK05xx."""
    if program.fragment:
        raise refuse("it is a fragment shader")
    expected = meaning_of(program)
    lines = [
        "#!amber",
        "DEVICE_EXTENSION VK_KHR_shader_maximal_reconvergence",
        "SHADER compute program SPIRV-ASM TARGET_ENV spv1.6",
        disassemble(write_module(module)).rstrip(),
        "END",
        "",
        f"BUFFER out DATA_TYPE uint32 SIZE {program.lanes} FILL 0",
        "",
        "PIPELINE compute run",
        "  ATTACH program",
        "  SUBGROUP program",
        "    FULLY_POPULATED on",
        f"    REQUIRED_SIZE {program.subgroup_size}",
        "  END",
        "  BIND BUFFER out AS storage DESCRIPTOR_SET 0 BINDING 0",
        "END",
        "",
        "RUN run 1 1 1",
    ]
    for first in range(0, len(expected), A_LINE):
        words = " ".join(str(word) for word in expected[first : first + A_LINE])
        lines.append(f"EXPECT out IDX {4 * first} EQ {words}")
    return "\n".join(lines) + "\n"
