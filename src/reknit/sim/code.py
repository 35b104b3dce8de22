"""What the machine executes: code blocks with numbers instead of names.

    CodeBlock 4 (%header)       steps      [closure(lanes), ...]       ordinary and tangled instructions
                                loop       merge 9, continue 7         frames to push on leaving (OpLoopMerge)
                                merge      -                           frame to push on leaving (OpSelectionMerge)
                                end        Split(condition, 5, 6)      where each lane goes

A block of the program is one code block, or several in a row where it calls functions: the point after a call needs a
number, for lanes meet there. Numbers are the program's, so that a frame's target is a number whatever function it is
in.
"""

from typing import Any, Final, final

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.sim.kernel import Kernel, Nothing, Step, kernel_of
from reknit.sim.registers import Register, as_column
from reknit.sim.unset_objects import UnsetObject

RETURN: Final = 0
TERMINATE: Final = 1  # OpTerminateInvocation and what ends an invocation like it
KILL: Final = 2
UNREACHABLE: Final = 3

ENDINGS: Final = ["return", "terminate", "kill", "unreachable"]


@final
class Edge:
    """An edge to code block `target`; `moves` gives the phis there their values, None if there are none. `kernel` is
    what does it in a run."""

    __slots__ = ("target", "moves", "kernel")

    def __init__(self, target: int, moves: Step | None) -> None:
        self.target = target
        self.moves = moves
        self.kernel: Kernel | None = None

    def settle(self) -> None:
        """Its steps don't change any more before a run."""
        self.kernel = kernel_of(self.moves) if self.moves is not None else None


class End:
    """How a code block ends: one of the classes below."""

    __slots__ = ()


@final
class Goto(End):
    __slots__ = ("edge",)

    def __init__(self, edge: Edge) -> None:
        self.edge = edge


@final
class Split(End):
    """`condition` is a bool a lane, that of `value`."""

    __slots__ = ("value", "condition", "yes", "no")

    def __init__(self, value: Value, condition: Register, yes: Edge, no: Edge) -> None:
        self.value = value
        self.condition = condition
        self.yes = yes
        self.no = no


@final
class SwitchEnd(End):
    """`edges` has one entry a label (case construct, or the merge block); `cases` maps a literal to its label.

    `chains` are the maximal runs of labels of which each falls through to the next, by index into `edges`. `literals`
    are a label's literals in order. `number` counts the program's switches; `name` is what a message names, `value`
    what the selector's column is of.
    """

    __slots__ = ("number", "value", "selector", "edges", "cases", "default", "chains", "literals", "name")

    def __init__(
        self,
        number: int,
        value: Value,
        selector: list[int],
        edges: list[Edge],
        cases: dict[int, int],
        default: int,
        chains: list[list[int]],
        literals: list[list[int]],
        name: str,
    ) -> None:
        self.number = number
        self.value = value
        self.selector = selector
        self.edges = edges
        self.cases = cases
        self.default = default
        self.chains = chains
        self.literals = literals
        self.name = name

    def label_name(self, label: int) -> str:
        """`default`, or the label's literals."""
        if label == self.default:
            return "default"
        return ", ".join([str(literal) for literal in self.literals[label]])


@final
class Call(End):
    """`moves` copies the arguments of `instr`; the lanes meet again at code block `back`."""

    __slots__ = ("instr", "entry", "moves", "back")

    def __init__(self, instr: Instr, entry: int, moves: Step | None, back: int) -> None:
        self.instr = instr
        self.entry = entry
        self.moves = moves
        self.back = back


@final
class Route:
    """One function that a dynamic call may come to: where it begins, its parameters, and the code block that takes its
    result when it returns. `words` are those of its parameters that are registers; `unset` says of each parameter what
    it is where its object was never set. `follow`, if there is one, hears of the lanes that are passed."""

    __slots__ = ("entry", "parameters", "words", "unset", "landing", "follow")

    def __init__(
        self,
        entry: int,
        parameters: list[list[Any]],
        words: list[Register],
        unset: list[UnsetObject | None],
        landing: int,
    ) -> None:
        self.entry = entry
        self.parameters = parameters
        self.words = words
        self.unset = unset
        self.landing = landing
        self.follow: Step | None = None

    def pass_to(self, lane: int, arguments: list[Any]) -> None:
        if self.follow is not None:
            self.follow([lane])
        for at, argument in enumerate(arguments):
            unset = self.unset[at]
            self.parameters[at][lane] = argument if unset is None else unset.taken(argument)
        for register in self.words:
            register.take(as_column([lane]))


@final
class DynamicCall(End):
    """`callable` is a column of (table, function, bound tables); `back` is where all meet again."""

    __slots__ = ("instr", "callable", "arguments", "routes", "back")

    def __init__(
        self,
        instr: Instr,
        callable: list[Any],
        arguments: list[list[Any]],
        routes: dict[Function, Route],
        back: int,
    ) -> None:
        self.instr = instr
        self.callable = callable
        self.arguments = arguments
        self.routes = routes
        self.back = back


@final
class Leave(End):
    """`kind` is RETURN, TERMINATE, KILL or UNREACHABLE; `moves` stores the returned value."""

    __slots__ = ("kind", "instr", "moves")

    def __init__(self, kind: int, instr: Instr, moves: Step | None) -> None:
        self.kind = kind
        self.instr = instr
        self.moves = moves


@final
class CodeBlock:
    """`header` is the number that a back edge to this block goes to: that of the block's first part.

    `steps` are its instructions, one by one; `kernel` is the first of those that a run executes, where the simulator
    is compiled.
    `loop_merge`, `loop_continue` and `merge` are -1 where leaving the block pushes no such frame.
    """

    __slots__ = (
        "number", "block", "function", "header", "instrs", "steps", "kernel", "loop_merge", "loop_continue", "merge",
        "end",
    )  # fmt: skip

    def __init__(self, number: int, block: Block, function: Function, header: int) -> None:
        self.number = number
        self.block = block
        self.function = function
        self.header = header
        self.instrs: list[Instr] = []
        self.steps: list[Step] = []
        self.kernel: Kernel | None = None
        self.loop_merge = -1
        self.loop_continue = -1
        self.merge = -1
        self.end: End = End()

    def settle(self) -> None:
        """Make the kernels of a run, before which the steps don't change any more."""
        kernel: Kernel | None = None
        for step in reversed(self.steps):
            if not isinstance(step, Nothing):
                before = kernel_of(step)
                before.following = kernel
                kernel = before
        self.kernel = kernel
        for edge in edges_of(self.end):
            edge.settle()


def edges_of(end: End) -> list[Edge]:
    if isinstance(end, Goto):
        return [end.edge]
    if isinstance(end, Split):
        return [end.yes, end.no]
    return end.edges if isinstance(end, SwitchEnd) else []


def targets_of(here: CodeBlock) -> list[int]:
    """Where a code block leads to in its function."""
    end = here.end
    if isinstance(end, Goto):
        return [end.edge.target]
    if isinstance(end, Split):
        return [end.yes.target, end.no.target]
    if isinstance(end, SwitchEnd):
        return [edge.target for edge in end.edges]
    if isinstance(end, Call):
        return [end.back]
    if isinstance(end, DynamicCall):
        return [route.landing for route in end.routes.values()]
    return []


def entered_from(here: CodeBlock) -> list[int]:
    """The first code blocks of the functions that a code block calls."""
    end = here.end
    if isinstance(end, Call):
        return [end.entry]
    return [route.entry for route in end.routes.values()] if isinstance(end, DynamicCall) else []
