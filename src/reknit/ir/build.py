"""Writing new code: a builder stands at the end of a block and adds instructions, constructs and jumps.

    b = Builder(module, block)
    total = b.emit(op.IAdd, u32, [x, y], "total")
    choice = b.open_if(condition)          block -> choice -> a new block after it
    b.at(choice.then.entry())
    b.break_(loop)
    b.at(choice.after())

New constructs come with a padding block in each region and one after them; where the builder's block was followed
by something, that something (with the block's jump) ends up after the new construct.
"""

from typing import final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.edit import append, append_node, insert_node_after, set_jump, split_after
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Break, Continue, Exit, Fallthrough
from reknit.ir.module import Module
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.types import function_type, void_type
from reknit.ir.value import Value


def new_block(region: Region, name: str = "", padding: bool = True) -> Block:
    """A new block at the end of `region`."""
    block = Block(name, padding)
    append_node(region, block)
    return block


def new_function(
    module: Module, name: str, result: Instr | None = None, params: list[tuple[str, Instr]] | None = None
) -> Function:
    """A function with one empty block, at the end of the module. `result` is void if not given."""
    given = params if params is not None else []
    returns = result if result is not None else void_type(module)
    function = Function(function_type(module, returns, [type for _, type in given]), returns, name)
    for param_name, type in given:
        function.params.append(Instr(op.FunctionParameter, type, [], param_name))
    new_block(function.body, padding=False)
    module.functions.append(function)
    return function


@final
class Builder:
    """Adds to the end of `block`. Types are given, never guessed."""

    __slots__ = ("module", "block")

    def __init__(self, module: Module, block: Block) -> None:
        self.module = module
        self.block = block

    def __repr__(self) -> str:
        return f"<builder at the end of {repr(self.block).splitlines()[0].removesuffix(':')}>"

    def at(self, block: Block) -> None:
        """Go on at the end of `block`."""
        self.block = block

    def emit(self, code: int, type: Instr | None, operands: list[Operand], name: str = "") -> Instr:
        """Append an instruction with a result."""
        return append(self.block, Instr(code, type, operands, name))

    def effect(self, code: int, operands: list[Operand]) -> Instr:
        """Append an instruction without a result."""
        return append(self.block, Instr(code, None, operands, "", False))

    def load(self, type: Instr, pointer: Value, name: str = "") -> Instr:
        return self.emit(op.Load, type, [pointer], name)

    def store(self, pointer: Value, value: Value) -> Instr:
        return self.effect(op.Store, [pointer, value])

    def open_if(self, condition: Value, name: str = "", merged: bool = True) -> If:
        construct = If(condition, name)
        construct.merged = merged
        self._place(construct)
        return construct

    def open_loop(self, name: str = "") -> Loop:
        construct = Loop(name)
        self._place(construct)
        return construct

    def open_scope(self, name: str = "", merged: bool = True) -> Scope:
        construct = Scope(name)
        construct.merged = merged
        self._place(construct)
        return construct

    def open_switch(self, selector: Value, name: str = "") -> Switch:
        """A switch without cases; add them with `add_case`, the default among them."""
        construct = Switch(selector, name)
        self._place(construct)
        return construct

    def add_case(self, switch: Switch, literals: list[int], default: bool = False) -> Case:
        """A case after those there are. `literals` are selector bits as unsigned numbers."""
        case = Case(switch)
        switch.cases.append(case)
        for literal in literals:
            switch.targets.append((literal, case))
        if default:
            switch.default = case
        new_block(case.region)
        return case

    def break_(self, target: Construct) -> None:
        set_jump(self.block, Break(target))

    def continue_(self, target: Loop) -> None:
        set_jump(self.block, Continue(target))

    def fallthrough(self, target: Case) -> None:
        set_jump(self.block, Fallthrough(target))

    def return_(self, value: Value | None = None) -> None:
        self.exit(op.Return if value is None else op.ReturnValue, [] if value is None else [value])

    def exit(self, code: int, operands: list[Operand]) -> None:
        """End the block in a terminator that leaves the function."""
        set_jump(self.block, Exit(Instr(code, None, operands, "", False)))

    def _place(self, construct: Construct) -> None:
        """Put `construct` after the builder's block, with a block after it and one in each region."""
        block = self.block
        if block.next is not None or block.jump is not None:
            split_after(block, block.last)
            insert_node_after(block, construct)
        else:
            insert_node_after(block, construct)
            insert_node_after(construct, Block("", True))
        if not isinstance(construct, Switch):
            for region in construct.regions():
                new_block(region)
