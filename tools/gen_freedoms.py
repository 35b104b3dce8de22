"""Make the ledger of freedoms from tools/freedoms.toml, which says what its words mean.

    tools/freedoms.toml   ->   src/reknit/ir/freedoms.py    the rows, and which opcode, decoration ... brings in which
                          ->   docs/freedoms.md             each row with its sentence, and how each command treats it

    python tools/gen_freedoms.py            (after an edit of freedoms.toml, or of the grammar)
    python tools/gen_freedoms.py --check    (exit code 1 if a file is not what it would be)
"""

import fnmatch
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import gen_traits

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tools" / "freedoms.toml"
TARGET = ROOT / "src" / "reknit" / "ir" / "freedoms.py"
PAGE = ROOT / "docs" / "freedoms.md"
FIRST_OWN = 0x10000
WIDTH = 120

KINDS = {
    "opcodes": "opcode",
    "decorations": "decoration",
    "modes": "execution mode",
    "builtins": "built-in",
    "storage": "storage classe",
    "instructions": "extended instruction",
}
GRAMMAR_KINDS = {
    "decorations": "Decoration",
    "modes": "ExecutionMode",
    "builtins": "BuiltIn",
    "storage": "StorageClass",
}
VERBS = ("run", "outcomes", "prove", "compare", "lint", "trace")
WORDS = (
    "enumerated", "sampled", "symbolic", "given", "input", "bounded", "fixed", "refused", "alike", "tolerated",
    "reported", "silent",
)  # fmt: skip
CONDITIONS = {
    "fragment": "in a fragment shader",
    "graphics": "in a graphics stage",
    "shader": "in a shader, not in an OpenCL kernel",
    "maximal": "with MaximallyReconvergesKHR",
    "weaker": "without MaximallyReconvergesKHR",
    "several": "where several invocations may run",
    "unstructured": "in an unstructured function",
    "varying": "for inputs that vary over a primitive",
    "wide": "for 64-bit floats",
    "floats": "on floats",
    "chained": "on the result of another float operation",
    "shared": "on memory that other invocations can access",
    "repeats": "if it is an atomic, or the entry point also loads from memory that invocations write",
    "indexed": "for an image from an array, at an index that is no constant",
    "converted": "to an image of floats that are not 32 bits wide",
    "normalized": "from an image whose format is, or may be, of normalized integers",
    "demotes": "where the entry point can demote an invocation",
    "denormals-preserved": "with DenormPreserve",
    "signs-preserved": "with SignedZeroInfNanPreserve",
    "returns": "where an invocation can return from the entry point earlier than another",
}
SEEN = {
    "inexact": "a result was rounded",
    "imprecise": "one was executed",
    "denormal": "an operand or result was a denormal",
    "special": "an operand was an infinity or a NaN, or a result one of these or a zero",
    "nan": "a result was a NaN",
    "negative": "an operand was negative",
    "order": "another order can give another result",
    "outside": "an access was out of bounds",
    "undefined": "a value was undefined",
    "undefined-behavior": "an instruction was executed with operands for which its behavior is undefined",
    "undefined-way": "a branch or an address depended on an undefined value",
    "not-uniform": "not all invocations executed the operation together, or their operands differed",
    "conflict": "two accesses conflicted",
    "unfinished": "it did not finish",
    "undetermined": "the input leaves open which invocations reconverge where",
}
SETS = {
    "tangled": "every tangled operation",
    "groups": "every group operation except barriers",
    "atomics": "every atomic",
    "floats": "every float operation",
    "floats-without-signs": "the float operations that need not respect SignedZeroInfNanPreserve",
    "floats-without-denormals": "the float operations that need not respect DenormPreserve",
    "glsl-without-denormals": "the float functions that need not respect DenormPreserve",
    "memory": "every access to memory,",
    "own": "every opcode of reknit's own",
    "imprecise": "FDiv, FRem, FMod, Dot and products with matrices",
    "glsl-exact": "the correctly rounded float functions,",
    "glsl-imprecise": "the float functions with an error bound",
}

Key = int | tuple[str, int]
"""A number of the grammar, or an extended set's name and an instruction's number."""


class Mistake(ValueError):
    """The table contradicts itself or the grammar."""


class Ledger:
    """The table, with the grammar's names looked up. `brought` says by kind which rows each number brings in;
    `determined` and `unmodelled` which group it is in."""

    def __init__(self, text: str, grammar: dict[str, Any]) -> None:
        self.table: dict[str, Any] = tomllib.loads(text)
        self.names = names_of(grammar)
        self.sets: dict[str, list[str]] = {name: words.split() for name, words in self.table["sets"].items()}
        self.sets |= sets_of_traits(self.names["opcodes"])
        self.rows: dict[str, dict[str, str]] = self.table["freedom"]
        self.brought: dict[str, dict[Key, list[str]]] = {kind: {} for kind in KINDS}
        self.determined: dict[str, dict[Key, str]] = {kind: {} for kind in KINDS}
        self.unmodelled: dict[str, dict[Key, str]] = {kind: {} for kind in KINDS}
        for name, row in self.rows.items():
            self.check(name, row)
            for kind in KINDS:
                for key in self.numbers(f"[freedom.{name}]", kind, row.get(kind, ""), False):
                    self.brought[kind].setdefault(key, []).append(name)
        for part, found in (("determined", self.determined), ("unmodelled", self.unmodelled)):
            for name, group in self.table[part].items():
                for kind in KINDS:
                    for key in self.numbers(f"[{part}.{name}]", kind, group.get(kind, ""), part == "unmodelled"):
                        if key not in self.brought[kind] and (part == "determined" or key not in self.determined[kind]):
                            found[kind].setdefault(key, name)

    def check(self, name: str, row: dict[str, str]) -> None:
        for field in ("title", "sentence", "source", *VERBS[:-1]):
            if field not in row:
                raise Mistake(f"[freedom.{name}] has no {field}")
        for verb in VERBS:
            word = row.get(verb, row["run"]).partition(":")[0]
            if word not in WORDS:
                raise Mistake(f"[freedom.{name}] {verb}: no treatment is called {word!r}")
        unknown = [word for word in row.get("with", "").split() if word not in CONDITIONS]
        if unknown or row.get("seen") not in (None, *SEEN):
            raise Mistake(f"[freedom.{name}] has a condition that is not known: {unknown or row.get('seen')}")

    def numbers(self, where: str, kind: str, words: str, patterns: bool) -> list[Key]:
        """The numbers of what a row lists."""
        if kind != "instructions":
            return [
                self.names[kind][name] for name in self.expanded(where, kind, words.split(), self.names[kind], patterns)
            ]
        keys: list[Key] = []
        for part in filter(None, (each.strip() for each in words.split(";"))):
            title, _, listed = part.partition(": ")
            members = self.names[kind].get(title)
            if members is None:
                raise Mistake(f"{where}: the grammar has no extended set {title}")
            wanted = list(members) if listed == "*" else self.expanded(where, kind, listed.split(), members, patterns)
            keys.extend([(title, members[name]) for name in wanted])
        return keys

    def expanded(
        self, where: str, kind: str, words: list[str], known: dict[str, int], patterns: bool
    ) -> list[str]:
        found: list[str] = []
        for word in words:
            if word.startswith("@"):
                if word[1:] not in self.sets:
                    raise Mistake(f"{where}: there is no set {word}")
                found.extend(self.sets[word[1:]])
            elif "*" in word and patterns:
                found.extend([name for name in known if fnmatch.fnmatchcase(name, word)])
            elif word in known:
                found.append(word)
            else:
                raise Mistake(f"{where}: the grammar has no {KINDS[kind]} {word}")
        return list(dict.fromkeys(found))

    def missing(self) -> list[str]:
        """What of the grammar is in no part of the ledger."""
        found: list[str] = []
        for kind, what in KINDS.items():
            for name, key in self.every(kind):
                if not any(key in part[kind] for part in (self.brought, self.determined, self.unmodelled)):
                    found.append(f"{what} {name}")
        return found

    def every(self, kind: str) -> list[tuple[str, Key]]:
        if kind != "instructions":
            return list(self.names[kind].items())
        return [
            (f"{title} {name}", (title, number))
            for title, members in self.names[kind].items()
            for name, number in members.items()
        ]


def names_of(grammar: dict[str, Any]) -> dict[str, Any]:
    """By kind: name -> number; of extended instructions: set -> name -> number."""
    names: dict[str, Any] = {"opcodes": {row.split("|")[0]: int(code) for code, row in grammar["instructions"].items()}}
    for kind, title in GRAMMAR_KINDS.items():
        rows = [row.split("|") for row in grammar["kinds"][title][1:]]
        names[kind] = {row[1]: int(row[0]) for row in rows}
    names["instructions"] = {
        title: {row.split("|")[1]: int(row.split("|")[0]) for row in rows} for title, rows in grammar["sets"].items()
    }
    return names


def sets_of_traits(codes: dict[str, int]) -> dict[str, list[str]]:
    """The sets that follow from tools/ops.toml and the grammar."""
    words, _ = gen_traits.table(gen_traits.TABLE.read_text(), gen_traits.grammar())
    tangled = [name for name, among in words["tangled"].items() if among not in ("bits", "packs")]
    groups = [name for name in tangled if words["tangled"][name] in ("scope", "subgroup")]
    groups = [name for name in groups if name not in words["barrier"]]
    return {
        "tangled": tangled,
        "groups": [name for name in groups if codes[name] < FIRST_OWN],
        "atomics": list(words["atomic"]),
        "own": [name for name, code in codes.items() if code >= FIRST_OWN],
    }


# --- the module -------------------------------------------------------------------------------------------------------

HEAD = '''"""What SPIR-V, its extensions and the client API leave open: one row for each freedom, and what brings it in.

Generated by tools/gen_freedoms.py from tools/freedoms.toml, which says what the words mean; not edited by hand.
`reknit.analysis.freedoms` finds the rows that a module brings in.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Treatment:
    """How a command treats a freedom: a word of `tools/freedoms.toml`, and for "given" and "fixed" what is taken."""

    word: str
    text: str


@dataclass(frozen=True, slots=True)
class Freedom:
    """One row. `title` reads on after "up to". `conditions` all hold where it applies. `closing_modes` and
    `closing_decorations` take it away, a mode of `closing_widths` only for floats of its width. With `seen` it applies
    where a run saw that happen, or where all runs are asked about."""

    name: str
    title: str
    sentence: str
    source: str
    conditions: tuple[str, ...]
    closing_modes: tuple[int, ...]
    closing_widths: tuple[int, ...]
    closing_decorations: tuple[int, ...]
    closing_options: tuple[str, ...]
    seen: str
    treatments: dict[str, Treatment]


# fmt: off
# ruff: noqa: E501
'''


def text_of(value: str) -> str:
    return repr(value) if '"' in value else f'"{value}"'


def row_text(ledger: Ledger, name: str, row: dict[str, str]) -> str:
    modes: list[int] = []
    widths: list[int] = []
    for part in filter(None, (each.strip() for each in row.get("closed-by-modes", "").split(","))):
        for mode in part.removesuffix(" of WIDTH").split():
            number = ledger.names["modes"][mode]
            (widths if part.endswith(" of WIDTH") else modes).append(number)
    decorations = [ledger.names["decorations"][each] for each in row.get("closed-by-decorations", "").split()]
    treatments: list[str] = []
    for verb in VERBS:
        word, _, text = row.get(verb, row["run"]).partition(":")
        treatments.append(f'        "{verb}": Treatment("{word}", {text_of(text.strip())}),')
    return "\n".join(
        [
            f'    "{name}": Freedom(',
            f"        {text_of(name)},",
            f"        {text_of(row['title'])},",
            f"        {text_of(row['sentence'])},",
            f"        {text_of(row['source'])},",
            f"        {tuple(row.get('with', '').split())!r},",
            f"        {tuple(modes)!r},",
            f"        {tuple(widths)!r},",
            f"        {tuple(decorations)!r},",
            f"        {tuple(row.get('closed-by-options', '').split())!r},",
            f"        {text_of(row.get('seen', ''))},",
            "        {",
            *[f"    {each}" for each in treatments],
            "        },",
            "    ),",
        ]
    )


def module_text(ledger: Ledger) -> str:
    lines = [HEAD, "FREEDOMS: Final[dict[str, Freedom]] = {"]
    lines.extend([row_text(ledger, name, row) for name, row in ledger.rows.items()])
    lines.append("}")
    for kind in KINDS:
        key = "tuple[str, int]" if kind == "instructions" else "int"
        lines.append(f"\nBY_{kind.upper()}: Final[dict[{key}, tuple[str, ...]]] = {{")
        entries = [f"{quoted(number)}: {quoted(tuple(rows))}," for number, rows in ordered(ledger.brought[kind])]
        lines.extend(gen_traits.wrapped(entries, "    ") if entries else [])
        lines.append("}")
        lines.append(f'"""Which rows a number of this kind brings in: the {KINDS[kind]}s."""')
        lines.append(f"\nDETERMINED_{kind.upper()}: Final[frozenset[{key}]] = frozenset((")
        entries = [f"{quoted(number)}," for number, _ in ordered(ledger.determined[kind])]
        lines.extend(gen_traits.wrapped(entries, "    ") if entries else [])
        lines.append("))")
        lines.append(f"\nUNMODELLED_{kind.upper()}: Final[frozenset[{key}]] = frozenset((")
        entries = [f"{quoted(number)}," for number, _ in ordered(ledger.unmodelled[kind])]
        lines.extend(gen_traits.wrapped(entries, "    ") if entries else [])
        lines.append("))")
    lines.append('"""What has no freedom of its own, and what has no model here: DETERMINED_ and UNMODELLED_."""')
    return "\n".join(lines) + "\n"


def ordered(found: dict[Key, Any]) -> list[tuple[Key, Any]]:
    return sorted(found.items(), key=lambda item: item[0] if isinstance(item[0], tuple) else ("", item[0]))


def quoted(value: object) -> str:
    """As Python has it, with double quotes."""
    if isinstance(value, tuple):
        return "(" + ", ".join(quoted(part) for part in value) + ("," if len(value) == 1 else "") + ")"
    return f'"{value}"' if isinstance(value, str) else repr(value)


# --- the page ---------------------------------------------------------------------------------------------------------

PAGE_HEAD = """# The ledger of freedoms

SPIR-V, its extensions and Vulkan leave some results to the implementation: how floats are rounded, which invocations
share a subgroup, whether helper invocations count in a sum. Each such choice is a *freedom*, and this page has a row
for each one that reknit knows. A shader *brings in* a row if it has an instruction, mode or variable that it names;
a mode or decoration that fixes the choice *closes* the row. `tools/gen_freedoms.py` generates the page from
`tools/freedoms.toml`; the verdicts of `reknit outcomes` and `reknit prove` use the same rows.

## How to read a first line

The first line of `reknit outcomes` is about all results that the rules allow for the given buffer
contents. It is made of these parts:

- `1 outcome: no other is allowed`, or `5 outcomes, and these are all`: for each row that the shader brings in, every
  choice was tried, or the choice is given or part of the input.
- `given subgroup size 4 and invocations in index order`: the answer holds for these settings, which options or their
  defaults fix; others may give other results.
- `where ? may be anything`: words that are shown as `?` are undefined.
- `within bounds of: the rounding of floats (%half, line 12)`: an implementation may round `%half` in another way, and
  give other floats. The floats that it may give are listed under `bounds:`, as values
  (`out[0] in {1.5999999, 1.60000002}`) or as an interval (`out[0] in [0.25, 0.5]`).
- `up to: the rounding of floats (%half, line 12)`: the simulator took one choice, here its own rounding. Another choice
  may give another result, and no bounds of it are known.
- `apart from these, within bounds of: ...`: as above, for floats that the rows after `up to` do not change; those may
  move a float beyond the bounds that are listed.
- `5 outcomes found`, `there may be more`: only a sample was tried.

More than two rows are listed one a line.

An instruction, decoration, execution mode, built-in or storage class that no row and no group below mentions is
*unknown*, and the first line names it after `up to`.

## How to read a row

Quotations are without the markup of their source (`must:`, `code:`). Where a row says "in a run, only if", `prove`
keeps the row for every input. For each command, the row says how it treats the choice:

| word | meaning |
|---|---|
| enumerated | every choice is tried, up to `--limit` combinations; beyond that the verdict says that it is a sample |
| sampled | some choices are tried; the verdict says that it is a sample |
| symbolic | any value is assumed: `outcomes` shows `?`, and a verdict of `prove` holds for every value |
| given | an option or its default fixes the choice, and the verdict holds for that |
| input | part of the input of the command |
| fixed | one choice is taken, and the verdict says that others are allowed |
| refused | the command rejects such shaders (the simulator does not support them) |
| alike | assumed to be decided the same way in both versions, if the operands are equal |
| bounded | every choice is tried if there are few; else the verdict gives bounds of floats, or the row stays open |
| tolerated | values may differ within the bounds that the quoted sentence sets |
| reported | the command reports a diagnostic; `outcomes` lists the row after `up to` |
| silent | the command ignores the choice: its answer may be wrong where the choice matters |
"""


def page(ledger: Ledger) -> str:
    lines = [PAGE_HEAD, "## What is left open", ""]
    for name, row in ledger.rows.items():
        lines += [f"### {name}", "", f"{row['title'][0].upper()}{row['title'][1:]}.", ""]
        if row["sentence"]:
            lines += [f"> {plain(row['sentence'])}", ">", f"> {plain(row['source'])}", ""]
        else:
            lines += [plain(row["source"]), ""]
        lines += ["| | |", "|---|---|"]
        brings = [f"{KINDS[kind]}s: {in_words(row[kind])}" for kind in KINDS if row.get(kind)]
        if row.get("also"):
            brings.append(row["also"])
        brings += [CONDITIONS[word] for word in row.get("with", "").split()]
        if row.get("seen"):
            brings.append(f"in a run, only if {SEEN[row['seen']]}")
        closes = [row.get(f"closed-by-{what}", "") for what in ("modes", "decorations", "options")]
        closes = [each for each in closes if each]
        lines.append(f"| brought in by | {'; '.join(brings).replace('|', '')} |")
        lines.append(f"| closed by | {', '.join(closes) if closes else 'nothing'} |")
        lines.extend([f"| {verb} | {row.get(verb, row['run'])} |" for verb in VERBS])
        lines.append("")
    lines += ["## What leaves nothing open", "", "| | why |", "|---|---|"]
    lines.extend([f"| {name} | {group['why']} |" for name, group in ledger.table["determined"].items()])
    lines += [
        "", "## What has no model", "",
        "What these leave open is unknown, and a verdict about a shader that uses one says so.", "",
        "| | why |", "|---|---|",
    ]  # fmt: skip
    lines.extend([f"| {name} | {group['why']} |" for name, group in ledger.table["unmodelled"].items()])
    return "\n".join(lines) + "\n"


def in_words(listed: str) -> str:
    """`GLSL.std.450: @glsl-exact Sin` for a reader."""
    return re.sub(r"@([\w-]+)", lambda found: SETS[found.group(1)], listed)


def plain(text: str) -> str:
    """Without the marks of the specification's sources (`must:`, `code:`)."""
    for word in ("must", "may", "can", "undefined", "required", "should", "optional"):
        text = text.replace(f"{word}:", word)
    return text.replace("code:", "")


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print("usage: gen_freedoms.py [--check]", file=sys.stderr)
        return 2
    ledger = Ledger(TABLE.read_text(encoding="utf-8"), gen_traits.opcodes())
    made = {TARGET: module_text(ledger), PAGE: page(ledger)}
    if not arguments:
        for path, text in made.items():
            path.write_text(text, encoding="utf-8")
        missing = ledger.missing()
        print("\n".join(f"in no part of the ledger: {each}" for each in missing), end="\n" if missing else "")
        return 1 if missing else 0
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path.name} is not what tools/freedoms.toml says: run tools/gen_freedoms.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
