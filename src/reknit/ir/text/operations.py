"""Reading one instruction along the grammar of its opcode.

    IAdd %a, 7u : u32          a result type where the opcode has one
    Store %p, %x Aligned 4     optional operands where what stands there fits

Operands of annotations may name what comes later, so they are only marked at first (`Deferred`) and read at the end.
"""

from typing import final

from reknit.ir import op, opcodes
from reknit.ir.constants import int_words
from reknit.ir.debug import EXT_INSTS
from reknit.ir.floats import nearest
from reknit.ir.instr import Instr, Operand
from reknit.ir.opcodes import (
    EXTENDED,
    ID,
    MASK,
    OPCODE,
    STRING,
    TYPED,
    VALUE,
    OperandSpec,
    OpInfo,
    enum_value,
    is_enum,
)
from reknit.ir.text.cursor import Cursor, Fault
from reknit.ir.text.lexer import unquote
from reknit.ir.text.literals import read_float, read_integer
from reknit.ir.text.parts import STATEMENTS, VALUES, Parts, like
from reknit.ir.text.plain import WIDEST
from reknit.ir.text.slots import Slots, imported_set
from reknit.ir.text.symbols import Symbols
from reknit.source.digits import is_decimal


@final
class Deferred:
    """An operand of an annotation that is read when all is known."""

    __slots__ = ("instr", "index", "kind", "line", "at")

    def __init__(self, index: int, kind: str, line: int, at: int) -> None:
        self.instr: Instr | None = None
        self.index = index
        self.kind = kind
        self.line = line
        self.at = at


@final
class Gap:
    """An operand of the instruction being read whose name has no meaning yet."""

    __slots__ = ("index", "token", "at")

    def __init__(self, index: int, token: str, at: int) -> None:
        self.index = index
        self.token = token
        self.at = at


@final
class Operations:
    """Reads instructions at the cursor. `deferred` collects what `resolve` reads at the end."""

    __slots__ = ("parts", "cursor", "symbols", "gaps", "deferred", "is_deferring", "infos")

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.cursor: Cursor = parts.cursor
        self.symbols: Symbols = parts.symbols
        self.gaps: list[Gap] = []
        self.deferred: list[Deferred] = []
        self.is_deferring = False
        self.infos: dict[str, OpInfo] = {}

    def opcode(self) -> tuple[int, OpInfo | None]:
        """The opcode by its name, or by number as `Op4711`."""
        token = self.cursor.take()
        about = self.infos.get(token)
        if about is None:
            if token.startswith("Op") and token[2:].isdigit() and token.isascii() and len(token) < 8:
                return int(token[2:]) & 0xFFFF, opcodes.info(int(token[2:]) & 0xFFFF)
            about = opcodes.by_name(token)
            if about is None:
                raise self._no_opcode(token)
            self.infos[token] = about
        return about.code, about

    def _no_opcode(self, token: str) -> Fault:
        plain = token.removeprefix("Op")
        if opcodes.by_name(plain) is not None:
            return self.cursor.fault("RK0302", f"`{token}` is not an instruction", 1, f"write `{plain}`")
        names = [about.name for about in map(opcodes.info, opcodes.all_codes()) if about is not None]
        return self.cursor.fault("RK0302", f"`{token}` is not an instruction", 1, like(token, names))

    def result_token(self) -> str:
        """The name before `=`, or "" if the instruction is given none."""
        cursor = self.cursor
        token = cursor.peek()
        if token.startswith("%") and cursor.ahead() == "=":
            cursor.at += 2
            return token
        return ""

    def instruction(self, result: str) -> Instr:
        """The instruction at the cursor, after its `%x =`. The caller defines the name and puts it where it belongs."""
        cursor = self.cursor
        code, about = self.opcode()
        self.gaps = []
        start = cursor.at
        if about is not None and about.has_result != (result != ""):
            need = "needs a name for its result" if about.has_result else "has no result"
            raise cursor.fault("RK0305", f"`{about.name}` {need}", 1)
        literal: list[str] = []
        if code == op.Constant or code == op.SpecConstant:
            operands: list[Operand] = []
            while cursor.peek() and cursor.peek() != ":":
                literal.append(cursor.take())
        else:
            operands = self._operands(about)
        type: Instr | None = None
        has_type = cursor.peek() == ":" and (about is None or about.has_type)
        if has_type:
            cursor.take()
            type = self.parts.type()
        elif about is not None and about.has_type:
            raise cursor.fault("RK0305", f"`{about.name}` needs its result type: `: u32`")
        if literal and type is not None:
            operands = self._literal(literal, type, start)
        instr = Instr(code, type, operands, "", result != "")
        for gap in self.gaps:
            self.symbols.wait(instr, gap.index, gap.token, cursor.line, gap.at)
        return instr

    def annotation(self, code: int, about: OpInfo | None) -> Instr:
        """An instruction that names values without using them; they may come later."""
        self.is_deferring = True
        first = len(self.deferred)
        try:
            operands = self._operands(about)
        finally:
            self.is_deferring = False
        instr = Instr(code, None, [], "", False)
        instr.operands = operands
        for deferred in self.deferred[first:]:
            deferred.instr = instr
        return instr

    def resolve(self) -> list[Fault]:
        """Read the operands of annotations that were put off."""
        faults: list[Fault] = []
        for deferred in self.deferred:
            if deferred.instr is None:
                continue
            cursor = self.cursor
            cursor.seek(deferred.line, deferred.at)
            token = cursor.peek()
            value = self.symbols.module.get(token)
            if value is None:
                value = self.symbols.inner.get(token)
            if value is None:
                if token in self.symbols.poisoned:
                    continue
                try:
                    value = self.parts.reference(deferred.kind)
                    if value is self.symbols.hole:
                        twice = token in self.symbols.inner
                        reason = "is the name of values in different functions" if twice else "is not defined"
                        raise cursor.fault("RK0303", f"`{token}` {reason}", 1)
                except Fault as fault:
                    faults.append(fault)
                    continue
            deferred.instr.operands[deferred.index] = value
        return faults

    def _operands(self, about: OpInfo | None) -> list[Operand]:
        cursor = self.cursor
        slots = Slots(about)
        operands: list[Operand] = []
        while True:
            token = cursor.peek()
            if token == "" or token == ":" or token == "}" or token == "{":
                break
            if token in STATEMENTS and token not in VALUES:
                break
            if cursor.ahead() == "=" and token[0] == "%":
                break
            spec = slots.peek()
            while spec is not None and spec.quantifier == "?" and not _may_be(spec, token):
                slots.skip()
                spec = slots.peek()
            if spec is None and about is not None and token[0] != "!":
                raise cursor.fault("RK0305", f"`{about.name}` takes no operand here")
            operand = self._operand(spec, len(operands), slots)
            operands.append(operand)
            slots.take(operand)
            if about is not None and about.code in EXT_INSTS and len(operands) == 1:
                slots.ext = imported_set(operand)
            if cursor.accept(",") and cursor.peek() in ("", ":", "}", "{"):
                raise cursor.fault("RK0301", "an operand was expected after the comma")
        missing = slots.missing()
        if about is not None and missing is not None:
            raise cursor.fault("RK0305", f"`{about.name}` needs one more operand: {missing.name or missing.kind}")
        return operands

    def _operand(self, spec: OperandSpec | None, index: int, slots: Slots) -> Operand:
        cursor = self.cursor
        token = cursor.peek()
        if token[0] == "!" and is_decimal(token[1:]):
            cursor.take()
            return self.parts.word(token[1:])
        if spec is None:
            return unquote(cursor.take()) if _is_string(token) else self._id("IdRef", index)
        form = spec.form
        if form == ID:
            return self._id(spec.kind, index)
        if form == STRING:
            if not _is_string(token):
                raise cursor.fault("RK0305", f"a string in quotes was expected here, not `{token}`")
            return unquote(cursor.take())
        cursor.take()
        if form == OPCODE:
            inner = opcodes.by_name(token)
            if inner is None:
                cursor.at -= 1
                return self.opcode()[0]
            return inner.code
        if form == EXTENDED:
            ext_inst = slots.ext.by_name.get(token) if slots.ext is not None else None
            if ext_inst is not None:
                return ext_inst.number
            if not token.isdigit() and slots.ext is not None:
                help = like(token, list(slots.ext.by_name))
                raise cursor.fault("RK0305", f"`{token}` is not in {slots.ext.name}", 1, help)
            return self.parts.word(token)
        if form in (VALUE, MASK) or is_enum(spec.kind):
            return self.parts.enumerant(spec.kind, token)
        if form == TYPED and "u" in token:
            number = read_integer(token)
            if number is not None and number[1] > 32:
                raise cursor.fault("RK0306", "a literal of more than 32 bits is given as words: !5 !0", 1)
        if spec.kind == "LiteralFloat":
            real = read_float(token)
            bits = nearest(real[0], 32) if real is not None and "." in token else None
            if bits is not None:
                return bits
        return self.parts.word(token)

    def _id(self, kind: str, index: int) -> Operand:
        cursor = self.cursor
        if self.is_deferring:
            self.deferred.append(Deferred(index, kind, cursor.line, cursor.at))
            cursor.take()
            if cursor.peek() in ("<", "("):
                self._skip_brackets()
            return self.symbols.hole
        at = cursor.at
        value = self.parts.reference(kind)
        if value is self.symbols.hole:
            self.gaps.append(Gap(index, cursor.tokens[at], at))
        return value

    def _skip_brackets(self) -> None:
        cursor = self.cursor
        open = 0
        while True:
            token = cursor.take()
            if token in ("<", "("):
                open += 1
            elif token in (">", ")"):
                open -= 1
                if open == 0:
                    return

    def _literal(self, given: list[str], type: Instr, start: int) -> list[Operand]:
        """The words of a constant from its number, now that the type is known."""
        cursor = self.cursor
        operands: list[Operand] = []
        here = cursor.at
        for place, token in enumerate(given):
            cursor.at = start + place + 1
            if token[0] == "!" and is_decimal(token[1:]):
                operands.append(self.parts.word(token[1:]))
                continue
            if len(given) > 1 or type.op not in (op.TypeInt, op.TypeFloat):
                raise cursor.fault("RK0306", "the words of this constant are given as they are: !5", 1)
            operands.extend(self._typed(token, type))
        cursor.at = here
        return operands

    def _typed(self, token: str, type: Instr) -> list[int]:
        cursor = self.cursor
        width = type.word(0)
        number = read_integer(token)
        if not 0 < width <= WIDEST:
            raise cursor.fault("RK0306", f"there is no number of {width} bits", 1)
        if type.op == op.TypeFloat and not (number is not None and ("x" in token or "X" in token)):
            real = read_float(token)
            bits = nearest(real[0], width) if real is not None and width in (16, 32, 64) else None
            if bits is None or (real is not None and real[1] not in (0, width)):
                raise cursor.fault("RK0306", f"`{token}` is not a float of {width} bits", 1)
            return int_words(width, False, bits)
        signed = type.op == op.TypeInt and type.word(1) == 1
        low, high = (-(1 << (width - 1)), 1 << (width - 1)) if signed else (0, 1 << width)
        if number is None or number[1] not in (0, width) or not low <= number[0] < high:
            raise cursor.fault("RK0306", f"`{token}` is not a number of {width} bits", 1)
        return int_words(width, signed, number[0])


def _is_string(token: str) -> bool:
    return len(token) >= 2 and token[0] == '"'


def _may_be(spec: OperandSpec, token: str) -> bool:
    """Whether a token may stand in an optional slot."""
    if token[0] == "!":
        return spec.form != ID
    if spec.form == STRING:
        return token[0] == '"'
    if spec.form == ID:
        return token[0] != '"'
    if is_enum(spec.kind) or spec.form in (VALUE, MASK):
        return enum_value(spec.kind, token) is not None
    return token[0].isdigit()
