"""Whether a dispatch that may come to what was never set, as far as sets tell, does so on a path that can be taken.

    f unset; have = 0
    if c { store f; have = 1 }      two states go on: { f set, have 1 }, { have 0 }
    if have { dispatch on f }       the second can't come here: f is set

Asked of single dispatches, after the analysis; those that go by the same places and phis are worked out by one walk.
"""

from typing import final

from reknit.analysis.typeflow.access_paths import LOCAL, spot_of
from reknit.analysis.typeflow.context import Context, info_at
from reknit.analysis.typeflow.function_facts import Facts, stores_to
from reknit.analysis.typeflow.guarded_walk import Walk, all_set, is_exact
from reknit.analysis.typeflow.solve import TypeFlow
from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.source.meter import spend


@final
class Guards:
    """Answers of one program, each worked out once."""

    __slots__ = ("flow", "known")

    def __init__(self, flow: TypeFlow) -> None:
        self.flow = flow
        self.known: dict[Context, dict[Instr, bool]] = {}

    def is_set(self, context: Context, dispatch: Instr) -> bool:
        """Whether what `dispatch` takes apart, or tests, is set whenever it is reached."""
        answers = self.known.get(context)
        if answers is None:
            answers = {}
            for behind, dispatches in questions(self.flow, context).items():
                walk = Walk(self.flow, context, dict.fromkeys(behind), dispatches)
                refused = walk.run()
                for instr in dispatches:
                    answers[instr] = instr not in refused
            self.known[context] = answers
        return answers.get(dispatch, False)


def questions(flow: TypeFlow, context: Context) -> dict[tuple[object, ...], dict[Instr, None]]:
    """The dispatches that sets don't settle, by the places and phis that their existentials come from."""
    dispatches: dict[tuple[object, ...], dict[Instr, None]] = {}
    for block in context.envs:
        for instr in block:
            if instr.op not in (op.ExtractExistentialWitnessTable, op.IsType):
                continue
            source = instr.instr(0)
            if not all_set(flow, source.type, info_at(context, flow.forms, source, context.envs[block])):
                dispatches.setdefault(tuple(behind(flow.facts.of(context.function), source)), {})[instr] = None
    return dispatches


def behind(facts: Facts, source: Value) -> list[object]:
    """The places that an existential may be read from, and the phis that it may come through."""
    spots: dict[object, None] = {}
    seen: dict[Value, None] = {}
    work = [source]
    while work:
        spend(1)
        at = work.pop()
        if at in seen or not isinstance(at, Instr) or at.block is None:
            continue
        seen[at] = None
        if at.op == op.Load:
            spot = spot_of(at.value(0))
            if spot.kind == LOCAL and spot.root in facts.roots and is_exact(spot):
                spots[spot.root, tuple(spot.path)] = None
                work.extend([store.value(1) for store in stores_to(spot.root)])
        elif at.op in (op.Phi, op.CopyObject, op.Select, op.CompositeConstruct):
            if at.op == op.Phi:
                spots[at] = None
            work.extend([operand for operand in at.operands if isinstance(operand, Instr)])
    return list(spots)
