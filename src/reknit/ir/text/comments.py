"""Comments of a text with what they stand behind: tests find their expectations there.

    %x = IAdd %a, %b : u32   ; uniform         -> Comment("uniform", %x)
    b3:   ; dominates: b4 b5                   -> Comment("dominates: b4 b5", b3)
"""

from typing import final

from reknit.ir.value import Value
from reknit.source.place import Place


@final
class Comment:
    """`subject` is the instruction, block, construct or function last begun before it; None at the top of the text."""

    __slots__ = ("text", "place", "subject")

    def __init__(self, text: str, place: Place, subject: Value | None) -> None:
        self.text = text
        self.place = place
        self.subject = subject
