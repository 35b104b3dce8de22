"""The column of an operation of which only the line is known, in GLSL: where its built-in function is called.

    data[i] = 1 + subgroupAdd(1u);       OpGroupNonUniformIAdd, Reduce  ──▶  the place of `subgroupAdd`

Names are those of GL_KHR_shader_subgroup, the older forms in GL_ARB_shader_ballot and _group_vote, and GLSL 4.60, 8.
Where the line has several calls that the operation may be, or none, it stays the line.
"""

from typing import Final

from reknit.files.streams import lines_of
from reknit.ir import opcodes
from reknit.ir.instr import Instr
from reknit.source.pattern import pattern
from reknit.source.place import Place

_SUBGROUP: Final = pattern(
    r"\b(?:subgroup(?!\w*Barrier)\w+|readInvocationARB|readFirstInvocationARB|ballotARB|(?:any|all)Invocations?\w*)(?=\s*\()"
)
_QUAD: Final = pattern(r"\bsubgroupQuad\w+(?=\s*\()")
_BARRIER: Final = pattern(r"\b(?:barrier|subgroupBarrier|controlBarrier)(?=\s*\()")
_DERIVATIVE: Final = pattern(r"\b(?:dFd[xy]|fwidth)(?:Fine|Coarse)?(?=\s*\()")
_IMAGE: Final = pattern(r"\b(?:texture|sparseTexture|shadow)\w*(?=\s*\()")
_KINDS: Final = (
    ("GroupNonUniformQuad", _QUAD),
    ("Group", _SUBGROUP),
    ("Subgroup", _SUBGROUP),
    ("ControlBarrier", _BARRIER),
    ("DP", _DERIVATIVE),
    ("Fwidth", _DERIVATIVE),
    ("Image", _IMAGE),
)
"""By how an opcode begins."""
LIKE: Final = (
    "Elect", "Any", "All", "AllEqual", "Broadcast", "BroadcastFirst", "Ballot", "InverseBallot", "Shuffle",
    "ShuffleXor", "ShuffleUp", "ShuffleDown",
)  # fmt: skip
"""Opcodes whose function is called as they are, behind GroupNonUniform and subgroup."""


def with_column(place: Place, instr: Instr) -> Place:
    """The place of the call in its line; else the same."""
    info = opcodes.info(instr.op)
    lines = lines_of(place.file)
    if info is None or place.line > len(lines):
        return place
    calls = next((kind for start, kind in _KINDS if info.name.startswith(start)), None)
    matches = list(calls.finditer(lines[place.line - 1].partition("//")[0])) if calls is not None else []
    name = info.name.removeprefix("GroupNonUniform")
    if len(matches) > 1 and name in LIKE:
        matches = [match for match in matches if match[0] == f"subgroup{name}"]
    if len(matches) != 1:
        return place
    return Place(place.file, place.line, matches[0].start() + 1, len(matches[0][0]))
