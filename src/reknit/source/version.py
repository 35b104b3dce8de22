"""The version, where it is described, and which build of the core is running."""

from importlib.machinery import EXTENSION_SUFFIXES
from os.path import dirname, exists, join

VERSION = "0.1.0"
HOME = "https://reknit.github.io/reknit/"


def core() -> str:
    """`compiled` or `plain Python`: how the module of the tree of control flow would be imported."""
    tree = join(dirname(dirname(__file__)), "ir", "tree")
    return "compiled" if any(exists(tree + suffix) for suffix in EXTENSION_SUFFIXES) else "plain Python"


def version_line() -> str:
    """`reknit 0.1.0 (compiled)`."""
    return f"reknit {VERSION} ({core()})"
