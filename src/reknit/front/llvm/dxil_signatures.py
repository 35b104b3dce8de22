"""Inputs and outputs of vertex and pixel shaders: elements of signatures as variables.

    loadInput(4, element, row, column)            Load of a component          Location = row, Component = column
    storeOutput(5, element, row, column, x)       Store to one                 or a BuiltIn, for a system value
    evalCentroid(89, element, row, column)        InterpolateAtCentroid
    attributeAtVertex(137, ..., vertex)           Load of a PerVertexKHR input

The registers that DXIL packed the elements into are the locations, so that stages that fit in D3D fit here.
Source: DXC, docs/DXIL.rst, "Signatures"; D3D11.3 Functional Specification, 8.21 "System Generated Values".
"""

from typing import Final, final

from reknit.front.llvm import signatures, syntax
from reknit.front.llvm.library.expand import type_of
from reknit.front.llvm.results import Result
from reknit.front.llvm.signatures import Element
from reknit.front.llvm.state import Lowering, Port
from reknit.front.llvm.syntax import Operand, Statement
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.floats import rounded_bits
from reknit.ir.instr import Instr
from reknit.ir.types import int_type, is_float, pointer_type, vector_type, width_of
from reknit.ir.value import Value

SIGNATURES: Final = (4, 5, 87, 88, 89, 137)

_NUMBER: Final = "number"
_WORD: Final = "word"
_TRUTH: Final = "truth"
_WORDS: Final = "words"  # an array of one word
_CENTROID: Final = 76
_AT_SAMPLE: Final = 77
_AT_OFFSET: Final = 78


@final
class _Builtin:
    """`form` is the variable's type; `capability` and `extension` are what it takes, 0 and "" if nothing."""

    __slots__ = ("number", "name", "form", "capability", "extension")

    def __init__(self, number: int, name: str, form: str, capability: int = 0, extension: str = "") -> None:
        self.number = number
        self.name = name
        self.form = form
        self.capability = capability
        self.extension = extension


_DRAW: Final = "SPV_KHR_shader_draw_parameters"
_RATE: Final = "SPV_KHR_fragment_shading_rate"
_LAYERS: Final = "SPV_EXT_shader_viewport_index_layer"
_PARAMETERS: Final = enums.CapabilityDrawParameters
_ANY_LAYER: Final = enums.CapabilityShaderViewportIndexLayerEXT

_VIEW: Final = _Builtin(
    enums.BuiltInViewIndex, "gl_ViewIndex", _WORD, enums.CapabilityMultiView, "SPV_KHR_multiview"
)
_VERTEX_INPUTS: Final = {
    signatures.VIEW_ID: _VIEW,
    signatures.VERTEX_ID: _Builtin(enums.BuiltInVertexIndex, "gl_VertexIndex", _WORD),
    signatures.INSTANCE_ID: _Builtin(enums.BuiltInInstanceIndex, "gl_InstanceIndex", _WORD),
    signatures.START_VERTEX: _Builtin(enums.BuiltInBaseVertex, "gl_BaseVertex", _WORD, _PARAMETERS, _DRAW),
    signatures.START_INSTANCE: _Builtin(enums.BuiltInBaseInstance, "gl_BaseInstance", _WORD, _PARAMETERS, _DRAW),
}
_VERTEX_OUTPUTS: Final = {
    signatures.POSITION: _Builtin(enums.BuiltInPosition, "gl_Position", _NUMBER),
    signatures.LAYER: _Builtin(enums.BuiltInLayer, "gl_Layer", _WORD, _ANY_LAYER, _LAYERS),
    signatures.VIEWPORT: _Builtin(enums.BuiltInViewportIndex, "gl_ViewportIndex", _WORD, _ANY_LAYER, _LAYERS),
    signatures.CLIP: _Builtin(enums.BuiltInClipDistance, "gl_ClipDistance", _NUMBER, enums.CapabilityClipDistance),
    signatures.CULL: _Builtin(enums.BuiltInCullDistance, "gl_CullDistance", _NUMBER, enums.CapabilityCullDistance),
    signatures.SHADING_RATE: _Builtin(
        enums.BuiltInPrimitiveShadingRateKHR, "gl_PrimitiveShadingRateEXT", _WORD,
        enums.CapabilityFragmentShadingRateKHR, _RATE,
    ),
}  # fmt: skip
_PIXEL_INPUTS: Final = {
    signatures.POSITION: _Builtin(enums.BuiltInFragCoord, "gl_FragCoord", _NUMBER),
    signatures.LAYER: _Builtin(enums.BuiltInLayer, "gl_Layer", _WORD, enums.CapabilityGeometry),
    signatures.VIEWPORT: _Builtin(enums.BuiltInViewportIndex, "gl_ViewportIndex", _WORD, enums.CapabilityMultiViewport),
    signatures.CLIP: _VERTEX_OUTPUTS[signatures.CLIP],
    signatures.CULL: _VERTEX_OUTPUTS[signatures.CULL],
    signatures.PRIMITIVE_ID: _Builtin(enums.BuiltInPrimitiveId, "gl_PrimitiveID", _WORD, enums.CapabilityGeometry),
    signatures.SAMPLE_INDEX: _Builtin(
        enums.BuiltInSampleId, "gl_SampleID", _WORD, enums.CapabilitySampleRateShading
    ),
    signatures.FRONT_FACE: _Builtin(enums.BuiltInFrontFacing, "gl_FrontFacing", _TRUTH),
    signatures.COVERAGE: _Builtin(enums.BuiltInSampleMask, "gl_SampleMaskIn", _WORDS),
    signatures.INNER_COVERAGE: _Builtin(
        enums.BuiltInFullyCoveredEXT, "gl_FragFullyCoveredNV", _TRUTH, enums.CapabilityFragmentFullyCoveredEXT,
        "SPV_EXT_fragment_fully_covered",
    ),
    signatures.VIEW_ID: _VIEW,
    signatures.BARYCENTRICS: _Builtin(
        enums.BuiltInBaryCoordKHR, "gl_BaryCoordEXT", _NUMBER, enums.CapabilityFragmentBarycentricKHR,
        "SPV_KHR_fragment_shader_barycentric",
    ),
    signatures.SHADING_RATE: _Builtin(
        enums.BuiltInShadingRateKHR, "gl_ShadingRateEXT", _WORD, enums.CapabilityFragmentShadingRateKHR, _RATE
    ),
}  # fmt: skip
_PIXEL_OUTPUTS: Final = {
    signatures.DEPTH: _Builtin(enums.BuiltInFragDepth, "gl_FragDepth", _NUMBER),
    signatures.DEPTH_LESS: _Builtin(enums.BuiltInFragDepth, "gl_FragDepth", _NUMBER),
    signatures.DEPTH_GREATER: _Builtin(enums.BuiltInFragDepth, "gl_FragDepth", _NUMBER),
    signatures.COVERAGE: _Builtin(enums.BuiltInSampleMask, "gl_SampleMask", _WORDS),
    signatures.STENCIL: _Builtin(
        enums.BuiltInFragStencilRefEXT, "gl_FragStencilRefARB", _WORD, enums.CapabilityStencilExportEXT,
        "SPV_EXT_shader_stencil_export",
    ),
}  # fmt: skip
_BUILTINS: Final = {
    ("vs", False): _VERTEX_INPUTS, ("vs", True): _VERTEX_OUTPUTS,
    ("ps", False): _PIXEL_INPUTS, ("ps", True): _PIXEL_OUTPUTS,
}  # fmt: skip
_BY_LOCATION: Final = (signatures.ARBITRARY, signatures.TARGET)
_MODES: Final = {
    signatures.DEPTH: (enums.ExecutionModeDepthReplacing,),
    signatures.DEPTH_LESS: (enums.ExecutionModeDepthReplacing, enums.ExecutionModeDepthLess),
    signatures.DEPTH_GREATER: (enums.ExecutionModeDepthReplacing, enums.ExecutionModeDepthGreater),
    signatures.STENCIL: (enums.ExecutionModeStencilRefReplacingEXT,),
}
_INTERPOLATION: Final = {
    3: (enums.DecorationCentroid,), 4: (enums.DecorationNoPerspective,),
    5: (enums.DecorationNoPerspective, enums.DecorationCentroid), 6: (enums.DecorationSample,),
    7: (enums.DecorationNoPerspective, enums.DecorationSample),
}  # fmt: skip
"""InterpolationMode: 0 is undefined, 1 constant, 2 linear."""
_NO_PERSPECTIVE: Final = (4, 5, 7)
_SIGNED: Final = (2, 4)  # I16, I32
_UNSIGNED: Final = (1, 3, 5)  # I1, U16, U32
_FLOATS: Final = (8, 9, 11, 12, 13, 14)  # F16, F32 and normalized ones
_HALVES: Final = (2, 3, 8, 11, 12)


def signature(lowering: Lowering, statement: Statement, code: int) -> Result:
    """Raises Refusal."""
    stores = code == 5
    number = lowering.number(statement.operands[1])
    element = (lowering.scene.outputs if stores else lowering.scene.inputs).get(number)
    if element is None:
        raise Refusal(f"names element {number} of a signature that does not have it")
    row, column = statement.operands[2], lowering.number(statement.operands[3])
    port = port_of(lowering, element, stores)
    if column >= element.columns:
        raise Refusal(f"names component {column} of '{element.label()}', which has {element.columns}")
    if stores:
        _store(lowering, port, row, column, statement.operands[4])
        return None
    if code == 137:
        given = statement.operands[4]
        constant = given.kind in (syntax.NUMBER, syntax.ZERO)
        vertex = lowering.target.word(given.number) if constant else lowering.distance(given)
        return _loaded(lowering, port, row, column, statement, vertex)
    if code in (87, 88, 89) and is_float(port.component) and element.mode != signatures.CONSTANT:
        return _evaluated(lowering, port, row, column, statement, code)
    return _loaded(lowering, port, row, column, statement, None)


# --- variables --------------------------------------------------------------------------------------------------------


def port_of(lowering: Lowering, element: Element, output: bool) -> Port:
    """The variable of an element, made when it is first asked for. Raises Refusal."""
    scene = lowering.scene
    port = scene.ports.get((output, element.number))
    if port is None:
        if element.kind in (signatures.CLIP, signatures.CULL):
            port = _distances(lowering, element, output)
        elif element.kind in _BY_LOCATION:
            port = _located(lowering, element, output)
        else:
            port = builtin_port(lowering, element.kind, output, element)
        port.element = element
        scene.ports[(output, element.number)] = port
    return port


def builtin_port(lowering: Lowering, kind: int, output: bool, element: Element | None = None) -> Port:
    """The variable of a system value. Raises Refusal where the stage has none such."""
    target = lowering.target
    builtin = _BUILTINS.get((lowering.scene.stage, output), {}).get(kind)
    if builtin is None:
        what = element.name if element is not None else f"system value {kind}"
        raise Refusal(f"is an access to {what}, which is no {'output' if output else 'input'} that is read here")
    number, name = builtin.number, builtin.name
    if kind == signatures.BARYCENTRICS and element is not None and element.mode in _NO_PERSPECTIVE:
        number, name = enums.BuiltInBaryCoordNoPerspKHR, "gl_BaryCoordNoPerspEXT"
    known = lowering.scene.builtins.get((output, number))
    if known is not None:
        return known
    _asked(target, builtin)
    for mode in _MODES.get(kind, ()) if output else ():
        lowering.scene.modes.setdefault(mode, [])
    columns = element.columns if element is not None and builtin.form == _NUMBER else 1
    component = target.float(32) if builtin.form == _NUMBER else target.u32
    if builtin.form == _TRUTH:
        component = target.boolean
    if number in (enums.BuiltInFragCoord, enums.BuiltInPosition):
        columns = 4
    type = component if columns == 1 else vector_type(target.module, component, columns)
    if builtin.form == _WORDS:
        type = target.module.intern(op.TypeArray, None, [type, target.word(1)])
    variable = _variable(lowering, type, name, output)
    target.decorate(variable, enums.DecorationBuiltIn, number)
    if builtin.form == _WORD and lowering.scene.stage == "ps" and not output:
        target.decorate(variable, enums.DecorationFlat)
    port = Port(variable, component, columns, 1)
    port.builtin = number
    port.element = element
    if builtin.form == _WORDS:
        port.base = 0
    lowering.scene.builtins[(output, number)] = port
    return port


def _asked(target: Target, builtin: _Builtin) -> None:
    if builtin.capability:
        target.capability(builtin.capability)
    if builtin.extension:
        target.extension(builtin.extension)


def _distances(lowering: Lowering, element: Element, output: bool) -> Port:
    """Clip or cull distances of all elements are one array: by semantic index, then row and column."""
    scene = lowering.scene
    target = lowering.target
    signature = scene.outputs if output else scene.inputs
    same = sorted(
        [other for other in signature.values() if other.kind == element.kind], key=lambda other: other.indices
    )
    builtin = _VERTEX_OUTPUTS[element.kind]
    known = scene.builtins.get((output, builtin.number))
    total = sum([other.rows * other.columns for other in same])
    if known is None:
        _asked(target, builtin)
        type = target.module.intern(op.TypeArray, None, [target.float(32), target.word(total)])
        variable = _variable(lowering, type, builtin.name, output)
        target.decorate(variable, enums.DecorationBuiltIn, builtin.number)
        known = Port(variable, target.float(32), 1, 1)
        scene.builtins[(output, builtin.number)] = known
    port = Port(known.variable, known.component, element.columns, element.rows)
    port.base = sum([other.rows * other.columns for other in same[: same.index(element)]])
    return port


def _located(lowering: Lowering, element: Element, output: bool) -> Port:
    target = lowering.target
    component = _component(lowering, element)
    type = component if element.columns == 1 else vector_type(target.module, component, element.columns)
    if element.rows > 1:
        type = target.module.intern(op.TypeArray, None, [type, target.word(element.rows)])
    vertices = not output and element.number in lowering.scene.by_vertex
    if vertices:
        type = target.module.intern(op.TypeArray, None, [type, target.word(3)])
    name = f"{'out' if output else 'in'}.var.{element.label()}"
    variable = _variable(lowering, type, name, output)
    row = element.row
    if element.kind == signatures.TARGET and element.indices:
        row = element.indices[0]
    if row < 0:
        raise Refusal(f"is an access to '{element.label()}', which has no place in its signature")
    target.decorate(variable, enums.DecorationLocation, row)
    if element.column > 0:
        target.decorate(variable, enums.DecorationComponent, element.column)
    if lowering.scene.stage == "ps" and not output:
        if vertices:
            target.capability(enums.CapabilityFragmentBarycentricKHR)
            target.extension("SPV_KHR_fragment_shader_barycentric")
            target.decorate(variable, enums.DecorationPerVertexKHR)
        else:
            _interpolated(target, variable, element, is_float(component))
    port = Port(variable, component, element.columns, element.rows)
    port.by_vertex = vertices
    return port


def _interpolated(target: Target, variable: Instr, element: Element, floats: bool) -> None:
    if not floats or element.mode == signatures.CONSTANT:
        target.decorate(variable, enums.DecorationFlat)
        return
    for decoration in _INTERPOLATION.get(element.mode, ()):
        target.decorate(variable, decoration)
        if decoration == enums.DecorationSample:
            target.capability(enums.CapabilitySampleRateShading)


def _component(lowering: Lowering, element: Element) -> Instr:
    """The type of an element's components. Integers of minimum precision have 32 bits outside."""
    target = lowering.target
    width = 16 if element.component in _HALVES and not lowering.scene.program.minimum else 32
    if width == 16:
        target.capability(enums.CapabilityStorageInputOutput16)
        target.extension("SPV_KHR_16bit_storage")
    if element.component in _FLOATS:
        return target.float(width)
    if element.component in _SIGNED:
        if width == 16:
            target.uint(16)
        return int_type(target.module, width, True)
    if element.component in _UNSIGNED:
        return target.uint(width)
    raise Refusal(f"is an access to '{element.label()}', whose component type {element.component} is not read here")


def _variable(lowering: Lowering, type: Instr, name: str, output: bool) -> Instr:
    return lowering.target.variable(enums.StorageClassOutput if output else enums.StorageClassInput, type, name)


# --- accesses ---------------------------------------------------------------------------------------------------------


def _place(lowering: Lowering, port: Port, row: Operand, column: int, vertex: Value | None = None) -> Instr:
    """A pointer to a component."""
    target = lowering.target
    chain: list[Value] = []
    if port.by_vertex:
        chain.append(vertex if vertex is not None else target.word(0))
    if port.base >= 0:
        chain.append(_flat(lowering, port, row, column))
    else:
        if port.rows > 1:
            chain.append(lowering.value(row))
        if port.columns > 1:
            chain.append(target.word(column))
    return port.place(target, chain)


def _flat(lowering: Lowering, port: Port, row: Operand, column: int) -> Value:
    """The index of a component in an array of all."""
    target = lowering.target
    if port.rows == 1 or row.kind in (syntax.NUMBER, syntax.ZERO):
        number = lowering.number(row) if port.rows > 1 else 0
        return target.word(port.base + number * port.columns + column)
    index: Value = lowering.value(row)
    if port.columns > 1:
        index = target.emit(op.IMul, target.u32, [index, target.word(port.columns)])
    if port.base + column:
        index = target.emit(op.IAdd, target.u32, [index, target.word(port.base + column)])
    return index


def _loaded(
    lowering: Lowering, port: Port, row: Operand, column: int, statement: Statement, vertex: Value | None
) -> Value:
    value: Value = lowering.target.emit(op.Load, port.component, [_place(lowering, port, row, column, vertex)])
    return _inside(lowering, statement, _as_in_d3d(lowering, port, column, value))


def _as_in_d3d(lowering: Lowering, port: Port, column: int, value: Value) -> Value:
    """D3D counts vertices and instances from the draw's first, and SV_Position.w is w, where Vulkan has 1/w."""
    target = lowering.target
    base = {
        enums.BuiltInVertexIndex: signatures.START_VERTEX, enums.BuiltInInstanceIndex: signatures.START_INSTANCE,
    }.get(port.builtin)  # fmt: skip
    if base is not None:
        first = builtin_port(lowering, base, False)
        start = target.emit(op.Load, first.component, [first.variable])
        return target.emit(op.ISub, target.u32, [value, start])
    if port.builtin == enums.BuiltInFragCoord and column == 3:
        return target.emit(op.FDiv, port.component, [target.float_constant(32, rounded_bits(1.0, 32)), value])
    return value


def _inside(lowering: Lowering, statement: Statement, value: Value) -> Value:
    """A component's value as the shader has it."""
    target = lowering.target
    wanted = lowering.type(statement)
    assert isinstance(value, Instr) and value.type is not None
    if value.type is wanted:
        return value
    if is_float(wanted) != is_float(value.type):
        raise Refusal("loads a number of another kind than the element of the signature has")
    if value.type is target.boolean:
        zero = target.constant(statement.type, 0)
        return target.emit(op.Select, wanted, [value, target.constant(statement.type, -1), zero])
    if is_float(wanted):
        return target.emit(op.FConvert, wanted, [value])
    if wanted is target.boolean:
        return target.emit(op.INotEqual, wanted, [value, target.word(0)])
    if width_of(wanted) != width_of(value.type):
        return target.emit(op.UConvert, wanted, [value])
    return target.emit(op.Bitcast, wanted, [value])


def _store(lowering: Lowering, port: Port, row: Operand, column: int, operand: Operand) -> None:
    target = lowering.target
    value = lowering.value(operand)
    type = type_of(value)
    component = port.component
    if type is target.boolean:
        value = target.emit(op.Select, component, [value, _number(target, component, 1), _number(target, component, 0)])
    elif type is not component:
        if is_float(component) != is_float(type):
            raise Refusal("stores a number of another kind than the element of the signature has")
        if is_float(component):
            code = op.FConvert
        elif width_of(type) == width_of(component):
            code = op.Bitcast
        else:
            signed = port.element is not None and port.element.component in _SIGNED
            code = op.SConvert if signed else op.UConvert
        value = target.emit(code, component, [value])
    target.effect(op.Store, [_place(lowering, port, row, column), value])


def _number(target: Target, type: Instr, value: int) -> Instr:
    return target.module.intern(op.Constant, type, [value])


def _evaluated(
    lowering: Lowering, port: Port, row: Operand, column: int, statement: Statement, code: int
) -> Value:
    """An input at another place of the pixel; the offsets of evalSnapped are signed numbers of four bits, of sixteenths
    (D3D11.3 Functional Specification, 22.4.5)."""
    target = lowering.target
    target.capability(enums.CapabilityInterpolationFunction)
    type = port.component if port.columns == 1 else vector_type(target.module, port.component, port.columns)
    place = port.variable
    if port.rows > 1:
        pointer = pointer_type(target.module, enums.StorageClassInput, type)
        place = target.emit(op.AccessChain, pointer, [place, lowering.value(row)])
    operands: list[Value] = [place]
    number = _CENTROID
    if code == 88:
        number = _AT_SAMPLE
        operands.append(lowering.value(statement.operands[4]))
    elif code == 87:
        number = _AT_OFFSET
        steps = [_sixteenths(lowering, operand) for operand in statement.operands[4:6]]
        pair = vector_type(target.module, target.float(32), 2)
        operands.append(target.emit(op.CompositeConstruct, pair, [*steps]))
    value = target.extended(number, type, operands)
    if port.columns > 1:
        value = target.emit(op.CompositeExtract, port.component, [value, column])
    return _inside(lowering, statement, value)


def _sixteenths(lowering: Lowering, operand: Operand) -> Value:
    target = lowering.target
    if operand.kind in (syntax.NUMBER, syntax.ZERO):
        number = operand.number & 15
        return target.float_constant(32, rounded_bits((number - 16 if number & 8 else number) / 16, 32))
    value = target.emit(
        op.BitFieldSExtract, target.u32, [lowering.value(operand), target.word(0), target.word(4)]
    )
    number_value = target.emit(op.ConvertSToF, target.float(32), [value])
    return target.emit(op.FMul, target.float(32), [number_value, target.float_constant(32, rounded_bits(1 / 16, 32))])
