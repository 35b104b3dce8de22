"""Shading languages, compiled to SPIR-V by the compiler that is installed.

    GLSL  ── glslangValidator -V ──▶ .spv        format "dxc"     HLSL ── dxc -spirv ──▶ .spv
                                                 format "slangc"  Slang, HLSL ── slangc ──▶ .spv

The compiler is looked for on PATH; behind it comes glslang as a library, where the package that has it is installed.
What it says is passed on; its line numbers become places.
"""

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reknit.files.formats import DXC, GLSL, SLANGC, STAGES, ending
from reknit.files.streams import lines_of
from reknit.front import glslang_library
from reknit.front.glsl_includes import FAULT, expanded, mentions_includes
from reknit.front.glsl_stage import stage_of_pragma
from reknit.source.child import find_program, refuse_program
from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.digits import is_decimal, saturated
from reknit.source.interrupt import look, seconds_left
from reknit.source.memory import lifted
from reknit.source.place import Place

if TYPE_CHECKING:
    from reknit.front.slang.compile import Settings

ENVIRONMENT = "vulkan1.3"
VERSIONS = {
    "vulkan1.0": "1.0", "vulkan1.1": "1.3", "vulkan1.2": "1.5", "vulkan1.3": "1.6", "vulkan1.4": "1.6",
}  # fmt: skip
"""The versions of Vulkan that GLSL is compiled for, each with its version of SPIR-V."""

SECONDS = 120

GLSLANG = "glslang (Debian: apt install glslang-tools; of PyPI: pip install 'reknit[glsl]')"
COMPILERS = {
    "glsl": (("glslangValidator", "glslang"), "GLSL", GLSLANG),
    "dxc": (("dxc",), "HLSL by the format 'dxc'", "the DirectX shader compiler dxc"),
    "slangc": (("slangc",), "Slang by the format 'slangc'", "slangc, the Slang compiler"),
}
"""By format: programs in order of preference, the language's name, what to install."""

NOTHING_MADE = "SPIR-V is not generated for failed compile or link"
"""What glslang says beside the reason."""
SUFFIXES = {DXC: "hlsl", SLANGC: "slang"}
"""What a file is called that is made for the program, where it isn't the format."""

STAGES_BY_NAME = {
    "compute": "comp", "vertex": "vert", "fragment": "frag", "geometry": "geom", "hull": "tesc", "domain": "tese",
    "mesh": "mesh", "amplification": "task", "raygeneration": "rgen", "intersection": "rint", "anyhit": "rahit",
    "closesthit": "rchit", "miss": "rmiss", "callable": "rcall",
}  # fmt: skip
"""glslang's stage by the name that `--stage` takes."""

_GLSLANG_FAULT = re.compile(r"^ERROR: (?P<file>.+?):(?P<line>\d+): (?P<text>.*)$")
_CLANG_FAULT = re.compile(
    r"^(?P<file>.+?)[:(](?P<line>\d+)(?:[:,](?P<column>\d+))?\)?: (?:fatal )?error(?: \d+)?: (?P<text>.*)$"
)


def find_compiler(format: str) -> str | None:
    """The path of the program that compiles the language, or of the library; or None."""
    programs, _, _ = COMPILERS[format]
    for program in programs:
        path = find_program(program)
        if path is not None:
            return path
    return glslang_library.library() if format == GLSL else None


def compile_shader(
    data: bytes, format: str, name: str, path: str = "", debug: bool = False, settings: "Settings | None" = None
) -> bytes:
    """The SPIR-V binary, with line numbers if `debug` and the GLSL compiler was given a file. `settings` has macros,
    and folders of what is included.

    Raises InputError: RK0003 (no compiler), RK0004 (the compiler refuses the shader), RK0023 (in a sandbox).
    """
    programs, language, package = COMPILERS[format]
    refuse_program(f"the compiler of {language}", Place(name))
    program = find_compiler(format)
    if program is None:
        raise InputError(
            [
                Diagnostic(
                    "RK0003",
                    f"{language} is read through {' or '.join(programs)}, which is not on PATH",
                    Place(name),
                    notes=[Note("`reknit doctor` lists the outside programs that were found")],
                    help=f"install {package}, or compile the shader to SPIR-V and give the .spv",
                )
            ]
        )
    given = data
    data, unincluded = _self_contained(data, format, name, path, settings)
    is_file = bool(path)
    if data is not given:
        path = ""
    with tempfile.TemporaryDirectory(prefix="reknit-") as folder:
        source = os.path.join(os.curdir, path) if path.startswith("-") else path  # which is no option
        if not source:
            source = os.path.join(folder, f"shader.{SUFFIXES.get(format, format)}")
            with open(source, "wb") as file:
                file.write(data)
        product = os.path.join(folder, "product.spv")
        stage = _stage_said(data, name, settings, program, source) if format == GLSL else ""
        environment = settings.target_env if settings is not None and _is_client(settings.target_env) else ENVIRONMENT
        command = _command(program, format, source, product, stage or "comp", debug and is_file, environment)
        try:
            most = seconds_left(SECONDS)
            with lifted():
                done = subprocess.run(command, capture_output=True, timeout=most, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            look()
            raise InputError([Diagnostic("RK0004", f"{program} did not end in {SECONDS} s", Place(name))]) from None
        output = (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace")
        if done.returncode != 0 or not os.path.exists(product):
            text = given.decode("utf-8", "replace").splitlines()
            called = "glslang" if glslang_library.is_library(program) else os.path.basename(program)
            faults = _faults(output, called, source, name, done.returncode, text)
            for fault in faults:
                number = fault.message.partition(FAULT)[2]
                if is_decimal(number) and int(number) < len(unincluded):
                    fault.message = unincluded[int(number)]
            if format == GLSL and not stage and not faults[-1].help:
                help = "its name ends in no stage, so it was compiled as a compute shader: --stage names another"
                faults[-1].help = help
            raise InputError(faults)
        with open(product, "rb") as file:
            return file.read()


def _self_contained(
    data: bytes, format: str, name: str, path: str, settings: "Settings | None"
) -> tuple[bytes, list[str]]:
    """GLSL with what it includes and the macros that were given, and what can't be included; anything else, and what
    needs neither, as it is."""
    if format != GLSL:
        return data, []
    options = settings.options if settings is not None else None
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    if not mentions_includes(text) and (options is None or not options.defines):
        return data, []
    macros = options.defines if options is not None else {}
    folders = options.search_paths if options is not None else []
    whole, faults = expanded(text, path or name, macros, folders)
    return whole.encode("utf-8", "surrogateescape"), faults


def _is_client(environment: str) -> bool:
    """Whether it is one that GLSL can be compiled for: a version of Vulkan."""
    return environment in VERSIONS


def _command(
    program: str, format: str, source: str, product: str, stage: str, debug: bool, environment: str
) -> list[str]:
    """`stage`, `debug` and `environment` are for GLSL alone."""
    if glslang_library.is_library(program):
        return glslang_library.command(program, source, product, stage, debug, VERSIONS[environment])
    if format == GLSL:
        lines = ["-g"] if debug else []
        return [program, *lines, "-V", "--target-env", environment, "-S", stage, source, "-o", product]
    if format == DXC:
        target = ["-spirv", f"-fspv-target-env={ENVIRONMENT}", "-T", "cs_6_6", "-E", "main"]
        return [program, *target, source, "-Fo", product]
    return [program, source, "-target", "spirv", "-profile", "spirv_1_6", "-o", product]


def _stage_said(data: bytes, name: str, settings: "Settings | None", program: str, source: str) -> str:
    """By `--stage`, else by the text itself, else by `a.frag` and `a.frag.glsl`; "" where none says it."""
    if settings is not None and settings.stage:
        return STAGES_BY_NAME[settings.stage]
    said = stage_of_pragma(data.decode("utf-8", "replace"), name, lambda: _preprocessed(program, source))
    if said:
        return said
    file = os.path.basename(name)
    last = ending(file)
    inner = ending(file[: -len(last) - 1]) if last == GLSL else last
    return inner if inner in STAGES else ""


def _preprocessed(program: str, source: str) -> str | None:
    """The text with its conditions decided; None where the program can't do that, or refuses the text."""
    if glslang_library.is_library(program):
        return None
    command = [program, "-E", "-DVULKAN=100", "-S", "comp", source]
    try:
        with lifted():
            done = subprocess.run(command, capture_output=True, timeout=seconds_left(SECONDS), stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        look()
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def _where_named(lines: Sequence[str], line: int, text: str) -> tuple[int, int]:
    """(column, length) of the word that glslang's message quotes, where its line has it; else of the whole line."""
    quoted = re.match(r"'([^']+)'", text)
    shown = lines[line - 1] if 0 < line <= len(lines) else ""
    word = re.search(rf"\b{re.escape(quoted[1])}\b", shown) if quoted is not None else None
    if word is not None:
        return word.start() + 1, len(word[0])
    return len(shown) - len(shown.lstrip()) + 1, max(1, len(shown.strip()))


def _faults(output: str, program: str, source: str, name: str, code: int, lines: list[str]) -> list[Diagnostic]:
    diagnostics: list[Diagnostic] = []
    for line in output.splitlines():
        match = _GLSLANG_FAULT.match(line.strip()) or _CLANG_FAULT.match(line.strip())
        if match is not None:
            file = name if match["file"] in (source, os.path.basename(source), "0") else match["file"]
            if diagnostics and "compilation terminated" in match["text"]:
                continue
            number = saturated(match["line"])
            column = saturated(match.groupdict().get("column") or "0")
            quoted = lines if file == name else lines_of(file)
            column, length = (column, 1) if column else _where_named(quoted, number, match["text"])
            place = Place(file, number, column, length)
            diagnostics.append(Diagnostic("RK0004", f"{program}: {match['text']}", place))
    if not diagnostics:
        said = [line.strip() for line in output.splitlines() if line.strip() and line.strip() != source]
        errors = [line for line in said if line.startswith("ERROR: ")]
        message = f"{program}: {errors[0][7:]}" if errors else f"{program} ended with exit code {code}"
        notes = [Note(line) for line in said if line not in errors[:1] and line != NOTHING_MADE]
        diagnostics.append(Diagnostic("RK0004", message, Place(name), notes=notes[:20]))
    return diagnostics
