"""What no variable can hold is made of what one can: phis of it, and values that are used in another block.

    %s = Phi %x a %y b: laid out    =>    %f = Phi %x.0 a %y.0 b  %g = Phi %x.1 a %y.1 b  %s = CompositeConstruct %f %g
    %p = Phi %x a %y b: pointer     =>    %i = Phi 3 a 5 b         %p = AccessChain %array %i
       %x = AccessChain %array 3     %y = AccessChain %array 5

The second also for what is loaded through such a pointer and is the same each time, as images are. It takes that all
inputs are computed alike from one variable; where they point into different variables, or one is what a function gave
back or what the phi itself was before, nothing can be put into a variable that says which (RK2503).
Source: SPIR-V 1.6, 2.16.1 (no variable holds a pointer under logical addressing); Vulkan, "Standalone SPIR-V
Validation" (storage class Function has no explicit layout).
"""

from typing import Final, final

from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.constants import as_int
from reknit.ir.edit import append, erase, insert_after, insert_after_phis, insert_before, replace_uses
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.types import pointee
from reknit.passes.contract import Context
from reknit.passes.demote import undemotable
from reknit.passes.storable import unstorable_part
from reknit.source.meter import spend

MAX_MEMBERS: Final = 4096  # members that one value is taken apart into
MAX_DEPTH: Final = 8  # chains of chains that are looked through
_ALIKE: Final = traits.OBJECT_CHAIN | {op.Load}


def take_apart(function: Function, context: Context) -> Instr | None:
    """Make all phis ones that variables can stand for; gives one for which that can't be, or None."""
    work = [phi for block in function.blocks for phi in block.phis() if not _fits(phi, context)]
    work.reverse()
    stuck: Instr | None = None
    while work:
        spend(1)
        phi = work.pop()
        members = _member_types(phi)
        if members:
            work.extend(new for new in _split(phi, members) if not _fits(new, context))
        elif not _Merger(phi, context).run():
            stuck = stuck or phi
    return stuck


def how_chosen(phi: Instr) -> str:
    """What keeps `phi` from being made of something else: what its inputs come from."""
    roots: dict[Instr, None] = {}
    for index in range(0, len(phi.operands), 2):
        value = phi.value(index)
        for _ in range(MAX_DEPTH):
            if not isinstance(value, Instr) or (value.op not in _ALIKE and value.op != op.CopyObject):
                break
            value = value.value(0)
        if isinstance(value, Instr):
            roots[value] = None
    if phi in roots:
        return "which its phi chooses, also from what it was before"
    if len(roots) < 2:
        return "which its phi chooses from what was made in different ways"
    names = [f"%{root.name or root.id}" for root in roots]
    return f"which its phi chooses from {', '.join(names[:-1])} and {names[-1]}"


def spread(function: Function, context: Context) -> Instr | None:
    """Let every value that is used in another block than its own be one that can go through a variable; gives one for
    which that can't be, or None."""
    stuck: Instr | None = None
    for block in function.blocks:
        for instr in list(block):
            if not instr.has_result or instr.op == op.Variable or not _leaves(instr, block):
                continue
            if not undemotable(instr, context):
                continue
            if not _spread(instr, block, context):
                stuck = stuck or instr
    return stuck


def _fits(value: Instr, context: Context) -> bool:
    return value.type is not None and unstorable_part(value.type, context) is None


def _leaves(value: Instr, block: Block) -> bool:
    return any(isinstance(user, Instr) and _is_elsewhere(user, block) for user in value.users)


def _is_elsewhere(user: Instr, block: Block) -> bool:
    return user.block is not None and user.block is not block


def _member_types(value: Instr) -> list[Instr]:
    """Of a struct or an array of known length; else none."""
    type = value.type
    assert type is not None
    if type.op == op.TypeStruct:
        return [member for member in type.operands if isinstance(member, Instr)]
    if type.op == op.TypeArray:
        length = as_int(type.value(1))
        if length is not None and 0 < length <= MAX_MEMBERS:
            return [type.instr(0)] * length
    return []


def _split(phi: Instr, members: list[Instr]) -> list[Instr]:
    """Put a phi for each member in the place of one."""
    copies: list[Instr] = []
    pairs = list(phi.operands)
    for place, member in enumerate(members):
        operands: list[Operand] = []
        for index in range(0, len(pairs), 2):
            source = pairs[index + 1]
            assert isinstance(source, Block)
            operands += [append(source, Instr(op.CompositeExtract, member, [pairs[index], place])), source]
        copies.append(insert_before(phi, Instr(op.Phi, member, operands)))
    assert phi.block is not None
    whole = insert_after_phis(phi.block, Instr(op.CompositeConstruct, phi.type, [*copies], phi.name))
    replace_uses(phi, whole)
    erase(phi)
    return copies


def _spread(value: Instr, block: Block, context: Context) -> bool:
    """Take `value` apart behind its definition, and put it together again wherever another block uses it."""
    leaves: list[tuple[Instr, list[int]]] = []
    work: list[tuple[Instr, list[int]]] = [(value, [])]
    while work:
        spend(1)
        part, path = work.pop()
        if unstorable_part(part.type or part, context) is None:
            leaves.append((part, path))
            continue
        members = _member_types(part)
        if not members or len(leaves) + len(work) > MAX_MEMBERS:
            return False
        for place in range(len(members) - 1, -1, -1):
            stand_in = Instr(op.CompositeExtract, members[place], [value, *path, place])
            work.append((stand_in, [*path, place]))
    users = [user for user in value.users if isinstance(user, Instr) and _is_elsewhere(user, block)]
    last = value
    for leaf, _ in leaves:
        last = insert_after(last, leaf)
    for user in users:
        _put_together(value, user, leaves)
    return True


def _put_together(value: Instr, user: Instr, leaves: list[tuple[Instr, list[int]]]) -> None:
    """Build `value` again before `user`, from the inside out."""
    parts: dict[tuple[int, ...], Instr] = {tuple(path): leaf for leaf, path in leaves}
    work: list[tuple[Instr, tuple[int, ...], bool]] = [(value, (), False)]
    while work:
        spend(1)
        like, path, ready = work.pop()
        if path in parts:
            continue
        members = _member_types(like)
        if not ready:
            work.append((like, path, True))
            for place in range(len(members) - 1, -1, -1):
                shape = Instr(op.CompositeExtract, members[place], [])
                work.append((shape, (*path, place), False))
            continue
        inner: list[Operand] = [parts[(*path, place)] for place in range(len(members))]
        parts[path] = insert_before(user, Instr(op.CompositeConstruct, like.type, inner))
    for index, operand in enumerate(user.operands):
        if operand is value:
            user.set_operand(index, parts[()])


@final
class _Merger:
    """One phi whose inputs may be computed alike: the phi goes to where they differ."""

    __slots__ = ("phi", "context", "sources")

    def __init__(self, phi: Instr, context: Context) -> None:
        self.phi = phi
        self.context = context
        self.sources = [phi.operands[index] for index in range(1, len(phi.operands), 2)]

    def run(self) -> bool:
        values = [self.phi.operands[index] for index in range(0, len(self.phi.operands), 2)]
        if not self.are_alike(values, MAX_DEPTH):
            return False
        merged = self.merged(values)
        assert isinstance(merged, Instr)
        replace_uses(self.phi, merged)
        erase(self.phi)
        return True

    def are_alike(self, values: list[Operand], depth: int) -> bool:
        first = values[0]
        if all(value is first for value in values):
            return isinstance(first, Instr) and first is not self.phi
        if depth == 0 or not isinstance(first, Instr) or first.op not in _ALIKE:
            return False
        if first.op == op.Load and (first.type is None or first.type.op not in traits.HANDLE):
            return False
        for value in values:
            if not isinstance(value, Instr) or value.op != first.op or len(value.operands) != len(first.operands):
                return False
        for index in range(len(first.operands)):
            column = [value.operands[index] for value in values if isinstance(value, Instr)]
            if first.op == op.Load and index > 0:
                if column != [column[0]] * len(column):
                    return False
            elif index == 0:
                if not self.are_alike(column, depth - 1):
                    return False
            elif not all(operand is column[0] for operand in column) and not self._may_differ(first, index, column):
                return False
        return True

    def _may_differ(self, chain: Instr, index: int, column: list[Operand]) -> bool:
        """Whether an index of a chain may be any value: not into a struct, and all of one type."""
        base = chain.operands[0]
        assert isinstance(base, Instr) and base.type is not None
        type = pointee(base.type)
        for place in range(1, index):
            if type.op == op.TypeStruct:
                member = as_int(chain.value(place))
                if member is None:
                    return False
                type = type.instr(member)
            else:
                type = type.instr(0)
        types = [operand.type for operand in column if isinstance(operand, Instr)]
        return type.op != op.TypeStruct and all(each is types[0] for each in types)

    def merged(self, values: list[Operand]) -> Operand:
        """One value for all of `values`, which are alike, behind the phis of the block."""
        first = values[0]
        if all(value is first for value in values):
            return first
        assert isinstance(first, Instr) and self.phi.block is not None
        operands: list[Operand] = []
        for index in range(len(first.operands)):
            column = [value.operands[index] for value in values if isinstance(value, Instr)]
            if index == 0:
                operands.append(self.merged(column))
            elif first.op == op.Load or all(operand is column[0] for operand in column):
                operands.append(column[0])
            else:
                operands.append(self._phi(column))
        copy = Instr(first.op, first.type, operands, self.phi.name)
        before = operands[0]
        if isinstance(before, Instr) and before.block is self.phi.block and before.op != op.Variable:
            return insert_after(before, copy)
        return insert_after_phis(self.phi.block, copy)

    def _phi(self, column: list[Operand]) -> Instr:
        pairs: list[Operand] = []
        for value, source in zip(column, self.sources, strict=True):
            pairs += [value, source]
        first = column[0]
        assert isinstance(first, Instr)
        return insert_before(self.phi, Instr(op.Phi, first.type, pairs))
