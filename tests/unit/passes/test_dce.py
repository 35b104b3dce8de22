"""dce: what its document doesn't show: calls, decorations, debug information, random programs."""

import pytest
from kit.programs.values import count, proved, run_on_random
from kit.text.pass_texts import apply, body

from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.module import annotation
from reknit.ir.walk import instructions
from reknit.passes.values.dce import DCE
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

V = "%v = Variable Function : ptr<Function, u32>\n"
POINTER = "ptr<StorageBuffer, u32>"


CALL = "%x = FunctionCall @f, %lane, %slot : u32\nSEE 1\nreturn"


def callee(inside: str) -> str:
    return f"func @f(%n: u32, %p: {POINTER}) -> u32 {{\n{inside}\n}}\n"


@pytest.mark.parametrize(
    ("inside", "stays"),
    [
        ("%y = IMul %n, %n : u32\nreturn %y", False),
        (V + "Store %v, %n\n%y = Load %v : u32\nreturn %y", False),  # a variable of its own
        ("%w = GroupNonUniformBallot 3u, true : vec4<u32>\n%y = CompositeExtract %w, 0 : u32\nreturn %y", False),
        ("if true {\nreturn 1u\n}\nreturn 2u", False),  # those who return early meet the others behind the call
        ("Store %p, %n\nreturn %n", True),
        ("%y = AtomicIAdd %p, 1u, 0u, 1u : u32\nreturn %y", True),
        ("ControlBarrier 2u, 2u, 264u\nreturn %n", True),
        ("%y = Load %p, Volatile : u32\nreturn %y", True),
    ],
)
def test_a_call_nobody_reads_goes_if_it_only_computes(inside: str, stays: bool) -> None:
    module = body(CALL, callee(inside)) if "Atomic" in inside else proved(CALL, DCE, callee(inside))
    apply(module, DCE)
    assert count(module, op.FunctionCall) == int(stays)


PRIVATE = "%p = Variable Private : ptr<Private, u32>\n"


@pytest.mark.parametrize(
    ("inside", "stays"),
    [
        ("return %n", 0),  # what main stores is read by nobody
        ("%y = Load %p : u32\nreturn %y", 1),
        ("Store %p, %n\nreturn %n", 0),
        ("%y = AtomicLoad %p, 1u, 0u : u32\nreturn %y", 1),  # which SPIR-V has not: what isn't known reads
    ],
)
def test_stores_to_a_private_variable_that_no_function_reads(inside: str, stays: int) -> None:
    text = f"func @f(%n: u32, %q: {POINTER}) -> u32 {{\n{inside}\n}}\n"
    module = body("Store %p, %lane\n%x = FunctionCall @f, %lane, %slot : u32\nSEE 1\nreturn", PRIVATE + text)
    apply(module, DCE)
    main = next(function for function in module.functions if function.name == "main")
    stored = [each for each in instructions(main) if each.op == op.Store and each.value(0).name == "p"]
    assert len(stored) == stays


def test_a_call_that_kills_stays() -> None:
    """Those it kills are missing in the ballot behind it."""
    module = body(CALL, callee("%o = INotEqual %n, 0u : bool\nif %o {\nkill\n}\nreturn %n"))
    apply(module, DCE)
    assert count(module, op.FunctionCall) == 1


def test_effects_are_seen_through_calls() -> None:
    inner = f"func @g(%n: u32, %p: {POINTER}) -> u32 {{\nStore %p, %n\nreturn %n\n}}\n"
    outer = callee("%y = FunctionCall @g, %n, %p : u32\nreturn %y")
    assert count(proved(CALL, DCE, outer + inner), op.FunctionCall) == 1


def test_volatile_decorations_keep_loads() -> None:
    module = body("%x = Load %slot : u32\nSEE 1\nreturn")
    out = next(instr for instr in module.globals if instr.name == "out")
    module.decorations.append(annotation(op.Decorate, [out, enums.DecorationVolatile]))
    apply(module, DCE)
    assert count(module, op.Load) == 3, "of the lane's number, of %slot, and the one in SEE"


def test_names_and_decorations_of_what_goes_are_not_written() -> None:
    module = body("%gone = IAdd %lane, 1u : u32\nSEE 1\nreturn")
    gone = next(instr for instr in instructions(module.functions[0]) if instr.name == "gone")
    module.decorations.append(annotation(op.Decorate, [gone, enums.DecorationRelaxedPrecision]))
    apply(module, DCE)
    again = read_module(write_module(module))
    decorated = [instr.operands[1:] for instr in again.decorations if instr.op == op.Decorate]
    assert [enums.DecorationBlock] in decorated
    assert [enums.DecorationRelaxedPrecision] not in decorated
    assert all("gone" not in instr.operands for instr in again.names)


def test_debug_information_goes_with_what_it_describes() -> None:
    module = body("%gone = IAdd %lane, 1u : u32\n%kept = IAdd %lane, 2u : u32\nStore %slot, %kept\nreturn")
    debug = Instr(op.ExtInstImport, None, ["NonSemantic.Shader.DebugInfo.100"])
    module.imports.append(debug)
    void = next(instr for instr in module.globals if instr.op == op.TypeVoid)
    from reknit.ir.edit import insert_after

    for name in ("gone", "kept"):
        value = next(instr for instr in instructions(module.functions[0]) if instr.name == name)
        insert_after(value, Instr(op.ExtInst, void, [debug, 29, value]))  # DebugValue
    apply(module, DCE)
    described = [instr.instr(2).name for instr in instructions(module.functions[0]) if instr.op == op.ExtInst]
    assert described == ["kept"]
    assert all(instr.name != "gone" for instr in instructions(module.functions[0]))


def test_random_programs_with_redundancies(full: bool) -> None:
    added, gone = run_on_random(DCE, range(7000, 7400 if full else 7012))
    assert added > 0 and gone > added // 20, (added, gone)
