"""The stage that a GLSL text says itself, as glslc has it.

    #pragma shader_stage(fragment)        frag

It overrules the file's name, and `--stage` overrules it. The first stands before all that is no directive, and all name
the same stage. Source: shaderc, glslc/README.asciidoc, "Shader stage specification".
"""

import re
from collections.abc import Callable
from typing import Final, final

from reknit.front.glsl_includes import without_comments
from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.digits import saturated
from reknit.source.place import Place

STAGES: Final = {
    "vertex": "vert", "fragment": "frag", "tesscontrol": "tesc", "tesseval": "tese", "geometry": "geom",
    "compute": "comp", "task": "task", "mesh": "mesh", "raygen": "rgen", "intersect": "rint", "anyhit": "rahit",
    "closest": "rchit", "miss": "rmiss", "callable": "rcall",
}  # fmt: skip
"""glslang's stage by what the directive calls it (libshaderc_util/src/shader_stage.cc)."""

_DIRECTIVE: Final = re.compile(r"^[ \t]*#[ \t]*(?P<word>\w*)(?P<rest>.*)$")
_STAGE: Final = re.compile(r"^[ \t]*shader_stage[ \t]*(?:\((?P<stage>[^)]*)\))?")
_LINE: Final = re.compile(r'^[ \t]*(?P<number>\d+)(?:[ \t]+"(?P<file>[^"]*)")?')
_MENTION: Final = re.compile(r"#[ \t]*pragma[ \t]+shader_stage\b")
_OPENING: Final = ("if", "ifdef", "ifndef")


@final
class _Said:
    """A directive: the stage that it names, and where."""

    __slots__ = ("stage", "place")

    def __init__(self, stage: str, place: Place) -> None:
        self.stage = stage
        self.place = place


@final
class _Scan:
    """What a text has: its directives, whether one of them is in a condition, and what stands before the first."""

    __slots__ = ("said", "conditional", "first", "first_in_condition")

    def __init__(self, text: str, name: str) -> None:
        self.said: list[_Said] = []
        self.conditional = False
        self.first: Place | None = None  # of what is no directive, before the first that names a stage
        self.first_in_condition = False
        depth = 0
        file, number = name, 0
        for line in without_comments(text.removeprefix("\ufeff")).split("\n"):
            number += 1
            directive = _DIRECTIVE.match(line)
            if directive is None:
                if line.strip() and not self.said and self.first is None:
                    self.first = Place(file, number)
                    self.first_in_condition = depth > 0
                continue
            word, rest = directive["word"], directive["rest"]
            depth += (word in _OPENING) - (word == "endif")
            if word == "line" and (moved := _LINE.match(rest)) is not None:
                number = saturated(moved["number"]) - 1
                file = moved["file"] or file
            elif word == "pragma" and (named := _STAGE.match(rest)) is not None:
                column = line.index("shader_stage") + 1
                place = Place(file, number, column, len(named[0].strip()))
                self.said.append(_Said((named["stage"] or "").strip(), place))
                self.conditional = self.conditional or depth > 0


def stage_of_pragma(text: str, name: str, preprocessed: Callable[[], str | None]) -> str:
    """glslang's stage; "" where no directive names one. `preprocessed` gives the text without what conditions leave
    out, where that decides; None where it can't be had. Raises InputError (RK0004)."""
    if _MENTION.search(text) is None:
        return ""
    scan = _Scan(text, name)
    if scan.conditional or scan.first_in_condition:
        whole = preprocessed()
        if whole is not None:
            scan = _Scan(whole, name)
        elif scan.conditional:
            message = "whether '#pragma shader_stage' counts is decided by a condition, which only glslang can tell"
            help = "install glslang's program, or name the stage with --stage"
            raise InputError([Diagnostic("RK0004", message, scan.said[0].place, help=help)])
    return _judged(scan) if scan.said else ""


def _judged(scan: _Scan) -> str:
    first = scan.said[0]
    faults: list[Diagnostic] = []
    if scan.first is not None and not scan.first_in_condition:
        message = "the first '#pragma shader_stage' must come before all that is no directive"
        notes = [Note("this is before it", scan.first)]
        faults.append(Diagnostic("RK0004", message, first.place, notes=notes, help="move it behind #version"))
    if first.stage not in STAGES:
        message = f"'#pragma shader_stage' names no stage: '{first.stage}'"
        faults.append(Diagnostic("RK0004", message, first.place, help=f"stages: {', '.join(STAGES)}"))
    for other in scan.said[1:]:
        if other.stage != first.stage:
            message = f"'#pragma shader_stage' names '{other.stage}', and '{first.stage}' before"
            faults.append(Diagnostic("RK0004", message, other.place, notes=[Note("before", first.place)]))
    if faults:
        raise InputError(faults)
    return STAGES[first.stage]
