"""What of the results of fragment and vertex shaders is the device's own choice.

    an input that varies over the primitive     how precisely it is interpolated
    a ballot, SubgroupInvocationId ...          which quads share a subgroup, and which quads of helpers there are
    the same in a vertex shader, an atomic      which vertices share a subgroup, and how often one is shaded
"""

from typing import Final

from reknit.analysis.tangles.operations import QUAD, group_of
from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import storage_of
from reknit.ir.walk import instructions
from reknit.sim.builtins import KNOWN
from reknit.sim.decorations import Decorations
from reknit.sim.drawing import Drawing
from reknit.sim.entry import find_entry, function_of_entry, models_of, reached_functions
from reknit.sim.faults import describe
from reknit.sim.stages.fragment import OF_CORNERS

FRAGMENT: Final = (enums.ExecutionModelFragment,)
OWN: Final = (enums.StorageClassFunction, enums.StorageClassPrivate, enums.StorageClassOutput)
"""Storage classes of which each invocation has its own."""
NAMING: Final = (op.EntryPoint, op.Decorate, op.Name)


def interpolated(module: Module, entry: str | None, drawing: Drawing) -> list[str]:
    """What of a fragment shader's inputs depends on how precisely a device interpolates."""
    flat = all(len({corner[2:] for corner in primitive.corners}) == 1 for primitive in drawing.primitives)
    decorations = Decorations(module)
    for operand in find_entry(module, entry, models_of(drawing)).operands[3:]:
        if not isinstance(operand, Instr) or operand.type is None:
            continue
        if operand.op != op.Variable or storage_of(operand.type) != enums.StorageClassInput:
            continue
        if all(isinstance(user, Instr) and user.op in NAMING for user in operand.users):
            continue
        builtin = decorations.number(operand, enums.DecorationBuiltIn)
        constant = decorations.has(operand, enums.DecorationFlat) or decorations.has(
            operand, enums.DecorationPerVertexKHR
        )
        if builtin in OF_CORNERS or (builtin == enums.BuiltInFragCoord and not flat) or (builtin < 0 and not constant):
            return ["interpolation"]
    return [] if flat or not drawing.compare else ["depth"]


def packed(module: Module, entry: str | None, model: int = enums.ExecutionModelFragment) -> str:
    """The first operation or variable of a fragment shader that depends on which quads share a subgroup, of a vertex
    shader on which vertices do or on how often each is shaded; "" if none."""
    point = find_entry(module, entry, (model,))
    of_vertices = model == enums.ExecutionModelVertex
    decorations = Decorations(module)
    for operand in point.operands[3:]:
        builtin = decorations.number(operand, enums.DecorationBuiltIn) if isinstance(operand, Instr) else -1
        if builtin in KNOWN and builtin != enums.BuiltInHelperInvocation and isinstance(operand, Instr):
            return operand.name or str(operand.id)
    for function in reached_functions(module, function_of_entry(point, True)):
        for instr in instructions(function):
            if of_vertices and instr.op in traits.ATOMIC:
                return describe(instr)
            tangled = instr.op in traits.TANGLED and traits.TANGLED[instr.op] != "bits"
            if tangled and (of_vertices or group_of(instr) != QUAD):
                return describe(instr)
    return ""


def shares(module: Module, entry: str | None) -> bool:
    """Whether a fragment shader writes memory that other invocations may read."""
    for function in reached_functions(module, function_of_entry(find_entry(module, entry, FRAGMENT), True)):
        for instr in instructions(function):
            if instr.op in traits.ATOMIC or instr.op == op.ImageWrite:
                return True
            if instr.op in traits.STORES:
                pointer = instr.operands[traits.STORES[instr.op]]
                type = pointer.type if isinstance(pointer, Instr) else None
                if type is None or storage_of(type) not in OWN:
                    return True
    return False
