"""A random program made into a module: a compute or fragment shader with one buffer.

    out[lane] = out[lane] * K + what this place saw + its number        for every Observe that the lane comes by

so that two modules that agree on `out` ran every place with the same lanes, in the same order for each lane, with the
same values in their locals.
"""

from typing import Final

from reknit.analysis.tangles.rules import MAXIMAL, SUBGROUP_UNIFORM
from reknit.fuzzing.program import Program, all_statements
from reknit.fuzzing.statements import DEMOTE, TERMINATE, Assign, Exchange, Kill, Observe, Pick, Select
from reknit.fuzzing.tangled_words import CAPABILITIES
from reknit.fuzzing.to_ir import Body, Frame
from reknit.ir import enums, op
from reknit.ir.build import new_function
from reknit.ir.constants import int_constant
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module, annotation
from reknit.ir.types import bool_type, int_type, pointer_type

USUAL: Final = (
    enums.CapabilityShader,
    enums.CapabilityGroupNonUniform,
    enums.CapabilityGroupNonUniformVote,
    enums.CapabilityGroupNonUniformArithmetic,
    enums.CapabilityGroupNonUniformBallot,
)
MODES: Final = {
    MAXIMAL: ("SPV_KHR_maximal_reconvergence", enums.ExecutionModeMaximallyReconvergesKHR),
    SUBGROUP_UNIFORM: ("SPV_KHR_subgroup_uniform_control_flow", enums.ExecutionModeSubgroupUniformControlFlowKHR),
}
"""By the rules that a program declares: the extension and the execution mode that say so."""
WIDTHS: Final = ((16, enums.CapabilityInt16), (64, enums.CapabilityInt64))
WAYS: Final = {DEMOTE: "SPV_EXT_demote_to_helper_invocation", TERMINATE: "SPV_KHR_terminate_invocation"}


def module_of(program: Program) -> Module:
    """The module of `program`, in the tree form; it says that its tangles reconverge maximally."""
    module = Module()
    int_type(module, 32, False)
    bool_type(module)
    used = Used(program)
    demands(module, used, program.rules)
    frame = variables(module, program, used)
    for number, routine in enumerate(program.routines):
        if number == 0:
            frame.functions.append(new_function(module, "main"))
        else:
            u32 = int_type(module, 32, False)
            params = [(f"p{index}", u32) for index in range(routine.parameters)]
            frame.functions.append(new_function(module, f"f{number}", u32, params))
    entry(frame)
    for number, routine in enumerate(program.routines):
        Body(frame, frame.functions[number], routine, number == 0)
    return module


class Used:
    """What statements of a program use: tangled operations, widths of selectors, terminations, shared memory."""

    def __init__(self, program: Program) -> None:
        self.tangled: dict[str, None] = {}
        self.widths: dict[int, None] = {}
        self.ways: dict[str, None] = {}
        self.shared = False
        for statement in all_statements(program):
            if isinstance(statement, (Observe, Assign, Pick)):
                self.tangled[statement.tangled] = None
            elif isinstance(statement, Select):
                self.widths[statement.width] = None
            elif isinstance(statement, Kill):
                self.ways[statement.way] = None
            elif isinstance(statement, Exchange):
                self.shared = True


def demands(module: Module, used: Used, rules: str) -> None:
    """Capabilities and extensions."""
    capabilities = list(USUAL)
    capabilities += [code for width, code in WIDTHS if width in used.widths]
    for kind, codes in CAPABILITIES.items():
        capabilities += [code for code in codes if kind in used.tangled and code not in capabilities]
    extensions = [MODES[rules][0]] if rules in MODES else []
    if enums.CapabilityQuadControlKHR in capabilities:
        extensions.append("SPV_KHR_quad_control")
    if DEMOTE in used.ways:
        capabilities.append(enums.CapabilityDemoteToHelperInvocation)
    extensions += [name for kind, name in WAYS.items() if kind in used.ways]
    module.capabilities += [annotation(op.Capability, [code]) for code in capabilities]
    module.extensions += [annotation(op.Extension, [name]) for name in extensions]
    module.memory_model.append(annotation(op.MemoryModel, [enums.AddressingModelLogical, enums.MemoryModelGLSL450]))


def variables(module: Module, program: Program, used: Used) -> Frame:
    """The buffer, the inputs and shared memory, with their decorations."""
    u32 = int_type(module, 32, False)
    array = module.intern(op.TypeRuntimeArray, None, [u32])
    struct = module.intern(op.TypeStruct, None, [array])
    storage = enums.StorageClassStorageBuffer
    out = Instr(op.Variable, pointer_type(module, storage, struct), [storage], "out")
    lane_id = input_variable(module, "lane_id")
    module.globals += [out, lane_id]
    of_lane = enums.BuiltInSubgroupLocalInvocationId if program.fragment else enums.BuiltInLocalInvocationIndex
    module.decorations += [
        annotation(op.Decorate, [array, enums.DecorationArrayStride, 4]),
        annotation(op.MemberDecorate, [struct, 0, enums.DecorationOffset, 0]),
        annotation(op.Decorate, [struct, enums.DecorationBlock]),
        annotation(op.Decorate, [out, enums.DecorationDescriptorSet, 0]),
        annotation(op.Decorate, [out, enums.DecorationBinding, 0]),
        annotation(op.Decorate, [lane_id, enums.DecorationBuiltIn, of_lane]),
    ]
    frame = Frame(program, module, out, lane_id)
    if program.fragment:
        module.decorations.append(annotation(op.Decorate, [lane_id, enums.DecorationFlat]))
    if "partner" in used.tangled:
        frame.here = lane_id
        if not program.fragment:
            frame.here = input_variable(module, "here")
            module.globals.append(frame.here)
            number = enums.BuiltInSubgroupLocalInvocationId
            module.decorations.append(annotation(op.Decorate, [frame.here, enums.DecorationBuiltIn, number]))
    if used.shared:
        shared = enums.StorageClassWorkgroup
        words = module.intern(op.TypeArray, None, [u32, int_constant(module, u32, program.lanes)])
        frame.shared = Instr(op.Variable, pointer_type(module, shared, words), [shared], "shared")
        module.globals.append(frame.shared)
    return frame


def input_variable(module: Module, name: str) -> Instr:
    storage = enums.StorageClassInput
    return Instr(op.Variable, pointer_type(module, storage, int_type(module, 32, False)), [storage], name)


def entry(frame: Frame) -> None:
    """The entry point and its execution modes."""
    module, program = frame.module, frame.program
    main = frame.functions[0]
    interface: list[Operand] = [frame.out, frame.lane_id]
    interface += [more for more in (frame.here, frame.shared) if more is not None and more is not frame.lane_id]
    model = enums.ExecutionModelFragment if program.fragment else enums.ExecutionModelGLCompute
    module.entry_points.append(annotation(op.EntryPoint, [model, main, "main", *interface]))
    if program.fragment:
        module.execution_modes.append(annotation(op.ExecutionMode, [main, enums.ExecutionModeOriginUpperLeft]))
    else:
        size: list[Operand] = [main, enums.ExecutionModeLocalSize, program.lanes, 1, 1]
        module.execution_modes.append(annotation(op.ExecutionMode, size))
    if program.rules in MODES:
        module.execution_modes.append(annotation(op.ExecutionMode, [main, MODES[program.rules][1]]))
