"""Which functions there are: one for each function and arguments, made when it is first called.

    twice<A>        instance(twice, [T := A])                  @twice(%t: %A)
    twice<opened>   instance(twice, [T := what is opened])     @twice(%w: %WT, %t: %This): one body for all types

Arguments that an existential holds are dynamic: an instance knows them by openings of its own (`opening#-1`, ...), one
for each that the caller has, and takes their witness tables as its first parameters.
"""

from collections import deque
from collections.abc import Iterator
from typing import Final, final

from reknit.front.slang.dynamic import holds_interface
from reknit.front.slang.hir import Opening, Zero
from reknit.front.slang.lower.lvalues import Memory, Place
from reknit.front.slang.lower.resolve import Renaming, Resolver, key_of, opened_in, openings_of
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.symbols import Function as FunctionSymbol
from reknit.front.slang.symbols import Program, Variable
from reknit.front.slang.types import VOID, InterfaceType, TupleType, Type
from reknit.ir import enums
from reknit.ir.build import new_function
from reknit.ir.dispatch import witness_table_type
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.source.meter import spend

RECURSION: Final = "E55201"
BUDGET: Final = "E55207"
MAX_FUNCTIONS: Final = 20_000  # functions, each instance of a generic one for itself
MAX_DEPTH: Final = 512
"""How often a generic may be an instance of itself with other arguments."""


@final
class Instance:
    """`openings` are the instance's own. `calls` are (callee's key, position); a key of a table's entry begins "*"."""

    __slots__ = ("key", "symbol", "substitution", "openings", "function", "calls", "generation")

    def __init__(
        self,
        key: str,
        symbol: FunctionSymbol,
        substitution: Substitution,
        openings: list[Opening],
        function: Function,
        generation: int,
    ) -> None:
        self.key = key
        self.symbol = symbol
        self.substitution = substitution
        self.openings = openings
        self.function = function
        self.calls: dict[str, int] = {}
        self.generation = generation


@final
class PointedType:
    """The functions that load and store what pointers to `type` point to."""

    __slots__ = ("type", "load", "store")

    def __init__(self, type: Type, load: Instance, store: Instance) -> None:
        self.type = type
        self.load = load
        self.store = store


@final
class ProgramState:
    """`pending` are instances without a body yet; `current` is the one that is being lowered. `globals` are places of
    what is declared outside of functions; `statics` those that get a value when an entry point starts. `addressed` are
    the places that pointers may point to, `addresses` the number of each by its variable, and `pointed` the functions
    that follow pointers."""

    __slots__ = (
        "low", "program", "instances", "pending", "current", "globals", "constants", "statics", "_own", "stopped",
        "entries", "addressed", "addresses", "pointed",
    )  # fmt: skip

    def __init__(self, low: Lowering, program: Program) -> None:
        self.low = low
        self.program = program
        self.instances: dict[str, Instance] = {}
        self.pending: deque[Instance] = deque()
        self.current: Instance | None = None
        self.globals: dict[str, Place] = {}
        self.constants: dict[str, Place] = {}
        self.statics: list[tuple[str, Variable, Place, Substitution]] = []
        self.entries: dict[str, list[str]] = {}  # of tables: by a key's text, the instances that calls may come to
        self._own: dict[str, Opening] = {}
        self.stopped = False
        self.addressed: list[Memory] = []
        self.addresses: dict[Value, int] = {}
        self.pointed: dict[str, PointedType] = {}

    def own_opening(self, index: int, interface: InterfaceType) -> Opening:
        key = f"{index}:{interface.key}"
        opening = self._own.get(key)
        if opening is None:
            opening = Opening(-1 - len(self._own), Zero(0, interface), interface)
            self._own[key] = opening
        return opening

    def opening_here(self, opening: Opening, interface: InterfaceType) -> Opening:
        """An opening of a generic interface, where its arguments are these."""
        key = f"{opening.number} {interface.key}"
        own_opening = self._own.get(key)
        if own_opening is None:
            own_opening = Opening(-1 - len(self._own), opening.value, interface)
            self._own[key] = own_opening
        return own_opening

    def seen_interface(self, type: InterfaceType) -> InterfaceType:
        """The same for all openings that its arguments may mention: what tables are looked up by."""
        given = opened_in(TupleType(type.arguments)) if type.arguments else []
        if not given:
            return type
        renamed = {opening.number: self.own_opening(index, opening.interface) for index, opening in enumerate(given)}
        return InterfaceType(type.interface, Renaming(renamed).types(type.arguments))

    def canonical(self, substitution: Substitution) -> tuple[Substitution, list[Opening], list[Opening]]:
        """(with the instance's openings, those, the caller's that they stand for)."""
        given = openings_of(substitution)
        if not given:
            return substitution, [], []
        own = [self.own_opening(index, opening.interface) for index, opening in enumerate(given)]
        renamed = {opening.number: mine for opening, mine in zip(given, own, strict=True)}
        return Renaming(renamed).arguments(substitution), own, given

    def instance(self, symbol: FunctionSymbol, substitution: Substitution) -> tuple[Instance, list[Opening]]:
        """The instance, and the openings of the caller whose tables it takes."""
        canonical, own, given = self.canonical(substitution)
        key = f"{symbol.number}[{key_of(canonical)}]"
        instance = self.instances.get(key)
        if instance is None:
            instance = self._new(key, symbol, canonical, own)
        if self.current is not None:
            self.current.calls.setdefault(key, self.low.at)
        return instance, given

    def _new(self, key: str, symbol: FunctionSymbol, substitution: Substitution, own: list[Opening]) -> Instance:
        low = self.low
        low.reports.release(symbol.at)
        resolver = Resolver(substitution)
        params: list[tuple[str, Instr]] = []
        for opening in own:
            params.append(("table", witness_table_type(low.module, low.interface(opening.interface))))
        refuse_references(low, symbol, resolver)
        for variable in variables_of(symbol):
            type = low.ir_type(resolver.type(variable.type))
            if by_pointer(variable):
                type = low.pointer(enums.StorageClassFunction, type)
            params.append((variable.name, type))
        result = resolver.type(symbol.result)
        returned = None if result.key == VOID.key else low.ir_type(result)
        function = new_function(low.module, symbol.path.replace("::", "."), returned, params)
        low.places.starts[function] = symbol.at
        generation = 0
        if self.current is not None and substitution.types:
            generation = self.current.generation + (1 if self.current.symbol is symbol else 0)
        instance = Instance(key, symbol, substitution, own, function, generation)
        self.instances[key] = instance
        if len(self.instances) > MAX_FUNCTIONS and not self.stopped:
            self.stopped = True
            message = f"the source has more than {MAX_FUNCTIONS} functions and instances of generic ones"
            low.reports.error(BUDGET, symbol.at, message, length=len(symbol.name))
        if generation > MAX_DEPTH:
            self.stopped = True
            message = (
                f"generic specialization for '{symbol.name}' exceeded the recursive specialization budget ({MAX_DEPTH})"
            )
            low.reports.error(BUDGET, symbol.at, message, length=len(symbol.name))
            return instance
        if not self.stopped:
            self.pending.append(instance)
        return instance

    # ---- recursion

    def find_recursion(self) -> None:
        """Report each function that a path of calls leads back to."""
        state: dict[str, int] = {}  # 1: on the path, 2: done
        for start in self.instances:
            if start in state:
                continue
            stack: list[tuple[str, Iterator[str]]] = [(start, iter(self.callees(start)))]
            state[start] = 1
            while stack:
                spend(1)
                key, rest = stack[-1]
                callee = next(rest, None)
                if callee is None:
                    state[key] = 2
                    stack.pop()
                    continue
                if state.get(callee) == 1:
                    self.report_recursion(self.instances[callee].symbol, self._position(key, callee))
                elif callee not in state:
                    state[callee] = 1
                    stack.append((callee, iter(self.callees(callee))))

    def report_recursion(self, symbol: FunctionSymbol, at: int) -> None:
        message = (
            f"recursion detected in call to '{symbol.name}', but the current code generation target does not allow "
            "recursion"
        )
        self.low.reports.error(RECURSION, at, message)

    def callees(self, key: str) -> list[str]:
        names: list[str] = []
        for callee in self.instances[key].calls:
            names.extend(self.entries.get(callee, []) if callee.startswith("*") else [callee])
        return names

    def _position(self, caller: str, callee: str) -> int:
        calls = self.instances[caller].calls
        if callee in calls:
            return calls[callee]
        for key, at in calls.items():
            if key.startswith("*") and callee in self.entries.get(key, []):
                return at
        return self.instances[caller].symbol.at


def variables_of(symbol: FunctionSymbol) -> list[Variable]:
    """`this` first, where an error goes last."""
    variables = [*([symbol.this] if symbol.this is not None else []), *symbol.params]
    if symbol.thrown is not None:
        variables.append(symbol.thrown)
    return variables


def by_pointer(variable: Variable) -> bool:
    """Whether the callee writes to what the caller has."""
    return variable.direction in ("out", "inout", "ref")


def is_in_place(low: Lowering, variable: Variable) -> bool:
    """Whether the callee works on what the caller has and not on a copy. In Slang atomic operations need it."""
    if variable.direction == "ref":
        return True
    given = variable.referred or variable.direction in ("out", "inout", "constref")
    return variable.shared and given and not low.hlsl


def is_inlined(low: Lowering, symbol: FunctionSymbol, resolver: Resolver) -> bool:
    """Whether calls are replaced by the callee's statements: resources, and places that are shared with the caller,
    can't be parameters of a function."""
    if low.has_resources(resolver.type(symbol.result)):
        return True
    for variable in variables_of(symbol):
        if is_in_place(low, variable) or low.has_resources(resolver.type(variable.type)):
            return True
    return False


def is_void(type: Type) -> bool:
    return type.key == VOID.key


def refuse_references(low: Lowering, symbol: FunctionSymbol, resolver: Resolver) -> None:
    """References to what holds a value of an interface: E52010."""
    for variable in variables_of(symbol):
        type = resolver.type(variable.type)
        if variable.direction in ("ref", "constref") and holds_interface(type, low.field_types):
            message = (
                f"'__{variable.direction}' parameter of type '{type}' cannot be used in a dynamic dispatch context."
            )
            low.reports.error("E52010", variable.at, message, length=len(variable.name))
