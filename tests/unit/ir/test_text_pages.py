"""The pages of the text form's and the verifier's codes: what fails there gets that code, what passes gets none.

A fragment is the body of a function whose parameters are below; one that begins with `func` stands by itself.
"""

import pytest
from kit.text.explain_pages import examples

from reknit.ir.text.parser import parse
from reknit.ir.verify import verify
from reknit.source import explain
from reknit.source.diagnostic import Diagnostic, InputError

PARAMETERS = "%a: u32, %b: u32, %c: bool, %k: u32, %p: ptr<Function, u32>, %f: f32"
BUILT_BY_HAND = {"RK0401", "RK0402", "RK0403", "RK0404", "RK0405", "RK0408", "RK0415", "RK0416"}
"""What the text form can't say: see test_verify.py."""
OTHER_TEXTS = "RK032"
"""Codes of graphs as text (`.cfg`)."""
PAGES = [
    code
    for code in explain.codes()
    if "RK03" < code < "RK0420" and code not in BUILT_BY_HAND and not code.startswith(OTHER_TEXTS)
]


def whole(fragment: str) -> str:
    if fragment.startswith("func"):
        return fragment
    end = "" if fragment.rstrip().endswith("return") else "\nreturn"
    return f"func @test({PARAMETERS}) {{\n{fragment}{end}\n}}\n"


def faults(text: str) -> list[Diagnostic]:
    try:
        return verify(parse(text))
    except InputError as error:
        return error.diagnostics


def test_there_are_pages() -> None:
    assert len(PAGES) == 24


@pytest.mark.parametrize("code", PAGES)
def test_what_fails_there_gets_the_code(code: str) -> None:
    assert code in {fault.code for fault in faults(whole(examples(code, "rk")[0]))}


@pytest.mark.parametrize("code", PAGES)
def test_what_passes_there_has_no_fault(code: str) -> None:
    assert [str(fault) for fault in faults(whole(examples(code, "rk")[1]))] == []
