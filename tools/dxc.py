"""Compile HLSL to DXIL with the DirectX shader compiler, for the shaders that tests read.

    python3 tools/dxc.py LIBRARY SHADER.hlsl OUT.dxil [ARGUMENT...]      arguments as dxc's, "-T cs_6_5 -E main" first

LIBRARY is a libdxcompiler.so; `tools/get_oracles.py dxc` gets one. Its interfaces are COM's, called through ctypes: a
method is a function at a fixed place of the object's table. Off Windows the base class has a virtual destructor after
its three methods, which takes two places, so an interface's own methods start at place 5 (DXC, WinAdapter.h).
"""

import ctypes
import sys
import uuid
from pathlib import Path
from typing import Any

COMPILER_CLASS = uuid.UUID("73e22d93-e6ce-47f3-b5bf-f0664f39c1b0")
COMPILER = uuid.UUID("228b4687-5a6a-4730-900c-9702b2203f54")  # IDxcCompiler3
UTILITIES_CLASS = uuid.UUID("6245d6af-66e0-48fd-80b4-4d271796748c")
UTILITIES = uuid.UUID("4605c4cb-2019-492a-ada4-65f20bb7d67f")  # IDxcUtils
INCLUDE_HANDLER_PLACE = 6  # CreateDefaultIncludeHandler, after five makers of blobs and one of streams
RESULT = uuid.UUID("58346cda-dde7-4497-9461-6f87af5e0659")  # IDxcResult
UTF8 = 65001
FIRST = 5
DEFAULT_ARGUMENTS = ["-T", "cs_6_5", "-E", "main"]


class Refused(Exception):
    """The compiler's own message."""


class Buffer(ctypes.Structure):
    """DxcBuffer: source text."""

    _fields_ = [("pointer", ctypes.c_char_p), ("size", ctypes.c_size_t), ("encoding", ctypes.c_uint32)]


def method(this: ctypes.c_void_p, place: int, result: Any, *parameters: Any) -> Any:
    """The function at `place` of the object's table, to be called with the object first."""
    table = ctypes.cast(this, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p))).contents
    address = table[place]
    return ctypes.CFUNCTYPE(result, ctypes.c_void_p, *parameters)(address)


def bytes_of(blob: ctypes.c_void_p) -> bytes:
    """What an IDxcBlob holds."""
    pointer = method(blob, FIRST, ctypes.c_void_p)(blob)
    size = method(blob, FIRST + 1, ctypes.c_size_t)(blob)
    return ctypes.string_at(pointer, size) if size else b""


def part(result: ctypes.c_void_p, place: int) -> bytes:
    """The blob that a method of the result gives."""
    blob = ctypes.c_void_p()
    method(result, place, ctypes.c_int32, ctypes.c_void_p)(result, ctypes.byref(blob))
    return bytes_of(blob) if blob else b""


def created(library: Path, kind: uuid.UUID, interface: uuid.UUID) -> ctypes.c_void_p:
    """An object of the library. Raises Refused."""
    made = ctypes.c_void_p()
    status = ctypes.CDLL(str(library)).DxcCreateInstance(kind.bytes_le, interface.bytes_le, ctypes.byref(made))
    if status != 0:
        raise Refused(f"no compiler: status {status & 0xFFFFFFFF:08x}")
    return made


def include_handler(library: Path) -> ctypes.c_void_p:
    """Finds included files on the disk, beside the source's name and below the folders of -I. Raises Refused."""
    utilities = created(library, UTILITIES_CLASS, UTILITIES)
    handler = ctypes.c_void_p()
    place = FIRST + INCLUDE_HANDLER_PLACE
    if method(utilities, place, ctypes.c_int32, ctypes.c_void_p)(utilities, ctypes.byref(handler)) != 0:
        raise Refused("no include handler")
    return handler


def compile_hlsl(library: Path, source: str, arguments: list[str], includes: bool = False) -> bytes:
    """The DXIL container; with `includes` the source may include files. Raises Refused with what the compiler says."""
    compiler = created(library, COMPILER_CLASS, COMPILER)
    handler = include_handler(library) if includes else None
    text = source.encode()
    words = (ctypes.c_wchar_p * len(arguments))(*arguments)
    result = ctypes.c_void_p()
    run = method(
        compiler, FIRST, ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p,
        ctypes.c_char_p, ctypes.c_void_p,
    )  # fmt: skip
    buffer = Buffer(text, len(text), UTF8)
    status = run(compiler, ctypes.byref(buffer), words, len(arguments), handler, RESULT.bytes_le, ctypes.byref(result))
    if status != 0:
        raise Refused(f"status {status & 0xFFFFFFFF:08x}")
    outcome = ctypes.c_int32()
    method(result, FIRST, ctypes.c_int32, ctypes.c_void_p)(result, ctypes.byref(outcome))
    if outcome.value != 0:
        raise Refused(part(result, FIRST + 2).decode("utf-8", "replace").strip("\0\n"))
    return part(result, FIRST + 1)


def main(arguments: list[str]) -> int:
    if len(arguments) < 3:
        print(__doc__)
        return 2
    try:
        text = Path(arguments[1]).read_text(errors="replace")
        found = compile_hlsl(Path(arguments[0]), text, arguments[3:] or DEFAULT_ARGUMENTS, includes=True)
    except Refused as reason:
        print(reason, file=sys.stderr)
        return 1
    Path(arguments[2]).write_bytes(found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
