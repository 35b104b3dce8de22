"""//TEST_INPUT lines become values: bits of literals, names, nesting, what is told before linking."""

import pytest
from slang_tests.arguments import Malformed
from slang_tests.inputs import Inputs, read_inputs
from slang_tests.randomness import Randomness
from slang_tests.values import Data, Group, Made, Memory, Node, Opaque, Row

pytestmark = pytest.mark.once


def read(*lines: str) -> Inputs:
    return read_inputs("\n".join(f"//TEST_INPUT:{line}" for line in lines))


def only(line: str) -> tuple[str, Node]:
    fields = read(line).root.fields
    assert len(fields) == 1
    return fields[0]


def words(line: str) -> list[int]:
    value = only(line)[1]
    assert isinstance(value, Memory)
    return value.packed()


def test_literals_are_bits() -> None:
    # IEEE 754: 1.0f is 3f800000, -2.5f is c0200000, 0.5h is 3800
    assert words("ubuffer(data=[1 -1 0xFf 1.0 -2.5f 0.5h 007], stride=4):name=x") == [
        1, 0xFFFFFFFF, 0xFF, 0x3F800000, 0xC0200000, 0x3800, 7,
    ]  # fmt: skip


def test_a_buffer_is_as_long_as_its_count_says_and_small_strides_are_packed() -> None:
    assert words("ubuffer(stride=4, count=3):name x") == [0, 0, 0]
    assert words("ubuffer(data=[1 2], stride=8, count=2):name x") == [1, 2, 0, 0]
    assert words("ubuffer(data=[0x3c00 0x4000 -1], stride=2):name x") == [0x40003C00, 0xFFFF]
    assert words("ubuffer(data=[1 2 3 4 5], stride=1):name x") == [0x04030201, 5]


@pytest.mark.parametrize(
    ("line", "name", "output"),
    [
        ("ubuffer(data=[0], stride=4):out,name=outputBuffer", "outputBuffer", True),
        ("ubuffer(data=[0], stride=4):name outputBuffer", "outputBuffer", False),
        (" ubuffer(data=[0]):out, name a[3].b", "a[3].b", True),
        ("ubuffer(data=[0], stride=4),name=input0", "input0", False),
        ("set g.x = out ubuffer(data=[0], stride=4);", "g.x", True),
        ("ubuffer(data=[0]):", "", False),
    ],
)
def test_names_and_outputs(line: str, name: str, output: bool) -> None:
    found, value = only(line)
    assert isinstance(value, Memory)
    assert (found, value.output) == (name, output)


def test_values_nest() -> None:
    name, value = only("set g = new Things<int,2>{ 4, b: new A{ v: -1 }, [1, 2.0], {} }")
    assert name == "g" and isinstance(value, Made) and value.type == "Things<int,2>"
    group = value.content
    assert isinstance(group, Group)
    assert [field for field, _ in group.fields] == ["", "b", "", ""]
    four, made, row, empty = [field for _, field in group.fields]
    assert isinstance(four, Data) and four.words == [4]
    assert isinstance(made, Made) and made.type == "A"
    assert isinstance(row, Row) and len(row.elements) == 2
    assert isinstance(empty, Group) and empty.fields == []


def test_arrays_and_objects_over_several_lines() -> None:
    fields = read(
        "begin_array:name=a", "ubuffer(data=[1]):", "begin_object(type=T)", "uniform(data=[2]):name=n", "end", "end"
    ).root.fields
    assert [name for name, _ in fields] == ["a"]
    row = fields[0][1]
    assert isinstance(row, Row)
    first, second = row.elements
    assert isinstance(first, Memory) and first.words == [1]
    assert isinstance(second, Made) and second.type == "T" and isinstance(second.content, Group)
    assert [name for name, _ in second.content.fields] == ["n"]


def test_constants_resources_and_types() -> None:
    found = read(
        "cbuffer(data=[1 2]):name C",
        "Texture2D(size=4, content = one):name t",
        "set s = Sampler",
        "type_conformance A : ns.IFoo<float> = 3",
        "type_conformance B:IFoo",
        "globalExistentialType __Dynamic",
        "entryPointSpecializationArg vector < float , 4 >",
    )
    constants, texture, sampler = [value for _, value in found.root.fields]
    assert isinstance(constants, Made) and isinstance(constants.content, Data) and constants.content.words == [1, 2]
    assert isinstance(texture, Opaque) and isinstance(sampler, Opaque)
    assert found.conformances == [("A", "ns.IFoo<float>", 3), ("B", "IFoo", -1)]
    assert found.global_types == ["__Dynamic"]
    assert found.entry_types == ["vector<float,4>"]


def test_addresses_of_other_buffers_keep_their_places() -> None:
    value = only("set x = ubuffer(data=[7 other 8], stride=8)")[1]
    assert isinstance(value, Memory)
    assert (value.words, value.addresses) == ([7, 0, 0, 8], [(1, "other")])


@pytest.mark.parametrize(
    "line",
    [
        "frobnicate(data=[1]):name=x",
        "ubuffer(wobble=3):name=x",
        "ubuffer(data=[1):name=x",
        "set x = ",
        "set x = out 3",
        "uniform(data=[1]):out,name=x",
        "end",
        "set x = " + "[" * 2000,
        "type_conformance " + "A<" * 2000 + ":B",
        "render_targets 2",
    ],
)
def test_what_is_not_known_is_reported(line: str) -> None:
    with pytest.raises(Malformed, match="TEST_INPUT"):
        read(line)


def tempered(y: int) -> int:
    """The output of a Mersenne Twister for a word of its state (Matsumoto and Nishimura 1998)."""
    y ^= y >> 11
    y ^= y << 7 & 0x9D2C5680
    y ^= y << 15 & 0xEFC60000
    return y ^ y >> 18


def test_random_numbers_are_those_of_the_seeded_state() -> None:
    first = 0x34234
    second = (1812433253 * (first ^ first >> 30) + 1) & 0xFFFFFFFF
    assert words("ubuffer(random(uint, 2), stride=4):name=x") == [tempered(first), tempered(second)]
    assert words("ubuffer(random(int, 2, -5, 5)):name=x") == [
        (tempered(word) % 10 - 5) & 0xFFFFFFFF for word in (first, second)
    ]
    assert 0.0 <= Randomness().unit() <= 1.0
