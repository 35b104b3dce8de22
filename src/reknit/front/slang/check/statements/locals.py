"""Variables and types declared inside functions.

int x = f;    Let(x, Convert(f))          A a;     Let(a, A's default, else Undefined)
let y = g();  Let(y, g()), immutable      static int n;    a global of the function's own
"""

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Entry, FunctionEntry, Scope, VariableEntry
from reknit.front.slang.check.declare.defaults import default_value, initializers
from reknit.front.slang.check.expressions.convert import convert
from reknit.front.slang.check.expressions.pseudo_expressions import ListExpr
from reknit.front.slang.check.templates.bind import depth_of
from reknit.front.slang.symbols import Variable
from reknit.front.slang.types import ERROR, NONE, NULLPTR, VOID, ArrayType, ErrorType, StructType, Type, same


def declare_local(ctx: Context, scope: Scope, decl: syntax.Decl, out: list[hir.Stmt]) -> None:
    if not isinstance(decl, syntax.VarDecl):
        ctx.bodies.declare_inside(scope, decl)
        return
    words = decl.modifiers.words
    if "static" in words or "groupshared" in words:
        _static(ctx, scope, decl)
        return
    type = None if decl.type is None else ctx.types.type_of(scope, decl.type)
    value = None if decl.init is None else ctx.expressions.value_or_list(scope, decl.init)
    type, init = initialized(ctx, decl, type, value)
    variable = local_variable(ctx, scope, decl, type)
    if not variable.mutable and not isinstance(init, hir.Undefined):
        variable.init = init  # it may be a constant
    out.append(hir.Let(decl.at, variable, init))


def initialized(ctx: Context, decl: syntax.VarDecl, type: Type | None, value: hir.Expr | None) -> tuple[Type, hir.Expr]:
    """The type and the first value of a variable."""
    at = decl.at
    if type is None:
        if value is None:
            message = "a variable declaration without an initial-value expression must be given an explicit type"
            ctx.error("E30620", at, message)
            return ERROR, hir.Undefined(at, ERROR)
        if isinstance(value, ListExpr) or value.type in (NONE, NULLPTR):
            ctx.error("E30019", value.at, f"the type of '{decl.name}' can't be inferred from {value.type}")
            return ERROR, hir.Undefined(at, ERROR)
        if same(value.type, VOID):
            ctx.error("E30009", at, "invalid type 'void'.")
            return ERROR, hir.Undefined(at, ERROR)
        return value.type, value
    if same(type, VOID):
        ctx.error("E30009", at if decl.type is None else decl.type.at, "invalid type 'void'.", 4)
        return ERROR, hir.Undefined(at, ERROR)
    if value is not None:
        converted = convert(ctx, value, type)
        if isinstance(type, ArrayType) and type.count is None:
            return converted.type, converted
        return type, converted
    if isinstance(type, StructType) and _has_default(ctx, type):
        return type, default_value(ctx, type, at)
    return type, hir.Undefined(at, type)


def _has_default(ctx: Context, type: StructType) -> bool:
    container = ctx.containers.get(type.struct.number)
    if container is not None and ctx.lazy.default(container) is not None:
        return True
    return any(not _params(initializer.entry) for initializer in initializers(ctx, type))


def _params(entry: Entry) -> bool:
    """Whether an initializer needs arguments."""
    if not isinstance(entry, FunctionEntry):
        return True
    return any(param.init is None for param in entry.decl.params)


def local_variable(ctx: Context, scope: Scope, decl: syntax.VarDecl, type: Type) -> Variable:
    """A new local, visible from here on."""
    variable = Variable(decl.name, ctx.number(), decl.at, "local", type)
    words = decl.modifiers.words
    variable.mutable = not any(word in words for word in ("let", "const", "constexpr"))
    variable.precise = "precise" in words
    _add(ctx, scope, decl, variable)
    return variable


def _add(ctx: Context, scope: Scope, decl: syntax.VarDecl, variable: Variable) -> None:
    have = scope.names.get(decl.name)
    if have and decl.name:
        ctx.reports.error(
            "E30200", decl.at, f"declaration of '{decl.name}' conflicts with existing declaration",
            [ctx.reports.note(have[0].at, "it is declared here", len(decl.name))], len(decl.name),
        )  # fmt: skip
    entry = VariableEntry(decl.name, decl.at, decl, scope)
    entry.variable = variable
    entry.done = True
    scope.names[decl.name] = [entry]


def _static(ctx: Context, scope: Scope, decl: syntax.VarDecl) -> None:
    entry = VariableEntry(decl.name, decl.at, decl, scope)
    variable = ctx.signatures.variable(entry)
    if scope.body is not None:
        variable.path = f"{scope.body.path}::{decl.name}"
    if variable.kind == "static" and scope.body is not None:
        function = scope.body.function
        if any(entry.function is function and depth_of(entry) == 0 for entry in ctx.variadic):
            ctx.unsupported(decl.at, f"the static variable '{decl.name}' of a function with a parameter pack")
    if variable.kind != "constant" or not isinstance(variable.type, ErrorType):
        ctx.program.globals.append(variable)
    scope.names[decl.name] = [entry]
