"""unify-returns: each shape of returns before and after, what stays, and that lanes meet as they did.

The expected texts are derived by hand from the picture at the head of the pass. The ballots come from the simulator,
which follows the extension by the letter.
"""

import pytest
from kit.random.trees import results
from kit.text.pass_texts import apply, body

from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function, print_module
from reknit.ir.verify import verify
from reknit.passes.manager import run_passes
from reknit.passes.unify_returns import UNIFY_RETURNS
from reknit.source.explain import page

ODD = "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n"
LOW = "%low_ = ULessThan %lane, 9u : bool\n"

REWRITES = {
    "a return in an if": (
        ODD + "if %odd { SEE 1\nreturn }\nSEE 2\nreturn",
        ODD + "scope @_1 { if %odd { SEE 1\nbreak @_1 }\nSEE 2 }\nreturn",
    ),
    "what stands before the first of them stays outside": (
        ODD + LOW + "if %low_ { SEE 1 }\nSEE 2\nif %odd { return }\nSEE 3\nreturn",
        ODD + LOW + "if %low_ { SEE 1 }\nSEE 2\nscope @_1 { if %odd { break @_1 }\nSEE 3 }\nreturn",
    ),
    "a return in every arm": (
        ODD + "if %odd { SEE 1\nreturn } else { SEE 2\nreturn }\nUNREACHED",
        ODD + "scope @_1 { if %odd { SEE 1\nbreak @_1 } else { SEE 2\nbreak @_1 }\nUNREACHED }\nreturn",
    ),
    "a return in a case": (
        "switch %lane { case 3: { SEE 1\nreturn } default: { SEE 2 } }\nSEE 3\nreturn",
        "scope @_1 { switch %lane { case 3: { SEE 1\nbreak @_1 } default: { SEE 2 } }\nSEE 3 }\nreturn",
    ),
    "kill ends the invocation, and stays": (
        ODD + LOW + "if %odd { kill }\nif %low_ { return }\nSEE 1\nreturn",
        ODD + LOW + "if %odd { kill }\nscope @_1 { if %low_ { break @_1 }\nSEE 1 }\nreturn",
    ),
    "a return of which the rest is dead": ("SEE 1\nreturn\npad dead:\nSEE 2\nreturn", "SEE 1\nreturn"),
    "an end that is not reached": (
        ODD + "if %odd { return }\nSEE 1\nif true nojoin { return }\nkill",
        ODD + "scope @_1 { if %odd { break @_1 }\nSEE 1\nif true nojoin { break @_1 }\nkill }\nreturn",
    ),
}

STAYS = {
    "one return at the end": ODD + "if %odd { SEE 1 }\nSEE 2\nreturn",
    "none at all": "SEE 1\nkill",
}

UNREACHED = "unreachable"


def text_of(text: str) -> str:
    return print_function(body(text.replace("UNREACHED", UNREACHED)).functions[0])


@pytest.mark.parametrize("title", REWRITES)
def test_rewrite(title: str) -> None:
    text, expected = REWRITES[title]
    module = body(text.replace("UNREACHED", UNREACHED))
    before = results(module)
    changed, context = apply(module, UNIFY_RETURNS)
    assert changed and not context.declined and verify(module) == []
    assert print_function(module.functions[0]) == text_of(expected)
    assert results(parse(print_module(module))) == before
    assert not apply(module, UNIFY_RETURNS)[0], "a second run finds nothing"


@pytest.mark.parametrize("title", STAYS)
def test_stays(title: str) -> None:
    module = body(STAYS[title])
    assert not apply(module, UNIFY_RETURNS)[0]
    assert print_function(module.functions[0]) == text_of(STAYS[title])


COUNTED = """
  loop @{name} {{
    %{name}i = Phi 0u {before}, %{name}n {latch} : u32
    %{name}c = UGreaterThanEqual %{name}i, {trips}u : bool
    if %{name}c nojoin {{ break @{name} }}
{body}
  }} continuing {{
  {latch}:
    %{name}n = IAdd %{name}i, 1u : u32
  }}
"""


def test_a_return_inside_nested_loops_leaves_them_one_at_a_time() -> None:
    """C19. By hand: in the first trip of both, lanes with an odd number leave for good; the others run all."""
    inner = COUNTED.format(
        name="in", before="inhead", latch="inlatch", trips=2, body="SEE 1\nif %odd { SEE 4\nreturn }\nSEE 2"
    )
    outer = COUNTED.format(name="out", before="start", latch="outlatch", trips=2, body=f"inhead:\n{inner}\nSEE 3")
    module = body(ODD + "start:\n" + outer + "SEE 5\nreturn")
    before = results(module)
    run_passes(module, "unify-returns")
    text = print_function(module.functions[0])
    assert text.count("return") == 1 and "if %odd {\n          SEE" not in text
    assert results(module) == before
    run_passes(module, "eliminate-phis, eliminate-multi-level-breaks, promote-variables")
    assert results(parse(print_module(module))) == before
    lowered = print_function(module.functions[0])
    # after the inner loop and after the outer one the flag is asked, as C19 has it
    assert lowered.count("return") == 1 and lowered.count("IEqual %") == 2


CALL = "%r = FunctionCall @f, %lane : u32\nStore %slot, %r\nreturn"


def callee(inside: str) -> str:
    return f"func @f(%n: u32) -> u32 {{\n%odd_bit = BitwiseAnd %n, 1u : u32\n{inside}\n}}\n"


def test_values_meet_in_a_phi() -> None:
    given = "%odd = INotEqual %odd_bit, 0u : bool\nif %odd {\nb1:\n%x = IAdd %n, 5u : u32\nreturn %x\n}\n"
    given += "%y = IMul %n, 3u : u32\nreturn %y"
    wanted = "%odd = INotEqual %odd_bit, 0u : bool\nscope @_1 {\nif %odd {\nb1:\n%x = IAdd %n, 5u : u32\nbreak @_1\n}\n"
    wanted += "pad b2:\n%y = IMul %n, 3u : u32\n}\npad b3:\n%r_ = Phi %x b1, %y b2 : u32\nreturn %r_"
    module = body(CALL, callee(given))
    before = results(module)
    assert UNIFY_RETURNS.run(module.functions[1], apply(module, UNIFY_RETURNS)[1])
    expected = print_function(body(CALL, callee(wanted)).functions[1]).replace("%r_", "%_2")
    assert print_function(module.functions[1]) == expected
    assert verify(module) == [] and results(module) == before


def test_the_same_value_needs_no_phi() -> None:
    given = "%odd = INotEqual %odd_bit, 0u : bool\nif %odd { return 7u }\nreturn 7u"
    wanted = "%odd = INotEqual %odd_bit, 0u : bool\nscope @_1 { if %odd { break @_1 } }\nreturn 7u"
    module = body(CALL, callee(given))
    assert UNIFY_RETURNS.run(module.functions[1], apply(module, UNIFY_RETURNS)[1])
    assert print_function(module.functions[1]) == print_function(body(CALL, callee(wanted)).functions[1])


def test_a_phi_after_the_block_before_knows_its_new_way_in() -> None:
    """The loop is entered from the scope's first block now."""
    loop = COUNTED.format(name="l", before="start", latch="latch", trips=3, body="SEE 1\nif %odd { return }")
    module = body(ODD + "start:\n" + loop + "SEE 2\nreturn")
    before = results(module)
    assert apply(module, UNIFY_RETURNS)[0] and verify(module) == [] and results(module) == before


HANDLES = """
%image = TypeImage f32 2D 0 0 0 1 Unknown
func @pick(%c: bool, %a: %image, %b: %image) -> %image {
  if %c {
    return %a
  }
  return OTHER
}
"""


def test_handles_cannot_be_in_a_phi() -> None:
    module = parse(HANDLES.replace("OTHER", "%b"))
    text = print_module(module)
    changed, context = apply(module, UNIFY_RETURNS)
    assert not changed and context.declined and [note.code for note in context.notes] == ["RK2403"]
    assert print_module(module) == text and page("RK2403") is not None
    module = parse(HANDLES.replace("OTHER", "%a"))
    assert apply(module, UNIFY_RETURNS)[0] and verify(module) == []
