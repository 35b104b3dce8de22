"""`copy` and `pickle` of modules, alike whether the core is compiled or not."""

import copy
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import reknit
from reknit.files.judging import BrokenOutput
from reknit.ir.edit import erase
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.source.diagnostic import Diagnostic, EditRefused, InputError, Note
from reknit.source.place import Place
from reknit.spirv.write import write_module

EXAMPLES = sorted((Path(__file__).resolve().parents[3] / "examples").glob("*.s[pl]*"))

COPIES: list[Callable[[Module], Module]] = [
    copy.copy,
    copy.deepcopy,
    lambda module: pickle.loads(pickle.dumps(module)),
    lambda module: pickle.loads(pickle.dumps(module, 0)),
]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("twin_of", COPIES, ids=["copy", "deepcopy", "pickle", "pickle 0"])
def test_a_module(path: Path, twin_of: Callable[[Module], Module]) -> None:
    module = reknit.load(path)
    text = reknit.text(module)
    twin = twin_of(module)
    assert type(twin) is Module and twin is not module
    assert reknit.text(twin) == text and twin.path == module.path
    assert [str(note) for note in twin.notes] == [str(note) for note in module.notes]
    store = next(instr for instr in instructions(twin.functions[0]) if not instr.has_result)
    erase(store)
    assert reknit.text(twin) != text and reknit.text(module) == text  # they share nothing
    if path.suffix == ".spvasm":
        assert write_module(twin_of(module)) == write_module(module)


def test_a_part_is_not_copied_alone() -> None:
    function = reknit.load(EXAMPLES[0]).functions[0]
    for part in (function, function.entry(), next(iter(function.entry()))):
        for twin_of in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="copy the module"):
                twin_of(part)


def test_what_is_raised_reaches_another_process() -> None:
    place = Place("a.spv", word=7)
    fault = Diagnostic("RK0001", "message", Place("a", 1, 2, 3), notes=[Note("why", place)], help="do")
    for error in (InputError([fault]), EditRefused("RK0485", "reason", "help"), BrokenOutput("a pass", [fault])):
        for again in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
            assert type(again) is type(error) and str(again) == str(error)
    (again,) = pickle.loads(pickle.dumps(InputError([fault]))).diagnostics
    assert (str(again), again.help, again.notes[0].place.word) == (str(fault), "do", 7)
