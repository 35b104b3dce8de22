"""Certificates: written for what passes do, accepted as they are, and rejected by the line that doesn't hold.

What a certificate says is believed by nobody: each of its lines is followed. `kit.random.forged` forges others.
"""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from kit.pipelines import REWRITING
from kit.programs.miscompiles import DUPLICATES_A_CASE, NAMES, plants
from kit.random.forged import Pair, mutated, tried
from kit.text.preludes import compute

import reknit
from reknit.cli.main import main
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.manager import run_passes
from reknit.passes.pipeline_text import PassSpec
from reknit.proof.certificate.check import Broken, check
from reknit.source.diagnostic import InputError

FRAME = compute(32, maximal=True)
# The steps are numbered from 0: the head of each block, its instructions, and where it goes on.
BEFORE = """
func @main() -> void {
entry:                                                              // 0
  %lane = Load %lane_id : u32                                       // 1
  %slot = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>     // 2, and 3 goes on
  loop @l {
    %n = Phi 0u entry, %next more : u32                             // 4 is the head of the block, 5 the phi
    %done = UGreaterThanEqual %n, %lane : bool                      // 6
    if %done {                                                      // 7
      break @l                                                      // 8, 9
    }                                                               // 10, 11: the other arm
    %who = GroupNonUniformBallot Subgroup true : vec4<u32>          // 12, 13
    %part = CompositeExtract %who 0 : u32                           // 14
    Store %slot, %part                                              // 15, 16
  } continuing {
  more:                                                             // 17
    %next = IAdd %n, 1u : u32                                       // 18, 19
  }
  return                                                            // 20, 21
}
"""
AFTER = BEFORE.replace("UGreaterThanEqual %n, %lane", "ULessThanEqual %lane, %n")
CERTIFICATE = """
at b4 a4
loop b4 0 1 a4
equal b1 a1
equal b5 a5
again b2 a2
same b13 a13
"""


def module(body: str) -> Module:
    lines = [line.split("//")[0].rstrip() for line in body.splitlines()]
    return parse(FRAME + "\n".join(lines) + "\n")


def judged(lines: str, after: str = AFTER) -> str:
    """"" if the lines hold, else why not."""
    pair = Pair(module(BEFORE), module(after))
    try:
        check(pair.modules, pair.functions, lines.strip().split("\n"), 1)
    except Broken as broken:
        return str(broken)
    return ""


def test_a_certificate_by_hand() -> None:
    """Loops go round alike; where an iteration begins, the lane and the counter are equal, and so is the slot, computed
    from the lane again. That the two conditions ask the same is found by folding."""
    assert judged(CERTIFICATE) == ""


@pytest.mark.parametrize(
    ("line", "instead", "why"),
    [
        ("equal b5 a5\n", "", "line 1: what %n = Phi 0u %entry, %next %more : u32 is at b6 is not said"),
        ("equal b5 a5", "equal b5 a1", "line 4: does not hold of the invocations that come from line 1"),
        ("equal b5 a5", "equal =0 b5 a5", "line 4: does not hold of the invocations that come from line 1"),
        ("equal b5 a5", "equal b5 a99", "line 4: 'a99' names no step there"),
        ("equal b5 a5", "equal b5 a4", "line 4: a4 has no value that the checker knows"),
        ("again b2", "again b5 b2", "line 1: b5 can't be computed again"),
        ("loop b4 0 1 a4", "loop b4 1 1 a4", "line 1: loops went round another number of times, for those from line 1"),
        ("loop b4 0 1 a4", "loop b4 0 2 a4", "line 1: loops went round another number of times, for those from line 1"),
        ("loop b4 0 1 a4\n", "",
         "line 6: OpGroupNonUniformBallot at b13: in which iteration of a loop of before is not said"),
        ("same b13 a13\n", "", "line 6: OpGroupNonUniformBallot at b13 is not said to be done together"),
        ("same b13 a13", "same b13 a13\nsame b6 a6", "line 7: these are not done together"),
        ("at b4 a4", "at b4", "line 1: 'at b4' says nothing that is known"),
        ("at b4 a4", "believe me", "line 1: 'believe me' says nothing that is known"),
        (CERTIFICATE, "", "line 1: '' says nothing that is known"),
        (CERTIFICATE, "same b13 a13", "line 1: there is more to go through than the lines leave"),
    ],
)  # fmt: skip
def test_lines_that_say_something_else(line: str, instead: str, why: str) -> None:
    assert line in CERTIFICATE
    assert judged(CERTIFICATE.replace(line, instead)) == why


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("1u : u32", "2u : u32", "line 4: does not hold of the invocations that come from line 1"),
        ("Phi 0u", "Phi 1u", "line 4: does not hold of the invocations that come from line 1"),
        ("    Store", "    %two = GroupNonUniformBallot Subgroup true : vec4<u32>\n    Store",
         "line 1: OpStore at b15 meets OpGroupNonUniformBallot at a15"),
        ("Subgroup true", "Subgroup %done", "line 1: OpStore at b15 meets OpGroupNonUniformBallot at a13"),
        ("Store %slot, %part", "Store %slot, %n", "line 1: OpStore at b15 meets OpStore at a15"),
        ("return", "Store %slot, 7u\n  return", "line 1: OpReturn at b21 meets OpStore at a21"),
        ("if %done {", "if %done nojoin {", ""),
    ],
)  # fmt: skip
def test_the_certificate_of_another_pair(old: str, new: str, why: str) -> None:
    assert judged(CERTIFICATE, AFTER.replace(old, new, 1)) == why


TWICE = """
func @main() -> void {
entry:
  %lane = Load %lane_id : u32
  %slot = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
  loop @l {
    %n = Phi 0u entry, %next more : u32
    %done = IEqual %n, 2u : bool
    if %done {
      break @l
    }
    %first = IEqual %n, 0u : bool
    %value = Select %first, %lane, 0u : u32
    switch %value {
    case 0, 1: {
      %who = GroupNonUniformBallot Subgroup true : vec4<u32>       // 17
      %part = CompositeExtract %who 0 : u32
      Store %slot, %part
    }
    default: {
      return
    }
    }
  } continuing {
  more:
    %next = IAdd %n, 1u : u32
  }
  return
}
"""
ONCE = """
func @main() -> void {
  %lane = Load %lane_id : u32
  %slot = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
  switch %lane {
  case 0, 1: {
    %who = GroupNonUniformBallot Subgroup true : vec4<u32>         // 5
    %part = CompositeExtract %who 0 : u32
    Store %slot, %part
    %too = GroupNonUniformBallot Subgroup true : vec4<u32>         // 8
    %more = CompositeExtract %too 0 : u32
    Store %slot, %more
  }
  default: {
    return
  }
  }
  return
}
"""


def test_the_choice_of_a_switch_is_that_of_one_execution() -> None:
    """Lanes 0 and 1 may be apart in the first ballot of both. In the second one they are together before, as all have
    the value 0; after, they may be apart as they were. So that ballot is not one of what the first program does."""
    pair = Pair(module(TWICE), module(ONCE))
    with pytest.raises(Broken, match="line 4: OpGroupNonUniformBallot at b17: who meets in a case of after is open"):
        check(pair.modules, pair.functions, ["same b15 a3", "same b17 a5", "same b17 a8"], 1)
    alike = Pair(module(TWICE), module(TWICE))
    check(alike.modules, alike.functions, alike.found(), 1)


ADDRESS = """
func @put(%p : ptr<Function, u32>, %v : u32) -> void {
  %old = Load %p : u32
  %new = IAdd %old, %v : u32
  Store %p, %new
  return
}
func @main() -> void {
  %x = Variable Function : ptr<Function, u32>
  %y = Variable Function : ptr<Function, u32>
  %lane = Load %lane_id : u32
  %slot = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
  Store %x, 1u
  Store %y, 2u
  %call = FunctionCall @put, %x, %lane : void
  %result = Load %x : u32
  Store %slot, %result
  return
}
"""


@pytest.mark.parametrize(
    ("old", "new", "holds"),
    [
        ("%call = FunctionCall @put, %x, %lane : void", "%sum = IAdd 1u, %lane : u32\n  Store %x, %sum", True),
        ("%call = FunctionCall @put, %x, %lane : void", "%sum = IAdd 2u, %lane : u32\n  Store %x, %sum", False),
        ("@put, %x", "@put, %y", False),
        ("%result = Load %x", "%result = Load %y", False),
        ("Store %y, 2u", "", True),
    ],
)
def test_variables_whose_address_is_an_argument(old: str, new: str, holds: bool) -> None:
    """Without a fork, a loop or anything tangled there is nothing to say: the two paths are followed to their ends."""
    pair = Pair(module(ADDRESS), module(ADDRESS.replace(old, new)))
    assert pair.accepts([]) is holds


LOOP = module(BEFORE)


@pytest.mark.parametrize("names", ["peel-loops", "peel-loops{count=3}", "fold,dce", "simplify-cfg", REWRITING])
def test_what_passes_do_is_certified(names: str) -> None:
    after = parse(print_module(LOOP))
    run_passes(after, names)
    text = reknit.prove(LOOP, after, certificate=True).certificate
    assert text == reknit.prove(LOOP, after, certificate=True).certificate
    verdict = reknit.prove(LOOP, after, certificate=text)
    assert verdict.verdict == "proved"
    for before, why in ((after, "line 2: it is of another 'before'"), (LOOP, "line 3: it is of another 'after'")):
        if print_module(after) == print_module(LOOP):
            break
        with pytest.raises(InputError) as caught:
            reknit.prove(before, LOOP, certificate=text)
        assert caught.value.diagnostics[0].code == "RK1306"
        assert caught.value.diagnostics[0].message.endswith(why)


def test_a_certificate_that_was_cut() -> None:
    text = reknit.prove(LOOP, parse(print_module(LOOP)), certificate=True).certificate
    for end in range(0, len(text) - 1, 37):
        with pytest.raises(InputError, match="the certificate does not hold: line"):
            reknit.prove(LOOP, parse(print_module(LOOP)), certificate=text[:end])


@pytest.mark.parametrize("name", NAMES)
def test_no_wrong_pass_is_certified(name: str) -> None:
    """The wrong passes of `miscompiles`; what one of them does is allowed, as no certificate can say."""
    plant = plants()[name]
    after = parse(print_module(plant.module))
    run_passes(after, [PassSpec(plant.transform)])
    with pytest.raises(InputError) as caught:
        reknit.prove(plant.module, after, certificate=True)
    assert caught.value.diagnostics[0].code == "RK1305" or plant.transform is DUPLICATES_A_CASE


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after, file = tmp_path / "before.rk", tmp_path / "after.rk", tmp_path / "proof.txt"
    before.write_text(print_module(module(BEFORE)))
    after.write_text(print_module(module(AFTER)))
    assert main(["prove", str(before), str(after), "--certificate", str(file)]) == 0
    assert main(["prove", str(before), str(after), "--with", str(file)]) == 0
    assert "main: by 1 x 'at', 1 x 'same' of a certificate" in capsys.readouterr().out
    file.write_text(file.read_text().replace("equal b5 a5", "equal b5 a1"))
    assert main(["prove", str(before), str(after), "--with", str(file)]) == 1
    assert "RK1306" in capsys.readouterr().err


    file.write_bytes(file.read_bytes().replace(b"equal b5 a1", b"equal b5 a5").replace(b"\n", b"\r\n"))
    assert main(["prove", str(before), str(after), "--with", str(file)]) == 0
    runs = [["--certificate", str(file), "--runs"], ["--with", str(file), "--runs"]]
    for more in (["--certificate", str(after)], *runs):
        capsys.readouterr()
        assert main(["prove", str(before), str(after), *more]) == 2
        assert "RK0010" in capsys.readouterr().err


def test_what_is_no_certificate_is_not_taken_for_a_wish() -> None:
    """Bytes and paths are true, so that they must not be taken to ask for a certificate."""
    given: Any
    for given in (b"text", Path("proof.txt"), 1, None):
        with pytest.raises(InputError) as caught:
            reknit.prove(module(BEFORE), module(AFTER), certificate=given)
        assert caught.value.diagnostics[0].code == "RK0010"


def test_garbage_is_rejected_by_its_line() -> None:
    """Bytes of a certificate at random, and words of it where they don't belong: no other exception than Broken."""
    rng = random.Random(1)
    pair = Pair(module(BEFORE), module(AFTER))
    lines = CERTIFICATE.strip().split("\n")
    for _ in range(150):
        new = "".join([rng.choice((each, each, each, chr(rng.randrange(1, 0x3000)))) for each in "\n".join(lines)])
        pair.accepts(new.split("\n"))
        pair.accepts(mutated(lines, rng))


@pytest.mark.full(when=lambda part: part >= 1)
@pytest.mark.parametrize("part", range(200))
def test_no_forged_certificate_is_accepted(part: int) -> None:
    totals: Counter[str] = Counter()
    for seed in range(part * 5, part * 5 + (5 if part else 2)):
        totals.update(tried(seed, 12 if part else 3))
    assert not totals["FALSE"], dict(totals)
    assert totals["forged"], dict(totals)
