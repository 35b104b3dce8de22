"""Whether two programs that were walked under assumptions which hold are the same.

    the same effects, in the same order where it matters       as sets of terms
    a loop of the second program has a partner in the first     what terms say of a loop's end holds only if it ends
    what is undefined for some operands is executed only by invocations that execute it in the first program
"""

from typing import final

from reknit.ir.opcodes import opcode_name
from reknit.ir.value import Value
from reknit.proof.normal_form.difference import first_difference
from reknit.proof.normal_form.table import Key
from reknit.proof.normal_form.values import Risk
from reknit.proof.normal_form.walk import Walk


@final
class Finding:
    """`reason` is "" where it is proved, else the first place where the programs differ, as text; `before` and `after`
    are there, in each of the programs. `met` counts switches of the first program that lost their freedom,
    `walked` iterations that were walked by themselves, `shown` terms that a solver showed to be equal."""

    __slots__ = (
        "reason", "before", "after", "rounds", "met", "terms", "tangled", "loops", "effects", "places",
        "walked", "shown", "undefined", "loops_correspond", "hints", "certified", "readings", "rearranged",
        "rejoined",
    )  # fmt: skip

    def __init__(self, reason: str, before: Value | None, after: Value | None) -> None:
        self.reason = reason
        self.before = before
        self.after = after
        self.places: list[str] = []  # where that is, before and after
        self.rounds = 0
        self.met = 0
        self.terms = 0
        self.tangled = 0
        self.loops = 0
        self.effects = 0
        self.walked = 0
        self.shown = 0
        self.hints: list[list[tuple[Key, tuple[int, ...], int]]] = []  # inputs that may show how they differ
        self.undefined = False  # undefined values were met
        self.rejoined = 0  # constructs before, behind which invocations are together that need not be
        self.rearranged = False  # floats were compared up to rearrangement
        self.loops_correspond = True
        self.readings = ""  # for which readings of an input that leaves some open it holds
        self.certified = ""  # what corresponds, where a certificate says so

    def text(self) -> str:
        """What corresponds, or where the two differ, as text."""
        if self.certified:
            return self.certified
        if self.proved:
            if not self.effects:
                return "neither has an effect"
            parts = [_counted(self.tangled, "tangled operation"), _counted(self.loops, "loop")]
            parts.append(_counted(self.effects, "effect"))
            fewer = "has" if self.met == 1 else "have"
            freedom = f"; {_counted(self.met, 'switch')} {fewer} fewer choices" if self.met else ""
            walked = f"; {_counted(self.walked, 'iteration')} walked one by one" if self.walked else ""
            shown = f"; {_counted(self.shown, 'equality of bits', 'equalities of bits')} by z3" if self.shown else ""
            readings = f"; {self.readings}" if self.readings else ""
            if self.rejoined:
                constructs = _counted(self.rejoined, "construct")
                freedom += f"; invocations reconverge after {constructs}, as the first version allows"
            floats = "; floats are rearranged, as the first version allows" if self.rearranged else ""
            return f"{', '.join(parts)} correspond{freedom}{walked}{shown}{floats}{readings}"
        reason = f"{self.readings}: {self.reason}" if self.readings else self.reason
        return f"{reason} ({', '.join(self.places)})" if self.places else reason

    def add(self, part: "Finding") -> None:
        """Count what corresponds in a part that was proved by itself."""
        self.met += part.met
        self.rearranged = self.rearranged or part.rearranged
        self.shown += part.shown
        self.terms += part.terms
        self.tangled += part.tangled
        self.loops += part.loops
        self.effects += part.effects

    @property
    def proved(self) -> bool:
        return self.reason == ""


def _counted(count: int, noun: str, plural: str = "") -> str:
    several = plural or f"{noun}{'es' if noun.endswith('ch') else 's'}"
    return f"{count} {noun if count == 1 else several}"


def judge(before: Walk, after: Walk) -> Finding:
    finding = _judge(before, after)
    finding.terms = len(after.terms.keys)
    finding.tangled = after.tangled_count
    finding.loops = len(after.signatures)
    finding.effects = after.effect_count
    return finding


def _judge(before: Walk, after: Walk) -> Finding:
    terms = after.terms
    if terms.unfrozen_used:
        return Finding("an undefined value decides something", None, None)
    if not before.uses_once():
        return Finding("an undefined value is used twice before, and may be two after", None, None)
    mine = {event.term: event for event in before.root.events}
    theirs = {event.term: event for event in after.root.events}
    lost = [event for term, event in mine.items() if term not in theirs]
    gained = [event for term, event in theirs.items() if term not in mine]
    if lost or gained:
        return Finding(*first_difference(lost, gained, after))
    partners = {signature.loop for signature in before.signatures.values()}
    for signature in after.signatures.values():
        if signature.loop in partners or not signature.back:
            continue
        if not signature.leaves:
            return Finding("a loop that no invocation leaves, and that before doesn't have", None, signature.node)
        return Finding("a loop without a partner, which may not end", None, signature.node)
    return _speculation(before, after)


def _speculation(before: Walk, after: Walk) -> Finding:
    """What may be undefined is executed by no more invocations than before."""
    left = _uncovered(before.risks, after.risks, after)
    if left:
        asked = {risk.key[1:] for risk in left}
        alike = [risk for risk in before.risks if risk.key[1:] in asked]
        alike.extend(_in_front_of_loops(alike, before))
        left = _uncovered(alike, left, after)
        while left:
            outer = _of_all_that_enter(left, after)
            if not outer:
                break
            left = _uncovered(alike, outer, after)
    if left:
        name = opcode_name(left[0].instr.op)
        if "aligned" in left[0].key:
            return Finding(f"{name} is Aligned by more than before", None, left[0].instr)
        return Finding(f"{name} is executed by more invocations than before", None, left[0].instr)
    return Finding("", None, None)


def _uncovered(known: list[Risk], risks: list[Risk], walk: Walk) -> list[Risk]:
    """Those that are executed by invocations which execute none of the known ones alike."""
    terms = walk.terms
    allowed: dict[tuple[Key, tuple[int, ...]], int] = {}
    by_key: dict[Key, list[Risk]] = {}
    for risk in known:
        place = (risk.key, risk.operands)
        allowed[place] = terms.either(allowed.get(place, terms.false), risk.reach)
        by_key.setdefault(risk.key, []).append(risk)
    left: list[Risk] = []
    for risk in risks:
        if terms.implies(risk.reach, allowed.get((risk.key, risk.operands), terms.false)):
            continue
        if not any(_covers(walk, other, risk) for other in by_key.get(risk.key, [])):
            left.append(risk)
    return left


def _in_front_of_loops(risks: list[Risk], walk: Walk) -> list[Risk]:
    """What is executed in every iteration of a loop, on values from before it, as of the iteration around that loop:
    an invocation that comes to a loop executes its first iteration."""
    terms = walk.terms
    around = {each.loop: (each.outer, each.reach) for each in walk.signatures.values()}
    lifted: list[Risk] = []
    for risk in risks:
        loop, reach = risk.key[0], risk.reach
        assert isinstance(loop, int)
        while loop in around and loop not in terms.union((reach, *risk.operands)):
            loop, entering = around[loop]
            reach = terms.both(entering, reach)
            lifted.append(Risk((loop, *risk.key[1:]), risk.operands, reach, risk.instr))
    return lifted


def _of_all_that_enter(risks: list[Risk], walk: Walk) -> list[Risk]:
    """What is in loops, on values from before them, as if all invocations that come to those loops executed it there,
    once; none if there is one that isn't such."""
    around = {each.loop: (each.outer, each.reach) for each in walk.signatures.values()}
    wider: list[Risk] = []
    for risk in risks:
        loop = risk.key[0]
        assert isinstance(loop, int)
        if loop not in around or loop in walk.terms.union(risk.operands):
            return []
        outer, entering = around[loop]
        wider.append(Risk((outer, *risk.key[1:]), risk.operands, entering, risk.instr))
    return wider


def _covers(walk: Walk, wider: Risk, risk: Risk) -> bool:
    terms = walk.terms
    if not terms.implies(risk.reach, wider.reach) or len(wider.operands) != len(risk.operands):
        return False
    pairs = zip(risk.operands, wider.operands, strict=True)
    reach = terms.as_condition(risk.reach)
    return all(terms.constrain(a, reach) == terms.constrain(b, reach) for a, b in pairs)
