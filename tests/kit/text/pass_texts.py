"""Programs as text for pass tests: a body is written, the shader around it comes from here.

    body("... return")     %lane   the lane's number
                           %slot   its word of the buffer `out`
                           SEE 1   mixes the lanes that are here into %slot
"""

import re

from kit.proving import assert_refines
from kit.random.trees import shell

from reknit.analysis.manager import Analyses
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function, print_module
from reknit.ir.verify import verify
from reknit.passes.contract import Context, Pass
from reknit.passes.manager import run_passes

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
    return parse(see(f"{start}{text}\n}}\n{functions}"))


def see(text: str) -> str:
    """With the instructions that each SEE stands for."""
    return re.sub(r"SEE (\d+)", lambda match: _SEE.format(n=match.group(1)), text)


def main_text(module: Module) -> str:
    return print_function(module.functions[0])


def apply(module: Module, transform: Pass) -> tuple[bool, Context]:
    """Run a pass on main; (changed, its context with the notes)."""
    options = {option.name: option.default for option in transform.options}
    context = Context(module, Analyses(module), options)
    return transform.run(module.functions[0], context), context


def renamed(text: str) -> str:
    """`text` with values and blocks named in the order in which they show up, to compare what a copy made of names."""
    names: dict[str, str] = {}
    pattern = r"(?<![\w@'])(?:%[\w']+|b\d+(?![\w']))"
    return re.sub(pattern, lambda match: names.setdefault(match.group(0).lstrip("%"), f"%n{len(names)}"), text)


def rewritten(text: str, pipeline: str, open: str = "") -> str:
    """Main after the pipeline; it verifies, prints and reads back, and is proved for every input, or in runs where
    `open` has words of why that is open."""
    module = body(text)
    before = module.copy()
    report = run_passes(module, pipeline)
    assert verify(module) == []
    assert report.changed()
    assert_refines(before, parse(print_module(module)), open)
    return main_text(module)


def stays(text: str, pipeline: str) -> list[str]:
    """The codes of the notes, after asserting that the pipeline leaves main as it is, and says so."""
    module = body(text)
    before = main_text(module)
    report = run_passes(module, pipeline)
    assert main_text(module) == before
    assert not report.changed()
    return [note.code for note in report.notes()]
