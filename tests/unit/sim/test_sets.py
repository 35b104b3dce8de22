"""What is written with sets runs, and is lowered: values worked out by hand in tests/kit/programs/elements.py.

An element is the value itself: a table is looked up in, a callable is called, a type is compared. In plain SPIR-V it is
the number that its tag is, and a call of it goes to a dispatcher.
"""

import pytest
from kit.programs.callables import PROGRAMS
from kit.programs.elements import TEXT, expected

from reknit.ir.text.parser import parse
from reknit.ir.verify import verify
from reknit.passes.manager import Hooks, run_passes
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.source.diagnostic import InputError
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module


def execute(text: str, size: int, stage: str = "") -> Result:
    module = parse(text, "sets.rk")
    assert verify(module) == []
    if stage:
        run_passes(module, stage, Hooks(verify_each=True))
        module = read_module(write_module(module))
    return run(module, subgroup_size=size, buffers={"out": [0] * 64})


@pytest.mark.parametrize("size", [4, 8, 32, 64])
@pytest.mark.parametrize("stage", ["", "lower-dispatch", "lower-dispatch{mode=waterfall}"])
def test_elements_are_what_their_tags_stand_for(stage: str, size: int) -> None:
    result = execute(TEXT, size, stage)
    assert result.diagnostics == []
    assert result.buffers["out"].words == [expected(lane, size) for lane in range(64)]


def test_what_a_set_lacks_is_reported() -> None:
    """Of Ids without what B makes: even lanes have no place there."""
    text = TEXT.replace("FuncSet %made_a, %id_a, %id_b, %made_b", "FuncSet %made_a, %id_a, %made_b")
    result = execute(text, 4)
    assert [diagnostic.code for diagnostic in result.diagnostics][0] == "RK1015"


UNKNOWN = (
    TEXT.replace("%Made = FuncSet %made_a, %made_b", "%unknown = WitnessUnbounded : %F\n%Made = FuncSet %unknown")
    .replace("  %c = Lookup", "  %no = GetTagOfElementInSet %unknown : %TagMade\n  %c = Lookup")
    .replace("LookupWitness %w, %make : %ElementMade", "GetElementFromTag %no : %ElementMade")
)


def test_what_is_not_known_is_not_called() -> None:
    result = execute(UNKNOWN, 4)
    assert not result.finished
    assert [diagnostic.code for diagnostic in result.diagnostics] == ["RK1019"]
    with pytest.raises(InputError) as caught:
        execute(UNKNOWN, 4, "lower-dispatch")
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["RK2620"]


def test_a_table_whose_function_takes_other_arguments() -> None:
    """WB has a function of two numbers where one of one number is looked up. The verifier tells; a module that nobody
    verified stops where the first lane of each four calls it."""
    text = PROGRAMS["by-name-and-by-table"][0].replace("%B 1 %make, @f", "%B 1 %make, @two")
    text += "\nfunc @two(%v: u32, %u: u32) -> u32 {\n  return %v\n}\n"
    module = parse(text.replace("%c = Select %odd, %ch, %ofA", "%c = Select %odd, %ofA, %ch"), "sets.rk")
    assert [fault.code for fault in verify(module)] == ["RK0430"]
    result = run(module, subgroup_size=4, buffers={"out": [0] * 64})
    assert not result.finished
    assert [(d.code, "calls @two, which takes other" in d.message) for d in result.diagnostics] == [("RK1019", True)]
