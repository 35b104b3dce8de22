"""Where the instructions before the functions go (SPIR-V 1.6, 2.4 "Logical Layout of a Module").

    OpCapability ──▶ capabilities     OpDecorate ──▶ decorations     OpTypeInt, OpConstant, OpVariable ──▶ globals
"""

from typing import Final

from reknit.ir.text.sections import SECTIONS, home_of, only_in_functions

IN_FUNCTIONS: Final = -1
GLOBALS: Final = SECTIONS.index("globals")

_KNOWN: Final[dict[int, int]] = {}


def section_of(code: int) -> int:
    """Which of `Module.sections` takes an instruction before the first function; IN_FUNCTIONS for what has no place
    there."""
    known = _KNOWN.get(code)
    if known is None:
        known = IN_FUNCTIONS if only_in_functions(code) else SECTIONS.index(home_of(code))
        _KNOWN[code] = known
    return known
