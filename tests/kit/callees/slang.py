"""Wrong calls of every function and method of Slang and HLSL that reknit's table of builtins has.

cases(names)    of each: calls that are right, with no argument, one less, one more, each argument of another type, with
                type arguments, with places for values and values for places; methods on receivers of other types

PYTHONPATH=tests python -m kit.callees.slang [slang | hlsl]     through all verbs: how many are refused, and faults
"""

import argparse
import ast
import importlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from kit.callees.verbs import Case, ended, tally
from reknit.front.slang.builtins.builtin import Builtin
from reknit.front.slang.builtins.names import numeric
from reknit.front.slang.types import FLOAT, INT, UINT, VOID, ConstType, ResourceType, Type, VectorType

FORMATS: Final = ("slang", "hlsl")
_FIND: Final[Any] = importlib.import_module("reknit.front.slang.builtins.find")
_FLOAT4: Final = VectorType(FLOAT, ConstType(4))


@dataclass(frozen=True)
class Given:
    """What may stand as an argument or before a method's dot. A `scope` of "" is a variable of the function; what is
    "constant" has its value as its name."""

    name: str
    text: str
    type: Type | None
    scope: str


def _number(name: str, scope: str = "") -> Given:
    return Given("shared_" * bool(scope) + name.replace(" ", ""), name, numeric(name), scope)


def _object(name: str, text: str, *elements: Type) -> Given:
    return Given(name, text, ResourceType(text.partition("<")[0], *(elements or (None,))), "global")


NUMBERS: Final = [_number(name) for name in (
    "float", "int", "uint", "bool", "double", "half", "int16_t", "uint8_t", "int64_t", "uint64_t", "float2", "float3",
    "float4", "int2", "int3", "uint4", "bool3", "half2", "float4x4", "float3x2", "int2x2",
)]  # fmt: skip
OBJECTS: Final = [
    _object("structured", "RWStructuredBuffer<uint>", UINT), _object("reads", "StructuredBuffer<float4>", _FLOAT4),
    _object("bytes", "RWByteAddressBuffer"), _object("readBytes", "ByteAddressBuffer"),
    _object("appends", "AppendStructuredBuffer<uint>", UINT), _object("takes", "ConsumeStructuredBuffer<uint>", UINT),
    _object("typed", "RWBuffer<int>", INT), _object("flat", "Texture1D<float4>", _FLOAT4),
    _object("texture", "Texture2D<float4>", _FLOAT4), _object("cube", "TextureCube<float4>", _FLOAT4),
    _object("layers", "Texture2DArray<float4>", _FLOAT4), _object("volume", "Texture3D<float>", FLOAT),
    _object("samples", "Texture2DMS<float4>", _FLOAT4), _object("image", "RWTexture2D<float4>", _FLOAT4),
    _object("integers", "Texture2D<int>", INT), _object("sampler", "SamplerState"),
    _object("comparing", "SamplerComparisonState"), _object("scene", "RaytracingAccelerationStructure"),
]
LOCALS: Final = [
    _number("uint", "groupshared"), _number("float", "groupshared"), _number("int", "groupshared"),
    Given("structure", "Pair", None, ""), Given("list", "Numbers", None, ""),
]
CONSTANTS: Final = [
    Given("2", "int", INT, "constant"), Given("4u", "uint", UINT, "constant"),
    Given("int2(1, 0)", "int2", VectorType(INT, ConstType(2)), "constant"),
]  # fmt: skip
SLANG_ALONE: Final = [
    _object("combined", "Sampler2D<float4>", _FLOAT4),
    Given("atom", "Atomic<uint>", ResourceType("Atomic", UINT), "groupshared"),
]
ALL: Final = [*NUMBERS, *LOCALS, *OBJECTS, *CONSTANTS, *SLANG_ALONE]
_OFTEN: Final = [
    each
    for each in ALL
    if each.scope == "constant"
    or each.name in {"float", "int", "uint", "float2", "float3", "int2", "sampler", "comparing", "shared_uint", "scene"}
]
_SELDOM: Final = [each for each in _OFTEN if each.name in {"float", "float2", "uint", "sampler", "comparing"}]
_LOOKED_AT: Final = 4000
_WANTED: Final = (("", ""), ("constant", "constant"), ("groupshared", "groupshared"), ("groupshared", "constant"))
"""The scopes that the first argument and the others should have: atomic operations change the first."""
_TYPES: Final = ("float", "uint", "float3", "bool", "Pair", "Texture2D<float4>", "3", "void")


def names_of(kind: str) -> list[str]:
    """`functions`, of which some are types that are called; `methods`: the names that its table knows, in quotes
    somewhere in the family's files."""
    if kind == "functions":
        families = [*_FIND._FAMILIES, *_FIND._MADE]
        types = [each.text for each in NUMBERS]
        return [*dict.fromkeys(name for family in families for name in family if name.isidentifier()), *types]
    words: dict[str, None] = {}
    for path in sorted(Path(_FIND.__file__ or "").parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
                words[node.value] = None
    return list(words)


def cases(kind: str, names: list[str], format: str) -> Iterator[Case]:
    for name in names:
        if kind == "functions":
            yield from _calls(name, None, _FIND.find(name), format)
        else:
            for receiver in [*NUMBERS, *LOCALS, *OBJECTS, *(SLANG_ALONE if format == "slang" else ())]:
                found = _FIND.find_method(receiver.type, name) if receiver.type is not None else None
                if found is not None:
                    yield from _calls(name, receiver, found, format)


def _calls(name: str, receiver: Given | None, known: Builtin | None, format: str) -> Iterator[Case]:
    def case(what: str, given: list[Given], type_argument: str = "") -> Case:
        called = f"{receiver.name}.{name}" if receiver else name
        types = [each.type for each in given if each.type]
        fits = known.resolve(types, [], receiver.type if receiver else None) if known is not None else None
        keeps = format == "slang" and fits is not None and fits.result is not VOID
        return Case(called, what, _text(keeps, receiver, name, given, type_argument))

    pool = [each for each in ALL if format == "slang" or each not in SLANG_ALONE]
    uses = _right(known, receiver) if known is not None else [[pool[0]], [pool[1], pool[2]]]
    for use in uses:
        yield case("right", use)
    if not uses and receiver is not None:
        yield from (case("none fits", given) for given in ([], [pool[0]], [pool[2], pool[0]]))
        return
    base = uses[0] if uses else [pool[0], pool[2]]
    widest = max(uses, key=len, default=base)
    for what, given in (("none", []), ("one less", base[:-1]), ("one more", [*widest, pool[0]])):
        if given not in uses:
            yield case(what, given)
    for place in range(len(base)):
        for other in pool:
            if other is not base[place]:
                yield case(f"argument {place + 1}", [*base[:place], other, *base[place + 1 :]])
    for type_argument in _TYPES:
        yield case("type argument", base, type_argument)


def _right(known: Builtin, receiver: Given | None) -> list[list[Given]]:
    """Some that the table takes, the shortest first: of each length one for each of `_WANTED`."""
    found: list[list[Given]] = []
    typed = [each for each in ALL if each.type is not None]
    for length in range(8):
        pool = typed if length < 3 else _OFTEN if length == 3 else _SELDOM
        longer = [[*use, each] for use in found for each in _OFTEN if len(use) == length - 1]
        more = itertools.product(pool, repeat=length) if length < 6 else iter(())
        taken: list[list[Given]] = []
        for use in itertools.chain(longer, map(list, more)):
            if known.resolve([each.type for each in use if each.type], [], receiver.type if receiver else None):
                taken.append(use)
                if len(taken) == _LOOKED_AT:
                    break
        if found and not taken:
            break
        for wanted in _WANTED if taken else ():
            best = max(taken, key=lambda use: _score(use, wanted))
            if best not in found:
                found.append(best)
    return found


def _score(use: list[Given], wanted: tuple[str, str]) -> int:
    first, others = wanted
    return sum(each.scope == (others if at else first) for at, each in enumerate(use))


@cache
def _declared(given: Given, at: int) -> tuple[str, str]:
    """What stands outside of the function, and in it."""
    if given.scope == "constant":
        return "", ""
    if given.scope == "groupshared":
        return f"groupshared {given.text} {given.name}{at};\n", ""
    if given.scope == "global":
        return f"{given.text} {given.name}{at};\n", ""
    if given.text == "Numbers":
        return "", f"  int {given.name}{at}[3] = {{ 1, 2, 3 }};\n"
    if given.text == "Pair":
        return "", f"  Pair {given.name}{at} = {{ 1, 2.0 }};\n"
    return "", f"  {given.text} {given.name}{at} = ({given.text})1;\n"


def _text(keeps: bool, receiver: Given | None, name: str, given: list[Given], type_argument: str) -> bytes:
    outside, inside, words = "", "", []
    for at, each in enumerate([receiver, *given] if receiver else given):
        assert each is not None
        over, within = _declared(each, at)
        outside, inside = outside + over, inside + within
        words.append(each.name if each.scope == "constant" else f"{each.name}{at}")
    callee = f"{words.pop(0)}.{name}" if receiver else name
    types = f"<{type_argument}>" if type_argument else ""
    call = f"{callee}{types}({', '.join(words)})"
    kept = f"let kept = {call};" if keeps else f"{call};"
    return f"""struct Pair {{ int a; float b; }};
RWStructuredBuffer<uint> to;
{outside}[shader("compute")]
[numthreads(4, 1, 1)]
void main() {{
{inside}  {kept}
  to[0] = 7;
}}
""".encode()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("formats", nargs="*", default=FORMATS)
    options = parser.parse_args()
    every = [(format, kind) for format in options.formats for kind in ("functions", "methods")]
    return ended(sum(tally(f"{format} {kind}", cases(kind, names_of(kind), format), format) for format, kind in every))


if __name__ == "__main__":
    raise SystemExit(main())
