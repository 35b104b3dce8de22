"""Constructs that several random programs have: loops that end, switches whose cases may fall through.

    i = 0; loop { if i >= trips { break }  i = i + 1  ... }
    switch s { case 0, 2: { ... fallthrough } default: { ... } }
"""

import random
from collections.abc import Callable

from reknit.ir import op
from reknit.ir.build import Builder
from reknit.ir.constants import int_constant
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.tree import Case, Loop, Switch
from reknit.ir.types import bool_type, int_type
from reknit.passes.variables import local_variable


def counted_loop(module: Module, function: Function, b: Builder, trips: int) -> Loop:
    """A loop that is left at its start after `trips` iterations; the builder is in its body then."""
    u32, truth = int_type(module, 32, False), bool_type(module)
    counter = local_variable(function, module, u32, "i")
    b.store(counter, int_constant(module, u32, 0))
    loop = b.open_loop()
    b.at(loop.body.entry())
    count = b.load(u32, counter)
    end = b.open_if(b.emit(op.UGreaterThanEqual, truth, [count, int_constant(module, u32, trips)]), merged=False)
    b.at(end.then.entry())
    b.break_(loop)
    b.at(end.after())
    b.store(counter, b.emit(op.IAdd, u32, [count, int_constant(module, u32, 1)]))
    return loop


def fill_cases(switch: Switch, b: Builder, draw: random.Random, falls: float, fill: Callable[[Case], None]) -> None:
    """Each case by `fill`; `falls` of those that end there fall through. The builder is behind the switch then."""
    for index, case in enumerate(switch.cases):
        b.at(case.region.entry())
        fill(case)
        if b.block.jump is None and index + 1 < len(switch.cases) and draw.random() < falls:
            b.fallthrough(switch.cases[index + 1])
    b.at(switch.after())
