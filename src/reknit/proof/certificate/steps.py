"""Both programs as one list of steps, calls written out, which a certificate names: b0, b1, .. and behind them a0, ..

    Block       its head, or, as the last step of another block, where that one goes on
    Instr       an instruction, a parameter, or the end of a function
    If, Switch  a fork, as the last step of a block

Only trees are read in which all that come to the end of a construct meet there, or can come on one path alone: then the
invocations that execute a step together are those whose own path leads there, in the same iterations of the loops
around it, and where a switch leaves open which invocations meet, by the same choice.
"""

from typing import Final, final

from reknit.ir import enums, op, opcodes
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.module import Module
from reknit.ir.tree import Construct, If, Loop, Switch
from reknit.ir.value import Node, Value
from reknit.source.meter import spend

NONE: Final = -1
MAX_STEPS: Final = 100_000
_WRAPS: Final = (enums.DecorationNoSignedWrap, enums.DecorationNoUnsignedWrap)
_ODD: Final = (enums.DecorationNonUniform, enums.DecorationVolatile)

Around = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]
"""Around a step: the heads of loops; the forks, and which case of each, where SPIR-V leaves open what meets."""
Frame = dict[Value, int]
"""The steps of the blocks and values of a call; its function's is the step of the call itself."""


class Rejected(Exception):
    """A certificate doesn't hold, or the checker has no word for something: why."""


@final
class Steps:
    """`nodes`, and of each `blocks`, the block that it is in, `frames` and `around`. `callees`: of calls; `own`:
    variables of an invocation; `marks`: decorations."""

    def __init__(self, modules: list[Module], entries: list[Function]) -> None:
        self.nodes: list[Value] = []
        self.blocks: list[Block | None] = []
        self.frames: list[Frame] = []
        self.around: list[Around] = []
        self.heads: dict[int, None] = {}
        self.open_forks: dict[int, None] = {}
        self.callees: dict[int, Frame] = {}
        self.own: Frame = {}
        self.starts: list[int] = []
        self.marks: dict[Value, str] = {}
        self.nowrap: dict[Value, list[int]] = {}  # which decorations say that an operation doesn't wrap
        self.split = 0
        for module, entry in zip(modules, entries, strict=True):
            self.split = len(self.nodes)
            for point in module.entry_points:
                if point.operands[1] is entry and point.word(0) != enums.ExecutionModelGLCompute:
                    raise Rejected("an entry point that is no compute shader")
            for note in module.decorations:
                self._read_mark(note)
            for instr in module.globals:
                if instr.op == op.Variable and instr.word(0) == enums.StorageClassPrivate:
                    self._add(instr, None, self.own, ((), ()))
            self.starts.append(len(self.nodes))
            work: list[tuple[Function, Frame, Around]] = [(entry, {entry: NONE}, ((), ()))]
            while work:
                spend(1)
                work.extend(self._read(*work.pop()))

    def _read_mark(self, note: Instr) -> None:
        target, *words = note.operands
        number = words[1] if note.op in (op.MemberDecorate, op.MemberDecorateString) else words[0] if words else NONE
        if number in _ODD or not isinstance(target, Value) or any(isinstance(word, Value) for word in words):
            raise Rejected(f"{name_of(note)} of a group, by an id, Volatile or NonUniform")
        if number in _WRAPS:
            self.nowrap[target] = sorted([*self.nowrap.get(target, []), number])
        else:
            self.marks[target] = f"{self.marks.get(target, '')}[{note.op} {words}]"

    def _add(self, node: Value, block: Block | None, frame: Frame, around: Around, is_end: bool = False) -> None:
        if not is_end:
            frame[node] = len(self.nodes)
        self.nodes.append(node)
        self.blocks.append(block)
        self.frames.append(frame)
        self.around.append(around)
        if len(self.nodes) > MAX_STEPS:
            raise Rejected("the programs are too long with their calls written out")

    def _read(self, function: Function, frame: Frame, outer: Around) -> list[tuple[Function, Frame, Around]]:
        """The steps of a call of a function; the calls in it."""
        if not function.structured or function.is_declaration():
            raise Rejected(f"@{function.name} has no control-flow tree")
        for param in function.params:
            self._add(param, None, frame, outer)
        calls: list[tuple[Function, Frame, Around]] = []
        inside: dict[Value, Around] = {function: outer}
        work: list[Node] = list(function.body)[::-1]
        while work:
            spend(1)
            node = work.pop()
            assert node.region is not None
            around = inside[node.region.owner]
            if isinstance(node, Block):
                for each in (node, *node):
                    if isinstance(each, Instr) and each.op == op.FunctionCall:
                        callee = each.operands[0]
                        assert isinstance(callee, Function)
                        self.callees[len(self.nodes)] = {callee: len(self.nodes)}
                        calls.append((callee, self.callees[len(self.nodes)], around))
                    self._add(each, node, frame, around)
                self._add(_end(node), node, frame, around, is_end=True)
                continue
            assert isinstance(node, Construct)
            if isinstance(node, Loop):
                self.heads[len(self.nodes)] = None
                around = ((*around[0], len(self.nodes)), around[1])
            inside[node] = around
            opens = open_cases(node)
            fork = len(self.nodes) - 1
            if isinstance(node, Switch):
                for at, case in enumerate(node.cases):
                    inside[case] = (around[0], (*around[1], (fork, at))) if opens[at] else around
            if any(opens):
                self.open_forks[fork] = None
            regions = node.regions()
            ends = len(node.breaks) + sum([each.end().jump is None for each in regions if not isinstance(node, Loop)])
            if not node.merged and (ends > 1 or any(opens)):
                raise Rejected("a construct without a merge instruction whose end may be reached in several tangles")
            for region in reversed(regions):
                work.extend(list(region)[::-1])
        return calls

    def place(self, at: int, value: Value) -> int:
        """The step of an operand of a step; -1 if it has none."""
        return self.frames[at].get(value, self.own.get(value, NONE))

    def argument(self, at: int, param: Value) -> tuple[int, Value]:
        """What a parameter is: an operand of the call."""
        callee, call = next(iter(self.frames[at].items()))
        node = self.nodes[call] if call != NONE else None
        if not isinstance(callee, Function) or not isinstance(node, Instr) or not isinstance(param, Instr):
            raise Rejected(f"{param!r} is given by no instruction")
        return call, node.value(1 + callee.params.index(param))

    def name(self, at: int) -> str:
        return f"a{at - self.split}" if at >= self.split else f"b{at}"

    def named(self, word: str, letters: str = "ba") -> int:
        first = self.split if word[:1] == "a" else 0
        last = self.split if word[:1] == "b" else len(self.nodes)
        if word[:1] in tuple(letters) and first <= first + whole(word[1:]) < last:
            return first + whole(word[1:])
        raise Rejected(f"'{word[:24]}' names no step there")


def whole(word: str) -> int:
    digits = word.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 21):
        raise Rejected(f"'{word[:24]}' is no number")
    return int(word)


def name_of(node: Value) -> str:
    about = opcodes.info(node.op) if isinstance(node, Instr) else None
    if about is not None:
        return f"Op{about.name}"
    return "a switch" if isinstance(node, Switch) else "the head of a loop" if isinstance(node, Block) else "a fork"


def _end(block: Block) -> Value:
    """The last step of a block: where it goes on, a fork, or the end of the function."""
    if isinstance(block.jump, Exit):
        return block.jump.instr
    if block.jump is None and isinstance(block.next, (If, Switch)):
        return block.next
    following = successors(block)
    if len(following) != 1:
        raise Rejected("control runs off the end of a function")
    return following[0]


def open_cases(node: Construct) -> list[bool]:
    """Of which cases of a switch SPIR-V leaves open which invocations meet there: several values lead to it, or a value
    and the case before, or a case of that kind."""
    is_open: list[bool] = []
    if isinstance(node, Switch):
        labels = node.labels()
        varies = not (isinstance(node.selector, Instr) and node.selector.op == op.Constant)
        for case in node.cases:
            values = len(labels[case]) + (2 if case is node.default else 0)
            is_open.append(varies and (values > 1 or (bool(case.fallthroughs) and (values > 0 or is_open[-1]))))
    return is_open
