"""Entry points of a source in Slang or HLSL, by what its text says of them.

[shader("pixel")] float4 a(...)            ──▶  ("a", "fragment")
[numthreads(8, 8, 1)] void b(...)          ──▶  ("b", "compute")
float4 c(...) : SV_Target                  ──▶  ("c", "fragment"): what a function without an attribute returns,
Output d(...)   struct Output has SV_Position   ("d", "vertex")    by itself, in a struct or by `out`, tells
"""

import re

COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_FUNCTION = re.compile(
    r"(?P<attributes>(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\]\s*)*)"
    r"(?:\b(?:public|static|inline|export|precise)\s+)*"
    r"(?P<type>[\w:]+(?:<[^;{}()]*?>)?)\s+(?P<name>\w+)\s*"
    r"\((?P<parameters>(?:[^()]|\([^()]*\))*)\)\s*(?::\s*(?P<semantic>\w+)\s*)?(?=\{)"
)
_STRUCT = re.compile(r"\bstruct\s+(\w+)[^{;]*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
_SEMANTIC = re.compile(r":\s*(\w+)")
_MARKS = {
    "numthreads": "compute", "maxvertexcount": "geometry", "patchconstantfunc": "hull", "domain": "domain",
}  # fmt: skip
_KEYWORDS = {"else", "return", "if", "for", "while", "switch"}


def entry_points(text: str, by_file: str = "") -> list[tuple[str, str]]:
    """(name, stage) of each, once. `by_file` is the stage that the file's name tells, of a `main` without more."""
    plain = COMMENTS.sub(" ", text)
    structs = dict(_STRUCT.findall(plain))
    found: dict[str, str] = {}
    for match in _FUNCTION.finditer(plain):
        if match["name"] not in _KEYWORDS and match["type"] not in _KEYWORDS:
            stage = _marked(match["attributes"]) or _returned(match, structs)
            if not stage and match["name"] == "main":
                stage = by_file
            if stage:
                found.setdefault(match["name"], stage)
    return list(found.items())


def _marked(attributes: str) -> str:
    named = re.search(r"\bshader\s*\(\s*\"(\w+)\"", attributes)
    if named is not None:
        return "fragment" if named[1] == "pixel" else named[1].lower()
    words = attributes.lower()
    if "outputtopology" in words and "numthreads" in words:
        return "mesh"
    return next((stage for mark, stage in _MARKS.items() if re.search(rf"\b{mark}\b", words)), "")


def _returned(match: re.Match[str], structs: dict[str, str]) -> str:
    given = [match["semantic"] or "", *_SEMANTIC.findall(structs.get(match["type"], ""))]
    for parameter in match["parameters"].split(","):
        words = parameter.split()
        if "out" in words:
            given += _SEMANTIC.findall(parameter)
            given += [name for word in words for name in _SEMANTIC.findall(structs.get(word, ""))]
    semantics = {name.upper() for name in given}
    if any(name.startswith(("SV_TARGET", "SV_DEPTH")) for name in semantics):
        return "fragment"
    return "vertex" if "SV_POSITION" in semantics else ""
