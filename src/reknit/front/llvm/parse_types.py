"""Types and operands, from tokens.

    [4 x i32]   { i32, float }   <4 x float>   ptr addrspace(3)   %struct.S
    i32 -7   float 0x3FB99999A0000000   ptr @g   [2 x i32] [i32 1, i32 2]   ptr getelementptr (i8, ptr @g, i32 4)
"""

from typing import Final, final

from reknit.front.llvm import syntax
from reknit.front.llvm.lexer import END, GLOBAL, LOCAL, META, NUMBER, PUNCT, STRING, WORD, Token
from reknit.front.llvm.syntax import Operand, Type
from reknit.ir.floats import decoded, rounded_bits
from reknit.source.digits import integer, is_decimal

FLOATS: Final = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "fp128": 128, "x86_fp80": 80}
DEPTH: Final = 100  # of types and constants one in the other: more than any compiler writes
CAST_WORDS: Final = ("bitcast", "addrspacecast", "inttoptr", "ptrtoint", "trunc", "zext", "sext")
_VALUE_WORDS: Final = (
    "true", "false", "null", "undef", "poison", "zeroinitializer", "none", "getelementptr", *CAST_WORDS,
    "add", "sub", "mul", "xor", "asm", "blockaddress", "splat",
)  # fmt: skip


class Unexpected(Exception):
    """A token that the subset's grammar has no place for."""

    def __init__(self, token: Token, what: str) -> None:
        super().__init__(what)
        self.token = token
        self.what = what


@final
class Cursor:
    """Tokens taken from the front. `types` are the named ones that were declared so far.

    `half` is how many bits a half has: 32 in DXIL of minimum precision, which asks for at least 16.
    """

    __slots__ = ("tokens", "at", "types", "depth", "half")

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.types: dict[str, Type] = {}
        self.depth = 0
        self.half = 16

    def peek(self) -> Token:
        return self.tokens[self.at]

    def next(self) -> Token:
        token = self.tokens[self.at]
        if token.kind == END:
            raise Unexpected(token, "the text ends in the middle of something")
        self.at += 1
        return token

    def sees(self, text: str) -> bool:
        token = self.tokens[self.at]
        return token.text == text and token.kind in (WORD, PUNCT)

    def take(self, text: str) -> bool:
        if self.sees(text):
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> Token:
        token = self.next()
        if token.text != text or token.kind not in (WORD, PUNCT):
            raise Unexpected(token, f"{text!r} is expected")
        return token

    def of(self, kind: str) -> str:
        token = self.next()
        if token.kind != kind:
            raise Unexpected(token, f"a {kind} is expected")
        return token.text

    def integer(self) -> int:
        return integer(self.of(NUMBER))

    def skip_line(self) -> None:
        """To the first token of the next line."""
        line = self.peek().line
        while self.peek().kind != END and self.peek().line == line:
            self.at += 1

    def skip_brackets(self) -> None:
        """Past what is in brackets, which come next."""
        depth = 0
        while self.peek().kind != END:
            token = self.next()
            if token.kind == PUNCT and token.text in ("(", "[", "{", "<"):
                depth += 1
            elif token.kind == PUNCT and token.text in (")", "]", "}", ">"):
                depth -= 1
            if depth == 0:
                return

    # --- types --------------------------------------------------------------------------------------------------------

    def sees_type(self) -> bool:
        token = self.peek()
        if token.kind == LOCAL:
            return True
        if token.kind == PUNCT:
            return token.text in ("[", "{", "<")
        return token.kind == WORD and _word_type(token.text) is not None

    def type(self) -> Type:
        self.deeper()
        result = self._type()
        self.depth -= 1
        return result

    def deeper(self) -> None:
        """Count one level; the caller takes it away again."""
        self.depth += 1
        if self.depth > DEPTH:
            raise Unexpected(self.peek(), f"types and constants nest at most {DEPTH} deep")

    def _type(self) -> Type:
        token = self.next()
        if token.kind == LOCAL:
            return self.types.setdefault(token.text, Type(syntax.STRUCT, f"%{token.text}"))
        if token.kind == PUNCT and token.text in ("[", "<"):
            if token.text == "<" and self.sees("{"):
                result = self.type()
                result.packed = True
                self.expect(">")
                return result
            count = self.integer()
            self.expect("x")
            element = self.type()
            self.expect("]" if token.text == "[" else ">")
            kind = syntax.ARRAY if token.text == "[" else syntax.VECTOR
            name = f"[{count} x {element.name}]" if kind == syntax.ARRAY else f"<{count} x {element.name}>"
            return Type(kind, name, 0, count, [element])
        if token.kind == PUNCT and token.text == "{":
            parts: list[Type] = []
            while not self.take("}"):
                parts.append(self.type())
                self.take(",")
            return Type(syntax.STRUCT, "{ " + ", ".join([part.name for part in parts]) + " }", 0, 0, parts)
        found_word = _word_type(token.text) if token.kind == WORD else None
        if found_word is None:
            raise Unexpected(token, "a type is expected")
        if found_word.kind == syntax.PTR and self.take("addrspace"):
            self.expect("(")
            found_word.count = self.integer()
            self.expect(")")
        elif found_word.name == "half":
            found_word.width = self.half
        if token.text == "target":
            start = self.at
            self.skip_brackets()
            words = [f'"{one.text}"' if one.kind == STRING else one.text for one in self.tokens[start : self.at]]
            found_word.name = "target" + "".join(words).replace(",", ", ")
            if found_word.name == _EVENT:
                found_word.kind = syntax.PTR  # never looked into
        return found_word

    # --- operands -----------------------------------------------------------------------------------------------------

    def typed(self) -> Operand:
        """Type, attributes of a parameter if there are any, value."""
        type = self.type()
        alignment = 0
        while self.peek().kind == WORD and self.peek().text not in _VALUE_WORDS:
            self.next()
            if self.sees("("):
                self.skip_brackets()
            elif self.peek().kind == NUMBER and self.tokens[self.at - 1].text == "align":
                alignment = self.integer()
        operand = self.value(type)
        operand.align = alignment
        return operand

    def value(self, type: Type) -> Operand:
        self.deeper()
        value = self._value(type)
        self.depth -= 1
        return value

    def _value(self, type: Type) -> Operand:
        token = self.next()
        if token.kind == LOCAL:
            return Operand(syntax.LOCAL, type, token.text)
        if token.kind == GLOBAL:
            return Operand(syntax.GLOBAL, type, token.text)
        if token.kind == NUMBER:
            return Operand(syntax.NUMBER, type, "", number_bits(token, type))
        if token.kind == STRING:
            operand = Operand(syntax.LIST, type)
            element = type.parts[0] if type.parts else type
            operand.parts = [Operand(syntax.NUMBER, element, "", ord(character)) for character in token.text]
            return operand
        if token.kind == META or (token.kind == PUNCT and token.text == "!"):
            return self._metadata(type)
        if token.kind == PUNCT and token.text in ("[", "{", "<"):
            return self._list(type, token.text)
        if token.kind == WORD:
            return self._word(type, token)
        raise Unexpected(token, "a value is expected")

    def _metadata(self, type: Type) -> Operand:
        if self.sees("{") or self.sees("("):
            self.skip_brackets()
        elif self.peek().kind == STRING:
            self.next()
        return Operand(syntax.META, type)

    def _list(self, type: Type, opening: str) -> Operand:
        closing = {"[": "]", "{": "}", "<": ">"}[opening]
        operand = Operand(syntax.LIST, type)
        while not self.take(closing):
            if opening == "<" and self.sees("{"):
                self.next()
                operand = self._list(type, "{")
                self.expect(">")
                return operand
            operand.parts.append(self.typed())
            self.take(",")
        return operand

    def _word(self, type: Type, token: Token) -> Operand:
        word = token.text
        if word in ("true", "false"):
            return Operand(syntax.NUMBER, type, "", 1 if word == "true" else 0)
        if word in ("undef", "poison"):
            return Operand(syntax.UNDEF, type)
        if word in ("null", "zeroinitializer", "none"):
            return Operand(syntax.ZERO, type)
        if word == "splat":
            self.expect("(")
            typed = self.typed()
            self.expect(")")
            operand = Operand(syntax.LIST, type)
            operand.parts = [typed] * type.count
            return operand
        if word not in _VALUE_WORDS:
            raise Unexpected(token, "a value is expected")
        operand = Operand(syntax.EXPRESSION, type, word)
        while self.peek().kind == WORD:
            self.next()  # inbounds, nuw ...
            if self.sees("(") and self.tokens[self.at - 1].text == "inrange":
                self.skip_brackets()
        self.expect("(")
        if word == "getelementptr":
            operand.source = self.type()
            self.expect(",")
        operand.parts.append(self.typed())
        while self.take(","):
            operand.parts.append(self.typed())
        if self.take("to"):
            self.type()
        self.expect(")")
        return operand


def _word_type(word: str) -> Type | None:
    if word[0] == "i" and is_decimal(word[1:]):
        return Type(syntax.INT, word, int(word[1:]))
    if word in FLOATS:
        return Type(syntax.FLOAT, word, FLOATS[word])
    if word == "ptr":
        return Type(syntax.PTR, word)
    if word == "void":
        return Type(syntax.VOID, word)
    if word in ("label", "token", "metadata", "opaque", "target"):
        return Type(syntax.OTHER, word)
    return None


_EVENT: Final = 'target("spirv.Event")'

MAX_DIGITS: Final = 4000
"""Of a number: Python refuses to convert more, and nothing as wide is read."""


def number_bits(token: Token, type: Type) -> int:
    """An integer's value, or the bits of a float of its own width. LLVM writes a float's bits as those of the double
    with the same value, a half's after 0xH."""
    text = token.text.removeprefix("f") if token.text.startswith("f0x") else token.text
    if len(text) > MAX_DIGITS:
        raise Unexpected(token, "a number of fewer digits is expected")
    if type.kind != syntax.FLOAT:
        if text.startswith("0x"):
            return int(text, 16)
        if not text.lstrip("+-").isdigit():
            raise Unexpected(token, "an integer is expected")
        return int(text)
    if token.text.startswith("f0x"):
        return _widened(int(text, 16), type)
    if text.startswith("0x"):
        if text[2] in "HR":
            return _widened(int(text[3:], 16), type)
        if text[2] in "KML":
            raise Unexpected(token, "a float of at most 64 bits is expected")
        number = decoded(int(text, 16), 64)
    else:
        number = float(text)
    return rounded_bits(number, type.width)


def _widened(bits: int, type: Type) -> int:
    """The bits of a half as those of a type that stands for it."""
    if type.name != "half" or type.width == 16:
        return bits
    return rounded_bits(decoded(bits & 0xFFFF, 16), type.width)
