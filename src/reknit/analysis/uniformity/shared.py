"""Loads of the workgroup's memory beside which no invocation stores there: between the same two barriers, on no path.

    if %first { Store %shared %x }        the interval before the barrier
    barrier
    %y = Load %shared                     all read the same: no store to %shared is in this interval
    if %y { return }
    barrier

All invocations of a workgroup execute the same barriers in the same order. Two that execute a load together have
executed as many of them, so what one finds and the other doesn't was stored in the interval of the load: by an
invocation that comes by a store before the load or after it without a barrier between, or that a branch sent to the
store instead. The branches that could are `choices`; the load is the same if they are the same for the whole workgroup.
Calls go by summary; a function is entered from every call. A store that surely goes to another piece of the variable
(`pieces`) is none: `s[7]` is the same beside a store to `s[i]` where i is less than 7.
Sources: SPIR-V 1.6, OpControlBarrier; 2.2.5 "Dynamically Uniform".
"""

from typing import ClassVar, Final, final

from reknit.analysis.callgraph import CallGraph, called, callees_first, dynamically_called, exported_functions
from reknit.analysis.decorations import Decorations
from reknit.analysis.manager import Analyses, ModuleAnalysis
from reknit.analysis.order import Order
from reknit.analysis.uniformity.objects import is_volatile, root_of
from reknit.analysis.uniformity.pieces import Piece, Pieces
from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.constants import as_int
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.module import Module
from reknit.ir.types import storage_of
from reknit.ir.value import Value
from reknit.source.meter import spend

STEPS: Final = 64  # walks from loads and stores may take this many steps a block, all together; those by piece as many
MAX_PIECES: Final = 16  # of a variable that a function stores, before it counts as a whole

_ORDERS: Final = (
    enums.MemorySemanticsAcquire
    | enums.MemorySemanticsRelease
    | enums.MemorySemanticsAcquireRelease
    | enums.MemorySemanticsSequentiallyConsistent
)


@final
class SharedLoads(ModuleAnalysis):
    """`loads` are the loads of shared memory."""

    name: ClassVar[str] = "shared-loads"

    def __init__(self, module: Module, analyses: Analyses) -> None:
        variables = _followed(module, analyses.of_module(Decorations))
        self._intervals = _Intervals(module, analyses, variables) if variables else None
        self._choices: dict[Value, list[int] | None] = {}
        self.loads: dict[Value, None] = dict.fromkeys(self._intervals.loads if self._intervals is not None else ())

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "SharedLoads":
        return SharedLoads(module, analyses)

    def choices(self, load: Instr) -> list[int] | None:
        """The numbers of the blocks whose branches have to send the whole workgroup one way, so that no store is beside
        a load; None where there may be one."""
        if self._intervals is not None and load not in self._choices:
            self._choices[load] = self._intervals.choices(load)
        return self._choices.get(load)

    def same_as(self, other: ModuleAnalysis) -> bool:
        return isinstance(other, SharedLoads) and list(self.loads) == list(other.loads)


def _followed(module: Module, decorations: Decorations) -> dict[Value, None]:
    variables: dict[Value, None] = {}
    for variable in module.globals:
        if variable.op == op.Variable and variable.operands[0] == enums.StorageClassWorkgroup:
            said = decorations.of(variable)
            if enums.DecorationAliased not in said and enums.DecorationVolatile not in said:
                variables[variable] = None
    return variables


def _is_barrier(instr: Instr) -> bool:
    if instr.op != op.ControlBarrier or as_int(instr.value(0)) != enums.ScopeWorkgroup:
        return False
    semantics = as_int(instr.value(2)) or 0
    return bool(semantics & enums.MemorySemanticsWorkgroupMemory) and bool(semantics & _ORDERS)


@final
class _Through:
    """What a call does to an interval: whether control comes through it without a barrier (`passes`), and what is
    stored before the first barrier in it and after the last."""

    __slots__ = ("passes", "first", "last")

    def __init__(self, passes: bool, first: list[Piece], last: list[Piece]) -> None:
        self.passes = passes
        self.first = first
        self.last = last


Positions = list[tuple[Block, Instr | None]]


@final
class _Intervals:
    """Of all functions. `unknown` ones may be entered by code that isn't seen."""

    __slots__ = (
        "analyses", "variables", "pieces", "everything", "unknown", "sites", "through", "loads", "left",
        "left_by_piece", "_before", "_stores", "_written",
    )  # fmt: skip

    def __init__(self, module: Module, analyses: Analyses, variables: dict[Value, None]) -> None:
        self.analyses = analyses
        self.variables = variables
        self.pieces = Pieces(analyses)
        self.everything: list[Piece] = [self.pieces.whole(variable) for variable in variables]
        graph = analyses.of_module(CallGraph)
        self.unknown = {**exported_functions(module), **dynamically_called(module)}
        if not graph.entry_points:
            self.unknown.update(dict.fromkeys(each for each in module.functions if not graph.callers[each]))
        self.sites: dict[Function, list[Instr]] = {function: [] for function in module.functions}
        self.through: dict[Function, _Through] = {}
        self.loads: list[Instr] = []
        self._before: dict[tuple[Function, Piece], dict[int, None]] = {}
        self._stores: dict[Function, list[tuple[Block, Instr]]] = {}
        self._written: dict[Instr, list[Piece]] = {}
        self.left = 1000
        order, recursive = callees_first(graph)
        for function in order:
            if function.is_declaration() or function in recursive:
                self.through[function] = _Through(True, self.everything, self.everything)
            else:
                self.through[function] = self._summary(function)
            for block in self._order(function).blocks if not function.is_declaration() else ():
                self.left += STEPS
                for instr in block:
                    callee = called(instr)
                    if callee is not None:
                        self.sites[callee].append(instr)
                    elif instr.op == op.Load and not is_volatile(instr, 1) and root_of(instr.value(0)) in variables:
                        self.loads.append(instr)
        self.left_by_piece = self.left

    def _order(self, function: Function) -> Order:
        return self.analyses.ask(Order, function)

    def _summary(self, function: Function) -> _Through:
        order = self._order(function)
        first: dict[Piece, None] = {}
        last: dict[Piece, None] = {}
        passes = False
        starts: Positions = [(function.entry(), function.entry().first)]
        for block in self._forwards(order, starts, first):
            passes = passes or _returns(block)
        returning: Positions = [(block, block.last) for block in order.blocks if _returns(block)]
        self._backwards(order, returning, last)
        return _Through(passes, self._few(first), self._few(last))

    def _few(self, stored: dict[Piece, None]) -> list[Piece]:
        """The same of each variable as a whole, where there are many pieces of it."""
        counts: dict[Value, int] = {}
        for piece in stored:
            counts[piece.variable] = counts.get(piece.variable, 0) + 1
        few: dict[Piece, None] = {}
        for piece in stored:
            few[piece if counts[piece.variable] <= MAX_PIECES else self.pieces.whole(piece.variable)] = None
        return list(few)

    def _stored(self, instr: Instr, first: bool) -> list[Piece]:
        """What an instruction may store to; a call before its first barrier, or after its last."""
        callee = called(instr)
        if callee is not None:
            through = self.through.get(callee)
            return self.everything if through is None else through.first if first else through.last
        if instr.op == op.CallDynamic:
            return self.everything
        if instr.op in traits.KEEPS_MEMORY:
            return []
        written = self._written.get(instr)
        if written is None:
            written = self._written_by(instr)
            if written:
                self._written[instr] = written
        return written

    def _written_by(self, instr: Instr) -> list[Piece]:
        written: list[Piece] = []
        for operand in instr.operands:
            type = operand.type if isinstance(operand, Instr) else None
            if type is None or type.op != op.TypePointer or storage_of(type) != enums.StorageClassWorkgroup:
                continue
            assert isinstance(operand, Instr)
            root = root_of(operand)
            if root in self.variables:
                written.append(self.pieces.written(instr, operand, root))
            elif not (isinstance(root, Instr) and root.op == op.Variable):
                return self.everything
        return written

    def _stops(self, instr: Instr) -> bool:
        callee = called(instr)
        through = self.through.get(callee) if callee is not None else None
        return not through.passes if through is not None else _is_barrier(instr)

    def _forwards(self, order: Order, work: Positions, stored: dict[Piece, None]) -> list[Block]:
        """From some places on: notes what is stored before a barrier, gives the blocks to whose ends control comes."""
        ends: dict[Block, None] = {}
        while work:
            self.left -= 1
            spend(1)
            here, instr = work.pop()
            while instr is not None and not _is_barrier(instr):
                stored.update(dict.fromkeys(self._stored(instr, True)))
                if self._stops(instr):
                    break
                instr = instr.next
            if instr is None and here not in ends:
                ends[here] = None
                for target in order.successors[order.number[here]]:
                    block = order.blocks[target]
                    if block not in ends:
                        work.append((block, block.first))
        return list(ends)

    def _backwards(self, order: Order, work: Positions, stored: dict[Piece, None]) -> tuple[dict[int, None], bool]:
        """The same backwards: the blocks from whose ends control comes, and whether it is the function's start."""
        sources: dict[int, None] = {}
        begins = False
        while work:
            self.left -= 1
            spend(1)
            here, instr = work.pop()
            while instr is not None and not _is_barrier(instr):
                stored.update(dict.fromkeys(self._stored(instr, False)))
                if self._stops(instr):
                    break
                if called(instr) is not None:  # a branch in there may lead to a store instead
                    stored.update(dict.fromkeys(self._stored(instr, True)))
                instr = instr.prev
            if instr is None:
                number = order.number[here]
                begins = begins or number == 0
                for source in order.predecessors[number]:
                    if source not in sources and order.reached[source]:
                        sources[source] = None
                        work.append((order.blocks[source], order.blocks[source].last))
        return sources, begins

    def choices(self, load: Instr) -> list[int] | None:
        """The branches by which a store may be beside a load; None where one is on the way, or too far to look."""
        variable = root_of(load.value(0))
        whole = self.pieces.whole(variable)
        choices = self._choices(load, whole)
        if choices is not None and not choices:
            return choices
        piece = self.pieces.read(load, variable)
        if piece is whole:
            return choices
        self.left, self.left_by_piece = self.left_by_piece, self.left
        fewer = self._choices(load, piece)
        self.left, self.left_by_piece = self.left_by_piece, self.left
        return fewer if fewer is not None else choices

    def _choices(self, load: Instr, piece: Piece) -> list[int] | None:
        """The same of stores that meet a piece, which is what is loaded or more."""
        block = load.block
        if block is None or block.function is None:
            return None
        own = block.function
        choices: list[int] = []
        before: dict[Instr, None] = {load: None}  # the load, and calls that lead to it: what is before them
        after: dict[Instr, None] = {load: None}
        work: list[tuple[Instr, bool]] = [(load, True), (load, False)]
        while work:
            place, back = work.pop()
            here = place.block
            if here is None or here.function is None or self.left < 0:
                return None
            function = here.function
            order = self._order(function)
            stored: dict[Piece, None] = {}
            if back:
                sources, leaves = self._backwards(order, [(here, place.prev)], stored)
                stores = self._before_stores(function, piece)
                for number in sorted(sources):
                    if number in stores and len(order.successors[number]) > 1:
                        if function is not own:
                            return None  # a branch of a caller: what it goes by isn't known here
                        choices.append(number)
            else:
                leaves = any(_returns(each) for each in self._forwards(order, [(here, place.next)], stored))
            if _meets(piece, list(stored)) or (leaves and function in self.unknown):
                return None
            seen = before if back else after
            for call in self.sites[function] if leaves else ():
                if call not in seen:
                    seen[call] = None
                    work.append((call, back))
        return choices

    def _before_stores(self, function: Function, piece: Piece) -> dict[int, None]:
        """The blocks from whose end control comes to a store without a barrier."""
        key = (function, piece)
        if key not in self._before:
            order = self._order(function)
            starts: Positions = []
            for block, instr in self._all_stores(function, order):
                self.left -= 1
                if _meets(piece, self._stored(instr, True)):
                    starts.append((block, instr.prev))
            self._before[key], _ = self._backwards(order, starts, {})
        return self._before[key]

    def _all_stores(self, function: Function, order: Order) -> list[tuple[Block, Instr]]:
        if function not in self._stores:
            stores: list[tuple[Block, Instr]] = []
            for number, block in enumerate(order.blocks):
                if order.reached[number]:
                    stores.extend((block, instr) for instr in block if self._stored(instr, True))
            self._stores[function] = stores
        return self._stores[function]


def _meets(piece: Piece, stored: list[Piece]) -> bool:
    return any(each.meets(piece) for each in stored)


def _returns(block: Block) -> bool:
    jump = block.jump
    return isinstance(jump, Exit) and (jump.instr.op == op.Return or jump.instr.op == op.ReturnValue)
