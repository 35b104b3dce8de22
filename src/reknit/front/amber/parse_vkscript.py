"""VkScript: a script from its text, section by section.

    [compute shader]            one pipeline, called "compute"
    ...
    [test]
    ssbo 0:1 subdata float 0 1.0 2.0     Store into the buffer bound at set 0, binding 1
    compute 4 1 1                        Run
    probe ssbo float 0:1 0 ~= 1.0        Expect

Source: google/amber, docs/vk_script.md.
"""

import re
from typing import Final, final

from reknit.front.amber.lexer import Lexer, Line, Token, number_of, outside, syntax
from reknit.front.amber.numbers import hex_bytes, of_version, suited, tolerances_of
from reknit.front.amber.script import (
    NEAR,
    PUSH,
    Binding,
    BufferData,
    Expect,
    Pipeline,
    Run,
    Script,
    Shader,
    Store,
    Tolerance,
)
from reknit.front.amber.types import STD140, STD430, DataType, vkscript_type
from reknit.source.digits import is_decimal
from reknit.source.place import Place

PIPELINE: Final = "compute"
COMPARATORS: Final = {"==": "EQ", "!=": "NE", "<": "LT", "<=": "LE", ">": "GT", ">=": "GE", "~=": NEAR}
SECTION: Final = re.compile(r"^\[([^\]]+)\]$")
GRAPHICS: Final = ("draw", "clear", "probe", "relative", "patch")
MAX_BYTES: Final = 1 << 26


@final
class Parser:
    __slots__ = ("lexer", "script", "pipeline", "entry", "tolerances")

    def __init__(self, text: str, path: str) -> None:
        self.lexer = Lexer(text, path)
        self.script = Script(path)
        self.pipeline = Pipeline(PIPELINE)
        self.entry = ""
        self.tolerances: list[Tolerance] = []

    def parse(self) -> Script:
        """Raises InputError: RK0701 (not VkScript), RK0702 (something that is not run here)."""
        section = ""
        self.script.pipelines[PIPELINE] = self.pipeline
        while True:
            header = self.header()
            if header:
                section = header
                if section == "comment":
                    self.skip_section()
                elif section not in ("require", "test") and "shader" not in section:
                    raise outside(f"[{section}]", self.here())
                if "shader" in section:
                    self.shader(section)
                continue
            line = self.lexer.next()
            if line is None:
                return self.script
            if section == "test":
                self.command(line)
            elif section == "require":
                self.require(line)
            else:
                raise syntax("a section such as [test] comes first", line.place)

    def skip_section(self) -> None:
        """Skip the lines up to the next section."""
        while self.lexer.at < len(self.lexer.lines) and not SECTION.match(self.lexer.lines[self.lexer.at].strip()):
            self.lexer.at += 1

    def here(self) -> Place:
        return Place(self.script.path, self.lexer.at)

    def header(self) -> str:
        """The name of the section that starts at the next line with something on it; "" if none does."""
        lexer = self.lexer
        while lexer.at < len(lexer.lines):
            text = lexer.lines[lexer.at].split("#", 1)[0].strip()
            match = SECTION.match(text)
            if match is not None:
                lexer.at += 1
                return match[1].strip()
            if text:
                return ""
            lexer.at += 1
        return ""

    def shader(self, section: str) -> None:
        """The lines up to the next section."""
        words = section.split()
        if words[0] != "compute":
            raise outside(f"[{section}]", self.here())
        language = {(): "glsl", ("spirv",): "spvasm", ("spirv", "hex"): "spv"}.get(tuple(words[2:]))
        if language is None:
            raise outside(f"[{section}]", self.here())
        first = self.lexer.at
        self.skip_section()
        source = ("\n".join(self.lexer.lines[first : self.lexer.at]) + "\n").encode()
        if language == "spv":
            source = hex_bytes(source, Line([], section, self.here()))
        elif language == "spvasm":
            source, first = of_version(source, "1.0"), first - 1
        self.script.shaders[PIPELINE] = Shader(PIPELINE, language, source, self.script.path, first + 1)
        self.pipeline.shader = PIPELINE

    def require(self, line: Line) -> None:
        """Features of the device; extensions are in the module itself, and frame buffers mean nothing here."""
        word = line.next("a requirement").text
        if line.at == len(line.tokens) and not word.startswith("VK_"):
            self.script.features.append(word)

    def command(self, line: Line) -> None:
        word = line.next("a command")
        if word.text == "compute":
            if line.take("entrypoint"):
                self.entry = line.next("a name").text
            else:
                groups = [line.integer("the number of workgroups") for _ in range(3)]
                if min(groups) < 1:
                    raise syntax("a dispatch has at least one workgroup in each direction", line.place)
                if not self.pipeline.shader:
                    raise syntax("there is no [compute shader]", line.place)
                run = Run(PIPELINE, (groups[0], groups[1], groups[2]), self.entry, line.place)
                self.script.commands.append(run)
        elif word.text == "ssbo":
            self.storage(line)
        elif word.text == "uniform":
            self.uniform(line)
        elif word.text == "probe" and line.take("ssbo"):
            self.probe(line)
        elif word.text == "tolerance":
            self.tolerances = tolerances_of(line)
        elif line.take("entrypoint") or word.text in GRAPHICS or line.at + 1 == len(line.tokens):
            raise outside(line.text, word.place)  # pipeline settings have one value
        else:
            raise syntax(f"there is no command {word.text!r}", word.place)
        line.end()

    def binding(self, line: Line, kind: str, type: DataType | None) -> str:
        """The buffer at `set:binding` or `binding`, made if it is not there."""
        token = line.next("a binding")
        set, colon, number = token.text.partition(":")
        if not colon:
            set, number = "0", set
        if not (is_decimal(set) and is_decimal(number)):
            raise syntax(f"{token.text!r} is no binding", token.place)
        name = f"{int(set)}:{int(number)}"
        self.buffer(name, Binding(name, kind, int(set), int(number)), type)
        return name

    def buffer(self, name: str, binding: Binding, type: DataType | None) -> None:
        if name not in self.script.buffers:
            byte = vkscript_type("uint8_t", STD430)
            assert byte is not None
            self.script.buffers[name] = BufferData(name, type if type is not None else byte, b"")
            self.pipeline.bindings.append(binding)

    def type(self, line: Line, layout: str) -> DataType:
        token = line.next("a type")
        value_type = vkscript_type(token.text, layout)
        if value_type is None:
            raise syntax(f"there is no type {token.text!r}", token.place)
        return value_type

    def storage(self, line: Line) -> None:
        name = self.binding(line, "storage", None)
        if line.take("subdata"):
            self.store(line, name, self.type(line, STD430))
            return
        size = line.integer("the size")
        if not 0 <= size <= MAX_BYTES:
            raise syntax(f"a buffer of {size} bytes", line.place)
        self.script.commands.append(Store(name, 0, [], size))

    def uniform(self, line: Line) -> None:
        if line.take("ubo"):
            name = self.binding(line, "uniform", None)
            self.store(line, name, self.type(line, STD140))
            return
        type = self.type(line, STD430)
        self.buffer(PUSH, Binding(PUSH, PUSH, -1, -1), type)
        self.store(line, PUSH, type)

    def store(self, line: Line, name: str, type: DataType) -> None:
        offset = line.integer("the offset")
        values = suited(type, self.values(line), line)
        if offset < 0 or offset + type.bytes_for(values) > MAX_BYTES:
            raise syntax(f"an offset of {offset} bytes", line.place)
        self.script.commands.append(Store(name, offset, type.encode(values), offset + type.bytes_for(values)))

    def values(self, line: Line) -> list[float]:
        values: list[float] = []
        while line.at < len(line.tokens):
            token: Token = line.next("a value")
            if token.text not in ("(", ")", ","):
                values.append(number_of(token, "a value"))
        if not values:
            raise syntax("there are no values", line.place)
        return values

    def probe(self, line: Line) -> None:
        text = line.text
        type = self.type(line, STD430)
        name = self.binding(line, "storage", type)
        offset = line.integer("the offset")
        if offset < 0:
            raise syntax("the offset is negative", line.place)
        comparator = line.next("a comparator")
        if comparator.text not in COMPARATORS:
            raise syntax(f"there is no comparator {comparator.text!r}", comparator.place)
        how = COMPARATORS[comparator.text]
        tolerances = self.tolerances if how == NEAR else []
        values = suited(type, self.values(line), line)
        expect = Expect(name, type, offset, how, values, tolerances, text, line.place)
        self.script.commands.append(expect)


def parse_vkscript(text: str, path: str) -> Script:
    """Raises InputError: RK0701, RK0702."""
    return Parser(text, path).parse()
