"""Pairs of modules, written from the specification without a look at the prover (`kit.text.differing` says how).

differing/*.md    the second may do something that the first may not, or has another interface: never "proved", and
                  no certificate of it is accepted. Where a run tells them apart, its results are derived by hand,
                  and the simulator must give both.
equal/*.md        the second may only do what the first may, though they look different: never "refuted".
"""

import pytest
from kit import oracles
from kit.text import differing
from kit.text.differing import Pair

import reknit
from reknit.ir.module import Module
from reknit.passes.manager import run_passes
from reknit.passes.pipelines import OPTIMIZE
from reknit.proof.verdict import PROVED, PROVED_FOR_DOMAIN, REFUTED
from reknit.sim.buffers import words_needed
from reknit.sim.policy import Policy
from reknit.sim.run import prepare
from reknit.source.diagnostic import InputError
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module

PAIRS = differing.pairs(differing.DIFFERING)
EQUAL = differing.pairs(differing.EQUAL)
PAGES = sorted({pair.page for pair in [*PAIRS, *EQUAL]})
RUN = [pair for pair in PAIRS if pair.run is not None]
TIDIED = ", ".join(OPTIMIZE[:-1])  # the last pass drops what the interface declares, which is compared first
SAMPLE = 8  # every so many pairs without --full


def named(pair: Pair) -> str:
    return pair.name


def binaries(pair: Pair) -> tuple[bytes, bytes]:
    return assemble(pair.before, pair.name), assemble(pair.after, pair.name)


def modules(pair: Pair) -> tuple[Module, Module]:
    before, after = binaries(pair)
    return read_module(before), read_module(after)


def test_as_many_as_promised() -> None:
    assert len(PAIRS) >= 400
    assert len([pair for pair in PAIRS if pair.page.startswith("declarations-")]) >= 100
    assert len(EQUAL) >= 40
    names = [pair.name for pair in [*PAIRS, *EQUAL]]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("page", PAGES)
def test_both_are_valid(page: str) -> None:
    for pair in [*PAIRS, *EQUAL]:
        if pair.page == page:
            sides = binaries(pair)
            assert sides[0] != sides[1], pair.name
            for side in sides if not pair.unjudged else ():
                judge = oracles.spirv_val(side, pair.environment) if pair.environment else oracles.validate(side)
                assert judge[0], f"{pair.name}: {judge[1]}"


def stored(module: Module, pair: Pair) -> list[int]:
    """What a run leaves in the pair's buffer, as many words as are known."""
    run = pair.run
    assert run is not None
    program = prepare(module, subgroup_size=run.subgroup_size)
    buffers = {run.name: [0] * 16, **run.given}
    for buffer in program.preparation.order:
        if buffer.name in buffers and buffer.layout.runtime_array() is None:
            whole = words_needed(buffer.layout, 1, buffer.name)
            buffers[buffer.name] = (buffers[buffer.name] + [0] * whole)[:whole]
    result = program.run(Policy(), (1, 1, 1), buffers)
    assert [str(said) for said in result.diagnostics if said.severity == "error"] == []
    return list(result.buffers[run.name].words)


@pytest.mark.parametrize("pair", RUN, ids=named)
def test_results_derived_by_hand(pair: Pair) -> None:
    assert pair.run is not None
    found = [
        stored(module, pair)[: len(known)]
        for module, known in zip(modules(pair), (pair.run.before, pair.run.after), strict=True)
    ]
    assert found == [pair.run.before, pair.run.after]


def verdict(pair: Pair, passes: str = "") -> str:
    """What prove says of the pair, from few runs, its first module after `passes`; "" where they can't be compared."""
    before, after = modules(pair)
    try:
        if passes:
            run_passes(before, passes)
        return str(reknit.prove(before, after, sample=3, limit=16, max_steps=10_000, subgroup_sizes=[4]).verdict)
    except InputError:
        return ""


def certified(pair: Pair) -> bool:
    """Whether a certificate of the pair is written and accepted."""
    before, after = modules(pair)
    try:
        written = reknit.prove(before, after, certificate=True).certificate
        return bool(written) and bool(reknit.prove(before, after, certificate=written))
    except InputError:
        return False


@pytest.mark.full(when=lambda pair: PAIRS.index(pair) % SAMPLE)
@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_differing_pairs_are_not_proved(pair: Pair) -> None:
    assert verdict(pair) not in (PROVED, PROVED_FOR_DOMAIN), pair.sentence
    assert not certified(pair), pair.sentence


@pytest.mark.full(when=lambda pair: PAIRS.index(pair) % (8 * SAMPLE))
@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_nor_after_the_first_was_optimized(pair: Pair) -> None:
    """It does nothing then that it did not do before, so what differs still does."""
    assert verdict(pair, TIDIED) not in (PROVED, PROVED_FOR_DOMAIN), pair.sentence


@pytest.mark.full(when=lambda pair: EQUAL.index(pair) % SAMPLE)
@pytest.mark.parametrize("pair", EQUAL, ids=named)
def test_equal_pairs_are_not_refuted(pair: Pair) -> None:
    assert verdict(pair) != REFUTED, pair.sentence
