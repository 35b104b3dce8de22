"""The language's own functions and methods: their operands, as `builtins` wants them.

    sincos(x, s, c)        %s, %c: variables, copied back where s and c are something else
    InterlockedAdd(b[i])   the place itself, in whatever storage
"""

from reknit.front.slang import hir
from reknit.front.slang.builtins.builtin import Signature
from reknit.front.slang.builtins.find import emit, find, find_method
from reknit.front.slang.builtins.special import PRINTED
from reknit.front.slang.hir import Expr
from reknit.front.slang.lower.body import Body, Handlers, Ready
from reknit.front.slang.lower.calls import CopyOut, target_of
from reknit.front.slang.lower.lvalues import Memory, Swizzled, variable
from reknit.front.slang.lower.resource_places import Slot, Texel, settled
from reknit.front.slang.types import VOID, ResourceType, Type
from reknit.ir.value import Value


def intrinsic(body: Body, expr: Expr) -> Value | None:
    assert isinstance(expr, hir.Intrinsic)
    low = body.low
    types = [body.type_of(argument) for argument in expr.arguments]
    type_arguments = [body.type(type) for type in expr.type_arguments]
    for type in types:
        if isinstance(type, ResourceType) and type.element is not None:
            body.tables.outside(type.element, expr.at)
    arguments = list(expr.arguments)
    if types and isinstance(types[0], ResourceType):
        receiver = Ready(arguments[0].at, body.place(arguments[0]))
        if isinstance(settled(receiver.place), Slot):
            low.refuse(receiver.at, f"this variable of type '{types[0]}' was given no resource")
            return None if expr.type is VOID else low.undefined(body.type_of(expr))
        arguments[0] = receiver
    signature = signature_of(expr.name, types, type_arguments)
    directions = list(signature.directions) if signature is not None else []
    if signature is not None and signature.receiver:
        directions.insert(0, signature.receiver)
    directions.extend(["in"] * (len(types) - len(directions)))
    back: list[CopyOut] = []
    operands: list[Value] = []
    for argument, type, direction in zip(arguments, types, directions, strict=True):
        if expr.name == PRINTED and isinstance(argument, hir.Text):
            operands.append(low.string(argument.value))
        else:
            operands.append(operand(body, argument, type, direction, back))
    resolved = hir.Intrinsic(expr.at, body.type_of(expr), expr.name, type_arguments, expr.arguments)
    emitted = emit(low, resolved, types, operands)
    for copy_back in back:
        copy_back.target.store(low, copy_back.temporary.load(low))
    return emitted


def signature_of(name: str, types: list[Type], type_arguments: list[Type]) -> Signature | None:
    _, dot, method = name.partition(".")
    if dot and types:
        callee = find_method(types[0], method)
        return callee.resolve(types[1:], type_arguments, types[0]) if callee is not None else None
    callee = find(name)
    return callee.resolve(types, type_arguments, None) if callee is not None else None


def operand(body: Body, argument: Expr, type: Type, direction: str, back: list[CopyOut]) -> Value:
    low = body.low
    if direction == "in":
        if low.has_resources(type):
            place = body.place(argument)
            return place.load(low) if not isinstance(place, Slot) else low.zero(low.u32)
        return body.value(argument)
    target = target_of(body, argument)
    if direction == "ref":
        while isinstance(target, Swizzled) and len(target.indices) == 1:
            if isinstance(target.base, Texel) and target.indices == [0]:
                target = target.base.first()
            else:
                target = target.components(low)[0]
        if isinstance(target, Memory):
            return target.pointer(low)
        if isinstance(target, Texel):
            return target.pointer(low)
        if low.has_resources(type):
            return target.load(low)
        low.refuse(argument.at, "this operand has to be in memory: a variable, or an element of a buffer or texture")
    elif isinstance(target, Memory) and target.rule == "":
        return target.pointer(low)
    temporary = Memory(type, variable(low, low.ir_type(type), ""), [])
    if direction != "out":
        temporary.store(low, target.load(low))
    back.append(CopyOut(target, temporary))
    return temporary.base


def register(handlers: Handlers) -> None:
    handlers.values[hir.Intrinsic] = intrinsic
