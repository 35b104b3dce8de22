"""Constants and their parts: what is taken apart, put together and read as bits, by SPIR-V 1.6, 3.52.12, by hand."""

import pytest

from reknit.ir import op
from reknit.ir.constant_bits import all_ones, bits_of, bits_of_scalar, constant, count_of, scalar_of, splat, splat_of
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.value import Value
from reknit.ir.walk import instructions
from reknit.passes.values.components import fold_components
from reknit.passes.values.composites import construct, dynamic, extract, shuffle

TEXT = """%n = SpecConstant 2 : u32
%S = TypeStruct u32, vec2<u32>, array<u32, 2>, mat2x2<f32>
%T = TypeStruct u32, u32
%Sized = TypeArray u32, %n
%Image = TypeImage f32 2D 0 0 0 1 Unknown
%bf = TypeFloat 16 BFloat16KHR
declare 1u, 2u, 3u, -1i8, true, false, 1.5f, vec2<u32>, vec3<u32>, vec2<bool>, array<u32, 2>, u64, vec4<u8>, i32
%v = ConstantComposite 1u, 2u : vec2<u32>
%same = ConstantComposite 2u, 2u : vec2<u32>
%truths = ConstantComposite true, false : vec2<bool>
%null = ConstantNull : %S
%none = ConstantNull : vec2<u32>
%array = ConstantComposite 1u, 3u : array<u32, 2>
%half = ConstantComposite 1u, null<u32> : vec2<u32>
%spec = SpecConstant 7 : u32
%open = ConstantComposite 1u, %spec : vec2<u32>
%odd = Constant !1 : %bf
%small = Constant 3 : u4

func @f(%a: u32, %b: u32, %s: %S, %t: %T, %w: vec2<u32>, %x: vec3<u32>, %z: %Sized) -> void {
  %made = CompositeConstruct %a, %b : %T
  %vector = CompositeConstruct %a, %w : vec3<u32>
  %tail = CompositeConstruct %w, %a : vec3<u32>
  %with = CompositeConstruct %v, %a : vec3<u32>
  %put = CompositeInsert %a, %s 0 : %S
  %deep = CompositeInsert %b, %put 1 1 : %S
  %whole = CompositeInsert %w, %deep 1 : %S
  %p0 = CompositeExtract %t 0 : u32
  %p1 = CompositeExtract %t 1 : u32
  %q0 = CompositeExtract %w 0 : u32
  %q1 = CompositeExtract %w 1 : u32
  %r1 = CompositeExtract %x 1 : u32
  %d = CompositeExtract %s 1 0 : u32
  %e = CompositeExtract %s 1 1 : u32
  return
}
"""


class Named:
    def __init__(self) -> None:
        self.module: Module = parse(TEXT)
        function = self.module.functions[0]
        every = [*self.module.globals, *function.params, *instructions(function)]
        self.made: dict[str, Instr] = {instr.name: instr for instr in every}

    def __getitem__(self, name: str) -> Instr:
        return self.made[name]

    def type(self, code: int, *words: object) -> Instr:
        return next(i for i in self.module.globals if i.op == code and list(words) == i.operands[-len(words) :])


@pytest.mark.parametrize(
    ("whole", "path", "part"),
    [
        ("made", [0], "a"),
        ("made", [1], "b"),
        ("vector", [0], "a"),
        ("vector", [1], None),  # in a vector that is no constant
        ("tail", [2], "a"),
        ("tail", [0], None),
        ("with", [2], "a"),
        ("put", [0], "a"),
        ("deep", [0], "a"),
        ("deep", [1, 1], "b"),
        ("deep", [1], None),  # a part of it was put in
        ("deep", [1, 0], None),  # of what it was put into nothing is known
        ("whole", [1], "w"),
        ("whole", [0], "a"),
        ("whole", [1, 1], None),
        ("s", [0], None),
        ("s", [], "s"),
    ],
)
def test_parts(whole: str, path: list[int], part: str | None) -> None:
    n = Named()
    found = extract(n[whole], path, n.module)
    assert found is (n[part] if part is not None else None)


def test_parts_of_constants() -> None:
    n = Named()
    one, two, three, zero = [constant(n.module, n["a"].type or n["n"], [number]) for number in (1, 2, 3, 0)]
    assert extract(n["v"], [1], n.module) is two
    assert extract(n["v"], [2], n.module) is None
    assert extract(n["array"], [1], n.module) is three
    assert extract(n["with"], [0], n.module) is one and extract(n["with"], [1], n.module) is two
    assert extract(n["null"], [0], n.module) is not None
    for path, type in (([0], n["a"].type), ([1], n["w"].type)):
        found = extract(n["null"], path, n.module)
        assert isinstance(found, Instr) and (found.op, found.type) == (op.ConstantNull, type)
    for path in ([1, 0], [2, 1]):
        found = extract(n["null"], path, n.module)
        assert isinstance(found, Instr) and (bits_of(found), found.type) == ([0], n["a"].type)
    assert extract(n["none"], [1], n.module) is zero
    matrix = extract(n["null"], [3, 1], n.module)
    assert isinstance(matrix, Instr) and matrix.type is not None and matrix.type.op == op.TypeVector


def test_composites_that_are_there() -> None:
    n = Named()
    t, w, x = n["t"].type, n["w"].type, n["x"].type
    assert t is not None and w is not None and x is not None
    assert construct(t, [n["p0"], n["p1"]], n.module) is n["t"]
    assert construct(t, [n["p1"], n["p0"]], n.module) is None
    assert construct(t, [n["p0"], n["q1"]], n.module) is None  # of two
    assert construct(w, [n["q0"], n["q1"]], n.module) is n["w"]
    assert construct(w, [n["p0"], n["p1"]], n.module) is None  # another type
    assert construct(w, [n["q0"], n["r1"]], n.module) is None
    assert construct(x, [n["q0"], n["q1"]], n.module) is None
    assert construct(w, [n["d"], n["e"]], n.module) is None  # from deeper inside


def test_composites_of_constants() -> None:
    n = Named()
    one, two = n["v"].instr(0), n["v"].instr(1)
    w, x = n["v"].type, n["x"].type
    assert w is not None and x is not None
    assert construct(w, [one, two], n.module) is n["v"]
    made = construct(x, [n["v"], one], n.module)
    assert isinstance(made, Instr) and (made.op, made.operands) == (op.ConstantComposite, [one, two, one])
    array = n["array"].type
    assert array is not None
    made = construct(array, [one, two], n.module)
    assert isinstance(made, Instr) and (made.op, made.operands) == (op.ConstantComposite, [one, two])
    assert construct(n["Sized"], [one, two], n.module) is None  # as long as a specialization says
    assert construct(n["T"], [one, n["a"]], n.module) is None
    assert construct(w, [one, n["spec"]], n.module) is None
    assert construct(n["Image"], [one], n.module) is None
    made = construct(n["T"], [one, two], n.module)
    assert isinstance(made, Instr) and (made.type, made.operands) == (n["T"], [one, two])


def test_shuffles_and_places_of_constants() -> None:
    n = Named()
    w, u32 = n["v"].type, n["a"].type
    assert w is not None and u32 is not None
    for picks, bits in (([0, 1], [1, 2]), ([3, 0], [2, 1]), ([2, 2], [2, 2])):
        made = shuffle(w, n["v"], n["same"], picks, n.module)
        assert made is not None and bits_of(made) == bits
    assert shuffle(w, n["v"], n["same"], [0, 4], n.module) is None
    assert shuffle(w, n["v"], n["same"], [0, 0xFFFFFFFF], n.module) is None
    assert shuffle(w, n["w"], n["same"], [0, 0], n.module) is None
    assert shuffle(w, n["v"], n["w"], [0, 0], n.module) is None
    two = n["v"].instr(1)
    assert dynamic(u32, n["v"], n["v"].instr(0), n.module) is two
    assert dynamic(u32, n["v"], two, n.module) is None  # beyond
    assert dynamic(u32, n["w"], two, n.module) is None
    assert dynamic(u32, n["v"], n["a"], n.module) is None


def test_bits() -> None:
    n = Named()
    expected: dict[str, list[int] | None] = {
        "v": [1, 2], "truths": [1, 0], "none": [0, 0], "half": [1, 0], "open": None, "spec": None, "null": None,
        "array": None, "odd": None, "small": None, "a": None, "S": None,
    }  # fmt: skip
    assert {name: bits_of(n[name]) for name in expected} == expected
    assert [splat_of(n[name]) for name in ("v", "same", "none", "half", "spec")] == [None, 2, 0, None, None]
    true, false = n["truths"].instr(0), n["truths"].instr(1)
    scalars: list[Value] = [true, false, n["v"].instr(1), n["spec"], n["odd"], n["v"]]
    assert [bits_of_scalar(value) for value in scalars] == [1, 0, 2, None, None, None]
    assert [count_of(n[name].type or n["S"]) for name in ("v", "x", "a")] == [2, 3, 1]
    assert scalar_of(n["S"]) is None and scalar_of(n["bf"]) is None and scalar_of(n["x"].type or n["S"]) is n["a"].type
    byte = next(i for i in n.module.globals if i.op == op.TypeInt and i.operands == [8, 1])
    assert (all_ones(byte), all_ones(n["a"].type or byte)) == (255, 0xFFFFFFFF)
    made = splat(n.module, n["x"].type or byte, 3)
    assert bits_of(made) == [3, 3, 3]
    assert bits_of(constant(n.module, byte, [255])) == [255]


def test_components() -> None:
    n = Named()
    module = n.module
    u32, w = n["a"].type, n["w"].type
    truths, truth = n["truths"].type, n["truths"].instr(0).type
    assert u32 is not None and w is not None and truths is not None and truth is not None
    word64 = next(i for i in module.globals if i.op == op.TypeInt and i.operands == [64, 0])
    assert fold_components(op.IAdd, w, [w, w], [[1, 2], [10, 20]]) == [11, 22]
    assert fold_components(op.UDiv, w, [w, w], [[4, 4], [2, 0]]) is None
    assert fold_components(op.Select, w, [truths, w, w], [[1, 0], [1, 2], [3, 4]]) == [1, 4]
    assert fold_components(op.Select, w, [truth, w, w], [[0], [1, 2], [3, 4]]) == [3, 4]
    assert fold_components(op.Any, truth, [truths], [[0, 1]]) == [1]
    assert fold_components(op.All, truth, [truths], [[0, 1]]) == [0]
    assert fold_components(op.All, truth, [truths], [[1, 1]]) == [1]
    assert fold_components(op.LogicalNot, truths, [truths], [[0, 1]]) == [1, 0]
    assert fold_components(op.LogicalAnd, truths, [truths, truths], [[0, 1], [1, 1]]) == [0, 1]
    assert fold_components(op.Bitcast, word64, [w], [[1, 2]]) == [1 | 2 << 32]
    assert fold_components(op.Bitcast, w, [word64], [[1 | 2 << 32]]) == [1, 2]
    assert fold_components(op.Bitcast, u32, [w], [[1, 2]]) is None
    assert fold_components(op.Bitcast, u32, [truth], [[1]]) is None
    assert fold_components(op.IAdd, n["S"], [u32, u32], [[1], [2]]) is None
    assert fold_components(op.IAdd, u32, [u32, n["S"]], [[1], [2]]) is None
    assert fold_components(op.BitFieldInsert, u32, [u32] * 4, [[0], [0xFF], [4], [4]]) == [0xF0]
    assert fold_components(op.BitFieldUExtract, u32, [u32] * 3, [[0xF5], [4], [4]]) == [15]
    assert fold_components(op.Phi, u32, [u32] * 4, [[0], [1], [2], [3]]) is None
    assert fold_components(op.SNegate, w, [w], [[1, 0]]) == [0xFFFFFFFF, 0]
