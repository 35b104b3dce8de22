"""The end of the commands that write a module: what is to be written is judged, then written.

rules hold                                      written
a function has no structure, but SPIR-V asks    RK0515, exit code 1; .rk is written
the input broke the rule as well, or a limit
of implementations is passed                    RK0516, exit code 1; .rk is written, with a warning
else                                            the pipeline once more, judged after each pass: BrokenOutput names
                                                the one, exit code 2 and a crash report
"""

from argparse import Namespace
from typing import TYPE_CHECKING

from reknit.cli.input import is_foreign, load_again
from reknit.cli.parser import Parser
from reknit.cli.shared_options import OUTPUT, add
from reknit.cli.terminal import complain
from reknit.files.formats import TEXT
from reknit.ir.module import Module

if TYPE_CHECKING:
    from reknit.files.judging import Judgement


def add_check(parser: Parser) -> None:
    add(parser.group(OUTPUT), "--no-check")


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

    data, judgement = judged_bytes(module, format, part=True)
    faults = judgement.broken + [fault for _, fault in judgement.flat]
    if faults:
        complain([written_broken(module, faults, " of SPIR-V")])
    write_bytes(out, data)


def blame(module: Module, options: Namespace, format: str, judgement: "Judgement") -> None:
    """Raises what is to be said, unless it is a warning."""
    from reknit.files.blaming import Origin
    from reknit.files.blaming import blame as blame_passes

    origin = Origin(lambda: load_again(options), is_foreign(options))
    complain(blame_passes(module, judgement, format, options.passes, origin))
