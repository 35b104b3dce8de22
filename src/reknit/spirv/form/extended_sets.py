"""How many operands the instructions of an extended set take, where all of them are ids.

    GLSL.std.450    FMix: 3        NonSemantic.DebugPrintf    DebugPrintf: at least 1        unknown set    any number
"""

from typing import Final, final

from reknit.ir import opcodes

ODD_OPERANDS: Final = -1
ANY: Final = 255


@final
class ExtendedSet:
    """An imported set of instructions. `shapes` has for each number the least and the most operands that it takes, all
    of them ids: least, and 256 times the most (ANY for any number); ODD_OPERANDS for what is not so simple."""

    __slots__ = ("name", "shapes")

    def __init__(self, name: str) -> None:
        self.name = name
        self.shapes: dict[int, int] = {}

    def shape(self, number: int) -> int:
        known = self.shapes.get(number)
        if known is None:
            known = self._ask(number)
            if len(self.shapes) < 10_000:
                self.shapes[number] = known
        return known

    def _ask(self, number: int) -> int:
        imported = opcodes.ext_set(self.name)
        inst = imported.by_number.get(number) if imported is not None else None
        if imported is None or inst is None:
            return ANY << 8
        least = 0
        most = ANY if imported.nonsemantic else 0
        for spec in inst.operands:
            if spec.form != opcodes.ID:
                return ODD_OPERANDS
            least += 1 if spec.quantifier == "" else 0
            most = ANY if most == ANY or spec.quantifier == "*" else most + 1
        return least | most << 8


_SETS: Final[dict[str, ExtendedSet]] = {}


def extended_set(name: str) -> ExtendedSet:
    """The set of this name, of which a process remembers what was asked."""
    return _SETS.setdefault(name, ExtendedSet(name)) if len(_SETS) < 100 else ExtendedSet(name)
