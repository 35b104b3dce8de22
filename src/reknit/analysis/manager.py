"""Analyses, asked for by type: computed on the first question, kept while they hold.

    ask(Dominance, function) ──▶ is one cached, and was nothing edited since that it depends on? ── yes ──▶ that one
                                          │ no
                                          └──▶ Dominance.compute(function, analyses) ──▶ asks for Order ──▶ ...

    begins(function)             an edit of `function` begins: what holds now is what `keeps` may speak of
    changed(function, keeps)     it is over: what held at its beginning and `keeps` names holds again, the rest does not

Every verb of `ir.edit` counts at its function, so an answer is right in the middle of a pass too. One that is about
control flow alone (`reads_code` is False) outlives edits of instructions by itself. A pass says what else it keeps;
`broken_promises` recomputes what was kept and compares. Analyses of a module that come in kinds (the scope of
`Uniformity`) are cached by kind and options: `of_module_with`.
"""

from typing import ClassVar, Final, TypeVar, final

from mypy_extensions import mypyc_attr

from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.source.meter import spend


@mypyc_attr(allow_interpreted_subclasses=True)
class FunctionAnalysis:
    """An answer about one function. `name` is what a pass lists in `keeps`; `reads_code` says whether it depends on
    instructions, and on what constructs branch on, besides blocks, constructs and jumps."""

    name: ClassVar[str] = ""
    reads_code: ClassVar[bool] = True

    def __repr__(self) -> str:
        return f"<analysis {self.name}>"

    @staticmethod
    def compute(function: Function, analyses: "Analyses") -> "FunctionAnalysis":
        raise AssertionError("every analysis has its own way to be computed")

    def same_as(self, other: "FunctionAnalysis") -> bool:
        """True if both give the same answers."""
        raise AssertionError("every analysis has its own way to be compared")


@mypyc_attr(allow_interpreted_subclasses=True)
class ModuleAnalysis:
    """An answer about the whole module. `name` is what a pass lists in `keeps`; `reads_functions` says whether it
    depends on what is in functions."""

    name: ClassVar[str] = ""
    reads_functions: ClassVar[bool] = True

    def can_be_kept(self) -> bool:
        """False if this answer depends on more than what passes that say they keep the analysis look at."""
        return True

    def __repr__(self) -> str:
        return f"<analysis {self.name}>"

    @staticmethod
    def compute(module: Module, analyses: "Analyses") -> "ModuleAnalysis":
        raise AssertionError("every analysis has its own way to be computed")

    def same_as(self, other: "ModuleAnalysis") -> bool:
        """True if both give the same answers."""
        raise AssertionError("every analysis has its own way to be compared")


@mypyc_attr(allow_interpreted_subclasses=True)
class ModuleAnalysisWith:
    """An answer about the whole module that depends on options and on the version of every function."""

    name: ClassVar[str] = ""

    def __repr__(self) -> str:
        return f"<analysis {self.name}>"

    @staticmethod
    def compute(module: Module, analyses: "Analyses", options: str) -> "ModuleAnalysisWith":
        raise AssertionError("every analysis has its own way to be computed")

    def same_as(self, other: "ModuleAnalysisWith") -> bool:
        """True if both give the same answers."""
        raise AssertionError("every analysis has its own way to be compared")


A = TypeVar("A", bound=FunctionAnalysis)
M = TypeVar("M", bound=ModuleAnalysis)
MW = TypeVar("MW", bound=ModuleAnalysisWith)


@final
class _Answer:
    """An analysis of a function, as of a count of its edits."""

    __slots__ = ("analysis", "control", "code")

    def __init__(self, analysis: FunctionAnalysis, control: int, code: int) -> None:
        self.analysis = analysis
        self.control = control
        self.code = code

    def holds(self, control: int, code: int) -> bool:
        return self.control == control and (self.code == code or not self.analysis.reads_code)


@final
class _Kept:
    """What is known of one function. `control` and `code` are the counts of its edits when the edit now going on
    began."""

    __slots__ = ("control", "code", "answers")

    def __init__(self, function: Function) -> None:
        self.control = function.control_edits
        self.code = function.code_edits
        self.answers: dict[type[FunctionAnalysis], _Answer] = {}


@final
class _ModuleAnswer:
    """A module's analysis, as of `edits` of the function `during` whose edit was going on."""

    __slots__ = ("analysis", "during", "edits")

    def __init__(self, analysis: ModuleAnalysis, during: Function | None, edits: int) -> None:
        self.analysis = analysis
        self.during = during
        self.edits = edits


@final
class _KeptWith:
    """A module's analysis with options, as of the edits of all its functions."""

    __slots__ = ("edits", "analysis")

    def __init__(self, edits: list[int], analysis: ModuleAnalysisWith) -> None:
        self.edits = edits
        self.analysis = analysis


@final
class Analyses:
    """The analyses of one module.

    What is asked of a function is always right. What is asked of the module is right while one function at a time is
    edited between `begins` and `changed`; an edit of several calls `changed` for each before the next question.
    """

    __slots__ = ("module", "_functions", "_module", "_module_with", "_during", "_began")

    def __init__(self, module: Module) -> None:
        self.module: Final = module
        self._functions: dict[Function, _Kept] = {}
        self._module: dict[type[ModuleAnalysis], _ModuleAnswer] = {}
        self._module_with: dict[tuple[type[ModuleAnalysisWith], str], _KeptWith] = {}
        self._during: Function | None = None
        self._began = 0  # its edits when the edit began

    def __repr__(self) -> str:
        return f"<analyses of {self.module!r}>"

    def _kept(self, function: Function) -> _Kept:
        kept = self._functions.get(function)
        if kept is None:
            kept = _Kept(function)
            self._functions[function] = kept
        return kept

    def ask(self, kind: type[A], function: Function) -> A:
        """The analysis `kind` of `function` as it is now."""
        control = function.control_edits
        code = function.code_edits
        kept = self._kept(function)
        answer = kept.answers.get(kind)
        if answer is None or not answer.holds(control, code):
            spend(64)
            answer = _Answer(kind.compute(function, self), control, code)
            kept.answers[kind] = answer
        analysis = answer.analysis
        assert isinstance(analysis, kind)
        return analysis

    def of_module_with(self, kind: type[MW], options: str) -> MW:
        """The analysis `kind` with `options` of the whole module as it is now."""
        edits = [function.edits() for function in self.module.functions]
        kept = self._module_with.get((kind, options))
        if kept is None or kept.edits != edits:
            kept = _KeptWith(edits, kind.compute(self.module, self, options))
            self._module_with[(kind, options)] = kept
        analysis = kept.analysis
        assert isinstance(analysis, kind)
        return analysis

    def of_module(self, kind: type[M]) -> M:
        """The analysis `kind` of the whole module as it is now."""
        answer = self._module.get(kind)
        if answer is None or not self._holds(answer):
            during = self._during
            edits = during.edits() if during is not None else 0
            answer = _ModuleAnswer(kind.compute(self.module, self), during, edits)
            self._module[kind] = answer
        analysis = answer.analysis
        assert isinstance(analysis, kind)
        return analysis

    def _holds(self, answer: _ModuleAnswer) -> bool:
        """Whether nothing that it depends on was edited since, in the function whose edit is going on."""
        during = self._during
        if during is None or not answer.analysis.reads_functions:
            return True
        return during.edits() == (answer.edits if answer.during is during else self._began)

    def begins(self, function: Function) -> None:
        """An edit of `function` begins."""
        kept = self._kept(function)
        kept.control = function.control_edits
        kept.code = function.code_edits
        # A pass may have edited the function before, and said that nothing came of it.
        self._module = {kind: answer for kind, answer in self._module.items() if self._holds(answer)}
        self._settle(function)

    def _settle(self, function: Function) -> None:
        """What is known of the module holds as of now, whatever function is edited next."""
        self._during = function
        self._began = function.edits()
        for answer in self._module.values():
            answer.during = None

    def changed(self, function: Function, keeps: tuple[str, ...] = ()) -> None:
        """`function` was edited: forget everything that `keeps` doesn't name, of the function and of the module.

        What `keeps` names holds if it held when the edit began or holds now; what was computed in between does not.
        """
        kept_of_module = {kind: answer for kind, answer in self._module.items() if self._stays(kind, answer, keeps)}
        kept_with_options = self._with_staying(function, keeps)
        kept = self._functions.get(function)
        if kept is not None:
            control = function.control_edits
            code = function.code_edits
            fresh = _Kept(function)
            fresh.control = control + 1
            fresh.code = code + 1
            for kind, answer in kept.answers.items():
                if kind.name in keeps and (answer.holds(control, code) or answer.holds(kept.control, kept.code)):
                    fresh.answers[kind] = _Answer(answer.analysis, control + 1, code + 1)
            self._functions[function] = fresh
        function.control_edits += 1
        function.code_edits += 1
        self._module = kept_of_module
        self._module_with = {}
        if kept_with_options:
            edits = [each.edits() for each in self.module.functions]
            for with_key, with_kept in kept_with_options.items():
                with_kept.edits = edits
                self._module_with[with_key] = with_kept
        self._settle(function)

    def _stays(self, kind: type[ModuleAnalysis], answer: _ModuleAnswer, keeps: tuple[str, ...]) -> bool:
        if kind.name not in keeps or not answer.analysis.can_be_kept():
            return False
        # Found at the beginning of the edit, or now.
        if answer.during is not self._during or self._during is None:
            return True
        return answer.edits == self._began or self._holds(answer)

    def _with_staying(
        self, function: Function, keeps: tuple[str, ...]
    ) -> dict[tuple[type[ModuleAnalysisWith], str], _KeptWith]:
        """Those that `keeps` names and that held when the edit began, if that is known, or hold now."""
        named = {key: kept for key, kept in self._module_with.items() if key[0].name in keeps}
        if not named:  # the edits of all functions aren't gone through for nothing
            return named
        now = [each.edits() for each in self.module.functions]
        began = [self._began if each is function else each.edits() for each in self.module.functions]
        return {
            key: kept
            for key, kept in named.items()
            if self._during is not function or kept.edits == now or kept.edits == began
        }

    def broken_promises(self, function: Function) -> list[str]:
        """The names of the cached analyses that come out differently when computed anew, in the order of asking.

        Costs every cached analysis once more.
        """
        wrong: list[str] = []
        fresh = Analyses(self.module)
        kept = self._functions.get(function)
        if kept is not None:
            control = function.control_edits
            code = function.code_edits
            for kind, answer in list(kept.answers.items()):
                if answer.holds(control, code) and not answer.analysis.same_as(fresh.ask(kind, function)):
                    wrong.append(kind.name)
        for module_kind, module_answer in self._module.items():
            if self._holds(module_answer) and not module_answer.analysis.same_as(fresh.of_module(module_kind)):
                wrong.append(module_kind.name)
        edits = [each.edits() for each in self.module.functions]
        for module_key, kept_with in self._module_with.items():
            if kept_with.edits != edits:
                continue
            if not kept_with.analysis.same_as(fresh.of_module_with(module_key[0], module_key[1])):
                wrong.append(module_key[0].name)
        return wrong
