"""Payloads as words, and existentials in memory that others see.

    words 0, 0, id, 0, w0, w1 ...     where an existential is stored: the element that has the id, and the words as a
                                      value of the type that this element has
    CreateExistentialObject %id, %x   the same, from the words of %x

How a value is packed is `ir.any_value`'s, which is the layout of storage that hosts see; the instructions by which a
word is made are those that `lower-dispatch` emits, so that terms of both programs are equal.
"""

from reknit.ir import op
from reknit.ir.any_value import AnyLayout, Field, any_layout, part_count
from reknit.ir.dispatch import NO_ID, conforming_type, sequential_id, tables_of
from reknit.ir.dispatch_sets import EXISTENTIALS, elements_of, existential_interface, set_of
from reknit.ir.instr import Instr
from reknit.ir.walk import instructions
from reknit.proof.normal_form.dispatch import Dispatch
from reknit.proof.normal_form.kinds import Kind
from reknit.proof.normal_form.not_decided import NotDecided
from reknit.proof.normal_form.payloads import Mapped, boxed
from reknit.proof.normal_form.program import Program
from reknit.proof.normal_form.table import NO_LOOPS, Key
from reknit.proof.normal_form.values import Risk

ID_AT = (1, 0)
"""Where the sequential id is in an existential in memory."""

FIRST_WORD = 2
"""The first word of its payload."""

Choice = tuple[int, int, Instr | None]
"""An id, the element that has it, and the type of its values."""


def _is_about_none(instr: Instr) -> bool:
    """Whether an instruction makes, or asks for, an existential that has no value."""
    if instr.op == op.ExistentialNone or instr.op == op.ExistentialHasValue:
        return True
    named = [each for each in instr.operands if isinstance(each, Instr) and each.op == op.WitnessNone]
    return bool(named) and instr.op in (op.GetTagOfElementInSet, op.TagIsElement)


class Packing(Dispatch):
    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.layouts: dict[Instr, AnyLayout] = {}
        self.packable: dict[int, bool] = {}
        self.has_none = any(
            _is_about_none(instr) for function in program.traversals for instr in instructions(function)
        )

    def layout(self, type: Instr) -> AnyLayout:
        layout = self.layouts.get(type)
        if layout is None:
            layout = any_layout(type, self.terms.kinds.sizes)
            if layout.fault is not None or any(each.type.op in EXISTENTIALS for each in layout.fields):
                raise NotDecided("a payload with an interface inside, or what can't be packed", type)
            self.layouts[type] = layout
        return layout

    def comes_back(self, kind: Kind) -> bool:
        """Whether a value of a type that is packed and unpacked again is known to be what it was."""
        known = self.packable.get(kind.number)
        if known is None:
            value = self.terms.opaque(("packed", kind.number), NO_LOOPS, kind)
            try:
                known = self.value_of(self.words_of(value, kind.type), kind.type) == value
            except NotDecided:
                known = False
            self.packable[kind.number] = known
        return known

    # --- words --------------------------------------------------------------------------------------------------------

    def words_of(self, value: int, type: Instr) -> list[int]:
        """A value of a type as words."""
        terms = self.terms
        u32 = terms.kinds.number(op.TypeInt, 32)
        layout = self.layout(type)
        words = [terms.constant(u32, 0)] * layout.words()
        filled: dict[int, None] = {}
        for field in layout.fields:
            part = value
            for index in field.path:
                part = terms.part(part, terms.index(index), self.kind(field.type)) if part != terms.bottom else part
            for index, word in enumerate(self._bits(part, field, u32)):
                at = field.offset // 4 + index
                words[at] = terms.op(op.BitwiseOr, u32, "", (words[at], word), [u32, u32]) if at in filled else word
                filled[at] = None
        return words

    def _bits(self, part: int, field: Field, u32: Kind) -> list[int]:
        """A scalar as words; a small one at its place in the word."""
        terms = self.terms
        kind = self.kind(field.type)
        if kind.is_bool():
            return [terms.ite(part, terms.constant(u32, 1), terms.constant(u32, 0))]
        if kind.width == 32:
            return [terms.op(op.Bitcast, u32, "", (part,), [kind])]
        if kind.width == 64:
            pair = terms.op(op.Bitcast, terms.kinds.vector(u32, 2), "", (part,), [kind])
            return list(terms.parts(pair)) if pair != terms.bottom else [pair, pair]
        if kind.category == "float":
            vector = terms.kinds.vector(kind, 2)
            both = terms.composite((part, terms.constant(kind, 0)))
            word = terms.op(op.Bitcast, u32, "", (both,), [vector])
        else:
            word = terms.op(op.UConvert, u32, "", (part,), [kind])
        shift = field.offset % 4 * 8
        if shift:
            word = terms.op(op.ShiftLeftLogical, u32, "", (word, terms.constant(u32, shift)), [u32, u32])
        return [word]

    def value_of(self, words: list[int], type: Instr) -> int:
        """Words as a value of a type; what they lack is zeros."""
        parts: dict[tuple[int, ...], int] = {}
        for field in self.layout(type).fields:
            parts[field.path] = self._scalar(words, field)
        return self._built(type, (), parts)

    def _built(self, type: Instr, path: tuple[int, ...], parts: dict[tuple[int, ...], int]) -> int:
        """Types nest a few levels."""
        if path in parts:
            return parts[path]
        count = part_count(type)
        kind = self.kind(type)
        if count and not kind.parts:
            raise NotDecided("a payload of many parts", type)
        inner = [type.instr(at if type.op == op.TypeStruct else 0) for at in range(count)]
        if not inner:
            return self.terms.zero(kind)
        return self.terms.composite(tuple([self._built(part, (*path, at), parts) for at, part in enumerate(inner)]))

    def _scalar(self, words: list[int], field: Field) -> int:
        terms = self.terms
        u32 = terms.kinds.number(op.TypeInt, 32)
        kind = self.kind(field.type)
        at = field.offset // 4
        zero = terms.constant(u32, 0)
        word, high = [words[index] if index < len(words) else zero for index in (at, at + 1)]
        if kind.is_bool():
            return terms.negate(terms.equals(word, 0))
        if kind.width == 32:
            return terms.op(op.Bitcast, kind, "", (word,), [u32])
        if kind.width == 64:
            pair = terms.composite((word, high))
            return terms.op(op.Bitcast, kind, "", (pair,), [terms.kinds.vector(u32, 2)])
        shift = field.offset % 4 * 8
        if shift:
            word = terms.op(op.ShiftRightLogical, u32, "", (word, terms.constant(u32, shift)), [u32, u32])
        if kind.category == "float":
            pair = terms.op(op.Bitcast, terms.kinds.vector(kind, 2), "", (word,), [u32])
            return terms.parts(pair)[0] if pair != terms.bottom else pair
        return terms.op(op.UConvert, kind, "", (word,), [u32])

    def words_of_payload(self, payload: int, count: int) -> list[int]:
        """So many words of a payload, whatever type it is of."""
        terms = self.terms
        return [terms.leafwise(self._word_job(index), (payload,)) for index in range(count)]

    def _word_job(self, index: int) -> Mapped:
        name: Key = ("word", index)
        job = self.mapped.get(name)
        if job is None:
            job = self.mapped[name] = Mapped(self.terms, lambda leaf: self._word(leaf, index))
        return job

    def _word(self, leaf: int, index: int) -> int:
        terms = self.terms
        key = terms.keys[leaf]
        u32 = terms.kinds.number(op.TypeInt, 32)
        if key[0] == "any":
            number, value = key[1], key[2]
            assert isinstance(number, int) and isinstance(value, int)
            kind = terms.kinds.all[number]
            if not self.comes_back(kind):
                return terms.make(("word", index, leaf), terms.loops[leaf])
            words = self.words_of(value, kind.type)
            return words[index] if index < len(words) else terms.constant(u32, 0)
        if key[0] == "null":
            return terms.constant(u32, 0)
        return terms.make(("word", index, leaf), terms.loops[leaf])

    # --- existentials of ids and words --------------------------------------------------------------------------------

    def candidates(self, type: Instr) -> list[Choice]:
        """What an id can stand for, the last one also for all others: that of the largest id."""
        elements = (
            elements_of(set_of(type))
            if type.op != op.TypeInterface
            else tables_of(self.module)[existential_interface(type)]
        )
        known: dict[int, Choice] = {}
        for each in elements:
            if each.op == op.WitnessUnbounded:
                raise NotDecided("types that the program does not know", type)
            if each.op == op.WitnessTable and sequential_id(each) != NO_ID:
                choice = (sequential_id(each), self.element(each), conforming_type(each))
                known.setdefault(sequential_id(each), choice)
        if self.has_none:
            known[NO_ID] = (NO_ID, self.terms.make(("table", "none")), None)
        order = sorted(known)
        largest = [number for number in order if number != NO_ID][-1:] or order[-1:]
        if not largest:
            raise NotDecided("an interface whose types have no sequential ids", type)
        return [known[number] for number in order if number not in largest] + [known[largest[0]]]

    def existential(self, type: Instr, number: int, words: list[int]) -> int:
        """What an id and words are."""
        terms = self.terms
        element = payload = -1
        for id, candidate, conforming in reversed(self.candidates(type)):
            value = terms.make(("null", -1))
            if conforming is not None:
                value = boxed(terms, self.value_of(words, conforming), self.kind(conforming))
            asked = terms.equals(number, id)
            element = candidate if element < 0 else terms.ite(asked, candidate, element)
            payload = value if payload < 0 else terms.ite(asked, value, payload)
        return terms.composite((element, payload))

    def made_of_id(self, instr: Instr) -> int:
        """CreateExistentialObject, GetTagFromSequentialId, UnionFromPublic."""
        assert instr.type is not None
        if instr.op != op.UnionFromPublic:
            self._id_risk(instr)
        if instr.op == op.GetTagFromSequentialId:
            return self.terms.parts(self.existential(instr.type, self.get(instr.value(0)), []))[0]
        given = instr.instr(1).type
        assert given is not None
        value = self.get(instr.value(1))
        if given.op == op.TypeUntaggedUnion:
            words = self.words_of_payload(value, 64)
        else:
            words = self.words_of(value, given)
        if instr.op == op.CreateExistentialObject:
            return self.existential(instr.type, self.get(instr.value(0)), words)
        return self._union(self.get(instr.value(0)), words)

    def _id_risk(self, instr: Instr) -> None:
        """Note an id that may be none of the program's types."""
        assert instr.type is not None
        terms = self.terms
        number = self.get(instr.value(0))
        known = [id for id, _, _ in self.candidates(instr.type)]
        if not terms.is_constant(number) or terms.bits(number) not in known:
            self.risks.append(Risk((self.state.run.loop, "id"), (number,), self.here(), instr))

    def _union(self, tag: int, words: list[int]) -> int:
        """Words as a payload of the type that a tag says."""
        name: Key = ("union", *words)
        job = self.mapped.get(name)
        if job is None:
            job = self.mapped[name] = Mapped(self.terms, lambda leaf: self._of_type(leaf, words))
        return self.terms.leafwise(job, (tag,))

    def _of_type(self, leaf: int, words: list[int]) -> int:
        table = self.elements.get(leaf)
        if isinstance(table, Instr) and table.op == op.WitnessTable:
            conforming = conforming_type(table)
            return boxed(self.terms, self.value_of(words, conforming), self.kind(conforming))
        return self.terms.make(("union", leaf, *words), self.terms.union((leaf, *words)))

    # --- memory -------------------------------------------------------------------------------------------------------

    def load_from(self, pointer: int, condition: int, kind: Kind, extras: str, instr: Instr) -> int:
        if self.own_name(pointer) is not None or not kind.dynamic:
            return super().load_from(pointer, condition, kind, extras, instr)
        type = instr.type if instr.op == op.Load else instr.instr(1).type
        assert type is not None
        return self._loaded(pointer, condition, type if instr.op == op.Load else type.instr(1), extras, instr)

    def _inside(self, pointer: int, *steps: int) -> int:
        terms = self.terms
        longer = [*terms.steps(pointer), *[terms.index(step) for step in steps]]
        return terms.pointer(terms.keys[pointer][1], tuple(longer))

    def _loaded(self, pointer: int, condition: int, type: Instr, extras: str, instr: Instr) -> int:
        """A value with existentials in it. Types nest a few levels."""
        terms = self.terms
        kind = self.kind(type)
        if type.op in EXISTENTIALS:
            u32 = terms.kinds.number(op.TypeInt, 32)
            number = super().load_from(self._inside(pointer, *ID_AT), condition, u32, extras, instr)
            count = terms.kinds.sizes[existential_interface(type)] // 4
            words: list[int] = []
            for index in range(count):
                word = self._inside(pointer, FIRST_WORD + index)
                words.append(super().load_from(word, condition, u32, extras, instr))
            return self.existential(type, number, words)
        if not kind.dynamic:
            return super().load_from(pointer, condition, kind, extras, instr)
        if not kind.parts:
            raise NotDecided("a value of many parts with interfaces inside", instr)
        parts: list[int] = []
        for at in range(len(kind.parts)):
            inner = type.instr(at if type.op == op.TypeStruct else 0)
            parts.append(self._loaded(self._inside(pointer, at), condition, inner, extras, instr))
        return terms.composite(tuple(parts))

    def store_to(self, pointer: int, condition: int, value: int, extras: str, instr: Instr) -> None:
        if self.own_name(pointer) is not None:
            super().store_to(pointer, condition, value, extras, instr)
            return
        source = instr.instr(1).type
        assert source is not None
        type = source if instr.op == op.Store else source.instr(1)
        self._stored(pointer, condition, value, type, extras, instr)

    def _stored(self, pointer: int, condition: int, value: int, type: Instr, extras: str, instr: Instr) -> None:
        terms = self.terms
        kind = self.kind(type)
        if not kind.dynamic:
            super().store_to(pointer, condition, value, extras, instr)
            return
        if type.op in EXISTENTIALS:
            element, payload = terms.spread(value, 2)
            zero = terms.constant(terms.kinds.number(op.TypeInt, 32), 0)
            number = self.id_of(element)
            stores = [(0, terms.composite((zero, zero))), (1, terms.composite((number, zero)))]
            count = terms.kinds.sizes[existential_interface(type)] // 4
            words = self.words_of_payload(payload, count)
            stores.extend([(FIRST_WORD + index, word) for index, word in enumerate(words)])
            for at, word in stores:
                super().store_to(self._inside(pointer, at), condition, word, extras, instr)
            return
        if not kind.parts:
            raise NotDecided("a value of many parts with interfaces inside", instr)
        for at, part in enumerate(terms.spread(value, len(kind.parts))):
            inner = type.instr(at if type.op == op.TypeStruct else 0)
            self._stored(self._inside(pointer, at), condition, part, inner, extras, instr)
