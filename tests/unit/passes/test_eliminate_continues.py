"""Continues out of switches that will be lowered: what is wrapped, and who meets in the continuing part."""

from kit.programs.switches import digits, main, shader

from reknit.ir.module import Module
from reknit.ir.text.printer import print_function
from reknit.ir.tree import Loop, Scope
from reknit.ir.walk import constructs
from reknit.passes.manager import run_passes

COUNTER = "%i = Variable Function : ptr<Function, u32>"


def program(case: str, continuing: str = "SEE\n", before: str = "") -> Module:
    """Two trips around a switch whose default runs `case`."""
    step = "%o = Load %i : u32\n%p = IAdd %o, 1u : u32\nStore %i, %p\n"
    body = f"""
    Store %i, 0u
    loop @l {{
      %n = Load %i : u32
      %c = UGreaterThanEqual %n, 2u : bool
      if %c nojoin {{
        break @l
      }}
      {"" if continuing else step}
      {before}
      switch %kind as @s {{
        case 9: {{
        }}
        default: {{
          {case}
        }}
      }}
      SEE
    }} continuing {{
      {continuing + step if continuing else ""}
    }}
    """
    return shader(body, head=COUNTER)


QUITS = "SEE\n%q = IEqual %pick, 1u : bool\nif %q {\ncontinue @l\n}\n"


def scopes(module: Module) -> int:
    return sum(1 for construct in constructs(main(module)) if isinstance(construct, Scope))


def test_a_continue_in_a_switch_to_be_lowered_leaves_a_scope() -> None:
    module = program(QUITS)
    wanted = [["fdffdff", "fffff", "fdffdff", "fdffdff"]]
    # by hand: in each trip all four in the default (f), column 1 continues, the others after the switch (d), all in
    # the continuing part (f); and all four at the end
    assert digits(module, [0], [0, 1, 0, 0]) == wanted
    run_passes(module, "eliminate-phis, eliminate-continues")
    assert scopes(module) == 1
    assert not any(isinstance(found, Loop) and found.continues for found in constructs(main(module)))
    assert digits(module, [0], [0, 1, 0, 0]) == wanted
    run_passes(module, "eliminate-phis, eliminate-continues, lower-switches, eliminate-multi-level-breaks")
    assert digits(module, [0, 1, 2, 3], [0, 1, 0, 0]) == wanted


def test_a_switch_that_stays_keeps_its_continue() -> None:
    module = program(QUITS.replace("SEE", "NOTE 3u"))
    before = print_function(main(module))
    run_passes(module, "eliminate-phis, eliminate-continues")
    assert print_function(main(module)) == before
    run_passes(module, "eliminate-phis, eliminate-continues{policy=always}")
    assert scopes(module) == 1


def test_a_continuing_part_that_runs_nothing_is_as_good_as_the_next_trip() -> None:
    module = program(QUITS, continuing="")
    before = print_function(main(module))
    run_passes(module, "eliminate-phis, eliminate-continues")
    assert print_function(main(module)) == before
    run_passes(module, "eliminate-phis, eliminate-continues, lower-switches")
    assert digits(module, [0, 1, 2, 3], [0, 1, 0, 0]) == [["fdfdf", "fff", "fdfdf", "fdfdf"]]


def test_a_continue_at_the_level_of_its_loop_stays_unless_all_are_meant() -> None:
    plain = "%r = IEqual %pick, 2u : bool\nif %r {\ncontinue @l\n}\n"
    module = program("SEE\n", before=plain)
    before = print_function(main(module))
    wanted = digits(module, [0], [0, 1, 2, 0])
    run_passes(module, "eliminate-phis, eliminate-continues")
    assert print_function(main(module)) == before
    run_passes(module, "eliminate-phis, eliminate-continues{all}")
    assert scopes(module) == 1
    assert digits(module, [0], [0, 1, 2, 0]) == wanted == [["bbfbbff", "bbfbbff", "fff", "bbfbbff"]]


def test_what_stands_before_the_first_continue_stays_outside() -> None:
    module = program(QUITS)
    run_passes(module, "eliminate-phis, eliminate-continues")
    loop = next(found for found in constructs(main(module)) if isinstance(found, Loop))
    held = [type(node).__name__ for node in loop.body]
    assert held == ["Block", "If", "Block", "Scope", "Block"]
