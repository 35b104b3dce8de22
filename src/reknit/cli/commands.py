"""The commands: name, module with `parser()` and `main(options)`, one line of help.

A command's module is imported only when it is the one asked for, so that starting costs what that one needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Protocol

    from reknit.cli.parser import Parser

    class Command(Protocol):
        def parser(self) -> Parser:
            """Its own options."""
            ...

        def main(self, options: Namespace) -> int:
            """Do it; gives the exit code. Within the limits of the options, unless the module's `has_own_limits` says
            that they are each input's."""
            ...


GROUPS = {
    "find errors": {
        "check": "check shaders for errors, also with spirv-val where it is installed",
        "lint": "find operations that rely on reconvergence which nothing guarantees",
        "explain": "explain the code of a message",
    },
    "rewrite": {
        "compile": "run passes on a shader, and write the result",
        "opt": "run passes on a shader, and print the result as text",
        "structurize": "give structured control flow to functions without it",
        "prove": "check that one shader is a correct replacement for another",
    },
    "run and look": {
        "show": "show control flow as a tree or a graph, as text, SVG, HTML or DOT",
        "run": "run a shader, and print its buffers",
        "outcomes": "run it in every way that the rules allow, and print the results",
        "trace": "run it, and show which lanes run each block together",
        "compare": "run it on Vulkan devices: do the rules allow the results?",
        "devices": "list the Vulkan devices",
    },
    "many shaders": {
        "batch": "run check, lint, compile, prove ... on many inputs, in parallel",
        "fuzz": "run passes on random programs, and check the results",
        "generate": "write random programs as files, with their expected results",
        "reduce": "shrink a shader while a command of yours still finds the bug in it",
    },
    "set up": {
        "doctor": "show the Python packages, programs and devices that reknit finds",
        "trust": "allow a folder's configuration file to name code",
        "lsp": "serve an editor by the Language Server Protocol",
        "completion": "print the completion script of a shell",
    },
}

COMMANDS = {name: what for group in GROUPS.values() for name, what in group.items()}


def command(name: str) -> "Command":
    """The module of a subcommand."""
    return import_module(f"reknit.cli.{name}")
