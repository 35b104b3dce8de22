"""One level at a time: every kind of jump over several constructs, what it becomes and what the invocations see."""

import pytest
from kit import oracles
from kit.programs.switches import digits, main, shader
from kit.random.trees import program

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.printer import print_function
from reknit.ir.tree import Case, Construct, Region
from reknit.ir.value import Node
from reknit.ir.walk import blocks, constructs, nodes
from reknit.passes.crossed import crossed_construct
from reknit.passes.eliminate_multi_level_breaks import Spans
from reknit.passes.manager import run_passes
from reknit.spirv.write import write_module

PASSES = "eliminate-phis, eliminate-multi-level-breaks"
COUNTER = "%i = Variable Function : ptr<Function, u32>\n%j = Variable Function : ptr<Function, u32>"


def lowered(module: Module) -> str:
    run_passes(module, PASSES)
    assert [block for block in blocks(main(module)) if crossed_construct(block) is not None] == []
    text = print_function(main(module))
    accepted, message = oracles.validate(write_module(module))
    assert accepted, message
    return text


def stays(body: str, head: str = "") -> None:
    module = shader(body, head=head)
    before = print_function(main(module))
    assert lowered(module) == before


def counted(name: str, variable: str, trips: int, body: str, last: str = "") -> str:
    """A loop of that many trips around `body`; `last` stands in its continuing part."""
    return f"""
    Store %{variable}, 0u
    loop @{name} {{
      %{name}_n = Load %{variable} : u32
      %{name}_c = UGreaterThanEqual %{name}_n, {trips}u : bool
      if %{name}_c nojoin {{
        break @{name}
      }}
{body}
    }} continuing {{
{last}
      %{name}_o = Load %{variable} : u32
      %{name}_p = IAdd %{name}_o, 1u : u32
      Store %{variable}, %{name}_p
    }}
    """


def when(name: str, value: int, jump: str) -> str:
    return f"""
    %{name} = IEqual %pick, {value}u : bool
    if %{name} {{
      {jump}
    }}
    """


def test_what_spirv_can_write_stays() -> None:
    through_selections = f"switch %kind as @s {{\ncase 0: {{\n{when('c', 1, 'break @s')}\nSEE\n}}\ndefault: {{\n}}\n}}"
    stays(through_selections)
    stays(counted("l", "i", 2, through_selections.replace("break @s", "continue @l")), COUNTER)
    stays(counted("l", "i", 2, through_selections.replace("break @s", "break @l")), COUNTER)


def test_break_of_an_outer_loop() -> None:
    inner = counted("in", "j", 2, when("c", 1, "break @out") + "SEE\n")
    module = shader(counted("out", "i", 2, inner + "SEE\n"), head=COUNTER)
    before = digits(module, [0], [0, 1, 0, 0])
    # by hand: column 1 leaves both loops at once; the others make 2 calls and 1 a trip, twice (d, bits 1, 4 and 8)
    assert before == [["ddddddf", "f", "ddddddf", "ddddddf"]]
    text = lowered(module)
    assert digits(module, [0], [0, 1, 0, 0]) == before
    assert text.count("IEqual") == 2  # the source's, and one test for the one construct crossed


def test_continue_of_an_outer_loop_and_a_stale_level() -> None:
    """In the second trip the inner loop is left the ordinary way: the level of the first must not be there any more."""
    first = """
    %trip = Load %i : u32
    %one = IEqual %pick, 1u : bool
    %zero = IEqual %trip, 0u : bool
    %go = LogicalAnd %one, %zero : bool
    if %go {
      continue @out
    }
    SEE
    """
    module = shader(counted("out", "i", 2, counted("in", "j", 1, first) + "SEE\n", "SEE\n"), head=COUNTER)
    before = digits(module, [0], [0, 1, 0, 0])
    # by hand, column 0: trip 1: d in the inner loop, d after it, f in the continuing part; trip 2: f, f, f; then f
    assert before == [["ddfffff", "fffff", "ddfffff", "ddfffff"]]
    lowered(module)
    assert digits(module, [0], [0, 1, 0, 0]) == before


def test_break_of_a_switch_from_a_loop_in_it() -> None:
    loop = counted("l", "i", 2, when("c", 1, "break @s") + "SEE\n")
    module = shader(f"switch %kind as @s {{\ncase 0: {{\n{loop}\nSEE\n}}\ndefault: {{\n}}\n}}", head=COUNTER)
    before = digits(module, [0], [0, 1, 0, 0])
    assert before == [["dddf", "f", "dddf", "dddf"]]  # by hand: two trips and the call after the loop, without column 1
    lowered(module)
    assert digits(module, [0], [0, 1, 0, 0]) == before


def test_break_of_an_outer_switch_and_of_an_outer_scope() -> None:
    for outer in ("switch %kind as @s {\ncase 0: {\nBODY\n}\ndefault: {\n}\n}", "scope @s {\nBODY\n}"):
        inner = "switch %pick {\ncase 1: {\nSEE\nbreak @s\n}\ndefault: {\n}\n}\nSEE"
        module = shader(outer.replace("BODY", inner))
        before = digits(module, [0], [0, 1, 0, 0])
        assert before == [["df", "2f", "df", "df"]]
        lowered(module)
        assert digits(module, [0], [0, 1, 0, 0]) == before


def test_where_all_leave_there_is_no_test() -> None:
    """Every case of the switch leaves @far, so nobody is left for whom a test behind it would fail; an OpUnreachable
    there could not stand in a continue construct (SPIR-V 1.6, 2.11). Lanes with pick 1 go by case 1."""
    inner = "switch %pick {\ncase 1: {\nSEE\nbreak @far\n}\ndefault: {\nbreak @far\n}\n}\nunreachable"
    body = counted("l", "i", 2, "SEE", f"%yes = ULessThan %pick, 2u : bool\nif %yes as @far {{\n{inner}\n}}")
    module = shader(body, head=COUNTER)
    before = digits(module, [0], [0, 1, 0, 0])
    assert before == [["fff", "f2f2f", "fff", "fff"]]
    text = lowered(module)
    assert "unreachable" not in text and "IEqual %level" not in text
    assert digits(module, [0], [0, 1, 0, 0]) == before


def test_break_of_a_selection_through_another() -> None:
    body = f"if %yes as @far {{\n{when('c', 1, 'break @far')}\nSEE\n}}"
    module = shader("%yes = IEqual %kind, 0u : bool\n" + body)
    before = digits(module, [0], [0, 1, 0, 0])
    assert before == [["df", "f", "df", "df"]]
    lowered(module)
    assert digits(module, [0], [0, 1, 0, 0]) == before


def test_fallthrough_through_a_selection_joins_as_before() -> None:
    case = when("c", 1, "fallthrough") + "SEE\n"
    module = shader(f"switch %kind as @s {{\ncase 0: {{\n{case}}}\ncase 1: {{\nNOTE 7u\n}}\ndefault: {{\n}}\n}}")
    before = digits(module, [0], [0, 1, 0, 0])
    assert before == [["df", "7f", "df", "df"]]
    lowered(module)
    assert digits(module, [0], [0, 1, 0, 0]) == before


def test_three_levels_and_two_destinations_share_one_variable() -> None:
    deep = when("c", 1, "break @a") + when("d", 2, "continue @a") + "SEE\n"
    inner = f"scope @x {{\n{deep}\n}}\nSEE\n"
    module = shader(counted("a", "i", 2, counted("b", "j", 1, inner) + "SEE\n", "SEE\n"), head=COUNTER)
    before = digits(module, [0], [0, 1, 2, 0])
    # by hand: columns 0 and 3 (9) make three calls a trip; with column 2 (d) they meet in the continuing part.
    # Their nine digits are one more than a word holds.
    assert before == [["99d999df", "f", "ddf", "99d999df"]]
    text = lowered(module)
    assert digits(module, [0], [0, 1, 2, 0]) == before
    assert text.count(" = Variable Function : ptr<Function, i32>") == 1


@pytest.mark.parametrize("jump, seen", [("break @a", "f"), ("return", "0")])
def test_what_leaves_from_a_continuing_part(jump: str, seen: str) -> None:
    """A continue construct can be left at its end alone, so the part moves to the end of the body."""
    ends = "END\nreturn" if jump == "return" else jump
    inner = counted("b", "j", 2, "SEE\n", when("c", 1, ends) + "SEE\n")
    module = shader(counted("a", "i", 1, inner), head=COUNTER)
    before = digits(module, [0], [0, 1, 0, 0])
    # by hand: a first trip together (f), then column 1 leaves; the others finish it, and make another (d, d, d)
    others = "fddd" + ("d" if jump == "return" else "f")
    assert before == [[others, "f" + seen if seen != "0" else "f", others, others]]
    lowered(module)
    assert digits(module, [0], [0, 1, 0, 0]) == before


@pytest.mark.parametrize("skip", ["", when("d", 2, "continue @l")])
def test_who_parted_in_the_body_meets_in_a_continuing_part_that_moves(skip: str) -> None:
    """Nobody waits after the branch, so the end of the iteration is where they meet, with a `continue` or without."""
    body = f"""
    Store %i, 0u
    loop @l {{
      %c = IEqual %pick, 1u : bool
      if %c nojoin {{
      }}
      SEE
{skip}
    }} continuing {{
      SEE
      %n = Load %i : u32
      %enough = UGreaterThanEqual %n, 1u : bool
      if %enough nojoin {{
        break @l
      }}
      Store %i, 1u
    }}
    """
    module = shader(body, head=COUNTER)
    before = digits(module, [0], [0, 1, 2, 0])
    # by hand, a trip: column 1 (2) and the others (d) are apart in the body, together (f) in the continuing part
    assert before == [["dfdff", "2f2ff", "dfdff", "dfdff"]]
    lowered(module)
    assert digits(module, [0], [0, 1, 2, 0]) == before


def test_a_value_that_a_jump_goes_around_is_carried_by_a_variable() -> None:
    body = """
    scope @far {
      loop @l {
        %x = IAdd %pick, 2u : u32
        SEE
        %c = IEqual %pick, 1u : bool
        if %c {
          break @far
        }
        break @l
      } continuing {
      }
      NOTE %x
    }
    """
    module = shader(body)
    before = digits(module, [0], [0, 1, 3, 0])
    assert before == [["f2f", "ff", "f5f", "f2f"]]
    lowered(module)
    assert digits(module, [0], [0, 1, 3, 0]) == before


def test_all_that_leave_the_same_construct_next_do_so_by_one_test() -> None:
    """Behind @in, columns 1 and 2 both go on by `break @mid`; behind @mid, column 2 alone leaves @out."""
    jumps = when("c", 1, "break @mid") + when("d", 2, "break @out") + "SEE\n"
    mid = "scope @mid {\nSEE\n" + counted("in", "j", 1, jumps) + "SEE\n}\nSEE\n"
    module = shader("scope @out {\n" + mid + "}\nSEE", head=COUNTER)
    before = digits(module, [0], [0, 1, 2, 0])
    # by hand: all four in @mid (f); columns 0 and 3 in @in and behind it (9, 9); without column 2 behind @mid (b); all
    # behind @out (f) and at the end (f)
    assert before == [["f99bff", "fbff", "fff", "f99bff"]]
    text = lowered(module)
    assert digits(module, [0], [0, 1, 2, 0]) == before
    assert text.count("UGreaterThanEqual") == 1 + 1  # the loop's, and the one behind @in
    assert text.count("IEqual") == 2 + 1  # the source's, and the one behind @mid


@pytest.mark.parametrize("seed", range(12))
def test_what_is_used_outside_of_a_construct(seed: int) -> None:
    """Against the definition: some construct around the value, of those that are left, is not around a user."""
    for function in program(seed).functions:
        every = {construct: around(construct.region) for construct in constructs(function)}
        chosen = dict.fromkeys(list(every)[seed % 3 :: 2])
        spans = Spans(function, chosen)
        for block in [node for node in nodes(function) if isinstance(node, Block)]:
            holders = [one for one in around(block.region) if one in chosen]
            assert (spans.holders.get(block) in holders) is bool(holders)
            for instr in block:
                users = [user.block if isinstance(user, Instr) else user for user in instr.users]
                wanted = any(
                    holder not in around(user.region) for holder in holders for user in users if isinstance(user, Node)
                )
                assert (bool(holders) and spans.is_used_outside(instr, spans.holders[block])) is wanted


def around(region: Region | None) -> list[Construct]:
    found: list[Construct] = []
    while region is not None and not isinstance(region.owner, Function):
        owner = region.owner.switch if isinstance(region.owner, Case) else region.owner
        assert isinstance(owner, Construct)
        found.append(owner)
        region = owner.region
    return found
