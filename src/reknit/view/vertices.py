"""What vertex shaders leave, as people read it: a line for each vertex.

vertex 0: position (0, 0, 0, 1), 0 = (1, 0.5), 1 = 7
vertex 0 of instance 1: ...
"""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Final

from reknit.sim.vertices import Vertex
from reknit.view.buffers import UNDEFINED

MAX_VERTICES: Final = 64


def show_vertices(vertices: Sequence[Vertex]) -> str:
    """An empty line after them."""
    several = any(vertex.instance != vertices[0].instance for vertex in vertices)
    lines = [line(vertex, several) for vertex in vertices[:MAX_VERTICES]]
    if len(vertices) > MAX_VERTICES:
        lines.append(f"... {len(vertices) - MAX_VERTICES} more; --json has all")
    return "\n".join([*lines, "", ""])


def line(vertex: Vertex, several: bool) -> str:
    name = f"vertex {vertex.index}{f' of instance {vertex.instance}' if several else ''}"
    open = vertex.undefined
    parts = []
    if vertex.position is not None:
        parts.append(f"position {text(opened(vertex.position, open.get('position', {})))}")
    parts += [f"clip {text(vertex.clip)}"] if vertex.clip else []
    parts += [f"cull {text(vertex.cull)}"] if vertex.cull else []
    for where, value in vertex.values.items():
        parts.append(f"{where} = {text(opened(value, open.get(f'location {where}', {})))}")
    return f"{name}: {', '.join(parts) or 'no outputs'}"


def opened(value: Any, open: Mapping[int, object]) -> Any:
    """A value with `?` for its numbers that may be anything, by their places in it. Values nest a few levels."""
    if not open:
        return value
    places = count()

    def part(each: Any) -> Any:
        if isinstance(each, list):
            return [part(inner) for inner in each]
        return UNDEFINED if next(places) in open else each

    return part(value)


def text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return f"({', '.join([text(part) for part in value])})"
    return str(value) if isinstance(value, int) else f"{value:.7g}"
