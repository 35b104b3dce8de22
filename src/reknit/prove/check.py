"""Everything that can be wrong with a module, in one list.

file ── read ──▶ faults of reading (then nothing more can be judged)
                 module.notes, ir.verify, spirv-val
"""

from reknit.ir import enums
from reknit.ir.module import Module
from reknit.ir.verify import verify
from reknit.prove.spirv_val import judge
from reknit.source.diagnostic import NOTE, Diagnostic, InputError
from reknit.spirv.write import write_module


def check_module(module: Module, binary: bytes | None = None, environment: str | None = None) -> list[Diagnostic]:
    """What reading had to say, what the IR's rules say, and what spirv-val says of `binary`.

    `binary` is the module as it came; None has it written.
    """
    if not _is_shader(module):
        for note in module.notes:
            note.severity = NOTE
    found = [*module.notes, *verify(module)]
    if binary is None:
        try:
            binary = write_module(module)
        except InputError as error:
            return [*found, *error.diagnostics]
    return [*found, *judge(binary, module.path, environment)]


def _is_shader(module: Module) -> bool:
    """Whether control flow must be structured: only for modules with the capability Shader (SPIR-V 1.6, 2.16.2)."""
    declared = [instr.word(0) for instr in module.capabilities if instr.operands]
    return enums.CapabilityKernel not in declared or enums.CapabilityShader in declared
