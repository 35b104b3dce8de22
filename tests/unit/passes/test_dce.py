"""dce: what goes, what stays and why. Expected texts are derived by hand from the rules at the head of the pass."""

import pytest
from kit.programs.values import count, proved, run_on_random
from kit.text.pass_texts import apply, body, main_text

from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.module import annotation
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.walk import instructions
from reknit.passes.values.dce import DCE
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

ODD = "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n"
V = "%v = Variable Function : ptr<Function, u32>\n"
POINTER = "ptr<StorageBuffer, u32>"

GOES = {
    "a value without users, and those that only it used": (
        "%x = IAdd %lane, 1u : u32\n%y = IMul %x, %x : u32\n%z = IAdd %y, %x : u32\nSEE 1\nreturn",
        "SEE 1\nreturn",
    ),
    "a load": ("%x = Load %slot : u32\nSEE 1\nreturn", "SEE 1\nreturn"),
    "a ballot that nobody reads": (
        ODD + "if %odd {\n%w = GroupNonUniformBallot 3u, true : vec4<u32>\nSEE 1\n}\nreturn",
        ODD + "if %odd {\nSEE 1\n}\nreturn",
    ),
    "an election and a sum that nobody reads": (
        "%e = GroupNonUniformElect 3u : bool\n%s = GroupNonUniformIAdd 3u, Reduce, %lane : u32\nSEE 1\nreturn",
        "SEE 1\nreturn",
    ),
    "stores to a variable that nothing reads": (V + "Store %v, 1u\nSEE 1\nStore %v, %lane\nreturn", "SEE 1\nreturn"),
    "a variable read only to be written": (
        V + "Store %v, 1u\n%n = Load %v : u32\n%m = IAdd %n, 1u : u32\nStore %v, %m\nSEE 1\nreturn",
        "SEE 1\nreturn",
    ),
    "phis that only feed each other": (
        "pad s:\nloop @l {\nhead:\n%i = Phi 0u s, %n k : u32\n%a = Phi 0u s, %b k : u32\n"
        "%c = UGreaterThan %i, 2u : bool\nif %c nojoin { break @l }\n%n = IAdd %i, 1u : u32\n"
        "%b = IAdd %a, %lane : u32\nSEE 1\n} continuing {\npad k:\n}\nreturn",
        "pad s:\nloop @l {\nhead:\n%i = Phi 0u s, %n k : u32\n"
        "%c = UGreaterThan %i, 2u : bool\nif %c nojoin { break @l }\n%n = IAdd %i, 1u : u32\n"
        "SEE 1\n} continuing {\npad k:\n}\nreturn",
    ),
    # Mesa's dead code test of a return in front of a loop: what only the loop's dead part used goes, the loop stays.
    "what only dead code behind a return used, not the code itself": (
        "SEE 1\nreturn\npad d:\n%x = IAdd %lane, 1u : u32\nloop @l { SEE 2\nbreak @l }\nunreachable",
        "SEE 1\nreturn\npad d:\nloop @l { SEE 2\nbreak @l }\nunreachable",
    ),
}

STAYS = {
    "a barrier": "ControlBarrier 2u, 2u, 264u\nSEE 1\nreturn",
    "an atomic, for what it adds": "%x = AtomicIAdd %slot, 1u, 0u, 2u : u32\nSEE 1\nreturn",
    "a volatile load": "%x = Load %slot, Volatile : u32\nSEE 1\nreturn",
    "a volatile store to a variable": V + "Store %v, 1u, Volatile\nSEE 1\nreturn",
    "a condition, though both arms are empty": ODD + "if %odd { } else { }\nSEE 1\nreturn",
    "every store to a variable that something reads": (
        V + "Store %v, 1u\n" + ODD + "if %odd { Store %v, 2u }\n%x = Load %v : u32\nStore %slot, %x\nreturn"
    ),
}


@pytest.mark.parametrize("name", GOES)
def test_goes(name: str) -> None:
    before, after = GOES[name]
    assert main_text(proved(before, DCE)) == main_text(body(after))


@pytest.mark.parametrize("name", STAYS)
def test_stays(name: str) -> None:
    module = body(STAYS[name])
    assert not apply(module, DCE)[0]
    assert main_text(module) == main_text(body(STAYS[name]))


def test_a_return_before_a_loop() -> None:
    """An if that returns stands before a loop; the value of the loop's phi is never read. The loop stays, since it may
    be what a lane does for ever, and so does what its condition needs."""
    text = (
        ODD + "if %odd { SEE 1\nreturn }\npad s:\nloop @l {\nhead:\n%i = Phi 0u s, %n k : u32\n"
        "%dead = Phi 7u s, %i k : u32\n%c = UGreaterThan %i, 1u : bool\nif %c nojoin { break @l }\n"
        "%n = IAdd %i, 1u : u32\n} continuing {\npad k:\n}\nreturn"
    )
    module = proved(text, DCE)
    assert count(module, op.Phi) == 1
    assert main_text(module) == main_text(body(text.replace("%dead = Phi 7u s, %i k : u32\n", "")))


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


def test_the_result_reads_back() -> None:
    module = proved(GOES["a variable read only to be written"][0], DCE)
    assert print_module(parse(print_module(module))) == print_module(module)
