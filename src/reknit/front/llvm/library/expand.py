"""A function of the library becomes instructions where it is called.

    func @hadd_u8(%a: u8, %b: u8) -> u8 {
      %_1 = BitwiseXor %a, %b : u8              hadd(<4 x i8> %x, <4 x i8> %y)
      %_2 = ShiftRightLogical %_1, 1u8 : u8       BitwiseXor %x, %y : vec4<u8>
      ...                                         ShiftRightLogical ..., <1, 1, 1, 1> : vec4<u8> ...

Types become those that values of LLVM have here: integers without a sign, so that a Bitcast which only changes that is
nothing, and as many components as the call has. A function that takes a number apart into a vector is expanded for
each component. Files are read when a function of theirs is first called, and functions when they are: the lines of a
file that one tool writes, not all that .rk can say (`ir.text.parser` reads that, in tens of milliseconds).
"""

import os
from typing import Final, final

from reknit.front.llvm import syntax
from reknit.front.llvm.bits import by_component, integer, like, scalar
from reknit.front.llvm.results import Pieces, Result
from reknit.front.llvm.syntax import Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import glsl, op
from reknit.ir.floats import rounded_bits
from reknit.ir.instr import Instr, Operand
from reknit.ir.text.literals import read_float, read_integer
from reknit.ir.types import vector_type
from reknit.ir.value import Value

_BITS_OF: Final = "f16(", "f32(", "f64("
_NAMES: Final = {16: "half", 32: "float", 64: "double"}


@final
class _Line:
    """`%name = code operands : type`. `number` is that of an instruction of GLSL.std.450, -1 for all others."""

    __slots__ = ("name", "code", "number", "operands", "type")

    def __init__(self, text: str) -> None:
        head, _, self.type = text.rpartition(" : ")
        self.name, _, rest = head.strip().partition(" = ")
        word, _, operands = rest.partition(" ")
        self.operands: list[str] = operands.replace(",", "").split()
        self.code: int = getattr(op, word)
        self.number = -1
        if self.code == op.ExtInst:
            self.number = getattr(glsl, self.operands[1])
            del self.operands[:2]


@final
class Lowered:
    """A function that ships: one block."""

    __slots__ = ("parameters", "lines", "result", "has_vectors")

    def __init__(self, text: str) -> None:
        head, *lines, last = text.split("\n")
        given = head[head.index("(") + 1 : head.rindex(")")]
        self.parameters: list[str] = [parameter.partition(":")[0] for parameter in given.split(", ")]
        self.lines: list[_Line] = [_Line(line) for line in lines]
        self.result = last.split()[1]
        self.has_vectors = any(line.type.startswith("vec") for line in self.lines)


@final
class _File:
    __slots__ = ("text", "structs", "functions")

    def __init__(self, name: str) -> None:
        with open(os.path.join(os.path.dirname(__file__), f"{name}.rk"), encoding="utf-8") as file:
            self.text = file.read()
        self.structs: dict[str, list[str]] = {}
        self.functions: dict[str, Lowered] = {}
        for line in self.text[: self.text.index("\nfunc ")].split("\n"):
            struct, is_struct, members = line.partition(" = TypeStruct ")
            if is_struct:
                self.structs[struct] = members.split(", ")

    def function(self, name: str) -> Lowered | None:
        known = self.functions.get(name)
        if known is None:
            start = self.text.find(f"\nfunc @{name}(") + 1
            if not start:
                return None
            known = self.functions[name] = Lowered(self.text[start : self.text.index("\n}", start)])
        return known


_FILES: Final[dict[str, _File]] = {}


def expanded(target: Target, file: str, name: str, kinds: list[Type], values: list[Value], letter: str = "u") -> Result:
    """What a function gives for `values`, which have as many components as the first of `kinds`; Pieces of a struct.

    `kinds` are the types that the function is made for, none if it is for all of one type; `letter` says whether their
    integers have a sign, "s", or none, "u". Raises Refusal where it is made for others."""
    known = _FILES.get(file)
    if known is None:
        known = _FILES[file] = _File(file)
    function = known.function("_".join([name, *[_suffix(kind, letter) for kind in kinds]]))
    if function is None:
        kind = scalar(kinds[0])
        if kind.kind == syntax.FLOAT and kind.width == 64:
            raise Refusal(f"is {name} of a double, which GLSL.std.450 does not have")
        raise Refusal(f"is {name} of {kind.name}, which is not read here")
    type = kinds[0] if kinds else integer(32)
    if not function.has_vectors or type.kind != syntax.VECTOR:
        return _Expansion(target, known, type).run(function, values)
    return by_component(target, type, values, lambda parts: _one(target, known, scalar(type), function, parts))


def of_integers(target: Target, name: str, type: Type, values: list[Value], letter: str = "u") -> Value:
    """What a function of integers gives that is no struct. Raises Refusal."""
    if scalar(type).is_bool():
        raise Refusal("works on the bits of an i1")
    return _value(expanded(target, "integers", name, [type], values, letter))


def of_floats(target: Target, name: str, kinds: list[Type], values: list[Value], letter: str = "s") -> Value:
    """What a function of floats gives, or of floats and a second type. Raises Refusal."""
    return _value(expanded(target, "floats" if len(kinds) == 1 else "conversions", name, kinds, values, letter))


def type_of(value: Value) -> Instr:
    assert isinstance(value, Instr) and value.type is not None
    return value.type


def _suffix(type: Type, letter: str) -> str:
    kind = scalar(type)
    return f"{'f' if kind.kind == syntax.FLOAT else letter}{kind.width}"


def _value(result: Result) -> Value:
    assert isinstance(result, Value)
    return result


def _one(target: Target, file: _File, type: Type, function: Lowered, values: list[Value]) -> Value:
    return _value(_Expansion(target, file, type).run(function, values))


@final
class _Expansion:
    __slots__ = ("target", "file", "type", "values")

    def __init__(self, target: Target, file: _File, type: Type) -> None:
        self.target = target
        self.file = file
        self.type = type
        self.values: dict[str, Result] = {}

    def run(self, function: Lowered, values: list[Value]) -> Result:
        self.values.update(zip(function.parameters, values, strict=True))
        for line in function.lines:
            self.values[line.name] = self._line(line)
        return self.values[function.result]

    def _line(self, line: _Line) -> Result:
        target = self.target
        if line.code == op.CompositeConstruct and line.type in self.file.structs:
            return Pieces([self._value(operand) for operand in line.operands])
        if line.code == op.CompositeExtract:
            return target.emit(line.code, self._type(line.type), [self._value(line.operands[0]), int(line.operands[1])])
        if line.code == op.CompositeConstruct:  # of a vector, which is declared before the constants in it
            type = self._type(line.type)
            return target.emit(line.code, type, [self._value(operand) for operand in line.operands])
        values = [self._value(operand) for operand in line.operands]
        type = self._type(line.type)
        if line.code == op.Bitcast and type_of(values[0]) is type:
            return values[0]
        if line.number >= 0:
            return target.extended(line.number, type, values)
        operands: list[Operand] = [*values]
        return target.emit(line.code, type, operands)

    def _value(self, text: str) -> Value:
        if text.startswith("%"):
            value = self.values[text]
            assert isinstance(value, Value)
            return value
        type, bits = _constant(text)
        return self.target.constant(like(self.type, type), bits)

    def _type(self, name: str) -> Instr:
        target = self.target
        members = self.file.structs.get(name)
        if members is not None:
            return target.module.intern(op.TypeStruct, None, [self._type(member) for member in members])
        if name.startswith("vec"):  # vec2<u32>
            return vector_type(target.module, self._type(name[5:-1]), int(name[3]))
        return target.type(like(self.type, _scalar(name)))


def _scalar(name: str) -> Type:
    if name == "bool":
        return integer(1)
    width = int(name[1:])
    return Type(syntax.FLOAT, _NAMES[width], width) if name[0] == "f" else integer(width)


def _constant(text: str) -> tuple[Type, int]:
    """Its type and bits."""
    if text in ("true", "false"):
        return integer(1), int(text == "true")
    if text.startswith(_BITS_OF):  # f16(0x7c00)
        return _scalar(text[:3]), int(text[4:-1], 16)
    whole = read_integer(text)
    if whole is not None:
        return integer(whole[1] or 32), whole[0]
    real = read_float(text)
    assert real is not None
    return _scalar(f"f{real[1]}"), rounded_bits(real[0], real[1])
