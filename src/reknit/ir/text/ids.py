"""Ids that the names don't give: kept so that writing SPIR-V after a trip through text gives the same bytes.

    %12 = ...                      gives its id
    ids 13 %gid u32 vec3<u32> @f   these four have the ids 13, 14, 15 and 16
"""

from reknit.ir.text.line import Writer
from reknit.ir.value import Value

LINE_WIDTH = 110


def id_lines(writer: Writer, values: list[Value]) -> list[str]:
    """The `ids` lines of those `values` whose text doesn't give their id."""
    numbered: list[tuple[int, str]] = []
    for value in values:
        if value.id != 0:
            text = writer.value(value)
            if text not in (f"%{value.id}", f"@{value.id}"):  # nor `u32`, whose id may be 32
                numbered.append((value.id, text))
    numbered.sort()
    lines: list[str] = []
    line = ""
    following = -1
    for number, text in numbered:
        if number != following or len(line) > LINE_WIDTH:
            if line:
                lines.append(line)
            line = f"ids {number}"
        line += " " + text
        following = number + 1
    if line:
        lines.append(line)
    return lines
