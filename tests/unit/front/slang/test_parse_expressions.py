"""Expressions and types: text -> tree. The trees are stated by hand from Slang's language reference."""

import pytest
from kit.text.slang_trees import expression, statement, tree


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * c - d", "(- (+ a (* b c)) d)"),
        ("a << 2 >> 1", "(>> (<< a 2) 1)"),
        ("x = a < b == c > d", "(= x (== (< a b) (> c d)))"),
        ("a & b == c", "(& a (== b c))"),
        ("a | b ^ c & d", "(| a (^ b (& c d)))"),
        ("a || b && c", "(|| a (&& b c))"),
        ("a = b += c", "(= a (+= b c))"),
        ("a <<= b >>= 1", "(<<= a (>>= b 1))"),
        ("a ? b : c ? d : e", "(? a b (? c d e))"),
        ("a ? b ? c : d : e", "(? a (? b c d) e)"),
        ("a ? b : c = d", "(= (? a b c) d)"),  # as in Slang: the whole `?:` is the left side
        ("x = a ? b : c", "(= x (? a b c))"),
        ("a, b = c, d", "(, (, a (= b c)) d)"),
        ("-x++", "(- (post++ x))"),
        ("--x", "(-- x)"),
        ("- -x", "(- (- x))"),
        ("!a && ~b | c", "(&& (! a) (| (~ b) c))"),
        ("*p = &q", "(= (* p) (& q))"),
        ("(a + b) * c", "(* (+ a b) c)"),
    ],
)
def test_operators(text: str, expected: str) -> None:
    assert expression(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(a, b)(c)", "(call (call f a b) c)"),
        ("v.xy[0]++", "(post++ (index (. v xy) 0))"),
        ("a[i, j]", "(index a i j)"),
        ("p->q.r", "(. (-> p q) r)"),
        ("A::B::c(1)", "(call (:: (:: A B) c) 1)"),
        ("::g(1)", "(call ::g 1)"),
        ("1.xx", "(. 1 xx)"),
        ("1.0.xxx", "(. 1.0 xxx)"),
        ("this.x = This()", "(= (. this x) (call This))"),
        ("x = none", "(= x none)"),
        ("x = nullptr", "(= x nullptr)"),
        ("x = true ? 'a' : 'b'", "(= x (? true 97u 98u))"),
        ('x = "a" "b"', "(= x 'ab')"),
        ("x = 0x1Fu + 10ull + 1.5h", "(= x (+ (+ 31u# 10ull) 1.5h))"),
        ("x = {1, {2, 3}, }", "(= x (list 1 (list 2 3)))"),
        ("x = {}", "(= x (list))"),
        ("sizeof(int4)", "(call sizeof int4)"),
        ("operator+(a, b)", "(call operator+ a b)"),
        ("a as IFoo", "(as a IFoo)"),
        ("a.b is Foo<int> && c", "(&& (is (. a b) (of Foo int)) c)"),
        ("f((int x) => x + 1)", "(call f (lambda ((var x int)) (+ x 1)))"),
        ("f((int x, inout float y) => { return x; })",
         "(call f (lambda ((var x int) (inout var y float)) {(return x)}))"),
        ("f(() => 1)", "(call f (lambda () 1))"),
        ("x = no_diff f(y)", "(= x (no_diff (call f y)))"),
        ("no_diff f(x)", "(call f x)"),  # a modifier of the statement
    ],
)  # fmt: skip
def test_what_stands_between_operators(text: str, expected: str) -> None:
    assert expression(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(float3)(x)", "(cast float3 x)"),
        ("(int)x + 1", "(+ (cast int x) 1)"),
        ("(int)-b", "(cast int (- b))"),
        ("(int)(uint)~b", "(cast int (cast uint (~ b)))"),
        ("(a) - b", "(- a b)"),
        ("(a)(b)", "(call a b)"),  # a call or a cast: the checker knows what `a` is
        ("(N::T)b", "(cast (:: N T) b)"),
        ("(N::T) - b", "(- (:: N T) b)"),  # white space decides, as in Slang
        ("(N::T) -b", "(cast (:: N T) (- b))"),
        ("(int*)p", "(cast (* int) p)"),
        ("(Foo<int>)x", "(cast (of Foo int) x)"),
        ("(int[2])x", "(cast (index int 2) x)"),
        ("(const Foo)x", "(cast (const Foo) x)"),
        ("(a) is Foo", "(is a Foo)"),
        ("(a ? b : c) + 1", "(+ (? a b c) 1)"),
        ("(S){}", "(cast S (list))"),
    ],
)
def test_casts(text: str, expected: str) -> None:
    assert expression(text) == expected


def test_a_declared_type_makes_a_cast() -> None:
    source = "struct S { int x; }\nvoid f() { y = (S)-z; y = (S)(z); }"
    body = tree(source).split("func f")[1]
    assert body == " -> void {(= y (cast S (- z))) (= y (cast S z))})"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f<int>(x)", "(call (of f int) x)"),
        ("x.foo<int, 3>(1)", "(call (of (. x foo) int 3) 1)"),
        ("A<B<C>>::make(1)", "(call (:: (of A (of B C)) make) 1)"),
        ("A<B<C<D>>>::make()", "(call (:: (of A (of B (of C D))) make))"),
        ("a < b > (c)", "(call (of a b) c)"),  # what follows the `>` decides
        ("x = a < b > c", "(= x (> (< a b) c))"),
        ("f(a < b, c > (d))", "(call f (call (of a b c) d))"),
        ("f(a < b, c > d)", "(call f (< a b) (> c d))"),
        ("i < n && j > (k)", "(&& (< i n) (> j k))"),
        ("a < b >> 1", "(< a (>> b 1))"),
        ("i < (n >> 1)", "(< i (>> n 1))"),
        ("a < b < c", "(< (< a b) c)"),
        ("A<(3 > 2)>::x", "(:: (of A (> 3 2)) x)"),
        ("A<-1, 1 + 2>()", "(call (of A -1 (+ 1 2)))"),
        ("A<int[2], float*, This.B>()", "(call (of A (index int 2) (* float) (. This B)))"),
        ("A<int?>()", "(call (of A (? int)))"),
        ("A<const int>()", "(call (of A (const int)))"),
        ("createDynamicObject<IFoo>(id, data)", "(call (of createDynamicObject IFoo) id data)"),
        ("a[x < y]", "(index a (< x y))"),
        ("a < b ? c : d", "(? (< a b) c d)"),
    ],
)
def test_generic_arguments_and_comparisons(text: str, expected: str) -> None:
    assert expression(text) == expected


def test_what_is_known_of_a_name_decides_first() -> None:
    """Slang asks its symbol table there. `a` is a parameter, so it has no generic arguments; `g` is declared with
    generic parameters, later, so it has; of `c` nothing is known, and the bracket after its `>` decides."""
    text = "void f(int a) { x(a < b, b > (b)); y = g < 1 > - 2; x(c < b, b > (b)); }\nvoid g<let N : int>() {}"
    assert tree(text) == (
        "(func f (var a int) -> void {(call x (< a b) (> b b)) (= y (- (of g 1) 2)) (call x (call (of c b b) b))}) "
        "(func g<(value N int)> -> void {})"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int", "int"),
        ("A.B::C", "(:: (. A B) C)"),
        ("::A", "::A"),
        ("vector<float, 3>", "(of vector float 3)"),
        ("int[2][3]", "(index (index int 2) 3)"),
        ("int[]", "(index int)"),
        ("A<B[]>[N + 1]", "(index (of A (index B)) (+ N 1))"),
        ("float**", "(* (* float))"),
        ("A<B>*[4]", "(index (* (of A B)) 4)"),
        ("IA & IB<int> & IC", "(& (& IA (of IB int)) IC)"),
        ("int?", "(? int)"),
        ("dyn IFoo", "(dyn IFoo)"),
        ("some IFoo", "(some IFoo)"),
        ("const int", "(const int)"),
        ("Optional<dyn IFoo>", "(of Optional (dyn IFoo))"),
        ("functype (int, float) -> void", "(of functype void int float)"),
        ("Tuple<int, float>", "(of Tuple int float)"),
        ("expand each T", "(expand (each T))"),
    ],
)
def test_types(text: str, expected: str) -> None:
    assert tree(f"typealias X = {text};") == f"(alias X {expected})"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = fwd_diff(f)(a, b)", "(= x (call <automatic differentiation (`fwd_diff`)> a b))"),
        ("x = spirv_asm { OpNop; result:$$int = OpIAdd $a $b }", "(= x (asm [OpNop] [result : $$int = OpIAdd $a $b]))"),
        ("f(expand each xs)", "(call f (expand (each xs)))"),
        ("x = new Foo(1)", "(= x <`new`>)"),
        ("x = each(1)", "(= x <an `each` outside of an `expand`>)"),
    ],
)
def test_what_is_not_taken_further_is_named(text: str, expected: str) -> None:
    assert expression(text) == expected


def test_words_with_a_meaning_are_names_elsewhere() -> None:
    text = "point.x = line + sample; in[0] = out; property = module(func); shared++; try_ = each;"
    assert statement(text) == (
        "(= (. point x) (+ line sample)) (= (index in 0) out) (= property (call module func)) (post++ shared) "
        "(= try_ each)"
    )
