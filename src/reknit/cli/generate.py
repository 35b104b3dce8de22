"""`reknit generate DIR`: random programs as files, for other programs to be tested with.

    seed, seed + 1, ...  ──▶ DIR/seed-17.comp  and what it has to store: DIR/seed-17.json
"""

import os
from argparse import Namespace

from reknit.analysis.tangles.rules import MAXIMAL, RULES
from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser, whole
from reknit.cli.shared_options import OUTPUT, add
from reknit.cli.terminal import remark
from reknit.files.formats import ASSEMBLY, TEXT
from reknit.source.diagnostic import InputError

SIZES = (4, 8, 16, 32, 64, 128)

PASSES = "reconverge"
MAX_STATEMENTS = 10000
MAX_PROGRAMS = 100_000

NO_MERGE = "RK0517"
"""What leaves a program out of several: its lanes must not meet where SPIR-V makes them."""


def parser() -> Parser:
    from reknit.fuzzing.export.formats import FORMATS

    command = Parser(
        "generate",
        "Write random programs, and for each a .json file with the results that it must store. The results follow from "
        "how the program was made, without running it.",
        "DIR",
        ("--to", "--seed", "--count", "--statements", "--subgroup-size", "--features", "--passes", "--rules",
         "--unstructured"),
        ("reknit generate tests --to glsl --count 100", "reknit generate tests --to spv --rules base --seed 7"),
    )  # fmt: skip
    output = command.group(OUTPUT)
    output.add_argument("dir", metavar="DIR", help="folder for the files")
    output.add_argument(
        "--to",
        default=ASSEMBLY,
        metavar="FORMAT",
        choices=FORMATS,
        help="format of the programs: %(choices)s (default %(default)s)",
    )
    programs = command.group("programs")
    add(programs, "--seed")
    add(programs, "--count", default=10)
    programs.add_argument(
        "--statements", type=whole, default=0, metavar="N", help="about how many statements each has (default: varies)"
    )
    programs.add_argument(
        "--subgroup-size",
        type=whole,
        metavar="N",
        choices=SIZES,
        help="subgroup size that the programs are for (default: varies)",
    )
    add(programs, "--features", note=" (default: all that the format can express)")
    modules = command.group("formats of modules")
    add(modules, "--passes", default=PASSES, note=" (default %(default)s)")
    modules.add_argument(
        "--rules",
        default=MAXIMAL,
        choices=RULES,
        help="what the modules declare: MaximallyReconvergesKHR (maximal, default), SubgroupUniformControlFlowKHR "
        "(sucf) or nothing (base); without the first, results other than those in the .json file may be correct",
    )
    modules.add_argument(
        "--unstructured",
        metavar="HOW",
        choices=("hints", "bare"),
        help="graphs without merge instructions: bare, or with the loop of each block as a hint (hints, only in .rk)",
    )
    return command


def main(options: Namespace) -> int:
    from reknit.fuzzing.export.formats import HINTS, LANGUAGES, MODULES, exportable
    from reknit.fuzzing.features import features_of
    from reknit.passes.catalog import catalog
    from reknit.passes.order_check import order_faults
    from reknit.passes.pipeline_text import parse_pipeline

    if not 1 <= options.count <= MAX_PROGRAMS or not 0 <= options.statements <= MAX_STATEMENTS:
        message = f"--count is 1 to {MAX_PROGRAMS}, and --statements a number up to {MAX_STATEMENTS}"
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
