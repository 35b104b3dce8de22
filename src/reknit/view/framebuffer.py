"""What fragment shaders leave, as people read it: a line for each row of pixels of an output.

    color: vec2<f32>, location 0, 4 x 2
      (0, 0) | (1, 0.5) (1, 0.5)        .        .       . is a pixel that nothing was drawn to
      (0, 1) | (1, 0.5)        .        .        .

With several samples a pixel, or several layers, each has lines of its own.
"""

from typing import Final

from reknit.sim.framebuffer import Attachment, Framebuffer

WIDTH: Final = 100
MAX_LINES: Final = 64
NOTHING: Final = "."


def show_framebuffer(framebuffer: Framebuffer) -> str:
    """All outputs, an empty line after each."""
    if not framebuffer.attachments:
        return "the fragment shader has no output\n\n"
    return "".join([f"{show_attachment(framebuffer, attachment)}\n" for attachment in framebuffer.attachments])


def show_attachment(framebuffer: Framebuffer, attachment: Attachment) -> str:
    width, height = framebuffer.size
    where = f"location {attachment.location}{f', index {attachment.index}' if attachment.index else ''}"
    if attachment.location < 0:
        where = "reference"
    title = f"{attachment.name or 'output'}: {attachment.shape}, {where}, {width} x {height}\n"
    layers = 1 + max([spot[0] for spot in attachment.pixels], default=0)
    planes = [(layer, sample) for layer in range(layers) for sample in range(framebuffer.samples)]
    lines: list[str] = []
    for layer, sample in planes:
        part = f"layer {layer} " * (layers > 1) + f"sample {sample} " * (framebuffer.samples > 1)
        texts = [
            [shown_pixel(attachment, x, y, sample, layer) for x in range(width)] for y in range(height)
        ]
        widest = max([len(text) for row in texts for text in row])
        for y, row in enumerate(texts):
            if len(lines) == MAX_LINES:
                return title + "".join(lines) + f"  ... {len(planes) * height - len(lines)} more rows; --json has all\n"
            lines.append(row_text(f"  {part}(0, {y}) | ", row, widest))
    return title + "".join(lines)


def row_text(head: str, row: list[str], width: int) -> str:
    """As many pixels as fit."""
    fitting = max(1, (WIDTH - len(head)) // (width + 1))
    more = f" ... {len(row) - fitting} more" if len(row) > fitting else ""
    return head + " ".join([text.rjust(width) for text in row[:fitting]]) + more + "\n"


def shown_pixel(attachment: Attachment, x: int, y: int, sample: int, layer: int) -> str:
    """As `pixel_text`, with `?` for what may be anything."""
    value = attachment.at(x, y, sample, layer)
    if value is None or not attachment.undefined:
        return pixel_text(value)
    parts: list[str] = []
    for number, is_open in zip(value, attachment.is_undefined(x, y, sample, layer), strict=True):
        parts.append("?" if is_open else pixel_text([number]))
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def pixel_text(value: list[int | float] | None) -> str:
    """`(1, 0.5)`, or the one number there is."""
    if value is None:
        return NOTHING
    parts = [str(number) if isinstance(number, int) else f"{number:.7g}" for number in value]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
