"""Modules of public projects, drawn with a fixed seed, for measurements.

    python -m kit.public_modules OUT --count 200 --seed 1 SOURCE ...

A SOURCE is a folder or a git repository (also without a work tree); nothing of it is kept but the modules in OUT, named
REPOSITORY--PATH.spv. SPIR-V is taken as it is (assembly by spirv-as), GLSL compiled by glslang, Slang and HLSL by
slangc. Each source gives the same share, those that have fewer give all. Left out: what a compiler refuses, what
spirv-val refuses for every environment, and modules with the same words.
"""

import argparse
import hashlib
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kit import oracles

STAGES: Final = {
    "vert": "vertex", "frag": "fragment", "comp": "compute", "geom": "geometry", "tesc": "hull", "tese": "domain",
    "mesh": "mesh", "task": "amplification", "rgen": "raygeneration", "rchit": "closesthit", "rmiss": "miss",
    "rahit": "anyhit", "rint": "intersection", "rcall": "callable",
}  # fmt: skip
"""GLSL's file endings, and what slangc calls the stages."""

PROFILES: Final = {
    "vs": "vertex", "ps": "fragment", "cs": "compute", "gs": "geometry", "hs": "hull", "ds": "domain",
    "ms": "mesh", "as": "amplification",
}  # fmt: skip
TEXT: Final = (
    *(f".{stage}" for stage in STAGES),
    ".glsl", ".hlsl", ".slang", ".spv", ".spvasm", ".h", ".hlsli", ".inc", ".inl", ".slangh",
)  # fmt: skip
SECONDS: Final = 60


def draw(sources: list[Path], count: int, seed: int, out: Path) -> list[Path]:
    """Writes up to `count` modules."""
    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    seen: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        queues = [_modules(source, Path(folder, str(number)), seed) for number, source in enumerate(sources)]
        while queues and len(written) < count:
            for queue in list(queues):
                module = next((each for each in queue if hashlib.sha256(each[1]).hexdigest() not in seen), None)
                if module is None:
                    queues.remove(queue)
                elif len(written) < count:
                    name, words = module
                    seen.add(hashlib.sha256(words).hexdigest())
                    written.append(out / f"{name}.spv")
                    written[-1].write_bytes(words)
    return written


def _modules(source: Path, work: Path, seed: int) -> Iterator[tuple[str, bytes]]:
    """Names and words of the source's modules, in an order drawn by the seed."""
    name = source.parent.name if source.name in ("repo", ".git") else source.name
    root = _checked_out(source, work)
    paths = sorted(path for path in root.rglob("*") if path.is_file() and _kind(path))
    paths = [path for path in paths if "reference" not in path.relative_to(root).parts]  # SPIRV-Cross's own output
    random.Random(f"{seed} {name}").shuffle(paths)
    for path in paths:
        words = _compiled(path, root)
        if words is not None:
            yield f"{name}--{path.relative_to(root).as_posix().replace('/', '-')}", words


def _checked_out(source: Path, work: Path) -> Path:
    """A folder with the source's shaders: a repository's are unpacked into `work`."""
    inside = ["git", "-C", str(source), "rev-parse", "--git-dir"]
    git = subprocess.run(inside, capture_output=True, text=True)
    if git.returncode or git.stdout.strip() not in (".", ".git"):
        return source
    work.mkdir(parents=True)
    listed = subprocess.run(["git", "-C", str(source), "ls-tree", "-r", "-z", "HEAD"], capture_output=True, check=True)
    entries = [line.split("\t", 1) for line in listed.stdout.decode(errors="replace").split("\0") if line]
    wanted = [(about.split()[2], path) for about, path in entries if path.endswith(TEXT) and about.startswith("100")]
    with subprocess.Popen(
        ["git", "-C", str(source), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as git_objects:
        assert git_objects.stdin is not None and git_objects.stdout is not None
        for number, path in wanted:
            git_objects.stdin.write(f"{number}\n".encode())
            git_objects.stdin.flush()
            header = git_objects.stdout.readline().split()
            if header[-1] == b"missing":
                continue
            content = git_objects.stdout.read(int(header[2]) + 1)[:-1]
            (work / path).parent.mkdir(parents=True, exist_ok=True)
            (work / path).write_bytes(content)
    return work


def _kind(path: Path) -> str:
    """How the file is read; empty for those that are no shaders of their own."""
    endings = path.name.lower().split(".")[1:]
    last = endings[-1] if endings else ""
    if last in ("spv", "spvasm", "slang", "hlsl"):
        return last
    if "invalid" in endings or "hlsl" in path.name.lower().split("."):
        return ""
    if last in STAGES:
        return "spvasm" if "asm" in endings or "asm" in path.parts[-3:] else "glsl"
    return "glsl" if last == "glsl" and len(endings) > 1 and endings[-2] in STAGES else ""


def _compiled(path: Path, root: Path) -> bytes | None:
    kind = _kind(path)
    if kind == "spv":
        words = path.read_bytes()
        return words if _accepted(words) else None
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out.spv")
        for command in _commands(kind, path, root, out):
            try:
                done = subprocess.run(command, capture_output=True, timeout=SECONDS, cwd=root)
            except subprocess.TimeoutExpired:
                continue
            if done.returncode == 0 and out.exists() and _accepted(out.read_bytes()):
                return out.read_bytes()
    return None


def _commands(kind: str, path: Path, root: Path, out: Path) -> Iterator[list[str]]:
    if kind == "spvasm":
        for environment in ("spv1.6", "spv1.0"):
            yield [*oracles.need("spirv-as"), "--target-env", environment, str(path), "-o", str(out)]
    elif kind == "glsl":
        stage = next(each for each in reversed(path.name.lower().split(".")) if each in STAGES)
        glslang = [*oracles.need("glslangValidator"), "-V", "-S", stage, f"-I{path.parent}", f"-I{root}"]
        for environment in ("vulkan1.3", "vulkan1.0"):
            yield [*glslang, "--target-env", environment, str(path), "-o", str(out)]
        yield [*glslang[:1], "-G", *glslang[2:], "--aml", "--amb", "--target-env", "opengl", str(path), "-o", str(out)]
    else:
        slangc = [*oracles.need("slangc"), str(path), "-target", "spirv", "-o", str(out)]
        named = re.search(r"-T\s*([a-z]+)_\d_\d.*?-E\s*(\w+)", path.read_text(errors="replace"))
        if kind == "slang":
            yield slangc
        elif named is not None and named[1] in PROFILES:
            yield [*slangc, "-lang", "hlsl", "-entry", named[2], "-stage", PROFILES[named[1]]]
        else:
            for ending in path.name.lower().split("."):
                if ending in STAGES:
                    yield [*slangc, "-lang", "hlsl", "-entry", "main", "-stage", STAGES[ending]]


def _accepted(words: bytes) -> bool:
    if words[:4] not in (b"\x03\x02\x23\x07", b"\x07\x23\x02\x03"):
        return False  # what Git LFS keeps in place of a file, or another format with this ending
    return oracles.spirv_val(words, "spv1.6")[0]


def main() -> None:
    parser = argparse.ArgumentParser(prog="kit.public_modules")
    parser.add_argument("out", type=Path)
    parser.add_argument("sources", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for path in draw(asked.sources, asked.count, asked.seed, asked.out):
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
