"""Small sources, each with the numbers that it stores: worked out by hand from Slang's and HLSL's rules."""

import random

import pytest

import reknit
from reknit.front.slang.compile import compile_slang

KINDS = """
int kind(int a) { return 1; }
int kind(uint a) { return 2; }
int kind(int64_t a) { return 3; }
int kind(uint64_t a) { return 4; }
int kind(float a) { return 5; }
int kind(half a) { return 6; }
int kind(double a) { return 7; }
int kind(bool a) { return 8; }
int kind(int16_t a) { return 9; }
int kind(uint16_t a) { return 10; }
"""


def stored(declarations: str, statements: str, count: int) -> list[int]:
    """What one invocation leaves in `o`, as signed numbers; it puts numbers there by `put`."""
    source = f"""RWStructuredBuffer<int> o;
static int next = 0;
void put(int a) {{ o[next++] = a; }}
{declarations}
[shader("compute")] [numthreads(1, 1, 1)]
void main() {{ {statements} }}
"""
    result = reknit.run(compile_slang(source, "t.slang"), buffers={"o": [0] * count})
    assert [str(one) for one in result.diagnostics] == []
    return [word - (1 << 32) if word >> 31 else word for word in result.buffers["o"].words]


def check(declarations: str, statements: str, expected: list[int]) -> None:
    assert stored(declarations, statements, len(expected)) == expected


@pytest.mark.parametrize(
    ("literal", "kind"),
    [
        ("1", 1), ("2147483647", 1), ("2147483648", 3), ("-2147483648", 1), ("-2147483649", 3), ("4294967295", 3),
        ("9223372036854775807", 3), ("-9223372036854775808", 3), ("0x7FFFFFFF", 1), ("0x80000000", 2),
        ("-0x80000000", 2), ("0xFFFFFFFF", 2), ("0x100000000", 3), ("0x7FFFFFFFFFFFFFFF", 3),
        ("0x8000000000000000", 4), ("-0x8000000000000000", 4), ("1u", 2), ("4294967295u", 2), ("4294967296u", 4),
        ("1ll", 3), ("1ull", 4), ("1.0", 5), ("1.0f", 5), ("1.0h", 6), ("1.0l", 7), ("true", 8), ("1 + 1u", 2),
        ("1u + 1ll", 3), ("1 + 1.0", 5), ("true + true", 1), ("1u << 1ll", 2), ("int16_t(1) + uint16_t(1)", 10),
    ],
)  # fmt: skip
def test_the_types_of_numbers(literal: str, kind: int) -> None:
    """The first of int and int64_t that holds a number in base ten, of others the unsigned ones too; `-` and the least
    number of a type in base ten are one literal."""
    check(KINDS, f"put(kind({literal}));", [kind])


LISTS = """
struct Point { int x; int y; }
struct Line { Point a; Point b; }
struct Mixed { int n; int2 v; int after[2]; Point p; }
struct Deep { Line lines[2]; }
int all(int2x2 m) { return m[0][0] * 1000 + m[0][1] * 100 + m[1][0] * 10 + m[1][1]; }
int all(int4 v) { return v.x * 1000 + v.y * 100 + v.z * 10 + v.w; }
int all(int a[2][2]) { return a[0][0] * 1000 + a[0][1] * 100 + a[1][0] * 10 + a[1][1]; }
int all(Line l) { return l.a.x * 1000 + l.a.y * 100 + l.b.x * 10 + l.b.y; }
int all(int2 v[2]) { return v[0].x * 1000 + v[0].y * 100 + v[1].x * 10 + v[1].y; }
"""


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("int2x2 a = { 1, 2, 3, 4 }", 1234), ("int2x2 a = { { 1, 2 }, { 3, 4 } }", 1234),
        ("int2x2 a = { int2(1, 2), int2(3, 4) }", 1234), ("int2x2 a = { { 1, 2 }, int2(3, 4) }", 1234),
        ("int2x2 a = { int2(1, 2), 3, 4 }", 1234), ("int2x2 a = { { 1 }, { 3 } }", 1133), ("int2x2 a = {}", 0),
        ("int2x2 a = int2x2(1, 2, 3, 4)", 1234), ("int2x2 a = int2x2(int2(1, 2), int2(3, 4))", 1234),
        ("int2x2 a = int2x2(int2(1, 2), 3, 4)", 1234),
        ("int4 a = { 1, 2, 3, 4 }", 1234), ("int4 a = { int2(1, 2), 3, 4 }", 1234),
        ("int4 a = int4(1, int2(2, 3), 4)", 1234), ("int4 a = int4(int3(1, 2, 3), 4)", 1234), ("int4 a = 7", 7777),
        ("int4 a = { 1, 2 }", 1200), ("int a[2][2] = { 1, 2, 3, 4 }", 1234),
        ("int a[2][2] = { { 1, 2 }, { 3, 4 } }", 1234),
        ("int a[2][2] = { { 1 }, { 3 } }", 1030), ("int a[2][2] = { { 1, 2 } }", 1200), ("int a[2][2] = {}", 0),
        ("Line a = { 1, 2, 3, 4 }", 1234), ("Line a = { { 1, 2 }, { 3, 4 } }", 1234),
        ("Line a = { { 1 }, { 3 } }", 1030), ("Point p = { 1, 2 }; Line a = { p, 3, 4 }", 1234),
        ("Point p = { 3, 4 }; Line a = { 1, 2, p }", 1234), ("Point p = { 3, 4 }; Line a = { { 1, 2 }, p }", 1234),
        ("int2 a[2] = { 1, 2, 3, 4 }", 1234), ("int2 a[2] = { int2(1, 2), 3, 4 }", 1234),
        ("int2 a[2] = { { 1, 2 }, { 3, 4 } }", 1234), ("int2 a[2] = { int2(1, 2), int2(3, 4) }", 1234),
        ("int2 a[2] = { { 1 }, { 3 } }", 1133), ("int2 a[] = { { 1, 2 }, { 3, 4 } }", 1234),
        ("Mixed m = { 1, { 2, 3 }, { 4, 5 }, { 6, 7 } }; int4 a = int4(m.n, m.v.y, m.after[1], m.p.y)", 1357),
        ("Mixed m = { 1, 2, 3, 4, 5, 6, 7 }; int4 a = int4(m.n, m.v.y, m.after[1], m.p.y)", 1357),
        ("Mixed m = { 1, { 2 }, { 4 }, { 6 } }; int4 a = int4(m.n, m.v.y, m.after[1], m.p.y)", 1200),
        ("Deep d = { 1, 2, 3, 4, 5, 6, 7, 8 }; Line a = d.lines[1]", 5678),
        ("Deep d = { { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } } }; Line a = d.lines[1]", 5678),
    ],
)  # fmt: skip
def test_lists_and_constructors(declared: str, expected: int) -> None:
    """In order, whether braces inside are left out or not; what is missing is 0, but one number in braces is that of
    each component of a vector (as slangc has it)."""
    check(LISTS, f"{declared}; put(all(a));", [expected])


@pytest.mark.parametrize(
    ("functions", "call", "expected"),
    [
        ("int f(float a) { return 1; } int f(float2x2 a) { return 2; }", "f(1)", 1),
        ("int f(float2x2 a) { return 2; } int f(float a) { return 1; }", "f(1.5)", 1),
        ("int f(float2 a) { return 1; } int f(float2x2 a) { return 2; }", "f(float2(1, 2))", 1),
        ("int f(int a) { return 1; } int f(float a) { return 2; }", "f(1.5)", 2),
        ("int f(int a) { return 1; } int f(float a) { return 2; }", "f(true)", 1),
        ("int f(int64_t a) { return 1; } int f(float a) { return 2; }", "f(1)", 1),
        ("int f(uint a) { return 1; } int f(float a) { return 2; }", "f(1)", 1),
        ("int f(half a) { return 1; } int f(float a) { return 2; }", "f(half(1))", 1),
        ("int f(int a) { return 1; } int f(int a, int b = 2) { return 2; }", "f(1)", 1),
        ("int f(int a, int b = 2) { return b; }", "f(1)", 2),
        ("int f(int a, int b = 2) { return b; }", "f(1, 3)", 3),
        ("int f<T>(T a) { return 1; } int f(int a) { return 2; }", "f(1)", 2),
        ("int f<T>(T a) { return 1; } int f(int a) { return 2; }", "f(float2(1, 2))", 1),
        ("int f<T : IFloat>(T a) { return 1; } int f<T : IInteger>(T a) { return 2; }", "f(1)", 2),
        ("int f<T : IFloat>(T a) { return 1; } int f<T : IInteger>(T a) { return 2; }", "f(1.5)", 1),
    ],
)  # fmt: skip
def test_which_overload_is_called(functions: str, call: str, expected: int) -> None:
    """Of scalars the nearest type, a scalar before a vector or a matrix of copies, what is no generic before one, and
    the fewest defaults."""
    check(functions, f"put({call});", [expected])


INHERITED = """
struct A { int a; int get() { return a; } }
struct B : A { int b; }
struct C : B { int c; }
struct D : C { int d; }
int of_a(A x) { return x.a; }
int of_b(B x) { return x.a * 10 + x.b; }
"""


def test_a_struct_is_each_of_those_that_it_inherits_from() -> None:
    statements = """
    D x; x.a = 1; x.b = 2; x.c = 3; x.d = 4;
    put(of_a(x)); put(of_b(x)); put(x.get()); put(x.a + x.b + x.c + x.d);
    B b = x; put(b.a * 10 + b.b); A a = b; put(a.a);
    """
    check(INHERITED, statements, [1, 12, 1, 10, 12, 1])


def test_methods_of_atomics() -> None:
    """Each gives what was there before; reductions give nothing. 10 + 5 - 3 = 12, min 7, max 9, & 12 = 8, | 3 = 11,
    ^ 6 = 13, exchanged for 20; 20 is compared and swapped for 30, 20 is not there then; 31, 30."""
    declarations = "groupshared Atomic<int> a;"
    before = """
    a.store(10); put(a.add(5)); put(a.sub(3)); put(a.min(7)); put(a.max(9)); put(a.and(12)); put(a.or(3));
    put(a.xor(6)); put(a.exchange(20)); put(a.compareExchange(20, 30)); put(a.compareExchange(20, 40));
    put(a.increment()); put(a.decrement()); put(a.load());
    """
    check(declarations, before, [10, 15, 12, 7, 9, 8, 11, 13, 20, 30, 30, 31, 30])
    reduced = """
    a.store(10); a.reduceAdd(5); put(a.load()); a.reduceSub(3); put(a.load()); a.reduceMin(7); put(a.load());
    a.reduceMax(9); put(a.load()); a.reduceAnd(12); put(a.load()); a.reduceOr(3); put(a.load()); a.reduceXor(6);
    put(a.load()); a.reduceInc(); put(a.load()); a.reduceDec(); put(a.load());
    """
    check(declarations, reduced, [15, 12, 7, 9, 8, 11, 13, 14, 13])


def test_elements_of_constant_arrays_are_constants() -> None:
    declarations = """
    static const int SIZES[3] = { 4, 5, 6 };
    struct Of<let N : int> { int get() { return N; } }
    """
    check(declarations, "Of<SIZES[1]> a; Of<SIZES[2] + 1> b; int c[SIZES[0]]; put(a.get()); put(b.get()); "
          "put(c.getCount());", [5, 7, 4])  # fmt: skip


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("int2x3 m = { 1, 2, 3, 4, 5, 6 }; put((int)m); int2x2 n = (int2x2)m; "
         "put(n[0][1]); put(n[1][0]); put(n[1][1]);",
         [1, 2, 4, 5]),
        ("float3 v = float3(1.5, -2.5, 3.5); int2 w = int2(v.xy); put(w.x); put(w.y); put((int)v.z);", [1, -2, 3]),
        ("int4 v = int4(1, 2, 3, 4); int2 w = (int2)v; put(w.x); put(w.y); put((int)v);", [1, 2, 1]),
        ("int2x2 m = int2x2(1, 2, 3, 4); m[1] = int2(5, 6); m[0][1] = 7; put(m[0][0]); put(m[0][1]); put(m[1][0]);",
         [1, 7, 5]),
        ("int2x2 m = 3; put(m[0][0]); put(m[0][1]); put(m[1][1]);", [3, 3, 3]),
        ("bool2 b = bool2(0, 2); put(b.x ? 1 : 0); put(b.y ? 1 : 0); put(int(true) + int(b.y));", [0, 1, 2]),
        ("int a = 5; a += 2; put(a); a -= 3; put(a); a *= 6; put(a); a /= 5; put(a); a %= 3; put(a); a <<= 4; put(a); "
         "a >>= 2; put(a); a |= 3; put(a); a &= 6; put(a); a ^= 5; put(a);", [7, 4, 24, 4, 1, 16, 4, 7, 6, 3]),
        ("int a = 5; put(a++); put(++a); put(a--); put(--a); put(-a); put(~a); put(!a ? 1 : 0); put(+a);",
         [5, 7, 7, 5, -5, -6, 0, 5]),
        ("put(7 / 2); put(-7 / 2); put(7 % 3); put(-7 % 3); put(int(7.0 % 4.0)); put(-8 >> 1); put(int(8u >> 1));",
         [3, -3, 1, -1, 3, -4, 4]),
        ("put(1 < 2 ? 1 : 0); put(2 <= 2 ? 1 : 0); put(2 > 2 ? 1 : 0); put(2 >= 3 ? 1 : 0); put(2 == 2 ? 1 : 0); "
         "put(2 != 2 ? 1 : 0);", [1, 1, 0, 0, 1, 0]),
        ("int a = 3; if (a == 2) put(1); else [branch] if (a == 3) { put(2); } else put(3);", [2]),
        ("int a = 4; [flatten] if (a == 2) put(1); else [flatten] if (a == 3) { put(2); } else put(3);", [3]),
        ("[unroll] for (int i = 0; i < 3; ++i) put(i); [loop] while (false) { } ", [0, 1, 2]),
        ("for (int i = 0, j = 9; i < j; i += 2, j--) put(i * 10 + j);", [9, 28, 47]),
        ("int i = 0; do { if (i == 1) { i += 2; continue; } put(i); i++; } while (i < 5);", [0, 3, 4]),
        ("switch (3) { case 1: put(1); break; case 2: case 3: put(2); break; default: put(3); }", [2]),
        ("outer: for (int i = 0; i < 3; i++) { for (int j = 0; j < 3; j++) { if (j == 1) continue; if (i == 1) "
         "break outer; put(i * 10 + j); } }", [0, 2]),
        ("let a = 3; var b = a + 1; b *= 2; put(b); { int b = 1; put(b); } put(b);", [8, 1, 8]),
        ("int v[3] = { 1, 2, 3 }; int sum = 0; for (int i = 0; i < v.getCount(); i++) sum += v[i]; put(sum);", [6]),
        ("int3 v = int3(1, 2, 3); v.zx = v.xy; put(v.x * 100 + v.y * 10 + v.z); v.y += 5; put(v.y);", [221, 7]),
        ("put(sizeof(int)); put(sizeof(int3)); put(sizeof(half)); put(sizeof(int64_t)); put(alignof(int2));",
         [4, 12, 2, 8, 4]),
        ("uint64_t a = 1ull << 40; put(int(a >> 36)); int64_t b = -1; put(int(b >> 60)); put(int(uint64_t(b) >> 60));",
         [16, -1, 15]),
        ("int16_t a = int16_t(0x18000); put(a); uint16_t b = uint16_t(-1); put(b); int8_t c = int8_t(200); put(c);",
         [-32768, 65535, -56]),
        ("put(asint(1.0)); put(asint(asfloat(0x40000000))); put(int(asuint(-1) >> 28));", [0x3F800000, 0x40000000, 15]),
        ("Tuple<int, float> t = makeTuple(3, 4.5); put(t._0); put(int(t._1 * 2));", [3, 9]),
        ("Optional<int> n = none; put(n.hasValue ? 1 : 0); n = 5; put(n.hasValue ? n.value : 0); "
         "if (let x = n) put(x + 1);", [0, 5, 6]),
    ],
)  # fmt: skip
def test_statements_and_operators(statements: str, expected: list[int]) -> None:
    check("", statements, expected)


@pytest.mark.parametrize(
    ("declarations", "statements", "expected"),
    [
        ("void swap(inout int a, inout int b) { int c = a; a = b; b = c; } "
         "void both(out int a, in int b) { a = b * 2; }",
         "int x = 1, y = 2; swap(x, y); put(x); put(y); both(x, 7); put(x); int v[2] = { 3, 4 }; swap(v[0], v[1]); "
         "put(v[0]); int2 w = int2(5, 6); swap(w.x, w.y); put(w.x);", [2, 1, 14, 4, 6]),
        ("struct S { int a; [mutating] void add(int b) { a += b; } int twice() { return this.a * 2; } static int n() "
         "{ return 9; } __init(int x) { a = x + 1; } }",
         "S s = S(4); s.add(2); put(s.a); put(s.twice()); put(S.n()); put(S::n());", [7, 14, 9, 9]),
        ("struct S { int a; property int half { get { return a / 2; } set { a = newValue * 2; } } "
         "__subscript(int i) -> int { get { return a + i; } set { a = newValue - i; } } }",
         "S s = { 8 }; put(s.half); s.half = 5; put(s.a); put(s[3]); s[1] = 4; put(s.a);", [4, 10, 13, 3]),
        ("struct V { int a; }; V operator+(V x, V y) { V r = { x.a + y.a }; return r; } "
         "V operator-(V x) { V r = { -x.a }; return r; } bool operator==(V x, V y) { return x.a == y.a; }",
         "V a = { 3 }, b = { 4 }; put((a + b).a); put((-a).a); put(a == b ? 1 : 0); put(a == a ? 1 : 0);",
         [7, -3, 0, 1]),
        ("enum E { A, B = 5, C }; enum class F : uint { X = 1, Y = 1 << 3 }; "
         "int f(E e) { switch (e) { case E.A: return 1; "
         "case E.B: return 2; default: return 3; } }",
         "put(E.A); put(E.C); put(f(E.B)); put(f(E.C)); put(int(F.Y)); E e = (E)5; put(e == E.B ? 1 : 0);",
         [0, 6, 2, 3, 8, 1]),
        ("namespace N { int f() { return 1; } namespace M { static const int K = 4; int f() { return 2; } } } "
         "using N.M;",
         "put(N.f()); put(N::M::f()); put(K); put(N.M.K);", [1, 2, 4, 4]),
        ("interface I { int get(); int twice() { return get() * 2; } static int n(); associatedtype T : I; }; "
         "struct A : I { int a; int get() { return a; } static int n() { return 3; } typealias T = B; }; "
         "struct B : I { int get() { return 7; } override int twice() { return 1; } static int n() { return 4; } "
         "typealias T = A; }; int f<X : I>(X x) { return x.twice() * 10 + X.n(); } int g<X : I>() { return X.T.n(); }",
         "A a = { 2 }; B b; put(f(a)); put(f(b)); put(g<A>()); put(g<B>());", [43, 14, 4, 3]),
        ("typedef int Number; typealias Pair<T> = Tuple<T, T>; int f(Pair<Number> p) { return p._0 * 10 + p._1; }",
         "put(f(makeTuple(1, 2)));", [12]),
        ("extension int { int plus(int b) { return this + b; } }; struct S { int a; }; "
         "extension S { int more() { return a + 1; } }",
         "int a = 3; put(a.plus(4)); S s = { 5 }; put(s.more());", [7, 6]),
    ],
)  # fmt: skip
def test_declarations(declarations: str, statements: str, expected: list[int]) -> None:
    check(declarations, statements, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define A 3\nput(A);", [3]),
        ("#define A(x, y) x * y\nput(A(2 + 1, 4));", [6]),
        ("#define A(x) #x\n#define B(x, y) x##y\nint ab = 5; put(B(a, b));", [5]),
        ("#define A(...) __VA_ARGS__\nput(max(A(1, 2)));", [2]),
        ("#define A(x, ...) max(x, __VA_ARGS__)\nput(A(1, 2));", [2]),
        ("#define A 1\n#if A + 1 == 2 && !defined(B)\nput(1);\n#else\nput(2);\n#endif", [1]),
        ("#ifdef A\nput(1);\n#elif 0\nput(2);\n#elif 1\nput(3);\n#elif 1\nput(4);\n#else\nput(5);\n#endif", [3]),
        ("#ifndef A\nput(1);\n#if 0\nput(2);\n#else\nput(3);\n#endif\n#endif", [1, 3]),
        ("#if (7 / 2) == 3 && (7 % 4) == 3 && (1 << 3) == 8 && -1 < 0 && ~0 == -1\nput(1);\n#endif", [1]),
        ("#if (6 & 3) == 2 && (6 | 3) == 7 && (6 ^ 3) == 5 && 0x10 == 16 && 2 >= 2 && 1 <= 2 && 3 > 2 && 1 != 2\n"
         "put(1);\n#endif", [1]),
        ("#if UNKNOWN\nput(1);\n#else\nput(2);\n#endif", [2]),
        ("#define A B\n#define B A\nint A = 4; put(A);", [4]),
        ("#define f(x) x + 1\nint f = 3; put(f(2)); put(f);", [3, 3]),
        ("#define A 1\n#undef A\n#define A 2\nput(A); put(__LINE__ > 5 ? 1 : 0);", [2, 1]),
        ("put(1 /* , */ + /* ) */ 2); // put(3);\nput(4);", [3, 4]),
        ("put('a'); put('\\n'); put('\\x41'); put(0b101); put(0x1F);", [97, 10, 65, 5, 31]),
    ],
)  # fmt: skip
def test_macros_and_tokens(text: str, expected: list[int]) -> None:
    check("", f"\n{text}\n", expected)


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("int a = 5; put((a)-1); put((int)-1.5); put((int)~a); put((int)!a); put((int)+a); put((int)(a)); "
         "put(-(int)2.5);",
         [4, -1, -6, 0, 5, 5, -2]),
        ("vector v = 1.5; put(int(v.w * 2)); matrix m = 2; put(int(m[3][3]));", [3, 2]),
        ("vector<int, 1> v = 3; int2 w = int2(v, 4); put(w.x); put(w.y); put(v.x); int n = v; put(n);", [3, 4, 3, 3]),
        ("int a = 1, b = 2; a = b = 7; put(a); put(b); a += b -= 3; put(a); put(b);", [7, 7, 11, 4]),
        ("int a = 1; put(a ? a > 1 ? 2 : 3 : 4); put(0 ? 1 : 0 ? 2 : 3); put((a, 5));", [3, 3, 5]),
        ("int a = 3; ; {} if (a > 1) ; else put(9); put(a);", [3]),
        ("int m[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }; int8_t i = 1; uint64_t j = 2; put(m[i][j]); "
         "put(m[1][int16_t(0)]);",
         [6, 4]),
        ("float4x4 m = 0; m[2] = float4(1, 2, 3, 4); put(int(m._m21)); put(int(m._33)); put(int(m[2].w));", [2, 3, 4]),
        ("int4 v = int4(1, 2, 3, 4); put(v.bgra.x); put(v.rrgg.z); v.xw = int2(8, 9); put(v.x * 10 + v.w); v[1] = 6; "
         "put(v.y);", [3, 2, 89, 6]),
        ("uint a = 0xF0u; put(int(a >> 4)); put(int(a & 0x3C)); put(int(~a >> 28)); put(int(-1 >> 31)); "
         "put(int(1u - 2u));",
         [15, 48, 15, -1, -1]),
        ("bool a = true, b = false; put((a && !b) ? 1 : 0); put((a ^ b) ? 1 : 0); put((a == b) ? 1 : 0); put(a + a); "
         "put((a | b) ? 1 : 0); put((a & b) ? 1 : 0);", [1, 1, 0, 2, 1, 0]),
        ("int i = 10; while (true) { i -= 3; if (i < 0) break; if (i == 4) continue; put(i); }", [7, 1]),
        ("int sum = 0; for (;;) { if (++sum > 4) break; } put(sum); for (int i = 3; i-- > 0;) put(i);", [5, 2, 1, 0]),
        ("switch (int3(1, 2, 3).y) { default: put(0); break; case 2: { put(2); } case 5: put(5); break; "
         "case 6: put(6); }",
         [2, 5]),
        ("static const int K = 2 * 3 + 1; int a[K]; put(a.getCount()); static int s = 4; s++; put(s);", [7, 5]),
    ],
)  # fmt: skip
def test_casts_places_and_jumps(statements: str, expected: list[int]) -> None:
    check("", statements, expected)


@pytest.mark.parametrize(
    ("declarations", "statements", "expected"),
    [
        ("struct M { int a[4]; __subscript(int i, int j) -> int { get { return a[i * 2 + j]; } set { a[i * 2 + j] = "
         "newValue; } } __subscript(float f) -> int { get { return a[int(f)]; } } };",
         "M m = { { 1, 2, 3, 4 } }; put(m[1, 0]); m[0, 1] = 9; put(m.a[1]); put(m[3.0]);", [3, 9, 4]),
        ("interface I { __init(int a); int get(); }; struct S : I { int a; __init(int x) { a = x * 2; } "
         "int get() { return a; } }; T made<T : I>(int a) { return T(a + 1); }", "put(made<S>(4).get());", [10]),
        ("T twice<T : __BuiltinIntegerType>(T a, int b) { return a * T(2) + T(b); } "
         "T most<T : __BuiltinArithmeticType>(T a, T b) { return a < b ? b : a; }",
         "put(twice(4, 1)); put(int(twice(uint16_t(4), 1))); put(most(3, 5)); put(int(most(2.5, 1.0) * 2));",
         [9, 9, 5, 5]),
        ("int sum<each T : __BuiltinIntegerType>(expand each T v) { int s = 0; expand s += int(each v); return s; } "
         "int many<each T>(expand each T v) { return countof(T); }", "put(sum(1, 2u, 3)); put(many(1, 2.0)); "
         "put(sum(4));",
         [6, 2, 4]),
        ("struct G<T, let N : int = 3> { T a[N]; int n() { return N; } }; "
         "int f(G<int, 2> g) { return g.a[1] + g.n(); }",
         "G<int, 2> g = { { 4, 5 } }; put(f(g)); G<float> h; put(h.n());", [7, 3]),
        ("interface I { int get(); }; struct A : I { int a; int get() { return a; } }; "
         "struct B : I { int get() { return 9; } "
         "}; int of(I x) { return x.get(); } int which(I x) { return x is A ? 1 : 2; }",
         "A a = { 3 }; B b; put(of(a)); put(of(b)); put(which(a)); put(which(b)); I x = a; "
         "if (let y = x as A) put(y.a + 1);",
         [3, 9, 1, 2, 4]),
        ("enum Err { Bad = 4 }; int f(int a) throws Err { if (a > 1) throw Err.Bad; return a; } "
         "int g(int a) { do { return try f(a) + 10; } catch (e : Err) { return int(e); } }", "put(g(1)); "
         "put(g(2));", [11, 4]),
        ("void f(inout int a) { defer { a += 1; } a *= 2; if (a > 5) return; a += 10; }",
         "int a = 1; f(a); put(a); a = 3; f(a); put(a);", [13, 7]),
    ],
)  # fmt: skip
def test_generics_interfaces_and_errors(declarations: str, statements: str, expected: list[int]) -> None:
    check(declarations, statements, expected)


LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"],
          ["*", "/", "%"]]  # fmt: skip
"""Of C, HLSL and Slang, the weakest first; operators of a level go from left to right."""


def drawn(draws: random.Random, depth: int) -> tuple[str, int, int]:
    """An expression with as few parentheses as may be, the level of its operator, and its value."""
    if depth == 0 or draws.random() < 0.15:
        number = draws.randint(0, 9)
        return str(number), len(LEVELS), number
    if draws.random() < 0.2:
        sign = draws.choice(["-", "~", "!"])
        text, level, value = drawn(draws, depth - 1)
        inside = text if level >= len(LEVELS) and not text.startswith("-") else f"({text})"
        inside = f"(0 + {inside})" if sign == "~" else inside  # of a bool it is `!`
        return f"{sign}{inside}", len(LEVELS), {"-": -value, "~": ~value, "!": int(not value)}[sign]
    level = draws.randrange(len(LEVELS))
    sign = draws.choice(LEVELS[level])
    left, left_level, a = drawn(draws, depth - 1)
    right, right_level, b = drawn(draws, depth - 1)
    if sign in ("<<", ">>"):
        right, right_level, b = str(b & 3), len(LEVELS), b & 3
    if sign in ("/", "%") and b == 0:
        right, right_level, b = "7", len(LEVELS), 7
    text = f"{left if left_level >= level else f'({left})'} {sign} {right if right_level > level else f'({right})'}"
    return text, level, computed(sign, a, b)


def computed(sign: str, a: int, b: int) -> int:
    if sign in ("/", "%"):  # toward zero
        whole = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return whole if sign == "/" else a - b * whole
    results = {
        "||": int(bool(a) or bool(b)), "&&": int(bool(a) and bool(b)), "|": a | b, "^": a ^ b, "&": a & b,
        "==": int(a == b), "!=": int(a != b), "<": int(a < b), ">": int(a > b), "<=": int(a <= b), ">=": int(a >= b),
        "<<": a << b if 0 <= b < 4 else 0, ">>": a >> b if 0 <= b < 4 else 0, "+": a + b, "-": a - b, "*": a * b,
    }  # fmt: skip
    return results[sign]


@pytest.mark.parametrize("seed", range(3))
def test_operators_bind_as_in_c(seed: int) -> None:
    draws = random.Random(seed)
    chosen: list[tuple[str, int]] = []
    while len(chosen) < 40:
        text, _, value = drawn(draws, 4)
        if abs(value) < 1 << 24:
            chosen.append((text, value))
    check("", " ".join(f"put({text});" for text, _ in chosen), [value for _, value in chosen])
