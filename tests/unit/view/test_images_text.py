"""Images as text, by hand."""

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.sim.buffers import BufferResult
from reknit.sim.images import default_format, image_buffer, set_image
from reknit.sim.texels import BY_NAME
from reknit.sim.texture import Texture
from reknit.sim.values import F32, U32
from reknit.view.images import show_image


def shown(texture: Texture, words: list[int], base: int = 10) -> str:
    buffer = image_buffer("tex", 0, 1, 0, Instr(op.TypeImage, None, []), texture, True)
    set_image(buffer, texture, words)
    return show_image(BufferResult(buffer), texture, base)


def test_rows_of_texels_with_their_coordinates() -> None:
    """0x80 of 8 bits is 128 / 255 = 0.50196; a missing component isn't shown."""
    texture = Texture(1, False, True, F32, False, default_format(F32)).sized([2, 2], BY_NAME["rg8"], 1)
    assert shown(texture, [0x00FF_80FF, 0xFFFF_0000]) == (
        "tex: rg8, 2d, 2 x 2  (set 0, binding 1)\n"
        "  (0, 0) | (1, 0.502)     (1, 0)\n"
        "  (0, 1) |     (0, 0)     (1, 1)\n"
    )


def test_levels_and_integers_to_base_16() -> None:
    texture = Texture(0, False, False, U32, False, default_format(U32)).sized([2], BY_NAME["r32ui"], 2)
    assert shown(texture, [10, 255, 7], 16) == (
        "tex: r32ui, 1d, 2  (set 0, binding 1)\n  0 of level 0 |  0xa 0xff\n  0 of level 1 |  0x7\n"
    )
