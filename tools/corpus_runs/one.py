"""A few files, in a process of their own: what to try as JSON on standard input, what became of it on standard output.

{"root": ..., "project": "o/n", "set": 0, "paths": [...], "variants": 1, "values": false, "memory": MiB}
  ->  {"status": "done", "reason": "", "detail": a list of Tried, as JSON}
"""

import dataclasses
import json
import re
import resource
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))  # the outside tools are found as tests find them

from kit import oracles

import reknit
from corpus_runs.outside import OutOfScope, dxc, glslang, settings, slangc
from corpus_runs.projects import Set, read
from corpus_runs.shaders import Shader, shaders_of
from corpus_runs.tried import (
    CRASHED,
    DISAGREES,
    INVALID,
    OTHER_STAGE,
    OUT_OF_SCOPE,
    REFUSED,
    VALID,
    Compared,
    Tried,
)
from reknit.source.diagnostic import InputError, InternalError

READ_STAGES = ("compute", "vertex", "fragment")
"""Of Slang, HLSL and DXIL; all are read from SPIR-V."""

PIPELINE = "reconverge"
DONE = "done"
MAGIC = (b"\x03\x02\x23\x07", b"\x07\x23\x02\x03")


def try_file(root: Path, chosen: Set, path: Path, variants: int, values: bool = False) -> list[Tried]:
    """Each entry point in each of the first so many variants; `values` runs the first, too."""
    made: list[Tried] = []
    for shader in shaders_of(chosen, root, path):
        for variant in chosen.variants[:variants]:
            tried = try_shader(root, chosen, shader, variant)
            if values and tried.outcome == VALID and variant == chosen.variants[0]:
                tried.compared = values_of(root, chosen, shader, variant)
            made.append(tried)
    return made


def values_of(root: Path, chosen: Set, shader: Shader, variant: str) -> list[Compared]:
    """What running the shader shows beside others: the one that it was made of, or what other compilers make of it."""
    from corpus_runs.references import compare_sources
    from corpus_runs.values import compare

    if chosen.language == "llvm":
        return []
    if chosen.language in ("glsl", "spirv"):
        before = binary(root, chosen, shader, variant)
        module = reknit.load(before)
        reknit.compile(module, PIPELINE)
        return compare(before, reknit.to_bytes(module))
    return compare_sources(root, chosen, shader)


def try_shader(root: Path, chosen: Set, shader: Shader, variant: str) -> Tried:
    tried = Tried(shader.path, shader.entry, shader.stage, variant, OUT_OF_SCOPE)
    try:
        tried.outcome, tried.reason = judge(root, chosen, shader, variant)
    except OutOfScope as reason:
        tried.reason = str(reason)
    except InputError as refusal:
        other = chosen.language in ("hlsl", "slang", "dxil") and shader.stage not in READ_STAGES
        tried.outcome, tried.reason = OTHER_STAGE if other else REFUSED, told(refusal)
    except InternalError as fault:
        tried.outcome, tried.reason = CRASHED, str(fault)[:300]
    except Exception as fault:
        tried.outcome, tried.reason = CRASHED, f"{type(fault).__name__}: {fault}"[:300]
    return tried


def judge(root: Path, chosen: Set, shader: Shader, variant: str) -> tuple[str, str]:
    """(outcome, reason). Raises OutOfScope, InputError."""
    if chosen.language in ("hlsl", "slang"):
        defines = in_scope(root, chosen, shader)
        given = settings(root, chosen, shader, defines)
        module = reknit.load(root / shader.path, format=chosen.language, settings=given)
    elif chosen.language in ("glsl", "spirv"):
        data = binary(root, chosen, shader, variant)
        said = refused(data)
        if said:
            raise OutOfScope(f"spirv-val refuses it: {said}")
        module = reknit.load(data)
        faults = [found for found in reknit.check(module) if found.severity == "error"]
        if faults:
            return DISAGREES, f"{faults[0].code} {faults[0].message}"
    else:
        data = binary(root, chosen, shader, variant)
        module = reknit.load(data, format={"dxil": "dxil", "llvm": "ll"}[chosen.language])
    reknit.compile(module, PIPELINE)
    said = refused(reknit.to_bytes(module))
    return (INVALID, said) if said else (VALID, "")


def refused(data: bytes) -> str:
    """What spirv-val finds wrong, "" for nothing: for Vulkan, and for SPIR-V as such where Vulkan has no kernels."""
    accepted, said = oracles.validate(data)
    if not accepted and re.search(r"Capability (Kernel|Linkage|Addresses) is not allowed by Vulkan", said):
        accepted, said = oracles.spirv_val(data, "spv1.6")
    return "" if accepted else first(said)


def binary(root: Path, chosen: Set, shader: Shader, variant: str) -> bytes:
    """What reknit is given, by the first set of macros that the reference compiler takes."""
    path = root / shader.path
    if chosen.language == "spirv":
        data = path.read_bytes()
        return data if data[:4] in MAGIC else assembled(data.decode(errors="replace"))
    if chosen.language == "llvm":
        return path.read_bytes()
    make = glslang if chosen.language == "glsl" else dxc
    sets = shader.defines or chosen.defines
    for defines in sets[:-1]:
        try:
            return make(root, shader, chosen, defines, variant)
        except OutOfScope:
            continue
    return make(root, shader, chosen, sets[-1], variant)


def assembled(text: str) -> bytes:
    """A binary of the version that the text's head names."""
    version = re.search(r"^; Version: (1\.[0-6])$", text, re.MULTILINE)
    try:
        return oracles.assemble(text, f"spv{version[1]}" if version is not None else "spv1.6")
    except ValueError as reason:
        raise OutOfScope(f"spirv-as: {first(str(reason))}") from None


def in_scope(root: Path, chosen: Set, shader: Shader) -> str:
    """The first set of macros that slangc makes SPIR-V with, or DXC DXIL of HLSL. Raises OutOfScope."""
    refused: OutOfScope | None = None
    for defines in chosen.defines:
        try:
            slangc(root, shader, chosen, defines)
            return defines
        except OutOfScope as reason:
            refused = refused or reason
        if chosen.language == "hlsl":
            try:
                dxc(root, shader, chosen, defines, "")
                return defines
            except OutOfScope:
                continue
    assert refused is not None
    raise refused


def told(refusal: InputError) -> str:
    """Code and message of its first fault."""
    faults = [each for each in refusal.diagnostics if each.severity == "error"]
    return f"{faults[0].code} {faults[0].message}" if faults else str(refusal)[:200]


def first(said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip()]
    return re.sub(r"^error: (line )?\d+: ", "", lines[0])[:200] if lines else "it says nothing"


def main() -> int:
    asked = json.load(sys.stdin)
    limit = asked["memory"] << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    project = next(each for each in read() if each.name == asked["project"])
    root = Path(asked["root"])
    chosen = project.sets[asked["set"]]
    words = (asked["variants"], asked["values"])
    tried = [each for path in asked["paths"] for each in try_file(root, chosen, root / path, *words)]
    found = json.dumps([dataclasses.asdict(each) for each in tried])
    print(json.dumps({"status": DONE, "reason": "", "detail": found}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
