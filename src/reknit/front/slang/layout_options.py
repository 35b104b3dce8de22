"""How data may lie in buffers where the source doesn't say it: what `--buffer-layout`, `--matrix-layout` and
`--bit-fields` take.

    std       constant buffers by std140, structured buffers by std430, byte-address buffers by components
    gl        as std, byte-address buffers by std430                            slangc -fvk-use-gl-layout
    scalar    everything aligned to its components                              slangc, dxc -fvk-use-scalar-layout
    dx        as Direct3D: constant buffers in rows of 16 bytes, else scalar    slangc, dxc -fvk-use-dx-layout
"""

from typing import Final

BUFFER_LAYOUTS: Final = ("std", "gl", "scalar", "dx")
MATRIX_LAYOUTS: Final = ("row-major", "column-major")
BIT_FIELDS: Final = ("msvc",)
