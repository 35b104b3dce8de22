"""What changes nothing in a fold: the identity of what an opcode combines by (`traits.COMBINES`).

    i-add 0    i-mul 1    and all ones    u-min all ones    s-max the least    f-min +infinity    f-add -0

Of a sum of floats it is -0, since 0 + -0 is 0. Source: SPIR-V 1.6, 3.42.24, "The identity I for Operation is ...".
"""

import math
from typing import Final

from reknit.ir.floats import rounded_bits

_FLOATS: Final = {"f-add": -0.0, "f-mul": 1.0, "f-min": math.inf, "f-max": -math.inf}


def identity_bits(combines: str, width: int) -> int:
    """As an unsigned number of `width` bits; booleans have one."""
    if combines in _FLOATS:
        return rounded_bits(_FLOATS[combines], width)
    ones = (1 << width) - 1
    return {"i-mul": 1, "and": ones, "u-min": ones, "s-min": ones >> 1, "s-max": 1 << width - 1}.get(combines, 0)
