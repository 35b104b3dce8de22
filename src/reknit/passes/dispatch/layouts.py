"""Plain types for sets, tags and unions.

TypeSetTag               u32                       TypeTaggedUnion {WA, WB}      struct { u32, words }
TypeUntaggedUnion A, B   struct { u32 x n }        TypeTaggedUnion {WA}          A: the tag is known
TypeUntaggedUnion A      A                         IFoo in a buffer              struct { uvec2, uvec2, u32 x n }
"""

from typing import Final, final

from reknit.analysis.typeflow.access_paths import is_own
from reknit.ir import enums, op, traits
from reknit.ir.any_value import HEADER, AnyLayout, any_layout, interface_sizes
from reknit.ir.dispatch import tables_of
from reknit.ir.dispatch_sets import set_of
from reknit.ir.instr import Instr, Operand
from reknit.ir.locate import place_of
from reknit.ir.module import Module, annotation
from reknit.ir.opcodes import FIRST_OWN
from reknit.ir.types import int_type, vector_type
from reknit.ir.value import Value
from reknit.source.diagnostic import Diagnostic, InputError

PAYLOAD_MEMBER: Final = 2
"""The first word of the payload among the members of an existential in a buffer."""


@final
class Layouts:
    __slots__ = ("module", "u32", "plain", "known", "sizes", "counts", "word_structs")

    def __init__(self, module: Module) -> None:
        self.module = module
        self.u32 = int_type(module, 32, False)
        self.plain: dict[Instr, Instr] = {}
        self.known: dict[Instr, AnyLayout] = {}
        self.counts: dict[Instr, int] = {}
        self.word_structs: dict[int, Instr] = {}
        tables: dict[Instr, list[Instr]] = {}
        for interface, conforming in tables_of(module).items():
            assert isinstance(interface, Instr)
            tables[interface] = conforming
        self.sizes, _ = interface_sizes(tables)

    def any(self, type: Instr) -> AnyLayout:
        """How a type is packed: one with tagged unions in it as public storage has it. Raises InputError (E41014) for
        what can't be."""
        layout = self.known.get(type)
        if layout is None:
            layout = any_layout(type, self.sizes)
            for field in layout.fields:
                field.type = self.u32 if field.type.op == op.TypeSetTag else field.type
            self.known[type] = layout
            if layout.fault is not None:
                name = type.name or str(type.id)
                message = (
                    f"type '{name}' contains fields that cannot be packed into ordinary bytes for dynamic dispatch."
                )
                raise InputError([Diagnostic("E41014", message, place_of(type, self.module))])
        return layout

    def public_words(self, interface: Instr) -> int:
        """Words of the payload of an existential in public storage."""
        return self.sizes[interface] // 4

    # --- unions -------------------------------------------------------------------------------------------------------

    def only_type(self, union: Instr) -> Instr | None:
        """The type of a union that has only one."""
        return self.of(union.instr(0)) if len(union.operands) == 1 else None

    def words(self, union: Instr) -> int:
        count = self.counts.get(union)
        if count is None:
            types = [self.of(union.instr(index)) for index in range(len(union.operands))]
            count = max([self.any(type).words() for type in types], default=0)
            self.counts[union] = count
        return count

    def is_known(self, tagged: Instr) -> bool:
        """Whether a tagged union has a tag that needs no bits."""
        return len(set_of(tagged).operands) == 1

    # --- conversion ---------------------------------------------------------------------------------------------------

    def of(self, type: Instr) -> Instr:
        """The plain type of any type. Types nest a few levels."""
        layout = self.plain.get(type)
        if layout is None:
            layout = self._make(type)
            self.plain[type] = layout
        return layout

    def _make(self, type: Instr) -> Instr:
        code = type.op
        if code in (op.TypeSetTag, op.TypeElementOfSet):
            return self.u32
        if code == op.TypeUntaggedUnion:
            only = self.only_type(type)
            if only is not None:
                return only
            count = self.words(type)
            return self._struct([self.u32] * count, "any") if count else self.u32
        if code == op.TypeTaggedUnion:
            union = self.of(type.instr(1))
            return union if self.is_known(type) else self._struct([self.u32, union], "tagged")
        if code == op.TypePointer or code in traits.MADE_OF_TYPES:
            return self._around(type)
        return type

    def _around(self, type: Instr) -> Instr:
        if type.op == op.TypePointer and not is_own(type):
            return type  # its interfaces become what they are there, in place
        parts: list[Operand] = []
        for operand in type.operands:
            is_type = isinstance(operand, Instr) and operand.type is None
            parts.append(self.of(operand) if is_type and isinstance(operand, Instr) else operand)
        if parts == type.operands:
            return type
        if type.op == op.TypeStruct:
            return self._struct([part for part in parts if isinstance(part, Instr)], type.name)
        return self.module.intern(type.op, None, parts)

    def array_of_words(self, count: int) -> Instr:
        """A struct of so many words, for what a function gives."""
        struct = self.word_structs.get(count)
        if struct is None:
            struct = self._struct([self.u32] * count, "words")
            self.word_structs[count] = struct
        return struct

    def _struct(self, members: list[Instr], name: str) -> Instr:
        """A struct of its own: one of the program that looks the same may have a layout that this must not have."""
        operands: list[Operand] = [*members]
        instr = Instr(op.TypeStruct, None, operands, name)
        self.module.globals.append(instr)
        return instr

    # --- public storage -----------------------------------------------------------------------------------------------

    def make_public(self) -> None:
        """Every interface that something still has as a member becomes the struct that it is in a buffer, in place:
        what names it keeps its own layout."""
        pair = vector_type(self.module, self.u32, 2)
        for interface, size in self.sizes.items():
            if not any(_is_place(user) for user in interface.users):
                continue
            operands: list[Operand] = [pair, pair, *[self.u32] * (size // 4)]
            interface.op = op.TypeStruct
            interface.set_operands(operands)
            offsets = [0, 8, *range(HEADER, HEADER + size, 4)]
            for member, offset in enumerate(offsets):
                self.module.decorations.append(
                    annotation(op.MemberDecorate, [interface, member, enums.DecorationOffset, offset])
                )


def _is_place(user: Value) -> bool:
    return isinstance(user, Instr) and user.op < FIRST_OWN and user.type is None
