"""One instruction for a scalar or vector, a row at a time for a matrix.

    abs(float3)    ExtInst FAbs %v : vec3          abs(float2x3)    two rows, each ExtInst FAbs : vec3, put together

`Code` is an opcode of the core, or minus a number of GLSL.std.450. Which one may depend on the kind of the element:
`Codes` has them for floats, signed and unsigned integers and bools, 0 where there is none.
"""

from collections.abc import Callable, Sequence

from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.shapes import constant, ir_numeric, row_type, scalar_of
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import MatrixType, Type, VectorType
from reknit.ir import glsl, op
from reknit.ir.instr import Instr
from reknit.ir.value import Value

Code = int
Codes = tuple[Code, Code, Code, Code]
Piece = Callable[[Emitter, Type, list[Type], list[Value]], Value]
"""(emitter, result type, operand types, operands): on scalars or vectors."""

NARROW = (
    glsl.Radians, glsl.Degrees, glsl.Sin, glsl.Cos, glsl.Tan, glsl.Asin, glsl.Acos, glsl.Atan, glsl.Sinh, glsl.Cosh,
    glsl.Tanh, glsl.Asinh, glsl.Acosh, glsl.Atanh, glsl.Atan2, glsl.Pow, glsl.Exp, glsl.Log, glsl.Exp2, glsl.Log2,
)  # fmt: skip
"""Not for doubles."""


def kind_index(type: Type) -> int:
    return ("float", "int", "uint", "bool").index(scalar_of(type).kind)


def emit_op(emitter: Emitter, code: Code, result: Type, operands: Sequence[Value]) -> Instr:
    return instruction(emitter, code, ir_numeric(emitter, result), operands)


def instruction(emitter: Emitter, code: Code, type: Instr, operands: Sequence[Value]) -> Instr:
    if code >= 0:
        return emitter.emit(code, type, [*operands])
    return emitter.extended(-code, type, [*operands])


def row_by_row(emitter: Emitter, result: Type, types: list[Type], operands: list[Value], piece: Piece) -> Value:
    """Operands that aren't matrices go into each row whole. `result` is a matrix where an operand is."""
    if not any(isinstance(type, MatrixType) for type in types):
        return piece(emitter, result, types, operands)
    first = next(type for type in types if isinstance(type, MatrixType))
    row_result = row_type(result) if isinstance(result, MatrixType) else result
    rows: list[Value] = []
    for index in range(constant(first.rows)):
        row_types: list[Type] = []
        row_operands: list[Value] = []
        for type, operand in zip(types, operands, strict=True):
            if isinstance(type, MatrixType):
                row_types.append(row_type(type))
                row_operands.append(row_of(emitter, type, operand, index))
            else:
                row_types.append(type)
                row_operands.append(operand)
        rows.append(piece(emitter, row_result, row_types, row_operands))
    return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, result), [*rows])


def row_of(emitter: Emitter, type: MatrixType, matrix: Value, index: int) -> Value:
    return emitter.emit(op.CompositeExtract, ir_numeric(emitter, row_type(type)), [matrix, index])


def parts_of(emitter: Emitter, type: Type, value: Value) -> list[Value]:
    """The components of a vector; a scalar itself."""
    if not isinstance(type, VectorType) or constant(type.count) == 1:
        return [value]
    element = ir_numeric(emitter, type.element)
    return [emitter.emit(op.CompositeExtract, element, [value, index]) for index in range(constant(type.count))]


def splat(emitter: Emitter, type: Type, scalar: Value) -> Value:
    """In every component of a vector (a scalar stays itself); a constant stays one."""
    if not isinstance(type, VectorType) or constant(type.count) == 1:
        return scalar
    vector_type = ir_numeric(emitter, type)
    copies = [scalar] * constant(type.count)
    if (
        isinstance(scalar, Instr)
        and scalar.block is None
        and scalar.op in (op.Constant, op.ConstantTrue, op.ConstantFalse)
    ):
        return emitter.module.intern(op.ConstantComposite, vector_type, [*copies])
    return emitter.emit(op.CompositeConstruct, vector_type, [*copies])


def by_kind(codes: Codes) -> Callable[[Emitter, Intrinsic, list[Type], list[Value]], Value | None]:
    """A maker: the instruction for the kind of the first operand's elements, component by component."""

    def piece(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
        code = codes[kind_index(types[0])]
        if -code in NARROW and scalar_of(types[0]).width == 64:
            raise Unsupported("SPIR-V has this function for floats and halves only")
        return emit_op(emitter, code, result, operands)

    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        return row_by_row(emitter, call.type, types, operands, piece)

    return make


def by_rows(piece: Piece) -> Callable[[Emitter, Intrinsic, list[Type], list[Value]], Value | None]:
    """A maker: `piece` for the scalar, the vector or each row."""

    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        return row_by_row(emitter, call.type, types, operands, piece)

    return make
