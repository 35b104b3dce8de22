"""peel-loops and unroll-loops: what their documents don't show, that lanes meet as they did in many loops.

Each is proved for every input: the normal form walks as many iterations of the loop by themselves.
"""

import pytest
from kit.random.trees import results
from kit.text.pass_texts import body, rewritten, stays

ODD = "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n"
FEW = ODD + "%few = ULessThan %lane, 3u : bool\n"


def counting(limit: str, inside: str, last: str = "", step: str = "1u", behind: str = "SEE 9") -> str:
    """pre: i = 0; loop { h: if i >= limit break; inside } continuing { latch: last; i += step }; behind"""
    return (
        FEW + "pad pre:\nloop @l { pad h:\n%i = Phi 0u pre, %n latch : u32\n"
        f"%c = UGreaterThanEqual %i, {limit} : bool\nif %c nojoin {{ break @l }}\n{inside} }} "
        f"continuing {{ pad latch:\n{last}\n%n = IAdd %i, {step} : u32\n}}\n{behind}\nreturn"
    )

# --- peel-loops -------------------------------------------------------------------------------------------------------


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


def test_what_is_too_large_is_not_peeled() -> None:
    text = "loop @l { " + "\n".join(f"SEE {n}" for n in range(200)) + "\nif true nojoin { break @l } }\nreturn"
    assert stays(text, "peel-loops") == ["RK2210"]


# --- unroll-loops -----------------------------------------------------------------------------------------------------


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
