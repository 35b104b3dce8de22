"""Calls by name are held to the signature of what they name, before anything is lowered."""

import random

import pytest
from kit.callees.llvm import FAMILIES, cases, names_of
from kit.callees.verbs import through

import reknit
from reknit.front.llvm.callees import demangled, mangled_types, operations
from reknit.front.llvm.dxil_operations import NAMES
from reknit.source.diagnostic import InputError


def said(result: str, callee: str, types: str, operands: str) -> list[str]:
    named = "" if result == "void" else "%r = "
    text = f"""declare {result} @{callee}({types})
define spir_kernel void @main(ptr addrspace(1) %o) {{
  {named}call {result} @{callee}({operands})
  ret void
}}
"""
    try:
        reknit.load(text.encode(), format="ll")
    except InputError as error:
        return [f"{fault.code} {fault.message}" for fault in error.diagnostics]
    return []


@pytest.mark.parametrize(
    ("result", "callee", "types", "operands", "message"),
    [
        ("i32", "llvm.bitreverse.i32", "", "", "RK0803"),  # LLVM's verifier: an intrinsic of its own
        ("void", "_Z13get_global_idj", "float", "float 1.0", "operand 1 is float, expected an integer scalar"),
        ("i64", "_Z13get_global_idj", "", "", "which takes 1 operand, not 0"),
        ("float", "_Z3maxff", "float, double", "float 1.0, double 1.0", "operand 2 is double, expected a float"),
        ("i32", "_Z3maxi", "i32", "i32 1", "which takes 2 operands, not 1"),
        ("i1", "_Z7isequalff", "float, float", "float 1.0, float 1.0", "result is i1, expected an integer"),
        ("float", "_Z6vload5jPU3AS1f", "i32, ptr addrspace(1)", "i32 0, ptr addrspace(1) %o", "no function of OpenCL"),
        ("float", "dx.op.unary.f32", "i32, i32", "i32 13, i32 1", "operand 2 is i32, expected a float scalar"),
        ("float", "dx.op.unary.f32", "i32", "i32 13", "which takes 2 operands, not 1"),
        ("float", "dx.op.binary.f32", "i32, float, float", "i32 13, float 1.0, float 1.0", "for operation Sin (13)"),
        ("i32", "_Z16atomic_fetch_addPU3AS1iDv2_i", "ptr addrspace(1), <2 x i32>",
         "ptr addrspace(1) %o, <2 x i32> zeroinitializer", "operand 2 is <2 x i32>, expected"),
        ("i32", "llvm.spv.thread.id.i32", "i32", "i32 7", "asks for dimension 7 of three"),
    ],
)  # fmt: skip
def test_a_refusal_names_the_operand(result: str, callee: str, types: str, operands: str, message: str) -> None:
    assert any(message in fault for fault in said(result, callee, types, operands))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("_Z3maxDv4_jS_", ["i32^4", "a"]),
        ("_Z10atomic_addPU3AS1Vjj", ["p(a)", "i32."]),
        ("_Z30atomic_compare_exchange_strongPU3AS1VU7_AtomicjPU3AS1jj", ["p(a)", "p(a)", "i32."]),
        ("_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f", ["a", "a", "f32^2"]),
        ("_Z12get_work_dimv", []),
        ("_Z1fPPPPi", ["p(a)"]),
        ("_Z1fM", None),
        ("_Z1f99999i", None),
    ],
)
def test_parameters_of_mangled_names(name: str, words: list[str] | None) -> None:
    assert mangled_types(demangled(name)[1]) == words


def test_the_table_of_dxil_has_the_operations_by_name() -> None:
    for number, (function, *_) in operations().items():
        assert 0 <= number < len(NAMES) and function
    names = {number: row[0].lower() for number, row in operations().items()}
    assert (names[60], names[59], names[37]) == ("sample", "cbufferloadlegacy", "binary")
    assert len(operations()) > 270


@pytest.mark.parametrize("family", FAMILIES)
def test_no_call_makes_a_fault_of_our_own(family: str, request: pytest.FixtureRequest) -> None:
    names = names_of(family)
    if not request.config.getoption("--full"):
        names = random.Random(11).sample(names, 8)
    made = list(cases(family, names))
    if not request.config.getoption("--full"):
        made = random.Random(11).sample(made, min(len(made), 80))
    for case in made:
        assert not through(case.data, "ll").faults, (case.name, case.what, case.data)
