"""What the texts of a document of pass tests would be today, to be read by who derived what they should be."""

import re
from pathlib import Path
from typing import Final

from kit.oracles.pass_document_runs import Known, compare, read
from kit.text.pass_documents import UNCHANGED, DocumentFault, Section, sections, whole
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function
from reknit.passes.manager import run_passes

SEEN: Final = re.compile(
    r"( *)%who(\d+) = GroupNonUniformBallot .*\n *%low\2 = .*\n *%old\2 = .*\n *%mix\2 = .*\n *%new\2 = .*\n"
    r" *Store %slot, %new\2\n"
)
SHORT: Final = re.compile(r"\{\n *([^\n{}]+)\n *\}")
EMPTY: Final = re.compile(r"\{\n *\}")


def refreshed(path: Path) -> str:
    """The document with what its pipelines make today where that is another text."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    for section in reversed(sections(path)):
        assert section.before is not None
        before = read(section, section.before)
        for block in reversed(section.blocks):
            if block.kind in ("after", UNCHANGED):
                module = before.module.copy()
                run_passes(module, block.pipeline)
                try:
                    compare(section, block, before, Known(module))
                except DocumentFault:
                    lines[block.line - 1 : block.line - 1 + block.text.count("\n")] = folded(section, module)
    return "".join(lines)


def folded(section: Section, module: Module) -> str:
    """The module as a document has it: without the shader around main's text, with what pieces and SEE stand for."""
    frame = parse(whole("return", {}))
    usual = Known(frame).shown
    head = [line for line in Known(module).shown.partition("func ")[0].splitlines() if line not in usual]
    main, *others = [print_function(function) for function in module.functions]
    given = print_function(frame.functions[0]).splitlines()
    body = "\n".join([line.removeprefix("  ") for line in main.splitlines() if line not in given])
    body = SEEN.sub(r"\1SEE \2\n", f"{body}\n") + ("return\n" if main.endswith("  return\n}\n") else "")
    body = EMPTY.sub("{ }", SHORT.sub(r"{ \1 }", body))
    for name, piece in reversed(section.pieces.items()):  # those that hold others first
        lines = [re.escape(line) for line in piece.splitlines()]
        folding = re.compile(r"^( *)" + r"\n\1".join(lines) + r"\n", re.M)
        body = folding.sub(rf"\1{name}\n", body)
    return "".join([*[f"{line}\n" for line in head], body, *others])
