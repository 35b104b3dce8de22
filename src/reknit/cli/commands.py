"""The subcommands: name, module with `parser()` and `main(options)`, one line of help.

A subcommand's module is imported only when it is the one asked for, so that starting costs what that one needs.
"""

TYPE_CHECKING = False  # typing's own would have typing imported before the command is known
if TYPE_CHECKING:
    from typing import Protocol

    from reknit.cli.options import Namespace, Options

    class Command(Protocol):
        def parser(self) -> Options:
            """The options."""
            ...

        def main(self, options: Namespace) -> int:
            """Do it; gives the exit code. Within the limits of the options, unless the module's `has_own_limits` says
            that they are each input's."""
            ...


COMMANDS = {
    "compile": "read a shader, run passes, write it in the format of OUT",
    "opt": "the same, to be looked at: prints .rk",
    "structurize": "give functions without structure a control-flow tree, whatever their graph looks like",
    "run": "run a compute shader, lane by lane, and show its buffers",
    "outcomes": "run it with every choice that the rules allow, and show the different results",
    "compare": "run it on Vulkan devices, and tell whether the rules allow what they store",
    "trace": "run it and show which lanes run each block together",
    "prove": "whether one version of a shader refines another, with a counterexample if not",
    "fuzz": "random programs through every pass, each result compared with what is allowed",
    "generate": "random programs as files in many formats, with the words that they have to store",
    "reduce": "make a module small while a command still finds in it what it found",
    "show": "the control-flow tree or graph, as text, SVG or DOT",
    "check": "look for faults, with spirv-val where it is installed",
    "lint": "operations that depend on reconvergence which nothing promises",
    "batch": "one of these recipes over many inputs: files, folders, archives; resumed where it was ended",
    "devices": "the Vulkan devices that `run --on vulkan` and `compare` find",
    "doctor": "what reknit runs on, and which outside programs it finds",
    "explain": "what a diagnostic's code means",
    "trust": "allow the configuration of a folder to name passes by file, libraries and programs",
    "lsp": "serve an editor: faults while typing, uniformity and tangles under the pointer",
    "completion": "the script by which a shell completes this command line",
}


def command(name: str) -> "Command":
    """The module of a subcommand."""
    from importlib import import_module

    return import_module(f"reknit.cli.{name}")
