"""unify-returns: what its document doesn't show, from nested loops to phis; the ballots come from the simulator."""

from kit.proving import assert_refines
from kit.text.pass_texts import apply, body

from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function, print_module
from reknit.ir.verify import verify
from reknit.passes.manager import run_passes
from reknit.passes.unify_returns import UNIFY_RETURNS
from reknit.source.explain import page

ODD = "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n"


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
    before = module.copy()
    run_passes(module, "unify-returns")
    text = print_function(module.functions[0])
    assert text.count("return") == 1 and "if %odd {\n          SEE" not in text
    assert_refines(before, module)
    run_passes(module, "eliminate-phis, eliminate-multi-level-breaks, promote-variables")
    assert_refines(before, parse(print_module(module)))
    lowered = print_function(module.functions[0])
    # after the inner loop and after the outer one the flag is asked, as C19 has it
    assert lowered.count("return") == 1 and lowered.count("IEqual %") == 2


def callee(inside: str) -> str:
    return f"func @f(%n: u32) -> u32 {{\n%odd_bit = BitwiseAnd %n, 1u : u32\n{inside}\n}}\n"


def test_a_phi_after_the_block_before_knows_its_new_way_in() -> None:
    """The loop is entered from the scope's first block now."""
    loop = COUNTED.format(name="l", before="start", latch="latch", trips=3, body="SEE 1\nif %odd { return }")
    module = body(ODD + "start:\n" + loop + "SEE 2\nreturn")
    before = module.copy()
    assert apply(module, UNIFY_RETURNS)[0] and verify(module) == []
    assert_refines(before, module)


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
