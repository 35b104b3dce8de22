"""What programs leave open by themselves: undefined values that decide something, loops that never end, no effects."""

import pytest
from kit.programs.pair_frame import module_text
from kit.proving import finding, proved_by_terms

from reknit.ir.text.parser import parse

ONCE = "if undef<bool> {\nOUT 1u\n}"
TWICE = "if undef<bool> {\nOUT 1u\n}\nif undef<bool> {\nOUT 2u\n}"
PHI = "if %far {\n%l:\n} else {\n%r:\n}\n%m:\n%x = Phi undef<bool> %l, undef<bool> %r : bool\n"
ONE_FOR_BOTH = PHI + "if %x {\nOUT 1u\n}\nif %x {\nOUT 2u\n}"
COMPUTED = "%x = LogicalNot undef<bool> : bool\n"
SELECTED = "switch undef<u32> as @s {\ncase 0: {\nOUT 1u\n}\ncase 1: {\nOUT 2u\n}\ndefault: {\n}\n}"
STORED = "%y = IAdd undef<u32>, {u} : u32\nOUT %y\nOUT %{}"
ADDED_AGAIN = STORED.replace("OUT %{}", "%z = IAdd undef<u32>, {u} : u32\nOUT %z")
ASKED_AGAIN = "if {} {\n%b = Select {}, 1u, 0u : u32\nOUT %b\n}"
ENDLESS = "if %far {\nloop @l {\n%c = IEqual {u}, 9u : bool\nif %c {\nOUT 3u\n}\n} continuing {\n}\n}\nOUT 1u"
FAR = "%far = ULessThan %lane, 3u : bool\n"
NOWHERE = "if %far {\nunreachable\n}\nOUT 1u"
EQUAL = {
    "a branch": (ONCE, ONCE),
    "two branches": (TWICE, TWICE),
    "a switch": (SELECTED, SELECTED),
    "a branch that was turned round": (ONCE, COMPUTED + "if %x {\n} else {\nOUT 1u\n}"),
    "a value, stored twice": (STORED.replace("{}", "y"), STORED.replace("{}", "y")),
    "a store": ("OUT undef<u32>", "OUT undef<u32>"),
    "a loop that never ends": (FAR + ENDLESS, FAR + ENDLESS),
    "a place that nothing may come to": (f"{FAR}{NOWHERE}", f"{FAR}{NOWHERE}"),
    "nothing but values": ("%y = IAdd {u}, 1u : u32", "%y = IAdd {u}, 2u : u32"),
}
DIFFERENT = {
    # each consumption of OpUndef is another value: one value decides both, or two do
    "one value for two branches": (FAR + ONE_FOR_BOTH, FAR + TWICE),
    "a branch more": (ONCE, TWICE),
    "a value decides, and another one is stored": (
        FAR + PHI + ASKED_AGAIN.replace("{}", "%x"), ASKED_AGAIN.replace("{}", "undef<bool>"),
    ),
    "another value at the second store": (STORED.replace("{}", "y"), ADDED_AGAIN),
    "another case": (SELECTED, SELECTED.replace("OUT 1u", "OUT 3u")),
    "undefined, and not": ("OUT 1u", "OUT undef<u32>"),
    "it need not be true": ("OUT 1u", ONCE),
    "more never leave": (FAR + ENDLESS, FAR.replace("3u", "4u") + ENDLESS),
    "all that come to it never leave": (FAR + "if %far {\n}\nOUT 1u", FAR + ENDLESS.replace("OUT 3u\n", "")),
    "a place that something may come to": ("OUT 1u", f"{FAR}{NOWHERE}"),
    "an effect more": ("%y = IAdd {u}, 1u : u32", "OUT 1u"),
    "an effect less": ("OUT 1u", "%y = IAdd {u}, 1u : u32"),
}  # fmt: skip


@pytest.mark.parametrize("name", EQUAL)
def test_what_is_equal_is_proved(name: str) -> None:
    before, after = (parse(module_text(body, EQUAL[name][0])) for body in EQUAL[name])
    assert proved_by_terms(before, after)


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_is_not_proved(name: str) -> None:
    before, after = DIFFERENT[name]
    assert not proved_by_terms(parse(module_text(before, after)), parse(module_text(after, before)))


def test_it_is_said_that_neither_has_an_effect() -> None:
    module = parse(module_text("%y = IAdd {u}, 1u : u32"))
    assert finding(module, module).text() == "neither has an effect"
