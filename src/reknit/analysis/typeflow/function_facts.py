"""What is asked of a function again and again, whatever context it is in.

roots         its variables and pointer parameters with something dynamic in them, all of whose uses are known
scattered     those of them that are more than loaded and stored at places that are known
controlling   its parameters that a branch may depend on: their constants distinguish contexts
held          its variables of which is followed which value they have, each with the blocks that load from it
read          its pointer parameters whose contents matter when it is entered
deciding      the blocks that may branch by a test, whichever path it takes there
"""

import heapq
from typing import Final, final

from reknit.analysis.callgraph import CallGraph, called
from reknit.analysis.manager import Analyses
from reknit.analysis.order import Order
from reknit.analysis.typeflow.access_paths import spot_of
from reknit.analysis.typeflow.constants import is_folded, is_number
from reknit.analysis.typeflow.lattice import Form, Forms
from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.constants import as_int
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch
from reknit.ir.module import Module
from reknit.ir.opcodes import FIRST_OWN
from reknit.ir.tree import If, Switch
from reknit.ir.types import storage_of
from reknit.ir.value import Value
from reknit.ir.walk import constructs, instructions
from reknit.source.meter import spend


@final
class Facts:
    __slots__ = ("function", "order", "roots", "scattered", "controlling", "held", "unused", "read", "known_deciding")

    def __init__(self, function: Function, forms: Forms, analyses: Analyses) -> None:
        self.function = function
        self.order = Order.compute(function, analyses)
        self.roots: dict[Instr, Form] = {}
        for param in function.params:
            self._root(param, forms)
        for instr in function.entry():
            if instr.op == op.Variable:
                self._root(instr, forms)
        self.scattered = {root: None for root in self.roots if is_scattered(root)}
        self.controlling: dict[Value, None] = {}
        self.held: dict[Instr, dict[Block, None]] = {root: loading(root) for root in self.roots}
        self.known_deciding: dict[Instr, list[Block]] = {}
        self.control(controlling(function))
        self.unused: dict[Value, None] = {param: None for param in function.params if not param.is_used()}
        self.read: dict[Value, bool] = {}
        for param in function.params:
            self.read[param] = not overwritten_first(function, param)

    def control(self, values: dict[Value, None]) -> None:
        """They control something."""
        self.controlling.update(values)
        for value in values:
            if isinstance(value, Instr) and value not in self.held and has_numbers(value):
                self.held[value] = loading(value)

    def deciding(self, test: Instr) -> list[Block]:
        """The blocks that may branch by what a test of an existential, or an id, gave."""
        deciding = self.known_deciding.get(test)
        if deciding is None:
            deciding = branching_by(test)
            self.known_deciding[test] = deciding
        return deciding

    def _root(self, value: Instr, forms: Forms) -> None:
        form = forms.pointee(value.type)
        if form is None or value.type is None or storage_of(value.type) != enums.StorageClassFunction:
            return
        if is_followed(value):
            self.roots[value] = form


def is_followed(root: Instr) -> bool:
    """Whether a variable is only loaded, stored, passed on, and pointed into."""
    work = [root]
    while work:
        spend(1)
        pointer = work.pop()
        for user in pointer.users:
            if not isinstance(user, Instr):
                return False
            if user.op in traits.OBJECT_CHAIN or user.op == op.CopyObject:
                work.append(user)
            elif user.op == op.Store:
                if user.operands[1] is pointer:
                    return False
            elif user.op not in (op.Load, op.Name) and user.op not in traits.CALLS:
                return False
    return True


def is_scattered(root: Instr) -> bool:
    """Whether a variable is passed on, or loaded or stored but one existential at a known place at a time."""
    for user in root.users:
        if not isinstance(user, Instr) or user.op not in traits.OBJECT_CHAIN and user.op != op.Name:
            return True
        if user.op != op.Name and any(as_int(user.value(index)) is None for index in range(1, len(user.operands))):
            return True
        for use in user.users:
            if not isinstance(use, Instr) or use.op not in (op.Load, op.Store) or not is_undivided(user):
                return True
    return False


def is_undivided(pointer: Instr) -> bool:
    return pointer.type is not None and pointer.type.instr(1).op not in (op.TypeArray, op.TypeStruct)


def overwritten_first(function: Function, param: Value) -> bool:
    """Whether the entry block stores all of what `param` points to before anything reads it."""
    for instr in function.entry():
        if param in instr.operands:
            return instr.op == op.Store and instr.operands[0] is param and instr.operands[1] is not param
    return False


def controlling(function: Function) -> dict[Value, None]:
    """The values that a branch, or an argument of a call, may depend on by arithmetic that is followed."""
    work: list[Value] = []
    for construct in constructs(function):
        if isinstance(construct, If):
            work.append(construct.condition)
        elif isinstance(construct, Switch):
            work.append(construct.selector)
    for block in function.blocks:
        if isinstance(block.jump, Branch) and block.jump.instr.op != op.Branch:
            work.append(block.jump.instr.value(0))
    values: dict[Value, None] = {}
    while work:
        spend(1)
        value = work.pop()
        if value in values or not isinstance(value, Instr):
            continue
        values[value] = None
        work.extend(feeding(value))
    return values


def feeding(value: Instr) -> list[Instr]:
    """What a number is worked out from: operands; what a variable is loaded from; what is stored to that."""
    if is_folded(value) or value.op in _CARRYING:
        return [operand for operand in value.operands if isinstance(operand, Instr)]
    if has_numbers(value):
        return [store.instr(1) for store in stores_to(value) if isinstance(store.operands[1], Instr)]
    return []


_CARRYING: Final = traits.OBJECT_CHAIN | {op.Phi, op.Load, op.CompositeConstruct, op.CompositeExtract}


def has_numbers(value: Value) -> bool:
    """Whether all that happens to a variable is known, and it is a number or a struct with one."""
    if not isinstance(value, Instr) or value.op != op.Variable or value.type is None:
        return False
    type = value.type.instr(1)
    members = [type.instr(index) for index in range(len(type.operands))] if type.op == op.TypeStruct else [type]
    return (
        storage_of(value.type) == enums.StorageClassFunction
        and any(is_number(member) for member in members)
        and len(value.operands) == 1
        and is_followed(value)
    )


def stores_to(root: Instr) -> list[Instr]:
    """The stores to a variable, or into it."""
    return [user for pointer, user in uses_inside(root) if user.op == op.Store and user.operands[0] is pointer]


def loads_of(root: Instr) -> list[Instr]:
    """The loads of a variable, or of parts of it."""
    return [user for _, user in uses_inside(root) if user.op == op.Load]


def uses_inside(root: Instr) -> list[tuple[Instr, Instr]]:
    """What uses a variable, or a pointer into it: (pointer, user)."""
    uses: list[tuple[Instr, Instr]] = []
    work = [root]
    for pointer in work:  # grows
        for user in pointer.users:
            if isinstance(user, Instr):
                uses.append((pointer, user))
                if user.op in traits.OBJECT_CHAIN or user.op == op.CopyObject:
                    work.append(user)
    return uses


def branching_by(test: Instr) -> list[Block]:
    """The blocks that branch by a value that a test may have come to, also through variables."""
    branching: dict[Block, None] = {}
    seen: dict[Instr, None] = {test: None}
    work = [test]
    while work:
        spend(1)
        for user in work.pop().users:
            before = user.before() if isinstance(user, (If, Switch)) else None
            if before is not None:
                branching[before] = None
            for onward_user in onward(user) if isinstance(user, Instr) else []:
                if onward_user.op in (op.BranchConditional, op.Switch) and onward_user.block is not None:
                    branching[onward_user.block] = None
                elif onward_user not in seen:
                    seen[onward_user] = None
                    work.append(onward_user)
    return list(branching)


def onward(user: Instr) -> list[Instr]:
    """Where a value gets to by what uses it."""
    if user.op == op.Store:
        return loads_of(spot_of(user.value(0)).root)
    carries = is_folded(user) or user.op in _CARRYING or user.op in (op.BranchConditional, op.Switch)
    return [user] if carries else []


def loading(root: Instr) -> dict[Block, None]:
    """The blocks that load from a variable, or from a part of it."""
    return {load.block: None for load in loads_of(root) if load.block is not None}


@final
class ProgramFacts:
    """`interesting` are the functions in which something dynamic is, or that call one of those."""

    __slots__ = ("forms", "analyses", "interesting", "known")

    def __init__(self, module: Module, forms: Forms, analyses: Analyses) -> None:
        self.forms = forms
        self.analyses = analyses
        self.known: dict[Function, Facts] = {}
        direct = [function for function in module.functions if has_dynamic(function, forms)]
        graph = CallGraph.compute(module, analyses)
        self.interesting: dict[Function, None] = {
            function: None for function in graph.reaching(direct) if not function.is_declaration()
        }
        self._pass_control_up()

    def of(self, function: Function) -> Facts:
        facts = self.known.get(function)
        if facts is None:
            facts = Facts(function, self.forms, self.analyses)
            self.known[function] = facts
        return facts

    def _pass_control_up(self) -> None:
        """An argument of a parameter that controls something controls it too."""
        callers: dict[Function, list[tuple[Function, Instr]]] = {}
        for function in self.interesting:
            for instr in instructions(function):
                callee = called(instr)
                if callee is not None and callee in self.interesting:
                    callers.setdefault(callee, []).append((function, instr))
        work = list(self.interesting)
        while work:
            spend(1)
            callee = work.pop()
            known = self.of(callee)
            for caller, call in callers.get(callee, []):
                outer = self.of(caller)
                before = len(outer.controlling)
                for index, param in enumerate(callee.params):
                    argument = call.value(index + 1)
                    if param in known.controlling and argument not in outer.controlling:
                        outer.control(_behind(argument))
                if len(outer.controlling) != before:
                    work.append(caller)


def _behind(value: Value) -> dict[Value, None]:
    values: dict[Value, None] = {}
    work = [value]
    while work:
        spend(1)
        at = work.pop()
        if at in values or not isinstance(at, Instr):
            continue
        values[at] = None
        work.extend(feeding(at))
    return values


def has_dynamic(function: Function, forms: Forms) -> bool:
    for param in function.params:
        if forms.of(param.type) is not None or forms.pointee(param.type) is not None:
            return True
    if forms.of(function.result) is not None:
        return True
    for instr in instructions(function):
        if instr.op >= FIRST_OWN or forms.of(instr.type) is not None or forms.pointee(instr.type) is not None:
            return True
    return False


@final
class Queue:
    """Blocks by number, the lowest first, each once."""

    __slots__ = ("heap", "inside")

    def __init__(self) -> None:
        self.heap: list[int] = []
        self.inside: set[int] = set()

    def add(self, number: int) -> None:
        if number not in self.inside:
            self.inside.add(number)
            heapq.heappush(self.heap, number)

    def take(self) -> int:
        number = heapq.heappop(self.heap)
        self.inside.discard(number)
        return number
