"""What vertex shaders leave, as people read it: a line for each vertex.

vertex 0: position (0, 0, 0, 1), 0 = (1, 0.5), 1 = 7
vertex 0 of instance 1: ...
"""

from collections.abc import Sequence
from typing import Any, Final

from reknit.sim.vertices import Vertex

MOST: Final = 64


def show_vertices(vertices: Sequence[Vertex]) -> str:
    """An empty line after them."""
    several = any(vertex.instance != vertices[0].instance for vertex in vertices)
    lines = [line(vertex, several) for vertex in vertices[:MOST]]
    if len(vertices) > MOST:
        lines.append(f"... {len(vertices) - MOST} more; --json has all")
    return "\n".join([*lines, "", ""])


def line(vertex: Vertex, several: bool) -> str:
    name = f"vertex {vertex.index}{f' of instance {vertex.instance}' if several else ''}"
    parts = [f"position {text(vertex.position)}"] if vertex.position is not None else []
    parts += [f"clip {text(vertex.clip)}"] if vertex.clip else []
    parts += [f"cull {text(vertex.cull)}"] if vertex.cull else []
    parts += [f"{where} = {text(value)}" for where, value in vertex.values.items()]
    return f"{name}: {', '.join(parts) or 'no outputs'}"


def text(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join([text(part) for part in value])})"
    return str(value) if isinstance(value, int) else f"{value:.7g}"
