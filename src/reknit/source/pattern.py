"""Regular expressions that are compiled when they are first used: most commands use few of those that they import.

    TOKEN: Final = pattern(r"...")        TOKEN.match(text): what `re.compile` gives does it, the second time as fast
"""

from typing import TYPE_CHECKING

METHODS = ("match", "fullmatch", "search", "sub", "split", "findall", "finditer")

if TYPE_CHECKING:
    import re

    pattern = re.compile
else:

    class pattern:
        __slots__ = ("_text", "_flags", *METHODS)

        def __init__(self, text: str, flags: int = 0) -> None:
            self._text = text
            self._flags = flags

        def __getattr__(self, name: str) -> object:
            """Reached while the slots are empty."""
            if name not in METHODS:
                raise AttributeError(name)
            import re

            compiled = re.compile(self._text, self._flags)
            for method in METHODS:
                setattr(self, method, getattr(compiled, method))
            return getattr(self, name)
