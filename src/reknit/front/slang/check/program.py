"""The checker as a whole: from a file's syntax to a Program.

    declare all -> bases, conformances -> signatures, globals -> what conformances have -> bodies -> entry points

Never raises for what a user wrote; the reports have the errors, and the Program what could be checked.
"""

from typing import final

from reknit.front.slang import hir, syntax
from reknit.front.slang.builtins import INTERFACES
from reknit.front.slang.check.context import CheckedEvidence, Context, Options
from reknit.front.slang.check.declare import bodies, declare, signatures
from reknit.front.slang.check.declare.declarations import (
    AliasEntry,
    AssocEntry,
    Container,
    FieldEntry,
    FunctionEntry,
    PropertyEntry,
    Scope,
    VariableEntry,
)
from reknit.front.slang.check.declare.linked import link_conformances
from reknit.front.slang.check.expressions import expressions, lambdas, lists
from reknit.front.slang.check.expressions.constants import integer
from reknit.front.slang.check.expressions.pseudo_expressions import ListExpr
from reknit.front.slang.check.generics import generics
from reknit.front.slang.check.statements import errors
from reknit.front.slang.check.types import conform, lazy_types, type_names
from reknit.front.slang.check.types.completer import TypeCompleter
from reknit.front.slang.report import Reports
from reknit.front.slang.sources import Sources
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.symbols import (
    Environment,
    Field,
    Function,
    Interface,
    Program,
    Requirement,
    Variable,
)
from reknit.front.slang.types import InterfaceType, Type


@final
class Checker(Context):
    """Answers what the parts ask of each other."""

    def __init__(self, sources: Sources, reports: Reports, options: Options) -> None:
        evidence = CheckedEvidence()
        super().__init__(sources, reports, options, evidence)
        evidence.context = self
        self.program.evidence = evidence
        self.completer = TypeCompleter(self)
        self.headers_done = False
        self.later: list[tuple[Environment, Substitution, int]] = []
        for name in INTERFACES:
            interface = Interface(name, self.number(), 0, name, Environment([], []))
            interface.builtin = True
            self.builtin_interfaces[name] = interface

    def expression(self, scope: Scope, written: syntax.Expr) -> hir.Expr:
        return expressions.expression(self, scope, written)

    def value(self, scope: Scope, written: syntax.Expr) -> hir.Expr:
        return expressions.value(self, scope, written)

    def initial(self, scope: Scope, written: syntax.Expr) -> hir.Expr:
        return expressions.value_or_list(self, scope, written)

    def lambda_value(self, scope: Scope, written: syntax.Lambda) -> hir.Expr:
        return lambdas.lambda_(self, scope, written)

    def type_of(self, scope: Scope, written: syntax.Expr) -> Type:
        return type_names.type_of(self, scope, written)

    def argument_of(self, scope: Scope, written: syntax.Expr) -> Type:
        return type_names.argument_of(self, scope, written)

    def constant(self, scope: Scope, written: syntax.Expr) -> Type:
        return type_names.constant(self, scope, written)

    def check_later(self, environment: Environment, made: Substitution, at: int) -> None:
        if not environment.constraints:
            return
        if self.headers_done:
            generics.check_constraints(self, environment, made.copy(), at)
        else:
            self.later.append((environment, made.copy(), at))

    def list_fits(self, written: ListExpr, type: Type) -> bool:
        return lists.list_fits(self, written, type)

    def from_list(self, written: ListExpr, type: Type) -> hir.Expr:
        return lists.from_list(self, written, type)

    def declare_inside(self, scope: Scope, decl: syntax.Decl) -> None:
        path = scope.body.path if scope.body is not None else ""
        first = len(self.all), len(self.functions), len(self.enums), len(self.constants)
        declare.declare_all(self, scope, [decl], None, path)
        for container, at, owner in self.enums[first[2] :]:
            lazy_types.enum_cases(self, container, at, owner)
        for container in self.all[first[0] :]:
            self.bases(container)
            self.fields(container)
        for entry in self.functions[first[1] :]:
            self.signature(entry)
        for constant in self.constants[first[3] :]:
            self._global(constant)
        for container in self.all[first[0] :]:
            for conformance in container.conformances:
                conform.check(self, conformance)
        for entry in self.functions[first[1] :]:
            bodies.check_body(self, entry)

    def environment(self, container: Container) -> Environment:
        return lazy_types.environment(self, container)

    def bases(self, container: Container) -> None:
        lazy_types.bases(self, container, self.completer)

    def conform(self, container: Container, interface: InterfaceType, at: int) -> None:
        lazy_types.conform(self, container, interface, at, self.completer)
        for conformance in container.conformances:
            conform.check(self, conformance)

    def fields(self, container: Container) -> list[FieldEntry]:
        return lazy_types.fields(self, container)

    def signature(self, entry: FunctionEntry) -> Function:
        return signatures.signature(self, entry)

    def field(self, entry: FieldEntry) -> Field:
        return lazy_types.field(self, entry)

    def variable(self, entry: VariableEntry) -> Variable:
        return signatures.variable(self, entry)

    def constant_requirement(self, entry: VariableEntry) -> Requirement:
        return signatures.constant_requirement(self, entry)

    def alias(self, entry: AliasEntry) -> Type:
        return lazy_types.alias(self, entry)

    def associated(self, entry: AssocEntry) -> Requirement:
        return lazy_types.associated(self, entry)

    def accessor(self, entry: PropertyEntry) -> Function | None:
        return signatures.accessor(self, entry)

    def default(self, container: Container) -> Function | None:
        return lazy_types.default(self, container)

    # ---- the whole

    def run(self, unit: syntax.Unit) -> Program:
        self.glsl = unit.glsl
        self.hlsl = unit.hlsl
        self.column_major = unit.column_major
        declare.declare_all(self, self.root, unit.declarations, None, "")
        for container, scope, owner in self.enums:
            lazy_types.enum_cases(self, container, scope, owner)
        for container in list(self.all):
            self.bases(container)
        self.headers_done = True
        for environment, made, at in self.later:
            generics.check_constraints(self, environment, made, at)
        link_conformances(self, self.completer)
        self._signatures()
        for conformance in list(self.program.conformances):
            conform.check(self, conformance)
        self._bodies()
        self._finish()
        return self.program

    def _signatures(self) -> None:
        for container in list(self.all):
            self.fields(container)
            for entry in container.order:
                if isinstance(entry, AliasEntry):
                    self.alias(entry)
                elif isinstance(entry, AssocEntry):
                    self.associated(entry)
        for entries in list(self.root.names.values()):
            for one in entries:
                if isinstance(one, AliasEntry):
                    self.alias(one)
        for function in list(self.functions):
            self.signature(function)
        for variable in list(self.globals):
            self._global(variable)
        for variable in list(self.constants):
            self._global(variable)

    def _global(self, entry: VariableEntry) -> None:
        if entry.requirement is not None:
            self.constant_requirement(entry)
            return
        made = self.variable(entry)
        if made not in self.program.globals:
            self.program.globals.append(made)

    def _bodies(self) -> None:
        stages = dict.fromkeys(self.options.entries, self.options.stage)
        for entry in list(self.functions):
            if self.reports.full:
                return
            bodies.check_body(self, entry)
            bodies.mark_entry(self, entry, stages)
        errors.check_tried(self)

    def _finish(self) -> None:
        for scope, written in self.asserts:
            value = integer(self.value(scope, written.condition))
            if value is None:
                self.error("E41402", written.at, "condition for static assertion must be a compile-time constant")
            elif not value:
                self.error("E41400", written.at, f"static assertion failed, {written.message}")
        names = {function.name for function in self.program.entries}
        for name in self.options.entries:
            if name not in names:
                self.error("E38000", 1 << 16 | 1, f"no function found matching entry point name '{name}'")
        self.program.functions = [entry.function for entry in self.functions if entry.function is not None] + self.made


def check(unit: syntax.Unit, sources: Sources, reports: Reports, options: Options | None = None) -> Program:
    """What a parsed file means; errors are in `reports`."""
    return Checker(sources, reports, options if options is not None else Options()).run(unit)
