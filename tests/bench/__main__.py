"""python -m tests.bench [ROW ...] [--seconds 20] [--svg docs/goals.svg]

    each job that people wait for  ──▶  reknit, and who else does it, in one run  ──▶  a table: seconds by size,
                                                                            how many times faster, growth, the goal

ROW is the beginning of a row's name, as `check` or `promote`; without one all are measured. Seconds are of processor
time, the least of a few runs: ours in this process, but for the rows of whole processes, a peer's of its process less
what it takes to start (SPIRV-Tools' validator runs in this process). What is predicted to take longer than --seconds at
the next size is left out; who isn't installed is named at the end. Other modules of this folder measure one part each
in more shapes: codec, rules, dominance, structurize, slang, dispatch, proofs, growth.
"""

import argparse
import gc
import math
import os
import resource
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import process_time
from typing import Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
if not any(Path(place, "reknit").is_dir() for place in sys.path if place):
    sys.path.insert(0, str(ROOT / "src"))

from bench import dispatch_slang, structurize  # noqa: E402
from bench.codec import exponent  # noqa: E402
from bench.commands import as_installed  # noqa: E402
from bench.plot import Curve, plot  # noqa: E402
from bench.rules import made  # noqa: E402
from bench.slang import TRIVIAL, source  # noqa: E402
from kit import oracles  # noqa: E402

import reknit  # noqa: E402
from reknit.front.slang.compile import compile_slang  # noqa: E402
from reknit.ir import block  # noqa: E402
from reknit.spirv.read import read_module  # noqa: E402

NO_VALIDATOR: Final = "/nonexistent"
"""The PATH of `check`, which would ask spirv-val on its own."""

NOTHING: Final = (sys.executable, "-c", "pass")
HEAD: Final = ("row", "size", "reknit", "peer", "times", "goal", "exponent")
KERNELS: Final = ("straight", "divergent", "ballots", "shared", "memory")
Work = Callable[[], object]


class Row:
    """A job at growing sizes. `goal` is how many times the peer's time is to be ours, or our own most seconds."""

    def __init__(self, name: str, sizes: list[int], peer: str, goal: str) -> None:
        self.name = name
        self.sizes = sizes
        self.peer = peer
        self.goal = goal
        self.ours: list[float] = []
        self.theirs: list[float] = []

    def lines(self) -> list[str]:
        slope = exponent(self.sizes, self.ours)
        lines: list[str] = []
        for place, seconds in enumerate(self.ours):
            their = self.theirs[place] if place < len(self.theirs) else math.nan
            cells = [self.name if place == 0 else "", f"{self.sizes[place]:,}", told(seconds)]
            cells += [f"{self.peer} {told(their)}" if their == their else "-"]
            cells += [f"{their / seconds:.1f}x" if their == their else "", self.goal if place == 0 else ""]
            last = place == len(self.ours) - 1
            lines.append("| " + " | ".join([*cells, f"{slope:.2f}" if last and slope is not None else ""]) + " |")
        return lines


def told(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


class Bench:
    """What the rows share: where files lie, how long a row may take, who is missing."""

    def __init__(self, folder: Path, limit: float) -> None:
        self.folder = folder
        self.limit = limit
        self.missing: set[str] = set()
        self.started: dict[str, float] = {}
        self.path = os.environ.get("PATH", os.defpath)
        os.environ["PATH"] = NO_VALIDATOR

    def fill(self, row: Row, ours: Callable[[int], float], theirs: Callable[[int], float]) -> Row:
        """Measure both at each size, until one more would take too long."""
        for size in row.sizes:
            if row.ours and row.ours[-1] * 12 > self.limit:
                break
            row.ours.append(ours(size))
            if not row.theirs or row.theirs[-1] * 12 < self.limit:
                row.theirs.append(theirs(size))
        return row

    def process(self, command: list[str]) -> float:
        """The least processor time of five runs of a process, or of one that takes long."""
        least = math.inf
        for _ in range(5):
            pid = os.fork()
            if pid == 0:
                quiet = os.open(os.devnull, os.O_WRONLY)
                os.dup2(quiet, 1)
                os.dup2(quiet, 2)
                ours = "reknit" in command
                path = NO_VALIDATOR if ours else self.path
                os.execve(command[0], command, {**as_installed(str(self.folder)), "PATH": path})
            _, status, usage = os.wait4(pid, 0)
            if status:
                return math.nan
            least = min(least, usage.ru_utime + usage.ru_stime)
            if least > 1:
                break
        return least

    def peer(self, tool: str, *arguments: str, start: tuple[str, ...] = ("--version",)) -> float:
        """What a tool takes beyond starting; not a number where it is not installed or fails."""
        command = oracles.find(tool)
        if command is None:
            self.missing.add(tool)
            return math.nan
        if tool not in self.started:
            self.started[tool] = self.process([*command, *start])
        return max(self.process([*command, *arguments]) - self.started[tool], 1e-4)

    def reknit(self, *arguments: str) -> float:
        """What the command takes beyond bare Python."""
        if "python" not in self.started:
            self.started["python"] = self.process(list(NOTHING))
        return self.process([sys.executable, "-m", "reknit", *arguments]) - self.started["python"]

    def file(self, name: str, data: bytes) -> str:
        path = self.folder / name
        path.write_bytes(data)
        return str(path)


def least(work: Work, times: int = 5) -> float:
    """Processor seconds of the fastest run."""
    best = math.inf
    for _ in range(times):
        gc.collect()
        start = process_time()
        kept = work()
        best = min(best, process_time() - start)
        del kept
        if best > 1:
            break
    return best


def batch(work: Work) -> float:
    """Of work that takes microseconds: many runs in a row."""
    once = least(work)
    count = max(1, int(0.05 / max(once, 1e-6)))
    return min(once, least(lambda: [work() for _ in range(count)]) / count)


def check_in_process(bench: Bench) -> Row:
    row = Row("check, in process", [235, 1033, 3034, 10_000], "SPIRV-Tools", "5x")
    if oracles.find("glslang") is None:
        bench.missing.add("SPIRV-Tools in process (of glslang)")

    def theirs(size: int) -> float:
        if oracles.find("glslang") is None:
            return math.nan
        data = made("ifs", size)
        return batch(lambda: oracles.accepts(data))

    return bench.fill(row, lambda size: batch(lambda: reknit.check(made_once("ifs", size))), theirs)


@cache
def made_once(shape: str, size: int) -> bytes:
    return made(shape, size)


def check_process(bench: Bench) -> Row:
    row = Row("check, process", [235, 10_000, 100_000, 1_000_000], "spirv-val", "25 ms; ahead from 10,000; 0.5 s")
    paths = {size: bench.file(f"check{size}.spv", made("ifs", size)) for size in row.sizes}
    return bench.fill(
        row,
        lambda size: bench.reknit("check", paths[size]),
        lambda size: bench.peer("spirv-val", "--target-env", "vulkan1.3", paths[size]),
    )


def check_nest(bench: Bench) -> Row:
    row = Row("check, process, nest of 700 ifs", [10_000], "spirv-val", "25 ms")
    path = bench.file("nest.spv", made("nest_ifs", 10_000))
    return bench.fill(
        row,
        lambda size: bench.reknit("check", path),
        lambda size: bench.peer("spirv-val", "--target-env", "vulkan1.3", path),
    )


def version(bench: Bench) -> Row:
    return bench.fill(Row("--version, process", [1], "", "10 ms"), lambda size: bench.reknit("--version"), lost)


def show(bench: Bench) -> Row:
    path = bench.file("show.spv", made("ifs", 235))
    row = Row("show, process", [235], "spirv-dis", "25 ms")
    return bench.fill(row, lambda size: bench.reknit("show", path), lambda size: bench.peer("spirv-dis", path))


def lost(size: int) -> float:
    """Nobody else does that."""
    return math.nan


def passes(ours: str, *theirs: str, shape: str = "variables", goal: str = "1x") -> Callable[[Bench], Row]:
    """A pass in the API beside spirv-opt's: neither reading nor writing, nor validation, is counted on either side."""

    def measure(bench: Bench) -> Row:
        row = Row(ours, [1_000, 10_000, 100_000], "spirv-opt", goal)

        def our(size: int) -> float:
            data = made_once(shape, size)
            best = math.inf
            for _ in range(3):
                module = read_module(data)
                gc.collect()
                start = process_time()
                reknit.compile(module, ours)
                best = min(best, process_time() - start)
            return best

        def their(size: int) -> float:
            path = bench.file(f"passes{size}.spv", made_once(shape, size))
            ends = ["-o", os.devnull, path]
            bare = bench.peer("spirv-opt", "--skip-validation", *ends)
            return max(bench.peer("spirv-opt", "--skip-validation", *theirs, *ends) - bare, 1e-4)

        return bench.fill(row, our, their)

    return measure


def graphs(name: str) -> Callable[[Bench], Row]:
    def measure(bench: Bench) -> Row:
        row = Row(f"structurize, {name}", [1_000, 4_000, 16_000, 64_000], "", "linear")
        return bench.fill(row, lambda size: structurize.Measured(structurize.SHAPES[name](size)).seconds[0], lost)

    return measure


def slang_hello(bench: Bench) -> Row:
    path = bench.file("hello.slang", TRIVIAL.encode())
    row = Row("compile hello.slang, whole process", [1], "slangc", "60 ms")

    def theirs(size: int) -> float:
        command = oracles.find("slangc")
        if command is None:
            bench.missing.add("slangc")
            return math.nan
        return bench.process([*command, path, "-target", "spirv", "-o", f"{path}.theirs.spv"])

    def ours(size: int) -> float:
        return bench.process([sys.executable, "-m", "reknit", "compile", path, "-o", f"{path}.spv"])

    return bench.fill(row, ours, theirs)


def slang(name: str, text: Callable[[int], str], sizes: list[int], goal: str) -> Callable[[Bench], Row]:
    """From source to a module, beside slangc's whole process less that of a trivial shader."""

    def measure(bench: Bench) -> Row:
        row = Row(name, sizes, "slangc", goal)
        trivial = bench.file("trivial.slang", TRIVIAL.encode())
        out = str(bench.folder / "theirs.spv")  # slangc takes no device
        start = (trivial, "-target", "spirv", "-o", out)

        def theirs(size: int) -> float:
            path = bench.file(f"source{size}.slang", text(size).encode())
            return bench.peer("slangc", path, "-target", "spirv", "-o", out, start=start)

        return bench.fill(row, lambda size: least(lambda: compile_slang(text(size), "bench.slang"), 3), theirs)

    return measure


def falling(cases: int) -> str:
    """A switch of which each case falls through to the next, with an operation of the subgroup in each."""
    body = "".join(f"    case {n}: total += WaveActiveSum({n + 1}); // falls through\n" for n in range(cases))
    return f"""RWStructuredBuffer<int> result;
[shader("compute")]
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex)
{{
    int total = 0;
    switch (t)
    {{
{body}    default: total += 1;
    }}
    result[t] = total;
}}
"""


KERNEL: Final = """RWStructuredBuffer<uint> result;
[shader("compute")]
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint trips = (id.x * 2654435761u) >> 27, total = 0;
    for (uint i = 0; i < trips; i++)
    {
        total += WaveActiveSum(i);
        if ((id.x & 1) != 0)
            total ^= WaveActiveSum(total);
    }
    result[id.x] = total;
}
"""


def simulate(driver: str, lanes: int, goal: str) -> Callable[[Bench], Row]:
    """A divergent loop with operations of the subgroup, at the driver's subgroup size; its process less its start."""

    def measure(bench: Bench) -> Row:
        from kit.oracles import drivers

        from reknit.vulkan.run import run_on

        row = Row(f"run, subgroups of {lanes}", [1_024, 16_384, 262_144], driver, goal)
        text = reknit.text(compile_slang(KERNEL, "kernel.slang"))
        lines = [line for line in text.splitlines() if "maximal_reconvergence" not in line and "Maximally" not in line]
        module = reknit.load("\n".join(lines).encode(), format="rk")  # SwiftShader knows no such mode

        def ours(size: int) -> float:
            groups, buffers = (size // 64, 1, 1), {"result": [0] * size}
            return least(lambda: reknit.run(module, subgroup_size=lanes, groups=groups, buffers=buffers), 2)

        def once(size: int) -> float:
            groups, buffers = (size // 64, 1, 1), {"result": [0] * size}
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            run_on(drivers.target(driver, lanes), module, None, groups=groups, subgroup_size=lanes, buffers=buffers)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        def theirs(size: int) -> float:
            if oracles.find(driver) is None:
                bench.missing.add(driver)
                return math.nan
            return max(min(once(size) for _ in range(3)) - min(once(64) for _ in range(3)), 1e-4)

        return bench.fill(row, ours, theirs)

    return measure


def kernel(name: str, peer: str, goal: str, avx512: bool = True) -> Callable[[Bench], Row]:
    """A million invocations of one of five kernels, without what surrounds them, in subgroups of the peer's size; with
    `avx512` false in code that has no such instruction."""

    def measure(bench: Bench) -> Row:
        from bench import kernels
        from kit.oracles import drivers

        from reknit.sim.jit.outside import host

        lanes = 4 if peer == "swiftshader" else 8
        processor = host() if avx512 else host().without("avx512")
        row = Row(f"run, kernel {name}, a million invocations{'' if avx512 else ', AVX2'}", [1_000_000], peer, goal)

        def theirs(size: int) -> float:
            if oracles.find(peer) is None:
                bench.missing.add(peer)
                return math.nan
            return kernels.theirs(name, lanes, drivers.target(peer, lanes)) / kernels.invocations(name) * size

        return bench.fill(
            row, lambda size: kernels.ours(name, lanes, processor) / kernels.invocations(name) * size, theirs
        )

    return measure


def interpreted(name: str) -> Callable[[Bench], Row]:
    """A million invocations of a kernel by the interpreter, in subgroups of 32."""

    def measure(bench: Bench) -> Row:
        from bench import kernels

        row = Row(f"interpret kernel {name}, a million invocations", [1_000_000], "", "15x its first rate")
        return bench.fill(row, lambda size: kernels.interpreted(name) * size, lost)

    return measure


def kernel_code(name: str) -> Callable[[Bench], Row]:
    """Compiling a kernel, beside what lavapipe's first dispatch of it takes more than that of an empty one."""

    def measure(bench: Bench) -> Row:
        from bench import kernels
        from kit.oracles import drivers

        def theirs(size: int) -> float:
            if oracles.find("lavapipe") is None:
                bench.missing.add("lavapipe")
                return math.nan
            return kernels.their_compiling(name, 8, drivers.target("lavapipe", 8))

        row = Row(f"compile kernel {name} to machine code", [1], "lavapipe", "1x")
        return bench.fill(row, lambda size: kernels.our_compiling(name, 8), theirs)

    return measure


def shaders(bench: Bench) -> Row:
    """Check, lint and compile, a shader after the other, of 754 instructions."""
    row = Row("check, lint, compile, 100,000 shaders on one core", [20, 40], "", "120 s on two cores")

    def ours(count: int) -> float:
        data = made_once("functions", 754)

        def one() -> None:
            reknit.check(data)
            reknit.lint(data)
            module = reknit.load(data)
            reknit.compile(module)
            reknit.to_bytes(module)

        def many() -> None:
            for _ in range(count):
                one()

        return least(many, 2) / count * 100_000

    return bench.fill(row, ours, lost)


ROWS: Final[dict[str, Callable[[Bench], Row]]] = {
    "version": version,
    "check-in-process": check_in_process,
    "check-process": check_process,
    "check-nest": check_nest,
    "show": show,
    "promote": passes("promote-variables", "--ssa-rewrite", goal="20x at 10,000, 50x at 100,000"),
    "dead": passes("dce", "--eliminate-dead-code-aggressive"),
    "simplify": passes("simplify-cfg", "--eliminate-dead-branches", "--merge-blocks"),
    "inline": passes("inline", "--inline-entry-points-exhaustive", shape="calls"),
    **{f"structurize-{name}": graphs(name) for name in ("ifs", "near", "tower")},
    "slang-hello": slang_hello,
    "slang-lines": slang("Slang, by lines", source, [1_000, 10_000], "3x"),
    "slang-falling": slang("Slang, a switch whose cases all fall", falling, [100, 200, 1_000], "0.2 s at 1,000"),
    "slang-types": slang("Slang, implementations of an interface", dispatch_slang.phi, [100, 400], "0.1 s at 400"),
    "run-lavapipe": simulate("lavapipe", 8, "3x"),
    "run-swiftshader": simulate("swiftshader", 4, "10x"),
    **{f"kernel-{name}": kernel(name, "lavapipe", "3x with AVX-512") for name in KERNELS},
    **{f"kernel-avx2-{name}": kernel(name, "lavapipe", "2x with AVX2", False) for name in KERNELS},
    **{f"kernel-swiftshader-{name}": kernel(name, "swiftshader", "10x") for name in KERNELS},
    **{f"kernel-code-{name}": kernel_code(name) for name in KERNELS},
    **{f"interpreted-{name}": interpreted(name) for name in KERNELS},
    "shaders": shaders,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=(__doc__ or "").split("\n\n")[2])
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"beginnings of {', '.join(ROWS)}")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--svg", type=Path, help="draw what was measured at three sizes and more")
    given = parser.parse_args()
    chosen = [name for name in ROWS if not given.rows or name.startswith(tuple(given.rows))]
    if not chosen:
        parser.error(f"no row begins with {' or '.join(given.rows)}")
    gc.set_threshold(200_000, 30, 30)  # as the command line does
    build = "plain Python" if str(block.__file__).endswith(".py") else "the compiled core"
    print(f"reknit: {build}, Python {sys.version.split()[0]}\n")
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    curves: list[Curve] = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), given.seconds)
        for name in chosen:
            row = ROWS[name](bench)
            print("\n".join(row.lines()), flush=True)
            if len(row.ours) > 2:
                curves.append(Curve(row.name, row.sizes, row.ours, row.peer, row.theirs))
    print("\nmissing: " + (", ".join(sorted(bench.missing)) or "nothing"))
    if given.svg is not None:
        given.svg.write_text(plot(curves), encoding="utf-8")


if __name__ == "__main__":
    main()
