"""A test's values lie where the program's types say: members, elements, values behind interfaces."""

import pytest
from slang_tests.arguments import Malformed
from slang_tests.inputs import read_inputs
from slang_tests.places import Places, element_type, key
from slang_tests.placing import Placing
from unit.tools.slang_tests.program import ASSEMBLY

import reknit
from reknit.sim.run import prepare

pytestmark = pytest.mark.once

ONE, TWO = 0x3F800000, 0x40000000  # 1.0 and 2.0


def placed(*lines: str, source: str = "") -> Placing:
    program = prepare(reknit.load(ASSEMBLY.encode(), format="spvasm"))
    placing = Placing(Places(program), source, {"A": 0, "B": 1})
    placing.place_all(read_inputs("\n".join(f"//TEST_INPUT:{line}" for line in lines)).root)
    return placing


def test_parameters_are_found_by_their_names() -> None:
    found = placed(
        "ubuffer(data=[1.0 2.0], stride=4):name=input[1]",
        "ubuffer(data=[0 0 0 0], stride=4):out,name=outputBuffer",
        "uniform(data=[7]):name=n",
        "cbuffer(data=[1 2]):name=gParams",
    )
    assert found.given["0.1[1]"] == [ONE, TWO]
    assert found.given["0.2"] == [0, 0, 0, 0]
    assert found.given["push constants"] == [0, 7]
    assert found.given["0.0"] == [1, 2] + [0] * 16  # a block is 48 + 16 + 8 bytes
    assert [(output.path, output.words) for output in found.outputs] == [("outputBuffer", [0, 0, 0, 0])]


def test_members_by_name_by_number_and_behind_an_interface() -> None:
    named = placed("set gParams = new{ scale: 3, foo: new B{ v: 5, w: 6 }, m: [[1.0, 2.0], [2.0, 1.0]] }")
    # header: there is a value, 0, conformance 1, 0; the value; the member at 32; a matrix by columns of 16 bytes
    words = [1, 0, 1, 0, 5, 6, 0, 0, 3, 0, 0, 0, ONE, TWO, 0, 0, TWO, ONE]
    assert named.given["0.0"] == words
    steps = placed(
        "set gParams.scale = 3",
        "set gParams.foo = new B{5, 6}",
        "set gParams.m[0] = {1.0, 2.0}",
        "set gParams.m[1] = {2.0, 1.0}",
    )
    assert steps.given["0.0"] == words
    source = "struct Params { IFoo foo; int scale; float2x2 m; } ConstantBuffer<Params> gParams;"
    assert placed("set gParams = { new A{9}, 3 }", source=source).given["0.0"][:9] == [1, 0, 0, 0, 9, 0, 0, 0, 3]


def test_elements_of_a_structured_buffer() -> None:
    assert placed("set input[0] = new StructuredBuffer<float>{1.0, new float 2.0}").given["0.1"] == [ONE, TWO]


def test_parameters_without_a_name_come_in_the_order_of_bindings() -> None:
    assert placed("cbuffer(data=[4])", "ubuffer(data=[1.0])").given == {"0.0": [4] + [0] * 17, "0.1": [ONE]}


def test_a_buffer_for_a_pointer_is_memory_at_an_address() -> None:
    """A member of 8 bytes takes the address; the second buffer holds that of a bound one."""
    source = "struct P { int* a; int** b; }; RWStructuredBuffer<int> out; uniform P p; "
    main = "[numthreads(1, 1, 1)] void main() { out[0] = p.a[0] + p.b[0][0]; }"
    program = prepare(reknit.load((source + main).encode(), format="slang"))
    placing = Placing(Places(program), source, {})
    lines = ["set out = ubuffer(data=[0])", "set p.a = out ubuffer(data=[5 6])", "set p.b = ubuffer(data=[out 7])"]
    placing.place_all(read_inputs("\n".join(f"//TEST_INPUT: {line}" for line in lines)).root)
    bound = [0, 1 << 24 | 1 << 8]  # (S + 1) << 56 | B << 40 for binding 1
    assert placing.given["0.0"] == [0, 1, 1 << 24, 1]
    assert placing.given["0x100000000"] == [5, 6]
    assert placing.given["0x101000000"] == [*bound, 7]
    assert [(output.buffer, output.address) for output in placing.outputs] == [(None, "0x100000000")]


def renamed(old: str, new: str) -> Places:
    return Places(prepare(reknit.load(ASSEMBLY.replace(f'"{old}"', f'"{new}"').encode(), format="spvasm")))


@pytest.mark.parametrize(
    ("compiled", "path", "found"),
    [
        ("input", "input[1]", "0.1[1]"),
        ("s.input", "s[1].input", "0.1[1]"),  # an array of structs of buffers
        ("entryPointParams.queue.elements", "queue", "0.2"),  # what a counter goes with
        ("entryPointParams.queue.counter", "queue.counter", "0.2"),
        ("globalParams", "scale", "0.0"),  # loose parameters share a block
    ],
)
def test_other_names_that_compilers_give(compiled: str, path: str, found: str) -> None:
    old = {"0.0": "gParams", "0.1": "input", "0.2": "entryPointParams.outputBuffer"}[found[:3]]
    spot = renamed(old, compiled).find(path)
    assert spot is not None and key(spot.buffer) == found


def test_what_the_program_does_not_have_is_left_out_and_an_output_stays_as_it_was() -> None:
    found = placed("ubuffer(data=[5]):out,name=unused", "uniform(data=[1]):name=gone", "Sampler:name=s")
    assert found.given == {}
    assert [(output.buffer, output.words) for output in found.outputs] == [(None, [5])]


@pytest.mark.parametrize(
    "line",
    [
        "set gParams.scale = ubuffer(data=[1])",  # a pointer
        "set outputBuffer = ubuffer(data=[input 1], stride=8)",
        "set gParams.m[0] = {1, 2, 3}",
        "set gParams = new StructuredBuffer<int>{1}",
    ],
)
def test_what_can_not_be_placed_is_reported(line: str) -> None:
    with pytest.raises(Malformed, match="TEST_INPUT"):
        placed(line)


def test_the_type_of_elements() -> None:
    places = Places(prepare(reknit.load(ASSEMBLY.encode(), format="spvasm")))
    assert {buffer.name: element_type(places, buffer) for buffer in places.buffers} == {
        "gParams": "",
        "input[0]": "float",
        "input[1]": "float",
        "entryPointParams.outputBuffer": "uint32_t",
        "entryPointParams": "",
    }
