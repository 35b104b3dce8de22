"""A process that takes damaged Slang sources through the whole front-end: only InputError may come out.

    seed ─▶ damaged ─▶ preprocess, parse, check, lower ─▶ verify ─▶ every second one: reconverge, write as SPIR-V

    python slang_worker.py FIRST COUNT          a line "seed seconds verdict" for each; what is damaged is tests/slang

Each line is flushed before the next source starts, so whoever reads them knows at which one a process died or hung.
"""

import random
import resource
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kit.damage import damaged_text

from reknit.front.slang.compile import compile_slang
from reknit.ir.verify.run import verify
from reknit.passes.manager import run_passes
from reknit.source.diagnostic import ERROR, InputError
from reknit.spirv.write import write_module

MEMORY = 2 << 30  # bytes of address space
SHADERS = Path(__file__).resolve().parents[1] / "slang"
CLASSES = (
    ("int", "uint", "float", "bool", "half", "double", "int8_t", "uint64_t", "int2", "float3", "float2x2", "void"),
    ("RWStructuredBuffer", "StructuredBuffer", "ByteAddressBuffer", "ConstantBuffer", "Optional", "Tuple", "vector"),
    ("struct", "interface", "enum", "extension", "namespace", "class"), ("get", "set", "ref", "__init"),
    ("for", "while", "if", "switch", "do", "defer"), ("break", "continue", "return", "discard"),
    ("static", "const", "inout", "out", "in", "groupshared", "extern", "export", "override", "uniform"),
    ("+", "-", "*", "/", "%", "<<", ">>", "&&", "||", "==", "<", "?", "=", "+=", "++", "!", "~", ",", ".", "::", "->"),
    ("(", ")", "[", "]", "{", "}", "<", ">", ";", ":"),
    ("0", "1", "4", "-1", "4294967295", "1.5", "0x80000000", "1e999", "'a'", "true", "none", "this", "This", "{}"),
    ("WaveActiveSum", "WavePrefixSum", "WaveReadLaneAt", "InterlockedAdd", "mul", "dot", "select", "makeTuple"),
    ("let", "var", "typealias", "associatedtype", "property", "__subscript", "__generic", "where", "dyn", "some"),
    ("SV_DispatchThreadID", "SV_GroupIndex", "SV_GroupID", "SV_Target"),
)  # fmt: skip
"""Words that may stand for each other: more of such sources come through the parser, and some through the checker."""


def exchanged(rand: random.Random, text: str) -> str:
    """A word for another one of its kind, or a name for another name of the source."""
    words = [word for kind in CLASSES for word in kind if word in text]
    if words and rand.randrange(3):
        word = rand.choice(words)
        kind = next(kind for kind in CLASSES if word in kind)
        other = rand.choice(kind)
    else:
        names = sorted({word for word in text.split() if word.isidentifier()})
        word, other = rand.choice(names), rand.choice(names)
    places = text.count(word)
    if not places:
        return text
    at = -1
    for _ in range(rand.randrange(places) + 1):
        at = text.index(word, at + 1)
    return text[:at] + other + text[at + len(word) :]


def damaged(seed: int, whole: list[str]) -> str:
    rand = random.Random(seed)
    if seed % 4 == 0:
        return damaged_text(seed, whole)
    text = rand.choice(whole)
    if seed % 4 == 1:  # what stands in one means something else in another
        other = rand.choice(whole)
        text = text[: text.rindex("[shader") if "[shader" in text else len(text)] + other
    for _ in range(rand.choice((1, 1, 2, 3))):
        text = exchanged(rand, text)
    return text


def verdict(seed: int, whole: list[str]) -> str:
    try:
        module = compile_slang(damaged(seed, whole), "damaged.slang")
    except InputError as fault:
        assert any(one.severity == ERROR for one in fault.diagnostics)
        return "refused"
    faults = [str(fault) for fault in verify(module) if fault.severity == ERROR]
    assert not faults, f"the front-end made a module with faults: {faults[:3]}"
    if seed % 2:
        return "read"
    try:
        run_passes(module, "reconverge")
        write_module(module)
    except InputError:
        return "not written"
    return "written"


def main(first: int, count: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    whole = [path.read_text(encoding="utf-8") for path in sorted(SHADERS.glob("*.slang"))]
    for seed in range(first, first + count):
        print(seed, end=" ", flush=True)
        started = time.process_time()
        try:
            found = verdict(seed, whole)
        except BaseException:
            found = "CRASH " + repr(traceback.format_exc()[-1500:])
        print(f"{time.process_time() - started:.3f} {found}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
