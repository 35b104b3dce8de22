"""What an entry point's execution modes ask of floats.

    DenormFlushToZero 32      FMul %denormal, 2.0   =>   0      operands and results of what computes, signs kept
                              Load, CopyObject, Select, Bitcast, composites: the bits as they are
    RoundingModeRTZ 32        refused: the simulator rounds to the nearest

Source: SPIR-V 1.6, 3.6 "Execution Mode", DenormFlushToZero: "Any denormalized value being operated on or generated
by any instruction ... must be flushed to zero"; what moves bits operates on none.
"""

from typing import Any, Final, final

from reknit.ir import enums, op, opcodes, traits
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.sim.ops.columns import Column
from reknit.sim.values import FLOAT_KIND, STRUCT_KIND, Shape

_COMPUTE: Final = ("Arithmetic", "Conversion", "Relational_and_Logical", "Derivative")
_MOVES: Final = (op.Bitcast, op.Select)
_FRACTION: Final = {16: 10, 32: 23, 64: 52}
TOWARD_ZERO: Final = "rounds toward zero (RoundingModeRTZ), which the simulator doesn't do"


@final
class FloatModes:
    """The widths of floats whose denormals are flushed, and of those that are to be rounded toward zero."""

    __slots__ = ("flushed", "truncated")

    def __init__(self, flushed: tuple[int, ...], truncated: tuple[int, ...]) -> None:
        self.flushed = flushed
        self.truncated = truncated

    def concern(self, code: int) -> bool:
        """Whether an instruction computes, other than extended ones, which all do."""
        if not self.flushed and not self.truncated:
            return False
        info = opcodes.info(code)
        return info is not None and info.group in _COMPUTE and code not in _MOVES

    def concern_group(self, code: int) -> bool:
        """Whether a group operation computes a float; others move bits."""
        if not self.flushed and not self.truncated:
            return False
        return traits.COMBINES.get(code, "").startswith("f-")

    def rounds(self, result: Shape) -> bool:
        """Whether a result is to be rounded as the simulator doesn't."""
        return holds(result, self.truncated)

    def adapted(self, column: Column, result: Shape, operands: list[Shape]) -> Column:
        """`column` with denormals flushed, before and after."""
        widths = self.flushed
        changed = [at for at, shape in enumerate(operands) if holds(shape, widths)]
        gives = holds(result, widths)
        if not changed and not gives:
            return column

        def flushing(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
            given = list(columns)
            for at in changed:
                given[at] = columns[at][:]
                for lane in lanes:
                    given[at][lane] = flushed(columns[at][lane], operands[at], widths)
            column(out, lanes, given)
            if gives:
                for lane in lanes:
                    out[lane] = flushed(out[lane], result, widths)

        return flushing


def float_modes(module: Module, entry: Function) -> FloatModes:
    widths_of: dict[int, list[int]] = {enums.ExecutionModeDenormFlushToZero: [], enums.ExecutionModeRoundingModeRTZ: []}
    for mode in module.execution_modes:
        if mode.op == op.ExecutionMode and mode.operands[0] is entry and mode.word(1) in widths_of:
            widths_of[mode.word(1)].append(mode.word(2))
    flushed, truncated = widths_of.values()
    return FloatModes(tuple(flushed), tuple(truncated))


def holds(shape: Shape, widths: tuple[int, ...]) -> bool:
    """Whether there are floats of one of the widths in a value. Types nest a few levels."""
    if shape.kind == STRUCT_KIND:
        return any(holds(member, widths) for member in shape.members)
    if shape.element is not None:
        return holds(shape.element, widths)
    return shape.kind == FLOAT_KIND and shape.width in widths


def flushed(value: Any, shape: Shape, widths: tuple[int, ...]) -> Any:
    if shape.kind == STRUCT_KIND:
        return tuple([flushed(part, member, widths) for part, member in zip(value, shape.members, strict=True)])
    if shape.element is not None and isinstance(value, tuple):
        return tuple([flushed(part, shape.element, widths) for part in value])
    if shape.kind != FLOAT_KIND or shape.width not in widths:
        return value
    sign = 1 << (shape.width - 1)
    return value & sign if value & (sign - 1) < 1 << _FRACTION[shape.width] else value
