"""A call in a context: where it can go, what each callee is given, and what that leaves.

    CallDynamic (lookup %w, foo) %x, 7      targets: WA's A.foo, WB's B.foo      key: x = {A}, 7
                                            result, out: of the callee's context, as the caller has them
"""

from typing import final

from reknit.analysis.typeflow.callable_values import type_of
from reknit.analysis.typeflow.constants import is_number
from reknit.analysis.typeflow.context import Context, Env, info_at
from reknit.analysis.typeflow.function_facts import Facts
from reknit.analysis.typeflow.lattice import EVERYTHING, PAYLOAD, Form, Forms, Info
from reknit.analysis.typeflow.transfer import Program, load
from reknit.ir import op
from reknit.ir.callables import base_and_bound, is_direct
from reknit.ir.dispatch import entry_of, function_of_callable
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.value import Value


class Solver(Program):
    """What a frame asks besides: contexts."""

    __slots__ = ()

    def context_of(self, function: Function, key: tuple[object, ...], call: Instr) -> Context | None:
        """The context of a call; None for a function with nothing dynamic, or one that can't be entered again."""
        raise AssertionError("`solve` answers")

    def facts_of(self, function: Function) -> Facts:
        """What is asked of a function often."""
        raise AssertionError("`solve` answers")


@final
class Target:
    """A function that a call may come to. `table` is what it is looked up in; `identity` distinguishes it from the
    others of its call. `bound` are the sets of tables that came with it, for its first parameters."""

    __slots__ = ("table", "function", "identity", "bound")

    def __init__(self, table: Instr | None, function: Function, identity: object, bound: list[Info]) -> None:
        self.table = table
        self.function = function
        self.identity = identity
        self.bound = bound


@final
class Calls:
    """The calls of one context. `env` is what holds where the call stands."""

    __slots__ = ("solver", "forms", "context")

    def __init__(self, solver: Solver, forms: Forms, context: Context) -> None:
        self.solver = solver
        self.forms = forms
        self.context = context

    def targets(self, instr: Instr, bound: list[Value], env: Env) -> list[Target]:
        """The functions that can be called now; `bound` gets the tables that they take first."""
        callable = instr.value(0)
        if isinstance(callable, Function):
            return [Target(None, callable, None, [])]
        if not is_direct(callable):
            return self._from_values(callable, env)
        callable, tables_first = base_and_bound(callable)
        bound.extend(tables_first)
        direct = function_of_callable(callable)
        if direct is not None:
            return [Target(None, direct, None, [])]
        assert isinstance(callable, Instr) and callable.op == op.LookupWitness
        source = callable.instr(0)
        tables = info_at(self.context, self.forms, source, env)
        if source.type is None or not isinstance(tables, int):
            return []
        self.context.sites[instr] = tables
        targets: list[Target] = []
        for table in self.forms.universe.of(source.type).members(tables):
            entry = entry_of(table, callable.value(1))
            if isinstance(entry, Function):
                targets.append(Target(table, entry, table, []))
        return targets

    def _from_values(self, callable: Value, env: Env) -> list[Target]:
        """What a callable that came as a value may be, with all the tables that may be bound to each."""
        info = info_at(self.context, self.forms, callable, env)
        type = type_of(callable)
        if not isinstance(info, int) or type is None:
            return []
        targets: list[Target] = []
        for (table, function), elements in self.forms.callables.groups(type, info).items():
            bound: list[Info] = []
            for index, param in enumerate(function.params[: len(elements[0][2])]):
                assert param.type is not None
                interface = self.forms.universe.of(param.type)
                tables = 0
                for element in elements:
                    tables |= interface.bits[element[2][index]]
                bound.append(tables)
            targets.append(Target(table, function, (table, function), bound))
        return targets

    def key(self, target: Target, arguments: list[Value], env: Env) -> tuple[object, ...]:
        """What distinguishes the callee's context from its others: what each parameter gets."""
        facts = self.solver.facts_of(target.function)
        key: list[object] = []
        for param, tables in zip(target.function.params, target.bound, strict=False):
            key.append(0 if param in facts.unused else tables)
        for param, argument in zip(target.function.params[len(target.bound) :], arguments, strict=True):
            form = self.forms.of(param.type)
            root = facts.roots.get(param)
            if param in facts.unused:
                key.append(self.forms.fill(form, 0) if form is not None else None)
            elif form is not None:
                key.append(self._given(form, argument, env))
            elif root is not None:
                key.append(self._content(root, argument, env) if facts.read[param] else None)
            elif is_number(param.type) and param in facts.controlling:
                number = self.context.constant(argument)
                key.append(number if isinstance(number, int) else None)
            else:
                key.append(None)
        return tuple(key)

    def _given(self, form: Form, argument: Value, env: Env) -> Info:
        """What a parameter gets. The object of a method is of its table's type."""
        info = info_at(self.context, self.forms, argument, env)
        given = self.forms.of(argument.type) if isinstance(argument, Instr) else None
        if given is not None and given.kind == PAYLOAD and form.kind != PAYLOAD:
            return self.solver.cell(form.type, form)
        return info if info is not None else self.forms.fill(form, 0)

    def _content(self, form: Form, argument: Value, env: Env) -> Info:
        given = self.forms.pointee(argument.type) if isinstance(argument, Instr) else None
        if given is None or (given.kind == PAYLOAD and form.kind != PAYLOAD):
            return self.solver.cell(form.type, form)
        return load(self.solver, self.forms, self.context, argument, env)

    def result(self, function: Function, form: Form | None, context: Context) -> Info:
        own = self.forms.of(function.result)
        if form is not None and form.kind == PAYLOAD and (own is None or own.kind != PAYLOAD):
            if own is not None:
                self.solver.raise_cell(own.type, own, context.result)
            return self.forms.universe.type_bit(function.result)
        return context.result

    def plain_result(self, function: Function, form: Form | None) -> Info:
        """Of a function in which nothing is dynamic."""
        if form is None:
            return None
        if form.kind == PAYLOAD and self.forms.of(function.result) is None:
            return self.forms.universe.type_bit(function.result)
        return self.forms.fill(form, EVERYTHING)

    def out(self, function: Function, index: int, argument: Value, context: Context) -> Info:
        own = self.forms.pointee(function.params[index].type)
        given = self.forms.pointee(argument.type) if isinstance(argument, Instr) else None
        unused = function.params[index] in self.solver.facts_of(function).unused  # then nothing asked what it points to
        if own is None or context.outs[index] is None or unused:
            return None
        if given is None or (given.kind == PAYLOAD and own.kind != PAYLOAD):
            self.solver.raise_cell(own.type, own, context.outs[index])
            return None
        return context.outs[index]
