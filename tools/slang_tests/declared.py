"""What a source says of its parameters and structs, where the compiled program no longer tells.

RWByteAddressBuffer raw;          raw: ("RWByteAddressBuffer", "")
RWStructuredBuffer<bool> flags;   flags: ("RWStructuredBuffer", "bool")
struct T { int a; Texture2D b; }  T: ["a", "b"]
"""

import re

_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_FIELD = re.compile(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*$")
_ARGUMENTS = re.compile(r"<[^;{}]*>")


def without_comments(source: str) -> str:
    return _COMMENTS.sub(" ", source)


def declared_type(source: str, name: str) -> tuple[str, str]:
    """(type, its arguments) of a parameter; empty where it isn't found."""
    match = re.search(rf"([A-Za-z_]\w*)\s*(?:<([^;{{}}()]*)>)?\s+{re.escape(name)}\s*[\[;:,)=]", source)
    return (match[1], (match[2] or "").strip()) if match is not None else ("", "")


def pointee(source: str, name: str) -> str:
    """What a parameter or field points to that is declared as `T* name` or `Ptr<T> name`; empty for any other."""
    declared = rf"([\w.]+(?:<[^;{{}}()]*>)?)\s*\*\s*{re.escape(name)}\s*[;:,)=]"
    called = rf"\bPtr\s*<\s*([\w.]+)[^;{{}}()]*>\s*{re.escape(name)}\s*[;:,)=]"
    match = re.search(declared, without_comments(source)) or re.search(called, without_comments(source))
    return match[1] if match is not None else ""


def scalar_of(type: str) -> str:
    """The scalar that a vector or matrix is made of, by its full name: "float" for float3, "int32_t" for int2x2; "" for
    any other type."""
    match = re.match(r"(?:vector\s*<\s*|matrix\s*<\s*)?(half|float|double|u?int(?:8|16|32|64)_t|u?int)[1-4x]*\b", type)
    if match is None:
        return ""
    return {"int": "int32_t", "uint": "uint32_t"}.get(match[1], match[1])


def base_of(source: str, struct: str) -> str:
    """What a struct is declared to be first: its interface; "" where it names none."""
    name = re.escape(struct.partition("<")[0])
    match = re.search(rf"\bstruct\s+{name}\b\s*(?:<[^{{]*>)?\s*:\s*([\w.]+(?:<[^{{]*>)?)", without_comments(source))
    return match[1].replace(" ", "") if match is not None else ""


def fields_of(source: str, struct: str) -> list[str]:
    """The names of the fields of a struct or cbuffer, in order; none where it isn't found."""
    name = re.escape(struct.partition("<")[0])
    match = re.search(rf"\b(?:struct|cbuffer)\s+{name}\b[^;{{]*\{{", source)
    if match is None:
        return []
    found: list[str] = []
    for part in _parts(source, match.end()):
        if "(" in part.partition("=")[0]:
            continue
        for piece in _ARGUMENTS.sub("", part).split(","):
            field = _FIELD.search(piece.partition("=")[0].strip())
            if field is not None:
                found.append(field[1])
    return found


def _parts(source: str, at: int) -> list[str]:
    """What lies between semicolons of the body, without what is in inner braces."""
    parts, text, depth = [], "", 0
    for char in source[at:]:
        if char == "}" and depth == 0:
            break
        depth += {"{": 1, "}": -1}.get(char, 0)
        if depth == 0 and char == "}":
            text = ""  # a method, or a property
        elif depth == 0 and char == ";":
            parts.append(text)
            text = ""
        elif depth == 0:
            text += char
    return parts
