"""The process that compiles GLSL by glslang as a library: should that crash, nothing else does.

    sys.argv = [..., library, source, product, stage, "lines" or "", "1.6"]   ->   product, or exit code 1 and reasons

The library is called as Slang calls it: `glslang_compile_1_2` takes a structure that says its size (slang-glslang.h).
"""

import ctypes
import os
import sys
from typing import Any, Final

_STAGES: Final = {
    "vert": 1, "tesc": 2, "tese": 3, "geom": 4, "frag": 5, "comp": 6, "rgen": 7, "rint": 8, "rahit": 9, "rchit": 10,
    "rmiss": 11, "rcall": 12, "mesh": 13, "task": 14,
}  # fmt: skip
"""SlangStage of slang.h."""

_LINES: Final = 1
"""SLANG_DEBUG_INFO_LEVEL_MINIMAL: lines, and the source's name."""

_Output = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)


class _Request(ctypes.Structure):
    """glslang_CompileRequest_1_2."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("source_path", ctypes.c_char_p),
        ("input_begin", ctypes.c_void_p),
        ("input_end", ctypes.c_void_p),
        ("diagnostics", _Output),
        ("diagnostics_data", ctypes.c_void_p),
        ("output", _Output),
        ("output_data", ctypes.c_void_p),
        ("stage", ctypes.c_int),
        ("action", ctypes.c_uint),  # 0: compile
        ("optimization", ctypes.c_uint),
        ("debug", ctypes.c_uint),
        ("target", ctypes.c_char_p),
        ("version", ctypes.c_int * 3),
        ("entry", ctypes.c_char_p),
    ]


def main() -> None:
    library, source, product, stage, debug, version = sys.argv[1:]
    major, minor = version.split(".")
    with open(source, "rb") as file:
        text = file.read()
    said, made = bytearray(), bytearray()
    buffer = ctypes.create_string_buffer(text)
    begin = ctypes.addressof(buffer)
    request = _Request(
        ctypes.sizeof(_Request), os.fsencode(source), begin, begin + len(text), _into(said), None, _into(made), None,
        _STAGES[stage], 0, 0, _LINES if debug else 0, None, (int(major), int(minor), 0), b"main",
    )  # fmt: skip
    try:
        run = ctypes.CDLL(library).glslang_compile_1_2
    except (OSError, AttributeError) as error:
        sys.exit(f"the library can't be used: {error}")
    code = run(ctypes.byref(request))
    sys.stdout.buffer.write(said)
    if code != 0:
        sys.exit(1)
    with open(product, "wb") as file:
        file.write(made)


def _into(out: bytearray) -> Any:
    return _Output(lambda data, size, _: out.extend(ctypes.string_at(data, size)))
