"""The road from a Slang or HLSL source to a module.

    text ─ parse, imports ─▶ unit ─ check ─▶ Program ─ options: entry points, conformances ─▶ lower ─▶ ir.Module

Errors are collected and raised together after the step that found them; what the source may still mean is
said as warnings, in `module.notes`.
"""

import sys
from typing import Final, final

from reknit.front.slang import check
from reknit.front.slang.core import with_core
from reknit.front.slang.held import functions_in
from reknit.front.slang.lower.lower import lower
from reknit.front.slang.modules import with_imports
from reknit.front.slang.options import Options
from reknit.front.slang.parse.file import parse_file
from reknit.front.slang.stages import choose_stages, entry_points
from reknit.front.slang.symbols import Program
from reknit.ir.module import Module
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.digits import is_decimal
from reknit.source.place import Place

NESTS: Final = 20_000
"""Python frames that the deepest nesting and the longest types may take."""

NO_ENTRY: Final = "E38000"


@final
class Settings:
    """`options` are the preprocessor's. `entries` are the entry points to lower, none: all there are; `stage` is what
    they are ("vertex"), "" for what the source, their results or the file's name say. `conformances` are
    (type, interface, number): the type takes part in the interface's dispatch, by that number or, if it is negative,
    the next one. `target_env` is what GLSL is compiled for: "vulkan1.0", where discard ends an invocation."""

    __slots__ = ("options", "entries", "conformances", "stage", "target_env")

    def __init__(
        self,
        options: Options | None = None,
        entries: list[str] | None = None,
        conformances: list[tuple[str, str, int]] | None = None,
        stage: str = "",
        target_env: str = "",
    ) -> None:
        self.target_env = target_env
        self.options = options if options is not None else Options()
        self.entries: list[str] = entries if entries is not None else []
        self.conformances: list[tuple[str, str, int]] = conformances if conformances is not None else []
        self.stage = stage

    def __repr__(self) -> str:
        entries = ", ".join(self.entries) or "all"
        return f"<settings: entry points {entries}; {len(self.options.defines)} macros>"


def compile_slang(text: str, name: str, settings: Settings | None = None, hlsl: bool | None = None) -> Module:
    """The module. `name` is the file's, beside which included files are looked for. `hlsl` is whether the text is HLSL
    and no Slang; None where the ending of `name` says it.

    `module.notes` has the warnings. Raises InputError with everything that is wrong.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, NESTS))
    try:
        return _compile(text, name, settings if settings is not None else Settings(), hlsl)
    finally:
        sys.setrecursionlimit(before)


def _compile(text: str, name: str, settings: Settings, hlsl: bool | None) -> Module:
    unit, reports = parse_file(name, text, settings.options, hlsl=hlsl, stage=settings.stage)
    reports.refuse()
    unit = with_imports(unit, name, settings.options, reports)
    if unit.hlsl:
        from reknit.front.slang.mutation import mark_mutating

        mark_mutating(unit)
    unit = with_core(unit, reports)
    reports.refuse()
    there_are = entry_points(unit) if settings.entries else ""
    choose_stages(unit, settings.entries, settings.stage, name, reports)
    reports.refuse()
    reports.hold(functions_in(unit.declarations))
    msvc = settings.options.bit_fields == "msvc"
    asked = check.Options(settings.entries, "compute", numbered(settings.conformances), msvc_bit_fields=msvc)
    asked.there_are = there_are
    program = check.check(unit, reports.sources, reports, asked)
    reports.refuse()
    choose_entries(program, name)
    module = lower(program, reports, name, settings.options.buffer_layout, unit.hlsl)
    reports.refuse()
    module.notes = list(reports.diagnostics)
    return module


def choose_entries(program: Program, name: str) -> None:
    """Where no function has [shader] and none was named, those with [numthreads] are meant."""
    if not program.entries:
        for symbol in program.functions:
            if symbol.group_size and symbol.body is not None and symbol.this is None and not symbol.environment.params:
                symbol.entry = "compute"
                program.entries.append(symbol)
    if not program.entries:
        help = 'a shader has its stage before it, as [shader("compute")] [numthreads(x, y, z)]; or name it with --entry'
        raise InputError([Diagnostic(NO_ENTRY, "the source has no entry point", Place(name), help=help)])


def numbered(conformances: list[tuple[str, str, int]]) -> list[str]:
    """As the checker wants them; those without a number get the next of their interface."""
    numbered_conformances: list[str] = []
    free: dict[str, int] = {}
    for type, interface, number in conformances:
        chosen = number if number >= 0 else free.get(interface, 0)
        numbered_conformances.append(f"{type}:{interface}={chosen}")
        free[interface] = max(free.get(interface, 0), chosen + 1)
    return numbered_conformances


def conformance_of(text: str) -> tuple[str, str, int] | None:
    """`Type:IFoo=2`, or `Type:IFoo` with the number -1; None for anything else."""
    pair, equals, number = text.partition("=")
    type, colon, interface = pair.rpartition(":")
    if not colon or not type.strip() or not interface.strip() or (equals and not is_decimal(number.strip())):
        return None
    return type.strip(), interface.strip(), int(number) if equals else -1
