"""Runs a section of a document of pass tests (`kit.text.pass_documents`): its claims, and what holds of any pass.

before ── verifies, prints and reads back, is valid SPIR-V where it can be written
   │ pipeline, verified after each pass; its notes are those that the document has
   ▼
after ─── is the text that the document has, verifies, reads back, is valid SPIR-V where it can be written,
          refines before at subgroup sizes 4, 8, 32 and 64, and stays as it is in a second run
"""

import difflib
import random
import re
from typing import Final

from kit import oracles
from kit.random.trees import LANES, SUBGROUP_SIZES
from kit.text.pass_documents import UNCHANGED, Block, Section
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function, print_module
from reknit.ir.verify import verify
from reknit.passes.manager import Hooks, run_passes
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.proof.verdict import Verdict
from reknit.sim.run import run
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.spirv.write import words_of

NAMES: Final = re.compile(r"(?<![\w@'])(?:%[\w']+|b\d+(?![\w']))|@\w+")
NAMELESS: Final = re.compile(r"b\d+|[%@]_?\d+")
MAX_STEPS: Final = 100_000
OF_MODULE: Final = re.compile(
    r"(Capability|Extension|EntryPoint|ExecutionMode|Decorate|MemberDecorate|%\w+ = Variable)"
)


def check(section: Section, full: bool = False) -> None:
    """Raises DocumentFault at the first claim that does not hold. `full` proves for more inputs, by both rules."""
    before = section.before
    assert before is not None
    module = read(section, before)
    written(section, before, module)
    stores(section, before, module, before)
    for block in section.blocks:
        if block.kind == "refused":
            refused(section, before, block)
        elif block.kind == "wrong":
            other = read(section, block)
            stores(section, block, other, block)
            if refines(section, module, other, full):
                raise section.fault(block.line, "this text may stand for `before`: what it does is allowed")
        else:
            after(section, before, block, module, full)


def after(section: Section, before: Block, block: Block, module: Module, full: bool) -> None:
    """What the pipeline of a block makes of `before`."""
    changed = parse(print_module(module))
    try:
        report = run_passes(changed, block.pipeline, Hooks(verify_each=True))
    except InputError as refusal:
        raise section.fault(block.line, f"{block.pipeline} refuses it: {refusal}") from refusal
    noted(section, block, report.notes())
    compare(section, before, block, changed)
    round_trip(section, block, changed)
    written(section, block, changed)
    if report.changed():
        verdict = refines(section, module, changed, full) if "ends" not in section.keys else None
        if verdict is not None and not verdict:
            raise section.fault(
                block.line, f"{block.pipeline} changes what it does: {verdict.counterexample or verdict}"
            )
        again = print_module(changed)
        run_passes(changed, block.pipeline)
        if (print_module(changed) != again) != (section.keys.get("again") == "changes"):
            what = "changes it again" if "again" not in section.keys else "changes nothing: take out `again: changes`"
            raise section.fault(block.line, f"a second run of {block.pipeline} {what}")
    stores(section, before, changed, block)
    if block is not before:
        stores(section, block, changed, block)


def read(section: Section, block: Block) -> Module:
    """The module of a block, which verifies and reads back."""
    try:
        module = parse(section.module_text(block), f"{section.path.name}: {section.title}")
    except InputError as fault:
        raise section.fault(block.line, f"the text of `{block.kind}` can't be read: {fault}") from fault
    if faults := verify(module):
        raise section.fault(block.line, f"the text of `{block.kind}` does not verify: {faults[0]}")
    round_trip(section, block, module)
    return module


def round_trip(section: Section, block: Block, module: Module) -> None:
    text = print_module(module)
    if print_module(parse(text)) != text:
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


def refines(section: Section, before: Module, after: Module, full: bool) -> Verdict:
    """For one input at each subgroup size, as if both declared maximal reconvergence unless the section has it
    otherwise; in full for the sample of inputs, and by the rules that each declares."""
    rules = section.keys.get("rules", "maximal")
    given = random.Random(0)
    buffers = {"out": [given.getrandbits(32) for _ in range(2 * LANES)]}
    if not full:
        asked = Question(None, SUBGROUP_SIZES, (1, 1, 1), buffers, limit=16, max_steps=MAX_STEPS, rules=rules)
        return prove(before, after, asked)
    verdict = prove(before, after, Question(rules=rules))
    return prove(before, after, Question()) if verdict else verdict


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


def refused(section: Section, before: Block, block: Block) -> None:
    module = read(section, before)
    try:
        run_passes(module, block.pipeline, Hooks(verify_each=True))
    except InputError as refusal:
        noted(section, block, refusal.diagnostics)
        return
    raise section.fault(block.line, f"{block.pipeline} does not refuse it")


# --- texts ------------------------------------------------------------------------------------------------------------


def compare(section: Section, before: Block, block: Block, module: Module) -> None:
    """That the module is what the text of the block says, but for names that `before` does not have."""
    stays = block.text.strip() == UNCHANGED
    expected = read(section, before if stays else block)
    wanted, found = shown(expected), shown(module)
    names = NAMES.findall(shown(expected if stays else read(section, before)))
    kept = {name for name in names if "names" not in section.keys and NAMELESS.fullmatch(name) is None}
    if renamed(wanted, kept) == renamed(found, kept):
        return
    lines = difflib.unified_diff(wanted.splitlines(), found.splitlines(), "expected", "found", lineterm="", n=2)
    raise section.fault(block.line, f"{block.pipeline} makes another text:\n" + "\n".join(lines))


def shown(module: Module) -> str:
    """The functions, and what is said of them before; types and constants are in the functions' instructions."""
    text = print_module(module).partition("\nfunc ")[0]
    head = [line for line in text.splitlines() if OF_MODULE.match(line)]
    return "\n".join([*sorted(head), *[print_function(function) for function in module.functions]])


def renamed(text: str, kept: set[str]) -> str:
    """With names that are not in `kept` by the order in which they are first mentioned in their function."""

    def named(function: str) -> str:
        names: dict[str, str] = {}
        return NAMES.sub(
            lambda match: match[0] if match[0] in kept else names.setdefault(match[0].lstrip("%@"), f"%n{len(names)}"),
            function,
        )

    return "".join([named(function) for function in re.split(r"(?m)^(?=func )", text)])
