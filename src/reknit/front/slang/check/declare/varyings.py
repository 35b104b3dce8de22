"""How values pass between stages, as declarations of entry points' parameters, results and their fields say it.

    [[vk::location(2)]] nointerpolation uint id : ID      location 2, interpolation ["nointerpolation"]
"""

from typing import Final

from reknit.front.slang.symbols import Varying
from reknit.front.slang.syntax import IntLiteral, Modifiers, Name, StringLiteral

INTERPOLATIONS: Final = ("nointerpolation", "noperspective", "centroid", "sample", "linear", "pervertex", "flat")
_LOCATION: Final = ("vk::location", "vk_location", "layout.location")
_INDEX: Final = ("vk::index", "vk_index")
_BUILTIN: Final = ("vk::builtin", "vk_builtin")


def varying_of(modifiers: Modifiers) -> Varying | None:
    """None: nothing is said but a semantic."""
    words: list[str] = [word for word in INTERPOLATIONS if word in modifiers.words]
    if not words and not modifiers.attributes:
        return None
    varying = Varying()
    varying.interpolation = words
    for attribute in modifiers.attributes:
        name = attribute.name.lower()
        given = attribute.arguments[0] if attribute.arguments else None
        if name in _LOCATION and isinstance(given, IntLiteral):
            varying.location = given.value
        elif name in _INDEX and isinstance(given, IntLiteral):
            varying.index = given.value
        elif name in _BUILTIN and isinstance(given, StringLiteral):
            varying.builtin = given.value
        elif name in _BUILTIN and isinstance(given, Name):
            varying.builtin = given.text
    return varying
