"""Runs a section of a document of pass tests (`kit.text.pass_documents`): its claims, and what holds of any pass.

before ── verifies, prints and reads back, is valid SPIR-V where it can be written
   │ pipeline, verified after each pass; its notes are those that the document has
   ▼
after ─── is the text that the document has, verifies, reads back, is valid SPIR-V where it can be written,
          refines before for every input, or where the document says why that is open in runs at subgroup sizes 4, 8,
          32 and 64, and stays as it is in a second run
"""

import difflib
import re
from functools import cached_property
from typing import Final, final

from kit import oracles
from kit.proving import MAX_STEPS, Proof
from kit.random.trees import SUBGROUP_SIZES
from kit.text.pass_documents import UNCHANGED, Block, Section
from reknit.analysis.tangles.rules import MAXIMAL
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function, print_module
from reknit.ir.verify import verify
from reknit.passes.manager import Hooks, run_passes
from reknit.sim.run import run
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.spirv.write import words_of

NAMES: Final = re.compile(r"(?<![\w@'])(?:%[\w']+|b\d+(?![\w']))|@\w+")
NAMELESS: Final = re.compile(r"b\d+|[%@]_?\d+")
OF_MODULE: Final = re.compile(
    r"(Capability|Extension|EntryPoint|ExecutionMode|Decorate|MemberDecorate|%\w+ = Variable)"
)


@final
class Known:
    """A module that stays as it is while the rest is asked, so that what is read off it is made once: its `text`;
    `shown`, the functions, and what is said of them before (types and constants are in their instructions); and the
    `names` that it gives."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.text = print_module(module)
        head = [line for line in self.text.partition("\nfunc ")[0].splitlines() if OF_MODULE.match(line)]
        self.shown = "\n".join([*sorted(head), *[print_function(function) for function in module.functions]])

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(name for name in NAMES.findall(self.shown) if NAMELESS.fullmatch(name) is None)


def check(section: Section, full: bool = False) -> None:
    """Raises DocumentFault at the first claim that does not hold. `full` runs what the normal form proves, too."""
    before = section.before
    assert before is not None
    known = read(section, before)
    reads_back(section, before, known)
    written(section, before, known.module)
    stores(section, before, known.module, before)
    for block in section.blocks:
        if block.kind == "refused":
            refused(section, block, known)
        elif block.kind == "wrong":
            other = read(section, block)
            reads_back(section, block, other)
            stores(section, block, other.module, block)
            if Proof(known.module, other.module, rules_of(section), full).verdict:
                raise section.fault(block.line, "this text may stand for `before`: what it does is allowed")
        else:
            after(section, block, known, full)


def after(section: Section, block: Block, before: Known, full: bool) -> None:
    """What the pipeline of a block makes of `before`, and the proof of it where that is another text."""
    changed = before.module.copy()
    try:
        report = run_passes(changed, block.pipeline, Hooks(verify_each=True))
    except InputError as refusal:
        raise section.fault(block.line, f"{block.pipeline} refuses it: {refusal}") from refusal
    noted(section, block, report.notes())
    made = Known(changed)
    compare(section, block, before, made)
    if made.text == before.text:
        return
    if not report.changed():
        raise section.fault(block.line, f"{block.pipeline} reports no change of what it changed")
    reads_back(section, block, made)
    written(section, block, changed)
    if block is not section.before:
        stores(section, block, changed, block)
    assert section.before is not None
    stores(section, section.before, changed, block)
    if "ends" not in section.keys:
        fault = Proof(before.module, changed, rules_of(section), full).fault(section.keys.get("open", ""))
        if fault:
            raise section.fault(block.line, f"{block.pipeline} {fault}")
    run_passes(changed, block.pipeline)
    if (print_module(changed) != made.text) != (section.keys.get("again") == "changes"):
        what = "changes it again" if "again" not in section.keys else "changes nothing: take out `again: changes`"
        raise section.fault(block.line, f"a second run of {block.pipeline} {what}")


def rules_of(section: Section) -> str:
    """Those of the proof: as if both declared maximal reconvergence unless the section has it otherwise."""
    return section.keys.get("rules", MAXIMAL)


def read(section: Section, block: Block) -> Known:
    """The module of a block, which verifies."""
    try:
        module = parse(section.module_text(block), f"{section.path.name}: {section.title}")
    except InputError as fault:
        raise section.fault(block.line, f"the text of `{block.kind}` can't be read: {fault}") from fault
    if faults := verify(module):
        raise section.fault(block.line, f"the text of `{block.kind}` does not verify: {faults[0]}")
    return Known(module)


def reads_back(section: Section, block: Block, known: Known) -> None:
    if print_module(parse(known.text)) != known.text:
        raise section.fault(block.line, "what is printed is not what is read back from it")


def written(section: Section, block: Block, module: Module) -> None:
    """That what is written is valid, if it can be written and there is a validator."""
    try:
        binary = words_of(module)
    except InputError:
        return  # jumps over several levels, dynamic dispatch
    if oracles.find("slang-glslang") is None or not all(function.structured for function in module.functions):
        return
    accepted, message = oracles.validate(binary)
    expected = section.keys.get("spirv-val", "")
    if accepted == bool(expected) or expected not in message:
        raise section.fault(block.line, f"spirv-val says of what is written of it: {message or 'valid'}")


def stores(section: Section, block: Block, module: Module, ran: Block) -> None:
    """The tables of `block`, asked of what `ran` is about."""
    for table in block.tables:
        for size in table.sizes or SUBGROUP_SIZES:
            result = run(module, subgroup_size=size, max_steps=MAX_STEPS)
            words = result.buffers["out"].words[: len(table.words)]
            if result.failed() or words != table.words:
                line = table.line if ran is block else ran.line
                found = [str(fault) for fault in result.diagnostics] if result.failed() else words
                raise section.fault(line, f"at subgroup size {size} `out` is {found}, and not {table.words}")


def noted(section: Section, block: Block, diagnostics: list[Diagnostic]) -> None:
    """That these diagnostics are the lines of the block's notes."""
    found = [f"{one.code}: {one.message}" for one in diagnostics]
    lines = [line for line in block.notes if line.strip()]
    if len(found) != len(lines) or any(a not in (b, b.split(":")[0]) for a, b in zip(lines, found, strict=True)):
        shown = "\n".join(difflib.unified_diff(lines, found, "expected", "found", lineterm=""))
        raise section.fault(block.line, f"{block.pipeline} reports something else:\n{shown}")


def refused(section: Section, block: Block, before: Known) -> None:
    try:
        run_passes(before.module.copy(), block.pipeline, Hooks(verify_each=True))
    except InputError as refusal:
        noted(section, block, refusal.diagnostics)
        return
    raise section.fault(block.line, f"{block.pipeline} does not refuse it")


# --- texts ------------------------------------------------------------------------------------------------------------


def compare(section: Section, block: Block, before: Known, made: Known) -> None:
    """That the module is what the text of the block says, but for names that `before` does not have."""
    stays = block is section.before or block.text.strip() == UNCHANGED
    wanted = before.shown if stays else read(section, block).shown
    kept = before.names if "names" not in section.keys else frozenset[str]()
    if wanted == made.shown or renamed(wanted, kept) == renamed(made.shown, kept):
        return
    lines = difflib.unified_diff(wanted.splitlines(), made.shown.splitlines(), "expected", "found", lineterm="", n=2)
    raise section.fault(block.line, f"{block.pipeline} makes another text:\n" + "\n".join(lines))


def renamed(text: str, kept: frozenset[str]) -> str:
    """With names that are not in `kept` by the order in which they are first mentioned in their function."""

    def named(function: str) -> str:
        names: dict[str, str] = {}
        return NAMES.sub(
            lambda match: match[0] if match[0] in kept else names.setdefault(match[0].lstrip("%@"), f"%n{len(names)}"),
            function,
        )

    return "".join([named(function) for function in re.split(r"(?m)^(?=func )", text)])
