"""HLSL's templates and operators of structs: what is stored, which DXC's DXIL stores too, and what is refused."""

from pathlib import Path

import dxc
import pytest
from kit import oracles
from kit.text.explain_pages import examples

import reknit
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module


def shader(before: str, body: str) -> bytes:
    head = "RWStructuredBuffer<int> o : register(u1);\n"
    return f"{head}{before}\n[numthreads(1, 1, 1)]\nvoid main(uint t : SV_GroupIndex)\n{{\n{body}\n}}\n".encode()


NUMBERS = """
template<class T, class U> T made(U u) { return (T)u; }
template<typename T> T sqr(T a) { return a * a; }
template<typename T> T pow4(T a) { return sqr(sqr(a)); }
template<typename T> T between(T a, T b, T p) { return all(a == b) ? 0 : (p - a) / (b - a); }
template<typename T> uint size(T a) { return sizeof(T); }
template<typename T> T scaled(in T z, in float near, in bool flat = false) { return flat ? z : z * near; }
"""
GENERATORS = """
struct R { uint s; uint next() { s = s * 3 + 1; return s; } };
struct Q { uint s; uint next() { s += 100; return s; } };
template<typename RNG> uint draw(inout RNG r, uint n)
{
    uint sum = 0;
    for (uint i = 0; i < n; i++)
        sum += r.next();
    return sum;
}
struct G
{
    uint base;
    template<typename RNG> uint cell(inout RNG r) { base += draw(r, 2); return base; }
    template<uint N> uint many(uint x) { uint a[N]; a[N - 1] = x; return a[N - 1] + base + N; }
};
"""
BOXES = """
template<typename T> struct Box
{
    T v;
    T get() { return v; }
    bool unused() { return v.nothing; }
    Box<T> twice() { Box<T> b; b.v = v + v; return b; }
    template<typename U> U as() { return (U)v; }
};
template<typename T> Box<T> boxed(T v) { Box<T> b; b.v = v; return b; }
template<typename T, int N> T total(Box<T> b[N]) { T s = (T)0; for (int i = 0; i < N; i++) s += b[i].get(); return s; }
template<typename T> T opened(Box<T> b) { return b.v; }
"""
VALUES = """
enum E { A, B = 5 };
template<bool B, int K = -3> int by(int x) { if (B) return x + K; return x * K; }
template<E e> int next() { return e + 1; }
template<typename T = float, uint N = 4> struct V
{
    T a[N];
    static const uint doubled = N * 2;
    T last() { return a[N - 1]; }
};
"""
DEFAULTS = """
struct A { int v; static A made() { A a; a.v = 3; return a; } int go() { return v; } };
struct B { int w; int go() { return w * 10; } };
template<typename T> int run(int k, T t = A::made()) { return k + t.go(); }
"""
OPERATORS = """
struct P
{
    int x;
    P operator+(P q) { P r; r.x = x + q.x; return r; }
    P operator*(int k) { P r; r.x = x * k; return r; }
    bool operator==(P q) { return x == q.x; }
    int operator[](int i) { return x * i; }
    int operator()(int a) { return a + x; }
};
template<typename T> struct Row { T a[4]; T operator[](uint i) { return a[i] * 2; } };
"""
EXPLICIT = """
template<typename T> struct Kind { T v; static const int n = 1; int get() { return v; } };
template<> struct Kind<float>;
template<> struct Kind<float> { int whole; static const int n = 2; int get() { return whole * 10; } };
template<> struct Kind<Kind<int> > { static const int n = 3; };
template<int N> struct Factorial { static const int v = N * Factorial<N - 1>::v; };
template<> struct Factorial<0> { static const int v = 1; };
template<typename T> int which(T a, int k = 4) { return 1; }
template<> int which<int>(int a, int k) { return k; }
template<> int which(float2 a, int k);
template<> int which(float2 a, int k) { return (int)a.y + k; }
template<typename T> void grow(inout T a) { a += 1; }
template<> void grow<int>(inout int a) { a += 10; }
template<uint N> int times(int a) { return a * times<N - 1>(a); }
template<> int times<0>(int a) { return 1; }
namespace N
{
    template<typename T> int number() { return 1; }
    template<> int number<float3>() { return 3; }
}
"""
PARTIAL = """
template<typename T, int N> struct S { T a; int f() { return N; } };
template<typename T> struct S<T, 0>;
template<typename T> struct S<T, 0> { T b; int f() { return 100 + b; } };
template<typename T> struct Box { T v; };
template<typename T, typename U = int> struct Kind { static const int n = 1; };
template<typename T> struct Kind<Box<T> > { static const int n = 2; static T made(T a) { return a + 1; } };
template<typename T, int N> struct Kind<vector<T, N>, float> { static const int n = N * 10; };
template<typename T> struct Kind<T, T> { static const int n = 4; };
template<> struct Kind<float2, float> { static const int n = 5; };
template<uint M, uint N> struct Ackermann { enum { V = Ackermann<M - 1, Ackermann<M, N - 1>::V>::V }; };
template<uint M> struct Ackermann<M, 0> { enum { V = Ackermann<M - 1, 1>::V }; };
template<uint N> struct Ackermann<0, N> { enum { V = N + 1 }; };
template<> struct Ackermann<0, 0> { enum { V = 1 }; };
"""
CASES = {
    # 3; 3^4; 2^4; 1.5^4 = 5.06; (6 - 3) / (9 - 3) = 0.5 and 0; sizes of half, int, float3; 3 * 2.5 is 7 in an int.
    "numbers": (
        NUMBERS,
        """
    o[0] = made<int>(3.7);
    o[1] = pow4(3);
    o[2] = pow4(float3(1, 2, 3)).y;
    o[3] = pow4(1.5);
    o[4] = between(float2(1, 3), float2(3, 9), float2(2, 6)).y * 10 + between(1.0, 1.0, 3.0);
    half h = 1;
    o[5] = size(h) * 100 + size(1) * 20 + size(float3(1, 2, 3));
    o[6] = scaled(3, 2.5) * 10 + scaled(4, 9.0, true);
""",
        [3, 81, 16, 5, 5, 292, 74],
    ),
    # 4 + 13 + 40; 1000 + 105 + 205; 1310 + 121 + 364; 7 + 1795 + 4.
    "generators": (
        GENERATORS,
        """
    R r; r.s = 1;
    Q q; q.s = 5;
    G g; g.base = 1000;
    o[0] = draw(r, 3);
    o[1] = g.cell(q);
    o[2] = g.cell(r);
    o[3] = g.many<4>(7);
""",
        [57, 1310, 1795, 1806],
    ),
    # 4 + 5 + 6; 2.5 * 2; 9; 6; (5 + 5) as a float times 2.5.
    "boxes": (
        BOXES,
        """
    Box<int> b[3];
    b[0] = boxed(4); b[1] = boxed(5); b[2] = boxed(6);
    o[0] = total(b);
    o[1] = opened(boxed(2.5)) * 2;
    o[2] = opened(boxed(boxed(9))).get();
    o[3] = opened<int>(b[2]);
    o[4] = b[1].twice().as<float>() * 2.5;
""",
        [15, 5, 9, 6, 25],
    ),
    # 10 - 3; 10 * 4; 5 + 1; 2.5 * 2; 7 + 2 * 3; a default size of 4.
    "values": (
        VALUES,
        """
    o[0] = by<true>(10);
    o[1] = by<false, 4>(10);
    o[2] = next<B>();
    V<> f; f.a[3] = 2.5;
    V<int, 3> i; i.a[2] = 7;
    o[3] = f.last() * 2;
    o[4] = i.last() + V<int, 3>::doubled;
    V<int> w; w.a[3] = 4;
    o[5] = w.last();
""",
        [7, 40, 6, 5, 13, 4],
    ),
    # 1 + 4 * 10, 1 + 7, 1 + 3: the default is of another type than the first call's.
    "defaults": (
        DEFAULTS,
        "B b; b.w = 4; o[0] = run(1, b); A a; a.v = 7; o[1] = run(1, a); o[2] = run<A>(1);",
        [41, 8, 4],
    ),
    # 7; 5 * 10; 1, 2 and 3; 5!; 4; 1; 2.5 cut + 6; 1 + 10 and 1 + 1; 2 to the third; 3 and 1.
    "explicit": (
        EXPLICIT,
        """
    Kind<int> i; i.v = 7;
    Kind<float> f; f.whole = 5;
    o[0] = i.get();
    o[1] = f.get();
    o[2] = Kind<uint>::n * 100 + Kind<float>::n * 10 + Kind<Kind<int> >::n;
    o[3] = Factorial<5>::v;
    o[4] = which(1);
    o[5] = which(1.5);
    o[6] = which(float2(1, 2.5), 6);
    int a = 1; float b = 1;
    grow(a); grow(b);
    o[7] = a * 10 + b;
    o[8] = times<3>(2);
    o[9] = N::number<float3>() * 10 + N::number<float>();
""",
        [7, 50, 123, 120, 4, 1, 8, 112, 8, 31],
    ),
    # 3; 100 + 7; 2, 2.5 + 1 and 1; 30 and 5; 4 and 1; 2 to the sixth - 3.
    "partial": (
        PARTIAL,
        """
    S<int, 3> s;
    S<int, 0> z; z.b = 7;
    o[0] = s.f();
    o[1] = z.f();
    o[2] = Kind<Box<float> >::n * 10 + Kind<Box<float> >::made(2.5) + Kind<Box<int>, float>::n * 100;
    o[3] = Kind<float3, float>::n * 10 + Kind<float2, float>::n;
    o[4] = Kind<uint, uint>::n * 10 + Kind<uint>::n;
    o[5] = Ackermann<3, 3>::V;
""",
        [3, 107, 123, 305, 41, 61],
    ),
    # (3 + 4) + 3 * 2; 3 * 5; 10 + 3; equal and not; 3.5 * 2.
    "operators": (
        OPERATORS,
        """
    P a; a.x = 3;
    P b; b.x = 4;
    o[0] = (a + b + a * 2).x;
    o[1] = a[5];
    o[2] = a(10);
    o[3] = (a == a) * 10 + (a == b);
    Row<float> row; row.a[1] = 3.5;
    o[4] = row[1];
""",
        [13, 15, 13, 10, 7],
    ),
}


def stored(module: reknit.Module, words: int) -> list[int]:
    result = reknit.run(module, buffers={"o": [0] * words})
    assert not result.failed(), [str(one) for one in result.diagnostics]
    return list(result.buffers["o"].words)


@pytest.mark.parametrize("name", CASES)
def test_what_is_stored(name: str) -> None:
    before, body, expected = CASES[name]
    module = reknit.load(shader(before, body), format="hlsl")
    assert stored(module, len(expected)) == expected
    reknit.compile(module)
    binary = write_module(module)
    assert oracles.validate(binary) == (True, "")
    assert stored(reknit.load(binary), len(expected)) == expected


@pytest.mark.parametrize("name", CASES)
def test_dxc_stores_the_same(name: str, tmp_path: Path) -> None:
    before, body, expected = CASES[name]
    library = oracles.need("dxc")[0]
    path = tmp_path / "a.dxil"
    words = ["-T", "cs_6_5", "-E", "main", "-HV", "2021", "-enable-16bit-types"]
    path.write_bytes(dxc.compile_hlsl(Path(library), shader(before, body).decode(), words))
    assert stored(reknit.load(path), len(expected)) == expected


def test_a_function_that_is_no_template_is_the_one_that_is_meant() -> None:
    """ISO C++ [over.match.best]: of equal conversions, then the template that takes less."""
    before = """
template<typename T> int which(T a) { return 1; }
template<typename T, int N> int which(vector<T, N> v) { return 2; }
int which(float a) { return 3; }
"""
    body = "o[0] = which(1); o[1] = which(1.5); o[2] = which(float2(1, 2)); o[3] = which<float>(2.5);"
    assert stored(reknit.load(shader(before, body), format="hlsl"), 4) == [1, 3, 2, 1]


MAX = "template<typename T> T most(T a, T b) { return max(a, b); }"
REFUSED = {
    "no one type": (MAX, "o[0] = most(1, 2.5);", "E30439", "could not infer template arguments from an argument of"),
    "no argument tells it": ("template<typename T> T zero() { return (T)0; }", "o[0] = zero();", "E30439", "'T'"),
    "too many": (MAX, "o[0] = most<int, int>(1, 2);", "E30439", "too many template arguments"),
    "a value for a type": (MAX, "o[0] = most<3>(1, 2);", "E30439", "'T' is a type, and '3' is none"),
    "a type for N": ("template<int N> int n() { return N; }", "o[0] = n<float>();", "E30439", "'N' is a value"),
    "used without": ("template<typename T> struct S { T a; };", "S s;", "E30408", "'S' used without argument"),
    "only declared": ("template<typename T> struct S;", "S<int> s;", "E39999", "'S' is declared and not defined"),
    "wrong for this type": ("template<typename T> int x(T a) { return a.x.y; }", "o[0] = x(1.5);", "E", "'y'"),
    "a type for a value": ("int f(int a) { return (int), a; }", "o[0] = f(1);", "E30019", "expected a value"),
    "of itself": ("template<typename T> T f(T a) { return f(a); }", "o[0] = f(1);", "E55201", "recursion detected"),
    "for another type": (
        MAX + "\ntemplate<> int most<int>(int a, float b) { return a; }", "", "E39999",
        "'most' with these arguments is no specialization of a template",
    ),
    "of another result": (
        MAX + "\ntemplate<> float most<int>(int a, int b) { return a; }", "", "E39999", "is no specialization",
    ),
    "of nothing": ("template<> int most<int>(int a, int b) { return a; }", "", "E39999", "is no specialization"),
    "with too many": (MAX + "\ntemplate<> struct S<int> { };", "", "E39999", "'S' with these arguments"),
    "twice": (
        MAX + 2 * "\ntemplate<> int most<int>(int a, int b) { return a; }", "", "E30200",
        "there is another specialization of 'most' for the same arguments",
    ),
    "wrong and not called": (
        MAX + "\ntemplate<> int most<int>(int a, int b) { return c; }", "", "E30015", "'c'",
    ),
    "inside of a struct": (
        f"struct P {{ {MAX} template<> int most<int>(int a, int b) {{ return a; }} }};",
        "P p; o[0] = p.most(1, 2);", "E39999", "explicit specialization of 'most' inside of a struct",
    ),
    "only declared for this": (
        "template<typename T> struct S { T a; };\ntemplate<> struct S<int>;", "S<int> s; o[0] = s.a;", "E39999",
        "'S' is declared and not defined",
    ),
    "for some types of a function": (
        "template<typename T, typename U> int f(T a) { return 1; }\n"
        "template<typename T> int f<T, int>(T a) { return 2; }", "", "RK0910", "partial specializations of templates",
    ),
    "two fit": (
        "template<typename A, typename B> struct P { static const int v = 1; };\n"
        "template<typename T> struct P<T, int> { static const int v = 2; };\n"
        "template<typename T> struct P<float, T> { static const int v = 3; };", "o[0] = P<float, int>::v;", "E39999",
        "several partial specializations of 'P' fit",
    ),
    "for what can't be inferred": (
        "template<int N> struct F { int a; };\ntemplate<int N> struct F<N + 1> { int b; };", "", "E39999",
        "template parameter 'N' can't be inferred from what 'F' is specialized for",
    ),
    "for all": (
        "template<typename T> struct F { int a; };\ntemplate<typename U> struct F<U> { int b; };", "", "E39999",
        "this specialization of 'F' is for all arguments",
    ),
    "from outside": (
        "template<typename T> struct S { T f(); };\ntemplate<typename T> T S<T>::f() { return 0; }", "", "RK0910",
        "members of templates that are defined outside",
    ),
    "packs": ("template<typename... T> int n(T... a) { return 0; }", "", "RK0910", "packs of template parameters"),
    "of variables": ("template<typename T> static const T pi = 3;", "", "RK0910", "templates of variables"),
    "of names": ("template<typename T> using S = T;", "", "RK0910", "templates of names for types"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    before, body, code, message = REFUSED[name]
    with pytest.raises(InputError) as caught:
        reknit.load(shader(before, body), format="hlsl")
    first = caught.value.diagnostics[0]
    assert first.code.startswith(code) and message in first.message and first.place is not None


@pytest.mark.parametrize(
    "before",
    [
        "template<int N> struct S { S<N + 1> n; int v; };",
        "template<int N> struct S : S<N + 1> { int v; };",
        "template<int N> struct S { enum { K = S<N + 1>::K }; int v; };",
        "template<int N> struct S { int v; int a() { S<N + 1> n; return n.a(); } };",
        "template<typename T> struct P { T a; T b; };\ntemplate<typename T> void f(T a) { P<T> p; f(p); }\n"
        "template<int N> struct S { int a() { f(1); return 0; } int v; };",
    ],
)
def test_what_has_no_end_is_refused(before: str) -> None:
    body = "S<0> s; o[0] = s.a();" if " a()" in before else "S<0> s; o[0] = s.v;"
    with pytest.raises(InputError, match="RK0904.*instantiated more than 256 deep"):
        reknit.load(shader(before, body), format="hlsl")


def test_the_page_of_the_code_has_true_examples() -> None:
    fails, passes = examples("RK0904", "hlsl")
    with pytest.raises(InputError, match="RK0904"):
        reknit.load(fails.encode(), format="hlsl")
    assert reknit.load(passes.encode(), format="hlsl").notes == []


def test_slang_has_no_templates(tmp_path: Path) -> None:
    path = tmp_path / "a.slang"
    path.write_text("template<typename T> T same(T a) { return a; }\n")
    with pytest.raises(InputError, match="not supported: templates outside of HLSL") as caught:
        reknit.load(path)
    assert [str(one.place) for one in caught.value.diagnostics][0] == f"{path}:1:1"


def test_a_specialization_is_found_whatever_asks_for_it_first() -> None:
    """The arguments of the first ask for the second: 2, 3 and 1, as DXC stores."""
    before = """
template<typename T> struct S { int n() { return 1; } };
template<> struct S<S<S<int> > > { int n() { return 2; } };
template<> struct S<S<int> > { int n() { return 3; } };
"""
    body = "S<S<S<int> > > s; S<S<int> > r; S<int> q; o[0] = s.n(); o[1] = r.n(); o[2] = q.n();"
    assert stored(reknit.load(shader(before, body), format="hlsl"), 3) == [2, 3, 1]


def test_each_instance_has_a_static_variable_of_its_own() -> None:
    """21 * 10, 22 * 10, 21 * 2.5 cut to 52; 21 * 10 + 1 and 22 * 10 + 1, as DXC's SPIR-V stores."""
    before = """
template<typename R> R test(R x) { static R v = 20; v += 1; return v * x; }
template<typename R> struct S { R k; R go(R x) { static R v = 20; v += 1; return v * x + k; } };
"""
    body = """
    o[0] = test(10); o[1] = test(10); o[2] = test(2.5);
    S<int> s; s.k = 1; o[3] = s.go(10); o[4] = s.go(10);
"""
    assert stored(reknit.load(shader(before, body), format="hlsl"), 5) == [210, 220, 52, 211, 221]
