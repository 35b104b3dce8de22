"""Making the control-flow tree smaller: constructs, arms, cases, labels, regions, jumps.

    if c { A } else { B }              ──▶  A, or B, or nothing
    loop { A; continue }               ──▶  scope { A; break }
    switch k { case 0: A  case 1: B }  ──▶  switch k { case 1: B }
    break, continue, return            ──▶  go on with what follows
"""

from collections.abc import Sequence
from typing import Final

from reknit.analysis.manager import Analyses
from reknit.ir.block import Block
from reknit.ir.edit import erase_node, insert_node_before, move_run, set_jump, unlink_node
from reknit.ir.extract import delete, list_extract, remove_node
from reknit.ir.function import Function
from reknit.ir.insert import leave_undefined
from reknit.ir.jump import Break, Continue, Exit, Fallthrough
from reknit.ir.jumps import end_block
from reknit.ir.module import Module
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.value import Value
from reknit.ir.walk import blocks, constructs, nodes_in
from reknit.passes.contract import Context
from reknit.passes.tidy.simplify_cfg import SIMPLIFY_CFG
from reknit.reduction.strategy import Reduction, Target, structured


def _constructs(module: Module) -> list[Target]:
    return [(construct,) for function in structured(module) for construct in constructs(function)]


def _remove_constructs(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        construct = target[0]
        assert isinstance(construct, Construct)
        if is_there(construct):
            remove_node(module, construct)


def is_there(node: Construct) -> bool:
    """Whether a construct still stands in its function: one that was in another that went does not."""
    current: Construct = node
    while True:
        if current.region is None:
            return False
        owner: Value = current.region.owner
        if isinstance(owner, Case):
            owner = owner.switch
        if not isinstance(owner, Construct):
            return isinstance(owner, Function)
        current = owner


def _arms(module: Module) -> list[Target]:
    targets: list[Target] = []
    for function in structured(module):
        for construct in constructs(function):
            count = 1 if isinstance(construct, Loop) else len(construct.regions())
            targets.extend([(construct, index) for index in range(count)])
    return targets


def _put_arms(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        construct, index = target
        assert isinstance(construct, Construct) and isinstance(index, int)
        if is_there(construct):
            unwrap(module, construct, construct.regions()[index])


def unwrap(module: Module, construct: Construct, keep: Region) -> None:
    """Put `keep` in the place of `construct`: as a scope if something leaves it early, else node by node."""
    for region in construct.regions():
        if region is not keep:
            discard(module, region)
    leaving = list(construct.breaks)
    for block in [node for node in nodes_in(keep) if isinstance(node, Block)]:
        jump = block.jump
        again = isinstance(jump, Continue) and jump.target is construct
        if again or (isinstance(jump, Fallthrough) and jump.target.switch is construct):
            leaving.append(block)
    first, last = keep.first, keep.last
    assert first is not None and last is not None
    if leaving:
        scope = Scope(construct.name)
        insert_node_before(construct, scope)
        move_run(first, last, scope.body)
        for block in leaving:
            set_jump(block, Break(scope))
    else:
        for node in list(keep):
            unlink_node(node)
            insert_node_before(construct, node)
    _let_go(construct)
    unlink_node(construct)


def discard(module: Module, region: Region) -> None:
    """Throw away all nodes of a region; what uses their values gets undefined ones."""
    for node in nodes_in(region):
        if isinstance(node, Block):
            for instr in node:
                leave_undefined(module, instr)
    for node in list(region):
        erase_node(node)


def _let_go(construct: Construct) -> None:
    """Stop using what the construct branches on."""
    if isinstance(construct, If):
        construct.condition.drop_user(construct)
    elif isinstance(construct, Switch):
        construct.selector.drop_user(construct)


def _cases(module: Module) -> list[Target]:
    targets: list[Target] = []
    for function in structured(module):
        for construct in constructs(function):
            if isinstance(construct, Switch):
                targets.extend([(construct, case) for case in construct.cases if case is not construct.default])
    return targets


def _remove_cases(module: Module, targets: Sequence[Target]) -> None:
    """What fell through to a case that goes breaks instead."""
    for target in targets:
        switch, case = target
        assert isinstance(switch, Switch) and isinstance(case, Case)
        if not is_there(switch):
            continue
        for block in list(case.fallthroughs):
            set_jump(block, Break(switch))
        discard(module, case.region)
        switch.cases.remove(case)
        switch.targets = [(literal, owner) for literal, owner in switch.targets if owner is not case]


def _labels(module: Module) -> list[Target]:
    targets: list[Target] = []
    for function in structured(module):
        for construct in constructs(function):
            if isinstance(construct, Switch):
                for case, literals in construct.labels().items():
                    kept = literals if case is construct.default else literals[1:]
                    targets.extend([(construct, literal) for literal in kept])
    return targets


def _remove_labels(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        switch, gone = target
        assert isinstance(switch, Switch)
        switch.targets = [(literal, case) for literal, case in switch.targets if literal != gone]


def _regions(module: Module) -> list[Target]:
    targets: list[Target] = []
    for function in structured(module):
        for construct in constructs(function):
            for index, region in enumerate(construct.regions()):
                if region.first is not region.last or region.entry().first or region.entry().jump:
                    targets.append((construct, index))
    return targets


def _empty_regions(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        construct, index = target
        assert isinstance(construct, Construct) and isinstance(index, int)
        if is_there(construct):
            delete(module, list_extract(module, construct.regions()[index]))


def _jumps(module: Module) -> list[Target]:
    targets: list[Target] = []
    for function in structured(module):
        for block in blocks(function):
            if isinstance(block.jump, (Break, Continue, Fallthrough)) or (
                isinstance(block.jump, Exit) and block.region is not function.body
            ):
                targets.append((block,))
    return targets


def _drop_jumps(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        block = target[0]
        assert isinstance(block, Block)
        end_block(module, block, None)


def _tidy(module: Module) -> list[Target]:
    return [(function,) for function in structured(module)]


def _simplify(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        function = target[0]
        assert isinstance(function, Function)
        options = {option.name: option.default for option in SIMPLIFY_CFG.options}
        SIMPLIFY_CFG.run(function, Context(module, Analyses(module), options))


TREE: Final = (
    Reduction("constructs", _constructs, _remove_constructs),
    Reduction("arms", _arms, _put_arms),
    Reduction("cases", _cases, _remove_cases),
    Reduction("regions", _regions, _empty_regions),
)
JUMPS: Final = (
    Reduction("jumps", _jumps, _drop_jumps),
    Reduction("labels", _labels, _remove_labels),
)
TIDY: Final = Reduction("blocks", _tidy, _simplify)
