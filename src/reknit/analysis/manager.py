"""Analyses, asked for by type: computed on the first question, kept while they hold.

    ask(Dominance, function) ──▶ is one cached under function.version? ── yes ──▶ that one
                                          │ no
                                          └──▶ Dominance.compute(function, analyses) ──▶ asks for Order ──▶ ...

    changed(function, keeps)     a new version; what `keeps` names moves over to it, the rest is dropped

A pass says what it keeps; `broken_promises` recomputes what was kept and compares. Analyses that come in kinds (the
scope of `Uniformity`, whether `Reachability` counts back edges) are cached by kind and options: `ask_with`,
`of_module_with`.
"""

from typing import ClassVar, Final, TypeVar, final

from mypy_extensions import mypyc_attr

from reknit.ir.function import Function
from reknit.ir.module import Module


@mypyc_attr(allow_interpreted_subclasses=True)
class FunctionAnalysis:
    """An answer about one function. `name` is what a pass lists in `keeps`."""

    name: ClassVar[str] = ""

    @staticmethod
    def compute(function: Function, analyses: "Analyses") -> "FunctionAnalysis":
        raise AssertionError("every analysis has its own way to be computed")

    def same_as(self, other: "FunctionAnalysis") -> bool:
        """True if both give the same answers."""
        raise AssertionError("every analysis has its own way to be compared")


@mypyc_attr(allow_interpreted_subclasses=True)
class ModuleAnalysis:
    """An answer about the whole module. `name` is what a pass lists in `keeps`."""

    name: ClassVar[str] = ""

    @staticmethod
    def compute(module: Module, analyses: "Analyses") -> "ModuleAnalysis":
        raise AssertionError("every analysis has its own way to be computed")

    def same_as(self, other: "ModuleAnalysis") -> bool:
        """True if both give the same answers."""
        raise AssertionError("every analysis has its own way to be compared")


@mypyc_attr(allow_interpreted_subclasses=True)
class FunctionAnalysisWith:
    """An answer about one function that depends on options, given as a text that the analysis defines."""

    name: ClassVar[str] = ""

    @staticmethod
    def compute(function: Function, analyses: "Analyses", options: str) -> "FunctionAnalysisWith":
        raise AssertionError("every analysis has its own way to be computed")

    def same_as(self, other: "FunctionAnalysisWith") -> bool:
        """True if both give the same answers."""
        raise AssertionError("every analysis has its own way to be compared")


@mypyc_attr(allow_interpreted_subclasses=True)
class ModuleAnalysisWith:
    """An answer about the whole module that depends on options and on the version of every function."""

    name: ClassVar[str] = ""

    @staticmethod
    def compute(module: Module, analyses: "Analyses", options: str) -> "ModuleAnalysisWith":
        raise AssertionError("every analysis has its own way to be computed")

    def same_as(self, other: "ModuleAnalysisWith") -> bool:
        """True if both give the same answers."""
        raise AssertionError("every analysis has its own way to be compared")


A = TypeVar("A", bound=FunctionAnalysis)
M = TypeVar("M", bound=ModuleAnalysis)
AW = TypeVar("AW", bound=FunctionAnalysisWith)
MW = TypeVar("MW", bound=ModuleAnalysisWith)


@final
class _Kept:
    """What is known of one function, as of one version."""

    __slots__ = ("version", "found", "found_with")

    def __init__(self, version: int) -> None:
        self.version = version
        self.found: dict[type[FunctionAnalysis], FunctionAnalysis] = {}
        self.found_with: dict[tuple[type[FunctionAnalysisWith], str], FunctionAnalysisWith] = {}


@final
class _KeptWith:
    """A module's analysis with options, as of the versions of all its functions."""

    __slots__ = ("versions", "found")

    def __init__(self, versions: list[int], found: ModuleAnalysisWith) -> None:
        self.versions = versions
        self.found = found


@final
class Analyses:
    """The analyses of one module. Whoever edits a function without the pass manager calls `changed` afterwards."""

    __slots__ = ("module", "_functions", "_module", "_module_with")

    def __init__(self, module: Module) -> None:
        self.module: Final = module
        self._functions: dict[Function, _Kept] = {}
        self._module: dict[type[ModuleAnalysis], ModuleAnalysis] = {}
        self._module_with: dict[tuple[type[ModuleAnalysisWith], str], _KeptWith] = {}

    def _kept(self, function: Function) -> _Kept:
        kept = self._functions.get(function)
        if kept is None or kept.version != function.version:
            kept = _Kept(function.version)
            self._functions[function] = kept
        return kept

    def ask(self, kind: type[A], function: Function) -> A:
        """The analysis `kind` of `function` as it is now."""
        kept = self._kept(function)
        found = kept.found.get(kind)
        if found is None:
            found = kind.compute(function, self)
            kept.found[kind] = found
        assert isinstance(found, kind)
        return found

    def ask_with(self, kind: type[AW], function: Function, options: str) -> AW:
        """The analysis `kind` with `options` of `function` as it is now."""
        kept = self._kept(function)
        found = kept.found_with.get((kind, options))
        if found is None:
            found = kind.compute(function, self, options)
            kept.found_with[(kind, options)] = found
        assert isinstance(found, kind)
        return found

    def of_module_with(self, kind: type[MW], options: str) -> MW:
        """The analysis `kind` with `options` of the whole module as it is now."""
        versions = [function.version for function in self.module.functions]
        kept = self._module_with.get((kind, options))
        if kept is None or kept.versions != versions:
            kept = _KeptWith(versions, kind.compute(self.module, self, options))
            self._module_with[(kind, options)] = kept
        found = kept.found
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
                for key, found_with in kept.found_with.items():
                    if key[0].name in keeps:
                        fresh.found_with[key] = found_with
            self._functions[function] = fresh
        for module_kind in list(self._module):
            if module_kind.name not in keeps:
                del self._module[module_kind]
        versions = [each.version for each in self.module.functions]
        for module_key in list(self._module_with):
            if module_key[0].name in keeps:
                self._module_with[module_key].versions = versions
            else:
                del self._module_with[module_key]

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
            for key, found_with in kept.found_with.items():
                if not found_with.same_as(fresh.ask_with(key[0], function, key[1])):
                    wrong.append(key[0].name)
        for module_kind, module_found in self._module.items():
            if not module_found.same_as(fresh.of_module(module_kind)):
                wrong.append(module_kind.name)
        versions = [each.version for each in self.module.functions]
        for module_key, kept_with in self._module_with.items():
            if kept_with.versions != versions:
                continue
            if not kept_with.found.same_as(fresh.of_module_with(module_key[0], module_key[1])):
                wrong.append(module_key[0].name)
        return wrong
