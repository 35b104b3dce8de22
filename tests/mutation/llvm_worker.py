"""A process that takes damaged LLVM IR and DXIL through reading and structurizing: only InputError may come out.

    seed ─▶ damaged ─▶ read (LLVM apart) ─▶ verify ─▶ structurize ─▶ write    a line "seed seconds verdict" for each

    python llvm_worker.py dxil|bc|ll FIRST COUNT
"""

import random
import re
import resource
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kit.damage import damaged_text

from reknit.front.llvm.bitcode import printed
from reknit.front.llvm.container import program_of
from reknit.front.load import load_bytes
from reknit.ir.module import Module
from reknit.passes.manager import run_passes
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

MEMORY = 2 << 30
DATA = Path(__file__).resolve().parents[1] / "data" / "dxil"
SMALL = 6000  # bytes of the containers that are damaged
WORDS = (
    "i1", "i32", "i64", "float", "double", "half", "ptr", "void", "undef", "null", "zeroinitializer", "poison", "true",
    "label", "metadata", "!0", "!{}", "call", "phi", "ret", "br", "switch", "alloca", "extractvalue", "insertvalue",
    "select", "<2 x i32>", "[4 x i32]", "{ i32, i1 }", "0x7FF0000000000000", "-1", "4294967295", "i128", "i3",
    "addrspace(3)", "getelementptr", "inttoptr", "atomicrmw", "fence", "freeze", "unreachable", "invoke", "bfloat",
)  # fmt: skip

CLASSES = (
    ("i32", "i64", "i16", "i8", "i1", "i3", "i128", "<2 x i32>", "<8 x i32>"),
    ("float", "half", "double", "bfloat", "fp128", "x86_fp80"),
    ("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor"),
    ("fadd", "fsub", "fmul", "fdiv", "frem"),
    ("ult", "ugt", "sle", "eq", "ne"), ("olt", "uno", "true", "false", "one", "ueq"),
    ("zext", "sext", "trunc", "bitcast"), ("fptoui", "fptosi"), ("addrspace(1)", "addrspace(3)", "addrspace(7)"),
    ("umax", "uinc_wrap", "nand", "xchg", "sub", "usub_sat"), ("spir_kernel", "spir_func", "fastcc"),
    ("[4 x i32]", "[4294967297 x i32]", "[0 x i32]", "{ i32, [4 x i8] }", "[4 x <3 x i32>]"),
    ("llvm.umin", "llvm.smax", "llvm.ssub.sat", "llvm.ctlz"), ("get_global_id", "get_local_size", "get_work_dim_"),
    ("0", "1", "2", "4", "-1", "100", "31", "64", "4294967295", "undef", "poison", "zeroinitializer"),
)  # fmt: skip
"""Words that may stand for each other everywhere: LLVM takes more of those texts."""

KERNEL = """
@shared = internal addrspace(3) global [4 x i32] undef
@table = internal addrspace(2) constant [3 x i16] [i16 5, i16 -6, i16 7]
declare spir_func i64 @_Z13get_global_idj(i32)
declare spir_func void @_Z7barrierj(i32)
declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
define i32 @twice(i32 %x) {
  %r = add i32 %x, %x
  ret i32 %r
}
define spir_kernel void @main(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) !reqd_work_group_size !0 {
  %array = alloca [4 x i32]
  %g = call spir_func i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %g to i32
  %p = getelementptr [4 x i32], ptr %array, i32 0, i32 %i
  store i32 %n, ptr %p, align 4
  %q = getelementptr { [3 x i32], [2 x float] }, ptr addrspace(1) %in, i32 0, i32 1, i32 0
  %f = load float, ptr addrspace(1) %q
  %v0 = insertelement <4 x i32> undef, i32 %n, i32 0
  %v = shufflevector <4 x i32> %v0, <4 x i32> undef, <4 x i32> <i32 1, i32 0, i32 1, i32 0>
  %e = extractelement <4 x i32> %v, i32 %i
  %pair = insertvalue { i32, float } undef, i32 %e, 0
  %m = extractvalue { i32, float } %pair, 0
  %over = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %m, i32 %n)
  %carry = extractvalue { i32, i1 } %over, 1
  %c = fcmp olt float %f, 2.0
  %both = and i1 %c, %carry
  br label %head
head:
  %k = phi i32 [ 0, %0 ], [ %next, %latch ]
  %at = phi ptr addrspace(1) [ %in, %0 ], [ %more, %latch ]
  %done = icmp eq i32 %k, 3
  br i1 %done, label %exit, label %body
body:
  %w = load i32, ptr addrspace(1) %at
  switch i32 %k, label %other [
    i32 0, label %zero
    i32 2, label %two
  ]
zero:
  %old = atomicrmw umax ptr addrspace(1) %out, i32 %w monotonic
  br label %latch
two:
  %swap = cmpxchg ptr addrspace(1) %out, i32 100, i32 77 acq_rel monotonic
  br label %latch
other:
  call spir_func void @_Z7barrierj(i32 1)
  br label %latch
latch:
  %factor = phi i32 [ 1, %zero ], [ 1000, %two ], [ 10, %other ]
  %t = call i32 @twice(i32 %factor)
  %u = call i32 @llvm.umin.i32(i32 %t, i32 %w)
  %s = select i1 %both, i32 %u, i32 7
  store i32 %s, ptr addrspace(3) @shared
  %next = add nuw i32 %k, 1
  %more = getelementptr i32, ptr addrspace(1) %at, i32 1
  br label %head, !llvm.loop !1
exit:
  %h = fptrunc float %f to half
  %d = fpext float %f to double
  %b = bitcast float %f to i32
  store i32 %b, ptr addrspace(1) %out
  ret void
}
!0 = !{i32 4, i32 1, i32 1}
!1 = distinct !{!1, !2}
!2 = !{!"llvm.loop.unroll.count", i32 4}
"""

Source = tuple[list[bytes], list[str]]


def sources() -> Source:
    """Containers; programs as text."""
    paths = [*sorted(DATA.glob("*.dxil")), *sorted((DATA / "kinds").glob("*.dxil"))]
    whole = [data for data in [path.read_bytes() for path in paths] if len(data) < SMALL]
    texts = [printed(program_of(data, "seed"), "seed") for data in whole]
    return whole, [*texts, *[KERNEL] * len(texts)]


def bytes_damaged(chance: random.Random, data: bytes) -> bytes:
    """One to four of: a bit, a byte, a word, a piece gone, a piece twice, cut off."""
    found = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        if not found:
            break
        at = chance.randrange(len(found))
        kind = chance.randrange(7)
        if kind < 2:
            found[at] ^= 1 << chance.randrange(8)
        elif kind == 2:
            found[at] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
        elif kind == 3:
            at &= ~3
            found[at : at + 4] = chance.choice((0, 1, 2**31, 2**32 - 1, chance.randrange(2**16))).to_bytes(4, "little")
        elif kind == 4:
            del found[at : at + chance.choice((1, 4, 32))]
        elif kind == 5:
            found[at:at] = found[at : at + chance.choice((4, 32))]
        else:
            del found[at:]
    return bytes(found)


def classes_damaged(chance: random.Random, text: str) -> str:
    """A word for another of its class, at all places or at one."""
    for _ in range(chance.choice((1, 1, 2))):
        words = chance.choice(CLASSES)
        old, new = chance.choice(words[:4]), chance.choice(words)
        if chance.random() < 0.4:
            text = re.sub(rf"(?<![\w.%@!-]){re.escape(old)}(?![\w.])", new, text)
            continue
        places = [match.start() for match in re.finditer(rf"(?<![\w.%@!-]){re.escape(old)}(?![\w.])", text)]
        if places:
            at = chance.choice(places)
            text = text[:at] + new + text[at + len(old) :]
    return text


def words_damaged(chance: random.Random, text: str) -> str:
    """Words of LLVM's own in the place of others: more of these come past LLVM's parser than of lost characters."""
    lines = text.split("\n")
    for _ in range(chance.choice((1, 1, 2, 3))):
        line = chance.randrange(len(lines))
        words = lines[line].split(" ")
        place = chance.randrange(len(words))
        kept = "," if words[place].endswith(",") else ""
        words[place] = chance.choice((chance.choice(WORDS), chance.choice(text.split()))).rstrip(",") + kept
        lines[line] = " ".join(words)
    return "\n".join(lines)


def damaged(kind: str, seed: int, whole: Source) -> bytes:
    chance = random.Random(seed)
    containers, texts = whole
    if kind == "dxil":
        return bytes_damaged(chance, chance.choice(containers))
    if kind == "bc":
        return bytes_damaged(chance, program_of(chance.choice(containers), "seed"))
    way = chance.random()
    if way < 0.2:
        return damaged_text(seed, texts).encode("utf-8", "replace")
    if way < 0.7:
        return classes_damaged(chance, chance.choice(texts)).encode()
    return words_damaged(chance, chance.choice(texts)).encode()


def through(module: Module) -> str:
    run_passes(module, "restructure")
    write_module(module)
    return "read"


def verdict(kind: str, seed: int, whole: Source) -> str:
    try:
        return through(load_bytes(damaged(kind, seed, whole), kind, f"damaged.{kind}"))
    except InputError as fault:
        assert fault.diagnostics
        for one in fault.diagnostics:
            assert one.code.startswith("RK") and one.message and "Traceback" not in one.message
            assert one.place is None or one.place.file == f"damaged.{kind}", one.place
        if any("gave up" in one.message for one in fault.diagnostics):
            return "LLVM gave up"
        return "refused"


def main(kind: str, first: int, count: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    whole = sources()
    for seed in range(first, first + count):
        print(seed, end=" ", flush=True)
        started = time.monotonic()
        try:
            found = verdict(kind, seed, whole)
        except BaseException:
            found = "CRASH " + repr(traceback.format_exc()[-1500:])
        print(f"{time.monotonic() - started:.3f} {found}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
