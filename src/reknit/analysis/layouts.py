"""Which alignment a part of what is in memory has.

    struct { u32 n (Offset 0); array<vec4, 8> v (ArrayStride 16, Offset 16) }, aligned to 16
      n          gcd(16, 0)       16               v[3].y     gcd(16, 16, 3 * 16, 4)      4
      v          gcd(16, 16)      16               v[%i].y    gcd(16, 16, 16, 4)          4

Source: SPIR-V 1.6, "Memory Operands": Aligned is a power of two, which the address is a multiple of; "Decoration", of
Offset, ArrayStride, MatrixStride, RowMajor.
"""

from math import gcd
from typing import ClassVar, Final, final

from reknit.analysis.manager import Analyses, ModuleAnalysis
from reknit.ir import enums, op
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.types import width_of
from reknit.ir.value import Value

_READ: Final = (enums.DecorationOffset, enums.DecorationMatrixStride, enums.DecorationRowMajor)


@final
class Layouts(ModuleAnalysis):
    """Offsets and strides, in bytes."""

    name: ClassVar[str] = "layouts"
    reads_functions: ClassVar[bool] = False

    def __init__(self, module: Module) -> None:
        self._strides: dict[Value, int] = {}
        self._members: dict[Value, dict[tuple[int, int], int]] = {}
        for instr in module.decorations:
            if instr.op == op.Decorate and instr.word(1) == enums.DecorationArrayStride:
                self._strides[instr.value(0)] = instr.word(2)
            elif instr.op == op.MemberDecorate and instr.word(2) in _READ:
                literal = instr.word(3) if len(instr.operands) > 3 else 1
                self._members.setdefault(instr.value(0), {})[instr.word(1), instr.word(2)] = literal

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "Layouts":
        return Layouts(module)

    def same_as(self, other: ModuleAnalysis) -> bool:
        return isinstance(other, Layouts) and self._strides == other._strides and self._members == other._members

    def alignment(self, whole: int, type: Instr, path: list[Operand]) -> int | None:
        """That of the part of a `type` which `path` leads to, where the type is aligned to `whole`. A step is a literal
        index, or a value as in a chain. None where a type has no layout."""
        matrix_stride = 0
        by_rows = False
        for step in path:
            index = as_int(step) if isinstance(step, Value) else step
            assert not isinstance(index, str)
            if type.op == op.TypeStruct:
                if index is None:
                    return None
                members = self._members.get(type, {})
                offset = members.get((index, enums.DecorationOffset))
                if offset is None:
                    return None
                matrix_stride = members.get((index, enums.DecorationMatrixStride), 0)
                by_rows = (index, enums.DecorationRowMajor) in members
                whole = gcd(whole, offset)
                type = type.instr(index)
                continue
            if type.op == op.TypeArray or type.op == op.TypeRuntimeArray:
                stride = self._strides.get(type, 0)
            elif type.op == op.TypeMatrix:
                stride = width_of(type) // 8 if by_rows else matrix_stride
            elif type.op == op.TypeVector:
                stride = matrix_stride if by_rows else width_of(type) // 8
            else:
                return None
            if stride == 0:
                return None
            whole = gcd(whole, stride if index is None else stride * index)
            type = type.instr(0)
        return whole
