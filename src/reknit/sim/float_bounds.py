"""What the floats of a program's results may be: the runs of `outcomes` once more, with sets in place of floats.

    one run        0.333333343    {0.333333284, ..., 0.333333403}     "2.5 ULP"
                   3.9, -0        [3.9, 4.1], {-0, 0}
                   7              anything                            nothing written bounds it
    several runs   a result is allowed if it is in the sets of one of them

They say of results that the choices of a run leave (`Outcomes.whole`) which others there may be. No bounds are known
where a branch or an address depends on a set, of vertex shaders and kernels, and where samples are compared by depth.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, final

from reknit.analysis.freedoms import BOUNDED, Ledger
from reknit.analysis.uniformity.objects import root_of
from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.sim.budget import MAX_FOLLOWED
from reknit.sim.drawing import Drawing
from reknit.sim.entry import COMPUTE
from reknit.sim.left import Key, label
from reknit.sim.result import Result
from reknit.sim.run import Program
from reknit.sim.shadow.sources import Source

if TYPE_CHECKING:
    from reknit.sim.outcomes import Outcome, Search



@final
class FloatBounds:
    """`outcomes` are the runs whose sets differ; `loose` are the instructions from which what nothing bounds comes to
    a result."""

    __slots__ = ("outcomes", "loose")

    def __init__(self, outcomes: "list[Outcome]", loose: set[Instr]) -> None:
        self.outcomes = outcomes
        self.loose = loose

    def blame(self, ledgers: list[Ledger]) -> None:
        """Add to `loose` what may have given the operands of what is loose: bounds of it bound no result. Where what no
        row speaks of makes anything of a set, as a comparison does that isn't decided, each of the rows may have
        brought the set."""
        rows = [row for each in ledgers for row in each.applied.values() if row.treatment("outcomes").word == BOUNDED]
        places = {place for row in rows for place in row.places}
        if self.loose <= places:
            for each in ledgers:
                self.loose |= places & sources_of(self.loose, each.module)
            self.loose |= {each for each in places if each.op in traits.STORES and self.loose & set(each.operands)}
        else:
            self.loose |= places

    def to_json(self) -> list[dict[str, object]]:
        """By run: of each buffer the bytes at which floats begin that have a set, and of outputs their places."""
        return [sets_json(outcome.result) for outcome in self.outcomes]


def sources_of(given: set[Instr], module: Module) -> set[Instr]:
    """The instructions whose results may come to operands of those that are given: all there are, if one of them is
    loaded from a variable that is stored to, or comes through a call."""
    code = [instr for function in module.functions for instr in instructions(function)]
    stored = {root_of(instr.value(traits.STORES[instr.op])) for instr in code if instr.op in traits.STORES}
    reached = set(given)
    work = list(given)
    while work:
        instr = work.pop()
        if instr.op in (op.FunctionParameter, *traits.CALLS):
            return set(code)
        if instr.op in traits.LOADS and root_of(instr.value(traits.LOADS[instr.op])) in stored:
            return set(code)
        for operand in instr.operands:
            if isinstance(operand, Instr) and operand not in reached:
                reached.add(operand)
                work.append(operand)
    return reached


def sets_json(result: Result) -> dict[str, object]:
    buffers: dict[str, object] = {}
    for name, buffer in result.buffers.items():
        starts = starts_of(buffer.sets)
        if starts:
            buffers[name] = {str(at): source.bound.to_json() for at, source in starts.items() if source.bound}
    outputs = {label(key): source.bound.to_json() for key, source in output_sets(result).items() if source.bound}
    return {"buffers": buffers, **({"outputs": outputs} if outputs else {})}


def starts_of(sets: dict[int, Source]) -> dict[int, Source]:
    """The floats of a buffer that have a set, by their first byte; those of which all bytes are there."""
    starts: dict[int, Source] = {}
    for at in sorted(sets):
        source = sets[at]
        if source.bound is None:
            continue
        size = source.bound.form.width // 8
        if at % size == 0 and all(sets.get(byte) is source for byte in range(at, at + size)):
            starts[at] = source
    return starts


def output_sets(result: Result) -> dict[Key, Source]:
    """Of the outputs of a fragment or vertex shader."""
    from reknit.sim.left import output_name

    allowed: dict[Key, Source] = {}
    if result.framebuffer is not None:
        for attachment in result.framebuffer.attachments:
            where = output_name(attachment.location, attachment.index)
            for (spot, component), source in attachment.undefined.items():
                allowed[where, (*spot, component)] = source
    for invocation, vertex in enumerate(result.vertices or []):
        for where, parts in vertex.undefined.items():
            allowed.update({(where, (invocation, component)): source for component, source in parts.items()})
    return allowed


def float_sources(result: Result) -> list[Source]:
    """What floats of a result come from, each once."""
    sources: dict[Source, None] = {}
    for buffer in result.buffers.values():
        sources.update(dict.fromkeys(buffer.sets.values()))
    sources.update(dict.fromkeys(output_sets(result).values()))
    return list(sources)


def sets_key(result: Result) -> object:
    """What tells the sets of two runs apart."""
    parts: list[Any] = []
    for name in sorted(result.buffers):
        parts.append(tuple([(at, id(source)) for at, source in sorted(result.buffers[name].sets.items())]))
    parts.append(tuple([(key, id(source)) for key, source in sorted(output_sets(result).items(), key=lambda i: i[0])]))
    return tuple(parts)


def is_bounded(programs: list[Program], ledgers: list[Ledger], runs: int) -> bool:
    """Whether something is left open that bounds may close, of a program that they are known of."""
    if runs > MAX_FOLLOWED or not all(is_followed(program) for program in programs):
        return False
    rows = [row for each in ledgers for row in each.applied.values()]
    return any(row.freedom.treatments["outcomes"].word == BOUNDED for row in rows)


def is_followed(program: Program) -> bool:
    model = program.point.word(0)
    if model == enums.ExecutionModelFragment:
        return isinstance(program.drawing, Drawing) and not program.drawing.compare and program.tracks
    return model in COMPUTE and model != enums.ExecutionModelKernel and program.tracks


def float_bounds(
    search: "Search", make: Callable[[str, str], Program], kills: list[str], near: bool = False
) -> FloatBounds | None:
    """None where they are not known."""
    programs: list[Program] = []

    def followed(kill: str, assume: str) -> Program:
        program = make(kill, assume)
        program.bound_floats(near)
        programs.append(program)
        return program

    search.bounding = True
    search.budget.limit = search.budget.followed()
    search.all_of(followed, kills)
    bounds = [program.tracker.bounds for program in programs if program.tracker is not None]
    if not search.is_whole() or any(each is None or each.given_up for each in bounds):
        return None
    loose: set[Instr] = set()
    for outcome in search.outcomes.values():
        result = outcome.result
        if any(reached.is_open() for reached in result.reached):
            return None
        loose.update([source.instr for source in float_sources(result) if source.loose])
    return FloatBounds(list(search.outcomes.values()), loose)
