"""Variables outside of functions, at their first use: statics, shared ones and constants.

    static int n = f();          Private; an entry point begins with n = f()
    [[vk::constant_id(1)]] const int n = 4;      SpecConstant 4, SpecId 1
    groupshared int s[64];       Workgroup
    static const int t[2] = ...  the constant itself, or a Private variable that begins with it, to be indexed
"""

from typing import Final

from reknit.front.slang import hir
from reknit.front.slang.builtins.constants import scalar_constant
from reknit.front.slang.hir import Expr
from reknit.front.slang.lower.body import Body, Frame
from reknit.front.slang.lower.lvalues import Computed, Memory, Place
from reknit.front.slang.lower.resolve import Resolver
from reknit.front.slang.lower.resource_places import settled
from reknit.front.slang.lower.state import is_constant
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.symbols import SPECIALIZED, Variable
from reknit.front.slang.types import ArrayType, MatrixType, ScalarType, StructType, TupleType, Type, VectorType
from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.value import Value
from reknit.source.meter import spend

_SPECIALIZED: Final = {
    op.Constant: op.SpecConstant, op.ConstantTrue: op.SpecConstantTrue, op.ConstantFalse: op.SpecConstantFalse,
}  # fmt: skip
_PLAIN: Final = (hir.Const, hir.GenericValue, hir.Zero, hir.Construct, hir.Splat, hir.Convert, hir.Unary)


def global_place(body: Body, variable: Variable) -> Place:
    """The place of what is no local variable."""
    type = body.type(variable.type)
    arguments = body.frame.resolver.substitution.types
    words = [type.key, *[arguments[each].key for each in variable.generics if each in arguments]]
    key = f"{variable.number} {' '.join(words)}"
    place = body.program.globals.get(key)
    if place is None:
        place = _place(body, variable, type, key)
    return settled(place)


def _place(body: Body, variable: Variable, type: Type, key: str) -> Place:
    low = body.low
    if variable.kind == "constant" and variable.init is not None:
        return _constant(body, variable, variable.init, type, key)
    if variable.kind == "specialized" and variable.init is not None:
        body.program.globals[key] = _specialized(body, variable, variable.init, type)
        return body.program.globals[key]
    if variable.kind == "groupshared":
        place: Place = Memory(type, module_variable(body, enums.StorageClassWorkgroup, type, variable, None), [])
        body.program.globals[key] = place
        return place
    if variable.kind in ("static", "constant"):
        start = None
        if variable.init is not None and is_plain(variable.init):
            start = _evaluated(body, variable.init)
            start = start if is_constant(start) else None
        place = Memory(type, module_variable(body, enums.StorageClassPrivate, type, variable, start), [])
        body.program.globals[key] = place
        if variable.init is not None and start is None:
            body.program.statics.append((key, variable, place, body.frame.resolver.substitution))
        return place
    low.refuse(0, f"'{variable.name}' can't be used here")
    return Computed(type, low.undefined(type))


def _specialized(body: Body, variable: Variable, init: Expr, type: Type) -> Place:
    """What is only chosen when a pipeline is made; `init` where it isn't."""
    low = body.low
    value = _evaluated(body, init)
    inner = init.value if isinstance(init, hir.Convert) else init
    if isinstance(inner, hir.Const) and isinstance(type, ScalarType):
        value = scalar_constant(low, type, inner.value)
    if not isinstance(value, Instr) or value.op not in _SPECIALIZED:
        why = "it is no number that is known here"
        low.refuse(variable.at, f"'{variable.name}' can't be a specialization constant: {why}")
        return Computed(type, low.undefined(type))
    instr = Instr(_SPECIALIZED[value.op], value.type, list(value.operands), variable.name)
    low.module.globals.append(instr)
    low.places.starts[instr] = variable.at
    low.decorate(instr, enums.DecorationSpecId, _numbers(body.program.program.globals)[variable])
    return Computed(type, instr)


def _numbers(globals: list[Variable]) -> dict[Variable, int]:
    """The SpecIds: as asked for, the others in order from the least that is free."""
    wanted: dict[Variable, int] = {}
    own: list[Variable] = []
    for variable in globals:
        if variable.kind == "specialized":
            given = [values[0] for name in SPECIALIZED if (values := variable.attributes.get(name))]
            if given and isinstance(given[0], int):
                wanted[variable] = given[0]
            else:
                own.append(variable)
    free = 0
    for variable in own:
        while free in wanted.values():
            free += 1
        wanted[variable] = free
    return wanted


def module_variable(body: Body, storage: int, type: Type, variable: Variable, start: Value | None) -> Instr:
    low = body.low
    operands: list[Operand] = [storage]
    pointer = low.pointer(storage, low.ir_type(type))
    if start is not None:
        operands.append(start)
    instr = Instr(op.Variable, pointer, operands, variable.name)
    low.module.globals.append(instr)
    low.places.starts[instr] = variable.at
    return instr


def _constant(body: Body, variable: Variable, init: Expr, type: Type, key: str) -> Place:
    """What isn't known before the program runs is computed where it is used."""
    if not is_plain(init):
        return Computed(type, _evaluated(body, init))
    value = _evaluated(body, init)
    if not is_constant(value) or isinstance(type, VectorType):
        return Computed(type, value)
    place: Place = Computed(type, value)
    if isinstance(type, (ArrayType, StructType, TupleType, MatrixType)):
        place = Memory(type, module_variable(body, enums.StorageClassPrivate, type, variable, value), [])
    body.program.globals[key] = place
    return place


def _evaluated(body: Body, init: Expr) -> Value:
    caller = body.frame
    body.frame = Frame(None, caller.resolver, caller)
    value = body.value(init)
    body.frame = caller
    return value


def is_plain(init: Expr) -> bool:
    """Whether it is made of constants only."""
    work: list[Expr] = [init]
    while work:
        spend(1)
        part = work.pop()
        if not isinstance(part, _PLAIN):
            return False
        if isinstance(part, hir.Construct):
            work.extend(part.parts)
        elif isinstance(part, (hir.Splat, hir.Convert)):
            work.append(part.value)
        elif isinstance(part, hir.Unary):
            work.append(part.operand)
    return True


def initialise(body: Body, variable: Variable, place: Place, substitution: Substitution) -> None:
    """At the start of an entry point."""
    assert variable.init is not None
    caller = body.frame
    body.frame = Frame(None, Resolver(substitution), caller)
    body.low.at = variable.at
    place.store(body.low, body.value(variable.init))
    body.frame = caller
