"""Images as people read them: a line for each row of texels, with the coordinates of the first one.

    tex: rgba8, 2d, 4 x 2  (set 0, binding 0)
      (0, 0) | (0, 0, 0.502, 1) (1, 0, 0.502, 1) ...
      (0, 1) | ...
"""

from reknit.sim.buffers import BufferResult
from reknit.sim.texels import SINT, UINT, TexelFormat, get_bits
from reknit.sim.texture import Texture

WIDTH = 100
MAX_LINES = 64


def show_image(buffer: BufferResult, texture: Texture, base: int = 10) -> str:
    """`base` is that of integers."""
    place = f"  (set {buffer.set}, binding {buffer.binding})" if buffer.set >= 0 else ""
    title = f"{buffer.name}: {texture.format.name}, {texture.name()}, {texture.text()}{place}\n"
    shown = [texel_text(texture.format, bits, base) for bits in texels(buffer, texture)]
    size = texture.format.width
    for word in buffer.undefined:
        for index in range(32 * word // size, -(-32 * (word + 1) // size)):
            if index < len(shown):
                shown[index] = "?"
    width = max([len(text) for text in shown], default=0)
    lines: list[str] = []
    first = 0
    for level in range(texture.levels):
        across = texture.extent(level)[0]
        while first < texture.starts[level + 1]:
            if len(lines) == MAX_LINES:
                return title + "".join(lines) + f"  ... {texture.texels() - first} more; --json has all\n"
            lines.append(line(texture, shown[first : first + across], first, width))
            first += across
    return title + "".join(lines)


def line(texture: Texture, shown: list[str], first: int, width: int) -> str:
    """A row of texels, as many of them as fit."""
    head = f"  {texture.place(first)} | "
    fitting = max(1, (WIDTH - len(head)) // (width + 1))
    more = f" ... {len(shown) - fitting} more" if len(shown) > fitting else ""
    return head + " ".join([text.rjust(width) for text in shown[:fitting]]) + more + "\n"


def texels(buffer: BufferResult, texture: Texture) -> list[int]:
    return [get_bits(buffer.words, texture.format, index) for index in range(texture.texels())]


def texel_text(format: TexelFormat, bits: int, base: int) -> str:
    """`(0, 0.5, 1, 1)`, or the one number there is."""
    parts: list[str] = []
    for at, width in enumerate(format.widths):
        part = bits >> format.shifts[at] & ((1 << width) - 1)
        if format.kind not in (SINT, UINT):
            parts.append(f"{format.number_of(part, width):.{4 if width <= 10 else 7}g}")
        else:
            parts.append(f"{part:#x}" if base == 16 else f"{format.number_of(part, width)}")
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
