"""The site's references, made from the sources: diagnostic codes, examples, objects of the API.

    source/explain/*.md, spirv/rules/catalog.py   ->  codes/index.md: families, each with its codes
    examples/*                                    ->  examples/index.md, a page a file
    docs/api.md                                   ->  the same with its signatures as objects of Python
"""

import re
import sys
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "src"))

from reknit.source import explain  # noqa: E402
from reknit.spirv.rules.catalog import by_id  # noqa: E402

FAMILIES: Final = {
    "RK00": "Files, options and outside programs",
    "RK01": "SPIR-V binaries",
    "RK02": "SPIR-V assembly",
    "RK03": "The text form, graphs from a whiteboard",
    "RK04": "The IR's verifier, edits",
    "RK05": "Between SPIR-V and the control-flow tree",
    "RK06": "Rules of control flow",
    "RK07": "Amber scripts",
    "RK08": "LLVM IR and DXIL",
    "RK09": "Slang: limits of the front-end",
    "RK10": "Running",
    "RK11": "Vulkan devices",
    "RK13": "Proving, reducing, bisecting",
    "RK14": "Batch",
    "RK20": "Passes and pipelines",
    "RK21": "Switches and declarations of reconvergence",
    "RK22": "Jumps, loops, values over joins",
    "RK23": "Limits of analyses",
    "RK24": "Calls, functions and returns",
    "RK25": "Convergence of unstructured functions",
    "RK26": "Dynamic dispatch",
    "RK30": "Lint",
    "E": "Slang's own diagnostics, by Slang's numbers",
}
LANGUAGES: Final = {".comp": "glsl", ".slang": "slang", ".hlsl": "hlsl", ".rk": "rk", ".spvasm": "spvasm"}
PLAY: Final = """```{{raw}} html
<p><a href="../playground/index.html#example={}">Open it in the playground</a></p>
```

"""
ENTRY: Final = re.compile(r"^### (\w+)\n\n```python\n(.*?)```\n", re.MULTILINE | re.DOTALL)


@cache
def all_codes() -> frozenset[str]:
    return frozenset(explain.codes())


def family(code: str) -> str:
    return code[:4] if code.startswith("RK") else "E"


@cache
def examples() -> tuple[str, ...]:
    """The files of examples/ that are texts in a language of shaders, as paths from there."""
    folder = ROOT / "examples"
    return tuple(sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.suffix in LANGUAGES))


def pages(playground: bool = False) -> dict[str, str]:
    """The text of each made page by its path; `playground` is whether one is beside them, which examples open in."""
    made = {"codes/index.md": codes_page(), "examples/index.md": examples_page()}
    opened = playable() if playground else set()
    for name in examples():
        made[f"examples/{name}.md"] = example_page(name, PLAY.format(name) if name in opened else "")
    return made


def playable() -> set[str]:
    from playground import examples as known

    return {example["name"] for example in known()}


def codes_page() -> str:
    rules = {rule.code: name for name, rule in by_id().items()}
    members: dict[str, list[str]] = {name: [] for name in FAMILIES}
    for code in explain.codes():
        if family(code) not in FAMILIES:
            raise ValueError(f"{code} is of no family: name {family(code)} in FAMILIES of {Path(__file__).name}")
        members[family(code)].append(code)
    lines = [
        "# Diagnostic codes",
        "",
        f"Each of the {len(explain.codes())} codes that reknit reports, with what it means. A code never changes its "
        "meaning. `reknit explain RK0612` prints a page, `reknit explain` the list.",
        "",
    ]
    for name, codes in members.items():
        if codes:
            lines += ["", f"## {FAMILIES[name]}", "", "| code | |", "|---|---|"]
            lines += [
                f"| [{code}]({code}.md) | {explain.title(code)}{f' (rule {rules[code]})' if code in rules else ''} |"
                for code in codes
            ]
    return "\n".join([*lines, ""])


def examples_page() -> str:
    lines = "".join(f"- [{name}]({name}.md)\n" for name in examples())
    return f"---\norphan: true\n---\n\n# The example files\n\n[Examples](../examples.md) explains them.\n\n{lines}"


def example_page(name: str, opens: str) -> str:
    text = (ROOT / "examples" / name).read_text(encoding="utf-8")
    up = "../" * name.count("/")
    head = f"---\norphan: true\n---\n\n# {name}\n\n[All example files]({up}index.md)\n\n"
    return f"{head}{opens}````{LANGUAGES[Path(name).suffix]}\n{text}````\n"


def objects(text: str) -> str:
    """The page of the API with an object of Python for each signature. A heading `## reknit.edit` names the module."""
    parts = re.split(r"^(## [\w.]+\n)", text, flags=re.MULTILINE)
    done = [parts[0]]
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        module = heading.removeprefix("## ").strip()

        def declared(match: re.Match[str], module: str = module) -> str:
            name = match[1]
            signature = " ".join(match[2].split()).replace("( ", "(").replace(",)", ")").replace(", )", ")")
            kind = "class" if name[0].isupper() else "function"
            return f"### {name}\n\n````{{py:{kind}}} {signature}\n:module: {module}\n````\n"

        done += [heading, ENTRY.sub(declared, body)]
    return "".join(done)
