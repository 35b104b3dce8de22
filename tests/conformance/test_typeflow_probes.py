"""Small Slang programs that each ask one question of an analysis of types: sets, diagnostics, and what is stored.

    probe.slang -> existentials -> specialize-dispatch -> lower-dispatch -> reconverge
                   dispatch_sites      all in the simulator, at 4, 8, 32 and 64 lanes: the same words

The programs stand in the folder `specs/typeflow-probes` beside the expected results from outside; without it all is
skipped. What is expected follows from their sources, by hand: numbers as the comments of PROBES say, sets from which
types can come to each call in some run, codes from the language's rules. Four lanes run, tid = 0, 1, 2, 3;
"line:column" is where a call is.
"""

from collections.abc import Callable
from pathlib import Path
from typing import final

import pytest

import reknit
from reknit.analysis.typeflow.report import dispatch_sites
from reknit.front.slang.compile import Settings
from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.tree import If
from reknit.ir.walk import constructs
from reknit.passes.manager import Hooks, run_passes
from reknit.source.diagnostic import InputError

STAGES = ["", "specialize-dispatch", "specialize-dispatch, lower-dispatch", "reconverge"]
SIZES = (4, 8, 32, 64)
A, B, C, AB, ABC = ["A"], ["B"], ["C"], ["A", "B"], ["A", "B", "C"]

TWO_OBJECTS = [0, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0x3F800000, 0x40000000]
"""A{7} and B{1.0, 2.0} as a buffer has them: 16 bytes that say which type, by number, then 8 of value."""


@final
class Probe:
    """`sites` are the types of each call, in each context. `inputs` are words by buffer."""

    def __init__(self, sites: list[tuple[str, list[str]]], stored: list[int], **inputs: list[int]) -> None:
        self.sites = sites
        self.stored = stored
        self.inputs = inputs


PROBES = {
    # run: A{10} x+10, 100-3, 1000+5 in lanes 0 and 2; B(1,2) x*3, 100+7, 1000+5 in the others
    "ex2_contexts": Probe(
        [("8:42", A), ("8:42", AB), ("8:42", ["A", "C"])], [1112, 1115, 1114, 1121], inputBuffer=[0, 1, 0, 1]
    ),
    # A{10}: (v+10) + (v+11); B(1,2): 3v + 3(v+1)
    "ex3_generic": Probe([("7:47", AB), ("7:58", AB)], [21, 9, 25, 21], inputBuffer=[0, 1, 0, 1]),
    # A{10}: (tid+10) + (3+10); B(1,2): 3tid + 3*2
    "ex4_assoc": Probe(
        [("18:19", AB), ("19:32", ["DA", "DB"]), ("19:45", AB)], [23, 9, 25, 15], inputBuffer=[0, 1, 0, 1]
    ),
    # 7 rounds. A: i + (1+i) each, 49; B: i * 2(1+i) each, 224; in the last round C{9} comes in, 2-9
    "ex5_memory": Probe(
        [("10:41", ABC), ("16:60", ABC), ("19:35", ABC)], [42, 217, 42, 217], inputBuffer=[0, 1, 0, 1, 7, 0]
    ),
    # none, A{1}: tid+1, B(2,2): tid*4, A
    "ex6_optional": Probe([("12:36", AB)], [-1, 2, 8, 4], inputBuffer=[0, 1, 2, 1]),
    # A{7}: tid+7; B(1,2): tid*3
    "ex8_buffer": Probe([("7:90", AB)], [7, 3, 9, 9], objs=TWO_OBJECTS * 2),
    # number 0 is A, of the words (tid, 7): 1 + 3+tid; number 1 is B: int(b.x) of tiny floats is 0, and so is 3*0
    # the number comes from outside: any type of the program
    "ex9_create_is_as": Probe([("14:15", ABC)], [4, 0, 6, 0], inputBuffer=[0, 1, 0, 1]),
    # A{10}: 1+10, B(1,2): 2*3; then 5+1, and 6*6. `is` leaves one type in each arm (9.2)
    "ex10_narrow": Probe(
        [("17:27", A), ("18:20", B), ("20:15", A), ("22:15", B)], [53, 48, 53, 48], inputBuffer=[0, 5, 0, 5]
    ),
    # A{1}: 2, B(2,2): 8. Two variables of one type are apart (9.4)
    "ex15_inout_contexts": Probe([("12:35", A), ("12:49", B)], [10] * 4),
    # A{5}: 6; then A{7}: 2+7, or B(1,2): 2*3. The buffer may have a B, whatever was built here (9.1); 32 bytes each
    "ex16_buffer_struct_unsound": Probe(
        [("12:20", A), ("13:30", AB)],
        [15, 12, 15, 12],
        holders=[*TWO_OBJECTS[:6], 0, 0, *TWO_OBJECTS[6:], 0, 0] * 2,
    ),
    "ex16b_buffer_struct_only": Probe(
        [("13:30", AB)], [9, 6, 9, 6], holders=[*TWO_OBJECTS[:6], 0, 0, *TWO_OBJECTS[6:], 0, 0] * 2
    ),
    # elements at constant places are apart (9.4)
    "ex20_array_const": Probe([("9:90", A), ("9:104", B)], [10] * 4),
    "ex21_strong_update": Probe([("9:39", A), ("9:69", B)], [10] * 4),
    # A{1}: 2; then B(2,2): 8 or C{1}: 2-1. A store replaces, also in a callee (9.4)
    "ex21b_strong_update_inmem": Probe(
        [("10:39", A), ("10:80", ["B", "C"])], [3, 10, 3, 10], inputBuffer=[0, 1, -1, 7]
    ),
    "ex23_identity": Probe([("10:56", A), ("10:69", B)], [10] * 4),
    # what is stored to a static variable is followed (9.12)
    "ex24_static_global": Probe([("10:45", A)], [2] * 4),
    # no number is above 100 and below 50, which an analysis of types need not see
    "ex25_dead_flag": Probe([("9:141", AB)], [2] * 4, inputBuffer=[150]),
    # pick(1) is B(1,1): 1*2. A constant flows into a call (9.3)
    "ex26_return_filter": Probe([("10:46", B)], [2] * 4),
    "ex27_unused_type_in_buffer": Probe([("10:67", ABC)], [2] * 4, objs=[0] * 24),
    # it is never a C, so that neither test is left (9.3)
    "ex28_as_elim": Probe([], [0] * 4, inputBuffer=[0, 1, 0, 1]),
}

NAMED = {
    "ex8_buffer": [("7:90", AB)],
    "ex9_create_is_as": [("14:15", AB)],
    "ex27_unused_type_in_buffer": [("10:67", AB)],
}
"""The same with `--conformance A:IFoo=0 --conformance B:IFoo=1`: what comes from outside is an A or a B, never a C."""

WAVES: dict[str, Callable[[int, int, int, int], int]] = {
    # by type: (lanes that have it) + 1 + 1, or * 100 + 1, and all of the 32 together after it
    "ex18_wave": lambda lane, a, b, size: (a + 2 if lane % 2 == 0 else b * 100 + 1) + 10000 * size,
    # a default method is a body for each type: lanes + 1 + k
    "ex19_shared_default": lambda lane, a, b, size: a + 2 if lane % 2 == 0 else b + 3,
}

REFUSED = {
    "ex7_uninit": ["E50101"],
    "ex7b_defaultinit": ["E50100"],
    "ex11_recurse": ["E55207"],
    "ex12_recdyn": ["E55201", "E55201"],  # A's call, and B's
    "ex13_sizeoverflow": ["E41019"],
    "ex13b_sizeoverflow_local": ["E41019"],
    "ex14_resource": ["E41014"],
    "ex17_uninit_guard": ["E50101"],
}


@pytest.fixture(scope="session")
def probes(request: pytest.FixtureRequest) -> Path:
    folder = Path(str(request.config.getoption("--conformance"))).parent / "specs" / "typeflow-probes"
    if not folder.is_dir():
        pytest.skip(f"no {folder}: the programs from outside are not part of the project")
    return folder


def loaded(folder: Path, name: str, conformances: list[tuple[str, str, int]] | None = None) -> Module:
    return reknit.load(folder / f"{name}.slang", settings=Settings(None, ["computeMain"], conformances))


def sites_of(module: Module) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for site in dispatch_sites(module):
        place = place_of(site.call, module)
        assert place is not None
        found.append((f"{place.line}:{place.column}", sorted(site.types)))
    return sorted(found)


def signed(words: list[int]) -> list[int]:
    return [word - (1 << 32) if word >> 31 else word for word in words]


def stored(module: Module, size: int, count: int, inputs: dict[str, list[int]]) -> list[int]:
    words = {name: [word & 0xFFFFFFFF for word in given] for name, given in inputs.items()}
    result = reknit.run(module, subgroup_size=size, buffers={**words, "outputBuffer": [0] * count})
    assert not result.failed(), [str(one) for one in result.diagnostics]
    return signed(list(result.buffers["outputBuffer"].words))


def test_all_programs_are_asked(probes: Path) -> None:
    assert sorted(path.stem for path in probes.glob("*.slang")) == sorted([*PROBES, *WAVES, *REFUSED])


@pytest.mark.parametrize("name", PROBES)
def test_the_types_of_each_call(probes: Path, name: str) -> None:
    assert sites_of(loaded(probes, name)) == sorted(PROBES[name].sites)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", NAMED)
def test_only_types_that_are_named_come_from_outside(probes: Path, name: str, stage: str) -> None:
    module = loaded(probes, name, [("A", "IFoo", 0), ("B", "IFoo", 1)])
    assert sites_of(module) == NAMED[name]
    run_passes(module, stage, Hooks(verify_each=True))
    assert stored(module, 8, 4, PROBES[name].inputs) == PROBES[name].stored


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", PROBES)
def test_what_is_stored(probes: Path, name: str, stage: str) -> None:
    module = loaded(probes, name)
    run_passes(module, stage, Hooks(verify_each=True))
    for size in SIZES:
        assert stored(module, size, 4, PROBES[name].inputs) == PROBES[name].stored


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", WAVES)
def test_who_runs_together(probes: Path, name: str, stage: str) -> None:
    """32 lanes; the even ones have an A, the odd ones a B."""
    module = loaded(probes, name)
    run_passes(module, stage, Hooks(verify_each=True))
    for size in SIZES:
        together = min(size, 32)
        expected = [WAVES[name](lane, together // 2, together // 2, together) for lane in range(32)]
        assert stored(module, size, 32, {"inputBuffer": [0, 1] * 16}) == expected


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(probes: Path, name: str) -> None:
    with pytest.raises(InputError) as refusal:
        run_passes(loaded(probes, name), "specialize-dispatch")
    assert [one.code for one in refusal.value.diagnostics] == REFUSED[name]


def test_a_size_is_reported(probes: Path) -> None:
    with pytest.raises(InputError) as refusal:
        run_passes(loaded(probes, "ex13_sizeoverflow"), "specialize-dispatch")
    assert [note.message for note in refusal.value.diagnostics[0].notes] == ["sizeof(A) is 16, limit is 8"]


def test_an_impossible_test_is_settled(probes: Path) -> None:
    """`is C` and `as C` of what is A or B: both branches go by false, and so does that on what `as` gave (ex28)."""
    module = loaded(probes, "ex28_as_elim")
    run_passes(module, "specialize-dispatch")
    conditions = [one.condition for f in module.functions for one in constructs(f) if isinstance(one, If)]
    assert len([one for one in conditions if isinstance(one, Instr) and one.op == op.ConstantFalse]) == 3
