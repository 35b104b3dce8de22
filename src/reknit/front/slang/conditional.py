"""The value of an `#if` or `#elif`.

    defined(A) && VERSION >= 2      ->  0 or 1, in 64-bit arithmetic

`defined` is settled before macros are expanded, and where it comes out of one, before what follows is. Operators and
operands are two stacks, so nesting costs no recursion.
"""

from typing import Final

from reknit.front.slang.integers import compute
from reknit.front.slang.literals import char_literal, int_literal
from reknit.front.slang.macro import Expander, Item, Stream
from reknit.front.slang.report import Reports
from reknit.front.slang.tokens import CHAR, INT, KIND, NAME
from reknit.front.slang.types import INT64

_BINARY: Final = {
    "*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, ">": 7, "<=": 7, ">=": 7, "==": 6, "!=": 6,
    "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1,
}  # fmt: skip
_UNARY: Final = ("!", "-", "+", "~")
_PREFIX: Final = 20


def condition(items: list[Item], directive: str, at: int, expander: Expander, reports: Reports, hlsl: bool) -> bool:
    """Whether the group after the directive is taken. What is wrong is reported and counts as false. A name that is no
    macro is 0, which `hlsl` does not warn of (ISO C 6.10.1; DXC)."""
    if not items:
        reports.warning("E15204", at, f"'#{directive}' directive requires an expression")
        return False
    settled = _without_defined(items, expander, reports)
    if settled is None:
        return False
    expanded = _expanded(settled, expander, reports)
    value = None if expanded is None else _evaluate(expanded, at, reports, hlsl)
    return value is not None and value != 0


def _expanded(items: list[Item], expander: Expander, reports: Reports) -> list[Item] | None:
    stream = Stream(items[::-1], None, 0)
    out: list[Item] = []
    while stream.waiting:
        item = stream.waiting.pop()
        if item[0] & KIND == NAME and item[1] == "defined":
            brackets = 3 if stream.peek_is("(") else 1
            rest = [stream.waiting.pop() for _ in range(min(brackets, len(stream.waiting)))]
            settled = _without_defined([item, *rest], expander, reports)
            if settled is None:
                return None
            out.extend(settled)
        elif not expander.use(item, stream):
            out.append(item)
    return out


def _without_defined(items: list[Item], expander: Expander, reports: Reports) -> list[Item] | None:
    out: list[Item] = []
    i = 0
    while i < len(items):
        kind, text, at, hidden = items[i]
        i += 1
        if kind & KIND == NAME and text == "__has_feature" and i + 2 < len(items) and items[i][1] == "(":
            out.append((INT, "0", at, hidden))
            i += 3
            continue
        if kind & KIND != NAME or text != "defined":
            out.append((kind, text, at, hidden))
            continue
        bracket = i < len(items) and items[i][1] == "("
        i += bracket
        if i >= len(items) or items[i][0] & KIND != NAME:
            place = items[i][2] if i < len(items) else at
            reports.error("E15203", place, "expected 'identifier' in 'defined' expression")
            return None
        name = items[i][1]
        i += 1
        if bracket:
            if i >= len(items) or items[i][1] != ")":
                reports.error("E15203", at, "expected ')' in 'defined' expression", length=7)
                return None
            i += 1
        out.append((INT, "1" if expander.is_macro(name) else "0", at, hidden))
    return out


def _evaluate(items: list[Item], at: int, reports: Reports, hlsl: bool) -> int | None:
    values: list[int] = []
    operators: list[tuple[str, int, int]] = []  # text, precedence (0: an open bracket), position
    operand_next = True
    for kind, text, here, _ in items:
        plain = kind & KIND
        if operand_next:
            if plain == INT:
                values.append(int_literal(text, here, reports)[0])
                operand_next = False
            elif plain == CHAR:
                values.append(char_literal(text, here, reports))
                operand_next = False
            elif plain == NAME:
                if text not in ("true", "false") and not hlsl:
                    message = f"undefined identifier '{text}' in preprocessor expression will evaluate to zero"
                    reports.warning("E15205", here, message, length=len(text))
                values.append(1 if text == "true" else 0)
                operand_next = False
            elif text in _UNARY:
                operators.append((text, _PREFIX, here))
            elif text == "(":
                operators.append((text, 0, here))
            else:
                return _wrong(here, reports)
        elif text == ")":
            while operators and operators[-1][1]:
                if not _apply(operators.pop(), values, reports):
                    return None
            if not operators:
                return _wrong(here, reports)
            operators.pop()
        elif text in _BINARY:
            strength = _BINARY[text]
            while operators and operators[-1][1] >= strength:
                if not _apply(operators.pop(), values, reports):
                    return None
            operators.append((text, strength, here))
            operand_next = True
        else:
            return _wrong(here, reports)
    if operand_next:
        return _wrong(items[-1][2] + len(items[-1][1]) if items else at, reports)
    while operators:
        if not operators[-1][1]:
            reports.error("E15200", operators[-1][2], "expected ')' in preprocessor expression")
            return None
        if not _apply(operators.pop(), values, reports):
            return None
    return values[0]


def _wrong(at: int, reports: Reports) -> int | None:
    reports.error("E15201", at, "syntax error in preprocessor expression")
    return None


def _apply(operator: tuple[str, int, int], values: list[int], reports: Reports) -> bool:
    text, strength, at = operator
    right = values.pop()
    if strength == _PREFIX:
        values.append(_known(text, [right]))
        return True
    left = values.pop()
    if text in ("/", "%") and right == 0:
        reports.error("E15202", at, "division by zero in preprocessor expression")
        return False
    values.append(_known(text, [left, right & 63 if text in ("<<", ">>") else right]))
    return True


def _known(text: str, values: list[int]) -> int:
    value = compute(text, INT64, values)
    assert value is not None, "division by zero was reported"
    return value
