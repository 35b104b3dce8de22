"""A function's text with what is uniform in it, as comments that a test can take as expectations.

%lane = Load %lane_id : u32        ; differs
%sum = IAdd %n, 1u : u32           ; uniform(subgroup)
%head:                             ; tangle, lanes       (`reknit.analysis.uniformity.uniformity`: T and L)
loop @l {                          ; apart
"""

from reknit.analysis.manager import Analyses
from reknit.analysis.uniformity.uniformity import FunctionUniformity, Uniformity
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.line import Writer
from reknit.ir.text.tree import write_function
from reknit.ir.tree import Loop
from reknit.ir.walk import blocks, constructs

COLUMN = 60  # where comments start, if the line leaves room


def uniformity_text(module: Module, functions: list[Function], scope: str) -> str:
    """The functions, one after another. Raises InputError (RK2302) for a scope that doesn't exist."""
    uniformity = Analyses(module).of_module_with(Uniformity, scope)
    return "\n".join([_commented(function, uniformity.of(function), scope) for function in functions])


def _commented(function: Function, of: FunctionUniformity, scope: str) -> str:
    writer = Writer(None)
    write_function(writer, function)
    comments: dict[str, str] = {}  # by how a line starts
    for block in blocks(function):
        comments[f"{writer.names.of(block)}:"] = _about_block(of, block)
        for instr in block:
            if instr.has_result and instr.type is not None:
                comments[f"{writer.names.of(instr)} ="] = _about_value(of, instr, scope)
    for construct in constructs(function):
        if isinstance(construct, Loop):
            comments[f"loop {writer.names.of(construct)}"] = _about_loop(of, construct)
    lines: list[str] = []
    for line in writer.lines:
        words = line.strip().removeprefix("pad ").split(" ")
        comment = comments.get(words[0]) or comments.get(" ".join(words[:2]), "")
        lines.append(f"{line:<{COLUMN}}  ; {comment}" if comment else line)
    return "\n".join(lines) + "\n"


def _about_value(of: FunctionUniformity, instr: Instr, scope: str) -> str:
    return f"uniform({scope})" if of.is_uniform(instr) else "differs"


def _about_block(of: FunctionUniformity, block: Block) -> str:
    tangle = "tangle" if of.keeps_tangle(block) else "no tangle"
    return f"{tangle}, {'lanes' if of.keeps_lanes(block) else 'no lanes'}"


def _about_loop(of: FunctionUniformity, loop: Loop) -> str:
    leaves = "apart" if of.leaves_apart(loop) else "together"
    return leaves + (", continues divergent" if of.continues_apart(loop) else "")
