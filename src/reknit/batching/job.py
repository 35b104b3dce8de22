"""One input on its way to a worker and back, and how both are written to a pipe.

    frame:  length of the JSON, length of the bytes (8 bytes each, big-endian), JSON, bytes
"""

import json
import struct
from typing import Any, Final, final

_HEAD: Final = struct.Struct(">qq")
HEAD: Final = _HEAD.size
NO_BYTES: Final = -1


@final
class Bounds:
    """What one input may take: `seconds` of processor time, `memory` bytes beside what the worker has by itself. 0 is
    no bound."""

    __slots__ = ("seconds", "memory")

    def __init__(self, seconds: float = 0.0, memory: int = 0) -> None:
        self.seconds = seconds
        self.memory = memory


@final
class Job:
    """`number` is the task's, `recipe` a recipe's text. A `format` of None has the contents tell it."""

    __slots__ = ("number", "recipe", "data", "format", "name", "path", "bounds", "tries")

    def __init__(
        self, number: int, recipe: str, data: bytes, format: str | None, name: str, path: str, bounds: Bounds
    ) -> None:
        self.number = number
        self.recipe = recipe
        self.data = data
        self.format = format
        self.name = name
        self.path = path
        self.bounds = bounds
        self.tries = 0

    def frame(self) -> bytes:
        head = {
            "recipe": self.recipe,
            "format": self.format,
            "name": self.name,
            "path": self.path,
            "seconds": self.bounds.seconds,
            "memory": self.bounds.memory,
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
    head: dict[str, Any] = json.loads(text)
    bounds = Bounds(head["seconds"], head["memory"])
    return Job(0, head["recipe"], data, head["format"], head["name"], head["path"], bounds)
