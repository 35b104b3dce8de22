"""The compilers that the shaders were written for, from .oracles/ or PATH: source in, bytes out, or their refusal."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from dxc import Refused, compile_hlsl
from kit import oracles

from corpus_runs.includes import folders_of
from corpus_runs.projects import Set
from corpus_runs.shaders import Shader
from reknit.front.slang.compile import Settings
from reknit.front.slang.options import Options

GLSLANG_STAGES = {
    "compute": "comp", "vertex": "vert", "fragment": "frag", "geometry": "geom", "hull": "tesc", "domain": "tese",
    "mesh": "mesh", "amplification": "task", "raygeneration": "rgen", "miss": "rmiss", "closesthit": "rchit",
    "anyhit": "rahit", "intersection": "rint", "callable": "rcall",
}  # fmt: skip
DXC_PROFILES = {
    "compute": "cs", "vertex": "vs", "fragment": "ps", "geometry": "gs", "hull": "hs", "domain": "ds", "mesh": "ms",
    "amplification": "as",
}  # fmt: skip
SECONDS = 60
OPTIMIZED = "-O"
"""In a variant: spirv-opt -O over what the compiler made."""


class OutOfScope(Exception):
    """The reference compiler refuses the shader, or is not here: the message says which."""


def glslang(root: Path, shader: Shader, chosen: Set, defines: str, variant: str) -> bytes:
    words = [word for word in variant.split() if word != OPTIMIZED]
    with tempfile.TemporaryDirectory() as folder:
        product = Path(folder, "a.spv")
        source = root / shader.path
        given = source
        added = lines_of(root, chosen)
        if added:
            text = source.read_text()
            start = text.index("#version") if "#version" in text else 0
            first, _, rest = text[start:].partition("\n")
            given = Path(folder, source.name)
            given.write_text("\n".join([first, *added, rest]))
        where = [f"-I{source.parent}", *[f"-I{root / each}" for each in chosen.include]]
        command = [
            *_found("glslangValidator"), "-V", "--target-env", "vulkan1.3", "--aml", "--amb",
            "-S", GLSLANG_STAGES[shader.stage], *where, *defines.split(), *words, *chosen.options,
            str(given), "-o", str(product),
        ]  # fmt: skip
        _run(command, product, "glslang")
        if OPTIMIZED in variant.split():
            optimized = Path(folder, "b.spv")
            _run([*_found("spirv-opt"), "-O", str(product), "-o", str(optimized)], optimized, "spirv-opt")
            product = optimized
        return product.read_bytes()


def lines_of(root: Path, chosen: Set) -> list[str]:
    """What goes behind a shader's first line."""
    if not chosen.macros_of:
        return list(chosen.lines)
    macros = dict(re.findall(chosen.macro, (root / chosen.macros_of).read_text()))
    return [*chosen.lines, *[f"#define {name} {text}" for name, text in macros.items()]]


def folders(root: Path, shader: Shader, chosen: Set) -> list[Path]:
    """Where a source in Slang or HLSL finds what it includes and imports."""
    return [root, *[root / each for each in chosen.include], *folders_of(root, root / shader.path)]


def settings(root: Path, chosen: Set, shader: Shader, defines: str, buffer_layout: str = "std") -> Settings:
    """What reknit is told of a source in Slang or HLSL."""
    macros: dict[str, str] = {}
    for word in defines.split():
        name, _, value = word.removeprefix("-D").partition("=")
        macros[name] = value
    where = [str(each) for each in folders(root, shader, chosen)]
    return Settings(Options(macros, where, buffer_layout=buffer_layout), [shader.entry], stage=shader.stage)


def slangc(root: Path, shader: Shader, chosen: Set, defines: str, words: tuple[str, ...] = ()) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        product = Path(folder, "a.spv")
        where = [word for each in folders(root, shader, chosen) for word in ("-I", str(each))]
        language = ["-lang", "hlsl", "-profile", "sm_6_6"] if chosen.language == "hlsl" else []
        command = [
            *_found("slangc"), str(root / shader.path), "-target", "spirv", "-entry", shader.entry,
            "-stage", shader.stage, *language, *where, *defines.split(), *chosen.options, *words, "-o", str(product),
        ]  # fmt: skip
        _run(command, product, "slangc")
        return product.read_bytes()


def dxc(root: Path, shader: Shader, chosen: Set, defines: str, variant: str) -> bytes:
    library, words = _dxc_words(root, shader, chosen)
    source = root / shader.path
    try:
        return compile_hlsl(library, source.read_text(errors="replace"),
                            [*words, *defines.split(), *variant.split(), *chosen.options], includes=True)  # fmt: skip
    except Refused as reason:
        raise OutOfScope(f"dxc: {first_error(str(reason))}") from None


def dxc_spirv(root: Path, shader: Shader, chosen: Set, defines: str, options: tuple[str, ...]) -> bytes:
    """What DXC's SPIR-V backend makes, in a process of its own: it ends its process for some sources."""
    library, words = _dxc_words(root, shader, chosen)
    with tempfile.TemporaryDirectory() as folder:
        product = Path(folder, "a.spv")
        command = [sys.executable, str(Path(__file__).parents[1] / "dxc.py"), str(library), str(root / shader.path)]
        _run([*command, str(product), *words, *defines.split(), *chosen.options, *options], product, "dxc")
        return product.read_bytes()


def _dxc_words(root: Path, shader: Shader, chosen: Set) -> tuple[Path, list[str]]:
    library = oracles.find("dxc")
    if library is None:
        raise OutOfScope("no dxc here")
    if shader.stage not in DXC_PROFILES:
        raise OutOfScope(f"dxc: a library of {shader.stage} shaders")
    source = root / shader.path
    model = next((f"6_{number}" for number in range(7) if f".sm6{number}." in source.name), "6_6")
    words = ["-T", f"{DXC_PROFILES[shader.stage]}_{model}", "-E", shader.entry]
    for each in (source.parent, *folders(root, shader, chosen)):
        words += ["-I", str(each)]
    return Path(library[0]), words


def _found(tool: str) -> list[str]:
    command = oracles.find(tool)
    if command is None:
        raise OutOfScope(f"no {tool} here")
    return command


def _run(command: list[str], product: Path, tool: str) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        raise OutOfScope(f"{tool}: more than {SECONDS} s") from None
    if done.returncode != 0 or not product.exists():
        said = first_error(done.stdout + done.stderr) if done.returncode >= 0 else f"signal {-done.returncode}"
        raise OutOfScope(f"{tool}: {said}")


def first_error(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()), lines[0] if lines else "it says nothing")[:200]
