"""Derivatives whose kind the first version leaves open.

SPIR-V 1.6, OpDPdx: "Same result as either OpDPdxFine or OpDPdxCoarse on P. Selection of which one is based on external
factors." Vulkan, "Derivative Operations": "Implementations must: choose coarse or fine consistently between the two";
coarse ones "may: only calculate two values instead of four".
"""

import pytest
from kit.fragments import shader

from reknit import prove
from reknit.ir.module import Module

UV = """%at = OpLoad %v2f %uv
%x = OpCompositeExtract %f32 %at 0
%y = OpCompositeExtract %f32 %at 1
%p = OpFMul %f32 %x %y
"""


def program(across: str, down: str = "") -> Module:
    other = f"%d = {down} %f32 %p" if down else "%d = OpCopyObject %f32 %p"
    body = f"{UV}%a = {across} %f32 %p\n{other}\n%all = OpCompositeConstruct %v4f %a %d %a %d\nOpStore %color %all"
    return shader(body, capabilities=["DerivativeControl"])


NARROWED = [
    (("OpDPdx",), ("OpDPdxFine",)),
    (("OpDPdx",), ("OpDPdxCoarse",)),
    (("OpFwidth",), ("OpFwidthFine",)),
    (("OpDPdxCoarse",), ("OpDPdxFine",)),
    (("OpDPdx", "OpDPdy"), ("OpDPdxFine", "OpDPdyFine")),
    (("OpDPdx", "OpDPdy"), ("OpDPdxCoarse", "OpDPdyCoarse")),
    (("OpDPdx", "OpDPdyFine"), ("OpDPdxFine", "OpDPdyFine")),
]


@pytest.mark.parametrize(("before", "after"), NARROWED)
def test_a_kind_may_be_chosen(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    verdict = prove(program(*before), program(*after))
    assert str(verdict).startswith("<proved: every input")


WIDENED = [
    (("OpDPdxFine",), ("OpDPdx",)),
    (("OpDPdxFine",), ("OpDPdxCoarse",)),
    (("OpDPdx", "OpDPdy"), ("OpDPdxFine", "OpDPdyCoarse")),
    (("OpDPdxFine", "OpDPdyFine"), ("OpDPdx", "OpDPdy")),
]


@pytest.mark.parametrize(("before", "after"), WIDENED)
def test_a_choice_that_was_made_stays_made(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    """Nor may one direction be fine, and the other coarse."""
    verdict = prove(program(*before), program(*after))
    assert verdict.counterexample is not None


def test_only_all_of_them_are_chosen_at_once() -> None:
    """With OpDPdy left as it is, both would have to be of one kind."""
    verdict = prove(program("OpDPdx", "OpDPdy"), program("OpDPdxFine", "OpDPdy"))
    assert not str(verdict).startswith("<proved")
