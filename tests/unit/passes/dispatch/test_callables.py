"""Functions and types as values do the same at each stage: existentials, tags of sets, plain SPIR-V.

Values are those worked out by hand in tests/kit/programs/callables.py, among them ballots inside of calls: the tangle
is split by the table that the function was looked up in, and by the function.
"""

import pytest
from kit.oracles import need, validate
from kit.programs.callables import PROGRAMS
from kit.text.preludes import listing

from reknit.ir.module import Module
from reknit.ir.opcodes import FIRST_OWN
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.ir.walk import instructions
from reknit.passes.manager import Hooks, run_passes
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.source.diagnostic import InputError
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

STAGES = [
    "",
    "specialize-dispatch",
    "specialize-dispatch, lower-dispatch",
    "specialize-dispatch, lower-dispatch{inline=never}",
    "specialize-dispatch, lower-dispatch{mode=waterfall}",
]


def at_stage(name: str, stage: str) -> Module:
    module = parse(PROGRAMS[name][0], f"{name}.rk")
    if stage:
        run_passes(module, stage, Hooks(verify_each=True))
    assert verify(module) == []
    return module


def execute(module: Module, size: int) -> Result:
    return run(module, subgroup_size=size, buffers={"out": [0] * 64})


@pytest.mark.parametrize("size", [4, 8, 32, 64])
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_each_stage_computes_the_same(name: str, stage: str, size: int) -> None:
    result = execute(at_stage(name, stage), size)
    assert result.diagnostics == []
    assert result.buffers["out"].words == [PROGRAMS[name][1](lane, size) for lane in range(64)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_set_level_is_text_that_is_read_back(name: str) -> None:
    text = print_module(at_stage(name, "specialize-dispatch"))
    assert print_module(parse(text, "again.rk")) == text


@pytest.mark.parametrize("stage", STAGES[2:])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_left_is_valid_spirv(name: str, stage: str) -> None:
    module = at_stage(name, stage)
    everything = [*module.globals, *[instr for function in module.functions for instr in instructions(function)]]
    assert [instr for instr in everything if instr.op >= FIRST_OWN] == []
    data = write_module(module)
    words = execute(read_module(data), 8).buffers["out"].words
    assert words == [PROGRAMS[name][1](lane, 8) for lane in range(64)]
    need("spirv-val")
    assert validate(data) == (True, "")


# --- what is refused --------------------------------------------------------------------------------------------------


def refused(text: str) -> list[str]:
    module = parse(text, "refused.rk")
    assert verify(module) == []
    with pytest.raises(InputError) as caught:
        run_passes(module, "specialize-dispatch, lower-dispatch", Hooks())
    return [diagnostic.code for diagnostic in caught.value.diagnostics]


def test_a_function_that_may_never_have_been_set() -> None:
    text = PROGRAMS["phi"][0].replace("Phi @f %b1, @g %b2", "Phi @f %b1, undef<fn(u32) -> u32> %b2")
    assert refused(text) == ["RK2621"]
    result = execute(parse(text, "never.rk"), 8)
    assert [(d.code, "in lane 0" in d.message) for d in result.diagnostics] == [("RK1019", True)]


def test_a_variable_that_is_set_on_one_way_alone() -> None:
    variable = "  %p = Variable Function : ptr<Function, fn(u32) -> u32>\n"
    text = PROGRAMS["phi"][0].replace("  %lane = Load", variable + "  %lane = Load")
    text = text.replace("  %b1:\n", "  %b1:\n    Store %p, @f\n").replace("  %c = Phi @f %b1, @g %b2", "  %c = Load %p")
    assert refused(text) == ["RK2621"]


def test_functions_that_come_from_outside() -> None:
    """What an exported function is given isn't known."""
    text = """%F = TypeFunction u32, u32
Decorate @apply LinkageAttributes "apply" Export

func @apply(%f: %F, %v: u32) -> u32 {
  %r = CallDynamic %f, %v : u32
  return %r
}
"""
    assert refused(text) == ["RK2620"]


def test_functions_in_storage_that_others_can_reach() -> None:
    text = PROGRAMS["phi"][0].replace("%words = TypeRuntimeArray u32", "%words = TypeRuntimeArray fn(u32) -> u32")
    text = text.replace("ptr<StorageBuffer, u32>", "ptr<StorageBuffer, fn(u32) -> u32>")
    text = text.replace("Store %at, %r", "Store %at, %c")
    assert refused(text) == ["RK2623"]


def test_more_functions_than_can_be_told_apart() -> None:
    """One function with three tables of 17 types bound to it: 4913."""
    tables = "".join([f"%T{n} = TypeStruct u32\n%W{n} = WitnessTable %T{n} {n} : %WT\n" for n in range(17)])
    objects = "Decorate %all DescriptorSet 0\nDecorate %all Binding 1\n%words = Type"
    text = listing(PROGRAMS["phi"][0].replace("%words = Type", objects), "all")
    text = text.replace(
        "\nfunc @f(", tables + """%list = TypeRuntimeArray %IFoo
%public = TypeStruct %list
%all = Variable StorageBuffer : ptr<StorageBuffer, %public>

func @wide(%first: %WT, %second: %WT, %third: %WT, %v: u32) -> u32 {
  return %v
}

func @f(""", 1)  # fmt: skip
    loads = ""
    for n in range(3):
        loads += f"  %p{n} = AccessChain %all, 0u, {n}u : ptr<StorageBuffer, %IFoo>\n  %e{n} = Load %p{n} : %IFoo\n"
        loads += f"  %w{n} = ExtractExistentialWitnessTable %e{n} : %WT\n"
    loads += "  %s = Specialize @wide, %w0, %w1, %w2 : fn(u32) -> u32\n"
    text = text.replace("  if %odd", loads + "  if %odd").replace("@f %b1", "%s %b1")
    assert refused(text) == ["RK2622"]


def test_a_function_that_calls_itself_as_a_value() -> None:
    body = "  %s = IAdd %m0, %v : u32\n  %r = IAdd %s, 200u : u32"
    text = PROGRAMS["phi"][0].replace(body, """  %is = IEqual %v, 0u : bool
  %again = Select %is, @f, @g : fn(u32) -> u32
  %r = CallDynamic %again, 0u : u32""")  # fmt: skip
    assert refused(text) == ["E55201"]
