"""What two modules of one shader store, on the same inputs: each in the simulator and on lavapipe.

    theirs ─┬─ simulator ─┐
            └─ lavapipe ──┤ all four the same ──▶ same        floats that differ as Vulkan lets them ──▶ near
    ours ───┬─ simulator ─┤ one reads what nothing has written, races, indexes outside ... ──▶ undefined
            └─ lavapipe ──┘ one of several results that the rules allow ──▶ allowed
                            the rules allow more results than are gone through, and both give the same ──▶ open
                            else ──▶ differs
    a vertex shader, or one that the driver can't run: the simulator alone ──▶ simulated

`theirs` is the shader before it was rewritten, or what another compiler makes of the same source (`references`). What
only one of the two writes has to be as it was given.
"""

from functools import partial

import reknit
from corpus_runs.given import PATTERNS, STAGES, adapted, drawn, scene_of, timed
from corpus_runs.sides import Numbers, Side
from corpus_runs.tried import (
    ALLOWED,
    BEFORE,
    DIFFERS,
    NEAR,
    NOT_RUN,
    OPEN,
    SAME,
    SIMULATED,
    UNDEFINED,
    Compared,
)
from reknit.ir.module import Module
from reknit.proof import devices
from reknit.proof.nearness import close
from reknit.sim.entry import find_entry
from reknit.sim.left import Number
from reknit.sim.values import FLOAT_KIND

ULP = 4096
"""For chains of divisions, powers and sines: of a float's 23 bits, 11 agree."""
FINE = (devices.SAME, devices.ALLOWED)


def compare(before: bytes, after: bytes) -> list[Compared]:
    """Of each entry point what it stores before and after."""
    modules = (reknit.load(before), reknit.load(after))
    found: list[Compared] = []
    for entry in [point.text(2) for point in modules[1].entry_points]:
        verdict, why = timed(partial(compare_entry, modules, entry, (BEFORE, "after")))
        found.append(Compared(BEFORE, entry, verdict, why))
    return found


def compare_entry(modules: tuple[Module, Module], entry: str, names: tuple[str, str]) -> tuple[str, str]:
    """(verdict, what differs or why nothing was run). Raises InputError for what the simulator can't run."""
    if find_entry(modules[1], entry).word(0) not in STAGES:
        return NOT_RUN, "a stage that is not run"
    verdict, why = NOT_RUN, ""
    for pattern in PATTERNS:
        verdict, why = _compared(modules, entry, names, pattern)
        if verdict != UNDEFINED:
            break
    return verdict, why


def _compared(modules: tuple[Module, Module], entry: str, names: tuple[str, str], pattern: int) -> tuple[str, str]:
    scene = scene_of(modules, entry)
    given = drawn(modules[0], entry, scene, pattern)
    theirs = Side(names[0], modules[0], entry, given, scene)
    ours = Side(names[1], modules[1], entry, adapted(given, modules[1], entry, scene, pattern), scene)
    for side in (theirs, ours):
        side.draw()
    if theirs.drawn is None or ours.drawn is None:
        theirs.drawn = ours.drawn = None
    for side in (theirs, ours):
        side.store(theirs)
    return _verdict(theirs, ours)


def _verdict(theirs: Side, ours: Side) -> tuple[str, str]:
    reason = theirs.reason or ours.reason
    if not any(unlike(left, right, 0) for left, right in _pairs(theirs, ours)):
        return SIMULATED if reason else SAME, reason
    near = [unlike(left, right, ULP, (theirs, ours)) for left, right in _pairs(theirs, ours)]
    if not any(near):
        return SIMULATED if reason else NEAR, reason
    undefined = [*theirs.undefined(), *ours.undefined()]
    if undefined:
        return UNDEFINED, "; ".join(dict.fromkeys(undefined[:2]))
    if not reason:
        changed = near[0] or near[1]
        imprecise = [side.judged(0) for side in (theirs, ours)]
        if not changed and all(each.verdict == devices.IMPRECISE for each in imprecise):
            return NEAR, f"on the driver {imprecise[0].coverage} decide otherwise"
        judged = [side.judged(ULP) for side in (theirs, ours)]
        if all(each.verdict in FINE for each in judged) and (not changed or all(each.count > 1 for each in judged)):
            return ALLOWED, ""
        if any(each.verdict == devices.UNDEFINED for each in judged):
            return UNDEFINED, "one of the results that the rules allow is undefined"
        if not near[1] and any(each.verdict == devices.UNKNOWN for each in judged):
            return OPEN, judged[1].coverage
    places = ("simulated", "on the driver", *[f"{side.name}, simulated and on the driver" for side in (theirs, ours)])
    return DIFFERS, "; ".join(f"{place}: {what}" for place, what in zip(places, near, strict=False) if what)


def _pairs(theirs: Side, ours: Side) -> list[tuple[Numbers, Numbers]]:
    """Both in the simulator; where there is a driver, both on it, and each in the simulator and on it."""
    across = list(zip(theirs.numbers, ours.numbers, strict=True))
    return across + [(side.numbers[0], side.numbers[1]) for side in (theirs, ours) if len(side.numbers) > 1]


def unlike(left: Numbers, right: Numbers, ulp: int, sides: tuple[Side, ...] = ()) -> str:
    """The first number that differs by more than `ulp` and than the operations of a side allow, "" for none."""
    found = [
        name
        for name in {**left, **right}
        if name not in left or name not in right or not _is_like(left[name], right[name], ulp, sides)
    ]
    if not found:
        return ""
    texts = [numbers[found[0]].text() if found[0] in numbers else "nothing" for numbers in (left, right)]
    return f"{found[0]} is {texts[0]} and {texts[1]} ({len(found)} numbers differ)"


def _is_like(left: Number, right: Number, ulp: int, sides: tuple[Side, ...]) -> bool:
    if left.bits == right.bits:
        return True
    if not ulp or FLOAT_KIND not in (left.shape.kind, right.shape.kind):
        return False
    width = left.shape.width
    return close(left.bits, right.bits, width, ulp) or any(
        side.precision.is_near(left.bits, right.bits, width) or side.precision.tolerates(left.bits, right.bits, width)
        for side in sides
    )
