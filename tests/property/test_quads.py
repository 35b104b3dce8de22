"""Lint on random fragment shaders: what it does not report is defined, and the same whatever an implementation chooses.

    random shader -> lint -> without what it reports -> every outcome by the same rule, over drawings with helper
    invocations -> one, and no derivative of a quad that is not there as a whole

and the shaders of derivatives and quad operations, drawn by drivers.
"""

from collections.abc import Sequence

import pytest
from kit.oracles import drivers, quad_promises
from kit.oracles.quad_promises import Judged, judge, one_outcome
from kit.random.quads import DERIVATIVE, DRAWINGS, QUAD, buffers, quad_program

from reknit.analysis.tangles.rules import BASE, RULES
from reknit.ir.text.parser import parse
from reknit.vulkan.draw import draw_on

PER_RULE = 6
BATCH = 50
BATCHES = 16
ON_DRIVERS = 40


@pytest.mark.parametrize("rule", RULES)
def test_what_is_not_reported_is_defined(rule: str) -> None:
    total = Judged()
    for seed in range(PER_RULE):
        judge(seed, rule, [(4, 8)[seed % 2]], [list(DRAWINGS)[seed % len(DRAWINGS)]], total)
    assert not total.wrong, total.wrong


@pytest.mark.full
@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize("rule", RULES)
def test_what_is_not_reported_is_defined_for_more(rule: str, batch: int) -> None:
    total = Judged()
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        judge(seed, rule, [4, 8], list(DRAWINGS), total)
    print(f"{total.sites} operations, {total.runs} runs, findings {dict(total.findings)}")
    assert not total.wrong, total.wrong


def test_what_is_missed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The net itself: with nothing reported, runs show undefined derivatives, and outcomes that differ."""
    monkeypatch.setattr(quad_promises, "findings", lambda text, rule=None: {})
    total = Judged()
    for seed in range(12):
        judge(seed, BASE, [8], ["covers"], total)
    assert any("nothing is reported of" in wrong for wrong in total.wrong)
    assert any("outcomes without a finding" in wrong for wrong in total.wrong)


def drawn(seed: int, driver: str, lanes: int, names: Sequence[str]) -> None:
    """A program of derivatives and quad operations alone, since which quads share a subgroup is the driver's choice."""
    program = quad_program(seed, (DERIVATIVE, QUAD), levels=False)
    for name in names:
        expected = one_outcome(program, BASE, lanes, name)
        if expected is None:
            continue
        text, result = expected
        if driver == "swiftshader" and "ImageQueryLod" in text:
            continue  # it answers 2 for an image of the levels 0 and 1, where the level that is accessed is asked
        target = drivers.target(driver, lanes)
        other = draw_on(target, parse(text), DRAWINGS[name], buffers=buffers(), push_constants=[program.pushed])
        where = f"seed {seed}, drawing {name}\n{text}"
        assert other.buffers["out"].words == result.buffers["out"].words, where
        assert result.framebuffer is not None and other.framebuffer is not None
        assert other.framebuffer.attachments[0].pixels == result.framebuffer.attachments[0].pixels, where


@pytest.mark.once
def test_a_driver_draws_the_same() -> None:
    drawn(1, "lavapipe", 8, ["edges"])


@pytest.mark.once
@pytest.mark.full
@pytest.mark.parametrize("seed", range(ON_DRIVERS))
@drivers.on_every_drawing_driver
def test_drivers_draw_the_same(driver: str, lanes: int, seed: int) -> None:
    drawn(seed, driver, lanes, [name for name, drawing in DRAWINGS.items() if not drawing.quads])
