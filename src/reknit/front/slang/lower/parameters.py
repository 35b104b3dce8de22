"""Shader parameters: which variables they become, and at which set and binding.

    RWStructuredBuffer<int> o;        set 0, the next free binding, in order of declaration
    uniform int n;                    a member of the constant buffer globalParams, at the first binding
    ParameterBlock<S> p;              a set of its own: p (what is plain in S) at 0, p.buffer at 1
    struct S { Texture2D t; int n; }  S s: s.t at a binding, s.n in globalParams
    uniform T* p;                     an address: a member of globalParams
    uniform int k in an entry point   a member of the push constants entryPointParams
    [[vk::push_constant]] S p;        push constants of its own

Explicit bindings are kept, unless another parameter has the same. As slangc does it by default.
"""

from math import prod
from typing import final

from reknit.front.slang.builtins import resources, stored
from reknit.front.slang.builtins.emitter import Unsupported
from reknit.front.slang.builtins.kinds import SUBPASS
from reknit.front.slang.builtins.shapes import constant
from reknit.front.slang.lower.lvalues import Computed, Place
from reknit.front.slang.lower.resource_places import Resource, Slot, Spread, Tree, field_of_all
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.symbols import Environment, Field, Struct, Variable
from reknit.front.slang.types import (
    READ_BLOCK,
    ArrayType,
    ConstType,
    ResourceType,
    StructType,
    TupleType,
    Type,
)
from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.value import Value

PUSHED = ("vk::push_constant", "vk_push_constant", "push_constant")
BLOCKS = ("ConstantBuffer", "ParameterBlock", "TextureBuffer")
ATTACHMENT = "vk::input_attachment_index"
READ_ONLY = ("StructuredBuffer", "ByteAddressBuffer", READ_BLOCK)


@final
class Plain:
    """What isn't a resource, collected for one constant buffer, and the `types` that it has there. `inside` are the
    structs in it that have resources as well: what is plain in them is a struct of its own there, which begins and ends
    as structs do, or an array of such, of the sizes `counts`; `depth` is how many arrays there are around that."""

    __slots__ = ("names", "slots", "types", "inside", "counts", "depth")

    def __init__(self, counts: list[int], depth: int) -> None:
        self.names: list[str] = []
        self.slots: list[Slot] = []
        self.types: list[Type] = []
        self.inside: dict[int, Plain] = {}
        self.counts = counts
        self.depth = depth

    def add(self, name: str, slot: Slot, type: Type) -> None:
        self.names.append(name)
        self.slots.append(slot)
        self.types.append(type)


@final
class Bindings:
    """`used` are the bindings of each set that are taken."""

    __slots__ = (
        "low", "used", "next_set", "numbers", "format", "coherent", "attachment", "places", "pushed",
    )  # fmt: skip

    def __init__(self, low: Lowering) -> None:
        self.low = low
        self.used: dict[int, dict[int, None]] = {}
        self.next_set = 0
        self.numbers = 0
        self.format = ""  # of the texels of the parameter that is declared
        self.coherent = False  # whether it, or the field that it is of a struct, is
        self.attachment = 0  # of the parameter that is declared, where it is a subpass input
        self.places: dict[Instr, tuple[int, int]] = {}  # sets and bindings
        low.bind_counter = self.counter

    def take(self, set: int, wanted: int = -1) -> int:
        """`wanted` if it is free, else the first that is."""
        used = self.used.setdefault(set, {})
        binding = wanted if wanted >= 0 and wanted not in used else 0
        while binding in used:
            binding += 1
        used[binding] = None
        return binding

    # ---- one parameter

    def about(self, variable: Variable | None) -> None:
        """What the declaration of the next parameter says of it."""
        self.format = "" if variable is None else variable.format
        self.coherent = variable is not None and variable.coherent
        given = ([] if variable is None else variable.attributes.get(ATTACHMENT)) or [0]
        self.attachment = given[0] if isinstance(given[0], int) else 0

    def declare(self, name: str, type: Type, set: int, plain: Plain, counts: list[int], wanted: int = -1) -> Place:
        """The place of a parameter. `counts` are the sizes of the arrays of structs that it is in."""
        low = self.low
        if isinstance(type, ResourceType) and type.kind != "Atomic":
            return self._resource(name, type, set, counts, wanted)
        if isinstance(type, ArrayType) and low.has_resources(type):
            count = 0 if type.count is None else constant(type.count)
            inner = self.declare(name, type.element, set, plain, [*counts, count], wanted)
            return inner if isinstance(inner, Resource) else Spread(type, inner)
        if isinstance(type, (StructType, TupleType)) and low.has_resources(type):
            if not has_plain(low, type):
                return self._struct(name, type, set, plain, counts)
            return self._inside(name, type, set, plain, counts)
        slot = Slot(arrays_of(type, counts))
        plain.add(name, slot, type)
        return slot

    def _inside(
        self, name: str, type: StructType | TupleType, set: int, plain: Plain, counts: list[int]
    ) -> Tree:
        inside = Plain(counts[plain.depth :], len(counts))
        tree = self._struct(name, type, set, inside, counts)
        whole = arrays_of(self._plain_type(inside, f"{type}", name), inside.counts)
        plain.inside[len(plain.slots)] = inside
        plain.add(name, Slot(whole), whole)
        return tree

    def _struct(self, name: str, type: StructType | TupleType, set: int, plain: Plain, counts: list[int]) -> Tree:
        fields = type.struct.fields if isinstance(type, StructType) else []
        if any(field.offset >= 0 for field in fields):
            self.low.refuse(self.low.at, f"'{type}' has resources: its other fields can't say where they lie")
        parts: list[Place] = []
        for index, part in enumerate(self.low.field_types(type)):
            own = fields[index].name if index < len(fields) else str(index)
            whole, self.coherent = self.coherent, self.coherent or (index < len(fields) and fields[index].coherent)
            parts.append(self.declare(f"{name}.{own}" if name else own, part, set, plain, counts))
            self.coherent = whole
        return Tree(type, parts)

    def _resource(self, name: str, type: ResourceType, set: int, counts: list[int], wanted: int) -> Place:
        element = type.element
        if type.kind == "ParameterBlock":
            set = self.next_set
            self.next_set += 1
        if type.kind in BLOCKS and isinstance(element, (StructType, TupleType)) and self.low.has_resources(element):
            inside = Plain([], 0)
            binding = self.take(set, wanted) if has_plain(self.low, element) else -1
            declare = self._inside if counts and binding >= 0 else self._struct
            tree = declare(name, element, set, inside, counts)
            if binding >= 0:
                self.constant_buffer(inside, name, f"{element}", set, binding)
            return tree
        storage, pointee = resources.declared(self.low, type, self.format)
        if 0 in counts[1:]:
            raise Unsupported(f"of the arrays of '{type}' only the outer one can be without a length")
        whole = array_of(self.low, pointee, prod(counts)) if counts else pointee
        binding = self.take(set, wanted)
        variable = self.variable(name, storage, whole, set, binding)
        self.places[variable] = (set, binding)
        if type.kind in ("AppendStructuredBuffer", "ConsumeStructuredBuffer") and not counts:
            self.low.counter(variable)  # takes its binding here, whether it is used or not
        if type.kind in READ_ONLY:
            self.low.decorate(variable, enums.DecorationNonWritable)
        if self.coherent:
            self.low.decorate(variable, enums.DecorationCoherent)
        if type.kind in SUBPASS:
            self.low.decorate(variable, enums.DecorationInputAttachmentIndex, self.attachment)
        of: Type = type
        for count in reversed(counts):
            of = ArrayType(of, ConstType(count) if count else None)
        return Resource(of, variable, [], pointee, resources.is_loaded(type), counts)

    def variable(self, name: str, storage: int, pointee: Instr, set: int, binding: int) -> Instr:
        low = self.low
        operands: list[Operand] = [storage]
        instr = Instr(op.Variable, low.pointer(storage, pointee), operands, name)
        low.module.globals.append(instr)
        low.places.starts[instr] = low.at
        if binding >= 0:
            low.decorate(instr, enums.DecorationDescriptorSet, set)
            low.decorate(instr, enums.DecorationBinding, binding)
        return instr

    def counter(self, buffer: Instr) -> Instr:
        """At the binding after the buffer's if it is free."""
        low = self.low
        set, binding = self.places[buffer]
        holder = low.stored_types.get(("", "counter"))
        if holder is None:
            holder = stored.block(low, stored.runtime_array(low, low.u32, 4), "Counter")
            low.stored_types["", "counter"] = holder
        free = self.take(set, binding + 1)
        return self.variable(f"{buffer.name}.counter", enums.StorageClassStorageBuffer, holder, set, free)

    # ---- constant buffers

    def constant_buffer(self, plain: Plain, name: str, struct: str, set: int, binding: int) -> None:
        """A constant buffer of what was collected; binding -1: push constants."""
        low = self.low
        if not plain.slots:
            return
        type = self._plain_type(plain, struct, name)
        rule = low.pushed_rule if binding < 0 else low.uniform_rule
        try:
            if binding < 0:
                storage = enums.StorageClassPushConstant
                pointee = stored.block(low, stored.stored_type(low, type, rule), struct)
            else:
                storage, pointee = resources.declared(low, ResourceType("ConstantBuffer", type))
        except Unsupported as refusal:
            low.refuse(0, refusal.message)
            refused(low, plain)
            return
        variable = self.variable(name, storage, pointee, set, binding)
        self._put(plain, variable, [low.word(0)], rule)

    def _plain_type(self, plain: Plain, struct: str, name: str = "") -> StructType:
        self.numbers += 1
        symbol = Struct(struct, -self.numbers, 0, struct, Environment([], []))
        for index, (member, type) in enumerate(zip(plain.names, plain.types, strict=True)):
            symbol.fields.append(Field(member.removeprefix(f"{name}."), index, 0, type))
        return StructType(symbol, [])

    def _put(self, plain: Plain, variable: Instr, indices: list[Value | None], rule: str) -> None:
        """Say where in a constant buffer each slot is."""
        for index, slot in enumerate(plain.slots):
            place = [*indices, self.low.word(index)]
            slot.current = field_of_all(slot.type, variable, place, rule)
            if index in plain.inside:
                inside = plain.inside[index]
                self._put(inside, variable, [*place, *[None] * len(inside.counts)], rule)


def arrays_of(type: Type, counts: list[int]) -> Type:
    for count in reversed(counts):
        type = ArrayType(type, ConstType(count))
    return type


def refused(low: Lowering, plain: Plain) -> None:
    for slot in plain.slots:
        slot.current = fresh_constant(low, slot.type)
    for inside in plain.inside.values():
        refused(low, inside)


def fresh_constant(low: Lowering, type: Type) -> Place:
    """What stands for a parameter that was refused."""
    return Computed(type, low.zero(low.u32))


def has_plain(low: Lowering, type: Type) -> bool:
    """Whether something in it is no resource."""
    if isinstance(type, ResourceType):
        return type.kind == "Atomic"
    if isinstance(type, ArrayType):
        return has_plain(low, type.element)
    if isinstance(type, (StructType, TupleType)) and low.has_resources(type):
        different = {field_type.key: field_type for field_type in low.field_types(type)}
        return any(has_plain(low, field_type) for field_type in different.values())
    return True


def array_of(low: Lowering, element: Instr, count: int) -> Instr:
    if count == 0:
        low.capability(enums.CapabilityRuntimeDescriptorArray)
        low.extension("SPV_EXT_descriptor_indexing")
        return low.module.intern(op.TypeRuntimeArray, None, [element])
    return low.module.intern(op.TypeArray, None, [element, low.word(count)])


def declare_globals(low: Lowering, bindings: Bindings, globals: list[Variable], places: dict[str, Place]) -> None:
    """All uniform parameters outside of entry points."""
    parameters: list[Variable] = []
    for variable in globals:
        if variable.kind == "uniform" and any(name in variable.attributes for name in PUSHED):
            declare_pushed(low, bindings, variable, places)
        elif variable.kind == "uniform":
            parameters.append(variable)
    plain = Plain([], 0)
    own = [variable for variable in parameters if not is_block(variable.type)]
    if own:
        bindings.next_set = 1
    loose = any(has_plain(low, variable.type) for variable in own)
    explicit = {max(parameter.set, 0): None for parameter in parameters if parameter.binding >= 0}
    for number in explicit:
        bindings.next_set = max(bindings.next_set, number + 1)
    asked: dict[Variable, int] = {}
    for variable in own:
        if variable.binding >= 0 and low.has_resources(variable.type):
            asked[variable] = bindings.take(max(variable.set, 0), variable.binding)
    buffer = bindings.take(0) if loose else -1
    for variable in parameters:
        low.at = variable.at
        set = max(variable.set, 0)
        bindings.about(variable)
        if variable in asked:
            del bindings.used[set][asked[variable]]
        try:
            places[f"{variable.number} {variable.type.key}"] = bindings.declare(
                variable.name, variable.type, set, plain, [], asked.get(variable, variable.binding)
            )
        except Unsupported as refusal:
            low.refuse(variable.at, refusal.message)
    bindings.about(None)
    if loose:
        bindings.constant_buffer(plain, "globalParams", "GlobalParams", 0, buffer)


def declare_pushed(low: Lowering, bindings: Bindings, variable: Variable, places: dict[str, Place]) -> None:
    """A parameter that is push constants: a struct or a constant buffer without resources in it."""
    type = variable.type
    if isinstance(type, ResourceType) and type.kind in BLOCKS and type.element is not None:
        type = type.element
    slot = Slot(type)
    places[f"{variable.number} {variable.type.key}"] = slot
    slot.current = fresh_constant(low, type)
    low.at = variable.at
    if low.has_resources(type):
        low.refuse(variable.at, f"push constants can't hold '{type}', which has resources in it")
    else:
        plain = Plain([], 0)
        plain.add(variable.name, slot, slot.type)
        bindings.constant_buffer(plain, variable.name, f"{type}", 0, -1)


def is_block(type: Type) -> bool:
    return isinstance(type, ResourceType) and type.kind == "ParameterBlock"
