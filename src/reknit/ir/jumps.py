"""Giving a block another end, with the phis on both sides right.

    then:             ──▶ after: Phi [%x, then] [%y, else]
    then: break L     ──▶ after: Phi [%y, else]            L.after: Phi [%z, other] [undef, then]

A jump stands inside what it leaves: a break inside its construct, a continue inside its loop's body, a fallthrough in
the case before its target. One that would not is refused, and so is leaving the function from a loop's continuing
part, which only goes on or breaks (SPIR-V 1.6, 2.11: a continue construct is left by its back edge or to its merge
block).
"""


from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.cfg import destinations, successors
from reknit.ir.cursor import Cursor
from reknit.ir.edit import clear_jump, region_of, set_jump
from reknit.ir.function import Function
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough, Jump
from reknit.ir.module import Module
from reknit.ir.phis import settle_phis
from reknit.ir.stitch import halve
from reknit.ir.tree import Case, Construct, If, Loop, Region
from reknit.ir.value import Value
from reknit.source.diagnostic import EditRefused


def around(region: Region) -> tuple[dict[Construct, Region], Value]:
    """The constructs that a region stands in, innermost first, each with the region of it that this is in; and what all
    of it stands in: a function, or code that was taken out. Costs the nesting depth."""
    constructs: dict[Construct, Region] = {}
    here: Region = region
    while True:
        owner: Value = here.owner
        if isinstance(owner, Case):
            owner = owner.switch
        if not isinstance(owner, Construct):
            return constructs, owner
        constructs[owner] = here
        if owner.region is None:
            return constructs, owner
        here = owner.region


def check_jump(jump: Jump, places: dict[Construct, Region], home: Value, back_edge: bool = False) -> None:
    """Refuse a jump (RK0482, RK0483) that can't stand inside `places` in the function `home`; see `around`.

    `back_edge`: the jump would stand where a loop's conditional back edge does.
    """
    if isinstance(jump, Break):
        if jump.target not in places:
            raise EditRefused("RK0482", "a break stands inside the construct that it leaves")
        _check_leaving(jump.target, places, back_edge)
    elif isinstance(jump, Continue):
        if places.get(jump.target) is not jump.target.body:
            raise EditRefused("RK0482", "a continue is in the body of its loop")
        _check_leaving(jump.target, places, False)
    elif isinstance(jump, Fallthrough):
        cases = jump.target.switch.cases
        index = cases.index(jump.target)
        if index == 0 or places.get(jump.target.switch) is not cases[index - 1].region:
            raise EditRefused("RK0482", "a fallthrough is in the case right before the one that it goes to")
        _check_leaving(jump.target.switch, places, False)
    elif isinstance(jump, Exit):
        if jump.instr.op in traits.LEAVES_INVOCATION:
            for construct, region in places.items():
                if isinstance(construct, Loop) and region is construct.continuing:
                    raise EditRefused("RK0483", "the continuing part of a loop can't leave the function")
        if isinstance(home, Function):
            _check_result(jump, home)
    elif isinstance(jump, Branch):
        raise EditRefused("RK0482", "a plain branch has no place in a control-flow tree")


def _check_leaving(target: Construct, places: dict[Construct, Region], back_edge: bool) -> None:
    """Refuse to leave the innermost continuing part otherwise than by its conditional back edge."""
    for construct, region in places.items():
        if isinstance(construct, Loop) and region is construct.continuing:
            if construct is not target or not back_edge:
                raise EditRefused("RK0483", "a loop's continuing part is left by its end or its conditional back edge")
            return
        if construct is target:
            return


def stands_at_back_edge(block: Block) -> bool:
    """Whether `block` is in an arm of the last `if` of a continuing part: a break there is the conditional back
    edge."""
    region = block.region
    if region is None or not isinstance(region.owner, If):
        return False
    home = region.owner.region
    if home is None or not isinstance(home.owner, Loop) or home is not home.owner.continuing:
        return False
    return region.owner.next is home.last


def check_after_back_edge(block: Block) -> None:
    """Refuse (RK0483) to put another node after the conditional back edge of a loop, if `block` is what follows it."""
    region = block.region
    before = block.prev
    if region is None or not isinstance(region.owner, Loop) or not isinstance(before, If):
        return
    if region is region.owner.continuing and block is region.last:
        for arm in before.regions():
            if any(source.region is arm for source in region.owner.breaks):
                raise EditRefused("RK0483", "the conditional back edge is the last construct of a continuing part")


def _check_result(jump: Exit, function: Function) -> None:
    instr = jump.instr
    if instr.op == op.Return and function.result.op != op.TypeVoid:
        raise EditRefused("RK0484", f"@{function.name} returns a value, and this return has none")
    if instr.op == op.ReturnValue and instr.instr(0).type is not function.result:
        raise EditRefused("RK0484", f"@{function.name} returns another type than this return gives")


def end_block(module: Module, block: Block, jump: Jump | None) -> None:
    """End `block` in `jump` instead of what it ended in (None: let it go on). Phis it fed lose what came from it, phis
    it feeds now get an undefined value from it."""
    region = region_of(block)
    if jump is not None:
        places, home = around(region)
        check_jump(jump, places, home, stands_at_back_edge(block))
        if isinstance(region.owner, Loop) and region is region.owner.continuing and block is region.last:
            raise EditRefused("RK0483", "the end of a loop's continuing part goes back to the loop's start")
    check_end(block, jump)
    before = successors(block)
    if jump is None:
        clear_jump(block)
    else:
        set_jump(block, jump)
    settle_phis(module, block, before)


def check_end(block: Block, jump: Jump | None) -> None:
    """Refuse (RK0489) to end `block` in `jump` if control would reach the open end of its function.

    Costs nothing where the function's last block has a jump and is another one; else the function.
    """
    function = block.function
    if function is None or not function.structured or function.body.last is None:
        return
    last = function.body.end()
    if last.jump is not None and last is not block or (last is block and jump is not None):
        return
    targets = [block] if last is block else destinations(block, jump)
    if is_reached(function, block) and (last is block or leads_to(targets, last)):
        raise EditRefused(
            "RK0489",
            f"control would run off the end of @{function.name}",
            "end the function's last block first: `end_block(module, function.body.end(), Exit(...))`",
        )


def is_reached(function: Function, block: Block) -> bool:
    """Whether control can come to `block` at all. Costs the function."""
    return leads_to([function.entry()], block)


def leads_to(sources: list[Block], block: Block) -> bool:
    """Whether control can come from one of `sources` to `block`, or starts there."""
    seen: dict[Block, None] = dict.fromkeys(sources)
    work = list(sources)
    while work:
        here = work.pop()
        if here is block:
            return True
        for target in successors(here):
            if target not in seen:
                seen[target] = None
                work.append(target)
    return False


def insert_jump(module: Module, cursor: Cursor, jump: Jump) -> None:
    """End the block of `cursor` there. What stood behind stays, in a block of its own that control can't reach."""
    block = cursor.block
    places, home = around(region_of(block))
    check_jump(jump, places, home, stands_at_back_edge(block))
    if cursor.is_behind_jump():
        end_block(module, split(module, cursor), jump)
        return
    check_end(block, jump)
    if cursor.following() is not None or block.jump is not None or _ends_continuing(block):
        split(module, cursor)
    end_block(module, block, jump)


def _ends_continuing(block: Block) -> bool:
    region = block.region
    return region is not None and isinstance(region.owner, Loop) and block is region.owner.continuing.last


def split(module: Module, cursor: Cursor) -> Block:
    """Make two blocks of one, as `stitch.halve`; refused (RK0483) right after a loop's conditional back edge."""
    check_after_back_edge(cursor.block)
    return halve(module, cursor)
