"""Edits that keep a module well formed, most of the time, and may change what it does: one that a compiler could make
by mistake each.

    instructions    moved, dropped, doubled, swapped, hoisted, sunk, speculated; another operand, opcode, value
    control flow    arms, conditions, labels, jumps, merges, returns

What stands around the code is edited by `edits_around`.
Each takes the module, one of its functions and a source of numbers, and says whether it found a place.
"""

import random
from collections.abc import Callable
from typing import Final

from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.clone import clone_and_reinsert
from reknit.ir.cursor import after_phis, at_end
from reknit.ir.edit import (
    append,
    erase,
    insert_after,
    insert_before,
    prepend,
    replace_uses,
    set_condition,
    unlink,
)
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Continue, Exit, Fallthrough
from reknit.ir.jumps import around, end_block
from reknit.ir.module import Module
from reknit.ir.tree import Construct, If, Loop, Switch
from reknit.ir.types import is_int
from reknit.ir.walk import blocks, constructs, instructions, nodes_in

Edit = Callable[[Module, Function, random.Random], bool]
FIXED: Final = (op.Variable, op.Phi)


def chosen(rng: random.Random, items: list[Instr]) -> Instr | None:
    return rng.choice(items) if items else None


def movable(function: Function) -> list[Instr]:
    return [instr for block in blocks(function) for instr in block if instr.op not in FIXED]


def weighty(instr: Instr) -> bool:
    """What others see, or what sees others."""
    return any(instr.op in words for words in (traits.TANGLED, traits.STORES, traits.BARRIER, traits.CALLS))


def arms_swapped(module: Module, function: Function, rng: random.Random) -> bool:
    found = [node for node in constructs(function) if isinstance(node, If) and not list(node.after().phis())]
    if not found:
        return False
    node = rng.choice(found)
    node.then, node.orelse = node.orelse, node.then
    function.touch()
    return True


def dropped(module: Module, function: Function, rng: random.Random) -> bool:
    instr = chosen(rng, [each for each in movable(function) if weighty(each) and not each.users])
    if instr is None:
        return False
    erase(instr)
    return True


def doubled(module: Module, function: Function, rng: random.Random) -> bool:
    """Executed twice; of a tangled operation, one of its users sees the copy."""
    instr = chosen(rng, [each for each in movable(function) if weighty(each)])
    if instr is None:
        return False
    copy = Instr(instr.op, instr.type, list(instr.operands), "", instr.has_result)
    insert_after(instr, copy)
    users = [user for user in instr.users if isinstance(user, Instr) and user is not copy]
    if users and instr.has_result:
        user = rng.choice(users)
        user.set_operand(user.operands.index(instr), copy)
    return True


def moved(module: Module, function: Function, rng: random.Random) -> bool:
    """An instruction to another place: over merges, breaks, boundaries of loops."""
    code = movable(function)
    heavy = [each for each in code if weighty(each)]
    instr = chosen(rng, heavy if heavy and rng.random() < 0.8 else code)
    if instr is None or instr.block is None:
        return False
    near = blocks(function)
    at = near.index(instr.block)
    target = near[max(0, min(len(near) - 1, at + rng.randint(-4, 4)))]
    places = [each for each in target if each.op not in FIXED and each is not instr]
    unlink(instr)
    if places and rng.random() < 0.6:
        insert_before(rng.choice(places), instr)
    elif not list(target.phis()) and rng.random() < 0.5 and target is not near[0]:
        prepend(target, instr)
    else:
        append(target, instr)
    return True


def neighbours_swapped(module: Module, function: Function, rng: random.Random) -> bool:
    instr = chosen(rng, [each for each in movable(function) if each.next is not None and weighty(each)])
    if instr is None or instr.next is None:
        return False
    other = instr.next
    unlink(instr)
    insert_after(other, instr)
    return True


def constant_changed(module: Module, function: Function, rng: random.Random) -> bool:
    found: list[tuple[Instr, int, Instr]] = []
    for instr in instructions(function):
        for index, operand in enumerate(instr.operands):
            if not isinstance(operand, Instr) or operand.op != op.Constant or operand.type is None:
                continue
            if is_int(operand.type) and instr.op not in traits.TANGLED and instr.op not in traits.ORDERING:
                found.append((instr, index, operand))
    if not found:
        return False
    instr, index, operand = rng.choice(found)
    others = [each for each in module.globals if each.op == op.Constant and each.type is operand.type]
    others.remove(operand)
    if not others:
        return False
    instr.set_operand(index, rng.choice(others))
    return True


def operand_changed(module: Module, function: Function, rng: random.Random) -> bool:
    """Another value of the same type."""
    code = list(instructions(function))
    instr = rng.choice(code)
    places = [at for at, each in enumerate(instr.operands) if isinstance(each, Instr) and each.block is not None]
    if not places:
        return False
    index = rng.choice(places)
    old = instr.instr(index)
    others = [each for each in code if each.type is old.type and each.has_result and each not in (old, instr)]
    if not others:
        return False
    instr.set_operand(index, rng.choice(others))
    return True


def operands_swapped(module: Module, function: Function, rng: random.Random) -> bool:
    found = [each for each in movable(function) if len(each.operands) > 1 and each.op not in traits.COMMUTES]
    found = [each for each in found if _alike(each.operands[-1], each.operands[-2])]
    instr = chosen(rng, found)
    if instr is None:
        return False
    last = len(instr.operands) - 1
    one, other = instr.operands[last - 1], instr.operands[last]
    instr.set_operand(last - 1, other)
    instr.set_operand(last, one)
    return True


def _alike(one: object, other: object) -> bool:
    return isinstance(one, Instr) and isinstance(other, Instr) and one.type is other.type and one is not other


def condition_changed(module: Module, function: Function, rng: random.Random) -> bool:
    found = [node for node in constructs(function) if isinstance(node, If)]
    if not found:
        return False
    node = rng.choice(found)
    others = [each.condition for each in found if each.condition is not node.condition]
    others += [each for each in instructions(function) if each.type is not None and each.type.op == op.TypeBool]
    if not others:
        return False
    set_condition(node, rng.choice(others))
    return True


def opcode_changed(module: Module, function: Function, rng: random.Random) -> bool:
    kin = {op.IAdd: op.ISub, op.BitwiseAnd: op.BitwiseOr, op.GroupNonUniformAll: op.GroupNonUniformAny}
    found = [each for each in movable(function) if each.op in traits.NEGATED or each.op in kin]
    instr = chosen(rng, found)
    if instr is None:
        return False
    instr.op = kin[instr.op] if instr.op in kin else traits.NEGATED[instr.op]
    function.touch()
    return True


def jump_dropped(module: Module, function: Function, rng: random.Random) -> bool:
    found = [block for block in blocks(function) if isinstance(block.jump, (Break, Continue, Fallthrough))]
    if not found:
        return False
    end_block(module, rng.choice(found), None)
    return True


def jump_changed(module: Module, function: Function, rng: random.Random) -> bool:
    """A jump goes to another construct around it, or a block that went on jumps."""
    found = [block for block in blocks(function) if not isinstance(block.jump, Exit) and block.region is not None]
    found = [block for block in found if block.next is None]
    block = rng.choice(found)
    assert block.region is not None
    outer = list(around(block.region)[0])
    if not outer:
        return False
    target = rng.choice(outer)
    if isinstance(target, Loop) and rng.random() < 0.5:
        end_block(module, block, Continue(target))
    else:
        end_block(module, block, Break(target))
    return True


def merge_changed(module: Module, function: Function, rng: random.Random) -> bool:
    found: list[Construct] = [node for node in constructs(function) if not isinstance(node, Loop)]
    if not found:
        return False
    node = rng.choice(found)
    node.merged = not node.merged
    function.touch()
    return True


def label_changed(module: Module, function: Function, rng: random.Random) -> bool:
    found = [node for node in constructs(function) if isinstance(node, Switch) and node.targets]
    if not found:
        return False
    node = rng.choice(found)
    index = rng.randrange(len(node.targets))
    literal, _ = node.targets[index]
    if rng.random() < 0.5:
        node.targets[index] = (literal, rng.choice(node.cases))
    else:
        node.targets[index] = (literal ^ rng.choice((1, 2, 3)), node.targets[index][1])
    function.touch()
    return len({literal for literal, _ in node.targets}) == len(node.targets)


def default_changed(module: Module, function: Function, rng: random.Random) -> bool:
    found = [node for node in constructs(function) if isinstance(node, Switch)]
    if not found:
        return False
    node = rng.choice(found)
    node.default = rng.choice(node.cases)
    function.touch()
    return True


def tail_copied_into_arms(module: Module, function: Function, rng: random.Random) -> bool:
    """What follows an if goes to the end of both arms: same reach, other tangles."""
    found = [node for node in constructs(function) if isinstance(node, If) and not list(node.after().phis())]
    found = [node for node in found if node.after().first is not None and node.then.end().jump is None]
    found = [node for node in found if node.orelse.end().jump is None]
    if not found:
        return False
    node = rng.choice(found)
    tail = node.after()
    if any(user.block is not tail for each in tail for user in each.users if isinstance(user, Instr)):
        return False
    for arm in (node.then, node.orelse):
        clone_and_reinsert(module, after_phis(tail), at_end(tail), at_end(arm.end()))
    for instr in reversed(list(tail)):
        erase(instr)
    return True


def hoisted_out_of_loop(module: Module, function: Function, rng: random.Random) -> bool:
    found = [node for node in constructs(function) if isinstance(node, Loop)]
    if not found:
        return False
    node = rng.choice(found)
    inside = [each for part in nodes_in(node.body) if isinstance(part, Block) for each in part if weighty(each)]
    instr = chosen(rng, inside)
    if instr is None:
        return False
    unlink(instr)
    if rng.random() < 0.5 or list(node.after().phis()):
        append(node.before(), instr)
    else:
        prepend(node.after(), instr)
    return True


def sunk_into_arm(module: Module, function: Function, rng: random.Random) -> bool:
    """What follows a construct goes into it."""
    found = [node for node in constructs(function) if node.after().first is not None]
    if not found:
        return False
    node = rng.choice(found)
    instr = chosen(rng, [each for each in node.after() if each.op not in FIXED])
    if instr is None:
        return False
    target = rng.choice(node.regions()).end()
    unlink(instr)
    append(target, instr)
    return True


def value_replaced(module: Module, function: Function, rng: random.Random) -> bool:
    """Users of one instruction see an earlier one that looks like it: what a wrong number of values does."""
    code = movable(function)
    rng.shuffle(code)
    for instr in code:
        alike = [each for each in code if each.op == instr.op and each.type is instr.type and each is not instr]
        if instr.has_result and instr.users and alike:
            replace_uses(instr, rng.choice(alike))
            return True
    return False


def value_undefined(module: Module, function: Function, rng: random.Random) -> bool:
    """One operand is undefined."""
    instr = rng.choice(movable(function))
    places = [at for at, each in enumerate(instr.operands) if isinstance(each, Instr) and _is_plain(each)]
    if not places or instr.op in traits.ORDERING:
        return False
    index = rng.choice(places)
    instr.set_operand(index, module.intern(op.Undef, instr.instr(index).type, []))
    return True


def _is_plain(value: Instr) -> bool:
    return value.block is not None and value.type is not None and value.type.op != op.TypePointer


def speculated(module: Module, function: Function, rng: random.Random) -> bool:
    """What is in an arm is executed before the construct."""
    found = [node for node in constructs(function) if not isinstance(node, Loop)]
    if not found:
        return False
    node = rng.choice(found)
    inside: list[Instr] = []
    for region in node.regions():
        inside += [each for each in region.entry() if each.op not in FIXED]
    instr = chosen(rng, inside)
    if instr is None:
        return False
    unlink(instr)
    append(node.before(), instr)
    return True


def returned(module: Module, function: Function, rng: random.Random) -> bool:
    """Some invocations return earlier."""
    found = [block for block in blocks(function) if block.jump is None and block.next is None]
    found = [block for block in found if block is not function.body.end()]
    if not found or any(isinstance(block.jump, Exit) and block.jump.instr.operands for block in blocks(function)):
        return False
    end_block(module, rng.choice(found), Exit(Instr(op.Return, None, [], "", False)))
    return True


EDITS: Final[list[Edit]] = [
    arms_swapped, dropped, doubled, moved, moved, moved, neighbours_swapped, constant_changed, operand_changed,
    operands_swapped, condition_changed, opcode_changed, jump_dropped, jump_changed, merge_changed, label_changed,
    default_changed, tail_copied_into_arms, hoisted_out_of_loop, sunk_into_arm, value_replaced, value_undefined,
    speculated, returned,
]  # fmt: skip
