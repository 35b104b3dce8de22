"""Bodies of functions, and which functions are entry points.

__init(int x) { a = x; }    Let(this, defaults)  ...  Return(this): an initializer is a function that makes one
[shader("compute")] [numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID)    entry "compute"
"""

from typing import Final, final

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare import declare
from reknit.front.slang.check.declare.declarations import Body, Entry, FunctionEntry, PackEntry, Scope, VariableEntry
from reknit.front.slang.check.declare.references import check_reference
from reknit.front.slang.check.declare.varyings import varying_of
from reknit.front.slang.check.expressions.constants import integer, is_specialized
from reknit.front.slang.check.statements import errors, statements
from reknit.front.slang.check.templates.bind import depth_of
from reknit.front.slang.check.types import conform
from reknit.front.slang.check.types.enum_cases import enum_cases
from reknit.front.slang.symbols import Variable
from reknit.front.slang.types import StructType, Type

_DIFFERENTIABLE: Final = (
    "differentiable", "forwarddifferentiable", "backwarddifferentiable", "treatasdifferentiable", "maybedifferentiable",
    "hastrivialforwardderivative", "forwardderivative", "backwardderivative", "primalsubstitute",
    "forwardderivativeof", "backwardderivativeof", "primalsubstituteof",
)  # fmt: skip
"""Attributes, in small letters: slangc's kinds of DifferentiableAttribute."""


@final
class Bodies:
    __slots__ = ("ctx",)

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    def check(self, entry: FunctionEntry) -> None:
        ctx = self.ctx
        function = ctx.signatures.function(entry)
        check_reference(ctx, entry)
        written = entry.decl.body
        if written is None:
            return
        scope = Scope(entry.inner)
        scope.environment = function.environment
        body = Body(function, function.result)
        body.this = function.this
        body.differentiable = is_differentiable(entry.decl)
        scope.body = body
        around, ctx.checking = ctx.checking, entry.decl.at
        depth, ctx.template_depth = ctx.template_depth, depth_of(entry)
        outside, ctx.inside = ctx.inside, scope
        _declare_params(entry, scope, function.params)
        if entry.decl.kind == "init":
            function.body = _initializer(ctx, scope, body, written)
        else:
            function.body = statements.block(ctx, scope, written)
        if function.thrown is not None:
            function.body = errors.started(function, function.body, written.at)
        ctx.checking = around
        ctx.inside = outside
        ctx.template_depth = depth

    def declare_inside(self, scope: Scope, decl: syntax.Decl) -> None:
        """A type, an alias or the like inside a function."""
        ctx = self.ctx
        path = scope.body.path if scope.body is not None else ""
        first = len(ctx.all), len(ctx.functions), len(ctx.enums), len(ctx.constants)
        declare.declare_all(ctx, scope, [decl], None, path)
        for container, at, owner in ctx.enums[first[2] :]:
            enum_cases(ctx, container, at, owner)
        for container in ctx.all[first[0] :]:
            ctx.lazy.fields(container)
        for entry in ctx.functions[first[1] :]:
            ctx.signatures.function(entry)
        for constant in ctx.constants[first[3] :]:
            ctx.signatures.declare_global(constant)
        for container in ctx.all[first[0] :]:
            for conformance in container.conformances:
                conform.check(ctx, conformance)
        for entry in ctx.functions[first[1] :]:
            self.check(entry)


def is_differentiable(decl: syntax.FuncDecl) -> bool:
    """Whether an attribute of the function says so."""
    return any(attribute.name.lower() in _DIFFERENTIABLE for attribute in decl.modifiers.attributes)


def _declare_params(entry: FunctionEntry, scope: Scope, params: list[Variable]) -> None:
    """Names for the parameters, one for all that a pack has."""
    known: list[Entry] = []
    for param in params:
        name = VariableEntry(param.name, param.at, None, scope)
        name.variable = param
        name.done = True
        known.append(name)
    alone = dict(enumerate(known))
    for index, (first, end) in entry.packs.items():
        written = entry.decl.params[index]
        scope.add(PackEntry(written.name, written.at, known[first:end]))
        for inside in range(first, end):
            del alone[inside]
    for entry_alone in alone.values():
        scope.add(entry_alone)


def _initializer(ctx: Context, scope: Scope, body: Body, written: syntax.Block) -> hir.Block:
    at = written.at
    this = Variable("this", ctx.number(), at, "local", body.result)
    body.this = this
    body.initializer = True
    block = hir.Block(at, [hir.Let(at, this, _start(ctx, body.result, at))])
    block.statements.append(statements.block(ctx, scope, written))
    block.statements.append(hir.Return(written.end, hir.Place(written.end, this.type, this)))
    return block


def _start(ctx: Context, type: Type, at: int) -> hir.Expr:
    """What an initializer starts from: the fields' defaults."""
    if isinstance(type, StructType):
        container = ctx.containers.get(type.struct.number)
        default = None if container is None else ctx.lazy.default(container)
        if default is not None:
            return hir.Call(at, type, default, ctx.evidence.struct_arguments(type), [])
    return hir.Undefined(at, type)


# ---- entry points


def mark_entry(ctx: Context, entry: FunctionEntry, stages: dict[str, str]) -> None:
    """Make an entry point of a function that says it is one, or whose name was given."""
    function = ctx.signatures.function(entry)
    modifiers = entry.decl.modifiers
    shader = modifiers.attribute("shader")
    stage = stages.get(entry.name, "") if entry.container is None else ""
    if shader is not None and shader.arguments and isinstance(shader.arguments[0], syntax.StringLiteral):
        stage = shader.arguments[0].value
    for attribute in modifiers.attributes:
        function.attributes[attribute.name.lower()] = _arguments(attribute)
    threads = modifiers.attribute("numthreads")
    if threads is None and stage == "compute":
        threads = ctx.group_size
    if threads is not None:
        function.group_size = _group_size(ctx, entry, threads)
    if not stage or entry.decl.body is None:
        return
    if function.thrown is not None:
        ctx.unsupported(entry.at, "an entry point that throws")
        return
    function.entry = "fragment" if stage == "pixel" else stage
    function.semantic = modifiers.semantic.upper()
    function.varying = varying_of(modifiers)
    for param, written in zip(function.params, entry.decl.params, strict=True):
        param.kind = "uniform" if "uniform" in written.modifiers.words else "entry"
    if threads is None and stage == "compute":
        function.group_size = [1, 1, 1]
    ctx.program.entries.append(function)


def _arguments(attribute: syntax.Attribute) -> list[object]:
    if attribute.name.lower() in ("shader", "numthreads"):
        return [
            argument.value
            for argument in attribute.arguments
            if isinstance(argument, (syntax.StringLiteral, syntax.IntLiteral))
        ]
    arguments: list[object] = []
    for written in attribute.arguments:
        if isinstance(written, syntax.IntLiteral) and written.negative:
            arguments.append(-written.value)
        elif isinstance(written, (syntax.StringLiteral, syntax.IntLiteral, syntax.FloatLiteral, syntax.BoolLiteral)):
            arguments.append(written.value)
        elif isinstance(written, syntax.Name):
            arguments.append(written.text)
    return arguments


MAX_THREADS: Final = 0x7FFFFFFF


def _group_size(ctx: Context, entry: FunctionEntry, attribute: syntax.Attribute) -> list[int]:
    sizes: list[int] = []
    for written in attribute.arguments:
        expr = ctx.expressions.expression(entry.scope, written)
        value = integer(expr)
        if value is None:
            if is_specialized(expr):
                ctx.unsupported(written.at, "a workgroup's size that depends on a specialization constant")
            else:
                ctx.error("E39999", written.at, "expression does not evaluate to a compile-time constant")
            value = 1
        elif value < 1:
            ctx.error("E31102", attribute.at, f"expected a positive integer in 'numthreads' attribute, got '{value}'")
            value = 1
        elif value > MAX_THREADS:
            ctx.error(
                "E31102", attribute.at, f"expected at most {MAX_THREADS} in 'numthreads' attribute, got '{value}'"
            )
            value = 1
        sizes.append(value)
    return (sizes + [1, 1, 1])[:3]
