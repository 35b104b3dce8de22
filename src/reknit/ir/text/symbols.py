"""Names while a text is read: what they mean, and what still waits for a meaning.

    %x in a function       a value of that function, else one of the module
    Decorate %x ...        anything in the module; what stands in a function only if no other function has the name
    a mention first        is kept as a `Wait` and filled in when the function, or the module, ends

What a broken statement would have defined is `poisoned`: its mentions are not reported as well.
"""

from typing import final

from reknit.ir.edit import set_condition, set_selector
from reknit.ir.instr import Instr
from reknit.ir.text.cursor import Cursor
from reknit.ir.text.lexer import name_of
from reknit.ir.tree import If, Switch
from reknit.ir.value import Value
from reknit.source.diagnostic import Diagnostic, Note


@final
class Wait:
    """An operand of `user` that was mentioned before it was defined. `at` is the token's place in `line`."""

    __slots__ = ("user", "index", "token", "line", "at")

    def __init__(self, user: Value, index: int, token: str, line: int, at: int) -> None:
        self.user = user
        self.index = index
        self.token = token
        self.line = line
        self.at = at


@final
class Symbols:
    """`hole` stands in for a value that is not known yet."""

    __slots__ = (
        "module", "local", "inner", "in_function", "poisoned", "local_waits", "waits", "hole", "lines", "reported",
    )  # fmt: skip

    def __init__(self) -> None:
        self.module: dict[str, Value] = {}
        self.local: dict[str, Value] = {}
        self.inner: dict[str, Value | None] = {}  # what stands in functions; None for two of a name
        self.in_function = False
        self.poisoned: dict[str, None] = {}
        self.local_waits: list[Wait] = []
        self.waits: list[Wait] = []
        self.hole = Value("")
        self.lines: dict[Value, int] = {}
        self.reported: dict[str, None] = {}

    def define(self, token: str, value: Value, cursor: Cursor, back: int = 1) -> None:
        """Give `token`, `back` tokens before the cursor, its meaning; the value takes name and id from it."""
        name, number = name_of(token) if token[0] in "%@" else ("", 0)
        value.name = name
        value.id = number
        earlier = self.local.get(token)
        if earlier is None:
            earlier = self.module.get(token)
        if earlier is not None:
            fault = cursor.fault("RK0304", f"`{token}` is defined twice", back)
            first = self.lines.get(earlier)
            if first is not None:
                fault.diagnostic.notes.append(Note("it is first defined here", cursor.place(first, 0)))
            raise fault
        if self.in_function and token[0] != "@":
            self.local[token] = value
            self.inner[token] = None if token in self.inner else value
        else:
            self.module[token] = value
        self.lines[value] = cursor.line

    def find(self, token: str) -> Value | None:
        value = self.local.get(token)
        return value if value is not None else self.module.get(token)

    def wait(self, user: Value, index: int, token: str, line: int, at: int) -> None:
        wait = Wait(user, index, token, line, at)
        if self.in_function:
            self.local_waits.append(wait)
        else:
            self.waits.append(wait)

    def end_function(self) -> None:
        """Fill in what the function has defined by now; the rest waits for the module."""
        for wait in self.local_waits:
            value = self.find(wait.token)
            if value is not None:
                fill(wait, value)
            else:
                self.waits.append(wait)
        self.local_waits = []
        self.local = {}
        self.in_function = False

    def end_module(self, cursor: Cursor) -> list[Diagnostic]:
        """Fill in the rest; what has no meaning is reported, each name once."""
        faults: list[Diagnostic] = []
        for wait in self.waits:
            value = self.module.get(wait.token)
            if value is None:
                value = self.inner.get(wait.token)  # a value of another function: no module may hold it, but a text may
            if value is not None:
                fill(wait, value)
            elif wait.token not in self.poisoned and wait.token not in self.reported:
                self.reported[wait.token] = None
                faults.append(
                    Diagnostic("RK0303", f"`{wait.token}` is not defined", cursor.place(wait.line, wait.at))
                )
        self.waits = []
        return faults


def fill(wait: Wait, value: Value) -> None:
    user = wait.user
    if isinstance(user, Instr):
        user.set_operand(wait.index, value)
    elif isinstance(user, If):
        set_condition(user, value)
    elif isinstance(user, Switch):
        set_selector(user, value)
