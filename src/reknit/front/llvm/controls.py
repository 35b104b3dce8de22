"""What the input asks for of branches and loops, as SPIR-V's selection and loop control.

    br i1 %c, ..., !dx.controlflow.hints !13     !13 = !{!13, !"dx.controlflow.hints", i32 1}     [branch]   DontFlatten
    br i1 %c, label %head, ..., !llvm.loop !14   !14 = !{!14, !15}  !15 = !{!"llvm.loop.unroll.disable"}     DontUnroll

Source: DXC, DxilConstants.h, ControlFlowHint; LLVM Language Reference, "llvm.loop".
"""

from typing import Final

from reknit.front.llvm.convergence import LOOP, headers_of
from reknit.front.llvm.metadata import node_at, number_at, text_at
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Operand, Program, Statement
from reknit.ir import enums
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.hint import Asked

HINTS: Final = "dx.controlflow.hints"

_SELECTION: Final = {1: enums.SelectionControlDontFlatten, 2: enums.SelectionControlFlatten}
_LOOP: Final = {7: enums.LoopControlDontUnroll, 8: enums.LoopControlUnroll}
_UNROLL: Final = {
    "llvm.loop.unroll.disable": enums.LoopControlDontUnroll, "llvm.loop.unroll.full": enums.LoopControlUnroll,
    "llvm.loop.unroll.enable": enums.LoopControlUnroll,
}  # fmt: skip
_COUNT: Final = "llvm.loop.unroll.count"


def ask(lowering: Lowering) -> None:
    """Keep at the function what the ends of its blocks ask for."""
    program = lowering.scene.program
    headers: dict[str, list[str]] | None = None
    for chunk in lowering.routine.chunks:
        end = chunk.statements[-1]
        if chunk.name not in lowering.blocks or not (HINTS in end.metadata or LOOP in end.metadata):
            continue
        for value in _hinted(program, end):
            if value in _SELECTION:
                _asked(lowering.function, lowering.ends[chunk.name]).selection[0] |= _SELECTION[value]
        words = _loop_words(program, end)
        if words[0]:
            headers = headers if headers is not None else headers_of(lowering.routine)
            for header in headers.get(chunk.name, []):
                if header in lowering.blocks:
                    _asked(lowering.function, lowering.blocks[header]).loop = words


def _asked(function: Function, block: Block) -> Asked:
    return function.asked.setdefault(block, Asked())


def _hinted(program: Program, end: Statement) -> list[int]:
    """The values of ControlFlowHint at a branch."""
    node = program.nodes.get(end.metadata.get(HINTS, ""), [])
    return [entry.number for entry in node if isinstance(entry, Operand)]


def _loop_words(program: Program, end: Statement) -> list[int]:
    """Loop control: a mask, and what it takes."""
    words = [0]
    for value in _hinted(program, end):
        words[0] |= _LOOP.get(value, 0)
    count = 0
    for entry in program.nodes.get(end.metadata.get(LOOP, ""), []):
        node = node_at(program, entry)
        words[0] |= _UNROLL.get(text_at(node, 0), 0)
        if text_at(node, 0) == _COUNT:
            count = number_at(node, 1)
    if count > 1 and not words[0] & enums.LoopControlDontUnroll:
        return [words[0] & ~enums.LoopControlUnroll | enums.LoopControlPartialCount, count]
    if words[0] == enums.LoopControlUnroll | enums.LoopControlDontUnroll:
        return [0]  # both at once is nothing
    return words
