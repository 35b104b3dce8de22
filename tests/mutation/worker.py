"""A process that takes damaged modules through everything, under a limit on its memory: only InputError may come out.

    seed ─▶ damaged ─▶ read ─▶ verify ─▶ print ─▶ parse ─▶ write ─▶ run a little        a line "seed verdict" for each

    python worker.py binary|rk|spvasm FIRST COUNT          (what to damage is made from seeds, too)

Each line is flushed before the next module starts, so whoever reads them knows at which module a process died or hung.
"""

import resource
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kit.damage import damaged, damaged_text
from kit.programs.operand_shapes import FRAME, RIGHT_AND_WRONG

from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.passes.manager import run_passes
from reknit.sim.policy import Policy
from reknit.sim.run import prepare
from reknit.source.diagnostic import ERROR, InputError
from reknit.spirv.asm import assemble
from reknit.spirv.dis import disassemble
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

MEMORY = 2 << 30  # bytes of address space: the interpreter and its libraries, and what a small module may need
LANE_STEPS = 20_000
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def seeds() -> list[bytes]:
    """The valid modules: the examples, random programs as they are, random programs as the pipeline leaves them, and
    each instruction that computes."""
    whole = [assemble(path.read_text(encoding="utf-8")) for path in sorted(EXAMPLES.glob("*.spvasm"))]
    for seed in range(24):
        program = generate(seed, 10)
        module = module_of(program)
        if program.levels:
            run_passes(module, "reconverge")
        whole.append(write_module(module))
    whole.extend(write_module(parse(FRAME.format(right))) for right, _ in RIGHT_AND_WRONG)
    return whole


def through(module: Module) -> str:
    """Everything after reading. The verdict says how far it came."""
    if [fault for fault in verify(module) if fault.severity == ERROR]:
        print_module(module)  # a dump of a broken module is what one wants to see
        return "faulty"
    text = print_module(module)
    again = parse(text)
    text = print_module(again)  # the first time, a type that stands after its use may move before it
    assert print_module(parse(text)) == text, "printing, parsing and printing gives another text"
    write_module(again)
    write_module(module)
    program = prepare(module, subgroup_size=8)
    lanes = program.size[0] * program.size[1] * program.size[2]
    result = program.run(Policy(), max_steps=max(20, LANE_STEPS // lanes))
    return "failed" if result.failed() else "ran"


def verdict(kind: str, seed: int, whole: list[bytes], texts: list[str]) -> str:
    try:
        if kind == "binary":
            data = damaged(seed, whole)
            try:
                disassemble(data)
            except InputError:
                read_module(data)  # must refuse it, too, or make sense of it
                return "read, not shown"
            return through(read_module(data))
        text = damaged_text(seed, texts)
        return through(parse(text) if kind == "rk" else read_module(assemble(text)))
    except InputError as fault:
        assert fault.diagnostics
        assert all(diagnostic.code.startswith("RK") for diagnostic in fault.diagnostics)
        return "refused"


def main(kind: str, first: int, count: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    whole = seeds()
    texts: list[str] = []
    if kind == "rk":
        texts = [print_module(read_module(data)) for data in whole]
    elif kind == "spvasm":
        texts = [disassemble(data, friendly=place % 2 == 0) for place, data in enumerate(whole)]
    for seed in range(first, first + count):
        print(seed, end=" ", flush=True)
        started = time.process_time()
        try:
            found = verdict(kind, seed, whole, texts)
        except BaseException:
            found = "CRASH " + repr(traceback.format_exc()[-1500:])
        print(f"{time.process_time() - started:.3f} {found}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
