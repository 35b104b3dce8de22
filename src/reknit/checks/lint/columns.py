"""The column of an operation of which only the line is known, in GLSL: where its built-in function is called.

    data[i] = 1 + subgroupAdd(1u);       OpGroupNonUniformIAdd, Reduce  ──▶  the place of `subgroupAdd`

Names are those of GL_KHR_shader_subgroup, the older forms in GL_ARB_shader_ballot and _group_vote, and GLSL 4.60, 8.
Where the line has several calls that the operation may be, or none, it stays the line.
"""

import re
from typing import Final

from reknit.ir import op, opcodes
from reknit.ir.instr import Instr
from reknit.ir.traits import TANGLED
from reknit.source.place import Place
from reknit.source.render import LinesOf

_SUBGROUP: Final = re.compile(
    r"\b(?:subgroup(?!\w*Barrier)\w+|readInvocationARB|readFirstInvocationARB|ballotARB|(?:any|all)Invocations?\w*)(?=\s*\()"
)
_QUAD: Final = re.compile(
    r"\b(?:subgroupQuad\w+|(?:dFd[xy]|fwidth)(?:Fine|Coarse)?|(?:texture|sparseTexture|shadow)\w*)(?=\s*\()"
)
_BARRIER: Final = re.compile(r"\b(?:barrier|subgroupBarrier|controlBarrier)(?=\s*\()")


def with_column(place: Place, instr: Instr, lines_of: LinesOf) -> Place:
    """The place of the call in its line; else the same. `lines_of` gives the lines of a file."""
    info = opcodes.info(instr.op)
    lines = lines_of(place.file)
    if info is None or place.line > len(lines):
        return place
    calls = _BARRIER if instr.op == op.ControlBarrier else _QUAD if TANGLED.get(instr.op) == "quad" else _SUBGROUP
    matches = list(calls.finditer(lines[place.line - 1].partition("//")[0]))
    if len(matches) > 1:
        called = f"subgroup{info.name.removeprefix('GroupNonUniform')}"
        matches = [match for match in matches if match[0] == called]
    if len(matches) != 1:
        return place
    return Place(place.file, place.line, matches[0].start() + 1, len(matches[0][0]))
