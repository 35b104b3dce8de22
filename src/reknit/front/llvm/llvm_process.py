"""The process that LLVM reads and prints modules in (`printer`).

    ask(TEXT, b"define ...")  ──▶  (PRINTED, "; ModuleID ...") or (REFUSED, "<string>:1:8: error: ...")
                              ──▶  Died: LLVM crashed, or ran too long
"""

from typing import Final

from reknit.source.resident import Resident

SECONDS: Final = 120.0
_KEEPER: Final = Resident("from reknit.front.llvm.printer import main; main()")


def ask(kind: bytes, data: bytes) -> tuple[bytes, str]:
    """(PRINTED or REFUSED, text). Raises Died."""
    status, text = _KEEPER.ask(kind, data, SECONDS)
    return status, text.decode("utf-8", "surrogateescape")
