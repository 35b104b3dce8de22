"""The buffers as the suite's own runner prints them after a run, which some tests have FileCheck look at.

Buffers:
  - Name:            Out
    Format:          Float32
    Counter:         4                   of one that has a counter
    Data:            [ 1, 2.5, ...       a flow that goes past column 70 goes on in the next line
"""

from collections.abc import Mapping
from typing import Final

from offload_tests.pipeline import Buffer

WRAP: Final = 70


def printed(buffers: list[tuple[Buffer, bytes]], counters: Mapping[str, int]) -> str:
    lines = ["Buffers:"]
    for buffer, data in buffers:
        lines.append(f"  - Name:            {buffer.name}")
        lines.append(f"    Format:          {buffer.format}")
        if buffer.channels != 1:
            lines.append(f"    Channels:        {buffer.channels}")
        if buffer.stride:
            lines.append(f"    Stride:          {buffer.stride}")
        if buffer.name in counters:
            lines.append(f"    Counter: {counters[buffer.name]}")
        lines += _flow("    Data:            ", [_text(buffer, one) for one in buffer.numbers(data)])
    return "\n".join(lines)


def _flow(start: str, elements: list[str]) -> list[str]:
    lines: list[str] = []
    line = start + "[ "
    for index, element in enumerate(elements):
        line += ", " if index else ""
        if len(line) > WRAP:
            lines.append(line)
            line = " " * len(start) + "  "
        line += element
    return [*lines, line + " ]"]


def _text(buffer: Buffer, value: float) -> str:
    if buffer.format.startswith("Hex"):
        return f"0x{value:X}"
    if buffer.format == "Bool":
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)
