"""The control flow of a whole module in columns, as its words say it: the graph that the rules judge.

    rows ──▶ block: function, terminator, merge instruction ──▶ successors of block b: targets[starts[b]:starts[b + 1]]
                                                                 structural ones: merge block and continue target first

Blocks are numbered as they stand in the module, over all functions; edges never leave a function. Where a row does not
fit (an operand that is no label of the function, a block without an end) the edge is left out and `misfits` says so:
the rules about labels and layout report it.
"""

from typing import Final, final

from reknit.ir import op, traits
from reknit.ir.flat_graph import filled
from reknit.source.columns import append, i32, i64, read_i32_le, vec
from reknit.spirv.words import Columns, is_terminator, word_at

NONE: Final = -1

NO_LABEL: Final = 0  # a branch operand is no label of this function
OUTSIDE: Final = 1  # an instruction stands outside of a block
NO_END: Final = 2  # a block has no terminator
UNCLOSED: Final = 3  # a function has no OpFunctionEnd
NESTED: Final = 4  # an OpFunction stands within a function
STRAY_END: Final = 5  # an OpFunctionEnd without a function

_IN_HEAD: Final = (op.FunctionParameter, op.FunctionEnd)


@final
class Misfit:
    """A row that is not where, or what, it has to be; `operand` the id at fault."""

    __slots__ = ("kind", "row", "operand")

    def __init__(self, kind: int, row: int, operand: int) -> None:
        self.kind = kind
        self.row = row
        self.operand = operand


@final
class Flow:
    """By block: `function`, `last` (row of the terminator), `merge_row` (row of the merge instruction before it),
    `merge` and `continues` (blocks that it declares); NONE where there is none. By function: `first[f]:first[f + 1]`
    are its blocks. `starts` and `targets` are the real successors in the order of the operands, with repetitions;
    `outs` and `ends` the structural ones."""

    __slots__ = (
        "columns", "count", "function", "last", "merge_row", "merge", "continues", "first", "starts", "targets", "outs",
        "ends", "misfits",
    )  # fmt: skip

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.count: i64 = len(columns.labels)
        count: i64 = self.count
        self.function: vec[i64] = filled(count, NONE)
        self.last: vec[i64] = filled(count, NONE)
        self.merge_row: vec[i64] = filled(count, NONE)
        self.merge: vec[i64] = filled(count, NONE)
        self.continues: vec[i64] = filled(count, NONE)
        self.first: vec[i64] = vec[i64]()
        self.starts: vec[i64] = vec[i64]()
        self.targets: vec[i64] = vec[i64]()
        self.outs: vec[i64] = vec[i64]()
        self.ends: vec[i64] = vec[i64]()
        self.misfits: list[Misfit] = []
        self._blocks()
        self._edges()

    def _blocks(self) -> None:
        """Which rows are which block's, and what stands where it can't."""
        columns = self.columns
        ops = columns.op
        in_block = columns.block
        rows: i64 = len(ops)
        row: i64 = 0
        current: i64 = NONE
        function: i64 = NONE
        blocks: i64 = 0
        first = vec[i64](capacity=len(columns.functions) + 1)
        while row < rows:
            code: i32 = ops[row]
            if code == op.Function:
                if current >= 0:
                    self.misfits.append(Misfit(NO_END, int(columns.labels[current]), 0))
                if function >= 0:
                    self.misfits.append(Misfit(NESTED, int(row), 0))
                function = len(first)
                first = append(first, blocks)
                current = NONE
            elif code == op.Label:
                if current >= 0:
                    self.misfits.append(Misfit(NO_END, int(columns.labels[current]), 0))
                current = blocks
                blocks += 1
                self.function[current] = function
                if function < 0:
                    self.misfits.append(Misfit(OUTSIDE, int(row), 0))
            elif code == op.FunctionEnd:
                if current >= 0:
                    self.misfits.append(Misfit(NO_END, int(columns.labels[current]), 0))
                if function < 0:
                    self.misfits.append(Misfit(STRAY_END, int(row), 0))
                function = NONE
                current = NONE
            elif in_block[row] < 0:
                if is_terminator(code) or (function >= 0 and code not in _IN_HEAD and code not in traits.AROUND_BLOCKS):
                    self.misfits.append(Misfit(OUTSIDE, int(row), 0))
            elif (row + 1 == rows or in_block[row + 1] != in_block[row]) and is_terminator(code):
                self.last[current] = row
                before: i64 = row - 1
                if ops[before] == op.SelectionMerge or ops[before] == op.LoopMerge:
                    self.merge_row[current] = before
                current = NONE
            row += 1
        if current >= 0:
            self.misfits.append(Misfit(NO_END, int(columns.labels[current]), 0))
        if function >= 0:
            self.misfits.append(Misfit(UNCLOSED, int(columns.functions[function]), 0))
        self.first = append(first, blocks)

    def _edges(self) -> None:
        columns = self.columns
        ops = columns.op
        data = columns.data
        count = self.count
        starts = vec[i64](capacity=count + 1)
        targets = vec[i64](capacity=2 * count)
        outs = vec[i64](capacity=count + 1)
        ends = vec[i64](capacity=3 * count)
        block: i64 = 0
        target: i64 = 0
        while block < count:
            starts = append(starts, len(targets))
            outs = append(outs, len(ends))
            row: i64 = self.last[block]
            declared: i64 = self.merge_row[block]
            if declared >= 0 and self.function[block] >= 0:
                at: i64 = i64(columns.at[declared])
                size: i64 = i64(columns.size[declared])
                if size > 1:
                    target = self.local(block, declared, i64(read_i32_le(data, 4 * at + 4)))
                    self.merge[block] = target
                    if target >= 0:
                        ends = append(ends, target)
                if ops[declared] == op.LoopMerge and size > 2:
                    target = self.local(block, declared, i64(read_i32_le(data, 4 * at + 8)))
                    self.continues[block] = target
                    if target >= 0:
                        ends = append(ends, target)
            if row >= 0 and self.function[block] >= 0:
                code: i32 = ops[row]
                if code == op.Branch or code == op.BranchConditional or code == op.Switch:
                    word: i64 = i64(columns.at[row]) + (1 if code == op.Branch else 2)
                    end: i64 = i64(columns.at[row]) + i64(columns.size[row])
                    step: i64 = 1
                    if code == op.BranchConditional and end > word + 2:
                        end = word + 2  # weights follow
                    elif code == op.Switch:
                        step = 1 + self.literal_words(row)
                    while word < end:
                        target = self.local(block, row, i64(read_i32_le(data, 4 * word)))
                        if target >= 0:
                            targets = append(targets, target)
                            ends = append(ends, target)
                        word += step
            block += 1
        self.starts = append(starts, len(targets))
        self.targets = targets
        self.outs = append(outs, len(ends))
        self.ends = ends

    def local(self, block: i64, row: i64, label: i64) -> i64:
        """The block of a label in the same function; NONE, and a misfit, where it is none."""
        columns = self.columns
        if label > 0 and label < columns.bound:
            defined: i64 = i64(columns.definition[label])
            if defined >= 0 and columns.op[defined] == op.Label:
                target: i64 = i64(columns.block[defined])
                if self.function[target] == self.function[block]:
                    return target
        self.misfits.append(Misfit(NO_LABEL, int(row), int(label & 0xFFFFFFFF)))
        return NONE

    def literal_words(self, row: i64) -> i64:
        """How many words a literal of this OpSwitch takes: two where the selector is wider than 32 bits."""
        columns = self.columns
        if i64(columns.size[row]) < 2:
            return 1
        kind = self.type_row(word_at(columns.data, i64(columns.at[row]) + 1))
        if kind >= 0 and columns.op[kind] == op.TypeInt and columns.size[kind] > 2:
            return 2 if word_at(columns.data, i64(columns.at[kind]) + 2) > 32 else 1
        return 1

    def type_row(self, value: i64) -> i64:
        """The row of a value's type; NONE for what is not defined or has none."""
        columns = self.columns
        if value <= 0 or value >= columns.bound:
            return NONE
        defined: i64 = i64(columns.definition[value])
        if defined < 0 or columns.type[defined] == 0 or columns.op[defined] == op.Function:
            return NONE  # a function's type is that of what it returns
        return i64(columns.definition[i64(columns.type[defined])])

    def operand(self, row: i64, place: i64) -> i64:
        """A word of an instruction, counted from its opcode; 0 past its end."""
        columns = self.columns
        if place >= i64(columns.size[row]):
            return 0
        return word_at(columns.data, i64(columns.at[row]) + place)

    def label_row(self, block: i64) -> i64:
        return i64(self.columns.labels[block])
