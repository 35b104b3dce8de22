"""Undefined values, on one side of a variable that nothing was stored to and on the other OpUndef: where the first
program uses such a value once, it may be whatever the second one's is there; used twice, it is the same both times."""

import pytest
from kit.programs.pair_frame import module_text
from kit.proving import proved_by_terms

from reknit.ir.text.parser import parse

VARIABLE = "%v = Variable Function : ptr<Function, u32>"
FAR = "%far = ULessThan %lane, 3u : bool\n"
STORED = FAR + "if %far {\nStore %v, 7u\n}\n%x = Load %v : u32\n"
PHI = FAR + "if %far {\n%l:\n} else {\n%r:\n}\n%m:\n%x = Phi 7u %l, undef<u32> %r : u32\n"
ADDED = "%s = IAdd %x, 1u : u32\nOUT %s"
AGAIN = "%y = Load %v : u32\n"
LOOP = """loop @l {{
%c = IEqual {{u}}, 9u : bool
if %c {{ break @l }}
{}
}} continuing {{
}}
"""
EQUAL = {
    "stored": (STORED + "OUT %x", PHI + "OUT %x"),
    "added to": (STORED + ADDED, PHI + ADDED),
    "one for each of two branches": (
        FAR + "if %far {\n%x = Load %v : u32\nOUT %x\n} else {\n%y = Load %v : u32\nOUT %y\n}",
        FAR + "if %far {\nOUT undef<u32>\n} else {\nOUT undef<u32>\n}",
    ),
}  # fmt: skip
DIFFERENT = {
    "stored twice": (STORED + "OUT %x\nOUT %x", FAR + "OUT undef<u32>\nOUT undef<u32>"),
    "loaded twice": (STORED + AGAIN + "%s = ISub %x, %y : u32\nOUT %s", PHI + "%s = ISub %x, undef<u32> : u32\nOUT %s"),
    "in every iteration": (
        LOOP.format("%x = Load %v : u32\nOUT %x"), LOOP.format("OUT undef<u32>"),
    ),
    "defined before": (STORED.replace("if %far {", "if true {") + "OUT %x", PHI + "OUT %x"),
}  # fmt: skip


def is_proved(bodies: tuple[str, str]) -> bool:
    before, after = (
        parse(module_text(body, other, locals=VARIABLE)) for body, other in (bodies, bodies[::-1])
    )  # fmt: skip
    return proved_by_terms(before, after)


@pytest.mark.parametrize("name", EQUAL)
def test_used_once(name: str) -> None:
    assert is_proved(EQUAL[name])


@pytest.mark.parametrize("name", DIFFERENT)
def test_used_twice(name: str) -> None:
    assert not is_proved(DIFFERENT[name])
