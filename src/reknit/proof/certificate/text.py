"""A certificate as text: its lines, and around them of which modules they speak.

    reknit certificate 1
    before 7c2f..           digests of both modules
    after 90ab..
    entry main
    at b12 a9               ...
    end                     so that one that was cut isn't taken for a whole one

None of the frame is needed to believe the lines, which hold of two modules or don't: it only makes for better messages.
"""

from hashlib import sha256

from reknit.ir.module import Module
from reknit.ir.text.printer import print_module
from reknit.proof.certificate.check import Broken


def heading(before: Module, after: Module, entry: str) -> list[str]:
    digests = [sha256(print_module(module).encode()).hexdigest() for module in (before, after)]
    return ["reknit certificate 1", f"before {digests[0]}", f"after {digests[1]}", f"entry {entry}"]


def framed(before: Module, after: Module, entry: str, lines: list[str]) -> str:
    return "".join([f"{line}\n" for line in [*heading(before, after, entry), *lines, "end"]])


def unframed(before: Module, after: Module, entry: str, text: str) -> tuple[list[str], int]:
    """The lines, and the number of the first one. Raises Broken."""
    lines = text.replace("\r\n", "\n").split("\n")
    expected = heading(before, after, entry)
    for number, line in enumerate(expected, 1):
        if len(lines) < number or lines[number - 1] != line:
            other = f"it is of another '{line.split()[0]}'"
            raise Broken(number, other if number > 1 else "this is no certificate of this version")
    if lines[-2:] != ["end", ""]:
        raise Broken(len(lines), "'end' is missing: it was cut")
    return lines[len(expected) : -2], len(expected) + 1
