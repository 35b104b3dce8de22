"""What invocations from several paths of an unmerged construct would run together behind it."""

import re

import pytest
from kit.text.pass_texts import body

from reknit.analysis.manager import Analyses
from reknit.analysis.meetings import runs_together
from reknit.analysis.tangled import Tangled
from reknit.ir.instr import Instr
from reknit.ir.tree import If
from reknit.ir.walk import constructs

ODD = "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n%few = ULessThan %lane, 3u : bool\n"
SEEN = "%who = GroupNonUniformBallot 3u, true : vec4<u32>\n"
TWO = "if %odd nojoin {\nSTORE 1\n} else {\nSTORE 2\n}\n"

CASES: dict[str, tuple[str, str]] = {
    "right behind it": (TWO + SEEN + "return", "who"),
    "nothing of the kind": (TWO + "STORE 3\nreturn", ""),
    "of which one path leads there": ("if %odd nojoin {\nreturn\n} else {\nSTORE 2\n}\n" + SEEN + "return", ""),
    "the first of two": (TWO + SEEN + SEEN.replace("who", "late") + "return", "who"),
    "in one arm of what follows": (TWO + "if %few {\n" + SEEN + "}\nreturn", "who"),
    "in the other arm, behind one that two paths lead to again": (
        TWO + "if %few nojoin {\nif %odd nojoin {\nSTORE 3\n} else {\nSTORE 4\n}\nb9:\nreturn\n} else {\n"
        + SEEN + "}\nreturn",
        "who",
    ),
    "behind a merge that all of them come to": ("if %few {\n" + TWO + "b9:\n}\n" + SEEN + "return", ""),
    "behind the end of an if without one": ("if %few nojoin {\n" + TWO + "b9:\n}\n" + SEEN + "return", "who"),
    "in a loop's iteration": ("loop @l {\n" + TWO + SEEN + "if %few {\nbreak @l\n}\n} continuing {\n}\nreturn", "who"),
    "at a loop's continue target, where they meet": (
        "loop @l {\n" + TWO + "if %few {\nbreak @l\n}\n} continuing {\n" + SEEN + "}\nreturn", "",
    ),
    "behind the loop": ("loop @l {\n" + TWO + "if %few {\nbreak @l\n}\n} continuing {\n}\n" + SEEN + "return", ""),
    "in the continue construct, and its own target is no meeting": (
        "loop @l {\nif %few {\nbreak @l\n}\n} continuing {\n" + TWO + SEEN + "}\nreturn", "who",
    ),
    "behind a switch that they are in a case of": (
        "switch %lane {\ncase 1: {\n" + TWO + "b9:\n}\ndefault: {\n}\n}\n" + SEEN + "return", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("title", CASES)
def test_runs_together(title: str) -> None:
    text, expected = CASES[title]
    module = body(ODD + re.sub(r"STORE (\d)", r"Store %slot, \1u", text))
    asked = [each for each in constructs(module.functions[0]) if isinstance(each, If) and not each.merged]
    first = next(each for each in asked if isinstance(each.condition, Instr) and each.condition.name == "odd")
    found = runs_together(first, Analyses(module).of_module(Tangled))
    assert (found.name if found is not None else "") == expected
