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

from typing import Final, final

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.tree import Construct, Loop, Region
from reknit.ir.walk import blocks, nodes
from reknit.source.meter import spend

ROOT: Final = "root"
SELECTION: Final = "selection"
LOOP: Final = "loop"
BODY: Final = "body"
CONTINUING: Final = "continuing"
ALONE: Final = "alone"


@final
class Element:
    """`index` is its depth, `construct` None for the root and for a block alone.

    `apart` (loops, and blocks alone): lanes that entered together may leave in different iterations.
    """

    __slots__ = ("kind", "parent", "index", "construct", "merged", "apart", "enter", "leave", "children")

    def __init__(self, kind: str, parent: "Element | None", construct: Construct | None, merged: bool) -> None:
        self.kind = kind
        self.parent = parent
        self.index: int = 0 if parent is None else parent.index + 1
        self.construct = construct
        self.merged = merged
        self.apart = kind == ALONE
        self.enter = 0
        self.leave = 0
        self.children: list[Element] = []
        if parent is not None:
            parent.children.append(self)

    def holds(self, other: "Element") -> bool:
        """True if `other` is this element or inside it."""
        return self.enter <= other.enter and other.leave <= self.leave


@final
class Places:
    """`of` is the element right around each block; `element` that of each construct (a loop's as a whole)."""

    __slots__ = ("root", "of", "element", "_regions")

    def __init__(self, function: Function) -> None:
        self.root = Element(ROOT, None, None, True)
        self.of: dict[Block, Element] = {}
        self.element: dict[Construct, Element] = {}
        self._regions: dict[Region, Element] = {function.body: self.root}
        for node in nodes(function):
            region = node.region
            assert region is not None
            around = self._regions[region]
            if isinstance(node, Block):
                self.of[node] = around
            elif isinstance(node, Construct):
                self._enter(node, around)
        for block in blocks(function):
            if block not in self.of:
                first = not function.structured and block is function.entry()
                self.of[block] = self.root if first and not block.is_used() else Element(ALONE, self.root, None, True)
        self._number()

    def _enter(self, construct: Construct, around: Element) -> None:
        if isinstance(construct, Loop):
            loop = Element(LOOP, around, construct, True)
            self.element[construct] = loop
            self._regions[construct.body] = Element(BODY, loop, construct, True)
            self._regions[construct.continuing] = Element(CONTINUING, loop, construct, True)
            return
        element = Element(SELECTION, around, construct, construct.merged)
        self.element[construct] = element
        for region in construct.regions():
            self._regions[region] = element

    def _number(self) -> None:
        clock = 0
        work: list[tuple[Element, bool]] = [(self.root, True)]
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
