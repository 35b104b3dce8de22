"""A rule's promises in all functions that an entry point reaches, each for how it is entered.

    main  entered whole            ──▶ f() in a branch ──▶ f  entered as one class, but not by all
                                   └─▶ f() in between  ──▶ f  entered whole

A function is looked at once for each context in which it is entered: whole, as one class, or as several. What it gives
back in each is known first, callees before callers; then the contexts that do occur are followed from the roots. A
function that calls itself, and one without a body, promise nothing.
"""

from typing import Final, final

from reknit.analysis.callgraph import CallGraph, called, callees_first
from reknit.analysis.manager import Analyses
from reknit.analysis.tangles.flow import Flow, Returned
from reknit.analysis.tangles.rules import BASE, MAXIMAL
from reknit.analysis.uniformity.element_tree import Places
from reknit.analysis.uniformity.uniformity import Uniformity
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.source.meter import spend

WAYS: Final = ((True, True), (False, True), (False, False))  # whole, single

_NOTHING: Final = Returned(False, False, True, None)


@final
class Entered:
    """One context in which a function is entered, and the first call that does so (None: a root)."""

    __slots__ = ("flow", "call", "caller")

    def __init__(self, flow: Flow, call: Instr | None, caller: "Entered | None") -> None:
        self.flow = flow
        self.call = call
        self.caller = caller


@final
class Contexts:
    """`entered` are the contexts in which functions are entered, by function, roots first."""

    __slots__ = ("entered", "_analyses", "_maximal", "_group", "_part", "_flows", "_back", "_recursive")

    def __init__(
        self, analyses: Analyses, rule: str, part: str, roots: list[Function], strange: list[Function]
    ) -> None:
        """`part` is the group of the operations that are asked about; `strange` are functions that code from elsewhere
        may call: with one class of it, perhaps not all."""
        self._analyses = analyses
        self._maximal = rule == MAXIMAL
        scope = part if rule == MAXIMAL else "workgroup" if rule == BASE else "subgroup"
        self._group = analyses.of_module_with(Uniformity, scope)
        self._part = analyses.of_module_with(Uniformity, part)
        self._flows: dict[tuple[Function, bool, bool], Flow] = {}
        self._back: dict[tuple[Function, bool, bool], Returned] = {}
        graph = analyses.of_module(CallGraph)
        order, self._recursive = callees_first(graph)
        needed = dict.fromkeys(each for root in [*roots, *strange] for each in graph.reachable(root))
        for function in order:
            if function in needed and graph.callers[function] and not self._is_unknown(function):
                for whole, single in WAYS:
                    self._flow(function, whole, single)
        self.entered: dict[Function, list[Entered]] = {}
        self._follow([(root, True) for root in roots] + [(each, False) for each in strange])

    def _is_unknown(self, function: Function) -> bool:
        return function.is_declaration() or function in self._recursive

    def _flow(self, function: Function, whole: bool, single: bool) -> Flow:
        key = (function, whole, single)
        flow = self._flows.get(key)
        if flow is None:
            places = self._analyses.ask(Places, function)
            group, part = self._group.of(function), self._part.of(function)
            flow = Flow(places, group, part, self._maximal, whole, single, self._returned)
            self._flows[key] = flow
        return flow

    def _returned(self, function: Function, whole: bool, single: bool) -> Returned:
        if self._is_unknown(function):
            return _NOTHING
        key = (function, whole, single)
        returned = self._back.get(key)
        if returned is None:
            returned = self._flows[key].returned()
            self._back[key] = returned
        return returned

    def _follow(self, roots: list[tuple[Function, bool]]) -> None:
        seen: dict[tuple[Function, bool, bool], None] = {}
        work: list[tuple[Function, bool, bool, Instr | None, Entered | None]] = []
        for root, whole in reversed(roots):
            work.append((root, whole, True, None, None))
        while work:
            spend(1)
            function, whole, single, call, caller = work.pop()
            if (function, whole, single) in seen or function.is_declaration():
                continue
            seen[function, whole, single] = None
            entered = Entered(self._flow(function, whole, single), call, caller)
            self.entered.setdefault(function, []).append(entered)
            for instr in reversed(entered.flow.reached_calls()):
                callee = called(instr)
                assert callee is not None
                whole, single = entered.flow.at(instr)
                work.append((callee, whole, single, instr, entered))

    def fails(self, instr: Instr, function: Function) -> Entered | None:
        """The first context in which an operation may have several classes in one group; None if there is none."""
        for entered in self.entered.get(function, []):
            if entered.flow.reaches(instr) and not entered.flow.at(instr)[1]:
                return entered
        return None

    def lacks(self, instr: Instr, function: Function) -> Entered | None:
        """The first context in which part of a group may come to an operation without the rest."""
        for entered in self.entered.get(function, []):
            if entered.flow.reaches(instr) and not entered.flow.at(instr)[0]:
                return entered
        return None

    def all_come(self, block: Block, instr: Instr | None, function: Function) -> bool:
        """Whether in all contexts a group comes as a whole to an instruction of a block, or to its end where that is
        None or ends the block, or not at all."""
        return all(whole for whole, _ in self._arriving(block, instr, function))

    def all_single(self, block: Block, instr: Instr | None, function: Function) -> bool:
        """Whether in all contexts those of a group that come there do so as one class."""
        return all(single for _, single in self._arriving(block, instr, function))

    def _arriving(self, block: Block, instr: Instr | None, function: Function) -> list[tuple[bool, bool]]:
        """(whole, single) in each context in which the block is reached."""
        arriving: list[tuple[bool, bool]] = []
        for entered in self.entered.get(function, []):
            flow = entered.flow
            number = flow.number(block)
            if not flow.reached[number]:
                continue
            if instr is not None and instr.block is block:
                arriving.append(flow.at(instr))
            else:
                arriving.append((flow.whole_out[number], flow.single_out[number]))
        return arriving
