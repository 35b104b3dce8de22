"""The names of numeric types, aliases among them.

    int32_t -> INT      float4 -> vector<float,4>      half3x2 -> matrix<half,3,2>      dword, WaveMask -> uint

A vector or matrix of one component is written with its 1: float1, float1x1.
"""

from typing import Final

from reknit.front.slang.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    INT8,
    INT16,
    INT64,
    SCALARS,
    UINT,
    UINT8,
    UINT16,
    UINT64,
    ConstType,
    MatrixType,
    Type,
    VectorType,
)

_NAMED: Final[dict[str, Type]] = {scalar.name: scalar for scalar in SCALARS}
_ALIASES: Final[dict[str, Type]] = {
    "int32_t": INT, "uint32_t": UINT, "float16_t": HALF, "float32_t": FLOAT, "float64_t": DOUBLE, "dword": UINT,
    "size_t": UINT64, "usize_t": UINT64, "ssize_t": INT64, "intptr_t": INT64, "uintptr_t": UINT64, "WaveMask": UINT,
    "uint8_t4_packed": UINT, "int8_t4_packed": UINT,
    "min16float": HALF, "min16int": INT16, "min16uint": UINT16, "min10float": HALF, "min12int": INT16,
}  # fmt: skip
_OPENERS: Final = {
    "bool": BOOL, "int8_t": INT8, "uint8_t": UINT8, "int16_t": INT16, "uint16_t": UINT16, "int32_t": INT,
    "uint32_t": UINT, "int64_t": INT64, "uint64_t": UINT64, "float16_t": HALF, "float32_t": FLOAT, "float64_t": DOUBLE,
    "int": INT, "uint": UINT, "half": HALF, "float": FLOAT, "double": DOUBLE, "min16float": HALF, "min16int": INT16,
    "min16uint": UINT16,
}  # fmt: skip


_GLSL: Final = {
    "": FLOAT, "i": INT, "u": UINT, "b": BOOL, "d": DOUBLE, "f16": HALF, "f32": FLOAT, "f64": DOUBLE, "i8": INT8,
    "u8": UINT8, "i16": INT16, "u16": UINT16, "i32": INT, "u32": UINT, "i64": INT64, "u64": UINT64,
}  # fmt: skip


def glsl_type(name: str) -> Type | None:
    """`uvec4`, or `mat2x3`, whose columns are Slang's rows, in sources that use GLSL's names."""
    opener, _, size = name.partition("vec")
    if size in ("2", "3", "4") and opener in _GLSL:
        return VectorType(_GLSL[opener], ConstType(int(size)))
    opener, _, size = name.partition("mat")
    columns, _, rows = size.partition("x")
    if columns in ("2", "3", "4") and rows in ("", "2", "3", "4") and opener in ("", "d", "f16", "f32", "f64"):
        return MatrixType(_GLSL[opener], ConstType(int(columns)), ConstType(int(rows or columns)))
    return None


def numeric(name: str) -> Type | None:
    """None: no such type."""
    known = _NAMED.get(name) or _ALIASES.get(name)
    if known is not None:
        return known
    if len(name) > 3 and name[-2] == "x" and name[-1] in "1234" and name[-3] in "1234":
        scalar = _OPENERS.get(name[:-3])
        return None if scalar is None else MatrixType(scalar, ConstType(int(name[-3])), ConstType(int(name[-1])))
    if len(name) > 1 and name[-1] in "1234":
        scalar = _OPENERS.get(name[:-1])
        return None if scalar is None else VectorType(scalar, ConstType(int(name[-1])))
    return None
