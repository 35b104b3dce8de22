"""AmberScript: a script from its text, a statement a line.

    SHADER compute s GLSL ... END        BUFFER b DATA_TYPE uint32 SIZE 8 FILL 0
    PIPELINE compute p ... END           RUN p 1 1 1          EXPECT b IDX 0 EQ 1 2 3

Source: google/amber, docs/amber_script.md.
"""

import os
from collections.abc import Callable
from typing import Final, final

from reknit.files.streams import read_named
from reknit.front.amber.lexer import Lexer, Line, Token, number_of, outside, syntax
from reknit.front.amber.numbers import filled, hex_bytes, of_version, suited, tolerances_of
from reknit.front.amber.pipelines import parse_pipeline
from reknit.front.amber.script import (
    EQUAL,
    ERROR_BUFFER,
    NEAR,
    SAME_BUFFER,
    BufferData,
    Command,
    Copy,
    Expect,
    ExpectBuffer,
    Repeat,
    Run,
    Script,
    Shader,
)
from reknit.front.amber.types import FLOAT, STD140, STD430, DataType, Member, Structs, amber_type, plain_type
from reknit.source.digits import is_decimal

LANGUAGES: Final = {
    "GLSL": "glsl", "HLSL": "hlsl", "SPIRV-ASM": "spvasm", "SPIRV-HEX": "spv", "SPIRV-BIN": "spv",
}  # fmt: skip
ENVIRONMENTS: Final = {
    "vulkan1.0": "1.0", "vulkan1.1": "1.3", "vulkan1.1spv1.4": "1.4", "vulkan1.2": "1.5", "vulkan1.3": "1.6",
    "vulkan1.4": "1.6", **{f"spv1.{minor}": f"1.{minor}" for minor in range(7)},
}  # fmt: skip
"""The version of SPIR-V that assembly is for; without TARGET_ENV 1.0."""

COMPARATORS: Final = ("EQ", "NE", "LT", "LE", "GT", "GE")
NOT_HERE: Final = (
    "IMAGE", "SAMPLER", "ACCELERATION_STRUCTURE", "CLEAR", "CLEAR_COLOR", "CLEAR_DEPTH", "CLEAR_STENCIL",
)  # fmt: skip
MAX_BYTES: Final = 1 << 26
MAX_REPEATS: Final = 1 << 20
MAX_SCALARS: Final = 1 << 16
MAX_DEPTH: Final = 64


@final
class Parser:
    """`target` is where commands go: the script's, or a REPEAT's."""

    __slots__ = ("lexer", "script", "structs", "sizes", "files", "target")

    def __init__(self, text: str, path: str) -> None:
        self.lexer = Lexer(text, path)
        self.script = Script(path)
        self.structs: Structs = {}
        self.sizes: dict[str, tuple[int, int]] = {}  # of structs: scalars, nesting
        self.files: dict[str, tuple[bytes, int]] = {}  # with the number of the first line
        self.target: list[Command] = self.script.commands

    def parse(self) -> Script:
        """Raises InputError: RK0701 (not AmberScript), RK0702 (something that is not run here)."""
        statements: dict[str, Callable[[Line], None]] = {
            "SHADER": self.shader,
            "BUFFER": self.buffer,
            "STRUCT": self.struct,
            "PIPELINE": self.pipeline,
            "DERIVE_PIPELINE": self.derived,
            "RUN": self.run,
            "EXPECT": self.expect,
            "COPY": self.copy,
            "REPEAT": self.repeat,
            "VIRTUAL_FILE": self.virtual_file,
            "DEVICE_FEATURE": self.feature,
            "DEVICE_EXTENSION": self.ignored,
            "DEVICE_PROPERTY": self.ignored,
            "INSTANCE_EXTENSION": self.ignored,
            "SET": self.ignored,
        }
        opened: Line | None = None  # a REPEAT that has not ended
        line = self.lexer.next()
        while line is not None:
            word = line.next("a statement")
            if word.text == "END" and opened is not None:
                opened = None
                self.target = self.script.commands
            elif word.text in NOT_HERE:
                raise outside(word.text, word.place)
            elif word.text not in statements:
                raise syntax(f"there is no statement {word.text!r}", word.place)
            else:
                if word.text == "REPEAT":
                    if opened is not None:
                        raise syntax("REPEAT within REPEAT", word.place)
                    opened = line
                statements[word.text](line)
                line.end()
            line = self.lexer.next()
        if opened is not None:
            raise syntax("REPEAT has no END", opened.place)
        return self.script

    def ignored(self, line: Line) -> None:
        """What a module needs of a device is in the module itself."""
        line.at = len(line.tokens)

    def feature(self, line: Line) -> None:
        self.script.features.append(line.next("a feature").text)

    def virtual_file(self, line: Line) -> None:
        name = line.next("a path")
        if name.text in self.files:
            raise syntax(f"file {name.text!r} is there already", name.place)
        text, first = self.lexer.body(line)
        self.files[name.text] = text.encode(), first

    # --- shaders, structs, buffers ------------------------------------------------------------------------------------

    def shader(self, line: Line) -> None:
        kind = line.next("a kind of shader")
        name = line.next("the shader's name")
        format = line.next("the shader's format")
        version = "1.0"
        file = self.script.path
        if line.take("TARGET_ENV"):
            environment = line.next("an environment")
            if environment.text not in ENVIRONMENTS:
                raise syntax(f"there is no environment {environment.text!r}", environment.place)
            version = ENVIRONMENTS[environment.text]
        if kind.text not in ("compute", "multi"):
            raise outside(f"SHADER {kind.text}", kind.place)
        if format.text not in LANGUAGES:
            raise outside(f"SHADER compute in {format.text}", format.place)
        if line.take("VIRTUAL_FILE"):
            path = line.next("a path")
            if path.text not in self.files:
                raise syntax(f"there is no VIRTUAL_FILE {path.text!r}", path.place)
            source, first = self.files[path.text]
        elif line.take("FILE"):
            path = line.next("a path")
            source, first = self.file(path), 1
            file = os.path.join(os.path.dirname(file), path.text)
        else:
            text, first = self.lexer.body(line)
            source = text.encode()
        if format.text == "SPIRV-HEX":
            source = hex_bytes(source, line)
        elif format.text == "SPIRV-ASM":
            source, first = of_version(source, version), first - 1
        self.new_name(name, self.script.shaders)
        self.script.shaders[name.text] = Shader(name.text, LANGUAGES[format.text], source, file, first)

    def file(self, name: Token) -> bytes:
        """A file beside the script. Raises InputError (RK0001, RK0023)."""
        return read_named(name.text, os.path.dirname(self.script.path), name.place)

    def new_name(self, name: Token, known: object) -> None:
        assert isinstance(known, dict)
        if name.text in known:
            raise syntax(f"{name.text!r} is there already", name.place)

    def struct(self, line: Line) -> None:
        name = line.next("the struct's name")
        stride = line.integer("a stride") if line.take("STRIDE") else -1
        line.end()
        self.new_name(name, self.structs)
        members: list[Member] = []
        scalars = depth = 0  # at most; a matrix has 16
        while True:
            row = self.lexer.next()
            if row is None:
                raise syntax("STRUCT has no END", line.place)
            if row.take("END"):
                break
            type, bracket, count = row.next("a type").text.partition("[")
            row.next("a member's name")
            given = {"OFFSET": -1, "ARRAY_STRIDE": -1, "MATRIX_STRIDE": -1}
            while row.peek() in given:
                word = row.next("").text
                given[word] = row.integer(f"what {word} is")
            row.end()
            number = count.rstrip("]")
            if bracket and not is_decimal(number):
                raise syntax("an array in a struct has a length", row.place)
            length = int(number) if bracket else 0
            if type not in self.structs and plain_type(type, STD430, -1) is None:
                raise syntax(f"there is no type {type!r}", row.place)
            inner, deep = self.sizes.get(type, (16, 0))
            scalars += inner * max(1, length)
            depth = max(depth, deep + 1)
            if scalars > MAX_SCALARS or depth > MAX_DEPTH:
                raise syntax(f"struct {name.text!r} is too large", row.place)
            member = Member(type, length, given["OFFSET"], given["ARRAY_STRIDE"], given["MATRIX_STRIDE"])
            members.append(member)
        self.structs[name.text] = (stride, members)
        self.sizes[name.text] = (scalars, depth)

    def buffer(self, line: Line) -> None:
        name = line.next("the buffer's name")
        self.new_name(name, self.script.buffers)
        if line.peek() == "FORMAT":
            raise outside("BUFFER with FORMAT, which is an image,", name.place)
        if not line.take("DATA_TYPE"):
            raise syntax("a BUFFER has a DATA_TYPE", name.place)
        token = line.next("a type")
        layout = STD430
        if line.peek() in (STD140, STD430):
            layout = line.next("").text
        type = amber_type(token.text, layout, self.structs)
        if type is None or not type.components:
            raise outside(f"data of type {token.text}", token.place)
        data = self.contents(line, type)
        self.script.buffers[name.text] = BufferData(name.text, type, data)

    def contents(self, line: Line, type: DataType) -> bytes:
        """What the rest of a BUFFER statement fills it with."""
        count = -1
        if line.take("SIZE"):
            count = line.integer("the number of elements")
        elif line.take("WIDTH"):
            count = line.integer("the width")
            if line.take("HEIGHT"):
                count *= line.integer("the height")
        if count == 0 or count * type.size > MAX_BYTES:
            raise syntax(f"a buffer of {count} elements: from 1 to {MAX_BYTES // type.size}", line.place)
        if line.take("DATA"):
            return filled(type, suited(type, self.data(line, type), line), count)
        if count < 0:
            raise syntax("the buffer has neither SIZE nor DATA", line.place)
        each = len(type.components)
        if line.take("FILL"):
            return filled(type, suited(type, [line.number("the value")] * each, line), 1) * count
        if line.take("SERIES_FROM"):
            start = line.number("the first value")
            if not line.take("INC_BY"):
                raise syntax("SERIES_FROM has no INC_BY", line.place)
            step = line.number("the step")
            if each > 1:
                raise syntax("SERIES_FROM is for numbers", line.place)
            values = [start]
            for _ in range(count - 1):
                values.append(values[-1] + step)
            return filled(type, suited(type, values, line), count)
        if line.take("FILE"):
            if line.take("TEXT"):
                path = line.next("a path")
                lexer = Lexer(self.file(path).decode("utf-8", "replace"), path.text)
                values = [number_of(token, "a value") for row in iter(lexer.next, None) for token in row.tokens]
                return filled(type, suited(type, values, line), count)
            if line.peek() == "PNG":
                raise outside("FILE PNG", line.place)
            line.take("BINARY")
            return self.file(line.next("a path"))[: count * type.size].ljust(count * type.size, b"\0")
        return bytes(count * type.size)

    def data(self, line: Line, type: DataType) -> list[float]:
        """The values up to END, which may stand on the same line."""
        values: list[float] = []
        row: Line | None = line
        while row is not None:
            while row.at < len(row.tokens):
                if row.take("END"):
                    return values
                token = row.next("a value")
                value = number_of(token, "a value")
                kind = type.components[len(values) % len(type.components)].kind
                if kind != FLOAT and isinstance(value, float) and not value.is_integer():
                    raise syntax(f"{token.text} is no integer", token.place)
                values.append(value)
            row = self.lexer.next()
        raise syntax("DATA has no END", line.place)

    # --- pipelines and commands ---------------------------------------------------------------------------------------

    def pipeline(self, line: Line) -> None:
        kind = line.next("a kind of pipeline")
        name = line.next("the pipeline's name")
        self.new_name(name, self.script.pipelines)
        if kind.text != "compute":
            raise outside(f"PIPELINE {kind.text}", kind.place)
        line.end()
        parse_pipeline(self.lexer, line, self.script, name.text, None)

    def derived(self, line: Line) -> None:
        name = line.next("the pipeline's name")
        self.new_name(name, self.script.pipelines)
        if not line.take("FROM"):
            raise syntax("DERIVE_PIPELINE has no FROM", line.place)
        parent = self.known(line.next("a pipeline"), self.script.pipelines, "pipeline")
        line.end()
        parse_pipeline(self.lexer, line, self.script, name.text, self.script.pipelines[parent])

    def known(self, name: Token, known: object, what: str) -> str:
        assert isinstance(known, dict)
        if name.text not in known:
            raise syntax(f"there is no {what} {name.text!r}", name.place)
        return name.text

    def run(self, line: Line) -> None:
        line.take("TIMED_EXECUTION")
        pipeline = self.known(line.next("a pipeline"), self.script.pipelines, "pipeline")
        if line.peek() in ("DRAW_RECT", "DRAW_GRID", "DRAW_ARRAY", "RAYGEN"):
            raise outside(f"RUN {line.peek()}", line.place)
        groups = [line.integer("the number of workgroups") for _ in range(3)]
        if min(groups) < 1:
            raise syntax("a dispatch has at least one workgroup in each direction", line.place)
        self.target.append(Run(pipeline, (groups[0], groups[1], groups[2]), "", line.place))

    def copy(self, line: Line) -> None:
        source = self.known(line.next("a buffer"), self.script.buffers, "buffer")
        if not line.take("TO"):
            raise syntax("COPY has no TO", line.place)
        self.target.append(Copy(source, self.known(line.next("a buffer"), self.script.buffers, "buffer")))

    def repeat(self, line: Line) -> None:
        count = line.integer("how often")
        if not 1 <= count <= MAX_REPEATS:
            raise syntax(f"REPEAT {count}: from 1 to {MAX_REPEATS} times", line.place)
        repeat = Repeat(count, [])
        self.script.commands.append(repeat)
        self.target = repeat.commands

    def expect(self, line: Line) -> None:
        buffer = self.known(line.next("a buffer"), self.script.buffers, "buffer")
        text = line.text
        word = line.next("IDX or a comparator")
        if word.text in (SAME_BUFFER, ERROR_BUFFER):
            other = self.known(line.next("a buffer"), self.script.buffers, "buffer")
            tolerance = 0.0
            if word.text == ERROR_BUFFER:
                if not line.take("TOLERANCE"):
                    raise syntax("RMSE_BUFFER has no TOLERANCE", line.place)
                tolerance = line.number("the tolerance")
            self.target.append(ExpectBuffer(buffer, other, word.text, tolerance, text, line.place))
            return
        if word.text != "IDX":
            raise outside(f"EXPECT {word.text}", word.place)
        offset = line.integer("the byte offset")
        if offset < 0:
            raise syntax("IDX is negative", line.place)
        tolerances = tolerances_of(line) if line.take("TOLERANCE") else []
        comparator = line.next("a comparator")
        if comparator.text not in COMPARATORS:
            raise outside(f"EXPECT ... {comparator.text}", comparator.place)
        if tolerances and comparator.text != EQUAL:
            raise syntax("TOLERANCE goes with EQ", comparator.place)
        values: list[float] = []
        while line.at < len(line.tokens):
            values.append(line.number("a value"))
        if not values:
            raise syntax("EXPECT has no values", line.place)
        type = self.script.buffers[buffer].type
        suited(type, values, line)
        how = NEAR if tolerances else comparator.text
        self.target.append(Expect(buffer, type, offset, how, values, tolerances, text, line.place))


def parse_amber(text: str, path: str) -> Script:
    """Raises InputError: RK0701, RK0702, RK0001."""
    return Parser(text, path).parse()
