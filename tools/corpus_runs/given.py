"""What a shader is run on where values are compared: numbers that are small, and so long as it may take.

Numbers of buffers and texels are whole ones below 4, floats in eighths from -1 to 3; where that is undefined, whole
ones from 0 to 8. One workgroup, one triangle, or six vertices.
"""

import random
import signal
import struct
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

from corpus_runs.tried import NOT_RUN
from reknit.ir import enums
from reknit.ir.module import Module
from reknit.proof.inputs import Maker
from reknit.proof.interface import Port, ports
from reknit.proof.pool import Pool
from reknit.proof.scenes import scenes_for
from reknit.sim.buffers import words_needed
from reknit.sim.drawing import Drawing, Primitive
from reknit.sim.entry import find_entry
from reknit.sim.globals import Globals
from reknit.sim.images import Image
from reknit.sim.locations import parts_of
from reknit.sim.run import prepare
from reknit.sim.stages.interface import inputs_of
from reknit.sim.texels import BY_NAME, SINT, UINT
from reknit.sim.vertices import Vertices
from reknit.source.diagnostic import Diagnostic, InputError

LANES = 8
STEPS = 400_000
SECONDS = 25
STAGES = (enums.ExecutionModelGLCompute, enums.ExecutionModelFragment, enums.ExecutionModelVertex)
LONGER = 32
"""Elements that an array without a bound has beside one an invocation."""
ELEMENTS = 4
"""Of an array of resources without a length."""
PATTERNS = (5, 6)
"""Those of `Maker` that have small numbers, and whole ones that are not negative."""


class Late(BaseException):
    """Running it takes too long: no fault that reknit would report as its own."""


def timed(compare: Callable[[], tuple[str, str]]) -> tuple[str, str]:
    """(verdict, why) of a comparison, which is ended after SECONDS or by a diagnostic."""
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(SECONDS)
    try:
        return compare()
    except InputError as refusal:
        return NOT_RUN, f"{refusal.diagnostics[0].code} {refusal.diagnostics[0].message}"
    except Late:
        return NOT_RUN, f"more than {SECONDS} s"
    finally:
        signal.alarm(0)


def _late(number: int, frame: FrameType | None) -> None:
    raise Late


def scene_of(modules: tuple[Module, Module], entry: str) -> Any:
    """What is drawn; None for a compute shader."""
    return next(iter(scenes_for(modules[0], modules[1], entry, None, Pool(list(modules))).values()), None)


def fitting(scene: Any, module: Module, entry: str) -> Any:
    """The scene without inputs that the module lacks: its compiler may have taken one out that nothing reads."""
    globals = Globals(module, {})
    parts = [part for variable in inputs_of(find_entry(module, entry)) for part in parts_of(globals, variable)]
    places = {f"{part.location}.{part.component}" for part in parts}

    def kept(inputs: Mapping[str, Any]) -> dict[str, Any]:
        return {name: values for name, values in inputs.items() if name in places}

    if isinstance(scene, Vertices):
        return Vertices(scene.count, attributes=kept(scene.attributes), instances=scene.instances)
    if isinstance(scene, Drawing):
        primitives = [Primitive(each.corners, kept(each.inputs), size=each.size) for each in scene.primitives]
        return Drawing(scene.size, primitives, compare=scene.compare)
    return scene


def drawn(module: Module, entry: str, scene: Any, pattern: int) -> dict[str, Any]:
    """What each buffer, image and sampler of an entry point begins with, by its set and binding."""
    maker = _maker(module, entry, scene)
    return {port.place: _given(maker, port, number, pattern) for number, port in enumerate(maker.ports)}


def adapted(given: dict[str, Any], module: Module, entry: str, scene: Any, pattern: int) -> dict[str, Any]:
    """The same bytes for a module whose types may be longer or shorter, and what it has besides."""
    maker = _maker(module, entry, scene)
    found: dict[str, Any] = {}
    for number, port in enumerate(maker.ports):
        data = given[port.place] if port.place in given else _given(maker, port, number, pattern)
        if isinstance(data, Image) and port.layout is not None:
            data = _words(data)
        if isinstance(data, list) and port.layout is not None and port.layout.runtime_array() is None:
            least = words_needed(port.layout, 1, port.name)
            data = [*data[:least], *[0] * (least - len(data))]
        found[port.place] = data
    return found


def _maker(module: Module, entry: str, scene: Any) -> Maker:
    drawing = fitting(scene, module, entry)
    program = prepare(module, entry, subgroup_size=LANES, drawing=drawing, unbound=ELEMENTS)
    return Maker(ports(program), {}, {}, Pool([module]), program.stage.extent((1, 1, 1)), {})


def _given(maker: Maker, port: Port, number: int, pattern: int) -> Any:
    return maker.drawn(port, pattern, LONGER, random.Random(f"values {number}"))


def _words(image: Image) -> list[int]:
    """The texels of a buffer of texels, for a module that has them as words. Raises InputError."""
    form = BY_NAME[image.format]
    if any(width != 32 for width in form.widths):
        raise InputError([Diagnostic("RK1004", f"texels of the format {form.name} are no words")])
    letter = {SINT: "i", UINT: "I"}.get(form.kind, "f")
    data = struct.pack(f"<{len(image.texels)}{letter}", *image.texels)
    return list(struct.unpack(f"<{len(image.texels)}I", data))
