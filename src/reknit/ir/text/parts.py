"""Reading the small parts: types, constants, names, numbers, enumerants.

    vec4<f32>   array<u32, 4>   ptr<Uniform, %S>   fn(u32) -> void          types, made on their first mention
    7u  -3  1.5f  true  undef<u32>  f32(0x7fc00000)                         constants, likewise
"""

import re
from typing import Final, final

from reknit.ir import op, opcodes
from reknit.ir.constants import int_words
from reknit.ir.floats import nearest
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.opcodes import (
    enum_value,
)
from reknit.ir.text.cursor import Cursor, Fault
from reknit.ir.text.literals import read_float, read_integer
from reknit.ir.text.plain import WIDEST
from reknit.ir.text.symbols import Symbols
from reknit.ir.types import is_type
from reknit.ir.value import Value

MAX_TYPE_DEPTH: Final = 64
_SCALAR: Final = re.compile(r"(void|bool|sampler|([iuf])([0-9]{1,4})|vec([0-9]{1,9})|mat([0-9]{1,9})x([0-9]{1,9}))\Z")
_MADE_OF: Final = ("array", "ptr", "fn")

STATEMENTS: Final = frozenset(
    (
        "if", "else", "loop", "continuing", "switch", "case", "default", "scope", "break", "continue", "fallthrough",
        "return", "kill", "terminate", "unreachable", "pad", "islands", "leading", "closing", "ids", "func", "module",
        "declare", "names", "in", "true", "false", "null", "undef", "void", "bool", "sampler", "array", "ptr", "fn",
    )
)  # fmt: skip
VALUES: Final = frozenset(("true", "false", "null", "undef", "void", "bool", "sampler", "array", "ptr", "fn"))


@final
class Parts:
    """Reads parts at the cursor into the module."""

    __slots__ = ("cursor", "symbols", "module")

    def __init__(self, cursor: Cursor, symbols: Symbols, module: Module) -> None:
        self.cursor = cursor
        self.symbols = symbols
        self.module = module

    # --- types --------------------------------------------------------------------------------------------------------

    def type(self, depth: int = 0) -> Instr:
        """A type; a named one must be defined before."""
        cursor = self.cursor
        token = cursor.take()
        if depth > MAX_TYPE_DEPTH:
            raise cursor.fault("RK0311", f"types nest deeper than {MAX_TYPE_DEPTH}; name an inner one", 1)
        if token[0] == "%":
            meaning = self.symbols.find(token)
            if meaning is None:
                raise self.unknown(token)
            if not isinstance(meaning, Instr) or not is_type(meaning):
                raise cursor.fault("RK0311", f"`{token}` is not a type", 1)
            return meaning
        match = _SCALAR.match(token)
        if match is not None:
            return self._scalar(token, match, depth)
        if token not in _MADE_OF:
            raise cursor.fault("RK0311", f"`{token}` is not a type", 1, like(token, list(_MADE_OF)))
        if token == "fn":
            return self._function_type(depth)
        cursor.expect("<")
        if token == "ptr":
            storage = self.enumerant("StorageClass", cursor.take())
            cursor.expect(",")
            pointee = self.type(depth + 1)
            cursor.expect(">")
            return self.module.intern(op.TypePointer, None, [storage, pointee])
        element = self.type(depth + 1)
        if cursor.accept(","):
            length = self._length()
            cursor.expect(">")
            return self.module.intern(op.TypeArray, None, [element, length])
        cursor.expect(">")
        return self.module.intern(op.TypeRuntimeArray, None, [element])

    def _scalar(self, token: str, match: "re.Match[str]", depth: int) -> Instr:
        module = self.module
        if token == "void":
            return module.intern(op.TypeVoid, None, [])
        if token == "bool":
            return module.intern(op.TypeBool, None, [])
        if token == "sampler":
            return module.intern(op.TypeSampler, None, [])
        letter: str | None = match.group(2)
        if letter is not None:
            return self._number_type(letter, int(match.group(3)))
        count: str | None = match.group(4)
        self.cursor.expect("<")
        element = self.type(depth + 1)
        self.cursor.expect(">")
        if count is not None:
            return module.intern(op.TypeVector, None, [element, int(count)])
        column = module.intern(op.TypeVector, None, [element, int(match.group(6))])
        return module.intern(op.TypeMatrix, None, [column, int(match.group(5))])

    def _number_type(self, letter: str, width: int) -> Instr:
        if not 0 < width <= WIDEST:
            raise self.cursor.fault("RK0311", f"there is no number of {width} bits", 1)
        if letter == "f":
            return self.module.intern(op.TypeFloat, None, [width])
        return self.module.intern(op.TypeInt, None, [width, 1 if letter == "i" else 0])

    def _function_type(self, depth: int) -> Instr:
        cursor = self.cursor
        cursor.expect("(")
        params: list[Operand] = []
        while not cursor.accept(")"):
            if params:
                cursor.expect(",")
            params.append(self.type(depth + 1))
        cursor.expect("->")
        result: list[Operand] = [self.type(depth + 1)]
        return self.module.intern(op.TypeFunction, None, result + params)

    def _length(self) -> Value:
        """The length of an array: a bare number is a u32."""
        cursor = self.cursor
        token = cursor.peek()
        if token.isdigit() and token.isascii():
            cursor.take()
            number = read_integer(token)
            return self._integer(number[0] if number is not None else -1, 32, "u")
        if token.startswith("%"):
            cursor.take()
            meaning = self.symbols.find(token)
            if meaning is None:
                raise self.unknown(token)
            return meaning
        return self.reference("IdRef")

    def unknown(self, token: str) -> Fault:
        """A name that must have a meaning by now, one token back."""
        fault = self.cursor.fault("RK0303", f"`{token}` is not defined here", 1)
        if token in self.symbols.poisoned:
            fault.diagnostic.code = ""  # its definition has been reported
        return fault

    # --- values -------------------------------------------------------------------------------------------------------

    def reference(self, kind: str) -> Value:
        """An operand that is an id. A name without a meaning yet gives the hole, noted as a gap by the caller."""
        cursor = self.cursor
        token = cursor.take()
        first = token[0]
        if first in "%@" and len(token) > 1:
            meaning = self.symbols.find(token)
            return meaning if meaning is not None else self.symbols.hole
        if first.isdigit() or (first in "+-" and len(token) > 1 and token != "->"):
            return self._number(token)
        if kind in ("IdScope", "IdMemorySemantics") and first.isalpha() and token not in VALUES:
            return self._integer(self.enumerant(kind[2:], token), 32, "u")
        if token == "true" or token == "false":
            code = op.ConstantTrue if token == "true" else op.ConstantFalse
            return self.module.intern(code, self.module.intern(op.TypeBool, None, []), [])
        if token == "null" or token == "undef":
            cursor.expect("<")
            type = self.type()
            cursor.expect(">")
            return self.module.intern(op.ConstantNull if token == "null" else op.Undef, type, [])
        if _SCALAR.match(token) or token in _MADE_OF:
            cursor.at -= 1
            type = self.type()
            return self._bits(type) if cursor.peek() == "(" else type
        if first.isalpha() and token not in STATEMENTS:
            meaning = self.symbols.find(token)
            return meaning if meaning is not None else self.symbols.hole
        raise cursor.fault("RK0305", f"a value was expected here, not `{token}`", 1)

    def _bits(self, type: Instr) -> Value:
        """A float constant by its bits: `f32(0x7fc00000)`."""
        cursor = self.cursor
        if type.op != op.TypeFloat:
            raise cursor.fault("RK0306", "only a float is given by its bits")
        cursor.expect("(")
        number = read_integer(cursor.take())
        width = type.word(0)
        if number is None or number[2] or not 0 <= number[0] < 1 << width:
            raise cursor.fault("RK0306", f"this is not {width} bits", 1)
        cursor.expect(")")
        words: list[Operand] = []
        words.extend(int_words(width, False, number[0]))
        return self.module.intern(op.Constant, type, words)

    def _number(self, token: str) -> Value:
        cursor = self.cursor
        if token[-1] in "hfd" and "x" not in token and "X" not in token:
            real = read_float(token)
            if real is not None:
                bits = nearest(real[0], real[1])
                if bits is None:
                    raise cursor.fault("RK0306", f"`{token}` is too large for f{real[1]}", 1)
                type = self.module.intern(op.TypeFloat, None, [real[1]])
                words: list[Operand] = []
                words.extend(int_words(real[1], False, bits))
                return self.module.intern(op.Constant, type, words)
        number = read_integer(token)
        if number is None:
            help = "a float ends in h, f or d: 1.5f" if read_float(token) is not None else ""
            raise cursor.fault("RK0306", f"`{token}` is not a number", 1, help)
        return self._integer(number[0], number[1] or 32, number[2] or "i")

    def _integer(self, value: int, width: int, sign: str) -> Instr:
        if not 0 < width <= WIDEST:
            raise self.cursor.fault("RK0306", f"there is no number of {width} bits", 1)
        low, high = (-(1 << (width - 1)), 1 << (width - 1)) if sign == "i" else (0, 1 << width)
        if not low <= value < high:
            raise self.cursor.fault("RK0306", f"this number does not fit in {sign}{width}", 1)
        type = self.module.intern(op.TypeInt, None, [width, 1 if sign == "i" else 0])
        words: list[Operand] = []
        words.extend(int_words(width, sign == "i", value))
        return self.module.intern(op.Constant, type, words)

    def enumerant(self, kind: str, token: str) -> int:
        """The word of an enumerant or mask by name, one token back."""
        value = enum_value(kind, token)
        if value is None:
            known = list(opcodes.kind(kind).names())
            raise self.cursor.fault("RK0305", f"`{token}` is not a {kind}", 1, like(token, known))
        return value

    def word(self, token: str) -> int:
        """A literal word, one token back."""
        number = read_integer(token)
        if number is None or number[1] > 32:
            raise self.cursor.fault("RK0306", f"a number was expected here, not `{token}`", 1)
        if not -(1 << 31) <= number[0] < 1 << 32:
            raise self.cursor.fault("RK0306", f"`{token}` does not fit in a word", 1)
        return number[0] & 0xFFFFFFFF


def like(token: str, known: list[str]) -> str:
    """A help line with the nearest known word."""
    from difflib import get_close_matches

    near = get_close_matches(token[:100], known, 1)
    return f"did you mean `{near[0]}`?" if near else ""
