"""How a block ends, where it doesn't simply go on. Each kind is its own type.

    Break(construct)       leave `construct` (If, Loop, Switch or Scope), any number of levels up: go on after it
    Continue(loop)         end this iteration of `loop`: go to its continuing part
    Fallthrough(case)      go from the case this block is in to the start of `case`, the next one of the same switch
    Exit(instr)            leave the function: OpReturn, OpReturnValue, OpKill, OpTerminateInvocation, OpUnreachable ...
    Branch(instr, merge)   only in functions that are not structured: the plain OpBranch, OpBranchConditional, OpSwitch

A jump is registered at its target (`construct.breaks`, `loop.continues`, `case.fallthroughs`), so
that predecessors are known without a search. Use `ir.edit.set_jump` and `ir.edit.clear_jump`.
"""

from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from reknit.ir.instr import Instr
    from reknit.ir.tree import Case, Construct, Loop


class Jump:
    __slots__ = ()

    def __repr__(self) -> str:
        from reknit.ir.text.excerpt import jump_excerpt

        return jump_excerpt(self)


@final
class Break(Jump):
    __slots__ = ("target",)

    def __init__(self, target: "Construct") -> None:
        self.target = target


@final
class Continue(Jump):
    __slots__ = ("target",)

    def __init__(self, target: "Loop") -> None:
        self.target = target


@final
class Fallthrough(Jump):
    __slots__ = ("target",)

    def __init__(self, target: "Case") -> None:
        self.target = target


@final
class Exit(Jump):
    """`instr` is the SPIR-V terminator with its operands; its `block` is the block it ends."""

    __slots__ = ("instr",)

    def __init__(self, instr: "Instr") -> None:
        self.instr = instr


@final
class Branch(Jump):
    """An unstructured branch: `instr` has the target `Block`s among its operands, `merge` is the merge instruction
    before it.
    """

    __slots__ = ("instr", "merge")

    def __init__(self, instr: "Instr", merge: "Instr | None" = None) -> None:
        self.instr = instr
        self.merge = merge
