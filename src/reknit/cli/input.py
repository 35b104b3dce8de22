"""The options of a command that reads a file, and reading it.

    FILE [--from FORMAT] [-D NAME=TEXT] [-I FOLDER] [--buffer-layout dx] [--conformance TYPE:IFACE=N]   ->   module

The contents stay with the options, so that a crash can keep the input it came from, standard input too.
"""

import os
from argparse import BooleanOptionalAction, Namespace
from typing import TYPE_CHECKING, Final

from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser
from reknit.cli.shared_options import INPUT, SOURCES, add
from reknit.cli.terminal import complain
from reknit.files.formats import ENVIRONMENTS, FOREIGN, FROM_SLANG, READ, STANDARD, format_of, is_archive, read_format
from reknit.files.streams import read_input, shown_name
from reknit.front.slang.layout_options import BIT_FIELDS, BUFFER_LAYOUTS, MATRIX_LAYOUTS
from reknit.source.diagnostic import ERROR, WARNING, InputError

if TYPE_CHECKING:
    from reknit.front.slang.compile import Settings
    from reknit.ir.module import Module
    from reknit.sim.drawing import Drawing
    from reknit.sim.vertices import Vertices

CACHE: Final = ".reknit"
MANY: Final = 16
"""Files for which starting workers pays."""


def add_input(parser: Parser) -> None:
    """FILE, and how it is read."""
    group = parser.group(INPUT)
    group.add_argument("file", metavar="FILE", help="shader to read; - is standard input")
    add_reading(parser)


def add_files(parser: Parser) -> None:
    """FILE..., which may be folders, and which of what lies there is left out."""
    files = parser.group(INPUT)
    what = "file, folder, pattern or archive to read, or @list.txt with one of these per line; - is standard input"
    files.add_argument("files", nargs="+", metavar="FILE", help=what)
    add(files, "--exclude")
    files.add_argument(
        "--extend-exclude", action="append", metavar="PATTERN", help="the same, in addition to the configured patterns"
    )
    files.add_argument(
        "--respect-gitignore", action=BooleanOptionalAction, default=True, help="leave out files that git ignores"
    )
    known = parser.group("workers, and results of earlier runs")
    add(known, "--jobs")
    known.add_argument("--baseline", metavar="FILE", help="do not report the findings that FILE lists")
    known.add_argument("--write-baseline", action="store_true", help="write all findings to the file of --baseline")
    known.add_argument(
        "--cache",
        action=BooleanOptionalAction,
        default=True,
        help="keep the results of runs over many files, for the next run",
    )
    known.add_argument("--cache-dir", default=CACHE, metavar="FOLDER", help="where to keep them (default %(default)s)")


def is_many(options: Namespace) -> bool:
    """Whether FILE... are judged in worker processes: many, or such that name others."""
    count = len(options.files)
    return count >= MANY or (count > 1 and options.jobs != 0) or any(map(_names_others, options.files))


def _names_others(word: str) -> bool:
    if os.path.isdir(word):
        return True
    there = os.path.lexists(word)
    return is_archive(word) if there else word.startswith("@") or not set("*?[").isdisjoint(word)


def named_files(options: Namespace) -> list[str]:
    """FILE..., each once, without those that are left out."""
    patterns = [*(options.exclude or []), *(options.extend_exclude or [])]
    if len(options.files) == 1 and not patterns:
        return [*options.files]
    files: dict[str, str] = {}
    for path in options.files:
        files.setdefault(path if path == STANDARD else os.path.realpath(path), path)
    kept = list(files.values())
    if patterns:
        from reknit.batching.exclusion import Exclusion

        exclusion = Exclusion(patterns)
        kept = [path for path in kept if path == STANDARD or not exclusion.holds(path)]
    return kept


def add_reading(parser: Parser) -> None:
    """How files are read: --from, and what sources are compiled with."""
    parser.group(INPUT).add_argument(
        "--from",
        dest="from_format",
        metavar="FORMAT",
        choices=READ,
        help="format of the input, if its file name does not tell: %(choices)s",
    )
    slang = parser.group(SOURCES)
    slang.add_argument("-D", "--define", dest="defines", action="append", metavar="NAME[=TEXT]", help="define a macro")
    slang.add_argument("-I", "--include", action="append", metavar="FOLDER", help="search FOLDER for included files")
    slang.add_argument("--stage", metavar="STAGE", help="stage of the entry points: vertex, pixel, ps_6_0 ...")
    slang.add_argument(
        "--conformance",
        action="append",
        metavar="TYPE:INTERFACE[=N]",
        help="allow TYPE in dynamic dispatch through INTERFACE, with the number N",
    )
    slang.add_argument("--buffer-layout", choices=BUFFER_LAYOUTS, help="layout of buffers (default std)")
    slang.add_argument("--matrix-layout", choices=MATRIX_LAYOUTS, help="layout of matrices in buffers")
    slang.add_argument("--bit-fields", choices=BIT_FIELDS, help="how bit fields are packed")
    slang.add_argument(
        "--target-env",
        metavar="ENV",
        choices=ENVIRONMENTS,
        help="environment that GLSL is compiled for (default vulkan1.3), and that spirv-val judges by (default: "
        "chosen by the module)",
    )


def add_entry(parser: Parser) -> None:
    """For commands that run nothing: which function of a source is compiled."""
    add(parser.group(SOURCES), "--entry")


def refuse_entry(options: Namespace, paths: list[str]) -> None:
    """Raises Misuse (RK0010) where --entry is given with what isn't one source, or is no source of ours."""
    if options.entry is None:
        return
    help = "leave it out: every entry point is looked at"
    if len(paths) != 1 or os.path.isdir(paths[0]):
        raise misuse("RK0010", f"--entry {options.entry} is about one file, and there are several", help)
    if read_format(paths[0], options.from_format) not in FROM_SLANG:
        raise misuse("RK0010", f"--entry {options.entry} chooses what of Slang or HLSL is compiled", help)


def load_input(options: Namespace, quiet: bool = False, placed: bool = False) -> "Module":
    """The module in FILE; what reading it had to say goes to standard error unless `quiet`. `placed` is as for
    `front.load.load_bytes`. Raises InputError."""
    module = load(options, options.file, placed)
    for note in module.notes:
        if note.severity == ERROR:  # `check` judges; here it only means that passes will leave a function alone
            note.severity = WARNING
    if not quiet:
        complain(module.notes)
    return module


def load_to_run(options: Namespace, drawing: "Drawing | Vertices | None" = None) -> "Module":
    """The module in FILE, with places, whose entry point can be run (one that is no compute shader over a `drawing`)
    and which keeps the rules that running relies on. Raises InputError."""
    from reknit.ir.verify import verify
    from reknit.sim.entry import refuse_other_stages

    module = load_input(options, quiet=options.json, placed=True)
    refuse_other_stages(module, options.entry, drawing)
    faults = [fault for fault in verify(module) if fault.severity == ERROR] if is_foreign(options) else []
    if faults:
        raise InputError(faults)
    return module


def load(options: Namespace, path: str, placed: bool = False) -> "Module":
    """The module in `path`, whose contents are kept in `options`. Raises InputError."""
    from reknit.front.load import load_bytes

    format = read_format(path, options.from_format)
    data = read_input(path)
    keep(options, path, data)
    return load_bytes(data, format, shown_name(path), "" if path == STANDARD else path, placed, settings_of(options))


def load_again(options: Namespace) -> "Module":
    """The module in the input that was read last, as it was before anything changed it. Raises InputError."""
    from reknit.front.load import load_bytes

    path, data = read_so_far(options)
    assert path is not None and data is not None
    beside = "" if path == STANDARD else path
    format = read_format(path, options.from_format)
    return load_bytes(data, format, shown_name(path), beside, settings=settings_of(options))


def is_foreign(options: Namespace) -> bool:
    """Whether the module in the input that was read last comes from another program, not from a front end of ours."""
    path, data = read_so_far(options)
    assert path is not None and data is not None
    return (read_format(path, options.from_format) or format_of(data)) in FOREIGN


def settings_of(options: Namespace) -> "Settings | None":
    """What a Slang source is compiled with; None where nothing is said. Raises Misuse (RK0010)."""
    defines: list[str] = getattr(options, "defines", None) or []
    include: list[str] = getattr(options, "include", None) or []
    entry: str | None = getattr(options, "entry", None)
    conformances: list[str] = getattr(options, "conformance", None) or []
    layout: str = getattr(options, "buffer_layout", None) or ""
    matrices: str = getattr(options, "matrix_layout", None) or ""
    bits: str = getattr(options, "bit_fields", None) or ""
    stage = stage_of(options)
    environment: str = getattr(options, "target_env", None) or ""
    if not (defines or include or entry or conformances or layout or matrices or bits or stage or environment):
        return None
    from reknit.front.slang.compile import Settings, conformance_of
    from reknit.front.slang.options import Options

    macros: dict[str, str] = {}
    for setting in defines:
        name, equals, text = setting.partition("=")
        macros[name] = text if equals else "1"
    named: list[tuple[str, str, int]] = []
    for setting in conformances:
        conformance = conformance_of(setting)
        if conformance is None:
            raise misuse("RK0010", f"--conformance {setting}: it is TYPE:INTERFACE or TYPE:INTERFACE=NUMBER")
        named.append(conformance)
    read = Options(macros, include, buffer_layout=layout or "std", matrix_layout=matrices, bit_fields=bits)
    return Settings(read, [entry] if entry else [], named, stage, environment)


def stage_of(options: Namespace) -> str:
    """--stage, "" where it isn't given. Raises Misuse (RK0010)."""
    given: str = getattr(options, "stage", None) or ""
    if not given:
        return ""
    from reknit.front.slang.stage_names import STAGES, stage_named

    stage = stage_named(given)
    if not stage:
        raise misuse("RK0010", f"--stage {given}: it is one of {', '.join(STAGES)}, or DXC's name for one, as ps_6_0")
    return stage


def keep(options: Namespace, path: str, data: bytes) -> None:
    """Have a crash know what was read."""
    options.working_on = (path, data)
    options.all_read = {**all_read(options), path: data}


def all_read(options: Namespace) -> dict[str, bytes]:
    """Every input that was read, by path."""
    kept: dict[str, bytes] = getattr(options, "all_read", {})
    return kept


def read_so_far(options: Namespace) -> tuple[str | None, bytes | None]:
    """The path and contents of the last input that was read."""
    kept: tuple[str | None, bytes | None] = getattr(options, "working_on", (None, None))
    return kept
