"""The language's own interfaces and which types conform to them.

    int : IInteger, IArithmetic, IComparable, __BuiltinIntegerType, ...        float3 : IFloat, IArithmetic, ...

Source: Slang's core module, and its user guide, "Builtin interfaces".
"""

from typing import Final

from reknit.front.slang.types import (
    ArrayType,
    DataLayout,
    EnumType,
    MatrixType,
    ResourceType,
    ScalarType,
    Type,
    VectorType,
)

_ALL: Final = ("bool", "int", "uint", "float")
_NUMBERS: Final = ("int", "uint", "float")
_INTEGERS: Final = ("int", "uint")
_LOGICAL: Final = ("bool", "int", "uint")

_SCALARS: Final[dict[str, tuple[str, ...]]] = {
    "IArithmetic": _NUMBERS, "IInteger": _INTEGERS, "IFloat": ("float",), "ILogical": _LOGICAL, "IComparable": _ALL,
    "IRangedValue": _ALL, "IDefaultInitializable": _ALL, "IDifferentiable": ("float",),
    "IDifferentiableArithmetic": ("float",), "__BuiltinType": _ALL, "__BuiltinArithmeticType": _NUMBERS,
    "__BuiltinIntegerType": _INTEGERS, "__BuiltinFloatingPointType": ("float",),
    "__BuiltinSignedArithmeticType": ("int", "float"), "__BuiltinRealType": ("float",),
    "__BuiltinLogicalType": _LOGICAL, "IAtomicable": _NUMBERS, "IArithmeticAtomicable": _NUMBERS,
    "IBitAtomicable": _INTEGERS, "__BuiltinInt32Type": _INTEGERS, "__BuiltinInt64Type": _INTEGERS,
    "__EnumType": (), "IBufferDataLayout": (), "IOpaqueDescriptor": (),
}  # fmt: skip
"""By interface: kinds of scalars."""
_VECTORS: Final = ("IArithmetic", "IInteger", "IFloat", "IDifferentiable")
_OF_NUMBERS: Final = {"IComparable": "IArithmetic", "ILogical": "IInteger"}
"""What vectors conform to if their elements do to another: those of bools to neither."""
_NO_DESCRIPTORS: Final = ("Atomic", "RayQuery", "ParameterBlock")
_WIDTHS: Final = {"__BuiltinInt32Type": 32, "__BuiltinInt64Type": 64}

INTERFACES: Final = tuple(_SCALARS)


def conforms(type: Type, name: str) -> bool:
    """Of a type without generic parameters."""
    if isinstance(type, ScalarType):
        return type.kind in _SCALARS[name] and _WIDTHS.get(name, type.width) == type.width
    if isinstance(type, EnumType):
        return name in ("__EnumType", "ILogical", "IComparable", "__BuiltinType")
    if isinstance(type, ResourceType):
        return name == "IOpaqueDescriptor" and type.kind not in _NO_DESCRIPTORS
    if isinstance(type, DataLayout):
        return name == "IBufferDataLayout"
    if name == "IDefaultInitializable":
        return isinstance(type, (VectorType, MatrixType, ArrayType))
    if isinstance(type, VectorType):
        if name in _OF_NUMBERS:
            return conforms(type.element, _OF_NUMBERS[name])
        return name in _VECTORS and conforms(type.element, name)
    if isinstance(type, MatrixType):
        return name in ("IArithmetic", "IFloat", "IComparable", "IDifferentiable") and conforms(type.element, "IFloat")
    return False


def implied(name: str) -> list[str]:
    """What conforming to a builtin interface brings with it."""
    return list(_IMPLIED.get(name, ()))


_IMPLIED: Final[dict[str, tuple[str, ...]]] = {
    "IArithmetic": ("IComparable",), "ILogical": ("IComparable",),
    "IInteger": ("IArithmetic", "ILogical", "IComparable"),
    "IFloat": ("IArithmetic", "IDifferentiable", "IComparable"),
    "__BuiltinArithmeticType": ("__BuiltinType", "IArithmetic", "IComparable"),
    "__BuiltinLogicalType": ("__BuiltinType", "ILogical", "IComparable"),
    "__BuiltinSignedArithmeticType": ("__BuiltinArithmeticType", "__BuiltinType", "IArithmetic", "IComparable"),
    "__BuiltinRealType": (
        "__BuiltinSignedArithmeticType", "__BuiltinArithmeticType", "__BuiltinType", "IArithmetic", "IComparable",
    ),
    "__BuiltinIntegerType": (
        "__BuiltinArithmeticType", "__BuiltinType", "IInteger", "IArithmetic", "ILogical", "IComparable",
    ),
    "__BuiltinInt32Type": (
        "__BuiltinIntegerType", "__BuiltinArithmeticType", "__BuiltinType", "IInteger", "IArithmetic", "ILogical",
        "IComparable",
    ),
    "__BuiltinInt64Type": (
        "__BuiltinIntegerType", "__BuiltinArithmeticType", "__BuiltinType", "IInteger", "IArithmetic", "ILogical",
        "IComparable",
    ),
    "__BuiltinFloatingPointType": (
        "__BuiltinRealType", "__BuiltinSignedArithmeticType", "__BuiltinArithmeticType", "__BuiltinType", "IFloat",
        "IArithmetic", "IDifferentiable", "IComparable",
    ),
    "IArithmeticAtomicable": ("IAtomicable", "IArithmetic", "IComparable"),
    "IBitAtomicable": (
        "IArithmeticAtomicable", "IAtomicable", "IInteger", "IArithmetic", "ILogical", "IComparable",
    ),
    "IDifferentiableArithmetic": ("IArithmetic", "IDifferentiable", "IComparable"),
}  # fmt: skip
