"""A function as it is called from somewhere, and all that is known of it there.

    run(obj = {WA, WB})      infos: obj {WA, WB}, e {WA}      calls: %r -> {WA: A.foo(..), WB: B.foo(..)}

Two calls whose arguments may have the same types share one. What a branch tells of a value (`e is A`) holds in the
blocks that it leads to alone: `Env.narrow`. Which value a place holds is known until something else may be there:

    %1 = Load %f; IsType %1, %WA      held: f is %1      so in the arm where %1 is A, so is f
    Store %b, %is; %2 = Load %b       same: %2 is %is    so a branch by %2 tells what one by %is does
"""

from typing import Final, final

from reknit.analysis.typeflow.constants import Constant, literal
from reknit.analysis.typeflow.lattice import PAYLOAD, TABLE, UNSET, VALUE, Forms, Info
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.value import Value

Key = tuple[object, ...]
Path = tuple[int, ...]
Held = tuple[Instr, Path]

NEW: Final = 0
RUNNING: Final = 1
DONE: Final = 2


@final
class Env:
    """What holds at a point besides what holds of a value everywhere: contents of places, narrower sets, the value that
    was stored to a place, or first loaded from it, by its root and path; and which loads gave that same value."""

    __slots__ = ("memory", "narrow", "held", "same")

    def __init__(
        self, memory: dict[Instr, Info], narrow: dict[Value, int], held: dict[Held, Value], same: dict[Value, Value]
    ) -> None:
        self.memory = memory
        self.narrow = narrow
        self.held = held
        self.same = same

    def copy(self) -> "Env":
        return Env(dict(self.memory), dict(self.narrow), dict(self.held), dict(self.same))

    def alike(self, value: Value) -> Value:
        """The value that `value` was loaded as."""
        return self.same.get(value, value)

    def hold(self, root: Instr, path: list[int], value: Value) -> None:
        """`value` is what that place has."""
        if min(path, default=0) >= 0:
            self.held[root, tuple(path)] = value

    def forget(self, root: Instr, path: list[int], whole: bool = False) -> None:
        """Something was put there, or above or below. `whole`: what has no parts, as all that is held."""
        if whole and min(path, default=0) >= 0:
            self.held.pop((root, tuple(path)), None)
            return
        for place in [place for place in self.held if place[0] is root and overlap(place[1], path)]:
            del self.held[place]


def overlap(first: Path, second: list[int]) -> bool:
    """Whether one of two paths may lead to, or into, what the other leads to."""
    return all(a == b or b < 0 for a, b in zip(first, second, strict=False))


@final
class Context:
    """`outs` are what pointer parameters lead to when it returns; `sites` the tables that each dynamic call goes by;
    `calls` where it then is: by table, by table and function if the callable came as a value, None for a call of one
    function."""

    __slots__ = (
        "function", "key", "number", "state", "infos", "constants", "envs", "edges", "calls", "sites", "result",
        "result_constant", "outs", "returns",
    )  # fmt: skip

    def __init__(self, function: Function, key: Key, number: int) -> None:
        self.function = function
        self.key = key
        self.number = number
        self.state = NEW
        self.infos: dict[Value, Info] = {}
        self.constants: dict[Value, Constant] = {}
        self.envs: dict[Block, Env] = {}  # at the head of each block that can be reached
        self.edges: dict[tuple[Block, Block], Env] = {}
        self.calls: dict[Instr, dict[object, Context]] = {}
        self.sites: dict[Instr, int] = {}
        self.result: Info = None
        self.result_constant: Constant | None = None
        self.outs: list[Info] = [None] * len(function.params)
        self.returns = False

    def constant(self, value: Value) -> Constant | None:
        """The number that a value is; None where none has come yet."""
        if isinstance(value, Instr) and value.block is None and value.op != op.FunctionParameter:
            return literal(value)
        return self.constants.get(value)


def info_at(context: Context, forms: Forms, value: Value, env: Env | None) -> Info:
    """What is known of `value` where `env` holds. Tables and payloads that were taken out of an existential are as
    narrow as that is now."""
    universe = forms.universe
    if not isinstance(value, Instr):
        return forms.callables.constant(value)
    if env is not None and value in env.narrow:
        return env.narrow[value]
    if value.op == op.ExtractExistentialWitnessTable:
        tables = info_at(context, forms, value.value(0), env)
        interface = universe.of(value.instr(0).type or value)
        return tables & (interface.everything | interface.unbounded) if isinstance(tables, int) else tables
    if value.op == op.ExtractExistentialValue:
        form = forms.of(value.type)
        tables = info_at(context, forms, value.value(0), env)
        source = value.instr(0).type
        if form is not None and form.kind == PAYLOAD and isinstance(tables, int) and source is not None:
            return universe.types_of(universe.of(source), tables & universe.of(source).everything)
    if value.op == op.CopyObject and forms.of(value.type) is not None:
        return info_at(context, forms, value.value(0), env)
    if value.block is None and value.op != op.FunctionParameter:
        return global_info(forms, value)
    return context.infos.get(value)


def global_info(forms: Forms, value: Instr) -> Info:
    """What a constant of the module is."""
    form = forms.of(value.type)
    if form is None or form.kind == VALUE:
        known = forms.callables.constant(value)
        return known if known is not None or form is None else forms.fill(form, UNSET)
    if value.op == op.WitnessTable and form.kind == TABLE:
        return forms.universe.of(form.type).bits[value]
    if value.op == op.ConstantComposite:
        return tuple([global_info(forms, value.instr(index)) for index in range(len(value.operands))])
    return forms.fill(form, UNSET)


def origin(value: Value) -> Value:
    """The existential, or the parameter, that a table is of."""
    while isinstance(value, Instr) and value.op in (op.ExtractExistentialWitnessTable, op.CopyObject):
        value = value.value(0)
    return value
