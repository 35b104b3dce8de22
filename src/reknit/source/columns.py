"""Flat columns of machine integers: the one module that owns `vec`.

    compiled            vec[i32] is a C array, append an inlined store
    interpreted         the same objects, through librt's methods
    without librt       array.array under the same names (this file's second half)

`append`, `extend`, `remove` and `pop` give the column back: the old name may no longer be it. Numbers outside 32 or 64
bits raise OverflowError. `read_i32_le(data, at)` reads a signed word at a byte offset, IndexError where there is none.
This file stays interpreted in every build, since it chooses when it is imported.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from librt.strings import read_i32_le
    from librt.vecs import append, extend, pop, remove, vec
    from mypy_extensions import i32, i64
else:
    try:
        from librt.strings import read_i32_le
        from librt.vecs import append, extend, pop, remove, vec
        from mypy_extensions import i32, i64
    except ImportError:
        from reknit.source.plain_columns import append, extend, i32, i64, pop, read_i32_le, remove, vec

__all__ = ["append", "extend", "i32", "i64", "pop", "read_i32_le", "remove", "vec"]
