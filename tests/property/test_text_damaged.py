"""Whatever happens to a text, reading it gives a module or diagnostics; a module prints, verifies and reads back.

    good text ──▶ tokens replaced, inserted, removed, swapped ──▶ parse ──▶ InputError, or a module that comes back
"""

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from kit.random.trees import program

from reknit.ir.text.lexer import tokens
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.source.diagnostic import InputError

FLAT = """module 1.3 bound 40
Capability Shader
%glsl = ExtInstImport "GLSL.std.450"
EntryPoint GLCompute @f "f"
names %s, @f
MemberDecorate %s 0 Offset 4
declare u32, void
%s = TypeStruct u32, %q
%q = TypeFloat 16
%n = Constant 5 : %q
%m = SpecConstantOp IAdd 1u, 2u : u32
func @f(%c: bool) -> void control Inline flat ordered {
leading NoLine
%8: at 3
SelectionMerge b3 None
BranchConditional %c, b2, b3 1 2
b2:
%r = ExtInst %glsl Sqrt 1.5f : f32
Switch 5u b3, 1 b3
b3:
%p = Phi %c %8, true b2 : bool
return
closing NoLine
ids 20 %c
}
closing NoLine
ids 30 @f u32
"""
VOCABULARY = (
    "if loop switch scope else continuing case default break continue fallthrough return kill pad islands leading "
    "closing ids func module declare names in at as nojoin control targets weights flat ordered external type { } ( ) "
    '< > , : = -> %x @s %1 @1 % @ b1 !5 ! " "a" 7u -3 1.5f 1e999f 0x 99999999999999999999u u0 u9999 f7 vec4 array ptr '
    "fn null undef true Phi IAdd Switch Constant TypeInt TypeFloat ExtInst Decorate Op77 %x'2 ; // \u2028 \ud800 \0"
)
WORDS = VOCABULARY.split(" ")
SOURCES = [FLAT, *[print_module(program(seed, 12)) for seed in range(6)]]


def damaged(seed: int) -> str:
    rng = random.Random(seed)
    lines = [tokens(line) for line in rng.choice(SOURCES).split("\n")]
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        line = rng.choice(lines)
        at = rng.randrange(len(line) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            line.insert(at, rng.choice(WORDS))
        elif kind == 1 and line:
            line[at - 1] = rng.choice(WORDS)
        elif kind == 2 and line:
            del line[at - 1]
        elif kind == 3:
            other = rng.choice(lines)
            line[at:], other[:] = list(other), line[at:]
        elif kind == 4:
            lines.remove(line)
            lines.insert(rng.randrange(len(lines) + 1), line)
        elif kind == 5 and line:
            line[at - 1] = line[at - 1][:-1] + chr(rng.choice((0, 9, 34, 39, 48, 0xD800, 0x661, 0x2028)))
    return "\n".join([" ".join(line) for line in lines])


def check(text: str) -> bool:
    """Whether `text` is a module."""
    try:
        module = parse(text)
    except InputError as error:
        assert error.diagnostics
        for fault in error.diagnostics:
            assert fault.code.startswith("RK03") and fault.place is not None
            assert fault.place.line >= 1 and fault.place.column >= 1 and fault.place.length >= 1
        return False
    verify(module)
    printed = print_module(module)
    assert print_module(parse(printed)) == printed
    return True


def test_the_sources_are_modules() -> None:
    for source in SOURCES:
        assert verify(parse(source)) == [] or source is FLAT
        assert check(source)


@settings(max_examples=600)
@given(st.integers(0, 1 << 64))
def test_damaged_text_gives_a_module_or_diagnostics(seed: int) -> None:
    check(damaged(seed))


@settings(max_examples=300)
@given(st.lists(st.sampled_from([*WORDS, "\n", "%x =", "func @f() {\n"]), max_size=30))
def test_random_words_give_a_module_or_diagnostics(words: list[str]) -> None:
    check(" ".join(words))


@settings(max_examples=300)
@given(st.text(max_size=80))
def test_random_text_gives_a_module_or_diagnostics(text: str) -> None:
    check(text)


def test_some_damage_leaves_a_module() -> None:
    assert 0 < sum(check(damaged(seed)) for seed in range(100)) < 100
