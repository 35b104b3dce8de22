"""The hunt: what other compilers did to shaders, judged by `prove`, a line of JSON for each pair.

    FILES ─▶ SPIR-V that declares maximal reconvergence, added where it isn't ─▶ each pass of spirv-opt alone, also
                                                                     behind those that promote variables; -O, -Os
    FILES.slang, FILES.hlsl ─▶ slangc -O0 against -O1, -O2, -O3            FILES.hlsl ─▶ DXC -O0 against -O1, -O2, -O3
                                                    └─▶ unchanged? proved without a run? refuted by a run? else why not

    PYTHONPATH=tests:tools python -m kit.hunt OUT.jsonl FILE...           goes on where OUT.jsonl ends
    PYTHONPATH=tests:tools python -m kit.hunt OUT.jsonl "--only=-O -Os" FILE...        of spirv-opt these alone
    PYTHONPATH=tests:tools python -m kit.hunt OUT.jsonl --summary         counts by verdict, pass and reason

7.seed is the random program of that seed, and cts_maximal.jsonl.gz all of the conformance tests' generator. A shader is
a process of its own with a time limit. The two modules of every pair that is refuted are kept beside
OUT.jsonl. Nothing that is fetched belongs into this repository: name files of checkouts of other projects.
"""

import gzip
import json
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Final

import dxc
from conformance.test_cts_maximal import number
from conformance.test_glsl_cts import POLICIES, source_of, words_of

import reknit
from kit.oracles import assemble, find, glslang
from kit.proving import finding, promises_keep
from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir import enums
from reknit.ir.module import Module
from reknit.passes.manager import run_passes
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.proof.same import are_same
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

ALONE: Final = (
    "ccp", "cfg-cleanup", "combine-access-chains", "convert-local-access-chains",
    "copy-propagate-arrays", "eliminate-dead-branches", "eliminate-dead-code-aggressive", "eliminate-dead-functions",
    "eliminate-dead-inserts", "eliminate-local-multi-store", "eliminate-local-single-block",
    "eliminate-local-single-store", "fix-func-call-param", "if-conversion", "inline-entry-points-exhaustive",
    "local-redundancy-elimination", "loop-fission=8", "loop-fusion=8", "loop-invariant-code-motion", "loop-peeling",
    "loop-unroll", "loop-unroll-partial=2", "loop-unswitch", "merge-blocks", "merge-return", "private-to-local",
    "reduce-load-size", "redundancy-elimination", "scalar-replacement=100", "simplify-instructions", "ssa-rewrite",
    "strength-reduction", "unify-const", "vector-dce", "workaround-1209", "wrap-opkill", "legalize-hlsl",
)  # fmt: skip
PROMOTED: Final = ("--inline-entry-points-exhaustive", "--private-to-local", "--eliminate-local-multi-store")
"""Passes that leave values in place of variables: passes of loops look at nothing else."""
PIPELINES: Final = ("-O", "-Os")
LEVELS: Final = ("-O0", "-O1", "-O2", "-O3")
SECONDS: Final = 10  # a pair
MODULE_SECONDS: Final = 120
QUESTION: Final = {"subgroup_sizes": [4, 32], "sample": 3, "limit": 16, "max_steps": 100_000, "by_terms": False}


class TooLong(Exception):
    """A pair took more than its time."""


def out_of_time(number: int, frame: FrameType | None) -> None:
    raise TooLong


def opt(words: bytes, *options: str) -> bytes:
    """What spirv-opt makes of a binary. Raises ValueError with what it says."""
    command = find("spirv-opt")
    assert command is not None, "tools/get_oracles.py spirv brings spirv-opt"
    with tempfile.TemporaryDirectory() as folder:
        source, product = Path(folder, "a.spv"), Path(folder, "b.spv")
        source.write_bytes(words)
        environment = "--target-env=vulkan1.3"
        done = subprocess.run(
            [*command, environment, *options, str(source), "-o", str(product)],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        if done.returncode or not product.exists():
            raise ValueError(f"spirv-opt: {(done.stdout + done.stderr).strip()[:200]}")
        return product.read_bytes()


def slangc(path: Path, level: str) -> bytes:
    command = find("slangc")
    assert command is not None, "tools/get_oracles.py slangc brings slangc"
    with tempfile.TemporaryDirectory() as folder:
        product = Path(folder, "a.spv")
        options = ["-target", "spirv", "-stage", "compute", level, "-entry", entry_of(path), "-o", str(product)]
        done = subprocess.run([*command, str(path), *options], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode or not product.exists():
            raise ValueError(f"slangc: {(done.stdout + done.stderr).strip()[:200]}")
        return product.read_bytes()


def entry_of(path: Path) -> str:
    text = path.read_text(errors="replace")
    return next((name for name in ("computeMain", "CSMain", "cs_main") if f"{name}(" in text), "main")


def spirv_of(path: Path) -> bytes:
    """A shader as a binary. Raises ValueError where its compiler refuses it."""
    if path.suffix == ".gz":
        return glslang(source_of(programs(path.parent)[int(path.stem)]["glsl_body"]))
    if path.suffix == ".seed":
        module = module_of(generate(int(path.stem), 8))
        run_passes(module, "eliminate-phis, eliminate-multi-level-breaks")
        return write_module(module)
    if path.suffix == ".spv":
        return path.read_bytes()
    if path.suffix == ".spvasm" or ".asm." in path.name:
        return assemble(path.read_text(errors="replace"))
    return glslang(path.read_text(errors="replace"))


def programs(path: Path) -> list[dict[str, Any]]:
    """The programs of the conformance tests' generator."""
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]


def is_compute(module: Module) -> bool:
    points = module.entry_points
    return bool(points) and all(point.operands[0] == enums.ExecutionModelGLCompute for point in points)


def pairs(path: Path, only: list[str]) -> Iterator[tuple[str, bytes | str, bytes | str]]:
    """(what was done, before, after): binaries, or the message of a compiler that refused."""
    if path.suffix in (".slang", ".hlsl") and path.name.count(".asm.") == 0:
        yield from levels(path)
        return
    words = opt(spirv_of(path), "--modify-maximal-reconvergence=add")
    if not is_compute(loaded(words, "before")):
        raise ValueError("no compute shader alone")
    alone = [f"--{each}" for each in ALONE]
    promoted = opt(words, *PROMOTED)
    for label, base, names in (("", words, [*PIPELINES, *alone]), ("promoted, ", promoted, alone)):
        for name in names:
            if only and name not in only:
                continue
            try:
                yield f"spirv-opt {label}{name}", base, opt(base, name)
            except ValueError as refusal:
                yield f"spirv-opt {label}{name}", base, str(refusal)


def levels(path: Path) -> Iterator[tuple[str, bytes | str, bytes | str]]:
    """What a compiler makes of a shader at each of its levels, against the one that optimizes nothing."""
    first = opt(slangc(path, LEVELS[0]), "--modify-maximal-reconvergence=add")
    for level in LEVELS[1:]:
        yield f"slangc {level}", first, opt(slangc(path, level), "--modify-maximal-reconvergence=add")
    library = find("dxc")
    if path.suffix == ".hlsl" and library is not None:
        text = path.read_text(errors="replace")
        arguments = ["-T", "cs_6_5", "-E", entry_of(path)]
        made = {level: dxc.compile_hlsl(Path(library[0]), text, [*arguments, level]) for level in LEVELS}
        for level in LEVELS[1:]:
            yield f"dxc {level}", made[LEVELS[0]], made[level]


def loaded(words: bytes, name: str) -> Module:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{name}.{'dxil' if words[:4] == b'DXBC' else 'spv'}")
        path.write_bytes(words)
        module = reknit.load(str(path))
    if not all(function.structured for function in module.functions):
        run_passes(module, "structurize")  # DXIL says nothing of where invocations meet: one tree that it allows
    return module


def judged(first: Module, other: Module, case: dict[str, Any] | None = None) -> dict[str, Any]:
    """The verdict of a pair, and why it is no better. `case` is the conformance program that it is made of."""
    signal.signal(signal.SIGALRM, out_of_time)
    signal.alarm(SECONDS)
    found = {"verdict": "undecided", "why": "", "where": ""}
    try:
        terms = finding(first, other)
        kept = promises_keep(first, other)
        if terms.proved and kept:
            return {**found, "verdict": "proved"}
        found.update(why=terms.reason or "promises less", where=terms.text())
        if case is not None:
            return {**found, "verdict": as_expected(other, case)}
        verdict = prove(first, other, Question(**QUESTION))  # type: ignore[arg-type]
        found["verdict"] = verdict.verdict
        if verdict.verdict == "refuted":
            found["why"] = "; ".join(verdict.coverage.weaker) or repr(verdict.counterexample)
    except TooLong:
        found["where"] = f"out of time; {found['where']}"
    except InputError as refusal:
        diagnostic = refusal.diagnostics[0]
        found["where"] = f"{diagnostic.code} {diagnostic.message}; {found['where']}"
        found["why"] = found["why"] or diagnostic.code
    finally:
        signal.alarm(0)
    return found


def as_expected(module: Module, case: dict[str, Any]) -> str:
    """Whether every lane of a conformance program writes what its generator says, at its subgroup size."""
    expected = [[number(word) for word in words] for words in case["expected_hex_per_invocation"]]
    most = max(len(words) for words in expected) + 1
    written = words_of(module, case["subgroup_size"], most, POLICIES)
    return "sampled" if all(words == expected for words in written.values()) else "refuted"


def one(path: Path, kept: Path, only: list[str]) -> Iterator[dict[str, Any]]:
    """All pairs of a shader, or those of the passes named."""
    known: dict[tuple[bytes, bytes], dict[str, Any]] = {}  # passes that make the same are judged once
    firsts: dict[bytes, Module] = {}
    try:
        for number, (what, before, after) in enumerate(pairs(path, only)):
            line: dict[str, Any] = {"input": str(path), "pass": what}
            if isinstance(after, str) or isinstance(before, str):
                yield {**line, "verdict": "not made", "why": after}
                continue
            if before == after:
                yield {**line, "verdict": "unchanged", "why": ""}
                continue
            if (before, after) in known:
                yield {**line, **known[before, after]}
                continue
            if before not in firsts:
                firsts[before] = loaded(before, "before")
            first, other = firsts[before], loaded(after, "after")
            if are_same(first, other):
                known[before, after] = {"verdict": "unchanged", "why": "but for ids"}
                yield {**line, **known[before, after]}
                continue
            case = programs(path.parent)[int(path.stem)] if path.suffix == ".gz" else None
            known[before, after] = judged(first, other, case)
            line.update(known[before, after])
            if line["verdict"] == "refuted":
                name = f"{path.stem}-{number}"
                for side, words in (("before", before), ("after", after)):
                    (kept / f"{name}.{side}.{'dxil' if words[:4] == b'DXBC' else 'spv'}").write_bytes(words)
                line["kept"] = known[before, after]["kept"] = name
            yield line
    except (ValueError, InputError, dxc.Refused, subprocess.TimeoutExpired) as refusal:
        yield {"input": str(path), "pass": "", "verdict": "no input", "why": str(refusal)[:200]}


def expanded(path: Path) -> list[Path]:
    """A file, or the programs of a file of many: cts_maximal.jsonl.gz/0.gz, /1.gz, ..."""
    return [path / f"{number}.gz" for number in range(len(programs(path)))] if path.suffix == ".gz" else [path]


def hunt(product: Path, files: list[Path], only: list[str]) -> None:
    """Each file in a process of its own."""
    product.touch()
    done = {json.loads(line)["input"] for line in product.read_text().splitlines()}
    for path in [each for file in files for each in expanded(file)]:
        if str(path) in done:
            continue
        command = [sys.executable, "-m", "kit.hunt", str(product), "--one", str(path), *only]
        try:
            made = subprocess.run(command, capture_output=True, text=True, timeout=MODULE_SECONDS, check=False)
            lines = made.stdout.splitlines()
            if made.returncode:
                crash = made.stderr.strip().splitlines()[-1:]
                lines.append(json.dumps({"input": str(path), "pass": "", "verdict": "crash", "why": " ".join(crash)}))
        except subprocess.TimeoutExpired as late:
            lines = late.stdout.decode().splitlines() if late.stdout else []
            lines.append(json.dumps({"input": str(path), "pass": "", "verdict": "out of time", "why": ""}))
        with product.open("a") as file:
            file.write("".join(f"{line}\n" for line in lines if line.startswith("{") and line.endswith("}")))


def summary(product: Path) -> str:
    """Counts by verdict, by pass, by reason, and every refuted pair."""
    lines = [json.loads(line) for line in product.read_text().splitlines()]
    judged_lines = [line for line in lines if line["pass"] and line["verdict"] not in ("unchanged", "not made")]
    parts = [f"{len({line['input'] for line in judged_lines})} shaders, {len(judged_lines)} changed pairs"]
    left = [line for line in judged_lines if line["verdict"] not in ("proved", "refuted")]
    for title, key, chosen in (("verdicts", "verdict", lines), ("not proved, by reason", "why", left)):
        counts = Counter(line[key] for line in chosen)
        parts.append(f"{title}:\n" + "\n".join(f"{count:>7}  {what}" for what, count in counts.most_common(40)))
    by_pass: dict[str, Counter[str]] = {}
    for line in judged_lines:
        by_pass.setdefault(line["pass"], Counter())[line["verdict"]] += 1
    parts.append("by pass:\n" + "\n".join(f"  {name}: {dict(counts)}" for name, counts in sorted(by_pass.items())))
    refuted = [line for line in judged_lines if line["verdict"] == "refuted"]
    parts.append("refuted:\n" + "\n".join(f"  {line['input']} {line['pass']}: {line['why'][:160]}" for line in refuted))
    return "\n\n".join(parts)


def main(arguments: list[str]) -> None:
    product = Path(arguments[0])
    if arguments[1:] == ["--summary"]:
        print(summary(product))
    elif arguments[1] == "--one":
        for line in one(Path(arguments[2]), product.parent, arguments[3:]):
            print(json.dumps(line), flush=True)
    else:
        only = arguments[1].removeprefix("--only=").split(" ") if arguments[1].startswith("--only=") else []
        hunt(product, [Path(name) for name in arguments[1:] if not name.startswith("--only=")], only)


if __name__ == "__main__":
    main(sys.argv[1:])
