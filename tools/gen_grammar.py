"""Make reknit's opcode tables from the Khronos grammar files, and from own.grammar.json for what SPIR-V lacks.

    DIR/spirv.core.grammar.json        ->  src/reknit/ir/op.py         IAdd: Final = 128
    tools/own.grammar.json             ->                              MakeExistential: Final = 65543
    DIR/extinst.*.grammar.json         ->  src/reknit/ir/enums.py      StorageClassFunction: Final = 7
                                       ->  src/reknit/ir/opcodes.txt   all else, a line an instruction or enumerant

    DIR/../spir-v.xml                  ->                           (in opcodes.txt: the names of generators)

    python tools/gen_grammar.py .../include/spirv/unified1        (SPIRV-Headers; its newest release)
    python tools/gen_grammar.py            (after an edit of own.grammar.json, or when code names a new enumerant)

Rows of opcodes.txt are lines under `[instructions]`, `[kind NAME]` (its category first), `[set NAME]`, `[generators]`:
a run that asks about thirty instructions builds objects for thirty. What every run asks is listed too: `[codes]`
has the opcodes of `[instructions]` in their order, `[results]` those with one word of result and those with two.

    instruction  "name|class|operand, ...|capabilities|extensions|version|last version|aliases"
    enumerant    "value|name|parameter, ...|capabilities|extensions|version|last version|aliases"
    extended     "number|name|operand, ...|capabilities|extensions"
    operand      "Kind", "Kind? its name", "Kind* its name"    (separated by ";")
"""

import json
import keyword
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import gen_traits

TOOLS = Path(__file__).resolve().parent
HERE = TOOLS.parent / "src" / "reknit" / "ir"
OWN_MARK = "\n# reknit's own, from tools/own.grammar.json: no SPIR-V word holds them.\n"
FIRST_OWN = 0x10000

# The kinds that code asks about by name; everything else is looked up in the table.
NAMED_KINDS = (
    "AddressingModel", "BuiltIn", "Capability", "Decoration", "Dim", "ExecutionMode", "ExecutionModel",
    "FunctionControl", "FPEncoding", "GroupOperation", "ImageOperands", "LinkageType", "LoopControl", "MemoryAccess",
    "MemoryModel", "MemorySemantics", "Scope", "SelectionControl", "SourceLanguage", "StorageClass",
)  # fmt: skip

# Grammar file -> the names that modules import the set by. A name that ends in "*" stands for all that begin so:
# later versions of these sets only add instructions.
EXTENDED_SETS = {
    "extinst.glsl.std.450": "GLSL.std.450",
    "extinst.opencl.std.100": "OpenCL.std",
    "extinst.debuginfo": "DebugInfo",
    "extinst.opencl.debuginfo.100": "OpenCL.DebugInfo.100",
    "extinst.nonsemantic.shader.debuginfo": "NonSemantic.Shader.DebugInfo.*",
    "extinst.nonsemantic.graph.debuginfo": "NonSemantic.Graph.DebugInfo.*",
    "extinst.nonsemantic.clspvreflection": "NonSemantic.ClspvReflection.*",
    "extinst.nonsemantic.vkspreflection": "NonSemantic.VkspReflection.*",
    "extinst.spv-amd-gcn-shader": "SPV_AMD_gcn_shader",
    "extinst.spv-amd-shader-ballot": "SPV_AMD_shader_ballot",
    "extinst.spv-amd-shader-explicit-vertex-parameter": "SPV_AMD_shader_explicit_vertex_parameter",
    "extinst.spv-amd-shader-trinary-minmax": "SPV_AMD_shader_trinary_minmax",
    "extinst.tosa.001000.1": "TOSA.001000.1",
    "extinst.arm.motion-engine.100": "Arm.MotionEngine.100",
    "extinst.arm.experimental-ml-operations": "Arm.ExperimentalMLOperations.*",
}
# Left out on purpose: NonSemantic.DebugPrintf and DebugBreak, whose instructions SPIRV-Tools prints and reads as
# numbers, and the older NonSemantic.Shader.DebugInfo.100, of which the newer file is a superset.

Row = dict[str, Any]


def operand_text(operand: Row, own_kinds: set[str], prefix: str) -> str:
    kind = operand["kind"]
    if kind in own_kinds:
        kind = f"{prefix}:{kind}"
    name = " ".join(operand.get("name", "").replace(";", ",").replace("|", "/").split())
    return f"{kind}{operand.get('quantifier', '')} {name}".strip()


def operands_text(row: Row, key: str = "operands", own_kinds: set[str] | None = None, prefix: str = "") -> str:
    return ";".join(operand_text(operand, own_kinds or set(), prefix) for operand in row.get(key, []))


def conditions(row: Row) -> list[str]:
    return [" ".join(row.get("capabilities") or row.get("capability") or []), " ".join(row.get("extensions", []))]


def age(row: Row) -> list[str]:
    return [row.get("version", ""), row.get("lastVersion", ""), " ".join(row.get("aliases", []))]


def short(name: str) -> str:
    return name.removeprefix("Op")


def number(value: int | str) -> int:
    return int(value, 0) if isinstance(value, str) else value


def instruction_rows(core: Row) -> dict[str, str]:
    rows: dict[str, str] = {}
    for row in sorted(core["instructions"], key=lambda r: int(r["opcode"])):
        aliases = " ".join(short(alias) for alias in row.get("aliases", []))
        fields = [short(row["opname"]), row["class"], operands_text(row), *conditions(row), *age(row)[:2], aliases]
        rows[str(row["opcode"])] = "|".join(fields)
    return rows


def result_rows(instructions: dict[str, str]) -> dict[str, str]:
    """How many words of result -> the opcodes that have so many: what every reader of a binary asks first."""
    codes: dict[str, list[str]] = {"1": [], "2": []}
    for code, row in instructions.items():
        kinds = [operand.partition(" ")[0] for operand in row.split("|", 3)[2].split(";")]
        if "IdResult" in kinds:
            codes["2" if "IdResultType" in kinds else "1"].append(code)
    return {words: " ".join(having) for words, having in codes.items()}


def kind_rows(kinds: list[Row], prefix: str = "") -> dict[str, list[str]]:
    """Kind name -> its category, then its enumerants in order of value."""
    own = {kind["kind"] for kind in kinds} if prefix else set()
    out: dict[str, list[str]] = {}
    for kind in kinds:
        if kind["category"] == "Composite":
            out[kind["kind"]] = [kind["category"], *kind["bases"]]
            continue
        rows = [kind["category"]]
        for row in sorted(kind.get("enumerants", []), key=lambda r: number(r["value"])):
            fields = [str(number(row["value"])), row["enumerant"], operands_text(row, "parameters", own, prefix)]
            rows.append("|".join(fields + conditions(row) + age(row)))
        out[f"{prefix}:{kind['kind']}" if prefix else kind["kind"]] = rows
    return out


def extended_rows(folder: Path, kinds: dict[str, list[str]]) -> dict[str, list[str]]:
    sets: dict[str, list[str]] = {}
    for file, name in EXTENDED_SETS.items():
        grammar = json.loads((folder / f"{file}.grammar.json").read_text())
        used = {operand["kind"] for row in grammar["instructions"] for operand in row.get("operands", [])}
        # Non-semantic sets describe enumerations that their operands reach only through constants: nothing prints them.
        own = [kind for kind in grammar.get("operand_kinds", []) if kind["kind"] in used]
        names = {kind["kind"] for kind in own}
        kinds.update(kind_rows(own, name))
        sets[name] = [
            "|".join([str(row["opcode"]), row["opname"], operands_text(row, "operands", names, name), *conditions(row)])
            for row in sorted(grammar["instructions"], key=lambda r: int(r["opcode"]))
        ]
    return sets


def generator_rows(registry: Path) -> dict[str, str]:
    """Number of a registered tool -> "Vendor Tool"."""
    rows: dict[str, str] = {}
    for ids in ElementTree.parse(registry).getroot().iter("ids"):
        if ids.get("type") == "vendor":
            for row in ids.iter("id"):
                if (value := row.get("value")) is not None:
                    rows[value] = " ".join(part for part in (row.get("vendor"), row.get("tool")) if part)
    return rows


def constants(pairs: list[tuple[str, int]]) -> str:
    taken: set[str] = set()
    lines: list[str] = []
    for plain, value in pairs:
        name = plain + "_" if keyword.iskeyword(plain) else plain
        if name not in taken:
            taken.add(name)
            lines.append(f"{name}: Final = {value}")
    return "\n".join(lines) + "\n"


def named(core: Row) -> list[tuple[str, int]]:
    pairs: list[tuple[str, int]] = []
    for row in sorted(core["instructions"], key=lambda r: int(r["opcode"])):
        for name in [row["opname"], *row.get("aliases", [])]:
            pairs.append((short(name), int(row["opcode"])))
    return pairs


def op_module(core: Row, source: str) -> str:
    return (
        f'"""Every SPIR-V opcode by its name without "Op": `op.IAdd == 128`.\n\n'
        f"Generated by tools/gen_grammar.py from {source}; not edited by hand.\n"
        f'"""\n\nfrom typing import Final\n\n' + constants(named(core))
    )


def enums_module(table: dict[str, Any]) -> str:
    """The enumerants of opcodes.txt that reknit, its tests or tools name."""
    used = named_in_code()
    text = (
        f'"""The enumerants that code names, kind first: `enums.StorageClassFunction == 7`.\n\n'
        f"Generated by tools/gen_grammar.py from the Khronos grammar of SPIR-V {table['version']}; "
        "not edited by hand.\n"
        f'"""\n\nfrom typing import Final\n'
    )
    for kind in NAMED_KINDS:
        pairs: list[tuple[str, int]] = []
        for row in table["kinds"][kind][1:]:
            value, name, *_, aliases = row.split("|")
            pairs += [(kind + each, int(value)) for each in (name, *aliases.split()) if kind + each in used]
        text += "\n" + constants(pairs) if pairs else ""
    return text


def named_in_code() -> set[str]:
    """What stands after `enums.`, or in an import of its names."""
    used: set[str] = set()
    for folder in ("src", "tests", "tools"):
        for path in (TOOLS.parent / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            used.update(re.findall(r"\benums\.([A-Z]\w+)", text))
            for names in re.findall(r"from reknit\.ir\.enums import ([\w, ]+)", text):
                used.update(names.split(", "))
    return used


def write_table(table: dict[str, Any]) -> None:
    lines = [table["about"], table["version"]]
    lines += ["[codes]", " ".join(table["instructions"])]
    table["results"] = result_rows(table["instructions"])
    for title in ("results", "generators", "instructions"):
        lines += [f"[{title}]", *(f"{number} {row}" for number, row in table[title].items())]
    for title in ("kind", "set"):
        for name, rows in table[f"{title}s"].items():
            lines += [f"[{title} {name}]", *rows]
    (HERE / "opcodes.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_own() -> None:
    """Put our own instructions behind those of SPIR-V, in place of what stands there."""
    own = json.loads((TOOLS / "own.grammar.json").read_text())
    table = gen_traits.opcodes()
    rows = {code: row for code, row in table["instructions"].items() if int(code) < FIRST_OWN}
    table["instructions"] = rows | instruction_rows(own)
    spirv = (HERE / "op.py").read_text().split(OWN_MARK)[0]
    (HERE / "op.py").write_text(spirv + OWN_MARK + constants(named(own)))
    write_table(table)


def main(arguments: list[str]) -> int:
    if len(arguments) > 1:
        print("usage: gen_grammar.py [DIR]    (where spirv.core.grammar.json lies)", file=sys.stderr)
        return 2
    if arguments:
        write_spirv(Path(arguments[0]))
    write_own()
    (HERE / "enums.py").write_text(enums_module(gen_traits.opcodes()))
    gen_traits.write()
    return 0


def write_spirv(folder: Path) -> None:
    core = json.loads((folder / "spirv.core.grammar.json").read_text())
    version = f"{core['major_version']}.{core['minor_version']} revision {core['revision']}"
    source = f"the Khronos grammar of SPIR-V {version}"
    kinds = kind_rows(core["operand_kinds"])
    sets = extended_rows(folder, kinds)
    table = {
        "about": f"generated by tools/gen_grammar.py from {source}",
        "version": version,
        "generators": generator_rows(folder.parent / "spir-v.xml"),
        "instructions": instruction_rows(core),
        "kinds": kinds,
        "sets": sets,
    }
    (HERE / "op.py").write_text(op_module(core, source))
    write_table(table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
