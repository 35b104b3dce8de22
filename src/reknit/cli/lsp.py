"""`reknit lsp`: the server that an editor starts; it speaks over standard input and output until it is ended.

    open, change, hover ...  ─▶ editor.server (pygls, which comes with reknit[lsp])
"""

import gc
import io
import os
import sys
from argparse import Namespace
from importlib.util import find_spec
from typing import Final

from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser
from reknit.cli.shared_options import INPUT

NEEDED: Final = "pygls"
OFTEN: Final = (10_000, 10, 10)
"""Commands end before collecting pays; a server stays, and each text that it has seen is a module with cycles."""


MAX_LENGTH: Final = 1 << 28
"""Bytes of a message: an editor sends whole files in one."""


class Asked(io.BufferedReader):
    """Standard input, of which no message longer than that is read."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_LENGTH:
            raise misuse("RK0010", f"a message of {size} bytes was announced: the longest is {MAX_LENGTH}")
        return super().read(size)


def parser() -> Parser:
    command = Parser(
        "lsp",
        "Serve an editor by the Language Server Protocol, over standard input and output. Editors start this command "
        "themselves.",
        "",
        ("--stdio",),
    )
    command.group(INPUT).add_argument(
        "--stdio", action="store_true", help="use standard input and output, which is the only way there is"
    )
    return command


def main(options: Namespace) -> int:
    if find_spec(NEEDED) is None:
        message = f"the language server needs {NEEDED}, which is not installed"
        raise misuse("RK0014", message, "pip install 'reknit[lsp]'")
    gc.set_threshold(*OFTEN)
    from reknit.editor.server import new_server
    from reknit.source.version import VERSION

    # The protocol has both streams to itself, and closes them at its end.
    own = io.FileIO(os.dup(sys.stdin.fileno()), "rb")
    with Asked(own) as asked, os.fdopen(os.dup(sys.stdout.fileno()), "wb") as said:
        new_server(VERSION).start_io(asked, said)
    return 0
