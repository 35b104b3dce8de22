"""lcssa, peel-loops and unroll-loops: loops before and after, what stays, and that lanes meet as they did.

The texts after are derived by hand from the flow in `passes/loops/copies`; the ballots come from the simulator, at the
subgroup sizes 4, 8, 32 and 64.
"""

import pytest
from kit.random.trees import results
from kit.text.pass_texts import body, main_text, renamed, rewritten, stays

ODD = "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n"
FEW = ODD + "%few = ULessThan %lane, 3u : bool\n"


def counting(limit: str, inside: str, last: str = "", step: str = "1u", behind: str = "SEE 9") -> str:
    """pre: i = 0; loop { h: if i >= limit break; inside } continuing { latch: last; i += step }; behind"""
    return (
        FEW + "pad pre:\nloop @l { pad h:\n%i = Phi 0u pre, %n latch : u32\n"
        f"%c = UGreaterThanEqual %i, {limit} : bool\nif %c nojoin {{ break @l }}\n{inside} }} "
        f"continuing {{ pad latch:\n{last}\n%n = IAdd %i, {step} : u32\n}}\n{behind}\nreturn"
    )


# --- lcssa ------------------------------------------------------------------------------------------------------------

CLOSED = {
    "a value behind its loop": (
        "loop @l { pad b:\n%x = IAdd %lane, 1u : u32\nbreak @l }\nStore %slot, %x\nreturn",
        "loop @l { pad b:\n%x = IAdd %lane, 1u : u32\nbreak @l }\n%p = Phi %x b : u32\nStore %slot, %p\nreturn",
    ),
    "two ways out": (
        ODD + "loop @l { pad b:\n%x = IAdd %lane, 1u : u32\nif %odd { pad t:\nbreak @l }\npad a:\nbreak @l } "
        "Store %slot, %x\nreturn",
        ODD + "loop @l { pad b:\n%x = IAdd %lane, 1u : u32\nif %odd { pad t:\nbreak @l }\npad a:\nbreak @l } "
        "%p = Phi %x t, %x a : u32\nStore %slot, %p\nreturn",
    ),
    "a loop in a loop: one after the other": (
        "loop @o { loop @l { pad b:\n%x = IAdd %lane, 1u : u32\nbreak @l }\npad a:\nbreak @o }\n"
        "Store %slot, %x\nreturn",
        "loop @o { loop @l { pad b:\n%x = IAdd %lane, 1u : u32\nbreak @l }\npad a:\n%p = Phi %x b : u32\nbreak @o } "
        "%q = Phi %p a : u32\nStore %slot, %q\nreturn",
    ),
    "out of two loops at once": (
        ODD + "loop @o { loop @l { pad b:\n%x = IAdd %lane, 1u : u32\nif %odd { pad t:\nbreak @o }\npad u:\nbreak @l } "
        "pad a:\nbreak @o }\nStore %slot, %x\nreturn",
        ODD + "loop @o { loop @l { pad b:\n%x = IAdd %lane, 1u : u32\nif %odd { pad t:\nbreak @o }\npad u:\nbreak @l } "
        "pad a:\n%p = Phi %x u : u32\nbreak @o }\n%q = Phi %x t, %p a : u32\nStore %slot, %q\nreturn",
    ),
    "a condition behind the loop": (
        "loop @l { pad b:\n%x = ULessThan %lane, 2u : bool\nbreak @l }\nif %x { SEE 1 }\nreturn",
        "loop @l { pad b:\n%x = ULessThan %lane, 2u : bool\nbreak @l }\n%p = Phi %x b : bool\nif %p { SEE 1 }\nreturn",
    ),
}


@pytest.mark.parametrize("name", CLOSED)
def test_values_leave_through_phis(name: str) -> None:
    before, after = CLOSED[name]
    found = rewritten(before, "lcssa")
    assert renamed(found) == renamed(main_text(body(after)))
    assert stays(after, "lcssa") == [], "a second run finds nothing"


def test_simplify_cfg_folds_the_phis_again() -> None:
    before, _ = CLOSED["a value behind its loop"]
    assert renamed(rewritten(before, "lcssa, simplify-cfg")) == renamed(main_text(body(before)))


def test_a_pointer_stays() -> None:
    pointer = "%p = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>"
    text = f"loop @l {{ pad b:\n{pointer}\nbreak @l }}\nStore %p, 1u\nreturn"
    assert stays(text, "lcssa") == ["RK2211"]
    goes = text.replace("break @l }", "if true nojoin { break @l } }")
    assert stays(goes, "peel-loops") == ["RK2210"]


# --- peel-loops -------------------------------------------------------------------------------------------------------

PEELED = {
    "nothing but a break": (
        FEW + "loop @l { SEE 1\nif %odd nojoin { break @l }\nif true nojoin { break @l } }\nSEE 2\nreturn",
        FEW + "scope @l_out { pad s:\npad h:\nSEE 1\nif %odd nojoin { break @l_out }\n"
        "if true nojoin { break @l_out }\npad c:\npad q:\n"
        "pad p:\nloop @l { SEE 11\nif %odd nojoin { break @l }\nif true nojoin { break @l } } }\nSEE 2\nreturn",
    ),
    "a continue and a break": (
        counting("%lane", "if %odd { SEE 1\ncontinue @l }\nSEE 2", "SEE 3"),
        FEW + "pad pre:\nloop @l_out { scope @l_1 { pad h1:\n%c1 = UGreaterThanEqual 0u, %lane : bool\n"
        "if %c1 nojoin { break @l_out }\nif %odd { SEE 11\nbreak @l_1 }\nSEE 12 }\npad latch1:\nSEE 13\n"
        "%n1 = IAdd 0u, 1u : u32\npad before:\nloop @l { pad h:\n%i = Phi %n1 before, %n latch : u32\n"
        "%c = UGreaterThanEqual %i, %lane : bool\nif %c nojoin { break @l }\nif %odd { SEE 1\ncontinue @l }\nSEE 2 } "
        "continuing { pad latch:\nSEE 3\n%n = IAdd %i, 1u : u32\n}\nbreak @l_out }\nSEE 9\nreturn",
    ),
}


@pytest.mark.parametrize("name", PEELED)
def test_peeled(name: str) -> None:
    before, after = PEELED[name]
    assert renamed(rewritten(before, "peel-loops")) == renamed(main_text(body(after)))


LOOPS = {
    "divergent trip counts": counting("%lane", "SEE 1", "SEE 2"),
    "a divergent continue": counting("3u", "if %odd { SEE 1\ncontinue @l }\nSEE 2", "SEE 3"),
    "a break in the middle": counting("3u", "if %odd { SEE 1\nbreak @l }\nSEE 2", "SEE 3"),
    "a return in the middle": counting("3u", "if %few { SEE 1\nreturn }\nSEE 2", "SEE 3"),
    "lanes that part where nobody waits": counting("3u", "if %odd nojoin { SEE 1 } else { SEE 2 }", "SEE 3"),
    "lanes that part in the continuing part": counting("3u", "SEE 1", "PART")
    .replace("pad latch:\nPART\n", "if %odd nojoin { SEE 2 } else { SEE 3 }\npad latch:\n"),
    "a break and a continue in a switch": counting(
        "3u", "switch %bit { case 0: { if %few { continue @l }\nSEE 1 } default: { if %few { break @l }\n"
        "SEE 2 } }\nSEE 4",
        "SEE 3",
    ),
    "values behind the loop": counting(
        "3u", "%x = IMul %i, %lane : u32\nif %odd { break @l }", behind="Store %slot, %i\nSEE 9"
    ),
    "an endless loop left by a break": (
        FEW + "pad pre:\nloop @l { pad h:\n%i = Phi 0u pre, %n latch : u32\nSEE 1\n%c = IEqual %i, 2u : bool\n"
        "if %c { SEE 2\nbreak @l }\nSEE 3 } continuing { pad latch:\n%n = IAdd %i, 1u : u32\n}\nSEE 9\nreturn"
    ),
    "a test at the end": (
        FEW + "pad pre:\nloop @l { pad h:\n%i = Phi 0u pre, %n latch : u32\nSEE 1\nif %odd { continue @l }\nSEE 2 } "
        "continuing { pad c:\n%n = IAdd %i, 1u : u32\n%d = UGreaterThanEqual %n, 3u : bool\nif %d nojoin { break @l } "
        "pad latch:\n}\nSEE 9\nStore %slot, %n\nreturn"
    ),
    "values that change places": (
        FEW + "pad pre:\nloop @l { pad h:\n%i = Phi 0u pre, %n latch : u32\n%a = Phi 5u pre, %b latch : u32\n"
        "%b = Phi %lane pre, %a latch : u32\n%c = UGreaterThanEqual %i, 3u : bool\nif %c nojoin { break @l }\nSEE 1 } "
        "continuing { pad latch:\n%n = IAdd %i, 1u : u32\n}\n%s = ISub %a, %b : u32\n%old = Load %slot : u32\n"
        "%sum = IAdd %old, %s : u32\nStore %slot, %sum\nreturn"
    ),
    "what each break brings to a phi behind the loop": (
        FEW + "pad pre:\nloop @l { pad h:\n%i = Phi 0u pre, %n latch : u32\n%c = UGreaterThanEqual %i, 3u : bool\n"
        "if %c nojoin { pad one:\nbreak @l }\nif %odd { pad two:\nSEE 1\nbreak @l }\nSEE 2 } continuing { pad latch:\n"
        "%n = IAdd %i, 1u : u32\n}\n%p = Phi 7u one, %i two : u32\n%q = Phi %lane one, 5u two : u32\n"
        "%s = ISub %p, %q : u32\n%old = Load %slot : u32\n%sum = IAdd %old, %s : u32\nStore %slot, %sum\nSEE 9\nreturn"
    ),
    "a loop that starts from what another gave last": (
        FEW + "pad pre:\nloop @l { pad h:\n%i = Phi 0u pre, %n latch : u32\nSEE 1\n%n = IAdd %i, 1u : u32\n"
        "%x = IMul %n, 7u : u32\n} continuing {\n%d = UGreaterThan %n, %bit : bool\nif %d nojoin { break @l }\n"
        "pad latch:\n}\npad between:\nloop @k { pad k:\n%j = Phi 0u between, %m end : u32\n"
        "%y = Phi %x between, %z end : u32\n%c = UGreaterThanEqual %j, %lane : bool\nif %c nojoin { break @k }\n"
        "SEE 2 } continuing { pad end:\n%m = IAdd %j, 1u : u32\n%z = IAdd %y, %j : u32\n}\nStore %slot, %y\nreturn"
    ),
}


@pytest.mark.parametrize("count", (1, 3))
@pytest.mark.parametrize("name", LOOPS)
def test_lanes_meet_as_before_around_peeled_iterations(name: str, count: int) -> None:
    rewritten(LOOPS[name], f"peel-loops{{count={count}}}" + (", simplify-cfg" if count > 1 else ""))


def test_without_the_outer_region_lanes_would_run_ahead() -> None:
    """By hand: lane 0 breaks in the first iteration, the others later, and behind the loop all see 0b1111. Where nobody
    waits for who stayed, lane 0 comes out alone."""
    loop = body(counting("%lane", "SEE 1"))
    apart = body(
        FEW + "%c = UGreaterThanEqual 0u, %lane : bool\nif %c nojoin { } else { SEE 1 }\nSEE 9\nreturn"
    )
    assert [word & 0b1111 for word in results(loop)[0][2][:1]] == [0b1111]
    assert results(apart)[0][2][:1] == [0b0001]


def test_one_loop_by_name() -> None:
    once = "loop @{0} {{ SEE {1}\nif true nojoin {{ break @{0} }} }}\n"
    text = FEW + once.format("a", 1) + once.format("b", 2) + "return"
    found = rewritten(text, "peel-loops{loop=b}")
    assert "@a_" not in found
    assert "scope @b_out" in found


def test_a_loop_around_a_loop_by_name() -> None:
    inner = "loop @b { SEE 2\nif %odd nojoin { break @b }\nif true nojoin { break @b } }"
    text = FEW + "loop @a { SEE 1\n" + inner + "\nif true nojoin { break @a } }\nSEE 3\nreturn"
    assert rewritten(text, "peel-loops{loop=a}").count("loop @b") == 2


PEEL_STAYS = {
    "never round": "loop @l { SEE 1\nbreak @l }\nreturn",
    "too large": "loop @l { " + "\n".join(f"SEE {n}" for n in range(200)) + "\nif true nojoin { break @l } }\nreturn",
}


@pytest.mark.parametrize("name", PEEL_STAYS)
def test_not_peeled(name: str) -> None:
    assert stays(PEEL_STAYS[name], "peel-loops") == ["RK2210"]


# --- unroll-loops -----------------------------------------------------------------------------------------------------


def test_unrolled() -> None:
    before = counting("2u", "SEE 1", "SEE 2")
    after = (
        FEW + "%c1 = UGreaterThanEqual 0u, 2u : bool\nSEE 1\nSEE 2\n%n1 = IAdd 0u, 1u : u32\n"
        "%c2 = UGreaterThanEqual %n1, 2u : bool\nSEE 3\nSEE 4\n%n2 = IAdd %n1, 1u : u32\n"
        "%c3 = UGreaterThanEqual %n2, 2u : bool\nSEE 9\nreturn"
    )
    assert renamed(rewritten(before, "unroll-loops, simplify-cfg")) == renamed(main_text(body(after)))


def test_unrolled_around_a_continue_and_a_break() -> None:
    before = counting("1u", "if %odd { SEE 1\ncontinue @l }\nif %few { break @l }\nSEE 2", "SEE 3")
    after = (
        FEW + "loop @l_out { scope @l_1 { pad h:\n%c1 = UGreaterThanEqual 0u, 1u : bool\nif %odd { SEE 1\nbreak @l_1 } "
        "if %few { break @l_out }\nSEE 2 }\npad latch:\nSEE 3\n%n1 = IAdd 0u, 1u : u32\n"
        "%c2 = UGreaterThanEqual %n1, 1u : bool\n"
        "break @l_out }\nSEE 9\nreturn"
    )
    assert renamed(rewritten(before, "unroll-loops, simplify-cfg")) == renamed(main_text(body(after)))


UNKNOWN = ("divergent trip counts", "an endless loop left by a break", "a loop that starts from what another gave last")
UNROLLS = [name for name in LOOPS if name not in UNKNOWN]


@pytest.mark.parametrize("name", UNROLLS)
def test_lanes_meet_as_before_without_the_loop(name: str) -> None:
    found = rewritten(LOOPS[name], "unroll-loops{limit=1000}")
    assert "loop @l {" not in found


def test_a_loop_in_a_loop() -> None:
    inner = (
        "pad p2:\nloop @m { pad h2:\n%j = Phi 0u p2, %k latch2 : u32\n%d = UGreaterThanEqual %j, 2u : bool\n"
        "if %d nojoin { break @m }\nSEE 1 } continuing { pad latch2:\n%k = IAdd %j, 1u : u32\n}\nSEE 2"
    )
    found = rewritten(counting("2u", inner), "unroll-loops{limit=2000}")
    assert "loop" not in found
    assert found.count("GroupNonUniformBallot") == 2 * (2 + 1) + 1


COUNTS = {
    "none": (counting("0u", "SEE 1"), 0),
    "one": (counting("1u", "SEE 1"), 1),
    "a step that passes over the limit": (counting("5u", "SEE 1", step="2u"), 3),
    "downwards to what the counter wraps to": (
        counting("4294967294u", "SEE 1", step="4294967295u").replace("UGreaterThanEqual", "IEqual"),
        2,
    ),
    "a negated test": (
        counting("3u", "SEE 1").replace("if %c nojoin", "%nc = LogicalNot %c : bool\nif %nc nojoin").replace(
            "UGreaterThanEqual", "ULessThan"
        ),
        3,
    ),
    "the limit on the left": (counting("3u", "SEE 1").replace("UGreaterThanEqual %i, 3u", "ULessThanEqual 3u, %i"), 3),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str) -> None:
    text, trips = COUNTS[name]
    found = rewritten(text, "unroll-loops, simplify-cfg")
    assert "loop" not in found
    assert found.count("GroupNonUniformBallot") == trips + 1


UNROLL_STAYS = {
    "a limit that is not known": counting("%lane", "SEE 1"),
    "a start that is not known": counting("4u", "SEE 1").replace("Phi 0u", "Phi %lane"),
    "a step that is not known": counting("4u", "SEE 1", step="%lane"),
    "too many": counting("1000u", "SEE 1"),
    "an odd counter that never is 4": counting("4u", "SEE 1\nif %c { break @l }", step="2u")
    .replace("Phi 0u", "Phi 1u")
    .replace("UGreaterThanEqual", "IEqual"),
}


@pytest.mark.parametrize("name", UNROLL_STAYS)
def test_not_unrolled(name: str) -> None:
    assert stays(UNROLL_STAYS[name], "unroll-loops") == ["RK2212"]
