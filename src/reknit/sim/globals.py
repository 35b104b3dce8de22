"""Types and constants of a module, in order of definition: a shape for each type, a value for each constant.

    %f = OpTypeFloat 32        shapes[%f] = f32
    %n = OpSpecConstant %u 4   values[%n] = 4, or what `spec` says for its SpecId or its name
    %a = OpTypeArray %f %n     shapes[%a] = array<f32, 4>
    %m = OpSpecConstantOp %u IMul %n %n     values[%m] = 16: computed like any instruction

A type that the simulator has no values for (a ray query, an array of a billion) gets no shape; what needs one reports
that.
"""

import math
from collections.abc import Mapping
from typing import Any, Final, final

from reknit.ir import enums, op, traits
from reknit.ir.callables import constant_callable
from reknit.ir.constants import literal_bits
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.sim.decorations import Decorations
from reknit.sim.existential import Interfaces
from reknit.sim.ops.ieee import format_of
from reknit.sim.ops.table import scalar_function
from reknit.sim.ops.undefined import Undefined
from reknit.sim.pointers import BY_ADDRESS, is_address_type
from reknit.sim.values import (
    BOOL,
    EXISTENTIAL_KIND,
    FLOAT_KIND,
    INT_KIND,
    OPAQUE,
    PAYLOAD,
    POINTER_KIND,
    U32,
    U64,
    UNION,
    VOID,
    Shape,
    array,
    matrix,
    null_value,
    pointer,
    struct,
    vector,
)
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place

MAX_SCALARS: Final = 1 << 24  # that one value may hold
MAX_DESCRIPTORS: Final = 1 << 16  # of an array, each with memory of its own
MAX_DEPTH: Final = 255  # "Structure nesting depth" of SPIR-V's universal limits


@final
class Globals:
    """`problems` are constants that could not be computed, reported when something reachable uses them. `address` is
    the shape of a pointer that is an address."""

    __slots__ = ("module", "decorations", "shapes", "values", "sizes", "problems", "used", "interfaces", "address")

    def __init__(self, module: Module, spec: Mapping[str | int, float]) -> None:
        self.module = module
        self.decorations = Decorations(module)
        narrow = any(line.word(0) == enums.AddressingModelPhysical32 for line in module.memory_model)
        self.address = U32 if narrow else U64
        self.shapes: dict[Value, Shape] = {}
        self.values: dict[Value, Any] = {}
        self.sizes: dict[Shape, tuple[int, int]] = {}  # (scalars, nesting) of a value; pointers are one
        self.problems: dict[Value, str] = {}
        self.used: dict[str | int, None] = {}
        self.interfaces = Interfaces(module)
        for instr in module.globals:
            if instr.type is None:
                self.add_type(instr)
            elif instr.op != op.Variable:
                self.add_constant(instr, spec)
        unknown = [key for key in spec if key not in self.used]
        if unknown:
            raise InputError(
                [Diagnostic("RK1005", f"no specialization constant {key!r}", Place(module.path)) for key in unknown]
            )

    def shape(self, type: Instr | None) -> Shape | None:
        """The shape of a type, None for one without values here."""
        return VOID if type is None else self.shapes.get(type)

    def add_type(self, type: Instr) -> None:
        if type.op == op.TypeForwardPointer:
            if type.word(1) in BY_ADDRESS:
                self.shapes[type.value(0)] = self.address
            return
        shape = self.make_shape(type)
        if shape is not None:
            self.shapes[type] = shape

    def make_shape(self, type: Instr) -> Shape | None:
        """None for a type without values here: opaque ones, and those too large or too deep to have any."""
        shape = self.shape_of(type)
        if shape is None or shape.kind == POINTER_KIND:
            return shape
        parts = list(shape.members)
        if shape.element is not None:
            parts.append(shape.element)
        sizes = [self.sizes.get(part, (1, 1)) for part in parts]
        depth = 1 + max([depth for _, depth in sizes], default=0)
        scalars = max(1, sum([scalars for scalars, _ in sizes]))
        if shape.element is not None:
            scalars *= max(1, shape.count)
        if scalars > MAX_SCALARS or depth > MAX_DEPTH:
            return None
        self.sizes[shape] = (scalars, depth)
        return shape

    def shape_of(self, type: Instr) -> Shape | None:
        if type.op == op.TypeVoid:
            return VOID
        if type.op == op.TypeBool:
            return BOOL
        if type.op == op.TypeInt:
            return Shape(INT_KIND, type.word(0), type.word(1) == 1)
        if type.op == op.TypeFloat:
            return Shape(FLOAT_KIND, type.word(0), True) if len(type.operands) == 1 else None
        if is_address_type(type):
            return self.address
        if type.op == op.TypePointer:
            return pointer(self.shapes.get(type.value(1)))
        if type.op == op.TypeStruct:
            members: list[Shape] = []
            for at in range(len(type.operands)):
                member = self.shapes.get(type.value(at))
                if member is None:
                    return None
                members.append(member)
            return struct(members)
        if type.op >= op.TypeInterface:
            return self.dispatch_shape(type)
        if type.op == op.TypeFunction or (type.op in traits.HANDLE and type.op != op.TypeAccelerationStructureKHR):
            return OPAQUE
        if type.op not in traits.OF_ELEMENTS:
            return None
        element = self.shapes.get(type.value(0))
        if element is None:
            return None
        if type.op == op.TypeVector:
            return vector(element, type.word(1))
        if type.op == op.TypeMatrix:
            return matrix(element, type.word(1))
        if type.op == op.TypeRuntimeArray:
            return array(element, 0)
        length = self.values.get(type.value(1))
        return array(element, length) if isinstance(length, int) else None

    def dispatch_shape(self, type: Instr) -> Shape | None:
        """A type of dynamic dispatch. A tag is its element's place in the set."""
        if type.op == op.TypeInterface:
            return Shape(EXISTENTIAL_KIND, type=type)
        if type.op in (op.TypeThis, op.TypeAssociated):
            return PAYLOAD
        if type.op == op.TypeSetTag:
            return U32
        if type.op == op.TypeUntaggedUnion:
            return UNION
        return struct([U32, UNION]) if type.op == op.TypeTaggedUnion else OPAQUE

    def add_constant(self, instr: Instr, spec: Mapping[str | int, float]) -> None:
        shape = self.shape(instr.type)
        if shape is None:
            self.problems[instr] = "its type has no values here"
            return
        code = instr.op
        if code == op.SpecConstant or code == op.SpecConstantTrue or code == op.SpecConstantFalse:
            given = self.given(instr, spec)
            if given is not None:
                self.values[instr] = encode(shape, given, instr, self.module.path)
                return
        if code == op.Constant or code == op.SpecConstant:
            self.values[instr] = literal_bits(instr)
        elif code == op.ConstantTrue or code == op.SpecConstantTrue:
            self.values[instr] = 1
        elif code == op.ConstantFalse or code == op.SpecConstantFalse:
            self.values[instr] = 0
        elif code == op.ConstantNull or code == op.Undef:
            self.values[instr] = null_value(shape)
        elif code == op.ConstantComposite or code == op.SpecConstantComposite:
            self.add_composite(instr)
        elif code == op.WitnessTable:
            self.values[instr] = instr
        elif code == op.LookupWitness or code == op.Specialize:
            self.values[instr] = constant_callable(instr) or 0
        elif code == op.SpecConstantOp:
            self.compute(instr, shape)
        else:
            self.problems[instr] = "the simulator doesn't know this kind of constant"

    def add_composite(self, instr: Instr) -> None:
        parts: list[Any] = []
        for operand in instr.operands:
            if not isinstance(operand, Value) or operand not in self.values:
                self.problems[instr] = "a part of it has no value"
                return
            parts.append(self.values[operand])
        self.values[instr] = tuple(parts)

    def compute(self, instr: Instr, shape: Shape) -> None:
        """OpSpecConstantOp: the operation of its opcode on constants."""
        shapes: list[Shape] = []
        values: list[Any] = []
        literals: list[int] = []
        for operand in instr.operands[1:]:
            if isinstance(operand, Instr):
                operand_shape = self.shape(operand.type)
                if operand_shape is None or operand not in self.values:
                    self.problems[instr] = "an operand of it has no value"
                    return
                shapes.append(operand_shape)
                values.append(self.values[operand])
            elif isinstance(operand, int):
                literals.append(operand)
        problems: list[str] = []

        def tell(lane: int, message: str) -> None:
            problems.append(message)

        function = scalar_function(instr.word(0), shape, shapes, literals, Undefined(tell))
        if function is None:
            self.problems[instr] = f"the simulator can't compute opcode {instr.word(0)} in a constant"
            return
        value = function(*values)
        if problems:
            self.problems[instr] = f"its value is undefined: {problems[0]}"
        else:
            self.values[instr] = value

    def given(self, instr: Instr, spec: Mapping[str | int, float]) -> float | None:
        """What the caller set a specialization constant to, by SpecId or by name."""
        number_given: float | None = None
        number = self.decorations.number(instr, enums.DecorationSpecId)
        if number >= 0 and number in spec:
            self.used[number] = None
            number_given = spec[number]
        if number >= 0 and str(number) in spec:
            self.used[str(number)] = None
            number_given = spec[str(number)]
        if instr.name and instr.name in spec:
            self.used[instr.name] = None
            number_given = spec[instr.name]
        return number_given


def encode(shape: Shape, value: float, instr: Instr, path: str) -> int:
    """A number as the bits of a scalar type. Raises InputError (RK1005) where it doesn't fit."""
    if shape.kind == FLOAT_KIND:
        form = format_of(shape.width)
        if form is not None:
            return form.encode(float(value))
    elif shape.kind != POINTER_KIND and (isinstance(value, int) or (math.isfinite(value) and int(value) == value)):
        number = int(value)
        low = 0 if shape.kind != INT_KIND or shape.width == 1 else -(1 << (shape.width - 1))
        if low <= number < 1 << shape.width:
            return number & ((1 << shape.width) - 1)
    name = instr.name or str(instr.id)
    message = f"specialization constant {name} ({shape}) can't be {value!r}"
    raise InputError([Diagnostic("RK1005", message, Place(path))])
