"""Calls of what `overloads` chose, and of the language's own functions.

    foo(a, b)              Call(foo, [a converted, b converted])
    e.foo(a)      e : IFoo   -> Opened(opening of e, WitnessCall(OpenedWitness, foo, [OpenedValue, a]))
"""

from reknit.front.slang import hir
from reknit.front.slang.builtins.kinds import BYTE_ADDRESS, NOT_READ, STRUCTURED
from reknit.front.slang.builtins.shapes import element
from reknit.front.slang.check.calls.openings import mentioned, wrap_opened
from reknit.front.slang.check.calls.overloads import Attempt, attempts, choose, shown_types
from reknit.front.slang.check.calls.truncated import fitting, shortened
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import LookupItem
from reknit.front.slang.check.expressions.assignable import is_mutable, is_place, pass_on, share
from reknit.front.slang.check.expressions.convert import convert, held_by, upcast
from reknit.front.slang.check.expressions.pseudo_expressions import BuiltinExpr, GroupExpr
from reknit.front.slang.check.generics.generics import own_part
from reknit.front.slang.doubles import FUNCTIONS as DOUBLES
from reknit.front.slang.doubles import PREFIX
from reknit.front.slang.substitute import Substitution, substitute
from reknit.front.slang.symbols import Function, Variable
from reknit.front.slang.types import (
    DOUBLE,
    ERROR,
    ErrorType,
    InterfaceType,
    OpenedType,
    PointerType,
    ResourceType,
    Type,
    same,
)
from reknit.front.slang.witnesses import BaseWitness, ParamWitness, Witness
from reknit.source.diagnostic import Note


def call_group(ctx: Context, group: GroupExpr, arguments: list[hir.Expr], at: int) -> hir.Expr:
    """A call of whatever `group` has for these arguments."""
    if any(isinstance(argument.type, ErrorType) for argument in arguments):
        return hir.Undefined(at, ERROR)
    tried = attempts(ctx, group.items, group.arguments, arguments)
    best = choose(tried)
    if len(best) == 1:
        _ask_for_test(ctx, best[0].item.witness, group)
        return build(ctx, best[0], group.base, arguments, at)
    if not best and group.builtin is not None:
        builtin_expr = BuiltinExpr(group.at, group.name, group.builtin, None)
        builtin_expr.arguments = group.arguments
        return call_builtin(ctx, builtin_expr, arguments, at)
    if best:
        _ambiguous(ctx, group, best, arguments)
    else:
        _none(ctx, group, tried, arguments, at)
    return hir.Undefined(at, ERROR)


def _ask_for_test(ctx: Context, witness: Witness | None, group: GroupExpr) -> None:
    """E30403, of a method that is there by an optional constraint, which no `if` around the call asks about."""
    while isinstance(witness, BaseWitness):
        witness = witness.derived
    if not isinstance(witness, ParamWitness) or not witness.constraint.optional:
        return
    wanted = witness.constraint
    if not any(same(test.subject, wanted.subject) and same(test.tested, wanted.bound) for test in ctx.tested):
        what = f"the constraint providing '{group.name}' is optional"
        message = f"{what} and must be checked with an 'is' statement before usage"
        ctx.error("E30403", group.at, message, len(group.name))


def shown(function: Function) -> str:
    params = ", ".join([str(param.type) for param in function.params])
    return f"{function.path}({params}) -> {function.result}"


def _candidates(ctx: Context, attempts: list[Attempt]) -> list[Note]:
    return [ctx.reports.note(attempt.entry.at, f"candidate: {shown(attempt.function)}") for attempt in attempts[:10]]


def _ambiguous(ctx: Context, group: GroupExpr, best: list[Attempt], arguments: list[hir.Expr]) -> None:
    ctx.reports.error(
        "E39999", group.at, f"ambiguous call to '{group.name}' with arguments of type {shown_types(arguments)}",
        _candidates(ctx, best), len(group.name),
    )  # fmt: skip


def _none(ctx: Context, group: GroupExpr, attempts: list[Attempt], arguments: list[hir.Expr], at: int) -> None:
    if group.name in NOT_READ and group.base is None:  # it may be the language's own that is meant
        ctx.unsupported(group.at, f"{NOT_READ[group.name]} (`{group.name}`)")
        return
    if len(attempts) == 1:
        attempt = attempts[0]
        where = attempt.at if attempt.at >= 0 else at
        note = ctx.reports.note(attempt.entry.at, f"in a call of '{group.name}'")
        ctx.reports.error(attempt.code, where, attempt.why, [note])
        return
    ctx.reports.error(
        "E39999", group.at, f"no overload for '{group.name}' applicable to arguments of type {shown_types(arguments)}",
        _candidates(ctx, attempts), len(group.name),
    )  # fmt: skip


def build(ctx: Context, chosen: Attempt, base: hir.Expr | None, arguments: list[hir.Expr], at: int) -> hir.Expr:
    """The call itself."""
    function = chosen.function
    if chosen.entry.deferred and not chosen.entry.busy:
        chosen.entry.busy = True
        ctx.variadic.append(chosen.entry)
    exprs: list[hir.Expr] = []
    if function.this is not None:
        this = receiver(ctx, chosen.item, function, base, chosen.entry.name, at)
        if this is None:
            return hir.Undefined(at, substitute(function.result, chosen.substitution))
        exprs.append(this)
        pass_on(function.this, this)
    for index, param in enumerate(function.params):
        target = substitute(param.type, chosen.substitution)
        if index >= len(arguments):
            exprs.append(_default(param, target, chosen, at))
        elif index in chosen.openings:
            exprs.append(_opened_argument(ctx, param, arguments[index], target, chosen.openings[index]))
        else:
            exprs.append(passed(ctx, param.name, param.direction, arguments[index], target, at))
            pass_on(param, exprs[-1])
    result = substitute(function.result, chosen.substitution)
    thrown = None
    if function.thrown is not None:
        type = substitute(function.thrown.type, chosen.substitution)
        thrown = Variable("thrown", ctx.number(), at, "local", type)
        exprs.append(hir.Place(at, type, thrown))
    call: hir.Expr
    if chosen.entry.requirement is not None and chosen.item.witness is not None:
        own = own_part(function.environment, chosen.entry.requirement, chosen.substitution)
        call = hir.WitnessCall(at, result, chosen.item.witness, chosen.entry.requirement, own, exprs)
    else:
        call = hir.Call(at, result, function, chosen.substitution, exprs)
    for opening in chosen.openings.values():
        call = hir.Opened(at, opening, call)
    evidence = list(chosen.substitution.witnesses.values())
    if chosen.item.witness is not None:
        evidence.insert(0, chosen.item.witness)
    for opening in mentioned(evidence, chosen.openings, base):
        call = hir.Opened(at, opening, call)
    call = wrap_opened(base, call)
    if thrown is None and function.reference and isinstance(result, PointerType):
        return hir.Deref(at, result.element, call)
    if thrown is None:
        return call
    tried = hir.Try(at, call, thrown)
    ctx.tried.append(tried)
    return tried


def _default(param: Variable, target: Type, chosen: Attempt, at: int) -> hir.Expr:
    if param.init is None:
        return hir.Undefined(at, target)
    if not chosen.function.environment.params:
        return param.init
    value = hir.Default(at, param.init, chosen.substitution)
    value.type = target
    return value


def receiver(
    ctx: Context, item: LookupItem, function: Function, base: hir.Expr | None, name: str, at: int
) -> hir.Expr | None:
    """`this` of a call: the base struct's part for an inherited method."""
    if base is None:
        owner = function.owner
        ctx.error("E30100", at, f"type '{owner}' cannot be used to refer to non-static member '{name}'", len(name))
        return None
    this = upcast(base, item.path)
    if function.mutating and ctx.hlsl and not is_place(this):
        return hir.Temporary(at, this.type, this)
    if function.mutating and not is_mutable(this):
        ctx.error("E30050", at, f"mutating method '{name}' cannot be called on an immutable value", len(name))
    return this


def _opened_argument(ctx: Context, param: Variable, argument: hir.Expr, target: Type, opening: hir.Opening) -> hir.Expr:
    if param.direction not in ("in", "constref") and not is_mutable(argument):
        no_place(ctx, param.name, argument)
    return convert(ctx, hir.OpenedValue(argument.at, OpenedType(opening), opening), target)


def passed(ctx: Context, name: str, direction: str, argument: hir.Expr, target: Type, at: int = -1) -> hir.Expr:
    """An argument as its parameter takes it; `at` is the call's place."""
    if direction in ("in", "constref"):
        return convert(ctx, argument, target)
    if not is_place(argument) or not is_mutable(argument):
        no_place(ctx, name, argument)
        return argument
    if same(argument.type, target):
        return argument
    if isinstance(target, InterfaceType) and isinstance(argument.type, InterfaceType):
        no_place(ctx, name, argument)
        return argument
    if isinstance(target, InterfaceType) and not isinstance(argument.type, InterfaceType):
        ctx.error(
            "E30077", argument.at if at < 0 else at,
            f"argument passed to parameter '{name}' is of concrete type '{argument.type}', but interface-typed output "
            f"parameters require interface-typed arguments. To allow passing a concrete type to this function, you can "
            f"replace '{target} {name}' with a generic 'T {name}' and a 'where T : {target}' constraint.",
        )  # fmt: skip
        return argument
    return hir.CopyBack(argument.at, target, argument)


def no_place(ctx: Context, name: str, argument: hir.Expr) -> None:
    """E30047, of an argument that is to be written to."""
    if not isinstance(argument.type, ErrorType):
        ctx.error("E30047", argument.at, f"argument passed to parameter '{name}' must be l-value.")


# ---- the language's own


def call_builtin(ctx: Context, callee: BuiltinExpr, arguments: list[hir.Expr], at: int) -> hir.Expr:
    receiver = callee.receiver
    if any(isinstance(argument.type, ErrorType) for argument in arguments):
        return hir.Undefined(at, ERROR)
    if callee.name == "mul" and callee.receiver is None:
        arguments = fitting(ctx, arguments)
    types = [argument.type for argument in arguments]
    builtin = callee.builtin
    of = None if receiver is None else receiver.type
    resolved = None if builtin is None else builtin.resolve(types, callee.arguments, of)
    if resolved is None or len(resolved.params) != len(arguments):
        held = [held_by(type) for type in types]
        if any(type is not None for type in held):
            pairs = zip(arguments, held, strict=True)
            followed = [each if type is None else hir.Deref(each.at, type, each) for each, type in pairs]
            return call_builtin(ctx, callee, followed, at)
        cut = shortened(ctx, arguments) if receiver is None else None
        if cut is not None:
            return call_builtin(ctx, callee, cut, at)
        if _asks_for_status(callee, arguments):
            ctx.unsupported(callee.at, "the status of a load from a buffer, which SPIR-V has of images only")
            return hir.Undefined(at, ERROR)
        ctx.error(
            "E39999", callee.at,
            f"no overload for '{callee.name}' applicable to arguments of type {shown_types(arguments)}",
            len(callee.name),
        )  # fmt: skip
        return hir.Undefined(at, ERROR)
    written = _of_doubles(ctx, callee, resolved.params) if callee.name in DOUBLES and receiver is None else None
    if written is not None:
        converted = [
            convert(ctx, argument, type) if direction == "in" else argument
            for argument, type, direction in zip(arguments, resolved.params, resolved.directions, strict=True)
        ]
        return call_group(ctx, written, converted, at)
    exprs: list[hir.Expr] = []
    if receiver is not None:
        exprs.append(receiver)
        if resolved.receiver == "ref":
            share(receiver)
    for argument, type, direction in zip(arguments, resolved.params, resolved.directions, strict=False):
        if direction == "ref":
            share(argument)
        exprs.append(passed(ctx, callee.name, direction, argument, type))
    call = hir.Intrinsic(at, resolved.result, resolved.name, resolved.type_arguments, exprs)
    return wrap_opened(receiver, call)


def _asks_for_status(callee: BuiltinExpr, arguments: list[hir.Expr]) -> bool:
    """`buffer.Load(i, status)`, which says whether all that is loaded was mapped."""
    receiver = None if callee.receiver is None else callee.receiver.type
    if not isinstance(receiver, ResourceType) or callee.name.rstrip("234") != "Load" or len(arguments) != 2:
        return False
    return receiver.kind in STRUCTURED or receiver.kind in BYTE_ADDRESS


def _of_doubles(ctx: Context, callee: BuiltinExpr, params: list[Type]) -> GroupExpr | None:
    """What the language's library has for a function that SPIR-V has for floats and halves only."""
    if not params or not same(element(params[0]) or params[0], DOUBLE):
        return None
    name = PREFIX + callee.name
    items = [LookupItem(entry, Substitution()) for entry in ctx.root.names.get(name, [])]
    return GroupExpr(callee.at, name, items, None) if items else None
