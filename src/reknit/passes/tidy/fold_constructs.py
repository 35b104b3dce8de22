"""Constructs whose target is known, or that do nothing, are replaced by what is in them.

    if true { A } else { B }; C                    =>  A; C              if no lane breaks out of A and A stays together
                                                   =>  scope { A }; C    otherwise: the frame of the if stays
    switch 1 { case 0: A  case 1: B  case 2: D }   =>  B                 (as above)
    switch 0 { case 0: A fallthrough  case 1: B }  =>  A; B              the fallthrough is the end of A
    scope { A }                                    =>  A                 (as above)
    if c { } else { }                              =>  (nothing)         if it is merged and chooses no phi
    if a { if c nojoin { } }                       =>  if a { }          since all meet again where the outer one ends

What is merged waits at its end, and what isn't merged doesn't; none of this changes what waits for what. An unmerged
if stays although it is empty, unless nothing runs before the next merge: lanes of its arms go on separately. One that
is left by `break` stays too: of a region without a merge, SPIR-V has no branch to the end but those of the selection
that it is. The labels of a switch that stays are not touched, since they say which lanes may run a case together.
"""

from reknit.ir.block import Block
from reknit.ir.constants import as_int
from reknit.ir.debug import runs_nothing
from reknit.ir.edit import clear_jump, insert_node_after, insert_node_before, move_run, set_jump, unlink_node
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Fallthrough
from reknit.ir.module import Module
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.types import width_of
from reknit.ir.value import Node
from reknit.passes.tidy.dead import drop_sources, erase_dead
from reknit.passes.tidy.region_convergence import stays_together
from reknit.source.meter import spend


def fold_if(choice: If, module: Module) -> Node | None:
    """Replace an if on a constant; returns the node from where to look again, None if nothing was done."""
    value = as_int(choice.condition)
    if value is None or (choice.breaks and not choice.merged):
        return None
    taken = choice.then if value else choice.orelse
    other = choice.orelse if value else choice.then
    home = choice.region
    assert home is not None
    if isinstance(home.owner, Loop) and home is home.owner.continuing and taken.end().jump is not None:
        return None  # a loop needs its back edge, taken or not
    erase_dead(list(other), module)
    choice.condition.drop_user(choice)
    return _give_way(choice, taken)


def fold_switch(switch: Switch, module: Module) -> Node | None:
    """Replace a switch on a constant, or take out the cases it never enters; returns as `fold_if`."""
    selector = switch.selector
    value = as_int(selector)
    if value is None or switch.default is None or (switch.breaks and not switch.merged):
        return None
    assert isinstance(selector, Instr) and selector.type is not None
    bits = value & ((1 << width_of(selector.type)) - 1)
    entered = switch.default
    for literal, case in switch.targets:
        if literal == bits:
            entered = case
    chain = _chain(switch, entered)
    if len(chain) == len(switch.cases) and not _is_straight(chain):
        return None
    _keep_only(switch, chain, module)
    if not _is_straight(chain):
        return switch
    before = switch.before()
    for index in range(1, len(chain)):
        clear_jump(chain[0].region.end())
        drop_sources(chain[index].region.entry(), {before: None})
        first = chain[index].region.first
        last = chain[index].region.last
        assert first is not None and last is not None
        move_run(first, last, chain[0].region)
    switch.selector.drop_user(switch)
    return _give_way(switch, chain[0].region)


def inline_scope(scope: Scope) -> Node | None:
    """Put what is in a scope in its place, if no lane leaves it early or waits at its end; returns as `fold_if`."""
    if scope.breaks or (scope.merged and not stays_together(scope.body)):
        return None
    return _splice(scope, scope.body)


def does_nothing(construct: Construct) -> bool:
    """True for an if or switch that has only empty arms, after which all invocations meet again."""
    if not isinstance(construct, (If, Switch)):
        return False
    if not construct.merged and (construct.breaks or not _meets_again(construct)):
        return False
    if next(construct.after().phis(), None) is not None:
        return False
    for region in construct.regions():
        if region.first is not region.last or not runs_nothing(region.end()):
            return False
        jump = region.end().jump
        if jump is None or (isinstance(jump, Fallthrough) and jump.target.switch is construct):
            continue
        if not isinstance(jump, Break) or jump.target is not construct:
            return False
    return True


def _meets_again(construct: Construct) -> bool:
    """Whether nothing runs between the end of an unmerged construct and the end of a merged one. Costs the levels
    between them."""
    block = construct.after()
    while runs_nothing(block) and block.jump is None:
        spend(1)
        if isinstance(block.next, Block):
            block = block.next
            continue
        region = block.region
        owner = region.owner if region is not None and block.next is None else None
        around = owner.switch if isinstance(owner, Case) else owner
        if not isinstance(around, (If, Switch, Scope)):
            return False
        if around.merged:
            return True
        block = around.after()
    return False


def _chain(switch: Switch, entered: Case) -> list[Case]:
    """The case that is entered and those that it falls through to, directly or through others."""
    chain = [entered]
    for case in switch.cases[switch.cases.index(entered) + 1 :]:
        if not case.fallthroughs:
            break
        chain.append(case)
    return chain


def _is_straight(chain: list[Case]) -> bool:
    """True if each case of the chain falls through at its end and nowhere else, all of its lanes together."""
    for index in range(1, len(chain)):
        above = chain[index - 1].region
        if list(chain[index].fallthroughs) != [above.end()] or not stays_together(above):
            return False
    return True


def _keep_only(switch: Switch, chain: list[Case], module: Module) -> None:
    kept = dict.fromkeys(chain)
    gone = [case for case in switch.cases if case not in kept]
    if not gone:
        return
    erase_dead([node for case in gone for node in case.region], module)
    switch.cases = chain[:]
    switch.targets = [(literal, case) for literal, case in switch.targets if case in kept]
    if switch.default not in kept:
        switch.default = chain[0]
    if switch.function is not None:
        switch.function.touch()


def _give_way(construct: Construct, taken: Region) -> Node:
    """Let `taken`, the one region left of `construct`, stand for it."""
    if not construct.breaks and (not construct.merged or stays_together(taken)):
        return _splice(construct, taken)
    scope = Scope(construct.name)
    scope.merged = construct.merged
    scope.control = construct.control
    insert_node_after(construct, scope)
    assert taken.first is not None and taken.last is not None
    move_run(taken.first, taken.last, scope.body)
    for block in list(construct.breaks):
        set_jump(block, Break(scope))
    unlink_node(construct)
    return scope


def _splice(construct: Construct, taken: Region) -> Node:
    before = construct.before()
    for node in taken:
        unlink_node(node)
        insert_node_before(construct, node)
    unlink_node(construct)
    return before
