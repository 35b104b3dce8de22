"""One input on its way to a worker and back, and how both are written to a pipe.

frame:  length of the JSON, length of the bytes (8 bytes each, big-endian), JSON, bytes
"""

import json
import os
import struct
from typing import Any, Final, final

from reknit.source.limits import Limits

_HEAD: Final = struct.Struct(">qq")
GRACE: Final = 4.0
"""How many times its processor time an input may take by the clock: other programs want the processor as well."""
AT_LEAST: Final = 5.0
"""Seconds that it may take by the clock in any case."""

HEAD: Final = _HEAD.size
NO_BYTES: Final = -1
LIMITS: Final = ("seconds", "memory", "nodes", "sandbox", "roots")


SECONDS: Final = 60.0
MEMORY: Final = 2 << 30
"""What one input may take unless said otherwise."""


@final
class Job:
    """`number` is the task's, `recipe` a recipe's text. A `format` of None has the contents tell it. The seconds of
    `limits` are processor time."""

    __slots__ = ("number", "recipe", "data", "format", "name", "path", "limits", "tries")

    def __init__(
        self, number: int, recipe: str, data: bytes, format: str | None, name: str, path: str, limits: Limits
    ) -> None:
        self.number = number
        self.recipe = recipe
        self.data = data
        self.format = format
        self.name = name
        self.path = path
        self.limits = limits
        self.tries = 0

    def frame(self) -> bytes:
        head = {
            "recipe": self.recipe,
            "format": self.format,
            "name": self.name,
            "path": self.path,
            "folder": os.getcwd(),
            "limits": {name: getattr(self.limits, name) for name in LIMITS},
        }
        return frame(json.dumps(head), self.data)


def frame(text: str, data: bytes | None) -> bytes:
    """Bytes of None stay None."""
    head = text.encode()
    return _HEAD.pack(len(head), NO_BYTES if data is None else len(data)) + head + (data or b"")


def lengths(head: bytes) -> tuple[int, int]:
    """Of the JSON and of the bytes, which may be NO_BYTES."""
    first, second = _HEAD.unpack(head)
    return first, second


def job_of(text: bytes, data: bytes) -> Job:
    """In a worker, which names files as its parent does: from the same folder, where this machine has that."""
    head: dict[str, Any] = json.loads(text)
    if head["folder"] != os.getcwd() and os.path.isdir(head["folder"]):
        os.chdir(head["folder"])
    return Job(0, head["recipe"], data, head["format"], head["name"], head["path"], Limits(**head["limits"]))


def clock_seconds(limits: Limits) -> float | None:
    """How long an input may take by the clock."""
    return None if limits.seconds is None else max(GRACE * limits.seconds, AT_LEAST)
