"""The types of the language, as the checker and the lowering know them.

    float3x4        MatrixType(FLOAT, 3, 4)              Box<int>        StructType(box, [INT])
    T               ParamType(param)                     T.D             AssocType(witness that T : IFoo, D)
    This            ThisType(interface)                  IFoo            InterfaceType(foo, [])
    opened e        OpenedType(opening)                  N (a value)     ConstType(4), or ParamType(param)

Two types are the same when their `key`s are; a key is canonical text and serves as dictionary key. `str(type)` is what
messages show. Generic values are types too, so that one list holds all arguments.
"""

from typing import TYPE_CHECKING, Final, final

from reknit.source.diagnostic import Diagnostic, InputError

if TYPE_CHECKING:
    from reknit.front.slang.hir import Opening
    from reknit.front.slang.symbols import Enum, GenericParam, Interface, Requirement, Struct, Variable
    from reknit.front.slang.witnesses import Witness


MAX_NAME_LENGTH: Final = 1 << 14
"""Characters of a name with all its arguments: a few generic structs in each other double it each time."""


class Type:
    """`key` identifies a type."""

    __slots__ = ("key",)

    def __init__(self, key: str) -> None:
        if len(key) > MAX_NAME_LENGTH:
            message = f"not supported: types whose name has more than {MAX_NAME_LENGTH} characters ({key[:40]}...)"
            raise InputError([Diagnostic("RK0910", message)])
        self.key = key

    def __str__(self) -> str:
        return self.key


def same(a: Type, b: Type) -> bool:
    return a is b or a.key == b.key


@final
class ScalarType(Type):
    """void, bool, int8_t ... uint64_t, half, float, double. `rank` orders HLSL's implicit conversions (bool 0, int8_t
    1, uint8_t 2, int16_t 3, ..., uint64_t 8, half 9, float 10, double 11); `width` is in bits (bool 1, void 0)."""

    __slots__ = ("name", "kind", "width", "rank")

    def __init__(self, name: str, kind: str, width: int, rank: int) -> None:
        super().__init__(name)
        self.name = name
        self.kind = kind  # "void", "bool", "int", "uint", "float"
        self.width = width
        self.rank = rank


VOID: Final = ScalarType("void", "void", 0, -1)
BOOL: Final = ScalarType("bool", "bool", 1, 0)
INT8: Final = ScalarType("int8_t", "int", 8, 1)
UINT8: Final = ScalarType("uint8_t", "uint", 8, 2)
INT16: Final = ScalarType("int16_t", "int", 16, 3)
UINT16: Final = ScalarType("uint16_t", "uint", 16, 4)
INT: Final = ScalarType("int", "int", 32, 5)
UINT: Final = ScalarType("uint", "uint", 32, 6)
INT64: Final = ScalarType("int64_t", "int", 64, 7)
UINT64: Final = ScalarType("uint64_t", "uint", 64, 8)
HALF: Final = ScalarType("half", "float", 16, 9)
FLOAT: Final = ScalarType("float", "float", 32, 10)
DOUBLE: Final = ScalarType("double", "float", 64, 11)
SCALARS: Final = (VOID, BOOL, INT8, UINT8, INT16, UINT16, INT, UINT, INT64, UINT64, HALF, FLOAT, DOUBLE)


@final
class ErrorType(Type):
    """The type of what is wrong already; nothing more is said about it."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("<error>")


@final
class WordType(Type):
    """`none`, `nullptr`, `string`, an initializer list without a target, "overloaded": types that only convert."""

    __slots__ = ()


ERROR: Final = ErrorType()
NONE: Final = WordType("none_t")
NULLPTR: Final = WordType("nullptr_t")
STRING: Final = WordType("String")


@final
class ConstType(Type):
    """A generic argument that is a value: an int (a bool is 0 or 1)."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        super().__init__(str(value))
        self.value = value


@final
class VectorType(Type):
    """`count` is a ConstType, or a ParamType of a value parameter."""

    __slots__ = ("element", "count")

    def __init__(self, element: Type, count: Type) -> None:
        super().__init__(f"vector<{element.key},{count.key}>")
        self.element = element
        self.count = count

    def __str__(self) -> str:
        return f"vector<{self.element},{self.count}>"


@final
class MatrixType(Type):
    """`rows` x `columns` as in float3x4; indexing gives rows. Row-major in memory when `row_major`, unless a generic
    parameter says it: `layout`, 1 for rows and 2 for columns."""

    __slots__ = ("element", "rows", "columns", "row_major", "layout")

    def __init__(
        self, element: Type, rows: Type, columns: Type, row_major: bool = True, layout: Type | None = None
    ) -> None:
        by = f",{layout.key}" if layout is not None else "" if row_major else ",column_major"
        super().__init__(f"matrix<{element.key},{rows.key},{columns.key}{by}>")
        self.element = element
        self.rows = rows
        self.columns = columns
        self.row_major = row_major
        self.layout = layout

    def order(self) -> Type:
        """What the fourth argument of `matrix` is, or would be."""
        return self.layout if self.layout is not None else ConstType(1 if self.row_major else 2)


def matrix(element: Type, rows: Type, columns: Type, row_major: bool, layout: Type | None) -> MatrixType:
    """`layout` is the fourth argument: 1 for rows, 2 for columns, 0 or None for `row_major`, or not known yet."""
    if isinstance(layout, ConstType):
        return MatrixType(element, rows, columns, layout.value == 1 if layout.value in (1, 2) else row_major)
    return MatrixType(element, rows, columns, row_major, layout)


@final
class ArrayType(Type):
    """`count` None: unsized."""

    __slots__ = ("element", "count")

    def __init__(self, element: Type, count: Type | None) -> None:
        super().__init__(f"{element.key}[{'' if count is None else count.key}]")
        self.element = element
        self.count = count

    def __str__(self) -> str:
        return f"{self.element}[{'' if self.count is None else self.count}]"


@final
class TupleType(Type):
    __slots__ = ("elements",)

    def __init__(self, elements: list[Type]) -> None:
        super().__init__(f"Tuple<{', '.join([element.key for element in elements])}>")
        self.elements = elements

    def __str__(self) -> str:
        return _shown("Tuple", self.elements)


@final
class OptionalType(Type):
    __slots__ = ("element",)

    def __init__(self, element: Type) -> None:
        super().__init__(f"Optional<{element.key}>")
        self.element = element

    def __str__(self) -> str:
        return f"Optional<{self.element}>"


@final
class PointerType(Type):
    """`T*`, and `Ptr<T>`."""

    __slots__ = ("element",)

    def __init__(self, element: Type) -> None:
        super().__init__(f"Ptr<{element.key}>")
        self.element = element

    def __str__(self) -> str:
        return f"Ptr<{self.element}>"


@final
class FunctionType(Type):
    __slots__ = ("params", "result")

    def __init__(self, params: list[Type], result: Type) -> None:
        super().__init__(f"functype({', '.join([param.key for param in params])}) -> {result.key}")
        self.params = params
        self.result = result

    def __str__(self) -> str:
        return f"functype({', '.join([str(param) for param in self.params])}) -> {self.result}"


@final
class DataLayout(Type):
    """Std140DataLayout and the like. `rule` is one of `layout`, "" for what a buffer has that doesn't say it."""

    __slots__ = ("rule",)

    def __init__(self, name: str, rule: str) -> None:
        super().__init__(name)
        self.rule = rule


DEFAULT_LAYOUT: Final = DataLayout("DefaultDataLayout", "")
DATA_LAYOUTS: Final[dict[str, Type]] = {
    "DefaultDataLayout": DEFAULT_LAYOUT, "DefaultPushConstantDataLayout": DEFAULT_LAYOUT,
    "Std140DataLayout": DataLayout("Std140DataLayout", "std140"),
    "Std430DataLayout": DataLayout("Std430DataLayout", "std430"),
    "ScalarDataLayout": DataLayout("ScalarDataLayout", "scalar"), "CDataLayout": DataLayout("CDataLayout", "c"),
}  # fmt: skip


BLOCK: Final = "GLSLShaderStorageBuffer"
READ_BLOCK: Final = "readonly GLSLShaderStorageBuffer"
"""GLSL's buffer blocks: storage that holds one struct, whose last field may be an array without a size."""


@final
class ResourceType(Type):
    """RWStructuredBuffer<T>, ByteAddressBuffer, ConstantBuffer<T>, ParameterBlock<T>, RWTexture2D<T>, Buffer<T>,
    SamplerState, Atomic<T>, ... `kind` is the word; `element` None where it has none. `layout` is a DataLayout that its
    contents lie by, or a parameter for one; None: the kind's own."""

    __slots__ = ("kind", "element", "layout")

    def __init__(self, kind: str, element: Type | None, layout: Type | None = None) -> None:
        self.layout = None if layout is DEFAULT_LAYOUT else layout
        by = "" if self.layout is None else f",{self.layout.key}"
        super().__init__(kind if element is None else f"{kind}<{element.key}{by}>")
        self.kind = kind
        self.element = element

    def __str__(self) -> str:
        by = "" if self.layout is None else f", {self.layout}"
        return self.kind if self.element is None else f"{self.kind}<{self.element}{by}>"


def _applied(name: str, number: int, arguments: list[Type]) -> str:
    inner = f"<{', '.join([argument.key for argument in arguments])}>" if arguments else ""
    return f"{name}#{number}{inner}"


def _shown(name: str, arguments: list[Type]) -> str:
    return name + (f"<{', '.join([str(argument) for argument in arguments])}>" if arguments else "")


@final
class StructType(Type):
    """`arguments` are those of the struct's own generic parameters, after those of what it stands in."""

    __slots__ = ("struct", "arguments")

    def __init__(self, struct: "Struct", arguments: list[Type]) -> None:
        super().__init__(_applied(struct.name, struct.number, arguments))
        self.struct = struct
        self.arguments = arguments

    def __str__(self) -> str:
        return _shown(self.struct.name, self.arguments)


@final
class EnumType(Type):
    __slots__ = ("enum",)

    def __init__(self, enum: "Enum") -> None:
        super().__init__(_applied(enum.name, enum.number, []))
        self.enum = enum

    def __str__(self) -> str:
        return self.enum.name


@final
class InterfaceType(Type):
    """As the type of a value this is an existential: some conforming value with its witness."""

    __slots__ = ("interface", "arguments")

    def __init__(self, interface: "Interface", arguments: list[Type]) -> None:
        super().__init__(_applied(interface.name, interface.number, arguments))
        self.interface = interface
        self.arguments = arguments

    def __str__(self) -> str:
        return _shown(self.interface.name, self.arguments)


@final
class ParamType(Type):
    """A generic parameter, of a type or of a value."""

    __slots__ = ("param",)

    def __init__(self, param: "GenericParam") -> None:
        super().__init__(f"{param.name}#{param.number}")
        self.param = param

    def __str__(self) -> str:
        return self.param.name


@final
class SpecializedType(Type):
    """A generic argument or a size that is a specialization constant."""

    __slots__ = ("variable",)

    def __init__(self, variable: "Variable") -> None:
        super().__init__(f"{variable.name}@{variable.number}")
        self.variable = variable

    def __str__(self) -> str:
        return self.variable.name


@final
class OperationType(Type):
    """A computation on generic values, `N * 2`: `op` is hir's, Binary's for two operands and Unary's for one; "?:" has
    three. Its numbers are of the type `of`, to which "cast" takes one. A ConstType as soon as the operands are
    (`substitute.operation`)."""

    __slots__ = ("op", "operands", "of")

    def __init__(self, op: str, operands: list[Type], of: ScalarType) -> None:
        super().__init__(f"({op} {of.key} {' '.join([operand.key for operand in operands])})")
        self.op = op
        self.operands = operands
        self.of = of

    def __str__(self) -> str:
        if len(self.operands) == 2:
            return f"({self.operands[0]} {self.op} {self.operands[1]})"
        name = str(self.of) if self.op == "cast" else self.op
        return f"{name}({', '.join([str(operand) for operand in self.operands])})"


def is_specialized(type: Type) -> bool:
    """Whether a specialization constant is part of a generic value."""
    work = [type]
    while work:
        part = work.pop()
        if isinstance(part, SpecializedType):
            return True
        if isinstance(part, OperationType):
            work += part.operands
    return False


@final
class ThisType(Type):
    """`This` inside an interface: the type that conforms."""

    __slots__ = ("interface",)

    def __init__(self, interface: "Interface") -> None:
        super().__init__(f"This#{interface.number}")
        self.interface = interface

    def __str__(self) -> str:
        return "This"


@final
class AssocType(Type):
    """The associated type (or constant, as a generic value) `requirement` of what `witness` says conforms. Only where
    that isn't known yet: of a concrete witness it is resolved at once."""

    __slots__ = ("witness", "requirement")

    def __init__(self, witness: "Witness", requirement: "Requirement") -> None:
        super().__init__(f"{witness.key}.{requirement.name}")
        self.witness = witness
        self.requirement = requirement

    def __str__(self) -> str:
        return f"{self.witness.subject}.{self.requirement.name}"


@final
class OpenedType(Type):
    """The concrete type inside an existential that was opened: each opening is a type of its own."""

    __slots__ = ("opening",)

    def __init__(self, opening: "Opening") -> None:
        super().__init__(f"opened#{opening.number}")
        self.opening = opening

    def __str__(self) -> str:
        return str(self.opening.interface)
