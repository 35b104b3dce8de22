"""Where the parts of a type lie in memory that has no layout decorations: as in C.

    struct { uchar a; float3 v; uint b[2]; }      a at 0     v at 16, 16 bytes with its gap     b at 32, stride 4

A scalar is aligned to its size, a vector of 3 lies as one of 4. Source: OpenCL C 3.0, 6.3.5 "Alignment of Types".
"""

from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.sim.globals import Globals
from reknit.sim.layout import Layout
from reknit.sim.pointers import is_address_type


def natural_layout(globals: Globals, type: Instr) -> tuple[Layout, int, int] | None:
    """(layout, size with the gap behind it, alignment) of a type; None for one that is packed, or that memory of this
    kind doesn't hold. Types nest a few levels."""
    shape = globals.shape(type)
    if shape is None:
        return None
    if type.op in (op.TypeInt, op.TypeFloat) or is_address_type(type):
        size = shape.width // 8
        return Layout(shape, size, 0, [], []), size, size
    if type.op == op.TypeStruct:
        return natural_struct(globals, type)
    if type.op != op.TypeVector and type.op != op.TypeArray:
        return None
    element = natural_layout(globals, type.instr(0))
    if element is None:
        return None
    part, stride, alignment = element
    layout = Layout(shape, (shape.count - 1) * stride + part.size, stride, [], [part])
    if type.op == op.TypeArray:
        return layout, shape.count * stride, alignment
    whole = stride * (1 << (shape.count - 1).bit_length())
    return layout, whole, whole


def natural_struct(globals: Globals, type: Instr) -> tuple[Layout, int, int] | None:
    shape = globals.shape(type)
    if shape is None or globals.decorations.has(type, enums.DecorationCPacked):
        return None
    offsets: list[int] = []
    parts: list[Layout] = []
    end = 0  # of the last member, without the gap behind it
    after = 0
    widest = 1
    for member in range(len(type.operands)):
        inner = natural_layout(globals, type.instr(member))
        if inner is None:
            return None
        part, size, alignment = inner
        offset = -(-after // alignment) * alignment
        offsets.append(offset)
        parts.append(part)
        end = offset + part.size
        after = offset + size
        widest = max(widest, alignment)
    return Layout(shape, end, 0, offsets, parts), -(-after // widest) * widest, widest
