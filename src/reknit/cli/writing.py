"""The end of the commands that write a module: what is to be written is judged, then written.

rules hold                                      written
a function has no structure, but SPIR-V asks    RK0515, exit code 1; .rk is written
the input broke the rule as well, or a limit
of implementations is passed                    RK0516, exit code 1; .rk is written, with a warning
else                                            the pipeline once more, judged after each pass: BrokenOutput names
                                                the one, exit code 2 and a crash report
"""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from reknit.cli.input import is_foreign, load_again
from reknit.cli.terminal import complain
from reknit.files.formats import TEXT
from reknit.ir.module import Module
from reknit.source.diagnostic import InputError

if TYPE_CHECKING:
    from reknit.files.judging import Judgement


def add_check(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--no-check", action="store_true", help="write OUT also where it breaks rules of SPIR-V's control flow"
    )


def write_output(module: Module, options: Namespace, format: str) -> None:
    """Write what the passes of `options` left. Raises InputError, and BrokenOutput where they broke it."""
    from reknit.files.save import judged_bytes, save_bytes
    from reknit.files.streams import write_bytes

    if options.no_check:
        write_bytes(options.out, save_bytes(module, format))
        return
    data, judgement = judged_bytes(module, format)
    if judgement.flat or judgement.broken:
        blame(module, options, format, judgement)
    write_bytes(options.out, data)


def judge_text(module: Module, options: Namespace) -> None:
    """Judge a module that is shown as .rk as it was read. Raises BrokenOutput where reading broke it."""
    from reknit.files.judging import Judgement, judge_module

    broken = judge_module(module).broken
    if broken:
        options.passes = ""
        blame(module, options, TEXT, Judgement(broken, []))


def write_reduced(module: Module, out: str, format: str) -> None:
    """Write what `reduce` left, which may break what its input broke: that is a warning."""
    from reknit.files.judging import written_broken
    from reknit.files.save import judged_bytes
    from reknit.files.streams import write_bytes

    data, judgement = judged_bytes(module, format)
    faults = judgement.broken + [fault for _, fault in judgement.flat]
    if faults:
        complain([written_broken(module, faults, " of SPIR-V")])
    write_bytes(out, data)


def blame(module: Module, options: Namespace, format: str, judgement: "Judgement") -> None:
    """Raises what is to be said, unless it is a warning."""
    from reknit.files.judging import LIMIT, not_written, unstructured, written_broken

    if not judgement.broken:
        raise InputError([unstructured(module, judgement.flat)])
    find_maker(options, judgement)
    limits = all(fault.code == LIMIT for fault in judgement.broken)
    since = ", a limit of SPIR-V" if limits else " of SPIR-V, and did so when it was read"
    if format != TEXT:
        raise InputError([not_written(module, judgement.broken, since)])
    complain([written_broken(module, judgement.broken, since)])


def find_maker(options: Namespace, judgement: "Judgement") -> None:
    """Raises BrokenOutput unless the input breaks each of the rules itself."""
    from reknit.files.judging import LIMIT, BrokenOutput, EachPass, judge_module
    from reknit.passes.manager import Hooks, run_passes

    module = load_again(options)
    known = judge_module(module).codes()
    new = [fault for fault in judgement.broken if fault.code not in known and fault.code != LIMIT]
    old = [fault for fault in judgement.broken if fault.code in known]
    if old and not is_foreign(options):
        raise BrokenOutput(f"reading {module.path}", old)
    if not new:
        return
    run_passes(module, options.passes, Hooks(dump=EachPass([fault.code for fault in new])))
    raise BrokenOutput(f'the pipeline "{options.passes}"', new)
