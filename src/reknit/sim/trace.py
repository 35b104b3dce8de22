"""What happened, event by event, and how to read it lane by lane.

    step  block            lanes            frames
       3  %header          0123....         2       split
       4  %then            01......         3       arrive at %merge

An event is recorded when a tangle runs a block, splits, is dispatched by a table, arrives at a frame, is joined from
one, or escapes one.
"""

from typing import Final, final

from reknit.ir.instr import Instr
from reknit.ir.locate import place_of, place_of_jump
from reknit.ir.module import Module
from reknit.ir.tree import Construct
from reknit.sim.code import CodeBlock
from reknit.sim.frames import END, FRAME_NAMES, Frame
from reknit.source.place import Place

RUN: Final = "run"
SPLIT: Final = "split"
ARRIVE: Final = "arrive"
JOIN: Final = "join"
ESCAPE: Final = "escape"
DISPATCH: Final = "dispatch"


@final
class Event:
    """`step` counts code blocks run in the dispatch, `mask` has bit i for lane i, `block` is a code block's number (the
    frame's target for arrive, join and escape), `frame` the kind of frame or "", `depth` how many frames are below.
    `table` is the witness table that a dynamic call goes by."""

    __slots__ = ("step", "group", "kind", "mask", "block", "frame", "depth", "table")

    def __init__(
        self, step: int, group: int, kind: str, mask: int, block: int, frame: str, depth: int, table: str = ""
    ) -> None:
        self.step = step
        self.group = group
        self.kind = kind
        self.mask = mask
        self.block = block
        self.frame = frame
        self.depth = depth
        self.table = table

    def __repr__(self) -> str:
        lanes = ",".join([str(lane) for lane in range(self.mask.bit_length()) if self.mask >> lane & 1])
        frame = f" {self.frame}" if self.frame else f" %{self.table}" if self.table else ""
        return f"<step {self.step}: {self.kind}{frame}, block {self.block}, lanes {lanes} of group {self.group}>"


@final
class Trace:
    """The events of a run, in order. `lanes` is the size of a workgroup; `idle` tells of each code block whether it is
    padding in which nothing happens, `places` where it stands in the source, None if unknown."""

    __slots__ = ("events", "lanes", "subgroup_size", "names", "places", "idle", "group")

    def __init__(self, lanes: int, subgroup_size: int, code: list[CodeBlock], module: Module) -> None:
        self.events: list[Event] = []
        self.lanes = lanes
        self.subgroup_size = subgroup_size
        self.names = [block_name(block) for block in code]
        self.places = [place_in_source(block, module) for block in code]
        self.idle = [block.block.padding and block.block.is_empty() for block in code]
        self.group = 0

    def __repr__(self) -> str:
        """How much there is; `str` is the whole, as `render`."""
        count = len(self.events)
        return f"<{count} event{'s' * (count != 1)} of {self.lanes} invocations, subgroups of {self.subgroup_size}>"

    def __str__(self) -> str:
        return self.render()

    def ran(self, step: int, mask: int, block: int, top: Frame) -> None:
        self.events.append(Event(step, self.group, RUN, mask, block, "", top.depth))

    def split(self, step: int, mask: int, block: int, top: Frame) -> None:
        self.events.append(Event(step, self.group, SPLIT, mask, block, "", top.depth))

    def dispatched(self, step: int, mask: int, block: int, top: Frame, table: Instr) -> None:
        name = table.name or table.instr(0).name or str(table.id)
        self.events.append(Event(step, self.group, DISPATCH, mask, block, "", top.depth, name))

    def at_frame(self, step: int, kind: str, mask: int, frame: Frame) -> None:
        self.events.append(Event(step, self.group, kind, mask, frame.target, FRAME_NAMES[frame.kind], frame.depth))

    def masks_per_subgroup(self, mask: int) -> list[int]:
        """`mask` cut into subgroups, each from bit 0."""
        size = self.subgroup_size
        cut: list[int] = []
        for start in range(0, self.lanes, size):
            cut.append((mask >> start) & ((1 << size) - 1))
        return cut

    def block_at(self, number: int) -> str:
        return "the end" if number == END else self.names[number]

    def line_at(self, number: int) -> int:
        """The source line of a code block, 0 if unknown."""
        place = None if number == END else self.places[number]
        return place.line if place is not None else 0

    def render(self) -> str:
        """A line an event; a lane is a digit (its number's last) where it takes part, a dot where not."""
        width = max([len(name) for name in self.names] + [5])
        lines = [f"{'step':>6}  {'group':>5}  {'block':<{width}}  lanes"]
        for event in self.events:
            name = self.block_at(event.block)
            frame = f" {event.frame}" if event.frame else f" %{event.table}" if event.table else ""
            what = f"{event.kind}{frame} @{event.depth}"
            lines.append(f"{event.step:>6}  {event.group:>5}  {name:<{width}}  {self.picture(event.mask)}  {what}")
        return "\n".join(lines) + "\n"

    def picture(self, mask: int) -> str:
        """`01.3|4567`: a bar between subgroups."""
        parts: list[str] = []
        for lane in range(self.lanes):
            if lane and lane % self.subgroup_size == 0:
                parts.append("|")
            parts.append(str(lane % 10) if mask >> lane & 1 else ".")
        return "".join(parts)

    def to_json(self) -> list[dict[str, object]]:
        return [
            {
                "step": event.step,
                "group": event.group,
                "kind": event.kind,
                "block": self.block_at(event.block),
                "masks": self.masks_per_subgroup(event.mask),
                "frame": event.frame,
                "depth": event.depth,
                **({"table": event.table} if event.table else {}),
                **({"line": self.line_at(event.block)} if self.line_at(event.block) else {}),
            }
            for event in self.events
        ]


def place_in_source(code: CodeBlock, module: Module) -> Place | None:
    """Where the first instruction stands whose line is known; where there is none, what ends the block."""
    for instr in code.instrs:
        place = place_of(instr, module)
        if place.line:
            return place
    block = code.block
    following = block.next
    ends = block.jump is None and isinstance(following, Construct)
    place = place_of(following, module) if ends and following is not None else place_of_jump(block, module)
    return place if place.line else None


def block_name(code: CodeBlock) -> str:
    """`%name`, or the function's name and the block's number where it has none; parts after a call are counted."""
    block = code.block
    name = f"%{block.name}" if block.name else f"%{block.id}" if block.id else f"{code.function.name}#{code.header}"
    part = code.number - code.header
    return f"{name}+{part}" if part else name
