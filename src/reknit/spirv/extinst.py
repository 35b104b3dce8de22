"""Which extended instruction set an id stands for.

%1 = OpExtInstImport "GLSL.std.450"          imports(columns)[1] == "GLSL.std.450"
%9 = OpExtInst %float %1 Sqrt %x             set_of(columns, row) == "GLSL.std.450"
"""

from reknit.ir import op
from reknit.ir.operands import string_at
from reknit.spirv.words import Columns, words_of


def imports(columns: Columns) -> dict[int, str]:
    """Id of each OpExtInstImport -> the name of its set, in the order of the module."""
    names: dict[int, str] = {}
    for row, code in enumerate(columns.op):
        if code == op.ExtInstImport:
            words = words_of(columns, row)
            names[columns.result[row]] = string_at(words, 0, len(words))
        elif code == op.Function:
            break
    return names


def set_of(columns: Columns, row: int) -> str:
    """The set that an OpExtInst takes its instruction from; "" where its set id is no import."""
    words = words_of(columns, row)
    if not words or words[0] >= len(columns.definition):
        return ""
    source = int(columns.definition[words[0]])
    if source < 0 or columns.op[source] != op.ExtInstImport:
        return ""
    name = words_of(columns, source)
    return string_at(name, 0, len(name))
