"""Loads of the workgroup's memory beside which no invocation stores: between the same two barriers, on no path.

    if %first { Store %shared %x }        the interval before the barrier
    barrier
    %y = Load %shared                     all read the same: no store to %shared is in this interval
    if %y { return }
    barrier

All invocations of a workgroup execute the same barriers in the same order. Two that execute a load together have
executed as many of them, so what one finds and the other doesn't was stored in the interval of the load: by an
invocation that comes by a store before the load or after it without a barrier between, or that a branch sent to the
store instead. The branches that could are `choices`; the load is the same if they are the same for the whole workgroup.
Sources: SPIR-V 1.6, OpControlBarrier; 2.2.5 "Dynamically Uniform".
"""

from typing import ClassVar, Final, final

from reknit.analysis.callgraph import CallGraph, called, callees_first
from reknit.analysis.decorations import Decorations
from reknit.analysis.manager import Analyses, ModuleAnalysis
from reknit.analysis.order import Order
from reknit.analysis.uniformity.objects import is_volatile, root_of
from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.constants import as_int
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.module import Module
from reknit.ir.types import storage_of
from reknit.ir.value import Value
from reknit.ir.walk import instruction_list
from reknit.source.meter import spend

_ORDERS: Final = (
    enums.MemorySemanticsAcquire
    | enums.MemorySemanticsRelease
    | enums.MemorySemanticsAcquireRelease
    | enums.MemorySemanticsSequentiallyConsistent
)


@final
class SharedLoads(ModuleAnalysis):
    """`choices` has, by load, the numbers of the blocks whose branches have to send the whole workgroup one way. Of
    loads that are not there nothing is known."""

    name: ClassVar[str] = "shared-loads"

    def __init__(self) -> None:
        self.choices: dict[Value, list[int]] = {}

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "SharedLoads":
        shared = SharedLoads()
        variables = _followed(module, analyses.of_module(Decorations))
        if variables:
            graph = analyses.of_module(CallGraph)
            order, recursive = callees_first(graph)
            stored: dict[Function, dict[Value, None]] = {}
            for function in order:
                stored[function] = variables if function in recursive else _stored_by(function, variables, stored)
            for function in module.functions:
                alone = function in graph.entry_points
                loads = [] if function.is_declaration() else _loads(function, variables)
                if loads:
                    _Intervals(analyses.ask(Order, function), stored, alone).look_at(loads, shared.choices)
        return shared

    def same_as(self, other: ModuleAnalysis) -> bool:
        return isinstance(other, SharedLoads) and self.choices == other.choices


def _followed(module: Module, decorations: Decorations) -> dict[Value, None]:
    variables: dict[Value, None] = {}
    for variable in module.globals:
        if variable.op == op.Variable and variable.operands[0] == enums.StorageClassWorkgroup:
            said = decorations.of(variable)
            if enums.DecorationAliased not in said and enums.DecorationVolatile not in said:
                variables[variable] = None
    return variables


def _loads(function: Function, variables: dict[Value, None]) -> list[Instr]:
    return [
        instr
        for instr in instruction_list(function)
        if instr.op == op.Load and not is_volatile(instr, 1) and root_of(instr.value(0)) in variables
    ]


def _stored_by(
    function: Function, variables: dict[Value, None], stored: dict[Function, dict[Value, None]]
) -> dict[Value, None]:
    """The variables that a call to a function may store to."""
    if function.is_declaration():
        return variables
    reached: dict[Value, None] = {}
    for instr in instruction_list(function):
        reached.update(_stored_at(instr, variables, stored))
    return reached


def _stored_at(
    instr: Instr, variables: dict[Value, None], stored: dict[Function, dict[Value, None]]
) -> dict[Value, None]:
    callee = called(instr)
    reached: dict[Value, None] = dict(stored.get(callee, variables)) if callee is not None else {}
    if instr.op == op.CallDynamic:
        return variables
    if instr.op in traits.KEEPS_MEMORY:
        return reached
    for operand in instr.operands:
        type = operand.type if isinstance(operand, Instr) else None
        if type is None or type.op != op.TypePointer or storage_of(type) != enums.StorageClassWorkgroup:
            continue
        assert isinstance(operand, Instr)
        root = root_of(operand)
        if root in variables:
            reached[root] = None
        elif not (isinstance(root, Instr) and root.op == op.Variable):
            return variables
    return reached


def _is_barrier(instr: Instr) -> bool:
    if instr.op != op.ControlBarrier or as_int(instr.value(0)) != enums.ScopeWorkgroup:
        return False
    semantics = as_int(instr.value(2)) or 0
    return bool(semantics & enums.MemorySemanticsWorkgroupMemory) and bool(semantics & _ORDERS)


@final
class _Intervals:
    """`alone`: nothing is executed before the function's start and after its end."""

    __slots__ = ("order", "stored", "alone", "predecessors")

    def __init__(self, order: Order, stored: dict[Function, dict[Value, None]], alone: bool) -> None:
        self.order = order
        self.stored = stored
        self.alone = alone

    def look_at(self, loads: list[Instr], choices: dict[Value, list[int]]) -> None:
        before: dict[Value, dict[int, None] | None] = {}
        for load in loads:
            block = load.block
            if block is None or not self.order.reached[self.order.number[block]]:
                continue
            variable = root_of(load.value(0))
            if variable not in before:
                before[variable] = self._before_stores(variable)
            stores = before[variable]
            behind = self._before(load, block, variable)
            if behind is None or stores is None or not self._is_free_after(load, block, variable):
                continue
            choices[load] = [
                number for number in sorted(behind) if number in stores and len(self.order.successors[number]) > 1
            ]

    def _is_store(self, instr: Instr, variable: Value) -> bool:
        return variable in _stored_at(instr, {variable: None}, self.stored)

    def _before(self, load: Instr, block: Block, variable: Value) -> dict[int, None] | None:
        """The blocks from whose end control comes to a load without a barrier; None if a store is on the way."""
        sources: dict[int, None] = {}
        work: list[tuple[Block, Instr | None]] = [(block, load.prev)]
        while work:
            spend(1)
            here, instr = work.pop()
            while instr is not None and not _is_barrier(instr):
                if self._is_store(instr, variable):
                    return None
                instr = instr.prev
            if instr is None:
                number = self.order.number[here]
                if number == 0 and not self.alone:
                    return None
                for source in self.order.predecessors[number]:
                    if source not in sources and self.order.reached[source]:
                        sources[source] = None
                        work.append((self.order.blocks[source], self.order.blocks[source].last))
        return sources

    def _is_free_after(self, load: Instr, block: Block, variable: Value) -> bool:
        seen: dict[int, None] = {}
        work: list[tuple[Block, Instr | None]] = [(block, load.next)]
        while work:
            spend(1)
            here, instr = work.pop()
            while instr is not None and not _is_barrier(instr):
                if self._is_store(instr, variable):
                    return False
                instr = instr.next
            if instr is None:
                if isinstance(here.jump, Exit) and not self.alone:
                    return False
                for target in self.order.successors[self.order.number[here]]:
                    if target not in seen:
                        seen[target] = None
                        work.append((self.order.blocks[target], self.order.blocks[target].first))
        return True

    def _before_stores(self, variable: Value) -> dict[int, None]:
        """The blocks from whose end control comes to a store without a barrier."""
        sources: dict[int, None] = {}
        work: list[int] = []
        for number, block in enumerate(self.order.blocks):
            if self.order.reached[number] and self._stores_first(block, variable):
                work.append(number)
        while work:
            spend(1)
            for source in self.order.predecessors[work.pop()]:
                if source not in sources and self.order.reached[source]:
                    sources[source] = None
                    if not any(_is_barrier(instr) for instr in self.order.blocks[source]):
                        work.append(source)
        return sources

    def _stores_first(self, block: Block, variable: Value) -> bool:
        """Whether a block stores before it comes to a barrier."""
        for instr in block:
            if _is_barrier(instr):
                return False
            if self._is_store(instr, variable):
                return True
        return False
