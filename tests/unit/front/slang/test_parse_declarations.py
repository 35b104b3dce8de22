"""Declarations: text -> tree, stated by hand."""

import pytest
from kit.text.slang_trees import tree


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int x;", "(var x int)"),
        ("static const float2 k = float2(1, 2), l = k;",
         "(static const var k float2 = (call float2 1 2)) (static const var l float2 = k)"),
        ("groupshared uint s[64];", "(groupshared var s (index uint 64))"),
        ("int a[2][3], *b, c;", "(var a (index (index int 3) 2)) (var b (* int)) (var c int)"),
        ("uniform float4 u : register(c0);", "(uniform var u float4 :register(c0))"),
        ("RWStructuredBuffer<Foo<int>> o : register(u0, space1);",
         "(var o (of RWStructuredBuffer (of Foo int)) :register(u0,space1))"),
        ("[[vk::binding(0, 1)]] ConstantBuffer<S> c;", "([vk::binding 0 1]var c (of ConstantBuffer S))"),
        ("[vk::push_constant] S s;", "([vk::push_constant]var s S)"),
        ("//TEST_INPUT:x\nTexture2D t; SamplerState s;", "(var t Texture2D) (var s SamplerState)"),
        ("let a = 1; let b : int = 2; var c : float;",
         "(let var a = 1) (let var b int = 2) (var var c float)"),
        ("extern static const int N; export static const int M = 1;",
         "(extern static const var N int) (export static const var M int = 1)"),
        ("layout(binding = 1) uniform S s;", "([vk::binding 1 0]layout uniform var s S)"),
        ("layout(set = 2, binding = 1) uniform S s;", "([vk::binding 1 2]layout uniform var s S)"),
        ("layout(local_size_x = 4 * 2) in;", "(group_size (* 4 2) 1 1)"),
        ("buffer B { uint n[]; };", "(var n (of RWStructuredBuffer uint))"),
        ("readonly buffer B { uint n[]; };", "(var n (of StructuredBuffer uint))"),
        (
            "layout(binding = 3) buffer B { uint n[]; } b;",
            "(struct B {(var n (of RWStructuredBuffer uint))}) ([vk::binding 3 0]layout var b B)",
        ),
    ],
)  # fmt: skip
def test_variables(text: str, expected: str) -> None:
    assert tree(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("void f();", "(func f -> void)"),
        ("void f(void) {}", "(func f -> void {})"),
        ("int f(int a, in float b, out int c, inout S d, int e = 1) { return a; }",
         "(func f (var a int) (in var b float) (out var c int) (inout var d S) (var e int = 1) -> int {(return a)})"),
        ("void f(in out int a);", "(func f (in out inout var a int) -> void)"),
        ("void f(int, float);", "(func f (var  int) (var  float) -> void)"),
        ("void f(int a[2], int[3] b, const S c, uniform int d);",
         "(func f (var a (index int 2)) (var b (index int 3)) (const var c S) (uniform var d int) -> void)"),
        ("float4 main(float4 p : SV_Position, uint i : SV_VertexID) : SV_Target0 { return p; }",
         "(func main (var p float4 :SV_Position) (var i uint :SV_VertexID) -> float4 :SV_Target0 {(return p)})"),
        ('[shader("compute")] [numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {}',
         "([shader 'compute'][numthreads 8 1 1]func main (var id uint3 :SV_DispatchThreadID) -> void {})"),
        ("[numthreads(1,1,1), WaveSize(32)] void f() {}", "([numthreads 1 1 1][WaveSize 32]func f -> void {})"),
        ("func f(a : int, b : inout float, c : int = 2, int d) -> int { return a; }",
         "(func f (var a int) (inout var b float) (var c int = 2) (var d int) -> int {(return a)})"),
        ("func f();", "(func f -> void)"),
        ("public static inline int f() { return 1; }", "(public static inline func f -> int {(return 1)})"),
        ("int f() throws E { return 1; }", "(throws func f -> int {(return 1)})"),
        ("Foo<int>.Bar f(Foo<int>.Bar x);", "(func f (var x (. (of Foo int) Bar)) -> (. (of Foo int) Bar))"),
        ("int* f(int* p);", "(func f (var p (* int)) -> (* int))"),
        ("int f(functype (int) -> int g);", "(func f (var g (of functype int int)) -> int)"),
        ("void f(dyn IFoo x, some IBar y);", "(func f (var x (dyn IFoo)) (var y (some IBar)) -> void)"),
        ("void f(point float4 p[1], triangle V v[3]);",
         "(func f (point var p (index float4 1)) (triangle var v (index V 3)) -> void)"),
    ],
)  # fmt: skip
def test_functions(text: str, expected: str) -> None:
    assert tree(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("T f<T>(T x);", "(func f<(type T)> (var x T) -> T)"),
        ("T f<T : IFoo & IBar, U = int>(T x);", "(func f<(type T : (& IFoo IBar)) (type U = int)> (var x T) -> T)"),
        ("void f<let N : int, let M : uint = 4>();", "(func f<(value N int) (value M uint = 4)> -> void)"),
        ("void f<int N, typename T>();", "(func f<(value N int) (type T)> -> void)"),
        ("void f<each T>(expand each T xs);",
         "(func f<(pack T)> (var xs (expand (each T))) -> void)"),
        ("void f<T, U>() where T : IFoo, IBar where U == T.V { }",
         "(func f<(type T) (type U) where T : IFoo : IBar where U == (. T V)> -> void {})"),
        ("func f<T>(x : T) -> T where T : IFoo<U<int>> { return x; }",
         "(func f<(type T) where T : (of IFoo (of U int))> (var x T) -> T {(return x)})"),
        ("__generic<T : IFoo> T f(T x);", "(func f<(type T : IFoo)> (var x T) -> T)"),
        ("__generic<T> struct S { T x; };", "(struct S<(type T)> {(var x T)})"),
        ("__generic<T> void f<U>();", "(func f<(type T) (type U)> -> void)"),
        ("void f<T>() where optional T : IFoo;", "(func f<(type T) where optional T : IFoo> -> void)"),
        ("void f<T, U>() where T(U);", "(func f<(type T) (type U) where T(U)> -> void)"),
    ],
)  # fmt: skip
def test_generics(text: str, expected: str) -> None:
    assert tree(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("struct S { int a; float b = 1; }", "(struct S {(var a int) (var b float = 1)})"),
        ("struct S;", "(struct S)"),
        ("struct S : IFoo, IBar<int> { }", "(struct S : IFoo : (of IBar int) {})"),
        ("struct S<T : IFoo, let N : int> : IBar where T : IBaz { T x[N]; }",
         "(struct S<(type T : IFoo) (value N int) where T : IBaz> : IBar {(var x (index T N))})"),
        ("struct S { int f() { return a; } [mutating] void g(); static int h(); }",
         "(struct S {(func f -> int {(return a)}) ([mutating]func g -> void) (static func h -> int)})"),
        ("struct S { __init(int a) { this.a = a; } __init<T>(T t); }",
         "(struct S {(init __init (var a int) {(= (. this a) a)}) (init __init<(type T)> (var t T))})"),
        ("struct S { int bits : 4; nointerpolation float4 c : COLOR; }",
         "(struct S {(var bits int :bits(4)) (nointerpolation var c float4 :COLOR)})"),
        ("struct S { int x; } s, t[2];", "(struct S {(var x int)}) (var s S) (var t (index S 2))"),
        ("struct { int x; } s;", "(struct $struct1 {(var x int)}) (var s $struct1)"),
        ("struct S { struct { int x; } a; };", "(struct S {(struct $struct1 {(var x int)}) (var a $struct1)})"),
        ("typedef struct { int x; } S;", "(struct $struct1 {(var x int)}) (alias S $struct1)"),
        ("export struct X : I = Y<int>;", "(export struct X : I = (of Y int))"),
        ("extern struct X : I;", "(extern struct X : I)"),
        ("[anyValueSize(16)] interface I { }", "([anyValueSize 16]interface I {})"),
        ("struct S { S operator+(S o); static S operator()(int i); }",
         "(struct S {(operator operator+ (var o S) -> S) (static operator operator() (var i int) -> S)})"),
    ],
)  # fmt: skip
def test_structs(text: str, expected: str) -> None:
    assert tree(text) == expected


def test_a_type_on_its_own_line_needs_no_semicolon() -> None:
    assert tree("struct A { int x; }\nstruct B { }\nA a;") == "(struct A {(var x int)}) (struct B {}) (var a A)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("interface I : J, K<int> { int f(int x); static int g(); int h() { return 1; } }",
         "(interface I : J : (of K int) {(func f (var x int) -> int) (static func g -> int) "
         "(func h -> int {(return 1)})})"),
        ("interface I<T> { associatedtype D : IBar, IBaz; associatedtype E where E : IFoo; }",
         "(interface I<(type T)> {(associated D : IBar : IBaz<>) (associated E< where E : IFoo>)})"),
        ("interface I { property int x { get; set; } __init(int a); static const int N; }",
         "(interface I {(property x -> int (get get) (set set)) (init __init (var a int)) "
         "(static const var N int)})"),
        ("interface I { T f<T : IBar>(T x); This g(); }",
         "(interface I {(func f<(type T : IBar)> (var x T) -> T) (func g -> This)})"),
        ("extension S : I { int f() { return x; } }", "(extension S : I {(func f -> int {(return x)})})"),
        ("extension<T : IFoo> Box<T> : IBar where T : IBaz { }",
         "(extension<(type T : IFoo) where T : IBaz> (of Box T) : IBar {})"),
        ("__generic<T> extension T : IFoo { }", "(extension<(type T)> T : IFoo {})"),
    ],
)  # fmt: skip
def test_interfaces_and_extensions(text: str, expected: str) -> None:
    assert tree(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("struct S { property int p { get { return 1; } set { x = newValue; } } }",
         "(struct S {(property p -> int (get get {(return 1)}) (set set {(= x newValue)}))})"),
        ("struct S { property p : int { get { return 1; } [nonmutating] set(v) { x = v; } } }",
         "(struct S {(property p -> int (get get {(return 1)}) ([nonmutating]set set (var v) {(= x v)}))})"),
        ("struct S { __subscript(int i, int j) -> float { get { return x; } ref; } }",
         "(struct S {(property subscript (var i int) (var j int) -> float (get get {(return x)}) (ref ref))})"),
        ("struct S { __subscript<T>(T i) -> T { get; } }",
         "(struct S {(property subscript<(type T)> (var i T) -> T (get get))})"),
    ],
)  # fmt: skip
def test_properties(text: str, expected: str) -> None:
    assert tree(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("enum E { A, B = 2, C, }", "(enum E {A B = 2 C})"),
        ("enum class E : uint8_t { A = 1 << 2 };", "(class enum E : uint8_t {A = (<< 1 2)})"),
        ("enum { A, B }", "(enum $enum1 {A B})"),
        ("[Flags] enum E { }", "([Flags]enum E {})"),
        ("cbuffer C : register(b0, space2) { float4 a : packoffset(c0); float b; }",
         "(cbuffer C :register(b0,space2) {(var a float4 :packoffset(c0)) (var b float)})"),
        ("cbuffer C { float a : packoffset(c0.y); };", "(cbuffer C {(var a float :packoffset(c0.y))})"),
        ("tbuffer T { int x; }\nint y;", "(tbuffer T {(var x int)}) (var y int)"),
        ("namespace A { int x; namespace B { } }", "(namespace A {(var x int) (namespace B {})})"),
        ("namespace A.B::C { int x; }", "(namespace A {(namespace B {(namespace C {(var x int)})})})"),
        ("using namespace A.B; using C::D;", "(using A.B) (using C.D)"),
        ('import a; import a.b_c; import "x/y.slang"; __exported import d;',
         "(import a) (import a.b_c) (import x/y.slang) (__exported import d)"),
        ('module m; implementing m; __include "p"; __include q;',
         "(module m) (implementing m) (__include p) (__include q)"),
        ("typedef Foo<int> T;", "(alias T (of Foo int))"),
        ("typedef float A[2][3];", "(alias A (index (index float 3) 2))"),
        ("typealias A<T> = Box<T>;", "(alias A<(type T)> (of Box T))"),
        ("public typealias A = int;", "(public alias A int)"),
        ('static_assert(1 < 2, "no");', "(static_assert (< 1 2) 'no')"),
        (";;", ""),
        (
            "layout(binding = 0) buffer B { int x; } b;",
            "(struct B {(var x int)}) ([vk::binding 0 0]layout var b (of GLSLShaderStorageBuffer B))",
        ),
        ("uniform B { int x; };", "(uniform cbuffer B {(var x int)})"),
    ],
)  # fmt: skip
def test_other_declarations(text: str, expected: str) -> None:
    assert tree(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("type_param T : IFoo;", "<global generic parameters (`type_param`)>"),
        ("attribute_syntax [a(x : int)] : B;", "<`attribute_syntax`>"),
        ("__func_extension fwd_diff(f)(int x) -> int { return 1; }", "<`__func_extension`>"),
        ("layout(location = 0) in B { int x; } b;int y;", "<GLSL's interface blocks that are no buffers> (var y int)"),
        ("interface I { __constraint T == This; }", "(interface I {<`__constraint`>})"),
    ],
)
def test_what_is_not_taken_further_is_named(text: str, expected: str) -> None:
    assert tree(text) == expected


def test_words_with_a_meaning_are_names_elsewhere() -> None:
    text = "int point, module = 1;\nfloat3 line(float3 shared, int payload);\nstruct sample { int in; }\nsample x;"
    assert tree(text) == (
        "(var point int) (var module int = 1) (func line (var shared float3) (var payload int) -> float3) "
        "(struct sample {(var in int)}) (var x sample)"
    )
