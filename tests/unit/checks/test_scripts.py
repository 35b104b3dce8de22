"""Scripts run, on the simulator and on drivers: what passes and fails, by hand from the shader's text."""

import pytest
from kit.oracles import drivers
from kit.oracles.drivers import on_every_driver
from kit.programs import amber_shaders

from reknit.checks.scripts import EXACT, Runner, Surroundings, holds
from reknit.front.amber.parse_amber import parse_amber
from reknit.front.amber.parse_vkscript import parse_vkscript
from reknit.front.amber.script import Script, Tolerance
from reknit.front.amber.types import Component
from reknit.source.diagnostic import InputError
from reknit.view.scripts import show_checks
from reknit.vulkan.target import Target

pytestmark = pytest.mark.once


def ran(script: Script, target: Target | None = None) -> Runner:
    runner = Runner(script, Surroundings(target, 0 if target is not None else 8))
    runner.run()
    return runner


def test_every_expectation_passes_on_the_simulator() -> None:
    for script in (
        parse_amber(amber_shaders.AMBER, "a.amber"),
        parse_vkscript(amber_shaders.VKSCRIPT, "a.vkscript"),
    ):
        runner = ran(script)
        assert runner.checks
        assert runner.passed(), show_checks(runner)
        assert (runner.on, runner.subgroup_size) == ("sim", 8)


@on_every_driver
def test_every_expectation_passes_on_drivers(driver: str, lanes: int) -> None:
    target = drivers.target(driver, lanes)
    runner = ran(parse_amber(amber_shaders.AMBER, "a.amber"), target)
    assert runner.passed(), show_checks(runner)
    assert runner.subgroup_size == lanes
    if driver == "lavapipe":  # the script asks for shaderInt64, which SwiftShader does not have
        assert ran(parse_vkscript(amber_shaders.VKSCRIPT, "a.vkscript"), target).passed()
        return
    with pytest.raises(InputError, match="DEVICE_FEATURE shaderInt64"):
        ran(parse_vkscript(amber_shaders.VKSCRIPT, "a.vkscript"), target)


@pytest.mark.parametrize(
    "expectation, reason",
    [
        ("EXPECT out IDX 0 EQ 103 108", "value 1, byte 4: 109 is not EQ 108"),
        ("EXPECT out IDX 8 NE 115", "value 0, byte 8: 115 is not NE 115"),
        ("EXPECT out IDX 8 LT 115", "115 is not LT 115"),
        ("EXPECT out IDX 0 TOLERANCE 2 EQ 100", "103 is not ~= 100"),
        ("EXPECT out IDX 28 EQ 145 1", "byte 32 of a buffer of 32 bytes"),
        ("EXPECT copy EQ_BUFFER out", "bytes differ, the first at 0: 0x02 and 0x67"),
        ("EXPECT out EQ_BUFFER pushed", "out has 32 bytes, pushed has 4"),
        ("EXPECT copy RMSE_BUFFER out TOLERANCE 1", "the error is"),
    ],
)
def test_an_expectation_that_fails_says_why(expectation: str, reason: str) -> None:
    """After `triple`: 3 * (1, 3, 5 ... 15) + 100 = 103, 109, 115 ... 145; `copy` is what `double` stored."""
    runner = ran(parse_amber(amber_shaders.AMBER + expectation + "\n", "a.amber"))
    assert not runner.passed()
    *passing, failing = runner.checks
    assert not any(check.reasons for check in passing)
    assert reason in failing.reasons[0]
    line = len((amber_shaders.AMBER + expectation).split("\n"))
    assert failing.place.line == line
    assert f"a.amber:{line}: FAIL  {expectation}" in show_checks(runner)


def test_repeated_commands_run_as_often_as_they_say() -> None:
    """Each round doubles `in`, by storing into `out` and copying back: 1, 2, 4, 8."""
    text = amber_shaders.AMBER.partition("DERIVE_PIPELINE")[0]
    runner = ran(parse_amber(f"{text}REPEAT 3\n RUN double 1 1 1\n COPY out TO in\nEND\nEXPECT in IDX 0 EQ 8\n", "a"))
    assert runner.passed(), show_checks(runner)


def test_part_of_a_buffer_is_bound() -> None:
    """From byte 16 on, `in` is 9 11 13 15; four words from byte 8 on of `out` are written."""
    text = amber_shaders.AMBER.partition("DERIVE_PIPELINE")[0]
    text = text.replace("BINDING 0\n", "BINDING 0 DESCRIPTOR_OFFSET 16\n")
    text = text.replace("BINDING 1\n", "BINDING 1 DESCRIPTOR_OFFSET 8 DESCRIPTOR_RANGE 16\n")
    runner = ran(parse_amber(text + "RUN double 1 1 1\nEXPECT out IDX 0 EQ 99 99 18 22 26 30 99 99\n", "a.amber"))
    assert runner.passed(), show_checks(runner)


def test_a_dispatch_that_goes_wrong_ends_the_script() -> None:
    """Eight invocations read from a buffer of four."""
    text = amber_shaders.AMBER.replace("uint32 SIZE 8 SERIES_FROM", "uint32 SIZE 4 SERIES_FROM")
    runner = ran(parse_amber(text, "a.amber"))
    assert not runner.passed()
    assert {diagnostic.code for diagnostic in runner.diagnostics} == {"RK1014"}
    assert [check.text for check in runner.checks] == [
        "EXPECT out IDX 0 EQ 2 6 10 14 99 99 99 99",
        "EXPECT copy EQ_BUFFER out",
    ]


@pytest.mark.parametrize(
    "comparator, found, wanted, tolerance, expected",
    [
        ("EQ", 1.0, 1.0 + 1e-9, EXACT, True),
        ("EQ", 1.0, 1.0 + 1e-6, EXACT, False),
        ("NE", 1.0, 1.0 + 1e-6, EXACT, True),
        ("EQ", float("nan"), float("nan"), EXACT, True),
        ("EQ", float("nan"), 1.0, EXACT, False),
        ("EQ", float("inf"), float("inf"), EXACT, True),
        ("~=", 2.02, 2.0, Tolerance(1.1, True), True),
        ("~=", 2.02, 2.0, Tolerance(0.9, True), False),
        ("~=", 2.5, 2.0, Tolerance(0.5, False), True),
        ("LE", 2.0, 2.0, EXACT, True),
        ("GT", 2.0, 2.0, EXACT, False),
    ],
)
def test_comparators(comparator: str, found: float, wanted: float, tolerance: Tolerance, expected: bool) -> None:
    """Amber's own epsilon is a millionth of a percent of the expected value."""
    assert holds(comparator, Component(0, "float", 64), found, wanted, tolerance) is expected


SHARED = """#!amber
SHADER compute s SPIRV-ASM
{shader}
END
BUFFER r DATA_TYPE uint32 SIZE 8 FILL 1
BUFFER other DATA_TYPE uint32 SIZE 8 FILL 1
PIPELINE compute p
  ATTACH s
  BIND BUFFER r AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER {second} AS storage DESCRIPTOR_SET 0 BINDING 1
END
RUN p 1 1 1
"""


def test_one_buffer_at_two_bindings_is_refused() -> None:
    """`in` is read and `out` written, which is the same memory on a device: the order of lanes would show."""
    text = SHARED.format(shader=amber_shaders.MULTIPLY.strip(), second="r")
    with pytest.raises(InputError) as caught:
        ran(parse_amber(text, "a.amber"))
    (fault,) = caught.value.diagnostics
    assert fault.code == "RK1304" and "buffer r is bound at 0.0 and at 0.1" in fault.message
    assert fault.place is not None and fault.place.line == text.count("\n", 0, text.index("RUN p")) + 1
    assert ran(parse_amber(text.replace("BINDING 1", "BINDING 5"), "a.amber")).passed()  # where the shader sees none
    assert ran(parse_amber(SHARED.format(shader=amber_shaders.MULTIPLY.strip(), second="other"), "a.amber")).passed()


def test_a_dispatch_that_goes_wrong_is_no_script_that_expects_nothing() -> None:
    """The fault has the script's own line, and the summary says what was not run."""
    text = amber_shaders.AMBER.replace("uint32 SIZE 8 SERIES_FROM", "uint32 SIZE 4 SERIES_FROM")
    runner = ran(parse_amber(text, "a.amber"))
    places = [diagnostic.place for diagnostic in runner.diagnostics]
    lines = [text.splitlines()[place.line - 1] for place in places if place is not None]
    assert lines and all("OpLoad" in line for line in lines)
    assert show_checks(runner).endswith("where a dispatch went wrong: what follows was not run\n")


def test_what_the_simulator_is_not_given_is_no_matter_of_drivers() -> None:
    text = amber_shaders.AMBER.replace("               OpDecorate %array ArrayStride 4\n", "")
    assert text != amber_shaders.AMBER
    with pytest.raises(InputError) as raised:
        ran(parse_amber(text, "a.amber"))
    (fault,) = {(each.code, each.message.partition(": ")[0].split(" ", 1)[1]) for each in raised.value.diagnostics}
    assert fault == ("RK1001", "can't be given to the simulator")
