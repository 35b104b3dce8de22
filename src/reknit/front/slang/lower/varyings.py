"""What the entry points of graphics stages take and give: a variable for each number, vector, matrix or array.

    VSOut main(float3 p : POSITION)         %p = Variable Input : vec3, Location 0        loaded into the parameter
    struct VSOut {                          at each return:
        float4 pos : SV_Position;           Store %gl_Position (the result's pos)
        nointerpolation uint id : ID;       Store %id, Location 0, Flat
    }

Locations count on in order of declaration (`locations`), a row of a matrix and an element of an array each have their
own; [[vk::location]] wins, and SV_TargetN is location N. Matrices pass as they lie in memory, by rows or by columns, as
slangc has it; in HLSL always by rows, as DXC has it. Bools pass as uints.
"""

from typing import Final, final

from reknit.front.slang.builtins.components import parts_of
from reknit.front.slang.builtins.matrices import transposed
from reknit.front.slang.builtins.shapes import constant, count_of, scalar_of
from reknit.front.slang.lower.locations import Leaf, Leaves, by_rows
from reknit.front.slang.lower.operators import convert, is_number
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.lower.system_values import (
    CLIPPING,
    COVERAGE,
    POINT_SIZE,
    SystemValue,
    is_clipping,
    is_located,
    system_value,
)
from reknit.front.slang.types import FLOAT, ArrayType, MatrixType, ScalarType, Type, VectorType
from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.value import Value

_INTERPOLATED: Final = {
    "nointerpolation": enums.DecorationFlat, "flat": enums.DecorationFlat,
    "noperspective": enums.DecorationNoPerspective, "centroid": enums.DecorationCentroid,
    "sample": enums.DecorationSample,
}  # fmt: skip


@final
class Varyings:
    """Of one entry point of `stage`. `inputs` and `outputs` are collected first, since locations and the size of clip
    distances depend on all of them; `modes` are the execution modes that they ask for."""

    __slots__ = ("low", "stage", "inputs", "outputs", "modes", "_stores", "_given", "_written")

    def __init__(self, low: Lowering, stage: str) -> None:
        self.low = low
        self.stage = stage
        self.inputs = Leaves(low, stage, False)
        self.outputs = Leaves(low, stage, True)
        self.modes: dict[int, None] = {}
        self._stores: list[tuple[Leaf, Instr, Type]] = []
        self._given: dict[int, Instr] = {}  # the input of each built-in
        self._written: dict[int, Leaf] = {}  # the output of each built-in

    # ---- at the start

    def take(self) -> None:
        """Store the inputs in their parameters."""
        clipping: dict[str, Instr] = {}
        self.inputs.locate()
        for leaf in self.inputs.all:
            if leaf.semantic == POINT_SIZE and self.stage == "fragment" and "." in leaf.name:
                leaf.place.store(self.low, self.low.undefined(leaf.place.type))
                continue
            if is_clipping(self.stage, False, leaf.semantic):
                array = self._clip_array(clipping, leaf, False)
                leaf.place.store(self.low, self._clip_value(array, self._clip_offset(self.inputs.all, leaf), leaf))
                continue
            system = system_value(self.stage, False, leaf.semantic)
            if system is not None:
                leaf.place.store(self.low, self._system(leaf, system))
                continue
            variable = self._user(leaf, False)
            self._interpolate(variable, leaf.passed, leaf.words)
            value = self.low.emit(op.Load, _pointee(variable), [variable])
            leaf.place.store(self.low, self._from_passed(leaf.place.type, leaf.passed, value))

    def _system(self, leaf: Leaf, system: SystemValue) -> Value:
        low = self.low
        builtin = system.builtin
        if builtin == enums.BuiltInBaryCoordKHR and "noperspective" in leaf.words:
            builtin = enums.BuiltInBaryCoordNoPerspKHR
        given = self._builtin(leaf, system, builtin, False)
        value = low.emit(op.Load, _pointee(given), [given])
        if leaf.semantic == COVERAGE:
            value = low.emit(op.CompositeExtract, low.u32, [value, 0])
        if system.relative >= 0 and not self.low.hlsl:
            low.capability(enums.CapabilityDrawParameters)
            base = self._input(system.relative, low.u32, "base", False)
            value = low.emit(op.ISub, low.u32, [value, low.emit(op.Load, low.u32, [base])])
        self._fits(leaf, system.type, leaf.place.type)
        return convert(low, system.type, leaf.place.type, value)

    # ---- at each return

    def declare_outputs(self) -> None:
        clipping: dict[str, Instr] = {}
        self.outputs.locate()
        for leaf in self.outputs.all:
            if is_clipping(self.stage, True, leaf.semantic):
                self._stores.append((leaf, self._clip_array(clipping, leaf, True), FLOAT))
                continue
            system = system_value(self.stage, True, leaf.semantic)
            if system is not None:
                self._fits(leaf, leaf.place.type, system.type)
                self._stores.append((leaf, self._builtin(leaf, system, system.builtin, True), system.type))
                self.modes.update(dict.fromkeys(system.modes))
                continue
            variable = self._user(leaf, True)
            if self.stage != "fragment":
                self._interpolate(variable, leaf.passed, leaf.words)
            if leaf.index >= 0:
                self.low.decorate(variable, enums.DecorationIndex, leaf.index)
            self._stores.append((leaf, variable, leaf.passed))

    def give(self) -> None:
        """Store the outputs."""
        low = self.low
        for leaf, variable, passed in self._stores:
            value = leaf.place.load(low)
            if is_clipping(self.stage, True, leaf.semantic):
                self._store_clip(leaf, variable, value)
                continue
            if system_value(self.stage, True, leaf.semantic) is None:
                value = self._to_passed(leaf.place.type, passed, value)
            else:
                value = convert(low, leaf.place.type, passed, value)
            if leaf.semantic == COVERAGE:
                value = low.emit(op.CompositeConstruct, _pointee(variable), [value])
            low.effect(op.Store, [variable, value])

    # ---- variables

    def _variable(self, storage: int, type: Instr, name: str) -> Instr:
        low = self.low
        variable = Instr(op.Variable, low.pointer(storage, type), [storage], name)
        low.module.globals.append(variable)
        low.places.starts[variable] = low.at
        return variable

    def _builtin(self, leaf: Leaf, system: SystemValue, builtin: int, output: bool) -> Instr:
        low = self.low
        if system.capability != enums.CapabilityShader:
            low.capability(system.capability)
        if system.extension:
            low.extension(system.extension)
        type = low.ir_type(system.type)
        if leaf.semantic == COVERAGE:
            type = low.module.intern(op.TypeArray, None, [type, low.word(1)])
        if not output:
            flat = self.stage == "fragment" and scalar_of(system.type).kind == "uint"
            return self._input(builtin, type, leaf.name, flat)
        other = self._written.setdefault(builtin, leaf)
        if other is not leaf:
            both = f"{other.semantic} and {leaf.semantic} ('{other.name}' and '{leaf.name}')"
            low.refuse(leaf.at, f"a {self.stage} shader gives both {both}: they are one built-in")
        variable = self._variable(enums.StorageClassOutput, type, leaf.name)
        low.decorate(variable, enums.DecorationBuiltIn, builtin)
        return variable

    def _input(self, builtin: int, type: Instr, name: str, flat: bool) -> Instr:
        """One variable for all that takes the built-in (Vulkan, VUID-StandaloneSpirv-OpEntryPoint-09658)."""
        variable = self._given.get(builtin)
        if variable is None:
            variable = self._variable(enums.StorageClassInput, type, name)
            self.low.decorate(variable, enums.DecorationBuiltIn, builtin)
            if flat:
                self.low.decorate(variable, enums.DecorationFlat)
            self._given[builtin] = variable
        return variable

    def _user(self, leaf: Leaf, output: bool) -> Instr:
        low = self.low
        if not is_located(low.hlsl, self.stage, output, leaf.semantic):
            way = "gives" if output else "takes"
            low.refuse(leaf.at, f"a {self.stage} shader {way} no system value {leaf.semantic} here")
        storage = enums.StorageClassOutput if output else enums.StorageClassInput
        variable = self._variable(storage, low.ir_type(leaf.passed), leaf.name)
        for location in leaf.locations()[:1]:
            low.decorate(variable, enums.DecorationLocation, location)
        return variable

    def _interpolate(self, variable: Instr, passed: Type, words: list[str]) -> None:
        """Integers and doubles can't be interpolated (SPIR-V for Vulkan, VUID-StandaloneSpirv-Flat-04744)."""
        low = self.low
        if self.stage == "vertex" and _storage(variable) == enums.StorageClassInput:
            return
        scalar = _scalar(passed)
        wanted = [_INTERPOLATED[word] for word in words if word in _INTERPOLATED]
        if "pervertex" in words:
            low.refuse(0, "inputs of all three vertices (`pervertex`) are not supported")
        if self.stage == "fragment" and (scalar.kind != "float" or scalar.width == 64):
            wanted = [enums.DecorationFlat]
        for decoration in dict.fromkeys(wanted):
            if decoration == enums.DecorationSample:
                low.capability(enums.CapabilitySampleRateShading)
            low.decorate(variable, decoration)

    # ---- types that pass

    def _to_passed(self, type: Type, passed: Type, value: Value) -> Value:
        low = self.low
        if isinstance(type, ArrayType) and isinstance(passed, ArrayType):
            return self._elements(type, passed, value, True)
        if isinstance(type, MatrixType) and isinstance(passed, MatrixType):
            own = MatrixType(passed.element, type.rows, type.columns)
            value = convert(low, type, own, value)
            return value if by_rows(low, type) else transposed(low, own, passed, value)
        return convert(low, type, passed, value)

    def _from_passed(self, type: Type, passed: Type, value: Value) -> Value:
        low = self.low
        if isinstance(type, ArrayType) and isinstance(passed, ArrayType):
            return self._elements(passed, type, value, False)
        if isinstance(type, MatrixType) and isinstance(passed, MatrixType):
            own = MatrixType(passed.element, type.rows, type.columns)
            value = value if by_rows(low, type) else transposed(low, passed, own, value)
            return convert(low, own, type, value)
        return convert(low, passed, type, value)

    def _elements(self, source: ArrayType, target: ArrayType, value: Value, out: bool) -> Value:
        low = self.low
        if low.ir_type(source) is low.ir_type(target) and not isinstance(source.element, MatrixType):
            return value
        assert source.count is not None
        single = low.ir_type(source.element)
        parts: list[Value] = []
        for index in range(constant(source.count)):
            part = low.extract(single, value, index)
            if out:
                parts.append(self._to_passed(source.element, target.element, part))
            else:
                parts.append(self._from_passed(target.element, source.element, part))
        return low.composite(low.ir_type(target), parts)

    def _fits(self, leaf: Leaf, source: Type, target: Type) -> None:
        if not is_number(source) or not is_number(target) or count_of(source) < count_of(target):
            self.low.refuse(0, f"{leaf.semantic} is a '{target if leaf.place.type is source else source}'")

    # ---- clip and cull distances

    def _clip_array(self, made: dict[str, Instr], leaf: Leaf, output: bool) -> Instr:
        low = self.low
        known = made.get(leaf.semantic)
        if known is not None:
            return known
        leaves = (self.outputs if output else self.inputs).all
        count = sum([_floats(low, each) for each in leaves if each.semantic == leaf.semantic])
        name = CLIPPING[leaf.semantic]
        type = low.module.intern(op.TypeArray, None, [low.ir_type(FLOAT), low.word(count)])
        variable = self._variable(enums.StorageClassOutput if output else enums.StorageClassInput, type, name)
        clip = name == "ClipDistance"
        low.capability(enums.CapabilityClipDistance if clip else enums.CapabilityCullDistance)
        builtin = enums.BuiltInClipDistance if clip else enums.BuiltInCullDistance
        low.decorate(variable, enums.DecorationBuiltIn, builtin)
        made[leaf.semantic] = variable
        return variable

    def _clip_offset(self, leaves: list[Leaf], leaf: Leaf) -> int:
        """In order of their numbers."""
        before = [
            each
            for position, each in enumerate(leaves)
            if each.semantic == leaf.semantic and (each.number, position) < (leaf.number, leaves.index(leaf))
        ]
        return sum([_floats(self.low, each) for each in before])

    def _clip_value(self, array: Instr, offset: int, leaf: Leaf) -> Value:
        low = self.low
        single = low.ir_type(FLOAT)
        whole = low.emit(op.Load, _pointee(array), [array])
        count = _floats(low, leaf)
        parts: list[Value] = [low.extract(single, whole, offset + index) for index in range(count)]
        if isinstance(leaf.place.type, ScalarType):
            return parts[0]
        return low.composite(low.ir_type(leaf.place.type), parts)

    def _store_clip(self, leaf: Leaf, array: Instr, value: Value) -> None:
        low = self.low
        single = low.ir_type(FLOAT)
        type = leaf.place.type
        if isinstance(type, ArrayType):
            parts: list[Value] = [low.extract(single, value, index) for index in range(_floats(low, leaf))]
        else:
            parts = parts_of(low, type, value)
        offset = self._clip_offset(self.outputs.all, leaf)
        for index, part in enumerate(parts):
            operands: list[Operand] = [array, low.word(offset + index)]
            target = low.emit(op.AccessChain, low.pointer(enums.StorageClassOutput, single), operands)
            low.effect(op.Store, [target, part])


def _floats(low: Lowering, leaf: Leaf) -> int:
    """How many clip distances it is."""
    type = leaf.place.type
    element = type.element if isinstance(type, ArrayType) else type
    if isinstance(type, ArrayType) and type.count is not None and element is FLOAT:
        return constant(type.count)
    if isinstance(element, (ScalarType, VectorType)) and scalar_of(element) is FLOAT and element is type:
        return count_of(element)
    low.refuse(0, f"{leaf.semantic} is a float, a vector of floats or an array of floats")


def _scalar(type: Type) -> ScalarType:
    while isinstance(type, ArrayType):
        type = type.element
    return scalar_of(type)


def _pointee(variable: Instr) -> Instr:
    assert variable.type is not None
    return variable.type.instr(1)


def _storage(variable: Instr) -> int:
    return variable.word(0)
