"""The stages of DXIL that are read: what becomes their entry point.

    cs   GLCompute, LocalSize         vs   Vertex         ps   Fragment, OriginUpperLeft and what its outputs ask for
"""

from typing import Final

from reknit.front.llvm.metadata import Entry
from reknit.front.llvm.state import Scene
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums

MODELS: Final = {
    "": enums.ExecutionModelGLCompute, "cs": enums.ExecutionModelGLCompute, "lib": enums.ExecutionModelGLCompute,
    "vs": enums.ExecutionModelVertex, "ps": enums.ExecutionModelFragment,
}  # fmt: skip
LIBRARY: Final = {
    7: "ray generation", 8: "intersection", 9: "any hit", 10: "closest hit", 11: "miss", 12: "callable", 13: "mesh",
    14: "amplification", 15: "node", 0: "pixel", 1: "vertex", 2: "geometry", 3: "hull", 4: "domain",
}  # fmt: skip
"""DXC, DxilConstants.h, ShaderKind: the entry points of a library that are not read; 5 is compute."""
READ_ALONE: Final = {0: "ps", 1: "vs", 5: "cs"}
"""But for one that is its library's only one."""
REFUSED: Final = {
    "gs": "a geometry shader", "hs": "a hull shader", "ds": "a domain shader", "ms": "a mesh shader",
    "as": "an amplification shader",
}  # fmt: skip


def modes_of(scene: Scene, entry: Entry, target: Target) -> dict[int, list[int]]:
    """Execution modes but for the workgroup's size. Raises Refusal."""
    modes: dict[int, list[int]] = {}
    if scene.stage == "ps":
        modes[enums.ExecutionModeOriginUpperLeft] = []
        if entry.early:
            modes[enums.ExecutionModeEarlyFragmentTests] = []
        if scene.ordered:
            target.extension("SPV_EXT_fragment_shader_interlock")
            by_sample = enums.CapabilitySampleRateShading in target.capabilities
            if by_sample:
                target.capability(enums.CapabilityFragmentShaderSampleInterlockEXT)
                modes[enums.ExecutionModeSampleInterlockOrderedEXT] = []
            else:
                target.capability(enums.CapabilityFragmentShaderPixelInterlockEXT)
                modes[enums.ExecutionModePixelInterlockOrderedEXT] = []
    modes.update(scene.modes)
    if scene.derivatives and scene.stage == "vs":
        raise Refusal("takes differences of neighbours, which vertices don't have")
    if scene.derivatives and MODELS[scene.stage] == enums.ExecutionModelGLCompute:
        _neighbours(scene, modes, target)
    return modes


def _neighbours(scene: Scene, modes: dict[int, list[int]], target: Target) -> None:
    """Which invocations of a workgroup are a quad: four in a row, or two by two (HLSL Shader Model 6.6, "Derivatives").
    Raises Refusal."""
    x, y, z = scene.size
    target.extension("SPV_KHR_compute_shader_derivatives")
    if x % 2 == 0 and y % 2 == 0:
        target.capability(enums.CapabilityComputeDerivativeGroupQuadsKHR)
        modes[enums.ExecutionModeDerivativeGroupQuadsKHR] = []
    elif x * y * z % 4 == 0:
        target.capability(enums.CapabilityComputeDerivativeGroupLinearKHR)
        modes[enums.ExecutionModeDerivativeGroupLinearKHR] = []
    else:
        help = "make it a multiple of four, or both sides even"
        raise Refusal(f"takes differences of neighbours in a workgroup of {x} x {y} x {z}, which has no quads", help)
