"""Where blocks stand, as a tree of elements: what lanes enter together, and leave one by one or together.

    function        root 0                     an element's index is its depth
      if            └ if 1
        loop            └ loop 2
          body              ├ body 3           once an iteration, up to the continue target
          continuing        └ continuing 3     once an iteration, from there on

Lanes that execute a block in one tangle have entered all elements around it together, each loop's in the same
iteration: tangles only join at frames, and a frame's lanes were one tangle when it was pushed. A merged element is left
by such a join; one that is not merged is left as it was entered, tangle by tangle.

A block of a flat function, or one that nothing reaches, is an element of its own, of which nothing is known.
"""

from typing import ClassVar, Final, final

from reknit.analysis.manager import Analyses, FunctionAnalysis
from reknit.analysis.order import Order
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.jump import Break, Continue, Fallthrough
from reknit.ir.tree import Case, Construct, If, Loop, Region
from reknit.ir.value import Node
from reknit.source.meter import spend

ROOT: Final = "root"
SELECTION: Final = "selection"
LOOP: Final = "loop"
BODY: Final = "body"
CONTINUING: Final = "continuing"
ALONE: Final = "alone"

NONE: Final = -1

# How control comes into a block that is reached.
ANYHOW: Final = 0  # a flat function's
CALLED: Final = 1  # the first of a function
ON: Final = 2  # from the block before it
AFTER: Final = 3  # after a construct
ARM: Final = 4  # into an arm of an if
SCOPE: Final = 5
HEADER: Final = 6
CONTINUED: Final = 7
CASE: Final = 8


@final
class Element:
    """`index` is its depth, `number` its place among the function's, `construct` None for the root and for a block
    alone."""

    __slots__ = ("kind", "parent", "index", "number", "construct", "merged", "enter", "leave", "children")

    def __init__(
        self, kind: str, parent: "Element | None", number: int, construct: Construct | None, merged: bool
    ) -> None:
        self.kind = kind
        self.parent = parent
        self.index: int = 0 if parent is None else parent.index + 1
        self.number = number
        self.construct = construct
        self.merged = merged
        self.enter = 0
        self.leave = 0
        self.children: list[Element] = []
        if parent is not None:
            parent.children.append(self)

    def holds(self, other: "Element") -> bool:
        """True if `other` is this element or inside it."""
        return self.enter <= other.enter and other.leave <= self.leave

    def around(self) -> "Element | None":
        """The innermost construct's element that is this one or around it; None outside of all. A loop's parts are
        the loop's."""
        parent = self.parent
        if parent is None or self.kind == ALONE:
            return None
        return parent if self.kind == BODY or self.kind == CONTINUING else self


@final
class Entry:
    """How control comes into a block. `before` is the number of the block that it comes from by itself (NONE if that
    can't be reached): the one that the construct stands after, of a continuing part the loop's header. `sources` are
    the others: ways out of a construct, the loop's end, what goes to the continuing part, or falls through to the case.
    Only blocks that are reached are among them."""

    __slots__ = ("kind", "before", "construct", "element", "case", "sources")

    def __init__(
        self,
        kind: int,
        before: int,
        construct: Construct | None,
        element: Element,
        case: Case | None,
        sources: list[int],
    ) -> None:
        self.kind = kind
        self.before = before
        self.construct = construct
        self.element = element
        self.case = case
        self.sources = sources


@final
class Places(FunctionAnalysis):
    """By number in the order: `of` is the element right around each block; `entry` how control comes into it, of those
    that are reached; `goal` the element of the construct that its jump goes to the end or a part of, if it has such.
    `element` is that of each construct (a loop's as a whole), `elements` are all."""

    name: ClassVar[str] = "places"
    reads_code: ClassVar[bool] = False

    def __init__(self, function: Function, order: Order) -> None:
        self.order = order
        self.elements: list[Element] = []
        self.of: list[Element] = []
        self.element: dict[Construct, Element] = {}
        self.entry: list[Entry | None] = []
        self.goal: list[Element | None] = []
        root = self._element(ROOT, None, None, True)
        self._stand(function, root)
        for index in range(len(self.of), len(order.blocks)):
            block = order.blocks[index]
            first = not function.structured and block is function.entry()
            self.of.append(root if first and not block.is_used() else self._element(ALONE, root, None, True))
        self._number(root)
        for index, block in enumerate(order.blocks):
            self.entry.append(self._entry(block, root) if order.reached[index] else None)
            self.goal.append(self._goal(block))

    @staticmethod
    def compute(function: Function, analyses: Analyses) -> "Places":
        return Places(function, analyses.ask(Order, function))

    def same_as(self, other: FunctionAnalysis) -> bool:
        if not isinstance(other, Places) or not self.order.same_as(other.order):
            return False
        return list(self.element) == list(other.element)

    def _element(self, kind: str, parent: Element | None, construct: Construct | None, merged: bool) -> Element:
        element = Element(kind, parent, len(self.elements), construct, merged)
        self.elements.append(element)
        return element

    def _stand(self, function: Function, root: Element) -> None:
        """The blocks of the tree, in source order, which is their order."""
        waiting: list[tuple[Node | None, Element]] = [(function.body.first, root)]
        while waiting:
            node, around = waiting.pop()
            while isinstance(node, Block):
                self.of.append(around)
                node = node.next
            if isinstance(node, Loop):
                loop = self._element(LOOP, around, node, True)
                self.element[node] = loop
                body = self._element(BODY, loop, node, True)
                waiting.append((node.next, around))
                waiting.append((node.continuing.first, self._element(CONTINUING, loop, node, True)))
                waiting.append((node.body.first, body))
            elif isinstance(node, Construct):
                inside = self._element(SELECTION, around, node, node.merged)
                self.element[node] = inside
                waiting.append((node.next, around))
                for region in reversed(node.regions()):
                    waiting.append((region.first, inside))

    def _number(self, root: Element) -> None:
        clock = 0
        work: list[tuple[Element, bool]] = [(root, True)]
        while work:
            spend(1)
            element, entering = work.pop()
            clock += 1
            if not entering:
                element.leave = clock
                continue
            element.enter = clock
            work.append((element, False))
            for child in element.children:
                work.append((child, True))

    def _entry(self, block: Block, root: Element) -> Entry:
        region = block.region
        previous = block.prev
        if region is None:
            return Entry(ANYHOW, NONE, None, root, None, [])
        if isinstance(previous, Block):
            return Entry(ON, self.order.number[previous], None, root, None, [])
        if isinstance(previous, Construct):
            before = self._reached(previous.before())
            return Entry(AFTER, before, previous, self.element[previous], None, self._ways_out(previous))
        return self._into(region, root)

    def _into(self, region: Region, root: Element) -> Entry:
        owner = region.owner
        if isinstance(owner, Case):
            before = self._reached(owner.switch.before())
            falls = self._all_reached(list(owner.fallthroughs))
            return Entry(CASE, before, owner.switch, self.element[owner.switch], owner, falls)
        if isinstance(owner, Loop):
            element = self.element[owner]
            if region is owner.continuing:
                end = owner.body.end()
                ends = [end] if end.jump is None else []
                header = self.order.number[owner.body.entry()]
                return Entry(CONTINUED, header, owner, element, None, self._all_reached([*ends, *owner.continues]))
            latch = owner.continuing.end()
            back = self._all_reached([latch] if latch.jump is None else [])
            return Entry(HEADER, self.order.number[owner.before()], owner, element, None, back)
        if isinstance(owner, Construct):
            kind = ARM if isinstance(owner, If) else SCOPE
            return Entry(kind, self.order.number[owner.before()], owner, self.element[owner], None, [])
        return Entry(CALLED, NONE, None, root, None, [])

    def _ways_out(self, construct: Construct) -> list[int]:
        """The reached blocks with an edge to the block after a construct."""
        sources = list(construct.breaks)
        if not isinstance(construct, Loop):
            for region in construct.regions():
                end = region.end()
                if end.jump is None:
                    sources.append(end)
        return self._all_reached(sources)

    def _reached(self, block: Block) -> int:
        number = self.order.number[block]
        return number if self.order.reached[number] else NONE

    def _all_reached(self, blocks: list[Block]) -> list[int]:
        numbers = [self.order.number[block] for block in blocks]
        return [number for number in numbers if self.order.reached[number]]

    def _goal(self, block: Block) -> Element | None:
        jump = block.jump
        if isinstance(jump, (Break, Continue)):
            return self.element[jump.target]
        return self.element[jump.target.switch] if isinstance(jump, Fallthrough) else None
