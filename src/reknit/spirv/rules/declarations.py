"""What the module declares before its functions, and which functions its entry points reach.

OpCapability, OpExtension, OpMemoryModel, OpEntryPoint, OpExecutionMode ──▶ Facts
OpFunctionCall ──▶ calls[function] ──▶ reached(entry points) ──▶ a flag for each function
"""

from typing import Final, final

from reknit.ir import enums, op
from reknit.ir.opcodes import with_implied
from reknit.source.columns import i64
from reknit.spirv.words import Columns, word_at

NONE: Final = -1
DEBUG_SETS: Final = ("DebugInfo", "OpenCL.DebugInfo.100")
OF_THEMSELVES: Final = frozenset(
    (enums.CapabilityShader, enums.CapabilityMatrix, enums.CapabilityKernel, enums.CapabilityLinkage)
)
"""Capabilities that imply nothing that matters here: asking costs reading the grammar."""


@final
class EntryPoint:
    """One OpEntryPoint: its execution model, its function's number (NONE if that is no function), its name."""

    __slots__ = ("model", "function", "row", "modes")

    def __init__(self, model: int, function: int, row: int) -> None:
        self.model = model
        self.function = function
        self.row = row
        self.modes: list[tuple[int, int]] = []  # (execution mode, row)

    def has(self, mode: int) -> bool:
        return any(known == mode for known, _ in self.modes)


@final
class Facts:
    """`shader`: whether control flow has to be structured (SPIR-V 1.6, 2.16.2). `version` is 0x00010600 for 1.6."""

    __slots__ = (
        "columns", "version", "declared", "capabilities", "extensions", "shader", "logical", "entry_points", "calls",
        "first_function", "debug_sets",
    )  # fmt: skip

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.version: int = columns.version
        self.declared: list[tuple[int, int]] = []  # (capability, row)
        self.extensions: set[str] = set()
        self.debug_sets: set[int] = set()  # ids of debug information sets that functions may start with
        self.logical = False
        self.entry_points: list[EntryPoint] = []
        self.first_function = len(columns.op)
        self._read()
        self.capabilities = _implied([value for value, _ in self.declared])
        self.shader = enums.CapabilityShader in self.capabilities
        self.calls: list[list[int]] | None = None

    def _read(self) -> None:
        columns = self.columns
        by_function: dict[int, list[EntryPoint]] = {}
        for row in range(len(columns.op)):
            code = int(columns.op[row])
            if code == op.Function:
                self.first_function = row
                return
            if code == op.Capability:
                self.declared.append((_word(columns, row, 1), row))
            elif code == op.Extension:
                self.extensions.add(_text(columns, row, 1))
            elif code == op.ExtInstImport:
                if _text(columns, row, 2) in DEBUG_SETS:
                    self.debug_sets.add(int(columns.result[row]))
            elif code == op.MemoryModel:
                self.logical = _word(columns, row, 1) == enums.AddressingModelLogical
            elif code == op.EntryPoint:
                function = _word(columns, row, 2)
                entry_point = EntryPoint(_word(columns, row, 1), self.function_of(function), row)
                self.entry_points.append(entry_point)
                by_function.setdefault(function, []).append(entry_point)
            elif code == op.ExecutionMode or code == op.ExecutionModeId:
                for entry in by_function.get(_word(columns, row, 1), []):
                    entry.modes.append((_word(columns, row, 2), row))

    def function_of(self, number: int) -> int:
        """The number of the function with this id, or NONE."""
        columns = self.columns
        if not 0 < number < columns.bound:
            return NONE
        row = int(columns.definition[number])
        return int(columns.function[row]) if row >= 0 and columns.op[row] == op.Function else NONE

    def reached(self, entry_points: list[EntryPoint]) -> list[bool]:
        """By function: whether it is in the static call tree of one of the entry points."""
        calls = self.called()
        reached = [False] * len(calls)
        work = [entry_point.function for entry_point in entry_points if entry_point.function >= 0]
        while work:
            function = work.pop()
            if not reached[function]:
                reached[function] = True
                work.extend(calls[function])
        return reached

    def called(self) -> list[list[int]]:
        """By function: the functions that it calls, with repetitions."""
        known = self.calls
        if known is not None:
            return known
        columns = self.columns
        callees: list[list[int]] = [[] for _ in range(len(columns.functions))]
        row: i64 = self.first_function
        rows: i64 = len(columns.op)
        while row < rows:
            if columns.op[row] == op.FunctionCall and columns.size[row] > 3:
                callee = self.function_of(int(word_at(columns.data, i64(columns.at[row]) + 3)))
                caller = int(columns.function[row])
                if callee >= 0 and caller >= 0:
                    callees[caller].append(callee)
            row += 1
        self.calls = callees
        return callees


def _word(columns: Columns, row: int, place: int) -> int:
    """A word counted from the opcode; 0 past the end."""
    if place >= columns.size[row]:
        return 0
    return int(word_at(columns.data, i64(columns.at[row]) + place))


def _text(columns: Columns, row: int, place: int) -> str:
    start = 4 * (int(columns.at[row]) + place)
    raw = columns.data[start : 4 * (int(columns.at[row]) + int(columns.size[row]))]
    return raw.split(b"\0", 1)[0].decode("utf-8", "replace")


def _implied(declared: list[int]) -> frozenset[int]:
    if OF_THEMSELVES.issuperset(declared):
        return frozenset(declared)
    return frozenset(with_implied(declared))
