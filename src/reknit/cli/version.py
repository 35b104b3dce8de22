"""The version, and which build of the core is running."""

from typing import Final

VERSION: Final = "0.1.0"


def core() -> str:
    """`compiled` or `plain Python`: how the module of the tree of control flow was imported."""
    from reknit.ir import tree

    return "plain Python" if (tree.__file__ or "").endswith(".py") else "compiled"


def version_line() -> str:
    """`reknit 0.1.0 (compiled)`."""
    return f"reknit {VERSION} ({core()})"
