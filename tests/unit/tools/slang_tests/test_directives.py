"""The tests that a file declares: which count, which one is run, what its words mean."""

import pytest
from slang_tests.arguments import Malformed, read_arguments
from slang_tests.directives import chosen, kinds, read_directives

pytestmark = pytest.mark.once

FILE = """\
//TEST(compute, vulkan):COMPARE_COMPUTE_EX(filecheck-buffer=BUF): -cuda -compute -output-using-type
  /// TEST:SIMPLE(filecheck=CHECK):-target hlsl
//DISABLE_TEST(compute):COMPARE_COMPUTE: -vk -shaderobj
//TEST:COMPARE_COMPUTE: -dx12
//TEST:COMPARE_COMPUTE(filecheck-buffer = CHECK): -slang -shaderobj
//TEST_CATEGORY(wave, compute)
//TEST_INPUT:ubuffer(data=[0], stride=4):out,name=x
//DIAGNOSTIC_TEST:SIMPLE(diag=CHECK):-target spirv
// TESTED: nothing
"""


def test_each_enabled_line_is_a_test_and_disabled_ones_only_count() -> None:
    found = read_directives(FILE)
    assert [(directive.number, directive.line, directive.command) for directive in found] == [
        (0, 1, "COMPARE_COMPUTE_EX"),
        (1, 2, "SIMPLE"),
        (3, 4, "COMPARE_COMPUTE"),
        (4, 5, "COMPARE_COMPUTE"),
        (5, 8, "DIAGNOSTIC_TEST"),
    ]
    assert found[0].options == {"filecheck-buffer": "BUF"}
    assert found[0].arguments == ["-cuda", "-compute", "-output-using-type"]
    assert kinds(found) == ["COMPARE_COMPUTE_EX", "SIMPLE", "COMPARE_COMPUTE", "DIAGNOSTIC_TEST"]


@pytest.mark.parametrize(
    ("devices", "best"),
    [
        (["-cuda", "-dx12", "", "-vk"], 3),  # Vulkan's rules are the simulator's
        (["-cuda", "-dx12", "-shaderobj"], 2),  # no device named
        (["-cpu", "-dx11", "-dx12"], 1),
        (["-cuda", "-cpu"], 0),
    ],
)
def test_the_test_that_stands_for_a_file(devices: list[str], best: int) -> None:
    lines = [f"//TEST:COMPARE_COMPUTE:{device}" for device in devices]
    found = chosen(read_directives("\n".join(lines)))
    assert found is not None and found.number == best
    assert found.other_device() == ("-cuda" if best == 0 else "")  # whose rules may not be those of Vulkan


def test_a_file_may_ask_to_be_ignored_or_have_no_compute_test() -> None:
    assert read_directives(FILE + "//TEST_IGNORE_FILE:\n") == []
    assert chosen(read_directives("//TEST:SIMPLE:-target hlsl\n")) is None


def test_arguments_of_a_compute_test() -> None:
    words = (
        "-vk -compute -entry other -compute-dispatch 4,2,1 -output-using-type -profile cs_6_0 -wave-size 16 "
        "-render-features int64,half -Xdxc -Gis -xslang -DN=4 -Xslang -I$dirname -Xslang... -DM -fvk-use-dx-layout "
        "-bind -X. -xslang -Wno-41020 -xslang -std -xslang 2026 -allow-glsl"
    )
    found = read_arguments(words.split(), "here")
    assert (found.entry, found.groups, found.typed, found.wave_size, found.allow_glsl) == (
        "other",
        (4, 2, 1),
        True,
        16,
        True,
    )
    assert found.defines == ["N=4", "M"]
    assert found.includes == ["here"]
    assert (found.buffer_layout, found.matrix_layout) == ("dx", "")
    assert found.others == ["-bind"]
    assert found.year == 2026
    assert found.compiler == ["-DN=4", "-Ihere", "-DM", "-fvk-use-dx-layout", "-bind", "-Wno-41020", "-std", "2026"]


@pytest.mark.parametrize("words", ["-rt", "-gcompute", "-unheard-of", "-entry", "-compute-dispatch 4,1", "-xslang"])
def test_what_is_not_known_is_reported(words: str) -> None:
    with pytest.raises(Malformed, match=words.split()[0] if "," not in words else "4,1"):
        read_arguments(words.split(), "")
