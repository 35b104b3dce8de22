"""What differs in HLSL from Slang, in files whose name ends with .hlsl and in what is read as HLSL: what DXC makes of
it is meant.

    unsigned int3 v         uint3 v                         float2x2 m in a buffer          column by column
    struct S s              S s                             const struct S s                const S s
    float const f           const float f                   uint u; u += E::A               an enum's case is a number
    class C {...};          struct C {...};
    enum E { A };  ... A    names of its scope, as in C++   enum class E { A };             E::A alone
    for (int i = 0; ...) {} i is visible after the loop, too, and hides an `i` that is declared before it
    void set() { n = 1; }   a method may change its struct  (`mutation`)
    WaveActiveAllEqual(v)   a bool for each component       #pragma pack_matrix(row_major)  row by row, as Slang
    float f = a_uint;       no warning                      made().set(1)                   changes a copy
    __hlsl_dx_compiler      1, beside __SLANG__             __SHADER_TARGET_STAGE           of --stage or the name

Source: Microsoft's HLSL reference, "Per-component math operations", "Matrix ordering"; DXC's wiki, "Wave Intrinsics",
"Predefined Version Macros".
"""

import re
from typing import Final

from reknit.front.slang.tokens import KIND, NAME, Tokens

PACKINGS: Final = ("row_major", "column_major")
OWN: Final = {"WaveActiveAllEqual": "hlsl WaveActiveAllEqual"}
"""The language's own functions that mean something else in HLSL, and the name of that."""
OLD_TYPES: Final = {"sampler": "SamplerState"}
"""Types that have another name since Direct3D 10, by the older one."""
STAGE: Final = "__SHADER_TARGET_STAGE"
_STAGES: Final = {
    "fragment": 0, "vertex": 1, "geometry": 2, "hull": 3, "domain": 4, "compute": 5, "mesh": 13, "amplification": 14,
}  # fmt: skip
"""What DXC's __SHADER_STAGE_VERTEX and its like are."""
_MACROS: Final = (
    ("__hlsl_dx_compiler", "1"), ("__spirv__", "1"), ("__HLSL_VERSION", "2021"), ("__HLSL_ENABLE_16_BIT", "1"),
    ("__SHADER_TARGET_MAJOR", "6"), ("__SHADER_TARGET_MINOR", "6"), ("__SHADER_STAGE_LIBRARY", "6"),
    ("__DXC_VERSION_MAJOR", "1"), ("__DXC_VERSION_MINOR", "6"), ("__DXC_VERSION_RELEASE", "0"),
    ("__DXC_VERSION_COMMITS", "0"),
)  # fmt: skip
_SIGNED: Final = re.compile(r"(?:int|min16int|int(?:16|32|64)_t)[1-4]?|int[1-4]x[1-4]")


def decoding(hlsl: bool) -> str:
    """How str takes bytes of a source that are no UTF-8: DXC lets them be in comments, slangc nowhere. What stands for
    one outside of comments is an illegal character (`lexer`)."""
    return "replace" if hlsl else "strict"


def is_hlsl(name: str) -> bool:
    """Whether a file is HLSL where nothing but its name says so."""
    return name.lower().endswith(".hlsl")


def macros_of_dxc(stage: str) -> list[tuple[str, str]]:
    """What DXC defines from the start for SPIR-V: for HLSL 2021, shader model 6.6, with 16-bit types. STAGE is one of
    them where the stage is known."""
    macros = list(_MACROS)
    for name, number in _STAGES.items():
        macros.append((f"__SHADER_STAGE_{'PIXEL' if name == 'fragment' else name.upper()}", str(number)))
    if stage in _STAGES:
        macros.append((STAGE, str(_STAGES[stage])))
    return macros


def as_slang(tokens: Tokens) -> Tokens:
    """The tokens with `unsigned int` as `uint`, `struct S s` as `S s`, and `float const f` as `const float f`."""
    if not any(word in tokens.texts for word in ("unsigned", "struct", "const")):
        return tokens
    replaced = Tokens()
    replaced.faults = tokens.faults
    dropped = -1
    for index, (kind, text, at) in enumerate(zip(tokens.kinds, tokens.texts, tokens.ats, strict=True)):
        if index == dropped:
            continue
        following = tokens.texts[index + 1] if index + 1 < len(tokens) else ""
        if text == "unsigned" and kind & KIND == NAME and (_SIGNED.fullmatch(following) or following == "dword"):
            dropped = index + 1
            text = following.replace("int", "uint")
        if text == "struct" and kind & KIND == NAME and _are_names(tokens, index + 1):
            continue
        if following == "const" and kind & KIND == NAME and text != "const" and _are_names(tokens, index + 1):
            replaced.add(tokens.kinds[index + 1], following, at)
            dropped = index + 1
        replaced.add(kind, text, at)
    return replaced


def _are_names(tokens: Tokens, index: int) -> bool:
    """Whether two stand there, of which the first is then a type that is declared elsewhere."""
    kinds = tokens.kinds[index : index + 2]
    return len(kinds) == 2 and all(kind & KIND == NAME for kind in kinds)
