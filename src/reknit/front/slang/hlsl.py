"""What differs in HLSL from Slang, in files whose name ends with .hlsl and in what is read as HLSL: what DXC makes of
it is meant.

    unsigned int3 v         uint3 v                         float2x2 m in a buffer          column by column
    struct S s              S s                             const struct S s                const S s
    enum E { A };  ... A    names of its scope, as in C++   enum class E { A };             E::A alone
    for (int i = 0; ...) {} i is visible after the loop, too, and hides an `i` that is declared before it
    void set() { n = 1; }   a method may change its struct  (`mutation`)
    WaveActiveAllEqual(v)   a bool for each component       #pragma pack_matrix(row_major)  row by row, as Slang

Source: Microsoft's HLSL reference, "Per-component math operations", "Matrix ordering"; DXC's wiki, "Wave Intrinsics".
"""

from typing import Final

from reknit.front.slang.tokens import KIND, NAME, Tokens
from reknit.source.pattern import pattern

PACKINGS: Final = ("row_major", "column_major")
OWN: Final = {"WaveActiveAllEqual": "hlsl WaveActiveAllEqual"}
"""The language's own functions that mean something else in HLSL, and the name of that."""
OLD_TYPES: Final = {"sampler": "SamplerState"}
"""Types that have another name since Direct3D 10, by the older one."""
_SIGNED: Final = pattern(r"(?:int|min16int|int(?:16|32|64)_t)[1-4]?|int[1-4]x[1-4]")


def is_hlsl(name: str) -> bool:
    """Whether a file is HLSL where nothing but its name says so."""
    return name.lower().endswith(".hlsl")


def as_slang(tokens: Tokens) -> Tokens:
    """The tokens with `unsigned int` as `uint`, and `struct S s` as `S s`."""
    if "unsigned" not in tokens.texts and "struct" not in tokens.texts:
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
        replaced.add(kind, text, at)
    return replaced


def _are_names(tokens: Tokens, index: int) -> bool:
    """Whether two stand there, of which the first is then a type that is declared elsewhere."""
    kinds = tokens.kinds[index : index + 2]
    return len(kinds) == 2 and all(kind & KIND == NAME for kind in kinds)
