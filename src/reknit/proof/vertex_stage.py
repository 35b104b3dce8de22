"""A vertex shader before a fragment shader, where both are compared with a device: what it leaves for the other.

    Vertices ── the simulator ──▶ a drawing of their primitives, buffers as they are then, what is the device's own

A device runs the two in one draw, and nothing of the vertices themselves comes back: what is compared is the picture,
and memory.
"""

from collections.abc import Mapping
from typing import Any, Final, final

from reknit.ir import enums
from reknit.ir.module import Module
from reknit.proof.own_choices import packed
from reknit.proof.precision import Precision
from reknit.sim.buffers import carried
from reknit.sim.drawing import Drawing
from reknit.sim.run import run
from reknit.sim.vertices import Vertices, drawn
from reknit.source.diagnostic import Diagnostic

VERTEX: Final = (enums.ExecutionModelVertex,)


@final
class Staged:
    """`drawing` and `buffers` are what the fragment shader begins with; `diagnostics` are the vertex shader's, `packed`
    is the first of it that is the device's own choice (`own_choices`), `imprecise` are operations without one result.
    """

    __slots__ = ("drawing", "buffers", "diagnostics", "packed", "imprecise")

    def __init__(
        self,
        drawing: Drawing,
        buffers: dict[str, Any],
        diagnostics: list[Diagnostic],
        packed: str,
        imprecise: list[str],
    ) -> None:
        self.drawing = drawing
        self.buffers = buffers
        self.diagnostics = diagnostics
        self.packed = packed
        self.imprecise = imprecise


def staged(
    module: Module,
    entry: str | None,
    vertices: Vertices,
    frame: Drawing,
    buffers: Mapping[str, Any],
    spec: Mapping[Any, float] | None,
    max_steps: int,
    rules: str,
) -> Staged:
    """Run the vertex shader of a module; `frame` is a drawing of nothing, as large as the picture. Raises InputError.
    """
    left = run(
        module,
        entry,
        buffers=buffers,
        spec=spec,
        max_steps=max_steps,
        races=True,
        unwritten=True,
        rules=rules,
        drawing=vertices,
    )
    assert left.vertices is not None
    drawing = drawn(left.vertices, frame.size, vertices.topology, frame.samples)
    given = {**buffers, **carried(left.buffers)}
    imprecise = Precision(module, entry, VERTEX).operations
    return Staged(drawing, given, left.diagnostics, packed(module, entry, enums.ExecutionModelVertex), imprecise)

