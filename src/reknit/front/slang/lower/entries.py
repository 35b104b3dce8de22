"""Entry points: their parameters, how they begin and end, and what SPIR-V wants to know of them.

    [numthreads(8, 1, 1)]                            EntryPoint GLCompute @main "main" %tid %out
    void main(uint3 tid : SV_DispatchThreadID)  ->   ExecutionMode @main LocalSize 8 1 1
                                                     ExecutionMode @main MaximallyReconvergesKHR

Slang and HLSL programs expect invocations that part at a statement to be together again after it, which is what
maximal reconvergence says. Each entry point begins with a block in which statics get their values.
"""

from typing import Final, final

from reknit.front.slang.builtins.emitter import Unsupported
from reknit.front.slang.core import condition_of
from reknit.front.slang.lower.body import Body, Frame
from reknit.front.slang.lower.copies import fresh, part_of
from reknit.front.slang.lower.lvalues import Place
from reknit.front.slang.lower.operators import convert
from reknit.front.slang.lower.parameters import Bindings, Plain
from reknit.front.slang.lower.program import Instance
from reknit.front.slang.lower.resolve import Resolver
from reknit.front.slang.lower.system_values import POINT_SIZE
from reknit.front.slang.lower.varyings import Varyings
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.symbols import Function as FunctionSymbol
from reknit.front.slang.symbols import Variable
from reknit.front.slang.types import UINT, VOID, ConstType, PointerType, StructType, Type, VectorType, same
from reknit.ir import enums, op
from reknit.ir.block import Block
from reknit.ir.build import new_block, new_function
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import annotation
from reknit.ir.walk import instructions

INPUTS: Final = {
    "SV_DISPATCHTHREADID": (enums.BuiltInGlobalInvocationId, 3, "gl_GlobalInvocationID"),
    "SV_GROUPID": (enums.BuiltInWorkgroupId, 3, "gl_WorkGroupID"),
    "SV_GROUPTHREADID": (enums.BuiltInLocalInvocationId, 3, "gl_LocalInvocationID"),
    "SV_GROUPINDEX": (enums.BuiltInLocalInvocationIndex, 1, "gl_LocalInvocationIndex"),
}
"""By semantic: the built-in, its components, the variable's name."""
MODELS: Final = {
    "compute": enums.ExecutionModelGLCompute, "vertex": enums.ExecutionModelVertex,
    "fragment": enums.ExecutionModelFragment,
}  # fmt: skip


@final
class Entry:
    """`start` is the block in which statics get their values, `modes` the execution modes that outputs ask for."""

    __slots__ = ("symbol", "function", "start", "key", "modes")

    def __init__(
        self, symbol: FunctionSymbol, function: Function, start: Block, key: str, modes: dict[int, None]
    ) -> None:
        self.symbol = symbol
        self.function = function
        self.start = start
        self.key = key
        self.modes = modes


def lower_entry(body: Body, symbol: FunctionSymbol, bindings: Bindings) -> Entry:
    """The function of an entry point; `body` is new."""
    low = body.low
    low.at = symbol.at
    low.reports.release(symbol.at)
    function = new_function(low.module, symbol.name)
    low.places.starts[function] = symbol.at
    start = function.entry()
    low.start(function)
    low.builder.at(new_block(function.body, padding=False))
    key = f"entry {symbol.number}"
    instance = Instance(key, symbol, Substitution(), [], function, 0)
    body.program.instances[key] = instance
    body.program.current = instance
    body.frame = Frame(symbol, Resolver(Substitution()))
    if symbol.entry not in MODELS:
        read = "compute, vertex and fragment shaders are read"
        low.refuse(symbol.at, f"'{symbol.name}' is a {symbol.entry} shader; {read}")
    elif symbol.entry == "compute" and not same(symbol.result, VOID):
        low.refuse(symbol.at, f"'{symbol.name}' returns '{symbol.result}'; a compute shader returns nothing")
    varyings = Varyings(low, symbol.entry)
    plain = Plain([], 0)
    for variable in symbol.params:
        low.at = variable.at
        try:
            body.frame.places[variable] = parameter(body, variable, bindings, plain, varyings)
        except Unsupported as refusal:
            low.refuse(variable.at, refusal.message)
            body.frame.places[variable] = fresh(low, body.type(variable.type), variable.name)
    bindings.constant_buffer(plain, "entryPointParams", "EntryPointParams", 0, -1)
    low.at = symbol.at
    if symbol.entry != "compute":
        try:
            pass_on(body, symbol, varyings)
        except Unsupported as refusal:
            low.refuse(symbol.at, refusal.message)
    if symbol.body is not None:
        body.statement(symbol.body)
    if not low.ended:
        if body.frame.at_return is not None:
            body.frame.at_return()
        low.builder.return_()
    return Entry(symbol, function, start, key, varyings.modes)


def pass_on(body: Body, symbol: FunctionSymbol, varyings: Varyings) -> None:
    """What a graphics stage takes is in its parameters, and what it gives has its variables."""
    result = body.type(symbol.result)
    if not same(result, VOID):
        place = fresh(body.low, result, "result")
        body.frame.result = place
        leaves = varyings.outputs
        at = 0 if body.low.hlsl else len(leaves.all)  # DXC has the result before out parameters, slangc after
        late = leaves.all[at:]
        del leaves.all[at:]
        leaves.add("result", place, symbol.semantic, symbol.varying, symbol.at, last=True)
        leaves.all.extend(late)
    varyings.take()
    varyings.declare_outputs()
    body.frame.at_return = varyings.give


def parameter(body: Body, variable: Variable, bindings: Bindings, plain: Plain, varyings: Varyings) -> Place:
    type = body.type(variable.type)
    given = variable.kind == "uniform" or isinstance(type, PointerType)  # no pointer passes between stages
    if varyings.stage != "compute" and not given and not body.low.has_resources(type):
        place = fresh(body.low, type, variable.name)
        if variable.direction != "out":
            varyings.inputs.add(variable.name, place, variable.semantic, variable.varying, variable.at)
        if variable.direction in ("out", "inout"):
            varyings.outputs.add(variable.name, place, variable.semantic, variable.varying, variable.at)
        return place
    if given or body.low.has_resources(type) or not has_semantic(body, variable.semantic, type):
        if not given and not body.low.has_resources(type) and variable.semantic:
            body.low.refuse(variable.at, f"nothing is known of the semantic {variable.semantic} in a compute shader")
        body.tables.outside(type, variable.at)
        bindings.about(variable)
        return bindings.declare(variable.name, type, max(variable.set, 0), plain, [], variable.binding)
    place = fresh(body.low, type, variable.name)
    fill(body, place, variable.semantic)
    return place


def has_semantic(body: Body, semantic: str, type: Type) -> bool:
    """Whether a compute shader's parameter is of built-ins, which a Conditional without its value is too."""
    if semantic in INPUTS:
        return True
    if not isinstance(type, StructType):
        return False
    fields = type.struct.fields[: len(body.low.field_types(type))]
    return any(field.semantic in INPUTS for field in fields)


def fill(body: Body, place: Place, semantic: str) -> None:
    """Store a built-in input in a parameter's variable; in each field of a struct."""
    low = body.low
    type = place.type
    if isinstance(type, StructType):
        if semantic and condition_of(type) is None:
            low.refuse(0, f"{semantic} is no '{type}': of a struct each field has a semantic of its own")
        for index, part_type in enumerate(low.field_types(type)):
            fill(body, part_of(low, place, index, part_type), semantic or type.struct.fields[index].semantic)
        return
    if semantic not in INPUTS:
        low.refuse(0, f"nothing is known of the semantic {semantic or 'of this field'} in a compute shader")
        return
    builtin, count, name = INPUTS[semantic]
    given = low.input(builtin, count, name)
    source: Type = UINT if count == 1 else VectorType(UINT, ConstType(count))
    place.store(low, convert(low, source, type, given))


def declare(body: Body, entry: Entry, reached: list[Function]) -> None:
    """EntryPoint and its modes. The interface is every global variable that the functions use."""
    low = body.low
    module = low.module
    used: dict[Instr, None] = {}
    for function in reached:
        for instr in instructions(function):
            for operand in instr.operands:
                if isinstance(operand, Instr) and operand.op == op.Variable and operand.block is None:
                    used[operand] = None
    stage = entry.symbol.entry
    pushed = [variable for variable in used if variable.word(0) == enums.StorageClassPushConstant]
    if len(pushed) > 1:  # SPIR-V for Vulkan: VUID-StandaloneSpirv-OpEntryPoint-06674
        names = " and ".join([f"'{variable.name}'" for variable in pushed])
        which = f"'{entry.symbol.name}' uses {names}, which can't both be push constants"
        low.refuse(entry.symbol.at, f"{which}: an entry point can have one block of them")
    if stage == "fragment":
        for variable in low.inputs.values():
            if variable in used:  # integers, as those of `varyings`
                low.decorate(variable, enums.DecorationFlat)
    words: list[Operand] = [MODELS[stage], entry.function, entry.symbol.name]
    words.extend([instr for instr in module.globals if instr in used])
    module.entry_points.append(annotation(op.EntryPoint, words))
    modes: list[list[int]] = [[mode] for mode in entry.modes]
    if stage == "compute":
        modes.append([enums.ExecutionModeLocalSize, *[*entry.symbol.group_size, 1, 1, 1][:3]])
    elif stage == "fragment":
        modes.insert(0, [enums.ExecutionModeOriginUpperLeft])
        if "earlydepthstencil" in entry.symbol.attributes:
            modes.append([enums.ExecutionModeEarlyFragmentTests])
    modes.extend(stage_features(body, entry, reached))
    low.extension("SPV_KHR_maximal_reconvergence")
    modes.append([enums.ExecutionModeMaximallyReconvergesKHR])
    for mode in modes:
        module.execution_modes.append(annotation(op.ExecutionMode, [entry.function, *mode]))


def stage_features(body: Body, entry: Entry, reached: list[Function]) -> list[list[int]]:
    """The modes for what the stage has only with one; reports what it has not at all."""
    low = body.low
    stage = entry.symbol.entry
    modes: dict[int, None] = {}
    for function in reached:
        for feature, at in low.features.get(function, {}).items():
            if feature == POINT_SIZE:
                if stage == "fragment":
                    low.refuse(at, f"a fragment shader takes no system value {POINT_SIZE} here")
                continue
            if stage == "compute" and feature == "derivatives" and (mode := derivative_groups(entry.symbol)):
                modes[mode] = None
                linear = mode == enums.ExecutionModeDerivativeGroupLinearKHR
                low.extension("SPV_KHR_compute_shader_derivatives")
                low.capability(
                    enums.CapabilityComputeDerivativeGroupLinearKHR
                    if linear
                    else enums.CapabilityComputeDerivativeGroupQuadsKHR
                )
            elif stage != "fragment":
                message = (
                    f"entrypoint '{entry.symbol.name}' uses features that are not available in '{stage}' stage for "
                    "'spirv' compilation target."
                )
                notes = [low.reports.note(at, f"see using of '{feature}'", len(feature))]
                low.reports.error("E36107", entry.symbol.at, message, notes, len(entry.symbol.name))
    low.reports.refuse()
    return [[mode] for mode in modes]


def derivative_groups(symbol: FunctionSymbol) -> int:
    """Which invocations of a workgroup are a quad: two by two where its size allows, else four in a row; 0 where
    neither does (SPV_KHR_compute_shader_derivatives)."""
    x, y, z = [*symbol.group_size, 1, 1, 1][:3]
    quads = x % 2 == 0 and y % 2 == 0
    linear = x * y * z % 4 == 0
    if "derivativegrouplinear" in symbol.attributes and linear or not quads and linear:
        return enums.ExecutionModeDerivativeGroupLinearKHR
    return enums.ExecutionModeDerivativeGroupQuadsKHR if quads else 0
