"""Versions of SPIR-V, as the second word of a module has them: 0 | major | minor | 0, a byte each.

    0x00010600   1.6        0x00ff0000   255.0, of which nothing is known        0x01010600   no version at all

Source: SPIR-V 1.6, 2.3 "Physical Layout of a SPIR-V Module and Instruction".
"""

from typing import Final

MAJOR: Final = 1
NEWEST_MINOR: Final = 6


def version_fault(word: int) -> str:
    """What is wrong with a version word; "" for a version that is known."""
    if word & 0xFF0000FF:
        return f"the version word is 0x{word:08x}: its highest and its lowest byte have to be 0"
    return unknown_version(word >> 16 & 0xFF, word >> 8 & 0xFF)


def unknown_version(major: int, minor: int) -> str:
    """The same of a version by its numbers."""
    if major != MAJOR or minor > NEWEST_MINOR:
        return f"SPIR-V {major}.{minor} is not known: the versions are {MAJOR}.0 to {MAJOR}.{NEWEST_MINOR}"
    return ""
