"""What a stage takes and gives: the elements of its signatures, as metadata has them.

    !{i32 0, !"TEXCOORD", i8 9, i8 0, !5, i8 2, i32 1, i8 2, i32 1, i8 0, null}
      id     semantic     type  kind  indices  interpolation  rows  columns  first row and column in the registers

Source: DXC, docs/DXIL.rst, "Signatures"; DxilConstants.h, SemanticKind and InterpolationMode.
"""

from typing import Final, final

from reknit.front.llvm.metadata import node_at, number_at, text_at
from reknit.front.llvm.syntax import Operand, Program

ARBITRARY: Final = 0
VERTEX_ID: Final = 1
INSTANCE_ID: Final = 2
POSITION: Final = 3
LAYER: Final = 4
VIEWPORT: Final = 5
CLIP: Final = 6
CULL: Final = 7
PRIMITIVE_ID: Final = 10
SAMPLE_INDEX: Final = 12
FRONT_FACE: Final = 13
COVERAGE: Final = 14
INNER_COVERAGE: Final = 15
TARGET: Final = 16
DEPTH: Final = 17
DEPTH_LESS: Final = 18
DEPTH_GREATER: Final = 19
STENCIL: Final = 20
VIEW_ID: Final = 27
BARYCENTRICS: Final = 28
SHADING_RATE: Final = 29
START_VERTEX: Final = 31
START_INSTANCE: Final = 32

CONSTANT: Final = 1


@final
class Element:
    """`component` is a ComponentType, `kind` a SemanticKind, `mode` an InterpolationMode. `row` and `column` are where
    the element starts in the registers of its signature, -1 if it has no place there."""

    __slots__ = ("number", "name", "component", "kind", "indices", "mode", "rows", "columns", "row", "column")

    def __init__(self, number: int, name: str) -> None:
        self.number = number
        self.name = name
        self.component = 0
        self.kind = 0
        self.indices: list[int] = []
        self.mode = 0
        self.rows = 1
        self.columns = 1
        self.row = -1
        self.column = -1

    def label(self) -> str:
        """The semantic, with its number: TEXCOORD0."""
        return f"{self.name}{self.indices[0] if self.indices else 0}"


def elements_of(program: Program, entry: Operand | str | None) -> dict[int, Element]:
    """A signature's elements by their number."""
    elements: dict[int, Element] = {}
    for place in node_at(program, entry):
        node = node_at(program, place)
        if len(node) < 10:
            continue
        element = Element(number_at(node, 0), text_at(node, 1))
        element.component = number_at(node, 2)
        element.kind = number_at(node, 3)
        indices = node_at(program, node[4])
        element.indices = [number_at(indices, index) for index in range(len(indices))]
        element.mode = number_at(node, 5)
        element.rows = max(1, number_at(node, 6))
        element.columns = max(1, number_at(node, 7))
        element.row = number_at(node, 8)
        element.column = number_at(node, 9)
        elements[element.number] = element
    return elements
