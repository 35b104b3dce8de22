"""What happened, event by event, and how to read it lane by lane.

    step  block            lanes            frames
       3  %header          0123....         2       split
       4  %then            01......         3       arrive at %merge

An event is recorded when a tangle runs a block, splits, is dispatched by a table, pushes a frame, arrives at one, is
joined from one, or escapes one; when lanes end other than by returning, and when a grouping unites classes of lanes.
Why a tangle splits, which choice was made, and what went wrong stand beside the events, by their numbers; values and
stores are `sim.recording`'s.
"""

from typing import TYPE_CHECKING, Any, Final, final

from reknit.ir.instr import Instr
from reknit.ir.locate import place_of, place_of_jump
from reknit.ir.module import Module
from reknit.ir.tree import Construct
from reknit.sim.code import CodeBlock
from reknit.sim.frames import END, FRAME_NAMES, Frame
from reknit.source.diagnostic import Diagnostic
from reknit.source.place import Place

if TYPE_CHECKING:
    from reknit.sim.choices import Decision
    from reknit.sim.race_detector import Conflict
    from reknit.sim.recorded import Recording
    from reknit.sim.result import Result

RUN: Final = "run"
SPLIT: Final = "split"
ARRIVE: Final = "arrive"
JOIN: Final = "join"
ESCAPE: Final = "escape"
DISPATCH: Final = "dispatch"
PUSH: Final = "push"
ENDED: Final = (
    "end"  # by OpKill, OpTerminateInvocation, with a quad of helpers, or by returning where there are no frames
)
UNITE: Final = "unite"  # classes of lanes that a grouping makes one
HELPER: Final = "helper"  # lanes become helper invocations

Way = tuple[int, int, str]
"""Where some lanes of a tangle that splits go: code block, mask, and the value that sends them there."""


@final
class Event:
    """`step` counts code blocks run in the dispatch, `mask` has bit i for lane i, `block` is a code block's number (the
    frame's target for push, arrive, join and escape), `frame` the kind of frame or "", `depth` how many frames are
    below. `number` is that of the frame, of run and split that of the innermost one, -1 where there are no frames.
    `table` is the witness table that a dynamic call goes by, of lanes that ended how they did."""

    __slots__ = ("step", "group", "kind", "mask", "block", "frame", "depth", "number", "table")

    def __init__(
        self,
        step: int,
        group: int,
        kind: str,
        mask: int,
        block: int,
        frame: str,
        depth: int,
        number: int,
        table: str = "",
    ) -> None:
        self.step = step
        self.group = group
        self.kind = kind
        self.mask = mask
        self.block = block
        self.frame = frame
        self.depth = depth
        self.number = number
        self.table = table

    def __repr__(self) -> str:
        lanes = ",".join([str(lane) for lane in range(self.mask.bit_length()) if self.mask >> lane & 1])
        frame = f" {self.frame}" if self.frame else f" %{self.table}" if self.table else ""
        return f"<step {self.step}: {self.kind}{frame}, block {self.block}, lanes {lanes} of group {self.group}>"


@final
class Fault:
    """What went wrong for one lane at an instruction, in the step of event `event`."""

    __slots__ = ("event", "code", "instr", "lane", "message")

    def __init__(self, event: int, code: str, instr: Instr, lane: int, message: str) -> None:
        self.event = event
        self.code = code
        self.instr = instr
        self.lane = lane
        self.message = message


@final
class Trace:
    """The events of a run, in order. `lanes` is the size of a workgroup; `idle` tells of each code block whether it is
    padding in which nothing happens, `places` where it stands in the source, None if unknown.

    `frames` has of each frame its kind and its parent's number (-1 without one). By an event's number: `ways` of a
    split, `decisions` that a policy made, `faults`. `conflicts` are accesses whose order nothing fixes, the first of
    each pair of instructions, where accesses were watched. `stopped` is why the run ended before its end. `recording`
    is None where values were not asked for."""

    __slots__ = (
        "events", "lanes", "subgroup_size", "code", "module", "names", "places", "idle", "group", "step", "frames",
        "ways", "decisions", "faults", "conflicts", "stopped", "recording", "result",
    )  # fmt: skip

    def __init__(self, lanes: int, subgroup_size: int, code: list[CodeBlock], module: Module) -> None:
        self.events: list[Event] = []
        self.lanes = lanes
        self.subgroup_size = subgroup_size
        self.code = code
        self.module = module
        self.names = [block_name(block) for block in code]
        self.places = [place_in_source(block, module) for block in code]
        self.idle = [block.block.padding and block.block.is_empty() for block in code]
        self.group = 0
        self.step = 0
        self.frames: list[tuple[int, int]] = []
        self.ways: dict[int, list[Way]] = {}
        self.decisions: list[tuple[int, Decision]] = []
        self.faults: list[Fault] = []
        self.conflicts: dict[tuple[Instr, Instr], Conflict] = {}
        self.stopped: Diagnostic | None = None
        self.recording: Recording | None = None
        self.result: Result | None = None  # what the run gave, once it has ended

    def to_html(self) -> str:
        """The viewer's page, as `reknit trace -o x.html` writes it."""
        from reknit.source.shown import page_of

        return page_of(self)

    def widget(self) -> Any:
        """The same in a notebook, by anywidget (`reknit[notebook]`): `step`, `lane` and `result` can be read, set and
        observed."""
        from reknit.source.shown import widget_of

        return widget_of(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from reknit.source.shown import shown

        return shown(self)

    def __repr__(self) -> str:
        """How much there is; `str` is the whole, as `render`."""
        count = len(self.events)
        return f"<{count} event{'s' * (count != 1)} of {self.lanes} invocations, subgroups of {self.subgroup_size}>"

    def __str__(self) -> str:
        return self.render()

    def ran(self, step: int, mask: int, block: int, top: Frame) -> None:
        self.step = step
        self.events.append(Event(step, self.group, RUN, mask, block, "", top.depth, top.number))

    def split(self, step: int, mask: int, block: int, top: Frame, ways: list[Way]) -> None:
        self.ways[len(self.events)] = ways
        self.events.append(Event(step, self.group, SPLIT, mask, block, "", top.depth, top.number))

    def dispatched(self, step: int, mask: int, block: int, top: Frame, table: Instr) -> None:
        name = table_name(table)
        self.events.append(Event(step, self.group, DISPATCH, mask, block, "", top.depth, top.number, name))

    def pushed(self, step: int, frame: Frame, mask: int) -> None:
        """Gives the frame its number."""
        frame.number = len(self.frames)
        self.frames.append((frame.kind, frame.parent.number if frame.parent is not None else -1))
        self.at_frame(step, PUSH, mask, frame)

    def at_frame(self, step: int, kind: str, mask: int, frame: Frame) -> None:
        name = FRAME_NAMES[frame.kind]
        self.events.append(Event(step, self.group, kind, mask, frame.target, name, frame.depth, frame.number))

    def ended(self, mask: int, block: int, how: str) -> None:
        self.events.append(Event(self.step, self.group, ENDED, mask, block, "", 0, -1, how))

    def united(self, mask: int, block: int, at: str) -> None:
        """`at` is the instruction before which, or the label at which."""
        self.events.append(Event(self.step, self.group, UNITE, mask, block, "", 0, -1, at))

    def became_helpers(self, mask: int) -> None:
        self.events.append(Event(self.step, self.group, HELPER, mask, self.running(), "", 0, -1))

    def running(self) -> int:
        """The code block that was run last."""
        for event in reversed(self.events):
            if event.kind == RUN:
                return event.block
        return END

    def decided(self, decisions: "list[Decision]") -> None:
        """Those of a run's decisions that are new belong to the last event."""
        for decision in decisions[len(self.decisions) :]:
            self.decisions.append((len(self.events) - 1, decision))

    def fault(self, code: str, instr: Instr, lane: int, message: str) -> None:
        self.faults.append(Fault(len(self.events) - 1, code, instr, lane, message))

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
            if event.kind == PUSH:
                continue
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


def table_name(table: Instr) -> str:
    """The witness table's, else its type's."""
    return table.name or table.instr(0).name or str(table.id)


def block_name(code: CodeBlock) -> str:
    """`%name`, or the function's name and the block's number where it has none; parts after a call are counted."""
    block = code.block
    name = f"%{block.name}" if block.name else f"%{block.id}" if block.id else f"{code.function.name}#{code.header}"
    part = code.number - code.header
    return f"{name}+{part}" if part else name
