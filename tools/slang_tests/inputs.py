"""The //TEST_INPUT lines of a file, as a tree of values and what the program is told before it is linked.

//TEST_INPUT:ubuffer(data=[0 0], stride=4):out,name=outputBuffer     Memory at outputBuffer, an output
//TEST_INPUT:set g.scale = 3                                         Data at g.scale
//TEST_INPUT:type_conformance A:IFoo = 1                             A may be behind an IFoo, as number 1
//TEST_INPUT:globalExistentialType A                                 what a generic parameter stands for
"""

import re
import struct
from typing import final

from slang_tests.arguments import Malformed
from slang_tests.randomness import Randomness
from slang_tests.tokens import FLOAT, HALF, INTEGER, WORD, Tokens
from slang_tests.values import Data, Group, Made, Memory, Node, Opaque, Row

_LINE = re.compile(r"//\s*TEST_INPUT:(.*)")
_ENTRY_TYPES = ("entryPointSpecializationArg", "type", "entryPointExistentialType")
_GLOBAL_TYPES = ("globalSpecializationArg", "global_type", "globalExistentialType")
_RESOURCE = re.compile(r"(RW)?Texture(Sampler)?(1D|2D|3D|Cube)$|Sampler$|AccelerationStructure$")


@final
class Inputs:
    """`root` holds the values by the names of parameters; a conformance without a number has -1."""

    __slots__ = ("root", "conformances", "global_types", "entry_types")

    def __init__(self) -> None:
        self.root = Group()
        self.conformances: list[tuple[str, str, int]] = []
        self.global_types: list[str] = []
        self.entry_types: list[str] = []


def read_inputs(text: str) -> Inputs:
    """Raises Malformed."""
    reader = _Reader()
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is not None:
            reader.line(Tokens(match[1]))
    return reader.inputs


@final
class _Reader:
    """`open` are the groups and rows that a line began and no line has ended."""

    __slots__ = ("inputs", "open", "randomness")

    def __init__(self) -> None:
        self.inputs = Inputs()
        self.open: list[Group | Row] = [self.inputs.root]
        self.randomness = Randomness()

    def line(self, tokens: Tokens) -> None:
        first = tokens.peek()[1]
        if first in _ENTRY_TYPES:
            self.inputs.entry_types.append(_rest(tokens))
        elif first in _GLOBAL_TYPES:
            self.inputs.global_types.append(_rest(tokens))
        elif first == "type_conformance":
            tokens.take()
            self.conformance(tokens)
        elif first == "end":
            if len(self.open) < 2:
                raise Malformed("TEST_INPUT end without a beginning")
            self.open.pop()
        elif first == "set":
            tokens.take()
            name = path(tokens)
            tokens.need("=")
            self.add(self.open[-1], name, self.expression(tokens))
        elif first == "render_targets":
            raise Malformed("TEST_INPUT render_targets")
        else:
            self.entry(tokens)

    def entry(self, tokens: Tokens) -> None:
        """`ubuffer(...):out,name=x`; a comma in place of the colon is read as one."""
        parent = self.open[-1]
        value = self.value(tokens)
        name = ""
        if tokens.eat(":") or tokens.eat(","):
            while not tokens.at_end():
                if tokens.eat("out"):
                    self.mark(value)
                elif tokens.eat("name"):
                    tokens.eat("=")
                    name = path(tokens)
                else:
                    break
                tokens.eat(",")
        self.add(parent, name, value)

    def add(self, parent: Group | Row, name: str, value: Node) -> None:
        if isinstance(parent, Row):
            parent.elements.append(value)
            return
        parent.fields.append((name, value))

    def mark(self, value: Node) -> None:
        if not isinstance(value, (Memory, Opaque)):
            raise Malformed("TEST_INPUT output that is no buffer")
        value.output = True

    def conformance(self, tokens: Tokens) -> None:
        implementer = type_name(tokens)
        tokens.need(":")
        interface = type_name(tokens)
        number = tokens.integer() if tokens.eat("=") else -1
        self.inputs.conformances.append((implementer, interface, number))

    def expression(self, tokens: Tokens) -> Node:
        """What `set` gives."""
        tokens.deeper()
        value = self.nested(tokens)
        tokens.depth -= 1
        return value

    def nested(self, tokens: Tokens) -> Node:
        kind, text = tokens.peek()
        if text == "-" or kind in (INTEGER, FLOAT):
            return Data([number(tokens)])
        if tokens.eat("{"):
            return self.group(tokens)
        if tokens.eat("["):
            return self.row(tokens)
        if tokens.eat("new"):
            name = type_name(tokens) if tokens.kind() == WORD else ""
            return Made(name, self.expression(tokens))
        if tokens.eat("out"):
            value = self.expression(tokens)
            self.mark(value)
            return value
        if text in ("specialize", "dynamic"):
            raise Malformed(f"TEST_INPUT {text}")
        return self.value(tokens)

    def group(self, tokens: Tokens) -> Group:
        group = Group()
        while not tokens.eat("}"):
            name = ""
            if tokens.kind() == WORD and tokens.peek(1)[1] == ":":
                name = tokens.take()
                tokens.take()
            group.fields.append((name, self.expression(tokens)))
            if not tokens.eat(","):
                tokens.need("}")
                break
        return group

    def row(self, tokens: Tokens) -> Row:
        row = Row()
        while not tokens.eat("]"):
            row.elements.append(self.expression(tokens))
            if not tokens.eat(","):
                tokens.need("]")
                break
        return row

    def value(self, tokens: Tokens) -> Node:
        word = tokens.take(WORD)
        if word == "begin_array":
            row = Row()
            self.open.append(row)
            return row
        if word == "begin_object":
            made = Group()
            name = ""
            if tokens.eat("("):
                tokens.need("type")
                tokens.need("=")
                name = type_name(tokens)
                tokens.need(")")
            self.open.append(made)
            return Made(name, made)
        if word in ("uniform", "cbuffer", "ubuffer", "RWTextureBuffer"):
            memory = self.memory(tokens)
            if word in ("uniform", "cbuffer"):
                return Data(memory.words) if word == "uniform" else Made("", Data(memory.words))
            return memory
        if _RESOURCE.match(word):
            return Opaque(word, options_of(tokens) if tokens.eat("(") else {})
        raise Malformed(f"TEST_INPUT {word}")

    def memory(self, tokens: Tokens) -> Memory:
        memory = Memory()
        if not tokens.eat("("):
            return memory
        while not tokens.eat(")"):
            self.option(memory, tokens.take(WORD), tokens)
            if not tokens.eat(","):
                tokens.need(")")
                break
        return memory

    def option(self, memory: Memory, option: str, tokens: Tokens) -> None:
        if option == "random":
            tokens.need("(")
            memory.words = self.random(tokens)
            return
        tokens.need("=")
        if option == "data":
            data(memory, tokens)
        elif option == "stride":
            memory.stride = tokens.integer()
        elif option == "count":
            memory.count = tokens.integer()
        elif option == "counter":
            memory.counter = tokens.integer()
        elif option == "format":
            memory.format = tokens.take()
        else:
            raise Malformed(f"TEST_INPUT buffer option {option}")

    def random(self, tokens: Tokens) -> list[int]:
        kind = tokens.take(WORD)
        if kind not in ("int", "uint", "float"):
            raise Malformed(f"TEST_INPUT random {kind}")
        tokens.need(",")
        count = tokens.integer()
        limits: list[float] = []
        while tokens.eat(","):
            sign = -1.0 if tokens.eat("-") else 1.0
            limits.append(sign * float(int(tokens.take(), 0) if tokens.kind() == INTEGER else tokens.take()))
        tokens.need(")")
        if kind == "float":
            low, high = [*limits, *[-1.0, 1.0][len(limits) :]]
            return [float_bits(self.randomness.unit() * (high - low) + low) for _ in range(count)]
        if not limits:
            return [self.randomness.word() for _ in range(count)]
        top = 0x7FFFFFFF if kind == "int" else 0xFFFFFFFF
        least, most = int(limits[0]), int(limits[1]) if len(limits) > 1 else top
        return [self.randomness.between(least, most) for _ in range(count)]


def data(memory: Memory, tokens: Tokens) -> None:
    """`[1 -2 0x3 1.5 1.0h name]`: a name is the address of a buffer given before."""
    tokens.need("[")
    while not tokens.eat("]"):
        kind, text = tokens.peek()
        if kind == WORD:
            memory.addresses.append((len(memory.words), tokens.take()))
            memory.words.extend([0, 0])
        else:
            memory.words.append(number(tokens))
        tokens.eat(",")


def number(tokens: Tokens) -> int:
    """The bits of a literal: an integer's, a 32-bit float's, or a 16-bit float's."""
    negative = tokens.eat("-")
    kind = tokens.kind()
    text = tokens.take()
    if kind == INTEGER:
        value = int(text, 0)
        return (-value if negative else value) & 0xFFFFFFFF
    if kind not in (FLOAT, HALF):
        raise Malformed(f"TEST_INPUT syntax: {tokens.text.strip()!r}")
    real = -float(text) if negative else float(text)
    if kind == HALF:
        return int(struct.unpack("<H", struct.pack("<e", real))[0])
    return float_bits(real)


def float_bits(value: float) -> int:
    try:
        return int(struct.unpack("<I", struct.pack("<f", value))[0])
    except OverflowError:
        return 0x7F800000 if value > 0 else 0xFF800000


def path(tokens: Tokens) -> str:
    """`a.b[2].c`"""
    name = tokens.take(WORD)
    while True:
        if tokens.eat("["):
            name += f"[{tokens.integer()}]"
            tokens.need("]")
        elif tokens.eat("."):
            name += "." + tokens.take(WORD)
        else:
            return name


def type_name(tokens: Tokens) -> str:
    """`a.B<C,4>`"""
    name = tokens.take(WORD)
    while tokens.eat("."):
        name += "." + tokens.take(WORD)
    if not tokens.eat("<"):
        return name
    parts: list[str] = []
    tokens.deeper()
    while True:
        parts.append(str(tokens.integer()) if tokens.kind() == INTEGER else type_name(tokens))
        if not tokens.eat(","):
            break
    tokens.depth -= 1
    tokens.need(">")
    return f"{name}<{','.join(parts)}>"


def options_of(tokens: Tokens) -> dict[str, str]:
    """`size=4, content = one, depth)`, to after the parenthesis."""
    found: dict[str, str] = {}
    while not tokens.eat(")"):
        name = tokens.take(WORD)
        found[name] = tokens.take() if tokens.eat("=") else ""
        if not tokens.eat(","):
            tokens.need(")")
            break
    return found


def _rest(tokens: Tokens) -> str:
    tokens.take()
    parts: list[str] = []
    while not tokens.at_end():
        parts.append(tokens.take())
    return "".join(parts).rstrip(";")
