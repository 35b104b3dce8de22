"""What images hold and give: a texel that was written as something undefined is undefined, by its components where they
have bytes of their own.

    ImageWrite %image %at %t    %at may be anything: all texels may be       else the bytes of the texel
    ImageRead, ImageFetch       %at may be anything: the result is           else as the bytes are
    samples, gathers            any operand, or any texel of the image, may be anything: all of the result may be
"""

from typing import Any

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.sim.memory import Buffer
from reknit.sim.ops.image import OPERANDS, Reach
from reknit.sim.ops.image_operands import Operands
from reknit.sim.shadow.memory import texel_bytes
from reknit.sim.shadow.shapes import joined, part_of, source_in
from reknit.sim.shadow.sources import ADDRESS
from reknit.sim.shadow.state import Tracker
from reknit.sim.shadow.values import Rule, Said, by_lane
from reknit.sim.values import VECTOR_KIND, Shape


def _silent(lane: int, message: str) -> None:
    """The step itself has reported it."""


def leads_of(instr: Instr, first: int) -> list[Value]:
    """The operands that say which texel: the image, the coordinate, and the image operands from `first` on."""
    return [instr.value(0), instr.value(1), *[each for each in instr.operands[first:] if isinstance(each, Value)]]


def unknown(tracker: Tracker, instr: Instr, leads: list[Value], lane: int) -> int:
    number = tracker.source_of(leads, lane)
    if number:
        tracker.reach_instr(ADDRESS, instr, number, lane)
    return number


def read_rule(tracker: Tracker, instr: Instr) -> Rule:
    preparation = tracker.preparation
    leads = leads_of(instr, 2)
    reach = Reach(preparation, instr, instr.value(0), instr.value(1), Operands(preparation, instr, 2, OPERANDS))
    shape = preparation.shape(instr)

    def run(lanes: list[int], said: Said) -> None:
        if not tracker.concerns(leads) and not any(tracker.buffers.values()):
            tracker.clear(instr, lanes)
            return
        for lane in lanes:
            shadow: Any = unknown(tracker, instr, leads, lane)
            image = reach.images[lane]
            if not shadow and isinstance(image, Buffer) and tracker.has_bytes(image):
                index = reach.find(lane, _silent)
                if index >= 0:
                    shadow = texel_shadow(tracker, image, index, shape)
            tracker.set(instr, lane, shadow)

    return run


def bytes_of_parts(image: Buffer) -> list[tuple[int, int]]:
    """Of each component of a texel the first byte and how many; [] where they share bytes."""
    assert image.texture is not None
    format = image.texture.format
    if any(width % 8 for width in format.widths):
        return []
    return [(format.shifts[at] // 8, format.widths[at] // 8) for at in range(len(format.widths))]


def texel_shadow(tracker: Tracker, image: Buffer, index: int, shape: Shape) -> Any:
    """Components that the format has not are defined."""
    first, size = texel_bytes(image, index)
    parts = bytes_of_parts(image)
    count = shape.count if shape.kind == VECTOR_KIND else 1
    if not parts:
        return tracker.source_at(image, first, size)
    shadows: list[Any] = []
    for at in range(count):
        shadows.append(tracker.source_at(image, first + parts[at][0], parts[at][1]) if at < len(parts) else 0)
    return joined(shadows) if count > 1 else shadows[0]


def write_rule(tracker: Tracker, instr: Instr) -> Rule:
    preparation = tracker.preparation
    leads = leads_of(instr, 3)
    reach = Reach(preparation, instr, instr.value(0), instr.value(1), Operands(preparation, instr, 3, OPERANDS))
    value = instr.value(2)

    def run(lanes: list[int], said: Said) -> None:
        messages = by_lane(said, lanes)
        column = tracker.column(value)
        if column is None and not messages and not tracker.concerns(leads) and not any(tracker.buffers.values()):
            return
        for lane in lanes:
            image = reach.images[lane]
            if tracker.helpers[lane] or not isinstance(image, Buffer) or image.texture is None:
                continue
            number = unknown(tracker, instr, leads, lane)
            if number:
                tracker.poison(image, number, instr)
                continue
            index = reach.find(lane, _silent)
            if index < 0:
                continue
            shadow: Any = column[lane] if column is not None else 0
            message = messages.get(lane)
            if message is not None and shadow == 0:
                tracker.report(instr, lane, message)
                shadow = tracker.source(instr, message)
            first, size = texel_bytes(image, index)
            parts = bytes_of_parts(image)
            if not parts or not isinstance(shadow, tuple):
                tracker.store_bytes(image, first, size, source_in(shadow), instr)
                continue
            for at in range(len(parts)):
                part = part_of(shadow, at) if at < len(shadow) else 0
                tracker.store_bytes(image, first + parts[at][0], parts[at][1], part, instr)

    return run


def sampled_rule(tracker: Tracker, instr: Instr) -> Rule:
    """Also what makes handles and asks for sizes, which look at no texel."""
    values = [operand for operand in instr.operands if isinstance(operand, Value)]
    looks = instr.op not in (op.SampledImage, op.Image) and bool(instr.has_result)
    images = tracker.preparation.column(values[0]) if values else []

    def held(lane: int) -> int:
        """The source of any texel of the image."""
        handle: Any = images[lane]
        image = handle[0] if isinstance(handle, tuple) and handle else handle
        if isinstance(image, Buffer):
            known = tracker.buffers.get(image.owner())
            if known:
                return next(iter(known.values()))
        return 0

    def run(lanes: list[int], said: Said) -> None:
        messages = by_lane(said, lanes)
        for lane in lanes:
            number = tracker.source_of(values, lane)
            if not number and looks:
                number = held(lane)
            message = messages.get(lane)
            if message is not None and not number:
                tracker.report(instr, lane, message)
                number = tracker.source(instr, message)
            tracker.set(instr, lane, number)

    return run
