"""The formats that random programs are exported in, and what each has no words for.

    export(generate(7, 0, LANGUAGE), "glsl", "reconverge")   ->   the file's contents

Formats of modules (and Amber, which holds one) take the program through passes first: jumps out of several constructs
and switches that fall through get words and a meaning that the rules promise. Languages say the program as it is.
"""

import json
from typing import Final

from reknit.files.formats import ASSEMBLY, BINARY, GLSL, HLSL, SLANG, TEXT
from reknit.files.judging import EachPass
from reknit.files.save import save_bytes
from reknit.fuzzing.export.amber import amber
from reknit.fuzzing.export.glsl import glsl
from reknit.fuzzing.export.hlsl import hlsl, slang
from reknit.fuzzing.export.offload import offload
from reknit.fuzzing.features import ALL, CLUSTERS, KILLS, PLAIN, VOTES
from reknit.fuzzing.meaning import meaning_of
from reknit.fuzzing.program import Program
from reknit.fuzzing.to_module import module_of
from reknit.fuzzing.unstructured import flatten
from reknit.ir.module import Module
from reknit.passes.manager import Hooks, run_passes

AMBER: Final = "amber"
OFFLOAD: Final = "offload"
MODULES: Final = (ASSEMBLY, BINARY, TEXT)
LANGUAGES: Final = {GLSL: glsl, HLSL: hlsl, SLANG: slang, OFFLOAD: offload}
ENDINGS: Final = {GLSL: "comp", OFFLOAD: "test"}
HINTS: Final = "hints"
FORMATS: Final = (*MODULES, AMBER, *LANGUAGES)

LACKS: Final = {
    ASSEMBLY: (),
    BINARY: (),
    TEXT: (),
    AMBER: (KILLS,),
    GLSL: (KILLS, VOTES),
    HLSL: (KILLS, CLUSTERS),
    SLANG: (KILLS, CLUSTERS),
    OFFLOAD: (KILLS, CLUSTERS),
}


def exportable(format: str) -> tuple[str, ...]:
    """The features that programs for `format` may have."""
    plain = (PLAIN,) if format in LANGUAGES else ()
    return (*[name for name in ALL if name not in LACKS[format]], *plain)


def ending(format: str) -> str:
    return ENDINGS.get(format, format)


def export(program: Program, format: str, passes: str, unstructured: str = "") -> bytes:
    """`program` in one of FORMATS; a module after `passes`, and then, with `unstructured` (HINTS or "bare", for those
    of MODULES), without structure. Raises InputError (RK0013) for what the format has no words for, and what passes
    and writing raise."""
    if format in LANGUAGES:
        return LANGUAGES[format](program).encode()
    module = passed(program, passes)
    if unstructured:
        run_passes(module, "eliminate-phis")
        for function in module.functions:
            flatten(function, unstructured == HINTS)
    return amber(program, module).encode() if format == AMBER else save_bytes(module, format)


def passed(program: Program, passes: str) -> Module:
    """Raises BrokenOutput where a pass breaks a rule of control flow."""
    module = module_of(program)
    run_passes(module, passes, Hooks(dump=EachPass()))
    return module


def expectation(program: Program) -> str:
    """A JSON object: the subgroup size, the lanes, and the words that `out` must hold."""
    example = {
        "seed": program.seed,
        "stage": "fragment" if program.fragment else "compute",
        "subgroup_size": program.subgroup_size,
        "lanes": program.lanes,
        "rules": program.rules,
        "out": meaning_of(program),
    }
    return json.dumps(example) + "\n"
