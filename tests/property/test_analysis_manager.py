"""Random edits of two functions, with true and false promises: what is asked for is what the manager's rules say.

    ask, begins, edit, ask, ..., changed(keeps)     a model of what holds  ==  the very object that is given

An answer is the count of blocks and instructions, so that it can be seen whether it is still right.
"""

import random
from typing import ClassVar

from kit.text.pass_texts import body

from reknit.analysis.manager import Analyses, FunctionAnalysis, ModuleAnalysis, ModuleAnalysisWith
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.clone import clone_function
from reknit.ir.edit import erase, insert_after, split_after
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.stitch import join
from reknit.ir.walk import blocks, instructions


def shape(function: Function) -> int:
    return sum(1 for _ in blocks(function))


def size(function: Function) -> int:
    return shape(function) * 1000 + sum(1 for _ in instructions(function))


class Shape(FunctionAnalysis):
    name: ClassVar[str] = "shape"
    reads_code: ClassVar[bool] = False

    def __init__(self, seen: int) -> None:
        self.seen = seen

    @staticmethod
    def compute(function: Function, analyses: Analyses) -> "Shape":
        return Shape(shape(function))

    def same_as(self, other: FunctionAnalysis) -> bool:
        return isinstance(other, Shape) and self.seen == other.seen


class Size(FunctionAnalysis):
    name: ClassVar[str] = "size"

    def __init__(self, seen: int) -> None:
        self.seen = seen

    @staticmethod
    def compute(function: Function, analyses: Analyses) -> "Size":
        return Size(size(function))

    def same_as(self, other: FunctionAnalysis) -> bool:
        return isinstance(other, Size) and self.seen == other.seen


class Total(ModuleAnalysis):
    name: ClassVar[str] = "total"

    def __init__(self, seen: int) -> None:
        self.seen = seen

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "Total":
        return Total(sum(size(function) for function in module.functions))

    def same_as(self, other: ModuleAnalysis) -> bool:
        return isinstance(other, Total) and self.seen == other.seen


class Unkept(Total):
    name: ClassVar[str] = "unkept"

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "Unkept":
        return Unkept(sum(size(function) for function in module.functions))

    def can_be_kept(self) -> bool:
        return False


class Globals(ModuleAnalysis):
    name: ClassVar[str] = "globals"
    reads_functions: ClassVar[bool] = False

    def __init__(self, seen: int) -> None:
        self.seen = seen

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "Globals":
        return Globals(len(module.globals))

    def same_as(self, other: ModuleAnalysis) -> bool:
        return isinstance(other, Globals) and self.seen == other.seen


class TotalTimes(ModuleAnalysisWith):
    name: ClassVar[str] = "total-times"

    def __init__(self, seen: int) -> None:
        self.seen = seen

    @staticmethod
    def compute(module: Module, analyses: Analyses, options: str) -> "TotalTimes":
        return TotalTimes(sum(size(function) for function in module.functions) * int(options))

    def same_as(self, other: ModuleAnalysisWith) -> bool:
        return isinstance(other, TotalTimes) and self.seen == other.seen


OF_FUNCTIONS = ("shape", "size")
OF_MODULES = ("total", "unkept", "globals", "total-times 2", "total-times 3")
READS_CODE = ("size",)


def ask(analyses: Analyses, what: str, function: Function) -> object:
    kind, _, options = what.partition(" ")
    if kind == "total-times":
        return analyses.of_module_with(TotalTimes, options)
    if kind in ("shape", "size"):
        return analyses.ask(Shape if kind == "shape" else Size, function)
    return analyses.of_module({"total": Total, "unkept": Unkept, "globals": Globals}[kind])


def seen(answer: object) -> int:
    assert isinstance(answer, Shape | Size | Total | Globals | TotalTimes)
    return answer.seen


class Model:
    """What holds: of a function, answers with the counts of its edits when they were found; of the module, answers with
    those of both functions. `began` are the counts when the edit going on began."""

    def __init__(self, functions: list[Function]) -> None:
        self.functions = functions
        self.found: dict[tuple[int, str], tuple[object, tuple[int, int]]] = {}
        self.of_module: dict[str, tuple[object, list[int]]] = {}
        self.began = [self.counts(number) for number in range(2)]
        self.edits_began = self.edits()

    def counts(self, number: int) -> tuple[int, int]:
        return self.functions[number].control_edits, self.functions[number].code_edits

    def edits(self) -> list[int]:
        return [function.edits() for function in self.functions]

    def holds(self, what: str, then: tuple[int, int], now: tuple[int, int]) -> bool:
        return then[0] == now[0] and (then[1] == now[1] or what not in READS_CODE)

    def known(self, number: int, what: str) -> object:
        """The answer that is still good, or None."""
        if what in OF_FUNCTIONS:
            answer, then = self.found.get((number, what), (None, (0, 0)))
            return answer if self.holds(what, then, self.counts(number)) else None
        answer, edits = self.of_module.get(what, (None, []))
        return answer if edits == self.edits() or what == "globals" else None

    def note(self, number: int, what: str, answer: object) -> None:
        if what in OF_FUNCTIONS:
            self.found[number, what] = (answer, self.counts(number))
        else:
            self.of_module[what] = (answer, self.edits())

    def begins(self, number: int) -> None:
        self.began[number] = self.counts(number)
        self.edits_began = self.edits()

    def ends(self, number: int, keeps: tuple[str, ...]) -> "dict[str, object]":
        """What stays of the function and of the module: what is named, and held at the beginning or holds now."""
        stays: dict[str, object] = {}
        for (of, what), (answer, then) in self.found.items():
            good = any(self.holds(what, then, now) for now in (self.began[number], self.counts(number)))
            if of == number and what.split()[0] in keeps and good:
                stays[what] = answer
        for what, (answer, edits) in self.of_module.items():
            good = edits in (self.edits_began, self.edits()) or what == "globals"
            if what.split()[0] in keeps and good and what != "unkept":
                stays[what] = answer
        return stays

    def after(self, number: int, stays: dict[str, object]) -> None:
        self.found = {key: entry for key, entry in self.found.items() if key[0] != number}
        self.of_module = {}
        for what, answer in stays.items():
            self.note(number, what, answer)
        self.begins(number)


TEXT = "%x = IAdd %lane, 1u : u32\nStore %slot, %x\nreturn"
NAMES = ("shape", "size", "total", "unkept", "globals", "total-times")


def fresh(module: Module, what: str, function: Function) -> int:
    return seen(ask(Analyses(module), what, function))


def edit(function: Function, chance: random.Random) -> None:
    """An instruction comes or goes, or a block is split or put together again."""
    adds = [instr for instr in instructions(function) if instr.op == op.IAdd]
    kind = chance.choice(("add", "remove", "split", "join"))
    if kind == "add":
        insert_after(adds[0], Instr(op.IAdd, adds[0].type, [adds[0], adds[0]]))
    elif kind == "remove" and len(adds) > 1 and not adds[-1].users:
        erase(adds[-1])
    elif kind == "split":
        split_after(function.entry(), function.entry().first)
    elif kind == "join" and isinstance(function.entry().next, Block):
        join(function.entry())


def check(seed: int) -> None:
    chance = random.Random(seed)
    module = body(TEXT)
    clone_function(module, module.functions[0], "twin")
    analyses = Analyses(module)
    model = Model(module.functions)
    editing = -1
    for _ in range(60):
        number = editing if editing >= 0 and chance.random() < 0.7 else chance.randrange(2)
        function = module.functions[number]
        action = chance.choice(("ask", "ask", "ask", "edit", "edit", "begin or end"))
        if action == "ask":
            what = chance.choice((*OF_FUNCTIONS, *OF_MODULES))
            known = model.known(number, what)
            answer = ask(analyses, what, function)
            if known is not None:
                assert answer is known, (seed, what)
            else:
                assert seen(answer) == fresh(module, what, function), (seed, what)
            model.note(number, what, answer)
        elif action == "edit" and editing >= 0:
            edit(module.functions[editing], chance)
        elif action == "begin or end" and editing < 0:
            analyses.begins(function)
            model.begins(number)
            editing = number
        elif action == "begin or end":
            keeps = tuple(name for name in NAMES if chance.random() < 0.5)
            stays = model.ends(editing, keeps)
            analyses.changed(module.functions[editing], keeps)
            model.after(editing, stays)
            broken = {
                what.partition(" ")[0]
                for what, answer in stays.items()
                if seen(answer) != fresh(module, what, module.functions[editing])
            }
            assert set(analyses.broken_promises(module.functions[editing])) == broken, seed
            editing = -1


def test_random_edits() -> None:
    for seed in range(200):
        check(seed)
