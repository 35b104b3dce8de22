"""Drivers that are not there, crash, hang or refuse: a diagnostic in time, with a code that says which."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from kit import oracles
from kit.oracles import drivers

import reknit
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.spirv.read import read_module
from reknit.vulkan.run import devices, run_on
from reknit.vulkan.target import Target, target_of

pytestmark = pytest.mark.once

EMPTY = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%a = OpLabel
OpReturn
OpFunctionEnd
"""

ENDLESS = """
#version 450
layout(set = 0, binding = 0) buffer Out { uint n; };
void main() { for (;;) { atomicAdd(n, 1); if (n == 0xffffffffu) break; } }
"""


def fault(target: Target) -> Diagnostic:
    """The one diagnostic of running an empty shader."""
    with pytest.raises(InputError) as raised:
        run_on(target, reknit.load(EMPTY.encode(), format="spvasm"))
    [diagnostic] = raised.value.diagnostics
    return diagnostic


def fake_loader(folder: Path, body: str) -> Target:
    """A libvulkan that gets as far as its first command."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler here")
    source, library = folder / "fake.c", folder / "libfake.so"
    source.write_text(
        "#include <stdlib.h>\n#include <stdio.h>\n#include <unistd.h>\n"
        f"int vkEnumerateInstanceExtensionProperties(void) {{ {body} }}\n"
    )
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return Target("", str(library), seconds=1.0, grace=1.0)


def test_no_library() -> None:
    diagnostic = fault(Target("", "libno-such-vulkan.so.1"))
    assert diagnostic.code == "RK1101"
    assert "libno-such-vulkan" in diagnostic.message
    assert "--libvulkan" in diagnostic.help


def test_a_library_that_is_not_vulkan(tmp_path: Path) -> None:
    target = fake_loader(tmp_path, "return 0;")
    diagnostic = fault(target)
    assert diagnostic.code == "RK1101"
    assert "has no vkCreateInstance" in diagnostic.message


def test_no_driver() -> None:
    library, environment = drivers.settings("lavapipe")
    nowhere = {**environment, "VK_DRIVER_FILES": "/nowhere/a.json", "VK_ICD_FILENAMES": "/nowhere/a.json"}
    diagnostic = fault(Target("", library, environment=nowhere))
    assert diagnostic.code == "RK1101"
    assert "VK_ERROR_INCOMPATIBLE_DRIVER" in diagnostic.message
    with pytest.raises(InputError):
        devices(Target("", library, environment=nowhere))


def test_a_crash_names_the_command_and_the_signal(tmp_path: Path) -> None:
    diagnostic = fault(fake_loader(tmp_path, 'fputs("last words\\n", stderr); abort();'))
    assert diagnostic.code == "RK1105"
    assert "vkEnumerateInstanceExtensionProperties" in diagnostic.message
    assert "SIGABRT" in diagnostic.message
    assert [note.message for note in diagnostic.notes] == ["it printed: last words"]


def test_an_exit_is_a_crash(tmp_path: Path) -> None:
    diagnostic = fault(fake_loader(tmp_path, "_exit(3);"))
    assert diagnostic.code == "RK1105"
    assert "exit code 3" in diagnostic.message


def test_a_driver_that_hangs_is_ended(tmp_path: Path) -> None:
    target = fake_loader(tmp_path, "for (;;) sleep(60);")
    start = time.monotonic()
    diagnostic = fault(target)
    assert diagnostic.code == "RK1106"
    assert "vkEnumerateInstanceExtensionProperties" in diagnostic.message
    assert time.monotonic() - start < 10


def test_what_a_driver_prints_is_no_answer(tmp_path: Path) -> None:
    diagnostic = fault(fake_loader(tmp_path, 'puts("{\\"answer\\": 1}"); fflush(stdout); return -3;'))
    assert diagnostic.code == "RK1104"
    assert "VK_ERROR_INITIALIZATION_FAILED" in diagnostic.message


@pytest.mark.parametrize("driver, lanes", [("lavapipe", 8), ("swiftshader", 4)])
def test_a_shader_that_never_ends_is_given_up(driver: str, lanes: int) -> None:
    target = drivers.target(driver, lanes, seconds=1.0)
    start = time.monotonic()
    with pytest.raises(InputError) as raised:
        run_on(target, read_module(oracles.glslang(ENDLESS)))
    [diagnostic] = raised.value.diagnostics
    assert diagnostic.code == "RK1106"
    assert {"lavapipe": "llvmpipe", "swiftshader": "SwiftShader"}[driver] in diagnostic.message
    assert time.monotonic() - start < 12


def test_where_to_run_is_checked() -> None:
    assert target_of("sim") is None
    for on in ("vulcan", "vulkan:", "jit"):
        with pytest.raises(InputError) as raised:
            target_of(on)
        assert raised.value.diagnostics[0].code == "RK1102"
    target = target_of("vulkan:llvm", "lib.so", 3.0)
    assert target is not None
    assert (target.name, target.library, target.seconds) == ("llvm", "lib.so", 3.0)
