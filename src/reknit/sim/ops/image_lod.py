"""The level of detail of a sample: how many texels a step to the next pixel is.

    s changes by 1/8 from pixel to pixel along x, by 0 along y; the image is 32 wide     rho = 4     lambda = log2 4 = 2

Source: Vulkan 1.4, "Scale Factor Operation", "LOD Operation", "Cube Map Derivative Transformation". Scale factors are
the lengths of the gradients, which an implementation may approximate; there is no anisotropy.
"""

import math

from reknit.ir import enums
from reknit.sim.texture import AXES, Texture


def scale_factor(texture: Texture, numbers: list[float], along_x: list[float], along_y: list[float]) -> float:
    """rho_max, of coordinates and how they change along x and y."""
    if texture.dimension == enums.DimCube:
        along_x, along_y = on_face(numbers, along_x), on_face(numbers, along_y)
    sizes = (texture.width, texture.height, texture.depth)[: AXES[texture.dimension]]
    longest = 0.0
    for gradient in (along_x, along_y):
        longest = max(longest, math.hypot(*[part * size for part, size in zip(gradient, sizes, strict=False)]))
    return longest


def level_of(factor: float) -> float:
    return math.log2(factor) if factor > 0.0 else -math.inf


def on_face(direction: list[float], gradient: list[float]) -> list[float]:
    """How the place on a cube's face changes, where a direction changes by `gradient`."""
    x, y, z = direction[:3]
    dx, dy, dz = gradient[:3]
    size = max(abs(x), abs(y), abs(z))
    if abs(z) == size:
        s, t, r = ((x, dx), (-y, -dy), (z, dz)) if z >= 0 else ((-x, -dx), (-y, -dy), (z, dz))
    elif abs(y) == size:
        s, t, r = ((x, dx), (z, dz), (y, dy)) if y >= 0 else ((x, dx), (-z, -dz), (y, dy))
    else:
        s, t, r = ((-z, -dz), (-y, -dy), (x, dx)) if x >= 0 else ((z, dz), (-y, -dy), (x, dx))
    if size == 0.0:
        return [0.0, 0.0]
    change = r[1] if r[0] >= 0 else -r[1]
    return [0.5 * (size * part[1] - part[0] * change) / (size * size) for part in (s, t)]
