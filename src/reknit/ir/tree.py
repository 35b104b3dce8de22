"""The control-flow tree: regions of blocks and constructs.

    region     block+ (construct block+)*        starts and ends with a block, two constructs never touch

    If         before ─┬─ then ───┬─ after       Loop     before ── body ──(end)── continuing ─┐
                       └─ orelse ─┘                         └────────── back edge ─────────────┘
                                                          after is reached by `break` alone
    Switch     before ─┬─ case ───┬─ after       Scope    before ── body ── after
                       ├─ case ───┤                       (one trip; something to break out of)
                       └─ default ┘
                       a case goes on to the next one by `fallthrough`

The end of an arm, case or scope goes to the block after the construct; the end of a loop's body goes to
`continuing`, and the end of `continuing` back to the start of the body. A conditional back edge is a last `if c {
break }` in `continuing`. Source: the control-flow model of NIR, extended by Switch, Scope and labelled jumps;
SPIR-V 1.6, 2.11.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, final

from reknit.ir.block import Block
from reknit.ir.value import Node, Value

if TYPE_CHECKING:
    from reknit.ir.function import Function


@final
class Region:
    """A list of nodes owned by exactly one construct, case or function. Edit it through `ir.edit`.

    `function`: as of a node.
    """

    __slots__ = ("owner", "first", "last", "function")

    def __init__(self, owner: Value) -> None:
        self.owner = owner
        self.first: Node | None = None
        self.last: Node | None = None
        self.function: Function | None = owner.function if isinstance(owner, Node) else None

    def __repr__(self) -> str:
        from reknit.ir.text.excerpt import region_excerpt

        return region_excerpt(self)

    def __iter__(self) -> Iterator[Node]:
        """The nodes in order; the one just yielded may be removed or moved."""
        node = self.first
        while node is not None:
            following = node.next
            yield node
            node = following

    def construct(self) -> "Construct | None":
        """The construct that it is a part of; None for the body of a function."""
        owner = self.owner
        if isinstance(owner, Case):
            return owner.switch
        return owner if isinstance(owner, Construct) else None

    def entry(self) -> Block:
        """The first block, where control comes in."""
        first = self.first
        assert isinstance(first, Block)
        return first

    def end(self) -> Block:
        """The last block, where control goes out unless it ends in a jump."""
        last = self.last
        assert isinstance(last, Block)
        return last


class Construct(Node):
    """Base of If, Loop, Switch and Scope.

    `merged`: invocations that entered together meet again right after it (SPIR-V: a merge instruction stands before
    it). An If or Scope read from a branch without one is not merged: it only groups, and no invocation waits at its
    end. `control` holds the words of the merge instruction after the labels (selection or loop control and its
    parameters). `breaks` lists the blocks that end in `Break(self)`.
    """

    __slots__ = ("merged", "control", "breaks")

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self.merged = True
        self.control: list[int] = [0]
        self.breaks: dict[Block, None] = {}

    def before(self) -> Block:
        """The block right before it, which ends with entering it."""
        assert isinstance(self.prev, Block)
        return self.prev

    def after(self) -> Block:
        """The block right after it: its merge block."""
        assert isinstance(self.next, Block)
        return self.next

    def regions(self) -> list[Region]:
        """Its regions in source order."""
        raise AssertionError("a construct is one of If, Loop, Switch, Scope")


@final
class If(Construct):
    """`weights` are the branch weights of OpBranchConditional, usually none."""

    __slots__ = ("condition", "then", "orelse", "weights")

    def __init__(self, condition: Value, name: str = "") -> None:
        super().__init__(name)
        self.condition = condition
        condition.add_user(self)
        self.then = Region(self)
        self.orelse = Region(self)
        self.weights: list[int] = []

    def regions(self) -> list[Region]:
        return [self.then, self.orelse]


@final
class Loop(Construct):
    """`continues` lists the blocks that end in `Continue(self)`."""

    __slots__ = ("body", "continuing", "continues")

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self.body = Region(self)
        self.continuing = Region(self)
        self.continues: dict[Block, None] = {}

    def regions(self) -> list[Region]:
        return [self.body, self.continuing]


@final
class Case(Value):
    """One body of a switch. `fallthroughs` lists the blocks that end in `Fallthrough(self)`."""

    __slots__ = ("switch", "region", "fallthroughs")

    def __init__(self, switch: "Switch", name: str = "") -> None:
        super().__init__(name)
        self.switch = switch
        self.region = Region(self)
        self.region.function = switch.function
        self.fallthroughs: dict[Block, None] = {}


@final
class Switch(Construct):
    """`cases` are in source order: a case can only fall through to the next. `targets` lists (literal, case) as
    OpSwitch does: the literal is the selector's bits as an unsigned number. `default` is one of the cases and may
    have labels too.
    """

    __slots__ = ("selector", "cases", "targets", "default")

    def __init__(self, selector: Value, name: str = "") -> None:
        super().__init__(name)
        self.selector = selector
        selector.add_user(self)
        self.cases: list[Case] = []
        self.targets: list[tuple[int, Case]] = []
        self.default: Case | None = None

    def regions(self) -> list[Region]:
        return [case.region for case in self.cases]

    def labels(self) -> dict[Case, list[int]]:
        """The literals of each case, in the order of `targets`; a case reached by the default alone has none."""
        labels: dict[Case, list[int]] = {case: [] for case in self.cases}
        for literal, case in self.targets:
            labels[case].append(literal)
        return labels


@final
class Scope(Construct):
    __slots__ = ("body",)

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self.body = Region(self)

    def regions(self) -> list[Region]:
        return [self.body]

