"""Give a flat function a control-flow tree, whatever its graph looks like.

    blocks, branches ──▶ dead blocks and phis go ──▶ loops get one entrance ──▶ what belongs to which loop
                                                                                      │
    tree with labels  ◀── scopes that are ifs join ◀── emission over dominators ◀── what goes where

Total: any graph comes out, endless loops and `goto`s into loops included; no block is copied, and nothing recurses.

Which invocations run together: flat code has no merge instructions to say it, so the tree is made to bring together as
many as the order of blocks allows: every block that several paths lead to stands behind a merged construct (an if, a
switch or a scope) that begins at the block's dominator. In one run of what is around it, a block is run at most once,
in topological order, by all that get there. What that leaves open is which blocks belong to a loop, and so run once per
iteration: hints say it (`structurize.membership`), and where nothing does, it is reported (`structurize.ambiguity`). An
if at whose end no block waits to be run, because its paths diverge for good or go straight on to such a place, is not
merged. Source: L. Ramshaw, Eliminating Go To's while Preserving Program Structure, 1988; N. Ramsey, Beyond Relooper,
2022; with loop exits hoisted and membership as an input.
"""

from collections.abc import Callable
from typing import Final

from reknit.analysis.flat.flow import Flow
from reknit.analysis.natural_loops import natural_loops
from reknit.ir import op
from reknit.ir.function import Function
from reknit.passes.contract import NO_CRITICAL_EDGES, STRUCTURED, Context, Option, Pass
from reknit.passes.demote import repair_dominance
from reknit.passes.structurize.ambiguity import Behind, Known, Tangles, find_out, tell
from reknit.passes.structurize.emit import STAR, Emitter
from reknit.passes.structurize.irreducible import make_reducible
from reknit.passes.structurize.join_ifs import join_ifs
from reknit.passes.structurize.membership import declared_hints, resolve
from reknit.passes.structurize.open_choices import INSIDE, OUTSIDE, assumed_edges
from reknit.passes.structurize.plan import Plan
from reknit.passes.structurize.prepare import (
    demote,
    drop_merges,
    free_entry,
    prune,
    straighten,
    variables_first,
)
from reknit.passes.structurize.rematerialize import how_chosen, spread, take_apart

NESTING: Final = 128
SELECTORS: Final = "selectors"  # variables that say where to go on: by which entrance, or to which level
MAX_NESTING: Final = 1023  # SPIR-V 1.6, 2.17 "Universal Limits": structured control-flow nesting depth


Watcher = Callable[[str], None]


def structurize(function: Function, context: Context) -> bool:
    """Turn a flat function into a tree; a structured one stays. Near n log n for graphs whose loops nest a few deep."""
    return structurize_in_steps(function, context, _unseen)


def structurize_in_steps(function: Function, context: Context, seen: Watcher) -> bool:
    """The same, telling `seen` the name of each step that is done.

    plain      what nothing reaches and merge instructions are gone, as are branches with one target
    variables  phis are
    entrances  every loop has one
    tree       all blocks stand in it
    """
    if function.structured:
        return False
    stuck = take_apart(function, context)
    if stuck is None and _may_move(function, context):
        stuck = spread(function, context)
    if stuck is not None:
        reason = f"@{function.name} stays flat: no variable can hold %{stuck.name or stuck.id}"
        what = f", {how_chosen(stuck)}" if stuck.op == op.Phi else ", which is used in another block"
        help = "choose an index, and make the pointer behind the join with that"
        context.decline("RK2503", reason + what, help, stuck)
        return True
    hints = [*function.hints, *declared_hints(function)]
    control = drop_merges(function)
    prune(function)
    free_entry(function)
    straighten(function)
    seen("plain")
    flow = Flow(function.blocks)
    tangles = Tangles(function, flow, context)
    known = find_out(function, flow, hints, tangles, context)
    demote(function, context)
    seen("variables")
    dispatches = make_reducible(function, flow, context)
    seen("entrances")
    flow.find_order()
    membership = resolve(flow, hints, context)
    if membership.dropped:
        known = Known()
    loops = membership.loops(flow)
    behind = Behind(flow, loops, tangles, known)
    doubts = behind.loops(membership.hinted)
    tell(behind, doubts, context)
    if doubts and context.options["assume"] == INSIDE:
        headers = [loops.header[loop] for loop in doubts]
        membership.edges += assumed_edges(flow, loops, membership.hinted, headers, tangles.first)
        loops = membership.loops(flow)
    nesting = context.options["nesting"]
    assert isinstance(nesting, int)
    emitter = Emitter(Plan(flow, loops), function, context, max(nesting, 1), not tangles.first)
    emitter.controls.merges = control
    emitter.run()
    join_ifs(emitter.scopes)
    variables_first(function, flow.blocks[0])
    function.hints = []
    if emitter.deepest > MAX_NESTING:
        context.note(
            "RK2504",
            f"@{function.name} has {emitter.deepest} constructs one in the other; SPIR-V's limit is {MAX_NESTING}",
            "loops can't be nested less deeply; for the rest, structurize{nesting=N} with a smaller N",
        )
    context.counts[SELECTORS] = dispatches + len(emitter.levels.groups)
    if dispatches or emitter.levels.groups:
        context.analyses.changed(function)
        repair_dominance(function, context)
    seen("tree")
    return True


def _unseen(step: str) -> None:
    """Observes nothing."""


def _may_move(function: Function, context: Context) -> bool:
    """Whether definitions may stop to dominate their uses: where loops get one entrance, and where levels are made."""
    nesting = context.options["nesting"]
    assert isinstance(nesting, int)
    if len(function.blocks) > min(STAR, nesting):
        return True
    flow = Flow(function.blocks)
    return True in natural_loops(flow.targets).irreducible


STRUCTURIZE: Final = Pass(
    "structurize",
    "give a function without a tree one, whatever its graph looks like",
    structurize,
    gives=(STRUCTURED,),
    loses=(NO_CRITICAL_EDGES,),
    keeps=("call-graph", "tangled", "uniform-loads"),
    options=(
        Option("assume", OUTSIDE, "where code on a loop's exits stands if the input doesn't say", (OUTSIDE, INSIDE)),
        Option("nesting", NESTING, "constructs that may stand one in the other before levels are made instead"),
    ),
)
