"""What fragment shaders leave: for each location an attachment, depth, and how each invocation ended.

    result.framebuffer.attachments[0].at(1, 0)     the components at pixel (1, 0), None where nothing was drawn
    result.framebuffer.fragments[3].end            written, helper or discarded

Pixels are written in the order of primitives, without blending. A sample passes the depth test where the drawing's
`compare` holds between its depth and the one that is there. Source: Vulkan 1.4, "Fragment Operations", "Depth Test".
"""

from typing import Any, Final, final

from reknit.sim.buffers import plain
from reknit.sim.comparisons import passes
from reknit.sim.drawing import Drawing
from reknit.sim.ops.ieee import FORMAT32, format_of
from reknit.sim.shadow.sources import Source
from reknit.sim.values import FLOAT_KIND, INT_KIND, Shape, to_signed

Spot = tuple[int, int, int, int]
"""(layer, y, x, sample)"""

WRITTEN: Final = "written"


@final
class Fragment:
    """An invocation: its lane, its pixel, the sample that it shades (-1: all), the number of its primitive; `end` is
    "written", "helper" (from the start) or "discarded" (by a kill, a terminate or a demote)."""

    __slots__ = ("lane", "x", "y", "sample", "primitive", "end")

    def __init__(self, lane: int, x: int, y: int, sample: int, primitive: int) -> None:
        self.lane = lane
        self.x = x
        self.y = y
        self.sample = sample
        self.primitive = primitive
        self.end = WRITTEN

    def __repr__(self) -> str:
        return f"<lane {self.lane} at ({self.x}, {self.y}): {self.end}>"

    def to_json(self) -> dict[str, object]:
        return {
            "lane": self.lane, "at": [self.x, self.y], "sample": self.sample, "primitive": self.primitive,
            "end": self.end,
        }  # fmt: skip


@final
class Attachment:
    """What the output at a location is; location -1 is the stencil reference. `shape` is the type of the variable that
    is written first. `undefined` are the components that may be anything, with where that comes from."""

    __slots__ = ("location", "index", "name", "shape", "pixels", "undefined")

    def __init__(self, location: int, index: int, name: str, shape: Shape) -> None:
        self.location = location
        self.index = index
        self.name = name
        self.shape = shape
        self.pixels: dict[Spot, dict[int, int]] = {}  # by component, as bits
        self.undefined: dict[tuple[Spot, int], Source] = {}

    def put(self, spot: Spot, component: int, value: Any, sources: "list[Source | None] | None" = None) -> None:
        """`sources` are those of the parts that may be anything."""
        parts = self.pixels.setdefault(spot, {})
        for at, part in enumerate(value if isinstance(value, tuple) else (value,)):
            parts[component + at] = part
            source = sources[at] if sources else None
            if source is not None:
                self.undefined[spot, component + at] = source
            else:
                self.undefined.pop((spot, component + at), None)

    def is_undefined(self, x: int, y: int, sample: int, layer: int) -> list[bool]:
        """Of each component at a pixel that was drawn, whether it may be anything."""
        spot = (layer, y, x, sample)
        return [(spot, component) in self.undefined for component in range(max(self.pixels[spot]) + 1)]

    def at(self, x: int, y: int, sample: int = 0, layer: int = 0) -> list[int | float] | None:
        """The components that were written, as numbers."""
        parts = self.pixels.get((layer, y, x, sample))
        if parts is None:
            return None
        return [self.number(parts.get(component, 0)) for component in range(max(parts) + 1)]

    def words(self, x: int, y: int, sample: int = 0, layer: int = 0) -> list[int] | None:
        """The same as bits."""
        parts = self.pixels.get((layer, y, x, sample))
        return None if parts is None else [parts.get(component, 0) for component in range(max(parts) + 1)]

    def defined(self, spot: Spot) -> tuple[tuple[int, int], ...]:
        """The components at a pixel, -1 for those that may be anything."""
        parts = self.pixels[spot]
        return tuple([(at, -1 if (spot, at) in self.undefined else bits) for at, bits in parts.items()])

    def number(self, bits: int) -> int | float:
        scalar = self.shape.component()
        form = format_of(scalar.width) if scalar.kind == FLOAT_KIND else None
        if form is not None:
            return form.decode(bits)
        return to_signed(bits, scalar.width) if scalar.kind == INT_KIND and scalar.signed else bits


@final
class Framebuffer:
    __slots__ = ("size", "samples", "compare", "clear", "attachments", "depths", "fragments")

    def __init__(self, drawing: Drawing) -> None:
        self.size = drawing.size
        self.samples = drawing.samples
        self.compare = drawing.compare
        self.clear = FORMAT32.encode(drawing.depth)
        self.attachments: list[Attachment] = []
        self.depths: dict[Spot, int] = {}  # of the samples that were written
        self.fragments: list[Fragment] = []

    def __repr__(self) -> str:
        names = ", ".join([attachment.name or str(attachment.location) for attachment in self.attachments])
        return f"<framebuffer of {self.size[0]}x{self.size[1]} pixels: {names or 'no outputs'}>"

    def attachment(self, location: int, index: int, name: str, shape: Shape) -> Attachment:
        """That of a location, which several variables may write, each some components."""
        for attachment in self.attachments:
            if (attachment.location, attachment.index) == (location, index):
                return attachment
        attachment = Attachment(location, index, name, shape)
        self.attachments.append(attachment)
        self.attachments.sort(key=lambda each: (each.location < 0, each.location, each.index))
        return attachment

    def test(self, spot: Spot, depth: int) -> bool:
        """Test a sample against the depth that is there, and leave its own if it passes. Without a test no depth is
        written ("Depth Test": where it is disabled, "the depth test always passes, and no depth is written")."""
        if not passes(self.compare, FORMAT32.decode(depth), FORMAT32.decode(self.depths.get(spot, self.clear))):
            return False
        if self.compare:
            self.depths[spot] = depth
        return True

    def depth(self, x: int, y: int, sample: int = 0, layer: int = 0) -> float:
        return FORMAT32.decode(self.depths.get((layer, y, x, sample), self.clear))

    def contents(self) -> tuple[object, ...]:
        """What another run has to leave too, to have the same result."""
        pixels = [
            tuple([(spot, attachment.defined(spot)) for spot in sorted(attachment.pixels)])
            for attachment in self.attachments
        ]
        return (*pixels, tuple(sorted(self.depths.items())))

    def to_json(self) -> dict[str, object]:
        outputs: list[dict[str, object]] = []
        for attachment in self.attachments:
            outputs.append(
                {
                    "location": attachment.location,
                    "index": attachment.index,
                    "name": attachment.name,
                    "type": str(attachment.shape),
                    "pixels": self.pixels(attachment),
                }
            )
        return {
            "size": list(self.size),
            "samples": self.samples,
            "outputs": outputs,
            "fragments": [fragment.to_json() for fragment in self.fragments],
        }

    def pixels(self, attachment: Attachment) -> list[dict[str, object]]:
        """Those that were drawn."""
        drawn: list[dict[str, object]] = []
        for layer, y, x, sample in sorted(attachment.pixels):
            value = attachment.at(x, y, sample, layer)
            assert value is not None
            pixel: dict[str, object] = {"at": [x, y], "value": [plain(number) for number in value]}
            open = [at for at, is_open in enumerate(attachment.is_undefined(x, y, sample, layer)) if is_open]
            if open:
                pixel["undefined"] = open
            if self.samples > 1:
                pixel["sample"] = sample
            if layer:
                pixel["layer"] = layer
            drawn.append(pixel)
        return drawn
