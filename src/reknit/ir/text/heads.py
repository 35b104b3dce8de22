"""What stands between a construct's keyword and its brace, and other lists on one line.

    if %c as @x nojoin control Flatten weights (3, 4) {
    switch %k targets (2, 0, 1) {
    ids 12 %a u32
"""

from typing import Final

from reknit.ir.opcodes import enum_value
from reknit.ir.text.cursor import Cursor
from reknit.ir.text.lexer import name_of
from reknit.ir.text.literals import read_integer
from reknit.ir.text.parts import Parts
from reknit.ir.tree import Construct, If, Loop, Switch

MAX_IDS: Final = 0xFFFFFFFE  # the bound is one more, and is a word


def label_of(cursor: Cursor, labels: dict[str, Construct], construct: Construct) -> str:
    """The label at the cursor, which names `construct` from here on."""
    token = cursor.take()
    if len(token) < 2 or token[0] != "@":
        raise cursor.fault("RK0301", f"a label such as @x was expected here, not `{token}`", 1)
    if token in labels:
        raise cursor.fault("RK0304", f"`{token}` is already open here", 1)
    construct.name = name_of(token)[0]
    return token


def attributes(cursor: Cursor, construct: Construct) -> list[int]:
    """`nojoin`, `control`, `weights`, `targets`, in any order; gives the literals of `targets`."""
    targets: list[int] = []
    while cursor.peek() != "{":
        word = cursor.take()
        if word == "nojoin":
            construct.merged = False
        elif word == "control":
            construct.control = _control(cursor, "LoopControl" if isinstance(construct, Loop) else "SelectionControl")
        elif word == "weights" and isinstance(construct, If):
            construct.weights = _numbers(cursor)
        elif word == "targets" and isinstance(construct, Switch):
            targets = _numbers(cursor, wide=True)
        else:
            raise cursor.fault("RK0301", f"`{{` was expected here, not `{word}`", 1)
    return targets


def _control(cursor: Cursor, kind: str) -> list[int]:
    words: list[int] = []
    if cursor.peek() != "(":
        words.append(mask_word(cursor, kind))
    if cursor.peek() == "(":
        words.extend(_numbers(cursor))
    return words


def _numbers(cursor: Cursor, wide: bool = False) -> list[int]:
    """Numbers in parentheses; a word each unless they are case literals."""
    cursor.expect("(")
    numbers: list[int] = []
    while not cursor.accept(")"):
        if numbers:
            cursor.expect(",")
        numbers.append(number(cursor, wide))
    return numbers


def number(cursor: Cursor, wide: bool = False) -> int:
    """A number; a word unless it may be `wide`."""
    token = cursor.take()
    parsed = read_integer(token)
    if parsed is None:
        raise cursor.fault("RK0306", f"a number was expected here, not `{token}`", 1)
    if not wide and not 0 <= parsed[0] < 1 << 32:
        raise cursor.fault("RK0306", f"`{token}` does not fit in a word", 1)
    return parsed[0]


def mask_word(cursor: Cursor, kind: str) -> int:
    """The word of a control mask by names."""
    token = cursor.take()
    word = enum_value(kind, token)
    if word is None:
        raise cursor.fault("RK0305", f"`{token}` is not a {kind}", 1)
    return word


def read_ids(parts: Parts) -> None:
    """`ids 12 %a u32 7u`: these have the ids 12, 13, 14."""
    cursor = parts.cursor
    cursor.take()
    token = cursor.take()
    number = read_integer(token)
    if number is None or number[2] or not 0 < number[0] < 1 << 32:
        raise cursor.fault("RK0306", f"`{token}` is not an id", 1)
    following = number[0]
    while cursor.peek() not in ("", "}"):
        token = cursor.peek()
        value = parts.reference("IdRef")
        if value is parts.symbols.hole:
            if token in parts.symbols.poisoned:
                continue
            raise cursor.fault("RK0303", f"`{token}` is not defined", 1)
        if following > MAX_IDS:
            raise cursor.fault("RK0306", f"`{token}` would get the id {following}, and the largest is {MAX_IDS}", 1)
        value.id = following
        following += 1
