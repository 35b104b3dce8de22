"""A module to a file, or to its contents, in any format that is written: .spv, .spvasm, .rk.

    module ── words, judged by the rules of control flow ──▶ file
"""

from reknit.files.formats import ASSEMBLY, BINARY, TEXT, write_format
from reknit.files.judging import Judgement, judge_binary, judge_module, not_written, unstructured
from reknit.files.streams import write_bytes
from reknit.ir.module import Module
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place


def save_file(module: Module, path: str, format: str | None = None, check: bool = True) -> None:
    """Write `module`; `-` is standard output. Raises InputError: RK0002, RK0007, RK05xx (SPIR-V can't say it), and with
    `check` RK0515 and RK0516 (it would break rules of SPIR-V)."""
    write_bytes(path, checked_bytes(module, write_format(path, format), check))


def checked_bytes(module: Module, to: str, check: bool = True) -> bytes:
    """What `save_file` writes. Raises InputError as that does."""
    if not check:
        return save_bytes(module, to)
    data, judgement = judged_bytes(module, to)
    if judgement.flat:
        raise InputError([unstructured(module, judgement.flat)])
    if judgement.broken:
        raise InputError([not_written(module, judgement.broken)])
    return data


def save_bytes(module: Module, format: str) -> bytes:
    """The contents of the file, in one of the formats that are written."""
    if format == TEXT:
        from reknit.ir.text.printer import print_module

        return print_module(module).encode("utf-8", "surrogateescape")
    from reknit.spirv.write import write_module

    return _of_binary(write_module(module), format)


def judged_bytes(module: Module, format: str, part: bool = False) -> tuple[bytes, Judgement]:
    """The contents, and what the rules say of them. Functions without structure are nothing wrong in .rk. Raises
    InputError (RK0518) for what SPIR-V doesn't take as a module, unless it may be a `part`."""
    if format == TEXT:
        return save_bytes(module, format), Judgement(judge_module(module).broken, [])
    if not part and not module.memory_model:
        message = "the module has no OpMemoryModel, of which SPIR-V requires one"
        help = "give it one (in .rk: `MemoryModel Logical GLSL450`), or write .rk, which holds parts of modules, too"
        raise InputError([Diagnostic("RK0518", message, Place(module.path), help=help)])
    from reknit.spirv.write import write_module

    binary = write_module(module)
    return _of_binary(binary, format), judge_binary(module, binary)


def _of_binary(binary: bytes, format: str) -> bytes:
    if format == BINARY:
        return binary
    assert format == ASSEMBLY
    from reknit.spirv.dis import disassemble

    return disassemble(binary).encode("utf-8", "surrogateescape")
