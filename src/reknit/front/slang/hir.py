"""What was meant: expressions and statements after checking. Every conversion, overload, member and witness is
explicit.

    int x = f + buffer[i];          Let(x, Convert(Binary("+", f, Convert(Element(buffer, i), FLOAT)), INT))
    e.foo(2)       (e : IFoo)       Opened(opening(e), WitnessCall(OpenedWitness, IFoo.foo, [OpenedValue, 2]))

An expression has a `type` and says by its class whether it is a place: Place, Field, Element, Swizzle, PropertyPlace
of a place may be assigned, taken by `out`, `inout` and `ref`. Operators have operands of one type, converted already;
vectors and matrices go component by component. Types may hold generic parameters; the lowering substitutes. Order of
evaluation is left to right. Left spines of Binary may be long: walk them with a loop.
"""

from typing import TYPE_CHECKING, final

from reknit.front.slang.types import BOOL, InterfaceType, Type

if TYPE_CHECKING:
    from reknit.front.slang.substitute import Substitution
    from reknit.front.slang.symbols import Field as FieldSymbol
    from reknit.front.slang.symbols import Function, Requirement, Variable
    from reknit.front.slang.witnesses import Witness


class Expr:
    __slots__ = ("at", "type")

    def __init__(self, at: int, type: Type) -> None:
        self.at = at
        self.type = type


# ---- values


@final
class Const(Expr):
    """A scalar (or enum) constant: `value` is an int for integers, bools and enums, a float for floats."""

    __slots__ = ("value",)

    def __init__(self, at: int, type: Type, value: int | float) -> None:
        super().__init__(at, type)
        self.value = value


@final
class GenericValue(Expr):
    """A generic value parameter: `value` is its ParamType (a ConstType after substitution)."""

    __slots__ = ("value",)

    def __init__(self, at: int, type: Type, value: Type) -> None:
        super().__init__(at, type)
        self.value = value


@final
class Zero(Expr):
    """`{}`: every component 0; fields of structs with defaults are Construct instead. Also the value of `T()`."""

    __slots__ = ()


@final
class Undefined(Expr):
    """A variable without an initial value."""

    __slots__ = ()


@final
class Text(Expr):
    """A string, for printf and asserts."""

    __slots__ = ("value",)

    def __init__(self, at: int, type: Type, value: str) -> None:
        super().__init__(at, type)
        self.value = value


@final
class Construct(Expr):
    """A vector, matrix (rows), struct, array or tuple of its parts, in order and of the right types. A vector's parts
    may be vectors that are laid end to end."""

    __slots__ = ("parts",)

    def __init__(self, at: int, type: Type, parts: list[Expr]) -> None:
        super().__init__(at, type)
        self.parts = parts


@final
class Splat(Expr):
    """A scalar in every component of a vector or matrix, or an element in every element of an array."""

    __slots__ = ("value",)

    def __init__(self, at: int, type: Type, value: Expr) -> None:
        super().__init__(at, type)
        self.value = value


@final
class Convert(Expr):
    """Between scalars, vectors or matrices of one shape, component by component (float to int toward zero, to bool by
    != 0); between enums and their underlying type; a longer vector or larger matrix is cut off."""

    __slots__ = ("value",)

    def __init__(self, at: int, type: Type, value: Expr) -> None:
        super().__init__(at, type)
        self.value = value


@final
class Reinterpret(Expr):
    """The same bits as another type: `asuint`, `bit_cast<T>`, `reinterpret<T>`."""

    __slots__ = ("value",)

    def __init__(self, at: int, type: Type, value: Expr) -> None:
        super().__init__(at, type)
        self.value = value


# ---- places


@final
class Place(Expr):
    """A variable, `this` among them."""

    __slots__ = ("variable",)

    def __init__(self, at: int, type: Type, variable: "Variable") -> None:
        super().__init__(at, type)
        self.variable = variable


@final
class Field(Expr):
    """`base.field` of a struct; of a ConstantBuffer<S> or ParameterBlock<S> the base is a Deref."""

    __slots__ = ("base", "field")

    def __init__(self, at: int, type: Type, base: Expr, field: "FieldSymbol") -> None:
        super().__init__(at, type)
        self.base = base
        self.field = field


@final
class Element(Expr):
    """`base[index]`: of an array, vector, matrix (a row), pointer or tuple (constant index), of a
    (RW)StructuredBuffer, a (RW)Buffer or (RW)Texture (index is then a vector of the coordinates)."""

    __slots__ = ("base", "index")

    def __init__(self, at: int, type: Type, base: Expr, index: Expr) -> None:
        super().__init__(at, type)
        self.base = base
        self.index = index


@final
class Swizzle(Expr):
    """`v.zyx`, `s.xxx` of a scalar. `indices` may repeat in a value, not in a place. A matrix's `_m00_m11` has row *
    4 + column."""

    __slots__ = ("base", "indices")

    def __init__(self, at: int, type: Type, base: Expr, indices: list[int]) -> None:
        super().__init__(at, type)
        self.base = base
        self.indices = indices


@final
class Deref(Expr):
    """What a ConstantBuffer, a ParameterBlock or a pointer holds."""

    __slots__ = ("base",)

    def __init__(self, at: int, type: Type, base: Expr) -> None:
        super().__init__(at, type)
        self.base = base


@final
class AddressOf(Expr):
    """`__getAddress(place)`."""

    __slots__ = ("place",)

    def __init__(self, at: int, type: Type, place: Expr) -> None:
        super().__init__(at, type)
        self.place = place


@final
class PropertyPlace(Expr):
    """A property or subscript: read by `getter`, written by `setter` (value last); `reference` when it is a `ref`
    accessor. Each is a call without its last argument yet: `base` is `this`, `arguments` the subscript's. Through an
    interface, `witness` is given and the accessors are requirements' functions."""

    __slots__ = ("base", "arguments", "getter", "setter", "reference", "substitution", "witness")

    def __init__(
        self,
        at: int,
        type: Type,
        base: Expr | None,
        arguments: list[Expr],
        getter: "Function | Requirement | None",
        setter: "Function | Requirement | None",
        reference: "Function | None",
        substitution: "Substitution",
        witness: "Witness | None",
    ) -> None:
        super().__init__(at, type)
        self.base = base
        self.arguments = arguments
        self.getter = getter
        self.setter = setter
        self.reference = reference
        self.substitution = substitution
        self.witness = witness


# ---- operators


@final
class Unary(Expr):
    """`op`: - ~ ! ; component by component."""

    __slots__ = ("op", "operand")

    def __init__(self, at: int, type: Type, op: str, operand: Expr) -> None:
        super().__init__(at, type)
        self.op = op
        self.operand = operand


@final
class Binary(Expr):
    """`op`: + - * / % << >> & | ^ == != < <= > >= , both operands of one type, and && || on vectors (both are
    evaluated). Comparisons give bools. A shift's right operand has the left's type."""

    __slots__ = ("op", "left", "right")

    def __init__(self, at: int, type: Type, op: str, left: Expr, right: Expr) -> None:
        super().__init__(at, type)
        self.op = op
        self.left = left
        self.right = right


@final
class ShortCircuit(Expr):
    """`&&` and `||` on bools: the right is evaluated by those that need it."""

    __slots__ = ("op", "left", "right")

    def __init__(self, at: int, op: str, left: Expr, right: Expr) -> None:
        super().__init__(at, BOOL)
        self.op = op
        self.left = left
        self.right = right


@final
class Conditional(Expr):
    """`? :` with a scalar condition: one side is evaluated."""

    __slots__ = ("condition", "then", "otherwise")

    def __init__(self, at: int, type: Type, condition: Expr, then: Expr, otherwise: Expr) -> None:
        super().__init__(at, type)
        self.condition = condition
        self.then = then
        self.otherwise = otherwise


@final
class Assign(Expr):
    """`target = value`; the value of it is the target's new value."""

    __slots__ = ("target", "value")

    def __init__(self, at: int, target: Expr, value: Expr) -> None:
        super().__init__(at, target.type)
        self.target = target
        self.value = value


@final
class Update(Expr):
    """`target op= value`, `++` and `--` (value 1): the target is evaluated once, converted to `computed` (the type of
    `value`), and the result converted back. `old` gives the value before (postfix). A user.s own operator is a Call
    instead."""

    __slots__ = ("op", "target", "value", "old")

    def __init__(self, at: int, op: str, target: Expr, value: Expr, old: bool = False) -> None:
        super().__init__(at, target.type)
        self.op = op
        self.target = target
        self.value = value
        self.old = old


@final
class Sequence(Expr):
    """The comma: all in order; the last one's value."""

    __slots__ = ("parts",)

    def __init__(self, at: int, type: Type, parts: list[Expr]) -> None:
        super().__init__(at, type)
        self.parts = parts


# ---- calls


@final
class Call(Expr):
    """A function with a body; `this` is the first argument of a method. Arguments of out, inout and ref parameters are
    places of the parameter's type, or CopyBack. `substitution` is for the function's whole environment."""

    __slots__ = ("function", "substitution", "arguments")

    def __init__(
        self, at: int, type: Type, function: "Function", substitution: "Substitution", arguments: list[Expr]
    ) -> None:
        super().__init__(at, type)
        self.function = function
        self.substitution = substitution
        self.arguments = arguments


@final
class Try(Expr):
    """A call of a function that throws; `thrown` is a new Optional, the call's last argument. `handler` runs where it
    has an error then, and ends in a jump; None: nobody wrote `try`, which is an error."""

    __slots__ = ("call", "thrown", "handler")

    def __init__(self, at: int, call: Expr, thrown: "Variable") -> None:
        super().__init__(at, call.type)
        self.call = call
        self.thrown = thrown
        self.handler: Block | None = None


@final
class WitnessCall(Expr):
    """A requirement, through a witness; `substitution` is for the requirement's own generics."""

    __slots__ = ("witness", "requirement", "substitution", "arguments")

    def __init__(
        self,
        at: int,
        type: Type,
        witness: "Witness",
        requirement: "Requirement",
        substitution: "Substitution",
        arguments: list[Expr],
    ) -> None:
        super().__init__(at, type)
        self.witness = witness
        self.requirement = requirement
        self.substitution = substitution
        self.arguments = arguments


@final
class WitnessConstant(Expr):
    """A `static const` requirement's value, through a witness."""

    __slots__ = ("witness", "requirement")

    def __init__(self, at: int, type: Type, witness: "Witness", requirement: "Requirement") -> None:
        super().__init__(at, type)
        self.witness = witness
        self.requirement = requirement


@final
class CopyBack(Expr):
    """An argument of an out or inout parameter whose type differs from the place's: converted in, converted back."""

    __slots__ = ("place",)

    def __init__(self, at: int, type: Type, place: Expr) -> None:
        super().__init__(at, type)
        self.place = place


@final
class Intrinsic(Expr):
    """One of the language's own functions and methods (`builtins`): `name` is as written ("WaveActiveSum",
    "RWByteAddressBuffer.Store2"), `type_arguments` its generic ones; a method's receiver is the first argument.
    Arguments are converted to what `builtins` said; out ones are places."""

    __slots__ = ("name", "type_arguments", "arguments")

    def __init__(self, at: int, type: Type, name: str, type_arguments: list[Type], arguments: list[Expr]) -> None:
        super().__init__(at, type)
        self.name = name
        self.type_arguments = type_arguments
        self.arguments = arguments


# ---- existentials and optionals


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


# ---- statements


class Stmt:
    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        self.at = at


@final
class Block(Stmt):
    """A scope: what `Defer` put off runs where it is left, last first."""

    __slots__ = ("statements",)

    def __init__(self, at: int, statements: list[Stmt]) -> None:
        super().__init__(at)
        self.statements = statements


@final
class Let(Stmt):
    """A local comes to life; `value` is an Undefined where none was given."""

    __slots__ = ("variable", "value")

    def __init__(self, at: int, variable: "Variable", value: Expr) -> None:
        super().__init__(at)
        self.variable = variable
        self.value = value


@final
class Eval(Stmt):
    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr) -> None:
        super().__init__(at)
        self.value = value


@final
class If(Stmt):
    """`hint`: "", "branch" or "flatten". `else if` is an If in `otherwise`: a chain may be long, walk it with a
    loop."""

    __slots__ = ("condition", "then", "otherwise", "hint")

    def __init__(self, at: int, condition: Expr, then: Block, otherwise: Stmt | None, hint: str = "") -> None:
        super().__init__(at)
        self.condition = condition
        self.then = then
        self.otherwise = otherwise
        self.hint = hint


@final
class Target:
    """What `break` and `continue` name: a loop, a switch or a labelled block."""

    __slots__ = ("name",)

    def __init__(self, name: str = "") -> None:
        self.name = name


@final
class Loop(Stmt):
    """for, while (`tested_first`) and do. `condition` None: always. `hint`: "", "unroll" or "loop"; `count` of
    [unroll(n)] or 0."""

    __slots__ = ("target", "condition", "step", "body", "tested_first", "hint", "count")

    def __init__(
        self, at: int, target: Target, condition: Expr | None, step: Expr | None, body: Block, tested_first: bool
    ) -> None:
        super().__init__(at)
        self.target = target
        self.condition = condition
        self.step = step
        self.body = body
        self.tested_first = tested_first
        self.hint = ""
        self.count = 0


@final
class Case:
    """Labels that share a body: `values` are the selector's bits as unsigned numbers, `default` if it is among them.
    One whose end is reached falls into the next."""

    __slots__ = ("at", "values", "default", "body")

    def __init__(self, at: int, values: list[int], default: bool, body: Block) -> None:
        self.at = at
        self.values = values
        self.default = default
        self.body = body


@final
class Switch(Stmt):
    """`value` is an integer. There may be no default."""

    __slots__ = ("target", "value", "cases", "hint")

    def __init__(self, at: int, target: Target, value: Expr, cases: list[Case], hint: str = "") -> None:
        super().__init__(at)
        self.target = target
        self.value = value
        self.cases = cases
        self.hint = hint


@final
class Labelled(Stmt):
    """A block with a label, left by `break label`. (A labelled loop or switch has the label's Target itself.)"""

    __slots__ = ("target", "body")

    def __init__(self, at: int, target: Target, body: Block) -> None:
        super().__init__(at)
        self.target = target
        self.body = body


@final
class Break(Stmt):
    __slots__ = ("target",)

    def __init__(self, at: int, target: Target) -> None:
        super().__init__(at)
        self.target = target


@final
class Continue(Stmt):
    __slots__ = ("target",)

    def __init__(self, at: int, target: Target) -> None:
        super().__init__(at)
        self.target = target


@final
class Return(Stmt):
    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr | None) -> None:
        super().__init__(at)
        self.value = value


@final
class Discard(Stmt):
    __slots__ = ()


@final
class Defer(Stmt):
    """Put off to where the enclosing block is left."""

    __slots__ = ("body",)

    def __init__(self, at: int, body: Block) -> None:
        super().__init__(at)
        self.body = body
