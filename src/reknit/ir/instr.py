"""An instruction: SPIR-V's opcode, result type and operands; it is its own value.

    %sum = IAdd %a, %b : u32        Instr(op.IAdd, u32, [a, b])
    %p   = Phi : u32 [%x, b1] ...   Instr(op.Phi, u32, [x, b1, ...])
    %c   = Constant 7 : u32         Instr(op.Constant, u32, [7])

An operand is what the SPIR-V grammar puts there, a word at a time: an id is the `Value` itself, a literal is one
int a word (low word first, as in the binary), a string is one `str`.
"""

from typing import TYPE_CHECKING, final

from reknit.ir.value import Value

if TYPE_CHECKING:
    from reknit.ir.block import Block

Operand = Value | int | str


@final
class Instr(Value):
    """An instruction in a block, or at module level (`block is None`). `type` is the result type's instruction, or
    None.

    `has_result`: whether the instruction defines an id (a type or label-like result has no type).
    """

    __slots__ = ("op", "type", "operands", "has_result", "block", "prev", "next")

    def __init__(
        self, op: int, type: "Instr | None", operands: list[Operand], name: str = "", has_result: bool = True
    ) -> None:
        super().__init__(name)
        self.op = op
        self.type = type
        self.operands = operands
        self.has_result = has_result
        self.block: Block | None = None
        self.prev: Instr | None = None
        self.next: Instr | None = None
        self._use_operands()

    def value(self, index: int) -> Value:
        """Operand `index`, which must be an id."""
        operand = self.operands[index]
        assert isinstance(operand, Value)
        return operand

    def instr(self, index: int) -> "Instr":
        """Operand `index`, which must be the id of an instruction."""
        operand = self.operands[index]
        assert isinstance(operand, Instr)
        return operand

    def word(self, index: int) -> int:
        """Operand `index`, which must be a literal word."""
        operand = self.operands[index]
        assert isinstance(operand, int)
        return operand

    def text(self, index: int) -> str:
        """Operand `index`, which must be a string."""
        operand = self.operands[index]
        assert isinstance(operand, str)
        return operand

    def set_operand(self, index: int, new: Operand) -> None:
        old = self.operands[index]
        if not isinstance(old, (int, str)):
            old.drop_user(self)
        self.operands[index] = new
        if not isinstance(new, (int, str)):
            new.add_user(self)
        self._count_edit()

    def remove_operand(self, index: int) -> None:
        old = self.operands.pop(index)
        if not isinstance(old, (int, str)):
            old.drop_user(self)
        self._count_edit()

    def set_operands(self, new: list[Operand]) -> None:
        self.drop_operands()
        self.operands = new
        self._use_operands()
        self._count_edit()

    def _use_operands(self) -> None:
        for operand in self.operands:
            if not isinstance(operand, (int, str)):
                operand.add_user(self)

    def _count_edit(self) -> None:
        block = self.block
        if block is not None:
            function = block.function
            if function is not None:
                function.code_edits += 1
                if block.region is None:
                    function.control_edits += 1  # a plain branch goes where its operands say

    def drop_operands(self) -> None:
        """Stop using everything; afterwards the instruction is only good for throwing away."""
        for operand in self.operands:
            if not isinstance(operand, (int, str)):
                operand.drop_user(self)
        self.operands = []
