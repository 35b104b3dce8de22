"""merge-ifs: rows of ifs on one condition before and after, and the rows that stay.

The texts after are derived by hand from the rules in the pass's text; the ballots come from the simulator.
"""

import pytest
from kit.random.trees import results
from kit.text.pass_texts import body, main_text, renamed, rewritten, stays

ODD = "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n"
FEW = ODD + "%few = ULessThan %lane, 3u : bool\n"

MERGES = {
    "both arms": (
        ODD + "if %odd { SEE 1 } else { SEE 2 }\nif %odd { SEE 3 } else { SEE 4 }\nSEE 5\nreturn",
        ODD + "if %odd { SEE 1\nSEE 3 } else { SEE 2\nSEE 4 }\nSEE 5\nreturn",
    ),
    "the negation takes the arms the other way round": (
        ODD + "%even = LogicalNot %odd : bool\nif %odd { SEE 1 } else { SEE 2 }\n"
        "if %even { SEE 3 } else { SEE 4 }\nreturn",
        ODD + "%even = LogicalNot %odd : bool\nif %odd { SEE 1\nSEE 4 } else { SEE 2\nSEE 3 }\nreturn",
    ),
    "a row of three": (
        ODD + "if %odd { SEE 1 }\nif %odd { SEE 2 }\nif %odd { SEE 3 }\nreturn",
        ODD + "if %odd { SEE 1\nSEE 2\nSEE 3 }\nreturn",
    ),
    "arithmetic between them moves before": (
        ODD + "if %odd { SEE 1 }\n%x = IAdd %lane, 3u : u32\nif %odd { Store %slot, %x }\nreturn",
        ODD + "%x = IAdd %lane, 3u : u32\nif %odd { SEE 1\nStore %slot, %x }\nreturn",
    ),
    "a phi between them is the arm's value inside, and a phi behind": (
        ODD + "if %odd { pad t1:\n%x = IAdd %lane, 1u : u32\n} else { pad e1:\n%y = IAdd %lane, 2u : u32\n}\npad m:\n"
        "%p = Phi %x t1, %y e1 : u32\nif %odd { SEE 1\nStore %slot, %p } else { Store %slot, %p }\n"
        "%old = Load %slot : u32\n%sum = IAdd %old, %p : u32\nStore %slot, %sum\nreturn",
        ODD + "if %odd { pad t1:\n%x = IAdd %lane, 1u : u32\nSEE 1\nStore %slot, %x } else { pad e1:\n"
        "%y = IAdd %lane, 2u : u32\nStore %slot, %y }\n%p = Phi %x t1, %y e1 : u32\n"
        "%old = Load %slot : u32\n%sum = IAdd %old, %p : u32\nStore %slot, %sum\nreturn",
    ),
    "a return in the first then leaves nobody for the second": (
        ODD + "if %odd { SEE 1\nreturn } else { SEE 2 }\nif %odd { SEE 3 } else { SEE 4 }\nSEE 5\nreturn",
        ODD + "if %odd { SEE 1\nreturn } else { SEE 2\nSEE 4 }\nSEE 5\nreturn",
    ),
    "a return in the first else": (
        ODD + "if %odd { SEE 1 } else { SEE 2\nreturn }\nif %odd { SEE 3 } else { SEE 4 }\nSEE 5\nreturn",
        ODD + "if %odd { SEE 1\nSEE 3 } else { SEE 2\nreturn }\nSEE 5\nreturn",
    ),
    "a return in the second then": (
        ODD + "if %odd { SEE 1 } else { SEE 2 }\nif %odd { SEE 3\nreturn } else { SEE 4 }\nSEE 5\nreturn",
        ODD + "if %odd { SEE 1\nSEE 3\nreturn } else { SEE 2\nSEE 4 }\nSEE 5\nreturn",
    ),
    "a return in the second else": (
        ODD + "if %odd { SEE 1 } else { SEE 2 }\nif %odd { SEE 3 } else { SEE 4\nreturn }\nSEE 5\nreturn",
        ODD + "if %odd { SEE 1\nSEE 3 } else { SEE 2\nSEE 4\nreturn }\nSEE 5\nreturn",
    ),
    "a nested return makes the set smaller in both": (
        FEW + "if %odd { if %few { return }\nSEE 1 } else { SEE 2 }\nif %odd { SEE 3 } else { SEE 4 }\nSEE 5\nreturn",
        FEW + "if %odd { if %few { return }\nSEE 1\nSEE 3 } else { SEE 2\nSEE 4 }\nSEE 5\nreturn",
    ),
    "a break of the second if": (
        FEW + "if %odd { SEE 1 }\nif %odd as @s { if %few nojoin { break @s }\nSEE 2 }\nSEE 3\nreturn",
        FEW + "if %odd as @s { SEE 1\nif %few nojoin { break @s }\nSEE 2 }\nSEE 3\nreturn",
    ),
    "a break out of a loop, and a phi that only an arm uses": (
        ODD + "loop @l { if %odd { pad t:\n} else { pad e:\nSEE 1 }\n%p = Phi 1u t, 2u e : u32\n"
        "if %odd { Store %slot, %p\nbreak @l } else { SEE 2 }\nbreak @l }\nSEE 3\nreturn",
        ODD + "loop @l { if %odd { pad t:\nStore %slot, 1u\nbreak @l } else { pad e:\nSEE 1\n"
        "SEE 2 }\nbreak @l }\nSEE 3\nreturn",
    ),
    "an arm that parts lanes before an empty one": (
        FEW + "if %odd { if %few nojoin { SEE 1 } else { SEE 2 } }\nif %odd { } else { SEE 3 }\nSEE 4\nreturn",
        FEW + "if %odd { if %few nojoin { SEE 1 } else { SEE 2 }\n} else { SEE 3 }\nSEE 4\nreturn",
    ),
}

STAYS = {
    "an arm that parts lanes, and more to run together": (
        FEW + "if %odd { if %few nojoin { SEE 1 } else { SEE 2 } }\nif %odd { SEE 3 }\nreturn"
    ),
    "a break of the first if": FEW + "if %odd as @s { if %few nojoin { break @s }\nSEE 1 }\nif %odd { SEE 2 }\nreturn",
    "a ballot between them": ODD + "if %odd { SEE 1 }\nSEE 2\nif %odd { SEE 3 }\nreturn",
    "a load between them": ODD + "if %odd { SEE 1 }\n%x = Load %slot : u32\nif %odd { Store %slot, %x }\nreturn",
    "arithmetic on a phi between them": (
        ODD + "if %odd { pad t1:\n} else { pad e1:\n}\npad m:\n%p = Phi 1u t1, 2u e1 : u32\n%x = IAdd %p, 3u : u32\n"
        "if %odd { Store %slot, %x }\nreturn"
    ),
    "a phi between them that a continue takes along": (
        FEW + "pad pre:\nloop @l { pad h:\n%i = Phi 0u pre, %n latch : u32\n%c = UGreaterThan %i, 2u : bool\n"
        "if %c nojoin { break @l }\nif %odd { pad t:\n} else { pad e:\nSEE 1 }\n%p = Phi 1u t, 2u e : u32\n"
        "if %odd { SEE 2\ncontinue @l }\nSEE 3 } continuing { pad latch:\n%n = IAdd %i, %p : u32\n}\nreturn"
    ),
    "another condition": FEW + "if %odd { SEE 1 }\nif %few { SEE 2 }\nreturn",
    "the first is not merged": ODD + "if %odd nojoin { SEE 1 } else { SEE 2 }\nif %odd { SEE 3 }\nSEE 4\nreturn",
    "the second is not merged": ODD + "if %odd { SEE 1 }\nif %odd nojoin { SEE 2 } else { SEE 3 }\nSEE 4\nreturn",
}


@pytest.mark.parametrize("name", MERGES)
def test_merges(name: str) -> None:
    before, after = MERGES[name]
    assert renamed(rewritten(before, "merge-ifs")) == renamed(main_text(body(after)))


@pytest.mark.parametrize("name", STAYS)
def test_stays(name: str) -> None:
    assert stays(STAYS[name], "merge-ifs") == []


def test_the_join_that_keeps_two_ifs_apart_matters() -> None:
    """By hand, lanes 0 to 3: the odd lanes 1 and 3 part at the unmerged if (few: lane 1). Between two ifs they meet, so
    both see 0b1010; in one arm they would not."""
    two = body(STAYS["an arm that parts lanes, and more to run together"])
    one = body(FEW + "if %odd { if %few nojoin { SEE 1 } else { SEE 2 }\nSEE 3 }\nreturn")
    assert results(two)[0][2][:4] == [0, 31 * 0b0010 + 0b1010, 0, 31 * 0b1000 + 0b1010]
    assert results(one)[0][2][:4] == [0, 31 * 0b0010 + 0b0010, 0, 31 * 0b1000 + 0b1000]


def test_a_row_inside_a_row() -> None:
    """The inner ifs come to stand beside each other when the outer ones merge, and merge in the next round."""
    before = FEW + "if %odd { if %few { SEE 1 } }\nif %odd { if %few { SEE 2 } }\nreturn"
    after = rewritten(before, "merge-ifs, simplify-cfg")
    assert after.count("if %odd") == 1
    assert after.count("if %few") == 1
