"""What lint says to do about a finding, done in a text: edits that were tried on it before they are offered.

    RK3001, RK3002, RK3003    the execution mode that promises it, for each entry point that lacks it
    RK3004, RK3005            the switch rewritten, as `reknit compile` does it

For texts that say all of SPIR-V, assembly and .rk; the modes for GLSL, too, and both for binaries. An edit is offered
where afterwards there are fewer findings of its code, and no error.
"""

import re
from typing import TYPE_CHECKING, Final, final

from reknit.checks.lint.config import Config
from reknit.files.formats import ASSEMBLY, BINARY, GLSL, TEXT

if TYPE_CHECKING:
    from reknit.front.slang.compile import Settings

MAXIMAL: Final = ("MaximallyReconvergesKHR", "SPV_KHR_maximal_reconvergence")
SUBGROUP: Final = ("SubgroupUniformControlFlowKHR", "SPV_KHR_subgroup_uniform_control_flow")
MODES: Final = {"RK3001": MAXIMAL, "RK3002": SUBGROUP, "RK3003": MAXIMAL}
IN_GLSL: Final = {
    MAXIMAL: ("maximally_reconverges", "GL_EXT_maximal_reconvergence"),
    SUBGROUP: ("subgroup_uniform_control_flow", "GL_EXT_subgroup_uniform_control_flow"),
}
"""By mode: the attribute of `main`, and its extension."""
REWRITTEN: Final = ("RK3004", "RK3005")
DECLARE: Final = f"Declare {MAXIMAL[0]}"
REWRITE: Final = "Rewrite the module as `reknit compile` does (comments are lost)"


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


def fixes(
    text: str,
    name: str,
    format: str,
    codes: set[str],
    target: str | None,
    config: Config,
    settings: "Settings | None" = None,
) -> list[Fix]:
    """What helps against findings with these codes."""
    if format not in (ASSEMBLY, TEXT, GLSL) or not codes & {*MODES, *REWRITTEN}:
        return []
    offered: list[Fix] = []
    for mode in dict.fromkeys(MODES[code] for code in sorted(codes & MODES.keys())):
        of_mode = tuple(code for code in sorted(codes) if MODES.get(code) == mode)
        declared = _declared_in_glsl(text, mode) if format == GLSL else _declared(text, format, mode)
        if declared:
            offered.append(Fix(f"Declare {mode[0]}", of_mode, declared, inserted(text, declared)))
    if codes & set(REWRITTEN) and format != GLSL:
        rewritten = _rewritten(text, name, format)
        if rewritten:
            title = REWRITE
            rewritten = rewritten.replace("\n", "\r\n") if "\r\n" in text else rewritten
            offered.append(Fix(title, tuple(sorted(codes & set(REWRITTEN))), [], rewritten))

    def left(text: str, fix: Fix) -> int | None:
        return _count(text.encode("utf-8", "surrogateescape"), name, format, set(fix.codes), target, config, settings)

    return [
        fix
        for fix in offered
        if (before := left(text, fix)) is not None and (after := left(fix.text, fix)) is not None and after < before
    ]


def fixed_binary(
    data: bytes, name: str, codes: set[str], target: str | None, config: Config
) -> tuple[bytes, list[str]] | None:
    """A binary after what helps against these findings, and what that was; None where nothing does."""
    from reknit.files.save import judged_bytes
    from reknit.front.load import load_bytes
    from reknit.passes.manager import run_passes
    from reknit.source.diagnostic import InputError

    done: list[str] = []
    for wanted, passes, title in ((MODES, "declare-reconvergence", DECLARE), (REWRITTEN, "reconverge", REWRITE)):
        of_these = codes & {*wanted}
        if not of_these:
            continue
        try:
            module = load_bytes(data, BINARY, name)
            run_passes(module, passes)
            output, judgement = judged_bytes(module, BINARY)
        except InputError:
            continue  # what is in the way is reported as a finding of the module itself
        before = _count(data, name, BINARY, of_these, target, config)
        after = _count(output, name, BINARY, of_these, target, config)
        if not judgement.flat and not judgement.broken and before is not None and after is not None and after < before:
            data = output
            done.append(title)
    return (data, done) if done else None


def inserted(text: str, insertions: list[Insertion]) -> str:
    """The text after them; lines end as its first one does."""
    lines = text.split("\n")
    end = "\r" if len(lines) > 1 and lines[0].endswith("\r") else ""
    for each in sorted(insertions, key=lambda insertion: -insertion.line):
        lines[each.line - 1 : each.line - 1] = [line + end for line in each.text.rstrip("\n").split("\n")]
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


def _declared_in_glsl(text: str, mode: tuple[str, str]) -> list[Insertion]:
    """The lines that declare a mode for `main`; none where it isn't to be found, or has an attribute already."""
    from reknit.front.glsl_includes import without_comments

    attribute, extension = IN_GLSL[mode]
    lines = without_comments(text).split("\n")
    mains = [at for at, line in enumerate(lines, 1) if re.match(r"\s*void\s+main\s*\(", line)]
    heads = [at for at, line in enumerate(lines, 1) if re.match(r"\s*#\s*(?:version|extension)\b", line)]
    if len(mains) != 1 or not heads or attribute in text:
        return []
    insertions = [Insertion(mains[0], f"[[{attribute}]]\n")]
    if extension not in text:
        at = heads[0]
        for head in heads[1:]:
            if any(line.strip() for line in lines[at : head - 1]):
                break  # as `#ifdef`: what is behind it may be left out
            at = head
        insertions.insert(0, Insertion(at + 1, f"#extension {extension} : require\n"))
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


def _count(
    data: bytes,
    name: str,
    format: str,
    codes: set[str],
    target: str | None,
    config: Config,
    settings: "Settings | None" = None,
) -> int | None:
    """The findings of these codes; None for a text with errors. It lies in no file: a compiler is given the text."""
    from reknit.checks.check import check_input
    from reknit.checks.lint.api import lint_input
    from reknit.source.diagnostic import ERROR

    path = "" if format == GLSL else name
    if any(fault.severity == ERROR for fault in check_input(data, format, name, path, None, settings).diagnostics):
        return None
    findings = lint_input(data, format, name, path, target, config, settings)
    return sum(finding.code in codes for finding in findings)
