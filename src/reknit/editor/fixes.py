"""What lint says to do about a finding, done in a text: edits that were tried on it before they are offered.

    RK3001, RK3002, RK3003    the execution mode that promises it, for each entry point that lacks it
    RK3004, RK3005            the switch rewritten, as `reknit compile` does it

Only for texts that say all of SPIR-V: assembly and .rk. An edit is offered where afterwards there are fewer findings of
its code, and no error.
"""

from typing import Final, final

from reknit.checks.lint.config import Config
from reknit.files.formats import ASSEMBLY, TEXT

MAXIMAL: Final = ("MaximallyReconvergesKHR", "SPV_KHR_maximal_reconvergence")
SUBGROUP: Final = ("SubgroupUniformControlFlowKHR", "SPV_KHR_subgroup_uniform_control_flow")
MODES: Final = {"RK3001": MAXIMAL, "RK3002": SUBGROUP, "RK3003": MAXIMAL}
REWRITTEN: Final = ("RK3004", "RK3005")


@final
class Insertion:
    """Lines to put before a line, counted from 1."""

    __slots__ = ("line", "text")

    def __init__(self, line: int, text: str) -> None:
        self.line = line
        self.text = text


@final
class Fix:
    """`codes` are those of the findings that it is for; either `insertions`, or the whole `text` anew."""

    __slots__ = ("title", "codes", "insertions", "text")

    def __init__(self, title: str, codes: tuple[str, ...], insertions: list[Insertion], text: str) -> None:
        self.title = title
        self.codes = codes
        self.insertions = insertions
        self.text = text


def fixes(text: str, name: str, format: str, codes: set[str], target: str | None, config: Config) -> list[Fix]:
    """What helps against findings with these codes."""
    if format not in (ASSEMBLY, TEXT) or not codes & {*MODES, *REWRITTEN}:
        return []
    offered: list[Fix] = []
    for mode in dict.fromkeys(MODES[code] for code in sorted(codes & MODES.keys())):
        of_mode = tuple(code for code in sorted(codes) if MODES.get(code) == mode)
        declared = _declared(text, format, mode)
        if declared:
            offered.append(Fix(f"Declare {mode[0]}", of_mode, declared, inserted(text, declared)))
    if codes & set(REWRITTEN):
        rewritten = _rewritten(text, name, format)
        if rewritten:
            title = "Rewrite the module as `reknit compile` does (comments are lost)"
            offered.append(Fix(title, tuple(sorted(codes & set(REWRITTEN))), [], rewritten))

    def left(text: str, fix: Fix) -> int | None:
        return _count(text, name, format, set(fix.codes), target, config)

    return [
        fix
        for fix in offered
        if (before := left(text, fix)) is not None and (after := left(fix.text, fix)) is not None and after < before
    ]


def inserted(text: str, insertions: list[Insertion]) -> str:
    """The text after them."""
    lines = text.split("\n")
    for each in sorted(insertions, key=lambda insertion: -insertion.line):
        lines[each.line - 1 : each.line - 1] = each.text.rstrip("\n").split("\n")
    return "\n".join(lines)


def _declared(text: str, format: str, mode: tuple[str, str]) -> list[Insertion]:
    """The lines that declare a mode for the entry points that lack it; none where the text isn't one statement a
    line."""
    prefix = "Op" if format == ASSEMBLY else ""
    last: dict[str, int] = {}
    entries: list[str] = []
    having: list[str] = []
    extensions: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split(";")[0].split()
        if not words or not words[0].startswith(prefix):
            continue
        word = words[0].removeprefix(prefix)
        last[word] = number
        if word == "EntryPoint" and len(words) > 2:
            entries.append(words[2])
        elif word == "ExecutionMode" and words[2:3] == [mode[0]]:
            having.append(words[1])
        elif word == "Extension":
            extensions.append(words[1].strip('"') if len(words) > 1 else "")
    lacking = [entry for entry in dict.fromkeys(entries) if entry not in having]
    if not lacking or "EntryPoint" not in last:
        return []
    after = max(last["EntryPoint"], last.get("ExecutionMode", 0), last.get("ExecutionModeId", 0))
    modes = "".join([f"{prefix}ExecutionMode {entry} {mode[0]}\n" for entry in lacking])
    insertions = [Insertion(after + 1, modes)]
    if mode[1] not in extensions:
        at = max(last.get("Capability", 0), last.get("Extension", 0))
        insertions.insert(0, Insertion(at + 1, f'{prefix}Extension "{mode[1]}"\n'))
    return insertions


def _rewritten(text: str, name: str, format: str) -> str:
    """What `compile` writes; "" where it can't."""
    from reknit.files.save import checked_bytes
    from reknit.front.load import load_bytes
    from reknit.passes.manager import run_passes
    from reknit.source.diagnostic import InputError

    try:
        module = load_bytes(text.encode(), format, name, name)
        run_passes(module, "reconverge")
        return checked_bytes(module, format).decode()
    except InputError:
        return ""  # what is in the way is reported as a diagnostic of the text itself


def _count(text: str, name: str, format: str, codes: set[str], target: str | None, config: Config) -> int | None:
    """The findings of these codes; None for a text with errors."""
    from reknit.checks.check import check_input
    from reknit.checks.lint.api import lint_input
    from reknit.source.diagnostic import ERROR

    data = text.encode()
    if any(fault.severity == ERROR for fault in check_input(data, format, name, name).diagnostics):
        return None
    return sum(finding.code in codes for finding in lint_input(data, format, name, name, target, config))
