"""What RK2501 is about, and what `assume` makes of it: 32 lanes run a waterfall, with a ballot behind the loop's exit.

    head: c = i == limit; go to work if c, else to latch      latch: i = i + 1, back to head      work: SEE 1; go to end

Read as inside, those who leave in one iteration see each other; as outside, all of a subgroup of four (0b1111).
"""

import pytest
from kit.oracles import need, validate
from kit.text.flat_texts import flat

from reknit.passes.manager import Report, run_passes
from reknit.sim.run import run
from reknit.spirv.write import write_module

LOOP = """
  %v = Variable Function : ptr<Function, u32>
  Store %v 0u
  {limit}
  Branch %head
%head:
  %i = Load %v : u32
  %c = IEqual %i %limit : bool
  BranchConditional %c %work %latch
%latch:
  %j = IAdd %i 1u : u32
  Store %v %j
  Branch %head
%work:
  Branch %more
%more:
  SEE 1
  Branch %end
%end:
  return
"""
BY_LANE = "%limit = BitwiseAnd %lane 1u : u32"
LIMITS = {
    "a constant": ("%limit = IAdd 3u 1u : u32", False),
    "the lane": (BY_LANE, True),
    "a ballot": (
        "%who = GroupNonUniformBallot 3u true : vec4<u32>\n  %low = CompositeExtract %who 0 : u32\n"
        "  %limit = BitwiseAnd %low 7u : u32",
        False,
    ),
    "what is read from memory that is written": ("%limit = Load %slot : u32", True),
}


def ran(text: str, assume: str = "outside") -> tuple[list[int], Report]:
    module = flat(text)
    report = run_passes(
        module, f"structurize{{assume={assume}}}, eliminate-phis, eliminate-multi-level-breaks, promote-variables"
    )
    need("slang-glslang")
    accepted, message = validate(write_module(module))
    assert accepted, message
    return list(run(module, subgroup_size=4).buffers["out"].words[:4]), report


def codes(report: Report) -> list[str]:
    return [note.code for note in report.notes()]


@pytest.mark.parametrize("limit", LIMITS)
def test_reported_only_where_lanes_may_leave_in_different_iterations(limit: str) -> None:
    line, told = LIMITS[limit]
    _, report = ran(LOOP.format(limit=line))
    assert codes(report) == (["RK2501"] if told else [])


def test_both_readings_are_named_and_the_one_that_was_taken() -> None:
    for assume, ballots in (("outside", [0b1111] * 4), ("inside", [0b0101, 0b1010, 0b0101, 0b1010])):
        words, report = ran(LOOP.format(limit=BY_LANE), assume)
        assert words == ballots
        note = report.notes()[0]
        assert codes(report) == ["RK2501"]
        assert "(inside)" in note.message and "(outside)" in note.message and f"read as {assume}" in note.message
        assert "member" in note.help and "structurize{assume=inside}" in note.help


def test_every_operation_behind_is_decided() -> None:
    """Not the exit's first block alone: `more`, and what comes behind that, are run by iterations as well."""
    text = LOOP.format(limit=BY_LANE).replace("%more:\n  SEE 1\n", "%more:\n")
    text = text.replace("%end:\n", "%end:\n  Branch %last\n%last:\n  SEE 1\n")
    assert ran(text, "outside")[0] == [0b1111] * 4
    assert ran(text, "inside")[0] == [0b0101, 0b1010, 0b0101, 0b1010]


def test_what_the_input_says_is_not_assumed_otherwise() -> None:
    text = LOOP.format(limit=BY_LANE).replace("%head:\n", "%head: member %head\n")
    words, report = ran(text, "inside")
    assert words == [0b1111] * 4 and codes(report) == []


def test_an_exit_that_all_who_are_left_take_leaves_nothing_open() -> None:
    """Lanes leave one by one for `left`, where nothing is seen; all who are still there after 3 rounds go to `work`."""
    text = """
  %v = Variable Function : ptr<Function, u32>
  Store %v 0u
  Branch %head
%head:
  %i = Load %v : u32
  %c = IEqual %i 3u : bool
  BranchConditional %c %work %test
%test:
  %k = BitwiseAnd %lane 1u : u32
  %mine = IEqual %i %k : bool
  BranchConditional %mine %left %latch
%latch:
  %j = IAdd %i 1u : u32
  Store %v %j
  Branch %head
%work:
  SEE 1
  return
%left:
  return
"""
    assert codes(ran(text)[1]) == []
    other = text.replace("%work:\n  SEE 1\n", "%work:\n").replace("%left:\n", "%left:\n  SEE 1\n")
    assert codes(ran(other)[1]) == ["RK2501"]


def test_a_value_from_a_loop_that_lanes_leave_one_by_one_differs_behind_it() -> None:
    """The second loop is left after as many rounds as the first one took, which differs: two notes."""
    text = """
  %v = Variable Function : ptr<Function, u32>
  Store %v 0u
  Branch %first_head
%first_head:
  %i = Load %v : u32
  %c = UGreaterThanEqual %i %lane : bool
  BranchConditional %c %between %first_latch
%first_latch:
  %j = IAdd %i 1u : u32
  Store %v %j
  Branch %first_head
%between:
  Branch %head
%head:
  %rounds = Load %v : u32
  %end = IEqual %rounds 0u : bool
  BranchConditional %end %work %latch
%latch:
  %less = ISub %rounds 1u : u32
  Store %v %less
  Branch %head
%work:
  SEE 1
  return
"""
    assert codes(ran(text)[1]) == ["RK2501", "RK2501"]
    assert codes(ran(text.replace("%i %lane", "%i 5u"))[1]) == []


SCATTERED = """
  %v = Variable Function : ptr<Function, u32>
  Store %v 0u
  Branch %head
%head:
  %i = Load %v : u32
  %c = IEqual %i 3u : bool
  BranchConditional %c %early %test
%test:
  %k = BitwiseAnd %lane 3u : u32
  %mine = IEqual %i %k : bool
  BranchConditional %mine %aside %last
%last:
  %d = IEqual %i 4u : bool
  BranchConditional %d %late %latch
%latch:
  %j = IAdd %i 1u : u32
  Store %v %j
  Branch %head
%early:
  Branch %work
%late:
  Branch %work
%work:
  SEE 1
  return
%aside:
  return
"""


def test_of_two_exits_that_all_take_the_first_is_taken() -> None:
    """Lanes leave one by one for `aside`; the others all at `head`, and else all at `last`: `work` is run at once. If
    the lanes of `aside` go there too, it isn't."""
    assert codes(ran(SCATTERED)[1]) == []
    assert codes(ran(SCATTERED.replace("%aside:\n  return", "%aside:\n  Branch %work"))[1]) == ["RK2501"]


def test_an_exit_that_nobody_takes_leaves_nothing_open() -> None:
    """The lane's bits 1 and 2 are never 1: nobody leaves for `aside`, and so all leave at once."""
    text = SCATTERED.replace("%aside:\n  return", "%aside:\n  Branch %work")
    assert codes(ran(text.replace("%lane 3u", "%lane 6u").replace("IEqual %i %k", "IEqual 2u %k"))[1]) == ["RK2501"]
    assert codes(ran(text.replace("%lane 3u", "%lane 6u").replace("IEqual %i %k", "IEqual 1u %k"))[1]) == []


def test_a_loop_that_nobody_repeats_leaves_nothing_open() -> None:
    """Lanes part at `head`, and those that go to `latch` come back if bit 0 is the number: 1 it is, 2 it never is."""
    text = LOOP.format(limit=BY_LANE).replace("Branch %head\n%work", "BranchConditional %again %head %end\n%work")
    text = text.replace("%j = IAdd", "%again = IEqual %limit {}u : bool\n  %j = IAdd")
    assert codes(ran(text.format(2))[1]) == []
    assert codes(ran(text.format(1))[1]) == ["RK2501"]
