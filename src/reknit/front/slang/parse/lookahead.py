"""What is decided before anything is parsed, by looking at tokens only.

    a < b > (c)        a generic call, unless `a` is known to be a variable
    A<B>[2] x;         a type and a name after it: a declaration
    (T) x              a cast, because a name follows the bracket

Slang asks its symbol table while it parses bodies. Here one pass over the tokens gathers which names are declared with
generic parameters and which as variables, wherever that is; a name that is neither, or both, is settled by what follows
its `>`. Every `<` is looked at once, so this stays linear.
"""

from typing import Final, final

from reknit.front.slang.parse import words
from reknit.front.slang.parse.cursor import Cursor
from reknit.front.slang.tokens import CHAR, FLOAT, INT, NAME, PUNCT, STRING, spelled

_UNKNOWN: Final = -2
_ENDS_ANGLES: Final = spelled("&& || ? = += -= *= /= %= &= |= ^= <<= >>= ; { }") | {""}


@final
class Lookahead:
    __slots__ = ("tokens", "angles", "generic_names", "variable_names", "type_names", "template_params")

    def __init__(self, tokens: Cursor) -> None:
        self.tokens = tokens
        self.angles: dict[int, int] = {}  # `<` -> its `>`, or -1
        self.generic_names: set[str] = set()
        self.variable_names: set[str] = set()
        self.type_names: set[str] = set()
        self.template_params: set[str] = set()  # types of HLSL's templates
        self._gather()

    def _gather(self) -> None:
        tokens = self.tokens
        kinds, texts = tokens.kinds, tokens.texts
        declares_type, not_types = words.DECLARES_TYPE, words.NOT_TYPES
        for i in range(1, len(kinds) - 3):
            if kinds[i] != NAME:
                continue
            after = texts[i + 1]
            before = texts[i - 1]
            if before in declares_type:
                self.type_names.add(texts[i])
                if after == "<":
                    self.generic_names.add(texts[i])
            elif before == "func" and after == "<":
                self.generic_names.add(texts[i])
            elif texts[i] == "template" and after == "<":
                self._template(i + 1)
            elif before == "typename":
                self.template_params.add(texts[i])
            elif kinds[i - 1] == NAME:
                if before in not_types:
                    continue
                if after == "<":
                    self.generic_names.add(texts[i])
                elif after in (";", "=", ",", "[", ":", ")"):
                    self.variable_names.add(texts[i])
            elif before in (">", "]", "*") and after in (";", "=", ",", ")"):
                self.variable_names.add(texts[i])

    def _template(self, i: int) -> None:
        """HLSL's `template` with its `<` at i: what it declares may have arguments."""
        texts, kinds = self.tokens.texts, self.tokens.kinds
        depth = 0
        while texts[i] not in ("", ";", "{", "("):
            depth += {"<": 1, ">": -1, ">>": -2}.get(texts[i], 0)
            i += 1
            if depth <= 0 and (texts[i] in ("(", "{", ":")):
                break
        if kinds[i - 1] == NAME:
            self.generic_names.add(texts[i - 1])

    # ---- generic arguments

    def generic_follows(self, name: str) -> bool:
        """Whether the `<` that comes next opens generic arguments of an expression that ends with `name`."""
        generic = name in self.generic_names or name in words.KNOWN_GENERICS
        variable = name in self.variable_names
        if variable and not generic:
            return False
        close = self.angle_end(self.tokens.pos)
        if close < 0:
            return False
        return (generic and not variable) or self._after(close) in words.AFTER_GENERIC

    def _after(self, close: int) -> str:
        texts = self.tokens.texts
        return ">" if texts[close] == ">>" else texts[close + 1]

    def angle_end(self, i: int) -> int:
        """The index of the `>` (or of the `>>` that holds it) for the `<` at i; -1 if it is a comparison."""
        end = self.angles.get(i, _UNKNOWN)
        if end == _UNKNOWN:
            self._match_angles(i)
            end = self.angles[i]
        return end

    def _match_angles(self, start: int) -> None:
        tokens = self.tokens
        texts = tokens.texts
        angles = self.angles
        stack = [start]  # of `<`, `(` and `[`
        i = start + 1
        while stack:
            text = texts[i]
            if text == "<":
                stack.append(i)
            elif text == ">":
                if texts[stack[-1]] == "<":
                    angles[stack.pop()] = i
            elif text == ">>":
                if len(stack) > 1 and texts[stack[-1]] == "<" and texts[stack[-2]] == "<":  # else it is a shift
                    angles[stack.pop()] = i
                    angles[stack.pop()] = i
            elif text == "(" or text == "[":
                if tokens.matching[i] < 0:
                    break
                stack.append(i)
            elif text == ")" or text == "]":
                while stack and texts[stack[-1]] == "<":
                    angles[stack.pop()] = -1
                if stack:
                    stack.pop()
            elif text in _ENDS_ANGLES and not (text == "?" and texts[i + 1] in (">", ",", ">>")):
                while stack and texts[stack[-1]] == "<":
                    angles[stack.pop()] = -1
                if text in (";", "{", "}", ""):
                    break
            i += 1
        for left in stack:
            if texts[left] == "<":
                angles[left] = -1

    # ---- types

    def modifier_at(self, i: int) -> bool:
        """Whether the name at i is a modifier; many of them only are where a type or another modifier follows."""
        tokens = self.tokens
        text = tokens.texts[i]
        if text in words.MODIFIERS:
            return True
        after = tokens.texts[i + 1]
        after_kind = tokens.kinds[i + 1]
        if text in words.SOFT_MODIFIERS:
            if text in self.type_names or self._tests_type(i + 1):
                return False
            return after_kind == NAME or after == "::"
        return text in words.BRACKET_MODIFIERS and (after == "(" or after_kind == NAME)

    def type_end(self, i: int) -> int:
        """The index after the type that starts at i; -1 if none does."""
        tokens = self.tokens
        texts, kinds = tokens.texts, tokens.kinds
        while True:
            while kinds[i] == NAME and (self.modifier_at(i) or texts[i] in ("functype", "each", "expand")):
                i += 1
            i = self._named_type_end(i)
            if i < 0:
                return -1
            while True:
                if texts[i] == "[" and tokens.matching[i] > 0:
                    i = tokens.matching[i] + 1
                elif texts[i] == "*" or (texts[i] == "?" and self._optional_at(i)):
                    i += 1
                else:
                    break
            if texts[i] != "&" or kinds[i + 1] != NAME:
                return i
            i += 1

    def _optional_at(self, i: int) -> bool:
        """Whether the `?` at i makes a type optional rather than beginning a choice."""
        tokens = self.tokens
        if tokens.texts[i + 1] in (">", ",", ")", "{"):
            return True
        before = tokens.texts[i - 1]
        return tokens.kinds[i + 1] == NAME and (before in (">", "]") or self.known_type(before))

    def _named_type_end(self, i: int) -> int:
        tokens = self.tokens
        texts, kinds = tokens.texts, tokens.kinds
        while texts[i] == "(" and tokens.matching[i] > 0 and texts[tokens.matching[i] + 1] == "->":
            i = tokens.matching[i] + 2
        if texts[i] == "::":
            i += 1
        if kinds[i] != NAME:
            return -1
        i += 1
        while True:
            text = texts[i]
            if text == "<":
                close = self.angle_end(i)
                if close < 0:
                    return -1
                i = close + 1
            elif text in ("::", ".") and kinds[i + 1] == NAME:
                i += 2
            elif text == "(" and texts[i - 1] in words.CALL_WORDS and tokens.matching[i] > 0:
                i = tokens.matching[i] + 1
            else:
                return i

    def declaration_next(self) -> bool:
        """Whether a statement that starts here with a name declares something: a type with a name after it."""
        tokens = self.tokens
        i = self.type_end(tokens.pos)
        return i > 0 and (tokens.kinds[i] == NAME) and not self._tests_type(i)

    def _tests_type(self, i: int) -> bool:
        """Whether what is at i is the operator `is` or `as`, with its type after it, and no variable of that name."""
        tokens = self.tokens
        return tokens.texts[i] in ("is", "as") and (tokens.kinds[i + 1] == NAME or tokens.texts[i + 1] == "::")

    # ---- casts

    def known_type(self, name: str) -> bool:
        if name in self.type_names or words.BUILTIN_TYPE.fullmatch(name) is not None:
            return True
        return name in self.template_params and name not in self.variable_names

    def cast_next(self) -> bool:
        """Whether the `(` that comes next opens the type of a cast."""
        tokens = self.tokens
        start = tokens.pos
        close = tokens.matching[start]
        if close < 0 or self.type_end(start + 1) != close:
            return False
        texts = tokens.texts
        kind, after = tokens.kinds[close + 1], texts[close + 1]
        if close == start + 2 and self.known_type(texts[start + 1]):
            if kind in (NAME, INT, FLOAT, CHAR, STRING):
                return not self._tests_type(close + 1)
            return after in _AFTER_KNOWN_TYPE
        if texts[close - 1] == "*" or self.modifier_at(start + 1):
            return True
        if kind == NAME:
            return not self._tests_type(close + 1)
        if kind in (INT, FLOAT, CHAR) or (kind == PUNCT and after in ("!", "~")):
            return True
        if texts[close - 1] == "]" and tokens.matching[close - 1] == close - 2:
            return True
        if after in ("+", "-", "*", "&") and self._qualified(start, close):
            return self._apart(close + 1) != self._apart(close + 2)
        return after == "{"

    def _qualified(self, start: int, close: int) -> bool:
        return "::" in self.tokens.texts[start:close]

    def _apart(self, i: int) -> bool:
        """Whether white space stands before the token at i."""
        tokens = self.tokens
        return tokens.ats[i] != tokens.ats[i - 1] + len(tokens.texts[i - 1])


_AFTER_KNOWN_TYPE: Final = spelled("( ! ~ + - * & ++ -- { ::")
