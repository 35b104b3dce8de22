"""One function while it is lowered: its frames, and what hir's nodes become.

    Call of an ordinary function                 another instance, FunctionCall
    Call with resources or ref parameters        the callee's statements right here, in a frame of their own

A frame has its own arguments for generic parameters, places of variables, openings, and the target of its returns.
`Handlers` are the tables by kind of node, so that statements, expressions and calls, which need each other, stand in
files of their own.
"""

from collections.abc import Callable
from typing import Final, final

from reknit.front.slang import hir
from reknit.front.slang.builtins.emitter import Unsupported
from reknit.front.slang.hir import Expr, Opening, Stmt, Target
from reknit.front.slang.lower.lvalues import Computed, Place, table_of
from reknit.front.slang.lower.program import ProgramState
from reknit.front.slang.lower.resolve import Resolver
from reknit.front.slang.lower.tables import Tables
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.symbols import Function as FunctionSymbol
from reknit.front.slang.symbols import Variable
from reknit.front.slang.types import OpenedType, Type
from reknit.ir.tree import Construct, Loop, Scope
from reknit.ir.value import Value
from reknit.source.meter import spend

MAX_DEPTH: Final = 200
"""How deep calls with resources are put into each other."""


@final
class Exit:
    """Where `break` and `continue` of a target go; `scopes` are open there."""

    __slots__ = ("construct", "loop", "scopes")

    def __init__(self, construct: Construct, scopes: int) -> None:
        self.construct = construct
        self.loop = construct if isinstance(construct, Loop) else None
        self.scopes = scopes


@final
class OpenedState:
    """An existential that is open: the place or value that its payload is of, and its table."""

    __slots__ = ("payload", "table")

    def __init__(self, payload: Place, table: Value) -> None:
        self.payload = payload
        self.table = table


@final
class Frame:
    """`way_out` None: `return` leaves the IR's function, after `at_return`. `deferred` has a list for each open
    block."""

    __slots__ = (
        "function", "resolver", "places", "opened", "exits", "deferred", "result", "way_out", "caller", "depth",
        "gives_place", "at_return",
    )  # fmt: skip

    def __init__(self, function: FunctionSymbol | None, resolver: Resolver, caller: "Frame | None" = None) -> None:
        self.function = function
        self.resolver = resolver
        self.places: dict[Variable, Place] = {}
        self.opened: dict[int, OpenedState] = {}
        self.exits: dict[Target, Exit] = {}
        self.deferred: list[list[hir.Block]] = []
        self.result: Place | None = None
        self.way_out: Scope | None = None
        self.caller = caller
        self.at_return: Callable[[], None] | None = None
        self.gives_place = False  # a `ref` accessor: what is returned is a place
        self.depth: int = caller.depth + 1 if caller is not None else 0


PlaceHandler = Callable[["Body", Expr], Place]
ValueHandler = Callable[["Body", Expr], Value | None]
StmtHandler = Callable[["Body", Stmt], None]


@final
class Ready(Expr):
    """An expression that was evaluated before: its place."""

    __slots__ = ("place",)

    def __init__(self, at: int, place: Place) -> None:
        super().__init__(at, place.type)
        self.place = place


@final
class Handlers:
    """By the class of a node. An expression is lowered to a place, to a value, or to both."""

    __slots__ = ("places", "values", "statements")

    def __init__(self) -> None:
        self.places: dict[type[Expr], PlaceHandler] = {}
        self.values: dict[type[Expr], ValueHandler] = {}
        self.statements: dict[type[Stmt], StmtHandler] = {}


@final
class Body:
    """`low` is the module's state and where code goes on; `program` what there is besides this function."""

    __slots__ = ("low", "program", "tables", "handlers", "frame")

    def __init__(self, program: ProgramState, tables: Tables, handlers: Handlers, substitution: Substitution) -> None:
        self.low = program.low
        self.program = program
        self.tables = tables
        self.handlers = handlers
        self.frame = Frame(None, Resolver(substitution))

    # ---- types

    def type(self, type: Type) -> Type:
        return self.frame.resolver.type(type)

    def type_of(self, expr: Expr) -> Type:
        return self.frame.resolver.type(expr.type)

    # ---- nodes

    def value(self, expr: Expr) -> Value:
        """The value of an expression that has one; an undefined value where it was refused."""
        effect = self.effect(expr)
        return effect if effect is not None else self.low.undefined(self.type_of(expr))

    def effect(self, expr: Expr) -> Value | None:
        """None: of type void, or refused."""
        spend(2)
        low = self.low
        before = low.at
        low.at = expr.at or before
        handler = self.handlers.values.get(type(expr))
        value: Value | None = None
        try:
            if handler is not None:
                value = handler(self, expr)
            else:
                value = self.handlers.places[type(expr)](self, expr).load(low)
        except Unsupported as refusal:
            low.refuse(low.at, refusal.message)
        low.at = before
        return value

    def place(self, expr: Expr) -> Place:
        """The place that an expression is; one that is none is computed."""
        low = self.low
        handler = self.handlers.places.get(type(expr))
        if handler is None:
            return Computed(self.type_of(expr), self.value(expr))
        before = low.at
        low.at = expr.at or before
        try:
            place = handler(self, expr)
        except Unsupported as refusal:
            low.refuse(low.at, refusal.message)
            place = Computed(self.type_of(expr), low.zero(low.u32))
        low.at = before
        return place

    def statement(self, statement: Stmt) -> None:
        low = self.low
        before = low.at
        low.at = statement.at or before
        try:
            self.handlers.statements[type(statement)](self, statement)
        except Unsupported as refusal:
            low.refuse(low.at, refusal.message)
        low.at = before

    # ---- what frames know

    def place_of(self, variable: Variable) -> Place | None:
        return self.frame.places.get(variable)

    def opened(self, opening: Opening) -> OpenedState:
        """The state of an opening, that of a caller's frame too."""
        number = self.frame.resolver.opening(opening).number
        frame: Frame | None = self.frame
        while frame is not None:
            known = frame.opened.get(number)
            if known is not None:
                return known
            frame = frame.caller
        raise AssertionError("an existential that is not open here")

    def open(self, opening: Opening, payload: Place, table: Value) -> None:
        self.frame.opened[self.frame.resolver.opening(opening).number] = OpenedState(payload, table)

    def open_table(self, opening: Opening, table: Value) -> None:
        """An opening of the instance itself: its table is a parameter, and payloads are values of their own."""
        self.frame.opened[opening.number] = OpenedState(Computed(OpenedType(opening), table), table)

    def table_of(self, existential: Value) -> Value:
        return table_of(self.low, existential)
