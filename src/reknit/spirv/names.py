"""Readable names for ids, the ones that spirv-dis gives.

    OpName %7 "a b"                      %a_b
    OpTypeVector %float 4                %v4float
    OpConstant %float 1.5                %float_1_5
    OpDecorate %9 BuiltIn Position       %gl_Position
    a second "x"                         %x_0

Names are given in the order of the module, the first wish for an id wins, and two ids never share one.
"""

from collections.abc import Callable
from typing import Final, final

from reknit.ir import enums, op
from reknit.ir.opcodes import enum_name
from reknit.ir.operands import string_bytes
from reknit.spirv.scalars import Scalar, constant_text

MAX_LENGTH: Final = 256  # bytes of an OpName that still is a name

_VALID: Final = bytes(c if chr(c).isascii() and (chr(c).isalnum() or c == 0x5F) else 0x5F for c in range(256))

_FIXED: Final = {
    op.TypeVoid: "void",
    op.TypeBool: "bool",
    op.TypeEvent: "Event",
    op.TypeDeviceEvent: "DeviceEvent",
    op.TypeReserveId: "ReserveId",
    op.TypeQueue: "Queue",
    op.TypePipeStorage: "PipeStorage",
    op.TypeNamedBarrier: "NamedBarrier",
    op.ConstantTrue: "true",
    op.ConstantFalse: "false",
}

_INT_ROOTS: Final = {8: "char", 16: "short", 32: "int", 64: "long"}
_FLOAT_ROOTS: Final = {16: "half", 32: "float", 64: "double"}
_ENCODED_ROOTS: Final = {
    enums.FPEncodingBFloat16KHR: "bfloat16",
    enums.FPEncodingFloat8E4M3EXT: "fp8e4m3",
    enums.FPEncodingFloat8E5M2EXT: "fp8e5m2",
    enums.FPEncodingFloat6E2M3EXT: "fp6e2m3",
    enums.FPEncodingFloat6E3M2EXT: "fp6e3m2",
    enums.FPEncodingFloat4E2M1EXT: "fp4e2m1",
    enums.FPEncodingFloat8UnsignedE8M0EXT: "fp8e8m0",
    enums.FPEncodingMXInt8EXT: "mxint8",
}

_BUILT_INS: Final[dict[int, str]] = {
    enums.BuiltInWorkDim: "WorkDim",
    enums.BuiltInGlobalSize: "GlobalSize",
    enums.BuiltInEnqueuedWorkgroupSize: "EnqueuedWorkgroupSize",
    enums.BuiltInGlobalOffset: "GlobalOffset",
    enums.BuiltInGlobalLinearId: "GlobalLinearId",
    enums.BuiltInSubgroupSize: "SubgroupSize",
    enums.BuiltInSubgroupMaxSize: "SubgroupMaxSize",
    enums.BuiltInNumSubgroups: "NumSubgroups",
    enums.BuiltInNumEnqueuedSubgroups: "NumEnqueuedSubgroups",
    enums.BuiltInSubgroupId: "SubgroupId",
    enums.BuiltInSubgroupLocalInvocationId: "SubgroupLocalInvocationId",
    enums.BuiltInSubgroupEqMaskKHR: "SubgroupEqMaskKHR",
    enums.BuiltInSubgroupGeMaskKHR: "SubgroupGeMaskKHR",
    enums.BuiltInSubgroupGtMaskKHR: "SubgroupGtMaskKHR",
    enums.BuiltInSubgroupLeMaskKHR: "SubgroupLeMaskKHR",
    enums.BuiltInSubgroupLtMaskKHR: "SubgroupLtMaskKHR",
    enums.BuiltInPosition: "gl_Position",
    enums.BuiltInPointSize: "gl_PointSize",
    enums.BuiltInClipDistance: "gl_ClipDistance",
    enums.BuiltInCullDistance: "gl_CullDistance",
    enums.BuiltInVertexId: "gl_VertexID",
    enums.BuiltInInstanceId: "gl_InstanceID",
    enums.BuiltInPrimitiveId: "gl_PrimitiveID",
    enums.BuiltInInvocationId: "gl_InvocationID",
    enums.BuiltInLayer: "gl_Layer",
    enums.BuiltInViewportIndex: "gl_ViewportIndex",
    enums.BuiltInTessLevelOuter: "gl_TessLevelOuter",
    enums.BuiltInTessLevelInner: "gl_TessLevelInner",
    enums.BuiltInTessCoord: "gl_TessCoord",
    enums.BuiltInPatchVertices: "gl_PatchVertices",
    enums.BuiltInFragCoord: "gl_FragCoord",
    enums.BuiltInPointCoord: "gl_PointCoord",
    enums.BuiltInFrontFacing: "gl_FrontFacing",
    enums.BuiltInSampleId: "gl_SampleID",
    enums.BuiltInSamplePosition: "gl_SamplePosition",
    enums.BuiltInSampleMask: "gl_SampleMask",
    enums.BuiltInFragDepth: "gl_FragDepth",
    enums.BuiltInHelperInvocation: "gl_HelperInvocation",
    enums.BuiltInNumWorkgroups: "gl_NumWorkGroups",
    enums.BuiltInWorkgroupSize: "gl_WorkGroupSize",
    enums.BuiltInWorkgroupId: "gl_WorkGroupID",
    enums.BuiltInLocalInvocationId: "gl_LocalInvocationID",
    enums.BuiltInGlobalInvocationId: "gl_GlobalInvocationID",
    enums.BuiltInLocalInvocationIndex: "gl_LocalInvocationIndex",
    enums.BuiltInVertexIndex: "gl_VertexIndex",
    enums.BuiltInInstanceIndex: "gl_InstanceIndex",
    enums.BuiltInBaseInstance: "gl_BaseInstance",
}


def sanitized(name: bytes) -> str:
    """Letters, digits and "_"; every other byte becomes "_", no bytes at all become one."""
    return name.translate(_VALID).decode("ascii") if name else "_"


@final
class Names:
    """Names given so far. `of` answers for any id: its name, or its number."""

    __slots__ = ("by_id", "_next")

    def __init__(self) -> None:
        self.by_id: dict[int, str] = {}
        self._next: dict[str, int] = {}  # every name in use -> the number to try next behind it

    def of(self, id: int) -> str:
        """The name of an id, without "%"."""
        name = self.by_id.get(id)
        return name if name is not None else str(id)

    def save(self, id: int, wish: str) -> None:
        """Give an id a name like `wish`, which is sanitized, unless it has one."""
        if id in self.by_id:
            return
        taken = self._next
        name = wish
        if name in taken:
            number = taken[wish]
            name = f"{wish}_{number}"
            while name in taken:
                number += 1
                name = f"{wish}_{number}"
            taken[wish] = number + 1
        taken[name] = 0
        self.by_id[id] = name

    def learn(self, code: int, result: int, type: int, words: list[int], scalar: Scalar | None) -> None:
        """Take in one instruction, in module order. `scalar` is what an OpConstant's type is, if it is a number."""
        if code == op.Name:
            text = string_bytes(words, 1, len(words) - 1)
            self.save(words[0], sanitized(text) if len(text) <= MAX_LENGTH else str(words[0]))
        elif code == op.Decorate:
            if len(words) > 2 and words[1] == enums.DecorationBuiltIn:
                name = _BUILT_INS.get(words[2])
                if name is not None:
                    self.save(words[0], name)
        elif code == op.Constant and scalar is not None:
            wish = f"{self.of(type)}_{constant_text(words, scalar)}".replace("-", "n")
            self.save(result, sanitized(wish.encode()) if len(wish) <= MAX_LENGTH else str(result))
        elif result:
            namer = _NAMERS.get(code)
            wish = _FIXED.get(code, "") if namer is None else namer(self, words, result)
            self.save(result, wish if wish and len(wish) <= MAX_LENGTH else str(result))


def _int(_names: Names, words: list[int], _result: int) -> str:
    root = _INT_ROOTS.get(words[0])
    if root is None:
        return f"{'i' if words[1] else 'u'}{words[0]}"
    return root if words[1] else "u" + root


def _float(_names: Names, words: list[int], _result: int) -> str:
    if len(words) > 1 and words[1] in _ENCODED_ROOTS:
        return _ENCODED_ROOTS[words[1]]
    return _FLOAT_ROOTS.get(words[0]) or f"fp{words[0]}"


def _storage(word: int) -> str:
    return enum_name("StorageClass", word)


# What `learn` looks at the words of; any other instruction only gives its result a number.
_NAMERS: Final[dict[int, Callable[[Names, list[int], int], str]]] = {
    op.TypeInt: _int,
    op.TypeFloat: _float,
    op.TypeVector: lambda names, words, _: f"v{words[1]}{names.of(words[0])}",
    op.TypeMatrix: lambda names, words, _: f"mat{words[1]}{names.of(words[0])}",
    op.TypeArray: lambda names, words, _: f"_arr_{names.of(words[0])}_{names.of(words[1])}",
    op.TypeRuntimeArray: lambda names, words, _: f"_runtimearr_{names.of(words[0])}",
    op.TypeNodePayloadArrayAMDX: lambda names, words, _: f"_payloadarr_{names.of(words[0])}",
    op.TypePointer: lambda names, words, _: f"_ptr_{_storage(words[0])}_{names.of(words[1])}",
    op.TypeUntypedPointerKHR: lambda _names, words, _: f"_ptr_{_storage(words[0])}",
    op.TypePipe: lambda _names, words, _: f"Pipe{enum_name('AccessQualifier', words[0])}",
    op.TypeOpaque: lambda _names, words, _: "Opaque_" + sanitized(string_bytes(words, 0, len(words))),
    op.TypeStruct: lambda _names, _words, result: f"_struct_{result}",
}

NAMING: Final = frozenset({op.Name, op.Decorate, op.Constant, *_FIXED, *_NAMERS})
