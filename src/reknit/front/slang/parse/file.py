"""From a Slang source to its syntax tree.

    unit, reports = parse_file("blur.slang", text, Options(search_paths=["include"]))
    reports.refuse()        raises what was wrong, several errors at once

Never raises for what a user wrote: the reports say it, and the unit has what could be read.
"""

from typing import Final

from reknit.front.slang.hlsl import as_slang, is_hlsl
from reknit.front.slang.options import Options
from reknit.front.slang.outside import bring_inside
from reknit.front.slang.parse import cursor
from reknit.front.slang.parse.cursor import GiveUp
from reknit.front.slang.parse.declarations import DeclarationParser
from reknit.front.slang.preprocess import Preprocessor
from reknit.front.slang.report import Reports
from reknit.front.slang.sources import Sources
from reknit.front.slang.stages import stage_of_file
from reknit.front.slang.syntax import Unit

NESTING: Final = cursor.NESTING


def parse_file(
    name: str,
    text: str,
    options: Options | None = None,
    reports: Reports | None = None,
    hlsl: bool | None = None,
    stage: str = "",
) -> tuple[Unit, Reports]:
    """The tree of the file and of what it includes. Give the `reports` of the compilation for a module it imports.
    `hlsl` is whether its language is HLSL; None where the ending of its name says it. `stage` is what it is for, "" for
    what the name says."""
    if reports is None:
        reports = Reports(Sources())
    options = options if options is not None else Options()
    in_hlsl = is_hlsl(name) if hlsl is None else hlsl
    preprocessor = Preprocessor(reports, options, in_hlsl, stage or stage_of_file(name))
    tokens = preprocessor.run(name, text)
    if preprocessor.gave_up:
        return Unit([]), reports
    try:
        parser = DeclarationParser(as_slang(tokens) if in_hlsl else tokens, reports)
        parser.tokens.year = preprocessor.year
        parser.tokens.hlsl = in_hlsl
        unit = parser.unit()
        unit.glsl = preprocessor.glsl
        unit.hlsl = in_hlsl
        if in_hlsl:
            bring_inside(unit, reports)
        own = "column_major" if unit.hlsl else "row_major"
        packing = preprocessor.packing or options.matrix_layout.replace("-", "_") or own
        unit.column_major = packing == "column_major"
        return unit, reports
    except GiveUp:
        return Unit([]), reports
