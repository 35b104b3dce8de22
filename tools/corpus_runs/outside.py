"""The compilers that the shaders were written for, from .oracles/ or PATH: source in, bytes out, or their refusal."""

import re
import subprocess
import tempfile
from pathlib import Path

from dxc import Refused, compile_hlsl
from kit import oracles

from corpus_runs.includes import folders_of
from corpus_runs.projects import Set
from corpus_runs.shaders import Shader

GLSLANG_STAGES = {
    "compute": "comp", "vertex": "vert", "fragment": "frag", "geometry": "geom", "hull": "tesc", "domain": "tese",
    "mesh": "mesh", "amplification": "task", "raygeneration": "rgen", "miss": "rmiss", "closesthit": "rchit",
    "anyhit": "rahit", "intersection": "rint", "callable": "rcall",
}  # fmt: skip
DXC_PROFILES = {
    "compute": "cs", "vertex": "vs", "fragment": "ps", "geometry": "gs", "hull": "hs", "domain": "ds", "mesh": "ms",
    "amplification": "as",
}  # fmt: skip
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


def slangc(root: Path, shader: Shader, chosen: Set, defines: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        product = Path(folder, "a.spv")
        where = [word for each in folders(root, shader, chosen) for word in ("-I", str(each))]
        language = ["-lang", "hlsl", "-profile", "sm_6_6"] if chosen.language == "hlsl" else []
        command = [
            *_found("slangc"), str(root / shader.path), "-target", "spirv", "-entry", shader.entry,
            "-stage", shader.stage, *language, *where, *defines.split(), *chosen.options, "-o", str(product),
        ]  # fmt: skip
        _run(command, product, "slangc")
        return product.read_bytes()


def dxc(root: Path, shader: Shader, chosen: Set, defines: str, variant: str) -> bytes:
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
    try:
        return compile_hlsl(Path(library[0]), source.read_text(errors="replace"),
                            [*words, *defines.split(), *variant.split(), *chosen.options], includes=True)  # fmt: skip
    except Refused as reason:
        raise OutOfScope(f"dxc: {first_error(str(reason))}") from None


def _found(tool: str) -> list[str]:
    command = oracles.find(tool)
    if command is None:
        raise OutOfScope(f"no {tool} here")
    return command


def _run(command: list[str], product: Path, tool: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    if done.returncode != 0 or not product.exists():
        raise OutOfScope(f"{tool}: {first_error(done.stdout + done.stderr)}")


def first_error(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()), lines[0] if lines else "it says nothing")[:200]
