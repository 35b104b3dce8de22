"""The cases of the switches that are open while a function is read.

    switch %k as @s {
    case 0, 2: { ... fallthrough @s }      the case that is reached by fallthrough is made here, before it is read
    default as @c: { ... }

What their literals are in bits is known at the end of the function, with the type of the selector.
"""

from typing import final

from reknit.ir.build import new_block
from reknit.ir.text.cursor import Cursor
from reknit.ir.text.frames import CASE, Frame, Literals
from reknit.ir.text.heads import number
from reknit.ir.text.lexer import name_of
from reknit.ir.tree import Case, Construct, Switch
from reknit.source.diagnostic import Diagnostic


@final
class Cases:
    """`next_case` are those made early by a fallthrough."""

    __slots__ = ("cursor", "literals", "next_case")

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.literals: dict[Switch, Literals] = {}
        self.next_case: dict[Switch, Case] = {}

    def open(self, switch: Switch, order: list[int]) -> None:
        """A switch begins, whose literals stand in this order in the input."""
        literals = Literals(switch)
        literals.order = order
        self.literals[switch] = literals

    def read(self, switch: Switch) -> Case:
        """`case 0, 2, default as @c: {`"""
        cursor = self.cursor
        literals = self.literals[switch]
        word = cursor.take()
        if word != "case" and word != "default":
            raise cursor.fault("RK0310", f"a switch holds cases, not `{word}`", 1)
        case = self.next_case.pop(switch, None)
        if case is None:
            case = Case(switch)
        default = word == "default"
        given: list[int] = []
        ats: list[int] = []
        try:
            while word == "case" and cursor.peek() not in (":", "as"):
                if given or default:
                    cursor.expect(",")
                if cursor.accept("default"):
                    default = True
                else:
                    ats.append(cursor.at)
                    given.append(number(cursor, wide=True))
            if default and switch.default is not None:
                raise cursor.fault("RK0313", "this switch has a default already", 1)
            if cursor.accept("as"):
                token = cursor.take()
                if len(token) < 2 or token[0] != "@":
                    raise cursor.fault("RK0301", f"a label such as @x was expected here, not `{token}`", 1)
                case.name = name_of(token)[0]
            cursor.expect(":")
            cursor.expect("{")
        finally:
            switch.cases.append(case)
            new_block(case.region)
            if default:
                switch.default = case
        for literal, at in zip(given, ats, strict=True):
            literals.values.append(literal)
            literals.cases.append(case)
            literals.lines.append(cursor.line)
            literals.ats.append(at)
        return case

    def following(self, frames: list[Frame], labels: dict[str, Construct]) -> Case:
        """The case after the one that is open: of the switch that is named here, or of the innermost."""
        cursor = self.cursor
        named: Construct | None = None
        if cursor.peek().startswith("@"):
            token = cursor.take()
            named = labels.get(token)
            if not isinstance(named, Switch):
                raise cursor.fault("RK0308", f"no switch `{token}` is open here", 1)
        for frame in reversed(frames):
            if frame.kind == CASE and frame.case is not None and (named is None or frame.case.switch is named):
                switch = frame.case.switch
                if switch.cases[-1] is frame.case and switch not in self.next_case:
                    self.next_case[switch] = Case(switch)
                return self.next_case[switch]
        raise cursor.fault("RK0308", "`fallthrough` is in no case of a switch", 1)

    def ends_falling(self, switch: Switch) -> bool:
        """A switch ends; whether its last case falls through to another."""
        return self.next_case.pop(switch, None) is not None

    def finish(self) -> list[Diagnostic]:
        """Make the targets of all switches, now that their selectors are known."""
        faults: list[Diagnostic] = []
        for literals in self.literals.values():
            faults.extend(literals.finish(self.cursor))
        return faults
