"""Colours for a terminal, put into text that view has made: without them the text is the same.

    trees and graphs    constructs and jumps, names, operations that depend on their tangle
    traces              which lanes run together: pale where all that are left of a subgroup do, else strong

Text from outside is quoted in it, so it is painted after what steers a terminal was made visible.
"""

import re
from typing import Final

from reknit.ir.opcodes import by_name
from reknit.ir.traits import TANGLED
from reknit.source.render import RESET

NAME: Final = "\x1b[36m"
WORD: Final = "\x1b[1;34m"
LEAVES: Final = "\x1b[31m"
OPERATION: Final = "\x1b[1;33m"
TOGETHER: Final = "\x1b[2m"
PARTS: Final = ("\x1b[1;33m", "\x1b[1;35m", "\x1b[1;36m", "\x1b[1;32m", "\x1b[1;34m", "\x1b[1;31m")
"""By block, as in the viewer: a block has one colour wherever it is."""

_WORDS: Final = ("func", "if", "else", "then", "loop", "body", "continuing", "switch", "case", "default", "scope")
_LEAVING: Final = ("fallthrough", "break", "continue", "return", "kill", "terminate", "unreachable")
_TOKEN: Final = re.compile(r'[%@](?:"(?:[^"\\]|\\.)*"|[\w.$]+)(?:\'[0-9]+)?|\b[A-Za-z]\w*')


def painted_tree(text: str) -> str:
    """A tree or graph as text, or .rk."""
    return _TOKEN.sub(lambda match: _painted(match.group()), text)


def _painted(token: str) -> str:
    if token[0] in "%@":
        return f"{NAME}{token}{RESET}"
    if token in _WORDS:
        return f"{WORD}{token}{RESET}"
    if token in _LEAVING:
        return f"{LEAVES}{token}{RESET}"
    info = by_name(token) if token[0].isupper() else None
    return f"{OPERATION}{token}{RESET}" if info is not None and info.code in TANGLED else token


def lanes_colour(block: int, together: bool) -> str:
    """For the lanes of a tangle that runs a block."""
    return TOGETHER if together else PARTS[block % len(PARTS)]
