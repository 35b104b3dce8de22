"""simplify-ifs: each rewrite before and after, what must stay, and that lanes meet as they did.

The texts after are derived by hand from the rules in the pass's text; the ballots come from the simulator.
"""

import pytest
from kit.random.trees import results
from kit.text.pass_texts import body, main_text, renamed, rewritten, stays

from reknit.ir.text.printer import print_module
from reknit.passes.manager import Hooks, run_passes
from reknit.source.diagnostic import InputError

ODD = "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n"
FEW = ODD + "%few = ULessThan %lane, 3u : bool\n"

REWRITES = {
    "an empty then": (
        ODD + "if %odd { } else { SEE 1 }\nSEE 2\nreturn",
        ODD + "%even = LogicalNot %odd : bool\nif %even { SEE 1 }\nSEE 2\nreturn",
    ),
    "an empty then under a negation": (
        ODD + "%even = LogicalNot %odd : bool\nif %even { } else { SEE 1 }\nSEE 2\nreturn",
        ODD + "%even = LogicalNot %odd : bool\nif %odd { SEE 1 }\nSEE 2\nreturn",
    ),
    "an empty then before a phi": (
        ODD + "if %odd { pad t:\n} else { pad e:\nSEE 1 }\n%p = Phi 3u t, 4u e : u32\nStore %slot, %p\nreturn",
        ODD + "%even = LogicalNot %odd : bool\nif %even { pad e:\nSEE 1 } else { pad t:\n}\n%p = Phi 3u t, 4u e : u32\n"
        "Store %slot, %p\nreturn",
    ),
    "an empty then of an if that nobody waits behind": (
        ODD + "if %odd nojoin { } else { SEE 1 }\nSEE 2\nreturn",
        ODD + "%even = LogicalNot %odd : bool\nif %even nojoin { SEE 1 }\nSEE 2\nreturn",
    ),
    "an empty then beside a jump": (
        ODD + "if %odd { } else { return }\nSEE 2\nreturn",
        ODD + "%even = LogicalNot %odd : bool\nif %even { return }\nSEE 2\nreturn",
    ),
    "the same break at both ends": (
        ODD + "loop @l { if %odd { SEE 1\nbreak @l } else { SEE 2\nbreak @l } }\nSEE 3\nreturn",
        ODD + "loop @l { if %odd { SEE 1 } else { SEE 2 }\nbreak @l }\nSEE 3\nreturn",
    ),
    "the same return at both ends": (
        ODD + "if %odd { SEE 1\nreturn } else { SEE 2\nreturn }\nunreachable",
        ODD + "if %odd { SEE 1 } else { SEE 2 }\nreturn\npad dead:\nunreachable",
    ),
    "the same continue at both ends, and what it brings": (
        ODD + "pad pre:\nloop @l { pad h:\n%i = Phi 0u pre, %n latch : u32\n%c = UGreaterThan %i, 2u : bool\n"
        "if %c nojoin { break @l }\nif %odd { pad a:\nSEE 1\ncontinue @l } else { pad b:\nSEE 2\n"
        "continue @l }\nunreachable } "
        "continuing { pad latch:\n%s = Phi 1u a, 2u b : u32\n%n = IAdd %i, %s : u32\n}\nreturn",
        ODD + "pad pre:\nloop @l { pad h:\n%i = Phi 0u pre, %n latch : u32\n%c = UGreaterThan %i, 2u : bool\n"
        "if %c nojoin { break @l }\nif %odd { pad a:\nSEE 1 } else { pad b:\nSEE 2 }\n"
        "pad m:\n%r = Phi 1u a, 2u b : u32\ncontinue @l\npad dead:\nunreachable } "
        "continuing { pad latch:\n%s = Phi %r m : u32\n%n = IAdd %i, %s : u32\n}\nreturn",
    ),
    "one break for two becomes one for three": (
        FEW + "scope @s { if %odd { if %few { SEE 1\nbreak @s } else { SEE 2\nbreak @s } } else { SEE 3\nbreak @s } }\n"
        "SEE 4\nreturn",
        FEW + "scope @s { if %odd { if %few { SEE 1 } else { SEE 2 } } else { SEE 3 }\nbreak @s }\nSEE 4\nreturn",
    ),
    "a choice between two values": (
        ODD + "if %odd { pad t:\n%x = IAdd %lane, 1u : u32\n} else { pad e:\n%y = IMul %lane, 3u : u32\n}\n"
        "%p = Phi %x t, %y e : u32\nStore %slot, %p\nreturn",
        ODD + "%x = IAdd %lane, 1u : u32\n%y = IMul %lane, 3u : u32\n%p = Select %odd, %x, %y : u32\n"
        "Store %slot, %p\nreturn",
    ),
    "nested choices, inner ones first": (
        FEW + "if %odd { pad t:\nif %few { pad u:\n} else { pad v:\n}\npad w:\n%x = Phi 1u u, 2u v : u32\n"
        "} else { pad e:\n"
        "}\n%p = Phi %x w, 3u e : u32\nStore %slot, %p\nreturn",
        FEW + "%x = Select %few, 1u, 2u : u32\n%p = Select %odd, %x, 3u : u32\nStore %slot, %p\nreturn",
    ),
    "an empty if": (ODD + "if %odd { }\nSEE 1\nreturn", ODD + "SEE 1\nreturn"),
}

STAYS = {
    "too many instructions": (
        ODD + "if %odd { pad t:\n%a = IAdd %lane, 1u : u32\n%b = IAdd %a, %a : u32\n%c = IMul %b, %b : u32\n"
        "%d = IMul %c, %c : u32\n%f = IMul %d, %d : u32\n} else { pad e:\n}\n%p = Phi %f t, 0u e : u32\n"
        "Store %slot, %p\nreturn"
    ),
    "a division, which not everybody may do": (
        ODD + "if %odd { pad t:\n%x = UDiv 8u, %bit : u32\n} else { pad e:\n}\n%p = Phi %x t, 0u e : u32\n"
        "Store %slot, %p\nreturn"
    ),
    "a ballot": (
        ODD + "if %odd { pad t:\n%x = GroupNonUniformBallotBitCount 3u, Reduce, %v : u32\n} else { pad e:\n}\n"
        "%p = Phi %x t, 0u e : u32\nStore %slot, %p\nreturn"
    ).replace("if %odd {", "%v = GroupNonUniformBallot 3u, true : vec4<u32>\nif %odd {"),
    "a choice behind which nobody waits": (
        ODD + "if %odd nojoin { pad t:\n} else { pad e:\n}\n%p = Phi 1u t, 2u e : u32\nSEE 1\nStore %slot, %p\nreturn"
    ),
    "the same break at both ends, to where nobody waits": (
        ODD + "scope @s nojoin { if %odd { SEE 1\nbreak @s } else { SEE 2\nbreak @s } }\nSEE 3\nreturn"
    ),
    "a way behind the if besides": (
        FEW + "scope @s { if %odd as @i { if %few nojoin { break @i }\nbreak @s } else { SEE 1\nbreak @s }\n"
        "SEE 2 }\nreturn"
    ),
    "different jumps": ODD + "loop @l { if %odd { SEE 1\nbreak @l } else { SEE 2\nreturn } }\nreturn",
    "a return and the end of the invocation": ODD + "if %odd { SEE 1\nreturn } else { SEE 2\nkill }\nunreachable",
    "the end of the invocation on both sides": ODD + "if %odd { SEE 1\nkill } else { SEE 2\nkill }\nunreachable",
    "a break and a continue": (
        ODD + "loop @l { if %odd { SEE 1\nbreak @l } else { SEE 2\ncontinue @l }\nunreachable }\nreturn"
    ),
    "breaks of different constructs": (
        ODD + "scope @s { scope @t { if %odd { SEE 1\nbreak @s } else { SEE 2\nbreak @t }\nunreachable }\nSEE 3 }\n"
        "return"
    ),
    "continues of different loops": (
        ODD + "loop @l { loop @m { if %odd { SEE 1\ncontinue @l } else { SEE 2\ncontinue @m }\nunreachable }\n"
        "unreachable }\nreturn"
    ),
    "a conditional back edge": (
        ODD + "loop @l { SEE 1 } continuing { if true nojoin { break @l } }\nreturn"
    ),
}


@pytest.mark.parametrize("name", REWRITES)
def test_rewrite(name: str) -> None:
    before, after = REWRITES[name]
    assert renamed(rewritten(before, "simplify-ifs")) == renamed(main_text(body(after)))


@pytest.mark.parametrize("name", STAYS)
def test_stays(name: str) -> None:
    assert stays(STAYS[name], "simplify-ifs") == []


def test_where_nobody_waits_a_shared_break_would_matter() -> None:
    """By hand: odd and even lanes break out of a scope that is not merged, apart; with one break behind a merged if
    they would come out together, and see 0b1111."""
    apart = body(STAYS["the same break at both ends, to where nobody waits"])
    together = body(ODD + "scope @s nojoin { if %odd { SEE 1 } else { SEE 2 }\nbreak @s }\nSEE 3\nreturn")
    assert results(apart)[0][2][:2] == [31 * 0b0101 + 0b0101, 31 * 0b1010 + 0b1010]
    assert results(together)[0][2][:2] == [31 * 0b0101 + 0b1111, 31 * 0b1010 + 0b1111]


def test_the_limit_is_an_option() -> None:
    before = STAYS["too many instructions"]
    assert "if" not in rewritten(before, "simplify-ifs{limit=5}")


def test_a_second_run_finds_nothing() -> None:
    for before, _ in REWRITES.values():
        once = rewritten(before, "simplify-ifs")
        module = body(before)
        run_passes(module, "simplify-ifs")
        assert not run_passes(module, "simplify-ifs").changed()
        assert main_text(module) == once


def test_dead_code_behind_a_shared_jump_can_be_read_back() -> None:
    """What follows a return is a block of its own, also where a construct follows that."""
    text = rewritten(ODD + "if %odd { return } else { return }\nscope { }\nreturn", "simplify-ifs")
    assert "return" in text and "scope" in text  # `rewritten` reads what it printed


def test_values_that_two_returns_give_meet_in_a_phi() -> None:
    """So the pass says that it may make phis, and the order check knows."""
    callee = "func @f(%c: bool) -> u32 { if %c { return 1u } else { return 2u }\nunreachable }\n"
    module = body(ODD + "%x = FunctionCall @f, %odd : u32\nStore %slot, %x\nreturn", callee)
    before = results(module)
    run_passes(module, "eliminate-phis, simplify-ifs", Hooks(verify_each=True))
    assert "Phi" in print_module(module)
    assert results(module) == before
    with pytest.raises(InputError, match="simplify-ifs undoes no-phis|needs no-phis"):
        run_passes(module, "eliminate-phis, simplify-ifs, eliminate-multi-level-breaks")
