"""cse: what its document doesn't show: calls, decorations, random programs. Ballots are derived by hand."""

import pytest
from kit.programs.values import count, proved, run_on_random
from kit.random.trees import results
from kit.text.pass_texts import apply, body

from reknit.ir import enums, op
from reknit.ir.build import new_function
from reknit.ir.instr import Instr
from reknit.ir.module import annotation
from reknit.ir.types import void_type
from reknit.ir.walk import instructions
from reknit.passes.values.cse import CSE

ODD = "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n"
POINTER = "ptr<StorageBuffer, u32>"
A = "%a = IAdd %lane, 5u : u32\n"
B = "%b = IAdd %lane, 5u : u32\n"
BALLOT = "%w{0} = GroupNonUniformBallot 3u, %odd : vec4<u32>\n%l{0} = CompositeExtract %w{0}, 0 : u32\n"
W1 = BALLOT.format(1)
W2 = BALLOT.format(2)


LOOP = "pad s:\nloop @l {\nhead:\n%i = Phi 0u s, %n k : u32\n%c = UGreaterThan %i, %bit : bool\n"
STEP = "%n = IAdd %i, 1u : u32\n} continuing {\npad k:\n}\n"


def out(text: str, size: int) -> list[int]:
    return next(words for found, policy, words in results(body(text)) if found == size)


def test_the_ballots_that_stay_differ() -> None:
    """By hand, subgroups of four: in the loop the even lanes (bit 0) leave in the second iteration, the odd ones in the
    third."""
    alone = "%w = GroupNonUniformBallot 3u, true : vec4<u32>\n%d = CompositeExtract %w, 0 : u32\nStore %slot, %d\n"
    text = ODD + LOOP + "if %c nojoin { break @l }\n" + alone + STEP + "return"
    assert out(text, 4)[:4] == [0b1111, 0b1010, 0b1111, 0b1010], "the last iteration of each lane"


def function(inside: str) -> str:
    return f"func @f(%n: u32, %p: {POINTER}) {{\n{inside}\n}}\n"


@pytest.mark.parametrize(
    ("inside", "ballots"),
    [
        ("Store %p, %n\nreturn", 1),
        ("%o = INotEqual %n, 1u : bool\nif %o {\nStore %p, %n\nreturn\n}\nreturn", 1),  # both return, and meet there
        ("%o = IEqual %n, 1u : bool\nif %o {\nkill\n}\nreturn", 2),
    ],
)
def test_ballots_around_a_call(inside: str, ballots: int) -> None:
    """A call that kills some leaves fewer for the ballot behind it."""
    call = "%x = FunctionCall @f, %lane, %slot : void\n"
    text = ODD + W1 + call + W2 + "%c = IMul %l1, %l2 : u32\nStore %slot, %c\nreturn"
    if ballots == 1:
        module = proved(text, CSE, function(inside))
    else:
        module = body(text, function(inside))
        apply(module, CSE)
    assert count(module, op.GroupNonUniformBallot) == ballots


def test_ballots_around_a_demote() -> None:
    """Demoted lanes are helpers, whose quad may end at any time; reads of who is a helper are never merged."""
    text = ODD + W1 + "DemoteToHelperInvocation\n" + W2 + "%c = IMul %l1, %l2 : u32\nStore %slot, %c\nreturn"
    module = body(text)
    apply(module, CSE)
    assert count(module, op.GroupNonUniformBallot) == 2
    helpers = "%h = IsHelperInvocationEXT : bool\nDemoteToHelperInvocation\n%g = IsHelperInvocationEXT : bool\n"
    module = body(helpers + "%c = Select %h, 1u, 2u : u32\n%d = Select %g, %c, 3u : u32\nStore %slot, %d\nreturn")
    apply(module, CSE)
    assert count(module, op.IsHelperInvocationEXT) == 2


def test_ballots_of_a_call_without_a_body_between() -> None:
    module = body(ODD + W1 + "%m = Not %l1 : u32\n" + W2 + "Store %slot, %l2\nreturn")
    extern = new_function(module, "extern")
    extern.body.first = extern.body.last = None
    mark = next(instr for instr in instructions(module.functions[0]) if instr.name == "m")
    from reknit.ir.edit import insert_after

    insert_after(mark, Instr(op.FunctionCall, void_type(module), [extern]))
    apply(module, CSE)
    assert count(module, op.GroupNonUniformBallot) == 2


def test_what_is_decorated_differently_is_different() -> None:
    module = body(A + B + "%c = IMul %a, %b : u32\nStore %slot, %c\nreturn")
    first = next(instr for instr in instructions(module.functions[0]) if instr.name == "a")
    module.decorations.append(annotation(op.Decorate, [first, enums.DecorationNoSignedWrap]))
    assert not apply(module, CSE)[0]
    second = next(instr for instr in instructions(module.functions[0]) if instr.name == "b")
    module.decorations.append(annotation(op.Decorate, [second, enums.DecorationNoSignedWrap]))
    assert apply(module, CSE)[0]


def test_a_load_of_what_says_whether_a_lane_helps_is_no_constant() -> None:
    module = body("%m = Load %lane_id : u32\n%c = IAdd %m, %lane : u32\nStore %slot, %c\nreturn")
    variable = next(instr for instr in module.globals if instr.name == "lane_id")
    for instr in module.decorations:
        if instr.operands[0] is variable:
            instr.operands[2] = enums.BuiltInHelperInvocation
    assert not apply(module, CSE)[0]


def test_random_programs_with_redundancies(full: bool) -> None:
    added, gone = run_on_random(CSE, range(9000, 9400 if full else 9012))
    assert added > 0 and gone > added // 4, (added, gone)
