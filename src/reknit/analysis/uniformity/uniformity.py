"""Uniformity: which values, branches, blocks and loops are the same for all lanes of a tangle that are in one group.

    uniformity = analyses.of_module_with(Uniformity, "subgroup")          "workgroup", "quad", "cluster(8)"
    of_main = uniformity.of(main)
    of_main.is_uniform(value)          where it is defined
    of_main.is_uniform_at(use)         where it is used: after a loop that lanes leave one by one it may differ
    of_main.keeps_tangle(block)        T: its tangle is the one that entered the construct around it
    of_main.keeps_lanes(block)         L: all lanes that entered the iteration around it come by

Calls go by summary: callees first to see what they give back, then callers first to see what parameters get. A function
in a recursion is not looked into. The tangles are those of maximal reconvergence: without it hardware may run lanes
together that this keeps apart, or apart that it brings together.

For each value, soundness is what the simulator shows: no value said to be uniform differs in a tangle and a group.
"""

from typing import ClassVar, Final, final

from reknit.analysis.callgraph import CallGraph, called, callees_first, dynamically_called, exported_functions
from reknit.analysis.decorations import Decorations
from reknit.analysis.manager import Analyses, ModuleAnalysisWith
from reknit.analysis.uniformity.contents import AllContents
from reknit.analysis.uniformity.control import Control
from reknit.analysis.uniformity.element_tree import BODY, NONE, Element, Places
from reknit.analysis.uniformity.known import Known, Needs, SameInWorkgroup, Summary
from reknit.analysis.uniformity.memory import Memory
from reknit.analysis.uniformity.objects import Objects
from reknit.analysis.uniformity.ranges import AllRanges
from reknit.analysis.uniformity.scope import WORKGROUP, Scope
from reknit.analysis.uniformity.shared import SharedLoads
from reknit.analysis.uniformity.value_uniformity import Values
from reknit.analysis.uses import Use
from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.tree import If, Loop, Switch
from reknit.ir.value import Value
from reknit.ir.walk import instruction_list

_MAX_LEFT_OUT: Final = 8
"""Arguments that a function may have so that each is left out once, which costs the function's length."""


@final
class FunctionUniformity:
    """The answers for one function, in one scope. Blocks that can't be reached are nowhere uniform."""

    __slots__ = ("function", "_values", "_iterations")

    def __init__(self, values: Values) -> None:
        self.function = values.function
        self._values = values
        self._iterations: dict[Element, Element] = {}

    def is_uniform(self, value: Value) -> bool:
        """Whether a value is the same for all lanes of a group that execute its definition in one tangle."""
        return value not in self._values.differing and value not in self._values.known.undefined

    def is_uniform_in(self, value: Value, block: Block) -> bool:
        """Whether lanes of a group that are in one tangle in `block` hold the same `value`, which dominates it."""
        number = self._reached(block)
        return number >= 0 and self._values.same_in(value, number)

    def is_uniform_at(self, use: Use) -> bool:
        """Whether one use of a value sees the same in all lanes of a group; a phi's use is at the end of its source."""
        return self.is_uniform_in(use.value(), use.block)

    def branches_uniformly(self, construct: If | Switch) -> bool:
        """Whether lanes of a group that come to the construct together all take the same arm."""
        condition = construct.condition if isinstance(construct, If) else construct.selector
        return self.is_uniform_in(condition, construct.before())

    def keeps_tangle(self, block: Block) -> bool:
        """T: the tangle that executes the block is the one that entered what is right around it, in its group: the
        construct, or the loop's iteration."""
        number = self._reached(block)
        if number < 0:
            return False
        control = self._values.control
        index = self._values.places.of[number].index
        return control.several[number] <= index and control.partial[number] <= index

    def keeps_lanes(self, block: Block) -> bool:
        """L: all lanes of a group that entered the iteration of the innermost loop together (outside of loops: the
        function) come by the block in this iteration, or none does."""
        number = self._reached(block)
        return number >= 0 and self._values.control.partial[number] <= self._iteration(number).index

    def leaves_apart(self, loop: Loop) -> bool:
        """Whether lanes that enter the loop together may leave it in different iterations, or by different exits."""
        return self._values.exits_apart(loop)

    def continues_apart(self, loop: Loop) -> bool:
        """Whether some lanes of an iteration may end it by a continue while others go on in it."""
        control = self._values.control
        inside = self._values.places.element[loop].index + 1
        for block in loop.continues:
            number = self._reached(block)
            if number >= 0 and control.after(number) > inside:
                return True
        return False

    def control(self) -> Control:
        """The numbers behind the answers about blocks."""
        return self._values.control

    def _reached(self, block: Block) -> int:
        """The number of a block; NONE where nothing reaches it."""
        order = self._values.order
        number = order.number[block]
        return number if order.reached[number] else NONE

    def _iteration(self, number: int) -> Element:
        """What a block stands in that is gone through as often as the block: a loop's body, else all of the function.
        Constructs in each other are gone through once for all blocks."""
        element = self._values.places.of[number]
        passed: list[Element] = []
        while element.kind != BODY and element.parent is not None:
            if element in self._iterations:
                element = self._iterations[element]
                break
            construct = element.construct
            if isinstance(construct, Loop) and element.index == self._values.places.element[construct].index + 1:
                break  # the continuing part is of the same iteration
            passed.append(element)
            parent = element.parent
            assert parent is not None  # the loop's condition
            element = parent
        for each in passed:
            self._iterations[each] = element
        return element

    def facts(self) -> list[tuple[bool, bool, tuple[bool, ...]]]:
        """For each reached block in order: T, L, and for each instruction with a result whether it is uniform."""
        rows = []
        for block in self._values.order.blocks:
            if self._reached(block) >= 0:
                uniform = tuple([self.is_uniform(instr) for instr in block if instr.has_result])
                rows.append((self.keeps_tangle(block), self.keeps_lanes(block), uniform))
        return rows


@final
class Uniformity(ModuleAnalysisWith):
    """Ask with a scope. Raises InputError RK2302 for one that doesn't exist."""

    name: ClassVar[str] = "uniformity"

    def __init__(self, answers: dict[Function, FunctionUniformity]) -> None:
        self._answers = answers

    def of(self, function: Function) -> FunctionUniformity:
        """The answers for a function that has a body."""
        return self._answers[function]

    @staticmethod
    def compute(module: Module, analyses: Analyses, options: str) -> "Uniformity":
        scope = Scope(options, has_single_subgroups(module))
        memory = Memory(module, analyses.of_module(Decorations), scope)
        objects = analyses.of_module(Objects)
        shared = analyses.of_module(SharedLoads)
        wide = None if scope.is_workgroup() else Wide(shared, analyses)
        ranges, contents = analyses.of_module(AllRanges), analyses.of_module(AllContents)
        known = Known(memory, ranges, objects, contents, shared, wide, _undefined(module))
        graph = analyses.of_module(CallGraph)
        order, recursive = callees_first(graph)
        for function in order:
            if function.is_declaration() or function in recursive:
                known.summaries[function] = Summary(True)
            elif graph.callers[function]:
                known.summaries[function] = _summary(function, analyses.ask(Places, function), known)
        differing: dict[Function, dict[Instr, None]] = {function: {} for function in order}
        holding: dict[Function, dict[Value, None]] = {function: {} for function in order}
        entries = dict.fromkeys(graph.entry_points)
        exported = exported_functions(module)
        dynamic = dynamically_called(module)
        scattered: dict[Function, None] = {}  # to which a part of a group may come
        for function in order:
            unseen = function not in entries and not graph.callers[function]
            if function in recursive or function in exported or function in dynamic or unseen:
                differing[function] = dict.fromkeys(function.params)
                scattered[function] = None
                holding[function] = {**objects.own[function], **objects.touched[function]}
            elif function in entries:
                for variable in objects.touched[function]:
                    if not _is_initialized(variable, known):
                        holding[function][variable] = None
        answers: dict[Function, FunctionUniformity] = {}
        for function in reversed(order):
            if function.is_declaration():
                continue
            places = analyses.ask(Places, function)
            whole = function not in scattered
            values = Values(function, places, known, list(differing[function]), holding[function], whole)
            answers[function] = FunctionUniformity(values)
            if graph.callees[function]:
                _give_arguments(values, differing, holding, scattered)
        return Uniformity(answers)

    def same_as(self, other: ModuleAnalysisWith) -> bool:
        if not isinstance(other, Uniformity) or list(self._answers) != list(other._answers):
            return False
        return all(mine.facts() == other._answers[function].facts() for function, mine in self._answers.items())


def has_single_subgroups(module: Module) -> bool:
    """Whether each workgroup, of any entry point, is one subgroup: by the execution mode SubgroupsPerWorkgroup."""
    single: dict[Value, None] = {}
    for mode in module.execution_modes:
        per = mode.op == op.ExecutionMode and mode.word(1) == enums.ExecutionModeSubgroupsPerWorkgroup
        if per and mode.word(2) == 1:
            single[mode.value(0)] = None
    return bool(single) and all(entry.operands[1] in single for entry in module.entry_points)


@final
class Wide(SameInWorkgroup):
    """By the uniformity of the workgroup, which is asked for when the first load is."""

    __slots__ = ("shared", "analyses", "same")

    def __init__(self, shared: SharedLoads, analyses: Analyses) -> None:
        self.shared = shared
        self.analyses = analyses
        self.same: dict[Value, None] | None = None

    def holds(self, load: Instr) -> bool:
        if self.same is None:
            self.same = _same_in_workgroup(self.shared, self.analyses)
        return load in self.same


def _same_in_workgroup(shared: SharedLoads, analyses: Analyses) -> dict[Value, None]:
    same: dict[Value, None] = {}
    for load in shared.loads:
        if isinstance(load, Instr) and load.block is not None and load.block.function is not None:
            wide = analyses.of_module_with(Uniformity, WORKGROUP)
            if wide.of(load.block.function).is_uniform(load):
                same[load] = None
    return same


def _is_initialized(variable: Value, known: Known) -> bool:
    return isinstance(variable, Instr) and len(variable.operands) > 1 and variable.operands[1] not in known.undefined


def _give_arguments(
    values: Values,
    differing: dict[Function, dict[Instr, None]],
    holding: dict[Function, dict[Value, None]],
    scattered: dict[Function, None],
) -> None:
    """Note the parameters of callees that may get what differs, the objects that may hold it, and callees to which a
    part of a group may come."""
    for number, block in enumerate(values.order.blocks):
        if not values.order.reached[number]:
            continue
        instr = block.first
        while instr is not None:
            callee = called(instr) if instr.op == op.FunctionCall else None
            if callee is not None:
                if not values.is_whole(number):
                    scattered[callee] = None
                for index, parameter in enumerate(callee.params):
                    if not values.same_in(instr.value(index + 1), number):
                        differing[callee][parameter] = None
                for handed in values.contents.handed.get(instr, ()) if values.contents is not None else ():
                    if not values.same_handed(handed, number):
                        holding[callee][handed.target] = None
            instr = instr.next


def _summary(function: Function, places: Places, known: Known) -> Summary:
    summary = Summary(False)
    derives = False
    for instr in instruction_list(function):
        callee = called(instr)
        if instr.op in (op.Kill, op.CallDynamic):
            summary.ends = True  # as a demote it returns, and nothing in particular
            return summary
        if instr.op in traits.KILLS or (callee is not None and known.summaries[callee].ends):
            summary.ends = True
        if instr.op in traits.GROUP or (callee is not None and known.summaries[callee].gathers):
            summary.gathers = True
        of_whole = known.summaries[callee].of_whole if callee is not None else None
        if of_whole is not None or (instr.op in traits.READS and instr.op in traits.TANGLED):
            derives = True
    if function.result.op == op.TypeVoid and not known.objects.written[function]:
        return summary
    _look_through(summary, function, places, known, False)
    if derives:
        summary.of_whole = Summary(summary.ends)
        summary.of_whole.gathers = summary.gathers
        _look_through(summary.of_whole, function, places, known, True)
    return summary


def _look_through(summary: Summary, function: Function, places: Places, known: Known, whole: bool) -> None:
    """From what needs most to what needs least, as long as anything is the same."""
    gives = function.result.op != op.TypeVoid
    touched = known.objects.touched[function]
    arguments = tuple(range(len(function.params)))
    patterns: list[tuple[Needs, list[Instr], dict[Value, None] | None]] = []
    if touched:
        patterns.append((Needs(arguments, True), [], {}))
    if function.params:
        patterns.append((Needs(arguments, False), [], touched))
    patterns.append((Needs((), False), function.params, None))
    for needs, differing, holding in patterns:
        values = Values(function, places, known, differing, holding, whole)
        same = gives and values.same_result()
        left = values.same_left()
        if same:
            summary.result = [needs]
        for root in left:
            summary.left[root] = needs
        if not same and not left:
            break
    if summary.gathers and summary.result and 1 < len(summary.result[0].arguments) <= _MAX_LEFT_OUT:
        summary.result = _fewest(summary.result[0], function, places, known, whole)


def _fewest(needs: Needs, function: Function, places: Places, known: Known, whole: bool) -> list[Needs]:
    """Without the arguments that a result which needs several does not depend on: where leaving out one makes another
    count, the last of them are left out first, or the first."""
    last_out = _without(needs, list(reversed(needs.arguments)), function, places, known, whole)
    if len(last_out.arguments) == len(needs.arguments):
        return [needs]
    first_out = _without(needs, list(needs.arguments), function, places, known, whole)
    return [last_out] if first_out.arguments == last_out.arguments else [last_out, first_out]


def _without(
    needs: Needs, order: list[int], function: Function, places: Places, known: Known, whole: bool
) -> Needs:
    """Leaves out one argument after the other, each if the result is the same without it, too."""
    touched = {} if needs.private else known.objects.touched[function]
    differing: list[Instr] = []
    for index in order:
        tried = [*differing, function.params[index]]
        values = Values(function, places, known, tried, {**touched, **dict.fromkeys(tried)}, whole)
        if values.same_result():
            differing = tried
    kept = [index for index in needs.arguments if function.params[index] not in differing]
    return Needs(tuple(kept), needs.private)


def _undefined(module: Module) -> dict[Value, None]:
    """Module-level values that are undefined, or have an undefined part: each use may see another."""
    undefined: dict[Value, None] = {}
    for instr in module.globals:
        inside = [part for part in instr.operands if isinstance(part, Value) and part in undefined]
        if instr.op == op.Undef or instr.op == op.PoisonKHR or (inside and instr.op != op.Variable):
            undefined[instr] = None
    return undefined
