"""A part of a module in a few lines of .rk text: what `repr` shows.

    instruction   %sum = IAdd %a, 7u : u32
    block         %entry:                        up to `MAX_LINES` lines, then how many more there are
                    %p = AccessChain ...
                    ... 5 more lines
    construct     if %c as @x { ... }

It can be asked for at any time, of what is being built or was taken out too, and costs no more than it shows; for a
function and its constructs, what they hold.
"""

from typing import Final

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Jump
from reknit.ir.text.line import Writer
from reknit.ir.text.tree import block_lines, case_heads, jump_text, node_lines, write_function
from reknit.ir.tree import Case, Construct, Region
from reknit.ir.value import Value

MAX_LINES: Final = 12


def excerpt(value: Value) -> str:
    """The text of a function, block, construct, case or instruction, cut after `MAX_LINES` lines."""
    return cut(part_lines(value))


def region_excerpt(region: Region) -> str:
    """The text of what is in a region, cut likewise."""
    writer = Writer(None)
    node_lines(writer, region.first)
    return cut(writer.lines) or "(an empty region)"


def jump_excerpt(jump: Jump) -> str:
    return jump_text(Writer(None), None, jump, {})


def part_lines(value: Value) -> list[str]:
    """All lines of a part of a module."""
    writer = Writer(None)
    if isinstance(value, Instr):
        return [writer.instruction(value)]
    if isinstance(value, Function):
        write_function(writer, value)
    elif isinstance(value, Block):
        block_lines(writer, value)
    elif isinstance(value, Construct):
        node_lines(writer, value, True)
    elif isinstance(value, Case):
        writer.line(0, case_heads(writer, value.switch)[value.switch.cases.index(value)] + " {")
        node_lines(writer, value.region.first)
        writer.line(0, "}")
    else:
        writer.line(0, writer.names.of(value))
    return writer.lines


def cut(lines: list[str]) -> str:
    more = len(lines) - MAX_LINES
    if more > 1:
        lines = [*lines[:MAX_LINES], f"... {more} more lines"]
    return "\n".join(lines)
