"""Random pipelines: 1 to 8 passes with options, in an order that the order check lets by; and shorter ones.

    draw_pipeline(rng)          [inline, lower-switches{exit=sentinel}, cse]
    shorter(specs, fails)       [lower-switches{exit=sentinel}]                 the least found that still fails

A pass that the order check refuses is drawn again, or one that gives the fact that it needs is put before it.
"""

import random
from collections.abc import Callable
from typing import Final

from reknit.passes.catalog import catalog
from reknit.passes.contract import STRUCTURED, Pass
from reknit.passes.order_check import order_faults
from reknit.passes.pipeline_text import PassSpec

MAX_LENGTH: Final = 8
NUMBERS: Final = (0, 1, 2, 3, 5, 8, 20, 100, 1000)


def draw_pipeline(rng: random.Random, counts: dict[str, int] | None = None) -> list[PassSpec]:
    """`counts["refused"]` counts the passes that the order check refused."""
    known = catalog()
    length = rng.randint(1, MAX_LENGTH)
    specs: list[PassSpec] = []
    wanted: list[Pass] = []
    while len(specs) < length:
        transform = wanted.pop() if wanted else rng.choice(list(known.values()))
        longer = [*specs, draw_options(rng, transform)]
        if not order_faults(longer, known):
            specs = longer
            continue
        if counts is not None:
            counts["refused"] = counts.get("refused", 0) + 1
        if rng.random() < 0.6:
            holds = {STRUCTURED}
            for spec in specs:
                holds = holds - set(spec.transform.loses) | set(spec.transform.gives)
            missing = [need for need in transform.needs if need not in holds]
            givers = [other for other in known.values() if set(missing) & set(other.gives)]
            wanted += [transform, rng.choice(givers)] if givers else []
    return specs


def draw_options(rng: random.Random, transform: Pass) -> PassSpec:
    """A pass with some of its options at a value of their own."""
    spec = PassSpec(transform)
    for option in transform.options:
        if rng.random() < 0.5:
            continue
        if isinstance(option.default, bool):
            spec.options[option.name] = rng.random() < 0.5
        elif isinstance(option.default, int):
            spec.options[option.name] = rng.choice(NUMBERS)
        elif option.choices:
            spec.options[option.name] = rng.choice(option.choices)
    return spec


def shorter(specs: list[PassSpec], fails: Callable[[list[PassSpec]], bool]) -> list[PassSpec]:
    """`specs` without the passes, and with the default of the options, that it fails without, too; each is tried once
    from the end on. What is left keeps an order that the order check lets by."""
    known = catalog()
    for at in range(len(specs) - 1, -1, -1):
        without = specs[:at] + specs[at + 1 :]
        if without and not order_faults(without, known) and fails(without):
            specs = without
            continue
        for option in specs[at].transform.options:
            if specs[at].options[option.name] != option.default:
                plain = PassSpec(specs[at].transform, {**specs[at].options, option.name: option.default})
                changed = [*specs[:at], plain, *specs[at + 1 :]]
                if not order_faults(changed, known) and fails(changed):
                    specs = changed
    return specs
