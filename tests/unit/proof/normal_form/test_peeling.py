"""Loops of which one version has written iterations out: proved where they are the loop's, by hand and by the passes.

Each iteration ballots among the lanes whose number is above the iteration's, so that iterations differ; the versions
with one iteration too few, another order, one ballot for two iterations, or lanes united that the loop keeps apart
store something else in some lane, by the arithmetic that the version's comment names.
"""

import pytest
from kit.programs.miscompiles import shader
from kit.proving import finding

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.manager import run_passes

BODY = "%h{k} = UGreaterThan %four, {n} : bool\nif %h{k} {{\nSEE s{k}\n}}"


def loop(limit: str, start: int = 0, name: str = "l") -> str:
    """Iterations `start`, `start` + 1, .. below `limit`."""
    body = BODY.format(k=name, n=f"%{name}n")
    return (
        f"Store %i, {start}u\nloop @{name} {{\n%{name}n = Load %i : u32\n"
        f"%{name}done = UGreaterThanEqual %{name}n, {limit} : bool\nif %{name}done nojoin {{\nbreak @{name}\n}}\n"
        f"{body}\n}} continuing {{\n%{name}m = Load %i : u32\n"
        f"%{name}next = IAdd %{name}m, 1u : u32\nStore %i, %{name}next\n}}"
    )


def written_out(*numbers: int) -> str:
    return "\n".join([BODY.format(k=at, n=f"{number}u") for at, number in enumerate(numbers)])


def guarded(limit: str, number: int, rest: str) -> str:
    """Iteration `number` for those who come so far, then the rest."""
    return f"%g{number} = ULessThan {number}u, {limit} : bool\nif %g{number} {{\n{written_out(number)}\n{rest}\n}}"


def proved(before: str, after: str) -> bool:
    return finding(shader(before), shader(after)).proved


def test_all_iterations() -> None:
    assert proved(loop("3u"), written_out(0, 1, 2))
    assert proved(written_out(0, 1, 2), loop("3u"))


def test_the_first_iteration() -> None:
    assert proved(loop("%four"), guarded("%four", 0, loop("%four", 1)))
    assert proved(guarded("%four", 0, loop("%four", 1)), loop("%four"))


@pytest.mark.parametrize(
    "after",
    [
        written_out(0, 1),  # lanes 2 and 3 store 15, not 12 and 8
        written_out(1, 0, 2),  # lane 1 stores 15 last, which was 14
        written_out(0, 1, 1),  # lane 3 stores 14, not 12
    ],
    ids=["too few", "another order", "one twice"],
)
def test_other_iterations(after: str) -> None:
    assert not proved(loop("3u"), after)


def test_lanes_that_left_do_not_come_back() -> None:
    """Written out without asking who comes so far, lanes ballot that have left the loop."""
    assert not proved(loop("%bit"), f"{written_out(0)}\n{loop('%bit', 1)}")
    assert proved(loop("%bit"), guarded("%bit", 0, loop("%bit", 1)))


def passed(text: str, *names: str) -> tuple[Module, Module]:
    before = shader(text)
    run_passes(before, "promote-variables")
    after = parse(print_module(before))
    for name in names:
        assert run_passes(after, name).changed()
    return before, after


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (loop("3u"), "unroll-loops"),
        (loop("%four"), "peel-loops"),
        (loop("%four"), "peel-loops{count=3}"),
        (f"{loop('%four')}\n{loop('3u', 0, 'k')}", "peel-loops"),
    ],
)
def test_the_passes(text: str, name: str) -> None:
    before, after = passed(text, name)
    found = finding(before, after)
    assert found.proved and found.walked, found.text()
