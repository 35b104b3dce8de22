"""Entry points of other stages than compute: left out beside a compute shader, else said to be outside of what is read.

    [shader("fragment")] float4 f() ...      float4 f(float2 uv : TEXCOORD) : SV_Target ...      fragment shaders

Nothing calls an entry point, so a compute shader means the same without them.
"""

from typing import Final

from reknit.front.slang.report import Reports
from reknit.front.slang.syntax import FuncDecl, StringLiteral, Unit

_OF_RESULT: Final = {"sv_target": "fragment", "sv_depth": "fragment", "sv_position": "vertex"}
_OF_PARAMETER: Final = {
    "sv_vertexid": "vertex", "sv_instanceid": "vertex", "sv_isfrontface": "fragment", "sv_position": "fragment",
}  # fmt: skip


def compute_only(unit: Unit, entries: list[str], reports: Reports) -> None:
    """`entries` are the names of entry points that were asked for."""
    functions = [decl for decl in unit.declarations if isinstance(decl, FuncDecl)]
    stages = {decl: stage_of(decl) for decl in functions}
    others = [decl for decl, stage in stages.items() if stage not in ("", "compute")]
    wanted = [decl for decl in others if decl.name in entries]
    if not wanted and (entries or "compute" in stages.values()):
        unit.declarations = [decl for decl in unit.declarations if decl not in others]
        return
    for decl in wanted or others:
        message = f"'{decl.name}' is a {stages[decl]} shader; only compute shaders are read"
        reports.error("RK0911", decl.at, message, length=len(decl.name))


def stage_of(decl: FuncDecl) -> str:
    """"" for a function that is no entry point of its own account."""
    shader = decl.modifiers.attribute("shader")
    if shader is not None and shader.arguments and isinstance(shader.arguments[0], StringLiteral):
        return shader.arguments[0].value
    if decl.modifiers.attribute("numthreads") is not None:
        return "compute"
    result = _OF_RESULT.get(_system_value(decl.modifiers.semantic))
    if result is not None:
        return result
    for param in decl.params:
        stage = _OF_PARAMETER.get(_system_value(param.modifiers.semantic))
        if stage is not None:
            return stage
    return ""


def _system_value(semantic: str) -> str:
    return semantic.lower().rstrip("0123456789")
