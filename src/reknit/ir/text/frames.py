"""What is open while a function is read: a frame for each brace, and a switch's literals until their type is known.

    func @f() { switch %k { case 1: { |       BODY, SWITCH, CASE
"""

from typing import Final, final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.text.cursor import Cursor
from reknit.ir.text.plain import is_width
from reknit.ir.tree import Case, Construct, Region, Switch
from reknit.source.diagnostic import Diagnostic

BODY: Final = 0
THEN: Final = 1
ELSE: Final = 2
LOOP: Final = 3
CONTINUING: Final = 4
SCOPE: Final = 5
SWITCH: Final = 6
CASE: Final = 7
FLAT: Final = 8


@final
class Frame:
    """One open brace. `block` is where instructions go; `fresh` while it is the one put there by itself."""

    __slots__ = ("kind", "construct", "case", "region", "block", "fresh", "label", "line")

    def __init__(self, kind: int, construct: Construct | None, region: Region | None, line: int) -> None:
        self.kind = kind
        self.construct = construct
        self.case: Case | None = None
        self.region = region
        self.block: Block | None = None
        self.fresh = False
        self.label = ""
        self.line = line


@final
class Literals:
    """The case literals of a switch as written, until its selector's type is known."""

    __slots__ = ("switch", "values", "cases", "lines", "ats", "order")

    def __init__(self, switch: Switch) -> None:
        self.switch = switch
        self.values: list[int] = []
        self.cases: list[Case] = []
        self.lines: list[int] = []
        self.ats: list[int] = []
        self.order: list[int] = []  # as `targets (...)` has them; empty for the order of the cases

    def finish(self, cursor: Cursor) -> list[Diagnostic]:
        """Give the switch its targets, now that the selector is known; what does not fit its type is reported."""
        faults: list[Diagnostic] = []
        selector = self.switch.selector
        type = selector.type if isinstance(selector, Instr) else None
        width = 32
        if type is not None and type.op == op.TypeInt and is_width(type.operands[0]):
            width = type.word(0)
        mask = (1 << width) - 1
        targets: list[tuple[int, Case]] = []
        for index, value in enumerate(self.values):
            if not -(1 << (width - 1)) <= value <= mask:
                place = cursor.place(self.lines[index], self.ats[index])
                faults.append(Diagnostic("RK0306", f"the case {value} does not fit in {width} bits", place))
            targets.append((value & mask, self.cases[index]))
        self.switch.targets = _in_order(targets, [value & mask for value in self.order])
        return faults


def _in_order(targets: list[tuple[int, Case]], order: list[int]) -> list[tuple[int, Case]]:
    """`targets` sorted as `order` has their literals; those it doesn't list come last."""
    if not order:
        return targets
    rank: dict[int, int] = {}
    for place, literal in enumerate(order):
        rank.setdefault(literal, place)
    return sorted(targets, key=lambda target: rank.get(target[0], len(order)))


@final
class Member:
    """What a label says of its block: it is in the loop of the block called `token`. `at` is that token's place."""

    __slots__ = ("block", "token", "origin", "line", "at")

    def __init__(self, block: Block, token: str, origin: str, line: int, at: int) -> None:
        self.block = block
        self.token = token
        self.origin = origin
        self.line = line
        self.at = at
