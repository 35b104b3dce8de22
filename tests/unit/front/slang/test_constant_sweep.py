"""Constant expressions, swept: one that is worked out beforehand is what it is when its operands come from a buffer.

    int8_t(127) + int8_t(1)     worked out in each place where the front-end knows it: in an expression, a static const,
    x + y, of a buffer          an enum, a generic argument, a generic argument made of generic parameters

What runs is judged by the simulator, whose operations are tested on their own (tests/unit/sim/ops). All widths, both
signs, values at the edges; what the language leaves undefined isn't drawn. A sample in CI, more with --full.
"""

import random

import pytest

import reknit
from reknit.front.slang.compile import compile_slang

WIDTHS = {f"{sign}int{width}_t": width for sign in ("", "u") for width in (8, 16, 32, 64)}
ARITHMETIC = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
FLOATS = {"half": "uint64_t(asuint16({}))", "float": "uint64_t(asuint({}))", "double": "bit_cast<uint64_t>({})"}
COUNT = 60
FORMS = ("expression", "static const", "enum", "generic", "parameter")

Case = tuple[str, list[int], str, bool]
"""The operands' type, their bits, the expression with a brace for each, whether it is a whole number's."""


def corners(width: int) -> list[int]:
    top = 1 << (width - 1)
    some = [0, 1, 2, 3, 7, width - 1, top - 1, top, top + 1, 2 * top - 2, 2 * top - 1]
    if width == 64:  # f32 has 24 bits of precision, f64 53: what is rounded twice is rounded wrong
        some += [(1 << 24) + 1, (1 << 53) + 1, (1 << 54) + (1 << 30) + 1, (1 << 63) + (1 << 39) + 1]
    return some


def cases(seed: int, count: int) -> list[Case]:
    draw = random.Random(seed)
    made: list[Case] = []
    while len(made) < count:
        type, other, third = [draw.choice(list(WIDTHS)) for _ in range(3)]
        width = WIDTHS[type]
        a, b = draw.choice(corners(width)), draw.choice(corners(width))
        kind = draw.randrange(8)
        if kind < 3:
            symbol = draw.choice(ARITHMETIC + COMPARISONS)
            if symbol in "/%" and (b == 0 or not type.startswith("u") and b == (1 << width) - 1):
                continue  # by zero, or maybe the least integer by -1
            b = b % width if symbol in ("<<", ">>") else b
            made.append((type, [a, b], f"({{0}} {symbol} {{1}})", True))
        elif kind == 3:
            made.append((type, [a], f"({draw.choice('-~!')}{{0}})", True))
        elif kind == 4:
            made.append((type, [a], f"{third}({other}({{0}}))", True))
        elif kind == 5:
            symbol = draw.choice(COMPARISONS)
            made.append((type, [a, b], f"({other}({{0}} - {{1}}) {symbol} {other}({{1}}))", True))
        elif kind == 6:
            made.append((type, [a, b], f"(({{0}} {draw.choice(COMPARISONS)} {{1}}) ? {{0}} : {{1}})", True))
        else:
            float, bits = draw.choice(list(FLOATS.items()))
            made.append((type, [a], bits.format(f"{float}({{0}})"), False))
    return made


def source(drawn: list[Case], form: str) -> str:
    declared = ["StructuredBuffer<uint64_t> inp; RWStructuredBuffer<uint64_t> outp;", "T pass<T>(T x) { return x; }"]
    body: list[str] = []
    place = 0
    for number, (type, values, text, _) in enumerate(drawn):
        known = text.format(*[f"{type}({value}ULL)" for value in values])
        value = f"uint64_t({known})"
        if form == "buffer":
            value = f"uint64_t({text.format(*[f'{type}(inp[{place + at}])' for at in range(len(values))])})"
        elif form == "static const":
            declared.append(f"static const uint64_t k{number} = {value};")
            value = f"k{number}"
        elif form == "enum":
            declared.append(f"enum E{number} : uint64_t {{ A = {value} }}")
            value = f"uint64_t(E{number}.A)"
        elif form != "expression":
            declared.append(f"uint64_t g{number}<let N : uint64_t>() {{ return N; }}")
            value = f"g{number}<{value}>()"
        if form == "parameter":
            names = [f"P{at}" for at in range(len(values))]
            params = ", ".join(f"let {name} : {type}" for name in names)
            value = f"uint64_t({text.format(*names)})"
            declared.append(f"uint64_t h{number}<{params}>() {{ return g{number}<{value}>(); }}")
            arguments = ", ".join(f"{type}({value}ULL)" for value in values)
            value = f"h{number}<{arguments}>()"
        body.append(f"outp[{number}] = {value};")
        place += len(values)
    return "\n".join([*declared, "[numthreads(1, 1, 1)] void main() {", *body, "}"])


def stored(drawn: list[Case], form: str) -> list[int]:
    module = compile_slang(source(drawn, form), "sweep.slang")
    buffers = {"outp": [0] * (2 * len(drawn))}
    if form == "buffer":
        given = [value for case in drawn for value in case[1]]
        buffers["inp"] = [word for value in given for word in (value & 0xFFFFFFFF, value >> 32)]
    result = reknit.run(module, subgroup_size=4, buffers=buffers)
    assert not result.failed(), [str(fault) for fault in result.diagnostics]
    words = result.buffers["outp"].words
    return [words[at] | words[at + 1] << 32 for at in range(0, len(words), 2)]


@pytest.mark.parametrize("form", FORMS)
def test_what_is_known_beforehand_is_what_runs(form: str, full: bool) -> None:
    for seed in range(20 if full else 1):
        drawn = [case for case in cases(seed, COUNT) if case[3] or form == "expression"]
        found = stored(drawn, form)
        for case, ran, known in zip(drawn, stored(drawn, "buffer"), found, strict=True):
            assert ran == known, (case, hex(ran), hex(known))


def test_a_constant_bool_of_a_fraction() -> None:
    """By hand: 0.5 isn't 0, though what is left of it as an int is."""
    text = "enum E { A = int(bool(0.5)), B = int(bool(0.0)), C = int(0.5), D = int(-2.75) }\n"
    text += "RWStructuredBuffer<int> outp;\n[numthreads(1, 1, 1)] void main() {\n"
    text += "outp[0] = int(E.A); outp[1] = int(E.B); outp[2] = int(E.C); outp[3] = int(E.D);\n}\n"
    result = reknit.run(compile_slang(text, "a.slang"), buffers={"outp": [0] * 4})
    assert result.buffers["outp"].words == [1, 0, 0, 0xFFFFFFFE]
