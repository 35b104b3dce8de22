"""Pages of pairs of SPIR-V modules: tests/spec/differing and tests/spec/equal, a `##` section a pair.

    ```spirv base            the module that the pairs below are made of, until another base follows
    @NAME                    a line of the base, or the end of one: a hole, empty where a pair doesn't fill it
    ;; constants             a line of the base: types and constants that are used but not written out are declared here

    ## Division is signed    a pair
    > sentence (source)      what makes the two modules differ, quoted
    ```diff                  lines of the base, `-` before, `+` after, others in both, and `~` for one that neither has
    ...                      between two places
    @@ NAME                  what fills a hole, by the same signs, up to `...`
    Run with a = 1, b = [2 3]: out = 5, after 0xfffffff0.      what an execution stores, derived by hand
    Subgroup size N.         for the run, where it isn't 4
    Not judged by spirv-val: why.

A line Environment: `spv1.6`. beside a base names the rules that spirv-val judges by, where they aren't Vulkan's. Names
of types and constants say what they are, as spirv-dis has them: `%v2float`, `%_ptr_Uniform_uint`, `%_arr_uint_4`,
`%mat2v3float`, `%fn_void_uint` (a function's type), `%uint_7`, `%int_n1`, `%float_0_5`, `%true`, `%undef_uint`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kit import ROOT
from kit.text.pages import fences, prose

DIFFERING: Final = ROOT / "tests" / "spec" / "differing"
EQUAL: Final = ROOT / "tests" / "spec" / "equal"

_HOLE = re.compile(r"(?:^| )@(\w+)$", re.MULTILINE)
_IDS = re.compile(r"%(\w+)")
_DEFINED = re.compile(r"^\s*%(\w+)\s*=", re.MULTILINE)
_RESOURCE = re.compile(
    r"^%(\w+) = OpVariable %\w+ (?:StorageBuffer|Uniform|UniformConstant|PushConstant)\b", re.MULTILINE
)
_RUN = re.compile(
    r"^Run(?: with (?P<given>[^:]*))?: (?P<name>\w+) = (?P<before>[^;,]+), after (?P<after>.+?)\.$", re.MULTILINE
)
_GIVEN = re.compile(r"(\w+) = (\[[^\]]*\]|[^,\s]+)")

_SCALARS: Final = {
    "void": "OpTypeVoid",
    "bool": "OpTypeBool",
    "char": "OpTypeInt 8 1",
    "uchar": "OpTypeInt 8 0",
    "short": "OpTypeInt 16 1",
    "ushort": "OpTypeInt 16 0",
    "int": "OpTypeInt 32 1",
    "uint": "OpTypeInt 32 0",
    "long": "OpTypeInt 64 1",
    "ulong": "OpTypeInt 64 0",
    "half": "OpTypeFloat 16",
    "float": "OpTypeFloat 32",
    "double": "OpTypeFloat 64",
}
_SCALAR: Final = "|".join(_SCALARS)
_SHAPES: Final = [
    (re.compile(rf"^v([234])({_SCALAR})$"), "OpTypeVector %{1} {0}"),
    (re.compile(r"^mat([234])(v[234](?:float|double|half))$"), "OpTypeMatrix %{1} {0}"),
    (re.compile(r"^_ptr_([A-Z][A-Za-z]+)_(\w+)$"), "OpTypePointer {0} %{1}"),
    (re.compile(r"^_arr_(\w+)_(\d+)$"), "OpTypeArray %{0} %uint_{1}"),
    (re.compile(r"^undef_(\w+)$"), "OpUndef %{0}"),
    (re.compile(r"^null_(\w+)$"), "OpConstantNull %{0}"),
    (re.compile(r"^(true|false)$"), "OpConstant{0} %bool"),
    (re.compile(rf"^({_SCALAR})_(n?(?:0x[0-9a-f]+p?(?:_?\d+)?|\d+(?:_\d+)?))$"), "OpConstant %{0} {1}"),
]


@dataclass(slots=True, frozen=True)
class Run:
    """What an execution is given, by the name of a buffer, and what `name` must hold after it."""

    given: dict[str, list[int]]
    name: str
    before: list[int]
    after: list[int]
    subgroup_size: int


@dataclass(slots=True, frozen=True)
class Pair:
    page: str
    title: str
    sentence: str
    before: str
    after: str
    run: Run | None
    environment: str
    unjudged: str = field(default="")

    @property
    def name(self) -> str:
        return f"{self.page}: {self.title}"


def pairs(folder: Path) -> list[Pair]:
    return [pair for path in sorted(folder.glob("*.md")) for pair in of_page(path)]


def of_page(path: Path) -> Iterator[Pair]:
    base, environment = "", ""
    for section in re.split(r"^(?=##? )", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
        blocks = list(fences(section))
        found = [code for info, code in blocks if info == "spirv base"]
        assert not found or not section.startswith("## "), f"{path.name}: a base stands in a section of its own"
        if found:
            base = found[0]
            named = re.search(r"^Environment: `([^`]+)`", section, re.MULTILINE)
            environment = named[1] if named is not None else ""
        if not section.startswith("## "):
            continue
        title = section.splitlines()[0].removeprefix("## ").strip()
        where = f"{path.name}: {title}"
        text = prose(section)
        quote = " ".join(line[2:] for line in text.splitlines() if line.startswith("> "))
        edits = [code for info, code in blocks if info == "diff"]
        assert len(edits) == 1 and quote, f"{where}: one ```diff and a quoted sentence"
        reason = re.search(r"^Not judged by spirv-val: (.+)$", text, re.MULTILINE)
        yield Pair(
            path.stem,
            title,
            quote,
            complete(edited(base, edits[0], "-", where)),
            complete(edited(base, edits[0], "+", where)),
            run_of(text),
            environment,
            reason[1] if reason is not None else "",
        )


def run_of(text: str) -> Run | None:
    found = _RUN.search(text)
    assert (found is None) == ("\nRun" not in text), text
    if found is None:
        return None
    given = {name: words(value) for name, value in _GIVEN.findall(found["given"] or "")}
    size = re.search(r"^Subgroup size (\d+)\.", text, re.MULTILINE)
    return Run(given, found["name"], words(found["before"]), words(found["after"]), int(size[1]) if size else 4)


def words(text: str) -> list[int]:
    """`7`, `-1`, `0xff` or a list of them, as 32-bit words."""
    return [int(word, 0) & 0xFFFFFFFF for word in text.strip("[] ").split()]


def edited(base: str, edit: str, side: str, where: str) -> str:
    """The base with a pair's edit, on the side of `-` or of `+`: first its holes are filled, then its lines changed."""
    parts = re.split(r"^(?:@@ (\w+)|\.\.\.)\n", edit, flags=re.MULTILINE)
    fills = {name: text for name, text in zip(parts[1::2], parts[2::2], strict=True) if name}
    hunks = [parts[0], *(text for name, text in zip(parts[1::2], parts[2::2], strict=True) if not name)]
    text = "\n".join(line.strip() for line in base.splitlines()) + "\n"
    holes = set(_HOLE.findall(text))
    assert fills.keys() <= holes, f"{where}: no hole {fills.keys() - holes}"
    for hole in holes:
        filled = of_side(fills.get(hole, ""), side)
        text = text.replace(f" @{hole}\n", "".join(f" {line}" for line in filled) + "\n")
        text = text.replace(f"\n@{hole}\n", "\n" + "".join(f"{line}\n" for line in filled))
    lines = text.splitlines()
    for hunk in hunks:
        if hunk.strip():
            lines = patched(lines, hunk, side, where)
    return "\n".join(lines) + "\n"


def patched(lines: list[str], hunk: str, side: str, where: str) -> list[str]:
    """`lines`, those that a hunk finds (its `~` lines, or context and `-`) replaced by those of the side."""
    old = of_side(hunk, "~") if re.search(r"^~", hunk, re.MULTILINE) else of_side(hunk, "-")
    places = [at for at in range(len(lines)) if lines[at : at + len(old)] == old]
    assert len(places) == 1 and old, f"{where}: {len(places)} places for\n{hunk}"
    return lines[: places[0]] + of_side(hunk, side) + lines[places[0] + len(old) :]


def of_side(text: str, side: str) -> list[str]:
    """The lines of a side, `-` or `+`, with those of both; of `~`, only these."""
    kept = "~" if side == "~" else f" {side}"
    return [line[1:].strip() for line in text.splitlines() if line.strip() and line[0] in kept]


def complete(text: str) -> str:
    """The text with the types and constants that it names and lacks, and the names of its resources."""
    declared: dict[str, str] = {}
    known = set(_DEFINED.findall(text))
    for name in dict.fromkeys(_IDS.findall(text)):
        declare(name, known, declared)
    names = [f'OpName %{name} "{name}"' for name in _RESOURCE.findall(text)]
    text = text.replace(";; names\n", "".join(line + "\n" for line in names))
    return text.replace(";; constants\n", "".join(f"%{name} = {what}\n" for name, what in declared.items()))


def declare(name: str, known: set[str], declared: dict[str, str]) -> None:
    """Declare a name after those that its declaration names; a name that says nothing is left to the assembler."""
    if name in known or name in declared:
        return
    what = declaration(name)
    if not what:
        return
    for part in _IDS.findall(what):
        if part in known and part not in declared:
            return  # made of what the text declares, so the text has to declare it too
        declare(part, known, declared)
    declared[name] = what


def declaration(name: str) -> str:
    if name in _SCALARS:
        return _SCALARS[name]
    if name.startswith("fn_"):
        return "OpTypeFunction " + " ".join(f"%{part}" for part in name.split("_")[1:])
    for shape, what in _SHAPES:
        if (found := shape.match(name)) is not None:
            parts = [found[1].capitalize() if found[1] in ("true", "false") else found[1], *found.groups()[1:]]
            if what.startswith("OpConstant %"):
                parts[1] = number(parts[1])
            return what.format(*parts)
    return ""


def number(text: str) -> str:
    """`n1` is -1, `0_5` is 0.5, `0x1p_4` is 0x1p-4."""
    sign = "-" if text.startswith("n") else ""
    text = text.removeprefix("n")
    return sign + (text.replace("p_", "p-") if text.startswith("0x") else text.replace("_", "."))
