"""What single directives need: macro definitions and the nesting of conditional groups.

#if A        a group: taken, or skipped
#elif B      another: taken if none was before
#else
#endif
"""

from typing import final

from reknit.front.slang.macro import VARIADIC, Item, Macro
from reknit.front.slang.report import Reports
from reknit.front.slang.tokens import KIND, NAME, SPACE
from reknit.source.diagnostic import Note


@final
class _Group:
    __slots__ = ("at", "directive", "dead", "taken", "done", "else_at")

    def __init__(self, at: int, directive: str, dead: bool, taken: bool) -> None:
        self.at = at
        self.directive = directive
        self.dead = dead  # it stands in a skipped group itself
        self.taken = taken  # what is read now is taken
        self.done = taken  # one of its groups was taken
        self.else_at = 0


@final
class Conditionals:
    """The groups that are open in a file; `skipping` says whether its tokens are left out now."""

    __slots__ = ("groups", "skipping")

    def __init__(self) -> None:
        self.groups: list[_Group] = []
        self.skipping = False

    def is_dead(self, directive: str) -> bool:
        """Whether the directive's condition doesn't matter, so that it is not even looked at."""
        if directive.startswith("if"):
            return self.skipping
        return not self.groups or self.groups[-1].dead or self.groups[-1].done

    def step(self, directive: str, at: int, taken: bool, reports: Reports) -> None:
        groups = self.groups
        if directive.startswith("if"):
            groups.append(_Group(at, directive, self.skipping, taken and not self.skipping))
        elif not groups:
            reports.error("E15001", at, f"'#{directive}' directive without '#if'", length=len(directive))
        elif directive == "endif":
            groups.pop()
        else:
            self._other(groups[-1], directive, at, taken, reports)
        self.skipping = bool(groups) and not groups[-1].taken

    def _other(self, group: _Group, directive: str, at: int, taken: bool, reports: Reports) -> None:
        if group.else_at:
            notes = [Note("see '#else' directive", reports.sources.place(group.else_at))]
            reports.error("E15002", at, f"'#{directive}' directive after '#else'", notes, len(directive))
            group.taken = False
            return
        if directive == "else":
            group.else_at = at
            taken = True
        group.taken = taken and not group.dead and not group.done
        group.done = group.done or group.taken

    def still_open(self) -> list[tuple[int, str]]:
        return [(group.at, group.directive) for group in self.groups]


def definition(items: list[Item], at: int, reports: Reports) -> Macro | None:
    """The macro that `#define` makes; None with the reason reported."""
    if not items or items[0][0] & KIND != NAME:
        place = items[0][2] if items else at
        reports.error("E15102", place, "expected 'identifier' in 'define' directive")
        return None
    name, place = items[0][1], items[0][2]
    if name == "defined":
        reports.error("E15102", place, "expected 'identifier' in 'define' directive", length=7)
        return None
    params: list[str] | None = None
    variadic = False
    i = 1
    if len(items) > 1 and items[1][1] == "(" and not items[1][0] & SPACE:
        params = []
        i = _parameters(items, params, reports)
        if i < 0:
            return None
        if params and params[-1].startswith("..."):
            variadic = True
            params[-1] = params[-1][3:]
    body = items[i:]
    if not _sound(body, params, reports):
        return None
    return Macro(name, params, variadic, body, place)


def _parameters(items: list[Item], params: list[str], reports: Reports) -> int:
    """The index after the closing bracket, or -1. A parameter for the rest starts with "..."."""
    i = 2
    if i < len(items) and items[i][1] == ")":
        return i + 1
    while i < len(items):
        kind, text, at, _ = items[i]
        i += 1
        if text == "...":
            params.append("..." + VARIADIC)
        elif kind & KIND != NAME:
            reports.error("E15403", at, "expected 'identifier' in macro parameters", length=len(text))
            return -1
        else:
            if text in params:
                reports.error("E15408", at, f"redefinition of macro parameter '{text}'", length=len(text))
                return -1
            params.append(text)
            if i < len(items) and items[i][1] == "...":
                params[-1] = "..." + text
                i += 1
        if i < len(items) and items[i][1] == ")":
            return i + 1
        if params[-1].startswith("..."):
            message = "a variadic macro parameter is only allowed at the end of the parameter list"
            reports.error("E15409", at, message)
            return -1
        if i >= len(items) or items[i][1] != ",":
            break
        i += 1
    reports.error("E15403", items[min(i, len(items) - 1)][2], "expected ')' in macro parameters")
    return -1


def _sound(body: list[Item], params: list[str] | None, reports: Reports) -> bool:
    if not body:
        return True
    if body[0][1] == "##":
        reports.error("E15405", body[0][2], "'##' is not allowed at the start of a macro body", length=2)
        return False
    if body[-1][1] == "##":
        reports.error("E15406", body[-1][2], "'##' is not allowed at the end of a macro body", length=2)
        return False
    if params is None:
        return True
    for i, item in enumerate(body):
        if item[1] == "#" and (i + 1 == len(body) or body[i + 1][1] not in params):
            message = "'#' in macro body must be followed by the name of a macro parameter"
            reports.error("E15407", item[2], message)
            return False
    return True
