"""Inline SPIR-V, instruction by instruction.

    OpConstant $$int %two 2          the module's constant          OpIMul $$int result $x %two      IMul %x %two
    OpTypeSampledImage %t $$T        the module's type              OpStore &y %r                    Store %y %r

What ends a block, declares variables or decorates is refused; so is what has no operand of the kind that the grammar
asks for. The module is verified afterwards, as what others write is.
"""

from typing import Final, final

from reknit.front.slang import hir
from reknit.front.slang.builtins import resources
from reknit.front.slang.builtins.constants import scalar_constant
from reknit.front.slang.builtins.emitter import Unsupported
from reknit.front.slang.hir import AsmInstruction, AsmOperand, Expr
from reknit.front.slang.lower.body import Body, Handlers
from reknit.front.slang.lower.lvalues import Memory
from reknit.front.slang.types import ResourceType, ScalarType
from reknit.ir import op
from reknit.ir.instr import Instr, Operand
from reknit.ir.opcodes import (
    OperandSpec,
    OpInfo,
    by_name,
    enum_parameters,
    enum_value,
    ext_set,
    is_enum,
    kind,
)
from reknit.ir.operands import is_id
from reknit.ir.value import Value
from reknit.source.digits import integer

_GLSL: Final = "glsl450"
_PREFIXES: Final = ("MemorySemantics", "Scope", "StorageClass", "BuiltIn", "Decoration", "ImageOperands", "Dim")
"""Kinds whose enumerants may be named with the kind before them, where the grammar doesn't say which kind it is."""
_SCOPED: Final = {"IdScope": "Scope", "IdMemorySemantics": "MemorySemantics"}
_GLOBAL: Final = ("Type-Declaration", "Constant-Creation")
_FORBIDDEN: Final = ("Control-Flow", "Function", "Annotation", "Mode-Setting", "Extension")
_IGNORED: Final = "Debug"


@final
class _Block:
    """`ids` are what %names stand for so far."""

    __slots__ = ("body", "ids", "result")

    def __init__(self, body: Body) -> None:
        self.body = body
        self.ids: dict[str, Value] = {}
        self.result: Value | None = None

    def run(self, instruction: AsmInstruction) -> None:
        low = self.body.low
        low.at = instruction.at
        about = by_name(instruction.name.removeprefix("Op"))
        value: Value | None = None
        if instruction.name == "__truncate":
            value = self.truncated(instruction)
        elif about is None or about.group == _IGNORED:
            return
        elif about.code == op.Capability:
            low.capability(self.enumerant("Capability", instruction.operands[0].text))
        elif about.code == op.Extension:
            low.extension(instruction.operands[0].text)
        elif about.code == op.Variable or (about.group in _FORBIDDEN and about.code != op.ExtInst):
            raise Unsupported(f"{instruction.name} is not allowed in inline SPIR-V: it computes no value")
        else:
            value = self.emitted(instruction, about)
        target = instruction.result
        if target is None or value is None:
            return
        if target.kind == "word" and target.text == "result":
            self.result = value
        else:
            self.ids[target.text] = value

    def emitted(self, instruction: AsmInstruction, about: OpInfo) -> Value | None:
        low = self.body.low
        type = None if instruction.type is None else self.type(instruction.type)
        if about.has_type and type is None:
            raise Unsupported(f"{instruction.name} needs the type of its result")
        if about.code == op.Constant and instruction.type is not None:
            return self.constant(instruction)
        if about.code == op.Undef and type is not None:
            return low.module.intern(op.Undef, type, [])
        operands = self.operands(list(about.operands), list(instruction.operands), instruction.name)
        if about.group in _GLOBAL:
            return low.module.intern(about.code, type, operands)
        for name in about.capabilities[:1]:
            low.capability(kind("Capability").names()[name])
        for extension in about.extensions[:1]:
            low.extension(extension)
        if type is None:
            low.effect(about.code, operands)
            return None
        return low.emit(about.code, type, operands)

    def type(self, operand: AsmOperand) -> Instr:
        low = self.body.low
        if operand.kind == "$$" and operand.type is not None:
            type = self.body.type(operand.type)
            if isinstance(type, ResourceType) and type.kind != "Atomic":
                return resources.declared(low, type)[1]
            return low.ir_type(type)
        known = self.ids.get(operand.text) if operand.kind == "%" else None
        if not isinstance(known, Instr):
            raise Unsupported(f"'{operand.text}' is no type of this block")
        return known

    def constant(self, instruction: AsmInstruction) -> Value:
        asked = instruction.type
        type = None if asked is None or asked.type is None else self.body.type(asked.type)
        if not isinstance(type, ScalarType) or type.kind not in ("int", "uint") or len(instruction.operands) != 1:
            raise Unsupported("OpConstant takes an integer's type, and an integer")
        literal = instruction.operands[0]
        if literal.kind == "word":
            return scalar_constant(self.body.low, type, self.named(literal.text))
        return scalar_constant(self.body.low, type, _integer(literal.text))

    def named(self, text: str) -> int:
        """A number, or enumerants with their kind before them."""
        value = 0
        for word in text.split("|"):
            known = _integer(word) if word[:1].isdigit() else None
            for name in _PREFIXES:
                if known is None and word.startswith(name):
                    known = enum_value(name, word.removeprefix(name))
            if known is None:
                raise Unsupported(f"'{word}' is no enumerant that SPIR-V has")
            value |= known
        return value

    def enumerant(self, kind_name: str, text: str) -> int:
        value = 0
        for word in text.split("|"):
            known = enum_value(kind_name, word)
            if known is None and word.startswith(kind_name):
                known = enum_value(kind_name, word.removeprefix(kind_name))
            if known is None:
                raise Unsupported(f"'{word}' is no {kind_name} that SPIR-V has")
            value |= known
        return value

    # ---- operands, along the grammar

    def operands(self, specs: list[OperandSpec], given: list[AsmOperand], name: str) -> list[Operand]:
        operands: list[Operand] = []
        while specs:
            spec = specs.pop(0)
            if not given:
                if spec.quantifier == "":
                    raise Unsupported(f"{name} has too few operands")
                break
            if spec.quantifier == "*":
                specs.insert(0, spec)
            self.operand(spec.kind, given.pop(0), operands, specs, name)
        if given:
            raise Unsupported(f"{name} has too many operands")
        return operands

    def operand(
        self, kind_name: str, given: AsmOperand, operands: list[Operand], specs: list[OperandSpec], name: str
    ) -> None:
        low = self.body.low
        if kind_name in _SCOPED and given.kind in ("word", "number"):
            operands.append(low.word(self.enumerant(_SCOPED[kind_name], given.text)))
        elif kind_name == "LiteralExtInstInteger":
            imported = ext_set("GLSL.std.450")
            instruction = None if imported is None else imported.by_name.get(given.text)
            if instruction is None:
                raise Unsupported(f"'{given.text}' is no instruction of GLSL.std.450")
            operands.append(instruction.number)
            specs.extend(instruction.operands)
        elif is_id(kind_name):
            operands.append(self.value(given))
        elif is_enum(kind_name):
            value = self.enumerant(kind_name, given.text)
            operands.append(value)
            specs[:0] = enum_parameters(kind_name, value)
        elif kind_name == "LiteralInteger" and given.kind == "number":
            operands.append(_integer(given.text) & 0xFFFFFFFF)
        elif kind_name == "LiteralString" and given.kind == "string":
            operands.append(given.text)
        else:
            raise Unsupported(f"operands of {name} that are a {kind_name} are not read in inline SPIR-V")

    def value(self, given: AsmOperand) -> Value:
        low = self.body.low
        if given.kind == "%":
            known = self.ids.get(given.text)
            if known is None:
                raise Unsupported(f"nothing defines %{given.text} before it is used")
            return known
        if given.kind == "$$":
            return self.type(given)
        if given.kind == "word" and given.text == _GLSL:
            return self.glsl()
        if given.kind == "word" and given.text == "result" and self.result is not None:
            return self.result
        if given.kind == "$" and given.value is not None:
            return self.body.value(given.value)
        if given.kind == "&" and given.value is not None:
            place = self.body.place(given.value)
            if isinstance(place, Memory):
                return place.pointer(low)
        raise Unsupported("an operand of inline SPIR-V has no place in memory, or is no id")

    def glsl(self) -> Value:
        module = self.body.low.module
        for have in module.imports:
            if have.text(0) == "GLSL.std.450":
                return have
        imported = Instr(op.ExtInstImport, None, ["GLSL.std.450"])
        module.imports.append(imported)
        return imported

    def truncated(self, instruction: AsmInstruction) -> Value:
        """`__truncate $$T %result $$S %value`."""
        low = self.body.low
        if instruction.type is None or len(instruction.operands) != 2:
            raise Unsupported("__truncate takes two types, and a value")
        wanted, given = self.type(instruction.type), self.type(instruction.operands[0])
        value = self.value(instruction.operands[1])
        if wanted is given:
            return value
        if given.op != op.TypeVector:
            raise Unsupported("__truncate takes a vector")
        if wanted.op != op.TypeVector:
            return low.emit(op.CompositeExtract, wanted, [value, 0])
        indices: list[Operand] = [value, value]
        indices.extend(range(wanted.word(1)))
        return low.emit(op.VectorShuffle, wanted, indices)


def block(body: Body, expr: Expr) -> Value | None:
    assert isinstance(expr, hir.SpirvAsm)
    inside = _Block(body)
    for instruction in expr.instructions:
        inside.run(instruction)
    body.low.inline_spirv = True
    return inside.result


def register(handlers: Handlers) -> None:
    handlers.values[hir.SpirvAsm] = block


def _integer(text: str) -> int:
    """A literal's value."""
    try:
        return integer(text.lower().rstrip("ul"), 0)
    except ValueError:
        raise Unsupported(f"'{text}' is no integer that inline SPIR-V takes") from None
