"""Where the numbers of a stage's inputs and outputs lie: at locations, of four 32-bit components each.

    layout(location = 1) in vec3 a;                       components 0-2 of location 1
    layout(location = 2, component = 1) in vec2 b;        components 1-2 of location 2
    layout(location = 3) in mat2x3 c[2];                  components 0-2 of locations 3, 4, 5, 6
    layout(location = 7) in Block { dvec4 d; int e; };    locations 7 and 8; component 0 of location 9

Source: Vulkan 1.4, "Location Assignment" and "Component Assignment".
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.types import pointee
from reknit.sim.globals import Globals
from reknit.sim.ops.ieee import format_of
from reknit.sim.values import FLOAT_KIND, INT_KIND
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place

COMPONENTS: Final = 4
WORD: Final = 32


@final
class Part:
    """A variable, or a member of a block, and where it begins; `member` is -1 for a variable."""

    __slots__ = ("variable", "member", "type", "location", "component")

    def __init__(self, variable: Instr, member: int, type: Instr, location: int, component: int) -> None:
        self.variable = variable
        self.member = member
        self.type = type
        self.location = location
        self.component = component


def parts_of(globals: Globals, variable: Instr) -> list[Part]:
    """What of an Input or Output variable has a location: nothing of a built-in one."""
    assert variable.type is not None
    decorations = globals.decorations
    type = pointee(variable.type)
    location = decorations.number(variable, enums.DecorationLocation)
    component = max(0, decorations.number(variable, enums.DecorationComponent))
    if type.op != op.TypeStruct:
        return [Part(variable, -1, type, location, component)] if location >= 0 else []
    parts: list[Part] = []
    for at in range(len(type.operands)):
        own = decorations.member_number(type, at, enums.DecorationLocation)
        location = own if own >= 0 else location
        if location < 0:
            continue
        member = type.instr(at)
        component = max(0, decorations.member_number(type, at, enums.DecorationComponent))
        parts.append(Part(variable, at, member, location, component))
        location += consumed(globals, member)
    return parts


def consumed(globals: Globals, type: Instr) -> int:
    """How many locations a type takes."""
    if type.op == op.TypeStruct:
        return sum([consumed(globals, type.instr(at)) for at in range(len(type.operands))])
    if type.op == op.TypeArray:
        return length(globals, type) * consumed(globals, type.instr(0))
    if type.op == op.TypeMatrix:
        return type.word(1) * consumed(globals, type.instr(0))
    wide = type.op == op.TypeVector and type.instr(0).word(0) == 64 and type.word(1) > 2
    return 2 if wide else 1


def length(globals: Globals, array: Instr) -> int:
    count = globals.values.get(array.value(1))
    return count if isinstance(count, int) else 0


def scalars(globals: Globals, type: Instr, location: int, component: int) -> list[tuple[int, int, Instr]]:
    """(location, component, type) of each number of a value, in the order in which they lie in it. Types nest a few
    levels."""
    if type.op == op.TypeStruct:
        places: list[tuple[int, int, Instr]] = []
        for at in range(len(type.operands)):
            places.extend(scalars(globals, type.instr(at), location, component))
            location += consumed(globals, type.instr(at))
        return places
    if type.op in (op.TypeArray, op.TypeMatrix):
        element = type.instr(0)
        count = length(globals, type) if type.op == op.TypeArray else type.word(1)
        each = consumed(globals, element)
        return [scalar for at in range(count) for scalar in scalars(globals, element, location + at * each, component)]
    if type.op != op.TypeVector:
        return [(location, component, type)]
    words = 2 if type.instr(0).word(0) == 64 else 1
    numbers = [component + at * words for at in range(type.word(1))]
    return [(location + number // COMPONENTS, number % COMPONENTS, type.instr(0)) for number in numbers]


# --- what is given for them -------------------------------------------------------------------------------------------

Words = dict[tuple[int, int], int]
"""By location and component a 32-bit word; of 64 bits two."""


def given_words(
    globals: Globals, variables: list[Instr], inputs: Mapping[str, Sequence[Any]], count: int
) -> list[Words]:
    """What `count` corners or invocations carry, of which `inputs` says by location ("0", "0.2") or by name what each
    has; what is not given is zeros. Raises InputError (RK1021) for an input that the shader doesn't have, or a value of
    another type."""
    words: list[Words] = [{} for _ in range(count)]
    parts = [part for variable in variables for part in parts_of(globals, variable)]
    for part in parts:
        for location, component, scalar in scalars(globals, part.type, part.location, part.component):
            for word in range(scalar.word(0) // WORD or 1):
                for each in words:
                    each[location, component + word] = 0
    for name, values in inputs.items():
        part = named(globals, parts, name)
        places = scalars(globals, part.type, part.location, part.component)
        for each, value in zip(words, values, strict=True):
            numbers = flattened(value)
            if len(numbers) != len(places):
                raise refused(globals, part, f"input {name!r} is given {len(numbers)} numbers and has {len(places)}")
            for (location, component, scalar), number in zip(places, numbers, strict=True):
                bits = bits_of(globals, part, scalar, number)
                for word in range(scalar.word(0) // WORD or 1):
                    each[location, component + word] = bits >> WORD * word & 0xFFFFFFFF
    return words


def named(globals: Globals, parts: list[Part], name: str) -> Part:
    for part in parts:
        type = pointee(part.variable.type) if part.variable.type is not None else part.type
        own = part.variable.name if part.member < 0 else globals.decorations.names.get((type, part.member), "")
        place = f"{part.location}.{part.component}"
        if name in (own, place) or (part.component == 0 and name == str(part.location)):
            return part
    has = ", ".join([f"{part.location}.{part.component}" if part.component else str(part.location) for part in parts])
    message = f"the shader has no input {name!r}"
    help = f"its inputs are at {has}" if parts else "it has no inputs with a location"
    raise InputError([Diagnostic("RK1021", message, Place(globals.module.path), help=help)])


def flattened(value: Any) -> list[Any]:
    """The numbers of a value, which nest as deep as its type."""
    if isinstance(value, str) or not hasattr(value, "__len__"):
        return [value]
    return [number for part in value for number in flattened(part)]


def bits_of(globals: Globals, part: Part, type: Instr, number: Any) -> int:
    shape = globals.shape(type)
    if shape is not None and isinstance(number, int | float):
        form = format_of(shape.width) if shape.kind == FLOAT_KIND else None
        if form is not None:
            return form.encode(float(number))
        if shape.kind == INT_KIND and int(number) == number and -(1 << shape.width - 1) <= number < 1 << shape.width:
            return int(number) & ((1 << shape.width) - 1)
    raise refused(globals, part, f"{number!r} is no value of an input of type {shape}")


def refused(globals: Globals, part: Part, message: str) -> InputError:
    return InputError([Diagnostic("RK1021", message, place_of(part.variable, globals.module))])
