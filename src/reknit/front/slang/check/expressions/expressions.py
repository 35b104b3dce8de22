"""Expressions, each by its kind.

    written        syntax      Call(Member(a, foo), [1])
    meaning        hir and `pseudo_expressions`: GroupExpr(foo, base a)  ->  Call(A.foo, [a, 1])

Binary chains are walked with a loop; everything else is as deep as the parser lets it be.
"""

from typing import final

from reknit.front.slang import hir, syntax
from reknit.front.slang.builtins import find
from reknit.front.slang.check.calls.calls import call_builtin, call_group
from reknit.front.slang.check.calls.special import SIZES, SPECIAL, address, call_size, call_special
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Scope
from reknit.front.slang.check.expressions import assignments, inline_spirv, literals, operators, packs, tuples
from reknit.front.slang.check.expressions.access import member, name
from reknit.front.slang.check.expressions.assignable import is_mutable, is_place
from reknit.front.slang.check.expressions.captures import this_of
from reknit.front.slang.check.expressions.construct import construct, explicit
from reknit.front.slang.check.expressions.convert import convert, cost, mismatch
from reknit.front.slang.check.expressions.elements import subscript
from reknit.front.slang.check.expressions.flat import flat_cast
from reknit.front.slang.check.expressions.pseudo_expressions import (
    BuiltinExpr,
    GenericExpr,
    GroupExpr,
    ListExpr,
    NamespaceExpr,
    TypeExpr,
    is_value,
    what_it_is,
)
from reknit.front.slang.check.generics.inferred import infer_type
from reknit.front.slang.check.statements import errors
from reknit.front.slang.check.types import type_names
from reknit.front.slang.check.types.members import container_type
from reknit.front.slang.check.types.members import find as find_name
from reknit.front.slang.core import handled_by
from reknit.front.slang.parse.words import PACK_QUERIES
from reknit.front.slang.types import (
    BOOL,
    ERROR,
    INT,
    NONE,
    NULLPTR,
    STRING,
    VOID,
    ArrayType,
    AssocType,
    ErrorType,
    InterfaceType,
    OpenedType,
    OptionalType,
    ParamType,
    PointerType,
    StructType,
    ThisType,
    TupleType,
    Type,
    VectorType,
    same,
)


@final
class Expressions:
    __slots__ = ("ctx",)

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    def expression(self, scope: Scope, written: syntax.Expr) -> hir.Expr:
        """Whatever is meant."""
        ctx = self.ctx
        at = written.at
        if isinstance(written, syntax.Name):
            return name(ctx, scope, written)
        if isinstance(written, syntax.Member):
            return member(ctx, scope, self.expression(scope, written.base), written.name, at)
        if isinstance(written, syntax.Call):
            return call(ctx, scope, written)
        if isinstance(written, syntax.Binary):
            return chain(ctx, scope, written)
        if isinstance(written, (syntax.IntLiteral, syntax.FloatLiteral, syntax.BoolLiteral)):
            return literals.literal(ctx, written)
        if isinstance(written, syntax.StringLiteral):
            return hir.Text(at, STRING, written.value)
        if isinstance(written, syntax.Index):
            return index(ctx, scope, written)
        if isinstance(written, syntax.Apply):
            return apply(ctx, scope, written)
        if isinstance(written, syntax.Assign):
            target = self.value(scope, written.target)
            return assignments.assign(ctx, scope, written.op, target, self.value_or_list(scope, written.value), at)
        if isinstance(written, syntax.Unary):
            return unary(ctx, scope, written)
        if isinstance(written, syntax.Conditional):
            return conditional(ctx, scope, written)
        if isinstance(written, syntax.Cast):
            return cast(ctx, scope, written)
        if isinstance(written, syntax.InitList):
            return ListExpr(at, packs.list_parts(ctx, scope, written.arguments))
        if isinstance(written, syntax.Keyword):
            return keyword(ctx, scope, written)
        if isinstance(written, (syntax.Is, syntax.As)):
            return type_test(ctx, scope, written)
        if isinstance(written, syntax.ModifiedType) and written.modifier == "no_diff":
            from reknit.front.slang.check.expressions.no_diff import no_diff

            return no_diff(ctx, scope, written)
        if isinstance(written, syntax.ModifiedType):
            return TypeExpr(at, type_names.modified(ctx, scope, written))
        if isinstance(written, syntax.Try):
            return errors.try_(ctx, scope, self.value(scope, written.value), at)
        if isinstance(written, syntax.Lambda):
            return ctx.lambdas.value(scope, written)
        if isinstance(written, syntax.SpirvAsm):
            return inline_spirv.block(ctx, scope, written)
        if isinstance(written, syntax.Each):
            return packs.each(ctx, scope, written)
        if isinstance(written, syntax.Expand):
            ctx.unsupported(at, "an `expand` that is neither a statement nor an argument")
        if isinstance(written, syntax.Unsupported):
            ctx.unsupported(at, written.what)
        return hir.Undefined(at, ERROR)

    def value_or_list(self, scope: Scope, written: syntax.Expr) -> hir.Expr:
        """A value whose type may still be open."""
        ctx = self.ctx
        value = self.expression(scope, written)
        if is_value(value):
            return value
        ctx.error("E30019", value.at, f"expected a value, got {what_it_is(value)}")
        return hir.Undefined(value.at, ERROR)

    def value(self, scope: Scope, written: syntax.Expr) -> hir.Expr:
        """A value with a type."""
        ctx = self.ctx
        value = self.value_or_list(scope, written)
        if isinstance(value, ListExpr):
            ctx.error("E30019", value.at, "an initializer list needs a type to initialize")
            return hir.Undefined(value.at, ERROR)
        return value


def condition(ctx: Context, scope: Scope, written: syntax.Expr) -> hir.Expr:
    """What `if`, loops and `?:` test."""
    value = ctx.expressions.value(scope, written)
    if isinstance(value.type, OptionalType):
        return hir.HasValue(value.at, value)
    if isinstance(value.type, ErrorType):
        return value
    if cost(ctx, value, BOOL) < 0:
        mismatch(ctx, value, BOOL, value.at)
        return hir.Undefined(value.at, ERROR)
    return convert_quietly(ctx, value, BOOL)


def convert_quietly(ctx: Context, expr: hir.Expr, type: Type) -> hir.Expr:
    converted = explicit(ctx, expr, type)
    return convert(ctx, expr, type) if converted is None else converted


def chain(ctx: Context, scope: Scope, written: syntax.Binary) -> hir.Expr:
    """A chain of binary operators leans left."""
    spine = [written]
    while isinstance(spine[-1].left, syntax.Binary):
        spine.append(spine[-1].left)
    expr = ctx.expressions.expression(scope, spine[-1].left)
    for node in reversed(spine):
        right = ctx.expressions.expression(scope, node.right)
        if isinstance(expr.type, TupleType) and same(expr.type, right.type) and node.op in operators.COMPARISONS:
            expr = tuples.compared(ctx, scope, node.op, expr, right, node.at)
        else:
            expr = operators.binary(ctx, scope, node.op, expr, right, node.at)
    return expr


def unary(ctx: Context, scope: Scope, written: syntax.Unary) -> hir.Expr:
    operand = ctx.expressions.expression(scope, written.operand)
    if written.op in ("++", "--"):
        return assignments.step(ctx, scope, written.op, operand, written.postfix, written.at)
    if written.op == "*" and is_value(operand):
        pointed = operand.type.element if isinstance(operand.type, PointerType) else handled_by(operand.type)
        if pointed is not None:
            return hir.Deref(written.at, pointed, operand)
    if written.op == "&":
        return address_of(ctx, operand, written.at)
    return operators.unary(ctx, scope, written.op, operand, written.at)


def address_of(ctx: Context, operand: hir.Expr, at: int) -> hir.Expr:
    """`&operand`, which is to be written through."""
    if isinstance(operand.type, ErrorType):
        return hir.Undefined(at, ERROR)
    if is_place(operand) and not is_mutable(operand):
        ctx.error("E31160", at, "the address of what can't be changed can't be taken")
        return hir.Undefined(at, ERROR)
    return address(ctx, operand, at)


# ---- calls


def call(ctx: Context, scope: Scope, written: syntax.Call) -> hir.Expr:
    if isinstance(written.callee, syntax.Name) and written.callee.text in PACK_QUERIES:
        return pack_query(ctx, scope, written, written.callee.text)
    callee = ctx.expressions.expression(scope, written.callee)
    if isinstance(callee, BuiltinExpr) and callee.name == "countof" and len(written.arguments) == 1:
        pack = packs.pack_of(ctx, scope, written.arguments[0])
        if pack is not None:
            return hir.Const(written.at, INT, len(pack.elements))
    if isinstance(callee, BuiltinExpr) and callee.name in SIZES:
        arguments = [ctx.expressions.expression(scope, argument) for argument in written.arguments]
    else:
        arguments = packs.spread_all(ctx, scope, written.arguments)
    return call_of(ctx, scope, callee, arguments, written.at)


def pack_query(ctx: Context, scope: Scope, written: syntax.Call, name: str) -> hir.Expr:
    if name in ("__first", "__last"):
        return packs.end_of(ctx, scope, written, name == "__last")
    if packs.pack_of(ctx, scope, written) is not None:
        ctx.unsupported(written.at, f"a parameter pack as one value (`{name}`)")
    return hir.Undefined(written.at, ERROR)


def call_of(ctx: Context, scope: Scope, callee: hir.Expr, arguments: list[hir.Expr], at: int) -> hir.Expr:
    if isinstance(callee, BuiltinExpr) and callee.name in SIZES and callee.receiver is None:
        return call_size(ctx, callee, arguments, at)
    for argument in arguments:
        if isinstance(argument, (TypeExpr, GenericExpr, NamespaceExpr)) and not isinstance(argument.type, ErrorType):
            ctx.error("E30019", argument.at, f"expected a value, got {what_it_is(argument)}")
            return hir.Undefined(at, ERROR)
    if isinstance(callee, TypeExpr):
        return construct(ctx, callee.type, arguments, at)
    if isinstance(callee, GroupExpr):
        return call_group(ctx, callee, arguments, at)
    if isinstance(callee, BuiltinExpr):
        if callee.name in SPECIAL and callee.receiver is None:
            return call_special(ctx, callee, arguments, at)
        return call_builtin(ctx, callee, arguments, at)
    if isinstance(callee, GenericExpr):
        type = infer_type(ctx, callee, arguments)
        return construct(ctx, type, arguments, at)
    if isinstance(callee.type, ErrorType):
        return hir.Undefined(at, ERROR)
    if is_value(callee):
        before = ctx.reports.errors
        group = member(ctx, scope, callee, "operator()", at, quiet=True)
        if isinstance(group, GroupExpr):
            return call_group(ctx, group, arguments, at)
        if ctx.reports.errors == before:
            ctx.error("E30016", at, f"no call operation found for type '{callee.type}'")
        return hir.Undefined(at, ERROR)
    ctx.error("E33070", callee.at, f"expected a function, got {what_it_is(callee)}")
    return hir.Undefined(at, ERROR)


def apply(ctx: Context, scope: Scope, written: syntax.Apply) -> hir.Expr:
    base = ctx.expressions.expression(scope, written.base)
    arguments = packs.generic_arguments(ctx, scope, written.arguments)
    if isinstance(base, TypeExpr) and base.generic is not None:
        base = GenericExpr(base.at, base.generic)
    if isinstance(base, GenericExpr):
        return TypeExpr(written.at, type_names.apply(ctx, base, arguments, base.at))
    if isinstance(base, (GroupExpr, BuiltinExpr)):
        base.arguments = arguments
        return base
    if not isinstance(base.type, ErrorType):
        ctx.error("E39999", base.at, f"expected a generic when using '<...>' (found: {what_it_is(base)})")
    return hir.Undefined(written.at, ERROR)


def index(ctx: Context, scope: Scope, written: syntax.Index) -> hir.Expr:
    base = ctx.expressions.expression(scope, written.base)
    if isinstance(base, (TypeExpr, GenericExpr)):
        sizes = [ctx.types.constant(scope, size) for size in written.arguments]
        where = written.arguments[0].at if written.arguments else written.at
        return TypeExpr(written.at, type_names.array(ctx, type_names.as_type(ctx, base), sizes, where))
    arguments = [ctx.expressions.value(scope, argument) for argument in written.arguments]
    return subscript(ctx, scope, base, arguments, written.at)


# ---- the rest


def keyword(ctx: Context, scope: Scope, written: syntax.Keyword) -> hir.Expr:
    if written.text == "none":
        if find_name(ctx, scope, "none")[0]:
            return name(ctx, scope, syntax.Name(written.at, "none"))
        return hir.MakeNone(written.at, NONE)
    if written.text == "nullptr":
        return hir.Zero(written.at, NULLPTR)
    if ctx.hlsl and written.text == "This" and find_name(ctx, scope, "This")[0]:
        return name(ctx, scope, syntax.Name(written.at, "This"))  # a name like any other there
    container = scope.enclosing()
    if container is None and written.text == "This":
        ctx.error("E30015", written.at, "undefined identifier 'This'.", 4)
        return hir.Undefined(written.at, ERROR)
    if container is None:
        ctx.error("E38101", written.at, "'this' expression can only be used in members of an aggregate type", 4)
        return hir.Undefined(written.at, ERROR)
    if written.text == "This":
        return TypeExpr(written.at, container_type(container))
    this = this_of(ctx, scope.body, written.at)
    if this is None:
        ctx.error("E30120", written.at, "static function cannot refer to `this`", 4)
        return hir.Undefined(written.at, ERROR)
    return this


def conditional(ctx: Context, scope: Scope, written: syntax.Conditional) -> hir.Expr:
    tested = ctx.expressions.value(scope, written.condition)
    then = ctx.expressions.value_or_list(scope, written.then)
    otherwise = ctx.expressions.value_or_list(scope, written.otherwise)
    at = written.at
    if any(isinstance(part.type, ErrorType) for part in (tested, then, otherwise)):
        return hir.Undefined(at, ERROR)
    if isinstance(tested.type, VectorType):
        return _select(ctx, tested, then, otherwise, at)
    type = common(ctx, then, otherwise)
    if type is None:
        mismatch(ctx, otherwise, then.type, otherwise.at)
        return hir.Undefined(at, ERROR)
    if cost(ctx, tested, BOOL) < 0:
        mismatch(ctx, tested, BOOL, tested.at)
        return hir.Undefined(at, type)
    as_bool = convert_quietly(ctx, tested, BOOL)
    return hir.Conditional(at, type, as_bool, _as(ctx, then, type), _as(ctx, otherwise, type))


def _as(ctx: Context, expr: hir.Expr, type: Type) -> hir.Expr:
    return expr if same(expr.type, type) else convert_quietly(ctx, expr, type)


def common(ctx: Context, a: hir.Expr, b: hir.Expr) -> Type | None:
    """The type of `c ? a : b`."""
    if same(a.type, b.type) and not isinstance(a, ListExpr):
        return a.type
    if not isinstance(a, ListExpr) and not isinstance(b, ListExpr):
        both = operators.chosen(ctx, a, b)
        if both is not None:
            return both
    there, back = cost(ctx, b, a.type), cost(ctx, a, b.type)
    if isinstance(a, ListExpr) or (back >= 0 and (there < 0 or back < there)):
        return b.type if back >= 0 else None
    if there >= 0:
        return a.type
    if a.type is NONE:
        return OptionalType(b.type)
    if b.type is NONE:
        return OptionalType(a.type)
    return None


def _select(ctx: Context, tested: hir.Expr, then: hir.Expr, otherwise: hir.Expr, at: int) -> hir.Expr:
    builtin_select = find("select")
    if builtin_select is None:
        ctx.unsupported(at, "`?:` with a vector as its condition")
        return hir.Undefined(at, ERROR)
    return call_builtin(ctx, BuiltinExpr(at, "select", builtin_select, None), [tested, then, otherwise], at)


def cast(ctx: Context, scope: Scope, written: syntax.Cast) -> hir.Expr:
    type = ctx.types.type_of(scope, written.type)
    value = ctx.expressions.value_or_list(scope, written.value)
    if isinstance(type, ErrorType) or isinstance(value.type, ErrorType):
        return hir.Undefined(written.at, type)
    if same(type, VOID):
        return hir.Sequence(written.at, VOID, [value])
    if isinstance(value, hir.Const) and value.value == 0:
        converted = explicit(ctx, value, type)
        if converted is not None:
            return converted
    if isinstance(type, (StructType, ArrayType)) and explicit(ctx, value, type) is None:
        flat = flat_cast(ctx, value, type)
        if flat is not None:
            return flat
    return construct(ctx, type, [value], written.at)


def type_test(ctx: Context, scope: Scope, written: syntax.Is | syntax.As) -> hir.Expr:
    """`value is T` and `value as T`."""
    is_test = isinstance(written, syntax.Is)
    value = ctx.expressions.expression(scope, written.value)
    tested = ctx.types.type_of(scope, written.type)
    at = written.at
    result: Type = BOOL if is_test else OptionalType(tested)
    if isinstance(value.type, ErrorType) or isinstance(tested, ErrorType):
        return hir.Undefined(at, ERROR)
    if isinstance(value, (TypeExpr, GenericExpr)) and is_test:
        return hir.SameType(at, type_names.as_type(ctx, value), tested)
    if not is_value(value):
        ctx.error("E30019", value.at, f"expected a value, got {what_it_is(value)}")
        return hir.Undefined(at, ERROR)
    if isinstance(tested, InterfaceType) and not same(value.type, tested):
        word = "is" if is_test else "as"
        code = "E30301" if is_test else "E30302"
        ctx.error(
            code, at,
            f"cannot use '{word}' operator with an interface type as the right-hand side. Use a concrete type instead.",
        )  # fmt: skip
        return hir.Undefined(at, result)
    source = value.type
    if isinstance(source, InterfaceType):
        witness = ctx.evidence.find(tested, source)
        if is_test:
            return hir.IsType(at, value, tested, witness, same(source, tested))
        return hir.AsType(at, result, value, tested, witness, same(source, tested))
    if not same(source, tested) and not _is_open(source) and not _is_open(tested):
        ctx.error(
            "E30304", at,
            "'is'/'as' on unrelated concrete types will never succeed. Use an interface-typed expression for runtime "
            "type checks.",
        )  # fmt: skip
        return hir.Undefined(at, result)
    if is_test:
        return hir.IsType(at, value, tested, None, same(source, tested))
    return hir.AsType(at, result, value, tested, None, same(source, tested))


def _is_open(type: Type) -> bool:
    """Whether a type is only known later."""
    return isinstance(type, (ParamType, AssocType, OpenedType, ThisType))
