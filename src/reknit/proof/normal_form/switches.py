"""Switches, and what SPIR-V leaves open at their labels.

Invocations with different values that come to one label, and those that fall through to it, may meet there or not
(SPV_KHR_maximal_reconvergence). Where that can be, what is in the case carries a choice: a term of the loop, the
choices around, the invocations that reach it, by which value and from where. Equal ones are counted, so that a copy
never shares the choice of its original.

    switch v { case 1: A fallthrough  case 2: B }     B has a choice, if v can be 2 and A can fall through; also if A
                                                      falls through on several paths, or splits those that do

With `meeting`, those switches of the first program are taken as if all met at each label: one of its outcomes.
"""

from typing import final

from reknit.ir.tree import Case, Switch
from reknit.proof.normal_form.assumptions import SwitchKey
from reknit.proof.normal_form.not_decided import NotDecided
from reknit.proof.normal_form.operations import Operations
from reknit.proof.normal_form.program import Program
from reknit.proof.normal_form.states import NONE, Join, State, Tokens, take
from reknit.proof.normal_form.table import Key
from reknit.source.meter import spend

_MAX_LOOKED_AT = 300


@final
class Selection:
    """A switch that is being walked. `above` is the choice of the case before, NONE without one, and `began` what split
    those that came to it."""

    __slots__ = ("node", "selector", "conditions", "base", "number", "above", "began")

    def __init__(self, node: Switch, selector: int, conditions: dict[Case, int], base: int, number: int) -> None:
        self.node = node
        self.selector = selector
        self.conditions = conditions
        self.base = base
        self.number = number
        self.above = NONE
        self.began: Tokens = ()


class Choices(Operations):
    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.selections: list[Selection] = []
        self.choices: dict[int, tuple[SwitchKey, tuple[int, int]]] = {}

    def select(self, node: Switch) -> None:
        """Enter a switch."""
        terms = self.terms
        selector = self.selected(node.selector)
        labels = node.labels()
        conditions: dict[Case, int] = {}
        labelled: list[int] = []
        for case in node.cases:
            condition = terms.false
            for literal in labels[case]:
                condition = terms.either(condition, terms.equals(selector, literal))
            conditions[case] = condition = self.narrowed(condition)
            if condition != terms.false:
                labelled.append(condition)
        assert node.default is not None
        any_label = terms.merge([(each, terms.true) for each in labelled])[0] if labelled else terms.false
        conditions[node.default] = terms.either(conditions[node.default], terms.negate(any_label))
        reach = self.here()
        tokens = self.state.tokens
        loops = terms.union((reach, selector, *tokens), self.loops_here())
        base = terms.make(("choice", self.state.run.loop, tokens, reach, selector), loops)
        number = self.alike_choices[base] = self.alike_choices.get(base, -1) + 1
        self.selections.append(Selection(node, selector, conditions, base, number))

    def chosen(self) -> dict[SwitchKey, tuple[int, int]]:
        """The switches with a choice that something depends on, and which it is."""
        return dict([self.choices[token] for token in self.used if token in self.choices])

    def come_to(self, case: Case) -> State | None:
        """The state of invocations that reach a case, by its labels or by fallthrough; None if none does."""
        terms = self.terms
        selection = self.selections[-1]
        state = self.state
        here = self.here()
        condition = selection.conditions[case]
        direct = terms.within(here, condition)
        label = self.frame.labels[case]
        by_fallthrough = terms.false
        for reach, _, _ in label.arrivals:
            by_fallthrough = terms.either(by_fallthrough, reach)
        by_fallthrough = terms.within(here, by_fallthrough)
        apart = self._apart(selection, label)
        if direct != terms.false:
            phis = self.phi_values(selection.node.before(), case.region.entry())
            label.arrivals.append((condition, phis, state.tokens))
        total, changes = take(label, terms)
        if direct == terms.false and by_fallthrough == terms.false:
            selection.above = NONE
            return None
        if by_fallthrough == terms.false:
            selection.above = NONE
        free = bool(apart) or selection.above != NONE or (direct != terms.false and by_fallthrough != terms.false)
        if not free and direct != terms.false:
            free = self._is_open(terms.mask(condition, selection.selector)) and self._is_open(
                terms.mask(terms.as_condition(direct), selection.selector)
            )
        inner = State(state, total, terms.true, state.run)
        inner.changes = changes
        if free:
            key: Key = ("token", selection.base, selection.number, direct, by_fallthrough, selection.above, *apart)
            inside = [selection.base, direct, by_fallthrough]
            for reach, tokens in apart:
                inside += [reach, *tokens]
            selection.above = terms.make(key, terms.union(tuple(inside)))
            which = (self.frame.context, selection.node)
            if which not in self.meeting:
                self.choices[selection.above] = (which, (selection.base, selection.number))
                inner.tokens = (*state.tokens, selection.above)
        else:
            selection.above = NONE
        selection.began = inner.tokens
        return inner

    def _apart(self, selection: Selection, label: Join) -> list[tuple[int, tuple[int, ...]]]:
        """The paths by which the case before is left for this one, where there are several, or something split the
        invocations on it: they need not meet at the label."""
        terms = self.terms
        paths: list[tuple[int, tuple[int, ...]]] = []
        for reach, _, tokens in label.arrivals:
            if tokens is None:
                raise NotDecided("a case that is left from a loop for the next one", selection.node)
            if reach != terms.false:
                paths.append((terms.within(self.here(), reach), tokens))
        return [] if len(paths) == 1 and paths[0][1] == selection.began else sorted(paths)

    def _is_open(self, selector: int) -> bool:
        """Whether a masked selector can have several values."""
        terms = self.terms
        literals: dict[int, None] = {}
        work: list[tuple[int, tuple[tuple[int, int], ...]]] = [(selector, ())]
        count = 0
        while work:
            spend(1)
            term, pinned = work.pop()
            count += 1
            if count > _MAX_LOOKED_AT:
                return True
            if term == terms.bottom:
                continue
            if terms.top(term) >= 0:
                atom = terms.atom(term)
                work.extend([(child, (*pinned, (atom, bits))) for bits, child in terms.edges(term)])
                work.append((terms.default(term), pinned))
            elif terms.is_constant(term):
                literals[terms.bits(term)] = None
            else:
                known = [bits for atom, bits in pinned if atom == term]
                if not known:
                    return True
                literals[known[0]] = None
        return len(literals) > 1
