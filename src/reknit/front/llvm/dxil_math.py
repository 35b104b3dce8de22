"""DXIL's arithmetic: operations 6 to 56 and their like, as instructions and GLSL.std.450.

    dx.op.unary.f32(i32 13, %x)             Sin          dx.op.binary.i32(i32 37, ...)     SMax
    dx.op.tertiary.i32(i32 48, a, b, c)     a * b + c    dx.op.binaryWithTwoOuts(i32 41)   Pieces [high, low]

Source: DXC, docs/DXIL.rst, "DXIL Instructions"; D3D11.3 Functional Specification, 22 "Shader Instruction Reference".
"""

from collections.abc import Callable
from typing import Final

from reknit.front.llvm.dxil_operations import not_read
from reknit.front.llvm.library.expand import expanded, of_integers, type_of
from reknit.front.llvm.results import Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Statement, Type
from reknit.front.llvm.target import Target
from reknit.ir import op
from reknit.ir.constants import as_int
from reknit.ir.floats import rounded_bits
from reknit.ir.instr import Instr
from reknit.ir.value import Value

EXTENDED: Final = {
    6: 4, 12: 14, 13: 13, 14: 15, 15: 17, 16: 16, 17: 18, 18: 20, 19: 19, 20: 21, 21: 29, 22: 10, 23: 30, 24: 31,
    25: 32, 26: 2, 27: 8, 28: 9, 29: 3, 35: 80, 36: 79, 37: 42, 38: 39, 39: 41, 40: 38, 47: 50,
}  # fmt: skip
"""DXIL's opcode: GLSL.std.450's number. FMax and FMin are NMax and NMin: the number wins over a NaN."""

PLAIN: Final = {
    8: op.IsNan, 9: op.IsInf, 124: op.Bitcast, 125: op.Bitcast, 126: op.Bitcast,
    127: op.Bitcast, 128: op.Bitcast, 129: op.Bitcast, 132: op.FConvert, 133: op.ConvertFToS, 134: op.ConvertFToU,
}  # fmt: skip

_N_CLAMP: Final = 81
_MIN: Final = 38

Maker = Callable[[Lowering, Statement, list[Value]], Result]


def math(lowering: Lowering, statement: Statement, code: int) -> Result:
    """Operands after the opcode. Raises Refusal for an operation that is not read."""
    if code not in EXTENDED and code not in PLAIN and code not in _MAKERS:
        raise not_read(code)
    values = [lowering.value(operand) for operand in statement.operands[1:]]
    target = lowering.target
    if code in EXTENDED:
        return target.extended(EXTENDED[code], lowering.type(statement), values)
    if code in PLAIN:
        ir_type = lowering.type(statement)
        if PLAIN[code] == op.Bitcast and type_of(values[0]) is ir_type:
            return values[0]
        return target.emit(PLAIN[code], ir_type, [*values])
    return _MAKERS[code](lowering, statement, values)


def floating(target: Target, type: Type, number: float) -> Instr:
    return target.constant(type, rounded_bits(number, type.width))


def _saturate(lowering: Lowering, statement: Statement, values: list[Value]) -> Result:
    target = lowering.target
    low = floating(target, statement.type, 0.0)
    high = floating(target, statement.type, 1.0)
    return target.extended(_N_CLAMP, lowering.type(statement), [values[0], low, high])


def _of_first(name: str) -> Maker:
    """A function of the library, for the type of the first operand."""

    def make(lowering: Lowering, statement: Statement, values: list[Value]) -> Result:
        return expanded(lowering.target, "dxil", name, [statement.operands[1].type], values)

    return make


def _of_words(name: str) -> Maker:
    """A function of the library that is there for the types of its operation alone."""

    def make(lowering: Lowering, statement: Statement, values: list[Value]) -> Result:
        return expanded(lowering.target, "dxil", name, [], values)

    return make


def _reversed(lowering: Lowering, statement: Statement, values: list[Value]) -> Result:
    return of_integers(lowering.target, "bitreverse", statement.operands[1].type, values)


def _as_word(target: Target, value: Value) -> Value:
    """An unsigned number of any width, which fits."""
    return value if type_of(value) is target.u32 else target.emit(op.UConvert, target.u32, [value])


def _counted(lowering: Lowering, statement: Statement, values: list[Value]) -> Result:
    count = of_integers(lowering.target, "ctpop", statement.operands[1].type, values)
    return _as_word(lowering.target, count)


def _first_high_signed(lowering: Lowering, statement: Statement, values: list[Value]) -> Result:
    return expanded(lowering.target, "dxil", "firstbit_hi", [statement.operands[1].type], values, "s")


def _float_mad(lowering: Lowering, statement: Statement, values: list[Value]) -> Result:
    target = lowering.target
    product = target.emit(op.FMul, lowering.type(statement), [*values[:2]])
    return target.emit(op.FAdd, lowering.type(statement), [product, values[2]])


def _mad(lowering: Lowering, statement: Statement, values: list[Value]) -> Result:
    target = lowering.target
    product = target.emit(op.IMul, lowering.type(statement), [*values[:2]])
    return target.emit(op.IAdd, lowering.type(statement), [product, values[2]])


def _field(lowering: Lowering, width: Value, offset: Value) -> tuple[Value, Value]:
    """(offset, width) of five bits each, the field cut off at bit 32: what SPIR-V leaves undefined, DXIL defines."""
    target = lowering.target
    known_width = as_int(width)
    known_offset = as_int(offset)
    if known_width is not None and known_offset is not None:
        start = known_offset & 31
        return target.word(start), target.word(min(known_width & 31, 32 - start))
    start_value = target.emit(op.BitwiseAnd, target.u32, [offset, target.word(31)])
    wanted = target.emit(op.BitwiseAnd, target.u32, [width, target.word(31)])
    room = target.emit(op.ISub, target.u32, [target.word(32), start_value])
    return start_value, target.extended(_MIN, target.u32, [wanted, room])


def _extract_bits(lowering: Lowering, statement: Statement, values: list[Value]) -> Result:
    signed = lowering.number(statement.operands[0]) == 51
    offset, count = _field(lowering, values[0], values[1])
    code = op.BitFieldSExtract if signed else op.BitFieldUExtract
    return lowering.target.emit(code, lowering.target.u32, [values[2], offset, count])


def _insert_bits(lowering: Lowering, statement: Statement, values: list[Value]) -> Result:
    offset, count = _field(lowering, values[0], values[1])
    return lowering.target.emit(op.BitFieldInsert, lowering.target.u32, [values[3], values[2], offset, count])


def _dot(lowering: Lowering, statement: Statement, values: list[Value]) -> Result:
    """Components of one, then of the other: products added from the first on."""
    target = lowering.target
    ir_type = lowering.type(statement)
    half = len(values) // 2
    total: Value | None = None
    for a, b in zip(values[:half], values[half:], strict=True):
        product = target.emit(op.FMul, ir_type, [a, b])
        total = product if total is None else target.emit(op.FAdd, ir_type, [total, product])
    return total


def _unpacked(lowering: Lowering, statement: Statement, values: list[Value]) -> Result:
    """Operation 219: four bytes, with a sign if the mode is 1."""
    name = "unpack_s8" if lowering.number(statement.operands[1]) == 1 else "unpack_u8"
    return expanded(lowering.target, "dxil", name, [statement.type.parts[0]], values[1:])


def _packed(lowering: Lowering, statement: Statement, values: list[Value]) -> Result:
    """Operation 220: the low bytes (0), or the numbers clamped to unsigned (1) or signed (2) bytes."""
    name = {0: "pack_low", 1: "pack_u8"}.get(lowering.number(statement.operands[1]), "pack_s8")
    return expanded(lowering.target, "dxil", name, [statement.operands[2].type], values[1:], "s")


_MAKERS: Final[dict[int, Maker]] = {
    7: _saturate, 10: _of_first("is_finite"), 11: _of_first("is_normal"), 30: _reversed, 31: _counted,
    32: _of_first("firstbit_lo"), 33: _of_first("firstbit_hi"), 34: _first_high_signed, 41: _of_words("imul"),
    42: _of_words("umul"), 43: _of_words("udiv"), 44: _of_words("uaddc"), 45: _of_words("usubb"), 46: _float_mad,
    48: _mad, 49: _mad, 50: _of_words("msad"), 51: _extract_bits, 52: _extract_bits, 53: _insert_bits, 54: _dot,
    55: _dot, 56: _dot, 101: _of_words("make_double"), 102: _of_words("split_double"), 130: _of_words("f32_to_f16"),
    131: _of_words("f16_to_f32"), 162: _of_words("dot2add"), 163: _of_words("dot4add_s8"),
    164: _of_words("dot4add_u8"), 219: _unpacked, 220: _packed,
}  # fmt: skip
