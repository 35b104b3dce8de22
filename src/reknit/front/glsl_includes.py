"""GLSL that includes other files, as one text for any compiler: glslang's own includer follows a file that includes
itself without end, and doesn't say what it looked for.

    #version 460                            #version 460
    #include "vote.glsl"        ──▶         #extension GL_GOOGLE_cpp_style_line_directive : enable
    void main() {}                          #define QUALITY 2                      -D QUALITY=2
                                            #line 2 "a.comp"
                                            #line 1 "vote.glsl"
                                            ...
                                            #line 3 "a.comp"

No extension has to name includes, as with glslc. A file is looked for beside the one that includes it, then in the
folders of -I. Conditions are the compiler's: what can't be included is an #error, which counts where its line does.
"""

import os
import re
from typing import Final, final

from reknit.source.digits import saturated
from reknit.source.reading import text_of_file

FAULT: Final = "reknit_fault_"
MAX_DEPTH: Final = 100
MAX_LENGTH: Final = 16 << 20
"""Characters of a text with all that it includes: no shader is that long, and files that include two each double."""

_DIRECTIVE: Final = re.compile(r"^[ \t]*#[ \t]*(?P<word>\w+)[ \t]*(?P<rest>.*)$")
_INCLUDED: Final = re.compile(r'^(?:"(?P<near>[^"]+)"|<(?P<far>[^>]+)>)')
_LINE: Final = re.compile(r'^(?P<number>\d+)(?:[ \t]+(?:"(?P<file>[^"]*)"|\d+))?[ \t]*(?://.*)?$')
_GUARD: Final = re.compile(r"\A\s*#[ \t]*ifndef[ \t]+(\w+)[^\n]*\n\s*#[ \t]*define[ \t]+\1\b")
_UNSAFE: Final = re.compile(r'["\\\x00-\x1f]|[^\x00-\x7f]')
_TOKENS: Final = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)


@final
class _File:
    """One that is being gone through: `shown` and `number` are what the next of its lines is called."""

    __slots__ = ("path", "shown", "number", "lines", "at", "plain", "once")

    def __init__(self, path: str, text: str, once: str) -> None:
        self.path = path
        self.shown = path
        self.number = 1
        self.lines = text.split("\n")
        self.plain = without_comments(text).split("\n")
        self.at = 0
        self.once = once  # whether it can't be included again by itself


def mentions_includes(text: str) -> bool:
    """Whether there may be a directive for it."""
    return re.search(r"#\s*include\b", text) is not None


def expanded(text: str, path: str, macros: dict[str, str], folders: list[str]) -> tuple[str, list[str]]:
    """(the text, what can't be included). `path` is where it lies, and what messages call it. The #error of a fault
    names its number: a preprocessor says what it has read of a message, not the message."""
    out: list[str] = []
    faults: list[str] = []
    size = 0
    main = _File(path, text, "")
    stack = [main]
    version = next((at for at, line in enumerate(main.plain) if _word_of(line) == "version"), -1)
    while main.at <= version:
        out.append(main.lines[main.at])
        main.at += 1
    main.number = main.at + 1
    out.append("#extension GL_GOOGLE_cpp_style_line_directive : enable")
    out.extend(f"#define {name} {value}" for name, value in macros.items())
    out.append(_mark(main))
    while stack:
        file = stack[-1]
        if file.at == len(file.lines):
            stack.pop()
            if file.once:
                out.append("#endif")
            if stack:
                out.append(_mark(stack[-1]))
            continue
        line, plain = file.lines[file.at], file.plain[file.at]
        file.at += 1
        file.number += 1
        word = _word_of(plain)
        if word == "include" and (found := _INCLUDED.match(_rest(line))) is not None:
            begun = _included(found, stack, folders)
            if isinstance(begun, str):
                out.append(_error(begun, faults))
                continue
            if begun is not None:
                stack.append(begun)
                size += len(begun.lines) + sum(map(len, begun.lines))
                if begun.once:
                    out.extend([f"#ifndef {begun.once}", f"#define {begun.once}"])
                out.append(_mark(begun))
            else:
                out.append("")
            if size > MAX_LENGTH:
                stack.pop()
                out.append(_error(f"what is included has more than {MAX_LENGTH >> 20} MiB in all", faults))
                break
            continue
        if word == "pragma" and _rest(plain).strip() == "once":
            line = ""
        elif word == "line" and (moved := _LINE.match(_rest(line).strip())) is not None:
            file.number = saturated(moved["number"])
            file.shown = moved["file"] or file.shown
        out.append(line)
    return "\n".join(out), faults


def _error(fault: str, faults: list[str]) -> str:
    faults.append(fault)
    return f"#error {FAULT}{len(faults) - 1}"


def _included(found: "re.Match[str]", stack: list[_File], folders: list[str]) -> _File | str | None:
    """The file; None for one that is on its way and guards itself; what to say of one that can't be included."""
    name = found["near"] or found["far"]
    near = [os.path.dirname(stack[-1].path)] if found["near"] else []
    for folder in [*near, *folders]:
        path = os.path.normpath(os.path.join(folder, name))
        try:
            text = text_of_file(path, "surrogateescape").removeprefix("\ufeff")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            return f"{_safe(path)} can't be included: {reason}"
        plain = without_comments(text)
        once = re.search(r"(?m)^[ \t]*#[ \t]*pragma[ \t]+once[ \t]*$", plain) is not None
        if any(os.path.realpath(file.path) == os.path.realpath(path) for file in stack):
            return None if once or _is_guarded(plain) else f"{_safe(path)} includes itself, and has no guard"
        if len(stack) > MAX_DEPTH:
            return f"files are included more than {MAX_DEPTH} deep"
        return _File(path, text, _macro(path) if once else "")
    where = ", ".join(_safe(folder or ".") for folder in [*near, *folders]) or "any folder"
    return f"{_safe(name)} is not found in {where}: name its folder with -I"


def _is_guarded(plain: str) -> bool:
    """Whether all of a text is in an #ifndef of what it defines first."""
    if _GUARD.match(plain) is None:
        return False
    depth = 0
    lines = [line for line in plain.split("\n") if line.strip()]
    for number, line in enumerate(lines, 1):
        word = _word_of(line)
        depth += (word in ("if", "ifdef", "ifndef")) - (word == "endif")
        if depth == 0:
            return number == len(lines)
    return False


def without_comments(text: str) -> str:
    """As many lines, and no comments."""
    return _TOKENS.sub(lambda match: "\n" * match[0].count("\n"), text)


def _word_of(line: str) -> str:
    match = _DIRECTIVE.match(line)
    return match["word"] if match is not None else ""


def _rest(line: str) -> str:
    match = _DIRECTIVE.match(line)
    return match["rest"] if match is not None else ""


def _mark(file: _File) -> str:
    return f'#line {file.number} "{_safe(file.shown)}"'


def _safe(text: str) -> str:
    """What may be in a directive: GLSL has no way to quote, and no letters but those of ASCII."""
    return _UNSAFE.sub("?", text)


def _macro(path: str) -> str:
    """A guard of the file's own."""
    return "REKNIT_ONCE" + re.sub(r"_+", "_", "".join(c if c.isascii() and c.isalnum() else "_" for c in f"_{path}"))
