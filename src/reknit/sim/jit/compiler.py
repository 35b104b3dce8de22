"""The process that compiles native code and runs it, for `outside`: if LLVM or the code crashes, nothing else ends.

    'h'  host       nothing                                    ──▶  the processor (JSON)
    'c'  compile    level, processor (JSON), a line end, text  ──▶  an object, or 'r' and what LLVM says
    'l'  load       processor (JSON), a line end, an object    ──▶  the code's number
    'x'  execute    which code, which workgroups (JSON)        ──▶  the workgroup of the first fault, from 1; 0 if none
    't'  time       nothing                                    ──▶  seconds of processor time that it has used

What can't be done is answered with 'r' and why. Buffers are in a file that both processes have mapped; its descriptor
is the first argument.
"""

import json
import mmap
import os
import sys
import threading
import time
from array import array
from contextlib import suppress
from ctypes import addressof, c_char
from dataclasses import asdict
from typing import Any, Final

from reknit.sim.jit.processor import Processor
from reknit.source.answering import serve, stand_alone

HOST: Final = b"h"
COMPILE: Final = b"c"
LOAD: Final = b"l"
EXECUTE: Final = b"x"
TIME: Final = b"t"
DONE: Final = b"k"
REFUSED: Final = b"r"
STACK: Final = 1 << 26
"""Bytes of a thread's stack, for code that may keep much there."""
MEMORY: Final = 16 << 30
"""Bytes of address space, the buffers among them."""


def main() -> None:
    """Answer until the parent process ends."""
    stand_alone(MEMORY)
    with suppress(ImportError, OSError):  # they come again, as the answer of the first request
        import reknit.sim.jit.native  # noqa: F401 - before it is asked for
    serve(Compiler(int(sys.argv[1])).answer)


class Compiler:
    """`shared` is the file that buffers are in."""

    def __init__(self, shared: int) -> None:
        self.shared = shared
        self.codes: list[Any] = []

    def answer(self, kind: bytes, data: bytes) -> tuple[bytes, bytes]:
        try:
            if kind == EXECUTE:
                return DONE, str(self.execute(json.loads(data))).encode()
            if kind == TIME:
                return DONE, str(time.process_time()).encode()
            from reknit.sim.jit import native

            if kind == HOST:
                return DONE, json.dumps(asdict(native.host())).encode()
            asked, _, given = data.partition(b"\n")
            if kind == COMPILE:
                level, processor = json.loads(asked)
                return DONE, native.compiled(given.decode(), Processor(**processor), level)
            self.codes.append(native.Native(given, Processor(**json.loads(asked))))
            return DONE, str(len(self.codes) - 1).encode()
        except (RuntimeError, ImportError, OSError, MemoryError) as error:
            return REFUSED, f"{error or type(error).__name__}".encode("utf-8", "replace")

    def execute(self, asked: dict[str, Any]) -> int:
        context = array("q", asked["context"])
        size = os.fstat(self.shared).st_size
        memory = mmap.mmap(self.shared, size)
        base = c_char.from_buffer(memory)
        for place in asked["places"]:
            context[place] += addressof(base)
        in_threads(self.codes[asked["code"]], asked["low"], asked["high"], asked["step"], context, asked["large"])
        del base
        memory.close()
        return int(context[asked["fault"]])


def in_threads(native: Any, low: int, high: int, step: int, context: "array[int]", large: bool) -> None:
    """Workgroups low .. high - 1, so many a thread; the first of them here, unless code needs a large stack."""
    starts = range(low, high, step)
    others = [
        threading.Thread(target=native.run, args=(at, min(at + step, high), context))
        for at in (starts if large else starts[1:])
    ]
    before = threading.stack_size(STACK if large else 0)
    try:
        for thread in others:
            thread.start()
    finally:
        threading.stack_size(before)
    if not large:
        native.run(low, min(low + step, high), context)
    for thread in others:
        thread.join()
