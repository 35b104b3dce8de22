"""A dispatcher's cases: those that do the same become one, and two that are left become an if.

    switch tag { case 0: same(x)             switch tag { case 0, 2: same(x)
                 case 1: B_foo(x)      =>                 default: B_foo(x) }     =>    if tag is 1 { B_foo(x) }
                 case 2: same(x)                                                        else { same(x) }
                 ...

Cases do the same if they call one function with arguments that are packed alike. They may become one only where no
tangled operation can be reached from there: it would see lanes of several types together, which the dynamic call
splits.
"""

from typing import final

from reknit.analysis.manager import Analyses
from reknit.analysis.tangled import Tangled
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.build import Builder
from reknit.ir.dispatch_sets import elements_of, set_of
from reknit.ir.edit import append, erase, erase_node, insert_node_before, move_run, replace_uses, unlink, unlink_node
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.phis import drop_source
from reknit.ir.stitch import stitch
from reknit.ir.tree import Case, If, Region, Switch
from reknit.ir.types import bool_type
from reknit.ir.value import Value


def switch_of(function: Function) -> Switch | None:
    """The switch of a dispatcher: of what does nothing but switch over the tag that it is given first."""
    if not function.params or function.is_declaration() or not function.structured:
        return None
    tag = function.params[0]
    entry = function.entry()
    switch = entry.next
    if tag.type is None or tag.type.op != op.TypeSetTag or not isinstance(switch, Switch) or switch.selector is not tag:
        return None
    return switch if all(instr.op == op.Variable for instr in entry) else None


def dispatchers(module: Module) -> list[Function]:
    return [function for function in module.functions if switch_of(function) is not None]


# --- cases that do the same -------------------------------------------------------------------------------------------


def merge_cases(module: Module, functions: list[Function]) -> None:
    """In each dispatcher of `functions`. Costs them and, once, the module's calls."""
    tangled = Analyses(module).of_module(Tangled)
    for function in functions:
        switch = switch_of(function)
        if switch is None:
            continue
        groups: dict[tuple[object, ...], list[Case]] = {}
        results: dict[Block, list[Operand]] = {}
        for phi in switch.after().phis():
            for index in range(0, len(phi.operands), 2):
                results.setdefault(_source(phi, index), []).append(phi.operands[index])
        for case in switch.cases:
            meaning = _Meaning(tangled).key(case, results.get(case.region.end(), []))
            if meaning is not None:
                groups.setdefault(meaning, []).append(case)
        for group in groups.values():
            kept = group[-1] if group[-1] is switch.default else group[0]
            for case in group:
                if case is not kept:
                    _take_over(switch, case, kept)
        if len(switch.cases) == 1:
            _unwrap(switch)
        for variable in function.entry():
            if variable.op == op.Variable and not variable.is_used():
                erase(variable)


def _take_over(switch: Switch, case: Case, kept: Case) -> None:
    """`kept` is executed for `case`, too. Its literals come after those that `kept` has: pairs of an OpSwitch with one
    label are consecutive (SPIR-V 1.6, 2.11)."""
    targets = [pair for pair in switch.targets if pair[1] is not case]
    if kept is not switch.default:
        place = max(index for index, pair in enumerate(targets) if pair[1] is kept) + 1
        targets[place:place] = [(literal, kept) for literal, target in switch.targets if target is case]
    switch.targets = targets
    switch.cases.remove(case)
    drop_source(switch.after(), case.region.end())
    for node in list(case.region):
        erase_node(node)


def _unwrap(switch: Switch) -> None:
    """All take the one case that is left: its code stands in the place of the switch."""
    before = switch.before()
    for instr in switch.cases[0].region.entry():
        append(before, unlink(instr))
    for phi in list(switch.after().phis()):
        replace_uses(phi, phi.value(0))
        erase(phi)
    switch.selector.drop_user(switch)
    unlink_node(switch)
    stitch(before)


def _source(phi: Instr, index: int) -> Block:
    source = phi.operands[index + 1]
    assert isinstance(source, Block)
    return source


@final
class _Meaning:
    """What a case does, so that two that do the same have equal keys. Local values go by their number."""

    __slots__ = ("tangled", "numbers")

    def __init__(self, tangled: Tangled) -> None:
        self.tangled = tangled
        self.numbers: dict[Value, int] = {}

    def key(self, case: Case, results: list[Operand]) -> tuple[object, ...] | None:
        """`results` are what phis behind the switch get. None for what is tangled, or is no single block that goes on
        behind the switch."""
        block = case.region.entry()
        if case.region.first is not case.region.last or block.jump is not None or block.leading:
            return None
        parts: list[object] = []
        for instr in block:
            if self.tangled.is_tangled(instr):
                return None
            parts.append((instr.op, instr.type, *[self.operand(operand, block) for operand in instr.operands]))
            self.numbers[instr] = len(self.numbers)
        return (*parts, *[self.operand(result, block) for result in results])

    def operand(self, operand: Operand, block: Block) -> object:
        if not isinstance(operand, Instr):
            return operand
        if operand not in self.numbers and operand.op == op.Variable and _is_used_in(operand, block):
            self.numbers[operand] = len(self.numbers)
        number = self.numbers.get(operand)
        return operand if number is None else (number, operand.type)


def _is_used_in(variable: Instr, block: Block) -> bool:
    """Whether nothing else uses a variable."""
    return all(isinstance(user, Instr) and user.block is block for user in variable.users)


# --- two cases --------------------------------------------------------------------------------------------------------


def make_choices(module: Module, functions: list[Function]) -> None:
    """An if in place of each switch of `functions` that one comparison decides."""
    for function in functions:
        switch = switch_of(function)
        if switch is not None and len(switch.cases) == 2:
            _choose(module, function, switch)


def _choose(module: Module, function: Function, switch: Switch) -> None:
    tag = function.params[0]
    assert tag.type is not None
    elements = elements_of(set_of(tag.type))
    first, last = switch.cases
    named = [literal for literal, case in switch.targets if case is first]
    rest = [place for place in range(len(elements)) if place not in named]
    if len(named) == 1:
        element, then, orelse = elements[named[0]], first, last
    elif len(rest) == 1:
        element, then, orelse = elements[rest[0]], last, first
    else:
        return
    condition = Builder(module, switch.before()).emit(op.TagIsElement, bool_type(module), [tag, element])
    choice = If(condition)
    insert_node_before(switch, choice)
    _move(then.region, choice.then)
    _move(orelse.region, choice.orelse)
    switch.selector.drop_user(switch)
    unlink_node(switch)


def _move(source: Region, target: Region) -> None:
    assert source.first is not None and source.last is not None
    move_run(source.first, source.last, target)
