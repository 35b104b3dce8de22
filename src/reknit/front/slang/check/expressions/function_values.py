"""Functions as values of a `functype`: structs whose `operator()` calls them.

    int twice(functype(int) -> int f, int x)
    twice(square, 3)                   struct { int operator()(int p0) { return square(p0); } }
    twice((int x) => x + 1, 3)         struct { Lambda callee; int operator()(int p0) { return callee(p0); } }

A function has the types that the functype says, whatever its overloads have; of a value that is called, arguments and
result are converted. Source: Slang's language reference, "Function types".
"""

from typing import final

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.calls.calls import call_builtin, call_group
from reknit.front.slang.check.calls.overloads import attempts, choose
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import FunctionEntry
from reknit.front.slang.check.expressions.access import member
from reknit.front.slang.check.expressions.convert import convert, type_cost
from reknit.front.slang.check.expressions.lambdas import call_of, conforms, struct_of, this_of_call
from reknit.front.slang.check.expressions.pseudo_expressions import BuiltinExpr, GroupExpr, ListExpr, is_value
from reknit.front.slang.check.types.function_interfaces import CALL
from reknit.front.slang.substitute import substitute
from reknit.front.slang.symbols import Field, Variable
from reknit.front.slang.types import VOID, InterfaceType, StructType, Type, same


@final
class FunctionValues:
    __slots__ = ("ctx",)

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    def fits(self, expr: hir.Expr, called: list[Type]) -> bool:
        """Whether `expr` can be called as a functype of that result and these parameters is, and holds no values of its
        own."""
        if isinstance(expr.type, StructType) and expr.type.struct.fields:
            return False
        signature = self.signature(expr, len(called) - 1, called[1:])
        if not signature:
            return False
        wanted = called[0]
        return same(signature[0], wanted) or (is_value(expr) and type_cost(self.ctx, signature[0], wanted) >= 0)

    def signature(self, expr: hir.Expr, count: int, given: list[Type] | None) -> list[Type]:
        """The result, then the `count` parameters that it has if it is called with arguments of the types `given`
        (None: they aren't known). Empty where it can't be called so."""
        ctx = self.ctx
        callee = _callee(ctx, expr)
        if isinstance(callee, BuiltinExpr) and callee.builtin is not None and given is not None:
            resolved = callee.builtin.resolve(given, callee.arguments, None)
            exact = resolved is not None and [each.key for each in resolved.params] == [each.key for each in given]
            return [resolved.result, *given] if resolved is not None and exact else []
        if not isinstance(callee, GroupExpr):
            return []
        if given is not None:
            arguments: list[hir.Expr] = [hir.Undefined(expr.at, each) for each in given]
            best = choose(attempts(ctx, callee.items, callee.arguments, arguments))
            exact = len(best) == 1 and (best[0].cost == 0 or is_value(expr))
            return [substitute(best[0].function.result, best[0].substitution), *given] if exact else []
        entries = [(item, item.entry) for item in callee.items if isinstance(item.entry, FunctionEntry)]
        functions = [(item, ctx.signatures.function(entry)) for item, entry in entries]
        fitting = [(item, function) for item, function in functions if len(function.params) == count]
        if len(fitting) != 1:
            return []
        item, function = fitting[0]
        known = item.substitution.copy()
        params = [param for param in function.environment.params if param not in known.types]
        if len(params) != len(callee.arguments):
            return []
        known.types.update(zip(params, callee.arguments, strict=True))
        return [substitute(type, known) for type in [function.result, *[param.type for param in function.params]]]

    def value(self, expr: hir.Expr, target: InterfaceType) -> hir.Expr:
        """A value of a struct that conforms to the functype `target`."""
        ctx, at = self.ctx, expr.at
        container = struct_of(ctx, ctx.inside, at)
        struct, type = container.struct, container.self_type
        if struct is None or not isinstance(type, StructType):
            return hir.Undefined(at, target)
        names = [f"p{index}" for index in range(len(target.arguments) - 1)]
        params = [
            Variable(name, ctx.number(), at, "param", each)
            for name, each in zip(names, target.arguments[1:], strict=True)
        ]
        written = [syntax.VarDecl(at, name, syntax.Modifiers(), None, None) for name in names]
        function = call_of(ctx, container, at, written, params)
        function.result = target.arguments[0]
        this = this_of_call(ctx, function, type)
        parts: list[hir.Expr] = []
        callee = expr
        if is_value(expr):
            field = Field("callee", ctx.number(), at, expr.type)
            struct.fields.append(field)
            parts.append(expr)
            callee = hir.Field(at, expr.type, hir.Place(at, type, this), field)
        arguments: list[hir.Expr] = [hir.Place(at, param.type, param) for param in params]
        call = _call(ctx, _callee(ctx, callee), arguments, at)
        if same(function.result, VOID):
            function.body = hir.Block(at, [hir.Eval(at, call)])
        else:
            function.body = hir.Block(at, [hir.Return(at, convert(ctx, call, function.result))])
        ctx.synthesized.append(function)
        struct.functions.append(function)
        conforms(ctx, container, target, at)
        return hir.Construct(at, type, parts)


def _callee(ctx: Context, expr: hir.Expr) -> hir.Expr | None:
    """What is called of it; None if nothing is: of a method there is no value."""
    if isinstance(expr, GroupExpr):
        return expr if expr.base is None else None
    if isinstance(expr, BuiltinExpr):
        return expr if expr.receiver is None else None
    if not is_value(expr) or isinstance(expr, ListExpr):
        return None
    return member(ctx, ctx.inside, expr, CALL, expr.at, quiet=True)


def _call(ctx: Context, callee: hir.Expr | None, arguments: list[hir.Expr], at: int) -> hir.Expr:
    if isinstance(callee, GroupExpr):
        return call_group(ctx, callee, arguments, at)
    if isinstance(callee, BuiltinExpr):
        return call_builtin(ctx, callee, arguments, at)
    return hir.Undefined(at, VOID)
