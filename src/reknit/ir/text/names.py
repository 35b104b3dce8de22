"""What each value is called in the text, so that no two are called the same.

    named "sum"        %sum     a second one  %sum'2     a name with blanks  %"my sum"
    id 12, no name     %12
    neither            %_1
    function, label    @main    @_1
    block              %entry   %12   or, with neither name nor id, b1

Names are given when first asked for, so one instruction can be printed without a look at its module.
"""

from typing import final

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.text.lexer import is_plain_name, quote
from reknit.ir.value import Value


@final
class Names:
    """Tokens of values. One object names one text."""

    __slots__ = ("texts", "taken", "automatic", "blocks")

    def __init__(self) -> None:
        self.texts: dict[Value, str] = {}
        self.taken: dict[str, int] = {}
        self.automatic = 0
        self.blocks = 0

    def start_function(self) -> None:
        """Number unnamed blocks from 1 again: their labels belong to one function."""
        self.blocks = 0

    def of(self, value: Value) -> str:
        text = self.texts.get(value)
        if text is None:
            text = self._give(value)
            self.texts[value] = text
        return text

    def _give(self, value: Value) -> str:
        name = value.name
        sign = "%" if isinstance(value, (Instr, Block)) else "@"
        if name:
            base = sign + (name if is_plain_name(name) else quote(name))
        elif value.id > 0 and (sign == "%" or isinstance(value, Function)):
            base = f"{sign}{value.id}"
        elif isinstance(value, Block):
            self.blocks += 1
            return f"b{self.blocks}"
        else:
            self.automatic += 1
            return f"{sign}_{self.automatic}"
        count = self.taken.get(base, 0) + 1
        self.taken[base] = count
        return base if count == 1 else f"{base}'{count}"
