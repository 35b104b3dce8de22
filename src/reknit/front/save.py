"""A module to a file, or to its contents, in any format that is written: .spv, .spvasm, .rk."""

from reknit.front.files import write_bytes
from reknit.front.formats import ASSEMBLY, BINARY, TEXT, write_format
from reknit.ir.module import Module


def save_file(module: Module, path: str, format: str | None = None) -> None:
    """Write `module`; `-` is standard output. Raises InputError: RK0002, RK0007, RK05xx (SPIR-V can't say it)."""
    write_bytes(path, save_bytes(module, write_format(path, format)))


def save_bytes(module: Module, format: str) -> bytes:
    """The contents of the file, in one of the formats that are written."""
    if format == TEXT:
        from reknit.ir.text.printer import print_module

        return print_module(module).encode("utf-8", "surrogateescape")
    from reknit.spirv.write import write_module

    binary = write_module(module)
    if format == BINARY:
        return binary
    assert format == ASSEMBLY
    from reknit.spirv.dis import disassemble

    return disassemble(binary).encode("utf-8", "surrogateescape")
