"""What the two processes say to each other.

    asked      one line of JSON, then the bytes of the module and of the buffers, whose lengths the line has
    answered   a line of JSON for each command of Vulkan that is reached: {"at": "vkCreateInstance"},
               then {"answer": {...}} and the buffers' bytes

The last command that was reached says where a driver crashed or hung.
"""

import json
from typing import Any, BinaryIO

Message = dict[str, Any]


def send(stream: BinaryIO, message: Message, blobs: list[bytes]) -> None:
    """A line, and the blobs behind it."""
    message["lengths"] = [len(blob) for blob in blobs]
    stream.write(json.dumps(message).encode() + b"\n")
    for blob in blobs:
        stream.write(blob)
    stream.flush()


def packed(message: Message, blobs: list[bytes]) -> bytes:
    """The bytes that `send` writes."""
    message["lengths"] = [len(blob) for blob in blobs]
    return json.dumps(message).encode() + b"\n" + b"".join(blobs)


def receive(stream: BinaryIO) -> tuple[Message, list[bytes]]:
    """The message that `send` wrote."""
    message: Message = json.loads(stream.readline())
    return message, [stream.read(length) for length in message["lengths"]]


def answer_in(data: bytes) -> tuple[str, str, Message | None, list[bytes]]:
    """(last command reached, device that was opened, answer or None where the process ended before it, blobs)."""
    at = ""
    device = ""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        if end < 0:
            break
        message: Message = json.loads(data[start:end])
        start = end + 1
        at = message.get("at", at)
        device = message.get("device", device)
        if "answer" in message:
            blobs: list[bytes] = []
            for length in message["lengths"]:
                blobs.append(data[start : start + length])
                start += length
            return at, device, message["answer"], blobs
    return at, device, None, []
