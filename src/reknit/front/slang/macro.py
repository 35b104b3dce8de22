"""Macros and their expansion.

    #define MUL(a, b) ((a) * (b))        MUL(x + 1, y)   ->   ((x + 1) * (y))

A name is not expanded again inside its own expansion: every token carries the names it came out of (Prosser's
algorithm). Tokens out of a macro's body stand where the outermost use stands, so that messages point at what the user
wrote. What waits is a stack, so deep expansions cost no recursion; arguments are expanded by themselves, ARGUMENTS_DEEP
at most.
Source: ISO C 6.10.3; Slang's language reference, "Preprocessor".
"""

from typing import Final, final

from reknit.front.slang.hlsl import STAGE
from reknit.front.slang.lexer import kind_of
from reknit.front.slang.report import Reports
from reknit.front.slang.tokens import BAD, END, INT, KIND, LINE_START, NAME, PUNCT, SPACE, STRING, Tokens
from reknit.source.meter import spend

Item = tuple[int, str, int, frozenset[str]]  # kind with flags, text, position, names it came out of

NO_NAMES: Final[frozenset[str]] = frozenset()
BUDGET: Final = 1_000_000  # tokens out of macros in one compilation
CHARACTERS: Final = 64  # of a token that a macro made count as much as a token
MAX_LENGTH: Final = 1 << 16
NAMES: Final = 8  # that a token came out of count as much as a token, since each use makes another set of them
ARGUMENTS_DEEP: Final = 100
VARIADIC: Final = "__VA_ARGS__"


class TooMuch(Exception):
    """Reported already: the preprocessor gives up."""


@final
class Macro:
    """`params` None: object-like. A variadic one has its last parameter take the rest."""

    __slots__ = ("name", "params", "variadic", "body", "at")

    def __init__(self, name: str, params: list[str] | None, variadic: bool, body: list[Item], at: int) -> None:
        self.name = name
        self.params = params
        self.variadic = variadic
        self.body = body
        self.at = at


@final
class Stream:
    """What the expander reads: pushed-back items first (a stack, last is next), then a file's tokens from `next` on."""

    __slots__ = ("waiting", "tokens", "next")

    def __init__(self, waiting: list[Item], tokens: Tokens | None, next: int) -> None:
        self.waiting = waiting
        self.tokens = tokens
        self.next = next

    def peek_is(self, text: str) -> bool:
        if self.waiting:
            return self.waiting[-1][1] == text
        tokens = self.tokens
        return tokens is not None and tokens.texts[self.next] == text and not self._at_directive()

    def take(self) -> Item | None:
        """The next item; None at the end, and at a directive."""
        if self.waiting:
            return self.waiting.pop()
        tokens = self.tokens
        if tokens is None or self._at_directive():
            return None
        i = self.next
        if tokens.kinds[i] & KIND == END:
            return None
        self.next = i + 1
        return (tokens.kinds[i], tokens.texts[i], tokens.ats[i], NO_NAMES)

    def _at_directive(self) -> bool:
        tokens = self.tokens
        assert tokens is not None
        return tokens.texts[self.next] == "#" and tokens.kinds[self.next] & LINE_START != 0


@final
class Expander:
    __slots__ = ("macros", "builtins", "reports", "budget", "_deep")

    def __init__(self, reports: Reports) -> None:
        self.macros: dict[str, Macro] = {}
        self.builtins: set[str] = {"__LINE__", "__FILE__"}  # until they are defined or undefined; HLSL's STAGE
        self.reports = reports
        self.budget = BUDGET
        self._deep = 0

    def is_macro(self, name: str) -> bool:
        return name in self.macros or name in self.builtins

    def expand(self, stream: Stream, out: Tokens) -> None:
        """Expand what waits in the stream, and of its file what belongs to a use that began there."""
        while stream.waiting:
            item = stream.waiting.pop()
            if not self.use(item, stream) and item[0] & KIND != BAD:
                out.add(item[0], item[1], item[2])

    def expand_list(self, items: list[Item]) -> list[Item]:
        """The expansion of an argument or of a directive's tokens by themselves."""
        if not any(item[1] in self.macros or item[1] in self.builtins for item in items):
            return items
        self._deep += 1
        if self._deep > ARGUMENTS_DEEP:
            message = f"macro invocations are nested more than {ARGUMENTS_DEEP} deep in their arguments"
            self.reports.error("RK0902", items[0][2], message)
            raise TooMuch
        stream = Stream(items[::-1], None, 0)
        out: list[Item] = []
        while stream.waiting:
            item = stream.waiting.pop()
            if not self.use(item, stream):
                out.append(item)
        self._deep -= 1
        return out

    def use(self, item: Item, stream: Stream) -> bool:
        """Whether the item was replaced by its expansion, which waits in the stream now."""
        kind, name, at, hidden = item
        if kind & KIND != NAME:
            return False
        macro = self.macros.get(name)
        if macro is None:
            return name in self.builtins and self._builtin(item, stream)
        if name in hidden:
            return False
        body: list[Item]
        if macro.params is None:
            body = self._substituted(macro, [], at, hidden | {name})
        else:
            if not stream.peek_is("("):
                return False
            arguments, end_hidden = self._arguments(macro, at, stream)
            if arguments is None:
                return True
            body = self._substituted(macro, arguments, at, (hidden & end_hidden) | {name})
        cost = len(body) + 1 + len(hidden) // NAMES
        spend(cost)
        self.budget -= cost
        if self.budget < 0:
            self.reports.error("RK0902", at, f"macros make more than {BUDGET} tokens", length=len(name))
            raise TooMuch
        if body:
            first = body[0]
            flags = kind & (SPACE | LINE_START)
            body[0] = ((first[0] & ~(SPACE | LINE_START)) | flags, first[1], first[2], first[3])
        stream.waiting.extend(reversed(body))
        return True

    def _builtin(self, item: Item, stream: Stream) -> bool:
        kind, name, at, hidden = item
        place = self.reports.sources.place(at)
        flags = kind & (SPACE | LINE_START)
        if name == "__LINE__":
            stream.waiting.append((INT | flags, str(place.line), at, hidden))
            return True
        if name == "__FILE__":
            text = place.file.replace("\\", "\\\\").replace('"', '\\"')
            stream.waiting.append((STRING | flags, f'"{text}"', at, hidden))
            return True
        if name == STAGE:
            message = f"not supported: `{STAGE}`, for the stage is not known before the source is read"
            help = "--stage says it, and so does the name of a file such as blur.ps.hlsl"
            self.reports.error("RK0911", at, message, length=len(name), help=help)
            stream.waiting.append((INT | flags, "0", at, hidden))
            return True
        return False

    def _arguments(self, macro: Macro, at: int, stream: Stream) -> tuple[list[list[Item]] | None, frozenset[str]]:
        """The arguments after the name, brackets taken; None when they can't be had, which is reported."""
        opener = stream.take()
        assert opener is not None and macro.params is not None
        arguments: list[list[Item]] = [[]]
        depth = 0
        last = len(macro.params) - 1
        end_hidden = NO_NAMES
        while True:
            item = stream.take()
            if item is None:
                self.reports.warning("E15500", at, "expected ')' in macro invocation", length=len(macro.name))
                break
            text = item[1]
            if item[0] & KIND == PUNCT:
                if text == "(":
                    depth += 1
                elif text == ")":
                    if depth == 0:
                        end_hidden = item[3]
                        break
                    depth -= 1
                elif text == "," and depth == 0 and not (macro.variadic and len(arguments) > last):
                    arguments.append([])
                    continue
            arguments[-1].append(item)
        expected = len(macro.params)
        if expected == 0 and len(arguments) == 1 and not arguments[0]:
            arguments = []
        if macro.variadic and len(arguments) == expected - 1:
            arguments.append([])
        if len(arguments) != expected:
            message = f"wrong number of arguments to macro (expected {expected}, got {len(arguments)})"
            self.reports.error("E15501", at, message, length=len(macro.name))
            return None, end_hidden
        return arguments, end_hidden

    def _substituted(self, macro: Macro, arguments: list[list[Item]], at: int, hidden: frozenset[str]) -> list[Item]:
        """The body with the arguments in it; what was in the body stands at `at` now."""
        params = macro.params if macro.params is not None else []
        body = macro.body
        out: list[Item] = []
        expanded: dict[int, list[Item]] = {}
        i = 0
        while i < len(body):
            kind, text, _, _ = body[i]
            k = params.index(text) if kind & KIND == NAME and text in params else -1
            if text == "#" and macro.params is not None and i + 1 < len(body):
                k = params.index(body[i + 1][1])
                written = _as_string(arguments[k])
                self._long(written, at)
                out.append((STRING | kind & SPACE, written, at, hidden))
                i += 2
                continue
            if text == "##" and i + 1 < len(body) and i > 0:
                i = self._paste(macro, params, arguments, i + 1, at, hidden, out)
                continue
            if k >= 0:
                if i + 1 < len(body) and body[i + 1][1] == "##":
                    piece = arguments[k] if arguments[k] else [(BAD, "", at, NO_NAMES)]  # BAD: an empty place for ##
                elif k in expanded:
                    piece = expanded[k]
                else:
                    piece = expanded[k] = self.expand_list(arguments[k])
                first = len(out)
                _add_hidden(piece, hidden, out)
                if len(out) > first:
                    out[first] = (out[first][0] & ~SPACE | kind & SPACE, out[first][1], out[first][2], out[first][3])
                self.budget -= len(piece)
                if self.budget < 0:
                    self.reports.error("RK0902", at, f"macros make more than {BUDGET} tokens", length=len(macro.name))
                    raise TooMuch
            else:
                out.append((kind, text, at, hidden))
            i += 1
        return [item for item in out if item[0] & KIND != BAD]

    def _long(self, text: str, at: int) -> None:
        """Pasted and stringized tokens count by their length, too: each of a chain of macros may double it."""
        self.budget -= len(text) // CHARACTERS
        if len(text) > MAX_LENGTH or self.budget < 0:
            self.reports.error("RK0902", at, f"macros make tokens of more than {MAX_LENGTH} characters")
            raise TooMuch

    def _paste(
        self,
        macro: Macro,
        params: list[str],
        arguments: list[list[Item]],
        i: int,
        at: int,
        hidden: frozenset[str],
        out: list[Item],
    ) -> int:
        """Join the last of `out` with what stands at `i` of the body; the index after that."""
        kind, text, _, _ = macro.body[i]
        right: list[Item] = [(kind, text, at, hidden)]
        if kind & KIND == NAME and text in params:
            k = params.index(text)
            right = []
            _add_hidden(arguments[k], hidden, right)
            if not right:
                if macro.variadic and k == len(params) - 1 and out and out[-1][1] == ",":
                    out.pop()  # `, ## __VA_ARGS__` of nothing takes its comma along
                return i + 1
            if macro.variadic and k == len(params) - 1 and out and out[-1][1] == ",":
                out.extend(right)
                return i + 1
        left = out.pop() if out else (BAD, "", at, hidden)
        joined = left[1] + right[0][1]
        self._long(joined, at)
        pasted = kind_of(joined)
        if pasted == BAD and joined:
            message = f"token pasting with '##' resulted in the invalid token '{joined}'"
            self.reports.warning("E15503", at, message, length=len(macro.name))
            out.append(left)
            out.extend(right)
        else:
            flags = left[0] & (SPACE | LINE_START)
            out.append((pasted | flags, joined, left[2] if left[1] else right[0][2], left[3] & right[0][3] | hidden))
            out.extend(right[1:])
        return i + 1


def _add_hidden(items: list[Item], hidden: frozenset[str], out: list[Item]) -> None:
    """Put `items` on `out`, with more names that they came out of. Those of equal names share one set: there may be a
    million of them."""
    unions: dict[frozenset[str], frozenset[str]] = {NO_NAMES: hidden}
    for kind, text, at, names in items:
        union = unions.get(names)
        if union is None:
            union = names | hidden
            if union == names:
                union = names
            unions[names] = union
        out.append((kind, text, at, union))


def _as_string(items: list[Item]) -> str:
    parts: list[str] = []
    for item in items:
        if parts and item[0] & (SPACE | LINE_START):
            parts.append(" ")
        text = item[1]
        parts.append(
            text.replace("\\", "\\\\").replace('"', '\\"') if item[0] & KIND >= STRING and '"' in text else text
        )
    return '"' + "".join(parts) + '"'
