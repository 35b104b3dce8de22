"""LLVM in a process of its own, which may crash, run out of memory or be ended: the parent process goes on.

    asks      kind ('t' text, 'b' bitcode), length, bytes      ──▶  llvmlite reads, checks, upgrades, prints
    answers   kind ('k' printed, 'r' refused), length, text    ◀──

Nothing but llvmlite is imported here. LLVM ends the process at some broken inputs ("LLVM ERROR: ..." on standard
error).
"""

import struct
import sys
from typing import Any, BinaryIO, Final

HEAD: Final = struct.Struct("<cQ")
TEXT: Final = b"t"
BITCODE: Final = b"b"
PRINTED: Final = b"k"
REFUSED: Final = b"r"

_KERNEL_CALLED: Final = "calling convention does not permit calls"
"""A rule of late: kernels of OpenCL call each other, and older compilers say so."""

_MEMORY: Final = 6 << 30
"""Bytes of address space: hundreds of times what the largest shaders take."""


def serve() -> None:
    """Answer until the parent process ends."""
    _limit()
    import llvmlite.binding as llvm

    given: BinaryIO = sys.stdin.buffer
    out: BinaryIO = sys.stdout.buffer
    while True:
        head = given.read(HEAD.size)
        if len(head) < HEAD.size:
            return
        kind, length = HEAD.unpack(head)
        data = given.read(length)
        status, text = _answer(llvm, kind, data)
        reply = text.encode("utf-8", "surrogateescape")
        out.write(HEAD.pack(status, len(reply)))
        out.write(reply)
        out.flush()


def _answer(llvm: Any, kind: bytes, data: bytes) -> tuple[bytes, str]:
    """In a context of its own: in one that others used, a type's name may be taken."""
    try:
        if kind == TEXT:
            module = llvm.parse_assembly(data.decode(), llvm.create_context())
        else:
            module = llvm.parse_bitcode(data, llvm.create_context())
        _verify(module)
        return PRINTED, str(module)
    except RuntimeError as error:
        return REFUSED, str(error)
    except UnicodeDecodeError:
        return REFUSED, "a name in it is no UTF-8"
    except MemoryError:
        return REFUSED, "it takes more memory than there is for it"


def _verify(module: Any) -> None:
    """LLVM's rules, intrinsics' signatures among them. Raises RuntimeError."""
    try:
        module.verify()
    except RuntimeError as error:
        broken = [line for line in str(error).splitlines() if line and not line.startswith((" ", "ptr ", "label "))]
        if not broken or any(line != _KERNEL_CALLED for line in broken):
            raise


def _limit() -> None:
    """Bound the memory, where the system can; no core files."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY or soft > _MEMORY:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, hard))
