"""Properties and subscripts: calls that look like places.

    a.b = a.b + 1     set_b(a, get_b(a) + 1), with `a` evaluated once
    a[i] += 2         set(a, i, get(a, i) + 2), with `a` and `i` evaluated once; a `ref` accessor is the place itself
"""

from reknit.front.slang import hir
from reknit.front.slang.hir import Expr
from reknit.front.slang.lower.body import Body, Handlers, Ready
from reknit.front.slang.lower.calls import inline, invoke
from reknit.front.slang.lower.lvalues import Computed, Place
from reknit.front.slang.lower.resolve import Resolver
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.lower.witness_calls import require
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.symbols import Function as FunctionSymbol
from reknit.front.slang.symbols import Requirement
from reknit.front.slang.types import Type
from reknit.front.slang.witnesses import Witness
from reknit.ir.value import Value


class Accessors(Place):
    """A property or subscript whose base and arguments have been evaluated."""

    __slots__ = ("body", "expr", "base", "arguments", "witness", "substitution")

    def __init__(
        self,
        type: Type,
        body: Body,
        expr: hir.PropertyPlace,
        base: list[Expr],
        arguments: list[Expr],
        witness: Witness | None,
        substitution: Substitution,
    ) -> None:
        super().__init__(type)
        self.body = body
        self.expr = expr
        self.base = base
        self.arguments = arguments
        self.witness = witness
        self.substitution = substitution

    def load(self, low: Lowering) -> Value:
        getter = self.expr.getter
        if getter is None:
            low.refuse(self.expr.at, "this property can't be read")
            return low.undefined(self.type)
        return self._call(getter, []).load(low)

    def store(self, low: Lowering, value: Value) -> None:
        setter = self.expr.setter
        if setter is None:
            low.refuse(self.expr.at, "this property can't be written")
            return
        self._call(setter, [Ready(self.expr.at, Computed(self.type, value))])

    def _call(self, accessor: FunctionSymbol | Requirement, more: list[Expr]) -> Place:
        given = [*self.base, *self.arguments, *more]
        if isinstance(accessor, Requirement):
            assert self.witness is not None and accessor.function is not None
            own = self._aligned(accessor.function)
            return require(self.body, self.witness, accessor, own, given)
        return invoke(self.body, accessor, self._aligned(accessor), given)

    def _aligned(self, accessor: FunctionSymbol) -> Substitution:
        """Each accessor of a generic subscript has parameters of its own; the arguments are given for one of them."""
        copy = self.substitution.copy()
        for other in (self.expr.getter, self.expr.setter):
            function = other.function if isinstance(other, Requirement) else other
            if function is None or function is accessor:
                continue
            pairs = zip(accessor.environment.params, function.environment.params, strict=False)
            for mine, theirs in pairs:
                if mine not in copy.types and theirs in copy.types:
                    copy.types[mine] = copy.types[theirs]
            constraints = zip(accessor.environment.constraints, function.environment.constraints, strict=False)
            for own, given in constraints:
                if own not in copy.witnesses and given in copy.witnesses:
                    copy.witnesses[own] = copy.witnesses[given]
        return copy


def property_place(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.PropertyPlace)
    resolver = body.frame.resolver
    base: list[Expr] = [] if expr.base is None else [Ready(expr.at, body.place(expr.base))]
    arguments: list[Expr] = []
    for argument in expr.arguments:
        arguments.append(Ready(argument.at, Computed(body.type_of(argument), body.value(argument))))
    substitution = resolver.arguments(expr.substitution)
    if expr.reference is not None:
        return inline(body, expr.reference, Resolver(substitution), [*base, *arguments], True)
    witness = None if expr.witness is None else resolver.witness(expr.witness)
    return Accessors(body.type_of(expr), body, expr, base, arguments, witness, substitution)


def register(handlers: Handlers) -> None:
    handlers.places[hir.PropertyPlace] = property_place
