"""Functions that have no instruction of their own: sizes of types, printf, what only quiets warnings.

WorkgroupSize() a constant, of the entry point              WorkgroupCount()     the input NumWorkgroups
sizeof(S)       a constant, by the natural layout           printf("%d", x)      DebugPrintf of NonSemantic
alignof(S)      likewise                                    unused(x)            nothing
"""

from typing import Final

from reknit.front.slang.builtins.builtin import Builtin, Maker, Resolver, Signature
from reknit.front.slang.builtins.constants import number, scalar_constant
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.shapes import constant, ir_numeric
from reknit.front.slang.builtins.stored import layouts
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.layout import SCALAR, STD430, NoLayout
from reknit.front.slang.types import (
    BOOL,
    INT,
    UINT,
    VOID,
    ArrayType,
    ConstType,
    DataLayout,
    TupleType,
    Type,
    VectorType,
)
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.types import void_type
from reknit.ir.value import Value


def _of_type(name: str) -> Builtin:
    """Takes a type argument, or a value of the type."""

    def resolve(arguments: list[Type], type_arguments: list[Type], receiver: Type | None) -> Signature | None:
        if len(type_arguments) == 2 and not arguments:
            return Signature([], [], INT, name, type_arguments)
        if len(type_arguments) == 1 and len(arguments) <= 1:
            return Signature(list(arguments), ["in"] * len(arguments), INT, name, type_arguments)
        if len(arguments) != 1 or type_arguments:
            return None
        return Signature(list(arguments), ["in"], INT, name, list(arguments))

    return Builtin(name, resolve, _measure(name))


def _measure(name: str) -> Maker:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        type = call.type_arguments[0]
        if name == "countof":
            return number(emitter, INT, _count(type))
        rule = _rule(call)
        known = layouts(emitter, rule)
        try:
            if name == "alignof":
                return number(emitter, INT, known.of(type).align)
            return number(emitter, INT, known.end(type) if rule == STD430 else known.of(type).size)
        except NoLayout as reason:
            raise Unsupported(reason.message) from reason

    return make


def _rule(call: Intrinsic) -> str:
    """`sizeof(S, Std430DataLayout)` says by which rule."""
    if len(call.type_arguments) == 1:
        return SCALAR  # a type that is known while checking is measured there
    asked = call.type_arguments[1]
    if not isinstance(asked, DataLayout):
        raise Unsupported(f"'{asked}' is no data layout")
    return asked.rule or SCALAR


def _count(type: Type) -> int:
    if isinstance(type, TupleType):
        return len(type.elements)
    if isinstance(type, VectorType):
        return constant(type.count)
    if isinstance(type, ArrayType) and type.count is not None:
        return constant(type.count)
    raise Unsupported(f"'{type}' has no number of elements")


def _ignored(name: str, direction: str) -> Resolver:
    """Arguments as they are."""

    def resolve(arguments: list[Type], type_arguments: list[Type], receiver: Type | None) -> Signature | None:
        return Signature(list(arguments), [direction] * len(arguments), VOID, name)

    return resolve


def _nothing(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    return None


def _no_helper(arguments: list[Type], type_arguments: list[Type], receiver: Type | None) -> Signature | None:
    return None if arguments else Signature([], [], BOOL, "IsHelperLane")


def _helper(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    """Only fragment shaders have helpers."""
    if "fragment" not in emitter.stages:
        return scalar_constant(emitter, BOOL, 0)
    if len(emitter.stages) > 1:
        emitter.uses("IsHelperLane")
    emitter.capability(enums.CapabilityDemoteToHelperInvocation)
    emitter.extension("SPV_EXT_demote_to_helper_invocation")
    return emitter.emit(op.IsHelperInvocationEXT, emitter.boolean, [])


def _printed(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    """Source: the extended instruction set NonSemantic.DebugPrintf, instruction 1."""
    format = operands[0] if operands else None
    if not isinstance(format, Instr) or format.op != op.String:
        raise Unsupported("printf takes a string that is written there")
    module = emitter.module
    imported = next((have for have in module.imports if have.text(0) == _PRINTING), None)
    if imported is None:
        imported = Instr(op.ExtInstImport, None, [_PRINTING])
        module.imports.append(imported)
        emitter.extension("SPV_KHR_non_semantic_info")
    emitter.emit(op.ExtInst, void_type(module), [imported, 1, *operands])
    return None


def _no_arguments(arguments: list[Type], type_arguments: list[Type], receiver: Type | None) -> Signature | None:
    return None if arguments else Signature([], [], _SIZE, "WorkgroupSize")


def _group_size(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    parts: list[Value] = [number(emitter, INT, size) for size in emitter.group_size()]
    return emitter.module.intern(op.ConstantComposite, ir_numeric(emitter, _SIZE), [*parts])


def _clock(name: str, parts: int) -> Builtin:
    """Source: SPV_KHR_shader_clock; Slang's core module has the device's clock in words."""
    type = UINT if parts == 1 else VectorType(UINT, ConstType(parts))

    def resolve(arguments: list[Type], type_arguments: list[Type], receiver: Type | None) -> Signature | None:
        return None if arguments else Signature([], [], type, name)

    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        emitter.capability(enums.CapabilityShaderClockKHR)
        emitter.extension("SPV_KHR_shader_clock")
        both = emitter.vector(emitter.u32, 2)
        clock = emitter.emit(op.ReadClockKHR, both, [emitter.word(enums.ScopeDevice)])
        return clock if parts == 2 else emitter.emit(op.CompositeExtract, emitter.u32, [clock, 0])

    return Builtin(name, resolve, make)


def _no_count(arguments: list[Type], type_arguments: list[Type], receiver: Type | None) -> Signature | None:
    return None if arguments else Signature([], [], VectorType(UINT, ConstType(3)), "WorkgroupCount")


def _group_count(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    return emitter.input(enums.BuiltInNumWorkgroups, 3, "NumWorkgroups")


_SIZE: Final = VectorType(INT, ConstType(3))
PRINTED: Final = "printf"
_PRINTING: Final = "NonSemantic.DebugPrintf"
BUILTINS: Final[dict[str, Builtin]] = {
    "WorkgroupCount": Builtin("WorkgroupCount", _no_count, _group_count),
    "WorkgroupSize": Builtin("WorkgroupSize", _no_arguments, _group_size),
    "IsHelperLane": Builtin("IsHelperLane", _no_helper, _helper),
    "__alignOf": _of_type("alignof"),
    "__sizeOf": _of_type("sizeof"),
    "alignof": _of_type("alignof"),
    "countof": _of_type("countof"),
    PRINTED: Builtin(PRINTED, _ignored(PRINTED, "in"), _printed),
    "getRealtimeClock": _clock("getRealtimeClock", 2),
    "getRealtimeClockLow": _clock("getRealtimeClockLow", 1),
    "sizeof": _of_type("sizeof"),
    "unmodified": Builtin("unmodified", _ignored("unmodified", "out"), _nothing),
    "unused": Builtin("unused", _ignored("unused", "inout"), _nothing),
}
