"""Lambdas: structs of their own, which hold what they take along and are called by `operator()`.

    let f = (int x) => x + c;     f : _slang_Lambda_main_1      its value  Construct([c])
                                  _slang_Lambda_main_1 : IFunc<int, int>

The type of the result is that of the expression, or of the first `return`; all others must have the same.
"""

from typing import Final, final

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Body, Container, FunctionEntry, Scope, VariableEntry
from reknit.front.slang.check.declare.signatures import parameter
from reknit.front.slang.check.expressions.captures import Captures
from reknit.front.slang.check.statements import statements
from reknit.front.slang.check.types import conform
from reknit.front.slang.check.types.function_interfaces import CALL, IMMUTABLE, function_interface
from reknit.front.slang.symbols import Function, Struct, Variable
from reknit.front.slang.types import VOID, ErrorType, InterfaceType, ParamType, StructType

_PREFIX: Final = "_slang_Lambda"


@final
class Lambdas:
    __slots__ = ("ctx",)

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    def value(self, scope: Scope, written: syntax.Lambda) -> hir.Expr:
        """The value of a lambda expression."""
        ctx = self.ctx
        container = struct_of(ctx, scope, written.at)
        struct, type = container.struct, container.self_type
        if struct is None or not isinstance(type, StructType):
            return hir.Undefined(written.at, ErrorType())
        params = [parameter(ctx, container.scope, param) for param in written.params]
        function = call_of(ctx, container, written.at, written.params, params)
        captures = Captures(scope.body, this_of_call(ctx, function, type), struct)
        function.body = _body(ctx, scope, written, function, captures)
        ctx.synthesized.append(function)
        struct.functions.append(function)
        if not isinstance(function.result, ErrorType):
            interface = function_interface(
                ctx, IMMUTABLE, [function.result, *[param.type for param in function.params]], written.at
            )
            conforms(ctx, container, interface, written.at)
        return hir.Construct(written.at, type, captures.parts)


def struct_of(ctx: Context, scope: Scope, at: int) -> Container:
    """A struct without fields or functions, for what can be called."""
    number = ctx.number()
    outer = scope.body.path if scope.body is not None else ""
    ctx.lambda_count += 1
    name = "_".join([part for part in (_PREFIX, outer.rsplit(":", 1)[-1], str(ctx.lambda_count)) if part])
    container = Container("struct", name, at, scope, f"{outer}::{name}" if outer else name)
    container.struct = Struct(name, number, at, container.path, scope.environment)
    container.environment = scope.environment
    container.inner.environment = scope.environment
    container.self_type = StructType(container.struct, [ParamType(param) for param in scope.environment.params])
    container.stage = 4
    container.fields_done = True
    ctx.containers[number] = container
    ctx.program.structs.append(container.struct)
    return container


def call_of(
    ctx: Context, container: Container, at: int, written: list[syntax.VarDecl], params: list[Variable]
) -> Function:
    """`operator()` of the struct, without a body; its result is not known yet."""
    decl = syntax.FuncDecl(at, CALL, syntax.Modifiers(), "operator", None, written, None, syntax.Block(at, [], at))
    entry = FunctionEntry(CALL, decl, container.scope, container)
    container.add(entry)
    function = Function(CALL, ctx.number(), at, f"{container.path}.{CALL}", container.inner.environment)
    function.owner = container.self_type
    function.params = params
    entry.function = function
    return function


def conforms(ctx: Context, container: Container, interface: InterfaceType, at: int) -> None:
    """The struct conforms to what its `operator()` is."""
    ctx.lazy.conform(container, interface, at)
    for conformance in container.conformances:
        conform.check(ctx, conformance)


def this_of_call(ctx: Context, function: Function, type: StructType) -> Variable:
    this = Variable("this", ctx.number(), function.at, "this", type)
    this.mutable = False
    function.this = this
    return this


def _body(
    ctx: Context, outside: Scope, written: syntax.Lambda, function: Function, captures: Captures
) -> hir.Block:
    scope = Scope(outside)
    body = Body(function, VOID)
    body.captures = captures
    body.infers = True
    body.differentiable = outside.body is not None and outside.body.differentiable
    scope.body = body
    for param in function.params:
        known = VariableEntry(param.name, param.at, None, scope)
        known.variable = param
        known.done = True
        scope.add(known)
    inside = written.body
    if isinstance(inside, syntax.Expr):
        inside = syntax.Return(inside.at, inside)
    block = statements.block(ctx, scope, inside)
    function.result = body.result
    return block
