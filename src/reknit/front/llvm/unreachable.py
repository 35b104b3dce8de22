"""Blocks that no edge from the entry leads to go before anything is asked about a function.

    entry: br label %end        w: %p = getelementptr i8, ptr %p, i64 1        a value in an unreachable block may use
    end:   ret void                br label %w                                 itself: a walk over it would have no end

LLVM, "Well-Formedness": a definition dominates its uses, but every block is dominated by all in code that is
unreachable. So in what stays, each chain of values that no phi is part of comes to an end.
"""

from reknit.front.llvm.syntax import Routine
from reknit.source.meter import spend


def drop_unreached(routine: Routine) -> None:
    """Remove the blocks that are not reached, and what phis have for an edge from one."""
    chunks = {chunk.name: chunk for chunk in routine.chunks}
    work = routine.chunks[:1]
    reached = {chunk.name: None for chunk in work}
    while work:
        spend(1)
        for name in work.pop().targets():
            if name not in reached and name in chunks:
                reached[name] = None
                work.append(chunks[name])
    if len(reached) == len(routine.chunks):
        return
    routine.chunks = [chunk for chunk in routine.chunks if chunk.name in reached]
    for chunk in routine.chunks:
        for statement in chunk.statements:
            if statement.op == "phi":
                kept = [place for place, source in enumerate(statement.blocks) if source in reached]
                statement.operands = [statement.operands[place] for place in kept]
                statement.blocks = [statement.blocks[place] for place in kept]
