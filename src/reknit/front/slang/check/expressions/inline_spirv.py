"""Inline SPIR-V: the values, places and types that its operands name.

    result : $$int = OpIMul $x %two      the block's value is an int
"""

from typing import Final

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Scope
from reknit.front.slang.check.expressions.assignable import is_place
from reknit.front.slang.types import VOID, ConstType, ErrorType, PointerType, ScalarType, Type, VectorType
from reknit.ir.opcodes import by_name

TRUNCATE: Final = "__truncate"
"""Slang's own instruction: the first components of a vector."""


def block(ctx: Context, scope: Scope, written: syntax.SpirvAsm) -> hir.Expr:
    result: Type = VOID
    instructions: list[hir.AsmInstruction] = []
    for one in written.instructions:
        instruction = _instruction(ctx, scope, one)
        if instruction is None:
            result = ErrorType()
            continue
        instructions.append(instruction)
        target, type = instruction.result, instruction.type
        gives = target is not None and target.text == "result" and not isinstance(result, ErrorType)
        if gives and type is not None and type.type is not None:
            result = type.type
    return hir.SpirvAsm(written.at, result, instructions)


def _instruction(ctx: Context, scope: Scope, written: syntax.AsmInstruction) -> hir.AsmInstruction | None:
    """With its type and result apart from its operands."""
    about = by_name(written.name.removeprefix("Op")) if written.name.startswith("Op") else None
    if about is None and written.name != TRUNCATE:
        ctx.error("E29100", written.at, f"unrecognized spirv opcode: {written.name}", len(written.name))
        return None
    rest = [_operand(ctx, scope, operand) for operand in written.operands]
    type = None if written.type is None else _operand(ctx, scope, written.type)
    result = None if written.result is None else _operand(ctx, scope, written.result)
    if type is None and (about is None or about.has_type) and rest:
        type = rest.pop(0)
    if result is None and (about is None or about.has_result) and rest:
        result = rest.pop(0)
    return hir.AsmInstruction(written.at, written.name, result, type, rest)


def _operand(ctx: Context, scope: Scope, written: syntax.AsmOperand) -> hir.AsmOperand:
    operand = hir.AsmOperand(written.kind, written.text, None, None)
    if written.value is None:
        return operand
    if written.kind == "$$":
        type = ctx.types.type_of(scope, written.value)
        if isinstance(type, PointerType):
            ctx.unsupported(written.at, "a pointer made by inline SPIR-V")
        if written.text == "sampled" and isinstance(type, (ScalarType, VectorType)):
            type = VectorType(type.element if isinstance(type, VectorType) else type, ConstType(4))
        operand.type = type
        return operand
    operand.value = ctx.expressions.value(scope, written.value)
    if written.kind == "&" and not is_place(operand.value) and not isinstance(operand.value.type, ErrorType):
        ctx.error("E30019", written.at, "'&' of inline SPIR-V takes a variable, or an element or field of one")
    return operand
