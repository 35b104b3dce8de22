"""Damaged inputs through the whole API, under limits: only InputError may come out of a verb.

    seed ─▶ format, damaged contents ─▶ load, check, lint, compile, to_bytes, run        InputError, or it goes well
                                                           └─▶ anything else: the input in OUT, with the traceback

    PYTHONPATH=tests python -m kit.mutated OUT [--first N] [--count 20000] [--formats spv,rk] [--save SEED]

It runs in children, a few hundred inputs each, whose memory is limited: one that crashed or hung is an entry too. The
last lines count what came of the inputs, by format. The reknit that is tested is the one that this Python imports.
"""

import argparse
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import reknit
from kit.damage import damaged, damaged_text
from kit.pipelines import REWRITING
from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of

TESTS: Final = Path(__file__).resolve().parents[1]


EXAMPLES: Final = TESTS.parent / "examples"
FORMATS: Final = ("spv", "spvasm", "rk", "slang", "hlsl", "ll", "dxil", "cfg")
PIPELINES: Final = (
    REWRITING, "structurize", "inline,promote-variables,fold,cse,dce,simplify-cfg", "simplify-ifs,sink",
)  # fmt: skip
WORD: Final = re.compile(r"[%@]?\w+", re.ASCII)
PIECE: Final = 250
SECONDS: Final = 10.0
MEMORY: Final = 1 << 30
ADDRESSES: Final = 4 << 30
GRAPH: Final = "a -> b c\nb -> d\nc -> d b\nd -> a e\ne -> f f\nf ret\n"
LLVM: Final = """define spir_kernel void @main(ptr addrspace(1) %o, i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr inbounds i32, ptr addrspace(1) %o, i32 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %w = mul nsw i32 %v, 3
  store i32 %w, ptr addrspace(1) %p, align 4
  %next = add i32 %i, 1
  switch i32 %w, label %head [ i32 5, label %done i32 7, label %body ]
done:
  ret void
}
"""


def corpus(programs: int = 30) -> dict[str, list[bytes]]:
    """Inputs that are right, by format; so many random programs among them."""
    texts = [path.read_bytes() for path in sorted(EXAMPLES.glob("*.spvasm"))]
    modules = [reknit.load(text, format="spvasm") for text in texts]
    for seed in range(programs):
        modules.append(module_of(generate(seed, 12)))
        reknit.compile(modules[-1])
    slang = sorted(path for folder in ("data/slangc", "slang") for path in (TESTS / folder).rglob("*.slang"))
    slang += sorted(EXAMPLES.rglob("*.slang"))
    hlsl = sorted((TESTS / "data").rglob("*.hlsl"))
    return {
        "spv": [reknit.to_bytes(module, check=False) for module in modules],
        "spvasm": texts + [reknit.to_bytes(module, "spvasm", check=False) for module in modules[len(texts) :]],
        "rk": [reknit.text(module).encode() for module in modules],
        "slang": [path.read_bytes() for path in slang if path.stat().st_size < 20_000],
        "hlsl": [path.read_bytes() for path in hlsl if path.stat().st_size < 20_000],
        "ll": [LLVM.encode()],
        "dxil": [path.read_bytes() for path in sorted((TESTS / "data").rglob("*.dxil"))],
        "cfg": [GRAPH.encode()],
    }


def mildly_damaged(seed: int, text: str) -> str:
    """With a word or number for another of the same kind: more of it is still right."""
    rand = random.Random(seed)
    words = list(WORD.finditer(text))
    kind = rand.choice(words)[0][0]
    alike = [word for word in words if word[0][0] == kind]
    for _ in range(rand.choice((1, 1, 2))):
        if not alike:
            break
        place, other = rand.choice(alike), rand.choice(alike)[0]
        if other.isdecimal():
            other = rand.choice((other, "0", "1", "4294967295", "2147483648", "64", str(int(other[:9]) + 1)))
        text = text[: place.start()] + other + text[place.end() :]
        alike = [word for word in WORD.finditer(text) if word[0][0] == kind]
    return text


def damaged_bytes(seed: int, whole: list[bytes]) -> bytes:
    """One of `whole` with bytes changed, left out, doubled or taken from another."""
    rand = random.Random(seed)
    data = bytearray(rand.choice(whole))
    other = rand.choice(whole)
    for _ in range(rand.choice((1, 1, 2, 4, 16))):
        at = rand.randrange(len(data) + 1)
        kind = rand.randrange(6)
        length = rand.choice((1, 2, 4, 4, 8, 40))
        if kind == 0 and at < len(data):
            data[at] ^= 1 << rand.randrange(8)
        elif kind == 1:
            data[at : at + 4] = rand.choice((b"\xff\xff\xff\xff", bytes(4), b"\x00\x00\x00\x80", b"\xff\xff\xff\x7f"))
        elif kind == 2:
            del data[at : at + length]
        elif kind == 3:
            data[at:at] = data[at : at + length]
        elif kind == 4:
            start = rand.randrange(len(other) + 1)
            data[at : at + length] = other[start : start + length]
        elif rand.randrange(4) == 0:
            del data[at:]
    return bytes(data)


def input_of(seed: int, whole: dict[str, list[bytes]], formats: list[str]) -> tuple[str, bytes]:
    """The format and the contents of a seed."""
    format = formats[seed % len(formats)]
    if format == "spv":
        return format, damaged(seed, whole[format])
    if format == "dxil":
        return format, damaged_bytes(seed, whole[format])
    texts = [text.decode("utf-8", "replace") for text in whole[format]]
    if seed // len(formats) % 2:
        return format, mildly_damaged(seed, texts[seed // 2 // len(formats) % len(texts)]).encode("utf-8", "replace")
    return format, damaged_text(seed, texts).encode("utf-8", "surrogateescape")


def through(data: bytes, format: str, seed: int) -> str:
    """How far the input comes: the last verb that takes it. What isn't an InputError is raised."""
    done = "nothing"
    verbs: dict[str, Callable[[], object]] = {"check": lambda: reknit.check(data)}
    modules: list[reknit.Module] = []
    copies: list[reknit.Module] = []
    if format not in ("spv", "spvasm", "rk"):
        verbs = {}
    verbs["load"] = lambda: modules.append(reknit.load(data, format=format))
    verbs["copy"] = lambda: copies.append(modules[0].copy())
    verbs["check of a module"] = lambda: reknit.check(modules[0])
    verbs["lint"] = lambda: reknit.lint(modules[0])
    verbs["show"] = lambda: str(reknit.show(modules[0])) + reknit.show(modules[0]).svg()
    verbs["text"] = lambda: reknit.load(reknit.text(modules[0]).encode(), format="rk")
    verbs["run"] = lambda: reknit.run(modules[0], subgroup_size=4, max_steps=20_000, engine="interpreter")
    verbs["to_bytes"] = lambda: reknit.to_bytes(modules[0], ("spv", "spvasm", "rk")[seed % 3])
    verbs["compile"] = lambda: reknit.compile(copies[0], PIPELINES[seed // 8 % len(PIPELINES)])
    verbs["to_bytes of the result"] = lambda: reknit.to_bytes(copies[0])
    if seed % 5 == 0:  # which takes longer than all the others
        verbs["prove"] = lambda: reknit.prove(
            modules[0], copies[0], subgroup_sizes=[4], sample=2, limit=4, max_steps=2_000
        )
    with reknit.Limits(seconds=SECONDS, memory=MEMORY, sandbox=True):
        for name, verb in verbs.items():
            try:
                verb()
                done = name
            except reknit.LimitExceeded:
                return f"{name}: limit"
            except reknit.InputError as error:
                assert error.diagnostics and str(error)
                if name == "load":
                    break
    return done


def child(first: int, count: int, formats: list[str]) -> None:
    """A line of JSON for each seed, before and after."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    whole = corpus()
    for seed in range(first, first + count):
        format, data = input_of(seed, whole, formats)
        print(json.dumps({"seed": seed, "format": format}), flush=True)
        begun = time.perf_counter()
        entry: dict[str, Any] = {"seed": seed, "format": format}
        try:
            entry["done"] = through(data, format, seed)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            entry["fault"] = "".join(traceback.format_exception(error))
        entry["seconds"] = time.perf_counter() - begun
        print(json.dumps(entry), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument("--save", type=int, help="only write the input of this seed")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    formats = options.formats.split(",")
    if options.child:
        child(options.first, options.count, formats)
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    whole = corpus()
    if options.save is not None:
        format, data = input_of(options.save, whole, formats)
        (options.out / f"{options.save}.{format}").write_bytes(data)
        return 0
    counts: Counter[tuple[str, str]] = Counter()
    slowest: list[tuple[float, int]] = []
    faults = 0
    at, end = options.first, options.first + options.count
    while at < end:
        count = min(PIECE, end - at)
        words = [sys.executable, "-m", "kit.mutated", "x", "--child", "--first", str(at), "--count", str(count)]
        process = subprocess.Popen(
            [*words, "--formats", options.formats], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": _path()}
        )
        assert process.stdout is not None
        seed = at
        finished = True
        signal.signal(signal.SIGALRM, _killing(process))
        for line in process.stdout:
            signal.alarm(120)
            entry = json.loads(line)
            seed, finished = entry["seed"], "seconds" in entry
            if finished:
                slowest = sorted([*slowest, (entry["seconds"], seed)])[-5:]
                counts[entry["format"], "FAULT" if "fault" in entry else entry["done"]] += 1
            if "fault" in entry:
                faults += 1
                keep(options.out, input_of(seed, whole, formats), seed, entry["fault"])
        signal.alarm(0)
        code = process.wait()
        if not finished:
            faults += 1
            counts[input_of(seed, whole, formats)[0], "DIED"] += 1
            keep(options.out, input_of(seed, whole, formats), seed, f"the process ended with {code}")
        elif code:
            print(f"a child ended with {code} at seed {seed}")
            return 1
        at = seed + 1
        print(f"{at - options.first} of {options.count}, {faults} faults", file=sys.stderr)
    for (format, done), count in sorted(counts.items()):
        print(f"{format:7} {count:6}  {done}")
    print("slowest:", ", ".join(f"{seconds:.1f} s seed {seed}" for seconds, seed in reversed(slowest)))
    print(f"{at - options.first} inputs, {faults} faults")
    return 1 if faults else 0


def keep(out: Path, given: tuple[str, bytes], seed: int, fault: str) -> None:
    (out / f"{seed}.{given[0]}").write_bytes(given[1])
    (out / f"{seed}.txt").write_text(fault)


def _killing(process: "subprocess.Popen[bytes]") -> Callable[[int, object], None]:
    """What ends `process` when a signal comes."""

    def kill(number: int, frame: object) -> None:
        process.kill()

    return kill


def _path() -> str:
    return os.pathsep.join([str(TESTS), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])


if __name__ == "__main__":
    sys.exit(main())
