"""Which overload a call means: the rows are calls and what they convert to.

Expectations: Microsoft's HLSL reference (each function's "Type Description" table) and "Implicit conversions"; Slang's
core module for what HLSL doesn't have.
"""

import pytest

from reknit.front.slang.builtins import conforms, element_of, find, find_method, find_static, find_type
from reknit.front.slang.symbols import GenericParam
from reknit.front.slang.types import FLOAT, INT, ParamType, ResourceType, Type


def parsed(name: str) -> Type:
    """ "float3", "RWTexture2D<float4>" """
    outer, _, inner = name.rstrip(">").partition("<")
    found = find_type(outer)
    assert found is not None, name
    made = found.make([parsed(inner)] if inner else [])
    assert made is not None, name
    return made


def shown(type: Type) -> str:
    return str(type)


CALLS = [
    ("abs(int3)", "int3", "int3"),
    ("abs(float2x2)", "float2x2", "float2x2"),
    ("sqrt(int)", "float", "float"),
    ("sin(half3)", "half3", "half3"),
    ("max(int, float)", "float, float", "float"),
    ("max(int, uint)", "uint, uint", "uint"),
    ("max(float3, int)", "float3, float3", "float3"),
    ("clamp(float3, int, float)", "float3, float3, float3", "float3"),
    ("min(half, float)", "float, float", "float"),
    ("lerp(float3, float3, float)", "float3, float3, float3", "float3"),
    ("sign(float3)", "float3", "int3"),
    ("isnan(double)", "double", "bool"),
    ("saturate(int)", "float", "float"),
    ("dot(float3, float3)", "float3, float3", "float"),
    ("dot(int2, int2)", "int2, int2", "int"),
    ("cross(float3, float3)", "float3, float3", "float3"),
    ("length(float4)", "float4", "float"),
    ("refract(float3, float3, float)", "float3, float3, float", "float3"),
    ("mul(float, float3x3)", "float, float3x3", "float3x3"),
    ("mul(float3x4, float4)", "float3x4, float4", "float3"),
    ("mul(float3, float3x4)", "float3, float3x4", "float4"),
    ("mul(float2x3, float3x4)", "float2x3, float3x4", "float2x4"),
    ("mul(int2x2, float2)", "float2x2, float2", "float2"),
    ("mul(float3, float3)", "float3, float3", "float"),
    ("transpose(float2x3)", "float2x3", "float3x2"),
    ("determinant(float3x3)", "float3x3", "float"),
    ("any(float3)", "float3", "bool"),
    ("all(bool2x2)", "bool2x2", "bool"),
    ("select(bool, float3, float3)", "bool, float3, float3", "float3"),
    ("select(bool3, float, float3)", "bool3, float3, float3", "float3"),
    ("countbits(int2)", "int2", "uint2"),
    ("firstbithigh(uint)", "uint", "uint"),
    ("asuint(float4)", "float4", "uint4"),
    ("asfloat(uint2x2)", "uint2x2", "float2x2"),
    ("f32tof16(float2)", "float2", "uint2"),
    ("ldexp(float3, int)", "float3, int3", "float3"),
    ("WaveActiveSum(float3)", "float3", "float3"),
    ("WaveActiveBitAnd(bool)", "bool", "bool"),
    ("WaveActiveAllEqual(float3)", "float3", "bool"),
    ("WaveActiveBallot(bool)", "bool", "uint4"),
    ("WaveMaskSum(uint, int)", "uint, int", "int"),
    ("WaveReadLaneAt(bool3, int)", "bool3, uint", "bool3"),
]


@pytest.mark.parametrize(("call", "params", "result"), CALLS)
def test_what_a_call_converts_to(call: str, params: str, result: str) -> None:
    name, _, rest = call.rstrip(")").partition("(")
    found = find(name)
    assert found is not None
    signature = found.resolve([parsed(word) for word in rest.split(", ")], [], None)
    assert signature is not None
    assert [shown(param) for param in signature.params] == [shown(parsed(word)) for word in params.split(", ")]
    assert shown(signature.result) == shown(parsed(result))
    assert signature.name == name


REFUSED = [
    "dot(float3, float4)",
    "mul(float3x4, float3)",
    "cross(float2, float2)",
    "countbits(float)",
    "WaveActiveBitAnd(float)",
    "determinant(float2x3)",
    "max(float)",
    "max(float2x2, float3)",
    "sqrt(ByteAddressBuffer)",
]


@pytest.mark.parametrize("call", REFUSED)
def test_no_overload(call: str) -> None:
    name, _, rest = call.rstrip(")").partition("(")
    found = find(name)
    assert found is not None
    assert found.resolve([parsed(word) for word in rest.split(", ")], [], None) is None


def test_directions_of_results() -> None:
    sincos = find("sincos")
    assert sincos is not None
    signature = sincos.resolve([FLOAT, FLOAT, FLOAT], [], None)
    assert signature is not None
    assert signature.directions == ["in", "out", "out"]
    add = find("InterlockedAdd")
    assert add is not None
    with_old = add.resolve([INT, FLOAT, INT], [], None)
    assert with_old is not None
    assert with_old.directions == ["ref", "in", "out"]
    assert [shown(one) for one in with_old.params] == ["int", "int", "int"]  # the place's type, not the value's


def test_generic_arguments_stay_as_they_are() -> None:
    opaque = ParamType(GenericParam("T", 1, 0))
    for name, count in (("abs", 1), ("max", 2), ("lerp", 3)):
        found = find(name)
        assert found is not None
        signature = found.resolve([opaque] * count, [], None)
        assert signature is not None
        assert signature.result is opaque
    mixed = find("max")
    assert mixed is not None
    signature = mixed.resolve([opaque, INT], [], None)
    assert signature is not None
    assert signature.params == [opaque, opaque]


METHODS = [
    ("ByteAddressBuffer.Load(uint)", "uint"),
    ("ByteAddressBuffer.Load3(int)", "uint3"),
    ("RWByteAddressBuffer.Store2(uint, uint2)", "void"),
    ("RWStructuredBuffer<float4>.Load(int)", "float4"),
    ("Texture2D<float4>.Load(int3)", "float4"),
    ("Texture2D<float4>.SampleLevel(SamplerState, float2, float)", "float4"),
    ("RWTexture3D<uint>.Load(int3)", "uint"),
    ("Atomic<int>.add(int)", "int"),
    ("Atomic<uint>.compareExchange(uint, uint)", "uint"),
    ("float3.add(float3)", "float3"),
    ("int.lessThan(int)", "bool"),
]


@pytest.mark.parametrize(("call", "result"), METHODS)
def test_methods(call: str, result: str) -> None:
    head, _, rest = call.rstrip(")").partition("(")
    type_name, _, name = head.rpartition(".")
    receiver = parsed(type_name)
    found = find_method(receiver, name)
    assert found is not None
    signature = found.resolve([parsed(word) for word in rest.split(", ")], [], receiver)
    assert signature is not None
    assert shown(signature.result) == shown(parsed(result))


SIZES = [
    ("Texture2D<float4>.GetDimensions({0}, {0})", 2),
    ("RWStructuredBuffer<float4>.GetDimensions({0}, {0})", 2),
    ("ByteAddressBuffer.GetDimensions({0})", 1),
]


@pytest.mark.parametrize(("call", "count"), SIZES)
@pytest.mark.parametrize(
    ("argument", "parameter"),
    [("uint", "uint"), ("int", "int"), ("float", "float"), ("bool", "uint"), ("half", "half"), ("uint3", "uint")],
)
def test_sizes_are_written_as_numbers(call: str, count: int, argument: str, parameter: str) -> None:
    """GetDimensions has overloads for uint and float (HLSL reference) and int (Slang's core module), written as the
    argument's own type whatever its width; an argument of another kind is converted from the uint that is written."""
    head, _, rest = call.format(argument).rstrip(")").partition("(")
    type_name, _, name = head.rpartition(".")
    receiver = parsed(type_name)
    found = find_method(receiver, name)
    assert found is not None
    signature = found.resolve([parsed(word) for word in rest.split(", ")], [], receiver)
    assert signature is not None
    assert [shown(each) for each in signature.params] == [parameter] * count


def test_what_only_writable_buffers_have() -> None:
    store = find_method(parsed("ByteAddressBuffer"), "Store")
    assert store is None or store.resolve([INT, INT], [], parsed("ByteAddressBuffer")) is None
    append = find_method(parsed("RWStructuredBuffer<int>"), "Append")
    assert append is None or append.resolve([INT], [], parsed("RWStructuredBuffer<int>")) is None


ELEMENTS = [
    ("StructuredBuffer<int>", "uint", "int", False),
    ("RWStructuredBuffer<float3>", "uint", "float3", True),
    ("RWTexture2D<float>", "uint2", "float", True),
    ("Texture2DArray<float4>", "uint3", "float4", False),
    ("Buffer<uint>", "uint", "uint", False),
]


@pytest.mark.parametrize(("type", "index", "element", "writable"), ELEMENTS)
def test_elements(type: str, index: str, element: str, writable: bool) -> None:
    found = element_of(parsed(type))
    assert found is not None
    assert (shown(found[0]), shown(found[1]), found[2]) == (shown(parsed(index)), shown(parsed(element)), writable)


def test_types_by_name() -> None:
    texture = find_type("Texture2D")
    assert texture is not None
    assert shown(texture.make([]) or INT) == shown(ResourceType("Texture2D", parsed("float4")))
    assert find_type("Texture2") is None
    structured = find_type("StructuredBuffer")
    assert structured is not None
    assert structured.make([]) is None


CONFORMING = [
    ("int", "IInteger", True),
    ("int", "IFloat", False),
    ("float3", "IFloat", True),
    ("float3", "__BuiltinFloatingPointType", False),
    ("bool", "ILogical", True),
    ("bool", "IArithmetic", False),
    ("half", "__BuiltinFloatingPointType", True),
    ("uint", "__BuiltinSignedArithmeticType", False),
    ("float2x2", "IDifferentiable", True),
]


@pytest.mark.parametrize(("type", "interface", "expected"), CONFORMING)
def test_conformance(type: str, interface: str, expected: bool) -> None:
    assert conforms(parsed(type), interface) is expected


def test_constants_of_types() -> None:
    most = find_static("maxValue")
    assert most is not None
    signature = most.resolve([], [FLOAT], None)
    assert signature is not None
    assert signature.result is FLOAT
    assert most.resolve([], [parsed("ByteAddressBuffer")], None) is None
    assert find_static("middleValue") is None
