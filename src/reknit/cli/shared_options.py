"""The options that several commands have: each has one text, which docs/cli.md says at greater length.

    add(group, "--entry", "--groups")        as the table has them
    add(group, "--limit", default=512)       with settings of the command's own
"""

from argparse import _ArgumentGroup
from typing import Any, Final

from reknit.cli.parser import whole
from reknit.files.formats import WRITTEN

# Titles of groups that several commands have.
INPUT: Final = "input"
SOURCES: Final = "Slang, HLSL and GLSL sources"
DATA: Final = "data and dispatch"
RULES: Final = "rules, and the choices they leave open"
PASSES: Final = "passes"
PROOF: Final = "proof"
OUTPUT: Final = "output"

NAMES: Final = {"--jobs": ("-j", "--jobs"), "--passes": ("-p", "--passes")}
"""Options with a short name besides."""

SHARED: Final[dict[str, dict[str, Any]]] = {
    # input
    "--exclude": {"action": "append", "metavar": "PATTERN", "help": "leave out files whose name or path match PATTERN"},
    "--jobs": {
        "type": whole,
        "default": 0,
        "metavar": "N",
        "help": "number of worker processes (default: one per processor)",
    },
    # data and dispatch
    "--entry": {"metavar": "NAME", "help": "use only the entry point NAME"},
    "--subgroup-size": {
        "type": whole,
        "metavar": "N",
        "help": "number of invocations in a subgroup: 1, 2, 4 ... 128 (default 32; on a device, the device's own)",
    },
    "--subgroup-sizes": {"metavar": "N,N", "help": "consider these subgroup sizes, for example 16,32"},
    "--full-subgroups": {
        "action": "store_true",
        "help": "assume that the pipeline requires full subgroups, by the flag REQUIRE_FULL_SUBGROUPS of its stage",
    },
    "--groups": {"metavar": "X,Y,Z", "help": "number of workgroups in X, Y and Z (default 1,1,1)"},
    "--set": {
        "action": "append",
        "default": [],
        "metavar": "NAME=VALUE",
        "help": "initial contents of a buffer: 1,2,3 (32-bit words; 1.5 is a float), zeros:64 or @FILE (raw bytes); "
        "of an image: 8x4:rgba8:zeros, 8x4:rgba8:@FILE or 8x4:rgba8:1,0,0,1; of a sampler: linear:repeat. NAME is "
        "that of the variable or of its block, or SET.BINDING, such as 0.1. Buffers that are not set are zero",
    },
    "--spec": {
        "action": "append",
        "default": [],
        "metavar": "ID=VALUE",
        "help": "value of a specialization constant, by SpecId or name",
    },
    "--domain": {
        "action": "append",
        "default": [],
        "metavar": "NAME=A..B",
        "help": "values that the elements of a buffer may have: A..B or A,B,C",
    },
    "--inputs": {"type": whole, "metavar": "N", "help": "number of inputs to sample"},
    "--runs": {"action": "store_true", "help": "only run samples; do not reason about all inputs"},
    "--max-steps": {"type": whole, "metavar": "N", "help": "give up a run after N instructions"},
    # rules
    "--rules": {
        "help": "rules for which invocations run together: those that the entry point declares (declared, default), "
        "of SPIR-V alone (base), of SubgroupUniformControlFlowKHR (sucf) or MaximallyReconvergesKHR (maximal)",
    },
    "--target": {
        "help": "the guarantees to rely on: those of SPIR-V alone (base), of SubgroupUniformControlFlowKHR (sucf) or "
        "MaximallyReconvergesKHR (maximal) (default: what each entry point declares)",
    },
    "--limit": {"type": whole, "metavar": "N", "help": "try at most N combinations of choices"},
    "--assume": {
        "help": "where lanes reconverge in functions without structured control flow: after a loop (outside, default) "
        "or inside it (inside)",
    },
    "--nesting": {"type": whole, "metavar": "N", "help": "how deep constructs may nest before they are flattened"},
    # how it runs
    "--watch": {
        "action": "store_true",
        "help": "also report data races and reads of memory that nothing has written (several times slower)",
    },
    "--engine": {
        "help": "how the simulator runs: interpreter, jit (native code through llvmlite) or auto (default: jit from "
        "2,000 invocations on, if llvmlite is installed)",
    },
    "--on": {
        "default": "sim",
        "metavar": "WHERE",
        "help": "sim (the simulator, default), vulkan (a Vulkan device), or vulkan:NAME with the number of a device or "
        "a part of its name",
    },
    "--libvulkan": {"default": "", "metavar": "PATH", "help": "the Vulkan loader to use, if not the system's"},
    # passes
    "--passes": {"metavar": "PASSES", "help": 'passes and pipelines to run, such as "a,b{n=4}"'},
    "--dump-dot": {
        "metavar": "DIR",
        "help": "after every step, write the tree and graph of each function to DIR, as Graphviz DOT",
    },
    "--report-dispatch": {"help": "show each dynamic call: the types that it can reach, why, and what it costs"},
    "--no-check": {
        "action": "store_true",
        "help": "write the module even if it breaks SPIR-V's rules of control flow",
    },
    # random programs
    "--seed": {"type": whole, "default": 0, "metavar": "N", "help": "seed of the first program (default %(default)s)"},
    "--count": {"type": whole, "metavar": "N", "help": "number of programs (default %(default)s)"},
    "--features": {"metavar": "NAMES", "help": "features that the programs may use, separated by commas, or all"},
    # output
    "-o": {"dest": "out", "metavar": "OUT", "help": "file to write (.spv, .spvasm or .rk); - is standard output"},
    "--to": {
        "dest": "to_format",
        "metavar": "FORMAT",
        "help": "format of the output, if its file name does not tell: %(choices)s",
    },
    "--format": {"default": "full", "help": "how to print findings (default %(default)s)"},
    "--hex": {
        "action": "store_const",
        "const": 16,
        "default": 10,
        "dest": "base",
        "help": "print integers in hexadecimal",
    },
    "--json": {"action": "store_true", "help": "print the result as JSON"},
    "--quiet": {"action": "store_true", "help": "print no progress and no notes"},
}


def add(group: _ArgumentGroup, *names: str, **own: Any) -> None:
    """Add options of the table, with `own` settings instead of the table's. A `note`, such as " (default 512)", goes
    to the end of the text."""
    note = own.pop("note", "")
    for name in names:
        settings = {**SHARED[name], **own}
        if note:
            settings["help"] += note
        group.add_argument(*NAMES.get(name, (name,)), **settings)


def add_out(group: _ArgumentGroup, **own: Any) -> None:
    """-o and --to of what writes a module."""
    add(group, "-o", **own)
    add(group, "--to", choices=WRITTEN)
