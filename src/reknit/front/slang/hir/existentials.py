"""Interface values and optionals: made, opened and asked what they hold.

IFoo e = a;      MakeExistential(a, A : IFoo)       e.foo()    Opened(opening of e, WitnessCall(..., OpenedValue))
"""

from typing import TYPE_CHECKING, final

from reknit.front.slang.hir.node import Expr
from reknit.front.slang.types import BOOL, InterfaceType, Type

if TYPE_CHECKING:
    from reknit.front.slang.witnesses import Witness


@final
class Opening:
    """An existential that is opened: `value` (or place) is evaluated once, where `Opened` stands. In `body` its
    payload has the type OpenedType(this) and its evidence is an OpenedWitness. Calls that change the payload
    (`mutating`) put it back into the place, with the same witness.

    Types that mention the opening live on after the body (`let d = f.make()`). All openings of one variable are one
    Opening, in as many Opened as there are uses, each of which evaluates it anew; types may mention it before the first
    (`obj.D x;`)."""

    __slots__ = ("number", "value", "interface")

    def __init__(self, number: int, value: Expr, interface: InterfaceType) -> None:
        self.number = number
        self.value = value
        self.interface = interface


@final
class Opened(Expr):
    """`body`, with `opening` made first; afterwards a payload that was passed as inout is put back. A place if `body`
    is one (a PropertyPlace): the opening is then made where the place is evaluated, once for reading and writing."""

    __slots__ = ("opening", "body")

    def __init__(self, at: int, opening: Opening, body: Expr) -> None:
        super().__init__(at, body.type)
        self.opening = opening
        self.body = body


@final
class OpenedValue(Expr):
    """The payload; a place if the existential is one."""

    __slots__ = ("opening",)

    def __init__(self, at: int, type: Type, opening: Opening) -> None:
        super().__init__(at, type)
        self.opening = opening


@final
class MakeExistential(Expr):
    """A value as an interface's. `witness` says that the value's type conforms."""

    __slots__ = ("value", "witness")

    def __init__(self, at: int, type: Type, value: Expr, witness: "Witness") -> None:
        super().__init__(at, type)
        self.value = value
        self.witness = witness


@final
class CreateObject(Expr):
    """`createDynamicObject<I>(id, payload)`."""

    __slots__ = ("id", "payload")

    def __init__(self, at: int, type: Type, id: Expr, payload: Expr) -> None:
        super().__init__(at, type)
        self.id = id
        self.payload = payload


@final
class IsType(Expr):
    """`value is T`: `witness` says that T conforms to the existential's interface; None: the answer is known,
    `known`; where the value's type is a generic parameter, whether it is `tested` once both are substituted."""

    __slots__ = ("value", "tested", "witness", "known")

    def __init__(self, at: int, value: Expr, tested: Type, witness: "Witness | None", known: bool = False) -> None:
        super().__init__(at, BOOL)
        self.value = value
        self.tested = tested
        self.witness = witness
        self.known = known


@final
class AsType(Expr):
    """`value as T`: an Optional<T>, with a value where `value is T`. Fields as in IsType."""

    __slots__ = ("value", "tested", "witness", "known")

    def __init__(
        self, at: int, type: Type, value: Expr, tested: Type, witness: "Witness | None", known: bool = False
    ) -> None:
        super().__init__(at, type)
        self.value = value
        self.tested = tested
        self.witness = witness
        self.known = known


@final
class MakeSome(Expr):
    """A value as an Optional's."""

    __slots__ = ("value",)

    def __init__(self, at: int, type: Type, value: Expr) -> None:
        super().__init__(at, type)
        self.value = value


@final
class MakeNone(Expr):
    __slots__ = ()


@final
class HasValue(Expr):
    """Also `o == none` under a "!"."""

    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr) -> None:
        super().__init__(at, BOOL)
        self.value = value


@final
class GetValue(Expr):
    """An Optional's value."""

    __slots__ = ("value",)

    def __init__(self, at: int, type: Type, value: Expr) -> None:
        super().__init__(at, type)
        self.value = value
