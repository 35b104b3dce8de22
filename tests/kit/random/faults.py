"""Random faults: edits that keep a module well formed and may change what it does.

    move, drop, double, swap, hoist, sink; another operand, constant, opcode, condition, label, jump, merge

The judge of whether one did is the simulator. What a proof must never do is call a program proved that a run tells
from the one before. `python -m kit.random.faults FROM TO` plants them by seed and says what became of them.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable
from typing import Final

from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.clone import clone_and_reinsert
from reknit.ir.cursor import after_phis, at_end
from reknit.ir.edit import append, erase, insert_after, insert_before, prepend, set_condition, unlink
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Continue, Exit, Fallthrough
from reknit.ir.jumps import around, end_block
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.tree import If, Loop, Switch
from reknit.ir.types import is_int
from reknit.ir.verify import verify
from reknit.ir.walk import blocks, constructs, instructions, nodes_in
from reknit.passes.manager import run_passes
from reknit.sim.policy import Policy
from reknit.sim.run import prepare
from reknit.source.diagnostic import ERROR, InputError, InternalError

Edit = Callable[[Module, Function, random.Random], bool]
FIXED: Final = (op.Variable, op.Phi)
REFUSALS: Final = (InputError, InternalError, AssertionError, KeyError, ValueError, IndexError, AttributeError)
MEANING: Final = Policy("label", "always", "lifo")
PREPARED: Final = ("", "", "promote-variables", "reconverge", "promote-variables,simplify-cfg")


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
    found = [node for node in constructs(function) if isinstance(node, If)]
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


EDITS: Final[list[Edit]] = [
    arms_swapped, dropped, doubled, moved, moved, moved, neighbours_swapped, constant_changed, operand_changed,
    operands_swapped, condition_changed, opcode_changed, jump_dropped, jump_changed, merge_changed, label_changed,
    default_changed, tail_copied_into_arms, hoisted_out_of_loop, sunk_into_arm,
]  # fmt: skip


def planted(text: str, rng: random.Random) -> tuple[str, str] | None:
    """The text of a module with one or two faults, and which they are; None where none fits, or it is not well
    formed."""
    module = parse(text)
    names: list[str] = []
    try:
        done = False
        for _ in range(rng.choice((1, 1, 1, 2))):
            edit = rng.choice(EDITS)
            done = edit(module, rng.choice(module.functions), rng) or done
            names.append(edit.__name__)
        if not done:
            return None
        new = print_module(module)
        if new == text or any(fault.severity == ERROR for fault in verify(parse(new))):
            return None
    except REFUSALS:
        return None
    return new, "+".join(names)


def behaviour(text: str, sizes: tuple[int, ...], inputs: list[list[int]], policy: Policy = MEANING) -> list[object]:
    """All buffers after each run, or how it failed."""
    module = parse(text)
    found: list[object] = []
    for size in sizes:
        program = prepare(module, subgroup_size=size)
        for words in inputs:
            try:
                result = program.run(policy, buffers={"out": words}, max_steps=60_000)
            except InputError as error:
                found.append(error.diagnostics[0].code)
                continue
            codes = sorted({each.code for each in result.diagnostics})
            found.append((codes, [list(buffer.words) for buffer in result.buffers.values()]))
    return found


def base_program(seed: int, features: tuple[str, ...] = ()) -> str:
    """A generated program, as it is or after passes."""
    module = module_of(generate(seed, 0, features))
    passes = random.Random(seed).choice(PREPARED)
    if passes:
        run_passes(module, passes)
    return print_module(module)


def tried(seed: int, count: int, features: tuple[str, ...] = ()) -> Counter[str]:
    """`count` edits of the program of a seed: how many are told apart by a run, and how many of these are proved."""
    from kit.proving import proved_by_terms

    from reknit.proof.prove import prove
    from reknit.proof.question import Question

    totals: Counter[str] = Counter()
    rng = random.Random(seed)
    text = base_program(seed, features)
    lanes = generate(seed, 0, features).lanes
    sizes = tuple({generate(seed, 0, features).subgroup_size: None, 4: None})
    inputs = [[0] * lanes, [rng.randrange(1 << 32) for _ in range(lanes)]]
    plain = behaviour(text, sizes, inputs)
    for _ in range(count):
        fault = planted(text, rng)
        if fault is None:
            totals["not well formed"] += 1
            continue
        new, name = fault
        try:
            differs = behaviour(new, sizes, inputs) != plain
        except InputError:
            totals["not run"] += 1
            continue
        proved = proved_by_terms(parse(text), parse(new))
        totals["told apart" if differs else "not told apart"] += 1
        totals[f"{'told apart' if differs else 'not told apart'}, proved"] += proved
        if proved and differs:
            verdict = prove(parse(text), parse(new), Question(subgroup_sizes=list(sizes), sample=4, by_terms=False))
            totals[f"told apart, proved, by runs {verdict.verdict}"] += 1
            print(f"seed {seed}: {name} is proved, and a run differs: by runs {verdict.verdict}")
            if not verdict:
                totals["FALSE"] += 1
                with open(f"/tmp/false-{seed}-{name}.rk", "w") as file:
                    file.write(text)
                with open(f"/tmp/false-{seed}-{name}.after.rk", "w") as file:
                    file.write(new)
    return totals


def main(first: int, last: int, features: tuple[str, ...]) -> None:
    totals: Counter[str] = Counter()
    for seed in range(first, last):
        totals.update(tried(seed, 8, features))
    print(dict(totals))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), tuple(sys.argv[3].split(",")) if len(sys.argv) > 3 else ())
