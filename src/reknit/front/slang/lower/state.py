"""The module as it grows, and what all functions of it share.

    ir_type(struct A { int x; })    ->  %A = TypeStruct i32        once for each type
    fresh_variable(block, T)        ->  %x = Variable Function     first in the function

`at` is the position in the source of what is being lowered: each instruction remembers it (`module.places`).
"""

from collections.abc import Callable
from typing import Final, NoReturn, final

from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.shapes import ir_numeric
from reknit.front.slang.conformances import Evidence
from reknit.front.slang.core import is_empty
from reknit.front.slang.report import Reports
from reknit.front.slang.substitute import substitute
from reknit.front.slang.symbols import Field as FieldSymbol
from reknit.front.slang.symbols import Requirement
from reknit.front.slang.types import (
    UINT64,
    VOID,
    ArrayType,
    AssocType,
    ConstType,
    EnumType,
    InterfaceType,
    MatrixType,
    OpenedType,
    OptionalType,
    PointerType,
    ResourceType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
    is_specialized,
)
from reknit.ir import enums, op, traits
from reknit.ir.any_value import any_layout, interfaces_in
from reknit.ir.block import Block
from reknit.ir.build import Builder
from reknit.ir.constants import undef
from reknit.ir.dispatch import SPECIALIZE_ONLY, associated_type, interface_type, requirement, this_type
from reknit.ir.edit import insert_after, prepend
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module, annotation
from reknit.ir.source_places import Places
from reknit.ir.value import Value
from reknit.source.diagnostic import InternalError

NOT_LOWERED: Final = "RK0911"
MAX_ELEMENTS: Final = 0x7FFFFFFF  # of an array

def is_constant(value: Value) -> bool:
    return isinstance(value, Instr) and value.block is None and (value.op in traits.CONSTANT or value.op == op.Undef)


@final
class Lowering(Emitter):
    """`keys` are the requirements asked for, by interface and name."""

    def __init__(self, module: Module, reports: Reports, evidence: Evidence) -> None:
        super().__init__(module, Builder(module, Block()))
        self.reports = reports
        self.evidence = evidence
        self.at = 0
        self.places = Places(reports.sources.place)
        module.places = self.places
        self.types: dict[str, Instr] = {}
        self.interfaces: dict[str, Instr] = {}
        self.interface_types: dict[Instr, InterfaceType] = {}
        self.keys: dict[str, Instr] = {}
        self.fields: dict[str, list[Type]] = {}
        self.with_resources: dict[str, bool] = {}
        self.sizes: dict[str, int] = {}
        self.own_pointers = False  # some addresses are those of places of the program, as `pointers` numbers them
        self.coherent = False  # what pointers lead to from outside
        self.inline_spirv = False  # some of it was written in the source: the module is verified
        self.associated: list[tuple[InterfaceType, Requirement]] = []  # types that tables are to say
        self.entry_block = Block()
        self.last_variable: Instr | None = None
        self.specialized: Callable[[Type], Value] | None = None  # what specialization constants make
        self.at_module = False  # what is emitted are constants of the module
        self.heaps: dict[str, Instr] = {}  # of descriptors, by their types' keys
        self.bind_counter: Callable[[Instr], Instr] | None = None  # makes a buffer's counter
        self.group_sizes: list[list[int]] = []  # of the entry points, each once
        self.function: Function | None = None  # that code goes into
        self.features: dict[Function, dict[str, int]] = {}  # what of it not every stage has, and where

    # ---- what an Emitter has to have

    def emit(self, code: int, type: Instr, operands: list[Operand], name: str = "") -> Instr:
        if self.at_module:
            return self._constant(code, type, operands)
        instr = self.builder.emit(code, type, operands, name)
        self.places.starts[instr] = self.at
        return instr

    def _constant(self, code: int, type: Instr, operands: list[Operand]) -> Instr:
        """Of specialization constants. OpSpecConstantOp has no OpBitcast: 0 is added (SPIR-V 1.6, 3.52.3)."""
        if code == op.Bitcast:
            code, operands = op.IAdd, [*operands, self.zero(type)]
        return self.module.intern(op.SpecConstantOp, type, [code, *operands])

    def effect(self, code: int, operands: list[Operand]) -> Instr:
        instr = self.builder.effect(code, operands)
        self.places.starts[instr] = self.at
        return instr

    def refuse(self, at: int, message: str) -> NoReturn:
        """Ends the lowering: what would follow would be made of nothing."""
        self.reports.error(NOT_LOWERED, at if at else self.at, message)
        self.reports.refuse()
        raise InternalError("an error that ends nothing")

    def ir_type(self, type: Type) -> Instr:
        ir_type = self.types.get(type.key)
        if ir_type is None:
            ir_type = self._ir_type(type)
            self.types[type.key] = ir_type
        return ir_type

    # ---- functions

    def uses(self, feature: str) -> None:
        assert self.function is not None
        self.features.setdefault(self.function, {}).setdefault(feature, self.at)

    def group_size(self) -> list[int]:
        if len(self.group_sizes) != 1:
            raise Unsupported("the size of the workgroup is not the same for all entry points: name one")
        return self.group_sizes[0]

    def counter(self, buffer: Instr) -> Instr:
        known = self.counters.get(buffer)
        if known is None:
            assert self.bind_counter is not None
            known = self.bind_counter(buffer)
            self.counters[buffer] = known
        return known

    def start(self, function: Function) -> None:
        """Code goes on at the function's first block, and its variables there too."""
        self.function = function
        self.entry_block = function.entry()
        self.last_variable = None
        self.builder.at(self.entry_block)

    def add_variable(self, instr: Instr) -> None:
        if self.last_variable is None:
            prepend(self.entry_block, instr)
        else:
            insert_after(self.last_variable, instr)
        self.last_variable = instr

    @property
    def ended(self) -> bool:
        """Whether control doesn't come here: the block has its jump."""
        return self.builder.block.jump is not None

    # ---- types

    def _ir_type(self, type: Type) -> Instr:
        if isinstance(type, (VectorType, MatrixType)):
            for size in [type.count] if isinstance(type, VectorType) else [type.rows, type.columns]:
                self._count(type, size, 1, 4)
        if isinstance(type, (ScalarType, VectorType, MatrixType, EnumType)):
            if type.key == VOID.key:  # SPIR-V has no values of type void, and generic code passes and stores them
                return self._named_struct(str(type), [], [])
            return ir_numeric(self, type)
        if isinstance(type, ArrayType):
            if type.count is None:
                self.refuse(0, f"an array without a size, {type}, can't be a value")
                return self.u32
            if is_specialized(type.count) and self.specialized is not None:
                extent: Value = self.specialized(type.count)
            else:
                count = self._count(type, type.count, 0, MAX_ELEMENTS)
                if count == 0:  # SPIR-V 1.6, OpTypeArray: "Length must be at least 1"
                    return self._named_struct(str(type), [], [])
                extent = self.word(count)
            return self.module.intern(op.TypeArray, None, [self.ir_type(type.element), extent])
        if isinstance(type, (StructType, TupleType)):
            return self._struct(type)
        if isinstance(type, OptionalType):
            if isinstance(type.element, InterfaceType):
                return self.ir_type(type.element)
            return self._named_struct(str(type), [self.ir_type(type.element), self.boolean], ["value", "hasValue"])
        if isinstance(type, InterfaceType):
            return self.interface(type)
        if isinstance(type, OpenedType):
            return this_type(self.module, self.interface(type.opening.interface))
        if isinstance(type, AssocType):
            owner = type.witness.interface
            self.associated.append((owner, type.requirement))
            return associated_type(self.module, self.key(owner, type.requirement, type.requirement.name))
        if isinstance(type, ResourceType) and type.kind == "Atomic" and type.element is not None:
            return self.ir_type(type.element)
        if isinstance(type, PointerType):
            return ir_numeric(self, UINT64)
        self.refuse(0, f"'{type}' can't be a value here")
        return self.u32

    def _count(self, type: Type, count: Type, least: int, most: int) -> int:
        """A size that generic arguments may have given: what is written as a number was checked where it is written."""
        if not isinstance(count, ConstType):
            self.refuse(0, f"the size of '{type}' can't be computed: {count} has no value")
        if not least <= count.value <= most:
            self.refuse(0, f"'{type}' has a size of {count.value}, which must be between {least} and {most}")
        return count.value

    def _struct(self, type: StructType | TupleType) -> Instr:
        types = [self.ir_type(field_type) for field_type in self.field_types(type)]
        names = [field.name for field in type.struct.fields] if isinstance(type, StructType) else []
        struct = self._named_struct(str(type), types, names[: len(types)])
        if isinstance(type, StructType):
            self.places.starts[struct] = type.struct.at
        return struct

    def _named_struct(self, name: str, types: list[Instr], names: list[str]) -> Instr:
        operands: list[Operand] = []
        operands.extend(types)
        instr = Instr(op.TypeStruct, None, operands, name)
        self.module.globals.append(instr)
        for member, member_name in enumerate(names):
            self.module.names.append(annotation(op.MemberName, [instr, member, member_name]))
        return instr

    def field_types(self, type: StructType | TupleType) -> list[Type]:
        """Of a struct's fields, or a tuple's elements, as `type` has them."""
        if isinstance(type, TupleType):
            return type.elements
        if is_empty(type):
            return []
        types = self.fields.get(type.key)
        if types is None:
            arguments = self.evidence.struct_arguments(type)
            types = [substitute(field.type, arguments) for field in type.struct.fields]
            self.fields[type.key] = types
        return types

    def existential_size(self, type: InterfaceType) -> int:
        """What is declared, else the size of the largest type that conforms."""
        known = self.sizes.get(type.key)
        if known is None:
            self.sizes[type.key] = 0  # a type that holds itself is refused elsewhere
            known = type.interface.any_value_size or self._largest(type)
            self.sizes[type.key] = known
        return known

    def _largest(self, type: InterfaceType) -> int:
        """As `ir.any_value` has it: of the types with a number, where options give numbers."""
        conforming = [
            conformance
            for conformance in self.evidence.conformances.get(type.interface.number, [])
            if not conformance.environment.params and conformance.interface.key == type.key
        ]
        named = [conformance for conformance in conforming if conformance.sequential_id >= 0]
        largest = 0
        for conformance in named or conforming:
            if not self.has_resources(conformance.subject):  # such a type is refused where one is packed
                subject = self.ir_type(conformance.subject)
                sizes = {inner: self.existential_size(self.interface_types[inner]) for inner in interfaces_in(subject)}
                largest = max(largest, any_layout(subject, sizes).size)
        return -(-largest // 4) * 4

    def interface(self, type: InterfaceType) -> Instr:
        known = self.interfaces.get(type.key)
        if known is None:
            known = interface_type(self.module, str(type), type.interface.any_value_size)
            self.places.starts[known] = type.interface.at
            if type.interface.specialize:
                mark: list[Operand] = [known, enums.DecorationUserSemantic, SPECIALIZE_ONLY]
                self.module.decorations.append(annotation(op.DecorateString, mark))
            self.interfaces[type.key] = known
            self.interface_types[known] = type
        return known

    def key(self, interface: InterfaceType, requirement_: Requirement | None, name: str, shown: str = "") -> Instr:
        """What tables of `interface` are looked up by; `name` distinguishes those of one requirement, `shown` is for
        people."""
        number = requirement_.number if requirement_ is not None else 0
        key = f"{interface.key}/{number}/{name}"
        known = self.keys.get(key)
        if known is None:
            known = requirement(self.module, self.interface(interface), shown or name)
            self.keys[key] = known
        return known

    def has_resources(self, type: Type) -> bool:
        """Whether values of the type are known when the shader is compiled: resources, and what contains one."""
        known = self.with_resources.get(type.key)
        if known is None:
            self.with_resources[type.key] = False  # a type that contains itself is refused by the checker
            known = self._has_resources(type)
            self.with_resources[type.key] = known
        return known

    def _has_resources(self, type: Type) -> bool:
        if isinstance(type, ResourceType):
            return type.kind != "Atomic"
        if isinstance(type, (ArrayType, OptionalType)):
            return self.has_resources(type.element)
        if isinstance(type, (StructType, TupleType)):
            return any(self.has_resources(field_type) for field_type in self.field_types(type))
        return False

    # ---- values

    def undefined(self, type: Type) -> Value:
        return undef(self.module, self.ir_type(type))

    def zero(self, type: Instr) -> Value:
        return self.module.intern(op.ConstantNull, type, [])

    def composite(self, type: Instr, parts: list[Value], name: str = "") -> Value:
        """A vector, matrix, array or struct of all its parts: a constant if they are."""
        operands: list[Operand] = []
        operands.extend(parts)
        if all(is_constant(part) and not _is_specialized(part) for part in parts):
            return self.module.intern(op.ConstantComposite, type, operands)
        return self.emit(op.CompositeConstruct, type, operands, name)

    def extract(self, type: Instr, value: Value, index: int) -> Value:
        if isinstance(value, Instr):
            if value.op == op.ConstantComposite or (value.op == op.CompositeConstruct and not _short(value)):
                return value.value(index)
            if value.op == op.ConstantNull:
                return self.zero(type)
        return self.emit(op.CompositeExtract, type, [value, index])


def _is_specialized(value: Value) -> bool:
    return isinstance(value, Instr) and op.SpecConstantTrue <= value.op <= op.SpecConstantOp


def _short(value: Instr) -> bool:
    """Whether a vector was made of vectors, so that its operands are not its components."""
    type = value.type
    return type is not None and type.op == op.TypeVector and len(value.operands) != type.word(1)


def field_index(symbols: list[FieldSymbol], symbol: FieldSymbol) -> int:
    for index, candidate in enumerate(symbols):
        if candidate is symbol:
            return index
    raise AssertionError("a field of another struct")
