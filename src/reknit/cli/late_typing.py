"""`typing`, imported when something asks for more of it than reknit's modules do.

    from typing import Final, final     in reknit      ──▶  what stands in: annotations mean nothing at run time
    from typing import Protocol         anywhere       ──▶  typing itself, which takes its place in `sys.modules`
    from typing import Any              elsewhere      ──▶  the same

With the regular expressions and enumerations that it needs, it takes longer to import than a small shader takes to be
checked; compiled modules, librt and mypy_extensions want names of it alone. Only the process of the command line does
this (`cli.main.program`): one that imports reknit has Python's own from the start.
"""

import sys
from importlib import import_module
from types import ModuleType

_BY_IMPORT = "importlib._bootstrap"
"""What runs when a compiled module imports."""


class _Name:
    """A name in annotations: alone, with what it is of in brackets, or with an alternative."""

    def __class_getitem__(cls, of: object) -> "type[_Name]":
        return cls


def _final(made: object) -> object:
    return made


def _cast(kind: object, value: object) -> object:
    return value


def _type_variable(name: str, *kinds: object, **settings: object) -> object:
    return _Name


def _type_check(given: object, message: str) -> object:
    return _itself()._type_check(given, message)


def _itself() -> ModuleType:
    if isinstance(sys.modules.get("typing"), _LateTyping):
        del sys.modules["typing"]
    return import_module("typing")


_NAMES = {
    **dict.fromkeys(("Any", "BinaryIO", "ClassVar", "Final", "IO", "NoReturn", "TextIO"), _Name),
    "Dict": dict,
    "TYPE_CHECKING": False,
    "TypeVar": _type_variable,
    "_type_check": _type_check,
    "cast": _cast,
    "final": _final,
}


class _LateTyping(ModuleType):
    def __getattr__(self, name: str) -> object:
        if name == "__path__":  # asked for by every import, to see whether this is a package
            raise AttributeError(name)
        if name in _NAMES:
            asking = str(sys._getframe(1).f_globals.get("__name__"))
            if asking.partition(".")[0] in ("reknit", "mypy_extensions") or asking == _BY_IMPORT:
                return _NAMES[name]
        return getattr(_itself(), name)


def import_typing_late() -> None:
    if "typing" not in sys.modules:
        sys.modules["typing"] = _LateTyping("typing")
