"""Programs as text for pass tests: a body is written, the shader around it comes from here.

    body("... return")     %lane   the lane's number
                           %slot   its word of the buffer `out`
                           SEE 1   mixes the lanes that are here into %slot
"""

import re

from tree_programs import shell

from reknit.analysis.manager import Analyses
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function, print_module
from reknit.passes.contract import Context, Pass

_SEE = """%who{n} = GroupNonUniformBallot 3u, true : vec4<u32>
%low{n} = CompositeExtract %who{n}, 0 : u32
%old{n} = Load %slot : u32
%mix{n} = IMul %old{n}, 31u : u32
%new{n} = IAdd %mix{n}, %low{n} : u32
Store %slot, %new{n}
"""


def body(text: str, functions: str = "") -> Module:
    """The shader whose main runs `text`, which ends in its own terminator; `functions` stand behind main."""
    frame = print_module(shell()[0])
    start = frame.rstrip().rstrip("}")
    seen = re.sub(r"SEE (\d+)", lambda match: _SEE.format(n=match.group(1)), f"{start}{text}\n}}\n{functions}")
    return parse(seen)


def main_text(module: Module) -> str:
    return print_function(module.functions[0])


def apply(module: Module, transform: Pass) -> tuple[bool, Context]:
    """Run a pass on main; (changed, its context with the notes)."""
    options = {option.name: option.default for option in transform.options}
    context = Context(module, Analyses(module), options)
    return transform.run(module.functions[0], context), context
