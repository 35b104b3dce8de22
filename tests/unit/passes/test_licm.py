"""licm: how far values go, and what its document doesn't show: calls, decorations, random programs."""

import pytest
from kit.programs.values import position_of, proved, run_on_random
from kit.text.pass_texts import apply, body

from reknit.ir import enums, op
from reknit.ir.module import annotation
from reknit.ir.walk import instructions
from reknit.passes.values.licm import LICM

POINTER = "ptr<StorageBuffer, u32>"
PRE = "%a = IAdd %lane, 3u : u32\n%bit = BitwiseAnd %lane, 3u : u32\n"
HEAD = "pad s:\n{before}loop @l {{\nhead:\n%i = Phi 0u s, %n k : u32\n"
TEST = "%c = UGreaterThan %i, %bit : bool\nif %c nojoin { break @l }\n"
NEXT = "%n = IAdd %i, 1u : u32\n} continuing {\npad k:\n}\n"


def looping(header: str, inside: str, before: str = "", behind: str = "return") -> str:
    """`header` stands before the exit test, `inside` behind it."""
    return PRE + HEAD.format(before=before) + header + TEST + inside + NEXT + behind


MUL = "%k = IMul %a, 7u : u32\n"
DIV = "%k = UDiv %a, %bit : u32\n"  # undefined where %bit is 0
USE = "Store %slot, %k\n"


def test_a_division_goes_only_where_everybody_comes_to_it() -> None:
    """Mesa's test of loop-invariant code: in the header, or where it dominates all exits, it goes; else it stays. Here
    the divisor is 0 for some lanes, which break before they divide."""
    guarded = looping("%z = IEqual %bit, 0u : bool\nif %z nojoin { break @l }\n", DIV + USE)
    module = proved(guarded, LICM)
    assert position_of(module, op.UDiv) == [1]
    odd_divisor = "%bit = BitwiseOr %lane, 1u : u32\n%rest = BitwiseAnd"
    in_header = looping(DIV, USE).replace("%bit = BitwiseAnd", odd_divisor).replace("%i, %bit", "%i, 2u")
    assert position_of(proved(in_header, LICM), op.UDiv) == [0]


def test_what_dominates_all_exits_goes() -> None:
    """The division stands behind an inner if, in front of the only exit."""
    inside = "%z = IEqual %i, 1u : bool\nif %z { Store %slot, 1u }\n%k = UDiv %a, %some : u32\n"
    text = looping(inside, USE).replace("pad s:", "%some = BitwiseOr %lane, 1u : u32\npad s:")
    assert position_of(proved(text, LICM), op.UDiv) == [0]
    leaves = text.replace("Store %slot, 1u }", "Store %slot, 1u\nreturn }")
    assert position_of(proved(leaves, LICM), op.UDiv) == [1], "some return before they come to it"


@pytest.mark.parametrize(
    ("inside", "depth"), [("Store %p, %n\nreturn", 0), ("%o = IEqual %n, 1u : bool\nif %o { kill }\nreturn", 1)]
)
def test_a_call_that_kills_makes_what_follows_unsure(inside: str, depth: int) -> None:
    function = f"func @f(%n: u32, %p: {POINTER}) {{\n{inside}\n}}\n"
    text = looping("%x = FunctionCall @f, %lane, %slot : void\n%k = UDiv %a, %some : u32\n", USE)
    module = body(text.replace("pad s:", "%some = BitwiseOr %lane, 1u : u32\npad s:"), function)
    apply(module, LICM)
    assert position_of(module, op.UDiv) == [depth]


NEST = (
    PRE + "%some = BitwiseOr %lane, 1u : u32\npad s:\nloop @o {\nhead:\n%i = Phi 0u s, %n k : u32\n{test}"
    "%early = IMul %i, 3u : u32\npad t:\nloop @l {\ninner:\n%j = Phi 0u t, %m u : u32\n{body}"
    "%d = UGreaterThan %j, 1u : bool\nif %d nojoin { break @l }\n%m = IAdd %j, 1u : u32\n} continuing {\npad u:\n}\n"
    "pad r:\nStore %slot, %x\n%n = IAdd %i, 1u : u32\n} continuing {\npad k:\n}\nreturn"
)
LEAVE = "%c = UGreaterThan %i, 1u : bool\nif %c nojoin { break @o }\n"


@pytest.mark.parametrize(
    ("test", "inside", "code", "depth"),
    [
        (LEAVE, "%x = BitwiseXor %a, 7u : u32\n", op.BitwiseXor, 0),
        (LEAVE, "%x = BitwiseXor %early, 7u : u32\n", op.BitwiseXor, 1),
        (LEAVE, "%x = BitwiseXor %j, 7u : u32\n", op.BitwiseXor, 2),
        (LEAVE, "%x = UDiv %a, %some : u32\n", op.UDiv, 1),  # some have left the outer loop before
        ("", "%x = UDiv %a, %some : u32\n", op.UDiv, 0),  # the header of the outer loop leads straight there
    ],
)
def test_how_far(test: str, inside: str, code: int, depth: int) -> None:
    text = NEST.replace("{test}", test).replace("{body}", inside)
    if not test:
        text = (
            text.replace("pad r:\n", "pad r:\n" + LEAVE.replace("%i,", "%n,"))
            .replace("Store %slot, %x\n%n = IAdd %i, 1u : u32\n", "Store %slot, %x\n")
            .replace("pad r:\n", "pad r:\n%n = IAdd %i, 1u : u32\n")
        )
    assert position_of(proved(text, LICM), code) == [depth]


def test_a_promise_not_to_wrap_keeps_a_value_where_it_is() -> None:
    module = body(looping("", MUL + USE))
    product = next(instr for instr in instructions(module.functions[0]) if instr.name == "k")
    module.decorations.append(annotation(op.Decorate, [product, enums.DecorationNoUnsignedWrap]))
    assert not apply(module, LICM)[0]


def test_random_programs_with_redundancies(full: bool) -> None:
    """licm takes nothing away; it must move something in most of them."""
    from kit.programs.values import add_redundant

    from reknit.fuzzing.generate import generate
    from reknit.fuzzing.to_module import module_of
    from reknit.passes.manager import run_passes

    seeds = range(9500, 9900 if full else 9512)
    run_on_random(LICM, seeds)
    moved = 0
    for seed in seeds:
        module = module_of(generate(seed))
        add_redundant(module, seed)
        moved += bool(run_passes(module, "licm").passes[0].changed)
    assert moved > len(seeds) // 5, moved
