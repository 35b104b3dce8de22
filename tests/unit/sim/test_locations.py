"""Where numbers of inputs lie: Vulkan 1.4, "Location Assignment" and "Component Assignment".

"16-bit, 32-bit [...] scalars and vectors, and 64-bit scalars and two-component vectors consume a single location";
"64-bit three- and four-component vectors consume two consecutive locations"; a matrix those of its columns, an array
those of its elements.
"""

import math
import struct
from typing import Any

import pytest

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.types import pointee
from reknit.sim.globals import Globals
from reknit.sim.locations import consumed, flattened, given_words, parts_of, scalars
from reknit.source.diagnostic import InputError

TEXT = """
Capability Shader
Capability Float64
Capability Int64
Capability Int16
MemoryModel Logical GLSL450
names %v
{decorations}
%Inner = TypeStruct f32, vec4<f64>
%Block = TypeStruct vec4<f64>, i32, %Inner
%v = Variable Input : ptr<Input, {type}>
"""


def globals_of(type: str, decorations: str = "Decorate %v Location 3") -> Globals:
    module: Module = parse(TEXT.format(type=type, decorations=decorations))
    return Globals(module, {})


def variable_of(globals: Globals) -> Any:
    return next(instr for instr in globals.module.globals if instr.name == "v")


@pytest.mark.parametrize(
    ("type", "many", "places"),
    [
        ("f32", 1, [(3, 0)]), ("i16", 1, [(3, 0)]), ("f64", 1, [(3, 0)]), ("vec3<f32>", 1, [(3, 0), (3, 1), (3, 2)]),
        ("vec2<f64>", 1, [(3, 0), (3, 2)]), ("vec3<f64>", 2, [(3, 0), (3, 2), (4, 0)]),
        ("vec4<f64>", 2, [(3, 0), (3, 2), (4, 0), (4, 2)]),
        ("mat2x3<f32>", 2, [(3, 0), (3, 1), (3, 2), (4, 0), (4, 1), (4, 2)]),
        ("array<f32, 3>", 3, [(3, 0), (4, 0), (5, 0)]),
        ("array<vec3<f64>, 2>", 4, [(3, 0), (3, 2), (4, 0), (5, 0), (5, 2), (6, 0)]),
        ("array<mat2x2<f32>, 2>", 4, [(at, part) for at in (3, 4, 5, 6) for part in (0, 1)]),
        ("%Inner", 3, [(3, 0), (4, 0), (4, 2), (5, 0), (5, 2)]),
        ("%Block", 6, [(3, 0), (3, 2), (4, 0), (4, 2), (5, 0), (6, 0), (7, 0), (7, 2), (8, 0), (8, 2)]),
    ],
)  # fmt: skip
def test_what_types_take(type: str, many: int, places: list[tuple[int, int]]) -> None:
    globals = globals_of(type)
    own = pointee(variable_of(globals).type)
    assert consumed(globals, own) == many
    assert [(location, component) for location, component, _ in scalars(globals, own, 3, 0)] == places


def test_components_are_counted_from_the_first() -> None:
    globals = globals_of("vec2<f32>", "Decorate %v Location 2\nDecorate %v Component 1")
    [part] = parts_of(globals, variable_of(globals))
    assert (part.member, part.location, part.component) == (-1, 2, 1)
    assert [each[:2] for each in scalars(globals, part.type, 2, 1)] == [(2, 1), (2, 2)]
    [words] = given_words(globals, [variable_of(globals)], {"2.1": [[1.0, -2.0]]}, 1)
    assert words == {(2, 1): 0x3F800000, (2, 2): 0xC0000000}


@pytest.mark.parametrize(
    ("decorations", "found"),
    [
        ("Decorate %v Location 7", [(0, 7, 0), (1, 9, 0), (2, 10, 0)]),
        ("MemberDecorate %Block 0 Location 4", [(0, 4, 0), (1, 6, 0), (2, 7, 0)]),
        ("MemberDecorate %Block 1 Location 4\nMemberDecorate %Block 1 Component 2", [(1, 4, 2), (2, 5, 0)]),
        ("Decorate %v Location 7\nMemberDecorate %Block 2 Location 1", [(0, 7, 0), (1, 9, 0), (2, 1, 0)]),
        ("", []),
    ],
)
def test_members_of_a_block_follow_each_other(decorations: str, found: list[tuple[int, int, int]]) -> None:
    """Each after the one before, unless it says where it is; none without a first location."""
    globals = globals_of("%Block", decorations)
    parts = parts_of(globals, variable_of(globals))
    assert [(part.member, part.location, part.component) for part in parts] == found


def test_what_is_given_as_words() -> None:
    """Doubles and integers of 64 bits take two components, the low word first; what is not given is 0."""
    globals = globals_of("vec2<f64>")
    low, high = struct.unpack("<2I", struct.pack("<d", math.pi))
    [one, other] = given_words(globals, [variable_of(globals)], {"v": [[math.pi, 0], [0.0, math.pi]]}, 2)
    assert one == {(3, 0): low, (3, 1): high, (3, 2): 0, (3, 3): 0}
    assert other == {(3, 0): 0, (3, 1): 0, (3, 2): low, (3, 3): high}
    globals = globals_of("i64")
    [words] = given_words(globals, [variable_of(globals)], {"3": [-2]}, 1)
    assert words == {(3, 0): 0xFFFFFFFE, (3, 1): 0xFFFFFFFF}
    assert given_words(globals, [variable_of(globals)], {}, 1) == [{(3, 0): 0, (3, 1): 0}]
    assert flattened([[1, 2], [3, [4]]]) == [1, 2, 3, 4] and flattened(5) == [5] and flattened("ab") == ["ab"]


@pytest.mark.parametrize(
    ("type", "inputs", "says"),
    [
        ("vec2<f32>", {"4": [[1, 2]]}, "the shader has no input '4'"),
        ("vec2<f32>", {"3": [[1]]}, "is given 1 numbers and has 2"),
        ("vec2<f32>", {"3": [[1, 2, 3]]}, "is given 3 numbers and has 2"),
        ("i32", {"3": [1 << 32]}, "is no value of an input of type i32"),
        ("i32", {"3": [-(1 << 31) - 1]}, "is no value of an input of type i32"),
        ("i32", {"3": [1.5]}, "1.5 is no value"),
        ("i16", {"3": [1 << 16]}, "is no value of an input of type i16"), ("f32", {"3": ["a"]}, "'a' is no value"),
    ],
)  # fmt: skip
def test_what_does_not_fit(type: str, inputs: dict[str, Any], says: str) -> None:
    globals = globals_of(type)
    with pytest.raises(InputError) as refused:
        given_words(globals, [variable_of(globals)], inputs, 1)
    assert says in str(refused.value) and refused.value.diagnostics[0].code == "RK1021"


def test_the_greatest_and_least_fit() -> None:
    globals = globals_of("i16")
    for number, word in ((-(1 << 15), 0x8000), ((1 << 16) - 1, 0xFFFF), (7, 7)):
        assert given_words(globals, [variable_of(globals)], {"3": [number]}, 1) == [{(3, 0): word}]
