"""LLVM in a process of its own, which may crash, run out of memory or be ended: the parent process goes on.

    asks      't' text, 'b' bitcode         ──▶  llvmlite reads, checks, upgrades, prints
    answers   'k' printed, 'r' refused      ◀──

LLVM ends the process at some broken inputs ("LLVM ERROR: ..." on standard error).
"""

from typing import Any, Final

from reknit.source.answering import serve, stand_alone

TEXT: Final = b"t"
BITCODE: Final = b"b"
PRINTED: Final = b"k"
REFUSED: Final = b"r"

_KERNEL_CALLED: Final = "calling convention does not permit calls"
"""A rule of late: kernels of OpenCL call each other, and older compilers say so."""


def main() -> None:
    """Answer until the parent process ends."""
    stand_alone()
    import llvmlite.binding as llvm

    def answer(kind: bytes, data: bytes) -> tuple[bytes, bytes]:
        status, text = _answer(llvm, kind, data)
        return status, text.encode("utf-8", "surrogateescape")

    serve(answer)


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
