"""One instruction of assembly to words, operand for operand along the grammar.

OpDecorate %x Alignment 4
  IdRef        %x          7
  Decoration   Alignment   44, and now a LiteralInteger is due
  LiteralInteger 4         4
"""

from typing import Final, final

from reknit.ir import op
from reknit.ir.opcodes import (
    EXTENDED,
    ID,
    MASK,
    OPCODE,
    PAIR,
    STRING,
    TYPED,
    VALUE,
    WORD,
    OperandSpec,
    OpInfo,
    by_name,
    enum_parameters,
    enum_value,
    ext_set,
    is_enum,
    kind,
)
from reknit.ir.operands import string_to_words
from reknit.spirv.asm_context import Context, Fault, unquoted
from reknit.spirv.numbers import SINGLE, float_bits, integer_bits, read_integer
from reknit.spirv.scalars import constant_words

_ANYTHING: Final = -1  # the form of what may follow `!n`: a number, a string or an id

_RESULT: Final = OperandSpec("IdResult", "", "result", ID)
_RESULT_TYPE: Final = OperandSpec("IdResultType", "", "result type", ID)
_IDS: Final = OperandSpec("IdRef", "*", "", ID)
_ONE: Final = OperandSpec("Any", "", "number, string or id", _ANYTHING)
_ALL: Final = OperandSpec("Any", "*", "number, string or id", _ANYTHING)


@final
class Encoder:
    """One instruction, operand for operand along the grammar."""

    __slots__ = ("asm", "about", "words", "at", "head", "out", "todo")

    def __init__(self, asm: Context, about: OpInfo, words: list[str], head: int) -> None:
        self.asm = asm
        self.about = about
        self.words = words
        self.head = head
        self.at = head + 1
        self.out = [0]
        self.todo: list[OperandSpec] = list(about.operands)
        self.todo.reverse()

    def run(self) -> int:
        """Encode it; answers how many of the statement's words it took."""
        about = self.about
        if about.has_result and self.head == 0:
            raise Fault("RK0203", f"Op{about.name} has a result: write %name = before it", 0)
        if not about.has_result and self.head:
            raise Fault("RK0203", f"Op{about.name} has no result to give {self.words[0]} to", 0)
        if about.has_result:
            self.todo.append(_RESULT)
        if about.has_type:
            self.todo.append(_RESULT_TYPE)
        todo = self.todo
        while todo:
            spec = todo.pop()
            if spec.kind == "IdResult":
                self.out.append(self.asm.id(self.words, 0))
                continue
            if self.at >= len(self.words):
                if spec.quantifier == "":
                    wanted = spec.name or spec.kind
                    raise Fault("RK0204", f"Op{about.name} needs another operand: {wanted}", self.at)
                continue
            if spec.quantifier == "*":
                todo.append(spec)
            if self.words[self.at][0] == "!" and spec.form != _ANYTHING:
                self.asm.any_word(self.out, self.words, self.at)
                self.at += 1
                self.loosen()
            else:
                self.operand(spec)
        self.asm.finish(about, self.out, self.words)
        return self.at

    def loosen(self) -> None:
        """After `!n` nothing is known of what follows, but that a result id, if still due, comes where it was due."""
        due = [place for place, spec in enumerate(reversed(self.todo)) if spec.kind == "IdResult"]
        self.todo[:] = [_ALL]
        if due:
            self.todo += [_RESULT] + [_ONE] * due[0]

    def operand(self, spec: OperandSpec) -> None:
        """Encode the next word or words as this operand."""
        words, at = self.words, self.at
        form = spec.form
        if form == PAIR:
            for base in reversed(kind(spec.kind).bases):
                typed = spec.kind == "PairLiteralIntegerIdRef" and base == "LiteralInteger"
                name = "LiteralContextDependentNumber" if typed else base
                inner = OperandSpec(name, "", spec.name, TYPED if typed else ID if base == "IdRef" else WORD)
                self.todo.append(inner)
            return
        self.at += 1
        if form == ID:
            self.out.append(self.asm.id(words, at))
        elif form == STRING:
            text = unquoted(words, at)
            self.out.extend(string_to_words(text))
            if self.about.code == op.ExtInstImport:
                self.asm.sets[self.out[1]] = text
        elif form == TYPED:
            self.typed(at)
        elif form == OPCODE:
            self.opcode(at)
        elif form == EXTENDED:
            self.extended(at)
        elif form == _ANYTHING:
            self.asm.any_word(self.out, words, at)
        elif is_enum(spec.kind):
            value = enum_value(spec.kind, words[at])
            if value is None:
                raise Fault("RK0206", f"{words[at]} is no {spec.kind}", at)
            self.out.append(value)
            if form in (VALUE, MASK):
                self.todo.extend(reversed(enum_parameters(spec.kind, value)))
        else:
            is_float = spec.kind == "LiteralFloat"
            bits = float_bits(words[at], SINGLE) if is_float else integer_bits(words[at], 32, False)
            if bits is None:
                wanted = "32-bit float" if is_float else "32-bit unsigned integer"
                raise Fault("RK0207", f"expected a {wanted}, found {words[at]}", at)
            self.out.append(bits)

    def typed(self, at: int) -> None:
        """A number as wide as the result type (OpConstant) or the selector's type (OpSwitch) is."""
        asm = self.asm
        if self.about.code == op.Switch:
            scalar = asm.scalars.get(asm.types.get(self.out[1], 0))
            if scalar is None or scalar.is_float:
                message = f"{self.words[self.head + 1]} has no integer type, so the size of its cases is unknown"
                raise Fault("RK0209", message, at)
        else:
            scalar = asm.scalars.get(self.out[1])
            if scalar is None:
                at = self.head + 1
                raise Fault("RK0209", f"{self.words[at]} is no type of numbers declared before", at)
        encoded = constant_words(self.words[at], scalar)
        if encoded is None:
            family = "float" if scalar.is_float else "signed integer" if scalar.signed else "unsigned integer"
            raise Fault("RK0207", f"a {scalar.width}-bit {family} can't hold {self.words[at]}", at)
        self.out.extend(encoded)

    def opcode(self, at: int) -> None:
        """OpSpecConstantOp's operation, whose operands follow it."""
        inner = by_name(self.words[at])
        if inner is None:
            raise Fault("RK0202", f"no operation is called {self.words[at]}", at, "it is written without Op: IAdd")
        self.out.append(inner.code)
        self.todo.extend(reversed(inner.operands))

    def extended(self, at: int) -> None:
        """OpExtInst's instruction: a name of its set, or in sets that are open or unknown a number."""
        name = self.asm.sets.get(self.out[3])
        if name is None:
            raise Fault("RK0210", f"{self.words[at - 1]} is no OpExtInstImport", at - 1)
        imported = ext_set(name)
        inst = imported.by_name.get(self.words[at]) if imported is not None else None
        number = read_integer(self.words[at])
        if inst is None and imported is not None and number is not None:
            inst = imported.by_number.get(number)
        self.todo.clear()
        if inst is None:
            if number is None or not 0 <= number <= 0xFFFFFFFF or (imported is not None and not imported.nonsemantic):
                raise Fault("RK0210", f"{name} has no instruction {self.words[at]}", at)
            self.out.append(number)
            self.todo.append(_IDS)
            return
        self.out.append(inst.number)
        if imported is not None and imported.nonsemantic:
            self.todo.append(_IDS)
        self.todo.extend(reversed(inst.operands))
