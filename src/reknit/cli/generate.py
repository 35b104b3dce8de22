"""`reknit generate DIR`: random programs as files, for other programs to be tested with.

    seed, seed + 1, ...  ──▶ DIR/seed-17.comp  and what it has to store: DIR/seed-17.json
"""

import os

from reknit.analysis.tangles.rules import MAXIMAL, RULES
from reknit.cli.misuse import misuse
from reknit.cli.options import Namespace, Options
from reknit.cli.parser import new_parser
from reknit.cli.terminal import remark
from reknit.files.formats import ASSEMBLY, TEXT
from reknit.source.diagnostic import InputError

SIZES = (4, 8, 16, 32, 64, 128)

PASSES = "reconverge"
MOST_STATEMENTS = 10000
MOST_PROGRAMS = 100_000

NO_MERGE = "RK0517"
"""What leaves a program out of several: its lanes must not meet where SPIR-V makes them."""


def parser() -> Options:
    from reknit.fuzzing.export.formats import FORMATS

    command = new_parser(
        "generate",
        "Write random programs, and beside each the words that it has to store: by what the source means, worked out "
        "without running the program.",
    )
    command.add_argument("dir", metavar="DIR", help="where the files go")
    command.add_argument(
        "--to", default=ASSEMBLY, metavar="FORMAT", choices=FORMATS, help=f"one of {', '.join(FORMATS)}"
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="the first program's seed (default 0)")
    command.add_argument("--count", type=int, default=10, metavar="N", help="how many programs (default 10)")
    command.add_argument("--statements", type=int, default=0, metavar="N", help="about how many (default: by the seed)")
    command.add_argument(
        "--subgroup-size", type=int, metavar="N", choices=SIZES, help="that they are for (default: by the seed)"
    )
    what = "what they may hold: all, or names with commas (default: what the format can say)"
    command.add_argument("--features", metavar="NAMES", help=what)
    command.add_argument(
        "-p", "--passes", default=PASSES, metavar="PASSES", help=f"for formats of modules (default {PASSES})"
    )
    command.add_argument(
        "--rules",
        default=MAXIMAL,
        choices=RULES,
        help="what modules declare: MaximallyReconvergesKHR (maximal, default), SubgroupUniformControlFlowKHR (sucf), "
        "nothing (base); without the first the words are one of several results",
    )
    command.add_argument(
        "--unstructured",
        metavar="HOW",
        choices=("hints", "bare"),
        help="modules as graphs without merge instructions: hints (blocks say which loop they belong to; only .rk has "
        "words for that), or bare",
    )
    return command


def main(options: Namespace) -> int:
    from reknit.fuzzing.export.formats import HINTS, LANGUAGES, MODULES, exportable
    from reknit.fuzzing.features import features_of
    from reknit.passes.catalog import catalog
    from reknit.passes.order_check import order_faults
    from reknit.passes.pipeline_text import parse_pipeline

    if not 1 <= options.count <= MOST_PROGRAMS or not 0 <= options.statements <= MOST_STATEMENTS:
        message = f"--count is 1 to {MOST_PROGRAMS}, and --statements a number up to {MOST_STATEMENTS}"
        raise misuse("RK0010", message, help="--seed says where the next ones go on")
    if options.to in LANGUAGES and options.passes != PASSES:
        raise misuse("RK0010", f"-p is for modules: --to {', '.join(MODULES)}")
    if options.unstructured and options.to not in MODULES:
        raise misuse("RK0010", f"--unstructured is for modules: --to {', '.join(MODULES)}")
    if options.unstructured == HINTS and options.to != TEXT:
        raise misuse("RK0010", f"--unstructured {HINTS}: only --to {TEXT} has words for hints")
    if options.rules != MAXIMAL and options.to not in MODULES:
        raise misuse("RK0010", f"--rules is for modules: --to {', '.join(MODULES)}")
    known = catalog()
    try:
        faults = order_faults(parse_pipeline(options.passes, known), known)
        if faults:
            raise InputError(faults)
        features = list(exportable(options.to))
        if options.features is not None:
            features = features_of(options.features)
    except InputError as error:
        raise misuse(error) from None
    write(options, features)
    return 0


def write(options: Namespace, features: list[str]) -> None:
    """The files. Of several programs, those whose control flow SPIR-V can't say after the passes are left out. Raises
    InputError: RK0007 (can't be written), RK0013 (can't be said)."""
    from reknit.cli.pipeline import make_folder
    from reknit.files.streams import write_bytes
    from reknit.fuzzing.export.formats import ending, expectation, export
    from reknit.fuzzing.generate import generate

    make_folder(options.dir)
    for seed in range(options.seed, options.seed + options.count):
        program = generate(seed, options.statements, features)
        program.rules = options.rules
        if options.subgroup_size is not None:
            program.resize(options.subgroup_size)
        try:
            contents = export(program, options.to, options.passes, options.unstructured or "")
        except InputError as error:
            if options.count == 1 or error.diagnostics[0].code != NO_MERGE:
                raise
            remark(f"seed {seed} is left out: {error.diagnostics[0].message}\n")
            continue
        name = os.path.join(options.dir, f"seed-{seed}")
        write_bytes(f"{name}.{ending(options.to)}", contents)
        write_bytes(f"{name}.json", expectation(program).encode())
