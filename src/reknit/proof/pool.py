"""The numbers that inputs are drawn from, as bits: what both programs name, their neighbours, and what types have.

    before: x < 5      after: x * 0.25      ->   u32   5 6 4 0 1 | 0 1 2 3 31 32 33 0x7fffffff 0x80000000 0xffffffff ...
                                            ->   f32   0.25 -0.25 next after 0.25 ... 5.0 5.5 4.5 | -0.0 0.5 NaN inf ...

Labels of switches come first: one of them decides most.
"""

import math
from typing import Final, final

from reknit.ir import op
from reknit.ir.constants import as_int, literal_bits
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.tree import Switch
from reknit.ir.types import is_signed, width_of
from reknit.ir.walk import constructs
from reknit.sim.ops.ieee import Format, format_of
from reknit.sim.values import FLOAT_KIND, Shape

MAX_NAMED: Final = 40  # numbers of both programs together, of each kind


@final
class Pool:
    """`ints` and `floats` are the numbers that the modules name."""

    __slots__ = ("ints", "floats", "_kept")

    def __init__(self, modules: list[Module]) -> None:
        ints: dict[int, None] = {}
        floats: dict[float, None] = {}
        for module in modules:
            ints.update(dict.fromkeys(labels_of(module)))
        columns = [[each for each in module.globals if each.op in (op.Constant, op.SpecConstant)] for module in modules]
        for at in range(max([len(column) for column in columns], default=0)):
            for column in columns:
                if at < len(column) and column[at].users:
                    add_constant(column[at], ints, floats)
        self.ints = list(ints)[:MAX_NAMED]
        self.floats = list(floats)[:MAX_NAMED]
        self._kept: dict[tuple[int, int], list[int]] = {}

    def of(self, shape: Shape) -> list[int]:
        """For a scalar of this type, each once."""
        key = (shape.kind, shape.width)
        if key not in self._kept:
            form = format_of(shape.width) if shape.kind == FLOAT_KIND else None
            numbers = self.as_ints(shape.width) if form is None else self.as_floats(form, shape.width)
            self._kept[key] = list(dict.fromkeys(numbers))
        return self._kept[key]

    def as_ints(self, width: int) -> list[int]:
        if width < 1:
            return [0]  # an existential: its bytes are not drawn
        numbers: list[int] = []
        numbers.extend(self.ints)
        form = format_of(width)
        for fraction in self.floats:
            numbers.extend([int(fraction), int(fraction) + 1] if math.isfinite(fraction) else [])
            numbers.extend([form.encode(fraction)] if form is not None else [])
        numbers.extend([0, 1, -1, 2, 3, width, width - 1, width + 1, 1 << (width - 1), (1 << (width - 1)) - 1])
        for number in self.ints:
            numbers.extend([number + 1, number - 1])
        numbers.extend([255, 256, -2, 1 << (width // 2), (1 << (width // 2)) - 1, 5, 7, 10, 100, -128, 0x5A5A5A5A])
        return [number & ((1 << width) - 1) for number in numbers]

    def as_floats(self, form: Format, width: int) -> list[int]:
        patterns: list[int] = []
        sign = 1 << (width - 1)
        patterns.extend([form.encode(fraction) for fraction in self.floats])
        plain = (0.0, -0.0, 0.5, -0.5, 1.5, -1.0, 1.0, -1.5, 2.5, 0.1, -0.75, 3.0, 1e-3, 3e9, -3e9, 65504.0, 16777217.0)
        patterns.extend([form.encode(number) for number in plain])
        infinite = form.encode(math.inf)
        patterns.extend([infinite, infinite | sign, form.encode(math.nan)])
        smallest = infinite & -infinite  # the smallest that is no denormal: exponent 1
        patterns.extend([1, 1 | sign, smallest - 1, smallest, infinite - 1, (infinite - 1) | sign])
        for fraction in self.floats:
            bits = form.encode(fraction)
            patterns.extend([bits + 1, bits - 1] if math.isfinite(fraction) and bits & (sign - 1) else [])
            patterns.extend([form.encode(fraction + near) for near in (0.5, -1.0, 1.0)])
            patterns.append(bits ^ sign)
        for number in self.ints:
            patterns.extend([form.encode(float(number)), form.encode(number + 0.5), form.encode(number - 0.5)])
        return patterns


def labels_of(module: Module) -> list[int]:
    """The literals of all switches."""
    literals: list[int] = []
    for function in module.functions:
        for construct in constructs(function):
            if isinstance(construct, Switch):
                literals.extend([literal for literal, _ in construct.targets])
    return literals


def add_constant(instr: Instr, ints: dict[int, None], floats: dict[float, None]) -> None:
    """The number that a constant is, or that a specialization constant is unless it is set."""
    type = instr.type
    if type is not None and type.op == op.TypeInt:
        number = as_int(instr)
        if number is None:
            bits = literal_bits(instr)
            width = width_of(type)
            number = bits - (1 << width) if is_signed(type) and bits >> (width - 1) else bits
        ints[number] = None
    elif type is not None and type.op == op.TypeFloat and len(type.operands) == 1:
        form = format_of(width_of(type))
        if form is not None:
            floats[form.decode(literal_bits(instr))] = None
