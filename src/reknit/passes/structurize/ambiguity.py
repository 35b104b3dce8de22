"""Operations whose tangle depends on a choice that a graph doesn't make.

    loop { if c { A; break } }  B          A: reached from the loop, never back
                                           inside:  lanes that leave in one iteration run A together, by iterations
                                           outside: all run A together, once the last one has left

Both programs have the same graph. Behind a loop and dominated by it, a tangled operation could have stood in it: that
is reported once for every loop that the input says nothing of (RK2501), unless all lanes leave it in one iteration, or
all that come to the operation do (`analysis.flat.divergence`).
Source: KhronosGroup/SPIRV-Tools#4099; EmbarkStudios/rust-gpu#944.
"""

from bisect import bisect_left
from typing import Final, final

from reknit.analysis.flat.divergence import FlatDivergence, UniformLoads
from reknit.analysis.flat.executable_edges import ExecutableEdges
from reknit.analysis.flat.flow import Flow
from reknit.analysis.natural_loops import NaturalLoops, natural_loops
from reknit.analysis.tangled import Tangled
from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.constants import as_int
from reknit.ir.function import Function
from reknit.ir.hint import Hint
from reknit.ir.instr import Instr
from reknit.ir.opcodes import info
from reknit.passes.contract import Context
from reknit.passes.promote_variables import promote_variables
from reknit.passes.structurize.membership import shown
from reknit.passes.structurize.open_choices import INSIDE, OUTSIDE, assumed_edges

HOW: Final = (
    "to say which: `member` with the header's name at that block's label is inside, `member` at the header's own label "
    "is behind; structurize{assume=inside} and structurize{assume=outside} decide all that is left open"
)


@final
class Tangles:
    """The first tangled operation of each node that has one. `wide`: one is about more than a subgroup, or may be."""

    __slots__ = ("first", "wide")

    def __init__(self, function: Function, flow: Flow, context: Context) -> None:
        self.first: dict[int, Instr] = {}
        self.wide = False
        tangled = context.analyses.of_module(Tangled)
        if function not in tangled.functions:
            return
        for node, block in enumerate(flow.blocks):
            for instr in block:
                if tangled.is_tangled(instr):
                    self.first.setdefault(node, instr)
                    self.wide = self.wide or not _is_narrow(instr)


def _is_narrow(instr: Instr) -> bool:
    """Whether an operation sees no lane outside of its subgroup."""
    among = traits.TANGLED.get(instr.op)
    if among not in ("scope", "bits"):
        return among == "quad"
    scope = instr.operands[0]
    return isinstance(scope, Instr) and scope.op == op.Constant and as_int(scope) == enums.ScopeSubgroup


@final
class Known:
    """What was found out before phis went: `headers` of loops that all leave together, and by header of others the
    nodes behind them that all come to at once (`settled`). `idle` are nodes that are never executed."""

    __slots__ = ("headers", "settled", "idle")

    def __init__(self) -> None:
        self.headers: dict[int, None] = {}
        self.settled: dict[int, dict[int, None]] = {}
        self.idle: dict[int, None] = {}


def find_out(function: Function, flow: Flow, hints: list[Hint], tangles: Tangles, context: Context) -> Known:
    """Ask which loops are left by all at once, if something depends on it. Variables become values for that."""
    known = Known()
    if not tangles.first:
        return known
    flow.find_order()
    targets = [list(row) for row in flow.targets]
    hinted: dict[int, None] = {}
    for hint in hints:
        member, header = flow.number.get(hint.block, -1), flow.number.get(hint.header, -1)
        if member >= 0 and header >= 0 and flow.dominates(header, member):
            hinted[header] = None
            if member != header:
                targets[member].append(header)
    loops = natural_loops(targets)
    if not Behind(flow, loops, tangles, known).loops(hinted):
        return known
    promote_variables(function, context)
    taken = ExecutableEdges(flow)
    known.idle = {node: None for node in tangles.first if not taken.reached[node]}
    loads = context.analyses.of_module(UniformLoads)
    doubts = _look(known, tangles, hinted, FlatDivergence(loops, taken, loads, tangles.wide))
    if not doubts or context.options["assume"] != INSIDE:
        return known
    for member, header in assumed_edges(flow, loops, hinted, [loops.header[loop] for loop in doubts], tangles.first):
        targets[member].append(header)
    known.headers = {}
    known.settled = {}
    _look(known, tangles, hinted, FlatDivergence(natural_loops(targets), taken, loads, tangles.wide))
    return known


def _look(known: Known, tangles: Tangles, hinted: dict[int, None], together: FlatDivergence) -> list[int]:
    """Write down what is known of `divergence`'s loops; the loops that are left in doubt."""
    loops = together.loops
    behind = Behind(together.flow, loops, tangles, known)
    for loop, header in enumerate(loops.header):
        if not together.apart[loop]:
            known.headers[header] = None
        elif header not in hinted and together.has_whole_exits(loop):
            known.settled[header] = dict.fromkeys(together.settled(loop, behind.dominated(header)))
    return behind.loops(hinted)


@final
class Behind:
    """What of the tangled nodes stands behind a loop that dominates it. Near linear."""

    __slots__ = ("flow", "natural", "tangles", "known", "behind", "places", "inside", "starts", "ends")

    def __init__(self, flow: Flow, loops: NaturalLoops, tangles: Tangles, known: Known) -> None:
        self.flow = flow
        self.natural = loops
        self.tangles = tangles
        self.known = known
        nodes = [node for node in tangles.first if node not in known.idle]
        self.behind: list[int] = sorted(nodes, key=flow.enter.__getitem__)
        self.places: list[int] = [flow.enter[node] for node in self.behind]
        self.inside: list[int] = [0] * len(loops.header)
        for node in nodes:
            if loops.innermost[node] >= 0:
                self.inside[loops.innermost[node]] += 1
        for loop in range(len(self.inside)):
            if loops.parent[loop] >= 0:
                self.inside[loops.parent[loop]] += self.inside[loop]
        self.starts, self.ends = loops.intervals()

    def loops(self, hinted: dict[int, None]) -> list[int]:
        """Those that the input doesn't tell of, with something behind them of which it matters."""
        doubtful_loops: list[int] = []
        for loop, header in enumerate(self.natural.header):
            if header not in hinted and header not in self.known.headers and self.count(loop) > 0:
                doubtful_loops.append(loop)
        return doubtful_loops

    def count(self, loop: int) -> int:
        header = self.natural.header[loop]
        count = bisect_left(self.places, self.flow.leave[header]) - bisect_left(self.places, self.flow.enter[header])
        count -= self.inside[loop]
        for node in self.known.settled.get(header, ()):
            if not self._is_in(node, loop):
                count -= 1
        return count

    def first(self, loop: int) -> int:
        """The first of the nodes that `count` counts."""
        header = self.natural.header[loop]
        at = bisect_left(self.places, self.flow.enter[header])
        while self._is_in(self.behind[at], loop) or self.behind[at] in self.known.settled.get(header, {}):
            at += 1
        return self.behind[at]

    def dominated(self, node: int) -> list[int]:
        """Those that are dominated by `node`."""
        low = bisect_left(self.places, self.flow.enter[node])
        return self.behind[low : bisect_left(self.places, self.flow.leave[node])]

    def _is_in(self, node: int, loop: int) -> bool:
        around = self.natural.innermost[node]
        return around >= 0 and self.starts[loop] <= self.starts[around] < self.ends[loop]


def tell(behind: Behind, doubts: list[int], context: Context) -> None:
    """A note for every loop in doubt."""
    flow = behind.flow
    inside = context.options["assume"] == INSIDE
    for loop in doubts:
        node = behind.first(loop)
        instr = behind.tangles.first[node]
        about = info(instr.op)
        name = about.name if about is not None else f"opcode {instr.op}"
        count = behind.count(loop)
        more = f" (and {count - 1} more {'blocks' if count > 2 else 'block'})" if count > 1 else ""
        header: Block = flow.blocks[behind.natural.header[loop]]
        context.note(
            "RK2501",
            f"convergence is not determined by the input: Op{name.removeprefix('Op')} in {shown(flow.blocks[node])}"
            f"{more} may belong to the loop of {shown(header)} (inside), and be run by those that leave it together in "
            f"one iteration, or stand behind it (outside), and be run by all together; read as "
            f"{INSIDE if inside else OUTSIDE}",
            HOW,
            instr,
        )
