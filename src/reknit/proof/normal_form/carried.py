"""What a loop carries from iteration to iteration, part by part.

    a number, a bool        head(L, i): a term that says no more than which carried value it is
    an aggregate            a head for each part that changes
    an element              one of those that it starts with or becomes: WA if head(L, is WA), else WB
    a payload               a value of one of the types that it starts with or becomes, each part with a head

The elements and types that a part can be are assumed, and found by growing: one that a round brings is added, and the
partition begins anew. Where a module has dynamic dispatch, numbers are followed as elements are, so that a tag
corresponds to the element that it is made of.
"""

from typing import Final

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.proof.normal_form.assumptions import LoopKey, Slot
from reknit.proof.normal_form.iterations import Iterations
from reknit.proof.normal_form.kinds import ELEMENT, INT, PAYLOAD, Kind
from reknit.proof.normal_form.payloads import boxed, cases_of, is_element, is_kind, same_element, unboxed
from reknit.proof.normal_form.states import NONE, Changes, Name
from reknit.proof.normal_form.switches import Choices
from reknit.source.meter import spend

MAX_ELEMENTS: Final = 8
"""As many elements, types or numbers can a part be that is followed so."""

Pair = tuple[int, int]
"""Of a carried part: what it is before the loop, and what it is next time."""


def _where(terms: Iterations, condition: int, value: int) -> int:
    """A value where a condition holds; nothing elsewhere."""
    return terms.bottom if condition == terms.bottom else terms.ite(condition, value, terms.bottom)


def _asking(slot: Slot, member: int) -> Slot:
    """The carried condition that a part is one of its members."""
    return slot[0], (*slot[1], ("is", member))


class Carried(Choices):
    def kind_of_name(self, name: Name) -> Kind:
        value = name[1]
        assert isinstance(value, Instr)
        return self.variable_kind(name) if value.op == op.Variable else self.kind(value.type)

    # --- heads --------------------------------------------------------------------------------------------------------

    def heads(self, key: LoopKey, loop: int, entering: Changes) -> Changes:
        """What is carried, as it is at the start of an iteration."""
        changed: Changes = {}
        changing = self.assumptions.changing.get(key, {})
        for name in dict.fromkeys([slot[0] for slot in changing]):
            first = entering.get(name, NONE)
            if first == NONE:
                first = self.state.value(name, self.terms)
            if first != NONE:
                changed[name] = self._head(key, loop, (name, ()), self.kind_of_name(name), first)
        return changed

    def _head(self, key: LoopKey, loop: int, slot: Slot, kind: Kind, first: int) -> int:
        """The head of a part; what doesn't change is as it was before. Types nest a few levels."""
        terms = self.terms
        if kind.parts:
            parts: list[int] = []
            for at, part in enumerate(terms.spread(first, len(kind.parts))):
                parts.append(self._head(key, loop, (slot[0], (*slot[1], at)), kind.parts[at], part))
            return terms.composite(tuple(parts))
        if slot not in self.assumptions.changing[key]:
            return first
        members = self.assumptions.members.get((key, slot))
        if members is None:
            return self._plain_head(key, loop, slot, kind)
        if kind.category == PAYLOAD:
            return self._head_of_types(key, loop, slot, kind, list(members), first)
        order = self._in_order(key, slot, kind, list(members), first)
        result = order[-1]
        for member in reversed(order[:-1]):
            result = terms.ite(self._is_head(key, loop, slot, member), member, result)
        return result

    def _plain_head(self, key: LoopKey, loop: int, slot: Slot, kind: Kind) -> int:
        terms = self.terms
        carried = self.assumptions.values.setdefault((key, slot), kind.number)
        return terms.opaque(("h", loop, carried, kind.number), terms.chains[loop], kind)

    def _is_head(self, key: LoopKey, loop: int, slot: Slot, member: int) -> int:
        """The condition that a part is one of its members, as a head of its own."""
        terms = self.terms
        atom = terms.make(("h", loop, self.assumptions.values[key, _asking(slot, member)], -1), terms.chains[loop])
        return terms.node(atom, 1, terms.true, terms.false)

    def _in_order(self, key: LoopKey, slot: Slot, kind: Kind, members: list[int], first: int) -> list[int]:
        """Members in one order for both programs: that of their classes, which begin by their first values."""
        values = self.assumptions.values
        now = self.narrowed(first)
        for member in members:
            asking = (key, _asking(slot, member))
            if asking not in values:
                values[asking] = -2 - self._is_member(now, member, kind)
        return sorted(members, key=lambda member: values[key, _asking(slot, member)])

    def _is_member(self, value: int, member: int, kind: Kind) -> int:
        """The condition that a value is one of the members."""
        if kind.category == PAYLOAD:
            return is_kind(self.terms, value, self.terms.kinds.all[member])
        if kind.category == ELEMENT:
            return same_element(self.terms, value, member)
        return self.terms.equals(value, self.terms.bits(member))

    def _head_of_types(
        self, key: LoopKey, loop: int, slot: Slot, payload_kind: Kind, numbers: list[int], first: int
    ) -> int:
        terms = self.terms
        result = NONE
        words = [self._head(key, loop, *word) for word in self._words_of(slot, numbers, first)]
        for number in reversed(self._in_order(key, slot, payload_kind, numbers, first)):
            kind = terms.kinds.all[number]
            if words:
                value = self.value_of(words, kind.type)
            else:
                value = self._head_as(key, loop, (slot[0], (*slot[1], ("as", number))), kind)
            payload = boxed(terms, value, kind)
            result = payload if result == NONE else terms.ite(self._is_head(key, loop, slot, number), payload, result)
        return result

    def _words_of(self, slot: Slot, numbers: list[int], payload: int) -> list[tuple[Slot, Kind, int]]:
        """Of a payload that may be of several types its words, each as a part of its own; none where a type can't be
        packed and unpacked again."""
        kinds = [self.terms.kinds.all[number] for number in numbers]
        if len(kinds) < 2 or not all(self.comes_back(kind) for kind in kinds):
            return []
        count = max([self.layout(kind.type).words() for kind in kinds])
        word = self.terms.kinds.number(op.TypeInt, 32)
        words = self.words_of_payload(payload, count)
        return [((slot[0], (*slot[1], ("word", at))), word, each) for at, each in enumerate(words)]

    def _head_as(self, key: LoopKey, loop: int, slot: Slot, kind: Kind) -> int:
        """The head of a payload, as a value of a kind."""
        if not kind.parts:
            return self._plain_head(key, loop, slot, kind)
        parts = [self._head_as(key, loop, (slot[0], (*slot[1], at)), part) for at, part in enumerate(kind.parts)]
        return self.terms.composite(tuple(parts))

    # --- what is carried ----------------------------------------------------------------------------------------------

    def note(self, key: LoopKey, name: Name, pair: Pair, back: int) -> dict[Slot, Pair]:
        """What a name is before the loop and next time: the parts that change, each as it is for those
        that are there."""
        terms = self.terms
        carried: dict[Slot, Pair] = {}
        changing = self.assumptions.changing.setdefault(key, {})
        work: list[tuple[Slot, Kind, int, int]] = [((name, ()), self.kind_of_name(name), *pair)]
        while work:
            spend(1)
            slot, kind, first, after = work.pop()
            if kind.parts:
                count = len(kind.parts)
                both = zip(terms.spread(first, count), terms.spread(after, count), strict=True)
                for at, (mine, next) in enumerate(both):
                    work.append(((name, (*slot[1], at)), kind.parts[at], mine, next))
                continue
            following = self.narrowed(terms.constrain(after, back)) if back != terms.false else terms.bottom
            if slot not in changing:
                if back == terms.false or following == self.narrowed(terms.constrain(first, back)):
                    continue
                changing[slot] = None
            now = (self.settled(self.narrowed(first), "carried", following), following)
            if not self._is_followed(key, slot, kind, now):
                carried[slot] = now
                continue
            numbers = list(self.assumptions.members[key, slot])
            words = self._words_of(slot, numbers, first) if kind.category == PAYLOAD else []
            next_words = self._words_of(slot, numbers, after) if words else []
            for (inner, word, mine), (_, _, next) in zip(words, next_words, strict=True):
                work.append((inner, word, mine, next))
            carried.update(self._by_member(key, slot, kind, now, bool(words)))
        return carried

    def _is_followed(self, key: LoopKey, slot: Slot, kind: Kind, pair: Pair) -> bool:
        """Whether a part is one of a few elements, types or numbers, with what it is now among them."""
        where = (key, slot)
        numbers = kind.category == INT and self.assumptions.has_tags
        if where in self.assumptions.unbounded or not (kind.category in (ELEMENT, PAYLOAD) or numbers):
            return False
        members = self.assumptions.members.setdefault(where, {})
        for _, leaf in [*cases_of(self.terms, pair[0]), *cases_of(self.terms, pair[1])]:
            member = self._member(leaf, kind)
            if member == NONE or len(members) > MAX_ELEMENTS:
                del self.assumptions.members[where]
                self.assumptions.unbounded[where] = None
                return False
            members[member] = None
        return bool(members)

    def _member(self, leaf: int, kind: Kind) -> int:
        """What a leaf is of: an element or a number itself, the type of a payload; NONE for all others."""
        key = self.terms.keys[leaf]
        if kind.category == PAYLOAD:
            number = key[1] if key[0] == "any" else NONE
            assert isinstance(number, int)
            return number
        bound = key[0] == "bound" and bool(self.terms.loops[leaf])
        known = self.terms.is_constant(leaf) if kind.category == INT else is_element(self.terms, leaf) and not bound
        return leaf if known else NONE

    def _by_member(self, key: LoopKey, slot: Slot, kind: Kind, pair: Pair, has_words: bool) -> dict[Slot, Pair]:
        """What tells for each member whether it is that, and for a payload the parts of a value of that type."""
        terms = self.terms
        carried: dict[Slot, Pair] = {}
        for member in self.assumptions.members[key, slot]:
            asked = (self._is_member(pair[0], member, kind), self._is_member(pair[1], member, kind))
            carried[_asking(slot, member)] = asked
            if kind.category == PAYLOAD and not has_words:
                inside = (slot[0], (*slot[1], ("as", member)))
                for at, (mine, next) in self._leaves(inside, terms.kinds.all[member], pair).items():
                    carried[at] = (_where(terms, asked[0], mine), _where(terms, asked[1], next))
        return carried

    def _leaves(self, slot: Slot, kind: Kind, pair: Pair) -> dict[Slot, Pair]:
        """The parts of two payloads, seen as values of a kind."""
        terms = self.terms
        leaves: dict[Slot, Pair] = {}
        values = (unboxed(terms, pair[0], kind), unboxed(terms, pair[1], kind))
        work = [(slot, kind, *values)]
        while work:
            spend(1)
            at, part, mine, next = work.pop()
            if not part.parts:
                leaves[at] = (mine, next)
                continue
            both = zip(terms.spread(mine, len(part.parts)), terms.spread(next, len(part.parts)), strict=True)
            for index, (a, b) in enumerate(both):
                work.append(((at[0], (*at[1], index)), part.parts[index], a, b))
        return leaves
