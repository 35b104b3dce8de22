"""Buffers that neither of two modules writes, so that a load gives the same wherever it stands.

    module 1 stores to binding 0      module 2 stores to bindings 0 and 3          unwritten: 1, 2, 4, ...

Variables of both are known by their decorations; one that is written counts for all that are decorated alike. Where a
write goes through a pointer whose variable isn't seen, or what a module does may be ordered with other workgroups or
shaders (`analysis/writes`), nothing is unwritten: another may write between two loads, without a data race.
Source: SPIR-V 1.6, 2.18.2 "Aliasing"; Vulkan, "Memory Model".
"""

from typing import final

from reknit.analysis.aliasing import Aliasing, Place
from reknit.analysis.writes import Writes
from reknit.ir.module import Module
from reknit.proof.normal_form.decorations import Decorations


@final
class Unwritten:
    __slots__ = ("known", "written", "places", "_elsewhere")

    def __init__(self, modules: tuple[Module, Module], decorations: tuple[Decorations, Decorations]) -> None:
        self.known = True
        self.written: dict[str, None] = {}
        self.places: dict[tuple[str, Place], None] = {}
        self._elsewhere: dict[tuple[str, Place], bool] = {}
        for module, texts in zip(modules, decorations, strict=True):
            writes = Writes(module)
            self.known = self.known and not (writes.unknown or writes.is_ordered)
            aliasing = Aliasing(module)
            for variable in writes.written:
                self.written[texts.of(variable)] = None
                self.places[texts.of(variable), aliasing.places[variable]] = None

    def has(self, text: str) -> bool:
        """Whether nothing writes a variable with these decorations."""
        return self.known and text not in self.written

    def elsewhere(self, text: str, place: Place) -> bool:
        """Whether something writes memory that a variable may be, by a variable that is decorated otherwise."""
        known = self._elsewhere.get((text, place))
        if known is None:
            known = any(place.may_be(other) for its, other in self.places if its != text)
            self._elsewhere[text, place] = known
        return known

