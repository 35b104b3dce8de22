"""Inline SPIR-V.

    spirv_asm { OpConstant $$int %two 2; result : $$int = OpIMul $x %two; OpStore &y %two }

    %two  an id of the block      $x  a value      &y  a place      $$int  a type      2, "s", Device | 64  literals

Source: Slang's user guide, "SPIR-V Specific Functionalities".
"""

from typing import TYPE_CHECKING

from reknit.front.slang.parse.cursor import SyntaxStop
from reknit.front.slang.syntax import AsmInstruction, AsmOperand, Expr, Index, Member, SpirvAsm
from reknit.front.slang.tokens import END, INT, NAME, STRING

if TYPE_CHECKING:
    from reknit.front.slang.parse.expressions import ExpressionParser


def spirv_asm(expressions: "ExpressionParser", at: int) -> Expr:
    """The block, whose `{` is next."""
    tokens = expressions.tokens
    tokens.expect("{")
    instructions: list[AsmInstruction] = []
    while tokens.text != "}":
        if tokens.kinds[tokens.pos] == END:
            tokens.unexpected("'}'")
            raise SyntaxStop
        if not tokens.take_if(";"):
            instructions.append(_instruction(expressions))
    tokens.expect("}")
    return SpirvAsm(at, instructions)


def _instruction(expressions: "ExpressionParser") -> AsmInstruction:
    tokens = expressions.tokens
    at = tokens.at
    first = _operand(expressions)
    type: AsmOperand | None = None
    result: AsmOperand | None = None
    if tokens.text in (":", "="):
        result = first
        if tokens.take_if(":"):
            type = _operand(expressions)
        tokens.expect("=")
        first = _operand(expressions)
    operands: list[AsmOperand] = []
    while tokens.text not in (";", "}") and tokens.kinds[tokens.pos] != END:
        operands.append(_operand(expressions))
    return AsmInstruction(at, first.text, result, type, operands)


def _operand(expressions: "ExpressionParser") -> AsmOperand:
    tokens = expressions.tokens
    at = tokens.at
    text = tokens.text
    kind = tokens.kinds[tokens.pos]
    if text == "$$":
        tokens.pos += 1
        return AsmOperand(at, "$$", "", expressions.types.simple_type())
    if text in ("$", "&"):
        tokens.pos += 1
        return AsmOperand(at, text, "", _value(expressions))
    if text == "%":
        tokens.pos += 2
        return AsmOperand(at, "%", tokens.texts[tokens.pos - 1])
    if kind == STRING:
        tokens.pos += 1
        return AsmOperand(at, "string", text[1:-1])
    if text == "__sampledType":
        tokens.pos += 1
        tokens.expect("(")
        type = expressions.types.simple_type()
        tokens.expect(")")
        return AsmOperand(at, "$$", "sampled", type)
    if kind in (NAME, INT):
        tokens.pos += 1
        words = [text]
        while tokens.take_if("|"):
            words.append(tokens.text)
            tokens.pos += 1
        return AsmOperand(at, "word" if kind == NAME or len(words) > 1 else "number", "|".join(words))
    tokens.unexpected("an operand")
    raise SyntaxStop


def _value(expressions: "ExpressionParser") -> Expr:
    """A name with members and elements, or what stands in parentheses."""
    tokens = expressions.tokens
    value = expressions.atom()
    links = 0
    while tokens.text in (".", "["):
        links += 1
        tokens.check_links(links)
        at = tokens.at
        if tokens.take_if("."):
            value = Member(tokens.at, value, tokens.expect_name())
        else:
            tokens.expect("[")
            value = Index(at, value, expressions.arguments_until("]"))
    return value
