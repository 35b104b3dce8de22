"""Which format a file has: its ending decides, a name given beside it overrules.

    a.spv  a.spvasm  a.rk         SPIR-V binary, SPIR-V assembly, reknit's own text: read and written
    a.comp  a.frag  a.glsl ...    GLSL, through glslangValidator: read only
    a.cfg                         control-flow graphs, a line a block: read only
    a.slang  a.hlsl               Slang and HLSL, compute, vertex and fragment shaders: read only
    a.ll  a.bc                    LLVM IR, as text and as bitcode: read only
    a.dxil  a.dxbc  a.cso         DXIL in its container: read only
    -  or bytes                   no ending: known from the contents, and written as .rk

By name alone: `slangc` and `dxc`, Slang or HLSL through that program.
"""

import os
import re
from typing import Final

from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.place import Place

BINARY: Final = "spv"
ASSEMBLY: Final = "spvasm"
TEXT: Final = "rk"
GRAPH: Final = "cfg"
GLSL: Final = "glsl"
HLSL: Final = "hlsl"
SLANG: Final = "slang"
SLANGC: Final = "slangc"
DXC: Final = "dxc"
LLVM: Final = "ll"
BITCODE: Final = "bc"
DXIL: Final = "dxil"

WRITTEN: Final = (BINARY, ASSEMBLY, TEXT)
READ: Final = (*WRITTEN, GRAPH, GLSL, HLSL, SLANG, SLANGC, DXC, LLVM, BITCODE, DXIL)
FROM_LLVM: Final = (LLVM, BITCODE, DXIL)
FROM_SLANG: Final = (SLANG, HLSL)
THROUGH: Final = (SLANGC, DXC)
"""Formats that are no ending: which program to ask."""
LANGUAGES: Final = {SLANG: "Slang", SLANGC: "Slang", HLSL: "HLSL", DXC: "HLSL"}
"""Shading languages that say more of a switch than SPIR-V does: all lanes that come to a label run it together."""

FOREIGN: Final = (*WRITTEN, GLSL, *THROUGH)
"""Formats of whole modules: another program wrote them, where our own front ends make those of the others."""

ENDINGS: Final = tuple(name for name in READ if name not in THROUGH)

CONTAINERS: Final = ("dxbc", "cso")
"""Other endings of a DXIL container."""

STAGES: Final = (
    "vert", "tesc", "tese", "geom", "frag", "comp", "mesh", "task",
    "rgen", "rint", "rahit", "rchit", "rmiss", "rcall",
)  # fmt: skip
"""glslang's stages, which are also endings."""

ZIP: Final = (".zip",)
TAR: Final = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
"""Endings of archives, whose members are inputs."""
OTHER_ARCHIVES: Final = (
    ".rar", ".7z", ".gz", ".bz2", ".xz", ".zst", ".tzst", ".lz", ".lz4", ".lzma", ".tlz", ".z", ".taz", ".br", ".cab",
    ".arj", ".lha", ".lzh", ".cpio", ".ar", ".iso", ".zipx", ".jar",
)  # fmt: skip
"""Endings of archives and packed files that are neither read nor written."""

STANDARD: Final = "-"
"""The file name that means standard input or output."""

MAGIC: Final = (b"\x03\x02\x23\x07", b"\x07\x23\x02\x03")
"""The first bytes of a SPIR-V binary, of either endianness (SPIR-V 1.6, 2.3)."""

_DXIL_MAGIC: Final = b"DXBC"
_BITCODE_MAGIC: Final = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")
_LLVM_LINE: Final = re.compile(r"(?m)^(?:; ModuleID = |target (?:datalayout|triple) = |define [^\n]*@[^\n]*\{)")
_ASSEMBLY_LINE: Final = re.compile(r"(?m)^[ \t]*(?:%[^\s=]+[ \t]*=[ \t]*)?Op[A-Z]\w*")


SCRIPTS: Final = ("amber", "vkscript")
"""Endings of scripts, which are run and are no modules."""

ENVIRONMENTS: Final = (
    "vulkan1.0", "vulkan1.1", "vulkan1.1spv1.4", "vulkan1.2", "vulkan1.3", "vulkan1.4",
    "spv1.0", "spv1.1", "spv1.2", "spv1.3", "spv1.4", "spv1.5", "spv1.6",
    "opencl1.2", "opencl2.0", "opencl2.1", "opencl2.2", "opengl4.5",
)  # fmt: skip
"""What GLSL is compiled for, and spirv-val judges for, as both call it."""


def is_script(path: str) -> bool:
    """Whether the ending is that of a script."""
    return ending(path) in SCRIPTS


def is_archive(path: str) -> bool:
    """Whether the ending is that of an archive."""
    return path.lower().endswith((*ZIP, *TAR))


def ending(path: str) -> str:
    """`a/b.comp.glsl` -> `glsl`; empty without one."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name[1:] else ""


def read_format(path: str, given: str | None) -> str | None:
    """The format to read `path` in; None where only the contents can tell. Raises InputError (RK0002)."""
    if given is not None:
        return _known(given, READ, "read")
    if path == STANDARD:
        return None
    suffix = ending(path)
    if suffix in STAGES:
        return GLSL
    if suffix in CONTAINERS:
        return DXIL
    if suffix in READ and suffix not in THROUGH:
        return suffix
    raise _no_format(path, suffix, "--from", ENDINGS)


def write_format(path: str, given: str | None) -> str:
    """The format to write `path` in. Raises InputError (RK0002)."""
    if given is not None:
        return _known(given, WRITTEN, "written")
    if path == STANDARD:
        return TEXT
    suffix = ending(path)
    if suffix in WRITTEN:
        return suffix
    raise _no_format(path, suffix, "--to", WRITTEN)


def format_of(data: bytes) -> str:
    """The format of contents without a name: the magic number, else a line that starts as assembly or LLVM IR does,
    else .rk."""
    if data[:4] in MAGIC:
        return BINARY
    if data[:4] == _DXIL_MAGIC:
        return DXIL
    if data[:4] in _BITCODE_MAGIC:
        return BITCODE
    if b"\0" in data:
        return BINARY  # no text: reading it as a binary says what is wrong with it
    text = data.decode("utf-8", "replace")
    if _LLVM_LINE.search(text):
        return LLVM
    return ASSEMBLY if _ASSEMBLY_LINE.search(text) else TEXT


def _known(given: str, known: tuple[str, ...], verb: str) -> str:
    if given in known:
        return given
    raise InputError([Diagnostic("RK0002", f"format '{given}' can't be {verb}", help=f"formats: {', '.join(known)}")])


def _no_format(path: str, suffix: str, option: str, known: tuple[str, ...]) -> InputError:
    what = f"nothing is known of the ending '.{suffix}'" if suffix else "the name has no ending to tell the format"
    if known is ENDINGS and os.path.isdir(path):
        help = "name a file in it; `check`, `lint` and `batch` take folders"
        return InputError([Diagnostic("RK0002", "a folder has no format", Place(path), help=help)])
    if known is WRITTEN and suffix in (*ENDINGS, *STAGES):
        what = f"'.{suffix}' is the ending of what is read; it is not written"
    if known is ENDINGS and not suffix and not os.path.exists(path):
        what = "there is no file of this name, and " + what
    notes = [Note(f"endings: {', '.join('.' + name for name in known)}")]
    if known is ENDINGS:
        notes.append(Note(f"of GLSL also: {', '.join('.' + stage for stage in STAGES)}"))
    help = "`reknit run` runs scripts" if suffix in SCRIPTS and known is ENDINGS else f"name the format with {option}"
    return InputError([Diagnostic("RK0002", what, Place(path), notes=notes, help=help)])
