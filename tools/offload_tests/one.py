"""One test, in a process of its own: what to run as JSON on standard input, what became of it on standard output.

{"path": ..., "memory": MiB}   ->   {"status": "pass" | "fail" | "unsupported", "reason": ..., "detail": ...}
"""

import json
import re
import resource
import sys
import tempfile
from pathlib import Path
from typing import Any

from slang_tests.filecheck import Broken, mismatch

import reknit
from offload_tests.pipeline import Buffer, Outside, Pipeline
from offload_tests.printed import printed
from offload_tests.sections import arguments, must_differ, not_for, sections
from offload_tests.yaml_text import NotRead, parse
from reknit.front.slang.compile import Settings
from reknit.front.slang.options import Options
from reknit.sim.buffers import position
from reknit.sim.images import Image
from reknit.sim.policy import Policy
from reknit.sim.result import Result
from reknit.sim.run import Program, prepare
from reknit.source.diagnostic import ERROR, InputError

MAX_STEPS = 20_000_000
LANES = 32
_PLAIN = ("StructuredBuffer", "RWStructuredBuffer", "ByteAddressBuffer", "RWByteAddressBuffer", "ConstantBuffer")
_LETTERS = {1: "r", 2: "rg", 4: "rgba"}
_WITH_VALUE = ("-T", "-Fo", "-HV", "-E")
_MEANINGLESS = ("-enable-16bit-types", "-Gis", "-fspv-enable-maximal-reconvergence")
_LAYOUTS = {"-fvk-use-dx-layout": "dx", "-fvk-use-scalar-layout": "scalar"}
_TEXELS = {"Float32": "32f", "Int32": "32i", "UInt32": "32ui", "Float16": "16f", "Int16": "16i", "UInt16": "16ui"}


def outcome(path: Path) -> tuple[str, str, str]:
    text = path.read_text(errors="replace")
    parts = sections(text)
    sources = [part for name, part in parts.items() if name.endswith(".hlsl")]
    pipelines = [part for name, part in parts.items() if name.endswith(".yaml")]
    if len(sources) != 1 or len(pipelines) != 1:
        return "unsupported", "no HLSL of one shader with a pipeline", ""
    try:
        options = compiled_by(arguments(text))
        pipeline = Pipeline(parse(pipelines[0]))
        found = run(text, sources[0], options, pipeline)
        if found[0] == "fail" and pipeline.flush():
            found = run(text, sources[0], options, pipeline)
    except (Outside, NotRead, Broken) as reason:
        return "unsupported", str(reason), ""
    if must_differ(text) and found[0] in ("pass", "fail"):
        return ("pass", "", "") if found[1] == "other values" else ("fail", "values that should differ don't", found[2])
    if found[0] == "fail" and not_for(text):
        return "unsupported", f"not for {not_for(text)}", found[2]
    return found


def compiled_by(words: list[str]) -> Options:
    """What the options of DXC are here."""
    options = Options({"__spirv__": "1"})
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in _WITH_VALUE:
            rest.pop(0)
        elif word.startswith("-D"):
            name, equals, text = word[2:].partition("=")
            options.defines[name] = text if equals else "1"
        elif word in _LAYOUTS:
            options.buffer_layout = _LAYOUTS[word]
        elif word == "-Zpr":
            options.matrix_layout = "row-major"
        elif word not in _MEANINGLESS and not re.fullmatch(r"%t/\w+\.hlsl", word):
            raise Outside(f"compiler option {word}")
    return options


def given_to(pipeline: Pipeline, name: str, kind: str, source: str) -> Any:
    """Texels of integers have the sign that the shader declares."""
    buffer = pipeline.buffers[name]
    if kind in _PLAIN:
        return buffer.words()
    if kind not in ("Buffer", "RWBuffer") or buffer.channels not in _LETTERS or buffer.format not in _TEXELS:
        raise Outside(f"a {kind} of {buffer.format} x {buffer.channels}")
    size = len(buffer.data) // (buffer.width() * buffer.channels)
    texel = _TEXELS[buffer.format]
    declared = re.search(rf"Buffer<\s*(u?)int(?:16_t|32_t)?[1-4]?\s*>\s*{re.escape(name)}\b", source)
    if declared is not None and texel.endswith("i"):
        texel = texel.rstrip("ui") + declared[1] + "i"
    return Image([size], _LETTERS[buffer.channels] + texel, buffer.data)


def run(text: str, source: str, options: Options, pipeline: Pipeline) -> tuple[str, str, str]:
    given = {name: given_to(pipeline, name, kind, source) for name, kind, _ in pipeline.resources}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "source.hlsl")
        file.write_text(source)
        try:
            module = reknit.load(file, settings=Settings(options, [pipeline.entry]))
            size = re.search(r"\[WaveSize\((\d+)", source)
            lanes = int(size[1]) if size is not None else LANES
            program = prepare(module, subgroup_size=lanes, spec=pipeline.specialized)
            names = names_of(program, pipeline)
            buffers = {names[name]: value for name, value in given.items()}
            result = program.run(Policy(), pipeline.groups, buffers, pushed_to(program, pipeline), MAX_STEPS)
        except InputError as error:
            first = next((one for one in error.diagnostics if one.severity == ERROR), error.diagnostics[0])
            return "unsupported", f"{first.code}: {first.message}", str(error)
    if not result.finished:
        first = next(found for found in result.diagnostics if found.severity == ERROR)
        return "fail", f"run time: {first.code}", str(first)
    return judged(pipeline, result, names) if pipeline.checks else checked(text, pipeline, result, names)


def pushed_to(program: Program, pipeline: Pipeline) -> bytes | None:
    """As much as the program's block holds."""
    blocks = [buffer for buffer in program.buffers() if position(buffer) == "push constants"]
    size = (blocks[0].layout.size + 3) // 4 * 4 if blocks else 0
    return pipeline.pushed.ljust(size, b"\0")[:size] if blocks else None


def names_of(program: Program, pipeline: Pipeline) -> dict[str, str]:
    """What the program calls the resources: by their names, which are the shader's mostly, else by place."""
    known = {buffer.label() for buffer in program.buffers()}
    by_place = {position(buffer): buffer.label() for buffer in program.buffers()}
    return {name: name if name in known else by_place.get(place, place) for name, _, place in pipeline.resources}


def judged(pipeline: Pipeline, result: Result, names: dict[str, str]) -> tuple[str, str, str]:
    for check in pipeline.checks:
        expected = pipeline.buffers[check.expected]
        after = result.buffers.get(names[check.actual])
        if after is None:
            raise Outside("a check of what the shader can't write")
        words = after.words
        data = b"".join(word.to_bytes(4, "little") for word in words)
        data = data[: len(pipeline.buffers[check.actual].data)]
        if not check.holds(expected, data):
            wanted, have = expected.numbers(expected.data), expected.numbers(data)
            said = sorted({one.code for one in result.diagnostics})
            what = f"other values, undefined by {', '.join(said)}" if said else "other values"
            return "fail", what, f"{check.actual}\nexpected {wanted[:64]}\ngot      {have[:64]}"
    return "pass", "", ""


def checked(text: str, pipeline: Pipeline, result: Result, names: dict[str, str]) -> tuple[str, str, str]:
    """By the lines for FileCheck, where the pipeline has no rules."""
    if "FileCheck" not in text:
        raise Outside("nothing is checked")
    after: list[tuple[Buffer, bytes]] = []
    for name, buffer in pipeline.buffers.items():
        found = result.buffers.get(names[name])
        data = b"".join(word.to_bytes(4, "little") for word in found.words) if found is not None else buffer.data
        after.append((buffer, data[: len(buffer.data)]))
    held = {name: result.buffers.get(f"{names[name]}.counter") for name, _, _ in pipeline.resources}
    shown = printed(after, {name: counter.words[0] for name, counter in held.items() if counter is not None})
    wrong = mismatch(text, "CHECK", shown)
    return ("pass", "", "") if wrong is None else ("fail", "other values", f"{wrong}\n{shown}")


def main() -> int:
    asked = json.load(sys.stdin)
    limit = asked["memory"] << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    status, reason, detail = outcome(Path(asked["path"]))
    print(json.dumps({"status": status, "reason": reason, "detail": detail}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
