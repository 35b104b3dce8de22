"""Statements, and what may stand where.

    for (int i = 0; i < 4; i++) s      Block [Let i, Loop(i < 4, i++, Block s)]
    if (let x = o) s                   Block [Let o', If(HasValue o', Block [Let x = GetValue o', s])]
    break outer;                       Break(the Target of the statement that is labelled so)

A chain of `else if` is walked with a loop.
"""


from reknit.front.slang import hir, syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Body, Jumpable, Scope
from reknit.front.slang.check.expressions import expressions
from reknit.front.slang.check.expressions.constants import generic_value, integer
from reknit.front.slang.check.expressions.convert import cost, mismatch
from reknit.front.slang.check.expressions.packs import spread_all
from reknit.front.slang.check.expressions.pseudo_expressions import is_value
from reknit.front.slang.check.statements import errors, returns
from reknit.front.slang.check.statements.locals import declare_local, local_variable
from reknit.front.slang.integers import bits, integral, wrap
from reknit.front.slang.symbols import Variable
from reknit.front.slang.types import (
    INT,
    UINT,
    ConstType,
    EnumType,
    ErrorType,
    OptionalType,
    ScalarType,
    Type,
)
from reknit.source.diagnostic import InternalError
from reknit.source.meter import spend


def block(ctx: Context, scope: Scope, written: syntax.Stmt) -> hir.Block:
    """A statement as a scope of its own."""
    inner = Scope(scope)
    out = hir.Block(written.at, [])
    if isinstance(written, syntax.Block):
        for nested in written.statements:
            statement(ctx, inner, nested, out.statements)
    else:
        statement(ctx, inner, written, out.statements)
    return out


def statement(ctx: Context, scope: Scope, written: syntax.Stmt, out: list[hir.Stmt]) -> None:
    """Check one statement, put what it is on `out`."""
    spend(4)
    at = written.at
    if isinstance(written, syntax.ExprStmt):
        for expression in spread_all(ctx, scope, [written.value]):
            if is_value(expression) and not isinstance(expression.type, ErrorType):
                out.append(hir.Eval(at, expression))
    elif isinstance(written, syntax.DeclStmt):
        for decl in written.declarations:
            declare_local(ctx, scope, decl, out)
    elif isinstance(written, syntax.Block):
        out.append(block(ctx, scope, written))
    elif isinstance(written, syntax.If):
        _if_chain(ctx, scope, written, out)
    elif isinstance(written, syntax.Return):
        returns.return_(ctx, scope, written, out)
    elif isinstance(written, (syntax.For, syntax.While, syntax.DoWhile)):
        _loop(ctx, scope, written, "", out)
    elif isinstance(written, syntax.Switch):
        _switch(ctx, scope, written, "", out)
    elif isinstance(written, syntax.Jump):
        _jump(ctx, scope, written, out)
    elif isinstance(written, syntax.Labelled):
        _labelled(ctx, scope, written, out)
    elif isinstance(written, syntax.Defer):
        _defer(ctx, scope, written, out)
    elif isinstance(written, syntax.Throw):
        errors.throw(ctx, scope, written, out)
    elif isinstance(written, syntax.DoCatch):
        _do_catch(ctx, scope, written, out)
    elif isinstance(written, syntax.UnsupportedStmt):
        ctx.unsupported(at, written.what)


def _body(scope: Scope) -> Body:
    if scope.body is None:
        raise InternalError("a statement outside of a function")
    return scope.body


# ---- if


def _if_chain(ctx: Context, scope: Scope, written: syntax.If, out: list[hir.Stmt]) -> None:
    first: hir.Stmt | None = None
    last: hir.If | None = None
    now: syntax.If | None = written
    before = len(ctx.tested)
    while now is not None:
        outer, inner = _if(ctx, scope, now)
        if last is None:
            first = outer
        else:
            last.otherwise = outer
        last = inner
        after = now.otherwise
        now = after if isinstance(after, syntax.If) else None
        if after is not None and now is None:
            last.otherwise = block(ctx, scope, after)
    del ctx.tested[before:]
    if first is not None:
        out.append(first)


def _if(ctx: Context, scope: Scope, written: syntax.If) -> tuple[hir.Stmt, hir.If]:
    hint = ""
    for attribute in written.attributes:
        if attribute.name.lower() in ("branch", "flatten"):
            hint = attribute.name.lower()
    if written.binding is not None:
        return _if_let(ctx, scope, written, written.binding, hint)
    if isinstance(written.condition, syntax.Assign):
        ctx.error(
            "E30057", written.condition.at,
            "use an assignment operation as predicate expression is not allowed, wrap the assignment with '()' to "
            "clarify the intent.",
        )  # fmt: skip
    condition = expressions.condition(ctx, scope, written.condition)
    if isinstance(condition, hir.SameType):
        ctx.tested.append(condition)
    branch = hir.If(written.at, condition, block(ctx, scope, written.then), None, hint)
    return branch, branch


def _if_let(
    ctx: Context, scope: Scope, written: syntax.If, binding: syntax.VarDecl, hint: str
) -> tuple[hir.Stmt, hir.If]:
    value = ctx.expressions.value(scope, written.condition)
    at = written.at
    inner = Scope(scope)
    if not isinstance(value.type, OptionalType):
        if not isinstance(value.type, ErrorType):
            ctx.error("E30019", value.at, f"expected an expression of type 'Optional<T>', got '{value.type}'")
        bound: Type = value.type
        local_variable(ctx, inner, binding, bound)
        branch = hir.If(at, hir.Undefined(at, value.type), block(ctx, inner, written.then), None, hint)
        return branch, branch
    temporary = Variable("$optional", ctx.number(), at, "local", value.type)
    temporary.mutable = False
    variable = local_variable(ctx, inner, binding, value.type.element)
    then = hir.Block(at, [hir.Let(at, variable, hir.GetValue(at, variable.type, hir.Place(at, value.type, temporary)))])
    then.statements.append(block(ctx, inner, written.then))
    test = hir.If(at, hir.HasValue(at, hir.Place(at, value.type, temporary)), then, None, hint)
    return hir.Block(at, [hir.Let(at, temporary, value), test]), test


# ---- loops


def _loop(
    ctx: Context, scope: Scope, written: syntax.For | syntax.While | syntax.DoWhile, label: str, out: list[hir.Stmt]
) -> None:
    body = _body(scope)
    at = written.at
    target = hir.Target(label)
    unscoped = ctx.hlsl and isinstance(written, syntax.For)
    inner = scope if unscoped else Scope(scope)
    made_first: list[hir.Stmt] = []
    condition: hir.Expr | None = None
    step: hir.Expr | None = None
    if isinstance(written, syntax.For):
        if isinstance(written.first, syntax.DeclStmt) and unscoped:
            for decl in written.first.declarations:
                scope.names.pop(decl.name, None)
        if written.first is not None:
            statement(ctx, inner, written.first, made_first)
        if written.condition is not None:
            condition = expressions.condition(ctx, inner, written.condition)
        if written.step is not None:
            tried = len(ctx.tried)
            step = ctx.expressions.value(inner, written.step)
            _refuse_try(ctx, tried)
    elif isinstance(written, syntax.While):
        condition = expressions.condition(ctx, inner, written.condition)
    body.targets.append(Jumpable(target, "loop", label))
    inside = block(ctx, inner, written.body)
    body.targets.pop()
    if isinstance(written, syntax.DoWhile):
        tried = len(ctx.tried)
        condition = expressions.condition(ctx, inner, written.condition)
        _refuse_try(ctx, tried)
    loop = hir.Loop(at, target, condition, step, inside, not isinstance(written, syntax.DoWhile))
    _loop_hint(ctx, scope, loop, written.attributes)
    if unscoped:
        out.extend([*made_first, loop])
    elif made_first:
        out.append(hir.Block(at, [*made_first, loop]))
    else:
        out.append(loop)


def _refuse_try(ctx: Context, first: int) -> None:
    """Of calls that throw, the `first` and later ones run between two rounds of a loop, which only the loop leaves."""
    if len(ctx.tried) > first:
        ctx.unsupported(ctx.tried[first].at, "`try` in what goes on with a loop")


def _loop_hint(ctx: Context, scope: Scope, loop: hir.Loop, attributes: list[syntax.Attribute]) -> None:
    for attribute in attributes:
        name = attribute.name.lower()
        if name in ("unroll", "forceunroll"):
            loop.hint = "unroll"
            if attribute.arguments:
                count = ctx.types.constant(scope, attribute.arguments[0])
                loop.count = count.value if isinstance(count, ConstType) else 0
        elif name == "loop":
            loop.hint = "loop"


def _labelled(ctx: Context, scope: Scope, written: syntax.Labelled, out: list[hir.Stmt]) -> None:
    inside = written.body
    if isinstance(inside, (syntax.For, syntax.While, syntax.DoWhile)):
        _loop(ctx, scope, inside, written.name, out)
        return
    if isinstance(inside, syntax.Switch):
        _switch(ctx, scope, inside, written.name, out)
        return
    body = _body(scope)
    body.targets.append(Jumpable(hir.Target(written.name), "label", written.name))
    out.append(block(ctx, scope, inside))
    body.targets.pop()


# ---- jumps


def _jump(ctx: Context, scope: Scope, written: syntax.Jump, out: list[hir.Stmt]) -> None:
    at = written.at
    if written.kind == "discard":
        out.append(hir.Discard(at))
        return
    target = _target(ctx, _body(scope), written)
    if target is not None:
        out.append(hir.Break(at, target.target) if written.kind == "break" else hir.Continue(at, target.target))


def _target(ctx: Context, body: Body, written: syntax.Jump) -> Jumpable | None:
    is_break = written.kind == "break"
    for target in reversed(body.targets):
        if target.kind == "defer":
            if is_break:
                ctx.error("E30108", written.at, "'break' must not appear inside a defer statement.")
            else:
                ctx.error("E30109", written.at, "'continue' must not appear inside a defer statement.")
            return None
        if written.label:
            if target.label == written.label and target.kind == "label":
                ctx.error(
                    "E30054", written.at,
                    f"invalid break target: statement labeled '{written.label}' is not breakable.", len(written.kind),
                )  # fmt: skip
                return None
            if target.label == written.label:
                return target
        elif target.kind == "loop" or (is_break and target.kind == "switch"):
            return target
    if written.label:
        ctx.error("E30053", written.at, f"label '{written.label}' used as break target is not found.")
    elif is_break:
        ctx.error("E30003", written.at, "'break' must appear inside loop or switch constructs.", 5)
    else:
        ctx.error("E30004", written.at, "'continue' must appear inside loop constructs.", 8)
    return None


def _do_catch(ctx: Context, scope: Scope, written: syntax.DoCatch, out: list[hir.Stmt]) -> None:
    """A labelled block for each catch, the first innermost; what is thrown leaves one, and its handler is next."""
    body = _body(scope)
    done = hir.Target("done")
    catching = [errors.Catching(ctx, scope, catch) for catch in written.catches]
    for handled in reversed(catching):
        body.targets.append(Jumpable(handled.target, "catch", "", handled.caught))
    nested = block(ctx, scope, written.body)
    del body.targets[len(body.targets) - len(catching) :]
    for handled in catching:
        nested.statements.append(hir.Break(written.at, done))
        at = handled.written.at
        nested = hir.Block(at, [*handled.before, hir.Labelled(at, handled.target, nested)])
        nested.statements.append(block(ctx, handled.scope, handled.written.body))
    out.append(hir.Labelled(written.at, done, nested))


def _defer(ctx: Context, scope: Scope, written: syntax.Defer, out: list[hir.Stmt]) -> None:
    body = _body(scope)
    body.targets.append(Jumpable(hir.Target(), "defer"))
    deferred = block(ctx, scope, written.body)
    body.targets.pop()
    out.append(hir.Defer(written.at, deferred))


# ---- switch


def _switch(ctx: Context, scope: Scope, written: syntax.Switch, label: str, out: list[hir.Stmt]) -> None:
    body = _body(scope)
    value = ctx.expressions.value(scope, written.value)
    type = value.type
    if not isinstance(type, ErrorType) and integral(type) is None:
        ctx.error("E30607", value.at, f"'switch' condition must be of an integer or enum type, but is of type '{type}'")
        value = hir.Undefined(value.at, INT)
        type = INT
    if isinstance(type, EnumType):
        value = hir.Convert(value.at, type.enum.underlying, value)
    elif isinstance(type, ScalarType) and type.kind == "bool":
        value = hir.Convert(value.at, UINT, value)
    target = hir.Target(label)
    body.targets.append(Jumpable(target, "switch", label))
    inner = Scope(scope)
    cases: list[hir.Case] = []
    seen: dict[int, int] = {}
    default = -1
    for group in written.groups:
        case = hir.Case(group.at, [], False, hir.Block(group.at, []))
        for named in group.labels:
            if named.value is None:
                if default >= 0:
                    ctx.error("E30602", named.at, "multiple 'default' cases not allowed within a 'switch' statement")
                default = named.at
                case.default = True
            else:
                _case(ctx, scope, type, named, named.value, seen, case)
        case_scope = Scope(inner)
        for statement_ in group.statements:
            statement(ctx, case_scope, statement_, case.body.statements)
        cases.append(case)
    body.targets.pop()
    hint = ""
    for attribute in written.attributes:
        if attribute.name.lower() in ("branch", "flatten"):
            hint = attribute.name.lower()
    out.append(hir.Switch(written.at, target, value, cases, hint))


def _case(
    ctx: Context,
    scope: Scope,
    type: Type,
    label: syntax.CaseLabel,
    written: syntax.Expr,
    seen: dict[int, int],
    case: hir.Case,
) -> None:
    value = ctx.expressions.value(scope, written)
    if isinstance(value.type, ErrorType) or isinstance(type, ErrorType):
        return
    if cost(ctx, value, type) < 0:
        mismatch(ctx, value, type, value.at)
        return
    known = integer(value)
    if known is None:
        if generic_value(value) is not None:
            ctx.unsupported(value.at, "a case label that depends on a generic parameter")
        else:
            ctx.error("E39999", value.at, "expression does not evaluate to a compile-time constant")
        return
    scalar = integral(type)
    if scalar is None:
        return
    known = wrap(known, scalar)
    if known in seen:
        ctx.reports.error(
            "E30605", label.at, "duplicate cases not allowed within a 'switch' statement",
            [ctx.reports.note(seen[known], "the same value is here")],
        )  # fmt: skip
        return
    seen[known] = label.at
    case.values.append(bits(known, scalar))
