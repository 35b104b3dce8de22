"""What can be told from a source's text: declared types, fields of structs, interfaces."""

import pytest
from slang_tests.declared import base_of, declared_type, fields_of, pointee, scalar_of, without_comments

pytestmark = pytest.mark.once

SOURCE = """
// struct T { int wrong; }
struct T
{
    int a = 3; /* ; */
    float b[4], c;
    int area() { return a; }
    property int twice { get { return 2 * a; } }
    StructuredBuffer<float> d;
}
struct Empty {}
cbuffer C : register(b0) { T first; int second; }
struct H<U, V : IBase> : IShape { U u; V v; }
struct G<T : IBase> : ns.IShape<int, float>, IOther {}
RWByteAddressBuffer raw;
RWStructuredBuffer< vector<bool, 2> > flags[2];
void computeMain(uniform ParameterBlock<T> p, uint n) {}
"""


def test_types_of_parameters() -> None:
    source = without_comments(SOURCE)
    assert declared_type(source, "raw") == ("RWByteAddressBuffer", "")
    assert declared_type(source, "flags") == ("RWStructuredBuffer", "vector<bool, 2>")
    assert declared_type(source, "p") == ("ParameterBlock", "T")
    assert declared_type(source, "n") == ("uint", "")
    assert declared_type(source, "missing") == ("", "")


def test_fields_are_in_order_and_methods_are_none() -> None:
    source = without_comments(SOURCE)
    assert fields_of(source, "T") == ["a", "b", "c", "d"]
    assert fields_of(source, "C") == ["first", "second"]
    assert fields_of(source, "H<int,T>") == ["u", "v"]
    assert fields_of(source, "Empty") == fields_of(source, "Missing") == []


def test_the_first_interface() -> None:
    assert base_of(SOURCE, "G<float>") == "ns.IShape<int,float>"
    assert base_of(SOURCE, "T") == ""


@pytest.mark.parametrize(
    ("type", "scalar"),
    [
        ("float", "float"),
        ("float4x4", "float"),
        ("uint3", "uint32_t"),
        ("int", "int32_t"),
        ("vector<half, 2>", "half"),
        ("int16_t2", "int16_t"),
        ("uint64_t", "uint64_t"),
        ("Floaty", ""),
        ("integer", ""),
        ("", ""),
    ],
)
def test_the_scalar_of_a_type(type: str, scalar: str) -> None:
    assert scalar_of(type) == scalar


@pytest.mark.parametrize(
    ("source", "type"),
    [
        ("uniform S* p;", "S"),
        ("uniform int *p, q;", "int"),
        ("void main(uniform Ptr<S, Access.Read> p)", "S"),
        ("uniform vector<float, 3>* p;", "vector<float, 3>"),
        ("RWStructuredBuffer<S> p;", ""),
        ("// S* p;\nuniform S p;", ""),
    ],
)
def test_what_pointers_point_to(source: str, type: str) -> None:
    assert pointee(source, "p") == type
