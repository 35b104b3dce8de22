"""Functions that are proved by themselves, where following each call would take too long.

    before: f0 ◀─ f1 ◀─ f2 ... (each called twice)         after: f0 ◀─ f1 ◀─ f2 ...
            └── a pair of functions of one name, callees first: the one refines the other for all arguments ──▶ a number
            a call of one of a pair: an effect, of its reach, its arguments and the number

Whatever the callers do, the second function does what the first one may; so two programs that call pairs alike are as
their callers are. Only what sees nothing of its callers but arguments and shared memory can be proved so: no pointers
among parameters, no own variables of the module, no invocations that end.
"""

from typing import Final

from reknit.ir import enums, op, opcodes, traits
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.proof.normal_form.frames import callees_of
from reknit.proof.normal_form.kinds import Kind, Kinds
from reknit.proof.normal_form.traversal import Traversal
from reknit.source.meter import spend

MAX_FOLLOWED: Final = 20_000
"""Up to so many instructions and constructs, calls followed, all calls of a program are followed."""

LARGE: Final = 500
"""Else calls of functions with more."""


def pairs(mine: dict[Function, Traversal], theirs: dict[Function, Traversal]) -> list[tuple[Function, Function]]:
    """Functions of one name, of which one at least is large; callees first."""
    named: dict[str, list[Function]] = {}
    for function in theirs:
        named.setdefault(function.name, []).append(function)
    alike: list[tuple[Function, Function]] = []
    for function, traversal in mine.items():
        others = named.get(function.name, [])
        if function.name and len(others) == 1 and max(traversal.size, theirs[others[0]].size) > LARGE:
            alike.append((function, others[0]))
    return alike


def can_stand_alone(first: Function, other: Function, kinds: Kinds) -> bool:
    """Whether two functions have the same parameters and result, made of numbers."""
    if len(first.params) != len(other.params):
        return False
    types = [(first.result, other.result)]
    for mine, theirs in zip(first.params, other.params, strict=True):
        assert mine.type is not None and theirs.type is not None
        types.append((mine.type, theirs.type))
    return all(kinds.of(mine) is kinds.of(theirs) and _is_plain(kinds.of(mine)) for mine, theirs in types)


def _is_plain(kind: Kind) -> bool:
    """Whether a kind is made of numbers alone, or nothing."""
    work = [kind]
    while work:
        spend(1)
        current = work.pop()
        if current.parts:
            work.extend(current.parts)
        elif not current.is_number() and current.type.op != op.TypeVoid:
            return False
    return True


def tied(traversals: dict[Function, Traversal], module: Module) -> dict[Function, None]:
    """The functions that depend on their callers beyond arguments and shared memory, or call one that does; and those
    that are called dynamically, which are followed."""
    followed: dict[Function, None] = {}
    for function in traversals:
        for instr in instructions(function):
            if instr.op == op.CallDynamic:
                followed.update(dict.fromkeys(callees_of(instr, module)))
    for function in traversals:
        if any(_is_tied(instr) or any(each in followed for each in callees_of(instr, module))
               for instr in instructions(function)):  # fmt: skip
            followed[function] = None
    return followed


def _is_tied(instr: Instr) -> bool:
    if instr.op in traits.REPACKS:
        return True
    if instr.op >= opcodes.FIRST_OWN or instr.op in traits.KILLS or instr.op == op.DemoteToHelperInvocation:
        return True
    variables = [each for each in instr.operands if isinstance(each, Instr) and each.op == op.Variable]
    return any(variable.word(0) == enums.StorageClassPrivate for variable in variables)
