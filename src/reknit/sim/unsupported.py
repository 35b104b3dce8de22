"""What the simulator doesn't do, raised while a program is prepared."""

from reknit.ir.instr import Instr


class Unsupported(Exception):
    """Something that the simulator doesn't do; the message says what, after the instruction's name. `about` is the
    instruction, where it is another than the one that was being prepared."""

    def __init__(self, message: str, about: Instr | None = None) -> None:
        super().__init__(message)
        self.about = about
