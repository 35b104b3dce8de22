"""Passes that are wrong on purpose, each in a way that compilers have been: `prove` must find every one.

    plants()    name -> Plant: the wrong pass, a shader on which it matters, what lanes 0 to 3 store before and after

Every value is worked out by hand from the extension's text: subgroups of four lanes, so lanes 0 to 3 of a ballot are
bits 0 to 3, and lanes 4 to 31 repeat them. A lane that stores nothing keeps the zero that its word starts with.
"""

from collections.abc import Callable
from typing import Final, final

from kit.text.preludes import compute

from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.clone import clone_and_reinsert
from reknit.ir.constants import as_int, int_constant
from reknit.ir.cursor import after_phis, at_end, behind_jump
from reknit.ir.edit import (
    append,
    append_node,
    clear_jump,
    erase,
    insert_before,
    insert_node_after,
    move_run,
    replace_uses,
    set_jump,
    unlink,
)
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Continue
from reknit.ir.jumps import end_block
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.tree import If, Loop, Scope, Switch
from reknit.ir.walk import blocks, constructs
from reknit.passes.contract import Context, Pass
from reknit.passes.inline import INLINE

FRAME: Final = compute(32, maximal=True)

HEAD: Final = """
func @main() -> void {
  %i = Variable Function : ptr<Function, u32>
  Store %i, 0u
  %lane = Load %lane_id : u32
  %slot = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
  %four = BitwiseAnd %lane, 3u : u32
  %bit = BitwiseAnd %lane, 1u : u32
  %odd = INotEqual %bit, 0u : bool
"""

SEE: Final = """
  %{n}who = GroupNonUniformBallot Subgroup true : vec4<u32>
  %{n}all = CompositeExtract %{n}who 0 : u32
  %{n}mine = BitwiseAnd %{n}all, 15u : u32
"""


def shader(body: str, functions: str = "") -> Module:
    """A shader with `body` as main; a line `SEE n` stores the ballot of the lanes that are there, `VALUE n` only makes
    it (%{n}mine)."""
    lines: list[str] = []
    for line in body.splitlines():
        word, _, name = line.strip().partition(" ")
        if word in ("SEE", "VALUE"):
            lines.append(SEE.format(n=name) + (f"  Store %slot, %{name}mine\n" if word == "SEE" else ""))
        else:
            lines.append(line)
    return parse(FRAME + functions + HEAD + "\n".join(lines) + "\n  return\n}\n")


# --- the wrong passes -------------------------------------------------------------------------------------------------


def tangled(block: Block) -> list[Instr]:
    return [instr for instr in block if instr.op in traits.TANGLED]


def moved_over_merge(function: Function, context: Context) -> bool:
    """The first ballot after a selection goes before it."""
    for construct in constructs(function):
        if isinstance(construct, If) and construct.merged and tangled(construct.after()):
            append(construct.before(), unlink(tangled(construct.after())[0]))
            return True
    return False


def break_merged_with_exit(function: Function, context: Context) -> bool:
    """What stands before a break goes behind the loop, where the break goes."""
    for construct in constructs(function):
        if not isinstance(construct, Loop):
            continue
        for block in construct.breaks:
            if tangled(block):
                place = construct.after().first
                for instr in list(block):
                    unlink(instr)
                    if place is None:
                        append(construct.after(), instr)
                    else:
                        insert_before(place, instr)
                return True
    return False


def continue_dropped(function: Function, context: Context) -> bool:
    for construct in constructs(function):
        if isinstance(construct, Loop) and construct.continues:
            end_block(context.module, next(iter(construct.continues)), None)
            return True
    return False


def tail_duplicated(function: Function, context: Context) -> bool:
    """What stands behind a selection in a case goes to the end of both arms."""
    for construct in constructs(function):
        if isinstance(construct, If) and construct.merged and construct.after().first is not None:
            tail = construct.after()
            for arm in (construct.then, construct.orelse):
                clone_and_reinsert(context.module, after_phis(tail), at_end(tail), at_end(arm.end()))
            for instr in reversed(list(tail)):
                erase(instr)
            return True
    return False


def case_body_duplicated(function: Function, context: Context) -> bool:
    """A fallthrough becomes a copy of what it goes to: allowed, since nothing makes lanes meet at a case label."""
    for construct in constructs(function):
        if not isinstance(construct, Switch):
            continue
        for case in construct.cases:
            for block in list(case.fallthroughs):
                target = case.region
                clear_jump(block)
                clone_and_reinsert(
                    context.module, after_phis(target.entry()), behind_jump(target.end()), at_end(block)
                )
                return True
    return False


def hoisted_out_of_loop(function: Function, context: Context) -> bool:
    """A ballot over a constant looks as if it gave the same in every iteration."""
    for construct in constructs(function):
        if isinstance(construct, Loop):
            for node in construct.body:
                if isinstance(node, Block) and tangled(node):
                    append(construct.before(), unlink(tangled(node)[0]))
                    return True
    return False


def speculated(function: Function, context: Context) -> bool:
    """`if c { x = ballot }` becomes a select of a ballot that everyone takes part in."""
    for construct in constructs(function):
        if not isinstance(construct, If) or not list(construct.after().phis()):
            continue
        before, after = construct.before(), construct.after()
        arm = construct.then.entry()
        for instr in list(arm):
            append(before, unlink(instr))
        for phi in list(after.phis()):
            yes, no = phi.value(0), phi.value(2)
            if phi.value(1) is not construct.then.end():
                yes, no = no, yes
            chosen = append(before, Instr(op.Select, phi.type, [construct.condition, yes, no], phi.name))
            replace_uses(phi, chosen)
            erase(phi)
        return True
    return False


def shared_across_arms(function: Function, context: Context) -> bool:
    """The same ballot in both arms is computed once, before them."""
    for construct in constructs(function):
        if isinstance(construct, If):
            found = [tangled(arm.entry()) for arm in construct.regions()]
            if found[0] and found[1]:
                first, second = found[0][0], found[1][0]
                append(construct.before(), unlink(first))
                replace_uses(second, first)
                erase(second)
                return True
    return False


def merge_dropped(function: Function, context: Context) -> bool:
    for construct in constructs(function):
        if isinstance(construct, If) and construct.merged:
            construct.merged = False
            return True
    return False


def merge_made_up(function: Function, context: Context) -> bool:
    for construct in constructs(function):
        if isinstance(construct, If) and not construct.merged:
            construct.merged = True
            return True
    return False


def continue_without_join(function: Function, context: Context) -> bool:
    """A continue starts the next iteration at once: a loop around the body, whose iterations nobody else sees."""
    for construct in constructs(function):
        if isinstance(construct, Loop) and construct.continues:
            inner = Loop()
            first, last = construct.body.first, construct.body.last
            assert first is not None and last is not None
            move_run(first, last, inner.body)
            append_node(inner.continuing, Block("", True))
            append_node(construct.body, Block("", True))
            insert_node_after(construct.body.entry(), inner)
            append_node(construct.body, Block("", True))
            for block in list(construct.continues):
                set_jump(block, Continue(inner))
            end = inner.body.end()
            if end.jump is None:
                set_jump(end, Break(inner))
            return True
    return False


def inlined_without_join(function: Function, context: Context) -> bool:
    """Inlining that forgets that those who return early meet the others where the call was."""
    if not INLINE.run(function, context):
        return False
    for construct in constructs(function):
        if isinstance(construct, Scope):
            construct.merged = False
    return True


def folded_wrong(function: Function, context: Context) -> bool:
    """a - b of constants becomes b - a."""
    for block in blocks(function):
        for instr in block:
            if instr.op == op.ISub and instr.type is not None:
                left, right = as_int(instr.value(0)), as_int(instr.value(1))
                if left is not None and right is not None:
                    replace_uses(instr, int_constant(context.module, instr.type, right - left))
                    erase(instr)
                    return True
    return False


def phi_swapped(function: Function, context: Context) -> bool:
    for block in blocks(function):
        for phi in block.phis():
            if len(phi.operands) == 4:
                phi.set_operands([phi.operands[2], phi.operands[1], phi.operands[0], phi.operands[3]])
                return True
    return False


def case_dropped(function: Function, context: Context) -> bool:
    """A fallthrough becomes a break: the case that it goes to is not run."""
    for construct in constructs(function):
        if isinstance(construct, Switch):
            for case in construct.cases:
                for block in list(case.fallthroughs):
                    set_jump(block, Break(construct))
                    return True
    return False


def labels_swapped(function: Function, context: Context) -> bool:
    for construct in constructs(function):
        if isinstance(construct, Switch) and len(construct.targets) > 1:
            (one, first), (two, second) = construct.targets[:2]
            construct.targets[:2] = [(one, second), (two, first)]
            return True
    return False


# --- the shaders ------------------------------------------------------------------------------------------------------


@final
class Plant:
    """`before` and `after` are what lanes 0 to 3 store in shader `module`, before and after the wrong pass."""

    def __init__(self, transform: Pass, module: Module, before: list[int], after: list[int]) -> None:
        self.transform = transform
        self.module = module
        self.before = before
        self.after = after


def plant(
    run: Callable[[Function, Context], bool], name: str, module: Module, before: list[int], after: list[int]
) -> Plant:
    options = INLINE.options if run is inlined_without_join else ()
    return Plant(Pass(name, "wrong on purpose", run, options=options), module, before, after)


def plants() -> dict[str, Plant]:
    """All of them, fresh."""
    found = [
        # Odd lanes have returned before the ballot at the merge: lanes 0 and 2 are left, 0b0101. Before the if all
        # four are there.
        plant(moved_over_merge, "move-over-merge", shader("if %odd { return }\nSEE a"), [5, 0, 5, 0], [15, 0, 15, 0]),
        # Lane k leaves in iteration k, alone; behind the loop all four meet.
        plant(
            break_merged_with_exit,
            "merge-break-block",
            shader(
                "loop @l {\n%n = Load %i : u32\n%turn = IEqual %n, %four : bool\nif %turn nojoin {\nSEE a\n"
                "break @l\n}\n} continuing {\n%m = Load %i : u32\n%k = IAdd %m, 1u : u32\nStore %i, %k\n}"
            ),
            [1, 2, 4, 8],
            [15, 15, 15, 15],
        ),
        # Odd lanes skip the ballot; without the continue they take part.
        plant(
            continue_dropped,
            "drop-continue",
            shader(
                "loop @l {\n%n = Load %i : u32\n%done = UGreaterThan %n, 0u : bool\nif %done nojoin {\nbreak @l\n}\n"
                "Store %i, 1u\nif %odd {\ncontinue @l\n}\nSEE a\n}"
            ),
            [5, 0, 5, 0],
            [15, 15, 15, 15],
        ),
        # All four lanes are in case 0 and meet behind the if; a copy in each arm splits them.
        plant(
            tail_duplicated,
            "duplicate-tail",
            shader(
                "switch %i2 as @s {\ncase 0: {\nif %odd {\nStore %slot, 1u\n} else {\nStore %slot, 2u\n}\nSEE a\n}\n"
                "default: { }\n}".replace("%i2", "0u")
            ),
            [15, 15, 15, 15],
            [5, 10, 5, 10],
        ),
        # Lane k is in the loop for iterations 0 to k, so its last ballot is of the lanes from k on.
        plant(
            hoisted_out_of_loop,
            "hoist-out-of-loop",
            shader(
                "loop @l {\n%n = Load %i : u32\nSEE a\n%last = UGreaterThanEqual %n, %four : bool\nif %last nojoin {\n"
                "break @l\n}\n} continuing {\n%m = Load %i : u32\n%k = IAdd %m, 1u : u32\nStore %i, %k\n}"
            ),
            [15, 14, 12, 8],
            [15, 15, 15, 15],
        ),
        # Only odd lanes take part.
        plant(
            speculated,
            "speculate",
            shader("if %odd {\nVALUE a\npad t:\n} else {\npad e:\n}\n%x = Phi %amine t, 0u e : u32\nStore %slot, %x"),
            [0, 10, 0, 10],
            [0, 15, 0, 15],
        ),
        # Odd and even lanes each have a ballot of their own.
        plant(
            shared_across_arms,
            "share-across-arms",
            shader("if %odd {\nSEE a\n} else {\nSEE b\n}"),
            [5, 10, 5, 10],
            [15, 15, 15, 15],
        ),
        # Without a merge nobody waits.
        plant(merge_dropped, "drop-merge", shader("if %odd {\nStore %i, 1u\n}\nSEE a"), [15] * 4, [5, 10, 5, 10]),
        plant(
            merge_made_up,
            "make-up-merge",
            shader("if %odd nojoin {\nStore %i, 1u\n}\nSEE a"),
            [5, 10, 5, 10],
            [15] * 4,
        ),
        # Two iterations. All meet in the continuing part and again at the ballot of the second iteration; odd lanes
        # that do not wait run it by themselves, and so do the even ones after them.
        plant(
            continue_without_join,
            "continue-at-once",
            shader(
                "loop @l {\n%n = Load %i : u32\n%done = UGreaterThan %n, 1u : bool\nif %done nojoin {\nbreak @l\n}\n"
                "SEE a\n%k = IAdd %n, 1u : u32\nStore %i, %k\nif %odd {\ncontinue @l\n}\n"
                "Store %i, %k\n}"
            ),
            [15] * 4,
            [5, 10, 5, 10],
        ),
        # Odd lanes return early from the call and meet the even ones behind it.
        plant(
            inlined_without_join,
            "inline-without-join",
            shader(
                "%r = FunctionCall @f %odd : u32\n%q = BitwiseAnd %r, 0u : u32\nStore %slot, %q\nSEE a",
                "func @f(%c: bool) -> u32 {\nif %c {\nreturn 1u\n}\nreturn 2u\n}\n",
            ),
            [15] * 4,
            [5, 10, 5, 10],
        ),
        plant(folded_wrong, "fold-wrong", shader("%d = ISub 7u, 3u : u32\nStore %slot, %d"), [4] * 4, [0xFFFFFFFC] * 4),
        plant(
            phi_swapped,
            "swap-phi",
            shader("if %odd {\npad t:\n} else {\npad e:\n}\n%x = Phi 1u t, 2u e : u32\nStore %slot, %x"),
            [2, 1, 2, 1],
            [1, 2, 1, 2],
        ),
        # Lanes 0 and 1 fall through to case 1, whether or not they meet lane 2 there; with a break they don't.
        plant(
            case_dropped,
            "drop-case",
            shader("switch %four {\ncase 0, 1: {\nfallthrough\n}\ncase 2: {\nStore %slot, 7u\n}\ndefault: { }\n}"),
            [7, 7, 7, 0],
            [0, 0, 7, 0],
        ),
        plant(
            labels_swapped,
            "swap-labels",
            shader("switch %four {\ncase 0: {\nStore %slot, 7u\n}\ncase 1: {\nStore %slot, 8u\n}\ndefault: { }\n}"),
            [7, 8, 0, 0],
            [8, 7, 0, 0],
        ),
    ]
    return {entry.transform.name: entry for entry in found}


NAMES: Final = list(plants())
DUPLICATES_A_CASE: Final = Pass("duplicate-case", "allowed where nothing defines who meets", case_body_duplicated)
"""What looks like a miscompile and is none: OpSwitch leaves open whether lanes meet at a label that is reached by
fallthrough."""

