"""Which functions are entry points, and of which stage: what is chosen gets its [shader], others are left out.

    [shader("pixel")] float4 f() ...          what the attribute says          [numthreads(8, 1, 1)]    compute
    float4 f(float2 uv : UV) : SV_Target      fragment, by its result          float4 f() : SV_Position vertex
    --entry main, in blur.frag.hlsl           fragment, by the file's name

Results count where nothing has an attribute, or where the function was named. Nothing calls an entry point, so a shader
means the same without the others of its file.
"""

import re
from typing import Final

from reknit.front.slang.report import Reports
from reknit.front.slang.sources import START
from reknit.front.slang.syntax import (
    AggregateDecl,
    Apply,
    Attribute,
    Decl,
    Expr,
    FuncDecl,
    Name,
    StringLiteral,
    Unit,
    VarDecl,
)

READ: Final = ("compute", "vertex", "fragment")
_OF_RESULT: Final = {
    "sv_target": "fragment", "sv_depth": "fragment", "sv_depthgreaterequal": "fragment",
    "sv_depthlessequal": "fragment", "sv_coverage": "fragment", "sv_stencilref": "fragment", "sv_position": "vertex",
}  # fmt: skip
_OF_ATTRIBUTE: Final = {
    "maxvertexcount": "geometry", "patchconstantfunc": "hull", "outputtopology": "mesh", "domain": "domain",
    "numthreads": "compute",
}  # fmt: skip
"""In this order: a mesh shader has [numthreads] too, a hull shader [outputtopology] and [domain]."""
_SHORT: Final = {
    "vert": "vertex", "vs": "vertex", "frag": "fragment", "ps": "fragment", "comp": "compute", "cs": "compute",
    "geom": "geometry", "gs": "geometry", "tesc": "hull", "hs": "hull", "tese": "domain", "ds": "domain",
    "mesh": "mesh", "ms": "mesh", "task": "amplification", "as": "amplification",
}  # fmt: skip
_OF_PATCHES: Final = ("InputPatch", "OutputPatch", "TriangleStream", "LineStream", "PointStream")
SHOWN: Final = 12
"""How many entry points a message names."""
MAX_DEPTH: Final = 16
"""How deep structs in structs are looked into for a result's semantic."""


def choose_stages(unit: Unit, entries: list[str], stage: str, path: str, reports: Reports) -> None:
    """`entries` are the names of entry points that were asked for, `stage` what they are if that was said."""
    functions = [decl for decl in unit.declarations if isinstance(decl, FuncDecl)]
    structs = {decl.name: decl for decl in unit.declarations if isinstance(decl, AggregateDecl)}
    if entries or stage:
        named = [decl for decl in functions if decl.name in entries and decl.body is not None]
        if not entries:
            named = _of_stage(functions, structs, stage, reports)
        stages = {decl: stage or _stage_of(decl, structs) or stage_of_file(path) or "compute" for decl in named}
        _leave_out(unit, [decl for decl in functions if decl not in stages and attributed(decl)])
    else:
        stages = {decl: _by_attribute(decl, "shader") for decl in functions}
        stages = {decl: own for decl, own in stages.items() if own}
        if not stages:
            stages = {decl: _by_attribute(decl, "") for decl in functions if decl.body is not None}
            if "compute" not in stages.values():
                for decl, own in stages.items():
                    if not own and (not unit.hlsl or _is_given_all(decl, structs)):
                        stages[decl] = _by_result(decl, structs)
            stages = {decl: own for decl, own in stages.items() if own}
        if not stages and stage_of_file(path):
            stages = {decl: stage_of_file(path) for decl in functions if decl.name == "main" and decl.body is not None}
        if any(own in READ for own in stages.values()):
            _leave_out(unit, [decl for decl, own in stages.items() if own not in READ])
            stages = {decl: own for decl, own in stages.items() if own in READ}
    if any(own in READ for own in stages.values()):
        _leave_out(unit, [decl for decl in functions if decl not in stages and _of_other_stages(decl)])
    for decl, own in stages.items():
        if own not in READ:
            article = "an" if own[0] in "aeiou" else "a"
            message = f"'{decl.name}' is {article} {own} shader; compute, vertex and fragment shaders are read"
            help = "compile it to SPIR-V with slangc or DXC and give the .spv, of which every stage is read"
            reports.error("RK0911", decl.at, message, length=len(decl.name), help=help)
        else:
            said = _by_attribute(decl, "shader")
            if stage and said and said != stage:
                message = f"'{decl.name}' is declared as [shader(\"{said}\")], and {stage} was asked for"
                reports.error("RK0911", decl.at, message, length=len(decl.name))
            _mark(decl, own)


def entry_points(unit: Unit) -> str:
    """A sentence that names the entry points of a source, for a message where another one was named: those with
    [shader], else those of which a stage follows, else `main`. "" where there are none. `choose_stages` leaves some
    out of the unit."""
    structs = {decl.name: decl for decl in unit.declarations if isinstance(decl, AggregateDecl)}
    functions: list[FuncDecl] = []
    work: list[Decl] = list(reversed(unit.declarations))
    while work:
        decl = work.pop()
        if isinstance(decl, FuncDecl) and decl.body is not None:
            functions.append(decl)
        elif isinstance(decl, AggregateDecl) and decl.kind == "namespace":
            work.extend(reversed(decl.members or []))
    chosen = [decl for decl in functions if attributed(decl)]
    if not chosen:
        chosen = [
            decl for decl in functions if _stage_of(decl, structs) and (not unit.hlsl or _is_given_all(decl, structs))
        ]
    names = list(dict.fromkeys([decl.name for decl in chosen or functions if chosen or decl.name == "main"]))
    if not names:
        return ""
    if len(names) == 1:
        return f"the source's only entry point is '{names[0]}'"
    quoted = [f"'{name}'" for name in names]
    last = quoted.pop() if len(quoted) <= SHOWN else f"{len(quoted) - SHOWN} more"
    return f"the source's entry points are {', '.join(quoted[:SHOWN])} and {last}"


def _of_stage(
    functions: list[FuncDecl], structs: dict[str, AggregateDecl], stage: str, reports: Reports
) -> list[FuncDecl]:
    """The functions that are of a stage: those whose [shader] says it, else those of which it follows, else `main`."""
    bodies = [decl for decl in functions if decl.body is not None]
    chosen = [decl for decl in bodies if _by_attribute(decl, "shader") == stage]
    if not chosen:
        plain = [decl for decl in bodies if not attributed(decl)]
        chosen = [decl for decl in plain if _stage_of(decl, structs) == stage]
        chosen = chosen or [decl for decl in plain if decl.name == "main"]
    if not chosen:
        article = "an" if stage[0] in "aeiou" else "a"
        help = f'{article} {stage} shader has [shader("{stage}")] before it, or is named with --entry'
        message = f"the source has no {stage} shader"
        reports.error("E38000", START, message, help=help)
    return chosen


def attributed(decl: FuncDecl) -> bool:
    return bool(_by_attribute(decl, "shader"))


def _of_other_stages(decl: FuncDecl) -> bool:
    """Whether it takes what only tessellation and geometry shaders have, as a patch's constant function does: no other
    stage can call it."""
    for param in decl.params:
        type = param.type.base if isinstance(param.type, Apply) else param.type
        if isinstance(type, Name) and type.text in _OF_PATCHES:
            return True
    return False


def _leave_out(unit: Unit, functions: list[FuncDecl]) -> None:
    unit.declarations = [decl for decl in unit.declarations if decl not in functions]


def _mark(decl: FuncDecl, stage: str) -> None:
    attributes = [each for each in decl.modifiers.attributes if each.name.lower() != "shader"]
    decl.modifiers.attributes = [*attributes, Attribute(decl.at, "shader", [StringLiteral(decl.at, stage)])]


def _stage_of(decl: FuncDecl, structs: dict[str, AggregateDecl]) -> str:
    """"" where nothing says it."""
    return _by_attribute(decl, "shader") or _by_attribute(decl, "") or _by_result(decl, structs)


def _by_attribute(decl: FuncDecl, name: str) -> str:
    """By [shader], or by those that only a stage has."""
    if name:
        shader = decl.modifiers.attribute(name)
        if shader is not None and shader.arguments and isinstance(shader.arguments[0], StringLiteral):
            stage = shader.arguments[0].value.lower()
            return "fragment" if stage == "pixel" else stage
        return ""
    for attribute, stage in _OF_ATTRIBUTE.items():
        if decl.modifiers.attribute(attribute) is not None:
            return stage
    return ""


def _by_result(decl: FuncDecl, structs: dict[str, AggregateDecl]) -> str:
    given = [(decl.modifiers.semantic, decl.result)]
    given.extend([(param.modifiers.semantic, param.type) for param in decl.params if "out" in param.modifiers.words])
    for semantic, type in given:
        stage = _OF_RESULT.get(_system_value(semantic)) or _of_struct(type, structs)
        if stage:
            return stage
    return ""


def _is_given_all(decl: FuncDecl, structs: dict[str, AggregateDecl]) -> bool:
    """Whether every parameter has a semantic, or may have one in its struct, as DXC asks of an entry point's."""
    for param in decl.params:
        type = param.type.text if isinstance(param.type, Name) else ""
        if not param.modifiers.semantic and not param.modifiers.attributes and type not in structs:
            return False
    return True


def _of_struct(type: Expr | None, structs: dict[str, AggregateDecl]) -> str:
    work: list[tuple[Expr | None, int]] = [(type, 0)]
    while work:
        own, depth = work.pop()
        decl = structs.get(own.text) if isinstance(own, Name) else None
        if decl is None or depth > MAX_DEPTH:
            continue
        for member in decl.members or []:
            if isinstance(member, VarDecl):
                stage = _OF_RESULT.get(_system_value(member.modifiers.semantic))
                if stage:
                    return stage
                work.append((member.type, depth + 1))
        work.extend([(base, depth + 1) for base in decl.bases])
    return ""


def _system_value(semantic: str) -> str:
    return semantic.lower().rstrip("0123456789")


def stage_of_file(path: str) -> str:
    """`blur.frag.hlsl`, `BlurPS.hlsl`: what such names mean; "" for others."""
    name = path.replace("\\", "/").rpartition("/")[2]
    parts = name.split(".")
    for part in parts[1:-1]:
        if part.lower() in _SHORT:
            return _SHORT[part.lower()]
    ending = re.search(r"(?:(?<=[a-z0-9])(VS|PS|CS|GS|HS|DS|MS|AS)|_(vs|ps|cs|gs|hs|ds|ms|as))$", parts[0])
    return _SHORT[ending[0].lower().lstrip("_")] if ending is not None else ""
