"""The module that is being made: types, constants, inputs and capabilities on demand, instructions at a block's end.

    i32  u32 (LLVM's integers have no sign: operations do)     i1  bool     float  f32     <4 x float>  vec4
"""

from typing import Final, final

from reknit.front.llvm import syntax
from reknit.front.llvm.syntax import Type
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.block import Block
from reknit.ir.constants import bool_constant, int_constant, undef
from reknit.ir.edit import append
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module, annotation
from reknit.ir.types import bool_type, float_type, int_type, pointer_type, vector_type, void_type
from reknit.ir.value import Value
from reknit.ir.verify.extended_types import extended_fault

_INTEGERS: Final = {8: enums.CapabilityInt8, 16: enums.CapabilityInt16, 32: 0, 64: enums.CapabilityInt64}
_FLOATS: Final = {16: enums.CapabilityFloat16, 32: 0, 64: enums.CapabilityFloat64}


@final
class Target:
    """`block` is where instructions go. `interface` are the module's variables, for the entry points. `flat`: inputs
    that are integers must be Flat."""

    __slots__ = ("module", "block", "capabilities", "interface", "inputs", "glsl", "u32", "boolean", "flat")

    def __init__(self, path: str) -> None:
        module = Module()
        module.path = path
        self.module = module
        self.block = Block()
        self.capabilities: dict[int, None] = {}
        self.interface: list[Instr] = []
        self.inputs: dict[int, Instr] = {}
        self.glsl: Instr | None = None
        self.flat = False
        self.capability(enums.CapabilityShader)
        module.memory_model.append(
            annotation(op.MemoryModel, [enums.AddressingModelLogical, enums.MemoryModelGLSL450])
        )
        self.u32 = int_type(module, 32, False)
        self.boolean = bool_type(module)

    def capability(self, number: int) -> None:
        if number not in self.capabilities:
            self.capabilities[number] = None
            self.module.capabilities.append(annotation(op.Capability, [number]))

    def extension(self, name: str) -> None:
        if all(have.text(0) != name for have in self.module.extensions):
            self.module.extensions.append(annotation(op.Extension, [name]))

    # --- types --------------------------------------------------------------------------------------------------------

    def type(self, type: Type) -> Instr:
        """Raises Refusal for what has no SPIR-V type here."""
        if type.kind == syntax.VOID:
            return void_type(self.module)
        if type.is_bool():
            return self.boolean
        if type.kind == syntax.INT and type.width <= 64:
            return self.uint(self.held(type.width))
        if type.kind == syntax.FLOAT and type.width in _FLOATS and type.name != "bfloat":
            return self.float(type.width)
        if type.kind == syntax.VECTOR and 2 <= type.count <= 4:
            return vector_type(self.module, self.type(type.parts[0]), type.count)
        raise Refusal(f"has the type {type.name}, which is not read here")

    def held(self, width: int) -> int:
        """How many bits an integer of `width` is held in."""
        return next(wide for wide in _INTEGERS if wide >= width)

    def uint(self, width: int) -> Instr:
        """Raises Refusal for a width that only LLVM has: memory is accessed by it, too."""
        if width not in _INTEGERS:
            raise Refusal(f"has an integer of {width} bits, or accesses memory that others access so")
        if _INTEGERS[width]:
            self.capability(_INTEGERS[width])
        return int_type(self.module, width, False)

    def signed(self, type: Type) -> Instr:
        """The type with a sign that some instructions of GLSL.std.450 take."""
        if type.kind == syntax.VECTOR:
            return vector_type(self.module, self.signed(type.parts[0]), type.count)
        return int_type(self.module, type.width, True)

    def float(self, width: int) -> Instr:
        if width not in _FLOATS:
            raise Refusal(f"has a float of {width} bits, or accesses memory that others access so")
        if _FLOATS[width]:
            self.capability(_FLOATS[width])
        return float_type(self.module, width)

    # --- constants ----------------------------------------------------------------------------------------------------

    def word(self, value: int) -> Instr:
        """A u32 constant."""
        return int_constant(self.module, self.u32, value)

    def constant(self, type: Type, bits: int) -> Instr:
        """A scalar, or a vector of which all components are that."""
        ir_type = self.type(type)
        if type.kind == syntax.VECTOR:
            element = self.constant(type.parts[0], bits)
            return self.module.intern(op.ConstantComposite, ir_type, [element] * type.count)
        if type.is_bool():
            return bool_constant(self.module, bits & 1 == 1)
        if type.kind == syntax.INT:
            return int_constant(self.module, ir_type, bits & (1 << type.width) - 1)
        return self.float_constant(type.width, bits)

    def float_constant(self, width: int, bits: int) -> Instr:
        words: list[Operand] = [bits & 0xFFFFFFFF]
        if width == 64:
            words.append(bits >> 32)
        return self.module.intern(op.Constant, self.float(width), words)

    def undefined(self, type: Type) -> Instr:
        return undef(self.module, self.type(type))

    # --- instructions -------------------------------------------------------------------------------------------------

    def emit(self, code: int, type: Instr, operands: list[Operand], name: str = "") -> Instr:
        return append(self.block, Instr(code, type, operands, name))

    def effect(self, code: int, operands: list[Operand]) -> Instr:
        return append(self.block, Instr(code, None, operands, "", False))

    def extended(self, number: int, type: Instr, operands: list[Value]) -> Instr:
        """An instruction of GLSL.std.450. Raises Refusal for types that it doesn't have: doubles of many."""
        if self.glsl is None:
            self.glsl = Instr(op.ExtInstImport, None, ["GLSL.std.450"])
            self.module.imports.append(self.glsl)
        instr = Instr(op.ExtInst, type, [self.glsl, number, *operands])
        wrong = extended_fault(self.module, instr)
        if wrong:
            raise Refusal(f"has other types than SPIR-V's instruction: {wrong}")
        return append(self.block, instr)

    # --- variables ----------------------------------------------------------------------------------------------------

    def variable(self, storage: int, type: Instr, name: str, initial: Instr | None = None) -> Instr:
        """A global one."""
        pointer = pointer_type(self.module, storage, type)
        operands: list[Operand] = [storage]
        if initial is not None:
            operands.append(initial)
        instr = Instr(op.Variable, pointer, operands, name)
        self.module.globals.append(instr)
        self.interface.append(instr)
        if name:
            self.module.names.append(annotation(op.Name, [instr, name]))
        return instr

    def decorate(self, target: Instr, decoration: int, *literals: int) -> None:
        self.module.decorations.append(annotation(op.Decorate, [target, decoration, *literals]))

    def decorate_member(self, target: Instr, member: int, decoration: int, *literals: int) -> None:
        self.module.decorations.append(annotation(op.MemberDecorate, [target, member, decoration, *literals]))

    def input(self, builtin: int, count: int = 1, name: str = "") -> Instr:
        """A built-in input's value: a u32, or a vector of `count`."""
        type = self.u32 if count == 1 else vector_type(self.module, self.u32, count)
        variable = self.inputs.get(builtin)
        if variable is None:
            variable = self.variable(enums.StorageClassInput, type, name)
            self.decorate(variable, enums.DecorationBuiltIn, builtin)
            if self.flat:
                self.decorate(variable, enums.DecorationFlat)
            self.inputs[builtin] = variable
        return self.emit(op.Load, type, [variable])

    def component(self, builtin: int, axis: int, name: str) -> Instr:
        if not 0 <= axis < 3:
            raise Refusal(f"asks for dimension {axis} of three")
        return self.emit(op.CompositeExtract, self.u32, [self.input(builtin, 3, name), axis])
