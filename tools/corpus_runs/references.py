"""What other compilers make of a source, and what reknit makes of it for the same inputs.

    slang    slangc -target spirv            reknit, of the source
    hlsl     slangc; DXC -spirv              reknit, of the source; with Direct3D's layout of buffers beside DXC
    dxil     DXC -spirv                      reknit, of the DXIL that DXC makes

Options make them agree where they let one choose: matrices of Slang lie in rows, as in its API; DXC's SPIR-V has
buffers as Direct3D lays them out, and for DXIL the w of SV_Position, too. Shifts keep bindings of registers apart.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import reknit
from corpus_runs.aligned import Unmatched, align
from corpus_runs.given import timed
from corpus_runs.outside import OutOfScope, dxc, dxc_spirv, settings, slangc
from corpus_runs.projects import Set
from corpus_runs.shaders import Shader
from corpus_runs.tried import DIFFERS, DXC, NOT_RUN, SLANGC, Compared
from corpus_runs.values import compare_entry
from reknit.ir.module import Module
from reknit.source.diagnostic import InputError

PIPELINE = "reconverge"
SHIFTS = tuple(
    word
    for letter, shift in (("b", "2000"), ("t", "1000"), ("s", "3000"), ("u", "0"))
    for word in (f"-fvk-{letter}-shift", shift, "all")
)
OF_SLANGC = {
    "slang": ("-fvk-use-entrypoint-name", "-matrix-layout-row-major"),
    "hlsl": ("-fvk-use-entrypoint-name", *SHIFTS),
}
OF_DXC = ("-spirv", "-fspv-target-env=vulkan1.3", "-fvk-use-dx-layout", *SHIFTS)
AS_SOURCE = (("-enable-16bit-types", "-HV", "2021"), ("-enable-16bit-types",))
"""As reknit reads HLSL: halves have 16 bits, && and ?: leave out what isn't needed; else with older rules."""
AS_DIRECT3D = (("-fvk-use-dx-position-w",),)
WITH = {"slang": (SLANGC,), "hlsl": (SLANGC, DXC), "dxil": (DXC,)}


def compare_sources(root: Path, chosen: Set, shader: Shader) -> list[Compared]:
    """With each compiler that there is for the language."""
    found: list[Compared] = []
    for compiler in WITH[chosen.language]:
        try:
            verdict, why = _compared(root, chosen, shader, compiler)
        except (OutOfScope, Unmatched) as reason:
            verdict, why = NOT_RUN, str(reason)
        except InputError as refusal:
            verdict, why = NOT_RUN, f"{refusal.diagnostics[0].code} {refusal.diagnostics[0].message}"
        found.append(Compared(compiler, shader.entry, verdict, why))
    return found


def _compared(root: Path, chosen: Set, shader: Shader, compiler: str) -> tuple[str, str]:
    theirs, defines = _theirs(root, chosen, shader, compiler)
    ours = _ours(root, chosen, shader, compiler, defines)
    alone = align(theirs, ours, shader.entry)
    verdict, why = timed(partial(compare_entry, (theirs, ours), shader.entry, (compiler, "reknit")))
    if verdict == DIFFERS and alone:
        return NOT_RUN, f"only one side has {alone[0]}"
    return verdict, why


def _theirs(root: Path, chosen: Set, shader: Shader, compiler: str) -> tuple[Module, str]:
    """The module, and the macros that it was made with: the first that the compiler takes. Raises OutOfScope."""
    makers: list[Callable[[str], bytes]]
    if compiler == SLANGC:
        makers = [partial(slangc, root, shader, chosen, words=OF_SLANGC[chosen.language])]
    else:
        kinds = AS_DIRECT3D if chosen.language == "dxil" else AS_SOURCE
        makers = [partial(dxc_spirv, root, shader, chosen, options=(*OF_DXC, *words)) for words in kinds]
    refused: list[OutOfScope] = []
    for defines in chosen.defines:
        for make in makers:
            try:
                return reknit.load(make(defines)), defines
            except OutOfScope as reason:
                refused.append(reason)
            except InputError as reason:
                refused.append(OutOfScope(f"{compiler}'s module: {reason.diagnostics[0].code}"))
    raise refused[0]


def _ours(root: Path, chosen: Set, shader: Shader, compiler: str, defines: str) -> Module:
    """Read, rewritten and written."""
    if chosen.language == "dxil":
        module = reknit.load(dxc(root, shader, chosen, defines, ""), format="dxil")
    else:
        layout = "dx" if compiler == DXC else "std"
        given = settings(root, chosen, shader, defines, layout)
        module = reknit.load(root / shader.path, format=chosen.language, settings=given)
    reknit.compile(module, PIPELINE)
    return reknit.load(reknit.to_bytes(module))
