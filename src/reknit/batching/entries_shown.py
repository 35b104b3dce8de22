"""Whether a source is a shader by itself, as far as its text shows: what others only include has no entry point.

    void main(                              GLSL, Slang, HLSL
    [shader("compute")]  [numthreads(       Slang, HLSL
    V vs(float3 p : POSITION) {             HLSL: a semantic of a parameter, or of the result; functions that are
    float4 f(V v) : SV_Target {             called have none
    V main_vs(V v) {    VSMain    psmain    HLSL: names that entry points go by where structs have all semantics
    #define N 1  #include "blur.hlsli"      nothing but directives, where the name says the stage: BlurPS.hlsl, a.comp
"""

import re
from typing import Final

from reknit.files.formats import GLSL, HLSL, SLANG, STAGES, ending
from reknit.source.reading import decoded, is_utf16

SOURCES: Final = (GLSL, HLSL, SLANG, *STAGES)
_ENTRY: Final = re.compile(rb"\bmain\s*\(|\[\s*(?:shader|numthreads)\s*\(")
_RESULT: Final = re.compile(rb"\)\s*:\s*SV_\w+\s*\{", re.IGNORECASE)
_NAMED: Final = re.compile(rb"\b(?:main_?[vp]s|[vp]s_?main)\s*\([^(){};]*\)\s*\{", re.IGNORECASE)
_HEAD: Final = re.compile(rb"[\w\s]\(([^(){};?]*)\)\s*\{")
_SEMANTIC: Final = re.compile(rb"[^:]:\s*[A-Za-z_]")


_COMMENT: Final = re.compile(rb"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_DIRECTIVE: Final = re.compile(rb"(?m)^[ \t]*#(?:[^\n\\]|\\.)*$", re.DOTALL)
_INCLUDE: Final = re.compile(rb"(?m)^[ \t]*#[ \t]*include\b")


def shows_entry(path: str, data: bytes) -> bool:
    """`data` is the file's. A model of triangles, which .mesh may be, is no text. Linear."""
    if is_utf16(data):
        data = decoded(data, "replace").encode("utf-8", "replace")
    if b"\0" in data:
        return False
    if _ENTRY.search(data) is not None:
        return True
    if _INCLUDE.search(data) is not None and _says_stage(path) and _is_only_directives(data):
        return True
    if ending(path) != HLSL:
        return False
    if _RESULT.search(data) is not None or _NAMED.search(data) is not None:
        return True
    return any(_SEMANTIC.search(head[1]) is not None for head in _HEAD.finditer(data))


def _says_stage(path: str) -> bool:
    from reknit.front.slang.stages import stage_of_file

    return ending(path) in STAGES or bool(stage_of_file(path))


def _is_only_directives(data: bytes) -> bool:
    return not _DIRECTIVE.sub(b"", _COMMENT.sub(b" ", data)).strip()
