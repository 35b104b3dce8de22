"""What a branch says: which edges out of a block can be taken, and what is known on them.

if IsType %e, %WA { e is A here } else { e is anything but A }          and so on for HasValue, and, or, not
switch GetSequentialId %w { case 0: only the tables with id 0 }
%p = Phi %is, false; if %p { what held on the path of %is, with %is true: `a && (e is A)` }
"""

from typing import Final

from reknit.analysis.typeflow.context import Context, Env, info_at, origin
from reknit.analysis.typeflow.lattice import Forms, Info, join, read, write
from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.choices import Arm, choices
from reknit.ir.dispatch import sequential_id
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.source.meter import spend


def ways_out(context: Context, forms: Forms, block: Block, env: Env) -> list[tuple[Block, Env]]:
    """The blocks that can come next, each with what holds on the path there."""
    decider, arms = choices(block)
    if decider is None:
        return [(target, env) for target, _, _ in arms]
    known = context.constant(decider)
    if known is None:
        return []
    if isinstance(known, int):
        arms = [arm for arm in arms if known in arm[1]] or [arm for arm in arms if arm[2]]
    if not isinstance(decider, Instr) or decider.type is None or decider.type.op != op.TypeBool:
        return _cases(context, forms, decider, arms, env, isinstance(known, int))
    targets: list[tuple[Block, Env]] = []
    for target, numbers, _ in arms:
        inside = decided(context, forms, block, decider, numbers == [1], env, MAX_DECISIONS)
        if inside is not None:
            targets.append((target, inside))
    return targets


MAX_DECISIONS: Final = 8
"""How many phis of conditions in each other are looked through."""

EVERY: Final = -1


def decided(
    context: Context, forms: Forms, block: Block, condition: Value, wanted: bool, env: Env, depth: int
) -> Env | None:
    """What holds at the end of `block`, where `env` does, if the condition is `wanted`; None if it can't be. Where it
    is a phi of this block, and nothing was stored since, that is what held on the paths on which it has that value."""
    inside = env.copy()
    if not narrow(context, forms, condition, wanted, inside):
        return None
    at = condition
    while isinstance(at, Instr) and at.op == op.LogicalNot:
        at, wanted = at.value(0), not wanted
    if not isinstance(at, Instr) or at.op != op.Phi or at.block is not block or not depth or _stores(block):
        return inside
    alternatives: list[Env] = []
    for index in range(0, len(at.operands), 2):
        source = at.operands[index + 1]
        assert isinstance(source, Block)
        known = context.constant(at.value(index))
        before = context.edges.get((source, block))
        if before is None or known is None or (isinstance(known, int) and bool(known) is not wanted):
            continue
        alternative = decided(context, forms, source, at.value(index), wanted, before, depth - 1)
        if alternative is not None:
            alternatives.append(alternative)
    if not alternatives:
        return None
    restrict(inside, alternatives, block)
    return inside


def restrict(inside: Env, alternatives: list[Env], block: Block) -> None:
    """`inside` holds, and so does one of `alternatives`, which lead to `block`: values of that are new ones since."""
    for root in inside.memory:
        joined: Info = None
        for alternative in alternatives:
            joined = join(joined, alternative.memory.get(root))
        inside.memory[root] = joined
    for value in alternatives[0].narrow:
        tables = 0
        for alternative in alternatives:
            tables |= alternative.narrow.get(value, EVERY)
        if tables != EVERY and isinstance(value, Instr) and value.block is not block:
            inside.narrow[value] = tables & inside.narrow.get(value, tables)


def _stores(block: Block) -> bool:
    """Whether something in a block may change what is in a place."""
    return any(instr.op in traits.STORES or instr.op in traits.CALLS for instr in block)


def narrow(context: Context, forms: Forms, condition: Value, wanted: bool, env: Env) -> bool:
    """Note in `env` what `condition` being `wanted` tells; False if it can't be."""
    work = [(condition, wanted)]
    while work:
        spend(1)
        at, truth = work.pop()
        at = taken_out(env.alike(at))
        if not isinstance(at, Instr) or at.block is None:
            continue
        if at.op == op.LogicalNot:
            work.append((at.value(0), not truth))
        elif at.op == (op.LogicalAnd if truth else op.LogicalOr):
            work.extend([(at.value(0), truth), (at.value(1), truth)])
        elif at.op in (op.IsType, op.ExistentialHasValue) and not _keep(context, forms, at, truth, env):
            return False
    return True


def taken_out(value: Value) -> Value:
    """The part of a struct that was just put together."""
    while isinstance(value, Instr) and value.op == op.CompositeExtract and len(value.operands) == 2:
        whole = value.value(0)
        if not isinstance(whole, Instr) or whole.op != op.CompositeConstruct or whole.type is None:
            break
        if whole.type.op != op.TypeStruct:
            break
        value = whole.value(value.word(1))
    return value


def _keep(context: Context, forms: Forms, test: Instr, truth: bool, env: Env) -> bool:
    existential = test.instr(0)
    assert existential.type is not None
    interface = forms.universe.of(existential.type)
    tables = info_at(context, forms, existential, env)
    if not isinstance(tables, int):
        return True
    if test.op == op.ExistentialHasValue:
        tables &= ~interface.none if truth else interface.none | interface.unset
    else:
        tested = info_at(context, forms, test.value(1), env)
        if truth and isinstance(tested, int):
            tables &= tested
        elif isinstance(tested, int) and tested & (tested - 1) == 0:
            tables &= ~tested
    note(context, forms, existential, tables, env)
    return tables != 0


def note(context: Context, forms: Forms, value: Instr, tables: int, env: Env) -> None:
    """A value can only have these tables from here on, and so can all that are the same, and what is still in the place
    that it came from."""
    existential = origin(value)
    first = env.alike(existential)
    for other in [first, *[load for load, same in env.same.items() if same is first]]:
        known = info_at(context, forms, other, env)
        env.narrow[other] = tables & known if isinstance(known, int) else tables
    env.narrow[existential] = tables
    for (root, path), held in env.held.items():
        if held is not first or root not in env.memory:
            continue
        form = forms.pointee(root.type)
        there = read(form, env.memory[root], list(path))
        if isinstance(there, int):
            env.memory[root] = write(form, env.memory[root], list(path), there & tables)


def _cases(
    context: Context, forms: Forms, selector: Value, arms: list[Arm], env: Env, is_known: bool
) -> list[tuple[Block, Env]]:
    selector = env.alike(selector)
    tested = selector.instr(0) if isinstance(selector, Instr) and selector.op == op.GetSequentialId else None
    if is_known or tested is None or tested.type is None:
        return [(target, env) for target, _, _ in arms]
    tables = info_at(context, forms, tested, env)
    if not isinstance(tables, int):
        return []
    return _by_id(context, forms, tested, tables, arms, env)


def _by_id(
    context: Context, forms: Forms, tested: Instr, tables: int, arms: list[Arm], env: Env
) -> list[tuple[Block, Env]]:
    assert tested.type is not None
    interface = forms.universe.of(tested.type)
    with_id: dict[int, int] = {}
    for table in interface.members(tables):
        with_id[sequential_id(table)] = with_id.get(sequential_id(table), 0) | interface.bits[table]
    named = {literal for _, literals, _ in arms for literal in literals}
    rest = tables & interface.unbounded
    for number, bits in with_id.items():
        if number not in named:
            rest |= bits
    targets: list[tuple[Block, Env]] = []
    for target, literals, default in arms:
        here = rest if default else 0
        for literal in literals:
            here |= with_id.get(literal, 0)
        if here:
            inside = env.copy()
            note(context, forms, tested, here, inside)
            targets.append((target, inside))
    return targets
