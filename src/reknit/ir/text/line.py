"""One instruction as a line.

    %sum = IAdd %a, 7u : u32          commas between values
    Store %p, %sum Aligned 4          none around enumerants and numbers
    %x = Phi %a b1, %b b2 : u32       pairs: value and block
    %v = GroupNonUniformBallot Subgroup true : vec4<u32>      scopes and memory semantics by name where plain u32

An operand that the grammar has no place for is written as it is: `!5` for a word.
"""

from typing import final

from reknit.ir import integers, op
from reknit.ir.constants import int_words, literal_bits
from reknit.ir.debug import EXT_INSTS
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.opcodes import (
    EXTENDED,
    ID,
    MASK,
    OPCODE,
    PAIR,
    TYPED,
    VALUE,
    OperandSpec,
    enum_name,
    enum_value,
    ext_set,
    info,
    is_enum,
)
from reknit.ir.text.lexer import quote
from reknit.ir.text.literals import float_text
from reknit.ir.text.names import Names
from reknit.ir.text.plain import Plain, is_width
from reknit.ir.text.slots import Slots
from reknit.ir.value import Value

MAX_INDENT_DEPTH = 40  # beyond it deep nesting would make the text's length quadratic


@final
class Writer:
    """Collects lines. Without a module, what is plain is judged by its looks alone."""

    __slots__ = ("names", "plain", "lines", "notes")

    def __init__(self, module: Module | None) -> None:
        self.names = Names()
        self.plain = Plain(self.names, module)
        self.lines: list[str] = []
        self.notes: dict[Value, str] = {}

    def line(self, depth: int, text: str, subject: Value | None = None) -> None:
        """Add a line, with the note on its subject behind it."""
        if subject is not None and self.notes:
            text = self.with_note(text, subject)
        self.lines.append("  " * min(depth, MAX_INDENT_DEPTH) + text)

    def with_note(self, text: str, subject: Value) -> str:
        note = self.notes.get(subject)
        return f"{text}   ; {note}" if note else text

    def value(self, value: Value) -> str:
        """An operand that is an id."""
        if isinstance(value, Instr) and value.block is None:
            return self.plain.text(value)
        return self.names.of(value)

    def instruction(self, instr: Instr) -> str:
        operands = self._operands(instr)
        about = info(instr.op)
        text = about.name if about is not None else f"Op{instr.op}"
        if operands:
            text = f"{text} {operands}"
        if instr.has_result:
            text = f"{self.names.of(instr)} = {text}"
        if instr.type is not None:
            text = f"{text} : {self.value(instr.type)}"
        return text

    def _operands(self, instr: Instr) -> str:
        code = instr.op
        if code in (op.Constant, op.SpecConstant):
            return self._literal(instr)
        slots = Slots(info(code))
        parts: list[str] = []
        after_value = False
        for operand in instr.operands:
            spec = slots.peek()
            while spec is not None and spec.quantifier == "?" and not _fits(spec, operand):
                slots.skip()
                spec = slots.peek()
            opens_pair = bool(slots.todo) and slots.todo[-1].form == PAIR
            text = self._operand(spec, operand, slots)
            is_value = isinstance(operand, Value) and not text[0].isupper()
            closes_pair = code == op.Phi and not opens_pair or code == op.Switch and is_value and len(parts) > 2
            if parts and after_value and (is_value or opens_pair) and not closes_pair:
                parts[-1] += ","
            parts.append(text)
            after_value = is_value
            slots.take(operand)
            if code in EXT_INSTS and slots.ext is None and isinstance(operand, Instr) and operand.operands:
                name = operand.operands[0]
                slots.ext = ext_set(name) if isinstance(name, str) else None
        return " ".join(parts)

    def _operand(self, spec: OperandSpec | None, operand: Operand, slots: Slots) -> str:
        if isinstance(operand, str):
            return quote(operand)
        form = spec.form if spec is not None else -1
        if isinstance(operand, Value):
            if form == ID and spec is not None and spec.kind in ("IdScope", "IdMemorySemantics"):
                name = self.plain.enumerant(spec.kind[2:], operand)
                if name is not None:
                    return name
            return self.value(operand)
        if spec is None or form == ID:
            return f"!{operand}"
        if form == OPCODE:
            inner = info(operand)
            return inner.name if inner is not None else f"!{operand}"
        if form == EXTENDED:
            inst = slots.ext.by_number.get(operand) if slots.ext is not None else None
            return inst.name if inst is not None else str(operand)
        if form in (VALUE, MASK) or is_enum(spec.kind):
            name = enum_name(spec.kind, operand)
            return name if enum_value(spec.kind, name) == operand else f"!{operand}"
        return f"0x{operand:x}" if spec.kind == "LiteralFloat" else str(operand)

    def _literal(self, instr: Instr) -> str:
        """The number of an OpConstant or OpSpecConstant, as its type reads it."""
        type = instr.type
        words = [operand for operand in instr.operands if isinstance(operand, int)]
        if type is not None and type.op in (op.TypeInt, op.TypeFloat) and len(words) == len(instr.operands) and words:
            width = type.word(0) if is_width(type.operands[0]) else 0
            signed = type.op == op.TypeInt and type.word(1) == 1
            bits = literal_bits(instr) if width else 0
            if width and words == int_words(width, signed, bits):
                if type.op == op.TypeFloat:
                    text = float_text(bits, width, suffix=False) if len(type.operands) == 1 else None
                    return text if text is not None else f"0x{bits:x}"
                return str(integers.signed(bits, width) if signed else bits)
        return " ".join([self._operand(None, operand, Slots(info(instr.op))) for operand in instr.operands])


def _fits(spec: OperandSpec, operand: Operand) -> bool:
    """Whether an operand may stand in an optional slot."""
    if isinstance(operand, Value):
        return spec.form == ID
    if isinstance(operand, str):
        return spec.form not in (ID, TYPED) and spec.kind == "LiteralString"
    return spec.form != ID and spec.kind != "LiteralString"
