"""sink: what goes down, how far, and what must stay where it is. Expected texts are derived by hand."""


import pytest
from kit.programs.values import add_redundant, proved, run_on_random
from kit.random.trees import results
from kit.text.pass_texts import apply, body, main_text

from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.module import Module, annotation
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.passes.manager import run_passes
from reknit.passes.values.sink import SINK
from reknit.proof.prove import prove
from reknit.proof.question import Question

KEEP = "Store %slot, %lane\n"  # the shader's own %slot stays where it is
C = "%c = ULessThan %lane, 2u : bool\n"
K = "%k = IMul %lane, 7u : u32\n"
D = "%k = UDiv 7u, %lane : u32\n"  # undefined for lane 0
USE = "Store %slot, %k\n"
PHI = "%p = Phi %k x, 2u y : u32\nStore %slot, %p\nreturn"

MOVES = {
    "into the arm that needs it": (
        KEEP + K + C + "if %c {\n" + USE + "}\nreturn",
        KEEP + C + "if %c {\n" + K + USE + "}\nreturn",
    ),
    "a division: fewer do it, of the same": (
        KEEP + D + C + "if %c {\n} else {\n" + USE + "}\nreturn",
        KEEP + C + "if %c {\n} else {\n" + D + USE + "}\nreturn",
    ),
    "right before the first that needs it": (
        KEEP + K + C + "if %c {\nStore %slot, 1u\n" + USE + "%q = IAdd %k, 1u : u32\nStore %slot, %q\n}\nreturn",
        KEEP + C + "if %c {\nStore %slot, 1u\n" + K + USE + "%q = IAdd %k, 1u : u32\nStore %slot, %q\n}\nreturn",
    ),
    "what it is computed from follows": (
        KEEP + K + "%j = IAdd %k, 3u : u32\n" + C + "if %c {\nStore %slot, 1u\nStore %slot, %j\n}\nreturn",
        KEEP + C + "if %c {\nStore %slot, 1u\n" + K + "%j = IAdd %k, 3u : u32\nStore %slot, %j\n}\nreturn",
    ),
    "as deep as all uses are": (
        KEEP + K + C + "if %c {\nif %c {\n" + USE + "} else {\n" + USE + "}\n}\nreturn",
        KEEP + C + "if %c {\n" + K + "if %c {\n" + USE + "} else {\n" + USE + "}\n}\nreturn",
    ),
    "into a case, past a fallthrough": (
        KEEP + K + "switch %lane {\ncase 0: {\nStore %slot, 5u\nfallthrough\n}\ndefault: {\n" + USE + "}\n}\nreturn",
        KEEP + "switch %lane {\ncase 0: {\nStore %slot, 5u\nfallthrough\n}\ndefault: {\n" + K + USE + "}\n}\nreturn",
    ),
    "past a loop that does not need it": (
        KEEP + K + "loop @l {\nStore %slot, 1u\nbreak @l\n}\n" + USE + "return",
        KEEP + "loop @l {\nStore %slot, 1u\nbreak @l\n}\n" + K + USE + "return",
    ),
    "to the loop, not into it": (
        KEEP + K + C + "if %c {\nStore %slot, 2u\nloop @l {\n" + USE + "break @l\n}\n}\nreturn",
        KEEP + C + "if %c {\nStore %slot, 2u\n" + K + "loop @l {\n" + USE + "break @l\n}\n}\nreturn",
    ),
    "inside a loop's iteration": (
        KEEP + C + "loop @l {\n" + K + "if %c {\n" + USE + "}\nbreak @l\n}\nreturn",
        KEEP + C + "loop @l {\nif %c {\n" + K + USE + "}\nbreak @l\n}\nreturn",
    ),
    "to the end of the block that a phi takes it from": (
        KEEP + K + C + "if %c {\nx:\nStore %slot, 1u\n} else {\ny:\n}\n" + PHI,
        KEEP + C + "if %c {\nx:\nStore %slot, 1u\n" + K + "} else {\ny:\n}\n" + PHI,
    ),
    "to where it is branched on": (
        KEEP + C + "%d = ULessThan %lane, 1u : bool\nif %c {\nStore %slot, 1u\nif %d {\nStore %slot, 3u\n}\n}\nreturn",
        KEEP + C + "if %c {\nStore %slot, 1u\n%d = ULessThan %lane, 1u : bool\nif %d {\nStore %slot, 3u\n}\n}\nreturn",
    ),
    "a load of what nobody writes": (
        KEEP + "%k = Load %lane_id : u32\n" + C + "if %c {\n" + USE + "}\nreturn",
        KEEP + C + "if %c {\n%k = Load %lane_id : u32\n" + USE + "}\nreturn",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MOVES)
def test_moves(name: str) -> None:
    before, after = MOVES[name]
    assert main_text(proved(before, SINK)) == main_text(body(after))


BALLOT = "%w = GroupNonUniformBallot 3u, true : vec4<u32>\n%k = CompositeExtract %w, 0 : u32\n"
ANY = "%u = GroupNonUniformAny 3u, %c : bool\n"

STAYS = {
    "what both arms need": KEEP + C + K + "if %c {\n" + USE + "} else {\n" + USE + "}\nreturn",
    "a load of what is stored to": KEEP + C + "%k = Load %slot : u32\nif %c {\n" + USE + "}\nreturn",
    "what its own block needs": C + K + "Store %slot, %k\nif %c {\n" + USE + "}\nreturn",
    "what a loop would compute again": KEEP + K + "loop @l {\n" + USE + "break @l\n}\nreturn",
    "what the continuing part needs": (
        KEEP + C + "loop @l {\n" + K + "if %c { break @l }\n} continuing {\n" + USE + "}\nreturn"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STAYS)
def test_stays(name: str) -> None:
    module = body(STAYS[name])
    apply(module, SINK)
    assert main_text(module) == main_text(body(STAYS[name]))


def maximal(text: str) -> Module:
    """The shader, with MaximallyReconvergesKHR declared."""
    module = body(text)
    main = module.functions[0]
    module.execution_modes.append(annotation(op.ExecutionMode, [main, enums.ExecutionModeMaximallyReconvergesKHR]))
    module.extensions.append(annotation(op.Extension, ["SPV_KHR_maximal_reconvergence"]))
    return module


UNIFORM = {
    "the head of an arm that all take": (
        KEEP + C + ANY + BALLOT + "if %u {\nStore %slot, 9u\n" + USE + "}\nreturn",
        KEEP + C + ANY + "if %u {\n%w = GroupNonUniformBallot 3u, true : vec4<u32>\nStore %slot, 9u\n"
        "%k = CompositeExtract %w, 0 : u32\n" + USE + "}\nreturn",
    ),
    "through two of them": (
        KEEP + C + ANY + BALLOT + "if %u {\nif %u {\n" + USE + "}\n}\nreturn",
        KEEP + C + ANY + "if %u {\nif %u {\n" + BALLOT + USE + "}\n}\nreturn",
    ),
    "not into the inner arm, where lanes are missing": (
        KEEP + C + ANY + BALLOT + "if %u {\nif %c {\n" + USE + "}\n}\nreturn",
        KEEP + C + ANY + "if %u {\n%w = GroupNonUniformBallot 3u, true : vec4<u32>\nif %c {\n"
        "%k = CompositeExtract %w, 0 : u32\n" + USE + "}\n}\nreturn",
    ),
    "one that needs another": (
        KEEP + C + ANY + "%b = GroupNonUniformBroadcastFirst 3u, %lane : u32\n"
        "%k = GroupNonUniformIAdd 3u Reduce %b : u32\n"
        "if %u {\n" + USE + "}\nreturn",
        KEEP + C + ANY + "if %u {\n%b = GroupNonUniformBroadcastFirst 3u, %lane : u32\n"
        "%k = GroupNonUniformIAdd 3u Reduce %b : u32\n" + USE + "}\nreturn",
    ),
    "a case of a switch on what all have": (
        KEEP + "%s = GroupNonUniformBroadcastFirst 3u, %lane : u32\n" + BALLOT + "switch %s {\ncase 0: {\n" + USE
        + "}\ndefault: {\n}\n}\nreturn",
        KEEP + "%s = GroupNonUniformBroadcastFirst 3u, %lane : u32\nswitch %s {\ncase 0: {\n" + BALLOT + USE
        + "}\ndefault: {\n}\n}\nreturn",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNIFORM)
def test_uniformity_decides_what_may_enter_an_if(name: str) -> None:
    before, after = UNIFORM[name]
    module = maximal(before)
    original = module.copy()
    apply(module, SINK)
    assert verify(module) == [] and main_text(module) == main_text(maximal(after))
    assert results(parse(print_module(module))) == results(original)
    assert prove(original, module, Question(subgroup_sizes=[4, 8], sample=4))


NOT_UNIFORM = {
    "an arm that some take": KEEP + C + BALLOT + "if %c {\n" + USE + "}\nreturn",
    "a case that another one falls through to": (
        KEEP + "%s = GroupNonUniformBroadcastFirst 3u, %lane : u32\n" + BALLOT
        + "switch %s {\ncase 0: {\nfallthrough\n}\ndefault: {\n" + USE + "}\n}\nreturn"
    ),
    "past a loop that lanes leave one by one": (
        KEEP + C + BALLOT + "loop @l {\nif %c nojoin { break @l }\nStore %slot, 4u\nbreak @l\n}\n" + USE + "return"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_UNIFORM)
def test_the_ballot_stays(name: str) -> None:
    module = maximal(NOT_UNIFORM[name])
    ballot = next(instr for instr in module.functions[0].instructions() if instr.op == op.GroupNonUniformBallot)
    home = ballot.block
    apply(module, SINK)
    assert ballot.block is home and verify(module) == []


def test_the_ballot_stays_where_nothing_is_promised() -> None:
    """Without maximal reconvergence a uniform branch may split who was together (the same shader moves above)."""
    module = body(UNIFORM["the head of an arm that all take"][0])
    ballot = next(instr for instr in module.functions[0].instructions() if instr.op == op.GroupNonUniformBallot)
    home = ballot.block
    apply(module, SINK)
    assert ballot.block is home


def test_the_ballot_would_differ_in_the_arm() -> None:
    """By hand, 4 lanes: before the if all are there, 0b1111; in the arm lanes 0 and 1 alone, 0b0011."""
    text = NOT_UNIFORM["an arm that some take"]
    inside = KEEP + C + "if %c {\n" + BALLOT + USE + "}\nreturn"
    words = [next(words for size, _, words in results(maximal(one)) if size == 4)[:4] for one in (text, inside)]
    assert words == [[15, 15, 2, 3], [3, 3, 2, 3]]


def test_values_go_all_the_way_into_a_deep_nest() -> None:
    """Values of the outermost block that the innermost one of 800 needs: deeper than Python's own stack."""
    depth = 800
    values = "".join(f"%v{n} = IAdd %lane, {n}u : u32\n" for n in range(depth))
    stores = "".join(f"Store %slot, %v{n}\n" for n in range(depth))
    module = body(KEEP + C + values + "if %c {\n" * depth + stores + "}\n" * depth + "return")
    assert apply(module, SINK)[0]
    inner = [instr.block for instr in module.functions[0].instructions() if instr.name == "v0"]
    assert inner[0] is not None and next(iter(inner[0])).name == "v0"


def test_what_debug_information_describes_and_what_an_island_needs_stays() -> None:
    text = KEEP + C + K + "if %c {\n" + USE + "}\nreturn\nislands\nb9:\nStore %slot, %k\nreturn"
    module = body(text)
    apply(module, SINK)
    assert main_text(module) == main_text(body(text))


def test_it_is_what_a_value_needs_that_counts() -> None:
    module = body(KEEP + K + "%dead = IAdd %k, 1u : u32\n" + C + "if %c {\n}\nreturn")
    assert not apply(module, SINK)[0], "what nobody uses is for dce"
    assert isinstance(next(module.functions[0].instructions()), Instr)


def test_random_programs(full: bool) -> None:
    """With values computed long before they are needed: all outcomes stay, and something moves in most."""
    seeds = range(9600, 10_000 if full else 9612)
    run_on_random(SINK, seeds)
    moved = 0
    for seed in seeds:
        module = module_of(generate(seed))
        run_passes(module, "promote-variables")
        add_redundant(module, seed)
        moved += bool(run_passes(module, "sink").passes[0].changed)
    assert moved > len(seeds) // 2, moved
