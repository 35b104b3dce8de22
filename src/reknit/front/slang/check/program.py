"""The checker as a whole: from a file's syntax to a Program.

    declare all -> bases, conformances -> signatures, globals -> what conformances have -> bodies -> entry points

Never raises for what a user wrote; the reports have the errors, and the Program what could be checked.
"""

from reknit.front.slang import syntax
from reknit.front.slang.builtins import INTERFACES
from reknit.front.slang.check.context import CheckedEvidence, Context, Options
from reknit.front.slang.check.declare import declare
from reknit.front.slang.check.declare.bodies import Bodies, mark_entry
from reknit.front.slang.check.declare.declarations import AliasEntry, AssocEntry, Container
from reknit.front.slang.check.declare.linked import link_conformances
from reknit.front.slang.check.declare.signatures import Signatures
from reknit.front.slang.check.declare.uncalled import check_uncalled
from reknit.front.slang.check.expressions.constants import integer
from reknit.front.slang.check.expressions.expressions import Expressions
from reknit.front.slang.check.expressions.function_values import FunctionValues
from reknit.front.slang.check.expressions.lambdas import Lambdas
from reknit.front.slang.check.expressions.lists import Lists
from reknit.front.slang.check.generics import generics
from reknit.front.slang.check.statements import errors
from reknit.front.slang.check.types import conform
from reknit.front.slang.check.types.completer import TypeCompleter
from reknit.front.slang.check.types.enum_cases import enum_cases
from reknit.front.slang.check.types.lazy_types import LazyTypes
from reknit.front.slang.check.types.type_names import TypeNames
from reknit.front.slang.report import Reports
from reknit.front.slang.sources import START, Sources
from reknit.front.slang.symbols import Environment, Interface, Program


def check(unit: syntax.Unit, sources: Sources, reports: Reports, options: Options | None = None) -> Program:
    """What a parsed file means; errors are in `reports`."""
    ctx = _context(sources, reports, options if options is not None else Options())
    ctx.glsl = unit.glsl
    ctx.hlsl = unit.hlsl
    ctx.column_major = unit.column_major
    declare.declare_all(ctx, ctx.root, unit.declarations, None, "")
    if ctx.explicit:
        from reknit.front.slang.check.templates import explicit

        explicit.attach(ctx)
    declare.resolve_usings(ctx)
    for container, scope, owner in ctx.enums:
        enum_cases(ctx, container, scope, owner)
    for container in list(ctx.all):
        ctx.lazy.bases(container)
    ctx.headers_done = True
    for environment, substitution, at in ctx.later:
        generics.check_constraints(ctx, environment, substitution, at)
    link_conformances(ctx)
    _signatures(ctx)
    if ctx.explicit:
        from reknit.front.slang.check.templates import explicit

        explicit.make(ctx)
    _finish_instances(ctx)
    for conformance in list(ctx.program.conformances):
        conform.check(ctx, conformance)
    _bodies(ctx)
    _finish(ctx)
    return ctx.program


def _context(sources: Sources, reports: Reports, options: Options) -> Context:
    evidence = CheckedEvidence()
    ctx = Context(sources, reports, options, evidence)
    evidence.context = ctx
    ctx.program.evidence = evidence
    ctx.expressions = Expressions(ctx)
    ctx.lists = Lists(ctx)
    ctx.lambdas = Lambdas(ctx)
    ctx.function_values = FunctionValues(ctx)
    ctx.types = TypeNames(ctx)
    ctx.lazy = LazyTypes(ctx)
    ctx.signatures = Signatures(ctx)
    ctx.bodies = Bodies(ctx)
    ctx.completer = TypeCompleter(ctx)
    for name in INTERFACES:
        interface = Interface(name, ctx.number(), 0, name, Environment([], []))
        interface.builtin = True
        ctx.builtin_interfaces[name] = interface
    return ctx


def _signatures(ctx: Context) -> None:
    for container in list(ctx.all):
        _members(ctx, container)
    for entries in list(ctx.root.names.values()):
        for named in entries:
            if isinstance(named, AliasEntry):
                ctx.lazy.alias(named)
    for function in list(ctx.functions):
        ctx.signatures.function(function)
    for container in ctx.all:
        ctx.signatures.bind(container)
    for variable in ctx.globals + ctx.constants:
        ctx.signatures.declare_global(variable)


def _members(ctx: Context, container: Container) -> None:
    ctx.lazy.fields(container)
    for entry in container.order:
        if isinstance(entry, AliasEntry):
            ctx.lazy.alias(entry)
        elif isinstance(entry, AssocEntry):
            ctx.lazy.associated(entry)


def _finish_instances(ctx: Context) -> None:
    """What is done with every declaration, for all instances that are new."""
    while ctx.instances:
        fresh, ctx.instances = ctx.instances, []
        for container in fresh:
            ctx.lazy.bases(container)
            _members(ctx, container)
        for function in list(ctx.variadic):
            ctx.signatures.function(function)
        for variable in list(ctx.constants):
            ctx.signatures.declare_global(variable)
        for container in fresh:
            for conformance in container.conformances:
                conform.check(ctx, conformance)


def _bodies(ctx: Context) -> None:
    stages = dict.fromkeys(ctx.options.entries, ctx.options.stage)
    for entry in list(ctx.functions):
        if ctx.reports.full:
            return
        ctx.bodies.check(entry)
        mark_entry(ctx, entry, stages)
    _finish_instances(ctx)
    for entry in ctx.variadic:  # grows meanwhile
        if ctx.reports.full:
            return
        ctx.functions.append(entry)
        ctx.bodies.check(entry)
        _finish_instances(ctx)
    errors.check_tried(ctx)
    check_uncalled(ctx)


def _finish(ctx: Context) -> None:
    program = ctx.program
    for scope, written in ctx.asserts:
        value = integer(ctx.expressions.value(scope, written.condition))
        if value is None:
            ctx.error("E41402", written.at, "condition for static assertion must be a compile-time constant")
        elif not value:
            ctx.error("E41400", written.at, f"static assertion failed, {written.message}")
    names = {function.name for function in program.entries}
    for name in ctx.options.entries:
        if name not in names:
            message = f"no function found matching entry point name '{name}'"
            ctx.reports.error("E38000", START, message, help=ctx.options.there_are)
    program.functions = [entry.function for entry in ctx.functions if entry.function is not None] + ctx.synthesized
