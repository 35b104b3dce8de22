"""Every pass of the catalog, on random programs: all outcomes are kept, the output verifies and is valid SPIR-V.

  program ─▶ [promote-variables] ─▶ the pass ─▶ [reconverge] ─▶ outcomes equal, verified, written, accepted, read again

A pass sees each program in one of three ways: with its variables, in SSA form, and in SSA form with the whole pipeline
after it. Passes that need others before them run in the pipelines of `reknit.fuzzing.differential`; the last test says
which ones, so that none is left out.
"""

from typing import Final

import pytest
from kit.oracles import need, validate

from reknit.fuzzing.differential import PIPELINES, Difference, check
from reknit.fuzzing.features import ALL
from reknit.fuzzing.generate import generate
from reknit.passes.catalog import catalog
from reknit.passes.order_check import order_faults
from reknit.passes.pipeline_text import parse_pipeline

FIRST_SEED: Final = 40_000
CI: Final = 60
FULL: Final = 2_000
EVERYTHING: Final = 70_000  # the first seed of programs with all features
MORE: Final = 6
WAYS: Final = ("{name}", "promote-variables, {name}", "promote-variables, {name}, reconverge")


def stands_alone(name: str) -> bool:
    known = catalog()
    return not any(order_faults(parse_pipeline(way.format(name=name), known), known) for way in WAYS)


ALONE: Final = [name for name in catalog() if stands_alone(name)]


@pytest.mark.parametrize("name", ALONE)
def test_a_pass_keeps_every_outcome(name: str, full: bool) -> None:
    need("slang-glslang")
    for seed in range(FIRST_SEED, FIRST_SEED + (FULL if full else CI)):
        pipeline = WAYS[seed % len(WAYS)].format(name=name)
        try:
            check(generate(seed), pipeline, validate)
        except Difference as fault:
            pytest.fail(f"seed {seed}, {pipeline}: {fault}")


@pytest.mark.parametrize("name", ALONE)
def test_a_pass_keeps_every_outcome_of_programs_with_everything(name: str, full: bool) -> None:
    need("slang-glslang")
    for seed in range(EVERYTHING, EVERYTHING + (FULL // 10 if full else MORE)):
        pipeline = WAYS[seed % len(WAYS)].format(name=name)
        try:
            check(generate(seed, 0, ALL), pipeline, validate)
        except Difference as fault:
            pytest.fail(f"seed {seed}, {pipeline}: {fault}")


def test_no_pass_is_left_out() -> None:
    """What doesn't stand alone is in a pipeline that random programs go through."""
    known = catalog()
    piped = {spec.transform.name for pipeline in PIPELINES for spec in parse_pipeline(pipeline, known)}
    assert [name for name in known if name not in ALONE and name not in piped] == []
