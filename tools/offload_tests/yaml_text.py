"""The part of YAML that pipelines are written in: mappings, sequences and scalars by indentation, `[...]` and `{...}`.

Buffers:                    {"Buffers": [{"Name": "In", "Data": ["1", "2.5"]}]}
  - Name: In
    Data: [1, 2.5]   # over several lines, too
"""

import re
from typing import Any, Final, final

_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
_KEY: Final = re.compile(r"([\w.-]+):(?:\s+|$)(.*)", re.S)
_FLOW: Final = re.compile(r"\s*([\[\]{},:]|[^\[\]{},:\s][^\[\]{},:]*)")


class NotRead(Exception):
    """YAML beyond that part."""


def parse(text: str) -> Any:
    lines = _lines(text)
    return _Block(lines).value(lines[0][0]) if lines else {}


def _lines(text: str) -> list[tuple[int, str]]:
    """(indentation, content); a flow that goes over several lines is one."""
    found: list[tuple[int, str]] = []
    open = 0
    for raw in text.split("\n"):
        line = _COMMENT.sub("", raw).rstrip()
        if not line.strip() or line.strip() in ("---", "..."):
            continue
        if open:
            indent, before = found[-1]
            found[-1] = (indent, f"{before} {line.strip()}")
        else:
            found.append((len(line) - len(line.lstrip()), line.strip()))
        open += sum(line.count(mark) for mark in "[{") - sum(line.count(mark) for mark in "]}")
    return found


@final
class _Block:
    def __init__(self, lines: list[tuple[int, str]]) -> None:
        self.lines = lines
        self.at = 0

    def value(self, indent: int) -> Any:
        return self._sequence(indent) if self.lines[self.at][1].startswith("-") else self._mapping(indent)

    def _sequence(self, indent: int) -> list[Any]:
        found: list[Any] = []
        while self.at < len(self.lines) and self.lines[self.at][0] == indent and self.lines[self.at][1].startswith("-"):
            rest = self.lines[self.at][1][1:].lstrip()
            inner = indent + len(self.lines[self.at][1]) - len(rest)
            if not rest:
                self.at += 1
                found.append(self.value(self.lines[self.at][0]))
            elif _KEY.fullmatch(rest):
                self.lines[self.at] = (inner, rest)
                found.append(self._mapping(inner))
            else:
                self.at += 1
                found.append(_scalar_or_flow(rest))
        return found

    def _mapping(self, indent: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self.at < len(self.lines) and self.lines[self.at][0] == indent:
            match = _KEY.fullmatch(self.lines[self.at][1])
            if match is None:
                break
            self.at += 1
            if match[2]:
                found[match[1]] = _scalar_or_flow(match[2])
            elif self.at < len(self.lines) and (
                self.lines[self.at][0] > indent
                or (self.lines[self.at][0] == indent and self.lines[self.at][1].startswith("-"))
            ):
                found[match[1]] = self.value(self.lines[self.at][0])
            else:
                found[match[1]] = ""
        return found


def _scalar_or_flow(text: str) -> Any:
    if text[0] not in "[{":
        return text.strip("\"'")
    tokens = _FLOW.findall(text)[::-1]
    found = _flow(tokens)
    if tokens:
        raise NotRead(f"what follows {text[:20]!r}")
    return found


def _flow(tokens: list[str]) -> Any:
    """`tokens` are taken from the end."""
    if not tokens:
        raise NotRead("a list that doesn't end")
    token = tokens.pop()
    if token not in "[{":
        return token.strip().strip("\"'")
    items: list[Any] = []
    pairs: dict[str, Any] = {}
    end = "]" if token == "[" else "}"
    while tokens and tokens[-1] != end:
        if tokens[-1] == ",":
            tokens.pop()
            continue
        item = _flow(tokens)
        if tokens and tokens[-1] == ":":
            tokens.pop()
            pairs[str(item)] = _flow(tokens)
        else:
            items.append(item)
    if not tokens:
        raise NotRead("a list that doesn't end")
    tokens.pop()
    return items if token == "[" else pairs
