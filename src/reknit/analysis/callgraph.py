"""Which functions call which.

main ──▶ blur ──▶ weight   callees(main) = [blur]  callers(weight) = [blur]  reachable(main) = [main, blur, weight]

A dynamic call counts as one of every function that witness tables have for the requirement it looks up.
"""

from typing import ClassVar, final

from reknit.analysis.manager import Analyses, ModuleAnalysis
from reknit.ir import enums, op
from reknit.ir.dispatch import dynamic_callees, is_taken
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.walk import instruction_list
from reknit.source.meter import spend


@final
class CallGraph(ModuleAnalysis):
    """Functions in module order; each callee and caller once, in the order of the first call. `dynamic`: some calls
    are; then an edit of any value can change what may be called."""

    name: ClassVar[str] = "call-graph"

    def __init__(
        self, callees: dict[Function, list[Function]], entry_points: list[Function], dynamic: bool = False
    ) -> None:
        self.callees = callees
        self.dynamic = dynamic
        self.callers: dict[Function, list[Function]] = {function: [] for function in callees}
        for caller, targets in callees.items():
            for target in targets:
                self.callers[target].append(caller)
        self.entry_points = entry_points

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "CallGraph":
        callees: dict[Function, list[Function]] = {}
        dynamic = False
        for function in module.functions:
            targets: dict[Function, None] = {}
            for instr in instruction_list(function):
                if instr.op == op.FunctionCall or instr.op == op.CallDynamic:
                    dynamic = dynamic or instr.op == op.CallDynamic
                    for callee in may_call(module, instr):
                        targets[callee] = None
            callees[function] = list(targets)
        entries: dict[Function, None] = {}
        for entry in module.entry_points:
            target = entry.operands[1]
            if isinstance(target, Function):
                entries[target] = None
        return CallGraph(callees, list(entries), dynamic)

    def can_be_kept(self) -> bool:
        return not self.dynamic

    def reachable(self, start: Function) -> list[Function]:
        """`start` and every function that a call from it may reach, each once, callers first."""
        return _closure([start], self.callees)

    def reaching(self, targets: list[Function]) -> list[Function]:
        """`targets` and every function from which a call may reach one of them, each once."""
        return _closure(targets, self.callers)

    def same_as(self, other: ModuleAnalysis) -> bool:
        return (
            isinstance(other, CallGraph) and self.callees == other.callees and self.entry_points == other.entry_points
        )


def called(instr: Instr) -> Function | None:
    """The function that an OpFunctionCall calls; None for other instructions."""
    if instr.op != op.FunctionCall:
        return None
    callee = instr.operands[0]
    assert isinstance(callee, Function)
    return callee


def may_call(module: Module, instr: Instr) -> list[Function]:
    """The functions that an instruction may call: the one that is named, or all that a dynamic call may come to."""
    if instr.op == op.CallDynamic:
        return dynamic_callees(module, instr)
    callee = called(instr)
    return [callee] if callee is not None else []


def dynamically_called(module: Module) -> dict[Function, None]:
    """The functions that a dynamic call may come to: of most calls only the tables are known, or that they came as
    values."""
    functions: dict[Function, None] = {}
    for table in module.globals:
        if table.op == op.WitnessTable:
            functions.update(dict.fromkeys([entry for entry in table.operands if isinstance(entry, Function)]))
    for function in module.functions:
        if any(isinstance(user, Instr) and user.op == op.CallDynamic for user in function.users) or is_taken(function):
            functions[function] = None
    return functions


def exported_functions(module: Module) -> dict[Function, None]:
    """The functions that code of other modules may call: those with LinkageAttributes Export."""
    exported: dict[Function, None] = {}
    for mark in module.decorations:
        if mark.op == op.Decorate and mark.operands[1] == enums.DecorationLinkageAttributes:
            function = mark.operands[0]
            if mark.operands[-1] == enums.LinkageTypeExport and isinstance(function, Function):
                exported[function] = None
    return exported


def callees_first(graph: CallGraph) -> tuple[list[Function], dict[Function, None]]:
    """(all functions, each after those that it calls; those that call themselves, directly or not)."""
    order: list[Function] = []
    recursive: dict[Function, None] = {}
    waiting = {function: len(callees) for function, callees in graph.callees.items()}
    ready = [function for function, count in waiting.items() if count == 0]
    while ready:
        spend(1)
        function = ready.pop()
        order.append(function)
        for caller in graph.callers[function]:
            waiting[caller] -= 1
            if waiting[caller] == 0:
                ready.append(caller)
    for function, count in waiting.items():  # on a cycle, or calling one that is
        if count > 0:
            recursive[function] = None
            order.append(function)
    return order, recursive


def _closure(starts: list[Function], edges: dict[Function, list[Function]]) -> list[Function]:
    closure: dict[Function, None] = dict.fromkeys(starts)
    work = list(closure)
    while work:
        spend(1)
        for target in edges[work.pop()]:
            if target not in closure:
                closure[target] = None
                work.append(target)
    return list(closure)
