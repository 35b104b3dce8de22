"""What goes wrong while a program runs: found by lane, reported by instruction.

    outside(load, lane 3, "index 9 of 8") ┐
    outside(load, lane 4, "index 9 of 8") ┴─>  error[RK1014]: OpLoad %x: index 9 of 8 (lanes 3, 4)

A fault after which the lane can't go on raises `Stop`; one that gives an undefined value lets the lane go on with 0,
and is reported once per instruction.
"""

from typing import Final, final

from reknit.ir import enums, traits
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of, place_of_jump
from reknit.ir.module import Module
from reknit.ir.opcodes import opcode_name
from reknit.sim.code import CodeBlock, Goto
from reknit.sim.frames import END, FRAME_NAMES, Tangle, Waiting
from reknit.sim.lanes import mask_of
from reknit.sim.memory import NOWHERE, NULL
from reknit.sim.race_detector import Conflict, Touch
from reknit.sim.trace import Trace, block_name
from reknit.source.diagnostic import ERROR, WARNING, Diagnostic, Note
from reknit.source.place import Place

DEADLOCK: Final = "RK1010"
DIVERGENT_BARRIER: Final = "RK1011"
UNREACHABLE_REACHED: Final = "RK1012"
STEP_LIMIT: Final = "RK1013"
OUT_OF_BOUNDS: Final = "RK1014"
UNDEFINED_RESULT: Final = "RK1015"
BAD_BACK_EDGE: Final = "RK1016"
DATA_RACE: Final = "RK1017"
NO_OBJECT: Final = "RK1019"

MAX_MESSAGES: Final = 4
ADDRESSED: Final = (
    'memory is given by its address, --set 0x10000=1,2,3 (buffers={"0x10000": [1, 2, 3]}), and the address where the '
    "shader has it from, its low word first"
)


class Stop(Exception):
    """The run can't go on; `diagnostic` says why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class UndefinedMet(Exception):
    """An undefined value came to be in a run that does not track such: it is run again, tracked."""


@final
class Finding:
    """One fault of one instruction: `lanes` it happened to (by workgroup) and the first different messages."""

    __slots__ = ("code", "instr", "lanes", "messages", "more")

    def __init__(self, code: str, instr: Instr) -> None:
        self.code = code
        self.instr = instr
        self.lanes: dict[tuple[int, int], None] = {}
        self.messages: dict[str, None] = {}
        self.more = 0


@final
class Faults:
    """Collects what goes wrong in one run. `group` is the workgroup that is running, of `groups`. `fires`: the first
    undefined value raises UndefinedMet. `held`, if there is one, gets undefined results instead of `findings`: the lane
    and the message of each, in the order that they come. `differing` are the instructions with operands that have to be
    the same for all invocations that execute them, and weren't: "behavior is undefined". `unreachable_met`
    are the OpUnreachable that were reached."""

    __slots__ = (
        "module", "code", "findings", "group", "groups", "trace", "fires", "held", "differing", "unreachable_met",
    )  # fmt: skip

    def __init__(self, module: Module) -> None:
        self.module = module
        self.code: list[CodeBlock] = []
        self.findings: dict[tuple[str, Instr], Finding] = {}
        self.group = 0
        self.groups = 1
        self.trace: Trace | None = None
        self.fires = False
        self.held: list[tuple[int, str]] | None = None
        self.differing: dict[Instr, None] = {}
        self.unreachable_met: dict[Instr, None] = {}

    def reset(self, groups: int, trace: Trace | None) -> None:
        self.findings.clear()
        self.differing.clear()
        self.unreachable_met.clear()
        self.trace = trace
        self.group = 0
        self.groups = groups

    def undefined(self, instr: Instr, lane: int, message: str) -> None:
        """The result of an instruction is undefined."""
        if self.fires:
            raise UndefinedMet
        if self.held is not None:
            self.held.append((lane, message))
        else:
            self.add(UNDEFINED_RESULT, instr, lane, message)

    def differ(self, instr: Instr, lane: int, message: str) -> None:
        """Behaviour is undefined: an operand isn't the same for all invocations that execute an instruction."""
        self.differing[instr] = None
        self.add(UNDEFINED_RESULT, instr, lane, message)

    def add(self, code: str, instr: Instr, lane: int, message: str) -> None:
        finding = self.findings.get((code, instr))
        if finding is None:
            finding = Finding(code, instr)
            self.findings[code, instr] = finding
        finding.lanes[self.group, lane] = None
        if self.trace is not None:
            self.trace.fault(code, instr, lane, message)
        if message not in finding.messages:
            if len(finding.messages) < MAX_MESSAGES:
                finding.messages[message] = None
            else:
                finding.more += 1

    def diagnostics(self) -> list[Diagnostic]:
        """One per finding, in the order they happened."""
        diagnostics: list[Diagnostic] = []
        for finding in self.findings.values():
            messages = list(finding.messages)
            notes = [Note(message.removeprefix(f"{opcode_name(finding.instr.op)}: ")) for message in messages[1:]]
            if finding.more:
                notes.append(Note(f"and {finding.more} more"))
            where = self.lanes_text(list(finding.lanes))
            diagnostics.append(
                Diagnostic(
                    finding.code,
                    f"{_worded(finding.instr, messages[0])} ({where})",
                    place_of(finding.instr, self.module),
                    ERROR if finding.code == OUT_OF_BOUNDS else WARNING,
                    notes,
                    self._remedy(messages),
                )
            )
        return diagnostics

    def _remedy(self, messages: list[str]) -> str:
        """Of accesses to what no buffer has, where pointers are addresses."""
        by_address = any(
            line.word(0) == enums.AddressingModelPhysicalStorageBuffer64 for line in self.module.memory_model
        )
        missing = any(message.endswith((NULL, NOWHERE)) for message in messages)
        return ADDRESSED if by_address and missing else ""

    def lanes_text(self, lanes: list[tuple[int, int]]) -> str:
        by_group: dict[int, list[int]] = {}
        for group, lane in lanes:
            if lane >= 0:
                by_group.setdefault(group, []).append(lane)
        parts: list[str] = []
        for group, members in by_group.items():
            text = lane_list(sorted(members))
            parts.append(text if self.groups == 1 else f"workgroup {group}, {text}")
        return "; ".join(parts) if parts else "no lane"

    # --- what stops a run ---------------------------------------------------------------------------------------------

    def deadlock(self, frames: list[Waiting], ready: list[Tangle]) -> Diagnostic:
        return Diagnostic(
            DEADLOCK,
            "deadlock: nothing is left to run, and lanes wait for others that never come",
            self.first_place(frames, ready),
            notes=self.waiting(frames, ready),
        )

    def step_limit(self, steps: int, frames: list[Waiting], ready: list[Tangle]) -> Diagnostic:
        return Diagnostic(
            STEP_LIMIT,
            f"not finished after {steps} instructions",
            self.first_place(frames, ready),
            notes=self.waiting(frames, ready),
            help="raise --max-steps (max_steps) if the program needs more; a lane that spins until a waiting lane lets "
            "it go never ends, since nothing promises that the waiting lane runs",
        )

    def bad_back_edge(self, target: int, lanes: list[int]) -> Diagnostic:
        return Diagnostic(
            BAD_BACK_EDGE,
            f"{lane_list(lanes)} went back to the loop header {block_name(self.code[target])} from inside a "
            "construct that is not finished",
            self.place_at(target),
            help="the back edge of a loop comes from its continue construct, outside any other selection or loop",
        )

    def no_object(self, instr: Instr, lane: int) -> Diagnostic:
        return Diagnostic(
            NO_OBJECT,
            f"{describe(instr)} in lane {lane}{self.in_group()} dispatches on an existential without a value",
            place_of(instr, self.module),
            help="it is none, was never set (a function that came as a value, too), or was read from a buffer with an "
            "id that no witness table has",
        )

    def not_its_arguments(self, instr: Instr, lane: int, function: Function) -> Diagnostic:
        return Diagnostic(
            NO_OBJECT,
            f"{describe(instr)} in lane {lane}{self.in_group()} calls @{function.name}, which takes other arguments",
            place_of(instr, self.module),
            help="the witness table, or what made the function value, says another type than the function has",
        )

    def unreachable(self, instr: Instr, lanes: list[int]) -> Diagnostic:
        self.unreachable_met[instr] = None
        return Diagnostic(
            UNREACHABLE_REACHED,
            f"OpUnreachable is reached by {lane_list(lanes)}{self.in_group()}",
            place_of(instr, self.module),
        )

    def barrier(self, instr: Instr, lanes: list[int], everyone: list[int], group: str) -> Diagnostic:
        """Of the lanes of one `group`, only `lanes` came."""
        missing = [lane for lane in everyone if lane not in lanes]
        what = "the barrier" if instr.op in traits.BARRIER else "the operation"
        return Diagnostic(
            DIVERGENT_BARRIER,
            f"{describe(instr)} for the {group} is executed by {lane_list(lanes)} only{self.in_group()}",
            place_of(instr, self.module),
            notes=[Note(f"{lane_list(missing)} are elsewhere or have ended")],
            help=f"all invocations of the {group} must execute {what} together",
        )

    def data_race(self, conflict: Conflict) -> Diagnostic:
        first = conflict.first
        second = conflict.second
        return Diagnostic(
            DATA_RACE,
            f"data race: {describe(second.instr)} by {self.one_lane(second)} on {conflict.where}",
            place_of(second.instr, self.module),
            WARNING,
            [
                Note(
                    f"{describe(first.instr)} by {self.one_lane(first)} is "
                    f"{'outside the scope of one of them' if conflict.narrow else 'not ordered with it'}",
                    place_of(first.instr, self.module),
                )
            ],
            help="what is read, or what stays, depends on which comes first; use atomics whose scope includes both, or "
            "a barrier whose semantics name the storage class",
        )

    def one_lane(self, touch: Touch) -> str:
        group = f" of workgroup {touch.group}" if self.groups > 1 else ""
        return f"lane {touch.inside}{group}"

    def in_group(self) -> str:
        return f" of workgroup {self.group}" if self.groups > 1 else ""

    def waiting(self, frames: list[Waiting], ready: list[Tangle]) -> list[Note]:
        """Which invocations run where, and which wait where for which others."""
        notes: list[Note] = []
        for tangle in ready:
            lanes = bits_of(mask_of(tangle.lanes))
            verb = "runs" if len(lanes) == 1 else "run"
            notes.append(
                Note(f"{lane_list(lanes)} {verb} at {block_name(self.code[tangle.at])}", self.place_at(tangle.at))
            )
        for waiting in reversed(frames):
            frame = waiting.frame
            missing = waiting.mask & ~waiting.arrived
            if waiting.arrived:
                where = "the end" if frame.target == END else block_name(self.code[frame.target])
                lanes = bits_of(waiting.arrived)
                verb = "waits" if len(lanes) == 1 else "wait"
                notes.append(
                    Note(
                        f"{lane_list(lanes)} {verb} at {where} ({FRAME_NAMES[frame.kind]}) for "
                        f"{lane_list(bits_of(missing))}",
                        self.place_at(frame.target),
                    )
                )
        return notes

    def first_place(self, frames: list[Waiting], ready: list[Tangle]) -> Place:
        """Where a tangle would go on, or else where the innermost of those that wait do."""
        arrived = [waiting.frame.target for waiting in reversed(frames) if waiting.arrived]
        for at in [tangle.at for tangle in ready] + arrived:
            place = self.place_at(at)
            if place is not None:
                return place
        return Place(self.module.path)

    def place_at(self, number: int) -> Place | None:
        """The place where a code block begins, or what it leads to if there is nothing in it; None if unknown."""
        seen: dict[int, None] = {}
        while number != END and number not in seen:
            seen[number] = None
            code = self.code[number]
            parts = [place_of(instr, self.module) for instr in code.instrs]
            for place in [*parts, place_of_jump(code.block, self.module)]:
                if place.line > 0 or place.word >= 0:
                    return place
            if not isinstance(code.end, Goto):
                return None
            number = code.end.edge.target
        return None


def bits_of(mask: int) -> list[int]:
    return [lane for lane in range(mask.bit_length()) if mask >> lane & 1]


def lane_list(lanes: list[int]) -> str:
    """`lane 3`, `lanes 0-4, 7`: runs of neighbours are joined. `lanes` ascend."""
    if len(lanes) == 1:
        return f"lane {lanes[0]}"
    parts: list[str] = []
    at = 0
    while at < len(lanes):
        end = at
        while end + 1 < len(lanes) and lanes[end + 1] == lanes[end] + 1:
            end += 1
        parts.append(str(lanes[at]) if end == at else f"{lanes[at]}-{lanes[end]}")
        at = end + 1
    return f"lanes {', '.join(parts)}" if parts else "no lanes"


def _worded(instr: Instr, message: str) -> str:
    """What happened, and to which instruction, whose opcode a message may begin with."""
    name = opcode_name(instr.op)
    if message.startswith(name) and message[len(name) : len(name) + 1] in (" ", ":"):
        return describe(instr) + message[len(name) :]
    return f"{describe(instr)}: {message}"


def describe(instr: Instr) -> str:
    """`OpLoad %x`: the opcode, and the result's name or id if it has one."""
    name = opcode_name(instr.op)
    if instr.has_result:
        if instr.name:
            return f"{name} %{instr.name}"
        if instr.id:
            return f"{name} %{instr.id}"
    return name
