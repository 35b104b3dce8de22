"""Which construct a jump has to leave first, because SPIR-V can't write it as it is: by the structured exits of
SPIR-V 1.6, 2.11, a case each.

A branch leaves a construct for the merge block or continue target of the innermost loop, the merge block of the
innermost switch (a merged scope is written as one), the next case, or the merge block of a selection that is no if's.
"""

import pytest

from reknit.ir.block import Block
from reknit.ir.jump import Break, Continue, Fallthrough
from reknit.ir.text.parser import parse
from reknit.ir.walk import blocks, constructs
from reknit.passes.crossed import around, crossed_construct

IF = "if %c as @i {{ {} }}"
NOJOIN = "if %c as @n nojoin {{ {} }}"
LOOP = "loop @m {{ {} }} continuing {{ }}"
SWITCH = "switch %k as @w {{ case 0: {{ {} }} default: {{ }} }}"
SCOPE = "scope @s {{ {} }}"
BARE = "scope @b nojoin {{ {} }}"

CASES = [
    # (constructs from the outside in, the jump, what it crosses first)
    ([SCOPE], "break @s", None),
    ([SCOPE, IF], "break @s", None),  # through selections to a merge block that is no if's
    ([SCOPE, NOJOIN], "break @s", None),
    ([SCOPE, LOOP], "break @s", "m"),
    ([SCOPE, LOOP, IF], "break @s", "m"),
    ([SCOPE, SWITCH], "break @s", "w"),
    ([SCOPE, SWITCH, LOOP], "break @s", "m"),
    ([SCOPE, LOOP, SWITCH], "break @s", "m"),  # a loop goes before all
    ([SCOPE, BARE], "break @s", None),
    ([IF], "break @i", None),
    ([IF, SCOPE], "break @i", "s"),
    ([IF, NOJOIN], "break @i", None),
    ([IF, LOOP], "break @i", "m"),
    ([IF, SWITCH], "break @i", "w"),
    ([SWITCH], "break @w", None),
    ([SWITCH, IF], "break @w", None),
    ([SWITCH, SCOPE], "break @w", "s"),
    ([SWITCH, BARE], "break @w", None),
    ([SWITCH, LOOP], "break @w", "m"),
    ([LOOP], "break @m", None),
    ([LOOP, IF], "break @m", None),
    ([LOOP, SWITCH], "break @m", None),
    ([LOOP, SCOPE, SWITCH], "continue @m", None),
    ([LOOP, SWITCH, IF], "continue @m", None),
    ([BARE, IF], "break @b", "i"),  # the end of what has no merge block
    ([BARE], "break @b", None),
]


def jumping(nested: list[str], jump: str) -> tuple[Block, list[str]]:
    text = jump
    for each in reversed(nested):
        text = each.format(text)
    function = parse(f"func @f(%c: bool, %k: u32) {{\n{text}\nreturn\n}}\n").functions[0]
    found = [block for block in blocks(function) if isinstance(block.jump, (Break, Continue, Fallthrough))]
    assert len(found) == 1
    return found[0], [each.name for each in constructs(function)]


@pytest.mark.parametrize(("nested", "jump", "crossed"), CASES)
def test_what_is_left_first(nested: list[str], jump: str, crossed: str | None) -> None:
    block, _ = jumping(nested, jump)
    found = crossed_construct(block)
    assert (found.name if found is not None else None) == crossed


def test_two_loops_and_a_selection_between() -> None:
    inner = "loop @o {{ {} }} continuing {{ }}"
    for jump in ("break @o", "continue @o"):
        block, _ = jumping([inner, IF, LOOP], jump)
        found = crossed_construct(block)
        assert found is not None and found.name == "m"
        block, _ = jumping([inner, IF, SCOPE], jump)
        assert crossed_construct(block) is None


def test_a_fallthrough_leaves_selections_too() -> None:
    for nested, crossed in (("{}", None), (IF, "i"), (NOJOIN, None), (LOOP, "m"), (SCOPE, "s"), (BARE, None)):
        text = f"switch %k as @w {{ case 0: {{ {nested.format('fallthrough')} }} default: {{ }} }}"
        function = parse(f"func @f(%c: bool, %k: u32) {{\n{text}\nreturn\n}}\n").functions[0]
        (block,) = [block for block in blocks(function) if isinstance(block.jump, Fallthrough)]
        found = crossed_construct(block)
        assert (found.name if found is not None else None) == crossed, nested


def test_other_ends_cross_nothing() -> None:
    function = parse("func @f(%c: bool) {\nscope @s {\nif %c {\nreturn\n}\n}\nreturn\n}\n").functions[0]
    assert [crossed_construct(block) for block in blocks(function)] == [None] * len(blocks(function))


def test_what_is_around() -> None:
    block, names = jumping([SCOPE, SWITCH, IF], "break @s")
    found: list[str] = []
    construct = around(block.region)
    while construct is not None:
        found.append(construct.name)
        construct = around(construct.region)
    assert found == ["i", "w", "s"] == names[::-1]
