"""`run --on vulkan`, `compare`, `devices` and scripts from the command line: output, JSON, exit codes."""

import json
from pathlib import Path

import pytest
from kit.oracles import drivers
from kit.programs import amber_shaders

from reknit.cli.main import main

pytestmark = pytest.mark.once

FALLTHROUGH = str(Path(__file__).resolve().parents[3] / "examples" / "fallthrough.spvasm")
KIND = ["--set", "kind=0,0,1,2"]


@pytest.fixture
def lavapipe(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The options that lead to lavapipe, whose manifest the loader is told by the environment."""
    library, environment = drivers.settings("lavapipe")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return ["--libvulkan", library]


def test_devices(lavapipe: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices", *lavapipe]) == 0
    text = capsys.readouterr().out
    assert text.startswith("0  llvmpipe")
    assert "yes: maximal reconvergence" in text
    assert main(["devices", "--json", *lavapipe]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["devices"][0]["subgroup_size"] in drivers.LAVAPIPE_LANES
    assert "shaderMaximalReconvergence" in found["devices"][0]["features"]


def test_why_there_is_no_device(capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = ["--libvulkan", "libno-such-vulkan.so.1"]
    assert main(["devices", *nowhere]) == 1
    assert "libno-such-vulkan.so.1" in capsys.readouterr().err
    assert main(["devices", "--json", *nowhere]) == 1
    assert json.loads(capsys.readouterr().out)["diagnostics"][0]["code"] == "RK1101"
    assert main(["doctor", *nowhere]) == 0
    assert "none: there is no Vulkan here" in capsys.readouterr().out


@pytest.mark.parametrize("lanes", drivers.LAVAPIPE_LANES)
def test_run_on_a_device(lanes: int, lavapipe: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The example's three outcomes, by hand: docs/getting-started.md."""
    given = [FALLTHROUGH, *KIND, "--on", "vulkan:llvm", "--subgroup-size", str(lanes), *lavapipe]
    assert main(["run", *given]) == 0
    text = capsys.readouterr().out
    assert text.startswith("on llvmpipe")
    assert f"subgroups of {lanes}" in text
    assert main(["run", "--json", *given]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["on"].startswith("llvmpipe")
    assert found["subgroup_size"] == lanes
    words = found["buffers"]["result"]["words"]
    assert words in ([22, 22, 10, 10], [22, 22, 20, 20], [42, 42, 40, 40])


def test_what_a_device_has_no_use_for(capsys: pytest.CaptureFixture[str]) -> None:
    for option in (["--trace"], ["--schedule", "fifo"], ["--watch"]):
        assert main(["run", FALLTHROUGH, "--on", "vulkan", *option]) == 2
        assert "RK0010" in capsys.readouterr().err
    assert main(["run", FALLTHROUGH, "--on", "voodoo"]) == 2
    assert "RK1102" in capsys.readouterr().err
    assert main(["run", FALLTHROUGH, "--on", "vulkan", "--seconds", "0"]) == 2
    assert main(["compare", FALLTHROUGH, "--on", "sim"]) == 2


def test_a_failed_run_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["run", FALLTHROUGH, "--on", "vulkan", "--libvulkan", "libno-such-vulkan.so.1", "--json"]
    assert main(given) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["on"], found["diagnostics"][0]["code"]) == ("vulkan", "RK1101")


def test_compare(lavapipe: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", FALLTHROUGH, *KIND, "--subgroup-size", "4", *lavapipe]) == 0
    assert "subgroups of 4: " in capsys.readouterr().out
    assert main(["compare", FALLTHROUGH, "--random", "7", "--on", "vulkan", "--json", *lavapipe]) == 0
    [found] = json.loads(capsys.readouterr().out)["devices"]
    assert found["verdict"] in ("same", "allowed")
    assert found["differences"] == []


def test_compare_on_a_device_that_lacks_something(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """SwiftShader has no maximal reconvergence."""
    library, environment = drivers.settings("swiftshader")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert main(["compare", FALLTHROUGH, "--libvulkan", library]) == 1
    told = capsys.readouterr()
    assert "not run" in told.out
    assert "RK1103" in told.err


def test_scripts(tmp_path: Path, lavapipe: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.amber"
    path.write_text(amber_shaders.AMBER)
    assert main(["run", str(path)]) == 0
    assert "9 of 9 expectations pass on sim, subgroups of 32" in capsys.readouterr().out
    assert main(["run", str(path), "--on", "vulkan", "--subgroup-size", "8", *lavapipe]) == 0
    assert "9 of 9 expectations pass on llvmpipe" in capsys.readouterr().out
    path.write_text(amber_shaders.AMBER + "EXPECT out IDX 0 EQ 1\n")
    assert main(["run", str(path), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [check["pass"] for check in found["checks"]] == [True] * 9 + [False]
    assert found["checks"][-1]["reasons"] == ["value 0, byte 0: 103 is not EQ 1"]
    assert main(["run", str(path), "--groups", "2"]) == 2
    path.write_text("#!amber\nPIPELINE graphics p\nEND\n")
    capsys.readouterr()
    assert main(["run", str(path)]) == 1
    told = capsys.readouterr().err
    assert "RK0702" in told
    assert "a.amber:2:" in told
