"""Which parts of what an entry point takes and gives are variables of their own, and at which locations they are.

    struct A { float4 m; float4 n; }
    main(A a, [[vk::location(1)]] float4 t)            a.m 2, a.n 3, t 1: in Slang a parameter's parts are in a row
    struct S { float4 x; float4 y; }
    struct O { S s : SV_Target1; float4 c : SV_Target; }    s.x 1, s.y 2, c 0: the outermost semantic counts on

In Slang [[vk::location]] counts from the parameter or the struct that it stands in, and the result comes after `out`
parameters; in HLSL each part is at the location that it says, else at the first that is free. As slangc and DXC have
it; no two parts are at one location.
"""

from typing import Final, final

from reknit.front.slang.builtins.shapes import constant, count_of, has_none, scalar_of
from reknit.front.slang.core import VALUE, condition_of
from reknit.front.slang.lower.copies import part_of
from reknit.front.slang.lower.lvalues import Place
from reknit.front.slang.lower.operators import is_number
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.lower.system_values import POINT_SIZE, TARGET, is_clipping, semantic_of_builtin, system_value
from reknit.front.slang.symbols import Varying
from reknit.front.slang.types import UINT, VOID, ArrayType, EnumType, MatrixType, StructType, Type, VectorType
from reknit.ir import enums
from reknit.source.digits import saturated

BASE: Final = "$base"
"""The field that a base struct is."""


@final
class Semantic:
    """`number` is that of the next part; `name` is in capitals, "" for none."""

    __slots__ = ("name", "number")

    def __init__(self, text: str) -> None:
        self.name = text.rstrip("0123456789")
        self.number = saturated(text[len(self.name) :] or "0")

    def take(self, count: int) -> int:
        number = self.number
        self.number += count
        return number


@final
class Row:
    """Parts whose locations count from one: `start` is -1 for the first where `size` of them are free, after all
    others if it is `last`."""

    __slots__ = ("start", "size", "last")

    def __init__(self, start: int, size: int = 0, last: bool = False) -> None:
        self.start = start
        self.size = size
        self.last = last


@final
class Leaf:
    """A part of a parameter or result that is a variable of its own, or part of the one for clip distances. `row` is
    None for what has no location, `offset` counts from the row's start; `passed` is the type of the variable, `at` is
    where it is declared."""

    __slots__ = ("name", "place", "semantic", "number", "words", "row", "offset", "passed", "index", "at")

    def __init__(self, name: str, place: Place, semantic: str, words: list[str], index: int, at: int) -> None:
        self.name = name
        self.place = place
        self.semantic = semantic
        self.number = 0
        self.words = words
        self.row: Row | None = None
        self.offset = 0
        self.passed: Type = place.type
        self.index = index
        self.at = at

    def locations(self) -> range:
        if self.row is None:
            return range(0)
        start = self.row.start + self.offset
        return range(start, start + size_of(self.passed))


@final
class Leaves:
    """Those of one direction, in the order of their declaration."""

    __slots__ = ("low", "stage", "output", "all", "_row")

    def __init__(self, low: Lowering, stage: str, output: bool) -> None:
        self.low = low
        self.stage = stage
        self.output = output
        self.all: list[Leaf] = []
        self._row = Row(-1)

    def add(self, name: str, place: Place, semantic: str, varying: Varying | None, at: int, last: bool = False) -> None:
        """A parameter, or the result, which is `last`."""
        location = -1 if varying is None or self.low.hlsl else varying.location
        self._row = Row(location, 0, last)
        self._row.size = self._add(name, place, Semantic(semantic), varying, [], at, 0, location >= 0)

    def _add(
        self, name: str, place: Place, semantic: Semantic, varying: Varying | None, outer: list[str], at: int,
        offset: int, asked: bool,
    ) -> int:  # fmt: skip
        """How many locations it takes of the row from `offset` on. What is said of a struct holds for its fields:
        interpolation, its semantic, and `asked` whether a location is."""
        words = [*outer, *(varying.interpolation if varying is not None else [])]
        type = place.type
        if varying is not None and varying.builtin:
            semantic = Semantic(semantic_of_builtin(varying.builtin))
            if not semantic.name:
                self.low.refuse(at, f"the built-in '{varying.builtin}' can't be named in a {self.stage} shader here")
        if isinstance(type, StructType):
            if self._is_built_in(semantic) and condition_of(type) is None:
                message = f"{semantic.name} is no '{type}': of a struct each field has a semantic of its own"
                self.low.refuse(at, message)
            return self._add_fields(name, place, type, semantic, words, offset, asked)
        if isinstance(type, ArrayType) and isinstance(type.element, StructType) and type.count is not None:
            if self.low.hlsl and varying is not None and varying.location >= 0:
                self.low.refuse(at, f"a location of an array of structs ('{type}') is not supported in HLSL")
            size = 0
            for index in range(constant(type.count)):
                part = part_of(self.low, place, index, type.element)
                inner = f"{name}.{index}"
                size += self._add(inner, part, semantic, None, words, at, offset + size, asked)
            return size
        if has_none(type):
            return 0
        leaf = Leaf(name, place, semantic.name, words, -1 if varying is None else varying.index, at)
        self.all.append(leaf)
        if self._is_built_in(semantic):
            leaf.number = semantic.number
            return 0
        before, self.low.at = self.low.at, at
        leaf.passed = passed_type(self.low, type)
        self.low.at = before
        size = size_of(leaf.passed)
        leaf.number = semantic.take(size)
        if self.low.hlsl and varying is not None and varying.location >= 0:
            leaf.row = Row(varying.location, size)
        elif self.output and semantic.name == TARGET and not asked:
            leaf.row = Row(leaf.number, size)
        elif self.low.hlsl:
            leaf.row = Row(-1, size)
        else:
            leaf.row = self._row
            leaf.offset = offset
            return size
        return 0

    def _add_fields(
        self, name: str, place: Place, type: StructType, semantic: Semantic, words: list[str], offset: int, asked: bool
    ) -> int:
        size = 0
        free = 0
        explicit = ""
        implicit = ""
        for index, part_type in enumerate(self.low.field_types(type)):
            field = type.struct.fields[index]
            part = part_of(self.low, place, index, part_type)
            own = semantic if semantic.name else Semantic(field.semantic)
            inner = name if field.name == BASE or field.name == VALUE else f"{name}.{field.name}"
            location = -1 if field.varying is None or self.low.hlsl else field.varying.location
            start = location if location >= 0 else free
            known = len(self.all)
            taken = self._add(inner, part, own, field.varying, words, field.at, offset + start, asked or location >= 0)
            size = max(size, start + taken)
            if location < 0:
                free += taken
            if field.name != BASE and any(leaf.row is not None for leaf in self.all[known:]):
                explicit = field.name if location >= 0 else explicit
                implicit = implicit if location >= 0 else field.name
        if explicit and implicit:
            message = f"mixing explicit and implicit locations is not supported (see '{implicit}' and '{explicit}')"
            self.low.refuse(type.struct.at, message)
        return size

    def _is_built_in(self, semantic: Semantic) -> bool:
        if semantic.name == POINT_SIZE and self.stage == "fragment" and not self.output:
            return True
        if is_clipping(self.stage, self.output, semantic.name):
            return True
        return system_value(self.stage, self.output, semantic.name) is not None

    def locate(self) -> None:
        """Every row gets its start: first those that ask for one."""
        used: dict[int, None] = {}
        rows: dict[Row, None] = {leaf.row: None for leaf in self.all if leaf.row is not None}
        for row in rows:
            if row.start >= 0:
                used.update(dict.fromkeys(range(row.start, row.start + row.size)))
        free = 0
        for row in rows:
            if row.start >= 0:
                continue
            while free in used:
                free += 1
            start = max(used, default=-1) + 1 if row.last else free
            while any(at in used for at in range(start, start + row.size)):
                start += 1
            row.start = start
            used.update(dict.fromkeys(range(start, start + row.size)))
        self._refuse_shared()

    def _refuse_shared(self) -> None:
        """Two parts at one location (SPIR-V for Vulkan, VUID-StandaloneSpirv-OpEntryPoint-08721 and 08722)."""
        taken: dict[tuple[int, int], Leaf] = {}
        for leaf in self.all:
            for location in leaf.locations():
                known = taken.setdefault((location, max(leaf.index, 0)), leaf)
                if known is not leaf:
                    way = "output" if self.output else "input"
                    message = f"'{known.name}' and '{leaf.name}' are both at {way} location {location}"
                    self.low.refuse(leaf.at, message)


def passed_type(low: Lowering, type: Type) -> Type:
    """The type of the variable that `type` passes by: bools pass as uints, matrices maybe column by column."""
    if isinstance(type, ArrayType) and type.count is not None:
        return ArrayType(passed_type(low, type.element), type.count)
    if isinstance(type, EnumType):
        return passed_type(low, type.enum.underlying)
    if not is_number(type) or type.key == VOID.key:
        low.refuse(0, f"'{type}' can't pass between stages")
    scalar = scalar_of(type)
    if scalar.kind == "bool":
        scalar = UINT
    elif scalar.width == 8:
        low.refuse(0, f"'{type}' can't pass between stages: SPIR-V has no 8-bit inputs and outputs there")
    elif scalar.width == 16:
        low.capability(enums.CapabilityStorageInputOutput16)
        low.extension("SPV_KHR_16bit_storage")
    if isinstance(type, VectorType):
        return VectorType(scalar, type.count)
    if isinstance(type, MatrixType):
        rows, columns = (type.rows, type.columns) if by_rows(low, type) else (type.columns, type.rows)
        return MatrixType(scalar, rows, columns)
    return scalar


def by_rows(low: Lowering, type: MatrixType) -> bool:
    """Whether a location has a row of the matrix, not a column."""
    return low.hlsl or type.row_major


def size_of(type: Type) -> int:
    """How many locations a variable takes (Vulkan 1.3, 15.1.5)."""
    if isinstance(type, ArrayType) and type.count is not None:
        return constant(type.count) * size_of(type.element)
    if isinstance(type, MatrixType):
        return constant(type.rows) * size_of(VectorType(type.element, type.columns))
    return 2 if scalar_of(type).width == 64 and count_of(type) > 2 else 1
