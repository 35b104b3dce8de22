"""What is known of the instructions at a place: types, for which groups they are uniform, with which lanes they run.

    module ─▶ a copy; each load of a variable gets a copy of its value ─▶ promote-variables ─▶ uniformity

Promotion is what lint does, too: a value kept in a variable hides which lanes have the same. The copies of values stay,
so that each use of a source's variable has an answer of its own.
"""

from typing import Final, final

from reknit.analysis.manager import Analyses
from reknit.analysis.tangles.operations import group_of
from reknit.analysis.uniformity.uniformity import FunctionUniformity, Uniformity
from reknit.checks.lint.sites import site
from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.copy import copy_with_parts
from reknit.ir.edit import insert_after
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.excerpt import excerpt
from reknit.ir.tree import Case, Construct, If, Loop, Switch
from reknit.ir.value import Value
from reknit.ir.verify.trusting import trusting
from reknit.ir.walk import instructions
from reknit.passes.manager import run_passes

SCOPES: Final = ("workgroup", "subgroup", "quad")
"""From the widest: what is uniform in one is uniform in those after it."""


@final
class Fact:
    """About one instruction. `uniform` are the scopes of SCOPES in which it is the same for all lanes that run it
    together, None for what has no value; `tangle` are sentences about which those are, where that matters."""

    __slots__ = ("text", "type", "uniform", "tangle")

    def __init__(self, text: str, type: str, uniform: list[str] | None, tangle: list[str]) -> None:
        self.text = text
        self.type = type
        self.uniform = uniform
        self.tangle = tangle


@final
class Facts:
    """Of a module with places."""

    __slots__ = ("module", "_copy", "_at", "_same", "_function", "_by_scope")

    def __init__(self, module: Module) -> None:
        self.module = module
        self._copy, parts = copy_with_parts(module)
        self._at: dict[tuple[int, int], list[Instr]] = {}
        self._same: dict[Instr, Instr] = {}  # in the copy
        self._function: dict[Instr, Function] = {}  # of the copy
        self._by_scope: dict[str, Uniformity] = {}
        for function in module.functions:
            for instr in instructions(function):
                place = module.places.of(instr) if module.places is not None else None
                if place is not None and place.file == module.path:
                    self._at.setdefault((place.line, place.column), []).append(instr)
        with trusting(module):
            self._analyse(parts)

    def _analyse(self, parts: dict[Value, Value]) -> None:
        copy = self._copy
        for here in self._at.values():
            for instr in here:
                same = parts[instr]
                if isinstance(same, Instr):
                    self._same[instr] = _kept(same)
        run_passes(copy, "promote-variables")
        for function in copy.functions:
            for instr in instructions(function):
                self._function[instr] = function
        analyses = Analyses(copy)
        for scope in SCOPES:
            self._by_scope[scope] = analyses.of_module_with(Uniformity, scope)

    def at(self, line: int, column: int) -> list[Instr]:
        """The instructions that begin there, in the order of the module."""
        return self._at.get((line, column), [])

    def differing(self) -> list[tuple[int, int]]:
        """The places of values that may differ among lanes of a subgroup that run them together."""
        return [spot for spot, here in self._at.items() if any(self._differs(instr) for instr in here)]

    def tangled(self) -> list[tuple[int, int]]:
        """The places of operations that depend on their tangle."""
        return [spot for spot, here in self._at.items() if any(instr.op in traits.TANGLED for instr in here)]

    def _differs(self, instr: Instr) -> bool:
        of = self._of(instr, "subgroup") if instr.has_result else None
        return of is not None and not of.is_uniform(self._same[instr])

    def _of(self, instr: Instr, scope: str) -> FunctionUniformity | None:
        """None for what promotion took away, and for functions without a body that can be reached."""
        function = self._function.get(self._same[instr]) if instr in self._same else None
        return self._by_scope[scope].of(function) if function is not None else None

    def about(self, instr: Instr) -> Fact:
        text = excerpt(instr).split("\n")[0]
        type = text.rpartition(" : ")[2] if instr.has_result and instr.type is not None else ""
        uniform: list[str] | None = None
        if type and instr.op != op.Variable and self._of(instr, "subgroup") is not None:
            same = self._same[instr]
            answers = [(scope, self._of(instr, scope)) for scope in SCOPES]
            uniform = [scope for scope, of in answers if of is not None and of.is_uniform(same)]
        return Fact(text, type, uniform, self._tangle(instr) if instr.op in traits.JUDGED else [])

    def _tangle(self, instr: Instr) -> list[str]:
        """Which invocations run it together, by maximal reconvergence, and why not all of them."""
        group = group_of(instr)
        scope = "quad" if group == "quad" else group
        of = self._of(instr, scope)
        same = self._same[instr]
        if of is None or same.block is None:
            return []
        reasons = self._reasons(of, same, scope)
        name = self._function[same].name
        whole = f"all invocations of a {scope} that entered @{name} together" if name else f"all of a {scope}"
        if not reasons and not of.function.structured:
            return ["The function's control flow is not structured: nothing is promised about its tangle."]
        if not reasons:
            return [f"Its tangle: {whole}."]
        return [f"Its tangle: a part of the {scope}, where invocations diverge.", *reasons]

    def _reasons(self, of: FunctionUniformity, instr: Instr, scope: str) -> list[str]:
        """From the inside to the outside, what around an instruction invocations diverge at."""
        reasons: list[str] = []
        assert instr.block is not None
        heads = [instr.block]  # at each level what has to be reached by all of them
        around = _around(instr.block)
        while around is not None:
            if isinstance(around, If | Switch) and not of.branches_uniformly(around):
                word, value = (
                    ("condition", around.condition) if isinstance(around, If) else ("selector", around.selector)
                )
                what = "`if`" if isinstance(around, If) else "`switch`"
                name = f" %{value.name}" if value.name else ""
                reasons.append(f"The {word}{name} of the {what} {self._where(around)} may differ in it.")
            elif isinstance(around, Loop) and of.leaves_apart(around):
                reasons.append(f"Invocations may leave the loop {self._where(around)} in different iterations.")
            elif isinstance(around, Loop) and of.continues_apart(around):
                reasons.append(f"Invocations may end an iteration of the loop {self._where(around)} before it.")
            if isinstance(around, Construct):
                heads.append(around.before())
            around = _around(around)
        if not reasons and not all(of.keeps_tangle(block) and of.keeps_lanes(block) for block in heads):
            reasons.append("Some may have left before, or come here at another time.")
        return reasons

    def _where(self, construct: Construct) -> str:
        place = site(construct, self._copy)
        return f"in line {place.line}" if place.line > 0 else "around it"


def _kept(instr: Instr) -> Instr:
    """What has the value of a load after the variable is gone."""
    if instr.op != op.Load or instr.type is None:
        return instr
    pointer = instr.instr(0)
    while pointer.op in (op.AccessChain, op.InBoundsAccessChain):
        pointer = pointer.instr(0)
    if pointer.op != op.Variable or pointer.word(0) != enums.StorageClassFunction:
        return instr
    return insert_after(instr, Instr(op.CopyObject, instr.type, [instr]))


def _around(value: Value) -> Value | None:
    if isinstance(value, Case):
        return value.switch
    if isinstance(value, Block | Construct):
        owner = value.region.owner if value.region is not None else None
        return owner if isinstance(owner, Construct | Case) else None
    return None
