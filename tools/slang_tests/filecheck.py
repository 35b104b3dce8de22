"""Whether a text is what lines of a source file say, by the rules of LLVM's FileCheck that such tests use.

    // CHECK: type: float         somewhere in the text
    // CHECK-NEXT: 1.{{0*}}       in the next line; {{}} holds a regular expression
    // CHECK-SAME: 2              later in the same line
    // CHECK-DAG: [[X:[0-9]+]]    anywhere since the last that wasn't a DAG; names what it matched
    // CHECK-NOT: nan             not before the next match
    // CHECK-COUNT-4: 0           that often
    // CHECK-EMPTY:               the next line is empty

Runs of blanks are one blank, in what is looked for and in what is looked at.
"""

import re
from typing import final

_KINDS = "NEXT|SAME|DAG|NOT|EMPTY|LABEL|COUNT-[0-9]+"
_VARIABLE = re.compile(r"#?([A-Za-z_$@][\w]*)(?::(.*))?$")
_BLANKS = re.compile(r"[ \t]+")


class Broken(Exception):
    """A check that can't be read."""


@final
class Check:
    __slots__ = ("kind", "pattern", "line")

    def __init__(self, kind: str, pattern: str, line: int) -> None:
        self.kind = kind
        self.pattern = pattern
        self.line = line


def checks_of(source: str, prefix: str) -> list[Check]:
    """The checks that `source` has under a prefix."""
    directive = re.compile(rf"(?<![\w-]){re.escape(prefix)}(?:-({_KINDS}))?(?:\{{LITERAL\}})?:(.*)")
    found: list[Check] = []
    for line, text in enumerate(source.splitlines(), 1):
        match = directive.search(text)
        if match is None:
            continue
        kind = match[1] or "PLAIN"
        pattern = _BLANKS.sub(" ", match[2]).strip()
        if kind.startswith("COUNT-"):
            found.extend([Check("PLAIN", pattern, line) for _ in range(int(kind.removeprefix("COUNT-")))])
        else:
            found.append(Check("PLAIN" if kind == "LABEL" else kind, pattern, line))
    return found


def mismatch(source: str, prefix: str, text: str) -> str | None:
    """None where `text` is what the checks say, else the first that isn't met."""
    checks = checks_of(source, prefix)
    if not checks:
        return f"no {prefix} lines"
    return _Matching(_BLANKS.sub(" ", text)).run(checks)


@final
class _Matching:
    """`at` is the end of the last match; `since` is where DAG checks may look from; `taken` is what they matched."""

    __slots__ = ("text", "at", "since", "taken", "forbidden", "names")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.since = 0
        self.taken: list[tuple[int, int]] = []
        self.forbidden: list[Check] = []
        self.names: dict[str, str] = {}

    def run(self, checks: list[Check]) -> str | None:
        for check in checks:
            if check.kind == "NOT":
                self.forbidden.append(check)
                continue
            start = self.at
            found = self.any_order(check) if check.kind == "DAG" else self.in_order(check)
            if found is None:
                return self.told(check, "not found")
            wrong = self.unwanted(start, found[0])
            if wrong is not None:
                return self.told(wrong, "found")
        wrong = self.unwanted(self.at, len(self.text))
        return None if wrong is None else self.told(wrong, "found")

    def told(self, check: Check, what: str) -> str:
        lines = self.text[self.at :].lstrip("\n").split("\n")
        place = self.text.count("\n", 0, self.at) + 1
        return f"line {check.line}: {check.kind} {check.pattern!r} {what} from line {place} on: {lines[0]!r}"

    def in_order(self, check: Check) -> tuple[int, int] | None:
        low, high = self.window(check.kind)
        if low > high:
            return None
        if check.kind == "EMPTY":
            return self.accept(low, low) if self.text[low : low + 1] in ("\n", "") else None
        match = self.compiled(check).search(self.text, low, high)
        if match is None:
            return None
        self.name(match)
        return self.accept(match.start(), match.end())

    def window(self, kind: str) -> tuple[int, int]:
        """Where a match may lie."""
        if kind == "PLAIN":
            return self.at, len(self.text)
        end = self.text.find("\n", self.at)
        end = len(self.text) if end < 0 else end
        if kind == "SAME":
            return self.at, end
        after = self.text.find("\n", end + 1)
        return end + 1, len(self.text) if after < 0 else after

    def any_order(self, check: Check) -> tuple[int, int] | None:
        pattern = self.compiled(check)
        low = self.since
        while True:
            match = pattern.search(self.text, low)
            if match is None:
                return None
            if all(match.end() <= start or match.start() >= end for start, end in self.taken):
                break
            low = match.start() + 1
        self.name(match)
        self.taken.append((match.start(), match.end()))
        self.at = max(self.at, match.end())
        return match.start(), match.end()

    def accept(self, start: int, end: int) -> tuple[int, int]:
        self.at = self.since = end
        self.taken = []
        return start, end

    def unwanted(self, start: int, end: int) -> Check | None:
        """The first of the pending NOT checks that is met."""
        pending, self.forbidden = self.forbidden, []
        return next((check for check in pending if self.compiled(check).search(self.text, start, end)), None)

    def name(self, match: re.Match[str]) -> None:
        self.names.update({name: value for name, value in match.groupdict().items() if value is not None})

    def compiled(self, check: Check) -> re.Pattern[str]:
        """The regular expression that a check's text means."""
        parts: list[str] = []
        rest = check.pattern
        here: set[str] = set()
        while rest:
            if rest.startswith("{{") and "}}" in rest:
                inner, rest = rest[2:].split("}}", 1)
                while rest.startswith("}"):  # the last two braces of several close it
                    inner, rest = inner + "}", rest[1:]
                parts.append(f"(?:{_posix(inner)})")
            elif rest.startswith("[[") and (end := _variable_end(rest)) > 0:
                parts.append(self.variable(rest[2:end], here))
                rest = rest[end + 2 :]
            else:
                stop = min([at for at in (rest.find("{{", 1), rest.find("[[", 1)) if at > 0], default=len(rest))
                parts.append(re.escape(rest[:stop]))
                rest = rest[stop:]
        try:
            return re.compile("".join(parts), re.MULTILINE)
        except re.error as fault:
            raise Broken(f"line {check.line}: {fault}") from fault

    def variable(self, text: str, here: set[str]) -> str:
        match = _VARIABLE.match(text.strip())
        if match is None:
            raise Broken(f"variable {text!r}")
        name, pattern = match[1], match[2]
        if pattern is not None:
            here.add(name)
            return f"(?P<{name}>{_posix(pattern)})"
        if name in here:
            return f"(?P={name})"
        if name not in self.names:
            raise Broken(f"variable {name!r} is not set")
        return re.escape(self.names[name])


def _variable_end(text: str) -> int:
    """Where the `]]` is that ends the `[[` which the text begins with, past brackets of its own; 0 without one."""
    depth = 0
    for at in range(2, len(text) - 1):
        if depth == 0 and text.startswith("]]", at):
            return at
        depth += {"[": 1, "]": -1}.get(text[at], 0)
    return 0


def _posix(pattern: str) -> str:
    """A POSIX expression in Python's words: the classes that differ."""
    for name, members in (("digit", "0-9"), ("xdigit", "0-9a-fA-F"), ("alpha", "a-zA-Z"), ("space", r"\s")):
        pattern = pattern.replace(f"[:{name}:]", members)
    return pattern
