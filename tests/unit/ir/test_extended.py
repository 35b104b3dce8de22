"""Signatures of extended instructions: the table against the grammar and spirv-val; every verb refuses wrong uses."""

import random

import pytest
from kit.callees.spirv import SETS, cases, is_accepted, names_of, validator_accepts
from kit.callees.verbs import VERBS, Case, through

import reknit
from reknit.ir import opcodes
from reknit.ir.extended import is_judged, parsed, signatures

JUDGED = [name for name in SETS if is_judged(name)]


@pytest.mark.parametrize("name", JUDGED)
def test_every_instruction_of_the_grammar_has_a_signature_of_its_length(name: str) -> None:
    known = opcodes.ext_set(name)
    assert known is not None
    assert list(signatures(name)) and set(signatures(name)) == set(known.by_name)
    for inst in known.by_number.values():
        signature = signatures(name)[inst.name]
        assert signature.withdrawn or len(signature.operands) == len(inst.operands)
        for word, spec in zip(signature.operands, inst.operands, strict=False):
            assert word.letter.startswith("#") == (spec.form != opcodes.ID)
            assert word.repeats == (spec.quantifier == "*")


def test_a_mark_at_a_wrong_place_is_no_signature() -> None:
    """`x-.` would ask for the width and forget the scalar."""
    with pytest.raises(ValueError, match="no mark that may stand there"):
        parsed("x. : p(a) x-.")


def some(name: str, request: pytest.FixtureRequest, instructions: int, number: int, runs: bool = False) -> list[Case]:
    """So many uses of so many instructions of a set, always the same; all of all with --full."""
    names = names_of(name)
    if request.config.getoption("--full"):
        return list(cases(name, names, runs))
    rand = random.Random(7)
    made = list(cases(name, rand.sample(names, min(len(names), instructions)), runs))
    return rand.sample(made, min(number, len(made)))


@pytest.mark.parametrize("name", SETS)
def test_no_use_makes_a_fault_of_our_own(name: str, request: pytest.FixtureRequest) -> None:
    for case in some(name, request, 4, 20, True):
        outcome = through(case.data, "spv")
        assert not outcome.faults, (case.name, case.what)
        if is_judged(name):
            assert ("check" in outcome.refused) <= (outcome.refused == list(VERBS)), (case.name, case.what)


def test_check_refuses_what_spirv_val_refuses(request: pytest.FixtureRequest) -> None:
    """Of GLSL.std.450, all of whose sentences about types it checks."""
    for case in some("GLSL.std.450", request, 30, 400):
        assert is_accepted(case.data) == validator_accepts(case.data, "GLSL.std.450"), (case.name, case.what)


@pytest.mark.full
def test_check_refuses_what_spirv_val_refuses_of_opencl() -> None:
    for case in cases("OpenCL.std", names_of("OpenCL.std")):
        assert is_accepted(case.data) == validator_accepts(case.data, "OpenCL.std"), (case.name, case.what)


def said(set_name: str, name: str, what: str) -> list[str]:
    names = [] if name == "4000" else [name]
    found = [case for case in cases(set_name, names) if case.what == what]
    return [fault.message.partition("`: ")[2] for case in found for fault in reknit.check(case.data)]


@pytest.mark.parametrize(
    ("set_name", "name", "what", "message"),
    [
        ("OpenCL.std", "vloadn", "operand 3", "operand 3 (n) is 0, expected 2, the number of the result's components"),
        ("OpenCL.std", "vstore_half_r", "operand 4", "operand 4 (mode) is 4, expected a rounding mode, 0 to 3"),
        ("GLSL.std.450", "IMix", "operand 1", "was withdrawn: no module may have it"),
        ("GLSL.std.450", "Frexp", "operand 2", "operand 2 (exp) is a pointer to f32 in Input, expected a pointer to an "
         "integer scalar or vector of 32 bits with 1 component"),
        ("GLSL.std.450", "4000", "unknown", "GLSL.std.450 has no instruction 4000"),
        ("SPV_AMD_shader_ballot", "MbcntAMD", "operand 1", "operand 1 (mask) is a pointer to f32 in Input, expected an "
         "integer scalar of 64 bits"),
    ],
)  # fmt: skip
def test_a_message_names_the_operand_and_what_is_expected(set_name: str, name: str, what: str, message: str) -> None:
    assert any(each.endswith(message) for each in said(set_name, name, what))
