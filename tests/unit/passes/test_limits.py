"""What a limit allows, and what is one beyond: the sizes are counted by hand, as the option's text says it.

A loop counts one for itself, for each block and construct in it, and for each instruction; SEE is six instructions.
"""

import pytest
from kit.text.pass_texts import body, main_text, renamed, rewritten, stays

from reknit.passes.manager import run_passes

ODD = "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n"

# the loop, its first block with 6, the if, its two arms, the block behind it, the continuing block
ONCE = ODD + "loop @l { SEE 1\nif true nojoin { break @l } }\nSEE 2\nreturn"
SIZE = 1 + (1 + 6) + 1 + 2 + 1 + 1


@pytest.mark.parametrize("count", [1, 2])
def test_peeled_iterations(count: int) -> None:
    assert "scope" in rewritten(ONCE, f"peel-loops{{count={count},limit={SIZE * count}}}")
    assert stays(ONCE, f"peel-loops{{count={count},limit={SIZE * count - 1}}}") == ["RK2210"]


# the loop; h: 2 instructions; the if and its arms; behind it 6; the continuing block: 6 and the step
COUNTED = (
    "pad pre:\nloop @l { pad h:\n%i = Phi 0u pre, %n latch : u32\n%c = UGreaterThanEqual %i, 2u : bool\n"
    "if %c nojoin { break @l }\nSEE 1 } continuing { pad latch:\nSEE 2\n%n = IAdd %i, 1u : u32\n}\nreturn"
)
COPIES = 3 * (1 + (1 + 2) + 1 + 2 + (1 + 6) + (1 + 7))  # twice round, and once up to the test


def test_unrolled_iterations() -> None:
    assert "loop" not in rewritten(COUNTED, f"unroll-loops{{limit={COPIES}}}")
    assert stays(COUNTED, f"unroll-loops{{limit={COPIES - 1}}}") == ["RK2212"]


def sums(name: str, count: int) -> str:
    lines = [f"%{name}0 = IAdd %lane, 1u : u32\n"]
    lines += [f"%{name}{at} = IAdd %{name}{at - 1}, 1u : u32\n" for at in range(1, count)]
    return "".join(lines[:count])


@pytest.mark.parametrize(("then", "orelse"), [(4, 0), (1, 3), (2, 2), (5, 0), (3, 2), (1, 4)])
def test_instructions_of_a_select(then: int, orelse: int) -> None:
    """Four, in both arms together."""
    values = [f"%{name}{count - 1}" if count else "7u" for name, count in (("x", then), ("y", orelse))]
    use = "Store %slot, %p\nreturn"
    before = (
        ODD + f"if %odd {{ pad t:\n{sums('x', then)}}} else {{ pad e:\n{sums('y', orelse)}}}\n"
        f"%p = Phi {values[0]} t, {values[1]} e : u32\n{use}"
    )
    if then + orelse > 4:
        assert stays(before, "simplify-ifs") == []
        assert "Select" in rewritten(before, "simplify-ifs{limit=5}")
        return
    after = ODD + f"{sums('x', then)}{sums('y', orelse)}%p = Select %odd, {values[0]}, {values[1]} : u32\n{use}"
    assert renamed(rewritten(before, "simplify-ifs")) == renamed(main_text(body(after)))
    assert stays(before, "simplify-ifs{limit=3}") == []


@pytest.mark.parametrize(("version", "selects"), [(0x10300, False), (0x10400, True), (0x10600, True)])
def test_a_vector_is_selected_from_version_1_4_on(version: int, selects: bool) -> None:
    """ "Before version 1.4, Result Type must be a pointer, scalar, or vector", and the condition of a vector one of
    bools (SPIR-V 1.6, OpSelect)."""
    text = (
        ODD + "%v = CompositeConstruct %lane, %bit : vec2<u32>\n%w = CompositeConstruct %bit, %lane : vec2<u32>\n"
        "if %odd { pad t:\n} else { pad e:\n}\n%p = Phi %v t, %w e : vec2<u32>\n"
        "%x = CompositeExtract %p 0 : u32\nStore %slot, %x\nreturn"
    )
    module = body(text)
    module.version = version
    run_passes(module, "simplify-ifs")
    assert ("Select" in main_text(module)) == selects


def test_weights_go_with_their_arms() -> None:
    before = ODD + "if %odd weights (1, 3) { } else { SEE 1 }\nreturn"
    after = ODD + "%even = LogicalNot %odd : bool\nif %even weights (3, 1) { SEE 1 }\nreturn"
    assert renamed(rewritten(before, "simplify-ifs")) == renamed(main_text(body(after)))


CALLEE = "func @f(%v: u32) -> u32 {\n%a = IAdd %v, 1u : u32\n%b = IMul %a, 3u : u32\nreturn %b\n}\n"


def test_instructions_of_what_is_inlined() -> None:
    """Two; what it returns by is not counted."""
    text = "%r = FunctionCall @f, %lane : u32\nStore %slot, %r\nreturn"
    for limit, stays_call in ((0, False), (1, True), (2, False), (3, False)):
        module = body(text, CALLEE)
        report = run_passes(module, f"inline{{limit={limit}}}")
        assert ("FunctionCall" in main_text(module)) == stays_call, limit
        assert [note.code for note in report.notes()] == ["RK2401"] * stays_call, limit
