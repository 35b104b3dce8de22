"""The tests that a file declares, and the one of them that is run.

    //TEST(compute,vulkan):COMPARE_COMPUTE(filecheck-buffer=CHECK): -vk -shaderobj
           categories      command         options                  arguments

A file's compute tests differ in the device they are for, which means nothing to a simulator: the first for Vulkan
stands for all, else the first that names no device, else the first for Direct3D, else the first.
"""

import re
from pathlib import Path
from typing import final

COMPUTE = ("COMPARE_COMPUTE", "COMPARE_COMPUTE_EX")
_LINE = re.compile(r"[ \t]*///*[ \t]*([A-Z_]+)([(:].*)?$", re.IGNORECASE)
_TEST = re.compile(r"(?:\(([^)\n]*)\))?:([^(:\n]+)(?:\(([^)\n]*)\))?:(.*)$")
_WORD = re.compile(r'(?:"[^"]*"|\S)+')
_VULKAN = ("-vk", "-vulkan")
_DIRECT3D = ("-dx12", "-d3d12", "-dx11", "-d3d11")
_OTHERS = ("-cpu", "-cuda", "-mtl", "-metal", "-llvm", "-wgpu", "-wgsl")


@final
class Directive:
    """`number` counts all enabled tests of the file, as the names of their expected outputs do."""

    __slots__ = ("number", "line", "command", "options", "arguments")

    def __init__(self, number: int, line: int, command: str, options: dict[str, str], arguments: list[str]) -> None:
        self.number = number
        self.line = line
        self.command = command
        self.options = options
        self.arguments = arguments

    def is_compute(self) -> bool:
        return self.command in COMPUTE

    def other_device(self) -> str:
        """The device whose rules it is for, where those aren't Vulkan's or Direct3D's; else ""."""
        return next((device for device in _OTHERS if device in self.arguments), "") if self.rank() == 3 else ""

    def rank(self) -> int:
        """How well its device stands for a simulator of Vulkan's rules; 0 is best."""
        for rank, devices in ((0, _VULKAN), (2, _DIRECT3D), (3, _OTHERS)):
            if any(device in self.arguments for device in devices):
                return rank
        return 1


def read_directives(text: str) -> list[Directive]:
    """The enabled tests of a file; none where it asks to be ignored."""
    found: list[Directive] = []
    number = 0
    for line, content in enumerate(text.splitlines(), 1):
        match = _LINE.match(content)
        if match is None or match[2] is None:
            continue
        if match[1] == "TEST_IGNORE_FILE":
            return []
        if match[1].removeprefix("DISABLE_") not in ("TEST", "DIAGNOSTIC_TEST"):
            continue
        parts = _TEST.match(match[2])
        if parts is not None and not match[1].startswith("DISABLE_"):
            command = parts[2].strip() if match[1] == "TEST" else "DIAGNOSTIC_TEST"
            found.append(Directive(number, line, command, _options(parts[3] or ""), _WORD.findall(parts[4])))
        number += 1
    return found


def _options(text: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    return {name.strip(): value.strip() for name, _, value in pairs}


def chosen(directives: list[Directive]) -> Directive | None:
    """The compute test that stands for the file's."""
    compute = [directive for directive in directives if directive.is_compute()]
    return min(compute, key=lambda directive: (directive.rank(), directive.number)) if compute else None


def kinds(directives: list[Directive]) -> list[str]:
    """The commands of the file's tests, each once, in order."""
    return list(dict.fromkeys(directive.command for directive in directives))


def read_source(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
