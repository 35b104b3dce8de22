"""Sets, tags and unions become integers, words and switches: plain SPIR-V.

    %t = GetTagFromTaggedUnion %tu          %t = CompositeExtract %tu 0 : u32
    %u = PackUnion %a                 =>    %u = CompositeConstruct %bits_of_a, 0 : struct { u32, u32 }
    switch %t { case 0: .. }                the same switch over a u32

Public storage keeps its layout: an existential there is read by its sequential id. Works on the whole module at its
first function. Before that, cases that do the same become one, and two cases an if (`cases`); option `mode` says how a
dispatcher is called (`waterfall`), `inline` whether it stays a function (`inlining`).
"""

from typing import Final, final

from reknit.analysis.manager import Analyses
from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.constants import bool_constant
from reknit.ir.dispatch import has_dispatch
from reknit.ir.dispatch_sets import set_of
from reknit.ir.edit import erase, set_condition, set_selector
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.nesting import refuse_deep_types
from reknit.ir.opcodes import FIRST_OWN
from reknit.ir.tree import If, Switch
from reknit.ir.types import bool_type, function_type, pointer_type, storage_of, vector_type
from reknit.ir.value import Value
from reknit.ir.walk import blocks, constructs, instructions
from reknit.passes.contract import (
    NO_CONTINUES,
    NO_CRITICAL_EDGES,
    NO_PHIS,
    SINGLE_LEVEL,
    SWITCHES_DEFINED,
    Context,
    Option,
    Pass,
)
from reknit.passes.dispatch.cases import dispatchers, make_choices, merge_cases, switch_of
from reknit.passes.dispatch.casts import Caster
from reknit.passes.dispatch.elements import call_elements, lower_element
from reknit.passes.dispatch.inlining import ALWAYS, AUTO, NEVER, called_from, inline_dispatch
from reknit.passes.dispatch.layouts import PAYLOAD_MEMBER, Layouts
from reknit.passes.dispatch.packing import Packer
from reknit.passes.dispatch.public import PublicStorage
from reknit.passes.dispatch.specialize import once_existential, sort_globals
from reknit.passes.dispatch.storage import alignment
from reknit.passes.dispatch.tags import Tags
from reknit.passes.dispatch.waterfall import make_waterfalls


def lower_dispatch(function: Function, context: Context) -> bool:
    module = context.module
    if "nothing" in context.answers:
        return False
    if not has_dispatch(module):
        context.answers["nothing"] = True
        return False
    if once_existential(context):
        context.decline("RK2601", "lower-dispatch works on tagged unions: run specialize-dispatch first")
        return False
    lower(module, context.options["mode"] == "waterfall", str(context.options["inline"]))
    return True


def lower(module: Module, waterfall: bool = False, inline: str = NEVER) -> None:
    refuse_deep_types(module)
    call_elements(module)
    dispatching = dispatchers(module)
    merge_cases(module, dispatching)
    methods = called_from(dispatching)
    waterfalls = make_waterfalls(module, [f for f in dispatching if switch_of(f) is not None]) if waterfall else []
    make_choices(module, dispatching)
    tags = lower_types(module)
    generated = [list(tags.functions.values()), dispatching, waterfalls]
    inline_dispatch(Context(module, Analyses(module), {}), inline, generated, methods)


def lower_types(module: Module) -> Tags:
    layouts = Layouts(module)
    tags = Tags(layouts)
    public = PublicStorage(layouts, tags)
    for function in list(module.functions):
        Lowerer(layouts, tags, public, function).run()
    for function in module.functions:
        retype(layouts, function)
    for instr in module.globals:
        if instr.type is not None and instr.op < FIRST_OWN:
            instr.type = layouts.of(instr.type)
    layouts.make_public()
    drop_own(module)
    sort_globals(module)
    return tags


@final
class Lowerer:
    """One function. `new` has what stands for each of our own values; old ones keep their types until all are done."""

    __slots__ = ("layouts", "tags", "function", "new", "dead", "caster", "packer", "public")

    def __init__(self, layouts: Layouts, tags: Tags, public: PublicStorage, function: Function) -> None:
        self.layouts = layouts
        self.tags = tags
        self.public = public
        self.function = function
        self.new: dict[Value, Instr] = {}
        self.dead: list[Instr] = []
        self.caster = Caster(layouts.module, Block(), None)
        self.packer = Packer(layouts, self.caster)

    def run(self) -> None:
        for block in blocks(self.function):
            for instr in block:
                own = instr.op >= FIRST_OWN
                through = instr.op in (op.Load, op.Store) and is_cast(instr.operands[0])
                if own or through:
                    self.caster = Caster(self.layouts.module, block, instr)
                    self.packer = Packer(self.layouts, self.caster)
                    replacement = self.replacement(instr)
                    if replacement is not None:
                        self.new[instr] = replacement
                    self.dead.append(instr)
        self.replace()
        for instr in reversed(self.dead):
            erase(instr)

    def replace(self) -> None:
        """All uses in one walk: a phi may use as many old values as it has operands."""
        for instr in instructions(self.function):
            for index, operand in enumerate(instr.operands):
                new = self.new.get(operand) if isinstance(operand, Instr) else None
                if new is not None:
                    instr.set_operand(index, new)
        for construct in constructs(self.function):
            if isinstance(construct, If) and construct.condition in self.new:
                set_condition(construct, self.new[construct.condition])
            elif isinstance(construct, Switch) and construct.selector in self.new:
                set_selector(construct, self.new[construct.selector])

    def value(self, instr: Instr, index: int) -> Instr:
        given = instr.instr(index)
        return self.new.get(given, given)

    def emit(self, code: int, type: Instr | None, operands: list[Operand]) -> Instr:
        return self.caster.emit(code, type, operands)

    def replacement(self, instr: Instr) -> Instr | None:
        """What stands for an instruction; None for one without a result, or whose users take care of it."""
        code = instr.op
        if code == op.Load:
            return self.load_public(instr)
        if code == op.Store:
            self.store_public(instr)
            return None
        if code == op.CastInterfaceToTaggedUnionPtr:
            return None
        assert instr.type is not None
        first = instr.instr(0)
        values = [self.new.get(each, each) for each in instr.operands if isinstance(each, Instr)]
        if code == op.GetTypeTagFromTaggedUnion and first.type is not None:
            values = [self.public.tag_of(self.caster, first.type, values[0])]
        element = lower_element(self.tags, self.caster, instr, values)
        if element is not None:
            return element
        if code == op.GetTagOfElementInSet:
            return self.tags.number(self.tags.places(set_of(instr.type))[first])
        if code == op.MakeTaggedUnion:
            return self.public.make(self.caster, instr.type, self.value(instr, 0), self.value(instr, 1))
        if code == op.UnionFromPublic:
            return self.from_public(instr)
        assert first.type is not None
        if code == op.GetTagFromTaggedUnion:
            return self.public.tag_of(self.caster, first.type, self.value(instr, 0))
        if code == op.GetValueFromTaggedUnion:
            return self.public.payload_of(self.caster, first.type, self.value(instr, 0))
        if code in (op.GetTagForSuperSet, op.GetTagForSubSet, op.GetTagForMappedSet):
            key = instr.value(1) if code == op.GetTagForMappedSet else None
            pairs = self.tags.between(set_of(first.type), set_of(instr.type), key)
            return self.tags.map(self.caster, self.value(instr, 0), pairs)
        if code == op.GetTagFromSequentialId:
            return self.tags.map(self.caster, self.value(instr, 0), self.tags.from_id(set_of(instr.type)))
        if code == op.GetSequentialIdFromTag:
            return self.tags.map(self.caster, self.value(instr, 0), self.tags.to_id(set_of(first.type)))
        if code == op.TagIsElement:
            return self.is_element(instr, first.type)
        return self.union(instr, first.type)

    def is_element(self, instr: Instr, tag: Instr) -> Instr:
        places = self.tags.places(set_of(tag))
        if len(places) == 1:
            return bool_constant(self.layouts.module, True)
        number = self.tags.number(places[instr.instr(1)])
        return self.emit(op.IEqual, bool_type(self.layouts.module), [self.value(instr, 0), number])

    def union(self, instr: Instr, given: Instr) -> Instr:
        """PackUnion, UnpackUnion, ReinterpretUnion."""
        assert instr.type is not None
        value = self.value(instr, 0)
        source = self.layouts.of(given)
        target = self.layouts.of(instr.type)
        if source is target:
            return value
        packer = self.packer
        words = packer.pack(value, source) if instr.op == op.PackUnion else packer.words_of_union(value, given)
        if instr.op == op.UnpackUnion:
            return packer.unpack(words, target)
        return packer.union_of_words(words, instr.type)

    def from_public(self, instr: Instr) -> Instr:
        """The words of a value, of whichever type, as what the tag says."""
        assert instr.type is not None
        tag, value = instr.instr(0).type, instr.instr(1).type
        assert tag is not None and value is not None
        given = self.value(instr, 1)
        if value.op == op.TypeUntaggedUnion:
            words = self.packer.words_of_union(given, value)
        else:
            words = self.public.pack(self.caster, given, value)
        count = max([self.layouts.any(instr.type.instr(index)).words() for index in range(len(instr.type.operands))])
        words = self.public.fitted(words, count)
        return self.public.read(self.caster, set_of(tag), instr.type, self.value(instr, 0), words)

    # --- public storage -----------------------------------------------------------------------------------------------

    def member(self, pointer: Instr, type: Instr, path: list[int]) -> Instr:
        """A pointer to a part of the struct that an existential is in a buffer."""
        assert pointer.type is not None
        indices: list[Operand] = [self.tags.number(index) for index in path]
        inner = pointer_type(self.layouts.module, storage_of(pointer.type), type)
        return self.emit(op.AccessChain, inner, [pointer, *indices])

    def load_public(self, instr: Instr) -> Instr:
        pointer = instr.instr(0).instr(0)
        assert pointer.type is not None and instr.type is not None
        tagged = instr.type
        number = self.word(pointer, [1, 0])
        words = [
            self.word(pointer, [PAYLOAD_MEMBER + index])
            for index in range(self.layouts.public_words(pointer.type.instr(1)))
        ]
        return self.public.existential_of(self.caster, tagged, number, words)

    def word(self, pointer: Instr, path: list[int]) -> Instr:
        part = self.member(pointer, self.layouts.u32, path)
        return self.emit(op.Load, self.layouts.u32, [part, *alignment(part)])

    def put(self, part: Instr, value: Instr) -> None:
        self.emit(op.Store, None, [part, value, *alignment(part)])

    def store_public(self, instr: Instr) -> None:
        u32 = self.layouts.u32
        pointer = instr.instr(0).instr(0)
        tagged = instr.instr(1).type
        assert pointer.type is not None and tagged is not None
        union = self.value(instr, 1)
        pair = vector_type(self.layouts.module, u32, 2)
        zero = self.tags.number(0)
        number = self.public.id_of(self.caster, tagged, union)
        nothing = self.emit(op.CompositeConstruct, pair, [zero, zero])
        handle = self.emit(op.CompositeConstruct, pair, [number, zero])
        self.put(self.member(pointer, pair, [0]), nothing)
        self.put(self.member(pointer, pair, [1]), handle)
        tag = self.public.tag_of(self.caster, tagged, union)
        value = self.public.payload_of(self.caster, tagged, union)
        count = self.layouts.public_words(pointer.type.instr(1))
        words = self.public.write(self.caster, set_of(tagged), tagged.instr(1), tag, value, count)
        for index, word in enumerate(words):
            self.put(self.member(pointer, u32, [PAYLOAD_MEMBER + index]), word)


def is_cast(pointer: Operand) -> bool:
    return isinstance(pointer, Instr) and pointer.op == op.CastInterfaceToTaggedUnionPtr


def retype(layouts: Layouts, function: Function) -> None:
    """Plain types for parameters, results and what stayed."""
    for param in function.params:
        if param.type is not None:
            param.type = layouts.of(param.type)
    function.result = layouts.of(function.result)
    params = [param.type for param in function.params if param.type is not None]
    function.type = function_type(layouts.module, function.result, params)
    for instr in instructions(function):
        if instr.type is not None:
            instr.type = layouts.of(instr.type)
    function.touch()


def drop_own(module: Module) -> None:
    """Globals of our own, and what is made of them."""
    gone: dict[Value, None] = {}
    for instr in module.globals:
        mentioned = [instr.type, *instr.operands]
        inside = any(isinstance(operand, Instr) and operand in gone for operand in mentioned)
        if instr.op >= FIRST_OWN or inside or holds_function(instr):
            gone[instr] = None
    module.globals = [instr for instr in module.globals if instr not in gone]
    for key in [key for key, instr in module.interned.items() if instr in gone]:
        del module.interned[key]
    for value in gone:
        assert isinstance(value, Instr)
        value.drop_operands()
    for section in (module.names, module.decorations):
        section[:] = [note for note in section if not any(isinstance(o, Value) and o in gone for o in note.operands)]


def holds_function(type: Instr) -> bool:
    """Whether a type has functions as values in it: SPIR-V has none."""
    if type.op == op.TypePointer:
        return type.word(0) != enums.StorageClassCodeSectionINTEL and type.instr(1).op == op.TypeFunction
    inside = type.op in traits.MADE_OF_TYPES
    parts = type.operands if inside else []
    return any(isinstance(part, Instr) and part.op == op.TypeFunction for part in parts)


LOWER_DISPATCH: Final = Pass(
    "lower-dispatch",
    "make tagged unions, their tags and payloads plain structs, numbers and words",
    lower_dispatch,
    loses=(NO_PHIS, NO_CONTINUES, SWITCHES_DEFINED, SINGLE_LEVEL, NO_CRITICAL_EDGES),
    options=(
        Option(
            "mode",
            "switch",
            "switch: a switch splits the lanes; waterfall: one type after another, each with a uniform branch",
            ("switch", "waterfall"),
        ),
        Option(
            "inline",
            AUTO,
            "which dispatchers and methods go where they are called: the short, and those called once; all; none",
            (AUTO, ALWAYS, NEVER),
        ),
    ),
)
