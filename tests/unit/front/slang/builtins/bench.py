"""One builtin on the simulator: values of each lane in, results of each lane out.

    run_builtin("max", [FLOAT, INT], [[1.5, 2.0], [3, 1]])   ->   [3.0, 2.0]         a list an argument, a value a lane

A shader is made that loads lane i's arguments from element i of a buffer an argument, calls the builtin, and stores its
value and what it wrote to `out` parameters. Vectors and matrices are flat lists of components. Every shader is written
as a binary and passed to the validator where that is there.
"""

import struct
from typing import Any

from kit import oracles

from reknit.front.slang import hir
from reknit.front.slang.builtins import emit, find
from reknit.front.slang.builtins.builtin import Signature
from reknit.front.slang.builtins.emitter import Emitter
from reknit.front.slang.builtins.resources import declared
from reknit.front.slang.builtins.shapes import constant, ir_numeric, scalar_of
from reknit.front.slang.builtins.stored import load, store
from reknit.front.slang.builtins.structured import element_pointer
from reknit.front.slang.layout import SCALAR
from reknit.front.slang.types import (
    VOID,
    ArrayType,
    MatrixType,
    ResourceType,
    StructType,
    TupleType,
    Type,
    VectorType,
)
from reknit.ir import enums, op
from reknit.ir.build import Builder, new_function
from reknit.ir.edit import prepend, unlink
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module, annotation
from reknit.ir.value import Value
from reknit.ir.walk import instructions
from reknit.sim.run import run
from reknit.spirv.write import write_module

CODES = {
    ("float", 16): "e", ("float", 32): "f", ("float", 64): "d", ("int", 8): "b", ("int", 16): "h", ("int", 32): "i",
    ("int", 64): "q", ("uint", 8): "B", ("uint", 16): "H", ("uint", 32): "I", ("uint", 64): "Q", ("bool", 1): "I",
}  # fmt: skip


class Probe(Emitter):
    """The lowering's part: types of values, and refusals."""

    def __init__(self, module: Module, builder: Builder) -> None:
        super().__init__(module, builder)
        self.buffer_rule = SCALAR
        self.types: dict[str, Instr] = {}
        self.refused: list[str] = []

    def ir_type(self, type: Type) -> Instr:
        if isinstance(type, ResourceType) and type.element is not None:
            return self.ir_type(type.element)
        if not isinstance(type, (ArrayType, StructType, TupleType)):
            return ir_numeric(self, type)
        if isinstance(type, ArrayType):
            assert type.count is not None
            return self.module.intern(op.TypeArray, None, [self.ir_type(type.element), self.word(constant(type.count))])
        if type.key not in self.types:
            made = Instr(op.TypeStruct, None, [self.ir_type(one) for one in self.field_types(type)])
            self.module.globals.append(made)
            self.types[type.key] = made
        return self.types[type.key]

    def refuse(self, at: int, message: str) -> None:
        self.refused.append(message)


class Shader:
    """`buffer` adds a parameter, in order of bindings; `finish` gives the module."""

    def __init__(self, lanes: int) -> None:
        self.module = Module()
        self.module.memory_model.append(
            annotation(op.MemoryModel, [enums.AddressingModelLogical, enums.MemoryModelGLSL450])
        )
        self.main = new_function(self.module, "main")
        self.emitter = Probe(self.module, Builder(self.module, self.main.entry()))
        self.emitter.capability(enums.CapabilityShader)
        self.emitter.extension("SPV_KHR_maximal_reconvergence")
        self.lanes = lanes
        self.bindings = 0
        self.index = self.emitter.input(enums.BuiltInLocalInvocationIndex)

    def parameter(self, type: ResourceType, name: str) -> Instr:
        storage, pointee = declared(self.emitter, type)
        made = Instr(op.Variable, self.emitter.pointer(storage, pointee), [storage], name)
        self.module.globals.append(made)
        self.module.names.append(annotation(op.Name, [made, name]))
        self.emitter.decorate(made, enums.DecorationDescriptorSet, 0)
        self.emitter.decorate(made, enums.DecorationBinding, self.bindings)
        self.bindings += 1
        return made

    def buffer(self, element: Type, name: str) -> tuple[ResourceType, Instr]:
        type = ResourceType("RWStructuredBuffer", element)
        return type, self.parameter(type, name)

    def take(self, type: Type, name: str) -> Value:
        """Lane i's element i of a new buffer."""
        kind, made = self.buffer(type, name)
        return load(self.emitter, type, element_pointer(self.emitter, kind, made, self.index), SCALAR)

    def give(self, type: Type, name: str, value: Value) -> None:
        kind, made = self.buffer(type, name)
        store(self.emitter, type, element_pointer(self.emitter, kind, made, self.index), value, SCALAR)

    def local(self, type: Type) -> Instr:
        """A variable of the function."""
        made = self.emitter.ir_type(type)
        storage = enums.StorageClassFunction
        return self.emitter.emit(op.Variable, self.emitter.pointer(storage, made), [storage])

    def finish(self) -> Module:
        self.emitter.builder.return_()
        _variables_first(self.main)
        inputs = [one for one in self.module.globals if one.op == op.Variable]
        self.module.entry_points.append(
            annotation(op.EntryPoint, [enums.ExecutionModelGLCompute, self.main, "main", *inputs])
        )
        modes = [enums.ExecutionModeLocalSize, self.lanes, 1, 1]
        self.module.execution_modes.append(annotation(op.ExecutionMode, [self.main, *modes]))
        together = enums.ExecutionModeMaximallyReconvergesKHR
        self.module.execution_modes.append(annotation(op.ExecutionMode, [self.main, together]))
        assert not self.emitter.refused, self.emitter.refused
        return self.module


def _variables_first(function: Function) -> None:
    for one in [instr for instr in instructions(function) if instr.op == op.Variable]:
        prepend(function.entry(), unlink(one))


# ---- bytes


def count_of(type: Type) -> int:
    """How many numbers a value has."""
    if isinstance(type, VectorType):
        return constant(type.count)
    if isinstance(type, MatrixType):
        return constant(type.rows) * constant(type.columns)
    return 1


def as_bytes(type: Type, values: list[Any]) -> bytes:
    """A value a lane, each a number or the flat list of a vector's or matrix's components (by rows)."""
    scalar = scalar_of(type)
    flat = [part for value in values for part in (value if isinstance(value, (list, tuple)) else [value])]
    assert len(flat) == len(values) * count_of(type)
    raw = struct.pack(f"<{len(flat)}{CODES[scalar.kind, scalar.width]}", *flat)
    return raw + b"\0" * (-len(raw) % 4)


def from_words(type: Type, words: list[int], lanes: int) -> list[Any]:
    scalar = scalar_of(type)
    count = count_of(type)
    raw = struct.pack(f"<{len(words)}I", *words)
    code = CODES[scalar.kind, scalar.width]
    flat = list(struct.unpack_from(f"<{lanes * count}{code}", raw))
    if scalar.kind == "bool":
        flat = [bool(one) for one in flat]
    if count == 1:
        return flat
    return [flat[lane * count : lane * count + count] for lane in range(lanes)]


# ---- a call


def execute(shader: Shader, buffers: dict[str, bytes], size: int, lanes: int) -> dict[str, list[int]]:
    """Words of the buffers after a run, in which nothing undefined was done."""
    module = shader.finish()
    binary = write_module(module)
    if oracles.find("slang-glslang") is not None:
        accepted, said = oracles.validate(binary)
        assert accepted, said
    result = run(module, subgroup_size=size, buffers=buffers)
    assert not result.diagnostics, [one.message for one in result.diagnostics]
    return {name: buffer.words for name, buffer in result.buffers.items()}


def signature_of(name: str, types: list[Type], type_arguments: list[Type] | None = None) -> Signature:
    found = find(name)
    assert found is not None, name
    signature = found.resolve(types, type_arguments or [], None)
    assert signature is not None, name
    return signature


def run_builtin(
    name: str,
    types: list[Type],
    values: list[list[Any]],
    size: int = 4,
    outs: list[int] | None = None,
    type_arguments: list[Type] | None = None,
) -> list[Any]:
    """The value of each lane; where `outs` are given (positions of `out` parameters), a list for the value, if any,
    and one for each of those. `values` are for the parameters that are read, of the types that the signature asks
    for."""
    signature = signature_of(name, types, type_arguments)
    lanes = len(values[0]) if values else size
    shader = Shader(lanes)
    given: dict[str, bytes] = {}
    operands: list[Value] = []
    arguments: list[hir.Expr] = []
    read = iter(values)
    written: list[tuple[Type, Value]] = []
    for index, (type, direction) in enumerate(zip(signature.params, signature.directions, strict=True)):
        arguments.append(hir.Undefined(0, type))
        if direction == "out":
            place = shader.local(type)
            operands.append(place)
            written.append((type, place))
            continue
        given[f"in{index}"] = as_bytes(type, next(read))
        operands.append(shader.take(type, f"in{index}"))
    call = hir.Intrinsic(0, signature.result, signature.name, signature.type_arguments, arguments)
    value = emit(shader.emitter, call, signature.params, operands)
    results: list[tuple[Type, str]] = []
    if signature.result is not VOID:
        assert value is not None
        shader.give(signature.result, "result", value)
        results.append((signature.result, "result"))
    for index, (type, pointer) in enumerate(written):
        loaded = shader.emitter.emit(op.Load, shader.emitter.ir_type(type), [pointer])
        shader.give(type, f"out{index}", loaded)
        results.append((type, f"out{index}"))
    words = execute(shader, given, size, lanes)
    found = [from_words(type, words[name], lanes) for type, name in results]
    return found if outs is not None else found[0]
