"""Payloads in storage that others can reach, with existentials inside of them: public words to values and back.

    words 0, 0, id, 0, 7 ... of an IOut that is a H { IIn f; u32 n }
      tag of IOut = H    payload:  0, 0, id of f's table, 0, words of f, n    =>    H' { TaggedUnion f, n } as a union

In a payload of our own an inner tagged union is a tag and words; in public storage it is a header and words, at every
depth. Where a type of the set has such a one inside, a function converts, by the tag; all others are the same in both.
"""

from typing import final

from reknit.ir import op
from reknit.ir.any_value import HEADER, Field
from reknit.ir.block import Block
from reknit.ir.build import Builder, new_function
from reknit.ir.dispatch import conforming_type
from reknit.ir.dispatch_sets import elements_of, interface_of_union, member_for, set_of
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.tree import Switch
from reknit.passes.dispatch.casts import Caster
from reknit.passes.dispatch.layouts import Layouts
from reknit.passes.dispatch.packing import Packer
from reknit.passes.dispatch.results import return_results
from reknit.passes.dispatch.tags import Tags

HEADER_WORDS = HEADER // 4
ID_WORD = 2


@final
class PublicStorage:
    """`readers` and `writers` are the functions that convert, by the union's type and the number of words."""

    __slots__ = ("layouts", "tags", "readers", "writers")

    def __init__(self, layouts: Layouts, tags: Tags) -> None:
        self.layouts = layouts
        self.tags = tags
        self.readers: dict[tuple[Instr, Instr, int], Function] = {}
        self.writers: dict[tuple[Instr, Instr, int], Function] = {}

    # --- values -------------------------------------------------------------------------------------------------------

    def make(self, caster: Caster, tagged: Instr, tag: Instr, value: Instr) -> Instr:
        """A tagged union in its plain form."""
        if self.layouts.is_known(tagged):
            return value
        return caster.emit(op.CompositeConstruct, self.layouts.of(tagged), [tag, value])

    def tag_of(self, caster: Caster, tagged: Instr, value: Instr) -> Instr:
        if self.layouts.is_known(tagged):
            return self.tags.number(0)
        return caster.emit(op.CompositeExtract, self.layouts.u32, [value, 0])

    def payload_of(self, caster: Caster, tagged: Instr, value: Instr) -> Instr:
        if self.layouts.is_known(tagged):
            return value
        return caster.emit(op.CompositeExtract, self.layouts.of(tagged.instr(1)), [value, 1])

    def existential_of(self, caster: Caster, tagged: Instr, number: Instr, words: list[Instr]) -> Instr:
        """What the id and the payload's words in public storage are."""
        tag = self.tags.map(caster, number, self.tags.from_id(set_of(tagged)))
        return self.make(caster, tagged, tag, self.read(caster, set_of(tagged), tagged.instr(1), tag, words))

    def id_of(self, caster: Caster, tagged: Instr, value: Instr) -> Instr:
        return self.tags.map(caster, self.tag_of(caster, tagged, value), self.tags.to_id(set_of(tagged)))

    # --- payloads -----------------------------------------------------------------------------------------------------

    def nested(self, members: Instr, union: Instr) -> dict[Instr, list[int]]:
        """The types of a set with existentials in them, as they are in the union, each with its tags."""
        places: dict[Instr, list[int]] = {}
        for place, element in enumerate(elements_of(members)):
            if element.op == op.WitnessTable:
                type = member_for(union, conforming_type(element))
                if any(field.type.op == op.TypeTaggedUnion for field in self.layouts.any(type).fields):
                    places.setdefault(type, []).append(place)
        return places

    def read(self, caster: Caster, members: Instr, union: Instr, tag: Instr, words: list[Instr]) -> Instr:
        """The union of a payload's words in public storage."""
        packer = Packer(self.layouts, caster)
        nested = self.nested(members, union)
        if not nested:
            return packer.union_of_words(words, union)
        if self.layouts.only_type(union) is not None:
            return self.unpack(caster, words, union.instr(0))
        function = self.reader(members, union, len(words), nested)
        return caster.emit(op.FunctionCall, self.layouts.of(union), [function, tag, *words])

    def write(self, caster: Caster, members: Instr, union: Instr, tag: Instr, value: Instr, count: int) -> list[Instr]:
        """A union as the words of a payload in public storage, so many."""
        packer = Packer(self.layouts, caster)
        nested = self.nested(members, union)
        if not nested:
            words = packer.words_of_union(value, union)
        elif self.layouts.only_type(union) is not None:
            words = self.pack(caster, value, union.instr(0))
        else:
            function = self.writer(members, union, count, nested)
            type = self.layouts.array_of_words(count)
            whole = caster.emit(op.FunctionCall, type, [function, tag, value])
            words = [caster.emit(op.CompositeExtract, self.layouts.u32, [whole, index]) for index in range(count)]
        return self.fitted(words, count)

    def fitted(self, words: list[Instr], count: int) -> list[Instr]:
        return [words[index] if index < len(words) else self.tags.number(0) for index in range(count)]

    def unpack(self, caster: Caster, words: list[Instr], type: Instr) -> Instr:
        """A value of a type of the set out of public words."""
        packer = Packer(self.layouts, caster)
        parts: dict[tuple[int, ...], Instr] = {}
        for field in self.layouts.any(type).fields:
            if field.type.op == op.TypeTaggedUnion:
                parts[field.path] = self._inner(packer, words, field)
            else:
                parts[field.path] = packer.scalar(words, field)
        return packer.build(self.layouts.of(type), (), parts)

    def _inner(self, packer: Packer, words: list[Instr], field: Field) -> Instr:
        at = field.offset // 4
        first = at + HEADER_WORDS
        count = self.layouts.public_words(interface_of_union(field.type))
        inside = [packer.word(words, first + index) for index in range(count)]
        return self.existential_of(packer.caster, field.type, packer.word(words, at + ID_WORD), inside)

    def pack(self, caster: Caster, value: Instr, type: Instr) -> list[Instr]:
        """A value of a type of the set as public words."""
        packer = Packer(self.layouts, caster)
        layout = self.layouts.any(type)
        words = packer.empty(layout)
        for field in layout.fields:
            part = packer.part(value, field)
            tagged = field.type
            if tagged.op != op.TypeTaggedUnion:
                packer.put(words, field, packer.bits(part, field))
                continue
            zero = self.tags.number(0)
            count = self.layouts.public_words(interface_of_union(tagged))
            payload = self.payload_of(caster, tagged, part)
            tag = self.tag_of(caster, tagged, part)
            inner = self.write(caster, set_of(tagged), tagged.instr(1), tag, payload, count)
            packer.put(words, field, [zero, zero, self.id_of(caster, tagged, part), zero, *inner])
        return packer.filled(words)

    # --- functions ----------------------------------------------------------------------------------------------------

    def reader(self, members: Instr, union: Instr, count: int, nested: dict[Instr, list[int]]) -> Function:
        function = self.readers.get((members, union, count))
        if function is None:
            u32 = self.layouts.u32
            params = [("tag", u32), *[(f"w{index}", u32) for index in range(count)]]
            function = self._function("read_payload", self.layouts.of(union), params)
            self.readers[members, union, count] = function
            words = function.params[1:]
            ends: list[tuple[Block, Instr]] = []
            switch = self._cases(function, nested)
            for type, block in self._blocks(switch, nested):
                packer = Packer(self.layouts, Caster(self.layouts.module, block, None))
                if type is None:
                    value = packer.union_of_words(words, union)
                else:
                    inner = self.unpack(packer.caster, words, type)
                    value = packer.union_of_words(packer.pack(inner, self.layouts.of(type)), union)
                ends.append((block, value))
            self._finish(function, switch, ends)
        return function

    def writer(self, members: Instr, union: Instr, count: int, nested: dict[Instr, list[int]]) -> Function:
        function = self.writers.get((members, union, count))
        if function is None:
            whole = self.layouts.array_of_words(count)
            params = [("tag", self.layouts.u32), ("value", self.layouts.of(union))]
            function = self._function("write_payload", whole, params)
            self.writers[members, union, count] = function
            ends: list[tuple[Block, Instr]] = []
            switch = self._cases(function, nested)
            for type, block in self._blocks(switch, nested):
                packer = Packer(self.layouts, Caster(self.layouts.module, block, None))
                words = packer.words_of_union(function.params[1], union)
                if type is not None:
                    words = self.pack(packer.caster, packer.unpack(words, self.layouts.of(type)), type)
                parts: list[Operand] = [*self.fitted(words, count)]
                ends.append((block, packer.caster.emit(op.CompositeConstruct, whole, parts)))
            self._finish(function, switch, ends)
        return function

    def _function(self, name: str, result: Instr, params: list[tuple[str, Instr]]) -> Function:
        number = len(self.readers) + len(self.writers)
        return new_function(self.layouts.module, f"{name}_{number}", result, params)

    def _cases(self, function: Function, nested: dict[Instr, list[int]]) -> Switch:
        """A switch over the tag: a case for each type with existentials inside, and one for all others."""
        builder = Builder(self.layouts.module, function.entry())
        switch = builder.open_switch(function.params[0])
        for tags in nested.values():
            builder.add_case(switch, tags)
        builder.add_case(switch, [], True)
        return switch

    def _blocks(self, switch: Switch, nested: dict[Instr, list[int]]) -> list[tuple[Instr | None, Block]]:
        """Each case's type and block; no type for that of all others."""
        types: list[Instr | None] = [*nested, None]
        return [(type, case.region.entry()) for type, case in zip(types, switch.cases, strict=True)]

    def _finish(self, function: Function, switch: Switch, ends: list[tuple[Block, Instr]]) -> None:
        operands: list[Operand] = []
        for block, value in ends:
            operands.extend([value, block])
        return_results(self.layouts.module, function, switch, operands)
