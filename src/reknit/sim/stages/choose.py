"""The stage of an entry point, or why it can't be run.

    GLCompute, Kernel              Compute
    Fragment with a Drawing        FragmentStage
    Vertex with Vertices           VertexStage
    anything without either        Compute: lanes of a subgroup whose inputs are zeros, as proofs ask
"""

from reknit.ir import enums
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.sim.drawing import Drawing
from reknit.sim.entry import local_size
from reknit.sim.globals import Globals
from reknit.sim.stages.compute import Compute
from reknit.sim.stages.fragment import FragmentStage
from reknit.sim.stages.stage import Stage
from reknit.sim.stages.vertex import VertexStage
from reknit.sim.vertices import Vertices
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place


def stage_of(
    globals: Globals, point: Instr, functions: list[Function], subgroup_size: int, drawing: Drawing | Vertices | None
) -> Stage:
    """Raises InputError (RK1006, RK1020, RK1021)."""
    module = globals.module
    if isinstance(drawing, Vertices):
        if point.word(0) != enums.ExecutionModelVertex:
            message = f"entry point {point.text(2)!r} is no vertex shader, and takes no vertices"
            raise InputError([Diagnostic("RK1020", message, Place(module.path), help="leave out the vertices")])
        return VertexStage(module, point, drawing)
    if drawing is not None:
        if point.word(0) != enums.ExecutionModelFragment:
            message = f"entry point {point.text(2)!r} is no fragment shader, and draws nothing"
            raise InputError([Diagnostic("RK1020", message, Place(module.path), help="leave out the drawing")])
        if subgroup_size < 4:
            raise no_quads(subgroup_size)
        return FragmentStage(module, point, functions, drawing)
    modes = {mode.word(1): mode for mode in module.modes_of(point.operands[1])}
    square = enums.ExecutionModeDerivativeGroupQuadsKHR in modes
    linear = enums.ExecutionModeDerivativeGroupLinearKHR in modes
    if (square or linear) and subgroup_size < 4:
        raise no_quads(subgroup_size)
    return Compute(local_size(module, globals, point, subgroup_size), square, linear, module.path)


def no_quads(subgroup_size: int) -> InputError:
    message = f"subgroup size {subgroup_size} has no room for a quad"
    return InputError([Diagnostic("RK1006", message, help="one of 4, 8 ... 128")])
