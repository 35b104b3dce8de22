"""Analyses, asked for by type: computed on the first question, kept while they hold.

    ask(Dominance, function) ──▶ is one cached under function.version? ── yes ──▶ that one
                                          │ no
                                          └──▶ Dominance.compute(function, analyses) ──▶ asks for Order ──▶ ...

    changed(function, keeps)     a new version; what `keeps` names moves over to it, the rest is dropped

A pass says what it keeps; `broken_promises` recomputes what was kept and compares.
"""

from typing import ClassVar, Final, TypeVar, final

from reknit.ir.function import Function
from reknit.ir.module import Module


class FunctionAnalysis:
    """An answer about one function. `name` is what a pass lists in `keeps`."""

    name: ClassVar[str] = ""

    @staticmethod
    def compute(function: Function, analyses: "Analyses") -> "FunctionAnalysis":
        raise AssertionError("every analysis has its own way to be computed")

    def same_as(self, other: "FunctionAnalysis") -> bool:
        """True if both give the same answers."""
        raise AssertionError("every analysis has its own way to be compared")


class ModuleAnalysis:
    """An answer about the whole module. `name` is what a pass lists in `keeps`."""

    name: ClassVar[str] = ""

    @staticmethod
    def compute(module: Module, analyses: "Analyses") -> "ModuleAnalysis":
        raise AssertionError("every analysis has its own way to be computed")

    def same_as(self, other: "ModuleAnalysis") -> bool:
        """True if both give the same answers."""
        raise AssertionError("every analysis has its own way to be compared")


A = TypeVar("A", bound=FunctionAnalysis)
M = TypeVar("M", bound=ModuleAnalysis)


@final
class _Kept:
    """What is known of one function, as of one version."""

    __slots__ = ("version", "found")

    def __init__(self, version: int) -> None:
        self.version = version
        self.found: dict[type[FunctionAnalysis], FunctionAnalysis] = {}


@final
class Analyses:
    """The analyses of one module. Whoever edits a function without the pass manager calls `changed` afterwards."""

    __slots__ = ("module", "_functions", "_module")

    def __init__(self, module: Module) -> None:
        self.module: Final = module
        self._functions: dict[Function, _Kept] = {}
        self._module: dict[type[ModuleAnalysis], ModuleAnalysis] = {}

    def ask(self, kind: type[A], function: Function) -> A:
        """The analysis `kind` of `function` as it is now."""
        kept = self._functions.get(function)
        if kept is None or kept.version != function.version:
            kept = _Kept(function.version)
            self._functions[function] = kept
        found = kept.found.get(kind)
        if found is None:
            found = kind.compute(function, self)
            kept.found[kind] = found
        assert isinstance(found, kind)
        return found

    def of_module(self, kind: type[M]) -> M:
        """The analysis `kind` of the whole module as it is now."""
        found = self._module.get(kind)
        if found is None:
            found = kind.compute(self.module, self)
            self._module[kind] = found
        assert isinstance(found, kind)
        return found

    def changed(self, function: Function, keeps: tuple[str, ...] = ()) -> None:
        """`function` was edited: forget everything that `keeps` doesn't name, of the function and of the module."""
        kept = self._functions.get(function)
        function.version += 1
        if kept is not None:
            fresh = _Kept(function.version)
            if kept.version == function.version - 1:
                for kind, found in kept.found.items():
                    if kind.name in keeps:
                        fresh.found[kind] = found
            self._functions[function] = fresh
        for module_kind in list(self._module):
            if module_kind.name not in keeps:
                del self._module[module_kind]

    def broken_promises(self, function: Function) -> list[str]:
        """The names of the cached analyses that come out differently when computed anew, in the order of asking.

        Costs every cached analysis once more.
        """
        wrong: list[str] = []
        fresh = Analyses(self.module)
        kept = self._functions.get(function)
        if kept is not None and kept.version == function.version:
            for kind, found in kept.found.items():
                if not found.same_as(fresh.ask(kind, function)):
                    wrong.append(kind.name)
        for module_kind, module_found in self._module.items():
            if not module_found.same_as(fresh.of_module(module_kind)):
                wrong.append(module_kind.name)
        return wrong
