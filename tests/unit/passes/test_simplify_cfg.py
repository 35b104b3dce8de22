"""simplify-cfg: each rewrite before and after, what must stay, and that lanes meet as they did.

The expected texts are derived by hand from the rules in `passes/tidy`; the ballots come from the simulator, which
follows the extension by the letter.
"""

import pytest
from kit.random.trees import results
from kit.text.pass_texts import apply, body, main_text

from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.tidy.simplify_cfg import SIMPLIFY_CFG

ODD = "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n"

REWRITES = {
    "a known condition takes its arm": ("if true { SEE 1 } else { SEE 2 }\nSEE 3\nreturn", "SEE 1\nSEE 3\nreturn"),
    "the other arm": ("if false { SEE 1 } else { SEE 2 }\nSEE 3\nreturn", "SEE 2\nSEE 3\nreturn"),
    "a phi with one way in is what comes in": (
        "if true {\npad a:\n%x = IAdd %lane, 1u : u32\n} else {\npad b:\n}\npad c:\n%p = Phi %x a, %lane b : u32\n"
        "Store %slot, %p\nreturn",
        "%x = IAdd %lane, 1u : u32\nStore %slot, %x\nreturn",
    ),
    "a break out of the taken arm needs something to break": (
        ODD + "if true as @s { if %odd nojoin { SEE 1\nbreak @s }\nSEE 2 }\nSEE 3\nreturn",
        ODD + "scope @s { if %odd nojoin { SEE 1\nbreak @s }\nSEE 2 }\nSEE 3\nreturn",
    ),
    "code behind a jump goes": ("return\npad dead:\nSEE 1\nreturn", "return"),
    "code behind an if that nobody leaves goes": (
        ODD + "if %odd { SEE 1\nreturn } else { return }\nSEE 2\nreturn",
        ODD + "if %odd { SEE 1\nreturn } else { return }\nUNREACHED",
    ),
    "an empty if goes": (ODD + "if %odd { }\nSEE 1\nreturn", ODD + "SEE 1\nreturn"),
    "an empty switch goes": ("switch %lane { case 1: { fallthrough } default: { } }\nSEE 1\nreturn", "SEE 1\nreturn"),
    "a break where the scope ends is needless": (
        ODD + "scope @s { if %odd { SEE 1\nbreak @s } }\nSEE 2\nreturn",
        ODD + "if %odd { SEE 1 }\nSEE 2\nreturn",
    ),
    "a continue where the body ends is needless": (
        "loop @l { %c = ULessThan %lane, 4u : bool\nif %c nojoin { break @l }\nSEE 1\nif true nojoin { break @l }\n"
        "continue @l }\nreturn",
        "loop @l { %c = ULessThan %lane, 4u : bool\nif %c nojoin { break @l }\nSEE 1\nbreak @l }\nreturn",
    ),
    "a known switch runs its case": (
        "switch 1u { case 0: { SEE 1 } case 1: { SEE 2 } default: { SEE 3 } }\nreturn",
        "SEE 2\nreturn",
    ),
    "a known switch runs what its case falls through to": (
        "switch 0u { case 0: { SEE 1\nfallthrough } case 1: { SEE 2 } default: { SEE 3 } }\nreturn",
        "SEE 1\nSEE 2\nreturn",
    ),
}

STAYS = {
    "an unmerged if keeps its two ways apart": ODD + "if %odd nojoin { } else { }\nSEE 1\nreturn",
    "a frame stays while somebody waits in it": (
        ODD + "scope { if %odd nojoin { %x = IAdd %lane, 1u : u32 } else { } }\nSEE 1\nreturn"
    ),
    "a break past a merge stays where nobody waits at the target": (
        ODD + "scope @s nojoin { if %odd { %x = IAdd %lane, 1u : u32\nbreak @s } }\nSEE 1\nreturn"
    ),
    "an empty case that falls through keeps its label": (
        "%v = BitwiseAnd %lane, 3u : u32\n"
        "switch %v { case 0: { fallthrough } case 1: { SEE 1 } default: { SEE 2 } }\nreturn"
    ),
    "a loop keeps its shape": ODD + "loop @l { SEE 1\nif %odd nojoin { break @l }\nSEE 2\nbreak @l }\nreturn",
}


def simplified(text: str) -> str:
    module = body(text)
    before = results(module)
    changed, _ = apply(module, SIMPLIFY_CFG)
    again = print_module(module)
    assert results(parse(again)) == before
    assert not apply(module, SIMPLIFY_CFG)[0], "a second run finds nothing"
    assert print_module(module) == again
    assert changed
    return main_text(module)


@pytest.mark.parametrize("name", REWRITES)
def test_rewrite(name: str) -> None:
    before, after = REWRITES[name]
    assert simplified(before) == main_text(body(after.replace("UNREACHED", "unreachable")))


@pytest.mark.parametrize("name", STAYS)
def test_stays(name: str) -> None:
    module = body(STAYS[name])
    before = print_module(module)
    apply(module, SIMPLIFY_CFG)
    assert main_text(module) == main_text(parse(before))


def test_the_frames_that_stay_matter() -> None:
    """By hand: without the scope the two ways of the unmerged if go on apart, odd from even lanes."""
    with_scope = body(STAYS["a frame stays while somebody waits in it"])
    without = body(ODD + "if %odd nojoin { %x = IAdd %lane, 1u : u32 } else { }\nSEE 1\nreturn")
    assert results(with_scope)[0][2][:2] == [0b1111, 0b1111]
    assert results(without)[0][2][:2] == [0b0101, 0b1010]


def test_the_break_that_stays_matters() -> None:
    """By hand: odd lanes break past the if, even ones go through it; behind the scope nobody waits."""
    breaks = body(STAYS["a break past a merge stays where nobody waits at the target"])
    without = body(ODD + "scope @s nojoin { if %odd { %x = IAdd %lane, 1u : u32 } }\nSEE 1\nreturn")
    assert results(breaks)[0][2][:2] == [0b0101, 0b1010]
    assert results(without)[0][2][:2] == [0b1111, 0b1111]


def test_a_loop_never_left_keeps_a_block_behind_it() -> None:
    module = body("%zero = BitwiseAnd %lane, 0u : u32\nloop @l { if false nojoin { break @l } }\nSEE 1\nreturn")
    apply(module, SIMPLIFY_CFG)
    expected = body("%zero = BitwiseAnd %lane, 0u : u32\nloop @l { }\nunreachable")
    assert main_text(module) == main_text(expected)
