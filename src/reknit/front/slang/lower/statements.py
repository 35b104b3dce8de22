"""Statements as constructs of the tree.

    if (c) A else B             if %c { A } else { B }                       both meet right after it
    for (; c; s) B              loop { if !c { break }; B } continuing { s }
    do B while (c)              loop { B } continuing { if !c { break } }
    switch (v) { case 0: A      switch %v { case 0: { A fallthrough }  case 1, default: { B } }
                 case 1: default: B }
    label: { A }                scope @label { A }

What `defer` put off is written at every exit of its block. Statements that nothing reaches are left out.
"""

from reknit.front.slang import hir
from reknit.front.slang.hir import Stmt, Target
from reknit.front.slang.lower import pointers
from reknit.front.slang.lower.body import Body, Exit, Handlers
from reknit.front.slang.lower.copies import COPIED, copy, fresh, is_query, start_queries
from reknit.front.slang.lower.lvalues import Place
from reknit.front.slang.lower.program import is_void
from reknit.front.slang.lower.resource_places import Slot
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.lower.static_truth import static_truth
from reknit.front.slang.symbols import Variable
from reknit.ir import enums, op
from reknit.ir.tree import Construct
from reknit.ir.value import Value
from reknit.source.meter import spend


def block(body: Body, statement: Stmt) -> None:
    assert isinstance(statement, hir.Block)
    statements(body, statement.statements)


def statements(body: Body, given: list[Stmt]) -> None:
    """In a scope of their own. What is opened in it is not open after it."""
    frame = body.frame
    opened = dict(frame.opened)
    frame.deferred.append([])
    for statement in given:
        if body.low.ended:
            break
        body.statement(statement)
    leave(body, len(frame.deferred) - 1)
    frame.deferred.pop()
    frame.opened = opened


def leave(body: Body, depth: int) -> None:
    """Write what the scopes from the innermost down to `depth` have put off; they stay open."""
    frame = body.frame
    kept = frame.deferred
    for level in range(len(kept) - 1, depth - 1, -1):
        frame.deferred = kept[:level]
        for deferred in reversed(kept[level]):
            if not body.low.ended:
                block(body, deferred)
    frame.deferred = kept


def let(body: Body, statement: Stmt) -> None:
    assert isinstance(statement, hir.Let)
    declare(body, statement.variable, statement.value)


def declare(body: Body, variable: Variable, value: hir.Expr) -> None:
    """A variable comes to life. It has one place, also where its block runs several times."""
    type = body.type(variable.type)
    if isinstance(value, hir.Undefined):
        body.frame.places[variable] = _counted(body.low, pointers.local(body, variable, type), variable.assigned)
        start_queries(body.low, body.frame.places[variable])
        return
    if body.low.has_resources(type):
        source = body.place(value)
        if is_query(type) and not isinstance(value, (hir.Call, hir.WitnessCall)):
            body.low.refuse(variable.at, COPIED)
        again = variable.assigned + 1 if variable.assigned else 0
        memory = _counted(body.low, fresh(body.low, type, variable.name), again)
        body.frame.places[variable] = memory
        copy(body.low, memory, source)
        return
    given = body.value(value)
    memory = pointers.local(body, variable, type)
    body.frame.places[variable] = memory
    memory.store(body.low, given)


def _counted(low: Lowering, place: Place, times: int) -> Place:
    """A variable of a resource knows how often one is put in, and where it is declared."""
    if isinstance(place, Slot):
        place.times = times
        place.region = low.builder.block.region
    return place


def evaluate(body: Body, statement: Stmt) -> None:
    assert isinstance(statement, hir.Eval)
    if body.low.has_resources(body.type_of(statement.value)):
        body.place(statement.value)
    else:
        body.effect(statement.value)


def defer(body: Body, statement: Stmt) -> None:
    assert isinstance(statement, hir.Defer)
    body.frame.deferred[-1].append(statement.body)


# ---- selections


def selection_control(hint: str) -> int:
    return {"flatten": enums.SelectionControlFlatten, "branch": enums.SelectionControlDontFlatten}.get(hint, 0)


def branch(body: Body, statement: Stmt) -> None:
    """A chain of else-ifs nests to the right: the blocks after each are visited afterwards, inside out."""
    builder = body.low.builder
    afters: list[Construct] = []
    current: Stmt | None = statement
    while isinstance(current, hir.If):
        body.low.at = current.at or body.low.at
        known = static_truth(body, current.condition)
        if known is not None:
            current = current.then if known else current.otherwise
            continue
        choice = builder.open_if(body.value(current.condition))
        choice.control = [selection_control(current.hint)]
        place(body, choice)
        builder.at(choice.then.entry())
        block(body, current.then)
        builder.at(choice.orelse.entry())
        afters.append(choice)
        current = current.otherwise
    if current is not None:
        body.statement(current)
    while afters:
        builder.at(afters.pop().after())


def place(body: Body, construct: Construct) -> None:
    body.low.places.starts[construct] = body.low.at


def switch(body: Body, statement: Stmt) -> None:
    assert isinstance(statement, hir.Switch)
    builder = body.low.builder
    choice = builder.open_switch(body.value(statement.value), statement.target.name)
    choice.control = [selection_control(statement.hint)]
    place(body, choice)
    body.frame.exits[statement.target] = Exit(choice, len(body.frame.deferred))
    cases = [builder.add_case(choice, case.values, case.default) for case in statement.cases]
    if choice.default is None:
        builder.add_case(choice, [], True)
    for index, written in enumerate(statement.cases):
        builder.at(cases[index].region.entry())
        block(body, written.body)
        if not body.low.ended and index + 1 < len(cases):
            builder.fallthrough(cases[index + 1])
    builder.at(choice.after())


# ---- loops


def loop_control(hint: str) -> int:
    return {"unroll": enums.LoopControlUnroll, "loop": enums.LoopControlDontUnroll}.get(hint, 0)


def loop(body: Body, statement: Stmt) -> None:
    assert isinstance(statement, hir.Loop)
    builder = body.low.builder
    open_loop = builder.open_loop(statement.target.name)
    open_loop.control = [loop_control(statement.hint)]
    place(body, open_loop)
    body.frame.exits[statement.target] = Exit(open_loop, len(body.frame.deferred))
    builder.at(open_loop.body.entry())
    if statement.tested_first and statement.condition is not None:
        leave_unless(body, body.value(statement.condition), open_loop, True)
    block(body, statement.body)
    builder.at(open_loop.continuing.entry())
    if statement.step is not None:
        body.effect(statement.step)
    if not statement.tested_first and statement.condition is not None:
        leave_unless(body, body.value(statement.condition), open_loop, False)
    builder.at(open_loop.after())


def leave_unless(body: Body, condition: Value, construct: Construct, merged: bool) -> None:
    """`if (!condition) break`. As the last of a continuing part it is the loop's own branch, which has no merge."""
    builder = body.low.builder
    choice = builder.open_if(condition, "", merged)
    place(body, choice)
    builder.at(choice.orelse.entry())
    builder.break_(construct)
    builder.at(choice.after())


def labelled(body: Body, statement: Stmt) -> None:
    assert isinstance(statement, hir.Labelled)
    builder = body.low.builder
    construct = builder.open_scope(statement.target.name)
    place(body, construct)
    body.frame.exits[statement.target] = Exit(construct, len(body.frame.deferred))
    builder.at(construct.body.entry())
    block(body, statement.body)
    builder.at(construct.after())


# ---- jumps


def _exit(body: Body, target: Target) -> Exit:
    exit_of_target = body.frame.exits.get(target)
    assert exit_of_target is not None, "a jump to something that isn't open"
    return exit_of_target


def break_(body: Body, statement: Stmt) -> None:
    assert isinstance(statement, hir.Break)
    leaving = _exit(body, statement.target)
    leave(body, leaving.scopes)
    if not body.low.ended:
        body.low.builder.break_(leaving.construct)


def continue_(body: Body, statement: Stmt) -> None:
    assert isinstance(statement, hir.Continue)
    leaving = _exit(body, statement.target)
    assert leaving.loop is not None, "continue names a loop"
    leave(body, leaving.scopes)
    if not body.low.ended:
        body.low.builder.continue_(leaving.loop)


def return_(body: Body, statement: Stmt) -> None:
    assert isinstance(statement, hir.Return)
    frame = body.frame
    value: Value | None = None
    if statement.value is not None:
        if is_void(body.type_of(statement.value)):
            body.effect(statement.value)
        elif frame.gives_place:
            frame.result = body.place(statement.value)
        elif frame.result is not None:
            give(body, frame.result, statement.value)
        else:
            value = body.value(statement.value)
    leave(body, 0)
    if body.low.ended:
        return
    if frame.caller is None:
        if frame.at_return is not None:
            frame.at_return()
        body.low.builder.return_(value)
    elif frame.way_out is not None:
        body.low.builder.break_(frame.way_out)


def give(body: Body, result: Place, value: hir.Expr) -> None:
    if body.low.has_resources(result.type):
        copy(body.low, result, body.place(value))
    else:
        result.store(body.low, body.value(value))


def discard(body: Body, statement: Stmt) -> None:
    """Only pixels can be thrown away: where another stage comes here, its entry point is refused. In HLSL the lane goes
    on as a helper; of Slang, slangc makes OpKill."""
    low = body.low
    low.uses("discard")
    if low.hlsl:
        low.capability(enums.CapabilityDemoteToHelperInvocation)
        low.extension("SPV_EXT_demote_to_helper_invocation")
        low.effect(op.DemoteToHelperInvocation, [])
    else:
        low.builder.exit(op.Kill, [])


def returns_early(given: hir.Block) -> bool:
    """Whether there is a return elsewhere than at the end of a function's outermost block."""
    work: list[Stmt] = list(given.statements[:-1])
    if given.statements and not isinstance(given.statements[-1], hir.Return):
        work.append(given.statements[-1])
    while work:
        spend(1)
        part = work.pop()
        if isinstance(part, hir.Return):
            return True
        if isinstance(part, hir.Block):
            work.extend(part.statements)
        elif isinstance(part, hir.If):
            work.append(part.then)
            if part.otherwise is not None:
                work.append(part.otherwise)
        elif isinstance(part, (hir.Loop, hir.Labelled, hir.Defer)):
            work.append(part.body)
        elif isinstance(part, hir.Switch):
            work.extend([case.body for case in part.cases])
    return False


def register(handlers: Handlers) -> None:
    handlers.statements.update(
        {
            hir.Block: block,
            hir.Let: let,
            hir.Eval: evaluate,
            hir.Defer: defer,
            hir.If: branch,
            hir.Switch: switch,
            hir.Loop: loop,
            hir.Labelled: labelled,
            hir.Break: break_,
            hir.Continue: continue_,
            hir.Return: return_,
            hir.Discard: discard,
        }
    )
