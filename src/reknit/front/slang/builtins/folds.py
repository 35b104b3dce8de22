"""Reductions and scans over a wave: of all its lanes, of those in a mask, of clusters.

    WaveActiveSum(x)           GroupNonUniformIAdd Subgroup Reduce %x
    WavePrefixMax(x)           GroupNonUniformSMax Subgroup ExclusiveScan %x
    WaveMaskSum(mask, x)       ... PartitionedReduceEXT %x %ballot     the mask, without lanes that don't run
    subgroupClusteredAdd(x, 4) ... ClusteredReduce %x 4

Vectors go component by component, matrices a row at a time. Source: Microsoft's HLSL reference, "Wave Intrinsics";
Slang's core module; GL_KHR_shader_subgroup.
"""

from typing import Final

from reknit.front.slang.builtins.builtin import Maker
from reknit.front.slang.builtins.components import Codes, Piece, kind_index, row_by_row
from reknit.front.slang.builtins.emitter import Emitter
from reknit.front.slang.builtins.lanes import mask_of, need_constant, scope
from reknit.front.slang.builtins.rows import Row, Rows
from reknit.front.slang.builtins.shapes import ir_numeric
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import Type
from reknit.ir import enums, op
from reknit.ir.value import Value

_ARITHMETIC: Final[dict[str, Codes]] = {
    "Sum": (op.GroupNonUniformFAdd, op.GroupNonUniformIAdd, op.GroupNonUniformIAdd, 0),
    "Product": (op.GroupNonUniformFMul, op.GroupNonUniformIMul, op.GroupNonUniformIMul, 0),
    "Min": (op.GroupNonUniformFMin, op.GroupNonUniformSMin, op.GroupNonUniformUMin, 0),
    "Max": (op.GroupNonUniformFMax, op.GroupNonUniformSMax, op.GroupNonUniformUMax, 0),
}
_LOGICAL: Final[dict[str, Codes]] = {
    "BitAnd": (0, op.GroupNonUniformBitwiseAnd, op.GroupNonUniformBitwiseAnd, op.GroupNonUniformLogicalAnd),
    "BitOr": (0, op.GroupNonUniformBitwiseOr, op.GroupNonUniformBitwiseOr, op.GroupNonUniformLogicalOr),
    "BitXor": (0, op.GroupNonUniformBitwiseXor, op.GroupNonUniformBitwiseXor, op.GroupNonUniformLogicalXor),
}
_GLSL: Final = {
    "Sum": "Add", "Product": "Mul", "Min": "Min", "Max": "Max", "BitAnd": "And", "BitOr": "Or", "BitXor": "Xor",
}  # fmt: skip


def _piece(codes: Codes, how: int, extra: list[Value]) -> Piece:
    def piece(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
        code = codes[kind_index(types[0])]
        return emitter.emit(code, ir_numeric(emitter, result), [scope(emitter), how, operands[0], *extra])

    return piece


def _whole(codes: Codes, how: int) -> Maker:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        emitter.capability(enums.CapabilityGroupNonUniformArithmetic)
        return row_by_row(emitter, call.type, types, operands, _piece(codes, how, []))

    return make


def _of_mask(codes: Codes, how: int, mask_at: int) -> Maker:
    """The mask is operand `mask_at`, the value the other one."""

    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        emitter.capability(enums.CapabilityGroupNonUniformPartitionedNV)
        emitter.extension("SPV_NV_shader_subgroup_partitioned")
        ballot = mask_of(emitter, types[mask_at], operands[mask_at])
        value_at = 1 - mask_at
        piece = _piece(codes, how, [ballot])
        return row_by_row(emitter, call.type, [types[value_at]], [operands[value_at]], piece)

    return make


def _of_clusters(codes: Codes) -> Maker:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        emitter.capability(enums.CapabilityGroupNonUniformClustered)
        need_constant(operands[1], "the size of clusters")
        piece = _piece(codes, enums.GroupOperationClusteredReduce, [operands[1]])
        return row_by_row(emitter, call.type, types[:1], operands[:1], piece)

    return make


def _rows() -> Rows:
    rows: dict[str, Row] = {}
    for kinds, folds in (("n", _ARITHMETIC), ("l", _LOGICAL)):
        for name, codes in folds.items():
            _add(rows, kinds, name, codes)
    return rows


def _add(rows: dict[str, Row], kinds: str, name: str, codes: Codes) -> None:
    reduce = enums.GroupOperationReduce
    inclusive = enums.GroupOperationInclusiveScan
    exclusive = enums.GroupOperationExclusiveScan
    for prefix, how in (
        ("WaveActive", reduce), ("WavePrefix", exclusive), ("WavePrefixExclusive", exclusive),
        ("WavePrefixInclusive", inclusive),
    ):  # fmt: skip
        rows[prefix + name] = (f"{kinds} T(T)", _whole(codes, how))
    for prefix, how in (
        ("", enums.GroupOperationPartitionedReduceEXT),
        ("Prefix", enums.GroupOperationPartitionedExclusiveScanEXT),
        ("PrefixExclusive", enums.GroupOperationPartitionedExclusiveScanEXT),
        ("PrefixInclusive", enums.GroupOperationPartitionedInclusiveScanEXT),
    ):
        rows[f"WaveMask{prefix}{name}"] = (f"{kinds} T(uint, T)", _of_mask(codes, how, 0))
        rows[f"WaveMulti{prefix}{name}"] = (f"{kinds} T(T, uint4)", _of_mask(codes, how, 1))
    glsl = _GLSL[name]
    for prefix, how in (("", reduce), ("Inclusive", inclusive), ("Exclusive", exclusive)):
        rows[f"subgroup{prefix}{glsl}"] = (f"{kinds} T(T)", _whole(codes, how))
    rows[f"subgroupClustered{glsl}"] = (f"{kinds} T(T, uint)", _of_clusters(codes))


FUNCTIONS: Final[Rows] = _rows()
