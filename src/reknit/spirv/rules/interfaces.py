"""What an entry point takes and gives: no two variables of its interface are the same built-in, or at one location.

OpEntryPoint Vertex %main "main" %a %b %c      %a and %b: Input, BuiltIn VertexIndex
                                               %c and another output: Location 1, each with all of its components
"""

from typing import Final, final

from reknit.ir import enums, op
from reknit.ir.opcodes import enum_name
from reknit.source.columns import i64
from reknit.spirv.rules.declarations import EntryPoint
from reknit.spirv.rules.subject import Subject
from reknit.spirv.words import word_at

DIRECTIONS: Final = {enums.StorageClassInput: "inputs", enums.StorageClassOutput: "outputs"}
_SHARING: Final = (
    enums.DecorationComponent,
    enums.DecorationIndex,
    enums.DecorationPatch,
    enums.DecorationPerPrimitiveEXT,
)
"""With one of these, two variables may have one location."""


@final
class _Marks:
    """By variable: its built-in, its location; and which may share one."""

    __slots__ = ("built_in", "location", "sharing")

    def __init__(self, case: Subject) -> None:
        self.built_in: dict[int, int] = {}
        self.location: dict[int, int] = {}
        self.sharing: set[int] = set()
        columns = case.columns
        row: i64 = 0
        end: i64 = case.facts.first_function
        while row < end:
            if columns.op[row] == op.Decorate and columns.size[row] >= 3:
                at: i64 = i64(columns.at[row])
                target = int(word_at(columns.data, at + 1))
                kind = int(word_at(columns.data, at + 2))
                if kind in _SHARING:
                    self.sharing.add(target)
                elif columns.size[row] == 4 and kind == enums.DecorationBuiltIn:
                    self.built_in[target] = int(word_at(columns.data, at + 3))
                elif columns.size[row] == 4 and kind == enums.DecorationLocation:
                    self.location[target] = int(word_at(columns.data, at + 3))
            row += 1


def interfaces_do_not_repeat(case: Subject) -> None:
    """D02: an entry point has one input and one output of a built-in, and of a location that components don't share
    (VUID-StandaloneSpirv-OpEntryPoint-09658, -09659, -08721, -08722)."""
    if not case.options.vulkan or not case.facts.entry_points:
        return
    marks = _Marks(case)
    if len(marks.built_in) + len(marks.location) > 1:
        for entry in case.facts.entry_points:
            _judge(case, entry, marks)


def _judge(case: Subject, entry: EntryPoint, marks: _Marks) -> None:
    columns = case.columns
    seen: dict[tuple[int, str, int], int] = {}
    for variable in _interface(case, entry):
        row = int(columns.definition[variable]) if 0 < variable < columns.bound else -1
        storage = int(case.flow.operand(row, 3)) if row >= 0 and columns.op[row] == op.Variable else -1
        if storage not in DIRECTIONS:
            continue
        if variable in marks.built_in:
            key = (storage, "BuiltIn", marks.built_in[variable])
        elif variable in marks.location and variable not in marks.sharing:
            key = (storage, "Location", marks.location[variable])
        else:
            continue
        other = seen.setdefault(key, variable)
        if other != variable:
            what = f"BuiltIn {enum_name('BuiltIn', key[2])}" if key[1] == "BuiltIn" else f"Location {key[2]}"
            message = f"{case.out.id(other)} and {case.out.id(variable)} are two {DIRECTIONS[storage]} of {what}"
            finding = case.out.add("D02", message, row, breaks=False)
            finding.notes.append(("the entry point that has both is declared here", entry.row))


def _interface(case: Subject, entry: EntryPoint) -> list[int]:
    """The ids after an entry point's name."""
    columns = case.columns
    at: i64 = i64(columns.at[entry.row])
    end: i64 = at + i64(columns.size[entry.row])
    word: i64 = at + 3
    while word < end and not _ends_text(word_at(columns.data, word)):
        word += 1
    ids: list[int] = []
    word += 1
    while word < end:
        ids.append(int(word_at(columns.data, word)))
        word += 1
    return ids


def _ends_text(word: i64) -> bool:
    """Whether one of the four bytes is 0."""
    return any((int(word) >> shift) & 0xFF == 0 for shift in (0, 8, 16, 24))
